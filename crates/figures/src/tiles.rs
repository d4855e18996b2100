//! The tiles that workgroups store of a matrix: their borders, and what of them lies beyond the matrix's edges.

use super::frame::Frame;
use super::kit::cells::Placed;
use super::palette::{Hue, Ink};
use crate::trace::heat::Bits;
use crate::trace::{Cells, Heat};

/// Tiles narrower than this, in points, would be lines only.
const LEAST: f32 = 6.0;

/// Equal tiles that cover a matrix from its first element on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tiles {
    /// Rows and columns of one.
    pub(super) each: [u64; 2],
    /// How many there are, down and across.
    pub(super) count: [u64; 2],
    /// Rows and columns of the last ones that the matrix has not.
    pub(super) beyond: [u64; 2],
}

impl Tiles {
    /// The output tiles of matrix `matrix` of the heat. None unless each workgroup stores one tile, all the same size but at the edges.
    pub(super) fn of(heat: &Heat, matrix: usize) -> Option<Self> {
        let cells = heat.matrices.get(matrix)?.cells;
        let boxes: Vec<_> = heat.footprints.iter().filter_map(|f| bounds(&cells, f.stored.get(matrix)?)).collect();
        let rows = [cells.rows, cells.columns];
        let each = [0, 1].map(|axis| boxes.iter().map(|b| b[axis][1] - b[axis][0]).max().unwrap_or(0));
        if each.contains(&0) || boxes.len() < 2 {
            return None;
        }
        let count = [0, 1].map(|axis| rows[axis].div_ceil(each[axis]));
        let regular = |b: &[[u64; 2]; 2]| {
            (0..2).all(|axis| {
                let [from, to] = b[axis];
                from % each[axis] == 0 && (to - from == each[axis] || to == rows[axis])
            })
        };
        let fits = boxes.len() as u64 == count[0] * count[1] && boxes.iter().all(regular);
        let beyond = [0, 1].map(|axis| count[axis] * each[axis] - rows[axis]);
        fits.then_some(Self { each, count, beyond })
    }

    /// Draws their borders over a matrix, and what lies beyond it.
    pub(super) fn draw(&self, frame: &mut Frame, placed: &Placed) {
        let [x, y, w, h] = placed.grid.rect;
        let points = [h / placed.matrix.cells.rows as f32, w / placed.matrix.cells.columns as f32];
        let size = [self.each[0] as f32 * points[0], self.each[1] as f32 * points[1]];
        if size[0] < LEAST || size[1] < LEAST {
            return;
        }
        let whole = [self.count[1] as f32 * size[1], self.count[0] as f32 * size[0]];
        if self.beyond[1] > 0 {
            frame.fill([x + w, y, whole[0] - w, whole[1]], 0.0, Hue::Waste.tint(35), None);
        }
        if self.beyond[0] > 0 {
            frame.fill([x, y + h, w, whole[1] - h], 0.0, Hue::Waste.tint(35), None);
        }
        for column in 0..=self.count[1] {
            let at = x + column as f32 * size[1];
            frame.line([at, y], [at, y + whole[1]], 1.0, Ink::Muted, None);
        }
        for row in 0..=self.count[0] {
            let at = y + row as f32 * size[0];
            frame.line([x, at], [x + whole[0], at], 1.0, Ink::Muted, None);
        }
    }

    /// The elements that all tiles have room for, the matrix's among them.
    pub(super) fn covered(&self) -> u64 {
        (self.count[0] * self.each[0]).saturating_mul(self.count[1] * self.each[1])
    }
}

/// The rows and the columns, from and up to before, of the elements in a set of cells; None if it is empty.
fn bounds(cells: &Cells, bits: &Bits) -> Option<[[u64; 2]; 2]> {
    let across = cells.grid()[1];
    let mut found: Option<[[u64; 2]; 2]> = None;
    for cell in bits.iter() {
        let at = [cell as u64 / across, cell as u64 % across];
        let found = found.get_or_insert([[u64::MAX, 0]; 2]);
        for axis in 0..2 {
            let end = [cells.rows, cells.columns][axis];
            let [from, to] = [at[axis] * cells.span[axis], ((at[axis] + 1) * cells.span[axis]).min(end)];
            found[axis] = [found[axis][0].min(from), found[axis][1].max(to)];
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::heat::Footprint;
    use crate::trace::{Cells, Fetches};

    /// Workgroups that store tiles of some size of a matrix of `n` by `n`.
    fn heat(n: u64, tile: u64) -> Heat {
        let cells = Cells::of(n * n, n, 128);
        let per_axis = n.div_ceil(tile);
        let footprint = |workgroup: u64| {
            let mut stored = Bits::none(cells.count());
            let from = [workgroup / per_axis * tile, workgroup % per_axis * tile];
            for row in from[0]..(from[0] + tile).min(n) {
                for column in from[1]..(from[1] + tile).min(n) {
                    stored.insert(cells.cell([row, column]));
                }
            }
            Footprint { workgroup: workgroup as u32, loaded: vec![Bits::none(cells.count())], stored: vec![stored] }
        };
        let fetches = Fetches::gather(0, "c".into(), cells, (0..n * n).map(|_| 0));
        Heat { matrices: vec![fetches], footprints: (0..per_axis * per_axis).map(footprint).collect() }
    }

    #[test]
    fn tiles_are_found_with_what_lies_beyond() {
        let of = |n, tile| Tiles::of(&heat(n, tile), 0);
        assert_eq!(of(64, 16), Some(Tiles { each: [16, 16], count: [4, 4], beyond: [0, 0] }));
        assert_eq!(of(100, 32), Some(Tiles { each: [32, 32], count: [4, 4], beyond: [28, 28] }));
        assert_eq!(of(100, 32).map(|tiles| tiles.covered()), Some(128 * 128));
        // Cells of several elements still say where a tile ends.
        assert_eq!(of(260, 128).map(|tiles| tiles.beyond), Some([124, 124]));
    }

    #[test]
    fn what_is_no_tiling_is_none() {
        let mut heat = heat(64, 16);
        heat.footprints.pop();
        assert_eq!(Tiles::of(&heat, 0), None, "one is missing");
        heat.footprints.clear();
        assert_eq!(Tiles::of(&heat, 0), None);
        assert_eq!(Tiles::of(&heat, 7), None);
    }
}
