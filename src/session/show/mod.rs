//! Data for figures: results computed synchronously, buffer contents, covers, a step's first event, roofline and grid spread, text counts.

pub mod cover;
pub mod first;
pub mod inline;
pub mod reel;
pub mod staged;
pub mod text_file;
