//! What the desk's threads do with their orders.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

use super::event::{Event, Work};
use super::state::{Sweep, Traced, key, traced_key};
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::Event as Progress;
use crate::job::{MeasureSpec, TraceSpec};
use crate::lesson::{Experiment, Kernel, Lesson, Pack, PackFiles, Prediction};
use crate::notes::{self, Format};
use crate::session::devices::{Choice, Devices};
use crate::session::exercise::Try;
use crate::session::explain::explain;
use crate::session::jobs::{self, Params, Purpose};
use crate::session::predict::Asked;
use crate::session::run::{Done, Runner};
use crate::session::saved::{self, Saved};
use crate::session::{check, model, note, recording, run, sweep};
use crate::trace::record::{Backend, Device};

/// A turning control sends a value a frame; the device waits a little longer than a frame for the last of them.
const SETTLE: Duration = Duration::from_millis(20);

/// Sends events and wakes the window, so that it draws them.
#[derive(Clone)]
pub struct Outbox {
    /// Where events go.
    pub events: Sender<Event>,
    /// Called after each.
    pub wake: Arc<dyn Fn() + Send + Sync>,
}

impl Outbox {
    /// Sends one event. After the desk is gone nobody listens, and nothing is lost by that.
    pub fn send(&self, event: Event) {
        let _ = self.events.send(event);
        (self.wake)();
    }
}

/// A lesson at some parameters.
#[derive(Clone)]
pub struct Setting {
    /// The lesson.
    pub lesson: Arc<Lesson>,
    /// The parameters.
    pub params: Params,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Whether the device's compiler guards indices.
    pub bounds_checks: bool,
    /// Lanes in a warp of what is traced.
    pub warp_width: u32,
    /// The revision of all that these do not name.
    pub revision: u64,
}

impl Setting {
    /// See [`key`].
    pub fn key(&self, kernel: &Kernel) -> String {
        key(&self.lesson, kernel, &self.params, self.revision)
    }

    /// See [`traced_key`].
    pub fn traced_key(&self, kernel: &Kernel) -> String {
        traced_key(&self.lesson, kernel, &self.params, self.revision, self.warp_width)
    }
}

/// Orders for the tracer's thread.
pub enum TraceTask {
    /// One workgroup's single accesses.
    Timeline(Setting, String, u32),
    /// A kernel's counts over the whole grid, and how often elements are fetched where that is asked for.
    Counts(Setting, String, bool),
}

/// Orders for the device's thread.
pub enum DeviceTask {
    /// Find the device.
    Describe(Choice),
    /// Measure the device itself.
    Ceilings(Backend),
    /// Measure a kernel.
    Measure(Setting, String, Backend),
    /// Run an experiment on a backend, whose device has this name.
    Experiment(Setting, Experiment, Device),
    /// Answer a prediction.
    Answer(Setting, Prediction, Backend),
}

/// Orders for the thread that writes notes.
pub struct NoteTask {
    /// What the note is made of.
    pub input: Box<note::Input>,
    /// As what it is written.
    pub formats: Vec<Format>,
    /// Where to.
    pub folder: PathBuf,
}

/// Orders for the disk's thread.
pub enum FileTask {
    /// Read the pack.
    Load(PackFiles),
    /// Write what is kept, as of some change.
    Save(PathBuf, Box<Saved>, u64),
}

/// Starts the tracer's thread.
pub fn tracer(devices: Arc<Devices>, out: Outbox) -> Worker<TraceTask> {
    Worker::start("tracer", move |orders: Receiver<Order<TraceTask>>| {
        for Order { task, cancel, .. } in orders {
            if !cancel.load(Ordering::Relaxed) {
                trace(&devices, &out, task, &cancel);
            }
        }
    })
}

fn trace(devices: &Devices, out: &Outbox, task: TraceTask, cancel: &AtomicBool) {
    let (setting, id, workgroup, heat) = match task {
        TraceTask::Timeline(setting, id, workgroup) => (setting, id, Some(workgroup), false),
        TraceTask::Counts(setting, id, heat) => (setting, id, None, heat),
    };
    let Some(kernel) = setting.lesson.kernel(&id) else { return };
    let spec = TraceSpec {
        timeline_workgroups: workgroup.into_iter().collect(),
        only_timeline_workgroups: workgroup.is_some(),
        // Quick for one workgroup, and mostly the same in all.
        races: workgroup.is_some(),
        heat,
        warp_width: setting.warp_width,
        ..TraceSpec::default()
    };
    let purpose = Purpose { seed: setting.seed, check: true, measure: None, trace: Some(spec), bounds_checks: true };
    let key = setting.traced_key(kernel);
    let runner = Runner { devices, backend: Backend::Simt, lesson: &setting.lesson, purpose: &purpose, cancel };
    let outcome = runner.kernel(kernel, &setting.params);
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    match outcome {
        Ok(Done { mut record, launch, .. }) => {
            if let Some(problem) = run::failed_check(&kernel.file, &record) {
                return out.send(Event::Untraced(id, key, vec![problem]));
            }
            let mut traced = Traced { key, workgroup: workgroup.unwrap_or_default(), ..Traced::default() };
            if workgroup.is_some() {
                traced.timeline = record.timeline.take().map(Arc::new);
                traced.shown_findings = record.trace.take().map(|trace| trace.findings).unwrap_or_default();
            } else {
                traced.launch = launch;
                traced.heat = record.heat.take().map(Arc::new);
                traced.trace = record.trace.clone().map(Arc::new);
                traced.record = Some(Arc::new(record));
            }
            out.send(Event::Traced(id, traced));
        }
        Err(problems) => out.send(Event::Untraced(id, key, problems)),
    }
}

/// An element that the learner asks about.
pub struct Question {
    /// The lesson at some parameters.
    pub setting: Setting,
    /// The kernel that writes it.
    pub kernel: String,
    /// The buffer.
    pub buffer: String,
    /// Which of its 32-bit words.
    pub index: u64,
}

/// Starts the thread that finds out where elements came from.
pub fn explainer(out: Outbox) -> Worker<Question> {
    Worker::start("explainer", move |orders: Receiver<Order<Question>>| {
        for Order { task: Question { setting, kernel, buffer, index }, cancel, .. } in orders {
            let Some(kernel) = setting.lesson.kernel(&kernel).filter(|_| !cancel.load(Ordering::Relaxed)) else {
                continue;
            };
            let purpose = run::purpose(Backend::Simt, setting.seed, true).with_warps_of(setting.warp_width);
            let job = jobs::build(&setting.lesson, kernel, &setting.params, &purpose);
            let answer = job.and_then(|job| explain(&job, &buffer, index, &cancel));
            if !cancel.load(Ordering::Relaxed) {
                out.send(Event::Explained(setting.traced_key(kernel), buffer, index, answer));
            }
        }
    })
}

/// Starts the thread that judges exercises.
pub fn judge(devices: Arc<Devices>, out: Outbox) -> Worker<Try> {
    Worker::start("judge", move |orders: Receiver<Order<Try>>| {
        for Order { number, task, cancel } in orders {
            if let Some(verdict) = task.judge(&devices, &cancel) {
                out.send(Event::Judged(task.lesson.id.clone(), task.source, verdict));
            }
            out.send(Event::Done(Work::Judge, number));
        }
    })
}

/// Starts the device's thread.
pub fn device(devices: Arc<Devices>, out: Outbox) -> Worker<DeviceTask> {
    Worker::start("device", move |orders: Receiver<Order<DeviceTask>>| {
        for order in orders {
            let number = order.number;
            if matches!(order.task, DeviceTask::Measure(..)) {
                std::thread::sleep(SETTLE);
            }
            // Which device there is has to be known, whatever else was called off.
            if matches!(order.task, DeviceTask::Describe(_)) || !order.cancel.load(Ordering::Relaxed) {
                use_device(&devices, &out, order);
            }
            out.send(Event::Done(Work::Device, number));
        }
    })
}

fn use_device(devices: &Devices, out: &Outbox, Order { number, task, cancel }: Order<DeviceTask>) {
    let cancel = &*cancel;
    match task {
        DeviceTask::Describe(choice) => out.send(Event::Device(choice, devices.resolve(choice))),
        DeviceTask::Ceilings(backend) => out.send(Event::Ceilings(backend, devices.ceilings(backend))),
        DeviceTask::Measure(setting, id, backend) => measure(devices, out, &setting, &id, backend, cancel),
        DeviceTask::Experiment(setting, experiment, device) => {
            run_experiment(devices, out, (&setting, number), &experiment, device, cancel);
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
                out.send(Event::Answered(setting.lesson.id.clone(), prediction.id, answer));
            }
        }
    }
}

fn measure(devices: &Devices, out: &Outbox, setting: &Setting, id: &str, backend: Backend, cancel: &AtomicBool) {
    let Some(kernel) = setting.lesson.kernel(id) else { return };
    let key = setting.key(kernel);
    let mut purpose = run::purpose(backend, setting.seed, setting.bounds_checks);
    purpose.measure = Some(MeasureSpec { budget_s: 0.2, ..MeasureSpec::default() });
    let job = match jobs::build(&setting.lesson, kernel, &setting.params, &purpose) {
        Ok(job) => job,
        Err(problems) => return out.send(Event::Unmeasured(id.to_owned(), key, problems)),
    };
    let work = (job.bytes, job.flops);
    let outcome = devices.run(backend, &job, cancel, &mut |progress| {
        if let Progress::Sample(seconds) = progress {
            out.send(Event::Sample(id.to_owned(), key.clone(), work, seconds));
        }
    });
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    match outcome {
        Err(problem) => out.send(Event::Unmeasured(id.to_owned(), key, vec![problem])),
        Ok(record) => match run::failed_check(&kernel.file, &record) {
            Some(problem) => out.send(Event::Unmeasured(id.to_owned(), key, vec![problem])),
            None => out.send(Event::Measured(id.to_owned(), key, work, Arc::new(record))),
        },
    }
}

fn run_experiment(
    devices: &Devices,
    out: &Outbox,
    (setting, number): (&Setting, u64),
    experiment: &Experiment,
    device: Device,
    cancel: &AtomicBool,
) {
    let backend = device.backend;
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
    };
    out.send(Event::SweepStarted(experiment.id.clone(), sweep));
    let purpose = run::purpose(backend, setting.seed, setting.bounds_checks).with_warps_of(setting.warp_width);
    let runner = Runner { devices, backend, lesson: &setting.lesson, purpose: &purpose, cancel };
    sweep::run_points(&runner, &experiment.over, &plan.points, &setting.params, &mut |point, problems| {
        if !cancel.load(Ordering::Relaxed) {
            out.send(Event::SweepPoint(experiment.id.clone(), number, Box::new(point), problems));
        }
    });
}

/// Starts the thread that writes notes.
pub fn notes(devices: Arc<Devices>, out: Outbox) -> Worker<NoteTask> {
    Worker::start("notes", move |orders: Receiver<Order<NoteTask>>| {
        for Order { number, task, cancel } in orders {
            let (report, problems) = note::build(&devices, &task.input, &cancel);
            // A note with holes where it was called off is no note.
            if !cancel.load(Ordering::Relaxed) {
                out.send(Event::Exported(notes::write(&report, &task.formats, &task.folder), problems));
            }
            out.send(Event::Done(Work::Export, number));
        }
    })
}

/// Starts the disk's thread.
pub fn disk(out: Outbox) -> Worker<FileTask> {
    Worker::start("disk", move |orders: Receiver<Order<FileTask>>| {
        for Order { task, .. } in orders {
            match task {
                FileTask::Load(files) => {
                    let (models, found) = model::load(&files);
                    let (pack, mut problems) = load(&files);
                    problems.extend(found);
                    let (recordings, found) = recording::load(&files, &pack);
                    problems.extend(found);
                    out.send(Event::Models(models));
                    out.send(Event::Recordings(recordings));
                    out.send(Event::Pack(pack, problems));
                }
                FileTask::Save(path, saved, change) => out.send(Event::Saved(change, saved::save(&path, &saved))),
            }
        }
    })
}

/// A pack with what is wrong with it, down to its shaders. Lessons with errors are left out.
fn load(files: &PackFiles) -> (Pack, Vec<Diagnostic>) {
    let (mut pack, mut problems) = crate::session::load(files);
    pack.lessons.retain(|lesson| {
        let mut found = check::step_problems(lesson);
        found.extend(lesson.kernels.iter().flat_map(|k| check::shader_problems(lesson, k)));
        let sound = !found.iter().any(Diagnostic::is_error);
        problems.extend(found);
        sound
    });
    (pack, problems)
}
