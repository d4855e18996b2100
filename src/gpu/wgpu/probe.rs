//! Whether the driver computes rightly: one known defect, looked for at the start.

use super::device::Gpu;
use super::stopwatch::Silent;
use super::{Prepared, broken};
use crate::base::tensor::{Elem, Init};
use crate::gpu::backend::Failure;
use crate::gpu::own;
use crate::job::{BindingKind, BufferSpec};
use crate::trace::record::Warning;

/// Turns of the probe's loop: beyond the 65,535 after which Mesa 22's software driver leaves any loop, without an error.
const TURNS: u32 = 70_000;

/// Runs a long loop on a software device and compares what comes out.
///
/// # Errors
/// When the device cannot even run that.
pub(super) fn broken_loops(gpu: &Gpu) -> Result<Option<Warning>, Failure> {
    if !gpu.description.software {
        return Ok(None);
    }
    let out = BufferSpec {
        name: "out".to_owned(),
        group: 0,
        binding: 0,
        kind: BindingKind::ReadWrite,
        elem: Elem::U32,
        count: 1,
        init: Init::Poison,
        columns: None,
    };
    let mut job = own::plain("loop", include_str!("../../../shaders/ceilings/loop.wgsl"), vec![out], [1, 1, 1]);
    job.constants = vec![("turns".to_owned(), f64::from(TURNS))];
    let (mut prepared, _) = Prepared::new(gpu, &job, &mut Silent)?;
    prepared.run_once(&mut Silent)?;
    let right = expected(TURNS);
    let got = prepared.read("out", &mut Silent)?.words;
    let driver = &gpu.description.driver;
    Ok((got != [right]).then(|| {
        broken(
            format!(
                "{driver} computes a loop of {TURNS} turns wrongly: Mesa 22's software driver leaves loops after 65,535"
            ),
            "install Mesa 25 or later (on Debian 12 it is in bookworm-backports); until then check every result",
        )
    }))
}

/// What `loop.wgsl` computes: a linear congruential generator, which no compiler can shorten.
fn expected(turns: u32) -> u32 {
    (0..turns).fold(1, |x: u32, _| x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223))
}
