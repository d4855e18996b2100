//! The desk's worker threads (tracer, device, explainer, judge, notes, disk), and how each carries out its orders.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::event::{Event, Outbox, Work};
use super::found::Traced;
use super::worker::{Order, Worker};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::Event as Progress;
use crate::job::{MeasureSpec, Shown, TraceSpec};
use crate::lesson::{Experiment, Lesson, Pack, PackFiles, Prediction, Program, Variant};
use crate::notes::{self, Format};
use crate::session::experiment::sweep::Sweep;
use crate::session::experiment::{curves, recording, sweep};
use crate::session::jobs::own::is_edit;
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, Purpose, work};
use crate::session::learn::exercise::Try;
use crate::session::learn::predict::Asked;
use crate::session::learn::saved::{self, Saved};
use crate::session::note;
use crate::session::pack::check;
use crate::session::pack::quote::Quotes;
use crate::session::run::devices::{Choice, Devices};
use crate::session::run::explain::explain;
use crate::session::run::verdict::failed_check;
use crate::session::run::{self, Done, Runner, model};
use crate::session::show::reel;
use crate::trace::record::{Backend, Device};

/// A control being turned sends a value a frame; the device waits a little longer than a frame for the last one.
const SETTLE: Duration = Duration::from_millis(20);

/// Orders for the tracer's thread.
pub enum TraceTask {
    /// One workgroup's single accesses in a launch.
    Timeline(Setting, Variant, Shown, u32),
    /// A program's counts, and how often elements are fetched by a launch, if requested.
    Counts(Setting, Variant, Option<Shown>),
}

/// Orders for the device's thread.
pub enum DeviceTask {
    /// Find the device.
    Describe(Choice),
    /// Measure the device itself.
    Ceilings(Backend),
    /// Measure a program.
    Measure(Setting, Variant, Backend),
    /// Run an experiment on a backend, whose device has this name.
    Experiment(Setting, Experiment, Device),
    /// Answer a prediction.
    Answer(Setting, Prediction, Backend),
}

/// Orders for the thread that writes notes.
pub struct NoteTask {
    /// The note's input.
    pub input: Box<note::Input>,
    /// The formats that it is written in.
    pub formats: Vec<Format>,
    /// The target folder.
    pub folder: PathBuf,
}

/// Orders for the disk's thread.
pub enum FileTask {
    /// Read the pack, and the learner's own curves from the folder where they are kept.
    Load(PackFiles, Option<PathBuf>),
    /// Keep a finished sweep of an experiment, as a device measured it, in that folder.
    Curve(PathBuf, Arc<Lesson>, Box<Experiment>, Box<Sweep>, Device),
    /// Write the saved state, as of some change: the file's state, as far as the window knows, and the window's own.
    Save(PathBuf, Box<[Saved; 2]>, u64),
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
    let (setting, variant, shown, workgroup) = match task {
        TraceTask::Timeline(setting, variant, shown, workgroup) => (setting, variant, Some(shown), Some(workgroup)),
        TraceTask::Counts(setting, variant, heat) => (setting, variant, heat, None),
    };
    let spec = TraceSpec {
        timeline_workgroups: workgroup.into_iter().collect(),
        only_timeline_workgroups: workgroup.is_some(),
        shown: shown.unwrap_or_default(),
        // Checking races is quick for one workgroup, and mostly the same in all.
        races: workgroup.is_some(),
        heat: shown.is_some() && workgroup.is_none(),
        warp_width: setting.warp_width,
        ..TraceSpec::default()
    };
    // A part of the grid gives no complete result to check.
    let check = workgroup.is_none();
    let purpose = Purpose { seed: setting.seed, check, measure: None, trace: Some(spec), bounds_checks: true };
    let (id, key) = (variant.program.clone(), setting.traced_key(&variant));
    let runner = Runner { devices, backend: Backend::Simt, lesson: &setting.lesson, purpose: &purpose, cancel };
    let outcome = runner.program(&variant, &setting.params);
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    match outcome {
        Ok(Done { mut record, job }) => {
            let wrong = failed_check(&job, &record);
            // A learner's kernel is shown as it is, right or wrong.
            let shown_all_the_same = setting.lesson.launched(&variant).into_iter().flatten().any(is_edit);
            if let Some(problem) = wrong {
                out.send(Event::Untraced(id.clone(), key.clone(), vec![problem]));
                if !shown_all_the_same {
                    return;
                }
            }
            let mut traced = Traced { key, ..Traced::default() };
            let pass = shown.and_then(|shown| record.passes.get_mut(shown.pass));
            match workgroup {
                Some(workgroup) => {
                    let (timeline, trace) =
                        pass.map(|pass| (pass.timeline.take(), pass.trace.take())).unwrap_or_default();
                    let staged = |timeline| (shown.unwrap_or_default(), workgroup, Arc::new(timeline));
                    traced.timeline = timeline.map(staged);
                    traced.shown_findings = trace.map(|trace| trace.findings).unwrap_or_default();
                }
                None => {
                    let heat = pass.and_then(|pass| pass.heat.take());
                    traced.heat = heat.map(|heat| (shown.unwrap_or_default(), Arc::new(heat)));
                    traced.launches =
                        (0..job.passes.len()).map(|place| model::launched(&job, &record, place)).collect();
                    traced.record = Some(Arc::new(record));
                }
            }
            out.send(Event::Traced(id, traced));
        }
        Err(problems) => out.send(Event::Untraced(id, key, problems)),
    }
}

/// The learner's question about a program's run.
pub struct Question {
    /// The lesson at some parameters.
    pub setting: Setting,
    /// The program.
    pub variant: Variant,
    /// The question.
    pub asked: Asking,
}

/// The kinds of question.
pub enum Asking {
    /// Where an element came from: its buffer, and which 32-bit word of it.
    Origin(String, u64),
    /// The contents of buffers after each launch.
    Film(Vec<String>),
}

/// Starts the thread that finds the origins of elements and the contents of buffers.
pub fn explainer(devices: Arc<Devices>, out: Outbox) -> Worker<Question> {
    Worker::start("explainer", move |orders: Receiver<Order<Question>>| {
        for Order { task: Question { setting, variant, asked }, cancel, .. } in orders {
            if cancel.load(Ordering::Relaxed) {
                continue;
            }
            let purpose = run::purpose(Backend::Simt, setting.seed, true).with_warps_of(setting.warp_width);
            let key = setting.traced_key(&variant);
            let event = match asked {
                Asking::Origin(buffer, index) => {
                    let job = jobs::build(&setting.lesson, &variant, &setting.params, &purpose);
                    let answer = job.and_then(|job| explain(&job, &buffer, index, &cancel));
                    Event::Explained(key, buffer, index, answer)
                }
                Asking::Film(buffers) => {
                    let purpose = Purpose { check: false, ..purpose };
                    let runner = Runner {
                        devices: &devices,
                        backend: Backend::Simt,
                        lesson: &setting.lesson,
                        purpose: &purpose,
                        cancel: &cancel,
                    };
                    let program = setting.lesson.program(&variant.program);
                    let job = jobs::build(&setting.lesson, &variant, &setting.params, &purpose);
                    let answer = job.and_then(|job| reel::read(job, program, &buffers, |job| runner.job(job)));
                    Event::Filmed(key, buffers, answer)
                }
            };
            if !cancel.load(Ordering::Relaxed) {
                out.send(event);
            }
        }
    })
}

/// Starts the thread that judges exercises.
pub fn judge(devices: Arc<Devices>, out: Outbox) -> Worker<Try> {
    Worker::start("judge", move |orders: Receiver<Order<Try>>| {
        for Order { number, task, cancel } in orders {
            if let Some(judged) = task.judge_and_explain(&devices, &cancel) {
                out.send(Event::Judged(task, judged));
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
            // The device must be found, even if other orders were cancelled.
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
        DeviceTask::Describe(choice) => {
            let found = devices.resolve(choice);
            if let Ok((_, Some(why))) = &found {
                out.send(Event::Told(why.clone()));
            }
            out.send(Event::Device(choice, found.map(|(device, _)| device)));
        }
        DeviceTask::Ceilings(backend) => out.send(Event::Ceilings(backend, devices.ceilings(backend))),
        DeviceTask::Measure(setting, variant, backend) => measure(devices, out, &setting, &variant, backend, cancel),
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

fn measure(
    devices: &Devices,
    out: &Outbox,
    setting: &Setting,
    variant: &Variant,
    backend: Backend,
    cancel: &AtomicBool,
) {
    let (id, key) = (variant.program.clone(), setting.key(variant));
    let mut purpose = run::purpose(backend, setting.seed, setting.bounds_checks);
    purpose.measure = Some(MeasureSpec { budget_s: 0.2, ..MeasureSpec::default() });
    let job = match jobs::build(&setting.lesson, variant, &setting.params, &purpose) {
        Ok(job) => job,
        Err(problems) => return out.send(Event::Unmeasured(id, key, problems)),
    };
    let work = work::whole(&job);
    let outcome = devices.run(backend, &job, cancel, &mut |progress| {
        if let Progress::Sample(seconds) = progress {
            out.send(Event::Sample(id.clone(), key.clone(), work, seconds));
        }
    });
    if cancel.load(Ordering::Relaxed) {
        return;
    }
    match outcome {
        Err(problem) => out.send(Event::Unmeasured(id, key, vec![problem])),
        Ok(record) => match failed_check(&job, &record) {
            Some(problem) => out.send(Event::Unmeasured(id, key, vec![problem])),
            None => out.send(Event::Measured(id, key, Arc::new(record))),
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
    let of = (experiment.over.as_str(), Some(&experiment.quantity));
    sweep::run_points(&runner, None, of, &plan.points, &setting.params, &mut |point, problems| {
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
            // A note that was cancelled is incomplete and not written.
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
                FileTask::Load(files, curves) => {
                    let (models, found) = model::load(&files);
                    let (pack, mut problems) = load(&files);
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
                FileTask::Save(path, states, change) => {
                    let [base, mine] = *states;
                    out.send(Event::Saved(change, saved::save(&path, &base, mine).map(Box::new)));
                }
            }
        }
    })
}

/// A pack and its problems, down to its shaders. Lessons with errors are left out.
fn load(files: &PackFiles) -> (Pack, Vec<Diagnostic>) {
    let (mut pack, mut problems) = crate::session::load(files);
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
