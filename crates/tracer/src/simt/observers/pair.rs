//! Two accesses that conflict and that nothing orders, as a finding says it.

use super::Findings;
use super::deed::{Conflict, Deed};
use super::fix::{Barrier, Fix};
use super::known::Known;
use super::names::name;
use super::word::{Far, is_same_store};
use crate::simt::code::Place;
use crate::simt::ir::{Dialect, Mem};

/// Two accesses to one word.
pub(super) struct Pair<'a> {
    pub known: &'a Known<'a>,
    /// The present one.
    pub by: Far,
    /// The one before.
    pub other: Far,
    /// The byte of their memory.
    pub byte: u32,
}

impl Pair<'_> {
    /// Reports them. `fence` gives what would have ordered them, if they handed a word over.
    pub fn report(&self, conflict: Conflict, fence: impl FnOnce() -> Option<Fix>, findings: &mut Findings) {
        let (by, other) = (&self.by.mark, &self.other.mark);
        let (buffer, reach) = (self.buffer(), self.reach());
        let (here, there) = (self.place(by.site).line, self.place(other.site).line);
        match conflict {
            Conflict::Race if self.known.dialect.is_ptx() && is_same_store(by, other) => {
                findings.report_alike(here, buffer, reach, || self.alike());
            }
            Conflict::Race => {
                findings.report_race(here, buffer, reach, || (self.race(), fence().unwrap_or_else(|| self.fix())));
            }
            Conflict::Word => {
                for (line, pair) in [(here, [self.by, self.other]), (there, [self.other, self.by])] {
                    findings.report_race(line, buffer, reach, || (self.word(pair), self.barrier()));
                }
            }
            Conflict::Value | Conflict::Told => {
                let pair = self.load_first();
                let line = self.place(pair[0].mark.site).line;
                findings.question(line, buffer, reach, || (self.value(pair), self.barrier()));
            }
        }
    }

    /// Reports them where it is known that their order matters, whichever conflict it is.
    pub fn report_decided(&self, conflict: Conflict, fence: impl FnOnce() -> Option<Fix>, findings: &mut Findings) {
        if !matches!(conflict, Conflict::Value | Conflict::Told) {
            return self.report(Conflict::Race, fence, findings);
        }
        let pair = self.load_first();
        let line = self.place(pair[0].mark.site).line;
        findings.report_race(line, self.buffer(), self.reach(), || (self.value(pair), self.barrier()));
    }

    /// The two, the load before what changes its value.
    fn load_first(&self) -> [Far; 2] {
        let is_load_before = self.by.mark.deed.writes() && !self.other.mark.deed.writes();
        if is_load_before { [self.other, self.by] } else { [self.by, self.other] }
    }

    fn place(&self, site: u32) -> &Place {
        &self.known.code.places[site as usize]
    }

    fn buffer(&self) -> Option<u16> {
        match self.place(self.by.mark.site).mem {
            Mem::Buffer(buffer) => Some(buffer),
            _ => None,
        }
    }

    fn is_between(&self) -> bool {
        self.by.block != self.other.block
    }

    fn warps(&self) -> [u32; 2] {
        [self.other, self.by].map(|access| u32::from(access.mark.lane) / self.known.width)
    }

    /// How far the two are apart: in a warp, a workgroup, or in two workgroups.
    fn reach(&self) -> u8 {
        let [a, b] = self.warps();
        if self.is_between() { 2 } else { u8::from(a != b) }
    }

    fn name(&self) -> String {
        name(self.place(self.by.mark.site), self.byte, self.known.variables)
    }

    /// The two threads, as the subject of a sentence.
    fn both(&self) -> String {
        let [other, by] = [self.other, self.by];
        match self.is_between() {
            true => format!("workgroups {} and {}", other.block, by.block),
            false => format!("local indices {} and {} of workgroup {}", other.mark.lane, by.mark.lane, by.block),
        }
    }

    /// A thread, where both were named.
    fn who(&self, access: Far) -> String {
        match self.is_between() {
            true => format!("local index {} of workgroup {}", access.mark.lane, access.block),
            false => access.mark.lane.to_string(),
        }
    }

    /// The line of an access that is not here, and its round where both are of one line.
    fn at(&self, access: Far, from: Far) -> String {
        let [line, other] = [access, from].map(|access| self.place(access.mark.site).line);
        match (line == other, access.mark.round > 1 || from.mark.round > 1) {
            (true, true) => format!("at line {line} in round {}", access.mark.round),
            (true, false) if access.mark.site != from.mark.site => format!("at line {line}, too"),
            _ => format!("at line {line}"),
        }
    }

    fn here(&self) -> String {
        let at = self.at(self.by, self.other);
        at.split_once(" in round").map_or("here".to_owned(), |(_, round)| format!("here in round{round}"))
    }

    fn race(&self) -> String {
        let [does, _] = self.by.mark.deed.verbs();
        let [_, did] = self.other.mark.deed.verbs();
        format!(
            "{} race for {}: {} {does} {}, {} {did} {}",
            self.both(),
            self.name(),
            self.who(self.by),
            self.here(),
            self.who(self.other),
            self.at(self.other, self.by),
        )
    }

    fn alike(&self) -> String {
        format!(
            "{} store the same value in {}, here and {}, and nothing orders them: the word is right in any order, but no thread may \
             read it before they meet, and it is wrong as soon as the values differ",
            self.both(),
            self.name(),
            self.at(self.other, self.by),
        )
    }

    fn word(&self, [here, there]: [Far; 2]) -> String {
        format!(
            "{} race for {}: {} by {} here and {} by {} {} do not commute, so that the word depends on which comes first",
            self.both(),
            self.name(),
            here.mark.deed.name(),
            self.who(here),
            there.mark.deed.name(),
            self.who(there),
            self.at(there, here),
        )
    }

    fn value(&self, [here, there]: [Far; 2]) -> String {
        let [does, _] = here.mark.deed.verbs();
        let [_, did] = there.mark.deed.verbs();
        format!(
            "{} have no order at {}: {} {does} here, {} {did} {}, and what comes of it depends on which is first",
            self.both(),
            self.name(),
            self.who(here),
            self.who(there),
            self.at(there, here),
        )
    }

    /// The barrier that would order them.
    fn barrier(&self) -> Fix {
        let [a, b] = self.warps();
        match self.buffer() {
            _ if self.is_between() => Fix::Launches,
            _ if self.known.dialect.is_ptx() => Fix::Barrier(if a == b { Barrier::Warp } else { Barrier::Shared }),
            Some(_) => Fix::Barrier(Barrier::Storage),
            None => Fix::Barrier(Barrier::Shared),
        }
    }

    /// The smallest change that would fix a race.
    fn fix(&self) -> Fix {
        let (by, other) = (&self.by.mark, &self.other.mark);
        let ([a, b], width) = (self.warps(), self.known.width);
        let both = |is: &dyn Fn(Deed) -> bool| is(by.deed) && is(other.deed);
        let updates = |site: u32| self.place(site).updates;
        if updates(by.site) && updates(other.site) && both(&|deed| deed.is_weak()) && self.known.dialect.is_ptx() {
            return Fix::Atomic;
        }
        let narrow = [self.by, self.other].into_iter().find(|access| access.narrow && self.is_between());
        if let Some(narrow) = narrow {
            return Fix::Scope(self.place(narrow.mark.site).line);
        }
        let is_volatile = |deed| matches!(deed, Deed::VolatileRead | Deed::VolatileWrite);
        let is_mixed = by.deed.is_plain() != other.deed.is_plain();
        match self.barrier() {
            fix if is_mixed && self.known.dialect.is_ptx() => Fix::Strong(Box::new(fix)),
            _ if other.deed == Deed::Landing || by.deed == Deed::Landing => Fix::WaitFirst,
            Fix::Barrier(barrier) if is_volatile(by.deed) || is_volatile(other.deed) => Fix::Volatile(barrier),
            Fix::Barrier(_) if self.known.dialect == Dialect::Wgsl => {
                if self.known.cooperative && a != b && u32::from(by.lane) % width == u32::from(other.lane) % width {
                    Fix::Subgroups(a, b)
                } else if self.known.subgroup_barrier && a == b {
                    let barrier = if self.buffer().is_some() { "storageBarrier()" } else { "workgroupBarrier()" };
                    Fix::SubgroupBarrier(barrier)
                } else {
                    self.barrier()
                }
            }
            fix => fix,
        }
    }
}
