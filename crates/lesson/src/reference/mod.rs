//! CPU references in f64 for the results of kernels: one table by name, and the comparison; and the maths that a
//! learner explores interactively.

mod attention;
mod check;
mod compare;
pub mod einsum;
mod explored;
pub mod formats;
mod formula;
pub mod fragments;
mod given;
mod predicate;
mod product;
mod rows;
pub mod softmax;
mod table;
pub mod tile_order;
mod tokens;
pub mod views;

pub use check::{Seen, check};
pub use explored::{Explored, TEXTS};
pub use formula::{Allowance, TERMS};
pub use table::signatures;
