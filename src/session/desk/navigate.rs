//! Where the learner goes: lessons, steps, programs, parameters; and the runs that are asked for.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::state::{Trials, Turned};
use super::status::Notice;
use super::tasks::DeviceTask;
use super::{Desk, Work};
use crate::base::diag::Diagnostic;
use crate::lesson::{AnswerKind, Exercise, Lesson, Variant};
use crate::session::experiment::sweep;
use crate::session::jobs;
use crate::session::learn::drawn_curve;
use crate::session::learn::exercise::Try;
use crate::session::learn::predict::Guess;
use crate::session::learn::saved::Predicted;
use crate::session::show::stage::whole_number;

/// Values of a control that follow one another within this time belong to one drag.
const DRAGGED: Duration = Duration::from_millis(1500);

impl Desk {
    pub(super) fn open_lesson(&mut self, id: &str) {
        let Some(lesson) = self.state.library.pack.lessons.iter().find(|l| l.id == id).cloned() else { return };
        self.enter_words();
        self.reads(false, false);
        let kept = self.state.saved.lessons.get(id).cloned().unwrap_or_default();
        self.state.place.step = lesson.steps.iter().position(|s| s.id == kept.step).unwrap_or(0);
        self.state.trials = Trials { answering: self.state.trials.answering.take(), ..Trials::default() };
        self.state.place.plain = Some(lesson.clone());
        self.state.place.lesson = Some(lesson);
        self.state.saved.lesson = Some(id.to_owned());
        self.enter_step();
        if let Some(figure) = kept.figure {
            self.show_figure(figure);
        }
        if let Some(edit) = kept.edit {
            self.show_edit(&edit);
        }
    }

    /// Reloads the open lesson from its files: the learner's place stays, as far as it still exists.
    pub(super) fn reload_lesson(&mut self, lesson: Arc<Lesson>) {
        let step = self.state.place.step().map(|s| s.id.clone()).unwrap_or_default();
        self.state.place.step = lesson.steps.iter().position(|s| s.id == step).unwrap_or(0);
        if !fits(&lesson, &self.state.place.bench.variant, &self.state.place.stage.pass) {
            let step = lesson.steps.get(self.state.place.step);
            (self.state.place.bench.variant, self.state.place.stage.pass) =
                step.map(|s| (s.variant.clone(), s.pass.clone())).unwrap_or_default();
            self.state.place.stage.launch = 0;
        }
        self.state.trials = Trials { answering: self.state.trials.answering.take(), ..Trials::default() };
        self.state.place.plain = Some(lesson.clone());
        self.state.place.lesson = Some(lesson);
        self.begin_params();
        self.state.place.bench.beside.clear();
        match self.state.place.bench.edit.clone() {
            Some(id) => self.show_edit(&id),
            None => self.refresh(),
        }
    }

    pub(super) fn go_to(&mut self, step: usize) {
        let steps = self.state.place.lesson.as_ref().map_or(0, |l| l.steps.len());
        if step < steps && step != self.state.place.step {
            self.enter_words();
            self.reads(false, false);
            self.state.place.step = step;
            self.enter_step();
        }
    }

    /// Gives the step on the screen its parameters: the lesson's and its own, and those that the learner moved there.
    fn begin_params(&mut self) {
        let (Some(lesson), Some(step)) = (&self.state.place.lesson, self.state.place.step()) else { return };
        self.state.place.params = jobs::on_page(lesson, step, self.state.kept().moved.get(&step.id));
    }

    /// Sets the bench up for the step.
    pub(super) fn enter_step(&mut self) {
        let Some(step) = self.state.place.step().cloned() else { return };
        self.reads(true, false);
        self.begin_params();
        self.state.place.bench.variant = step.variant.clone();
        self.state.place.stage.pass.clone_from(&step.pass);
        self.state.place.stage.followed = false;
        self.state.place.stage.figure.clone_from(&step.figure.name);
        self.state.place.stage.launch = step.launch - 1;
        let place = &mut self.state.place;
        let workgroup = |lesson: &Arc<Lesson>| whole_number(&step.figure, "workgroup", lesson, &place.params);
        place.stage.workgroup = place.lesson.as_ref().map_or(0, workgroup);
        (self.state.place.asked, self.state.trials.turned) = (None, None);
        self.leave_edit();
        self.keep(|kept| {
            kept.step.clone_from(&step.id);
            kept.figure = None;
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
        (place.bench.variant, place.stage.pass, place.stage.launch) = (Variant::plain(id), pass, 0);
        self.leave_edit();
        self.refresh();
    }

    /// Puts another kernel into a place of the program on the bench.
    pub(super) fn choose_rung(&mut self, pass: &str, kernel: &str) {
        let place = &mut self.state.place;
        let launch = place.program().and_then(|program| program.pass(pass)).and_then(|pass| pass.launch());
        let is_first = launch.and_then(|launch| launch.rungs.first()).map(String::as_str) == Some(kernel);
        pass.clone_into(&mut place.stage.pass);
        place.stage.launch = 0;
        // A version's original gets the same kernels in the other places.
        for variant in std::iter::once(&mut place.bench.variant).chain(&mut place.bench.beside) {
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
            let problem =
                Diagnostic::error(format!("{} cannot be {value}", param.label)).hint(param.domain.advice(value));
            self.state.status.notices.push(Notice::Problem(problem));
            return;
        }
        let before = self.state.place.params.get(id).copied();
        if before == Some(value) {
            return;
        }
        self.remember(id, before.unwrap_or(value));
        self.state.place.params.insert(id.to_owned(), value);
        if let Some(step) = self.state.place.step().cloned() {
            let begins = jobs::begins(&lesson, &step).get(id).copied();
            self.keep(|kept| kept.move_param(&step.id, id, value, begins));
        }
        self.refresh();
    }

    /// Keeps the results from before a control is turned; during a drag, those from before the drag.
    fn remember(&mut self, param: &str, value: f64) {
        let program = &self.state.place.bench.variant;
        let goes_on =
            |turned: &Turned| turned.param.0 == param && turned.program == *program && turned.at.elapsed() < DRAGGED;
        if let Some(turned) = self.state.trials.turned.as_mut().filter(|turned| goes_on(turned)) {
            turned.at = Instant::now();
            return;
        }
        self.state.trials.turned = Some(Turned {
            program: program.clone(),
            param: (param.to_owned(), value),
            at: Instant::now(),
            traced: self.state.traced().map(|traced| traced.record.clone()),
            measured: self.state.found.measured(&program.program).cloned(),
        });
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
        self.clear_device();
        self.order_ceilings(device.backend);
        let device = sweep::device_for(&experiment, &device);
        let model = self.state.modelled().map(|chosen| Box::new(chosen.spec.clone()));
        self.threads.device.worker.enqueue(DeviceTask::Experiment(setting, experiment, device, model));
    }

    pub(super) fn predict(&mut self, id: String, guess: Guess) {
        let Some(setting) = self.state.place.setting() else { return };
        let Some(prediction) = setting.lesson.predictions.iter().find(|p| p.id == id).cloned() else { return };
        let Some(device) = self.state.acting_device() else { return };
        let recorded = match &prediction.asks {
            AnswerKind::Curve(decl) if !drawn_curve::is_found_here(&setting.lesson, decl, &device) => {
                let (recordings, choice) = (&self.state.library.recordings, &self.state.saved.recording);
                Some(drawn_curve::recorded(&setting.lesson, decl, recordings, choice))
            }
            _ => None,
        };
        let runs = recorded.is_none();
        let made = Predicted { guess, answer: recorded };
        self.keep(|kept| {
            kept.drawn.remove(&id);
            kept.predictions.insert(id.clone(), made.clone());
        });
        if let Predicted { guess, answer: Some(answer) } = &made {
            self.record_predicted(&setting.lesson.id, &id, guess, answer);
        }
        if runs {
            self.begin(Work::Device, "answering the prediction");
            self.threads.device.cancel(0);
            self.threads.device.worker.enqueue(DeviceTask::Answer(setting, prediction, device.backend));
            self.state.trials.answering = Some((id, self.threads.device.worker.last()));
            self.order_ceilings(device.backend);
        }
    }

    /// Withdraws a prediction's curve: its points are drawn again.
    pub(super) fn draw_again(&mut self, id: &str) {
        self.keep(|kept| {
            if let Some(Predicted { guess: Guess::Curve(points), .. }) = kept.predictions.remove(id) {
                kept.drawn.insert(id.to_owned(), points);
            }
        });
    }

    pub(super) fn judge_exercise(&mut self, id: &str) {
        let Some(lesson) = self.state.place.lesson.clone() else { return };
        let Some(exercise) = lesson.exercises.iter().find(|exercise| exercise.id == id) else { return };
        let source = self.state.kept().tried(id).source.unwrap_or_else(|| exercise.starter.to_string());
        self.begin(Work::Judge, "checking your kernel");
        self.threads.judge.replace(Try {
            exercise: id.to_owned(),
            lesson,
            source,
            seed: self.state.place.options.seed,
        });
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
