//! CUDA C++ files as they are: the device's part of one, for a compiler of kernels alone, and the launches in it, with their sizes and
//! arguments as far as they can be known without running it.
//!
//! The text is read by tree-sitter's grammar, not by a compiler: parts that do not parse are left out.
//!
//! - [`device_parts`] keeps kernels and what they use, by names. The rest becomes spaces, so lines and columns stay.
//! - [`kernels`] lists what it defines, [`members`] the structures that a kernel takes.
//! - [`launches`] evaluates `<<<…>>>` and `cudaLaunchKernel`: constants, macros, local variables, parameters by the calls in the file,
//!   sizes of buffers by their allocations. A name that stays unknown is named.

// Nothing is published: a comment says more than a name, or is left out.
#![allow(missing_docs)]

mod arithmetic;
mod buffers;
mod device;
mod host;
mod instances;
mod kernels;
mod launches;
mod macros;
mod members;
mod preprocessor;
mod tree;
mod types;
mod value;
mod variables;

pub use arithmetic::{Unknown, Value};
pub use device::device_parts;
pub use kernels::{Kernel, kernels};
pub use launches::{Argument, Buffer, Given, Launch, Missed, Parameter, Size, launches};
pub use members::{Member, members};
pub use value::Used;
