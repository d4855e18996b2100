//! The desk's worker threads, and how each carries out its orders.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::event::{Event, Outbox, Work};
use super::lane::Lane;
use super::opening::{self, KernelTask};
use super::tasks::{DeviceTask, FileTask, NoteTask};
use super::texts;
use super::versions::{self, Attempt};
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::device::DeviceSpec;
use crate::figures::ask::AnyQuestion;
use crate::lesson::{Experiment, Pack, PackFiles, Program};
use crate::notes::{self, To};
use crate::session::ask::{self, Query};
use crate::session::experiment::sweep::{Subject, Sweep};
use crate::session::experiment::{curves, recording, sweep};
use crate::session::jobs::setting::Setting;
use crate::session::learn::exercise::Try;
use crate::session::learn::journal;
use crate::session::learn::pins;
use crate::session::learn::predict::Asked;
use crate::session::learn::review::Again;
use crate::session::learn::saved;
use crate::session::learn::story::Story;
use crate::session::note;
use crate::session::pack::check;
use crate::session::pack::quote::Quotes;
use crate::session::pack::watch::Watch;
use crate::session::run::devices::Devices;
use crate::session::run::model::{self, Chosen};
use crate::session::run::{self, Runner};
use crate::trace::record::Device;

/// A control being turned sends a value a frame; the device waits a little longer than a frame for the last one.
const SETTLE: Duration = Duration::from_millis(20);

/// The threads. Each works alone, and sends its results as events.
pub struct Threads {
    /// Compiles the program on the bench.
    pub builder: Lane<Vec<Query>>,
    /// Traces for the stage and the page.
    pub tracer: Lane<Vec<Query>>,
    /// Finds origins of elements and contents of buffers.
    pub explainer: Lane<Vec<Query>>,
    /// Traces for the start page.
    pub covers: Lane<Vec<Query>>,
    /// Uses the device.
    pub device: Lane<DeviceTask>,
    /// Compiles the learner's versions of kernels.
    pub versions: Worker<Attempt>,
    /// Judges exercises.
    pub judge: Worker<Try>,
    /// Writes notes.
    pub notes: Worker<NoteTask>,
    /// Counts the learner's text files.
    pub texts: Worker<PathBuf>,
    /// Opens the learner's own kernels, and makes lessons of them.
    pub kernels: Worker<KernelTask>,
    /// Asks what is due for review.
    pub reviews: Worker<Again>,
    /// Reads the pack, and writes the learner's work.
    pub disk: Worker<FileTask>,
    /// Watches the files of a pack in a folder.
    pub watch: Option<Watch>,
}

impl Threads {
    /// Starts all threads.
    pub fn start(devices: &Arc<Devices>, out: &Outbox) -> Self {
        Self {
            builder: answers("builder", devices.clone(), out.clone()),
            tracer: answers("tracer", devices.clone(), out.clone()),
            explainer: answers("explainer", devices.clone(), out.clone()),
            covers: answers("covers", devices.clone(), out.clone()),
            device: device(devices.clone(), out.clone()),
            versions: versions::versions(out.clone()),
            judge: judge(devices.clone(), out.clone()),
            notes: notes(out.clone()),
            texts: texts::counter(out.clone()),
            kernels: opening::worker(devices.clone(), out.clone()),
            reviews: reviews(devices.clone(), out.clone()),
            disk: disk(out.clone()),
            watch: None,
        }
    }

    /// Takes note that a question was answered.
    pub fn answered(&mut self, query: &Query) {
        for lane in [&mut self.builder, &mut self.tracer, &mut self.explainer, &mut self.covers] {
            lane.answered(query);
        }
        self.device.answered(query);
    }

    /// Whether the tracer works for the stage or the page.
    pub fn is_tracing(&self) -> bool {
        !self.builder.pending().is_empty() || !self.tracer.pending().is_empty()
    }

    /// Whether a question is not answered yet.
    pub fn is_asked(&self) -> bool {
        self.is_tracing()
            || [&self.explainer, &self.covers].into_iter().any(|lane| !lane.pending().is_empty())
            || !self.device.pending().is_empty()
    }

    /// Cancels all work, except writing the learner's work.
    pub fn cancel(&mut self) {
        for lane in [&mut self.builder, &mut self.tracer, &mut self.explainer, &mut self.covers] {
            lane.cancel(0);
        }
        self.device.cancel(0);
        self.judge.cancel();
        self.notes.cancel();
        self.texts.cancel();
        self.reviews.cancel();
    }
}

/// Starts a thread that answers questions to the tracer.
fn answers(name: &str, devices: Arc<Devices>, out: Outbox) -> Lane<Vec<Query>> {
    Lane::new(Worker::start(name, move |orders: Receiver<Order<Vec<Query>>>| {
        for Order { task, cancel, .. } in orders {
            if cancel.load(Ordering::Relaxed) {
                continue;
            }
            let answers = ask::trace(&task, &|job| devices.assemble(job, &cancel), &cancel);
            if !cancel.load(Ordering::Relaxed) {
                answers.into_iter().for_each(|(query, outcome)| out.send(Event::Answered(query, outcome)));
            }
        }
    }))
}

/// Starts the thread that judges exercises.
fn judge(devices: Arc<Devices>, out: Outbox) -> Worker<Try> {
    Worker::start("judge", move |orders: Receiver<Order<Try>>| {
        for Order { number, task, cancel } in orders {
            if let Some(judged) = task.judge_and_explain(&devices, &cancel) {
                out.send(Event::Judged(task, judged));
            }
            out.send(Event::Done(Work::Judge, number));
        }
    })
}

/// Starts the thread that finds what to ask.
fn reviews(devices: Arc<Devices>, out: Outbox) -> Worker<Again> {
    Worker::start("reviews", move |orders: Receiver<Order<Again>>| {
        for Order { task, cancel, .. } in orders {
            let prompt = task.prompt(&devices, &cancel);
            if !cancel.load(Ordering::Relaxed) {
                out.send(Event::Prompt(Box::new(prompt)));
            }
        }
    })
}

/// Starts the device's thread.
fn device(devices: Arc<Devices>, out: Outbox) -> Lane<DeviceTask> {
    Lane::new(Worker::start("device", move |orders: Receiver<Order<DeviceTask>>| {
        for order in orders {
            let number = order.number;
            if matches!(&order.task, DeviceTask::Ask(query) if matches!(query.question, AnyQuestion::Time(_))) {
                std::thread::sleep(SETTLE);
            }
            // The device must be found, even if other orders were cancelled.
            if matches!(order.task, DeviceTask::Describe(_)) || !order.cancel.load(Ordering::Relaxed) {
                use_device(&devices, &out, order);
            }
            out.send(Event::Done(Work::Device, number));
        }
    }))
}

fn use_device(devices: &Devices, out: &Outbox, Order { number, task, cancel }: Order<DeviceTask>) {
    let cancel = &*cancel;
    match task {
        DeviceTask::Describe(choice) => {
            let found = devices.resolve(choice);
            if let Ok((_, Some(why))) = &found {
                out.send(Event::Told(why.clone()));
            }
            out.send(Event::Device(choice, found.map(|(device, _)| device)));
        }
        DeviceTask::Ask(query) => {
            let mut sample = |work, seconds| out.send(Event::Sample(query.clone(), work, seconds));
            let answer = ask::measure(devices, &query, cancel, &mut sample);
            if let Some(outcome) = answer.filter(|_| !cancel.load(Ordering::Relaxed)) {
                out.send(Event::Answered(query, outcome));
            }
        }
        DeviceTask::Experiment(setting, experiment, device, model) => {
            run_experiment(devices, out, (&setting, number), &experiment, (device, model), cancel);
        }
        DeviceTask::Answer(setting, prediction, backend) => {
            let asked = Asked {
                lesson: &setting.lesson,
                prediction: &prediction,
                params: &setting.params,
                seed: setting.seed,
                bounds_checks: setting.bounds_checks,
            };
            let answer = asked.answer(devices, backend, cancel);
            if !cancel.load(Ordering::Relaxed) {
                out.send(Event::Predicted(setting.lesson.id.clone(), prediction.id, answer));
            }
        }
    }
}

fn run_experiment(
    devices: &Devices,
    out: &Outbox,
    (setting, number): (&Setting, u64),
    experiment: &Experiment,
    (device, model): (Device, Option<Box<DeviceSpec>>),
    cancel: &AtomicBool,
) {
    let backend = device.backend;
    let modelled = model.as_deref().map(|spec| Chosen { spec, this_machine: false, backend: None });
    let subject = Subject::of(experiment, backend, modelled.as_ref());
    let plan = sweep::plan(&setting.lesson, experiment, &device, &setting.params);
    let sweep = Sweep {
        number,
        bounds_checks: setting.bounds_checks,
        warp_width: setting.warp_width,
        backend,
        device: device.name,
        params: setting.params.clone(),
        over: experiment.over.clone(),
        points: Vec::new(),
        total: plan.points.len(),
        left_out: plan.left_out,
        modelled: subject.modelled.map(|chosen| chosen.spec.name.clone()),
    };
    out.send(Event::SweepStarted(experiment.id.clone(), sweep));
    let purpose = run::purpose(backend, setting.seed, setting.bounds_checks).with_warps_of(setting.warp_width);
    let purpose = subject.purpose(purpose);
    let runner = Runner { devices, backend, lesson: &setting.lesson, purpose: &purpose, cancel };
    sweep::run_points(&runner, None, subject, &plan.points, &setting.params, &mut |point, problems| {
        if !cancel.load(Ordering::Relaxed) {
            out.send(Event::SweepPoint(experiment.id.clone(), number, Box::new(point), problems));
        }
    });
}

/// Starts the thread that writes notes.
fn notes(out: Outbox) -> Worker<NoteTask> {
    Worker::start("notes", move |orders: Receiver<Order<NoteTask>>| {
        for Order { number, task, cancel } in orders {
            let (report, mut problems) =
                note::build(&task.input, &cancel, &mut |done, all| out.send(Event::Writing(number, (done, all))));
            // A note that was cancelled is incomplete and not written.
            if !cancel.load(Ordering::Relaxed) {
                let written = notes::write(&report, &task.formats, &To::folder(task.folder)).map(|written| {
                    problems.extend(written.messages);
                    written.files
                });
                out.send(Event::Exported(written, problems));
            }
            out.send(Event::Done(Work::Export, number));
        }
    })
}

/// Starts the disk's thread.
fn disk(out: Outbox) -> Worker<FileTask> {
    Worker::start("disk", move |orders: Receiver<Order<FileTask>>| {
        for Order { task, .. } in orders {
            match task {
                FileTask::Load { files, curves, kernels } => {
                    let (mut pack, mut problems) = load(&files);
                    if let Some(folder) = kernels.filter(|folder| folder.is_dir()) {
                        let (own, found) = load(&PackFiles::Folder(folder));
                        pack.lessons.extend(own.lessons);
                        problems.extend(found);
                    }
                    out.send(Event::Lessons(pack.clone()));
                    let (models, found) = model::load(&files);
                    problems.extend(found);
                    let (recordings, found) = recording::load(&files, &pack);
                    problems.extend(found);
                    let (quotes, found) = Quotes::load(&files, &pack, &recordings, &models);
                    problems.extend(found);
                    let own = curves.map(|folder| curves::load(&folder, &pack)).unwrap_or_default();
                    let recordings = recordings.into_iter().chain(own).collect();
                    out.send(Event::Models(models));
                    out.send(Event::Recordings(recordings));
                    out.send(Event::Quotes(quotes));
                    out.send(Event::Pack(pack, problems));
                }
                FileTask::Curve(folder, lesson, experiment, sweep, device) => {
                    if let Err(problem) = curves::keep(&folder, (&lesson, &experiment), &sweep, device) {
                        out.send(Event::NotKept(problem));
                    }
                }
                FileTask::Pin(folder, svg) => {
                    if let Err(problem) = pins::keep(&folder, &svg) {
                        out.send(Event::NotKept(problem));
                    }
                }
                FileTask::Read(path) => {
                    let mut story = Box::new(Story::default());
                    let read = journal::read(&path, &mut |line| story.take(line));
                    out.send(Event::Story(read.map(|was_there| (was_there, story))));
                }
                FileTask::Append(path, lines) => {
                    let done = journal::append(&path, &lines);
                    let (written, problem) = done.map_or_else(|(n, why)| (n, Some(why)), |()| (lines.len(), None));
                    out.send(Event::Appended(written, problem));
                }
                FileTask::Save(path, states, change) => {
                    let [base, mine] = *states;
                    out.send(Event::Saved(change, saved::save(&path, &base, mine).map(Box::new)));
                }
            }
        }
    })
}

/// A pack and its problems, down to its shaders. Lessons with errors are left out. The built-in pack's shaders are checked by the tests,
/// so that the start page need not wait for them.
fn load(files: &PackFiles) -> (Pack, Vec<Diagnostic>) {
    let (mut pack, mut problems) = crate::session::load(files);
    if *files == PackFiles::Embedded {
        return (pack, problems);
    }
    pack.lessons.retain(|lesson| {
        let mut found = check::step_problems(lesson);
        found.extend(
            lesson.programs.iter().flat_map(Program::variants).flat_map(|v| check::shader_problems(lesson, &v)),
        );
        let sound = !found.iter().any(Diagnostic::is_error);
        problems.extend(found);
        sound
    });
    (pack, problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_need_no_recordings() {
        let (events, received) = std::sync::mpsc::channel();
        let mut worker = disk(Outbox { events, wake: Arc::new(|| ()) });
        worker.enqueue(FileTask::Load { files: PackFiles::Embedded, curves: None, kernels: None });
        assert!(matches!(received.recv(), Ok(Event::Lessons(pack)) if pack.lessons.len() > 5));
        let order: Vec<Event> = received.iter().take(4).collect();
        assert!(matches!(&order[..], [Event::Models(_), Event::Recordings(_), Event::Quotes(_), Event::Pack(..)]));
    }
}
