//! What the window shows: data only, changed by commands and events.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};

use super::event::Work;
use crate::base::diag::Diagnostic;
use crate::base::units::number;
use crate::device::{DeviceSpec, Launch};
use crate::gpu::simt;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, CudaOnly, Experiment, Kernel, Lesson, LibraryDecl, Pack, SceneKind, Step};
use crate::session::devices::Choice;
use crate::session::exercise::Verdict;
use crate::session::jobs::Params;
use crate::session::model::{self, Predicted};
use crate::session::output::SweepPoint;
use crate::session::recording::{self, Recording, Shown};
use crate::session::saved::{LessonSaved, Saved};
use crate::session::sweep::device_for;
use crate::trace::record::{Backend, Ceilings, Device, Record};
use crate::trace::{Finding, Heat, Provenance, Timeline, Trace};

/// Everything that views read.
#[derive(Default)]
pub struct State {
    /// The lessons, as last read without error.
    pub pack: Pack,
    /// The devices that can be modelled.
    pub models: Arc<[DeviceSpec]>,
    /// The pack's recordings.
    pub recordings: Arc<[Recording]>,
    /// What is wrong with the pack as it is on disk now.
    pub problems: Vec<Diagnostic>,
    /// The lesson on the screen. It stays when an edit breaks its file.
    pub lesson: Option<Arc<Lesson>>,
    /// The step, from 0.
    pub step: usize,
    /// The learner's parameters.
    pub params: Params,
    /// The kernel on the bench, by id.
    pub kernel: String,
    /// The workgroup on the stage, by its linear index.
    pub workgroup: u32,
    /// The picture that the learner or the step asks for; see [`State::shown_scene`].
    pub scene: SceneKind,
    /// The device, or why there is none.
    pub device: DeviceState,
    /// What the device can do; absent until measured.
    pub ceilings: Option<Ceilings>,
    /// Whether the device's compiler guards indices.
    pub bounds_checks: bool,
    /// Lanes in a warp of what is traced: 8, 16, 32 or 64. What is measured has the device's own width.
    pub warp_width: u32,
    /// The element that the learner asked about, and where it came from.
    pub origin: Option<Origin>,
    /// Traces by kernel; only of the parameters as they are now.
    pub traced: BTreeMap<String, Traced>,
    /// Measurements by kernel; only of the parameters as they are now.
    pub measured: BTreeMap<String, Measured>,
    /// The shader of the kernel on the bench as it runs at the parameters.
    pub source: Option<Arc<str>>,
    /// Kernels that could not be traced, and why.
    pub failed: BTreeMap<String, Vec<Diagnostic>>,
    /// Kernels that could not be measured, and why.
    pub unmeasured: BTreeMap<String, Vec<Diagnostic>>,
    /// The latest sweep of each experiment.
    pub sweeps: BTreeMap<String, Sweep>,
    /// What is going on.
    pub activities: BTreeMap<Work, Activity>,
    /// Raised by whatever changes what a key does not name: the lesson's text, the backend, the compiler's guards.
    pub revision: u64,
    /// The exercise's last verdict.
    pub verdict: Option<Arc<Verdict>>,
    /// A prediction whose probes are running.
    pub answering: Option<String>,
    /// What the learner should know, newest last, until dismissed.
    pub notices: Vec<Notice>,
    /// What is kept on disk.
    pub saved: Saved,
    /// Whether what is kept is on disk.
    pub save: SaveState,
}

/// The device behind the chosen backend.
#[derive(Clone, Debug, Default)]
pub enum DeviceState {
    /// Not asked yet, or not answered.
    #[default]
    Starting,
    /// Ready.
    Ready(Device),
    /// There is none; why, and what to do. The tracer works all the same.
    Missing(Diagnostic),
}

/// What the tracer found out about a kernel.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// Which kernel at which parameters; see [`key`].
    pub key: String,
    /// Counts over the whole grid, once they are there.
    pub trace: Option<Arc<Trace>>,
    /// How the traced grid was launched.
    pub launch: Option<Launch>,
    /// Single accesses of the workgroup on the stage.
    pub timeline: Option<Arc<Timeline>>,
    /// The workgroup they are of.
    pub workgroup: u32,
    /// How often elements were fetched, once that was asked for and is there.
    pub heat: Option<Arc<Heat>>,
    /// What went wrong in that workgroup: races, too, which a trace of the whole grid does not look for.
    pub shown_findings: Vec<Finding>,
    /// The whole record, for its check and warnings.
    pub record: Option<Arc<Record>>,
}

impl Traced {
    /// What went wrong, each kind once a line: in the grid, then in the workgroup on the stage.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let grid = self.trace.as_ref().map_or(&[][..], |trace| &trace.findings);
        let is_new = |shown: &&Finding| !grid.iter().any(|f| (f.line, f.kind) == (shown.line, shown.kind));
        grid.iter().chain(self.shown_findings.iter().filter(is_new))
    }
}

/// An element that was asked about.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The kernel that writes it.
    pub kernel: String,
    /// Which kernel at which parameters; see [`traced_key`].
    pub key: String,
    /// The buffer.
    pub buffer: String,
    /// Which of its 32-bit words.
    pub index: u64,
    /// Where it came from, or why nobody can say; none while that is being found out.
    pub answer: Option<Result<Arc<Provenance>, Vec<Diagnostic>>>,
    /// The number of the learner's question: asking anew after a turn of a control keeps it.
    pub question: u64,
}

/// What the device found out about a kernel.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Which kernel at which parameters.
    pub key: String,
    /// Useful bytes and operations of the work.
    pub work: (f64, f64),
    /// Samples so far, in seconds, while it runs.
    pub samples: Vec<f64>,
    /// The finished record.
    pub record: Option<Arc<Record>>,
}

/// A sweep, finished or not.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// The number of the order that made it; none outside a window.
    pub number: u64,
    /// Whether the device's compiler guarded indices.
    pub bounds_checks: bool,
    /// Lanes in a traced warp.
    pub warp_width: u32,
    /// What ran it.
    pub backend: Backend,
    /// The device's name.
    pub device: String,
    /// All parameters at its start; the swept one's value does not count.
    pub params: Params,
    /// The parameter swept.
    pub over: String,
    /// Points so far.
    pub points: Vec<SweepPoint>,
    /// Points there will be.
    pub total: usize,
    /// Why the experiment has more.
    pub left_out: Option<Diagnostic>,
}

/// Something that takes time.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// What, for the status line.
    pub label: String,
    /// Steps done and steps in all; none where that is unknown.
    pub progress: Option<(usize, usize)>,
}

/// A message that stays until dismissed.
#[derive(Clone, Debug)]
pub enum Notice {
    /// Something went wrong.
    Problem(Diagnostic),
    /// Files were written.
    Wrote(Vec<PathBuf>),
}

/// Whether what the learner wrote is on disk.
#[derive(Clone, Debug, Default)]
pub enum SaveState {
    /// It is.
    #[default]
    Saved,
    /// Not yet.
    Unsaved,
    /// A write is under way.
    Saving,
    /// It could not be written.
    Failed(Diagnostic),
    /// There is no folder to keep it in.
    Nowhere,
}

/// Names a kernel at the parameters that it depends on, and the revision of all else: results with the same key are of the same job.
#[must_use]
pub fn key(lesson: &Lesson, kernel: &Kernel, params: &Params, revision: u64) -> String {
    let mut key = format!("{}:{} r{revision}", lesson.id, kernel.id);
    for id in parameters_of(lesson, kernel) {
        key.push_str(&format!(" {id}={}", params.get(&id).copied().unwrap_or(f64::NAN)));
    }
    key
}

/// As [`key`], of traces: they depend on the width of a warp, too.
#[must_use]
pub fn traced_key(lesson: &Lesson, kernel: &Kernel, params: &Params, revision: u64, warp_width: u32) -> String {
    format!("{} w{warp_width}", key(lesson, kernel, params, revision))
}

impl State {
    /// The step on the screen.
    #[must_use]
    pub fn step(&self) -> Option<&Step> {
        self.lesson.as_ref()?.steps.get(self.step)
    }

    /// The kernel on the bench.
    #[must_use]
    pub fn shown_kernel(&self) -> Option<&Kernel> {
        self.lesson.as_ref()?.kernel(&self.kernel)
    }

    /// The picture on the stage: what is asked for, where the kernel on the bench has it.
    #[must_use]
    pub fn shown_scene(&self) -> SceneKind {
        let fits = self.shown_kernel().is_some_and(|kernel| self.scene.fits(kernel));
        if fits { self.scene } else { SceneKind::default() }
    }

    /// Whether the tracer runs a kernel: one that is written in CUDA C++ only has no trace, and never will.
    #[must_use]
    pub fn is_traceable(&self, kernel: &str) -> bool {
        let kernel = self.lesson.as_ref().and_then(|lesson| lesson.kernel(kernel));
        kernel.is_none_or(|kernel| kernel.runs_on(Backend::Simt))
    }

    /// The experiment in the plot: the step's.
    #[must_use]
    pub fn experiment(&self) -> Option<&Experiment> {
        let lesson = self.lesson.as_ref()?;
        let id = self.step()?.experiment.as_ref()?;
        lesson.experiments.iter().find(|e| e.id == *id)
    }

    /// What is kept of the lesson on the screen.
    #[must_use]
    pub fn kept(&self) -> &LessonSaved {
        static NOTHING: LazyLock<LessonSaved> = LazyLock::new(LessonSaved::default);
        let id = self.lesson.as_ref().map(|l| l.id.as_str()).unwrap_or_default();
        self.saved.lessons.get(id).unwrap_or(&NOTHING)
    }

    /// What experiments run on: the device, the tracer where there is none, nothing while that is being found out.
    #[must_use]
    pub fn acting_device(&self) -> Option<Device> {
        match &self.device {
            DeviceState::Starting => None,
            DeviceState::Ready(device) => Some(device.clone()),
            DeviceState::Missing(_) => Some(simt::device()),
        }
    }

    /// What is going on, for the status line: one thing at a time, measuring first.
    #[must_use]
    pub fn activity(&self) -> Option<&Activity> {
        self.activities.values().next()
    }

    /// The backend that measures now: none while only the tracer is there.
    #[must_use]
    pub fn measuring_backend(&self) -> Option<Backend> {
        match &self.device {
            DeviceState::Ready(device) if device.backend != Backend::Simt => Some(device.backend),
            _ => None,
        }
    }

    /// Whether the kernel on the bench depends on a parameter.
    #[must_use]
    pub fn uses(&self, param: &str) -> bool {
        let lesson = self.lesson.as_ref();
        lesson.zip(self.shown_kernel()).is_some_and(|(l, k)| parameters_of(l, k).iter().any(|p| p == param))
    }

    /// The backend asked for.
    #[must_use]
    pub fn choice(&self) -> Choice {
        self.saved.backend
    }

    /// All results at the parameters as they are now, as names in expressions.
    #[must_use]
    pub fn results(&self) -> Results {
        let mut results = Results::default();
        if let Some(ceilings) = &self.ceilings {
            results.insert_ceilings(ceilings);
        }
        for (id, traced) in &self.traced {
            if let (Some(record), Some(measured)) = (&traced.record, self.work(id)) {
                results.insert_record(id, record, measured.0, measured.1);
            }
        }
        for (id, measured) in &self.measured {
            let (bytes, flops) = measured.work;
            match measured.record.as_ref().filter(|r| r.trusted()) {
                // No trace says what its work is.
                Some(record) if !self.is_traceable(id) => results.insert_record(id, record, bytes, flops),
                Some(record) => {
                    record.timing.iter().for_each(|timing| results.insert_timing(id, timing, bytes, flops));
                }
                None => {}
            }
        }
        results
    }

    /// Useful bytes and operations of a kernel at the parameters as they are now.
    #[must_use]
    pub fn work(&self, kernel: &str) -> Option<(f64, f64)> {
        let lesson = self.lesson.as_ref()?;
        let kernel = lesson.kernel(kernel)?;
        let env = Env::fixed(&lesson.params, &lesson.values, &self.params);
        Some((env.eval(&kernel.bytes).ok()?, env.eval(&kernel.flops).ok()?))
    }

    /// What the model of a device says of the kernel on the bench, as soon as its whole grid is traced.
    #[must_use]
    pub fn predicted(&self) -> Option<Predicted> {
        let traced = self.traced.get(&self.kernel)?;
        let known = model::Traced {
            launch: traced.launch.as_ref()?,
            trace: traced.trace.as_ref()?,
            needs: self.work(&self.kernel),
        };
        let measured = self.measured.get(&self.kernel).and_then(|m| m.record.as_ref()).filter(|r| r.trusted());
        let measured_s = measured.and_then(|record| Some(record.timing.as_ref()?.median_s));
        let measures = self.acting_device().unwrap_or_else(simt::device);
        let chosen = model::pick(&self.models, self.saved.model.as_deref(), &measures)?;
        Some(model::predicted(&chosen, &known, &self.ceilings.unwrap_or_default(), measured_s))
    }

    /// The value of an expression at the state as it is now; none while something it needs is not there.
    #[must_use]
    pub fn evaluate(&self, expr: &crate::base::expr::Expr, results: &Results) -> Option<f64> {
        let lesson = self.lesson.as_ref()?;
        Env::new(lesson, &self.params, results).eval(expr).ok()
    }

    /// The latest sweep of the experiment in the plot.
    #[must_use]
    pub fn sweep(&self) -> Option<&Sweep> {
        self.sweeps.get(&self.experiment()?.id)
    }

    /// The recordings that have something of the experiment in the plot.
    #[must_use]
    pub fn recorded(&self) -> Vec<Shown<'_>> {
        let Some((lesson, experiment)) = self.lesson.as_ref().zip(self.experiment()) else { return Vec::new() };
        self.recordings.iter().filter_map(|r| r.shown(lesson, experiment)).collect()
    }

    /// Whether the step asks for a prediction that the learner has not made: curves that were recorded would answer it.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        let made = &self.kept().predictions;
        let step = self.lesson.as_ref().and_then(|lesson| lesson.steps.get(self.step));
        step.is_some_and(|step| step.blocks.iter().any(|b| matches!(b, Block::Predict(id) if !made.contains_key(id))))
    }

    /// The place in `recorded` of the one to show.
    #[must_use]
    pub fn chosen_recording(&self, recorded: &[Shown<'_>]) -> Option<usize> {
        recording::chosen(recorded, &self.saved.recording, self.acting_device().as_ref())
    }

    /// In which ways a sweep is not of the settings as they are now, in words; nothing for a current one.
    #[must_use]
    pub fn differences(&self, sweep: &Sweep) -> Vec<String> {
        let Some(experiment) = self.experiment() else { return Vec::new() };
        let mut differences = self.other_settings(sweep);
        let device = self.acting_device().map(|device| device_for(experiment, &device));
        if device.is_some_and(|device| device.backend != sweep.backend || device.name != sweep.device) {
            differences.push(format!("on {}", sweep.device));
        }
        if sweep.backend != Backend::Simt && sweep.bounds_checks != self.bounds_checks {
            differences.push(format!("bounds checks {}", if sweep.bounds_checks { "on" } else { "off" }));
        }
        if sweep.backend == Backend::Simt && sweep.warp_width != self.warp_width {
            differences.push(format!("warps of {}", sweep.warp_width));
        }
        differences
    }

    /// The settings of a sweep that its experiment asks for in place of the learner's, in words; nothing where they are the same.
    #[must_use]
    pub fn asked_settings(&self, sweep: &Sweep) -> Vec<String> {
        let (Some(lesson), Some(experiment)) = (&self.lesson, self.experiment()) else { return Vec::new() };
        let asked = experiment.at.iter().filter(|(id, value)| {
            sweep.params.get(id) == Some(value) && self.params.get(id) != Some(value) && *id != sweep.over
        });
        let known = asked.filter_map(|(id, value)| Some((lesson.param(id)?, value)));
        known.map(|(param, value)| format!("{} = {}", param.label, number(*value))).collect()
    }

    /// The parameters in which a sweep differs from the learner's, with its own values in words.
    #[must_use]
    pub fn other_settings(&self, sweep: &Sweep) -> Vec<String> {
        let (Some(lesson), Some(experiment)) = (&self.lesson, self.experiment()) else { return Vec::new() };
        let kernels = experiment.kernels.iter().filter_map(|id| lesson.kernel(id));
        // Only parameters that the curves depend on.
        let matters: Vec<String> = kernels.flat_map(|k| parameters_of(lesson, k)).collect();
        let params = lesson.params.iter().filter(|p| p.id != sweep.over && matters.contains(&p.id));
        // What the experiment itself asks for is no deviation.
        let asked = |id: &str, value: Option<&f64>| experiment.at.iter().any(|(at, x)| at == id && Some(x) == value);
        params
            .filter(|p| sweep.params.get(&p.id) != self.params.get(&p.id) && !asked(&p.id, sweep.params.get(&p.id)))
            .filter_map(|p| Some(format!("{} = {}", p.label, number(*sweep.params.get(&p.id)?))))
            .collect()
    }
}

/// The parameters that a kernel depends on.
fn parameters_of(lesson: &Lesson, kernel: &Kernel) -> Vec<String> {
    let check = kernel.check.iter().flat_map(|c| c.args.iter().map(|(_, e)| e));
    let exprs = kernel.constants.iter().map(|(_, e)| e).chain(kernel.buffers.iter().map(|b| &b.count));
    let exprs = exprs.chain(kernel.buffers.iter().filter_map(|b| b.columns.as_ref()));
    let within = kernel.buffers.iter().filter_map(|b| b.within.as_ref());
    let exprs = exprs.chain(within.flat_map(|w| [&w.low, &w.high].into_iter().chain(&w.masked)));
    let exprs = exprs.chain(&kernel.grid).chain([&kernel.bytes, &kernel.flops]).chain(check);
    let exprs = exprs.chain(kernel.requires.iter().map(|requirement| &requirement.condition));
    let sizes = match &kernel.library {
        Some(LibraryDecl::Product(product)) => product.sizes.as_slice(),
        Some(LibraryDecl::Copy(..)) | None => &[],
    };
    let exprs = exprs.chain(sizes).chain(kernel.cuda_only.iter().flat_map(CudaOnly::sizes));
    let mut ids: Vec<String> = exprs.flat_map(|e| lesson.blame(e)).collect();
    ids.sort();
    ids.dedup();
    ids
}
