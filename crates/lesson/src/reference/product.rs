//! Matrix products in f64, tile by tile and in parallel; for large ones, some rows and some columns.

use rayon::prelude::*;

use super::compare::Worst;
use super::given::Given;
use crate::base::rng;
use crate::base::tensor::Tensor;

/// Rows, columns and inner steps of one task's tile: the decoded elements fit in a core's cache.
const ROWS: usize = 16;
const COLUMNS: usize = 256;
const STEPS: usize = 64;

/// The number of steps added at once.
const AT_ONCE: usize = 4;

/// The maximum number of multiplications for which a product is compared whole: a second or two on a few cores.
const WHOLE: u128 = 1 << 31;

/// The minimum number of rows, and of columns, that are compared of a larger one.
const LEAST: usize = 8;

/// The seed for choosing rows and columns, which does not depend on the inputs.
const SEED: u64 = 0x5A4D_504C;

/// C = A · B: A is row-major and m × k; B is row-major and k × n, or n × k where it is stored transposed.
pub(super) struct Product<'a> {
    a: &'a Tensor,
    b: &'a Tensor,
    m: usize,
    n: usize,
    k: usize,
    b_transposed: bool,
}

impl<'a> Product<'a> {
    /// The product of the inputs `a` and `b` with the arguments m, n, k.
    pub(super) fn new(given: &Given<'a>, b_transposed: bool) -> Self {
        let [m, n, k] = [0, 1, 2].map(|i| given.args[i]);
        Self { a: given.inputs[0], b: given.inputs[1], m, n, k, b_transposed }
    }

    /// Compares `output`; also returns the number of compared elements.
    pub(super) fn compare(&self, output: &Tensor, tolerance: f64) -> (Worst, u64) {
        self.compare_within(WHOLE, output, tolerance)
    }

    /// Compares all of `output`, or about as much as `whole` multiplications allow: rows and columns at even distances,
    /// shifted at random, including the first and the last, so that every tile of a kernel is covered.
    fn compare_within(&self, whole: u128, output: &Tensor, tolerance: f64) -> (Worst, u64) {
        // If there are no elements, one of the sizes may still be any number.
        if self.m == 0 || self.n == 0 {
            return (Worst::default(), 0);
        }
        let all = |count: usize| (0..count).collect::<Vec<usize>>();
        let work = [self.m, self.n, self.k].iter().fold(1_u128, |product, &size| product.saturating_mul(size as u128));
        if work <= whole {
            return (self.part(output, tolerance, &all(self.m), &all(self.n)), (self.m * self.n) as u64);
        }
        // Rows and columns get half of the work each.
        let share = |count: usize| usize::try_from(whole * count as u128 / work / 2).unwrap_or(count).max(LEAST);
        let rows = chosen(share(self.m), self.m, SEED);
        let columns = chosen(share(self.n), self.n, SEED + 1);
        let others: Vec<usize> = (0..self.m).filter(|row| rows.binary_search(row).is_err()).collect();
        let worst = self.part(output, tolerance, &rows, &all(self.n));
        let worst = worst.join(self.part(output, tolerance, &others, &columns));
        (worst, (rows.len() * self.n + others.len() * columns.len()) as u64)
    }

    /// Compares the elements at the intersections of `rows` and `columns`.
    fn part(&self, output: &Tensor, tolerance: f64, rows: &[usize], columns: &[usize]) -> Worst {
        let tiles =
            rows.par_chunks(ROWS).flat_map(|rows| columns.par_chunks(COLUMNS).map(move |columns| (rows, columns)));
        let compared = tiles.map(|(rows, columns)| {
            let tile = self.tile(rows, columns);
            let mut worst = Worst::default();
            for (y, row) in rows.iter().enumerate() {
                for (x, column) in columns.iter().enumerate() {
                    let index = row * self.n + column;
                    let scale = (tile.squares_a[y] * tile.squares_b[x] / self.k.max(1) as f64).sqrt();
                    worst.see(index, output, tile.sums[y * columns.len() + x], scale, tolerance);
                }
            }
            worst
        });
        compared.reduce(Worst::default, Worst::join)
    }

    fn tile(&self, rows: &[usize], columns: &[usize]) -> Tile {
        let width = columns.len();
        let mut tile =
            Tile { sums: vec![0.0; rows.len() * width], squares_a: vec![0.0; rows.len()], squares_b: vec![0.0; width] };
        let (mut a, mut b) = (vec![0.0; rows.len() * STEPS], vec![0.0; STEPS * width]);
        for first in (0..self.k).step_by(STEPS) {
            let depth = STEPS.min(self.k - first);
            for (row, a) in rows.iter().zip(a.chunks_exact_mut(STEPS)) {
                let values = (0..depth).map(|step| self.a.get(row * self.k + first + step));
                fill(a, values);
            }
            for (step, b) in b.chunks_exact_mut(width).enumerate() {
                let rest = if step < depth { columns } else { &[] };
                fill(b, rest.iter().map(|&column| self.b_at(first + step, column)));
                tile.squares_b.iter_mut().zip(&*b).for_each(|(sum, b)| *sum += b * b);
            }
            for ((a, sums), squares) in
                a.chunks_exact(STEPS).zip(tile.sums.chunks_exact_mut(width)).zip(&mut tile.squares_a)
            {
                *squares += a.iter().map(|a| a * a).sum::<f64>();
                for (a, b) in a.chunks_exact(AT_ONCE).zip(b.chunks_exact(AT_ONCE * width)) {
                    let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|i| &b[i * width..(i + 1) * width]);
                    for ((((sum, b0), b1), b2), b3) in sums.iter_mut().zip(b0).zip(b1).zip(b2).zip(b3) {
                        *sum += a[0] * b0 + a[1] * b1 + (a[2] * b2 + a[3] * b3);
                    }
                }
            }
        }
        tile
    }

    fn b_at(&self, row: usize, column: usize) -> f64 {
        self.b.get(if self.b_transposed { column * self.k + row } else { row * self.n + column })
    }
}

/// A tile of a product, with the sums of squares of its rows of A and columns of B.
struct Tile {
    sums: Vec<f64>,
    squares_a: Vec<f64>,
    squares_b: Vec<f64>,
}

/// Copies `values` to the start, and fills the rest with zeros.
fn fill(place: &mut [f64], values: impl Iterator<Item = f64>) {
    let mut values = values;
    place.iter_mut().for_each(|place| *place = values.next().unwrap_or(0.0));
}

/// `count` of `of` indices in order, one from each of `count` equal intervals; always including the first and the last.
fn chosen(count: usize, of: usize, seed: u64) -> Vec<usize> {
    let count = count.min(of);
    let one = |i: usize| {
        let (start, end) = (i * of / count, (i + 1) * of / count);
        match i {
            0 => 0,
            _ if i + 1 == count => of - 1,
            _ => start + rng::word(seed, i as u64) as usize % (end - start),
        }
    };
    (0..count).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::tensor::{Elem, Init};

    /// A product of random matrices, and its output computed without tiles.
    fn case(m: usize, n: usize, k: usize, b_transposed: bool) -> (Tensor, Tensor, Tensor) {
        let a = Tensor::new(Elem::F32, m * k, Init::Random, 1, 0);
        let b = Tensor::new(Elem::F32, k * n, Init::Random, 1, 1);
        let b_at = |row, column| b.get(if b_transposed { column * k + row } else { row * n + column });
        let element = |i: usize| (0..k).map(|j| a.get(i / n * k + j) * b_at(j, i % n)).sum::<f64>();
        let words = (0..m * n).map(|i| Elem::F32.encode(element(i))).collect();
        (a, b, Tensor { elem: Elem::F32, words })
    }

    fn worst(sizes: (usize, usize, usize), b_transposed: bool, spoil: Option<usize>) -> (Worst, u64) {
        let (m, n, k) = sizes;
        let (a, b, mut c) = case(m, n, k, b_transposed);
        if let Some(index) = spoil {
            c.words[index] = Elem::F32.encode(c.get(index) + 1e-2);
        }
        Product { a: &a, b: &b, m, n, k, b_transposed }.compare(&c, 1e-6)
    }

    #[test]
    fn any_size_and_both_orders_of_b() {
        for sizes in [(1, 1, 1), (17, 1, 127), (3, 300, 5), (33, 257, 66), (1, 1, 0)] {
            for b_transposed in [false, true] {
                let (worst, compared) = worst(sizes, b_transposed, None);
                assert!(worst.first_wrong.is_none() && worst.error < 1e-6, "{sizes:?}: {}", worst.error);
                assert_eq!(compared, (sizes.0 * sizes.1) as u64);
            }
        }
        let (a, b, c) = case(9, 9, 9, false);
        let (none, huge) = (Tensor::new(Elem::F32, 1, Init::Zero, 0, 0), 1 << 50);
        for (m, n) in [(0, huge), (huge, 0)] {
            let product = Product { a: &none, b: &none, m, n, k: 0, b_transposed: false };
            assert_eq!(product.compare(&none, 0.0).1, 0);
        }
        let other = Product { a: &a, b: &b, m: 9, n: 9, k: 9, b_transposed: true }.compare(&c, 1e-2);
        assert!(other.0.first_wrong.is_some(), "the two orders of B are told apart");
    }

    #[test]
    fn one_wrong_element_is_found_and_named() {
        let (worst, _) = worst((33, 257, 66), false, Some(20 * 257 + 256));
        assert_eq!(worst.first_wrong.map(|(index, ..)| index), Some(20 * 257 + 256));
        assert!(worst.error > 1e-3 && worst.error < 1e-1, "{}", worst.error);
    }

    #[test]
    fn of_a_large_one_every_tile_is_met() {
        let m = 4096;
        let rows = chosen(64, m, SEED);
        assert!(rows.windows(2).all(|pair| pair[0] < pair[1]) && rows[0] == 0 && rows[63] == m - 1);
        assert!((0..m / 128).all(|tile| rows.iter().any(|row| row / 128 == tile)));
        assert_eq!(chosen(9, 3, SEED), [0, 1, 2]);
        assert_eq!(chosen(1, 1, SEED), [0]);
        let (m, n, k) = (64, 80, 4);
        let (a, b) = (Tensor::new(Elem::F16, m * k, Init::Zero, 0, 0), Tensor::new(Elem::F16, k * n, Init::Zero, 0, 0));
        let product = Product { a: &a, b: &b, m, n, k, b_transposed: false };
        let rows = chosen(8, m, SEED);
        let columns = chosen(10, n, SEED + 1);
        for (row, column) in [(rows[3], 7), (5, columns[4]), (63, 79), (rows[1] + 1, columns[1] + 1)] {
            let mut c = Tensor::new(Elem::F16, m * n, Init::Zero, 0, 0);
            let index = row * n + column;
            c.words[index / 2] = 0x3C00 << (16 * (index % 2));
            let (worst, compared) = product.compare_within((m * n * k / 4) as u128, &c, 0.0);
            assert_eq!(compared, (8 * n + 56 * 10) as u64);
            let looked_at = rows.contains(&row) || columns.contains(&column);
            assert_eq!(worst.first_wrong.map(|(index, ..)| index), looked_at.then_some(index));
            assert_eq!(product.compare(&c, 0.0).0.first_wrong.map(|(index, ..)| index), Some(index));
        }
    }
}
