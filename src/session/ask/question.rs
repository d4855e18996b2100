//! The questions, and their answers.

use std::sync::Arc;

use super::At;
use crate::base::diag::Diagnostic;
use crate::device::Launch;
use crate::figures::{Metered, Reel};
use crate::job::{Job, Shown};
use crate::lesson::Facts;
use crate::trace::provenance::Origin;
use crate::trace::record::{Backend, Ceilings, Record};
use crate::trace::{Course, Finding, Heat, PassRecord, Timeline, Trace};

/// A question that some work answers. The answer depends on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// A program with its shaders compiled.
    Build(At),
    /// The counts of all its launches.
    Counts(At),
    /// How often a launch fetches each element of its matrices. The same run answers [`Question::Counts`].
    Heat(At, Shown),
    /// Single accesses of a workgroup of a launch, by its linear index.
    Accesses(At, Shown, u32),
    /// Each workgroup's intervals between barriers, with the contents of these workgroup variables; and what each pass of
    /// the program moves.
    Course(At, Shown, Vec<String>),
    /// The contents of these buffers after each launch.
    Film(At, Vec<String>),
    /// Where an element of a buffer came from, counted in 32-bit words.
    Origin(At, String, u64),
    /// A program's time on a device.
    Time(At),
    /// A device's ceilings.
    Ceilings(Backend),
}

impl Question {
    /// The program that it is about; None for a device alone.
    #[must_use]
    pub fn at(&self) -> Option<&At> {
        match self {
            Self::Build(at)
            | Self::Counts(at)
            | Self::Heat(at, _)
            | Self::Accesses(at, ..)
            | Self::Course(at, ..)
            | Self::Film(at, _)
            | Self::Origin(at, ..)
            | Self::Time(at) => Some(at),
            Self::Ceilings(_) => None,
        }
    }

    /// Whether a device answers it, and not the tracer.
    #[must_use]
    pub fn is_of_device(&self) -> bool {
        matches!(self, Self::Time(_) | Self::Ceilings(_))
    }
}

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// To [`Question::Build`].
    Built(Arc<Built>),
    /// To [`Question::Counts`].
    Traced(Arc<Traced>),
    /// To [`Question::Heat`].
    Heat(Arc<Heat>),
    /// To [`Question::Accesses`].
    Accesses(Arc<Accesses>),
    /// To [`Question::Course`].
    Course(Arc<Coursed>),
    /// To [`Question::Film`].
    Reel(Arc<Reel>),
    /// To [`Question::Origin`].
    Origin(Arc<Origin>),
    /// To [`Question::Time`]: a record whose check passed.
    Timed(Arc<Record>),
    /// To [`Question::Ceilings`].
    Ceilings(Ceilings),
}

/// An answer, or why there is none. A cancelled question has no reasons.
pub type Outcome = Result<Answer, Arc<[Diagnostic]>>;

/// A place that answers questions.
pub trait Store {
    /// The answer; None if it is not known, or not yet.
    fn ask(&self, question: Question) -> Option<Outcome>;
}

/// A program with its shaders compiled.
#[derive(Debug)]
pub struct Built {
    /// The compiled job.
    pub job: Arc<Job>,
    /// Facts of each pass, from which the stage chooses its pictures.
    pub facts: Vec<Facts>,
}

/// The tracer's counts of a whole program.
#[derive(Debug)]
pub struct Traced {
    /// The job.
    pub job: Arc<Job>,
    /// The record, with the counts of each pass.
    pub record: Arc<Record>,
    /// How each pass is launched.
    pub launches: Vec<Option<Launch>>,
    /// The check that a learner's kernel failed. It is shown all the same.
    pub wrong: Option<Diagnostic>,
}

impl Traced {
    /// The record of a pass.
    #[must_use]
    pub fn pass(&self, place: usize) -> Option<&PassRecord> {
        self.record.pass(place)
    }

    /// The counts of a pass over all its launches.
    #[must_use]
    pub fn trace(&self, place: usize) -> Option<&Trace> {
        self.pass(place)?.trace.as_ref()
    }

    /// How a pass is launched.
    #[must_use]
    pub fn launch(&self, place: usize) -> Option<&Launch> {
        self.launches.get(place)?.as_ref()
    }
}

/// The intervals of a launch's workgroups, and the bytes that the passes of its program moved.
#[derive(Debug, Default)]
pub struct Coursed {
    /// The launch's phases.
    pub course: Arc<Course>,
    /// The program with its passes.
    pub metered: Metered,
}

/// Single accesses of a workgroup.
#[derive(Debug, Default)]
pub struct Accesses {
    /// The accesses.
    pub timeline: Arc<Timeline>,
    /// Findings in the workgroup, including races, which a trace of the whole grid does not check.
    pub findings: Vec<Finding>,
}
