//! After a change of lesson, step, parameter or kernel: what is stale goes, what is missing is ordered.

use std::sync::Arc;

use super::state::{Notice, Origin};
use super::threads::{DeviceTask, Question, Setting, TraceTask};
use super::{Desk, Work};
use crate::base::diag::Diagnostic;
use crate::lesson::{Lesson, SceneKind};
use crate::session::exercise::Try;
use crate::session::fill::spoken_of;
use crate::session::jobs;
use crate::session::saved::Predicted;
use crate::session::{staged, sweep};
use crate::trace::record::Backend;

impl Desk {
    pub(super) fn open_lesson(&mut self, id: &str) {
        let Some(lesson) = self.state.pack.lessons.iter().find(|l| l.id == id).cloned() else { return };
        let kept = self.state.saved.lessons.get(id).cloned().unwrap_or_default();
        self.state.params = jobs::defaults(&lesson);
        self.take_params(&lesson, &kept.params);
        self.state.step = lesson.steps.iter().position(|s| s.id == kept.step).unwrap_or(0);
        self.state.sweeps.clear();
        self.state.verdict = None;
        self.state.lesson = Some(lesson);
        self.state.saved.lesson = Some(id.to_owned());
        self.enter_step(kept.params.is_empty());
    }

    /// The open lesson as its files are now: the learner stays where they are, as far as there still is such a place.
    pub(super) fn reload_lesson(&mut self, lesson: Arc<Lesson>) {
        let step = self.state.step().map(|s| s.id.clone()).unwrap_or_default();
        let params = std::mem::replace(&mut self.state.params, jobs::defaults(&lesson));
        self.take_params(&lesson, &params);
        self.state.step = lesson.steps.iter().position(|s| s.id == step).unwrap_or(0);
        if lesson.kernel(&self.state.kernel).is_none() {
            self.state.kernel = lesson.steps.get(self.state.step).map(|s| s.kernel.clone()).unwrap_or_default();
        }
        self.state.sweeps.clear();
        self.state.verdict = None;
        self.state.lesson = Some(lesson);
        self.refresh();
    }

    /// Takes those of `params` that the lesson still has and allows.
    fn take_params(&mut self, lesson: &Lesson, params: &jobs::Params) {
        for param in &lesson.params {
            if let Some(value) = params.get(&param.id).filter(|v| param.domain.accepts(**v)) {
                self.state.params.insert(param.id.clone(), *value);
            }
        }
    }

    pub(super) fn go_to(&mut self, step: usize) {
        let steps = self.state.lesson.as_ref().map_or(0, |l| l.steps.len());
        if step < steps && step != self.state.step {
            self.state.step = step;
            self.enter_step(true);
        }
    }

    /// Puts the bench as the step wants it; `set` says whether its parameters take the place of the learner's.
    fn enter_step(&mut self, set: bool) {
        let Some(step) = self.state.step().cloned() else { return };
        if set {
            self.state.params.extend(step.set.iter().cloned());
        }
        self.state.kernel.clone_from(&step.kernel);
        self.state.scene = step.scene;
        self.state.workgroup = 0;
        self.state.origin = None;
        self.explainer.cancel();
        let params = self.state.params.clone();
        self.keep(|kept| {
            kept.step.clone_from(&step.id);
            kept.params = params;
            if !kept.seen.contains(&step.id) {
                kept.seen.push(step.id.clone());
            }
        });
        self.refresh();
    }

    pub(super) fn set_param(&mut self, id: &str, value: f64) {
        let Some(lesson) = self.state.lesson.clone() else { return };
        let Some(param) = lesson.param(id) else { return };
        if !param.domain.accepts(value) {
            let problem = Diagnostic::error(format!("{} cannot be {value}", param.label))
                .hint(format!("it takes {}", param.domain.describe()));
            self.state.notices.push(Notice::Problem(problem));
            return;
        }
        if self.state.params.insert(id.to_owned(), value) == Some(value) {
            return;
        }
        let params = self.state.params.clone();
        self.keep(|kept| kept.params = params);
        self.refresh();
    }

    /// Drops results of other parameters; orders what the screen shows, traced and measured.
    pub(super) fn refresh(&mut self) {
        self.state.unmeasured.clear();
        self.hushed = false;
        self.retrace();
        self.device.cancel();
        self.measure_shown();
    }

    /// Drops traces of other parameters; orders those that the screen shows, the most visible first. What the device measures goes on.
    pub(super) fn retrace(&mut self) {
        let (Some(setting), Some(lesson)) = (self.setting(), self.state.lesson.clone()) else { return };
        let current = |id: &str| lesson.kernel(id).map(|k| setting.key(k));
        let traced_now = |id: &str| lesson.kernel(id).map(|k| setting.traced_key(k));
        self.state.traced.retain(|id, traced| traced_now(id).as_ref() == Some(&traced.key));
        self.state.measured.retain(|id, measured| current(id).as_ref() == Some(&measured.key));
        self.state.failed.clear();
        self.tracer.cancel();
        let shown = self.state.kernel.clone();
        self.state.source = self.state.shown_kernel().map(|k| jobs::source(&lesson, k, &setting.params));
        let groups = self.state.shown_kernel().and_then(|k| jobs::grid(&lesson, k, &setting.params));
        let groups = groups.map_or(1, |[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        self.state.workgroup = self.state.workgroup.min(groups.saturating_sub(1));
        let workgroup = self.state.workgroup;
        let has_timeline =
            self.state.traced.get(&shown).is_some_and(|t| t.timeline.is_some() && t.workgroup == workgroup);
        if !has_timeline && self.state.is_traceable(&shown) {
            self.tracer.enqueue(TraceTask::Timeline(setting.clone(), shown.clone(), workgroup));
        }
        for id in self.wanted() {
            let heat = self.wants_heat(&id);
            if !self.is_counted(&id) {
                self.tracer.enqueue(TraceTask::Counts(setting.clone(), id, heat));
            }
        }
        self.ask_again(&setting);
    }

    /// The learner asks where an element of the kernel on the bench came from.
    pub(super) fn ask(&mut self, buffer: String, index: u64) {
        let (Some(setting), Some(kernel)) = (self.setting(), self.state.shown_kernel()) else { return };
        let (kernel, key) = (kernel.id.clone(), setting.traced_key(kernel));
        self.questions += 1;
        let origin = Origin { kernel, key, buffer, index, answer: None, question: self.questions };
        self.explainer.replace(Question {
            setting,
            kernel: origin.kernel.clone(),
            buffer: origin.buffer.clone(),
            index,
        });
        self.state.origin = Some(origin);
    }

    /// An answer of other settings goes; the same question is asked at these, as long as its kernel is on the bench.
    fn ask_again(&mut self, setting: &Setting) {
        let Some(origin) = self.state.origin.take() else { return };
        let Some(kernel) = self.state.shown_kernel().filter(|k| k.id == origin.kernel) else {
            self.explainer.cancel();
            return;
        };
        let key = setting.traced_key(kernel);
        if key == origin.key {
            self.state.origin = Some(origin);
            return;
        }
        let (kernel, buffer, index) = (origin.kernel.clone(), origin.buffer.clone(), origin.index);
        self.explainer.replace(Question { setting: setting.clone(), kernel, buffer, index });
        self.state.origin = Some(Origin { key, answer: None, ..origin });
    }

    /// Measures the kernel on the bench, unless that has been done or tried, or there is nothing to measure with. Where the device is the
    /// CPU itself, the tracer goes first: both at once would slow each other.
    pub(super) fn measure_shown(&mut self) {
        let shown = self.state.kernel.clone();
        let done = self.state.measured.get(&shown).is_some_and(|m| m.record.is_some());
        let tried = self.state.unmeasured.contains_key(&shown);
        let software = self.state.acting_device().is_some_and(|d| d.software);
        if done || tried || self.hushed || (software && self.tracing_left()) {
            return;
        }
        let backend = self.state.measuring_backend();
        let backend = backend.filter(|backend| self.state.shown_kernel().is_some_and(|k| k.runs_on(*backend)));
        if let (Some(backend), Some(setting)) = (backend, self.setting()) {
            self.begin(Work::Device, format!("measuring {shown}"));
            self.device.replace(DeviceTask::Measure(setting, shown, backend));
            self.want_ceilings(backend);
        }
    }

    fn want_ceilings(&mut self, backend: Backend) {
        if self.state.ceilings.is_none() && backend != Backend::Simt {
            self.device.enqueue(DeviceTask::Ceilings(backend));
        }
    }

    /// Kernels whose counts the screen shows: the one on the bench, and those that the prose speaks of, as far as they can be traced.
    pub(super) fn wanted(&self) -> Vec<String> {
        let mut wanted = vec![self.state.kernel.clone()];
        if let (Some(lesson), Some(step)) = (&self.state.lesson, self.state.step()) {
            for id in spoken_of(lesson, step) {
                if !wanted.contains(&id) {
                    wanted.push(id);
                }
            }
        }
        // The roofline shows the whole ladder, as far as it can be traced.
        if let (SceneKind::Roofline, Some(lesson), Some(shown)) =
            (self.state.shown_scene(), &self.state.lesson, self.state.shown_kernel())
        {
            for rung in staged::rungs(lesson, shown).filter(|rung| rung.cuda_only.is_none()) {
                if !wanted.contains(&rung.id) {
                    wanted.push(rung.id.clone());
                }
            }
        }
        wanted.retain(|id| self.state.is_traceable(id));
        wanted
    }

    /// Whether the stage shows how often the elements of a kernel's matrices are fetched.
    fn wants_heat(&self, id: &str) -> bool {
        self.state.kernel == id && self.state.shown_scene() == SceneKind::Heat
    }

    /// Whether the whole grid of a kernel was traced, with all that the screen shows of it.
    fn is_counted(&self, id: &str) -> bool {
        let traced = self.state.traced.get(id);
        traced.is_some_and(|t| t.trace.is_some() && (t.heat.is_some() || !self.wants_heat(id)))
    }

    /// Whether something that the screen shows has neither been traced nor failed.
    pub(super) fn tracing_left(&self) -> bool {
        let state = &self.state;
        let failed = |id: &String| state.failed.contains_key(id);
        let shown = &state.kernel;
        let staged = state.traced.get(shown).is_some_and(|t| t.timeline.is_some() && t.workgroup == state.workgroup);
        let staged = staged || !state.is_traceable(shown);
        state.lesson.is_some()
            && (self.wanted().iter().any(|id| !self.is_counted(id) && !failed(id)) || !(staged || failed(shown)))
    }

    pub(super) fn run_experiment(&mut self) {
        let (Some(mut setting), Some(experiment)) = (self.setting(), self.state.experiment().cloned()) else { return };
        let Some(device) = self.state.acting_device() else { return };
        setting.params = sweep::settings_for(&experiment, &device, &setting.params);
        self.begin(Work::Device, format!("running {}", experiment.title));
        self.hushed = false;
        self.device.cancel();
        self.want_ceilings(device.backend);
        let device = sweep::device_for(&experiment, &device);
        self.device.enqueue(DeviceTask::Experiment(setting, experiment, device));
    }

    pub(super) fn predict(&mut self, id: String, choice: usize) {
        let Some(setting) = self.setting() else { return };
        let Some(prediction) = setting.lesson.predictions.iter().find(|p| p.id == id).cloned() else { return };
        let Some(device) = self.state.acting_device() else { return };
        self.keep(|kept| {
            kept.predictions.insert(id.clone(), Predicted { choice, answer: None });
        });
        self.begin(Work::Device, "answering the prediction");
        self.state.answering = Some(id);
        self.device.replace(DeviceTask::Answer(setting, prediction, device.backend));
        self.want_ceilings(device.backend);
    }

    pub(super) fn judge_exercise(&mut self) {
        let Some(lesson) = self.state.lesson.clone() else { return };
        let Some(exercise) = &lesson.exercise else { return };
        let source = self.state.kept().exercise.clone().unwrap_or_else(|| exercise.starter.to_string());
        self.begin(Work::Judge, "checking your kernel");
        self.judge.replace(Try { lesson, source, seed: self.seed });
    }
}
