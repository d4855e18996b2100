//! Data for figures: what a stage's figure asks for, covers, a step's first event, roofline and grid spread, text counts.

pub mod controls;
pub mod cover;
pub mod explored;
pub mod first;
pub mod interpolate;
pub mod judged;
mod launches;
pub mod moving;
pub mod page;
mod pass_roofline;
pub mod said;
pub mod source;
pub mod stage;
pub mod staged;
mod taken;
pub mod text_file;
