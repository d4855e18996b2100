//! Single accesses of single warps, in the order they happened, for the stage to play.

use serde::{Deserialize, Serialize};

/// What some workgroups did, event by event.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Lanes in a warp.
    pub warp_width: u32,
    /// Warps in a workgroup.
    pub warps_per_workgroup: u32,
    /// The buffers and workgroup variables that events index.
    pub buffers: Vec<TracedBuffer>,
    /// Events of one workgroup stand together, in the order they ran; workgroups by their linear index.
    pub events: Vec<Event>,
    /// The addresses of all events, one for each active lane; an event's are `first_address..` (see [`Timeline::addresses`]).
    pub addresses: Vec<u32>,
    /// Whether the cap on events cut the record short. Counts are never cut.
    pub truncated: bool,
}

/// A buffer or workgroup variable that a timeline speaks of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedBuffer {
    /// Its name in the source.
    pub name: String,
    /// Where it lives.
    pub space: Space,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where it starts in workgroup memory, in bytes: an address's bank is `(base + address) / 4 % 32`. Zero for buffers.
    pub base: u32,
}

/// The memory an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Space {
    /// Storage and uniform buffers: counted in 32-byte sectors.
    Global,
    /// Workgroup memory: counted in passes over 32 banks.
    Shared,
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes as one.
    Atomic,
}

/// One thing that one warp did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Linear index of the workgroup in the grid.
    pub workgroup: u32,
    /// Warp within the workgroup.
    pub warp: u32,
    /// Source line, from 1.
    pub line: u32,
    /// Active lanes: bit `i` is lane `i` of the warp.
    pub mask: u64,
    /// What it was.
    pub kind: EventKind,
}

/// The kinds of [`Event`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventKind {
    /// A memory access of the active lanes.
    Access {
        /// Load, store or atomic.
        access: AccessKind,
        /// Index into [`Timeline::buffers`].
        buffer: u16,
        /// Bytes a lane asks for: 4, 8, 12 or 16.
        bytes_per_lane: u8,
        /// Index of the first address in [`Timeline::addresses`].
        first_address: u32,
        /// Distinct 32-byte sectors (global), or wavefronts (shared).
        cost: u16,
    },
    /// A workgroup barrier.
    Barrier,
    /// A conditional branch; `taken` has the lanes that went in.
    Branch {
        /// Lanes for which the condition held.
        taken: u64,
    },
}

impl Timeline {
    /// The byte addresses (within the buffer) of an access, one for each set bit of its mask, lowest lane first.
    /// Empty for other events.
    #[must_use]
    pub fn addresses(&self, event: &Event) -> &[u32] {
        match event.kind {
            EventKind::Access { first_address, .. } => {
                let first = first_address as usize;
                &self.addresses[first..first + event.mask.count_ones() as usize]
            }
            EventKind::Barrier | EventKind::Branch { .. } => &[],
        }
    }

    /// The indices of the events of one warp, in order.
    pub fn of_warp(&self, workgroup: u32, warp: u32) -> impl Iterator<Item = usize> + '_ {
        self.events.iter().enumerate().filter(move |(_, e)| e.workgroup == workgroup && e.warp == warp).map(|(i, _)| i)
    }
}
