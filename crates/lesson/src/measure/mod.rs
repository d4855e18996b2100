//! Statistics of samples: summaries, when to stop sampling, what to warn of, and which comparisons hold.

pub mod compare;
pub mod roofline;
pub mod sampling;
pub mod stats;
pub mod warnings;
