//! How to tell that a program's results are right.

use serde::{Deserialize, Serialize};

use super::Launch;
use crate::base::diag::Place;
use crate::base::expr::Expr;

/// A comparison of one buffer with what it should hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSpec {
    /// The buffer that is compared, by its place.
    pub output: usize,
    /// With what.
    pub against: Against,
    /// The largest relative error allowed; 0 asks for equal values.
    pub tolerance: f64,
    /// What an error is relative to at least, where a formula or a plain kernel is compared with: values near 0 that terms of this size cancel
    /// to err as much as the terms.
    pub scale: f64,
    /// The pass or repetition after each of whose launches or rounds it is made; None for the end.
    pub after: Option<String>,
    /// Where a lesson declares it; None where nothing does.
    pub place: Option<Place>,
}

impl CheckSpec {
    /// The buffers that it has to see, each with whether as they were at first.
    #[must_use]
    pub fn sees(&self) -> Vec<(usize, bool)> {
        let mut seen = vec![(self.output, false)];
        match &self.against {
            Against::Reference { inputs, .. } => seen.extend(inputs.iter().map(|(_, buffer)| (*buffer, true))),
            Against::Kernel(launch) => seen.extend(launch.bindings.iter().map(|binding| (binding.buffer, true))),
            Against::Predicate(Predicate::Permutation(of) | Predicate::EqualSets(of)) => seen.push((*of, true)),
            Against::Formula(formula)
            | Against::Predicate(Predicate::Every(formula) | Predicate::SortedBy(formula)) => {
                seen.extend(formula.buffers.iter().map(|(_, buffer, before)| (*buffer, *before)));
            }
            Against::Predicate(Predicate::SumsTo(_)) => {}
        }
        seen.sort_unstable();
        seen.dedup();
        seen
    }

    /// What it compares with, in words.
    #[must_use]
    pub fn against(&self, buffers: &[super::BufferSpec]) -> String {
        let name = |of: usize| buffers.get(of).map_or("?", |buffer| buffer.name.as_str());
        match &self.against {
            Against::Reference { name, .. } => name.clone(),
            Against::Kernel(launch) => format!("kernel {}", launch.kernel),
            Against::Formula(formula) => formula.expr.source().to_owned(),
            Against::Predicate(Predicate::Every(formula)) => format!("every {}", formula.expr.source()),
            Against::Predicate(Predicate::SortedBy(formula)) => format!("sorted by {}", formula.expr.source()),
            Against::Predicate(Predicate::Permutation(of)) => format!("permutation of {}", name(*of)),
            Against::Predicate(Predicate::EqualSets(of)) => format!("same values as {}", name(*of)),
            Against::Predicate(Predicate::SumsTo(sum)) => format!("sum {sum}"),
        }
    }
}

/// What a buffer is compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Against {
    /// A reference of ours, in f64.
    Reference {
        /// A name in `reference`'s table.
        name: String,
        /// Its arguments, by name.
        args: Vec<(String, f64)>,
        /// The buffers that it reads, by its own names for them and by their places. It sees what they held at first.
        inputs: Vec<(String, usize)>,
    },
    /// A plain kernel that the tracer runs over what the buffers held at first. It writes to the output's variable.
    Kernel(Box<Launch>),
    /// A formula for an element.
    Formula(Formula),
    /// What holds of the whole, whatever the order.
    Predicate(Predicate),
}

/// A formula for element `i` of a buffer: over `i`, numbers by name, and elements of buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formula {
    /// The formula.
    pub expr: Expr,
    /// Names and their numbers.
    pub names: Vec<(String, f64)>,
    /// The buffers whose elements it takes: their names in it, their places, and whether what they held at first is meant. Elements of the
    /// buffer that is compared are those that it should have; of a predicate, those that it has.
    pub buffers: Vec<(String, usize, bool)>,
    /// How many elements it says something of: `i` goes from 0 to below this.
    pub count: u64,
}

/// What holds of a buffer as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Predicate {
    /// The formula is not 0 for any element.
    Every(Formula),
    /// The formula never becomes less from one element to the next.
    SortedBy(Formula),
    /// It holds each value as often as this buffer did at first.
    Permutation(usize),
    /// It holds the values that this buffer held at first, no matter how often.
    EqualSets(usize),
    /// Its elements add up to this.
    SumsTo(f64),
}

/// What a reference is called and what it needs, so that a lesson that asks for it can be checked before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceSignature {
    /// Its name.
    pub name: &'static str,
    /// The arguments it needs; it takes no others.
    pub args: &'static [&'static str],
    /// The buffers it reads, by the names of the shader's variables.
    pub inputs: &'static [&'static str],
}
