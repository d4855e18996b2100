//! Running one rank's share of a program, on the tracer or a device, while other processes run theirs.

mod over_host;
mod rank;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use self::over_host::Traced;
use super::backend::{Alone, Failure};
use super::bench;
use super::driver::{Driver, Part, Work};
use super::limits;
use super::ranks::Between;
use super::simt;
use super::walk::walk;
use super::wgpu;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Elem;
use crate::job::Share;
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;
use crate::ranks::ring::Ring;
use crate::trace::record::{Backend, Record};

pub(super) use self::rank::{Local, Piece, Rank, Step};

/// The bytes that a rank sent, and to which ranks; None if nobody knows.
pub(super) type Sent = Option<Vec<(usize, u64)>>;

/// What is known of the bytes on each link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Links {
    /// They go round a ring, as a lesson's kernels have it.
    Ring,
    /// Each rank sends to all others.
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "only CUDA reaches other ranks' memory"))]
    Pairs,
    /// Nothing.
    Unknown,
}

/// A way over which ranks on devices exchange what their memory holds.
pub(super) trait Exchange<D: Driver> {
    /// What is known of the bytes that it moves.
    fn links(&self) -> Links;

    /// What has to be known about its times.
    fn remark(&self) -> Option<String> {
        None
    }

    /// Has a collective carried out on a part of memory, with a chunk for each rank, after the work before and beside that behind it. It may
    /// come back before that is done.
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

    /// Lets the work behind this begin when the first of the collectives that were begun, and for which this was not said, is over. Does not
    /// wait itself.
    ///
    /// # Errors
    /// When the device fails.
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

/// Runs this rank's share. Numbers go over TCP unless something between GPUs is chosen.
///
/// # Errors
/// When it cannot run here, a rank is lost, or the ranks exchange numbers in a way that this backend does not have.
pub fn run(
    backend: Backend,
    share: &Share,
    between: Option<Between>,
    meeting: &mut Meeting,
) -> Result<Record, Diagnostic> {
    let done = match (backend, between) {
        (Backend::Simt, None) => traced(share, meeting),
        (Backend::Wgpu, None) => wgpu::with_device(OverHost { share, meeting }),
        (Backend::Simt | Backend::Wgpu, Some(_)) => {
            let problem = Diagnostic::error(format!("{} knows no way between GPUs", backend.name()));
            Err(meeting.explain(&problem.hint("use --over host, or --backend cuda")).into())
        }
        #[cfg(feature = "cuda")]
        (Backend::Cuda, None) => super::cuda::with_device(Some(meeting.world().local), OverHost { share, meeting }),
        #[cfg(feature = "cuda")]
        (Backend::Cuda, Some(between)) => super::cuda::ranks::run(between, share, meeting),
        #[cfg(not(feature = "cuda"))]
        (Backend::Cuda, _) => {
            Err(Diagnostic::error("this build has no CUDA backend").hint("use --backend wgpu").into())
        }
    };
    done.map_err(|failure| failure.diagnostic)
}

/// What all ranks are told of a failure here.
pub(super) fn told(failure: &Failure, meeting: &mut Meeting) -> Failure {
    meeting.explain(&failure.diagnostic).into()
}

/// A share on the tracer.
fn traced(share: &Share, meeting: &mut Meeting) -> Result<Record, Failure> {
    let cancel = AtomicBool::new(false);
    let machine = simt::Machine::new(&share.part, &cancel).map_err(|problem| meeting.explain(&problem))?;
    let ring = Ring::join(meeting)?;
    let mut rank = Rank::new(share, Traced { machine, ring, begun: VecDeque::new() }, meeting)?;
    let walked = walk(&share.whole, &mut rank, true);
    let walked = rank.walked(walked)?;
    Ok(rank.local.machine.record(walked))
}

/// A share on any device, with numbers that go over TCP.
struct OverHost<'a> {
    share: &'a Share,
    meeting: &'a mut Meeting,
}

impl Work for OverHost<'_> {
    type Output = Record;

    fn with<D: Driver>(self, driver: &D) -> Result<Record, Failure> {
        let problem = limits::check(&self.share.part, driver.device()).into_iter().next();
        if let Some(problem) = problem {
            return Err(self.meeting.explain(&problem).into());
        }
        bench::share::run(driver, self.share, self.meeting, &mut Alone, |_, meeting| Ok(Box::new(Ring::join(meeting)?)))
    }
}
