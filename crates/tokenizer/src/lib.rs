//! Byte-pair encoding for real corpora, on the processor's cores: training, encoding, decoding, and the two file
//! formats that others read.
//!
//! The lesson on tokenization runs the same algorithm in kernels, on a text that can be watched. This module is the
//! tool.

mod cells;
mod classes;
pub mod count;
pub mod encode;
pub mod hugging_face;
pub mod pattern;
pub mod rank_file;
mod recent;
pub mod stream;
pub mod tables;
pub mod train;
pub mod vocabulary;

pub use pattern::Pattern;
pub use train::Ties;
pub use vocabulary::Vocabulary;
