//! Kernels that the learner wrote: how they are told from those of a lesson.

use crate::lesson::Kernel;

/// What the file of a learner's kernel is called.
pub const YOURS: &str = "your kernel";

/// Whether an id is of a version of the learner's.
#[must_use]
pub fn is_edit_id(id: &str) -> bool {
    id.contains('+')
}

/// Whether a kernel is one that the learner wrote.
#[must_use]
pub fn is_edit(kernel: &Kernel) -> bool {
    is_edit_id(&kernel.id)
}
