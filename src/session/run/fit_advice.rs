//! Advice on parameters when a program's buffers do not fit a device's memory.

use crate::base::diag::Diagnostic;
use crate::base::units::si;
use crate::gpu::limits;
use crate::job::BufferSpec;
use crate::lesson::{Domain, Lesson};
use crate::session::jobs::{Params, with};
use crate::trace::record::Device;

/// The most ways that are said.
const MOST_WAYS: usize = 4;

/// Adds to the problems of a job that does not fit a device the parameters with which it fits, and the bytes of both:
/// choices first, then numbers halved until it fits. `buffers` gives the buffers at any parameters.
pub fn advise(
    lesson: &Lesson,
    params: &Params,
    device: &Device,
    buffers: &dyn Fn(&Params) -> Option<Vec<BufferSpec>>,
    problems: &mut [Diagnostic],
) {
    let (Some(own), Some(last)) = (buffers(params), problems.last_mut()) else { return };
    if limits::has_room(&own, device) {
        return;
    }
    let bytes = |id: &str, value: f64| {
        let other = buffers(&with(params, &[(id.to_owned(), value)]))?;
        limits::has_room(&other, device).then(|| (limits::bytes(&other), value))
    };
    let mut ways: Vec<(bool, u64, &str, f64)> = Vec::new();
    for param in &lesson.params {
        let now = params.get(&param.id).copied().unwrap_or(param.default);
        let (is_number, way) = match &param.domain {
            Domain::Choice(values) => {
                (false, values.iter().filter_map(|value| bytes(&param.id, *value)).min_by_key(|(bytes, _)| *bytes))
            }
            Domain::Range { .. } | Domain::PowersOfTwo { .. } => {
                let half = |value: &f64| Some((value / 2.0).floor()).filter(|half| half < value);
                let halves = std::iter::successors(Some(now), half);
                let mut halves = halves.skip(1).take_while(|half| param.domain.accepts(*half));
                (true, halves.find_map(|half| bytes(&param.id, half)))
            }
        };
        ways.extend(way.map(|(bytes, value)| (is_number, bytes, param.id.as_str(), value)));
    }
    // Of numbers, those first that leave the most of the work.
    ways.sort_by_key(|(is_number, bytes, ..)| (*is_number, if *is_number { u64::MAX - bytes } else { *bytes }));
    #[expect(clippy::cast_precision_loss, reason = "for three digits")]
    let words = |bytes: u64| si(bytes as f64, "B");
    let Some(&(_, bytes, id, value)) = ways.first() else { return };
    let own = words(limits::bytes(&own));
    let mut instead = format!("set {id}={value}: then all buffers take {} instead of {own}, and fit", words(bytes));
    for (i, (_, bytes, id, value)) in ways.iter().enumerate().take(MOST_WAYS).skip(1) {
        let so = if i == 1 { "; so they do with " } else { ", or " };
        instead.push_str(&format!("{so}{id}={value} ({})", words(*bytes)));
    }
    last.hint = Some(last.hint.take().map_or_else(|| instead.clone(), |hint| format!("{hint}; or {instead}")));
}
