//! Finds data races: two lanes of a workgroup at one place in memory with no barrier between, at least one of them writing.
//!
//! Memory is tracked in words, or in halves of them if the program has 16-bit accesses. Each word remembers its last writer and two of its
//! readers, with the time they did it at: [`Order`] says what came before. Two different readers are enough, since a
//! writer differs from at least one of them. Lanes of one warp race like any others, unless they met in between (`__syncwarp`): nothing
//! promises lockstep. In CUDA, lanes that store the same value at one place do not race, as racecheck has it. Only atomic operations
//! reach atomic words: [`super::atomics`] looks at these. A write to a component of a vector is one to the whole vector, as WGSL has it:
//! hardware may only store vectors.
//! Races between workgroups are [`super::between`]'s.

use std::collections::HashMap;

use super::atomics::Atomics;
use super::between::{Between, Deed};
use super::known::Known;
use super::names::name;
use super::order::Order;
use super::{Access, Addresses, Findings, Meet, Mend};
use crate::simt::ir::{Mem, Orders, Variable};
use crate::simt::lanes::lanes_of;
use crate::simt::memory::Buffer;
use crate::trace::AccessKind;

/// Words of a [`Page`].
const PAGE: u32 = 256;

/// An access: its lane, its line, and its time in the vector clock of [`Order`].
#[derive(Clone, Copy, Default)]
struct Mark {
    /// Its local index.
    lane: u32,
    line: u32,
    time: u32,
    /// The value stored; of a vector the first component.
    value: u32,
}

/// The accesses to one word.
#[derive(Clone, Copy, Default)]
struct Word {
    writer: Mark,
    /// The same twice while there was only one.
    readers: [Mark; 2],
}

impl Word {
    /// Lane `by` reads or writes; gives whom it races with, and whether that one wrote. `past` says what happened before.
    #[inline]
    fn touch(&mut self, by: Mark, writes: bool, past: impl Fn(&Mark) -> bool) -> Option<(Mark, bool)> {
        let races = |mark: &Mark| mark.lane != by.lane && !past(mark);
        let mut other = races(&self.writer).then_some((self.writer, true));
        if writes {
            other = other.or(self.readers.into_iter().find(races).map(|r| (r, false)));
            self.writer = by;
            return other;
        }
        let [first, second] = &mut self.readers;
        match (past(first), past(second)) {
            (true, true) => self.readers = [by; 2],
            (true, false) => *first = by,
            (false, true) => *second = by,
            // Of a lane, its last read.
            (false, false) if first.lane == by.lane && second.lane == by.lane => {
                first.time = by.time;
                second.time = by.time;
            }
            (false, false) if first.lane == by.lane => first.time = by.time,
            (false, false) if second.lane == by.lane => second.time = by.time,
            (false, false) if first.lane == second.lane => *second = by,
            (false, false) => {}
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
    /// Whether the kernel orders its blocks itself.
    fenced: bool,
    warps: usize,
    of_shared: Order,
    of_storage: Order,
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
            warps: known.warps,
            of_shared: Order::default(),
            of_storage: Order::default(),
        }
    }

    /// A workgroup begins.
    pub fn start(&mut self) {
        self.storage.clear();
        self.atomics.start();
        self.release(Orders { shared: true, storage: true, left: false });
    }

    /// A barrier was passed.
    pub fn release(&mut self, orders: Orders) {
        if orders.shared {
            self.of_shared.all_meet();
        }
        if orders.storage {
            self.of_storage.all_meet();
        }
    }

    /// The warp whose first lane has local index `first` meets others.
    pub fn meet(&mut self, first: u32, how: Meet) {
        let warp = (first / self.width) as usize;
        self.of_shared.meet(warp, self.warps, how);
        self.of_storage.meet(warp, self.warps, how);
    }

    /// A warp whose first lane has local index `first` accesses memory.
    pub fn access(&mut self, access: &Access<'_>, first: u32, findings: &mut Findings) {
        let place = access.place;
        let (buffer, order) = match place.mem {
            Mem::Buffer(buffer) => match self.buffers[usize::from(buffer)] {
                Buffer::Read(_) => return,
                Buffer::Written(_) => (Some(buffer), &self.of_storage),
            },
            _ => (None, &self.of_shared),
        };
        let warp = (first / self.width) as usize;
        let time = order.now(warp);
        let Some(deed) = Deed::of(access) else { return };
        if place.atomic {
            if let (Some(between), Some(buffer)) = (self.between, buffer) {
                touched(access, self.grain, |_, index| between.touch(buffer, index, deed, findings.workgroup));
            }
            if self.fenced {
                return;
            }
            return self.atomics.access(access, (first, time), (self.variables, self.cuda), findings);
        }
        let (writes, workgroup) = (access.kind == AccessKind::Store, findings.workgroup);
        let (width, cooperative, subgroup_barrier) = (self.width, self.cooperative, self.subgroup_barrier);
        let cuda = self.cuda;
        touched(access, self.grain, |lane, index| {
            let value = access.operand.as_ref().map_or(0, |operand| operand.at(lane));
            let by = Mark { lane: first + access.actor.unwrap_or(lane), line: place.line, time, value };
            let word = match buffer {
                Some(buffer) => {
                    if let Some(between) = self.between {
                        between.touch(buffer, index, deed, workgroup);
                    }
                    self.storage.word(buffer, index)
                }
                None => &mut self.shared[index as usize],
            };
            let past = |mark: &Mark| order.is_past(warp, ((mark.lane / width) as usize, mark.time));
            let Some((other, wrote)) = word.touch(by, writes, past) else { return };
            if cuda && writes && wrote && other.value == by.value {
                return;
            }
            findings.report_race(place.line, buffer, || {
                let warps = [other.lane / width, by.lane / width];
                let mend = if cuda && warps[0] == warps[1] {
                    Mend::SyncWarp
                } else if cuda {
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
