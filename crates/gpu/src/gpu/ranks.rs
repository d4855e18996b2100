//! The ways in which GPUs exchange numbers, one rank a GPU.

pub use super::between::Between;
use crate::base::diag::Diagnostic;
use crate::ranks::measure::Transport;
use crate::ranks::meeting::Meeting;

/// How many GPUs of this host CUDA's driver sees.
#[must_use]
#[cfg(feature = "cuda")]
pub fn gpus() -> usize {
    super::cuda::ranks::gpus()
}

/// How many GPUs of this host CUDA's driver sees: this build has no CUDA.
#[must_use]
#[cfg(not(feature = "cuda"))]
pub fn gpus() -> usize {
    0
}

/// Joins all ranks, for messages of up to `most` numbers.
///
/// # Errors
/// When a GPU or a library is missing, a GPU cannot reach another one, or a rank is lost.
#[cfg(feature = "cuda")]
pub fn join(between: Between, most: usize, meeting: &mut Meeting) -> Result<Box<dyn Transport>, Diagnostic> {
    // Vectors of four numbers for each rank are the least.
    let most = most.max(4 * meeting.world().size);
    match between {
        Between::Nccl => super::cuda::ranks::nccl::join(most, meeting),
        Between::Peers => super::cuda::ranks::peers::join(most, meeting),
    }
}

/// Says that this build has no CUDA.
///
/// # Errors
/// Always.
#[cfg(not(feature = "cuda"))]
pub fn join(_: Between, _: usize, _: &mut Meeting) -> Result<Box<dyn Transport>, Diagnostic> {
    Err(Diagnostic::error("this build has no CUDA backend").hint("use --over host"))
}
