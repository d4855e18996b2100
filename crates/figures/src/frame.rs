//! One moment of a picture: a flat list of items, each with a tag for the thing that it shows.

use super::palette::Ink;
use super::text;
use crate::trace::Cells;

/// One moment of a picture. Coordinates are in points, x to the right and y downward, from the top left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Width in points.
    pub width: f32,
    /// Height in points.
    pub height: f32,
    /// Items to draw, first to last; later items cover earlier ones.
    pub items: Vec<Item>,
    /// Matrices among the items, whose cells are found by their positions.
    pub grids: Vec<Grid>,
    /// A description of the picture, for screen readers.
    pub alt: String,
}

/// A matrix in the picture. Its cells are filled many at a time, so no cell has an item of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Index into the timeline's buffers.
    pub buffer: u16,
    /// Left, top, width, height.
    pub rect: [f32; 4],
    /// Its shape, and the cells as they are drawn.
    pub cells: Cells,
}

/// A thing to draw. Outputs match over these exhaustively.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A rectangle, filled, outlined or both.
    Rect {
        /// Left, top, width, height.
        rect: [f32; 4],
        /// Radius of the corners.
        radius: f32,
        /// Its inside.
        fill: Option<Ink>,
        /// Its outline and the outline's width, centred on the edge.
        stroke: Option<(Ink, f32)>,
        /// The thing that it shows.
        tag: Option<Tag>,
    },
    /// A straight line.
    Line {
        /// One end.
        from: [f32; 2],
        /// The other end.
        to: [f32; 2],
        /// Its width.
        width: f32,
        /// Its colour.
        ink: Ink,
        /// The thing that it shows.
        tag: Option<Tag>,
    },
    /// Straight lines from point to point.
    Polyline {
        /// The points.
        points: Vec<[f32; 2]>,
        /// The lines' width.
        width: f32,
        /// Their colour.
        ink: Ink,
        /// The thing that they show.
        tag: Option<Tag>,
    },
    /// A filled circle.
    Dot {
        /// Its centre.
        center: [f32; 2],
        /// Its radius.
        radius: f32,
        /// Its colour.
        ink: Ink,
        /// The thing that it shows.
        tag: Option<Tag>,
    },
    /// One line of text.
    Text {
        /// The anchor's x, and the y of the middle of the line.
        at: [f32; 2],
        /// The font's size; never under 12.
        size: f32,
        /// Which end of the text `at` is.
        anchor: Anchor,
        /// Its colour.
        ink: Ink,
        /// The words.
        text: String,
        /// Whether all characters are to be equally wide.
        mono: bool,
        /// The thing that it shows.
        tag: Option<Tag>,
    },
}

/// Which part of a text lies at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// The thing that an item shows, so that hovering the item can light its counterparts elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// A lane of the warp.
    Lane(u32),
    /// An event, by its index in the timeline.
    Event(usize),
    /// 32 bytes of a buffer; `index` counts sectors from its start.
    Sector {
        /// Index into the timeline's buffers.
        buffer: u16,
        /// Which sector.
        index: u64,
    },
    /// Four bytes of a buffer or workgroup variable; `index` counts words from its start.
    Word {
        /// Index into the timeline's buffers.
        buffer: u16,
        /// Which word.
        index: u64,
    },
    /// A cell of a matrix in the picture, by the first of its elements.
    Cell {
        /// Index into the timeline's buffers.
        buffer: u16,
        /// Which row of the matrix.
        row: u64,
        /// Which column.
        column: u64,
    },
    /// A bank of workgroup memory.
    Bank(u32),
    /// A warp of the workgroup.
    Warp(u32),
    /// A line of the source, from 1.
    SourceLine(u32),
    /// A multiprocessor of the device.
    Sm(u32),
    /// A wave of workgroups, from 0.
    Wave(u64),
    /// A kernel of the ladder, by its place in the picture's list.
    Spot(usize),
    /// A pass of the program, by its place.
    Pass(usize),
    /// A buffer that goes from one pass to another, by its place in the picture's list.
    Edge(usize),
}

impl Frame {
    /// An empty frame of this size.
    #[must_use]
    pub fn new(size: [f32; 2]) -> Self {
        Self { width: size[0], height: size[1], items: Vec::new(), grids: Vec::new(), alt: String::new() }
    }

    /// Adds a filled rectangle.
    pub fn fill(&mut self, rect: [f32; 4], radius: f32, ink: Ink, tag: Option<Tag>) {
        self.items.push(Item::Rect { rect, radius, fill: Some(ink), stroke: None, tag });
    }

    /// Adds a rectangle's outline, one point wide and inside `rect`, over an optional filling.
    pub fn outline(&mut self, rect: [f32; 4], radius: f32, fill: Option<Ink>, stroke: Ink, tag: Option<Tag>) {
        let inside = [rect[0] + 0.5, rect[1] + 0.5, rect[2] - 1.0, rect[3] - 1.0];
        self.items.push(Item::Rect { rect: inside, radius, fill, stroke: Some((stroke, 1.0)), tag });
    }

    /// Adds a line.
    pub fn line(&mut self, from: [f32; 2], to: [f32; 2], width: f32, ink: Ink, tag: Option<Tag>) {
        self.items.push(Item::Line { from, to, width, ink, tag });
    }

    /// Adds a circle.
    pub fn dot(&mut self, center: [f32; 2], radius: f32, ink: Ink, tag: Option<Tag>) {
        self.items.push(Item::Dot { center, radius, ink, tag });
    }

    /// Adds a line of text; `at` is the anchor's x and the y of the line's middle.
    pub fn text(&mut self, at: [f32; 2], size: f32, anchor: Anchor, ink: Ink, text: impl Into<String>) {
        self.items.push(Item::Text { at, size, anchor, ink, text: text.into(), mono: false, tag: None });
    }

    /// Adds as much of a line of text as `room` points hold.
    pub fn fitted(&mut self, at: [f32; 2], size: f32, anchor: Anchor, ink: Ink, room: f32, text: &str) {
        let text = text::fit(text, size, false, room);
        if !text.is_empty() {
            self.text(at, size, anchor, ink, text);
        }
    }

    /// Adds all of another picture, so far to the right and down.
    pub fn place(&mut self, other: Self, [dx, dy]: [f32; 2]) {
        let moved = |[x, y]: [f32; 2]| [x + dx, y + dy];
        self.items.extend(other.items.into_iter().map(|mut item| {
            match &mut item {
                Item::Rect { rect: [x, y, ..], .. } => [*x, *y] = moved([*x, *y]),
                Item::Line { from, to, .. } => (*from, *to) = (moved(*from), moved(*to)),
                Item::Polyline { points, .. } => points.iter_mut().for_each(|point| *point = moved(*point)),
                Item::Dot { center: at, .. } | Item::Text { at, .. } => *at = moved(*at),
            }
            item
        }));
        self.grids.extend(other.grids.into_iter().map(|mut grid| {
            (grid.rect[0], grid.rect[1]) = (grid.rect[0] + dx, grid.rect[1] + dy);
            grid
        }));
        self.alt = [std::mem::take(&mut self.alt), other.alt].join(" ").trim().to_owned();
    }

    /// Gives the item that was added last a tag.
    pub fn tag_last(&mut self, new: Tag) {
        match self.items.last_mut() {
            Some(
                Item::Rect { tag, .. }
                | Item::Line { tag, .. }
                | Item::Polyline { tag, .. }
                | Item::Dot { tag, .. }
                | Item::Text { tag, .. },
            ) => *tag = Some(new),
            None => {}
        }
    }

    /// The tag of the topmost tagged item at `point`, or else of the cell there. Lines count within 3 points of them.
    #[must_use]
    pub fn tag_at(&self, point: [f32; 2]) -> Option<Tag> {
        let item = self.items.iter().rev().find_map(|item| item.tag().filter(|_| item.contains(point)));
        item.or_else(|| self.grids.iter().rev().find_map(|grid| grid.tag_at(point)))
    }
}

impl Grid {
    /// Where the cells of a row begin, and the last one ends: whole points, so that neighbours meet without a seam.
    #[must_use]
    pub fn columns(&self) -> Vec<f32> {
        edges(self.rect[0], self.rect[2], self.cells.columns, self.cells.span[1])
    }

    /// The same of a column's cells.
    #[must_use]
    pub fn rows(&self) -> Vec<f32> {
        edges(self.rect[1], self.rect[3], self.cells.rows, self.cells.span[0])
    }

    /// The cell at a point.
    fn tag_at(&self, [x, y]: [f32; 2]) -> Option<Tag> {
        let at = |edges: &[f32], x: f32| (1..edges.len()).find(|i| (edges[i - 1]..edges[*i]).contains(&x));
        let (down, along) = (at(&self.rows(), y)? as u64 - 1, at(&self.columns(), x)? as u64 - 1);
        let [row, column] = [down * self.cells.span[0], along * self.cells.span[1]];
        Some(Tag::Cell { buffer: self.buffer, row, column })
    }
}

/// Where spans of elements begin when `elements` of them take `length` points from `start` on.
fn edges(start: f32, length: f32, elements: u64, span: u64) -> Vec<f32> {
    let at = |i: u64| (start + length * ((i * span).min(elements) as f32 / elements as f32)).round();
    (0..=elements.div_ceil(span)).map(at).collect()
}

impl Item {
    /// The thing that it shows.
    #[must_use]
    pub fn tag(&self) -> Option<Tag> {
        match self {
            Self::Rect { tag, .. }
            | Self::Line { tag, .. }
            | Self::Polyline { tag, .. }
            | Self::Dot { tag, .. }
            | Self::Text { tag, .. } => *tag,
        }
    }

    /// The smallest rectangle around it: left, top, width, height. A text's is an estimate, on the wide side.
    #[must_use]
    pub fn bounds(&self) -> [f32; 4] {
        match self {
            Self::Rect { rect, stroke, .. } => {
                let out = stroke.map_or(0.0, |(_, width)| width / 2.0);
                [rect[0] - out, rect[1] - out, rect[2] + 2.0 * out, rect[3] + 2.0 * out]
            }
            Self::Line { from, to, width, .. } => around(&[*from, *to], *width / 2.0),
            Self::Polyline { points, width, .. } => around(points, *width / 2.0),
            Self::Dot { center, radius, .. } => around(&[*center], *radius),
            Self::Text { at, size, anchor, text, mono, .. } => {
                let width = text::width(text, *size, *mono);
                let left = match anchor {
                    Anchor::Start => at[0],
                    Anchor::Middle => at[0] - width / 2.0,
                    Anchor::End => at[0] - width,
                };
                [left, at[1] - size * 0.6, width, size * 1.2]
            }
        }
    }

    fn contains(&self, point: [f32; 2]) -> bool {
        const REACH: f32 = 3.0;
        match self {
            Self::Line { from, to, .. } => distance(point, *from, *to) <= REACH,
            Self::Polyline { points, .. } => points.windows(2).any(|pair| distance(point, pair[0], pair[1]) <= REACH),
            Self::Rect { .. } | Self::Dot { .. } | Self::Text { .. } => {
                let [x, y, w, h] = self.bounds();
                (x..=x + w).contains(&point[0]) && (y..=y + h).contains(&point[1])
            }
        }
    }
}

/// The rectangle around `points`, `out` larger on each side.
fn around(points: &[[f32; 2]], out: f32) -> [f32; 4] {
    let Some(first) = points.first() else { return [0.0; 4] };
    let (mut low, mut high) = (*first, *first);
    for point in points {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    [low[0] - out, low[1] - out, high[0] - low[0] + 2.0 * out, high[1] - low[1] + 2.0 * out]
}

/// How far `point` is from the segment from `a` to `b`.
fn distance(point: [f32; 2], a: [f32; 2], b: [f32; 2]) -> f32 {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let length = dx * dx + dy * dy;
    let along = if length > 0.0 { ((point[0] - a[0]) * dx + (point[1] - a[1]) * dy) / length } else { 0.0 };
    let along = along.clamp(0.0, 1.0);
    (point[0] - a[0] - along * dx).hypot(point[1] - a[1] - along * dy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_topmost_tag_wins() {
        let mut frame = Frame::new([100.0, 100.0]);
        frame.fill([0.0, 0.0, 50.0, 50.0], 0.0, Ink::Load, Some(Tag::Bank(1)));
        frame.fill([10.0, 10.0, 10.0, 10.0], 0.0, Ink::Load, Some(Tag::Lane(2)));
        frame.fill([10.0, 10.0, 10.0, 10.0], 0.0, Ink::Load, None);
        frame.line([60.0, 0.0], [60.0, 90.0], 1.0, Ink::Load, Some(Tag::Event(3)));
        assert_eq!(frame.tag_at([15.0, 15.0]), Some(Tag::Lane(2)));
        assert_eq!(frame.tag_at([40.0, 15.0]), Some(Tag::Bank(1)));
        assert_eq!(frame.tag_at([62.0, 40.0]), Some(Tag::Event(3)));
        assert_eq!(frame.tag_at([70.0, 40.0]), None);
    }

    #[test]
    fn bounds_hold_strokes_and_anchors() {
        let mut frame = Frame::new([10.0, 10.0]);
        frame.outline([0.0, 0.0, 10.0, 10.0], 2.0, None, Ink::Text, None);
        assert_eq!(frame.items[0].bounds(), [0.0, 0.0, 10.0, 10.0]);
        frame.text([50.0, 20.0], 12.0, Anchor::End, Ink::Text, "abc");
        let [x, _, w, _] = frame.items[1].bounds();
        assert!((x + w - 50.0).abs() < 1e-3 && w > 12.0);
    }
}
