//! The part of a note that is the learner's own: words, predictions, exercises, and what was measured here.

use super::{Builder, asked, experiment};
use crate::base::diag::Diagnostic;
use crate::lesson::scope::{Env, Results};
use crate::lesson::{Block, Experiment, Inline, Lesson, Step, each_inline};
use crate::notes::{NoteBlock, Section};
use crate::session::experiment::recording;
use crate::session::learn::pins::{self, Part};
use crate::session::show::interpolate::Fill;
use crate::trace::record::Backend;

impl Builder<'_> {
    /// The learner's own sections, in this order; those without content are left out.
    pub(super) fn mine(&mut self) -> Vec<Section> {
        let words = section("my-words", "In my own words", self.words());
        let predictions = section("my-predictions", "What I predicted", self.predictions());
        let exercises = section("my-exercises", "Exercises", self.exercises());
        let kernels = section("my-kernels", "My kernels", self.kernels());
        let chosen = section("my-settings", "At the settings that I chose", self.chosen());
        let measured = section("my-measurements", "What I measured", self.measurements());
        [words, predictions, exercises, kernels, chosen, measured].into_iter().flatten().collect()
    }

    /// The learner's words, in the order of the steps; those on a step that the lesson no longer has come last.
    fn words(&mut self) -> Vec<NoteBlock> {
        let input = self.input;
        let (steps, words) = (&input.setting.lesson.steps, &input.kept.words);
        let of_steps = steps.iter().filter_map(|step| Some((&step.title, words.get(&step.id)?)));
        let lost = words.iter().filter(|(id, _)| steps.iter().all(|step| step.id != **id));
        of_steps
            .chain(lost)
            .filter(|(_, words)| !words.trim().is_empty())
            .flat_map(|(about, words)| self.written(about, words))
            .collect()
    }

    /// The words on a step, with their pinned pictures.
    fn written(&mut self, about: &str, words: &str) -> Vec<NoteBlock> {
        let folder = self.input.pins.as_ref();
        let mut about = Some(about.to_owned());
        let mut block = |part: Part| match part {
            Part::Words(words) => vec![NoteBlock::OwnWords { about: about.take().unwrap_or_default(), words }],
            Part::Picture(caption, name) => {
                let heading = about.take().map(|about| heading(&about));
                let svg = folder.and_then(|folder| pins::picture(folder, &name));
                let block = match svg {
                    Some(svg) => NoteBlock::Figure { id: format!("pin-{name}"), alt: caption.clone(), caption, svg },
                    None => {
                        let message = format!("the pinned picture `{name}.svg` is missing");
                        let words = format!("{caption} ({message})");
                        let place = folder.map_or_else(|| "`pins`".to_owned(), |folder| folder.display().to_string());
                        let hint = format!("it was in {place}; bring it back, or pin it again");
                        self.problems.push(Diagnostic::warning(message).hint(hint));
                        NoteBlock::OwnWords { about: String::new(), words }
                    }
                };
                heading.into_iter().chain([block]).collect()
            }
        };
        pins::parts(words).into_iter().flat_map(&mut block).collect()
    }

    fn predictions(&self) -> Vec<NoteBlock> {
        let lesson = &self.input.setting.lesson;
        let made = lesson.predictions.iter().flat_map(|prediction| {
            let step = step_of(lesson, &Block::Predict(prediction.id.clone()));
            let prose = [&prediction.question[..], &prediction.because].map(<[Inline]>::to_vec).map(Block::Paragraph);
            self.filled(step, &prose, |fill| asked::prediction(self.input, prediction, fill))
        });
        made.collect()
    }

    fn exercises(&self) -> Vec<NoteBlock> {
        let lesson = &self.input.setting.lesson;
        let tried = lesson.exercises.iter().flat_map(|exercise| {
            let step = step_of(lesson, &Block::Exercise(exercise.id.clone()));
            let blocks = self.filled(step, &exercise.prompt, |fill| asked::tried(self.input, exercise, fill));
            let heading = step.filter(|_| !blocks.is_empty()).map(|step| heading(&step.title));
            heading.into_iter().chain(blocks)
        });
        tried.collect()
    }

    /// Experiments that were measured here, and whose step's text is not in the note.
    fn measurements(&mut self) -> Vec<NoteBlock> {
        let lesson = self.input.setting.lesson.clone();
        let in_book =
            |id: &str| lesson.steps.iter().any(|step| step.experiment.as_deref() == Some(id) && self.input.has(step));
        let wanted: Vec<&Experiment> =
            lesson.experiments.iter().filter(|e| !in_book(&e.id) && self.is_measured_here(e)).collect();
        wanted.into_iter().flat_map(|experiment| self.plot(&lesson, experiment)).collect()
    }

    fn is_measured_here(&self, experiment: &Experiment) -> bool {
        let (input, lesson) = (self.input, &self.input.setting.lesson);
        let swept = input.sweeps.get(&experiment.id);
        let all: Vec<_> = input.recordings.iter().filter_map(|r| r.shown(lesson, experiment)).collect();
        let shown = recording::chosen(&all, &input.recording, Some(&input.device), swept.is_some());
        swept.is_some_and(|sweep| sweep.backend != Backend::Simt && !sweep.points.is_empty())
            || shown.is_some_and(|place| all[place].0.own)
    }

    /// The figure and the data of an experiment, and of its recording.
    pub(super) fn plot(&self, lesson: &Lesson, experiment: &Experiment) -> Vec<NoteBlock> {
        let found = self.input.sweeps.get(&experiment.id).filter(|sweep| !sweep.points.is_empty());
        let mut blocks =
            found.map(|found| experiment::figure(self.input, lesson, experiment, found)).unwrap_or_default();
        blocks.extend(experiment::recorded(self.input, lesson, experiment));
        blocks
    }

    /// The result of `make` for prose on a step, whose programs are traced if the prose has live values.
    fn filled<T>(&self, step: Option<&Step>, prose: &[Block], make: impl FnOnce(&Fill<'_>) -> T) -> T {
        let input = self.input;
        let lesson = &input.setting.lesson;
        let params = step.map_or_else(|| input.setting.params.clone(), |step| input.params(step));
        let mut results = match step.filter(|_| has_values(prose)) {
            Some(step) => self.results(step, &params).0,
            None => Results::default(),
        };
        results.insert_ceilings(&input.ceilings);
        let env = Env::new(lesson, &params, &results);
        make(&Fill { lesson, env: &env, params: &params, quotes: &input.quotes, live: false })
    }
}

/// A section, if it has content.
fn section(id: &str, title: &str, blocks: Vec<NoteBlock>) -> Option<Section> {
    (!blocks.is_empty()).then(|| Section { id: id.to_owned(), title: title.to_owned(), blocks })
}

/// A heading within a section.
pub(super) fn heading(title: &str) -> NoteBlock {
    NoteBlock::Prose(vec![Block::Heading(3, vec![Inline::Text(title.to_owned())])])
}

/// The step whose prose has a block.
fn step_of<'a>(lesson: &'a Lesson, block: &Block) -> Option<&'a Step> {
    lesson.steps.iter().find(|step| step.blocks.contains(block))
}

fn has_values(prose: &[Block]) -> bool {
    let mut found = false;
    each_inline(prose, &mut |inline| found |= matches!(inline, Inline::Value(..)));
    found
}
