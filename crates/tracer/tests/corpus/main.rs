//! Kernels of the kinds that people write: each gives what a plain computation gives, and each planted mistake is found
//! at its line.

mod atomics;
mod bytes;
mod calls;
#[path = "../common/mod.rs"]
mod common;
mod grids;
mod groups;
mod library;
mod linear;
mod memory;
mod order;
mod random;
mod reduce;
mod scan;
mod science;
mod sort;
