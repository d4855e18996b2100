//! Facts about a launch that the checks start from.

use super::between::Between;
use super::global::Global;
use super::stored::Stored;
use super::uninitialized::Poisoned;
use crate::simt::code::Code;
use crate::simt::ir::{Dialect, Variable};
use crate::simt::memory::Buffer;

/// The facts of a run that the checks use.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// Bindings, then workgroup variables.
    pub variables: &'a [Variable],
    /// The buffers, by binding.
    pub buffers: &'a [Buffer<'a>],
    /// Their words that were not written when the launch began.
    pub poisoned: &'a [Poisoned],
    /// The workgroups that accessed each word of the buffers; None if races between workgroups are not checked.
    pub between: Option<&'a Between>,
    /// The words that the run stores to; None if they are not recorded.
    pub stored: Option<&'a Stored>,
    /// Whether workgroups run one after another.
    pub in_order: bool,
    /// What the workgroups did so far; None if nothing orders them, or races between them are not checked.
    pub global: Option<&'a Global>,
    /// The code of a warp.
    pub code: &'a Code,
    /// Workgroup memory, in bytes.
    pub shared_bytes: u32,
    /// Threads of a workgroup.
    pub threads: u32,
    /// Bytes of the narrowest access.
    pub grain: u32,
    /// Lanes of a warp.
    pub width: u32,
    /// Whether the kernel has cooperative matrices, which all lanes of a subgroup load and store together.
    pub cooperative: bool,
    /// Whether the kernel has a barrier that orders no memory: a subgroup's.
    pub subgroup_barrier: bool,
    /// The language of the kernel.
    pub dialect: Dialect,
}
