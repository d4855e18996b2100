//! The figure on the stage, and the results of the launch there.

use super::state::State;
use crate::figures::{self, Clock, FIGURES, Figure, Results, View};
use crate::lesson::{Picture, Step};
use crate::session::show::source::Staged;
use crate::session::show::stage::Stage;

impl State {
    /// The step on the screen, if the stage opens as the step sets: its program is on the stage, or the learner's solution of its exercise.
    #[must_use]
    pub fn opening(&self) -> Option<&Step> {
        let step = self.place.step()?;
        let solved = || self.exercise_of(&self.place.bench.variant.program);
        let is_own = self.step_on_stage().is_some();
        (is_own || solved().is_some_and(|id| step.exercises().any(|exercise| exercise == id))).then_some(step)
    }

    /// The figures that the stage has tabs for.
    pub fn figures(&self) -> impl Iterator<Item = &'static dyn Figure> {
        let opening = self.opening().map(|step| &step.figure);
        let python_first = self.is_python_first();
        figures::fitting(self.found.compiled.facts, opening).filter(move |figure| {
            let card = figure.card();
            let is_of_data = matches!(card.clock, Clock::Hand | Clock::Launches | Clock::Rounds);
            !python_first || is_of_data || opening.is_some_and(|picture| picture.name == card.name)
        })
    }

    /// Whether the lesson is for readers of Python: it has no pictures of warps and devices, unless a step asks for one.
    #[must_use]
    pub fn is_python_first(&self) -> bool {
        self.place.lesson.as_ref().is_some_and(|lesson| lesson.python_first)
    }

    /// The figure on the stage: the requested one, if it has something to show.
    #[must_use]
    pub fn shown_figure(&self) -> &'static dyn Figure {
        let mut fitting = self.figures();
        let first = fitting.next();
        let asked = first.into_iter().chain(fitting).find(|figure| figure.card().name == self.place.stage.figure);
        asked.or(first).unwrap_or(FIGURES[0])
    }

    /// The figure on the stage with the arguments that the step gives it.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let name = self.shown_figure().card().name;
        let own = self.opening().map(|step| &step.figure).filter(|figure| figure.name == name);
        let mut picture = own.cloned().unwrap_or_else(|| Picture::named(name));
        // The lesson's words are about the kernel that the lesson gives.
        let program = &self.place.bench.variant.program;
        if self.exercise_of(program).is_some() && !self.is_untouched(program) {
            picture.args.retain(|arg| !matches!(arg.name.as_str(), "title" | "caption"));
        }
        picture
    }

    /// Draws with the results of the launch on the stage, as far as they are known.
    pub fn with_results<T>(&self, picture: &Picture, draw: impl FnOnce(&Results<'_>) -> T) -> T {
        let Some(stage) = self.stage(picture) else { return draw(&Results::default()) };
        let device = self.acting_device().unwrap_or_else(crate::gpu::simt::device);
        let sources = self.sources(&device);
        let staged = Staged { stage, store: &self.found.answers, sources: &sources };
        draw(&Results::new(&staged, stage.numbers()))
    }

    /// The view of a picture of the launch on the stage, at its first moment.
    #[must_use]
    pub fn view<'a>(&'a self, picture: &'a Picture, results: &'a Results<'a>) -> View<'a> {
        View {
            program: self.place.program(),
            pass: self.place.pass(),
            buffer: self.place.stage.buffer.as_deref(),
            workgroup: self.place.stage.workgroup,
            ..View::still(results, picture, [0.0; 2])
        }
    }

    /// The launch on the stage with a picture of it.
    pub(super) fn stage<'a>(&'a self, picture: &'a Picture) -> Option<Stage<'a>> {
        Some(Stage {
            at: self.found.now.traced(&self.place.bench.variant.program)?,
            shown: self.place.shown(),
            workgroup: self.place.stage.workgroup,
            picture,
            buffer: self.place.stage.buffer.as_deref(),
        })
    }
}
