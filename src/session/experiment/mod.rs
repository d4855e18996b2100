//! Experiments: sweeps of a parameter, their plots, recordings of them, the bench, and the model held against them.

pub mod bench;
pub mod chart;
pub mod curves;
pub mod model_check;
pub mod record;
pub mod recording;
pub mod step;
pub mod sweep;
