//! L0: what every layer may use: diagnostics, units, tensors, random inputs, files on disk.

pub mod diag;
pub mod rng;
pub mod store;
pub mod tensor;
pub mod units;
