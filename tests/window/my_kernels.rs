//! A kernel of the learner's own: dropped on the window, set up in the form, watched as a lesson.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use egui::accesskit::Role;
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT, Queryable};
use warpbook::app::View;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::Command;
use warpbook::session::desk::KernelCommand;

use crate::harness::{Dropped, Window, open, settle, untraced};

const SCALE: &str = "override N: u32 = 512u;
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(64) fn scale(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < N { dst[id.x] = 2.0 * src[id.x]; }
}
";

fn window(folder: &Path) -> Harness<'static, Window> {
    open(PackFiles::Embedded, &folder.join("state.ron"), [1280.0, 800.0])
}

fn drop_file(window: &mut Harness<'_, Window>, path: PathBuf) {
    window.input_mut().dropped_files.push(Arc::new(Dropped(path)));
    window.step();
    settle(window);
}

fn set(window: &mut Harness<'_, Window>, field: &str, text: &str) {
    let node = window.get_by_role_and_label(Role::TextInput, field);
    node.focus();
    window.step();
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    window.step();
    window.get_by_role_and_label(Role::TextInput, field).type_text(text);
    window.step();
}

/// The id and the number of warp instructions of the kernel on the stage.
fn watched(window: &Harness<'_, Window>) -> (String, u64) {
    let state = window.state().desk.state();
    assert_eq!(untraced(state).len(), 0, "{:?}", untraced(state));
    assert!(state.library.problems.is_empty(), "{:?}", state.library.problems);
    let trace = state.traced().unwrap().trace(0).unwrap();
    (state.place.lesson.as_ref().unwrap().id.clone(), trace.warp_instructions)
}

#[test]
fn a_shader_is_set_up_and_watched_and_stays() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scale.wgsl");
    std::fs::write(&file, SCALE).unwrap();
    let mut window = window(folder.path());
    drop_file(&mut window, file.clone());
    assert!(window.query_by_label("Set up a kernel of scale.wgsl").is_some());
    set(&mut window, "elements of src", "N * M");
    window.get_by_label_contains("there is no `M`");
    set(&mut window, "elements of src", "N");
    window.get_by_role_and_label(Role::Button, "Watch it").click();
    window.step();
    settle(&mut window);
    let (id, before) = watched(&window);
    assert_eq!(id, "my-scale-scale");
    assert!(window.query_by_label("Set up a kernel of scale.wgsl").is_none());
    // Its number is a control.
    window.state_mut().desk.command(Command::SetParam("N".to_owned(), 64.0));
    settle(&mut window);
    assert!(watched(&window).1 < before);
    drop(window);
    // After a restart it is among the lessons, and is there to be set up again.
    let mut window = self::window(folder.path());
    settle(&mut window);
    assert_eq!(watched(&window).0, id);
    std::fs::write(&file, SCALE.replace("2.0 * src[id.x]", "2.0 * src[id.x] + 1.0")).unwrap();
    let again = KernelCommand::ReadAgain(id.clone());
    window.state_mut().desk.command(Command::Kernel(again));
    settle(&mut window);
    let source = window.state().desk.state().place.kernel().unwrap().source().clone();
    assert!(source.contains("+ 1.0"), "{source}");
    // Set up again, the launch is the form's, not the one that was last chosen on the page.
    assert_eq!(window.state().desk.state().place.params["N"], 64.0);
    window.state_mut().view = View::at_home();
    window.state_mut().desk.command(Command::Kernel(KernelCommand::SetUp(id)));
    window.step();
    settle(&mut window);
    set(&mut window, "value of N", "128");
    window.get_by_role_and_label(Role::Button, "Watch it").click_accesskit();
    window.step();
    settle(&mut window);
    assert_eq!(window.state().desk.state().place.params["N"], 128.0);
}

#[test]
fn ptx_is_watched_by_the_lines_of_its_source() {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/tracer/tests/ptx/triton");
    for name in ["row_softmax.ptx", "kernels.py"] {
        std::fs::copy(from.join(name), folder.path().join(name)).unwrap();
    }
    let mut window = window(folder.path());
    drop_file(&mut window, folder.path().join("row_softmax.ptx"));
    for (field, text) in [
        ("value of columns", "200"),
        ("value of stride", "200"),
        ("blocks in x", "3"),
        ("elements of x", "600"),
        ("elements of out", "600"),
    ] {
        set(&mut window, field, text);
    }
    window.get_by_role_and_label(Role::Button, "Watch it").click();
    window.step();
    settle(&mut window);
    let (id, instructions) = watched(&window);
    assert_eq!((id.as_str(), instructions > 0), ("my-row_softmax-row_softmax", true));
    let state = window.state().desk.state();
    let trace = state.traced().unwrap().trace(0).unwrap().clone();
    assert!(trace.findings.is_empty(), "{:?}", trace.findings);
    let text = state.place.kernel().unwrap().source().clone();
    let line = trace.lines.iter().max_by_key(|line| line.sectors).unwrap().line;
    assert!(text.lines().nth(line as usize - 1).unwrap().contains("tl."), "line {line}");
    let shown = window.get_by_label("Source of the kernel").accesskit_node().value().unwrap_or_default();
    assert!(shown.contains("@triton.jit"), "{shown}");
    // It has a card on the start page.
    window.state_mut().view = View::at_home();
    window.step();
    settle(&mut window);
    window.get_by_label("Open row_softmax.ptx: row_softmax");
    window.get_by_role_and_label(Role::Button, "Set up").click_accesskit();
    window.step();
    settle(&mut window);
    let value = window.get_by_role_and_label(Role::TextInput, "value of columns").accesskit_node().value();
    assert_eq!(value.as_deref(), Some("200"), "the learner's own values");
}

#[test]
fn what_is_no_kernel_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.wgsl");
    std::fs::write(&file, "fn main( {").unwrap();
    let mut window = window(folder.path());
    drop_file(&mut window, file);
    assert!(window.query_by_label_contains("Set up a kernel").is_none());
    assert!(window.query_by_label_contains("broken.wgsl").is_some(), "the message names the file");
}

const SCALED_ROWS: &str = "struct Params { rows: u32, by: f32 }
@group(0) @binding(0) var<uniform> p: Params;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(64) fn rows(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < p.rows { dst[id.x] = p.by * src[id.x + 1u]; }
}
";

#[test]
fn a_uniform_is_set_by_member_and_findings_are_beside_the_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.wgsl");
    std::fs::write(&file, SCALED_ROWS).unwrap();
    let home = folder.path().join("data/warpbook");
    std::fs::create_dir_all(&home).unwrap();
    let mut window = window(&home);
    drop_file(&mut window, file);
    set(&mut window, "value of p.rows", "-1");
    window.get_by_label_contains("`-1` is no value for p.rows, which is u32");
    for (field, text) in [
        ("value of p.rows", "64"),
        ("value of p.by", "0.5"),
        ("blocks in x", "1"),
        ("elements of src", "64"),
        ("elements of dst", "128"),
    ] {
        set(&mut window, field, text);
    }
    window.get_by_role_and_label(Role::Button, "Watch it").click();
    window.step();
    settle(&mut window);
    let (id, _) = watched(&window);
    let trace = window.state().desk.state().traced().unwrap().trace(0).unwrap().clone();
    assert_eq!(
        (trace.global.store.sectors, trace.findings.len()),
        (8, 1),
        "64 elements are stored: {:?}",
        trace.findings
    );
    window.get_by_label_contains("line 6: index 64 is past the end");
    window.get_by_label_contains("64 of 128 elements of `dst` were never written");
    // Its note says so, too, by the window or by the command line.
    let note = std::process::Command::new(env!("CARGO_BIN_EXE_warpbook"))
        .args(["export", &id, "--backend", "simt", "-o"])
        .arg(folder.path().join("notes"))
        .env("XDG_DATA_HOME", folder.path().join("data"))
        .output()
        .unwrap();
    assert!(note.status.success(), "{}", String::from_utf8_lossy(&note.stderr));
    let note = std::fs::read_to_string(folder.path().join("notes").join(format!("{id}.md"))).unwrap();
    assert!(note.contains("line 6: index 64 is past the end"), "{note}");
    // It is set up again from its page.
    window.get_by_role_and_label(Role::Button, "Set up").click();
    window.step();
    settle(&mut window);
    assert!(window.query_by_label("Set up a kernel of rows.wgsl").is_some());
    let bytes = std::fs::read(home.join("kernels/assets").join(id).join("p.bin")).unwrap();
    assert_eq!(bytes, [64, 0, 0, 0, 0, 0, 0, 63]);
}
