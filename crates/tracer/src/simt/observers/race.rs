//! Finds data races: two lanes of a workgroup at one place in memory with no barrier between, at least one of them writing.
//!
//! Memory is tracked in words, or in halves of them if the program has 16-bit accesses. Each word remembers its last writer and two of its
//! readers, with the *epoch* they did it in: barriers that order the memory begin a new one. Two different readers are enough, since a
//! writer differs from at least one of them. Lanes of one warp race like any others, unless they met in between (`__syncwarp`): nothing
//! promises lockstep. In CUDA, lanes that store the same value at one place by one instruction do not race. Only atomic operations
//! reach atomic words: [`super::atomics`] looks at these. A write to a component of a vector is one to the whole vector, as WGSL has it:
//! hardware may only store vectors.
//! Races between workgroups are [`super::between`]'s.

use std::collections::HashMap;

use super::atomics::Atomics;
use super::between::{Between, Deed};
use super::checks::{Known, name};
use super::{Access, Addresses, Findings, Mend, Operand, lanes_of};
use crate::simt::ir::{Mem, Orders, Variable};
use crate::simt::memory::Buffer;
use crate::trace::AccessKind;

/// Words of a [`Page`].
const PAGE: u32 = 256;

/// Who did it, and where.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// Its local index.
    lane: u32,
    line: u32,
    /// How often the lanes of its warp had met before.
    meetings: u32,
}

impl Mark {
    /// Whether another lane did something else before, with nothing that orders both. Warps have `width` lanes.
    fn races_with(&self, earlier: &Self, width: u32) -> bool {
        self.lane != earlier.lane && !self.follows(earlier, width)
    }

    /// Whether both are of one warp, whose lanes met in between.
    fn follows(&self, earlier: &Self, width: u32) -> bool {
        self.lane / width == earlier.lane / width && self.meetings != earlier.meetings
    }
}

/// The accesses to one word. Epochs count from 1.
#[derive(Clone, Copy, Default)]
struct Word {
    /// The epoch of the last write.
    written: u32,
    writer: Mark,
    /// The epoch of the last read.
    read: u32,
    /// The same twice while there was only one.
    readers: [Mark; 2],
}

impl Word {
    /// Lane `by` reads or writes; gives whom it races with, and whether that one wrote.
    fn touch(&mut self, by: Mark, writes: bool, epoch: u32, width: u32) -> Option<(Mark, bool)> {
        let races = |earlier: &Mark| by.races_with(earlier, width);
        let mut other = (self.written == epoch && races(&self.writer)).then_some((self.writer, true));
        if writes {
            if self.read == epoch {
                other = other.or(self.readers.into_iter().find(races).map(|r| (r, false)));
            }
            (self.written, self.writer) = (epoch, by);
        } else if self.read != epoch {
            (self.read, self.readers) = (epoch, [by; 2]);
        } else if let Some(earlier) = self.readers.iter_mut().find(|r| by.follows(r, width)) {
            *earlier = by;
        } else if self.readers[0].lane == self.readers[1].lane
            || self
                .readers
                .iter()
                .all(|r| r.lane / width == self.readers[0].lane / width && r.lane / width != by.lane / width)
        {
            // Best are two of different warps: what a warp did is ordered when its lanes meet.
            self.readers[1] = by;
        }
        other
    }
}

type Page = Box<[Word; PAGE as usize]>;

/// The words of storage buffers that a workgroup touched.
#[derive(Default)]
struct Pages {
    /// By buffer and number in it.
    at: HashMap<(u16, u32), usize>,
    pages: Vec<Page>,
    /// The last one asked for: mostly also the next.
    last: Option<((u16, u32), usize)>,
}

impl Pages {
    /// Forgets which page is whose. Their words stay, of an epoch that has passed.
    fn clear(&mut self) {
        self.at.clear();
        self.last = None;
    }

    fn word(&mut self, buffer: u16, index: u32) -> &mut Word {
        let key = (buffer, index / PAGE);
        let page = match self.last {
            Some((last, page)) if last == key => page,
            _ => {
                let next = self.at.len();
                *self.at.entry(key).or_insert(next)
            }
        };
        self.last = Some((key, page));
        if page == self.pages.len() {
            self.pages.push(Box::new([Word::default(); PAGE as usize]));
        }
        &mut self.pages[page][(index % PAGE) as usize]
    }
}

/// Looks for races within one workgroup at a time.
pub(super) struct Races<'a> {
    variables: &'a [Variable],
    buffers: &'a [Buffer<'a>],
    shared: Vec<Word>,
    storage: Pages,
    atomics: Atomics,
    between: Option<&'a Between>,
    /// Bytes of the unit that is tracked.
    grain: u32,
    /// Lanes of a warp.
    width: u32,
    /// Whether the kernel has cooperative matrices, which all lanes of a subgroup load and store together.
    cooperative: bool,
    /// Whether the kernel has a barrier that orders no memory.
    subgroup_barrier: bool,
    cuda: bool,
    fenced: bool,
    /// By warp, how often its lanes met.
    meetings: Vec<u32>,
    shared_epoch: u32,
    storage_epoch: u32,
}

impl<'a> Races<'a> {
    pub fn new(known: Known<'a>) -> Self {
        Self {
            variables: known.variables,
            buffers: known.buffers,
            shared: vec![Word::default(); known.shared_bytes.div_ceil(known.grain) as usize],
            storage: Pages::default(),
            atomics: Atomics::default(),
            between: known.between,
            grain: known.grain,
            width: known.width,
            cooperative: known.cooperative,
            subgroup_barrier: known.subgroup_barrier,
            cuda: known.cuda,
            fenced: known.fenced,
            meetings: Vec::new(),
            shared_epoch: 1,
            storage_epoch: 1,
        }
    }

    /// A workgroup begins.
    pub fn start(&mut self) {
        self.storage.clear();
        self.atomics.start();
        self.release(Orders { shared: true, storage: true });
    }

    /// A barrier was passed.
    pub fn release(&mut self, orders: Orders) {
        self.shared_epoch = self.shared_epoch.wrapping_add(u32::from(orders.shared));
        self.storage_epoch = self.storage_epoch.wrapping_add(u32::from(orders.storage));
    }

    /// The lanes of the warp whose first lane has local index `first` meet.
    pub fn warp_sync(&mut self, first: u32) {
        let warp = (first / self.width) as usize;
        if self.meetings.len() <= warp {
            self.meetings.resize(warp + 1, 0);
        }
        self.meetings[warp] = self.meetings[warp].wrapping_add(1);
    }

    /// A warp whose first lane has local index `first` accesses memory.
    pub fn access(&mut self, access: &Access<'_>, first: u32, findings: &mut Findings) {
        let place = access.place;
        let (buffer, epoch) = match place.mem {
            Mem::Buffer(buffer) => match self.buffers[usize::from(buffer)] {
                Buffer::Read(_) => return,
                Buffer::Written(_) => (Some(buffer), self.storage_epoch),
            },
            _ => (None, self.shared_epoch),
        };
        let Some(deed) = Deed::of(access) else { return };
        if place.atomic {
            if let (Some(between), Some(buffer)) = (self.between, buffer) {
                touched(access, self.grain, |_, index| between.touch(buffer, index, deed, findings.workgroup));
            }
            if self.fenced {
                return;
            }
            return self.atomics.access(access, (first, epoch), (self.variables, self.cuda), findings);
        }
        let (writes, workgroup) = (access.kind == AccessKind::Store, findings.workgroup);
        let (width, cooperative, subgroup_barrier) = (self.width, self.cooperative, self.subgroup_barrier);
        let cuda = self.cuda;
        let meetings = self.meetings.get((first / width) as usize).copied().unwrap_or(0);
        touched(access, self.grain, |lane, index| {
            let by = Mark { lane: first + lane, line: place.line, meetings };
            let word = match buffer {
                Some(buffer) => {
                    if let Some(between) = self.between {
                        between.touch(buffer, index, deed, workgroup);
                    }
                    self.storage.word(buffer, index)
                }
                None => &mut self.shared[index as usize],
            };
            let Some((other, wrote)) = word.touch(by, writes, epoch, width) else { return };
            if cuda
                && wrote
                && other.line == place.line
                && is_written_alike(access, lane, other.lane.wrapping_sub(first))
            {
                return;
            }
            findings.report_race(place.line, buffer, || {
                let warps = [other.lane / width, by.lane / width];
                let mend = if cuda {
                    Mend::SyncThreads
                } else if cooperative && warps[0] != warps[1] && other.lane % width == by.lane % width {
                    Mend::Subgroups(warps[0], warps[1])
                } else if subgroup_barrier && warps[0] == warps[1] {
                    Mend::SubgroupBarrier(if buffer.is_some() { "storageBarrier()" } else { "workgroupBarrier()" })
                } else if buffer.is_some() {
                    Mend::StorageBarrier
                } else {
                    Mend::WorkgroupBarrier
                };
                let message = format!(
                    "local indices {} and {} of workgroup {workgroup} race for {}: {} {} it here, {} {} it at line {}",
                    other.lane,
                    by.lane,
                    name(place, index * self.grain, self.variables),
                    by.lane,
                    if writes { "writes" } else { "reads" },
                    other.lane,
                    if wrote { "wrote" } else { "read" },
                    other.line,
                );
                (message, mend)
            });
        });
    }
}

/// Whether two lanes store the same value at the same address by one instruction. CUDA lets lanes of a warp do so: one of the stores is
/// done (CUDA C++ Programming Guide, "SIMT Architecture"). Of a vector the first component is compared.
fn is_written_alike(access: &Access<'_>, a: u32, b: u32) -> bool {
    let takes_part = b < 64 && access.mask >> b & 1 == 1;
    let alike = |operand: &Operand<'_>| operand.at(a) == operand.at(b);
    takes_part && access.addresses.at(a) == access.addresses.at(b) && access.operand.as_ref().is_some_and(alike)
}

/// Calls `visit` with each lane of an access, and each part of `grain` bytes that it touches: of a vector all, where it writes to a
/// component.
pub(super) fn touched(access: &Access<'_>, grain: u32, mut visit: impl FnMut(u32, u32)) {
    let place = access.place;
    let mut mask = access.mask;
    if let Addresses::One(_) = access.addresses {
        // Two lanes at one word: more tell nothing new.
        let rest = mask & (mask - 1);
        mask = (mask ^ rest) | (rest & rest.wrapping_neg());
    }
    let vector = u32::from(place.vector);
    for lane in lanes_of(mask) {
        let address = access.addresses.at(lane);
        let (start, bytes) = match access.kind {
            // A vector lies at a multiple of its size, rounded up to a power of two.
            AccessKind::Store if vector > 0 => (address & !(vector.next_power_of_two() - 1), vector),
            _ => (address, place.bytes()),
        };
        (start / grain..(start + bytes) / grain).for_each(|part| visit(lane, part));
    }
}
