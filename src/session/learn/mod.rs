//! What the learner does: predictions, exercises, versions of kernels, and the state that is kept of all that.

pub mod drawn;
pub mod edits;
pub mod exercise;
pub mod merge;
pub mod predict;
pub mod saved;
