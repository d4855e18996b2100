//! Occupancy: the number of blocks that an SM holds at once, the resource that limits it, and the reduction needed for
//! one more block.

use serde::{Deserialize, Serialize};

use super::spec::DeviceSpec;
use crate::base::units::figure;

/// The launch configuration of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Blocks of the grid.
    pub blocks: u64,
    /// Lanes of a block.
    pub threads_per_block: u32,
    /// Shared memory of a block, in bytes.
    pub shared_bytes_per_block: u32,
    /// 32-bit registers of a lane, if a compiler has reported them.
    pub registers_per_thread: Option<u32>,
    /// Lanes of a traced warp.
    pub warp_lanes: u32,
}

/// A resource of an SM that is allocated to blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    /// Slots for lanes.
    Threads,
    /// Slots for warps: a block's last warp takes a whole one.
    Warps,
    /// Slots for blocks.
    Blocks,
    Registers,
    SharedMemory,
}

/// All of them; of equal limits, the first one is named.
const RESOURCES: [Resource; 5] =
    [Resource::Threads, Resource::Warps, Resource::Blocks, Resource::Registers, Resource::SharedMemory];

impl Resource {
    /// Its name in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Warps => "warps",
            Self::Blocks => "block places",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
        }
    }
}

/// The number of blocks that one resource would allow on an SM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limit {
    pub resource: Resource,
    pub blocks: u32,
}

/// The blocks and warps of a launch that an SM holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// Blocks that an SM holds at once; 0 if a block does not fit at all.
    pub blocks_per_sm: u32,
    pub warps_per_block: u32,
    /// Warps that an SM holds at once.
    pub warps_per_sm: u32,
    /// `warps_per_sm` over the maximum of the SM; absent if that is not known.
    pub fraction: Option<f64>,
    /// The limiting resource; the first of equal ones.
    pub limited_by: Resource,
    /// The next limit, if that one were removed; absent if only one is known.
    pub next: Option<Limit>,
    /// The reduction of the limiting resource per block (or, for registers, per lane) with which the SM holds one more
    /// block, by all known limits: lanes, registers a lane, or bytes. Absent if a reduction of it alone is not enough.
    pub less_for_one_more: Option<u32>,
    /// Each known limit.
    pub limits: Vec<Limit>,
    /// Resources that may also limit it, for which a figure of the device or of the kernel is not known.
    pub unknown: Vec<Resource>,
}

impl Occupancy {
    /// The share of an SM's warps that is held, in words; "≤" if a limit is not known, such as a WGSL kernel's
    /// registers.
    #[must_use]
    pub fn share_words(&self) -> Option<String> {
        let bound = if self.unknown.is_empty() { "" } else { "≤ " };
        self.fraction.map(|share| format!("{bound}{}", figure(share, "%")))
    }
}

/// The blocks of a launch that an SM holds at once, as NVIDIA's calculator counts them (`cuda_occupancy.h` of the CUDA
/// toolkit): threads and warps are counted in whole warps; registers are allocated to warps in multiples of a unit and
/// within one partition of the SM; shared memory is allocated in multiples of a unit, with the system's reservation
/// added to each block. None if no limit is known.
#[must_use]
pub fn occupancy(spec: &DeviceSpec, launch: &Launch) -> Option<Occupancy> {
    let width = warp_width(spec, launch);
    let warps_per_block = launch.threads_per_block.max(1).div_ceil(width);
    let found = RESOURCES.map(|resource| (resource, blocks_by(resource, spec, launch)));
    let limits: Vec<Limit> =
        found.iter().filter_map(|&(resource, blocks)| Some(Limit { resource, blocks: blocks? })).collect();
    let least = *limits.iter().min_by_key(|limit| limit.blocks)?;
    // Lanes are counted in warps too, so either of the two limits, if known, covers both.
    let counted = |resource| found.iter().any(|(r, blocks)| *r == resource && blocks.is_some());
    let unknown = found
        .iter()
        .filter(|(resource, blocks)| blocks.is_none() && !(*resource == Resource::Threads && counted(Resource::Warps)))
        .filter(|(resource, _)| !(*resource == Resource::Warps && counted(Resource::Threads)))
        .map(|(resource, _)| *resource)
        .collect();
    let warps_per_sm = least.blocks.saturating_mul(warps_per_block);
    let most = spec.figures.max_warps_per_sm().or(spec.figures.max_threads_per_sm().map(|threads| threads / width));
    Some(Occupancy {
        blocks_per_sm: least.blocks,
        warps_per_block,
        warps_per_sm,
        fraction: most.map(|most| f64::from(warps_per_sm) / f64::from(most)),
        limited_by: least.resource,
        next: limits.iter().filter(|limit| limit.resource != least.resource).min_by_key(|limit| limit.blocks).copied(),
        less_for_one_more: less_for_one_more(least, spec, launch),
        limits,
        unknown,
    })
}

/// Lanes of a warp on this device: the traced width, clamped to the range that the device supports.
fn warp_width(spec: &DeviceSpec, launch: &Launch) -> u32 {
    let (least, most) = spec.figures.warp_lanes().unwrap_or((1, u32::MAX));
    launch.warp_lanes.max(least).min(most).max(1)
}

/// Blocks that an SM holds by the limit of one resource; None if a figure for it is missing.
fn blocks_by(resource: Resource, spec: &DeviceSpec, launch: &Launch) -> Option<u32> {
    let figures = &spec.figures;
    let threads = launch.threads_per_block.max(1);
    let width = warp_width(spec, launch);
    let warps = threads.div_ceil(width);
    let too_large = figures.max_threads_per_block().is_some_and(|most| threads > most);
    match resource {
        Resource::Threads if too_large => Some(0),
        Resource::Threads => Some(figures.max_threads_per_sm()? / threads),
        Resource::Warps => Some(figures.max_warps_per_sm()? / warps),
        Resource::Blocks => figures.max_blocks_per_sm(),
        Resource::Registers => {
            let each = launch.registers_per_thread?;
            let (all, parts) = (figures.registers_per_sm()?, figures.register_partitions_per_sm()?);
            let of_warp = each.saturating_mul(width).checked_next_multiple_of(figures.register_allocation()?)?;
            // A launch is checked as if each partition had the same number of the block's warps.
            let checked = of_warp.saturating_mul(warps.checked_next_multiple_of(parts)?);
            let over = |most: Option<u32>, taken: u32| most.is_some_and(|most| taken > most);
            if over(figures.max_registers_per_thread(), each) || over(figures.max_registers_per_block(), checked) {
                return Some(0);
            }
            // Without registers, there is no limit.
            (all / parts).checked_div(of_warp).map(|warps_of_part| warps_of_part.saturating_mul(parts) / warps)
        }
        Resource::SharedMemory => {
            let taken = launch.shared_bytes_per_block;
            if figures.max_shared_bytes_per_block().is_some_and(|most| taken > most) {
                return Some(0);
            }
            let all = figures.shared_bytes_per_sm()?;
            let reserved = figures.shared_reserved_bytes_per_block().unwrap_or(0);
            let unit = figures.shared_allocation_bytes().unwrap_or(1);
            all.checked_div(taken.saturating_add(reserved).checked_next_multiple_of(unit)?)
        }
    }
}

/// The reduction of the limiting resource with which an SM holds one more block.
fn less_for_one_more(limit: Limit, spec: &DeviceSpec, launch: &Launch) -> Option<u32> {
    let allows = |changed: Launch| {
        RESOURCES.iter().all(|resource| blocks_by(*resource, spec, &changed).is_none_or(|blocks| blocks > limit.blocks))
    };
    // A smaller amount always fits if a larger one does, so binary search finds the largest that fits.
    let most = |now: u32, with: &dyn Fn(u32) -> Launch| {
        let (mut low, mut high) = (0, now);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if allows(with(middle)) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        (low > 0 || allows(with(0))).then(|| now - low)
    };
    match limit.resource {
        Resource::Threads | Resource::Warps => {
            let now = launch.threads_per_block;
            most(now, &|threads_per_block| Launch { threads_per_block: threads_per_block.max(1), ..*launch })
                .filter(|less| *less < now)
        }
        Resource::Registers => {
            most(launch.registers_per_thread?, &|each| Launch { registers_per_thread: Some(each), ..*launch })
        }
        Resource::SharedMemory => {
            most(launch.shared_bytes_per_block, &|bytes| Launch { shared_bytes_per_block: bytes, ..*launch })
        }
        Resource::Blocks => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::spec::tests::device;
    use super::*;

    fn launch(threads_per_block: u32, registers: Option<u32>, shared: u32) -> Launch {
        Launch {
            blocks: 1,
            threads_per_block,
            shared_bytes_per_block: shared,
            registers_per_thread: registers,
            warp_lanes: 32,
        }
    }

    fn of(id: &str, launch: &Launch) -> Occupancy {
        occupancy(&device(id), launch).unwrap_or_else(|| panic!("{id} has limits"))
    }

    /// The results of `cudaOccMaxActiveBlocksPerMultiprocessor` of CUDA 12.9's `cuda_occupancy.h`, compiled as C++:
    /// block size, registers a thread, dynamic shared bytes (opted in), then the blocks on compute capabilities 9.0,
    /// 8.0 and 8.9.
    const CALCULATOR: [(u32, u32, u32, [u32; 3]); 20] = [
        (256, 32, 0, [8, 8, 6]),
        (256, 64, 0, [4, 4, 4]),
        (256, 33, 0, [6, 6, 6]),
        (256, 40, 4096, [6, 6, 6]),
        (1024, 64, 0, [1, 1, 1]),
        (1024, 32, 0, [2, 2, 1]),
        (128, 255, 0, [2, 2, 2]),
        (32, 8, 12288, [17, 12, 7]),
        (96, 50, 20000, [11, 7, 4]),
        (512, 48, 49152, [2, 2, 2]),
        (64, 16, 0, [32, 32, 24]),
        (32, 16, 0, [32, 32, 24]),
        (33, 32, 0, [32, 32, 24]),
        (1024, 65, 0, [0, 0, 0]),
        (256, 32, 100_000, [2, 1, 1]),
        (256, 128, 65_536, [2, 2, 1]),
        (352, 64, 0, [2, 2, 2]),
        (160, 72, 1000, [5, 5, 5]),
        (768, 85, 0, [0, 0, 0]),
        (128, 168, 0, [3, 3, 3]),
    ];

    #[test]
    fn blocks_are_those_of_nvidias_calculator() {
        for (threads, registers, shared, expected) in CALCULATOR {
            let launch = launch(threads, Some(registers), shared);
            let found = ["h100-sxm", "a100-sxm-80gb", "rtx-4090"].map(|id| of(id, &launch).blocks_per_sm);
            assert_eq!(found, expected, "{launch:?}");
        }
    }

    #[test]
    fn what_limits_it_and_by_how_much() {
        let by_threads = of("h100-sxm", &launch(256, None, 0));
        assert_eq!((by_threads.blocks_per_sm, by_threads.limited_by), (8, Resource::Threads));
        assert_eq!((by_threads.warps_per_sm, by_threads.fraction), (64, Some(1.0)));
        assert_eq!(by_threads.unknown, [Resource::Registers]);
        assert_eq!(by_threads.next, Some(Limit { resource: Resource::Warps, blocks: 8 }));
        // 2048 / 9 is 227 lanes, but they take 8 warps, and 64 slots hold 8 blocks of 8 warps: 7 warps are 224 lanes.
        assert_eq!(by_threads.less_for_one_more, Some(256 - 224));

        // 33 registers are 1,056 a warp, allocated as 1,280; 32 are 1,024, with which 8 blocks fit.
        let by_registers = of("h100-sxm", &launch(256, Some(33), 0));
        assert_eq!((by_registers.blocks_per_sm, by_registers.limited_by), (6, Resource::Registers));
        assert_eq!(by_registers.fraction, Some(0.75));
        assert_eq!(by_registers.less_for_one_more, Some(1));
        assert!(by_registers.unknown.is_empty());

        // 228 KiB hold 17 blocks of 12 + 1 KiB. For 18 each may have 233,472 / 18 = 12,970 bytes, of which 12,928 are whole units of 128
        // and 1,024 the system's: 11,904.
        let by_shared = of("h100-sxm", &launch(32, Some(8), 12_288));
        assert_eq!((by_shared.blocks_per_sm, by_shared.limited_by), (17, Resource::SharedMemory));
        assert_eq!(by_shared.less_for_one_more, Some(12_288 - 11_904));
        assert_eq!(by_shared.next, Some(Limit { resource: Resource::Blocks, blocks: 32 }));

        let by_blocks = of("rtx-4090", &launch(32, None, 0));
        assert_eq!((by_blocks.limited_by, by_blocks.fraction), (Resource::Blocks, Some(0.5)));
        assert_eq!(by_blocks.less_for_one_more, None);

        // 40 lanes take two warps: 32 blocks in 64 slots, though lanes alone would allow 51 blocks.
        let by_warps = of("h100-sxm", &launch(40, None, 0));
        assert_eq!((by_warps.blocks_per_sm, by_warps.limited_by), (32, Resource::Warps));
        // Blocks of one warp would fit if there were more than 32 block slots.
        assert_eq!(by_warps.less_for_one_more, None);
    }

    #[test]
    fn a_block_that_does_not_fit_runs_nowhere() {
        let too_much = of("h100-sxm", &launch(256, None, 233_000));
        assert_eq!((too_much.blocks_per_sm, too_much.limited_by), (0, Resource::SharedMemory));
        assert_eq!(too_much.less_for_one_more, Some(233_000 - 232_448));
        assert_eq!(of("h100-sxm", &launch(2048, None, 0)).blocks_per_sm, 0);
    }

    #[test]
    fn other_vendors_count_as_far_as_their_figures_go() {
        // A device has warps of its own width, whatever the traced width.
        let wide = of("h100-sxm", &Launch { warp_lanes: 64, ..launch(256, None, 0) });
        assert_eq!(wide, of("h100-sxm", &launch(256, None, 0)));
        // Seven threads on each of a subslice's 16 EUs: 112 warps, whatever their width.
        let intel = of("iris-xe-96", &Launch { warp_lanes: 16, ..launch(256, None, 0) });
        assert_eq!((intel.blocks_per_sm, intel.limited_by), (7, Resource::Warps));
        assert_eq!(intel.fraction, Some(1.0));
        let apple = of("apple-m2", &launch(256, None, 0));
        assert_eq!((apple.blocks_per_sm, apple.limited_by), (12, Resource::Threads));
        assert_eq!(apple.unknown, [Resource::Blocks, Resource::Registers, Resource::SharedMemory]);
    }
}
