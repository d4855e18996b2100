//! Notes: a typed [`Report`] of what a learner read, ran and wrote, the files it becomes, and a note read again.

pub mod anki;
pub mod cards;
pub mod csv;
pub mod html;
pub mod jupyter;
pub mod markdown;
pub mod page;
pub mod picture;
pub mod read;
pub mod report;
pub mod site;
pub mod write;

mod format;
mod nesting;
mod own_words;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(not(feature = "pdf"))]
#[path = "no_pdf.rs"]
mod pdf;
mod place;
mod style;

pub use format::Format;
pub use report::{NoteBlock, Report, Section};
pub use write::{To, Written, write};
