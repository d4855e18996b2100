//! The row of lanes at the top of a warp's picture, and the 32 columns that lanes, words and banks share.

use super::event::Moment;
use super::frame::{Anchor, Frame, Tag};
use super::palette::{Hue, Ink};

/// Columns in a picture: the words of 128 bytes, the banks, and the lanes of a row of lanes.
pub(super) const COLUMNS: u32 = 32;

/// The positions of the columns. Groups of 8, a sector's words, have a wider gap between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    left: f32,
    cell: f32,
    gap: f32,
}

impl Columns {
    /// As wide as whole points allow, from `left` and at most `room` wide.
    pub(super) fn new(left: f32, room: f32) -> Self {
        let gap = if room < 560.0 { 4.0 } else { 8.0 };
        let cell = (room - 3.0 * gap) / COLUMNS as f32;
        let cell = if cell >= 8.0 { cell.floor().min(32.0) } else { (cell * 4.0).floor().max(4.0) / 4.0 };
        Self { left: left.round(), cell, gap }
    }

    /// The left edge of a column's box.
    pub(super) fn x(&self, column: u32) -> f32 {
        self.left + column as f32 * self.cell + (column / 8) as f32 * self.gap
    }

    /// The width of a column's box.
    pub(super) fn width(&self) -> f32 {
        self.cell - self.space()
    }

    /// The space between two boxes of a group.
    pub(super) fn space(&self) -> f32 {
        if self.cell >= 16.0 { 2.0 } else { 1.0 }
    }

    /// The middle of a column.
    pub(super) fn center(&self, column: u32) -> f32 {
        self.x(column) + self.width() / 2.0
    }

    /// Left edge of the first column.
    pub(super) fn left(&self) -> f32 {
        self.left
    }

    /// Right edge of the last column.
    pub(super) fn right(&self) -> f32 {
        self.x(COLUMNS - 1) + self.width()
    }

    /// Every how many columns a number fits beside its neighbours.
    pub(super) fn numbering(&self) -> u32 {
        match self.cell {
            cell if cell >= 20.0 => 1,
            cell if cell >= 6.5 => 4,
            _ => 8,
        }
    }
}

/// The places of a warp's lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    /// The shared columns.
    pub(super) columns: Columns,
    /// Top of the first row's boxes.
    pub(super) top: f32,
    /// Height of a box.
    pub(super) height: f32,
    /// Lanes in the warp.
    pub(super) count: u32,
}

impl Lanes {
    /// Lanes from `top` downward, numbers included.
    pub(super) fn new(columns: Columns, top: f32, count: u32) -> Self {
        let above = if columns.numbering() == 1 { 0.0 } else { 16.0 };
        Self { columns, top: top + above, height: columns.width().clamp(10.0, 24.0), count: count.clamp(1, 64) }
    }

    /// Where the last row ends.
    pub(super) fn bottom(&self) -> f32 {
        self.row_top(self.count.div_ceil(COLUMNS) - 1) + self.height
    }

    fn row_top(&self, row: u32) -> f32 {
        self.top + row as f32 * (self.height + 4.0)
    }

    /// Where a lane's line begins: below the last row, so that it never crosses another lane's number.
    pub(super) fn foot(&self, lane: u32) -> [f32; 2] {
        [self.columns.center(lane % COLUMNS), self.row_top(lane / COLUMNS) + self.height]
    }

    /// Draws the boxes: active ones in `hue`, idle ones empty.
    pub(super) fn draw(&self, frame: &mut Frame, moment: &Moment<'_>, hue: Hue) {
        let every = self.columns.numbering();
        let rows = self.count.div_ceil(COLUMNS);
        for row in 0..rows {
            let label =
                if rows == 1 { "lane".to_owned() } else { format!("{}–{}", row * COLUMNS, row * COLUMNS + 31) };
            let y = self.row_top(row) + self.height / 2.0;
            frame.text([self.columns.left() - 8.0, y], 12.0, Anchor::End, Ink::Muted, label);
        }
        for lane in 0..self.count {
            let column = lane % COLUMNS;
            let rect = [self.columns.x(column), self.row_top(lane / COLUMNS), self.columns.width(), self.height];
            let active = moment.event.mask >> lane & 1 == 1;
            let lit = moment.is_lit(lane);
            let (fill, edge, words) = match (active, lit) {
                (true, Some(true)) => (hue.ink(), hue.ink(), Ink::On),
                (true, None) => (hue.tint(30), hue.ink(), Ink::Text),
                (true, Some(false)) => (hue.tint(12), hue.tint(45), Ink::Muted),
                (false, _) => (Ink::Panel, Ink::Faint, Ink::Muted),
            };
            let tag = Some(Tag::Lane(lane));
            frame.outline(rect, 3.0, Some(fill), edge, tag);
            let middle = self.columns.center(column);
            if every == 1 {
                frame.text([middle, rect[1] + self.height / 2.0], 12.0, Anchor::Middle, words, lane.to_string());
                frame.tag_last(Tag::Lane(lane));
            } else if lane < COLUMNS && column.is_multiple_of(every) {
                frame.text([middle, self.top - 8.0], 12.0, Anchor::Middle, Ink::Muted, lane.to_string());
                frame.tag_last(Tag::Lane(lane));
            }
        }
    }
}

/// The place between `from` and `to`, at `share` of the way.
pub(super) fn between(from: [f32; 2], to: [f32; 2], share: f32) -> [f32; 2] {
    [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share]
}

/// Draws the line of a lane that drops to `to`. While it drops, a box at its end falls with it.
pub(super) fn drop_line(frame: &mut Frame, moment: &Moment<'_>, lane: u32, from: [f32; 2], to: [f32; 2], hue: Hue) {
    if moment.landed <= 0.0 {
        return;
    }
    let (ink, width) = match moment.is_lit(lane) {
        Some(true) => (hue.ink(), 2.0),
        None => (hue.tint(60), 1.0),
        Some(false) => (hue.tint(18), 1.0),
    };
    let end = between(from, to, moment.landed);
    let tag = Some(Tag::Lane(lane));
    frame.line(from, end, width, ink, tag);
    if moment.landed < 1.0 {
        frame.fill([end[0] - 4.0, end[1] - 4.0, 8.0, 8.0], 2.0, hue.ink(), tag);
    }
}
