//! The places of the picture's rows, and of the panels of its buffers.

use super::course::{Course, Panel};

/// The least that a mark measures downwards; where rows are lower, several are drawn as one.
pub(super) const LEAST: f32 = 1.5;
/// The most that a row measures.
const HIGH: f32 = 28.0;
/// The room of a barrier's line with its name.
const BAND: f32 = 18.0;
/// The room of the sweeps' names beside a panel.
pub(super) const SIDE: f32 = 66.0;
/// The least that a panel measures across.
const NARROW: f32 = 88.0;

/// The places of rows.
pub(super) struct Rows {
    pub(super) top: f32,
    /// Where each begins, and where the last one ends.
    pub(super) tops: Vec<f32>,
    pub(super) height: f32,
    /// The room of a run of barriers.
    pub(super) band: f32,
    /// By row, which of those that are drawn it belongs to: rows too low to be seen are drawn together, up to the next barrier.
    pub(super) bins: Vec<usize>,
}

impl Rows {
    pub(super) fn of(course: &Course, top: f32, room: f32) -> Self {
        let bands = course.rows.iter().filter(|row| row.barriers > 0).count() + usize::from(course.after > 0);
        let band = if bands == 0 { 0.0 } else { (room * 0.4 / bands as f32).min(BAND) };
        let height = ((room - band * bands as f32) / course.rows.len().max(1) as f32).min(HIGH);
        let together = (LEAST / height).ceil().max(1.0) as usize;
        let (mut y, mut bin, mut held) = (top, 0, 0);
        let (mut tops, mut bins) = (Vec::with_capacity(course.rows.len() + 1), Vec::with_capacity(course.rows.len()));
        for row in &course.rows {
            if row.barriers > 0 {
                y += band;
            }
            if row.barriers > 0 || held == together {
                (bin, held) = (bin + 1, 0);
            }
            tops.push(y);
            bins.push(bin);
            (y, held) = (y + height, held + 1);
        }
        tops.push(y);
        Self { top, tops, height, band, bins }
    }

    pub(super) fn bottom(&self, row: usize) -> f32 {
        self.tops.get(row).map_or(self.top, |top| top + self.height)
    }

    /// Where all ends.
    pub(super) fn end(&self, course: &Course) -> f32 {
        self.tops.last().map_or(self.top, |end| end + if course.after > 0 { self.band } else { 0.0 })
    }

    /// Where a step is: below what is done by then.
    pub(super) fn now(&self, course: &Course, step: (u32, u32)) -> f32 {
        let done = course.rows.partition_point(|row| row.at <= step);
        let last = done.checked_sub(1);
        let (y, phase) = last.map_or((self.top, 0), |last| (self.bottom(last), course.rows[last].at.0));
        let barriers = course.rows.get(done).map_or(course.after, |row| row.barriers);
        let passed = (step.0 - phase).min(barriers);
        y + if barriers > 0 { self.band * passed as f32 / barriers as f32 } else { 0.0 }
    }
}

/// A panel in the picture.
pub(super) struct Placed<'a> {
    pub(super) panel: &'a Panel,
    /// Its left edge and its width, without the labels beside it.
    pub(super) left: f32,
    pub(super) width: f32,
}

impl Placed<'_> {
    /// The left and the right end of elements.
    pub(super) fn across(&self, [first, end]: [u64; 2]) -> [f32; 2] {
        let scale = self.width / self.panel.axis.len().max(1) as f32;
        let from = self.left + self.panel.axis.place(first) as f32 * scale;
        [from, from + (end - first) as f32 * scale]
    }
}

/// Gives the panels their places between two edges, as many as find room: those of few elements are narrow.
pub(super) fn place(panels: &[Panel], [left, right]: [f32; 2]) -> Vec<Placed<'_>> {
    const GAP: f32 = 20.0;
    const FEW: u64 = 8;
    let side = |panel: &Panel| if panel.sweeps.is_empty() { 0.0 } else { SIDE };
    let mut shown: Vec<&Panel> = panels.iter().collect();
    let needed = |shown: &[&Panel]| shown.iter().map(|p| NARROW + side(p) + GAP).sum::<f32>() - GAP;
    while shown.len() > 1 && needed(&shown) > right - left {
        // The buffer with the fewest elements shows the least.
        let least = (0..shown.len()).min_by_key(|i| shown[*i].axis.len()).unwrap_or(0);
        shown.remove(least);
    }
    let is_few = |panel: &Panel| panel.axis.len() <= FEW;
    let few = shown.iter().filter(|panel| is_few(panel)).count();
    let fixed = if few < shown.len() { few as f32 * NARROW } else { 0.0 };
    let beside: f32 = shown.iter().map(|panel| side(panel)).sum();
    let wide = if few < shown.len() { shown.len() - few } else { shown.len() };
    let each = (right - left - GAP * (shown.len() as f32 - 1.0) - beside - fixed) / wide as f32;
    let mut x = left;
    let placed = shown.into_iter().map(|panel| {
        let width = if is_few(panel) && fixed > 0.0 { NARROW } else { each }.floor();
        let placed = Placed { panel, left: x, width };
        x += width + side(panel) + GAP;
        placed
    });
    placed.collect()
}
