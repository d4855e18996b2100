//! Buffers that are larger than the tracer's memory: of these it holds the pages that a launch touches.

use super::{BufferSpec, Code, Content, Job, Launch};
use crate::base::tensor::Init;

/// Bytes of a buffer that is held as a whole, at most: there is a copy of it for each check that needs one.
pub const WHOLE: u64 = 1 << 30;

/// Bytes of a paged buffer that are held.
pub const HELD: u64 = 256 << 20;

/// Bytes of a paged buffer, at most.
const LARGEST: u64 = 64 << 30;

impl Job {
    /// Whether the tracer holds only the pages of a buffer that are touched: one of more than [`WHOLE`] bytes, whose
    /// elements can have any place, in a launch of a CUDA kernel of which nothing is asked but counts and findings.
    #[must_use]
    pub fn is_paged(&self, buffer: usize) -> bool {
        let Some(spec) = self.buffers.get(buffer) else { return false };
        let is_cuda = |launch: &Launch| matches!(launch.code, Code::Ptx(_));
        (WHOLE + 1..=LARGEST).contains(&spec.bytes())
            && spec.has_no_order()
            && self.is_single()
            && self.launches().all(is_cuda)
            && self.only_counts()
            && self.looks.iter().all(|look| look.buffer != buffer)
    }

    fn only_counts(&self) -> bool {
        let trace = self.trace.as_ref();
        trace.is_some_and(|spec| spec.timeline_workgroups.is_empty() && !spec.heat && spec.course.is_none())
            && self.checks.is_empty()
            && self.series.is_empty()
            && self.film.is_empty()
            && self.measure.is_none()
    }
}

impl BufferSpec {
    /// Whether its initial contents may as well be in another order.
    fn has_no_order(&self) -> bool {
        match self.content {
            Content::Made(init) => matches!(
                init,
                Init::Random
                    | Init::Zero
                    | Init::Value(_)
                    | Init::Poison
                    | Init::Within { .. }
                    | Init::Normal { .. }
                    | Init::Zipf { .. }
            ),
            Content::Repeated(_) => true,
            _ => false,
        }
    }

    /// As much of it as is held of a paged buffer.
    #[must_use]
    pub fn held(&self) -> Self {
        Self { count: HELD / self.elem.bytes(), ..self.clone() }
    }
}
