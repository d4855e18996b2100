//! The window's side of a session: commands change the state at once, threads do the work, events bring it back.

mod apply;
pub mod command;
pub mod covers;
pub mod diary;
mod draft;
mod edit;
pub mod event;
pub mod found;
mod journal;
mod keep;
mod lane;
mod my_kernels;
mod navigate;
mod needs;
mod now;
pub mod opening;
mod picture;
mod pinned;
pub mod place;
mod problems;
pub mod race;
pub mod results;
mod review;
mod settings;
mod settle;
mod staged;
pub mod state;
pub mod status;
mod tasks;
mod text;
pub mod texts;
mod threads;
mod trials;
mod versions;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

pub use command::{Command, KernelCommand, ReviewCommand, SettingCommand};
pub use edit::PAUSE;
use event::Outbox;
pub use event::{Event, Work};
use journal::Journal;
pub use journal::REST;
use keep::Keeper;
pub use keep::RETRY;
use place::Running;
pub use state::{Place, State};
use tasks::{DeviceTask, FileTask};
use threads::Threads;

use crate::base::diag::Diagnostic;
use crate::gpu::client::WorkerCommand;
use crate::job::{Language, TraceSpec};
use crate::lesson::PackFiles;
use crate::session::learn::journal::Did;
use crate::session::learn::saved;
use crate::session::pack::watch;
use crate::session::run::devices::Devices;
use draft::Draft;
use status::{Activity, Notice};

/// Settings to start a desk with.
pub struct Options {
    /// The pack to open.
    pub files: PackFiles,
    /// The file of the learner's work; None saves nothing.
    pub state_path: Option<PathBuf>,
    /// How to start a worker process.
    pub worker: WorkerCommand,
    /// Seed of the random inputs.
    pub seed: u64,
    /// The clock: seconds since 1970.
    pub clock: Arc<dyn Fn() -> i64 + Send + Sync>,
    /// Called on other threads whenever there is something new to show.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

/// The state and its worker threads. No call waits for any of them, except [`Desk::close`].
pub struct Desk {
    state: State,
    files: PackFiles,
    events: Receiver<Event>,
    threads: Threads,
    keeper: Keeper,
    journal: Journal,
}

impl Desk {
    /// Reads the saved state, and starts reading the pack and looking for the device.
    #[must_use]
    pub fn open(options: Options) -> Self {
        let (sender, events) = channel();
        let out = Outbox { events: sender, wake: options.wake };
        let devices = Arc::new(Devices::new(options.worker));
        let warp_width = TraceSpec::default().warp_width;
        let running = Running { bounds_checks: true, warp_width, seed: options.seed, language: Language::default() };
        let place = Place { options: running, ..Place::default() };
        let mut state = State { place, ..State::default() };
        let mut state_path = options.state_path;
        match state_path.as_deref().map(saved::load) {
            Some(Ok((kept, problem))) => {
                state.saved = kept;
                state.status.notices.extend(problem.map(Notice::Problem));
            }
            Some(Err(problem)) => {
                // A file that can be neither read nor set aside is not overwritten.
                state.status.notices.push(Notice::Problem(problem.clone()));
                state.status.unsaved = Some(problem);
                state_path = None;
            }
            None => {}
        }
        let journal = Journal::beside(state_path.as_ref(), options.clock);
        let keeper = Keeper::of(state_path, &state.saved);
        let mut threads = Threads::start(&devices, &out);
        if let Some(path) = journal.path() {
            threads.disk.enqueue(FileTask::Read(path.clone()));
        }
        let (curves, kernels) = (keeper.curves(), keeper.kernels());
        threads.disk.enqueue(FileTask::Load { files: options.files.clone(), curves, kernels });
        threads.device.worker.enqueue(DeviceTask::Describe(state.choice()));
        threads.watch = match &options.files {
            PackFiles::Embedded | PackFiles::Memory(_) => None,
            PackFiles::Folder(folder) => {
                let watch = watch::watch(folder, move |problem| {
                    out.send(Event::PackChanged);
                    if let Some(problem) = problem {
                        out.send(Event::Told(problem));
                    }
                });
                watch.map_err(|problem| state.status.notices.push(Notice::Problem(problem))).ok()
            }
        };
        state.diary.now = journal.now();
        Self { state, files: options.files, events, threads, keeper, journal }
    }

    /// The state to show.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Applies the threads' pending events; true if anything changed.
    pub fn poll(&mut self) -> bool {
        let mut changed = false;
        while let Ok(event) = self.events.try_recv() {
            self.apply(event);
            changed = true;
        }
        changed |= self.try_typed();
        self.write_unsaved();
        self.write_journal();
        changed
    }

    /// Applies events until the lessons are there or the pack cannot be read, for `at_most` that long.
    pub fn await_lessons(&mut self, at_most: Duration) {
        let end = Instant::now() + at_most;
        while self.state.library.pack.lessons.is_empty() && self.state.library.problems.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            match self.events.recv_timeout(left) {
                Ok(event) => self.apply(event),
                Err(_) => return,
            }
        }
    }

    /// Whether threads may still send something: the pack is being read, or something is being traced, measured or
    /// judged.
    #[must_use]
    pub fn busy(&self) -> bool {
        let unread = self.state.place.lesson.is_none() && self.state.library.problems.is_empty();
        let typing = self.state.trials.drafts.values().any(Draft::is_pending);
        unread
            || typing
            || self.state.library.wanted.is_some()
            || !self.state.status.activities.is_empty()
            || self.threads.is_asked()
            || self.journal.is_busy()
            || self.state.diary.review.as_ref().is_some_and(diary::Review::is_waiting)
    }

    /// Carries out a command.
    pub fn command(&mut self, command: Command) {
        match command {
            Command::OpenLesson(id) => self.open_lesson(&id),
            Command::ShowCover(id) => self.show_cover(&id),
            Command::GoTo(step) => self.go_to(step),
            Command::SetParam(id, value) => self.set_param(&id, value),
            Command::Set(setting) => self.set(setting),
            Command::ShowProgram(id) => self.show_program(&id),
            Command::TypeKernel(language, text) => self.type_kernel(language, text),
            Command::ShowEdit(id) => self.show_edit(&id),
            Command::RenameEdit(name) => self.rename_edit(&name),
            Command::ResetEdit(id) => self.reset_edit(&id),
            Command::DiscardEdit => self.discard_edit(),
            Command::ChooseRung(pass, kernel) => self.choose_rung(&pass, &kernel),
            Command::ShowPass(pass, launch) => self.show_launch(pass, launch, false),
            Command::FollowLaunch(pass, launch) => self.follow_launch(pass, launch),
            Command::SetBeside(variants) => self.set_beside(variants),
            Command::ShowWorkgroup(index) => self.show_workgroup(index),
            Command::ShowCostliest(id, class) => self.show_costliest(&id, class),
            Command::ShowFigure(figure) => self.show_figure(figure),
            Command::ShowBuffer(name) => self.show_buffer(name),
            Command::Explain(buffer, index) => self.explain(buffer, index),
            Command::CloseOrigin => self.close_origin(),
            Command::ShowBelowSource(is_below) => self.show_below_source(is_below),
            Command::RunExperiment => self.run_experiment(),
            Command::Cancel => self.cancel_all(),
            Command::Read(step) => self.has_read(step),
            Command::Reading(goes_on) => self.reads(goes_on, false),
            Command::Predict(id, guess) => self.predict(id, guess),
            Command::Skip(id) => self.record(Did::Skipped { id }),
            Command::Draw(id, points) => self.keep(|kept| drop(kept.drawn.insert(id, points))),
            Command::DrawAgain(id) => self.draw_again(&id),
            Command::OpenHint(exercise) => self.keep(|kept| kept.exercises.entry(exercise).or_default().hints += 1),
            Command::Explore(point) => self.keep(|kept| kept.explored = Some(point)),
            Command::Write(step, words) => self.write_words(step, words),
            Command::Pin(step, words, picture) => self.pin(step, words, picture),
            Command::Move(concept, to, why) => self.record(Did::Moved { concept, to, why }),
            Command::Review(command) => self.review(command),
            Command::JudgeExercise(id) => self.judge_exercise(&id),
            Command::Export(only, formats, folder) => self.export(only, formats, folder),
            Command::Kernel(command) => self.my_kernel(command),
            Command::OpenText(path) => self.open_text(path),
            Command::CancelText => self.cancel_text(),
            Command::Tell(problem) => self.state.status.notices.push(Notice::Problem(problem)),
            Command::Dismiss(index) => self.state.status.notices.dismiss(index),
        }
    }

    fn cancel_all(&mut self) {
        self.cancel_measuring();
        self.threads.judge.cancel();
        self.threads.notes.cancel();
        self.cancel_text();
    }

    /// Cancels the running work, and waits until the learner's work is on disk.
    ///
    /// # Errors
    /// When it could not be written: why, and where a copy of it is kept.
    pub fn close(mut self) -> Result<(), Diagnostic> {
        self.threads.cancel();
        self.end_journal();
        self.write_last()?;
        self.keep_journal()
    }

    /// Runs of the tracer that the stage and the page have ordered so far.
    #[must_use]
    pub fn traced_runs(&self) -> u64 {
        self.threads.tracer.worker.last()
    }

    /// Shows work as running in the status line.
    fn begin(&mut self, work: Work, label: impl Into<String>) {
        self.state.status.activities.insert(work, Activity { label: label.into(), progress: None });
    }
}
