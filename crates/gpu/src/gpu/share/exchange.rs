//! How ranks on devices exchange what their memory holds: one trait, implemented per way between GPUs.

use crate::base::tensor::Elem;
use crate::gpu::backend::Failure;
use crate::gpu::driver::{Driver, Part};
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;

/// The bytes that a rank sent, and to which ranks; None if unknown.
pub(in crate::gpu) type Sent = Option<Vec<(usize, u64)>>;

/// The known traffic on each link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::gpu) enum Links {
    /// They go round a ring, as a lesson's kernels have it.
    Ring,
    /// Each rank sends to all others.
    #[cfg_attr(
        not(any(feature = "cuda", target_family = "wasm")),
        expect(dead_code, reason = "only CUDA reaches other ranks' memory")
    )]
    Pairs,
    /// Nothing.
    Unknown,
}

/// A way over which ranks on devices exchange what their memory holds.
pub(in crate::gpu) trait Exchange<D: Driver> {
    /// The known traffic of the bytes that it moves.
    fn links(&self) -> Links;

    /// A caveat about its times.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Starts a collective on a part of memory, with a chunk for each rank, after earlier work and concurrent with
    /// later work. It may return before that is done.
    ///
    /// # Errors
    /// When a rank is lost, or the device fails.
    fn begin(
        &mut self,
        driver: &D,
        what: Collective,
        elem: Elem,
        piece: Part<'_, D>,
        meeting: &mut Meeting,
    ) -> Result<Sent, Failure>;

    /// Makes later work wait until the first of the begun collectives for which this was not called is over. Does not
    /// wait itself.
    fn arrive(&mut self, _: &mut Meeting) -> Result<(), Failure> {
        Ok(())
    }

    /// Waits until the work before this is done, and looks after the other ranks meanwhile.
    ///
    /// # Errors
    /// When a rank is lost, or the device fails.
    fn wait(&mut self, _: &mut Meeting) -> Result<(), Failure> {
        Ok(())
    }

    /// Lets the others go; nothing is exchanged after that.
    ///
    /// # Errors
    /// When a rank is lost.
    fn leave(&mut self, _: &mut Meeting) -> Result<(), Failure> {
        Ok(())
    }
}

/// Reports a failure here to all ranks.
pub(in crate::gpu) fn told(failure: &Failure, meeting: &mut Meeting) -> Failure {
    meeting.explain(&failure.diagnostic).into()
}
