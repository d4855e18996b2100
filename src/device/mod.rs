//! The model of a device: its published figures, how many blocks it holds at once, in how many waves a grid runs, and the time that a
//! trace should take on it.
//!
//! `spec` reads `assets/devices/*.ron`, where each figure names its source. `occupancy`, `waves` and `predict` are pure functions of
//! such a spec: what a missing figure would decide is left open and said, never guessed.

pub mod assumption;
pub mod occupancy;
pub mod predict;
pub mod spec;
mod terms;
pub mod waves;

pub use assumption::{Assumption, Missing};
pub use occupancy::{Occupancy, Resource, occupancy};
pub use predict::{Bound, Launch, Prediction, Term, Work, predict};
pub use spec::DeviceSpec;
pub use waves::{Waves, waves};
