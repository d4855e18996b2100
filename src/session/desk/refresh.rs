//! Refresh after a change of lesson, step, parameter or program: drops stale results and orders missing ones.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::found::Built;
use super::state::{Measured, Notice, Origin, Reeled, Turned};
use super::threads::{Asking, DeviceTask, Question, TraceTask};
use super::{Command, Desk, Work};
use crate::base::diag::Diagnostic;
use crate::lesson::{Asks, Exercise, Facts, Lesson, Variant};
use crate::session::experiment::sweep;
use crate::session::jobs;
use crate::session::jobs::setting::Setting;
use crate::session::learn::drawn;
use crate::session::learn::exercise::Try;
use crate::session::learn::predict::Guess;
use crate::session::learn::saved::Predicted;
use crate::session::note::fill::spoken_of;
use crate::session::show::staged;
use crate::trace::record::Backend;

/// Values of a control that follow one another within this time belong to one drag.
const DRAGGED: Duration = Duration::from_millis(1500);

impl Desk {
    pub(super) fn open_lesson(&mut self, id: &str) {
        let Some(lesson) = self.state.pack.lessons.iter().find(|l| l.id == id).cloned() else { return };
        let kept = self.state.saved.lessons.get(id).cloned().unwrap_or_default();
        self.state.place.params = jobs::defaults(&lesson);
        self.take_params(&lesson, &kept.params);
        self.state.place.step = lesson.steps.iter().position(|s| s.id == kept.step).unwrap_or(0);
        let left = self.state.place.lesson.as_ref().map(|left| left.id.clone()).unwrap_or_default();
        let sweeps = std::mem::replace(&mut self.state.found.sweeps, self.sweeps.remove(id).unwrap_or_default());
        self.sweeps.insert(left, sweeps);
        self.state.found.verdicts.clear();
        self.state.drafts.clear();
        self.plain = Some(lesson.clone());
        self.state.place.lesson = Some(lesson);
        self.state.saved.lesson = Some(id.to_owned());
        self.enter_step(kept.params.is_empty());
        if let Some(figure) = kept.figure {
            self.command(Command::ShowFigure(figure));
        }
    }

    /// Reloads the open lesson from its files: the learner's place stays, as far as it still exists.
    pub(super) fn reload_lesson(&mut self, lesson: Arc<Lesson>) {
        let step = self.state.place.step().map(|s| s.id.clone()).unwrap_or_default();
        let params = std::mem::replace(&mut self.state.place.params, jobs::defaults(&lesson));
        self.take_params(&lesson, &params);
        self.state.place.step = lesson.steps.iter().position(|s| s.id == step).unwrap_or(0);
        if !fits(&lesson, &self.state.place.variant, &self.state.place.pass) {
            let step = lesson.steps.get(self.state.place.step);
            (self.state.place.variant, self.state.place.pass) =
                step.map(|s| (s.variant.clone(), s.pass.clone())).unwrap_or_default();
            self.state.place.launch = 0;
        }
        self.state.found.sweeps.clear();
        self.state.found.verdicts.clear();
        self.plain = Some(lesson.clone());
        self.state.place.lesson = Some(lesson);
        self.state.drafts.clear();
        self.state.place.beside.clear();
        match self.state.place.edit.clone() {
            Some(id) => self.show_edit(&id),
            None => self.refresh(),
        }
    }

    /// Takes those of `params` that the lesson still has and allows.
    fn take_params(&mut self, lesson: &Lesson, params: &jobs::Params) {
        for param in &lesson.params {
            if let Some(value) = params.get(&param.id).filter(|v| param.domain.accepts(**v)) {
                self.state.place.params.insert(param.id.clone(), *value);
            }
        }
    }

    pub(super) fn go_to(&mut self, step: usize) {
        let steps = self.state.place.lesson.as_ref().map_or(0, |l| l.steps.len());
        if step < steps && step != self.state.place.step {
            self.state.place.step = step;
            self.enter_step(true);
        }
    }

    /// Sets the bench up for the step; with `set`, the step's parameters replace the learner's.
    pub(super) fn enter_step(&mut self, set: bool) {
        let Some(step) = self.state.place.step().cloned() else { return };
        if set {
            self.state.place.params.extend(step.set.iter().cloned());
            // An exercise is shown at the settings at which it is judged.
            let judged = self.exercise().map(|exercise| exercise.set.clone()).unwrap_or_default();
            self.state.place.params.extend(judged);
        }
        self.state.place.variant = step.variant.clone();
        self.state.place.pass.clone_from(&step.pass);
        self.state.place.figure.clone_from(&step.figure.name);
        (self.state.place.launch, self.state.place.workgroup) = (step.launch - 1, 0);
        (self.state.found.origin, self.state.found.reeled, self.state.found.turned) = (None, None, None);
        self.leave_edit();
        self.explainer.cancel();
        let params = self.state.place.params.clone();
        self.keep(|kept| {
            kept.step.clone_from(&step.id);
            kept.figure = None;
            kept.params = params;
        });
        match self.exercise().map(Exercise::yours) {
            Some(yours) => self.show_edit(&yours),
            None => self.refresh(),
        }
    }

    /// Puts a program on the bench, and on the stage the pass that has the stage's kernel, else its first launch.
    pub(super) fn show_program(&mut self, id: &str) {
        let place = &mut self.state.place;
        let Some(program) = place.lesson.as_ref().and_then(|lesson| lesson.program(id)) else { return };
        let passes = program.passes();
        let pass = passes.iter().find(|pass| pass.launch().is_some()).or(passes.first());
        let pass = pass.map(|pass| pass.id.clone()).unwrap_or_default();
        (place.variant, place.pass, place.launch) = (Variant::plain(id), pass, 0);
        self.leave_edit();
        self.refresh();
    }

    /// Puts another kernel into a place of the program on the bench.
    pub(super) fn choose_rung(&mut self, pass: &str, kernel: &str) {
        let place = &mut self.state.place;
        let launch = place.program().and_then(|program| program.pass(pass)).and_then(|pass| pass.launch());
        let is_first = launch.and_then(|launch| launch.rungs.first()).map(String::as_str) == Some(kernel);
        pass.clone_into(&mut place.pass);
        place.launch = 0;
        // A version's original gets the same kernels in the other places.
        for variant in std::iter::once(&mut place.variant).chain(&mut place.beside) {
            if is_first {
                variant.rungs.remove(pass);
            } else {
                variant.rungs.insert(pass.to_owned(), kernel.to_owned());
            }
        }
        self.refresh();
    }

    pub(super) fn set_param(&mut self, id: &str, value: f64) {
        let Some(lesson) = self.state.place.lesson.clone() else { return };
        let Some(param) = lesson.param(id) else { return };
        if !param.domain.accepts(value) {
            let problem = Diagnostic::error(format!("{} cannot be {value}", param.label))
                .hint(format!("it takes {}", param.domain.describe()));
            self.state.notices.push(Notice::Problem(problem));
            return;
        }
        let before = self.state.place.params.get(id).copied();
        if before == Some(value) {
            return;
        }
        self.remember(id, before.unwrap_or(value));
        self.state.place.params.insert(id.to_owned(), value);
        let params = self.state.place.params.clone();
        self.keep(|kept| kept.params = params);
        self.refresh();
    }

    /// Keeps the results from before a control is turned; during a drag, those from before the drag.
    fn remember(&mut self, param: &str, value: f64) {
        let program = &self.state.place.variant;
        let goes_on =
            |turned: &Turned| turned.param.0 == param && turned.program == *program && turned.at.elapsed() < DRAGGED;
        if let Some(turned) = self.state.found.turned.as_mut().filter(|turned| goes_on(turned)) {
            turned.at = Instant::now();
            return;
        }
        self.state.found.turned = Some(Turned {
            program: program.clone(),
            param: (param.to_owned(), value),
            at: Instant::now(),
            traced: self.state.traced().and_then(|traced| traced.record.clone()),
            measured: self.state.found.measured(&program.program).cloned(),
        });
    }

    /// Drops results of other parameters; orders the traces and measurements that the screen shows.
    pub(super) fn refresh(&mut self) {
        self.state.found.unmeasured.clear();
        self.hushed = false;
        self.retrace();
        self.clear_device();
        self.measure_shown();
    }

    /// Drops traces of other parameters; orders those that the screen shows, the most visible first. Measuring continues.
    pub(super) fn retrace(&mut self) {
        let Some(setting) = self.state.place.setting() else { return };
        let place = self.state.place.clone();
        let found = &mut self.state.found;
        found.traced.retain(|id, traced| setting.traced_key(&place.variant_of(id)) == traced.key);
        found.measured.retain(|id, measured| setting.key(&place.variant_of(id)) == measured.key);
        found.failed.clear();
        self.tracer.cancel();
        let variant = self.state.place.variant.clone();
        let key = setting.traced_key(&variant);
        let is_built = self.state.found.built.as_ref().is_some_and(|built| built.key == key);
        if is_built {
            self.building = None;
        } else if self.building.as_ref() != Some(&key) {
            self.building = Some(key);
            self.builder.replace((setting.clone(), variant));
        }
        self.show(&setting);
        if is_built {
            self.order_traces(&setting);
        }
    }

    /// Takes the compiled shaders of the program on the bench, and orders the traces that the screen shows of it.
    pub(super) fn take_built(&mut self, key: &str, built: Option<Built>) {
        let Some(setting) = self.state.place.setting().filter(|_| self.building.as_deref() == Some(key)) else {
            return;
        };
        self.building = None;
        // A program that does not compile is traced as well: the tracer reports the errors.
        self.state.found.built = built;
        self.show(&setting);
        self.order_traces(&setting);
    }

    /// Orders the traces that the screen shows, the most visible first.
    fn order_traces(&mut self, setting: &Setting) {
        let place = self.state.place.clone();
        for variant in self.untold() {
            let task = TraceTask::Timeline(setting.clone(), variant, place.shown(), place.workgroup);
            self.tracer.enqueue(task);
        }
        for id in self.wanted() {
            let heat = self.wants_heat(&id).then(|| place.shown());
            if !self.is_counted(&id) {
                self.tracer.enqueue(TraceTask::Counts(setting.clone(), place.variant_of(&id), heat));
            }
        }
        self.ask_again(setting);
    }

    /// The programs on the stage that lack a timeline (single accesses) of the workgroup there.
    fn untold(&self) -> Vec<Variant> {
        let (place, found) = (&self.state.place, &self.state.found);
        let told = |id: &str| found.traced.get(id).is_some_and(|traced| traced.timeline_of(place).is_some());
        let is_missing = |variant: &&Variant| {
            !told(&variant.program) && place.is_traceable(&variant.program) && place.kernel().is_some()
        };
        std::iter::once(&place.variant).chain(&place.beside).filter(is_missing).cloned().collect()
    }

    /// Updates the source, the facts and the number of workgroups of the pass on the stage; facts and workgroups after its shaders are compiled.
    fn show(&mut self, setting: &Setting) {
        let (place, found) = (&mut self.state.place, &mut self.state.found);
        let at = place.pass();
        found.source = jobs::source(&setting.lesson, &place.variant, &place.pass, &setting.params);
        // At other parameters the program has the same passes and buffers; another program's are not shown.
        let is_same = |of: &(String, Variant)| of.0 == setting.lesson.id && of.1 == place.variant;
        found.built.take_if(|built| !is_same(&built.of));
        let explorer = place.step().is_some_and(|step| step.explorer().is_some());
        let ring = place.kernel().and_then(|kernel| kernel.cuda_only()?.ring.as_ref()).is_some();
        let is_pending = self.building.is_some();
        let facts = found.built.as_ref().and_then(|built| built.facts.get(at).copied());
        // The picture stays as it was until the facts are known.
        let facts = facts.unwrap_or(if is_pending { found.facts } else { Facts::default() });
        let facts = if place.is_traceable(&place.variant.program) { facts } else { facts.untraced() };
        found.facts = Facts { explorer, ring, ..facts };
        if is_pending {
            return;
        }
        let grid = found.built.as_ref().and_then(|built| Some(built.job.passes.get(at)?.launch()?.grid.most()));
        found.groups = grid.map_or(1, |[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        place.workgroup = place.workgroup.min(found.groups.saturating_sub(1));
        if let Some(pass) = found.traced.get(&place.variant.program).and_then(|traced| traced.pass(at)) {
            place.launch = place.launch.min(pass.launches.saturating_sub(1));
        }
    }

    /// Orders the origin of an element of the program on the bench, as the learner asked.
    pub(super) fn ask(&mut self, buffer: String, index: u64) {
        let Some(setting) = self.state.place.setting() else { return };
        let variant = self.state.place.variant.clone();
        self.questions += 1;
        let (key, program) = (setting.traced_key(&variant), variant.program.clone());
        let asked = Asking::Origin(buffer.clone(), index);
        self.explainer.replace(Question { setting, variant, asked });
        self.state.found.origin = Some(Origin { key, program, buffer, index, answer: None, question: self.questions });
        // A pending read of buffers is ordered again after the answer.
        self.state.found.reeled.take_if(|reeled| reeled.answer.is_none());
    }

    /// Orders the buffers' contents for the figure on the stage, unless they are known or another question is pending.
    pub(super) fn look(&mut self) {
        let Some(setting) = self.state.place.setting() else { return };
        let buffers = self.state.asks().film;
        let variant = self.state.place.variant.clone();
        let (key, found) = (setting.traced_key(&variant), &mut self.state.found);
        let is_known = found.reeled.as_ref().is_some_and(|known| known.key == key && known.buffers == buffers);
        let busy = found.origin.as_ref().is_some_and(|origin| origin.answer.is_none());
        // The buffers to read are unknown until the shaders are compiled.
        if self.building.is_some() || is_known || busy || buffers.is_empty() {
            return;
        }
        self.explainer.replace(Question { setting, variant, asked: Asking::Film(buffers.clone()) });
        self.state.found.reeled = Some(Reeled { key, buffers, answer: None });
    }

    /// Drops an answer of other settings, and asks the question again at these while its program is on the bench.
    fn ask_again(&mut self, setting: &Setting) {
        let variant = &self.state.place.variant;
        let key = setting.traced_key(variant);
        if let Some(origin) = self.state.found.origin.take() {
            if origin.program != variant.program {
                self.explainer.cancel();
            } else if origin.key == key {
                self.state.found.origin = Some(origin);
            } else {
                let asked = Asking::Origin(origin.buffer.clone(), origin.index);
                self.explainer.replace(Question { setting: setting.clone(), variant: variant.clone(), asked });
                self.state.found.origin = Some(Origin { key: key.clone(), answer: None, ..origin });
                // The pending read was cancelled with the old question: `look` orders it again after the answer.
                self.state.found.reeled.take_if(|reeled| reeled.answer.is_none());
            }
        }
        self.look();
    }

    /// Measures the program on the bench, unless that has been done or tried, or there is no device. If the device is the CPU itself, the
    /// tracer goes first: both at once would slow each other.
    pub(super) fn measure_shown(&mut self) {
        let (place, found) = (&self.state.place, &self.state.found);
        let backend = self.state.bench_backend();
        let by = |m: &Measured| m.record.as_ref().is_some_and(|record| Some(record.backend) == backend);
        let done = |id: &String| found.measured.get(id).is_some_and(by);
        let left = |of: &&Variant| !done(&of.program) && !found.unmeasured.contains_key(&of.program);
        let shown = std::iter::once(&place.variant).chain(&place.beside).find(left).cloned();
        let software = self.state.acting_device().is_some_and(|d| d.software);
        let Some(shown) = shown.filter(|_| !(self.hushed || (software && self.tracing_left()))) else { return };
        let Some(setting) = self.state.place.setting() else { return };
        if let Some(backend) = backend.filter(|backend| setting.lesson.runs_on(&shown, *backend)) {
            self.begin(Work::Device, format!("measuring {}", shown.program));
            self.clear_device();
            self.device.enqueue(DeviceTask::Measure(setting, shown, backend));
            self.want_ceilings(backend);
        }
    }

    /// Cancels the device's work, unless that answers a prediction, which the learner waits for.
    fn clear_device(&mut self) {
        let kept = if self.state.found.answering.is_some() { self.answering } else { 0 };
        self.device.cancel_but(kept);
    }

    fn want_ceilings(&mut self, backend: Backend) {
        let found = &self.state.found;
        if found.ceilings.is_none() && found.unrated.is_none() && backend != Backend::Simt {
            self.device.enqueue(DeviceTask::Ceilings(backend));
        }
    }

    /// Programs whose counts the screen shows: the one on the bench, and those mentioned in the prose, if they can be traced.
    pub(super) fn wanted(&self) -> Vec<String> {
        let place = &self.state.place;
        let Some(lesson) = &place.lesson else { return Vec::new() };
        let mut wanted: Vec<String> =
            std::iter::once(&place.variant).chain(&place.beside).map(|variant| variant.program.clone()).collect();
        let spoken = place.step().map(|step| spoken_of(lesson, step)).unwrap_or_default();
        // The roofline shows the whole ladder, as far as it can be traced.
        let ladder = place.kernel().filter(|_| self.state.asks().roofline);
        let rungs = ladder.into_iter().flat_map(|kernel| staged::rungs(lesson, kernel)).map(|rung| rung.id.clone());
        for id in spoken.into_iter().chain(rungs.filter(|id| lesson.program(id).is_some())) {
            if !wanted.contains(&id) {
                wanted.push(id);
            }
        }
        wanted.retain(|id| place.is_traceable(id));
        wanted
    }

    /// Whether the stage shows how often the elements of a program's matrices are fetched.
    fn wants_heat(&self, id: &str) -> bool {
        self.state.place.variant.program == id && self.state.asks().heat
    }

    /// Whether a whole program was traced, with all that the screen shows of it.
    fn is_counted(&self, id: &str) -> bool {
        let shown = self.state.place.shown();
        self.state.found.traced.get(id).is_some_and(|traced| {
            let heat = traced.heat.as_ref().is_some_and(|(of, _)| *of == shown);
            traced.record.is_some() && (heat || !self.wants_heat(id))
        })
    }

    /// Whether something that the screen shows has neither been traced nor failed.
    pub(super) fn tracing_left(&self) -> bool {
        let (place, found) = (&self.state.place, &self.state.found);
        let failed = |id: &String| found.failed.contains_key(id);
        place.lesson.is_some()
            && (self.wanted().iter().any(|id| !self.is_counted(id) && !failed(id))
                || self.untold().iter().any(|variant| !failed(&variant.program)))
    }

    pub(super) fn run_experiment(&mut self) {
        let (Some(mut setting), Some(experiment)) =
            (self.state.place.setting(), self.state.place.experiment().cloned())
        else {
            return;
        };
        let Some(device) = self.state.acting_device() else { return };
        setting.params = sweep::settings_for(&experiment, &device, &setting.params);
        self.begin(Work::Device, format!("running {}", experiment.title));
        self.hushed = false;
        self.clear_device();
        self.want_ceilings(device.backend);
        let device = sweep::device_for(&experiment, &device);
        self.device.enqueue(DeviceTask::Experiment(setting, experiment, device));
    }

    pub(super) fn predict(&mut self, id: String, guess: Guess) {
        let Some(setting) = self.state.place.setting() else { return };
        let Some(prediction) = setting.lesson.predictions.iter().find(|p| p.id == id).cloned() else { return };
        let Some(device) = self.state.acting_device() else { return };
        let recorded = match &prediction.asks {
            Asks::Curve(decl) if !drawn::is_found_here(&setting.lesson, decl, &device) => {
                let (recordings, choice) = (&self.state.recordings, &self.state.saved.recording);
                Some(drawn::recorded(&setting.lesson, decl, recordings, choice))
            }
            _ => None,
        };
        let runs = recorded.is_none();
        self.keep(|kept| {
            kept.drawn.remove(&id);
            kept.predictions.insert(id.clone(), Predicted { guess, answer: recorded });
        });
        if runs {
            self.begin(Work::Device, "answering the prediction");
            self.state.found.answering = Some(id);
            self.device.replace(DeviceTask::Answer(setting, prediction, device.backend));
            self.answering = self.device.last();
            self.want_ceilings(device.backend);
        }
    }

    pub(super) fn judge_exercise(&mut self, id: &str) {
        let Some(lesson) = self.state.place.lesson.clone() else { return };
        let Some(exercise) = lesson.exercises.iter().find(|exercise| exercise.id == id) else { return };
        let source = self.state.kept().tried(id).source.unwrap_or_else(|| exercise.starter.to_string());
        self.begin(Work::Judge, "checking your kernel");
        self.judge.replace(Try { exercise: id.to_owned(), lesson, source, seed: self.state.place.seed });
    }
}

/// Whether a lesson still has a program with these kernels in its places, and this pass.
fn fits(lesson: &Lesson, variant: &Variant, pass: &str) -> bool {
    let Some(program) = lesson.program(&variant.program) else { return false };
    let rung = |(pass, kernel): (&String, &String)| {
        program.pass(pass).and_then(|pass| pass.launch()).is_some_and(|launch| launch.rungs.contains(kernel))
    };
    program.pass(pass).is_some() && variant.rungs.iter().all(rung)
}
