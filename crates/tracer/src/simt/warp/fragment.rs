//! Products of cooperative matrices, carried out.

use super::{Surroundings, Warp};
use crate::simt::collective::Collective;
use crate::simt::fragment::{LANES, position};
use crate::simt::observers::Observer;
use warpbook_base::half::{f16_to_f32, f32_to_f16};

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
