//! A question with all that its answer depends on, and the places that answer it.

use std::sync::Arc;

use super::At;
use crate::base::diag::Diagnostic;
use crate::figures::ask::{AnyAnswer, AnyQuestion, By, Question, Scope};
use crate::job::Shown;
use crate::trace::record::Backend;

/// The subject of a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Of {
    /// A device.
    Device(Backend),
    /// A program at its settings.
    Program(At),
    /// One launch of a program.
    Launch(At, Shown),
    /// A workgroup of a launch, by its linear index.
    Workgroup(At, Shown, u32),
}

impl Of {
    /// The program; None for a device.
    #[must_use]
    pub fn at(&self) -> Option<&At> {
        match self {
            Self::Device(_) => None,
            Self::Program(at) | Self::Launch(at, _) | Self::Workgroup(at, ..) => Some(at),
        }
    }

    /// The launch; None for a whole program or a device.
    #[must_use]
    pub fn shown(&self) -> Option<Shown> {
        match self {
            Self::Launch(_, shown) | Self::Workgroup(_, shown, _) => Some(*shown),
            Self::Device(_) | Self::Program(_) => None,
        }
    }

    /// As much of it as an answer of some scope depends on.
    fn within(self, scope: Scope) -> Self {
        match (scope, self) {
            (Scope::Program, Self::Launch(at, _) | Self::Workgroup(at, ..)) => Self::Program(at),
            (Scope::Launch, Self::Workgroup(at, shown, _)) => Self::Launch(at, shown),
            (_, of) => of,
        }
    }
}

impl From<&At> for Of {
    fn from(at: &At) -> Self {
        Self::Program(at.clone())
    }
}

impl From<Backend> for Of {
    fn from(backend: Backend) -> Self {
        Self::Device(backend)
    }
}

/// A question with its subject. The answer depends on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    /// The subject, as far as the answer depends on it.
    pub of: Of,
    /// The question.
    pub question: AnyQuestion,
}

impl Query {
    /// A question about a subject.
    #[must_use]
    pub fn new(of: impl Into<Of>, question: impl Into<AnyQuestion>) -> Self {
        let question = question.into();
        Self { of: of.into().within(question.scope()), question }
    }

    /// Whether a device answers it, and not the tracer.
    #[must_use]
    pub fn is_of_device(&self) -> bool {
        self.question.by() == By::Device
    }
}

/// An answer, or why there is none. A cancelled question has no reasons.
pub type Outcome = Result<AnyAnswer, Arc<[Diagnostic]>>;

/// The answer to one question, or why there is none.
pub type Answered<T> = Result<Arc<T>, Arc<[Diagnostic]>>;

/// A place that answers questions.
pub trait Store {
    /// The answer; None if it is not known, or not yet.
    fn ask(&self, query: Query) -> Option<Outcome>;
}

impl dyn Store + '_ {
    /// The answer to a question about a subject; None if it is not known, or not yet.
    pub fn get<Q: Question>(&self, of: impl Into<Of>, question: Q) -> Option<Answered<Q::Answer>> {
        Some(self.ask(Query::new(of, question))?.and_then(|answer| Q::of(&answer).cloned().ok_or_else(|| [].into())))
    }

    /// The answer to a question about a subject, if it is known and there is one.
    pub fn find<Q: Question>(&self, of: impl Into<Of>, question: Q) -> Option<Arc<Q::Answer>> {
        self.get(of, question)?.ok()
    }
}
