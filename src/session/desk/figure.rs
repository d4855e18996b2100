//! The figure on the stage, the results that it requests, and those that are available.

use super::state::State;
use crate::figures::{self, ArgKind, Asks, FIGURES, Figure, Given, Subject};
use crate::lesson::scope::Results;
use crate::lesson::{Picture, Step};
use crate::session::show::staged;

impl State {
    /// The step on the screen, if the stage opens as the step sets: its program is on the stage, or the learner's solution of its exercise.
    #[must_use]
    pub fn opening(&self) -> Option<&Step> {
        let step = self.place.step()?;
        let solved = || self.exercise_of(&self.place.variant.program);
        let is_own = self.step_on_stage().is_some();
        (is_own || solved().is_some_and(|id| step.exercises().any(|exercise| exercise == id))).then_some(step)
    }

    /// The figures that the stage has tabs for.
    pub fn figures(&self) -> impl Iterator<Item = &'static dyn Figure> {
        figures::fitting(self.found.facts, self.opening().map(|step| &step.figure))
    }

    /// The figure on the stage: the requested one, if it has something to show.
    #[must_use]
    pub fn shown_figure(&self) -> &'static dyn Figure {
        let mut fitting = self.figures();
        let first = fitting.next();
        let asked = first.into_iter().chain(fitting).find(|figure| figure.card().name == self.place.figure);
        asked.or(first).unwrap_or(FIGURES[0])
    }

    /// The figure on the stage with the arguments that the step gives it.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let name = self.shown_figure().card().name;
        let own = self.opening().map(|step| &step.figure).filter(|figure| figure.name == name);
        own.cloned().unwrap_or_else(|| Picture::named(name))
    }

    /// The results that the figure on the stage is drawn from; empty until its program is compiled.
    #[must_use]
    pub fn asks(&self) -> Asks {
        let (Some(built), Some(program)) = (&self.found.built, self.place.program()) else { return Asks::default() };
        let (picture, buffer) = (self.picture(), self.place.buffer.as_deref());
        let subject = Subject { picture: &picture, buffer, program, job: &built.job, pass: self.place.pass() };
        self.shown_figure().asks(&subject)
    }

    /// The requested results that are available.
    #[must_use]
    pub fn given(&self, asks: &Asks, picture: &Picture) -> Given {
        let traced = self.traced();
        let pass = traced.and_then(|traced| traced.pass(self.place.pass()));
        let heat = traced.and_then(|traced| traced.heat.as_ref()).filter(|(of, _)| *of == self.place.shown());
        let reeled = self.found.reeled.as_ref().filter(|_| !asks.film.is_empty());
        let answer = reeled.and_then(|reeled| reeled.answer.as_ref());
        Given {
            timeline: traced.and_then(|traced| traced.timeline_of(&self.place)).cloned().unwrap_or_default(),
            heat: heat.filter(|_| asks.heat).map(|(_, heat)| heat.clone()),
            spread: asks.spread.then(|| self.spread()).flatten(),
            river: pass.filter(|_| asks.river).and_then(|pass| staged::river(pass, self.counted(), self.reach())),
            ring: self.place.kernel().and_then(|kernel| kernel.cuda_only()?.ring.clone()),
            roofline: asks.roofline.then(|| self.roofline()).flatten(),
            rounds: if asks.rounds { self.rounds() } else { Vec::new() },
            reel: answer.map(|answer| {
                let said = |problems: &Vec<_>| problems.first().map_or_else(String::new, said);
                answer.as_ref().cloned().map_err(said)
            }),
            numbers: self.numbers(picture).into_iter().collect(),
        }
    }

    /// The values of a figure's arguments that are expressions.
    fn numbers(&self, picture: &Picture) -> Vec<(String, f64)> {
        let args = figures::find(&picture.name).map_or(&[][..], |figure| figure.card().args);
        let names: Vec<&str> = args.iter().filter(|arg| arg.kind == ArgKind::Number).map(|arg| arg.name).collect();
        let value = |(name, expr): (&str, _)| Some((name.to_owned(), self.evaluate(&expr, &Results::default())?));
        picture.expressions(&names).filter_map(value).collect()
    }
}

fn said(problem: &crate::base::diag::Diagnostic) -> String {
    problem.message.clone()
}
