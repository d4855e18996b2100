//! How often each element of a matrix was fetched from global memory over a whole grid, and by which workgroups.
//!
//! An element is fetched once by each request (the load of one warp) that any of its lanes asks for it in: lanes of one
//! request that want the same element share the fetch. Caches do not come into it.

use serde::{Deserialize, Serialize};

use super::Cells;

/// Cells of a matrix down and across, at most.
pub const MOST_CELLS: u64 = 128;

/// Workgroups that footprints are kept of, at most; of a larger grid there are none.
pub const MOST_FOOTPRINTS: u64 = 64 * 64;

/// The fetches of all matrices of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Heat {
    /// By matrix, in the order of the buffers.
    pub matrices: Vec<Fetches>,
    /// The footprint of each workgroup, in their order; empty if there are more than [`MOST_FOOTPRINTS`].
    pub footprints: Vec<Footprint>,
}

/// The fetches of one matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fetches {
    /// The buffer, as in a timeline's list.
    pub buffer: u16,
    /// Its name in the source.
    pub name: String,
    /// Its shape, and the cells of what follows.
    pub cells: Cells,
    /// By cell, the mean of its elements' fetches.
    pub mean: Vec<f32>,
    /// By cell, the most fetches of one of its elements.
    pub most: Vec<u32>,
    /// Fetches of all elements together.
    pub total: u64,
    /// Fetches of the element that has the fewest, and of the one that has the most.
    pub range: [u32; 2],
}

/// The cells that one workgroup touched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// By matrix of [`Heat::matrices`], the cells that it loaded from.
    pub loaded: Vec<Bits>,
    /// The same of stores and atomics.
    pub stored: Vec<Bits>,
}

/// A set of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// No cells out of `count`.
    #[must_use]
    pub fn none(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Adds a cell; one that is out of range is ignored.
    pub fn insert(&mut self, cell: usize) {
        if let Some(word) = self.0.get_mut(cell / 64) {
            *word |= 1 << (cell % 64);
        }
    }

    /// Whether a cell is in it.
    #[must_use]
    pub fn has(&self, cell: usize) -> bool {
        self.0.get(cell / 64).is_some_and(|word| word >> (cell % 64) & 1 == 1)
    }

    /// The cells in it, in their order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = self.0.iter().enumerate().filter(|(_, word)| **word != 0);
        words.flat_map(|(at, word)| (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit))
    }

    /// Adds all cells of another set.
    pub fn extend(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Takes all cells out.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
}

impl Fetches {
    /// Gathers the fetches of single elements, row by row, into the cells of their matrix.
    #[must_use]
    pub fn gather(buffer: u16, name: String, cells: Cells, fetches: impl Iterator<Item = u32>) -> Self {
        let mut sums = vec![(0_u64, 0_u32); cells.count()];
        let mut most = vec![0; cells.count()];
        let (mut total, mut range) = (0, [u32::MAX, 0]);
        for (element, fetched) in (0_u64..).zip(fetches) {
            let cell = cells.cell(cells.place(element));
            let Some((sum, elements)) = sums.get_mut(cell) else { break };
            *sum += u64::from(fetched);
            *elements += 1;
            most[cell] = fetched.max(most[cell]);
            total += u64::from(fetched);
            range = [range[0].min(fetched), range[1].max(fetched)];
        }
        let mean = sums.iter().map(|(sum, elements)| (*sum as f64 / f64::from((*elements).max(1))) as f32).collect();
        Self { buffer, name, cells, mean, most, total, range: [range[0].min(range[1]), range[1]] }
    }

    /// The mean over all elements.
    #[must_use]
    pub fn mean_of_all(&self) -> f64 {
        self.total as f64 / self.cells.elements() as f64
    }
}

impl Heat {
    /// The footprints of the workgroups that loaded from a cell of a matrix, by its place in the list.
    pub fn loaders(&self, matrix: usize, cell: usize) -> impl Iterator<Item = &Footprint> {
        self.footprints.iter().filter(move |f| f.loaded.get(matrix).is_some_and(|cells| cells.has(cell)))
    }

    /// The same of those that stored to it.
    pub fn storers(&self, matrix: usize, cell: usize) -> impl Iterator<Item = &Footprint> {
        self.footprints.iter().filter(move |f| f.stored.get(matrix).is_some_and(|cells| cells.has(cell)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_mean_and_the_most_of_their_elements() {
        // 256 rows of 2 elements: two rows a cell.
        let cells = Cells::of(512, 2, MOST_CELLS);
        let of = Fetches::gather(0, "a".into(), cells, (0..512).map(|i| u32::from(i == 3) * 8 + 1));
        assert_eq!((of.mean[0], of.mean[1], of.mean[2]), (1.0, 5.0, 1.0));
        assert_eq!((of.most[1], of.range, of.total), (9, [1, 9], 520));
        let none = Fetches::gather(0, "a".into(), cells, std::iter::empty());
        assert_eq!((none.range, none.mean_of_all()), ([0, 0], 0.0));
    }

    #[test]
    fn bits_are_kept_apart() {
        let (mut one, mut other) = (Bits::none(130), Bits::none(130));
        one.insert(129);
        other.insert(64);
        one.extend(&other);
        assert_eq!([63, 64, 65, 128, 129].map(|cell| one.has(cell)), [false, true, false, false, true]);
        one.insert(4000);
        one.clear();
        assert_eq!(one, Bits::none(130));
    }
}
