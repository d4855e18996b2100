//! The elements of a buffer that a workgroup touches, side by side: long stretches that it never touches are cut out.

/// Bytes that may lie untouched between two elements before they are cut out: a warp's 32 words.
const GAP: u64 = 128;

/// A stretch of elements that stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Its first element, and the one after its last.
    pub(super) first: u64,
    pub(super) end: u64,
    /// The position of its first element, in elements from the start of the axis.
    pub(super) at: u64,
}

/// The positions of elements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) runs: Vec<Run>,
}

impl Axis {
    /// An axis for spans of elements, which are in order and apart; `bytes` are an element's.
    pub(super) fn of(spans: &[[u64; 2]], bytes: u64) -> Self {
        let gap = GAP / bytes.max(1);
        let mut runs: Vec<Run> = Vec::new();
        for [first, end] in spans {
            match runs.last_mut() {
                Some(run) if *first <= run.end + gap => run.end = run.end.max(*end),
                _ => {
                    let at = runs.last().map_or(0, |run| run.at + run.end - run.first);
                    runs.push(Run { first: *first, end: *end, at });
                }
            }
        }
        Self { runs }
    }

    /// How many elements it has.
    pub(super) fn len(&self) -> u64 {
        self.runs.last().map_or(0, |run| run.at + run.end - run.first)
    }

    /// The position of an element of a run.
    pub(super) fn place(&self, element: u64) -> u64 {
        let after = self.runs.partition_point(|run| run.first <= element);
        after.checked_sub(1).map_or(0, |i| self.runs[i].at + element - self.runs[i].first)
    }

    /// The first element, and the last.
    pub(super) fn ends(&self) -> Option<[u64; 2]> {
        Some([self.runs.first()?.first, self.runs.last()?.end - 1])
    }
}

/// Sorts spans and joins those that touch.
pub(super) fn join(spans: &mut Vec<[u64; 2]>) {
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let touch = next[0] <= last[1];
        if touch {
            last[1] = last[1].max(next[1]);
        }
        touch
    });
}

/// Elements in spans that are apart.
pub(super) fn elements(spans: &[[u64; 2]]) -> u64 {
    spans.iter().map(|[first, end]| end - first).sum()
}
