//! Warpbook: a notebook that explains how machine-learning systems use a GPU.
//!
//! The kernel you read is the kernel you watch and the kernel you time. ARCHITECTURE.md is the map;
//! a file imports only from layers below its own, and `tests/tidy.rs` checks that.

#[cfg(feature = "app")]
pub mod app;
pub mod base;
pub mod cli;
pub mod device;
pub mod figures;
pub mod gpu;
pub mod job;
pub mod lesson;
pub mod measure;
pub mod notes;
pub mod ranks;
pub mod reference;
pub mod session;
pub mod simt;
pub mod tokenizer;
pub mod trace;
