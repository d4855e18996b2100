//! Lesson packs: what a lesson is, and reading one with every mistake reported at its place.
//!
//! `load` reads `lessons/index.ron` and each lesson: `document` reads `lesson.ron` field by field (`fields`), `text` the
//! prose, `expr` the formulas in both; `check` then resolves every name. `scope` gives names their numbers.

mod buffers;
mod check;
mod conditions;
mod cuda;
mod document;
mod domain;
mod excerpt;
mod experiments;

mod fields;
pub mod files;
mod library;
mod load;
mod mention;
pub mod model;
mod scaffold;
mod scenes;
pub mod scope;
mod text;

pub use crate::base::expr::{EvalError, Expr, ExprError, Scope};
pub use document::FORMAT_VERSION;
pub use files::{FileError, PackFiles};
pub use load::load;
pub use model::*;
pub use scaffold::{add_to_index, scaffold};
pub use scenes::SceneKind;
pub use scope::{Env, Results, Settings};
