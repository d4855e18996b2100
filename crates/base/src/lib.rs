//! Utilities for every layer: diagnostics, units, tensors, random inputs, files on disk, words and formulas in markup.

pub mod day;
pub mod diag;
pub mod expr;
pub mod files;
pub mod foreign;
pub mod half;
pub mod lines;
pub mod npy;
pub mod parts;
pub mod process;
pub mod rng;
pub mod sanitize;
pub mod shell;
pub mod store;
pub mod tensor;
pub mod units;
pub mod versioned;
pub mod wgsl;
pub mod xml;
