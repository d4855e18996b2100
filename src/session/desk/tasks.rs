//! Orders for the device's thread, the notes' and the disk's.

use std::path::PathBuf;
use std::sync::Arc;

use super::lane::Orders;
use crate::device::DeviceSpec;
use crate::lesson::{Experiment, Lesson, PackFiles, Prediction};
use crate::notes::Format;
use crate::session::ask::Query;
use crate::session::experiment::sweep::Sweep;
use crate::session::jobs::setting::Setting;
use crate::session::learn::journal::Line;
use crate::session::learn::saved::Saved;
use crate::session::note;
use crate::session::run::devices::Choice;
use crate::trace::record::{Backend, Device};

/// Orders for the device's thread.
pub enum DeviceTask {
    /// Find the device.
    Describe(Choice),
    Ask(Query),
    /// Run an experiment on a device; where that is the tracer, times are predicted for the modelled device.
    Experiment(Setting, Experiment, Device, Option<Box<DeviceSpec>>),
    Answer(Setting, Prediction, Backend),
}

impl Orders for DeviceTask {
    fn of(queries: Vec<Query>) -> Vec<Self> {
        queries.into_iter().map(Self::Ask).collect()
    }
}

impl From<Query> for DeviceTask {
    fn from(query: Query) -> Self {
        Self::Ask(query)
    }
}

/// Orders for the thread that writes notes.
pub struct NoteTask {
    pub input: Box<note::Input>,
    /// The formats that it is written in.
    pub formats: Vec<Format>,
    /// The target folder.
    pub folder: PathBuf,
}

/// Orders for the disk's thread.
pub enum FileTask {
    /// Read the packs, and the learner's own curves.
    Load {
        /// The program's pack.
        files: PackFiles,
        /// The folder of the learner's own curves.
        curves: Option<PathBuf>,
        /// The folder of the pack of the learner's own kernels.
        kernels: Option<PathBuf>,
    },
    /// Keep a finished sweep of an experiment, as a device measured it, in that folder.
    Curve(PathBuf, Arc<Lesson>, Box<Experiment>, Box<Sweep>, Device),
    /// Keep a pinned picture, as SVG, in that folder.
    Pin(PathBuf, String),
    /// Read the journal.
    Read(PathBuf),
    /// Add lines to the journal.
    Append(PathBuf, Vec<Line>),
    /// Write the saved state, as of some change: the file's state, as far as the window knows, and the window's own.
    Save(PathBuf, Box<[Saved; 2]>, u64),
}
