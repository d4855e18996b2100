//! Packs: checking, figures quoted in prose, profiles, new lessons, and watching files for changes.

pub mod assemble;
pub mod carried;
pub mod check;
mod concepts;
pub mod my_kernel;
pub mod new_lesson;
pub mod profile;
mod questions;
pub mod quote;
pub mod watch;
