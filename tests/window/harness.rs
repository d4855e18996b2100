//! A window for tests: opened, and brought to rest.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use egui::DroppedFile;
use egui_kittest::Harness;

use warpbook::app::{View, theme};
use warpbook::base::diag::Diagnostic;
use warpbook::gpu::client::WorkerCommand;
use warpbook::lesson::PackFiles;
use warpbook::session::desk::state::{DeviceState, State};
use warpbook::session::desk::status::SaveState;
use warpbook::session::desk::{Command, Desk, Options, SettingCommand};
use warpbook::session::run::devices::Choice;
use warpbook::trace::record::Backend;

/// Everything must be there by then; a healthy run takes a small part of it.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// A window, and what a test wants to know of it.
pub struct Window {
    /// The view that draws.
    pub view: View,
    /// The desk that it draws from.
    pub desk: Desk,
    styled: bool,
    /// Allocations of each frame: the same however busy the machine is.
    pub frames: Vec<u64>,
}

/// Opens a pack in a window of some size, with the tracer as its only device, and lets it come to rest. Who has no
/// state yet is taken to the lesson on coalescing, where the pack has it: most tests are about what it shows.
pub fn open(files: PackFiles, state: &Path, size: [f32; 2]) -> Harness<'static, Window> {
    open_at(files, state, size, Arc::new(AtomicI64::new(NOON)))
}

/// Noon of a day.
pub const NOON: i64 = 1_764_158_400;

/// The same, at the time of a clock, in seconds since 1970.
pub fn open_at(files: PackFiles, state: &Path, size: [f32; 2], clock: Arc<AtomicI64>) -> Harness<'static, Window> {
    let begins = !state.exists();
    let mut desk = desk(files, state, clock);
    desk.command(Command::Set(SettingCommand::Backend(Choice::Only(Backend::Simt))));
    let window = Window { view: View::default(), desk, styled: false, frames: Vec::new() };
    let mut harness = Harness::builder().with_size(size).build_ui_state(
        |ui, window: &mut Window| {
            if !window.styled {
                theme::install(ui.ctx());
                window.styled = true;
                return;
            }
            let made = allocation_counter::measure(|| window.view.show(ui, &mut window.desk));
            window.frames.push(made.count_total);
        },
        window,
    );
    settle(&mut harness);
    if begins {
        harness.state_mut().desk.command(Command::OpenLesson("coalescing".to_owned()));
        settle(&mut harness);
    }
    harness
}

/// A desk over a pack whose worker is the built program.
pub fn desk(files: PackFiles, state: &Path, clock: Arc<AtomicI64>) -> Desk {
    let worker = WorkerCommand {
        program: env!("CARGO_BIN_EXE_warpbook").into(),
        args: vec!["worker".into()],
        env: Vec::new(),
        deadline: Duration::from_secs(30),
    };
    let options = Options {
        files,
        state_path: Some(state.to_path_buf()),
        worker,
        seed: 1,
        clock: Arc::new(move || clock.load(Ordering::Relaxed)),
        wake: Arc::new(|| {}),
    };
    Desk::open(options)
}

/// Runs frames until nothing is being read, traced, measured or written, and three frames more ask for nothing.
pub fn settle(harness: &mut Harness<'_, Window>) {
    let began = Instant::now();
    loop {
        harness.step();
        if at_rest(&harness.state().desk) {
            harness.run_steps(3);
            if at_rest(&harness.state().desk) {
                return;
            }
        }
        assert!(began.elapsed() < PATIENCE, "the window did not come to rest");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Why questions to the tracer have no answer.
pub fn untraced(state: &State) -> Vec<&Diagnostic> {
    let failed = state.found.answers.iter().filter(|(question, _)| !question.is_of_device());
    failed.filter_map(|(_, outcome)| outcome.as_ref().err()).flat_map(|problems| problems.iter()).collect()
}

fn at_rest(desk: &Desk) -> bool {
    let state = desk.state();
    let read = state.place.lesson.is_some() || !state.library.problems.is_empty();
    let saved = matches!(state.status.save, SaveState::Saved | SaveState::Failed(_));
    read && saved && !desk.busy() && !matches!(state.found.device, DeviceState::Starting)
}

/// A file as the system hands it over.
#[derive(Debug)]
pub struct Dropped(pub PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Err("a file of any length is not read at once".to_owned())
    }
}
