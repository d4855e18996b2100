//! Operations that the lanes of a warp do together on several registers each: products of matrices, and what goes with them.

use super::boxes::Boxes;
use super::ir::{PlaceId, Reg};
use super::matrix::{Rearrange, Shape};
use super::mbarriers::Does;
use super::observers::{Meet, Observer};
use super::warp::{Stop, Surroundings, Warp};
use super::wgmma::Wgmma;
use crate::trace::FindingKind;

/// The operation of a [`Collective`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum What {
    /// `d = a · b + c` of matrices of `size` rows and columns, whose sums may be `f16`. [`super::fragment`] says how they lie.
    Cooperative { size: u32, half: bool },
    /// `d = a · b + c`, as PTX's `mma` has it.
    Multiply(Shape),
    /// Moves parts of words of `a` from lane to lane, to `d`.
    Rearrange(Rearrange),
    /// Begins to store `a` to its place in shared memory.
    Copy,
    /// Ends a group of such copies.
    CommitCopies,
    /// Waits until at most `left` of the last groups have not landed; for all copies if None.
    WaitForCopies { left: Option<u32> },
    /// Moves boxes between a matrix in a buffer and shared memory. `a` has the address in shared memory, column, row, and the address
    /// of the barrier that counts the bytes, if they go to shared memory.
    Box(Boxes),
    /// Ends a group of boxes that are stored.
    CommitBoxes,
    /// Waits for groups of them.
    WaitForBoxes { left: u32 },
    /// `d = a · b + c` of four warps together. Factors are given as descriptors, and a third register of `b` says whether `c` is added.
    Wgmma(Wgmma),
    /// Ends a group of such products.
    CommitProducts,
    /// Waits for groups of them.
    WaitForProducts { left: u32 },
    /// Does something with a barrier in shared memory.
    Mbarrier(Does),
    /// Arrives at the barrier with the number `a`, for `b` threads.
    NamedBarrier { waits: bool },
    /// The lanes of the warp wait for each other.
    Lanes,
}

impl What {
    /// Whether it multiplies matrices.
    pub fn multiplies(self) -> bool {
        matches!(self, Self::Cooperative { .. } | Self::Multiply(_) | Self::Wgmma(_))
    }

    /// Whether it stores to its place.
    pub fn stores(self) -> bool {
        matches!(self, Self::Copy | Self::Box(Boxes { load: false, .. }))
    }

    /// Whether a warp may wait in it for other warps.
    pub fn waits(self) -> bool {
        matches!(self, Self::Mbarrier(Does::Test { .. }) | Self::NamedBarrier { .. })
    }
}

/// An operation with its registers, which are the IR's or a warp's vectors.
#[derive(Clone, Debug)]
pub struct Collective {
    /// The operation.
    pub what: What,
    /// The memory that it accesses, by lane.
    pub place: Option<PlaceId>,
    /// Another that it accesses, at addresses of its own.
    pub other: Option<PlaceId>,
    /// Registers of the left factor, or of what it works on.
    pub a: Vec<Reg>,
    /// Registers of the right factor.
    pub b: Vec<Reg>,
    /// Registers of what is added to.
    pub c: Vec<Reg>,
    /// Registers of the result.
    pub d: Vec<Reg>,
}

impl Collective {
    /// An operation on registers alone.
    pub fn on(what: What, [a, b, c, d]: [Vec<Reg>; 4]) -> Self {
        Self { what, place: None, other: None, a, b, c, d }
    }
}

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
