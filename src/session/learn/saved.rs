//! The saved state file: the learner's place, settings, predictions and texts, kept across restarts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::drawn_curve::Points;
use super::edits::{Edit, Tried};
use super::merge::merge;
use super::predict::{Answer, Grade, Guess};
use crate::base::diag::Diagnostic;
use crate::base::store::{self, Loaded};
use crate::figures::explore;
use crate::lesson::{AnswerKind, Lesson, Picture, Prediction, Step};
use crate::reference::Explored;
use crate::session::experiment::recording::RecordingChoice;
use crate::session::run::devices::Choice;

/// The version of the file. A change of shape raises it.
const FORMAT: u32 = 1;

/// The whole saved state. Fields that a file lacks take their defaults, so that new fields keep old files readable.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// The lesson that was open.
    pub lesson: Option<String>,
    pub lessons: BTreeMap<String, LessonSaved>,
    /// The backend asked for.
    pub backend: Choice,
    /// Dark, light, or as the system says.
    pub theme: ThemeChoice,
    /// Whether pictures are kept still.
    pub still: bool,
    /// The device to model, by id; None for the measuring one, if it can be modelled.
    pub model: Option<String>,
    /// The recording beside the learner's own curves.
    pub recording: RecordingChoice,
    /// Where the dividers between the panes are.
    pub room: Dividers,
    /// Where the window was.
    pub window: Frame,
}

/// The window on the screen, in points; None for the default size, or if the system does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// Width and height of its content.
    pub size: Option<[f32; 2]>,
    /// Its upper left corner.
    pub position: Option<[f32; 2]>,
}

/// Positions of the dragged dividers between the window's panes, as shares of what each divides; None for the default
/// position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Dividers {
    /// The page's share of the area right of the contents.
    pub page: Option<f32>,
    /// The stage's share of the height.
    pub stage: Option<f32>,
    /// The source's share of the bench's width.
    pub source: Option<f32>,
    /// Whether the row of the device's model is shown; None for what suits the page and the window.
    pub model: Option<bool>,
}

/// The colours of the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ThemeChoice {
    /// Light on dark.
    #[default]
    Dark,
    /// Dark on light.
    Light,
}

/// The saved state of one lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonSaved {
    /// The step that was open, by id.
    pub step: String,
    /// The figure that the learner chose at that step, by its name; None for the step's own.
    pub figure: Option<String>,
    /// The version of a kernel that was in the editor at that step, by its id; None for the lesson's kernel.
    pub edit: Option<String>,
    /// The figure, as earlier files have it; see [`LessonSaved::adopt`].
    #[serde(skip_serializing)]
    pub scene: Option<Scene>,
    /// Parameters that the learner moved, by step: those whose value is not the one that the step's page begins with.
    pub moved: BTreeMap<String, BTreeMap<String, f64>>,
    /// All parameters of the open step, as earlier files have them; see [`LessonSaved::adopt`].
    #[serde(skip_serializing)]
    pub params: BTreeMap<String, f64>,
    /// The learner's own words, by step.
    pub words: BTreeMap<String, String>,
    /// Predictions, by id.
    pub predictions: BTreeMap<String, Predicted>,
    /// The first answer to a prediction that has a grade, by id: it is the one that counts. `predictions` has the last.
    pub first: BTreeMap<String, Predicted>,
    /// Curves that are being drawn, by the ids of the predictions that ask for them.
    pub drawn: BTreeMap<String, Points>,
    /// The learner's attempts at the exercises, by id.
    pub exercises: BTreeMap<String, Tried>,
    /// The learner's version of the only exercise, as earlier files have it; see [`LessonSaved::adopt`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exercise: Option<String>,
    /// The last version of the only exercise that reached its goal, as earlier files have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solution: Option<String>,
    /// The learner's own versions of kernels, the newest last.
    pub edits: Vec<Edit>,
    /// The point that the lesson's explorers look at, once the learner has moved it.
    pub explored: Option<Explored>,
    /// Steps whose end was seen for a while, or turned from, by id; see [`LessonSaved::is_read`].
    pub seen: Vec<String>,
}

/// The names of figures in earlier files, which had no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scene {
    /// A warp over the memory it touches.
    Warp,
    /// The maths of the step.
    Explore,
    Matrices,
    /// Fetches by element.
    Heat,
    /// A reduction's tree.
    Reduction,
    /// Banks of workgroup memory.
    Banks,
    /// Sweeps over buffers.
    Sweeps,
    /// Where the bytes go.
    Bytes,
    /// A ring of places for tiles.
    Ring,
    /// Waves of workgroups.
    Waves,
    Roofline,
    /// A buffer's contents.
    Contents,
    /// Series by round.
    Rounds,
}

impl LessonSaved {
    /// Converts an earlier file's form: the scene, the parameters, and the attempts at the lesson's only exercise. True
    /// if there was something to convert.
    pub fn adopt(&mut self, lesson: &Lesson) -> bool {
        let scene = self.scene.take().map(|scene| format!("{scene:?}"));
        let had_scene = scene.is_some();
        self.figure = self.figure.take().or(scene);
        let had_params = self.adopt_params(lesson);
        self.adopt_exercise(lesson) || had_scene || had_params
    }

    /// Earlier files do not say which parameters the learner moved. A value that neither the lesson nor one of its
    /// steps gives is the learner's.
    fn adopt_params(&mut self, lesson: &Lesson) -> bool {
        let params = std::mem::take(&mut self.params);
        let had_params = !params.is_empty();
        let is_given = |id: &str, value: f64| {
            let mut sets = lesson.steps.iter().flat_map(|step| &step.set);
            lesson.param(id).is_none_or(|param| param.default == value)
                || sets.any(|(of, given)| of == id && *given == value)
        };
        let moved: BTreeMap<_, _> = params.into_iter().filter(|(id, value)| !is_given(id, *value)).collect();
        if !moved.is_empty() {
            self.moved.entry(self.step.clone()).or_insert(moved);
        }
        had_params
    }

    /// Notes that the learner moved a parameter on a step's page, which begins with `begins`.
    pub fn move_param(&mut self, step: &str, id: &str, value: f64, begins: Option<f64>) {
        let of_step = self.moved.entry(step.to_owned()).or_default();
        if begins == Some(value) {
            of_step.remove(id);
        } else {
            of_step.insert(id.to_owned(), value);
        }
        self.moved.retain(|_, of_step| !of_step.is_empty());
    }

    fn adopt_exercise(&mut self, lesson: &Lesson) -> bool {
        let Some(first) = lesson.exercises.first() else { return false };
        let (source, solution) = (self.exercise.take(), self.solution.take());
        if source.is_none() && solution.is_none() {
            return false;
        }
        let tried = self.exercises.entry(first.id.clone()).or_default();
        tried.source = tried.source.take().or(source);
        tried.solution = tried.solution.take().or(solution);
        true
    }

    /// The learner's attempts at an exercise.
    #[must_use]
    pub fn tried(&self, exercise: &str) -> Tried {
        self.exercises.get(exercise).cloned().unwrap_or_default()
    }

    /// Whether a step is read: its end was seen, and its exercises are solved.
    #[must_use]
    pub fn is_read(&self, step: &Step) -> bool {
        let is_solved = |id: &str| self.exercises.get(id).is_some_and(|tried| tried.solution.is_some());
        self.seen.contains(&step.id) && step.exercises().all(is_solved)
    }

    /// How many of a lesson's steps are read.
    #[must_use]
    pub fn read(&self, lesson: &Lesson) -> usize {
        lesson.steps.iter().filter(|step| self.is_read(step)).count()
    }

    /// The answer to a prediction that counts, by id: the first that has a grade, or else the last.
    #[must_use]
    pub fn counts(&self, prediction: &str) -> Option<&Predicted> {
        self.first.get(prediction).or_else(|| self.predictions.get(prediction))
    }

    /// How many first answers to a lesson's questions were right, and how many were given. An answer that has no grade
    /// is not right.
    #[must_use]
    pub fn right(&self, lesson: &Lesson) -> (usize, usize) {
        let given = lesson.predictions.iter().filter_map(|asked| Some((asked, self.counts(&asked.id)?)));
        let given: Vec<_> = given.filter_map(|(asked, made)| Some((asked, made, made.answer.as_ref()?))).collect();
        let is_right = |(asked, made, answer): &&(&Prediction, &Predicted, &Answer)| match (&asked.asks, &made.guess) {
            (AnswerKind::Choice(options, _), Guess::Choice(choice)) => answer.grade(options) == Grade::Nearest(*choice),
            (AnswerKind::Number(within, _), Guess::Number(number)) => {
                answer.grade_number(*number, *within) == Grade::Within(true)
            }
            _ => false,
        };
        (given.iter().filter(is_right).count(), given.len())
    }

    /// How many of a lesson's exercises are solved.
    #[must_use]
    pub fn solved(&self, lesson: &Lesson) -> usize {
        let is_solved = |id: &str| self.exercises.get(id).is_some_and(|tried| tried.solution.is_some());
        lesson.exercises.iter().filter(|exercise| is_solved(&exercise.id)).count()
    }

    /// The point that the lesson's explorers look at. Until the learner has moved it, it is the one that the step's
    /// figure begins at.
    #[must_use]
    pub fn explored(&self, figure: Option<&Picture>) -> Explored {
        let begins = || figure.map(explore::begin).unwrap_or_default();
        self.explored.clone().unwrap_or_else(begins).within_bounds()
    }
}

/// A prediction and its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "PredictedFile", into = "PredictedFile")]
pub struct Predicted {
    /// The learner's guess.
    pub guess: Guess,
    /// The answer from the runs, once they have run.
    pub answer: Option<Answer>,
}

/// A prediction as a file has it: earlier ones have only the option chosen.
#[derive(Serialize, Deserialize)]
struct PredictedFile {
    #[serde(default, skip_serializing)]
    choice: usize,
    #[serde(default)]
    guess: Option<Guess>,
    #[serde(default)]
    answer: Option<Answer>,
}

impl From<PredictedFile> for Predicted {
    fn from(file: PredictedFile) -> Self {
        Self { guess: file.guess.unwrap_or(Guess::Choice(file.choice)), answer: file.answer }
    }
}

impl From<Predicted> for PredictedFile {
    fn from(Predicted { guess, answer }: Predicted) -> Self {
        Self { choice: 0, guess: Some(guess), answer }
    }
}

/// The state file's default path; None if the system names no home directory.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "warpbook").map(|dirs| dirs.data_dir().join("state.ron"))
}

/// Reads the state without changing its file; None if there is no file.
pub fn read(path: &Path) -> Result<Option<Saved>, Diagnostic> {
    store::read(path, FORMAT)
}

/// Reads the state, to be written again later. Contents that could not be parsed were set aside, and the diagnostic
/// says where.
///
/// # Errors
/// As [`store::load`]: the file must not be written to then.
pub fn load(path: &Path) -> Result<(Saved, Option<Diagnostic>), Diagnostic> {
    // If no lock can be taken, as in a read-only folder, the file may still be read.
    let _lock = path.exists().then(|| store::lock(path));
    Ok(match store::load(path, FORMAT)? {
        Loaded::Value(saved, note) => (saved, note),
        Loaded::Missing => (Saved::default(), None),
        Loaded::SetAside { why, .. } => (Saved::default(), Some(why)),
    })
}

/// Writes a state that cannot be saved at its path to the system's temporary folder; returns where.
pub fn save_elsewhere(saved: &Saved) -> Result<PathBuf, Diagnostic> {
    store::save_elsewhere(FORMAT, saved)
}

/// A state that was written.
#[derive(Debug)]
pub struct Written {
    /// The window's state.
    pub sent: Saved,
    /// The file's state: the window's, merged with another window's changes.
    pub merged: Saved,
    /// Messages to the learner about the write.
    pub notes: Vec<Diagnostic>,
}

/// Writes the state `mine`, which was `base` when the file was last read or written. Another window's changes to the
/// file are kept; if both changed the same, `mine` is written, and a copy of the file is kept.
///
/// # Errors
/// As [`store::save`], and as [`store::load`]: the file is as it was then.
pub fn save(path: &Path, base: &Saved, mine: Saved) -> Result<Written, Diagnostic> {
    let _lock = store::lock(path)?;
    let (theirs, note) = match store::load(path, FORMAT)? {
        Loaded::Value(saved, note) => (saved, note),
        Loaded::Missing => (base.clone(), None),
        Loaded::SetAside { why, .. } => (base.clone(), Some(why)),
    };
    let (merged, clashes) = merge(base, &mine, &theirs);
    let mut notes: Vec<Diagnostic> = note.into_iter().collect();
    if !clashes.is_empty() {
        let kept = store::copy_aside(path)?;
        let what = clashes.join(" and ");
        notes.push(
            Diagnostic::warning(format!("another window had changed {what}, too: this window's version is saved"))
                .hint(format!("the other window's is in {}", kept.display())),
        );
    }
    store::save(path, FORMAT, &merged)?;
    Ok(Written { sent: mine, merged, notes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(words: &[(&str, &str)]) -> Saved {
        let words = words.iter().map(|(step, text)| ((*step).to_owned(), (*text).to_owned()));
        let lesson = LessonSaved { words: words.collect(), ..LessonSaved::default() };
        Saved { lessons: [("a".to_owned(), lesson)].into(), ..Saved::default() }
    }

    #[test]
    fn two_windows_on_one_file_lose_nothing() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        let begun = Saved::default();
        let first = save(&path, &begun, with(&[("one", "first")]))?;
        let second = save(&path, &begun, with(&[("two", "second")]))?;
        assert_eq!(second.merged, with(&[("one", "first"), ("two", "second")]));
        assert!(second.notes.is_empty());
        // The first window does not know that, and changes its words.
        let first = save(&path, &first.merged, with(&[("one", "more")]))?;
        assert_eq!(read(&path)?, Some(with(&[("one", "more"), ("two", "second")])));
        assert!(first.notes.is_empty());
        // The second one changes the same words.
        let last = save(&path, &second.merged, with(&[("one", "other"), ("two", "second")]))?;
        assert_eq!(last.merged, with(&[("one", "other"), ("two", "second")]));
        assert!(last.notes[0].message.contains("your words on the step `one` in `a`"), "{}", last.notes[0]);
        let kept = std::fs::read_to_string(folder.path().join("state.ron.kept"))?;
        assert!(kept.contains("more"), "{kept}");
        Ok(())
    }

    #[test]
    fn the_exercise_of_an_earlier_file_is_the_first() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        let (pack, _) = crate::session::load(&crate::lesson::PackFiles::Embedded);
        let lesson = pack.lessons.iter().find(|lesson| !lesson.exercises.is_empty()).ok_or("no exercise")?;
        let of = format!("{{{:?}: (exercise: Some(\"mine\"), solution: Some(\"solved\"))}}", lesson.id);
        std::fs::write(&path, format!("(format_version: 1, value: (lessons: {of}))"))?;
        let begun = read(&path)?.ok_or("no state")?;
        let mut saved = begun.clone();
        let kept = saved.lessons.get_mut(&lesson.id).ok_or("nothing of the lesson")?;
        assert!(kept.adopt(lesson) && !kept.adopt(lesson));
        let tried = Tried { source: Some("mine".to_owned()), solution: Some("solved".to_owned()), hints: 0 };
        assert_eq!((kept.tried(&lesson.exercises[0].id), kept.solved(lesson)), (tried, 1));
        save(&path, &begun, saved.clone())?;
        assert_eq!(read(&path)?, Some(saved));
        Ok(())
    }

    #[test]
    fn the_scene_of_an_earlier_file_is_the_figure() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        let (pack, _) = crate::session::load(&crate::lesson::PackFiles::Embedded);
        let lesson = pack.lessons.first().ok_or("no lesson")?;
        let of = format!("{{{:?}: (step: \"a\", scene: Some(Heat))}}", lesson.id);
        std::fs::write(&path, format!("(format_version: 1, value: (lessons: {of}))"))?;
        let begun = read(&path)?.ok_or("no state")?;
        let mut saved = begun.clone();
        let kept = saved.lessons.get_mut(&lesson.id).ok_or("nothing of the lesson")?;
        assert!(kept.adopt(lesson) && !kept.adopt(lesson));
        assert_eq!((kept.figure.as_deref(), kept.step.as_str()), (Some("Heat"), "a"));
        save(&path, &begun, saved.clone())?;
        assert_eq!(read(&path)?, Some(saved));
        Ok(())
    }

    #[test]
    fn predictions_of_earlier_files_are_read() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        let answer = "Some((measured: None, traced: Some(1.0), device: None))";
        let of = format!("{{\"a\": (predictions: {{\"p\": (choice: 2, answer: {answer})}})}}");
        std::fs::write(&path, format!("(format_version: 1, value: (lessons: {of}))"))?;
        let mut saved = read(&path)?.ok_or("no state")?;
        let kept = saved.lessons.get_mut("a").ok_or("nothing of the lesson")?;
        assert_eq!(kept.predictions["p"].guess, Guess::Choice(2));
        assert_eq!(kept.predictions["p"].answer.as_ref().and_then(|answer| answer.traced), Some(1.0));
        let curve = Predicted { guess: Guess::Curve(vec![(1.0, 4.0)]), answer: None };
        kept.predictions.insert("q".to_owned(), curve);
        kept.drawn.insert("r".to_owned(), vec![(2.0, 8.5)]);
        save(&path, &Saved::default(), saved.clone())?;
        assert_eq!(read(&path)?, Some(saved));
        Ok(())
    }

    #[test]
    fn a_file_that_became_unreadable_is_kept_aside() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        std::fs::write(&path, "(format_version: 1, value: (lessons: {")?;
        let written = save(&path, &Saved::default(), with(&[("one", "mine")]))?;
        assert_eq!((written.notes.len(), read(&path)?), (1, Some(with(&[("one", "mine")]))));
        assert!(folder.path().join("state.ron.kept").exists());
        Ok(())
    }
}
