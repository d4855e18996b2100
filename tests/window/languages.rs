//! The switch between a kernel's languages: what is read is what is traced.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use warpbook::job::Language;
use warpbook::lesson::PackFiles;

use crate::harness::{Window, open, settle};

#[test]
fn the_source_switches_to_its_twin_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [1280.0, 800.0]);
    let source = |window: &Harness<'_, Window>| {
        window.get_by_label("Source of the kernel").accesskit_node().value().unwrap_or_default()
    };
    assert!(source(&window).contains("@compute"));
    window.get_by_role_and_label(Role::Button, "CUDA").click();
    settle(&mut window);
    assert!(source(&window).contains("__global__"), "{}", source(&window));
    assert!(window.query_by_label("PTX").is_none(), "nothing was compiled, so there is no PTX");
    // What is read is what is traced: the pack has the PTX of this page's settings.
    let state = window.state().desk.state();
    assert_eq!(state.traced_language(), Language::Cuda);
    let lines = state.place.lesson.as_ref().unwrap().kernel(&state.place.bench.variant.program).unwrap();
    let text = lines.twin().unwrap().source.clone();
    let timeline = state.timeline().unwrap();
    let shown: Vec<&str> =
        timeline.events.iter().filter_map(|event| text.lines().nth(event.line as usize - 1)).map(str::trim).collect();
    assert!(shown.iter().any(|line| line.contains("src[")), "{shown:?}");
    window.get_by_role_and_label(Role::Button, "WGSL").click();
    settle(&mut window);
    assert!(source(&window).contains("@compute"), "{}", source(&window));
    assert_eq!(window.state().desk.state().traced_language(), Language::Wgsl);
}
