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
    // What is read is what is traced: the pack has the PTX of this page's settings.
    let state = window.state().desk.state();
    assert_eq!(state.traced_language(), Language::Cuda);
    let lines = state.place.lesson.as_ref().unwrap().kernel(&state.place.bench.variant.program).unwrap();
    let text = lines.twin().unwrap().source.clone();
    let timeline = state.timeline().unwrap();
    let shown: Vec<&str> =
        timeline.events.iter().filter_map(|event| text.lines().nth(event.line as usize - 1)).map(str::trim).collect();
    assert!(shown.iter().any(|line| line.contains("src[")), "{shown:?}");
    // Below the source: the pack has the PTX and the machine code of this page's settings.
    window.get_by_role_and_label(Role::Button, "SASS").click();
    settle(&mut window);
    let machine = window.state().desk.state().machine().unwrap().unwrap().clone();
    let (figures, instructions) = machine.code.as_ref().unwrap();
    assert_eq!(figures.target, "sm_90a");
    let load = instructions.iter().find(|of| of.opcode() == "LDG").unwrap();
    assert!(text.lines().nth(load.line as usize - 1).is_some_and(|line| line.contains("src[")), "{load:?}");
    assert!(window.query_by_label(&load.text).is_some(), "{} is on the screen", load.text);
    window.get_by_role_and_label(Role::Button, "PTX").click();
    settle(&mut window);
    assert!(window.query_by_label_contains("ld.global").is_some());
    window.get_by_role_and_label(Role::Button, "WGSL").click();
    settle(&mut window);
    assert!(!window.state().desk.state().place.is_below_source);
    assert!(source(&window).contains("@compute"), "{}", source(&window));
    assert_eq!(window.state().desk.state().traced_language(), Language::Wgsl);
}
