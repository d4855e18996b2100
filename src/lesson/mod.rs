//! L1: lesson packs: what a lesson is, and reading one with every mistake reported at its place.

pub mod expr;
pub mod model;

pub use model::*;
