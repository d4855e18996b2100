//! The journal: one line for each thing that the learner did, in a file that only grows. Progress, ledger, reviews and
//! history follow from it.

mod before;
mod file;
mod line;

pub use before::before;
pub use file::{append, path_beside, read};
pub use line::{Did, Item, ItemKind, Line, Standing, hash};
