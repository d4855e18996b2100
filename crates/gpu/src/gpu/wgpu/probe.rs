//! Whether the driver computes correctly: a test at the start for one known defect.

use super::device::Gpu;
use super::stopwatch::Silent;
use crate::gpu::backend::Failure;
use crate::gpu::builtin_kernels;
use crate::gpu::driver::{Command, Driver, Guards, Part};
use crate::trace::record::{Warning, WarningKind};

/// Turns of the probe's loop: beyond the 65,535 after which Mesa 22's software driver leaves any loop, without an
/// error.
const TURNS: u32 = 70_000;

/// Runs a long loop on a software device and compares what comes out.
pub(super) fn broken_loops(gpu: &Gpu) -> Result<Option<Warning>, Failure> {
    if !gpu.description.software {
        return Ok(None);
    }
    let job = builtin_kernels::turns(TURNS);
    let Some(launch) = job.launches().next() else { return Ok(None) };
    let kernel = gpu.compile(launch, &job.buffers, Guards { indices: false, loops: false })?;
    let memory =
        super::memory::create(gpu, 4).map_err(|error| crate::base::diag::Diagnostic::error(error.to_string()))?;
    let part = Part { memory: &memory, offset: 0, bytes: 4 };
    let bound = gpu.bind(&kernel, launch, &job.buffers, &[part])?;
    let command = Command::Launch { kernel: &kernel, bound: &bound, grid: [1, 1, 1] };
    let mut recorded = gpu.record(vec![command], false)?;
    gpu.submit(&mut recorded)?;
    gpu.finish(&mut recorded, &Silent)?;
    let driver = &gpu.description.driver;
    Ok((gpu.read(part, &Silent)? != [expected(TURNS)]).then(|| Warning {
        kind: WarningKind::BrokenDriver,
        message: format!(
            "{driver} computes a loop of {TURNS} turns wrongly: Mesa 22's software driver leaves loops after 65,535"
        ),
        hint: "install Mesa 25 or later (on Debian 12 it is in bookworm-backports); until then check every result"
            .to_owned(),
    }))
}

/// The result of `loop.wgsl`: a linear congruential generator, which no compiler can shorten.
fn expected(turns: u32) -> u32 {
    (0..turns).fold(1, |x: u32, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}
