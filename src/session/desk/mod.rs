//! The window's side of a session: commands change the state at once, threads do the work, events bring it back.

mod apply;
pub mod event;
mod refresh;
pub mod state;
mod threads;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

pub use event::{Command, Event};
pub use state::State;
use threads::{DeviceTask, FileTask, Outbox, Setting, TraceTask};
use worker::Worker;

use super::devices::Devices;
use super::note;
use super::saved;
use super::watch::{self, Watch};
use crate::gpu::client::WorkerCommand;
use crate::lesson::PackFiles;
use state::{Activity, DeviceState, Notice, SaveState};

/// What a desk needs to start.
pub struct Options {
    /// The pack to open.
    pub files: PackFiles,
    /// Where the learner's work is kept; none keeps nothing.
    pub state_path: Option<PathBuf>,
    /// How to start a worker process.
    pub worker: WorkerCommand,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Called on other threads whenever there is something new to show.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

/// State, and the threads that work for it. No call waits for any of them, save [`Desk::close`].
pub struct Desk {
    state: State,
    state_path: Option<PathBuf>,
    seed: u64,
    events: Receiver<Event>,
    tracer: Worker<TraceTask>,
    device: Worker<DeviceTask>,
    writer: Worker<FileTask>,
    _watch: Option<Watch>,
}

impl Desk {
    /// Reads what was kept, and starts reading the pack and looking for the device.
    #[must_use]
    pub fn open(options: Options) -> Self {
        let (sender, events) = channel();
        let out = Outbox { events: sender, wake: options.wake };
        let devices = Arc::new(Devices::new(options.worker));
        let mut state = State { bounds_checks: true, ..State::default() };
        if let Some(path) = &options.state_path {
            let (kept, problem) = saved::load(path);
            state.saved = kept;
            state.notices.extend(problem.map(Notice::Problem));
        }
        let mut writer = threads::files(devices.clone(), out.clone());
        writer.enqueue(FileTask::Load(options.files.clone()));
        let mut device = threads::device(devices.clone(), out.clone());
        device.enqueue(DeviceTask::Describe(state.choice()));
        let tracer = threads::tracer(devices, out.clone());
        let watch = match &options.files {
            PackFiles::Embedded => None,
            PackFiles::Folder(folder) => {
                let files = options.files.clone();
                let reload = move || {
                    let (pack, problems) = threads::load(&files);
                    out.send(Event::Pack(pack, problems));
                };
                watch::watch(folder, reload).map_err(|problem| state.notices.push(Notice::Problem(problem))).ok()
            }
        };
        Self {
            state,
            state_path: options.state_path,
            seed: options.seed,
            events,
            tracer,
            device,
            writer,
            _watch: watch,
        }
    }

    /// What to show.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes in what the threads have sent; true where anything changed.
    pub fn poll(&mut self) -> bool {
        let mut changed = false;
        while let Ok(event) = self.events.try_recv() {
            self.apply(event);
            changed = true;
        }
        if let (SaveState::Unsaved, Some(path)) = (&self.state.save, &self.state_path) {
            self.writer.enqueue(FileTask::Save(path.clone(), Box::new(self.state.saved.clone())));
            self.state.save = SaveState::Saving;
        }
        changed
    }

    /// Whether threads may still send something: nothing is being read, traced or measured otherwise.
    #[must_use]
    pub fn busy(&self) -> bool {
        self.state.activity.is_some() || self.tracing_left()
    }

    /// Carries out a command.
    pub fn command(&mut self, command: Command) {
        match command {
            Command::OpenLesson(id) => self.open_lesson(&id),
            Command::GoTo(step) => self.go_to(step),
            Command::SetParam(id, value) => self.set_param(&id, value),
            Command::ShowKernel(id) => {
                self.state.kernel = id;
                self.refresh();
            }
            Command::ShowWorkgroup(index) => {
                self.state.workgroup = index;
                self.refresh();
            }
            Command::SetBackend(choice) => {
                self.state.saved.backend = choice;
                self.state.device = DeviceState::Starting;
                self.state.ceilings = None;
                self.state.measured.clear();
                self.device.replace(DeviceTask::Describe(choice));
                self.unsaved();
            }
            Command::SetBoundsChecks(on) => {
                self.state.bounds_checks = on;
                self.state.measured.clear();
                self.refresh();
            }
            Command::SetTheme(theme) => {
                self.state.saved.theme = theme;
                self.unsaved();
            }
            Command::SetStill(still) => {
                self.state.saved.still = still;
                self.unsaved();
            }
            Command::RunExperiment => self.run_experiment(),
            Command::Cancel => {
                self.device.cancel();
                self.state.activity = None;
                self.state.answering = None;
            }
            Command::Predict(id, choice) => self.predict(id, choice),
            Command::Write(step, words) => self.keep(|kept| {
                kept.words.insert(step, words);
            }),
            Command::EditExercise(source) => self.keep(|kept| kept.exercise = Some(source)),
            Command::ResetExercise => {
                self.state.verdict = None;
                self.keep(|kept| kept.exercise = None);
            }
            Command::JudgeExercise => self.judge(),
            Command::Export(formats, folder) => {
                if let Some(input) = self.note_input() {
                    self.begin("writing the note");
                    self.writer.enqueue(FileTask::Export(Box::new(input), formats, folder));
                }
            }
            Command::Dismiss(index) => {
                if index < self.state.notices.len() {
                    self.state.notices.remove(index);
                }
            }
        }
    }

    /// Calls off what is running, and waits until what the learner wrote is on disk.
    pub fn close(mut self) {
        self.tracer.cancel();
        self.device.cancel();
        if let (true, Some(path)) = (!matches!(self.state.save, SaveState::Saved), &self.state_path) {
            self.writer.enqueue(FileTask::Save(path.clone(), Box::new(self.state.saved.clone())));
        }
        self.writer.finish();
    }

    fn setting(&self) -> Option<Setting> {
        Some(Setting {
            lesson: self.state.lesson.clone()?,
            params: self.state.params.clone(),
            seed: self.seed,
            bounds_checks: self.state.bounds_checks,
        })
    }

    /// What a note of the lesson on the screen is made of; none before there is a lesson and a device.
    fn note_input(&self) -> Option<note::Input> {
        let state = &self.state;
        let DeviceState::Ready(device) = &state.device else { return None };
        Some(note::Input {
            lesson: state.lesson.clone()?,
            kept: state.kept(),
            params: state.params.clone(),
            device: device.clone(),
            ceilings: state.ceilings.unwrap_or_default(),
            sweeps: state.sweeps.iter().filter_map(|(id, s)| Some((id.clone(), s.last()?.clone()))).collect(),
            measured: state.measured.iter().filter_map(|(id, m)| Some((id.clone(), m.record.clone()?))).collect(),
            seed: self.seed,
            created: note::today(),
        })
    }

    fn unsaved(&mut self) {
        self.state.save = if self.state_path.is_some() { SaveState::Unsaved } else { SaveState::Nowhere };
    }

    /// Changes what is kept of the lesson on the screen.
    fn keep(&mut self, change: impl FnOnce(&mut saved::LessonSaved)) {
        if let Some(lesson) = &self.state.lesson {
            change(self.state.saved.lessons.entry(lesson.id.clone()).or_default());
            self.unsaved();
        }
    }

    fn begin(&mut self, label: impl Into<String>) {
        self.state.activity = Some(Activity { label: label.into(), progress: None });
    }
}
