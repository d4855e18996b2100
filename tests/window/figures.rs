//! The stage's figures, used as a learner uses them: a product of matrices, naive and through tiles, in a pack of its
//! own.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};

use warpbook::figures::ask;
use warpbook::lesson::PackFiles;
use warpbook::notes::Format;
use warpbook::session::ask::Of;
use warpbook::session::desk::Command;
use warpbook::session::desk::status::Notice;
use warpbook::session::note::only::Only;

use warpbook::trace::Heat;

use crate::harness::{Window, open, settle};

/// Rows and columns of the matrices.
const N: usize = 64;

/// A pack of one lesson: each step has a kernel, and a figure where it does not begin with the warp.
fn pack(folder: &Path, steps: &[(&str, &str)]) -> PathBuf {
    let root = folder.join("pack");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    for part in ["lessons/product", "shaders/product"] {
        fs::create_dir_all(root.join(part)).unwrap();
    }
    for kernel in ["naive_matmul.wgsl", "tiled_matmul.wgsl"] {
        fs::copy(source.join(kernel), root.join("shaders/product").join(kernel)).unwrap();
    }
    let kernel = |id: &str, entry: &str, side: usize| {
        let matrix =
            |name: &str, init| format!("(name: \"{name}\", elem: F32, count: \"n * n\", columns: \"n\", init: {init})");
        format!(
            "(id: \"{id}\", title: \"{id}\", shader: \"product/{id}_matmul.wgsl\", entry: \"{entry}\", constants: {{\"n\": \"n\"}}, \
             buffers: [{}, {}, {}], grid: (\"n / {side}\", \"n / {side}\", \"1\"), bytes: \"12 * n * n\", \
             check: (reference: \"matmul\", args: {{\"m\": \"n\", \"n\": \"n\", \"k\": \"n\"}}, output: \"c\")),",
            matrix("a", "Value(1)"),
            matrix("b", "Value(1)"),
            matrix("c", "Poison")
        )
    };
    let mut listed = String::new();
    let mut text = String::new();
    for (i, (kernel, figure)) in steps.iter().enumerate() {
        writeln!(listed, "(id: \"s{i}\", kernel: \"{kernel}\"{figure}),").unwrap();
        writeln!(text, "## Step s{i} {{#s{i}}}\n\nA product.\n").unwrap();
    }
    let lesson = format!(
        "(format_version: 1, title: \"Product\", summary: \"A product.\", \
         params: [(id: \"n\", label: \"n\", default: {N}, domain: PowersOfTwo(32, 128))], kernels: [{}{}], steps: [{listed}])",
        kernel("naive", "x_is_column", 16),
        kernel("tiled", "tiled", 32)
    );
    fs::write(root.join("lessons/product/lesson.ron"), lesson).unwrap();
    fs::write(root.join("lessons/product/text.md"), text).unwrap();
    fs::write(root.join("lessons/index.ron"), "(format_version: 1, order: [\"product\"])").unwrap();
    root
}

/// The picture on the stage, in words.
fn stage(window: &Harness<'_, Window>) -> String {
    window.get_by_role(Role::Image).accesskit_node().label().unwrap_or_default()
}

fn tab(window: &mut Harness<'_, Window>, name: &str) {
    window.get_by_role_and_label(Role::Tab, &format!("{name} on the stage")).click();
    settle(window);
}

/// How often the launch on the stage fetches elements, if that is known.
fn heat(window: &Harness<'_, Window>) -> Option<Arc<Heat>> {
    let state = window.state().desk.state();
    let at = state.found.now.traced(&state.place.bench.variant.program)?;
    state.found.answers.known(Of::Launch(at.clone(), state.place.shown()), ask::Heat)?.ok().cloned()
}

#[test]
fn tabs_show_a_run_in_other_ways_and_keep_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let root = pack(folder.path(), &[("tiled", "")]);
    let mut window = open(PackFiles::Folder(root), &folder.path().join("state.ron"), [1280.0, 800.0]);
    // Its first event is a branch.
    assert!(stage(&window).starts_with("Warp 0 of workgroup 0, event 2 of"), "{}", stage(&window));
    assert!(heat(&window).is_none(), "nobody asked for it");
    tab(&mut window, "Matrices");
    let first = stage(&window);
    assert!(first.starts_with("Matrices of workgroup 0 at event 2 of"), "{first}");
    assert!(
        first.contains("Last loaded: rows 0–31, columns 0–31 of a. So far the workgroup has loaded 4.10 kB"),
        "{first}"
    );
    for _ in 0..2 {
        window.key_press(egui::Key::CloseBracket);
        window.run_steps(2);
    }
    let later = stage(&window);
    assert!(later.contains("at event 4 of") && later.contains("rows 0–31, columns 0–31 of b"), "{later}");
    window.key_press(egui::Key::OpenBracket);
    window.run_steps(2);
    tab(&mut window, "Warp");
    assert!(stage(&window).contains("event 3 of"), "{}", stage(&window));
    tab(&mut window, "Matrices");
    window.key_press(egui::Key::Space);
    window.run_steps(60);
    assert_ne!(stage(&window), later, "it plays");
    window.key_press(egui::Key::Space);
    window.run_steps(2);
    let strip = window.get_by_label("Position in the warp's events").rect();
    window.drag_at(strip.right_center() - egui::vec2(1.0, 0.0));
    window.run_steps(2);
    window.drop_at(strip.right_center() - egui::vec2(1.0, 0.0));
    window.run_steps(3);
    let last = stage(&window);
    // 2 tiles of 32 × 32 of each matrix, 4 bytes an element.
    assert!(last.contains(": store to c.") && last.contains("has loaded 16.4 kB from global"), "{last}");
    assert!(last.contains("rows 0–31, columns 32–63 of a; rows 32–63, columns 0–31 of b"), "{last}");
}

#[test]
fn banks_and_sweeps_go_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let root = pack(folder.path(), &[("tiled", ""), ("naive", "")]);
    let mut window = open(PackFiles::Folder(root), &folder.path().join("state.ron"), [1280.0, 800.0]);
    tab(&mut window, "Banks");
    let first = stage(&window);
    assert!(first.starts_with("Workgroup memory by banks, at event 2 of"), "{first}");
    assert!(
        first.ends_with(
            "32 lanes write 32 words in 32 banks: 1 wavefront. Event 2 touches no bank; this is the next one that does."
        ),
        "{first}"
    );
    window.key_press(egui::Key::CloseBracket);
    window.run_steps(2);
    let store = stage(&window);
    assert!(
        store.ends_with("tile_a is no array of rows: it is drawn in rows of 32 words, one of each bank."),
        "{store}"
    );
    tab(&mut window, "Sweeps");
    let swept = stage(&window);
    assert!(swept.starts_with("How often workgroup 0 goes over its buffers, at event 3 of"), "{swept}");
    assert!(swept.ends_with("a: read once, b: read once, c: written once."), "{swept}");
    // In the naive product each warp of 2 rows reads its rows of `a`, and all of them the same columns of `b`.
    window.state_mut().desk.command(Command::GoTo(1));
    settle(&mut window);
    assert!(window.query_by_role_and_label(Role::Tab, "Banks on the stage").is_none(), "it has no workgroup memory");
    tab(&mut window, "Sweeps");
    assert!(stage(&window).ends_with("a: read once, b: read 8 times, c: written once."), "{}", stage(&window));
}

#[test]
fn heat_is_counted_once_it_is_looked_at_and_anew_after_a_turn() {
    let folder = tempfile::tempdir().unwrap();
    let root = pack(folder.path(), &[("naive", ", scene: Heat"), ("tiled", ", scene: Heat"), ("tiled", "")]);
    let mut window = open(PackFiles::Folder(root), &folder.path().join("state.ron"), [1280.0, 800.0]);
    let said = stage(&window);
    // A warp has 2 rows of 16 columns.
    assert!(said.ends_with("over the whole grid: a 4; b 32."), "{said}");
    // Played, it shows one workgroup after the other, and at its end the whole grid again.
    window.get_by_label("Play");
    window.key_press(egui::Key::OpenBracket);
    settle(&mut window);
    let groups = heat(&window).unwrap().footprints.len();
    window.get_by_label_contains(&format!("workgroup {} of {groups}", groups - 1));
    window.key_press(egui::Key::CloseBracket);
    settle(&mut window);
    window.get_by_label_contains(&format!("workgroup {groups} of {groups}"));
    assert_eq!(stage(&window), said);
    window.get_by_role_and_label(Role::ComboBox, "Lanes in a warp");
    window.state_mut().desk.command(Command::SetParam("n".to_owned(), 128.0));
    settle(&mut window);
    assert!(stage(&window).ends_with("a 8; b 64."), "{}", stage(&window));
    window.state_mut().desk.command(Command::GoTo(1));
    settle(&mut window);
    assert!(stage(&window).ends_with("a 2; b 2."), "a page begins with the lesson's size: {}", stage(&window));
    let fetched = heat(&window).unwrap();
    window.state_mut().desk.command(Command::ShowFigure("Matrices".to_owned()));
    window.state_mut().desk.command(Command::ShowFigure("Heat".to_owned()));
    settle(&mut window);
    assert!(Arc::ptr_eq(&fetched, &heat(&window).unwrap()), "it is kept");
    window.state_mut().desk.command(Command::GoTo(2));
    settle(&mut window);
    assert_eq!(window.state().desk.state().shown_figure().card().name, "Warp", "each step begins with its own");
}

#[test]
fn pointing_at_an_element_says_who_fetches_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = pack(folder.path(), &[("tiled", ", scene: Heat")]);
    let mut window = open(PackFiles::Folder(root), &folder.path().join("state.ron"), [1280.0, 800.0]);
    // The left matrix is at the lower left of the picture, beside the card.
    let picture = window.get_by_role(Role::Image).rect();
    let mut said = None;
    for x in (0..30_u8).map(|i| picture.left() + 4.0 + 8.0 * f32::from(i)) {
        window.hover_at(egui::pos2(x, picture.bottom() - 40.0));
        window.run_steps(30);
        said = window.query_by_label_contains("a, row").and_then(|node| node.accesskit_node().value());
        if said.is_some() {
            break;
        }
    }
    let said = said.unwrap();
    assert!(said.contains("2 fetches per element") && said.contains("Fetched by 2 of 4 workgroups."), "{said}");
}

#[test]
fn a_note_has_the_figure_of_each_step() {
    let folder = tempfile::tempdir().unwrap();
    let root = pack(folder.path(), &[("tiled", ", scene: Matrices"), ("tiled", ", scene: Heat")]);
    let mut window = open(PackFiles::Folder(root), &folder.path().join("state.ron"), [1280.0, 800.0]);
    window.state_mut().desk.command(Command::Export(Only::All, vec![Format::Markdown], folder.path().join("notes")));
    settle(&mut window);
    let Some(Notice::Wrote(files)) = window.state().desk.state().status.notices.last().cloned() else {
        panic!("no note")
    };
    let figures: Vec<String> = files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "svg"))
        .map(|f| fs::read_to_string(f).unwrap())
        .collect();
    assert!(figures.iter().any(|svg| svg.contains("Matrices of workgroup 0")), "{files:?}");
    assert!(figures.iter().any(|svg| svg.contains("Fetches from global memory per element")), "{files:?}");
}

/// The page's own first picture, of what is on its stage: its kernel, or the start of its exercise.
#[test]
fn a_page_opens_at_what_it_speaks_of() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let pages = [
        ("one_loop", 2, "not written"),
        ("one_loop", 4, "Divergent"),
        ("one_loop", 5, "Divergent"),
        ("coalescing", 14, "needed to use all of DRAM"),
    ];
    for (lesson, step, said) in pages {
        window.state_mut().desk.command(Command::OpenLesson(lesson.to_owned()));
        window.state_mut().desk.command(Command::GoTo(step));
        settle(&mut window);
        assert!(stage(&window).contains(said), "{lesson} {step}: {}", stage(&window));
    }
}

#[test]
fn waves_are_played_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    tab(&mut window, "Waves");
    let last = stage(&window);
    let [wave, of] = wave_of(&last);
    assert!(of > 1 && wave == of, "a learner who chooses the picture sees the last wave: {last}");
    window.get_by_label("Position among the waves");
    // At the end it begins again, and plays to the end within 12 seconds.
    window.key_press(egui::Key::Space);
    let mut waves = std::collections::BTreeSet::new();
    for _ in 0..124 {
        window.run_steps(1);
        waves.insert(wave_of(&stage(&window))[0]);
    }
    assert_eq!((waves.first(), waves.last()), (Some(&1), Some(&of)), "{waves:?} of {of}");
    window.key_press(egui::Key::OpenBracket);
    window.run_steps(2);
    assert_eq!(wave_of(&stage(&window)), [of - 1, of]);
}

/// The wave in the words of the picture, "wave 3 of 8: …", and how many there are.
fn wave_of(picture: &str) -> [u64; 2] {
    let (_, rest) = picture.split_once("wave ").unwrap();
    let (of, _) = rest.split_once(':').unwrap();
    let (wave, all) = of.split_once(" of ").unwrap();
    [wave, all].map(|number| number.replace(',', "").parse().unwrap())
}

#[test]
fn a_step_opens_at_its_workgroup_and_its_warp() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let state = |window: &Harness<'_, Window>| {
        let place = &window.state().desk.state().place;
        (place.step, place.stage.workgroup)
    };
    window.state_mut().desk.command(Command::OpenLesson("one_loop".to_owned()));
    settle(&mut window);
    window.state_mut().desk.command(Command::GoTo(1));
    settle(&mut window);
    assert_eq!(state(&window), (1, 3));
    let labels = window.query_all_by_role(Role::Image).filter_map(|node| node.accesskit_node().label());
    assert!(labels.into_iter().any(|label| label.contains("Warp 7 of workgroup 3")));
    // Where the learner then goes stays.
    window.state_mut().desk.command(Command::ShowWorkgroup(1));
    settle(&mut window);
    assert_eq!(state(&window), (1, 1));
}
