//! Advice on parameters when a program's buffers do not fit a device's memory.

use crate::base::diag::Diagnostic;
use crate::base::units::si;
use crate::gpu::limits;
use crate::job::Job;
use crate::lesson::{Domain, Lesson};
use crate::session::jobs::{Params, with};
use crate::trace::record::{Backend, Device};

/// Adds to the problems of a job that does not fit a device the choice of a parameter with which it fits, and the bytes
/// of both. `job` gives the job at other parameters.
pub fn advise(
    lesson: &Lesson,
    params: &Params,
    device: &Device,
    job: &dyn Fn(&Params) -> Option<Job>,
    problems: &mut [Diagnostic],
) {
    let (Some(own), Some(last)) = (job(params), problems.last_mut()) else { return };
    if fits(&own, device) {
        return;
    }
    let choices = lesson.params.iter().filter_map(|param| match &param.domain {
        Domain::Choice(values) => Some((param, values)),
        Domain::Range { .. } | Domain::PowersOfTwo { .. } => None,
    });
    let others = choices.flat_map(|(param, values)| values.iter().map(move |value| (param, *value)));
    let others = others.filter_map(|(param, value)| {
        let other = job(&with(params, &[(param.id.clone(), value)])).filter(|other| fits(other, device))?;
        Some((other.footprint(), &param.id, value))
    });
    let Some((bytes, id, value)) = others.min_by_key(|(bytes, ..)| *bytes) else { return };
    #[expect(clippy::cast_precision_loss, reason = "for three digits")]
    let [bytes, own] = [bytes, own.footprint()].map(|bytes| si(bytes as f64, "B"));
    let instead = format!("set {id}={value}: then all buffers take {bytes} instead of {own}, and fit");
    last.hint = Some(last.hint.take().map_or_else(|| instead.clone(), |hint| format!("{hint}; or {instead}")));
}

fn fits(job: &Job, device: &Device) -> bool {
    let has_room = device.backend != Backend::Cuda || job.footprint() <= device.max_buffer_bytes;
    has_room && limits::check(job, device).is_empty()
}
