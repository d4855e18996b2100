//! Figures read from buffers while a program runs: the condition that ends a repetition, and series of figures after
//! each round.

use serde::{Deserialize, Serialize};

/// A comparison of a buffer's element with a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Condition {
    /// The index of the buffer.
    pub buffer: usize,
    /// The index of the element.
    pub index: u64,
    pub comparison: Comparison,
    /// The number.
    pub value: f64,
}

/// A comparison of an element with a number.
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
    /// All of them with their signs; where one sign is a prefix of another, the longer one comes first.
    pub const SIGNS: [(&str, Self); 6] = [
        ("==", Self::Equal),
        ("!=", Self::NotEqual),
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
    ];

    /// Whether the comparison holds for `a` and `b`. For a NaN, only `!=` holds.
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

/// A figure that is recorded after each round of a repetition, or at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesSpec {
    /// Its name in the program.
    pub id: String,
    /// The index of the buffer.
    pub buffer: usize,
    pub reading: Reading,
    /// The repetition after whose rounds it is recorded; None for the end of the program.
    pub each: Option<String>,
}

/// A reading of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reading {
    Element(u64),
    /// A reduction of all its elements.
    All(Reduction),
}

/// A reduction of many numbers to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reduction {
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
    Mean,
}

impl Reduction {
    /// All of them with their names.
    pub const NAMES: [(&str, Self); 4] =
        [("sum", Self::Sum), ("min", Self::Min), ("max", Self::Max), ("mean", Self::Mean)];
}

impl Reading {
    /// The figure of the values that were read: an element's value, or a reduction.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of elements")]
    pub fn of(self, values: &[f64]) -> f64 {
        let all = || values.iter().copied();
        match self {
            Self::Element(_) => values.first().copied().unwrap_or(f64::NAN),
            Self::All(Reduction::Sum) => all().sum(),
            // A NaN makes the figure NaN.
            Self::All(Reduction::Min) => {
                all().reduce(|a, b| if a < b || a.is_nan() { a } else { b }).unwrap_or(f64::NAN)
            }
            Self::All(Reduction::Max) => {
                all().reduce(|a, b| if a > b || a.is_nan() { a } else { b }).unwrap_or(f64::NAN)
            }
            Self::All(Reduction::Mean) => all().sum::<f64>() / values.len() as f64,
        }
    }

    /// The elements that it reads from a buffer of this many: the index of the first, and their number.
    #[must_use]
    pub fn takes(self, count: u64) -> (u64, u64) {
        match self {
            Self::Element(index) => (index, 1),
            Self::All(_) => (0, count),
        }
    }
}
