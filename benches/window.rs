//! The window's speed: its first frame, a frame while a timeline of 100,000 accesses plays, frames of every step and
//! view of every lesson, the way from a turned control to the first new point and from the last key to the new picture,
//! and its memory. Run with `cargo bench
//! --bench window`; it needs a graphics driver.
#![expect(clippy::print_stdout, reason = "a benchmark's output")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cpu_time::ThreadTime;

use warpbook::app::View;
use warpbook::app::shot::Canvas;
use warpbook::base::day;
use warpbook::base::diag::Diagnostic;
use warpbook::base::store::write_atomic;
use warpbook::gpu::client::WorkerCommand;
use warpbook::job::Language;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::state::DeviceState;
use warpbook::session::desk::{Command, Desk, Options, PAUSE, SettingCommand};
use warpbook::session::run::devices::Choice;
use warpbook::trace::record::Backend;

/// 32 warps of one workgroup, each with 1,600 iterations of a load and a store: more accesses than a timeline keeps.
const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(1024)
fn main(@builtin(local_invocation_index) lane: u32) {
    for (var i = 0u; i < 1600u; i += 1u) {
        dst[lane + 1024u * i] = src[lane + 1024u * i];
    }
}
";

const LESSON: &str = "(
    format_version: 1, title: \"Many accesses\", summary: \"A long timeline.\",
    params: [(id: \"n\", label: \"elements\", help: \"\", default: 1638400, domain: Choice([1638400]))],
    kernels: [(id: \"many\", title: \"Many\", shader: \"many/many.wgsl\", entry: \"main\",
        buffers: [(name: \"src\", elem: F32, count: \"n\", init: Random), (name: \"dst\", elem: F32, count: \"n\", init: Poison)],
        grid: (\"1\", \"1\", \"1\"), bytes: \"8 * n\", flops: \"0\",
        check: (reference: \"strided_copy\", args: {\"n\": \"n\", \"stride\": \"1\", \"offset\": \"0\"}, output: \"dst\", tolerance: 0))],
    steps: [(id: \"one\", kernel: \"many\")],
)";

fn open(files: PackFiles, state: &Path) -> Result<Desk, Diagnostic> {
    // The benchmark's own file is no worker; the program beside it is.
    let program = option_env!("CARGO_BIN_EXE_warpbook").map_or_else(|| "warpbook".into(), Into::into);
    let program = std::env::var_os("WARPBOOK").map_or(program, Into::into);
    let worker =
        WorkerCommand { program, args: vec!["worker".into()], env: Vec::new(), deadline: Duration::from_secs(30) };
    let state_path = Some(state.join("state.ron"));
    Ok(Desk::open(Options { files, state_path, worker, seed: 1, clock: Arc::new(day::now), wake: Arc::new(|| {}) }))
}

/// Runs frames until the desk has nothing left to do.
fn settle(canvas: &mut Canvas, view: &mut View, desk: &mut Desk) {
    loop {
        canvas.run(view, desk);
        let starting = matches!(desk.state().found.device, DeviceState::Starting);
        if desk.state().place.lesson.is_some() && !starting && !desk.busy() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn first_frame(state: &Path) -> Result<(), Diagnostic> {
    let began = Instant::now();
    let mut canvas = Canvas::new([1280, 800])?;
    let mut desk = open(PackFiles::Embedded, state)?;
    let mut view = View::default();
    canvas.paint(&mut view, &mut desk)?;
    println!("first frame, from nothing to painted pixels      {:8.1} ms", began.elapsed().as_secs_f64() * 1e3);
    Ok(())
}

fn playing(state: &Path) -> Result<(), Diagnostic> {
    let pack = state.join("pack");
    write_atomic(&pack.join("lessons/index.ron"), b"(format_version: 1, order: [\"many\"])")?;
    write_atomic(&pack.join("lessons/many/lesson.ron"), LESSON.as_bytes())?;
    write_atomic(&pack.join("lessons/many/text.md"), b"## One {#one}\n\nWords.\n")?;
    write_atomic(&pack.join("shaders/many/many.wgsl"), KERNEL.as_bytes())?;
    let mut canvas = Canvas::new([1280, 800])?;
    let mut desk = open(PackFiles::Folder(pack), state)?;
    let mut view = View::default();
    settle(&mut canvas, &mut view, &mut desk);
    let timeline = desk.state().found.timeline("many", &desk.state().place).cloned();
    let events = timeline.map_or(0, |t| t.events.len());
    view.play(4.0);
    let mut times: Vec<f64> = (0..400)
        .map(|_| {
            let began = ThreadTime::now();
            canvas.run(&mut view, &mut desk);
            began.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let at = |q: usize| times[times.len() * q / 100];
    println!(
        "frame's CPU time, {events} events playing: median {:.2}, p99 {:.2}, longest {:.2} ms",
        at(50),
        at(99),
        times[399]
    );
    Ok(())
}

fn turning(state: &Path) -> Result<(), Diagnostic> {
    let mut canvas = Canvas::new([1280, 800])?;
    let mut desk = open(PackFiles::Embedded, state)?;
    let mut view = View::default();
    settle(&mut canvas, &mut view, &mut desk);
    desk.command(Command::OpenLesson("coalescing".to_owned()));
    desk.command(Command::GoTo(2));
    settle(&mut canvas, &mut view, &mut desk);
    if desk.state().measuring_backend().is_none() {
        println!("from a turned control to the first new point: no device to measure with");
        return Ok(());
    }
    let mut times = Vec::new();
    for stride in 3..=12 {
        let began = Instant::now();
        desk.command(Command::SetParam("stride".into(), f64::from(stride)));
        while desk.state().found.sampling("strided").is_none() && desk.state().found.ran("strided").is_none() {
            canvas.run(&mut view, &mut desk);
            std::thread::sleep(Duration::from_millis(1));
        }
        times.push(began.elapsed().as_secs_f64() * 1e3);
        settle(&mut canvas, &mut view, &mut desk);
    }
    times.sort_by(f64::total_cmp);
    println!("from a turned control to the first new point: median {:.0} ms, longest {:.0} ms", times[5], times[9]);
    Ok(())
}

/// Goes to each step of each lesson with the tracer as the only device, and has `each` look at it: the lesson's id and
/// the step's number from 1.
fn tour(
    state: &Path,
    size: [u32; 2],
    mut each: impl FnMut(&mut Canvas, &mut View, &mut Desk, &str, usize),
) -> Result<(), Diagnostic> {
    let mut canvas = Canvas::new(size)?;
    let mut desk = open(PackFiles::Embedded, state)?;
    desk.command(Command::Set(SettingCommand::Backend(Choice::Only(Backend::Simt))));
    let mut view = View::default();
    settle(&mut canvas, &mut view, &mut desk);
    let lessons: Vec<_> = desk.state().library.pack.lessons.iter().map(|l| (l.id.clone(), l.steps.len())).collect();
    for (lesson, steps) in lessons {
        desk.command(Command::OpenLesson(lesson.clone()));
        for step in 0..steps {
            desk.command(Command::GoTo(step));
            settle(&mut canvas, &mut view, &mut desk);
            each(&mut canvas, &mut view, &mut desk, &lesson, step + 1);
        }
    }
    Ok(())
}

/// Frames of each step of each lesson in each of its pictures, at rest and playing; and the window's memory after all
/// of them.
fn stepping(state: &Path) -> Result<(), Diagnostic> {
    let mut times: Vec<(f64, String)> = Vec::new();
    tour(state, [1920, 1200], |canvas, view, desk, lesson, step| {
        for card in desk.state().figures().map(|figure| figure.card()).collect::<Vec<_>>() {
            desk.command(Command::ShowFigure(card.name.to_owned()));
            settle(canvas, view, desk);
            view.play(1.0);
            for frame in 0..12 {
                let began = ThreadTime::now();
                canvas.run(view, desk);
                let ms = began.elapsed().as_secs_f64() * 1e3;
                times.push((ms, format!("{lesson} {step}, {}, frame {frame}", card.tab)));
            }
        }
    })?;
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |q: usize| &times[(times.len() * q / 1000).min(times.len() - 1)];
    println!(
        "frame's CPU time, {} frames of all steps and views: median {:.2}, p99 {:.2}, longest {:.2} ms ({})",
        times.len(),
        at(500).0,
        at(990).0,
        at(1000).0,
        at(1000).1
    );
    for (ms, of) in times.iter().rev().filter(|(_, of)| !of.ends_with("frame 0")).take(3) {
        println!("    after the first frame: {ms:.2} ms ({of})");
    }
    let resident = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = resident.and_then(|text| text.split(' ').nth(1)?.parse::<f64>().ok());
    if let Some(pages) = pages {
        println!("resident memory after every step and view: {:.0} MB", pages * 4096.0 / 1e6);
    }
    Ok(())
}

/// From the last key to the new picture, for each kernel that has a step, at the step's sizes.
fn typing(state: &Path) -> Result<(), Diagnostic> {
    let mut times: Vec<(f64, String)> = Vec::new();
    tour(state, [1280, 800], |canvas, view, desk, lesson, step| {
        let kernel = desk.state().place.kernel().filter(|kernel| kernel.cuda_only().is_none());
        let Some(text) = kernel.map(|kernel| format!("{}\n// {step}", kernel.source())) else { return };
        let began = Instant::now();
        desk.command(Command::TypeKernel(Language::Wgsl, text));
        let shown = |desk: &Desk| {
            let place = &desk.state().place;
            let typed = desk.state().trials.drafts.values().any(|draft| draft.typed.is_some());
            !typed && place.bench.edit.is_some() && desk.state().timeline().is_some()
        };
        while !shown(desk) {
            canvas.run(view, desk);
            std::thread::sleep(Duration::from_millis(1));
        }
        let ms = began.elapsed().saturating_sub(PAUSE).as_secs_f64() * 1e3;
        times.push((ms, format!("{lesson} {step}")));
        settle(canvas, view, desk);
        desk.command(Command::DiscardEdit);
    })?;
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (last, middle) = (&times[times.len() - 1], &times[times.len() / 2]);
    println!(
        "from the last key to the new picture, beyond the pause, {} steps: median {:.0} ms, longest {:.0} ms ({})",
        times.len(),
        middle.0,
        last.0,
        last.1
    );
    Ok(())
}

fn main() {
    for part in [first_frame, playing, turning, stepping, typing] {
        let outcome = tempfile::tempdir().map_err(|e| Diagnostic::error(e.to_string())).and_then(|f| part(f.path()));
        if let Err(problem) = outcome {
            println!("{problem}");
        }
    }
}
