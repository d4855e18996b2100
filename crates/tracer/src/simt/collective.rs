//! Operations that the lanes of a warp do together on several registers each: products of matrices, and what goes with them.

use super::boxes::Boxes;
use super::ir::{PlaceId, Reg};
use super::matrix::{Rearrange, Shape};
use super::mbarriers::Does;
use super::wgmma::Wgmma;

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
    /// The lanes of the mask in `a` wait for each other.
    Lanes,
    /// Checks the mask in `a`, which names the lanes that take part in the next operation.
    Members(Members),
    /// A memory fence.
    Fence(Fence),
}

/// A memory fence (PTX ISA 9.0, section 9.7.13.4, "membar, fence").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fence {
    /// Whether its scope reaches beyond the workgroup.
    pub wide: bool,
    /// Whether strong reads before it acquire.
    pub acquires: bool,
    /// Whether strong writes after it release.
    pub releases: bool,
    /// Whether it is sequentially consistent: `fence.sc`, or `membar`, which is its other name.
    pub sc: bool,
}

impl Fence {
    /// One that acquires and releases.
    #[cfg(test)]
    pub fn full(wide: bool) -> Self {
        Self { wide, acquires: true, releases: true, sc: false }
    }
}

/// An operation of the lanes that a mask names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Members {
    /// Its name in CUDA.
    pub name: &'static str,
    /// Whether lanes miss it only by leaving the kernel, so that it does not wait for them.
    pub left: bool,
    /// Whether the other arm of a branch around it has such an operation, too, where lanes of the mask may wait.
    pub in_both_arms: bool,
    /// The source line.
    pub line: u32,
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

    /// Whether it only says in what order accesses happen, and takes no time of its own.
    pub fn orders(self) -> bool {
        matches!(self, Self::Lanes | Self::Members(_) | Self::Fence(_))
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
