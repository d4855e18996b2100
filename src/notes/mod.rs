//! Notes: a typed [`Report`] of what a learner read, ran and wrote, and the files it becomes.

pub mod csv;
pub mod html;
pub mod markdown;
pub mod report;
pub mod write;

mod own_words;
mod style;

pub use report::{NoteBlock, Report, Section};
pub use write::{Format, write};
