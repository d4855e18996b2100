//! Matrices in a picture: their places, all to one scale, and how cells are filled.

use crate::base::units::count;
use crate::frame::{Anchor, Frame, Grid, Tag};
use crate::palette::Ink;
use crate::text;
use crate::trace::Cells;

/// Height of a matrix's name above it.
const LABEL: f32 = 18.0;
/// Space between two matrices.
const GAP: f32 = 16.0;
/// The least that a matrix measures across: one column is to be seen, too.
const LEAST: f32 = 6.0;
/// The least that a cell measures; where elements are smaller, several are one cell.
const CELL: f32 = 1.5;
/// The most that an element of a small thing measures.
const LARGE: f32 = 8.0;
/// The least that a ring around a cell measures.
const RING: f32 = 9.0;
/// From this size on, cells are drawn apart.
const APART: f32 = 5.0;

/// A matrix to draw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Matrix {
    /// The buffer, as in a timeline's list.
    pub(crate) buffer: u16,
    pub(crate) name: String,
    /// Its shape, and cells at least as fine as can be drawn.
    pub(crate) cells: Cells,
    /// Whether the kernel writes it.
    pub(crate) written: bool,
    /// Whether its rows are known; otherwise it is drawn in rows of the banks.
    pub(crate) shaped: bool,
    /// Rows and columns beyond its last ones that room is kept for.
    pub(crate) beyond: [u64; 2],
}

impl Matrix {
    /// Its name and shape; the name alone where there is not much room.
    fn label(&self, room: f32) -> String {
        let shape = format!("{} × {}", count(self.cells.rows), count(self.cells.columns));
        let whole = if self.shaped { format!("{}  {shape}", self.name) } else { self.name.clone() };
        if text::width(&whole, 12.0, false) <= room { whole } else { text::fit(&self.name, 12.0, false, room) }
    }

    fn label_width(&self) -> f32 {
        text::width(&self.label(f32::INFINITY), 12.0, false)
    }

    /// Columns and rows to make room for.
    fn size(&self) -> [f32; 2] {
        [(self.cells.columns + self.beyond[1]) as f32, (self.cells.rows + self.beyond[0]) as f32]
    }
}

/// A matrix with its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) matrix: Matrix,
    /// Its place and the cells that it is drawn in.
    pub(crate) grid: Grid,
    /// Room for its name.
    room: f32,
}

/// The places of the inputs and the output of a product among matrices: left, right, product.
pub(crate) fn product(matrices: &[Matrix]) -> Option<[usize; 3]> {
    let output = matrices.iter().position(|m| m.written)?;
    let inputs: Vec<usize> = (0..matrices.len()).filter(|i| !matrices[*i].written).collect();
    let fits = |left: usize, right: usize| {
        let [a, b, c] = [left, right, output].map(|i| matrices[i].cells);
        a.columns == b.rows && a.rows == c.rows && b.columns == c.columns
    };
    match (inputs.as_slice(), matrices.len()) {
        ([a, b], 3) if fits(*a, *b) => Some([*a, *b, output]),
        ([a, b], 3) if fits(*b, *a) => Some([*b, *a, output]),
        _ => None,
    }
}

/// Places matrices in `area` (left, top, width, height), and returns the area that is left free. Those of a product are placed as on
/// paper: the left input beside it, the right one above it, so that the row and the column that an element comes from meet there.
pub(crate) fn place(matrices: Vec<Matrix>, area: [f32; 4]) -> (Vec<Placed>, Option<[f32; 4]>) {
    match product(&matrices) {
        Some(order) => place_product(&matrices, order, area),
        None => (place_row(matrices, area), None),
    }
}

fn place_product(matrices: &[Matrix], order: [usize; 3], [x, y, w, h]: [f32; 4]) -> (Vec<Placed>, Option<[f32; 4]>) {
    let [a, b, c] = order.map(|i| matrices[i].clone());
    let ([k, m], [n, _]) = (a.size(), b.size());
    let (left_name, right_name) = (a.label_width(), b.label_width().max(c.label_width()));
    // Names take their room even where a matrix is narrower.
    let wide = [(w - GAP) / (k + n), (w - GAP - left_name).max(LEAST) / n, (w - GAP - right_name).max(LEAST) / k];
    let both = wide[0];
    let across = match (k * both >= left_name, n * both >= right_name) {
        (true, true) => both,
        (false, true) => wide[1],
        (true, false) => wide[2],
        (false, false) => wide[1].min(wide[2]),
    };
    let scale = across.min((h - 2.0 * LABEL - GAP / 2.0 - LEAST).max(LEAST) / (k + m));
    let long = |elements: f32| (elements * scale).round().max(LEAST);
    let right = x + long(k).max(left_name) + GAP;
    let below = y + LABEL + long(k) + GAP / 2.0 + LABEL;
    let placed = vec![
        placed(a, [x, below, long(k), long(m)], right - GAP - x),
        placed(b, [right, y + LABEL, long(n), long(k)], x + w - right),
        placed(c, [right, below, long(n), long(m)], x + w - right),
    ];
    (placed, Some([x, y, right - GAP - x, below - LABEL - GAP / 2.0 - y]))
}

fn place_row(matrices: Vec<Matrix>, [x, y, w, h]: [f32; 4]) -> Vec<Placed> {
    let gaps = GAP * (matrices.len() as f32 - 1.0).max(0.0);
    let columns: f32 = matrices.iter().map(|m| m.size()[0]).sum();
    let rows = matrices.iter().map(|m| m.size()[1]).fold(1.0, f32::max);
    let room = w - gaps;
    // A matrix that is narrower than an even share keeps its share, for its name.
    let share = room / (matrices.len() as f32).max(1.0);
    let scale = (room / columns.max(1.0)).min((h - LABEL - LEAST).max(LEAST) / rows);
    let least = |m: &Matrix, scale: f32| (m.size()[0] * scale).max(m.label_width().min(share));
    let wanted: f32 = matrices.iter().map(|m| least(m, scale)).sum();
    let scale = if wanted > room { scale * (room / wanted) * 0.8 } else { scale };
    let mut left = x;
    let mut all = Vec::new();
    for matrix in matrices {
        let [across, down] = matrix.size().map(|n| (n * scale).floor().max(LEAST));
        let slot = across.max(matrix.label_width().min(share).floor());
        if left + across > x + w + 0.5 {
            break;
        }
        all.push(placed(matrix, [left, y + LABEL, across, down.min(h - LABEL)], slot.min(x + w - left)));
        left += slot + GAP;
    }
    all
}

/// Gives small things equal shares of `area`, beside or below one another, whichever shows them larger. Each has a scale of its own.
pub(crate) fn place_each(matrices: Vec<Matrix>, [x, y, w, h]: [f32; 4]) -> Vec<Placed> {
    let many = matrices.len().max(1) as f32;
    let beside = [(w - GAP / 2.0 * (many - 1.0)) / many, h];
    let below = [w, (h - GAP / 2.0 * (many - 1.0)) / many];
    let scale =
        |m: &Matrix, room: [f32; 2]| (room[0] / m.size()[0]).min((room[1] - LABEL) / m.size()[1]).clamp(0.0, LARGE);
    let least = |room: [f32; 2]| matrices.iter().map(|m| scale(m, room)).fold(f32::INFINITY, f32::min);
    let in_row = least(beside) >= least(below);
    let room = if in_row { beside } else { below };
    let mut at = [x, y];
    let last = matrices.len().saturating_sub(1);
    let each = matrices.into_iter().enumerate().map(|(i, matrix)| {
        let scale = scale(&matrix, room);
        let [across, down] = matrix.size().map(|n| (n * scale).floor());
        // The last one's name may extend to the right, where nothing else is.
        let named = if i == last { room[0].max(x + w - at[0] + 1.25 * GAP) } else { room[0] };
        let one = placed(matrix, [at[0], at[1] + LABEL, across, down], named);
        if in_row {
            at[0] = one.right() + GAP / 2.0;
        } else {
            at[1] += LABEL + down + GAP / 2.0;
        }
        one
    });
    // Where there is no room, nothing is better than something that cannot be seen.
    each.filter(|p| p.grid.rect[2] >= LEAST && p.grid.rect[3] >= LEAST).collect()
}

/// Moves everything in `area` to its middle, and returns the shift.
pub(crate) fn centre(all: &mut [&mut Placed], [x, _, w, _]: [f32; 4]) -> f32 {
    let right = all.iter().map(|p| p.right()).fold(x, f32::max);
    let by = ((x + w - right) / 2.0).max(0.0).floor();
    all.iter_mut().for_each(|p| p.grid.rect[0] += by);
    by
}

fn placed(matrix: Matrix, rect: [f32; 4], room: f32) -> Placed {
    let size = matrix.size();
    let own = [matrix.cells.columns as f32 / size[0], matrix.cells.rows as f32 / size[1]];
    let rect = [rect[0], rect[1], (rect[2] * own[0]).max(1.0), (rect[3] * own[1]).max(1.0)].map(f32::round);
    let mut cells = matrix.cells;
    let points = [rect[3] / cells.rows as f32, rect[2] / cells.columns as f32];
    for (span, point) in cells.span.iter_mut().zip(points) {
        while (*span as f32) * point < CELL && *span < 1 << 40 {
            *span *= 2;
        }
    }
    Placed { grid: Grid { buffer: matrix.buffer, rect, cells }, matrix, room }
}

impl Placed {
    /// Whether its rows and columns are named beside its name.
    pub(crate) fn is_sized(&self) -> bool {
        self.matrix.label(self.room).contains('×')
    }

    /// Where it ends on the right, its name included.
    pub(crate) fn right(&self) -> f32 {
        self.grid.rect[0] + self.grid.rect[2].max(text::width(&self.matrix.label(self.room), 12.0, false))
    }

    /// Draws its name and its ground, then its cells as `ink` says, by row and column of cells, and lets the pointer find them.
    pub(crate) fn draw(&self, frame: &mut Frame, ink: impl Fn(u64, u64) -> Option<Ink>) {
        let [x, y, w, h] = self.grid.rect;
        let name = self.matrix.label(self.room.min(frame.width - x));
        if !name.is_empty() {
            frame.text([x, y - LABEL / 2.0], 12.0, Anchor::Start, Ink::Muted, name);
        }
        frame.fill([x, y, w, h], 0.0, Ink::Raised, None);
        let (rows, columns) = (self.grid.rows(), self.grid.columns());
        let mut open: Vec<(usize, usize, Ink, f32)> = Vec::new();
        for (row, top) in rows.iter().enumerate() {
            let last = row + 1 == rows.len();
            let runs = if last { Vec::new() } else { runs(columns.len() - 1, |column| ink(row as u64, column as u64)) };
            // A run that goes on below grows; all others are closed here.
            let mut next: Vec<(usize, usize, Ink, f32)> = Vec::new();
            for (from, to, ink) in runs {
                let above = open.iter().position(|o| (o.0, o.1, o.2) == (from, to, ink));
                let start = above.map_or(*top, |i| open.remove(i).3);
                next.push((from, to, ink, start));
            }
            for (from, to, ink, start) in open {
                let rect = [columns[from], start, columns[to] - columns[from], top - start];
                if rect[2] > 0.0 && rect[3] > 0.0 {
                    frame.fill(rect, 0.0, ink, None);
                }
            }
            open = next;
        }
        let cell = [w / (columns.len() - 1) as f32, h / (rows.len() - 1) as f32];
        if cell[0] >= APART && cell[1] >= APART {
            for x in &columns[1..columns.len() - 1] {
                frame.line([*x, y], [*x, y + h], 1.0, Ink::Panel, None);
            }
            for y in &rows[1..rows.len() - 1] {
                frame.line([x, *y], [x + w, *y], 1.0, Ink::Panel, None);
            }
        }
        frame.outline([x - 1.0, y - 1.0, w + 2.0, h + 2.0], 0.0, None, Ink::Faint, None);
        frame.grids.push(self.grid.clone());
    }

    /// Outlines a block of the matrix: its first and last row, and its first and last column.
    pub(crate) fn outline(&self, frame: &mut Frame, [rows, columns]: [[u64; 2]; 2], ink: Ink) {
        let cells = self.grid.cells;
        let edge = |edges: &[f32], at: u64, axis: usize| edges[((at / cells.span[axis]) as usize).min(edges.len() - 1)];
        let end =
            |edges: &[f32], at: u64, axis: usize| edges[((at / cells.span[axis]) as usize + 1).min(edges.len() - 1)];
        let (down, across) = (self.grid.rows(), self.grid.columns());
        let (x, y) = (edge(&across, columns[0], 1), edge(&down, rows[0], 0));
        let (right, bottom) = (end(&across, columns[1], 1), end(&down, rows[1], 0));
        frame.outline([x - 1.0, y - 1.0, right - x + 2.0, bottom - y + 2.0], 1.0, None, ink, None);
    }

    /// Rings the cell that the pointer is on, if it is in this matrix.
    pub(crate) fn ring(&self, frame: &mut Frame, hovered: Option<Tag>) {
        let Some(Tag::Cell { buffer, row, column }) = hovered else { return };
        let cells = self.grid.cells;
        if buffer != self.grid.buffer || row >= cells.rows || column >= cells.columns {
            return;
        }
        let (rows, columns) = (self.grid.rows(), self.grid.columns());
        let (down, along) = ((row / cells.span[0]) as usize, (column / cells.span[1]) as usize);
        let rect = [columns[along], rows[down], columns[along + 1] - columns[along], rows[down + 1] - rows[down]];
        // Small cells would vanish under their ring, and a small ring on its ground.
        let more = [2, 3].map(|side| ((RING - rect[side]) / 2.0).max(1.0));
        let rect = [rect[0] - more[0], rect[1] - more[1], rect[2] + 2.0 * more[0], rect[3] + 2.0 * more[1]];
        // A ring of one colour would vanish on one theme's ground or on some shade of the cells.
        for (more, ink) in [(1.0, Ink::Panel), (-1.0, Ink::Panel), (0.0, Ink::Accent)] {
            let rect = [rect[0] - more, rect[1] - more, rect[2] + 2.0 * more, rect[3] + 2.0 * more];
            frame.outline(rect, 1.0, None, ink, None);
        }
    }

    /// The finer cells, of another division of the same matrix, that lie in a cell as drawn.
    pub(crate) fn finer(&self, fine: &Cells, row: u64, column: u64) -> impl Iterator<Item = usize> + use<> {
        let (drawn, fine) = (self.grid.cells, *fine);
        let of = move |at: u64, axis: usize, end: u64| {
            let first = at * drawn.span[axis] / fine.span[axis];
            let end = ((at + 1) * drawn.span[axis]).min(end).div_ceil(fine.span[axis]);
            first..end.max(first)
        };
        let columns = of(column, 1, drawn.columns);
        let across = fine.grid()[1];
        of(row, 0, drawn.rows).flat_map(move |r| columns.clone().map(move |c| (r * across + c) as usize))
    }
}

/// Neighbours of one colour in a row of `count` cells: from, up to before, colour.
fn runs(count: usize, ink: impl Fn(usize) -> Option<Ink>) -> Vec<(usize, usize, Ink)> {
    let mut runs: Vec<(usize, usize, Ink)> = Vec::new();
    for cell in 0..count {
        let Some(ink) = ink(cell) else { continue };
        match runs.last_mut() {
            Some((_, to, last)) if *to == cell && *last == ink => *to = cell + 1,
            _ => runs.push((cell, cell + 1, ink)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Item;

    fn matrix(buffer: u16, rows: u64, columns: u64, written: bool) -> Matrix {
        Matrix {
            buffer,
            name: format!("m{buffer}"),
            cells: Cells::of(rows * columns, columns, 128),
            written,
            shaped: true,
            beyond: [0; 2],
        }
    }

    #[test]
    fn matrices_beside_one_another_all_find_room() {
        for width in 200..1400_u16 {
            let given = vec![matrix(0, 64, 64, false), matrix(1, 64, 64, true)];
            let (all, _) = place(given, [16.0, 0.0, f32::from(width), 600.0]);
            assert_eq!(all.len(), 2, "{width} points wide");
            assert!(all[1].grid.rect[0] + all[1].grid.rect[2] <= 16.0 + f32::from(width) + 0.5, "{width}");
        }
    }

    #[test]
    fn the_factors_of_a_product_are_found_and_face_it() {
        let given = vec![matrix(0, 64, 32, false), matrix(1, 32, 128, false), matrix(2, 64, 128, true)];
        assert_eq!(product(&given), Some([0, 1, 2]));
        let swapped = [given[1].clone(), given[0].clone(), given[2].clone()];
        assert_eq!(product(&swapped), Some([1, 0, 2]));
        assert_eq!(product(&given[..2]), None);
        assert_eq!(product(&[given[0].clone(), given[0].clone(), given[2].clone()]), None);
        let (all, corner) = place(given, [0.0, 0.0, 400.0, 300.0]);
        let [a, b, c] = [0, 1, 2].map(|i: usize| all[i].grid.rect);
        assert_eq!((a[1], a[3], b[0], b[2]), (c[1], c[3], c[0], c[2]));
        assert!(corner.is_some_and(|corner| corner[2] > 0.0 && corner[3] > 0.0));
    }

    #[test]
    fn all_shapes_fit_their_area() {
        let shapes = [[1823, 781, 1], [1, 4096, 4096], [16, 16, 16], [1793, 127, 1], [64, 8192, 64], [1, 1, 1]];
        for [m, k, n] in shapes {
            let product = vec![matrix(0, m, k, false), matrix(1, k, n, false), matrix(2, m, n, true)];
            for matrices in [product.clone(), product[..2].to_vec(), product[2..].to_vec()] {
                for area in [[8.0, 8.0, 404.0, 220.0], [0.0, 0.0, 1200.0, 560.0]] {
                    let many = matrices.len();
                    let (all, _) = place(matrices.clone(), area);
                    assert_eq!(all.len(), many);
                    for placed in all {
                        let [x, y, w, h] = placed.grid.rect;
                        let inside = x >= area[0] && y >= area[1] + LABEL - 0.5;
                        let inside = inside && x + w <= area[0] + area[2] + 1.0 && y + h <= area[1] + area[3] + 1.0;
                        assert!(inside, "{m} {k} {n} in {area:?}: {:?}", placed.grid.rect);
                    }
                }
            }
        }
    }

    #[test]
    fn cells_of_one_colour_are_one_rectangle_and_the_pointer_finds_each() {
        let (all, _) = place(vec![matrix(7, 1024, 1024, false)], [0.0, 0.0, 300.0, 300.0]);
        let mut frame = Frame::new([320.0, 320.0]);
        let half = all[0].grid.cells.grid()[0] / 2;
        all[0].draw(&mut frame, |row, column| (row < half && column < half).then_some(Ink::Load));
        let filled = |item: &&Item| matches!(item, Item::Rect { fill: Some(Ink::Load), .. });
        assert_eq!(frame.items.iter().filter(filled).count(), 1);
        let [x, y, w, h] = all[0].grid.rect;
        let tag = frame.tag_at([x + w - 1.0, y + h / 2.0]);
        let Some(Tag::Cell { buffer: 7, row, column }) = tag else { panic!("{tag:?}") };
        let span = all[0].grid.cells.span;
        assert!((512..512 + span[0]).contains(&row) && column == 1024 - span[1], "{row} {column}");
        assert_eq!(frame.tag_at([x + w + 2.0, y]), None);
        let fine: Vec<usize> = all[0].finer(&all[0].matrix.cells, 0, 1).collect();
        let factor = span[0] / 8;
        assert_eq!(fine.len() as u64, factor * factor);
        assert_eq!(fine[0] as u64, factor);
    }
}
