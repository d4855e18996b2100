//! Figures that are read off buffers while a program runs: what stops a repetition, and what is kept of each round.

use serde::{Deserialize, Serialize};

/// That an element of a buffer compares with a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The buffer, by its place.
    pub buffer: usize,
    /// Which of its elements.
    pub index: u64,
    /// How.
    pub comparison: Comparison,
    /// The number.
    pub value: f64,
}

/// How an element compares with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Comparison {
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// All of them with their signs, the longer of two with one beginning first.
    pub const SIGNS: [(&str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Whether `a` compares so with `b`. Nothing but `!=` holds of a NaN.
    #[must_use]
    #[expect(clippy::float_cmp, reason = "equal means equal")]
    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessOrEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterOrEqual => a >= b,
        }
    }
}

/// A figure that is kept of each round of a repetition, or of the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesSpec {
    /// Its name in the program.
    pub id: String,
    /// The buffer, by its place.
    pub buffer: usize,
    /// What is read off it.
    pub reading: Reading,
    /// The repetition of whose rounds it is kept; None for the end of the program.
    pub each: Option<String>,
}

/// What is read off a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    /// One of its elements.
    Element(u64),
    /// Something of all its elements.
    All(Reduction),
}

/// One number of many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduction {
    /// Their sum.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Their mean.
    Mean,
}

impl Reduction {
    /// All of them with their names.
    pub const NAMES: [(&str, Self); 4] =
        [("sum", Self::Sum), ("min", Self::Min), ("max", Self::Max), ("mean", Self::Mean)];
}

impl Reading {
    /// The figure of what was read: an element's value, or something of all of them.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of elements")]
    pub fn of(self, values: &[f64]) -> f64 {
        let all = || values.iter().copied();
        match self {
            Self::Element(_) => values.first().copied().unwrap_or(f64::NAN),
            Self::All(Reduction::Sum) => all().sum(),
            // What is no number makes the figure none.
            Self::All(Reduction::Min) => {
                all().reduce(|a, b| if a < b || a.is_nan() { a } else { b }).unwrap_or(f64::NAN)
            }
            Self::All(Reduction::Max) => {
                all().reduce(|a, b| if a > b || a.is_nan() { a } else { b }).unwrap_or(f64::NAN)
            }
            Self::All(Reduction::Mean) => all().sum::<f64>() / values.len() as f64,
        }
    }

    /// The elements that it takes of a buffer with so many: the first of them, and how many.
    #[must_use]
    pub fn takes(self, count: u64) -> (u64, u64) {
        match self {
            Self::Element(index) => (index, 1),
            Self::All(_) => (0, count),
        }
    }
}
