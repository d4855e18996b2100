//! Products of factors in shared memory, carried out.

use super::{Surroundings, Warp};
use crate::simt::boxes::{PIECE, in_warps};
use crate::simt::collective::Collective;
use crate::simt::matrix::add_product;
use crate::simt::observers::{Access, Addresses, Meet, Observer, Phase};
use crate::simt::wgmma::{Descriptor, Pending, Wgmma, numbers, pieces};
use crate::trace::{AccessKind, FindingKind};

impl<const W: usize> Warp<W> {
    pub(super) fn wgmma<O: Observer>(
        &mut self,
        id: u32,
        how: Wgmma,
        product: &Collective,
        around: &mut Surroundings<'_, O>,
    ) {
        let Wgmma { shape, in_registers, .. } = how;
        around.fuel = around.fuel.saturating_sub(u64::from(shape.n * shape.k / 32));
        let descriptor = |regs: &[u32]| Descriptor::of(self.value(regs, 0, 0), self.value(regs, 1, 0));
        let of = [(!in_registers).then(|| descriptor(&product.a)), Some(descriptor(&product.b))];
        let pending = Pending { id, of };
        if O::ACTIVE {
            self.see_factors(pending, Phase::Reads, around);
        }
        if let Some(address) = self.multiply_in_shared(how, of, around.at.warp % 4 * 16, product, around.shared) {
            let bytes = around.shared.len() * 4;
            around.report(around.code.lines[self.pc - 1], FindingKind::OutOfBounds, |at, _| {
                format!(
                    "a matrix's descriptor leads to byte {address} of shared memory, which has {bytes} (workgroup {}, warp {})",
                    at.workgroup, at.warp
                )
            });
        }
        self.products.begin(self.mask, pending);
    }

    /// The product for 16 rows from `row` on; gives an address outside of shared memory, if there was one.
    fn multiply_in_shared(
        &mut self,
        Wgmma { shape, transposed, negated, .. }: Wgmma,
        of: [Option<Descriptor>; 2],
        row: u32,
        product: &Collective,
        shared: &[u32],
    ) -> Option<u32> {
        let (n, k) = (shape.n as usize, shape.k as usize);
        let mut outside = None;
        let mut a = vec![0.0; 16 * k];
        match of[0] {
            None => self.read_left(shape, &product.a, &mut a),
            Some(of) => {
                for (line, piece) in pieces(shape, 0, transposed[0], (row, 16)) {
                    let address = of.piece(line, piece, transposed[0]);
                    let inside = numbers(shape, 0, (address, shared), |i, value| {
                        let along = (piece * 4 * shape.factors[0].per_word()) as usize + i;
                        let (r, c) = match transposed[0] {
                            true => (along - row as usize, line as usize),
                            false => ((line - row) as usize, along),
                        };
                        a[r * k + c] = value;
                    });
                    outside = outside.or((!inside).then_some(address));
                }
            }
        }
        let mut b = vec![0.0; k * n];
        if let Some(of) = of[1] {
            for (line, piece) in pieces(shape, 1, transposed[1], (0, shape.n)) {
                let address = of.piece(line, piece, transposed[1]);
                let inside = numbers(shape, 1, (address, shared), |i, value| {
                    let along = (piece * 4 * shape.factors[1].per_word()) as usize + i;
                    let (r, c) = if transposed[1] { (line as usize, along) } else { (along, line as usize) };
                    b[r * n + c] = value;
                });
                outside = outside.or((!inside).then_some(address));
            }
        }
        if negated[0] != negated[1] {
            a.iter_mut().for_each(|value| *value = -*value);
        }
        let mut sum = vec![0.0; 16 * n];
        // Without its scale, a product is not added to anything.
        let lane = self.mask.trailing_zeros().min(W as u32 - 1);
        if product.b.len() < 3 || self.value(&product.b, 2, lane) != 0 {
            self.read_sums(shape, &product.c, &mut sum);
        }
        add_product(k, n, &a, &b, &mut sum);
        self.write_sums(shape, &sum, &product.d);
        outside
    }

    /// Waits for products.
    pub(super) fn wait_for_products<O: Observer>(&mut self, left: Option<u32>, around: &mut Surroundings<'_, O>) {
        for (_, pending) in self.products.wait(self.mask, left) {
            if O::ACTIVE {
                // Up to now the factors were read.
                self.see_factors(pending, Phase::HasRead, around);
            }
        }
        // `wgmma.wait_group` is `.sync.aligned`: the lanes of a warp wait together for products that are the whole warp's (PTX ISA,
        // `wgmma.wait_group`), so that any of them may say to others that the factors were read.
        if O::ACTIVE {
            around.observer.meet(self.mask, Meet::Lanes);
        }
    }

    fn see_factors<O: Observer>(&self, pending: Pending, phase: Phase, around: &mut Surroundings<'_, O>) {
        let of = &around.code.collectives[pending.id as usize];
        let (crate::simt::collective::What::Wgmma(how), Some(site)) = (of.what, of.other) else { return };
        let place = &around.code.places[site as usize];
        let row = around.at.warp % 4 * 16;
        let end = around.shared.len() as u32 * 4;
        let observer = &mut *around.observer;
        for (number, lines) in [(0, (row, 16)), (1, (0, how.shape.n))] {
            let Some(descriptor) = pending.of[number] else { continue };
            let transposed = how.transposed[number];
            let pieces = pieces(how.shape, number, transposed, lines);
            let pieces = pieces.map(|(line, piece)| {
                let address = descriptor.piece(line, piece, transposed);
                (address + PIECE <= end).then_some(address)
            });
            in_warps::<W>(pieces, |mask, addresses| {
                let access = Access::of(site, place, AccessKind::Load, mask, Addresses::Lanes(addresses));
                observer.later(&access, phase);
            });
        }
    }
}
