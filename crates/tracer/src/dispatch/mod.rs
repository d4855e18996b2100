//! A kernel and its launch as data: source, bindings, grid, and which of it to trace.

mod code;
mod element;
mod spec;

pub use code::{
    Argument, Assembled, Binding, BindingKind, Blame, Code, CudaLaunch, Grid, Launch, Library, Product, Shipped,
    TensorMap, Twin, Wgsl, WorkgroupShape, written_for_cuda,
};
pub use element::{Asked, no_buffer, written_element};
pub use spec::{Caches, FUEL, Language, Shown, TraceSpec};
