//! Finds data races within a workgroup: two of its threads at one word, one of them writing and one of them weak, and
//! neither access happens before the other ([`Order`]). Strong accesses are looked at where the order of two of them
//! matters ([`super::deed`]).
//!
//! Memory is tracked in words, or in halves or bytes of them if the program has such accesses. A write to a component
//! of a vector is one to the whole vector, as WGSL has it: hardware may only store vectors.
//!
//! Races between workgroups are [`super::between`]'s, or [`super::global`]'s in a launch whose workgroups may order
//! each other.

use std::collections::HashMap;

use super::deed::Deed;
use super::far::{self, missing_order};
use super::handed::Handed;
use super::known::Known;
use super::order::Order;
use super::pair::Pair;
use super::parts::{strong_parts, touched};
use super::published::Published;
use super::word::{Far, Lists, Mark, Word};
use super::{Access, Findings, Meet, Phase};
use crate::simt::ir::{Dialect, Mem, Orders};
use crate::simt::memory::Buffer;

/// Words of a [`Page`].
const PAGE: u32 = 256;

/// Workgroup memory, where buffers have their numbers.
const SHARED: u32 = u32::MAX;

type Page = Box<[Word<Mark>; PAGE as usize]>;

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
    /// Forgets which page is whose. Their accesses stay, of a time that has passed.
    fn clear(&mut self) {
        self.at.clear();
        self.last = None;
    }

    fn word(&mut self, buffer: u16, index: u32) -> &mut Word<Mark> {
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
    known: Known<'a>,
    shared: Vec<Word<Mark>>,
    storage: Pages,
    lists: Lists<Mark>,
    /// By site and warp, how often the warp came to it.
    rounds: Vec<u8>,
    published: Published,
    handed: Handed,
    of_shared: Order,
    /// The order of accesses to buffers, if barriers order them apart from workgroup memory.
    of_storage: Option<Order>,
}

impl<'a> Races<'a> {
    pub fn new(known: Known<'a>) -> Self {
        let order = || Order::new(known.threads, known.width);
        Self {
            known,
            shared: vec![Word::default(); known.shared_bytes.div_ceil(known.grain) as usize],
            storage: Pages::default(),
            lists: Lists::default(),
            rounds: vec![0; known.code.places.len() * known.threads.div_ceil(known.width) as usize],
            published: Published::default(),
            handed: Handed::default(),
            of_shared: order(),
            of_storage: (known.dialect == Dialect::Wgsl).then(order),
        }
    }

    /// Workgroup number `workgroup` begins.
    pub fn start(&mut self, workgroup: u64) {
        self.storage.clear();
        self.lists.clear();
        self.published.clear();
        self.handed.clear();
        self.rounds.fill(0);
        self.of_shared.start(workgroup);
        self.of_storage.iter_mut().for_each(|order| order.start(workgroup));
    }

    /// A barrier was passed.
    pub fn release(&mut self, orders: Orders) {
        if orders.shared {
            self.of_shared.all_meet();
        }
        self.of_storage.iter_mut().filter(|_| orders.storage).for_each(Order::all_meet);
    }

    /// Lanes of the warp whose first lane has local index `first` meet others.
    pub fn meet(&mut self, first: u32, mask: u64, how: Meet) {
        let warp = first / self.known.width;
        self.of_shared.meet(warp, mask, how);
        self.of_storage.iter_mut().for_each(|order| order.meet(warp, mask, how));
    }

    /// A warp whose first lane has local index `first` accesses memory; `phase` is that of an asynchronous operation.
    pub fn access(&mut self, access: &Access<'_>, first: u32, phase: Option<Phase>, findings: &mut Findings) {
        let place = access.place;
        let buffer = match place.mem {
            Mem::Buffer(buffer) => match self.known.buffers[usize::from(buffer)] {
                Buffer::Read(_) => return,
                Buffer::Written(_) => Some(buffer),
            },
            _ => None,
        };
        let order = match (&mut self.of_storage, buffer) {
            (Some(order), Some(_)) => order,
            _ => &mut self.of_shared,
        };
        let deed = if matches!(phase, Some(Phase::Lands { .. })) { Deed::Landing } else { Deed::of(access) };
        let at = place_of_round(&self.known, access.site, first);
        let round = self.rounds.get_mut(at).map_or(1, |round| {
            *round = round.saturating_add(1);
            *round
        });
        let mark = |lane: u32, value: u32, time: u32| Mark {
            lane: u16::try_from(first + access.actor.unwrap_or(lane)).unwrap_or(u16::MAX),
            deed,
            round,
            site: access.site,
            time,
            value,
        };
        if let (Some(global), Some(buffer)) = (self.known.global, buffer) {
            return far::access(global, access, (first, buffer), mark, order, &self.known, findings);
        }
        let (known, lists, time, parted) = (&self.known, &mut self.lists, order.now(), order.is_parted());
        let (floor, writes) = (order.floor(), !access.operands.is_empty());
        let (memory, handed, published) = (buffer.map_or(SHARED, u32::from), &self.handed, &self.published);
        touched(access, known.grain, |lane, index| {
            let value = if writes { access.value(lane, index * known.grain, known.grain) } else { 0 };
            let by = mark(lane, value, time);
            let word = match buffer {
                Some(buffer) => {
                    if let Some(between) = known.between {
                        between.touch(buffer, index, (&by, deed.afar(place)), findings.workgroup);
                    }
                    self.storage.word(buffer, index)
                }
                None => &mut self.shared[index as usize],
            };
            let thread = order.thread(by.lane.into());
            let is_known = |mark: &Mark| parted && order.is_past(thread, order.thread(mark.lane.into()), mark.time);
            let past = |mark: &Mark| mark.time <= floor || is_known(mark);
            let reach = |mark: &Mark| u8::from(order.thread(mark.lane.into()).warp != thread.warp);
            let returns = |mark: &Mark| known.code.places[mark.site as usize].returns;
            let other = word.touch(by, (&mut *lists, (memory, index)), parted, past, reach, returns);
            if access.was.is_some()
                && !findings.is_contended(place.line)
                && word.is_contended(&by, (&mut *lists, (memory, index)), past)
            {
                findings.contend(place.line);
            }
            let Some(other) = other else { return };
            let block = findings.workgroup;
            let [by, with] = [by, other.access].map(|mark| Far { block, narrow: false, mark });
            let fence = || missing_order(handed, published, known, order, ([&with, &by], (memory, index)));
            Pair { known, by, other: with, byte: index * known.grain }.report(other.conflict, fence, findings);
        });
        if place.atomic && self.known.code.releases {
            for (lane, index, strong) in strong_parts(access, self.known.grain) {
                let thread = order.thread(first + lane);
                self.published.access((memory, index), thread, strong, order);
                let by = Far { block: findings.workgroup, narrow: false, mark: mark(lane, 0, order.now()) };
                self.handed.add((memory, index), by);
            }
        }
    }
}

fn place_of_round(known: &Known<'_>, site: u32, first: u32) -> usize {
    site as usize * known.threads.div_ceil(known.width) as usize + (first / known.width) as usize
}
