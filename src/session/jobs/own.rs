//! Kernels that the learner wrote: how they are distinguished from a lesson's.

use crate::lesson::Kernel;

/// The file name of a learner's kernel.
pub const YOURS: &str = "your kernel";

/// Whether an id belongs to one of the learner's versions.
#[must_use]
pub fn is_edit_id(id: &str) -> bool {
    id.contains('+')
}

/// Whether the learner wrote a kernel.
#[must_use]
pub fn is_edit(kernel: &Kernel) -> bool {
    is_edit_id(&kernel.id)
}
