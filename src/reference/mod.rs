//! What kernels should give, computed on the CPU in f64: one table of names, and the comparison; and the maths that a
//! learner explores by hand.

mod check;
mod compare;
mod explored;
pub mod formats;
mod formula;
pub mod fragments;
mod predicate;
mod product;
mod rows;
pub mod softmax;
mod table;
pub mod tile_order;
mod tokens;
pub mod views;

pub use check::{Seen, check};
pub use explored::{Explored, Explorer, TEXTS, explorer, explorers};
pub use formula::{Allowance, TERMS};
pub use table::signatures;
