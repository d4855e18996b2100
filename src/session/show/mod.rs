//! What figures are given: results worked out on the spot, films, covers, and the place where a step begins.

pub mod cover;
pub mod first;
pub mod inline;
pub mod reel;
pub mod staged;
pub mod text_file;
