//! Questions about a lesson's programs, and the store of their answers.
//!
//! A picture, a value in the prose, a note and the start page ask the same typed questions. A [`Store`] answers from
//! its memory and never blocks ([`Noting`], for the window), or works on the spot ([`Inline`], for notes).

mod answers;
mod at;
mod film;
mod inline;
mod measure;
mod question;
mod trace;

pub use answers::{Answers, Noting};
pub use at::{At, How};
pub use inline::Inline;
pub use measure::measure;
pub use question::{Accesses, Answer, Built, Coursed, Outcome, Question, Store, Traced};
pub use trace::trace;

#[cfg(test)]
mod tests;
