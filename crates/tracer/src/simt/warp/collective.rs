//! Operations that the lanes of a warp do together, carried out.

use super::{Stop, Surroundings, Warp};
use crate::simt::collective::What;
use crate::simt::observers::{Meet, Observer};
use crate::trace::FindingKind;

impl<const W: usize> Warp<W> {
    /// Executes one; says why the warp stops, where it does.
    pub(super) fn collective<O: Observer>(&mut self, id: u32, around: &mut Surroundings<'_, O>) -> Option<Stop> {
        let code = around.code;
        let together = &code.collectives[id as usize];
        match together.what {
            What::Cooperative { size, half } => {
                self.need_all_lanes("cooperative matrices need", around);
                self.multiply_add(size, half, together, around);
            }
            What::Multiply(shape) => {
                self.need_all_lanes("a product of matrices needs", around);
                self.multiply(shape, together, &mut around.fuel);
            }
            What::Copy => self.begin_copy(together, around),
            What::CommitCopies => self.copies.commit(self.mask),
            What::WaitForCopies { left } => self.wait_for_copies(left, around),
            What::Box(boxes) => self.move_box(id, boxes, together, around),
            What::CommitBoxes => self.readings.commit(self.mask),
            What::WaitForBoxes { left } => self.wait_for_boxes(Some(left), around),
            What::Wgmma(how) => {
                self.need_all_lanes("a product of matrices needs", around);
                self.wgmma(id, how, together, around);
            }
            What::CommitProducts => self.products.commit(self.mask),
            What::WaitForProducts { left } => self.wait_for_products(Some(left), around),
            What::Mbarrier(does) => return self.mbarrier(does, together, around),
            What::NamedBarrier { waits } => return self.named_barrier(waits, together, around),
            What::Lanes => around.observer.meet(Meet::Lanes),
            What::Rearrange(how) => {
                self.need_all_lanes("the rows of matrices need", around);
                self.rearrange(how, together);
            }
        }
        None
    }

    /// Reports lanes that are missing.
    pub(super) fn need_all_lanes<O>(&self, need: &str, around: &mut Surroundings<'_, O>) {
        let missing = Self::FULL & !self.mask;
        let line = around.code.lines[self.pc - 1];
        // A part of another operation has no line, and is reported there.
        if missing != 0 && line != 0 {
            around.report(line, FindingKind::InactiveLane, |at, _| {
                format!(
                    "{need} every lane of a warp, and {} of {W} are not active here: what comes out is not defined \
                     (workgroup {}, warp {})",
                    missing.count_ones(),
                    at.workgroup,
                    at.warp,
                )
            });
        }
    }
}
