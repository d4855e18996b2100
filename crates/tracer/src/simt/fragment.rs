//! Cooperative matrices: how the lanes of a warp share their elements, and their product.
//!
//! Which lane holds which element is a driver's own business. Here each lane holds parts of one row, so that 16 lanes
//! that load together from a row-major tile read eight rows of 16 bytes of it, as NVIDIA's `ldmatrix` does.

use super::collective::Collective;
use super::observers::Observer;
use super::warp::{Surroundings, Warp};
use warpbook_base::half::{f16_to_f32, f32_to_f16};

/// Lanes that share a matrix.
pub const LANES: u32 = 32;

/// Elements of a matrix that a lane holds.
pub fn held(size: u32) -> u32 {
    size * size / LANES
}

/// Neighbours in a row that a lane holds; it holds as many of each group of columns.
pub fn run(size: u32) -> u32 {
    held(size).min(4)
}

/// Lanes that share a row.
pub fn lanes_of_row(size: u32) -> u32 {
    LANES / size
}

/// Row and column of element `i` of those that a lane holds.
pub fn position(size: u32, lane: u32, i: usize) -> (u32, u32) {
    let (run, sharing) = (run(size), lanes_of_row(size));
    let i = i as u32;
    (lane / sharing, i / run * run * sharing + lane % sharing * run + i % run)
}

/// The largest matrix, row by row.
type Matrix = [[f32; 16]; 16];

impl<const W: usize> Warp<W> {
    /// Multiplies matrices. Products are summed as `f32`, one column of `a` after the other, on what `c` holds; WGSL leaves the
    /// order open. An `f16` sum is rounded once, at the end.
    pub(super) fn multiply_add<O: Observer>(
        &mut self,
        size: u32,
        half: bool,
        product: &Collective,
        around: &mut Surroundings<'_, O>,
    ) {
        // As much work as that many instructions, and fuel bounds time.
        around.fuel = around.fuel.saturating_sub(u64::from(size.pow(3) / LANES));
        let (a, b) = (self.matrix(size, &product.a), self.matrix(size, &product.b));
        let mut sum = self.matrix(size, &product.c);
        for (sum, a) in sum.iter_mut().zip(&a) {
            for (a, b) in a.iter().zip(&b).take(size as usize) {
                for (sum, b) in sum.iter_mut().zip(b) {
                    *sum += a * b;
                }
            }
        }
        for (i, d) in product.d.iter().enumerate() {
            let mut values = [0; W];
            for (lane, value) in (0..LANES).zip(&mut values) {
                let (row, column) = position(size, lane, i);
                let sum = sum[row as usize][column as usize];
                *value = if half { f16_to_f32(f32_to_f16(sum)) } else { sum }.to_bits();
            }
            self.set(*d, &values, true);
        }
    }

    fn matrix(&self, size: u32, regs: &[u32]) -> Matrix {
        let mut out = Matrix::default();
        for (i, reg) in regs.iter().enumerate() {
            for (lane, value) in (0..LANES).zip(&self.vectors[*reg as usize]) {
                let (row, column) = position(size, lane, i);
                out[row as usize][column as usize] = f32::from_bits(*value);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_lies_in_one_place() {
        for size in [8, 16] {
            let all = (0..LANES).flat_map(|lane| (0..held(size) as usize).map(move |i| position(size, lane, i)));
            let mut all: Vec<(u32, u32)> = all.collect();
            all.sort_unstable();
            assert_eq!(all, (0..size).flat_map(|r| (0..size).map(move |c| (r, c))).collect::<Vec<_>>());
        }
    }
}
