//! Running one rank's share of a program, on the tracer or a device, while other processes run theirs.

pub(super) mod exchange;
mod over_host;
pub(super) mod rank;

use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;

use self::over_host::Traced;
use self::rank::Rank;
use super::backend::{Failure, NullSink};
use super::bench;
use super::between::Between;
use super::driver::{Driver, Work};
use super::limits;
use super::simt;
use super::walk::walk;
use super::wgpu;
use crate::base::diag::Diagnostic;
use crate::job::Share;
use crate::ranks::meeting::Meeting;
use crate::ranks::ring::Ring;
use crate::trace::record::{Backend, Record};

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
        bench::share::run(driver, self.share, self.meeting, &mut NullSink, |_, meeting| {
            Ok(Box::new(Ring::join(meeting)?))
        })
    }
}
