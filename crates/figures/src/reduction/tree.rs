//! How a workgroup's lanes combine their values, read from its events: levels of words and lanes, and what goes from one to the next.

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{AccessKind, Event, EventKind, Exchange, Space, Timeline};

/// The levels of one workgroup, from what each lane has at first downward. It follows from the timeline alone, and is best kept with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// The first is the lanes as they start; it has no edges.
    pub levels: Vec<Level>,
    /// The number of lanes or words side by side.
    pub columns: u32,
    /// Rounds: barriers and one more.
    pub rounds: u32,
    /// For each event of the timeline that is drawn, its level and its round.
    pub(super) places: BTreeMap<usize, (usize, u32)>,
}

/// One level: words of workgroup memory that were stored, or lanes that got values.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// How many barriers lie before it.
    pub round: u32,
    /// Its kind, by the first event that reached it.
    pub kind: Kind,
    /// Its inputs.
    pub edges: Vec<Edge>,
    /// Warps whose lanes' values become one.
    pub joins: Vec<Join>,
    /// Lanes that act in it.
    pub lanes: BTreeSet<u32>,
}

/// The kind of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Lanes, each with what it has at first.
    Start,
    /// Lanes that loaded words of this variable.
    Load(u16),
    /// Words of this variable.
    Store(u16),
    /// Lanes that gave each other values.
    Exchange(Exchange),
}

/// A value on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The level that it comes from.
    pub level: usize,
    /// The lane or word there.
    pub from: u32,
    /// The lane or word that it goes to.
    pub to: u32,
    /// Where it is loaded and stored again, the event that loads it, by its index in the timeline.
    pub load: Option<usize>,
    /// The event that brings it, by its index in the timeline.
    pub event: usize,
}

/// A reduction over a warp's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Join {
    /// The warp.
    pub warp: u32,
    /// Its lanes that take part.
    pub mask: u64,
    /// The event.
    pub event: usize,
}

/// The greatest number that divides both.
fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An element of workgroup memory: its variable, and which.
type Word = (u16, u32);

/// The state of a warp while its events are read.
#[derive(Default)]
struct Warp {
    /// The level that it wrote last in this round.
    cursor: usize,
    /// Words that each lane has loaded and not yet used, with the event.
    pending: BTreeMap<u32, Vec<(Word, usize)>>,
    /// The event before, by its index.
    before: Option<usize>,
    /// Whether its last level is one of stores.
    stored: bool,
}

impl Tree {
    /// Reads a workgroup's events.
    #[must_use]
    pub fn new(timeline: &Timeline, workgroup: u32) -> Self {
        let mut rounds: Vec<BTreeMap<u32, Vec<usize>>> = Vec::new();
        let mut passed: BTreeMap<u32, usize> = BTreeMap::new();
        let mut launched = BTreeSet::new();
        for (index, event) in timeline.events.iter().enumerate().filter(|(_, e)| e.workgroup == workgroup) {
            let round = passed.entry(event.warp).or_default();
            if rounds.len() <= *round {
                rounds.resize_with(*round + 1, BTreeMap::new);
            }
            rounds[*round].entry(event.warp).or_default().push(index);
            *round += usize::from(event.kind == EventKind::Barrier);
            launched.extend(lanes(event.mask).map(|lane| event.warp * timeline.warp_width + lane));
        }
        let mut reader = Reader::new(timeline, workgroup);
        let columns = launched.last().map_or(0, |last| last + 1);
        reader.tree.rounds = u32::try_from(rounds.len()).unwrap_or(u32::MAX);
        reader.tree.levels.push(Level { lanes: launched, ..Level::new(0, Kind::Start) });
        for (round, warps) in (0..).zip(&rounds) {
            let base = reader.tree.levels.len() - 1;
            for (warp, events) in warps {
                reader.warp((*warp, round, base), events);
            }
        }
        let mut tree = reader.tree;
        let reached = tree.levels.iter().flat_map(|level| &level.edges).map(|edge| edge.from.max(edge.to) + 1);
        tree.columns = reached.max().unwrap_or(0).max(columns);
        tree
    }

    /// Whether anything is combined.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.levels.len() < 2
    }
}

impl Level {
    fn new(round: u32, kind: Kind) -> Self {
        Self { round, kind, edges: Vec::new(), joins: Vec::new(), lanes: BTreeSet::new() }
    }
}

struct Reader<'a> {
    timeline: &'a Timeline,
    tree: Tree,
    /// The level where each lane last got a value.
    lane_levels: BTreeMap<u32, usize>,
    /// The level where each word was last stored.
    word_levels: BTreeMap<Word, usize>,
    /// Of each variable, the words from one of its elements to the next.
    strides: BTreeMap<u16, u32>,
}

impl<'a> Reader<'a> {
    fn new(timeline: &'a Timeline, workgroup: u32) -> Self {
        let tree = Tree { workgroup, ..Tree::default() };
        // Where every address is a multiple of two words, two words are one element.
        let mut strides = BTreeMap::new();
        for event in timeline.events.iter().filter(|event| event.workgroup == workgroup) {
            if let EventKind::Access { buffer, .. } = event.kind {
                let stride = strides.entry(buffer).or_insert(0);
                *stride = timeline.addresses(event).iter().fold(*stride, |common, at| gcd(common, at / 4));
            }
        }
        Self { timeline, tree, lane_levels: BTreeMap::new(), word_levels: BTreeMap::new(), strides }
    }

    /// Reads what one warp does in one round.
    fn warp(&mut self, (number, round, base): (u32, u32, usize), events: &[usize]) {
        let mut warp = Warp { cursor: base, ..Warp::default() };
        let first = number * self.timeline.warp_width;
        for index in events {
            let event = self.timeline.events[*index];
            match event.kind {
                EventKind::Access { access, buffer, .. } if self.is_shared(buffer) => {
                    if access == AccessKind::Load {
                        self.load(&mut warp, *index, &event, buffer);
                    } else {
                        self.store(&mut warp, (*index, round, first), &event, buffer);
                    }
                }
                EventKind::Subgroup { exchange, .. } => {
                    self.take_loads(&mut warp, round, first, event.mask);
                    self.exchange(&mut warp, (*index, round, first), &event, exchange);
                }
                EventKind::Access { .. } | EventKind::Barrier | EventKind::Branch { .. } => {}
            }
            warp.before = Some(*index);
        }
        self.take_loads(&mut warp, round, first, u64::MAX);
    }

    fn is_shared(&self, buffer: u16) -> bool {
        self.timeline.buffers.get(usize::from(buffer)).is_some_and(|b| b.space == Space::Shared)
    }

    /// Each active lane with the element it asks for.
    fn words(&self, event: &Event, buffer: u16) -> Vec<(u32, Word)> {
        let stride = self.strides.get(&buffer).copied().unwrap_or(1).max(1);
        let element = |at: &u32| (buffer, at / 4 / stride);
        lanes(event.mask).zip(self.timeline.addresses(event)).map(|(lane, at)| (lane, element(at))).collect()
    }

    fn load(&self, warp: &mut Warp, index: usize, event: &Event, buffer: u16) {
        for (lane, word) in self.words(event, buffer) {
            let pending = warp.pending.entry(lane).or_default();
            if !pending.iter().any(|(known, _)| *known == word) {
                pending.push((word, index));
            }
        }
        warp.stored = false;
    }

    fn store(&mut self, warp: &mut Warp, (index, round, first): (usize, u32, u32), event: &Event, buffer: u16) {
        // Stores one after another are of one level: several variables, or lanes that a branch has parted.
        let at = if warp.stored { warp.cursor } else { self.next(warp, round, Kind::Store(buffer)) };
        warp.stored = true;
        for (lane, word) in self.words(event, buffer) {
            let loaded = warp.pending.remove(&lane).unwrap_or_default();
            let to = word.1;
            let edge = |level: usize, from, load| Edge { level: level.min(at - 1), from, to, load, event: index };
            let own = loaded.is_empty().then(|| edge(self.lane_level(first + lane), first + lane, None));
            let words = loaded.iter().map(|(from, load)| edge(self.word_level(*from, at), from.1, Some(*load)));
            let edges: Vec<Edge> = words.chain(own).collect();
            self.tree.levels[at].edges.extend(edges);
            self.tree.levels[at].lanes.insert(first + lane);
            for (_, load) in loaded {
                self.tree.places.insert(load, (at, round));
            }
            self.word_levels.insert(word, at);
        }
        self.tree.places.insert(index, (at, round));
    }

    /// Lanes that go on with what they have loaded: a level of its own.
    fn take_loads(&mut self, warp: &mut Warp, round: u32, first: u32, mask: u64) {
        let taken: Vec<u32> = warp.pending.keys().copied().filter(|lane| mask >> lane & 1 == 1).collect();
        let buffer = taken.first().and_then(|lane| warp.pending[lane].first()).map(|((buffer, _), _)| *buffer);
        let Some(buffer) = buffer else { return };
        let at = self.next(warp, round, Kind::Load(buffer));
        warp.stored = false;
        for lane in taken {
            for (word, event) in warp.pending.remove(&lane).unwrap_or_default() {
                let level = self.word_level(word, at).min(at - 1);
                self.tree.levels[at].edges.push(Edge { level, from: word.1, to: first + lane, load: None, event });
                self.tree.places.insert(event, (at, round));
            }
            self.tree.levels[at].lanes.insert(first + lane);
            self.lane_levels.insert(first + lane, at);
        }
    }

    fn exchange(
        &mut self,
        warp: &mut Warp,
        (index, round, first): (usize, u32, u32),
        event: &Event,
        exchange: Exchange,
    ) {
        // A vector's components follow one another in one level.
        let again = warp.before.is_some_and(|before| self.is_same(before, event));
        let at = if again { warp.cursor } else { self.next(warp, round, Kind::Exchange(exchange)) };
        warp.stored = false;
        self.tree.places.insert(index, (at, round));
        if again {
            return;
        }
        if exchange == Exchange::Reduction {
            self.tree.levels[at].joins.push(Join {
                warp: first / self.timeline.warp_width,
                mask: event.mask,
                event: index,
            });
        }
        let active: Vec<u32> = lanes(event.mask).collect();
        for lane in &active {
            let sources = if exchange == Exchange::Reduction { 1 << lane } else { self.timeline.sources(event, *lane) };
            let edges: Vec<Edge> = lanes(sources)
                .map(|source| {
                    let level = self.lane_level(first + source).min(at - 1);
                    Edge { level, from: first + source, to: first + lane, load: None, event: index }
                })
                .collect();
            self.tree.levels[at].edges.extend(edges);
            self.tree.levels[at].lanes.insert(first + lane);
        }
        self.lane_levels.extend(active.into_iter().map(|lane| (first + lane, at)));
    }

    /// Whether two events of a warp exchange in the same way, on the same line.
    fn is_same(&self, before: usize, event: &Event) -> bool {
        let earlier = &self.timeline.events[before];
        matches!(earlier.kind, EventKind::Subgroup { .. })
            && (earlier.line, earlier.mask) == (event.line, event.mask)
            && lanes(event.mask).all(|l| self.timeline.sources(earlier, l) == self.timeline.sources(event, l))
    }

    /// The warp's next level, which another warp may have begun.
    fn next(&mut self, warp: &mut Warp, round: u32, kind: Kind) -> usize {
        warp.cursor += 1;
        if warp.cursor == self.tree.levels.len() {
            self.tree.levels.push(Level::new(round, kind));
        }
        warp.cursor
    }

    fn lane_level(&self, lane: u32) -> usize {
        self.lane_levels.get(&lane).copied().unwrap_or(0)
    }

    /// The level where a word was stored; for a word that was not stored, the level before `at`.
    fn word_level(&self, word: Word, at: usize) -> usize {
        self.word_levels.get(&word).copied().unwrap_or(at - 1)
    }
}

/// The lanes of a mask.
pub(super) fn lanes(mask: u64) -> impl Iterator<Item = u32> {
    (0..64).filter(move |lane| mask >> lane & 1 == 1)
}
