//! What the desk's threads do with their orders.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use super::event::Event;
use super::state::{Sweep, Traced, key};
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::Event as Progress;
use crate::job::{MeasureSpec, TraceSpec};
use crate::lesson::{Experiment, Kernel, Lesson, PackFiles, Prediction};
use crate::notes::{self, Format};
use crate::session::devices::{Choice, Devices};
use crate::session::jobs::{self, Params, Purpose};
use crate::session::predict::Asked;
use crate::session::run::{Done, Runner};
use crate::session::saved::{self, Saved};
use crate::session::{check, exercise, note, run, sweep};
use crate::trace::record::Backend;

/// A turning control sends many values; the device waits this long for the last of them.
const SETTLE: Duration = Duration::from_millis(40);

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
    /// Whether the device's compiler guards indices and loops.
    pub bounds_checks: bool,
}

impl Setting {
    fn kernel(&self, id: &str) -> Option<&Kernel> {
        self.lesson.kernels.iter().find(|k| k.id == id)
    }
}

/// Orders for the tracer's thread.
pub enum TraceTask {
    /// One workgroup's single accesses.
    Timeline(Setting, String, u32),
    /// A kernel's counts over the whole grid.
    Counts(Setting, String),
    /// Judge the exercise.
    Judge(Setting, String),
}

/// Orders for the device's thread.
pub enum DeviceTask {
    /// Find the device.
    Describe(Choice),
    /// Measure the device itself.
    Ceilings(Backend),
    /// Measure a kernel.
    Measure(Setting, String, Backend),
    /// Run an experiment.
    Experiment(Setting, Experiment, Backend, String),
    /// Answer a prediction.
    Answer(Setting, Prediction, Backend),
}

/// Orders for the files' thread.
pub enum FileTask {
    /// Read the pack.
    Load(PackFiles),
    /// Write what is kept.
    Save(PathBuf, Box<Saved>),
    /// Write a note.
    Export(Box<note::Input>, Vec<Format>, PathBuf),
}

/// Starts the tracer's thread.
pub fn tracer(devices: Arc<Devices>, out: Outbox) -> Worker<TraceTask> {
    Worker::start("tracer", move |orders: Receiver<Order<TraceTask>>| {
        for Order { task, cancel } in orders {
            if !cancel.load(Ordering::Relaxed) {
                trace(&devices, &out, task, &cancel);
            }
        }
    })
}

fn trace(devices: &Devices, out: &Outbox, task: TraceTask, cancel: &AtomicBool) {
    let (setting, id, workgroup) = match task {
        TraceTask::Timeline(setting, id, workgroup) => (setting, id, Some(workgroup)),
        TraceTask::Counts(setting, id) => (setting, id, None),
        TraceTask::Judge(setting, source) => {
            if let Some(exercise) = &setting.lesson.exercise {
                let verdict = exercise::judge(devices, &setting.lesson, exercise, &source, setting.seed, cancel);
                out.send(Event::Judged(verdict));
            }
            return;
        }
    };
    let Some(kernel) = setting.kernel(&id) else { return };
    let spec = TraceSpec {
        timeline_workgroups: workgroup.into_iter().collect(),
        only_timeline_workgroups: workgroup.is_some(),
        ..TraceSpec::default()
    };
    let purpose = Purpose { seed: setting.seed, check: true, measure: None, trace: Some(spec), bounds_checks: true };
    let key = key(&setting.lesson, kernel, &setting.params);
    let runner = Runner { devices, backend: Backend::Simt, lesson: &setting.lesson, purpose: &purpose, cancel };
    match runner.kernel(kernel, &setting.params) {
        Ok(_) if cancel.load(Ordering::Relaxed) => {}
        Ok(Done { mut record, .. }) => {
            let mut traced = Traced { key, workgroup: workgroup.unwrap_or_default(), ..Traced::default() };
            if workgroup.is_some() {
                traced.timeline = record.timeline.take().map(Arc::new);
            } else {
                traced.trace = record.trace.clone().map(Arc::new);
                traced.record = Some(Arc::new(record));
            }
            out.send(Event::Traced(id, traced));
        }
        Err(problems) => out.send(Event::Failed(id, key, problems)),
    }
}

/// Starts the device's thread.
pub fn device(devices: Arc<Devices>, out: Outbox) -> Worker<DeviceTask> {
    Worker::start("device", move |orders: Receiver<Order<DeviceTask>>| {
        loop {
            let order = match orders.recv_timeout(SETTLE) {
                Ok(order) => order,
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    out.send(Event::Idle);
                    let Ok(order) = orders.recv() else { return };
                    order
                }
            };
            if matches!(order.task, DeviceTask::Measure(..)) {
                std::thread::sleep(SETTLE);
            }
            if !order.cancel.load(Ordering::Relaxed) {
                use_device(&devices, &out, order.task, &order.cancel);
            }
        }
    })
}

fn use_device(devices: &Devices, out: &Outbox, task: DeviceTask, cancel: &AtomicBool) {
    match task {
        DeviceTask::Describe(choice) => out.send(Event::Device(choice, devices.resolve(choice))),
        DeviceTask::Ceilings(backend) => out.send(Event::Ceilings(devices.ceilings(backend))),
        DeviceTask::Measure(setting, id, backend) => measure(devices, out, &setting, &id, backend, cancel),
        DeviceTask::Experiment(setting, experiment, backend, device) => {
            run_experiment(devices, out, &setting, &experiment, (backend, device), cancel);
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
            out.send(Event::Answered(prediction.id, answer));
        }
    }
}

fn measure(devices: &Devices, out: &Outbox, setting: &Setting, id: &str, backend: Backend, cancel: &AtomicBool) {
    let Some(kernel) = setting.kernel(id) else { return };
    let key = key(&setting.lesson, kernel, &setting.params);
    let mut purpose = run::purpose(backend, setting.seed, setting.bounds_checks);
    purpose.measure = Some(MeasureSpec { budget_s: 0.2, ..MeasureSpec::default() });
    let job = match jobs::build(&setting.lesson, kernel, &setting.params, &purpose) {
        Ok(job) => job,
        Err(problems) => return out.send(Event::Failed(id.to_owned(), key, problems)),
    };
    let work = (job.bytes, job.flops);
    let outcome = devices.run(backend, &job, cancel, &mut |progress| {
        if let Progress::Sample(seconds) = progress {
            out.send(Event::Sample(id.to_owned(), key.clone(), work, seconds));
        }
    });
    match outcome {
        Err(_) if cancel.load(Ordering::Relaxed) => {}
        Err(problem) => out.send(Event::Failed(id.to_owned(), key, vec![problem])),
        Ok(record) => match run::failed_check(&kernel.file, &record) {
            Some(problem) => out.send(Event::Failed(id.to_owned(), key, vec![problem])),
            None => out.send(Event::Measured(id.to_owned(), key, work, Arc::new(record))),
        },
    }
}

fn run_experiment(
    devices: &Devices,
    out: &Outbox,
    setting: &Setting,
    experiment: &Experiment,
    (backend, device): (Backend, String),
    cancel: &AtomicBool,
) {
    let sweep = Sweep {
        backend,
        device,
        params: setting.params.clone(),
        over: experiment.over.clone(),
        points: Vec::new(),
        total: experiment.values.len() * experiment.kernels.len(),
    };
    out.send(Event::SweepStarted(experiment.id.clone(), sweep));
    let purpose = run::purpose(backend, setting.seed, setting.bounds_checks);
    let runner = Runner { devices, backend, lesson: &setting.lesson, purpose: &purpose, cancel };
    let kernels = sweep::kernels_of(&setting.lesson, experiment);
    let swept = (experiment.over.as_str(), experiment.values.as_slice());
    sweep::points(&runner, &kernels, swept, &setting.params, &mut |point, problems| {
        if !cancel.load(Ordering::Relaxed) {
            out.send(Event::SweepPoint(experiment.id.clone(), Box::new(point), problems));
        }
    });
}

/// Starts the files' thread.
pub fn files(devices: Arc<Devices>, out: Outbox) -> Worker<FileTask> {
    Worker::start("files", move |orders: Receiver<Order<FileTask>>| {
        for Order { task, cancel } in orders {
            match task {
                FileTask::Load(files) => {
                    let (pack, problems) = load(&files);
                    out.send(Event::Pack(pack, problems));
                }
                FileTask::Save(path, saved) => out.send(Event::Saved(saved::save(&path, &saved))),
                FileTask::Export(input, formats, folder) => {
                    let (report, problems) = note::build(&devices, &input, &cancel);
                    out.send(Event::Exported(notes::write(&report, &formats, &folder), problems));
                }
            }
        }
    })
}

/// A pack with what is wrong with it, down to its shaders. Lessons with errors are left out.
#[must_use]
pub fn load(files: &PackFiles) -> (crate::lesson::Pack, Vec<Diagnostic>) {
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
