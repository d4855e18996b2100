//! Results at hand: the answers to the questions of one picture, each asked once.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::ask::{AnyAnswer, AnyQuestion, By, Question};

/// Why a result is not at hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Missing {
    /// It is being worked out.
    Running,
    /// There is none, for this reason.
    Failed(String),
}

impl Missing {
    /// The words for it in place of the picture.
    #[must_use]
    pub fn words(&self) -> &str {
        match self {
            Self::Running => "The program is being run…",
            Self::Failed(why) => why,
        }
    }
}

impl From<&str> for Missing {
    fn from(why: &str) -> Self {
        Self::Failed(why.to_owned())
    }
}

impl From<String> for Missing {
    fn from(why: String) -> Self {
        Self::Failed(why)
    }
}

/// Answers questions about the launch on a stage.
pub trait Source {
    /// The answer.
    ///
    /// # Errors
    /// If it is not known yet, or there is none.
    fn answer(&self, question: &AnyQuestion) -> Result<AnyAnswer, Missing>;
}

/// Values of a figure's arguments that are expressions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// The values, by the arguments' names.
    pub values: BTreeMap<String, f64>,
    /// Why one of them has no value that the figure draws: nothing is counted by it then.
    pub beyond: Option<String>,
}

/// The results of one picture. They stay the same for as long as it is drawn from them.
#[derive(Default)]
pub struct Results<'a> {
    /// Values of the figure's arguments.
    pub numbers: Numbers,
    source: Option<&'a dyn Source>,
    first: Link,
}

type Link = OnceLock<Box<Asked>>;

/// A question that was asked, its answer, and the next one.
struct Asked {
    question: AnyQuestion,
    answer: Result<AnyAnswer, Missing>,
    next: Link,
}

impl<'a> Results<'a> {
    /// Results that a source has.
    #[must_use]
    pub fn new(source: &'a dyn Source, numbers: Numbers) -> Self {
        Self { numbers, source: Some(source), first: Link::new() }
    }

    /// No results yet, of a figure whose arguments have these values.
    #[must_use]
    pub fn of(numbers: Numbers) -> Self {
        Self { numbers, ..Self::default() }
    }

    /// The results that were asked for so far, without their source.
    #[must_use]
    pub fn kept(self) -> Results<'static> {
        Results { numbers: self.numbers, source: None, first: self.first }
    }

    /// These results and another.
    #[must_use]
    pub fn with<Q: Question>(self, question: Q, answer: Q::Answer) -> Self {
        self.with_shared(question, Arc::new(answer))
    }

    /// These results and another, which others have as well.
    #[must_use]
    pub fn with_shared<Q: Question>(self, question: Q, answer: Arc<Q::Answer>) -> Self {
        self.keep(question.into(), Ok(Q::any(answer)));
        self
    }

    /// The answer to a question.
    ///
    /// # Errors
    /// If it is not known yet, or there is none.
    pub fn ask<Q: Question>(&self, question: Q) -> Result<&Arc<Q::Answer>, Missing> {
        let question = question.into();
        let known = match self.asked().find(|asked| asked.question == question) {
            Some(asked) => asked,
            None => {
                let answer = self.source.map_or(Err(Missing::Running), |source| source.answer(&question));
                self.keep(question, answer)
            }
        };
        known.answer.as_ref().map_err(Clone::clone).and_then(|answer| Q::of(answer).ok_or(Missing::Running))
    }

    /// Whether one of the results that were asked for is of a trace.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        self.questions().any(|question| matches!(question.by(), By::Tracer | By::Others { traced: true }))
    }

    /// The questions so far.
    pub fn questions(&self) -> impl Iterator<Item = &AnyQuestion> {
        self.asked().map(|asked| &asked.question)
    }

    fn asked(&self) -> impl Iterator<Item = &Asked> {
        std::iter::successors(self.first.get(), |asked| asked.next.get()).map(|asked| &**asked)
    }

    fn keep(&self, question: AnyQuestion, answer: Result<AnyAnswer, Missing>) -> &Asked {
        let mut link = &self.first;
        while let Some(asked) = link.get() {
            link = &asked.next;
        }
        link.get_or_init(|| Box::new(Asked { question, answer, next: Link::new() }))
    }
}
