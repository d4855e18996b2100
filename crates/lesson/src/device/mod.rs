//! Device models: published figures, occupancy, waves, and the predicted time of a trace.
//!
//! `spec` reads `assets/devices/*.ron`, where each figure names its source. `occupancy`, `waves` and `predict` are pure
//! functions of such a spec: results that depend on a missing figure are left out and reported, never guessed.

pub mod assumption;
pub mod occupancy;
pub mod point;
pub mod predict;
pub mod spec;
mod terms;
pub mod waves;

pub use assumption::{Assumption, Missing};
pub use occupancy::{Launch, Occupancy, Resource, occupancy};
pub use point::{Cost, Part, Point};
pub use predict::{Bound, Prediction, Term, Work, predict};
pub use spec::DeviceSpec;
pub use waves::{Waves, waves};
