//! The learner's work: predictions, exercises, versions of kernels, the journal and what follows from it, and the state
//! that is saved.

pub mod calibration;
pub mod cards;
pub mod drawn_curve;
pub mod edits;
pub mod event_class;
pub mod evidence;
pub mod exercise;
pub mod fsrs;
pub mod gathered;
pub mod graded;
pub mod journal;
pub mod ledger;
pub mod merge;
pub mod pins;
pub mod predict;
pub mod question;
mod recorded;
pub mod review;
pub mod reviews;
pub mod saved;
pub mod story;
pub mod told;
