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
pub mod device;
pub mod figures;
mod fonts;
// A page has no device, and uses a part of it.
#[cfg_attr(target_family = "wasm", allow(dead_code))]
pub mod gpu;
pub mod job;
pub mod lesson;
pub mod math;
pub mod measure;
pub mod notes;
pub mod pack;
pub mod reference;
pub mod session;

pub use warpbook_base as base;
pub use warpbook_ranks as ranks;
pub use warpbook_tokenizer as tokenizer;
pub use warpbook_tracer::{simt, trace};
