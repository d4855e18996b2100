//! Single accesses of single warps, in the order they happened, for the stage to play.

use serde::{Deserialize, Serialize};

use warpbook_base::tensor::Elem;

/// The events of some workgroups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// Lanes in a warp.
    pub warp_width: u32,
    /// Warps in a workgroup.
    pub warps_per_workgroup: u32,
    /// The buffers and workgroup variables that events index.
    pub buffers: Vec<TracedBuffer>,
    /// Events of one workgroup are together, in the order they ran; workgroups by their linear index.
    pub events: Vec<Event>,
    /// The addresses of all events, one for each active lane; an event's are `first_address..` (see
    /// [`Timeline::addresses`]). Of a shuffle, the lanes it gets values from (see [`Timeline::sources`]).
    pub addresses: Vec<u32>,
    /// The parts of asynchronous operations on workgroup memory, in the order they ran.
    pub transfers: Vec<Transfer>,
    /// Whether branches are PTX's jumps: a compiler decides which side of a condition jumps.
    #[serde(default)]
    pub jumps: bool,
    /// Whether the cap on events cut the record short. Counts are never cut.
    pub truncated: bool,
}

/// A part of an asynchronous operation: a copy to workgroup memory begins or lands, or an operation that reads
/// workgroup memory by itself (a matrix product, a copy out of it) begins to read or has read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transfer {
    /// Events recorded before it: it lies between events `after - 1` and `after` of [`Timeline::events`].
    pub after: u32,
    /// Linear index of the workgroup in the grid.
    pub workgroup: u32,
    /// The warp that starts it or waits for it.
    pub warp: u32,
    /// Source line, from 1.
    pub line: u32,
    /// Its kind.
    pub part: TransferPart,
    /// The first byte of workgroup memory and the one after the last; pieces between them may be left out.
    pub span: [u32; 2],
}

/// The parts of an asynchronous operation on workgroup memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TransferPart {
    /// A copy to it begins.
    Begins,
    /// The copy has landed: the trace lets it land when it is waited for.
    Lands,
    /// Something begins to read it.
    Reads,
    /// It has been read.
    HasRead,
}

/// A buffer or workgroup variable of a timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedBuffer {
    /// Its name in the source.
    pub name: String,
    /// The program's buffer that it is bound to; of workgroup memory its own name.
    pub of: String,
    /// Where it lives.
    pub space: Space,
    /// The type of its first component.
    pub elem: Elem,
    /// Its size in bytes.
    pub bytes: u64,
    /// Where it starts in workgroup memory, in bytes: an address's bank is `(base + address) / 4 % 32`. Zero for
    /// buffers.
    pub base: u32,
    /// The columns of the row-major matrix that it is, in elements; None if it is not known to be one.
    pub columns: Option<u64>,
}

/// The memory an access goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Space {
    /// Storage buffers: counted in 32-byte sectors.
    Global,
    /// Uniform buffers, read through the constant cache: counted in passes.
    Uniform,
    /// Workgroup memory: counted in passes over 32 banks.
    Shared,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes as one.
    Atomic,
}

/// The exchange between the lanes of a warp in one subgroup operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Exchange {
    /// All active lanes' values become one, which each of them gets: reductions, votes and ballots.
    Reduction,
    /// Each lane gets the values of the active lanes before it and its own, combined.
    InclusiveScan,
    /// Each lane gets the values of the active lanes before it, combined.
    ExclusiveScan,
    /// Each lane gets one lane's value: shuffles and broadcasts.
    Shuffle,
}

impl Exchange {
    /// Its name in a picture.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduction => "subgroup reduction",
            Self::InclusiveScan => "inclusive subgroup scan",
            Self::ExclusiveScan => "exclusive subgroup scan",
            Self::Shuffle => "subgroup shuffle",
        }
    }
}

/// Words of 4 bytes in a sector of global memory.
const SECTOR_WORDS: u64 = 8;
/// Banks of workgroup memory, each 4 bytes wide.
const BANKS: u64 = 32;

/// A piece of memory that lanes can meet at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Four bytes of a buffer or workgroup variable.
    Word {
        /// Index into [`Timeline::buffers`].
        buffer: u16,
        /// Which word, from its start.
        index: u64,
    },
    /// 32 bytes of a buffer.
    Sector {
        /// Index into [`Timeline::buffers`].
        buffer: u16,
        /// Which sector, from its start.
        index: u64,
    },
    /// A bank of workgroup memory.
    Bank(u32),
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
    /// Its kind.
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
    /// A subgroup operation.
    Subgroup {
        /// Who gets whose value.
        exchange: Exchange,
        /// Of a shuffle, the index in [`Timeline::addresses`] of the lane that the first active lane gets its value
        /// from; those of the other active lanes follow.
        first_source: u32,
    },
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
            EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => &[],
        }
    }

    /// The lanes that a lane gets values from in a subgroup operation: bit `i` is lane `i`. 0 for other events and for
    /// lanes that take no part.
    #[must_use]
    pub fn sources(&self, event: &Event, lane: u32) -> u64 {
        let EventKind::Subgroup { exchange, first_source } = event.kind else { return 0 };
        if lane >= 64 || event.mask >> lane & 1 == 0 {
            return 0;
        }
        let before = event.mask & ((1 << lane) - 1);
        match exchange {
            Exchange::Reduction => event.mask,
            Exchange::InclusiveScan => before | 1 << lane,
            Exchange::ExclusiveScan => before,
            Exchange::Shuffle => {
                let place = (first_source + before.count_ones()) as usize;
                self.addresses.get(place).filter(|source| **source < 64).map_or(0, |source| 1 << source)
            }
        }
    }

    /// The lanes of an access that touch a piece of memory: bit `i` is lane `i`. 0 for other events.
    #[must_use]
    pub fn lanes_touching(&self, event: &Event, piece: Piece) -> u64 {
        let EventKind::Access { buffer, bytes_per_lane, .. } = event.kind else { return 0 };
        let Some(touched) = self.buffers.get(usize::from(buffer)) else { return 0 };
        let holds = |word: u64| match piece {
            Piece::Word { buffer: of, index } => of == buffer && word == index,
            Piece::Sector { buffer: of, index } => of == buffer && word / SECTOR_WORDS == index,
            Piece::Bank(bank) => (u64::from(touched.base) / 4 + word) % BANKS == u64::from(bank),
        };
        let possible = match piece {
            Piece::Word { buffer: of, .. } | Piece::Sector { buffer: of, .. } => of == buffer,
            Piece::Bank(_) => touched.space == Space::Shared,
        };
        if !possible {
            return 0;
        }
        let lanes = (0..64).filter(|lane| event.mask >> lane & 1 == 1);
        let words = u64::from(bytes_per_lane).div_ceil(4);
        lanes.zip(self.addresses(event)).fold(0, |touching, (lane, address)| {
            let first = u64::from(*address) / 4;
            touching | u64::from((first..first + words).any(holds)) << lane
        })
    }

    /// Every access of the record that touches a piece of memory: its index, and the lanes.
    pub fn touches(&self, piece: Piece) -> impl Iterator<Item = (usize, u64)> + '_ {
        let each = self.events.iter().enumerate().map(move |(i, event)| (i, self.lanes_touching(event, piece)));
        each.filter(|(_, lanes)| *lanes != 0)
    }

    /// The indices of the events of one warp, in order.
    pub fn of_warp(&self, workgroup: u32, warp: u32) -> impl Iterator<Item = usize> + '_ {
        self.events.iter().enumerate().filter(move |(_, e)| e.workgroup == workgroup && e.warp == warp).map(|(i, _)| i)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpbook_base::tensor::Elem;

    /// Two warps of 8 lanes: both load `a` at a stride of 8 bytes, the second stores 8 bytes a lane to shared `s`.
    fn record() -> Timeline {
        let buffer = |name: &str, space, base| TracedBuffer {
            of: name.to_owned(),
            name: name.to_owned(),
            space,
            elem: Elem::F32,
            bytes: 4096,
            base,
            columns: None,
        };
        let mut record = Timeline {
            warp_width: 8,
            warps_per_workgroup: 2,
            buffers: vec![buffer("a", Space::Global, 0), buffer("s", Space::Shared, 16)],
            ..Timeline::default()
        };
        for (warp, mask, buffer, bytes) in [(0, 0xff, 0, 4), (1, 0xf0, 0, 4), (1, 0x0f, 1, 8)] {
            let first_address = record.addresses.len() as u32;
            let lanes = (0..8).filter(|lane| mask >> lane & 1 == 1);
            record.addresses.extend(lanes.map(|lane| (warp * 8 * u32::from(buffer == 0) + lane) * 8));
            let access = if buffer == 0 { AccessKind::Load } else { AccessKind::Store };
            let kind = EventKind::Access { access, buffer, bytes_per_lane: bytes, first_address, cost: 2 };
            record.events.push(Event { workgroup: 0, warp, line: 3, mask, kind });
        }
        record.events.push(Event { workgroup: 0, warp: 0, line: 4, mask: 0xff, kind: EventKind::Barrier });
        record
    }

    #[test]
    fn who_touches_a_sector() {
        let record = record();
        let touches = |piece| record.touches(piece).collect::<Vec<_>>();
        assert_eq!(touches(Piece::Sector { buffer: 0, index: 0 }), [(0, 0x0f)]);
        assert_eq!(touches(Piece::Sector { buffer: 0, index: 1 }), [(0, 0xf0)]);
        assert_eq!(touches(Piece::Sector { buffer: 0, index: 2 }), [], "those lanes were idle");
        assert_eq!(touches(Piece::Sector { buffer: 0, index: 3 }), [(1, 0xf0)]);
        assert_eq!(touches(Piece::Word { buffer: 0, index: 6 }), [(0, 1 << 3)]);
        assert_eq!(touches(Piece::Word { buffer: 0, index: 7 }), [], "between two lanes");
        assert_eq!(record.lanes_touching(&record.events[3], Piece::Sector { buffer: 0, index: 0 }), 0);
    }

    #[test]
    fn who_touches_a_bank() {
        let record = record();
        let lanes = |bank| record.touches(Piece::Bank(bank)).collect::<Vec<_>>();
        // Word 0 of `s` lies in bank 4, and a lane has two words.
        assert_eq!(lanes(4), [(2, 1)]);
        assert_eq!(lanes(7), [(2, 1 << 1)]);
        assert_eq!(lanes(11), [(2, 1 << 3)]);
        assert_eq!(lanes(3), []);
        assert_eq!(lanes(12), [], "global memory has no banks");
    }
}
