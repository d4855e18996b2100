//! Products of matrices in a warp's registers, and moves of their tiles, carried out.

use super::Warp;
use crate::simt::collective::Collective;
use crate::simt::matrix::{LANES, Number, Of, Rearrange, Shape, Sum, add_product};
use warpbook_base::half::{f16_to_f32, f32_to_f16};

/// The largest factor, and the most sums.
const MOST: usize = 512;

impl<const W: usize> Warp<W> {
    /// Multiplies matrices, and adds them to others.
    pub(super) fn multiply(&mut self, shape: Shape, product: &Collective, fuel: &mut u64) {
        let (n, k) = (shape.n as usize, shape.k as usize);
        // As much work as that many instructions, and fuel bounds time.
        *fuel = fuel.saturating_sub(u64::from(shape.m * shape.n * shape.k / LANES / 16));
        let (mut a, mut b) = ([0.0; MOST], [0.0; MOST]);
        self.read_left(shape, &product.a, &mut a);
        for (t, reg) in (0..).zip(&product.b) {
            let (column, row) = shape.tile(Of::B, t);
            self.tile(*reg, shape.factors[1], |line, at, value| {
                b[(row as usize + at) * n + (column + line) as usize] = value;
            });
        }
        let (a, b) = (&a[..shape.m as usize * k], &b[..k * n]);
        let mut sum = [0.0; MOST];
        let sum = &mut sum[..shape.m as usize * n];
        if let [Sum::I32 { .. }, Sum::I32 { saturates }] = shape.sums {
            add_product(k, n, a, b, sum);
            return self.add_integers(shape, sum, saturates, product);
        }
        self.read_sums(shape, &product.c, sum);
        add_product(k, n, a, b, sum);
        self.write_sums(shape, sum, &product.d);
    }

    /// Calls `to` with the line, the place in it and the value of each element of a tile.
    #[inline(always)]
    fn tile(&self, reg: u32, number: Number, mut to: impl FnMut(u32, usize, f32)) {
        let per = number.per_word() as usize;
        let words = &self.vectors[reg as usize];
        let mut all = |number: Number| {
            for (lane, word) in (0..LANES).zip(words) {
                number.each(*word, |n, value| to(lane / 4, (lane % 4) as usize * per + n, value));
            }
        };
        // One loop for each kind, so that none decides per element.
        match number {
            Number::F16 => all(Number::F16),
            Number::Bf16 => all(Number::Bf16),
            Number::Tf32 => all(Number::Tf32),
            Number::S8 => all(Number::S8),
            Number::U8 => all(Number::U8),
        }
    }

    /// The left factor, from registers.
    pub(super) fn read_left(&self, shape: Shape, regs: &[u32], a: &mut [f32]) {
        let k = shape.k as usize;
        for (t, reg) in (0..).zip(regs) {
            let (row, column) = shape.tile(Of::A, t);
            self.tile(*reg, shape.factors[0], |line, at, value| {
                a[(row + line) as usize * k + column as usize + at] = value;
            });
        }
    }

    /// Sums of floats, from registers.
    pub(super) fn read_sums(&self, shape: Shape, regs: &[u32], sum: &mut [f32]) {
        let n = shape.n as usize;
        for (i, reg) in (0..).zip(regs) {
            let words = &self.vectors[*reg as usize];
            let half = shape.sums[0] == Sum::F16;
            let (row, column) = shape.tile(Of::Sum, if half { i } else { i / 2 });
            for (lane, word) in (0..LANES).zip(words) {
                let at = (row + lane / 4) as usize * n + (column + lane % 4 * 2) as usize;
                if half {
                    sum[at] = f16_to_f32((word & 0xFFFF) as u16);
                    sum[at + 1] = f16_to_f32((word >> 16) as u16);
                } else {
                    sum[at + i as usize % 2] = f32::from_bits(*word);
                }
            }
        }
    }

    /// Sums of floats, to registers. An `f16` is rounded once, here.
    pub(super) fn write_sums(&mut self, shape: Shape, sum: &[f32], regs: &[u32]) {
        let n = shape.n as usize;
        for (i, reg) in (0..).zip(regs) {
            let half = shape.sums[1] == Sum::F16;
            let (row, column) = shape.tile(Of::Sum, if half { i } else { i / 2 });
            let mut words = [0; W];
            for (lane, word) in (0..LANES).zip(&mut words) {
                let at = (row + lane / 4) as usize * n + (column + lane % 4 * 2) as usize;
                *word = if half {
                    u32::from(f32_to_f16(sum[at])) | u32::from(f32_to_f16(sum[at + 1])) << 16
                } else {
                    sum[at + i as usize % 2].to_bits()
                };
            }
            self.set(*reg, &words, true);
        }
    }

    /// Adds sums of products of bytes, which are exact, to integers.
    fn add_integers(&mut self, shape: Shape, sum: &[f32], saturates: bool, product: &Collective) {
        let n = shape.n as usize;
        // A result may take the register of a sum that is read here.
        let mut sums: Vec<[u32; W]> = product.c.iter().map(|reg| self.vectors[*reg as usize]).collect();
        for (i, words) in (0..).zip(&mut sums) {
            let (row, column) = shape.tile(Of::Sum, i / 2);
            for (lane, word) in (0..LANES).zip(words) {
                let at = (row + lane / 4) as usize * n + (column + lane % 4 * 2 + i % 2) as usize;
                let (before, more) = (word.cast_signed(), sum[at] as i32);
                *word = if saturates { before.saturating_add(more) } else { before.wrapping_add(more) }.cast_unsigned();
            }
        }
        for (reg, words) in product.d.iter().zip(&sums) {
            self.set(*reg, words, true);
        }
    }

    /// Moves tiles between lanes.
    pub(super) fn rearrange(&mut self, how: Rearrange, moved: &Collective) {
        let mut out = Vec::with_capacity(moved.d.len());
        for i in 0..moved.d.len() {
            let mut words = [0; W];
            for (lane, word) in (0..LANES).zip(&mut words) {
                for half in 0..2 {
                    let from = how.source(lane, i, half);
                    let value = self.vectors[moved.a[from.reg] as usize][from.lane as usize];
                    *word |= (value >> (16 * from.half) & 0xFFFF) << (16 * half);
                }
            }
            out.push(words);
        }
        for (reg, words) in moved.d.iter().zip(&out) {
            self.set(*reg, words, true);
        }
    }
}
