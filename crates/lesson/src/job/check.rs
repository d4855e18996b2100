//! Checks of a program's results.

use serde::{Deserialize, Serialize};

use super::Launch;
use crate::base::diag::Place;
use crate::base::expr::Expr;

/// A comparison of a buffer with its expected contents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckSpec {
    /// The index of the buffer that is compared.
    pub output: usize,
    /// The expected contents.
    pub against: Against,
    /// The largest relative error allowed; 0 requires equal values.
    pub tolerance: f64,
    /// The least magnitude that an error is relative to, for a formula or a plain kernel: values near 0, from terms of
    /// this size that cancel, have errors like those of the terms.
    pub scale: f64,
    /// The pass or repetition after each of whose launches or rounds the check runs; None for the end.
    pub after: Option<String>,
    /// The place where a lesson declares it; None if no lesson does.
    pub place: Option<Place>,
}

impl CheckSpec {
    /// The buffers that it reads, each with whether it reads the initial contents.
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

    /// A description of the expected contents.
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

/// The expected contents of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Against {
    /// A reference on the CPU, in f64.
    Reference {
        /// A name in `reference`'s table.
        name: String,
        /// Its arguments, by name.
        args: Vec<(String, f64)>,
        /// The buffers that it reads, by its own names for them and by their indices. It reads their initial contents.
        inputs: Vec<(String, usize)>,
    },
    /// A plain kernel that the tracer runs on the buffers' initial contents. It writes to the output's variable.
    Kernel(Box<Launch>),
    /// A formula for an element.
    Formula(Formula),
    /// A property of the whole buffer.
    Predicate(Predicate),
}

/// A formula for element `i` of a buffer: over `i`, numbers by name, and elements of buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Formula {
    pub expr: Expr,
    /// Names and their values.
    pub names: Vec<(String, f64)>,
    /// The buffers whose elements it uses: their names in it, their indices, and whether their initial contents are
    /// meant. Elements of the compared buffer are the expected ones; in a predicate, the actual ones.
    pub buffers: Vec<(String, usize, bool)>,
    /// The number of elements that it covers: `i` goes from 0 to below this.
    pub count: u64,
}

/// A property of a whole buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Predicate {
    /// The formula is not 0 for any element.
    Every(Formula),
    /// The formula never decreases from one element to the next.
    SortedBy(Formula),
    /// It holds each value as often as this buffer initially did.
    Permutation(usize),
    /// It holds the same set of values that this buffer initially held, no matter how often.
    EqualSets(usize),
    /// Its elements add up to this.
    SumsTo(f64),
}

/// A reference's name, arguments and inputs, so that a lesson's use of it can be checked before anything runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReferenceSignature {
    pub name: &'static str,
    /// The arguments it requires; it takes no others.
    pub args: &'static [&'static str],
    /// The buffers it reads, by the names of the shader's variables.
    pub inputs: &'static [&'static str],
}
