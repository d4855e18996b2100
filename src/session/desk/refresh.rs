//! After a change of lesson, step, parameter or kernel: what is stale goes, what is missing is ordered.

use super::Desk;
use super::state::{DeviceState, key};
use super::threads::{DeviceTask, TraceTask};
use crate::base::diag::Diagnostic;
use crate::session::fill::spoken_of;
use crate::session::jobs;
use crate::session::saved::Predicted;
use crate::session::sweep;

use super::state::Notice;

impl Desk {
    pub(super) fn open_lesson(&mut self, id: &str) {
        let Some(lesson) = self.state.pack.lessons.iter().find(|l| l.id == id).cloned() else { return };
        let kept = self.state.saved.lessons.get(id).cloned().unwrap_or_default();
        let mut params = jobs::defaults(&lesson);
        for param in &lesson.params {
            if let Some(value) = kept.params.get(&param.id).filter(|v| param.domain.accepts(**v)) {
                params.insert(param.id.clone(), *value);
            }
        }
        self.state.params = params;
        self.state.step = lesson.steps.iter().position(|s| s.id == kept.step).unwrap_or(0);
        self.state.sweeps.clear();
        self.state.verdict = None;
        self.state.lesson = Some(lesson);
        self.state.saved.lesson = Some(id.to_owned());
        self.enter_step(kept.params.is_empty());
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
        self.state.workgroup = 0;
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
        let Some(param) = lesson.params.iter().find(|p| p.id == id) else { return };
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

    /// Drops results of other parameters; orders what the screen shows, the most visible first.
    pub(super) fn refresh(&mut self) {
        let (Some(setting), Some(lesson)) = (self.setting(), self.state.lesson.clone()) else { return };
        let current = |id: &str| lesson.kernels.iter().find(|k| k.id == id).map(|k| key(&lesson, k, &setting.params));
        self.state.traced.retain(|id, traced| current(id).as_ref() == Some(&traced.key));
        self.state.measured.retain(|id, measured| current(id).as_ref() == Some(&measured.key));
        self.state.failed.clear();
        self.tracer.cancel();
        let shown = self.state.kernel.clone();
        let workgroup = self.state.workgroup;
        let has_timeline =
            self.state.traced.get(&shown).is_some_and(|t| t.timeline.is_some() && t.workgroup == workgroup);
        if !has_timeline {
            self.tracer.enqueue(TraceTask::Timeline(setting.clone(), shown.clone(), workgroup));
        }
        for id in self.wanted() {
            if self.state.traced.get(&id).is_none_or(|t| t.trace.is_none()) {
                self.tracer.enqueue(TraceTask::Counts(setting.clone(), id));
            }
        }
        self.measure_shown();
    }

    /// Measures the kernel on the bench, unless that has been done or there is nothing to measure with.
    pub(super) fn measure_shown(&mut self) {
        let shown = self.state.kernel.clone();
        let done = self.state.measured.get(&shown).is_some_and(|m| m.record.is_some());
        if let (false, Some(backend), Some(setting)) = (done, self.state.measuring_backend(), self.setting()) {
            self.state.answering = None;
            self.begin(format!("measuring {shown}"));
            self.device.replace(DeviceTask::Measure(setting, shown, backend));
            if self.state.ceilings.is_none() {
                self.device.enqueue(DeviceTask::Ceilings(backend));
            }
        }
    }

    /// Kernels whose counts the screen shows: the one on the bench, and those that the prose speaks of.
    pub(super) fn wanted(&self) -> Vec<String> {
        let mut wanted = vec![self.state.kernel.clone()];
        if let (Some(lesson), Some(step)) = (&self.state.lesson, self.state.step()) {
            for id in spoken_of(lesson, step) {
                if !wanted.contains(&id) {
                    wanted.push(id);
                }
            }
        }
        wanted
    }

    pub(super) fn tracing_left(&self) -> bool {
        let missing = |id: &String| {
            self.state.traced.get(id).is_none_or(|t| t.trace.is_none()) && !self.state.failed.contains_key(id)
        };
        self.state.lesson.is_some()
            && (self.wanted().iter().any(missing)
                || (self.state.traced.get(&self.state.kernel).is_none_or(|t| t.timeline.is_none())
                    && !self.state.failed.contains_key(&self.state.kernel)))
    }

    pub(super) fn run_experiment(&mut self) {
        let (Some(setting), Some(experiment)) = (self.setting(), self.state.experiment().cloned()) else { return };
        let DeviceState::Ready(device) = &self.state.device else { return };
        let (backend, name) = sweep::device_for(&experiment, device);
        self.begin(format!("running {}", experiment.title));
        self.device.cancel();
        if self.state.ceilings.is_none() {
            self.device.enqueue(DeviceTask::Ceilings(backend));
        }
        self.device.enqueue(DeviceTask::Experiment(setting, experiment, backend, name));
    }

    pub(super) fn predict(&mut self, id: String, choice: usize) {
        let Some(setting) = self.setting() else { return };
        let Some(prediction) = setting.lesson.predictions.iter().find(|p| p.id == id).cloned() else { return };
        let DeviceState::Ready(device) = &self.state.device else { return };
        let backend = device.backend;
        self.keep(|kept| {
            kept.predictions.insert(id.clone(), Predicted { choice, answer: None });
        });
        self.begin("answering the prediction");
        self.state.answering = Some(id);
        self.device.replace(DeviceTask::Answer(setting, prediction, backend));
    }

    pub(super) fn judge(&mut self) {
        let Some(setting) = self.setting() else { return };
        let Some(exercise) = &setting.lesson.exercise else { return };
        let source = self.state.kept().exercise.unwrap_or_else(|| exercise.starter.to_string());
        self.begin("checking your kernel");
        self.tracer.enqueue(TraceTask::Judge(setting, source));
    }
}
