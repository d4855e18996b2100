//! Pictures and results on the bench that the learner can pin into their words.

use std::path::PathBuf;

use super::Desk;
use super::event::Work;
use super::state::State;
use super::tasks::{FileTask, NoteTask};
use crate::base::day;
use crate::base::units::{number, si};
use crate::lesson::Variant;
use crate::notes::Format;
use crate::session::jobs::setting::{language_of, parameters_of};
use crate::session::learn::edits::Edit;
use crate::session::learn::pins::Pin;
use crate::session::note::only::Only;
use crate::session::note::{Input, Pictures, command, experiment, source};
use crate::session::run::compare::{self, Side};
use crate::trace::record::Backend;

/// Lines of a change that a pin has at most; a note has the whole text.
const LONGEST_CHANGE: usize = 40;

impl State {
    /// The text that the version in the editor began with, and the last text of it that compiled; None if none is
    /// edited.
    #[must_use]
    pub fn sides(&self) -> Option<[Side<'_>; 2]> {
        let began = self.place.bench.beside.first().filter(|_| self.place.bench.edit.is_some())?;
        Some([self.side(began)?, self.side(&self.place.bench.variant)?])
    }

    /// A program's kernel on the stage, with its counts and its time.
    fn side(&self, variant: &Variant) -> Option<Side<'_>> {
        let (lesson, place) = (self.place.lesson.as_ref()?, &self.place);
        let kernel = (*lesson.launched(variant).get(place.pass())?)?;
        let traced = self.found.traced(&variant.program);
        let measured = self.found.measured(&variant.program).and_then(|record| record.pass(place.pass()));
        let language = self.edited_in().unwrap_or_else(|| self.traced_language());
        Some(Side {
            source: kernel.source_in(language)?,
            // Counts are of the lines of the language that was traced.
            trace: traced
                .filter(|_| language_of(lesson, variant, place.options.language) == language)
                .and_then(|traced| traced.trace(place.pass())),
            machine_code: None,
            time_s: measured
                .and_then(|pass| pass.timing.as_ref())
                .map(|time| (time.median_s, [time.p10_s, time.p90_s])),
        })
    }

    /// A picture of a program's kernel on the stage. None if it is not traced.
    #[must_use]
    pub fn pinned_picture(&self, caption: &str, svg: String, variant: &Variant) -> Option<Pin> {
        self.found.traced(&variant.program)?;
        let pin = self.pin(caption, variant)?;
        Some(Pin { picture: Some(svg), ..pin })
    }

    /// The counts of the kernel on the stage over the whole grid, and its time; beside those before the learner's
    /// change. None if it is not traced.
    #[must_use]
    pub fn pinned_counts(&self) -> Option<Pin> {
        let changed = self.sides();
        let sides = match changed {
            Some(sides) => sides,
            None => [self.side(&self.place.bench.variant)?; 2],
        };
        sides[1].trace?;
        let words = |value: Option<f64>, unit: &str| match value {
            Some(value) if unit.is_empty() => number(value),
            Some(value) => si(value, unit),
            None => "–".to_owned(),
        };
        let figures = compare::figures(&sides[0], &sides[1]);
        let is_timed = figures.iter().any(|figure| !figure.unit.is_empty());
        let columns: &[&str] =
            if changed.is_some() { &["whole grid", "before", "now"] } else { &["whole grid", "count"] };
        let row = |figure: &compare::Figure| {
            let values = [figure.before, figure.after].map(|value| words(value, figure.unit));
            let of = if changed.is_some() { &values[..] } else { &values[1..] };
            std::iter::once(figure.name.to_owned()).chain(of.iter().cloned()).collect()
        };
        let header = columns.iter().map(|name| (*name).to_owned()).collect();
        let table = std::iter::once(header).chain(figures.iter().map(row)).collect();
        let device = self.acting_device().filter(|_| is_timed);
        let timed = device.map(|device| format!("; timed on {}, {}", device.name, day::today())).unwrap_or_default();
        let mut pin = self.pin("Counts over the whole grid", &self.place.bench.variant)?;
        pin.caption.push_str(&timed);
        Some(Pin { table, ..pin })
    }

    /// The plot on the bench. None if nothing was measured, and nothing is recorded.
    #[must_use]
    pub fn pinned_plot(&self) -> Option<Pin> {
        experiment::pinned(&self.note_input(Only::Own)?, self.place.experiment()?)
    }

    /// A pin of a program's kernel on the stage, with the command that runs it. A version of the learner's has its
    /// changes, and the command of the kernel that it began as. None while the text in the editor does not compile.
    fn pin(&self, caption: &str, variant: &Variant) -> Option<Pin> {
        // The bench then has an older text.
        if self.is_broken() {
            return None;
        }
        let mut setting = self.place.setting()?;
        let edit = self.edited().filter(|_| *variant == self.place.bench.variant);
        let change = edit.as_ref().and_then(|edit| self.change(edit)).unwrap_or_default();
        let (variant, whose) = match &edit {
            Some(edit) => (&edit.of, format!("“{}”", edit.name)),
            None => (variant, (*setting.lesson.launched(variant).get(self.place.pass())?)?.title.clone()),
        };
        let is_wrong = edit.is_some() && self.traced().is_some_and(|traced| traced.wrong.is_some());
        let wrong = if is_wrong { "; its result is wrong" } else { "" };
        let caption = format!("{caption}: {whose}{}{wrong}", command::at(&setting, variant));
        // A line that the learner reads: without parameters that do not matter.
        let matter = parameters_of(&setting.lesson, variant);
        setting.params.retain(|id, _| matter.contains(id));
        let backend = if self.traced().is_some() { Backend::Simt } else { Backend::Cuda };
        let of = if edit.is_some() { "# Runs the kernel before my changes.\n" } else { "" };
        let command = format!("{of}{}", command::run(&setting, variant, backend));
        Some(Pin { caption, change, command, ..Pin::default() })
    }

    /// The changes of a version from what it began with, as a unified diff; None if there are none, or if they are
    /// long.
    fn change(&self, edit: &Edit) -> Option<String> {
        let [began, mine] = self.sides()?;
        let text = source::unified(("before", began.source), (&edit.name, mine.source))?;
        (text.lines().count() <= LONGEST_CHANGE).then_some(text)
    }

    /// The input of a note about the open lesson, with all that is known; None before the lesson and its device are
    /// there.
    pub(super) fn note_input(&self, only: Only) -> Option<Input> {
        let mut answers = self.found.answers.clone();
        answers.retain(|_, outcome| outcome.is_ok());
        Some(Input {
            setting: self.place.setting()?,
            kept: self.kept().clone(),
            only,
            device: self.acting_device()?,
            ceilings: self.ceilings().copied().unwrap_or_default(),
            models: self.library.models.clone(),
            model: self.saved.model.clone(),
            recordings: self.library.recordings.clone(),
            quotes: self.library.quotes.clone(),
            recording: self.saved.recording.clone(),
            sweeps: self.sweeps().cloned().unwrap_or_default(),
            answers,
            created: day::today(),
            pictures: Pictures::Playing,
            pins: None,
        })
    }
}

impl Desk {
    /// Writes a note of the open lesson into a folder, on the notes' thread.
    pub(super) fn export(&mut self, only: Only, formats: Vec<Format>, folder: PathBuf) {
        if let Some(input) = self.state.note_input(only) {
            let input = Input { pins: self.keeper.pins(), ..input };
            self.begin(Work::Export, format!("writing the note of “{}”", input.setting.lesson.title));
            self.threads.notes.replace(NoteTask { input: Box::new(input), formats, folder });
        }
    }

    /// Keeps the learner's words on a step, and a picture that was pinned into them.
    pub(super) fn pin(&mut self, step: String, words: String, picture: Option<String>) {
        if let (Some(folder), Some(svg)) = (self.keeper.pins(), picture) {
            self.threads.disk.enqueue(FileTask::Pin(folder, svg));
        }
        self.write_words(step, words);
    }
}
