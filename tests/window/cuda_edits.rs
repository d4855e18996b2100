//! CUDA C++ that a learner types is compiled and measured. Needs an NVIDIA GPU:
//! `cargo test --features gpu-tests --test window cuda_edits::`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use egui_kittest::Harness;

use warpbook::job::Language;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::state::State;
use warpbook::session::desk::{Command, SettingCommand};
use warpbook::session::run::devices::Choice;
use warpbook::trace::record::Backend;

use crate::harness::{Window, open, settle};

fn state<'a>(window: &'a Harness<'_, Window>) -> &'a State {
    window.state().desk.state()
}

fn command(window: &mut Harness<'_, Window>, command: Command) {
    window.state_mut().desk.command(command);
    settle(window);
}

#[test]
fn a_version_in_cuda_is_compiled_and_measured() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(PackFiles::Embedded, &folder.path().join("state.ron"), [2560.0, 1440.0]);
    command(&mut window, Command::GoTo(2));
    command(&mut window, Command::Set(SettingCommand::Backend(Choice::Only(Backend::Cuda))));
    let good = state(&window).place.kernel().unwrap().twin().unwrap().source.to_string();
    command(&mut window, Command::TypeKernel(Language::Cuda, format!("{good}// mine\n")));
    let measured = state(&window).found.measured("strided+1").unwrap();
    assert_eq!(measured.backend, Backend::Cuda);
    assert!(measured.timing.is_some() && state(&window).edit_problems().is_empty());
    let (at, line) = good.lines().enumerate().find(|(_, line)| line.contains("src[")).unwrap();
    let broken = good.replace(line, &line.replace("src[", "scr["));
    command(&mut window, Command::TypeKernel(Language::Cuda, broken));
    let problems = state(&window).edit_problems();
    let place = problems[0].place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line as usize), ("your kernel", at + 1));
    assert!(problems[0].message.contains("scr"), "{problems:?}");
}
