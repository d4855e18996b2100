//! The roofline of a program's passes: their predicted times, and those that this machine measured.

use crate::base::units::Work;
use crate::device::DeviceSpec;
use crate::figures::{Roof, Roofline, Spot, SpotBytes, SpotTime};
use crate::job::Job;
use crate::session::run::model::Chosen;
use crate::session::run::whole::whole;
use crate::trace::record::Record;

/// The passes that have operations, placed by the bytes that their work needs. None if no time is known. `shown` is the
/// index of the pass on the stage.
#[must_use]
pub fn of(
    (job, record): (&Job, &Record),
    measured: Option<&Record>,
    shown: usize,
    chosen: &Chosen<'_>,
) -> Option<Roofline> {
    let whole = whole((job, record), None, false, chosen).ok()?;
    let (mut spots, mut left_out) = (Vec::new(), 0);
    for (place, pass) in record.passes.iter().enumerate().filter(|(_, pass)| pass.launches > 0) {
        let Work { bytes, flops } = pass.work;
        if flops <= 0.0 || bytes <= 0.0 {
            left_out += 1;
            continue;
        }
        let spot = |seconds: f64, time: SpotTime, whence: String| Spot {
            id: pass.id.clone(),
            name: pass.id.replace('_', " "),
            intensity: flops / bytes,
            bytes: SpotBytes::Needed,
            flops_per_s: Some(flops / seconds),
            time,
            shown: place == shown,
            whence,
        };
        let predicted = whole.passes.iter().find(|known| known.id == pass.id).and_then(|known| known.point_s);
        let whence = format!("predicted for {}", chosen.spec.short);
        spots.extend(predicted.map(|seconds| spot(seconds, SpotTime::Predicted, whence)));
        let timing = measured.and_then(|record| record.pass(place)).and_then(|pass| pass.timing.as_ref());
        let here = SpotTime::Measured;
        spots.extend(timing.map(|timing| spot(timing.median_s, here, here.words().to_owned())));
    }
    let halves = job.buffers.iter().any(|buffer| buffer.elem.bytes() == 2);
    let roof = published(chosen.spec);
    // Matrix units count if a buffer has 16-bit numbers for them.
    let roof = Roof { matrix_flops_per_s: roof.matrix_flops_per_s.filter(|_| halves), ..roof };
    let others =
        if left_out == 1 { "1 pass without FLOP is".to_owned() } else { format!("{left_out} passes without FLOP are") };
    let note = format!("A mark is a pass, placed by the bytes that its work needs. {others} left out.");
    (!spots.is_empty()).then(|| Roofline { roofs: vec![roof], spots, note })
}

/// A device's roof by its data sheet.
pub(super) fn published(spec: &DeviceSpec) -> Roof {
    let figures = &spec.figures;
    Roof {
        name: format!("{}, published", spec.name),
        bytes_per_s: figures.dram_bytes_per_s(),
        flops_per_s: figures.fp32_flops_per_s(),
        matrix_flops_per_s: figures.matrix_flops_per_s(),
        measured: false,
    }
}
