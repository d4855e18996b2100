//! Kernels of the kinds that people write: each gives what a plain computation gives, and each planted mistake is found at its line.

mod calls;
#[path = "../common/mod.rs"]
mod common;
