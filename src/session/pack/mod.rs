//! Packs: checking one, the figures that its prose quotes, a new lesson, and noticing that a file has changed.

pub mod check;
pub mod new_lesson;
pub mod profile;
pub mod quote;
pub mod watch;
