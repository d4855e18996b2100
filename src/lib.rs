//! Warpbook: a notebook that explains how machine-learning systems use a GPU.
//!
//! The kernel you read is the kernel you watch and the kernel you time. ARCHITECTURE.md is the map;
//! a file imports only from layers below its own, and `tests/tidy.rs` checks that. The lowest layers
//! are crates of their own, in `crates/`.
// Nothing is published: a comment says more than a name, or is left out.
#![allow(missing_docs)]

#[cfg(feature = "app")]
pub mod app;
pub mod cli;
pub mod session;

pub use warpbook_base as base;
pub use warpbook_figures as figures;
pub use warpbook_gpu::gpu;
pub use warpbook_lesson::{device, job, lesson, math, measure, pack, reference};
pub use warpbook_notes::notes;
pub use warpbook_ranks as ranks;
pub use warpbook_tokenizer as tokenizer;
pub use warpbook_tracer::{machine, simt, trace};

#[cfg(feature = "app")]
use warpbook_lesson::fonts;
