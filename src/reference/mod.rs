//! What kernels should give, computed on the CPU in f64: one table of names, and the comparison; and the maths that a
//! learner explores by hand.

mod compare;
mod explored;
mod product;
mod rows;
pub mod softmax;
mod table;

pub use compare::check;
pub use explored::{Explored, Explorer, explorer, explorers};
pub use table::signatures;
