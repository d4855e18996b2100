//! Questions about a lesson's programs, and the store of their answers.
//!
//! A picture, a value in the prose, a note and the start page ask the same typed questions (`figures/ask.rs`). A [`Store`] answers from
//! its memory and never blocks ([`Noting`], for the window), or works on the spot ([`Inline`], for notes). The tracer's answers are in
//! one file each; [`trace`] reads all that are asked of one launch from one run.

mod accesses;
mod answers;
mod at;
mod counts;
mod course;
mod film;
mod heat;
mod inline;
mod measure;
mod query;
mod run;
mod trace;

pub use answers::{Answers, Noting};
pub use at::{At, How};
pub use inline::Inline;
pub use measure::measure;
pub use query::{Of, Outcome, Query, Store};
pub use run::no_compiler;
pub use trace::{together, trace};

#[cfg(test)]
mod tests;
