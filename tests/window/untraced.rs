//! Kernels without a trace, since they are written in CUDA C++ only: window, notes and predictions go on without it,
//! and say so.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use warpbook::figures::ask;
use warpbook::job::Language;
use warpbook::lesson::{Lesson, PackFiles, Variant};
use warpbook::notes::{self, Format};
use warpbook::session::ask::At;
use warpbook::session::experiment::recording::RecordingChoice;
use warpbook::session::jobs::fingerprint::fingerprint;
use warpbook::session::jobs::setting::Setting;
use warpbook::session::learn::predict::Asked;
use warpbook::session::learn::saved::LessonSaved;
use warpbook::session::note::Pictures;
use warpbook::session::note::export::{Wanted, run_and_report};
use warpbook::session::note::only::Only;
use warpbook::session::run::devices::Choice;
use warpbook::session::{self, jobs};
use warpbook::trace::record::Backend;

#[cfg(feature = "app")]
use crate::common::devices;

const LESSON: &str = r#"(
    format_version: 1, title: "Both", summary: "A kernel in both languages, and one in CUDA C++ only.",
    params: [
        (id: "n", label: "n", default: 1024, domain: PowersOfTwo(256, 4096)),
        (id: "stages", label: "stages", default: 2, domain: Range(1, 4)),
    ],
    values: [(id: "gain", label: "gain", expr: "copy.time / fast.time")],
    kernels: [
        (
            id: "copy", title: "Copy", ladder: "copies", shader: "both/copy.wgsl",
            buffers: [(name: "src", elem: F32, count: "n", init: Random), (name: "dst", elem: F32, count: "n", init: Poison)],
            grid: ("n / 256", "1", "1"), bytes: "8 * n",
            check: (reference: "strided_copy", args: {"n": "n", "stride": "1", "offset": "0"}, output: "dst"),
        ),
        (
            id: "fast", title: "Fast copy", ladder: "copies", change: "By the hardware.", shader: "both/fast.cu",
            cuda: (block: ("256", "1", "1"), shared: "1024 * stages"),
            buffers: [(name: "src", elem: Bf16, count: "n", init: Random), (name: "dst", elem: Bf16, count: "n", init: Poison)],
            grid: ("n / 256", "1", "1"), bytes: "4 * n",
            check: (reference: "strided_copy", args: {"n": "n", "stride": "1", "offset": "0"}, output: "dst"),
        ),
    ],
    experiments: [(id: "speed", title: "Speed", kernels: ["copy", "fast"], over: "n", values: [256, 512], quantity: BytesPerSecond)],
    steps: [(id: "one", kernel: "fast", experiment: "speed"), (id: "two", kernel: "copy")],
    predictions: [(
        id: "faster", question: "How much faster?", options: [("Twice", 2.0), ("Four times", 4.0)],
        probes: [(id: "slow", kernel: "copy"), (id: "quick", kernel: "fast")],
        measured: "slow.time / quick.time", traced: "slow.load_sectors / quick.load_sectors", because: "It is.",
    )],
    exercises: [(
        id: "sectors", kernel: "copy", starter: "starter.wgsl", solution: "solution.wgsl", prompt: "Copy.",
        goal: "exercise.load_sectors <= n / 8", goal_text: "few sectors",
    )],
)"#;

const TEXT: &str = "## One {#one}\n\nThe gain is {{= gain}}, and the other loads {{= copy.load_sectors}} sectors.\n\n{{predict faster}}\n\n\
                    ## Two {#two}\n\n{{exercise sectors}}\n";

const COPY: &str = "@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = src[id.x];
}
";

const FAST: &str = r#"// By the hardware.
extern "C" __global__ void fast(const unsigned short* src, unsigned short* dst) {
    unsigned int i = blockIdx.x * 256 + threadIdx.x;
    dst[i] = src[i];
}
"#;

/// A pack in `folder` whose only lesson is this one.
fn pack(folder: &Path, lesson: &str) -> PackFiles {
    for (path, text) in [
        ("lessons/index.ron", "(format_version: 1, order: [\"both\"])"),
        ("lessons/both/lesson.ron", lesson),
        ("lessons/both/text.md", TEXT),
        ("lessons/both/starter.wgsl", ""),
        ("lessons/both/solution.wgsl", COPY),
        ("shaders/both/copy.wgsl", COPY),
        ("shaders/both/fast.cu", FAST),
    ] {
        let path: PathBuf = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    PackFiles::Folder(folder.to_owned())
}

/// The lesson, and every mistake in it.
fn read(lesson: &str) -> (Option<Arc<Lesson>>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (pack, found) = session::load(&pack(folder.path(), lesson));
    (pack.lessons.first().cloned(), found.iter().map(ToString::to_string).collect())
}

fn lesson() -> Arc<Lesson> {
    let (lesson, found) = read(LESSON);
    assert_eq!(found, [""; 0]);
    lesson.unwrap()
}

#[test]
fn what_has_no_trace_is_not_asked_for_one() {
    for (right, wrong, at, said) in [
        ("copy.time / fast.time", "fast.load_sectors", "fast.load_sectors", "shaders/both/fast.cu is CUDA C++ only"),
        ("kernel: \"copy\", starter", "kernel: \"fast\", starter", "\"sectors\"", "the exercise's kernel `fast`"),
        ("F32, count: \"n\", init: Random", "Bf16, count: \"n\", init: Random", "Bf16", "no bfloat16"),
    ] {
        assert_eq!(LESSON.matches(right).count(), 1, "{right}");
        let spoilt = LESSON.replace(right, wrong);
        let line = spoilt[..spoilt.find(at).unwrap()].matches('\n').count() + 1;
        let (_, found) = read(&spoilt);
        let place = format!("lesson.ron:{line}:");
        assert!(found.iter().any(|f| f.contains(said) && f.contains(&place)), "{place} {said}: {found:?}");
    }
    let (_, found) = read(&LESSON.replace("copy.time / fast.time", "fast.bytes / copy.bytes"));
    assert_eq!(found, [""; 0], "the lesson's own arithmetic needs no trace");
}

#[test]
fn what_sizes_a_launch_is_part_of_what_was_measured() {
    let lesson = lesson();
    let (fast, params) = (Variant::plain("fast"), jobs::defaults(&lesson));
    let at = |params| {
        let (lesson, plain) = (lesson.clone(), lesson.clone());
        let setting = Arc::new(Setting {
            lesson,
            plain,
            params,
            seed: 1,
            bounds_checks: true,
            warp_width: 32,
            language: Language::Wgsl,
        });
        At::timed(&setting, &fast, Backend::Cuda)
    };
    assert_eq!(at(params.clone()), at(jobs::with(&params, &[("n".to_owned(), params["n"])])));
    assert_ne!(at(params.clone()), at(jobs::with(&params, &[("stages".to_owned(), 3.0)])));
    let (other, _) = read(&LESSON.replace("1024 * stages", "2048 * stages"));
    let other = other.unwrap();
    let print = |lesson: &Lesson, curve: usize, backend| {
        fingerprint(lesson, &lesson.experiments[0].curves[curve], ("n", &[256.0]), &params, backend).unwrap()
    };
    assert_ne!(print(&lesson, 1, Backend::Cuda), print(&other, 1, Backend::Cuda));
    assert_eq!(print(&lesson, 0, Backend::Wgpu), print(&other, 0, Backend::Wgpu));
}

#[test]
fn a_prediction_without_a_probe_has_no_answer_but_a_reason() {
    let lesson = lesson();
    let asked = Asked {
        lesson: &lesson,
        prediction: &lesson.predictions[0],
        params: &jobs::defaults(&lesson),
        seed: 1,
        bounds_checks: true,
    };
    let answer = asked.answer(&devices(), Backend::Simt, &AtomicBool::new(false)).unwrap();
    assert_eq!((answer.measured, answer.traced), (None, None));
    assert!(answer.runs.iter().any(|run| run == "Fast copy does not run on simt"), "{:?}", answer.runs);
}

#[test]
fn a_note_shows_the_source_and_why_nothing_was_traced() {
    let wanted = Wanted {
        lesson: &lesson(),
        kept: LessonSaved::default(),
        only: Only::All,
        models: Vec::new(),
        model: None,
        recordings: Arc::default(),
        quotes: Arc::default(),
        recording: RecordingChoice::default(),
        backend: Choice::Only(Backend::Simt),
        measure: false,
        seed: 1,
        pictures: Pictures::Playing,
        pins: None,
    };
    let (report, problems) = run_and_report(&devices(), wanted, &AtomicBool::new(false), &mut |_| ()).unwrap();
    assert_eq!(problems.len(), 1, "said once for the experiment: {problems:?}");
    assert!(!problems[0].is_error() && problems[0].message.contains("`fast` is written in CUDA C++ only"));
    let folder = tempfile::tempdir().unwrap();
    let written = notes::write(&report, &[Format::Markdown], &notes::To::folder(folder.path())).unwrap().files;
    let note = written.iter().find(|path| path.extension().is_some_and(|e| e == "md")).unwrap();
    let text = fs::read_to_string(note).unwrap();
    let parts = [
        "extern \"C\" __global__ void fast",
        "so there is no trace",
        "--kernel fast",
        "--backend cuda",
        "not measured",
    ];
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("the other loads 128 sectors"), "{text}");
}

#[cfg(feature = "app")]
#[test]
fn the_window_shows_the_source_and_says_why_the_stage_is_empty() {
    use egui_kittest::kittest::{NodeT, Queryable};
    let folder = tempfile::tempdir().unwrap();
    let files = pack(folder.path(), LESSON);
    let mut window = crate::harness::open(files, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let state = window.state().desk.state();
    assert_eq!(
        (
            state.place.bench.variant.program.as_str(),
            crate::harness::untraced(state).len(),
            state.found.unmeasured("fast").len()
        ),
        ("fast", 0, 0)
    );
    window.get_by_label_contains("No trace: this kernel is written in CUDA C++ only");
    let source = window.get_by_label("Source of the kernel").accesskit_node().value().unwrap_or_default();
    assert!(source.contains("extern \"C\" __global__ void fast"), "{source}");
    assert!(window.query_by_label_contains("Explain…").is_none());
    // The next step's kernel is traced as ever.
    window.state_mut().desk.command(session::desk::Command::GoTo(1));
    crate::harness::settle(&mut window);
    assert!(window.state().desk.state().timeline().is_some());
    window.get_by_label_contains("Explain…");
    assert!(window.query_by_label_contains("No trace").is_none());
}

/// The lesson with a ring, and a picture of its first kernel that needs no trace.
fn with_figure(figure: &str) -> String {
    let shared = "shared: \"1024 * stages\"";
    let ring = format!("{shared}, ring: (places: 2, load: \"a warp\", multiply: \"another\")");
    LESSON.replace(shared, &ring).replace("kernel: \"fast\", exp", &format!("kernel: \"fast\", scene: {figure}, exp"))
}

#[test]
fn a_note_shows_waves_without_a_trace() {
    let (lesson, found) = read(&with_figure("Waves"));
    assert_eq!(found, [""; 0]);
    let (models, _) = session::run::model::load(&PackFiles::Embedded);
    let wanted = Wanted {
        lesson: &lesson.unwrap(),
        kept: LessonSaved::default(),
        only: Only::All,
        models,
        model: Some("h100-sxm".into()),
        recordings: Arc::default(),
        quotes: Arc::default(),
        recording: RecordingChoice::default(),
        backend: Choice::Only(Backend::Simt),
        measure: false,
        seed: 1,
        pictures: Pictures::Playing,
        pins: None,
    };
    let (report, _) = run_and_report(&devices(), wanted, &AtomicBool::new(false), &mut |_| ()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let written = notes::write(&report, &[Format::Markdown], &notes::To::folder(folder.path())).unwrap().files;
    let note = written.iter().find(|path| path.extension().is_some_and(|e| e == "md")).unwrap();
    let text = fs::read_to_string(note).unwrap();
    assert!(text.contains("Fast copy: how the grid's workgroups spread over a device's SMs."), "{text}");
}

#[cfg(feature = "app")]
#[test]
fn waves_and_ceilings_need_no_trace() {
    use egui_kittest::kittest::Queryable;
    let folder = tempfile::tempdir().unwrap();
    let window = crate::harness::open(
        pack(folder.path(), &with_figure("Waves")),
        &folder.path().join("state.ron"),
        [1280.0, 800.0],
    );
    let state = window.state().desk.state();
    assert_eq!(state.shown_figure().card().name, "Waves");
    let blocks = state.with_results(&state.picture(), |results| results.ask(ask::Spread).unwrap().waves.blocks);
    assert_eq!(blocks, 4);
    for (tab, there) in [("Ring", true), ("Waves", true), ("Warp", false), ("Bytes", false), ("Sweeps", false)] {
        assert_eq!(window.query_by_label(&format!("{tab} on the stage")).is_some(), there, "{tab}");
    }
}
