//! Conditions for parts of the window: the plot, the device model's row, an experiment that starts without being asked
//! for.

use std::collections::HashSet;

use super::event::Work;
use super::state::State;
use crate::figures::EXPERIMENT;
use crate::lesson::{Block, Step};
use crate::session::learn::edits;
use crate::session::learn::predict::Answer;

impl State {
    /// Whether the experiment of the page has something to plot that the stage does not show: curves, or a control that
    /// the learner turned.
    #[must_use]
    pub fn is_plotted(&self) -> bool {
        let Some(experiment) = self.place.experiment() else { return false };
        if self.trials.turned.is_some() {
            return true;
        }
        let own = self.opening().map(|step| &step.figure);
        let on_stage = self.shown_figure().card().name;
        if own.is_some_and(|own| own.name == on_stage && own.text(EXPERIMENT) == experiment.id) {
            return false;
        }
        let is_running = self.status.activities.get(&Work::Device).is_some_and(|activity| activity.progress.is_some());
        is_running
            || self.sweep().is_some_and(|sweep| !sweep.points.is_empty())
            || (!self.is_undecided() && self.chosen_recording(&self.recorded()).is_some())
    }

    /// Whether the plot has nothing but curves that were recorded elsewhere: nothing of it was asked for here.
    #[must_use]
    pub fn is_plot_recorded(&self) -> bool {
        let is_running = self.status.activities.get(&Work::Device).is_some_and(|activity| activity.progress.is_some());
        let is_swept = self.sweep().is_some_and(|sweep| !sweep.points.is_empty());
        !is_running && !is_swept && self.trials.turned.is_none() && self.place.asked.is_none()
    }

    /// Whether a version is an exercise's starter, as the lesson has it.
    #[must_use]
    pub fn is_untouched(&self, id: &str) -> bool {
        self.exercise_of(id).is_some_and(|exercise| self.kept().tried(&exercise).source.is_none())
    }

    /// The first line that an exercise is about, while its starter is untouched: one that the solution does not have.
    #[must_use]
    pub fn line_to_change(&self) -> Option<u32> {
        let program = &self.place.bench.variant.program;
        let exercise = edits::solves(self.place.lesson.as_ref()?, program).filter(|_| self.is_untouched(program))?;
        line_to_change(&exercise.starter, &exercise.solution)
    }

    /// The answer to a question, from a recording if it is about times and no GPU took any here.
    pub(super) fn or_recorded(&self, lesson: &str, id: &str, answer: Answer) -> Answer {
        let open = self.place.lesson.as_ref().filter(|open| open.id == lesson);
        let asked = open.and_then(|open| open.predictions.iter().find(|asked| asked.id == id));
        let Some((open, decl)) = open.zip(asked.and_then(|asked| asked.answer())) else { return answer };
        let recorded = (&*self.library.recordings, &self.saved.recording);
        answer.or_recorded(decl, (open, &self.place.params), recorded)
    }

    /// Whether the reader has come to the page that explains the device's model, which has `model: true`; so too if no
    /// page has it. A lesson for readers of Python does without it.
    #[must_use]
    pub fn knows_model(&self) -> bool {
        let Some(lesson) = self.place.lesson.as_ref().filter(|lesson| !lesson.python_first) else { return false };
        let explains = |step: &Step| step.model;
        let lessons = &self.library.pack.lessons;
        let Some(first) = lessons.iter().position(|lesson| lesson.steps.iter().any(explains)) else { return true };
        let here = lessons.iter().position(|other| other.id == lesson.id).unwrap_or(first);
        let step = lessons[first].steps.iter().position(explains).unwrap_or(0);
        (here, self.place.step) >= (first, step)
    }

    /// Whether the page's experiment runs without being asked for: it only counts, nothing was counted yet, and no
    /// question on the page is open.
    pub(super) fn counts_at_once(&self) -> bool {
        let Some(experiment) = self.place.experiment() else { return false };
        let made = &self.kept().predictions;
        let is_open = |block: &Block| matches!(block, Block::Predict(id) if !made.contains_key(id));
        experiment.quantity.is_traced()
            && self.sweep().is_none()
            && !self.trials.counted.contains(&experiment.id)
            && self.acting_device().is_some()
            && !self.place.step().is_some_and(|step| step.blocks.iter().any(is_open))
    }
}

/// The number of the first line of a starter that its solution does not have; comments aside. None if it has all of them.
fn line_to_change(starter: &str, solution: &str) -> Option<u32> {
    let kept: HashSet<&str> = solution.lines().map(str::trim).collect();
    let is_code = |line: &str| !line.is_empty() && !line.starts_with("//");
    let mut lines = (1_u32..).zip(starter.lines().map(str::trim));
    lines.find(|(_, line)| is_code(line) && !kept.contains(line)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_starter_opens_at_the_line_that_its_solution_changes() {
        let starter = "// The start.\nfn main() {\n    let i = a;\n    dst[i] = src[i];\n}\n";
        let solution = "// Better.\nfn main() {\n    let i = b;\n    dst[i] = src[i];\n}\n";
        assert_eq!(line_to_change(starter, solution), Some(3));
        assert_eq!(line_to_change(starter, &format!("{starter}// more")), None);
    }
}
