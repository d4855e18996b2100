//! Occupancy: how many workgroups of a kernel a multiprocessor holds, and what limits it.

use crate::trace::record::{Limit, Occupancy};

/// The resources of a multiprocessor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Multiprocessor {
    pub(super) threads: u32,
    pub(super) blocks: u32,
    pub(super) registers: u32,
    pub(super) shared_bytes: u32,
    /// Shared memory that the system takes for each workgroup.
    pub(super) reserved_shared_bytes: u32,
}

/// Lanes in a warp.
const WARP: u32 = 32;

/// Registers are given out to warps in pieces of this many, by each of the four parts of a multiprocessor.
/// (CUDA C++ Programming Guide, "Hardware Multithreading", and the occupancy calculator's table for 7.x to 12.x.)
const REGISTER_PIECE: u32 = 256;
const PARTS: u32 = 4;

/// The occupancy of a kernel with workgroups of `lanes` lanes, of which the driver says that `blocks` fit.
pub(super) fn occupancy(of: &Multiprocessor, lanes: u32, registers: u32, shared_bytes: u32, blocks: u32) -> Occupancy {
    let warps = lanes.div_ceil(WARP).max(1);
    let per_warp = (registers * WARP).next_multiple_of(REGISTER_PIECE).max(REGISTER_PIECE);
    let shared = shared_bytes + of.reserved_shared_bytes;
    // In the order in which the first of equals is named: a full multiprocessor is not short of anything else.
    let limits = [
        (Limit::Warps, of.threads / WARP / warps),
        (Limit::Blocks, of.blocks),
        (Limit::Registers, of.registers / PARTS / per_warp * PARTS / warps),
        (Limit::SharedMemory, of.shared_bytes.checked_div(shared).unwrap_or(u32::MAX)),
    ];
    let limited_by = limits.iter().min_by_key(|(_, fit)| *fit).map_or(Limit::Warps, |(limit, _)| *limit);
    Occupancy { blocks, warps: blocks * warps, max_warps: of.threads / WARP, limited_by }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compute capability 9.0.
    const H100: Multiprocessor = Multiprocessor {
        threads: 2048,
        blocks: 32,
        registers: 65_536,
        shared_bytes: 233_472,
        reserved_shared_bytes: 1024,
    };

    #[test]
    fn what_runs_out_first_is_named() {
        let limit = |lanes, registers, shared, blocks| occupancy(&H100, lanes, registers, shared, blocks).limited_by;
        assert_eq!(limit(256, 16, 0, 8), Limit::Warps);
        assert_eq!(limit(768, 16, 0, 2), Limit::Warps);
        assert_eq!(limit(32, 16, 0, 32), Limit::Blocks);
        // 64 registers a lane: 2,048 a warp, 8 warps in each part, 32 in all, 4 workgroups of 8.
        assert_eq!(limit(256, 64, 0, 4), Limit::Registers);
        assert_eq!(limit(256, 32, 48 << 10, 4), Limit::SharedMemory);
        let full = occupancy(&H100, 256, 32, 0, 8);
        assert_eq!((full.warps, full.max_warps), (64, 64));
    }
}
