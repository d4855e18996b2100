//! Warpbook: a notebook that explains how machine-learning systems use a GPU.
//!
//! The kernel you read is the kernel you watch and the kernel you time. ARCHITECTURE.md is the map;
//! a file imports only from layers below its own, and `tests/tidy.rs` checks that.

pub mod base;
pub mod job;
pub mod simt;
pub mod trace;
