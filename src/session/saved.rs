//! What survives a restart: where the learner was, what they set, predicted and wrote.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::devices::Choice;
use super::edits::Edit;
use super::predict::Answer;
use crate::base::diag::Diagnostic;
use crate::base::store::{self, Loaded};
use crate::reference::Explored;

/// The version of the file. A change of shape raises it.
const FORMAT: u32 = 1;

/// Everything kept. Fields that a file lacks take their defaults, so that one more field sets nobody's work aside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Saved {
    /// The lesson that was open.
    pub lesson: Option<String>,
    /// By lesson.
    pub lessons: BTreeMap<String, LessonSaved>,
    /// The backend asked for.
    pub backend: Choice,
    /// Dark, light, or as the system says.
    pub theme: ThemeChoice,
    /// Whether pictures move by themselves.
    pub still: bool,
    /// The device to model, by id; none is the measuring one, where it can be.
    pub model: Option<String>,
    /// The recording beside the learner's own curves.
    pub recording: RecordingChoice,
    /// Where the dividers between the panes are.
    pub room: Room,
}

/// Where the learner dragged the dividers between the window's panes, as shares of what each divides; None where it has its usual place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Room {
    /// The page's share of what is right of the contents.
    pub page: Option<f32>,
    /// The stage's share of the height.
    pub stage: Option<f32>,
    /// The source's share of the bench's width.
    pub source: Option<f32>,
}

/// Which recording is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordingChoice {
    /// The first one where the learner has no GPU, else none.
    #[default]
    Auto,
    /// None.
    Hidden,
    /// This one, by id.
    Only(String),
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

/// What is kept of one lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LessonSaved {
    /// The step that was open, by id.
    pub step: String,
    /// Parameters.
    pub params: BTreeMap<String, f64>,
    /// The learner's own words, by step.
    pub words: BTreeMap<String, String>,
    /// Predictions, by id.
    pub predictions: BTreeMap<String, Predicted>,
    /// The learner's version of the exercise.
    pub exercise: Option<String>,
    /// The last version that reached its goal.
    pub solution: Option<String>,
    /// The learner's own versions of kernels, the newest last.
    pub edits: Vec<Edit>,
    /// The point that the lesson's explorers look at, once the learner has moved it.
    pub explored: Option<Explored>,
    /// Steps that were read to their end, by id.
    pub seen: Vec<String>,
}

impl LessonSaved {
    /// The point that the lesson's explorers look at.
    #[must_use]
    pub fn explored(&self) -> Explored {
        self.explored.clone().unwrap_or_default().within_bounds()
    }
}

/// A prediction and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// The option chosen, from 0.
    pub choice: usize,
    /// What the runs said, once they have run.
    pub answer: Option<Answer>,
}

/// Where the state file lies by default; none where the system names no home.
#[must_use]
pub fn default_path() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "warpbook").map(|dirs| dirs.data_dir().join("state.ron"))
}

/// Reads the state and leaves its file alone; none where there is no file.
///
/// # Errors
/// As [`store::read`].
pub fn read(path: &Path) -> Result<Option<Saved>, Diagnostic> {
    store::read(path, FORMAT)
}

/// Reads the state, to be written again later. What could not be read was kept aside, and the diagnostic says where.
///
/// # Errors
/// As [`store::load`]: the file must not be written to then.
pub fn load(path: &Path) -> Result<(Saved, Option<Diagnostic>), Diagnostic> {
    Ok(match store::load(path, FORMAT)? {
        Loaded::Value(saved) => (saved, None),
        Loaded::Missing => (Saved::default(), None),
        Loaded::SetAside { why, .. } => (Saved::default(), Some(why)),
    })
}

/// Writes the state.
///
/// # Errors
/// As [`store::save`].
pub fn save(path: &Path, saved: &Saved) -> Result<(), Diagnostic> {
    store::save(path, FORMAT, saved)
}
