//! The learner's work: predictions, exercises, versions of kernels, and the state that is saved of them.

pub mod drawn;
pub mod edits;
pub mod event_class;
pub mod exercise;
pub mod merge;
pub mod predict;
mod recorded;
pub mod saved;
