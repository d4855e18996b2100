//! The tracer: runs WGSL compute shaders on the CPU, warp by warp, and counts what they touch.
//!
//! [`dispatch`] says what to run, [`simt`] runs it, and [`trace`] is the record of the run; [`machine`] reads what NVIDIA's tools say of
//! machine code. The crate reads no files and knows no lesson; it also builds for `wasm32-unknown-unknown`. `examples/` has first programs: sectors, a race,
//! the cost of lines, an element's origin, PTX.

pub mod dispatch;
pub mod machine;
pub mod simt;
pub mod trace;

pub use warpbook_base::{diag, tensor};
