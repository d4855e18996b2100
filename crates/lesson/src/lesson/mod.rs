//! Lesson packs: the model of a lesson, and a reader that reports every mistake at its place.
//!
//! `load` reads `lessons/index.ron` and each lesson: `document` reads `lesson.ron` field by field (`fields`), `text`
//! the prose, `expr` the formulas in both; `check` then resolves every name. `scope` evaluates names.

mod asked;
mod buffers;
mod check;
mod checks;
mod conditions;
pub mod cuda;
mod cycles;
mod document;
mod domain;
mod excerpt;
mod experiments;
mod facts;
mod fields;
mod library;
mod load;
mod mention;
pub mod model;
mod picture;
mod program;
mod programs;
mod prose;
mod questions;
mod read_split;
pub mod records;
mod scaffold;
pub mod scope;
mod shaders;
mod sized;
mod split;
mod steps;
mod text;

pub use crate::base::expr::{EvalError, Expr, ExprError, Scope};
pub use crate::base::files::FileError;
pub use crate::pack::PackFiles;
pub use buffers::INITS;
pub use checks::{BEFORE, FORMS};
pub use document::FORMAT_VERSION;
pub use facts::Facts;
pub use load::load;
pub use model::*;
pub use picture::{ArgValue, LiveText, Picture, PictureArg, USUAL};
pub use scaffold::{add_to_index, scaffold};
pub use scope::{Env, Results, Settings};
