//! Unwritten elements of outputs: those that a run left as they were, and how far its grid reached.

use serde::{Deserialize, Serialize};

use warpbook_base::units::count;

/// Elements that are named.
const NAMED: usize = 4;

/// A buffer that kernels stored to and nothing read, of which some elements were never written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwritten {
    /// The buffer's name.
    pub buffer: String,
    /// Elements that were never written.
    pub unwritten: u64,
    /// Elements altogether.
    pub elements: u64,
    /// The first that were never written, at most four.
    pub first: Vec<u64>,
    /// The written part, if it is a rectangle of the elements in rows; null otherwise.
    pub reach: Option<Reach>,
    /// The grid of the only launch with as many more workgroups as it takes to reach all elements; null if that is
    /// unknown.
    pub grid: Option<[u32; 3]>,
}

/// A rectangle from the first element on. All elements are one row where they are written up to one of them, and none
/// after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reach {
    /// Elements of a row.
    pub columns: u64,
    /// Rows.
    pub rows: u64,
    /// Columns that were written, of the rows that were.
    pub columns_written: u64,
    /// Rows that were written.
    pub rows_written: u64,
}

impl Unwritten {
    /// The report on a buffer; None if all of its elements were written, or none. `is_written` says which.
    pub fn of(buffer: &str, elements: u64, is_written: &dyn Fn(u64) -> bool) -> Option<Self> {
        let left = || (0..elements).filter(|element| !is_written(*element));
        let unwritten = left().count() as u64;
        (unwritten > 0 && unwritten < elements).then(|| Self {
            buffer: buffer.to_owned(),
            unwritten,
            elements,
            first: left().take(NAMED).collect(),
            reach: Reach::of(elements, is_written),
            grid: None,
        })
    }

    /// It as a sentence, with the grid that reaches all elements after `a_grid`: `--grid`, or `a grid of`.
    #[must_use]
    pub fn words(&self, a_grid: &str) -> String {
        let Self { buffer, unwritten, elements, first, reach, grid } = self;
        let more = if *unwritten > first.len() as u64 { ", …" } else { "" };
        let first: Vec<String> = first.iter().map(|element| format!("{buffer}[{element}]")).collect();
        let (unwritten, elements) = (count(*unwritten), count(*elements));
        let left =
            format!("{unwritten} of {elements} elements of `{buffer}` were never written: {}{more}", first.join(", "));
        let Some(reach) = reach else { return left };
        let reached = match reach {
            Reach { rows: 1, columns_written, .. } => format!("the first {}", count(*columns_written)),
            Reach { columns, rows, columns_written, rows_written } => format!(
                "{} of {} columns and {} of {} rows",
                count(*columns_written),
                count(*columns),
                count(*rows_written),
                count(*rows)
            ),
        };
        let Some([x, y, z]) = grid else { return format!("{left}; written are {reached}") };
        let sizes = if *z > 1 {
            format!("{x},{y},{z}")
        } else if *y > 1 {
            format!("{x},{y}")
        } else {
            x.to_string()
        };
        format!("{left}; the grid reaches {reached}; {a_grid} {sizes} reaches all")
    }

    /// The same with the grid that would reach all elements, where a `grid` of workgroups of `size` left them out.
    #[must_use]
    pub fn from_grid(self, grid: [u32; 3], size: [u32; 3]) -> Self {
        Self { grid: self.reach.and_then(|reach| reach.grid(grid, size)), ..self }
    }
}

impl Reach {
    fn of(elements: u64, is_written: &dyn Fn(u64) -> bool) -> Option<Self> {
        let wide = (0..elements).find(|element| !is_written(*element)).filter(|wide| *wide > 0)?;
        let columns = (wide..elements).find(|element| is_written(*element)).unwrap_or(elements);
        let rows = elements / columns;
        let high = (0..rows).find(|row| !is_written(row * columns)).unwrap_or(rows);
        let reach = Self { columns, rows, columns_written: wide, rows_written: high };
        let inside = |element: u64| element % columns < wide && element / columns < high;
        let is_rectangle = elements.is_multiple_of(columns) && (0..elements).all(|at| is_written(at) == inside(at));
        is_rectangle.then_some(reach)
    }

    /// A grid for all of it, if x runs along the rows and each lane wrote as many elements as the others.
    fn grid(self, grid: [u32; 3], size: [u32; 3]) -> Option<[u32; 3]> {
        let more = |all: u64, written: u64, axis: usize| {
            let groups = u64::from(grid[axis]);
            let each = written.is_multiple_of(groups * u64::from(size[axis])).then_some(written / groups)?;
            u32::try_from(all.div_ceil(each)).ok()
        };
        let [x, y, z] = grid;
        if self.rows == 1 {
            // Whole rows are missing where the grid has rows of workgroups.
            let axis = usize::from(y > 1);
            let mut wanted = grid;
            wanted[axis] = more(self.columns, self.columns_written, axis)?;
            return Some(wanted);
        }
        let x = if self.columns_written < self.columns { more(self.columns, self.columns_written, 0)? } else { x };
        let y = if self.rows_written < self.rows { more(self.rows, self.rows_written, 1)? } else { y };
        Some([x, y, z])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The report on rows of `columns` elements, of which `wide` are written in `high` of `rows` rows.
    fn left(columns: u64, rows: u64, wide: u64, high: u64) -> Option<Unwritten> {
        Unwritten::of("c", columns * rows, &|at| at % columns < wide && at / columns < high)
    }

    #[test]
    fn a_rectangle_says_which_grid_would_reach_the_rest() {
        let of = |found: Option<Unwritten>, grid, size| {
            let found = found.map(|found| found.from_grid(grid, size));
            found.map(|found| (found.unwritten, found.first, found.grid))
        };
        let named = |first: [u64; 4]| first.to_vec();
        let tiles = [16, 16, 1];
        assert_eq!(of(left(100, 100, 96, 96), [6, 6, 1], tiles), Some((784, named([96, 97, 98, 99]), Some([7, 7, 1]))));
        let words = left(100, 100, 96, 96).map(|found| found.from_grid([6, 6, 1], tiles).words("--grid"));
        let said = "784 of 10,000 elements of `c` were never written: c[96], c[97], c[98], c[99], …; the grid reaches 96 of 100 \
                    columns and 96 of 100 rows; --grid 7,7 reaches all";
        assert_eq!(words.as_deref(), Some(said));
        // Only rows, only columns, two elements a lane, and in one dimension.
        assert_eq!(of(left(100, 100, 100, 96), [7, 6, 1], tiles).and_then(|found| found.2), Some([7, 7, 1]));
        assert_eq!(of(left(100, 80, 96, 80), [6, 5, 1], tiles).and_then(|found| found.2), Some([7, 5, 1]));
        assert_eq!(of(left(1000, 1, 768, 1), [6, 1, 1], [64, 1, 1]).and_then(|found| found.2), Some([8, 1, 1]));
        // x along columns, and a border that a kernel leaves out on purpose.
        assert_eq!(of(left(60, 60, 32, 48), [3, 2, 1], tiles).map(|found| found.2), Some(None));
        let border = Unwritten::of("c", 100, &|at| at % 10 > 0);
        assert_eq!(of(border, [1, 1, 1], [10, 1, 1]), Some((10, named([0, 10, 20, 30]), None)));
        assert_eq!((left(10, 10, 10, 10), left(10, 10, 0, 0)), (None, None));
    }
}
