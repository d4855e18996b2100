//! The window: one binary, so that it is linked once. `cargo test --test window pictures::` runs one module.

#[path = "../common/mod.rs"]
mod common;
mod figures;
mod harness;

#[cfg(all(feature = "cuda", feature = "gpu-tests"))]
mod cuda_edits;
mod display;
mod edits;
mod experiments;
mod films;
mod frames;
mod journal;
mod languages;
mod my_kernels;
mod passes;
mod pictures;
mod reading;
mod room;
mod shared;
mod text_files;
mod training;
mod ui;
mod untraced;
