//! Findings about a kernel: each line reports each kind once, with its first case.

use std::collections::{BTreeMap, BTreeSet};

use super::fix::{Fix, in_words};
use crate::simt::ir::Dialect;
use crate::trace::{Finding, FindingKind, Note, NoteKind};
use warpbook_base::units;

/// Texts that are kept of those that a kernel prints.
const MAX_PRINTED: usize = 64;

/// Accesses of a line outside of one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Their number, a lane each time.
    pub count: u64,
    /// The lowest and the highest index, in elements of the access's type.
    pub first: i64,
    pub last: i64,
    /// Elements of the array.
    pub elements: i64,
}

impl Outside {
    /// One access of one element.
    pub fn at(index: i64, elements: i64) -> Self {
        Self::over([index, index], elements)
    }

    /// One access of elements from the first to the last.
    pub fn over([first, last]: [i64; 2], elements: i64) -> Self {
        Self { count: 1, first, last, elements }
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    /// The extent of what is outside, at the end of a message that names the first access.
    fn text(self) -> String {
        let accesses = match (self.count, self.first == self.last) {
            (1, _) => return String::new(),
            (count, true) => format!("; {} accesses of lanes go there", units::count(count)),
            (count, false) => {
                format!(
                    "; {} accesses of lanes go outside here, from index {} to {}",
                    units::count(count),
                    self.first,
                    self.last
                )
            }
        };
        let missing = self.last - self.elements + 1;
        match missing {
            1 => accesses + ": it is 1 element too small",
            2.. => accesses + &format!(": it is {missing} elements too small"),
            _ => accesses,
        }
    }
}

/// The standing of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    /// A finding.
    Found(FindingKind),
    /// Two accesses that nothing orders, which is wrong only if their order changes the result.
    InQuestion,
    /// Stores of one value.
    Alike,
}

#[derive(Clone, Debug)]
struct Entry {
    /// The workgroup that it was first seen in.
    workgroup: u64,
    /// How far it reaches: a case of two warps says more than one of two lanes.
    reach: u8,
    message: String,
    fix: Fix,
    /// The buffer that is raced for.
    buffer: Option<u16>,
    outside: Option<Outside>,
}

impl Entry {
    /// Whether this case is shown, and not `other`.
    fn is_before(&self, other: &Self) -> bool {
        (other.reach, self.workgroup) < (self.reach, other.workgroup)
    }

    fn text(self, dialect: Dialect) -> String {
        let text = self.message + &self.fix.text(dialect) + &self.outside.map_or(String::new(), Outside::text);
        in_words(&text, dialect)
    }
}

/// A line, the standing, and the variable that it is about, if there can be several at a line.
type Key = (u32, Standing, Option<u16>);

/// Findings by line, kind and variable.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    first: BTreeMap<Key, Entry>,
    /// The workgroups that went out of bounds, or read what was never written.
    followed: BTreeSet<u64>,
    /// Lines of atomics whose result depends on the order of lanes.
    contended: BTreeSet<u32>,
    /// The linear index of the workgroup that runs now.
    pub workgroup: u64,
    printed: Printed,
}

/// The texts that a kernel printed, in the order of its workgroups.
#[derive(Clone, Debug, Default)]
struct Printed {
    /// The first of them: by workgroup, line and text.
    first: Vec<(u64, u32, String)>,
    /// How many there were.
    count: u64,
}

impl Printed {
    /// Keeps the first ones.
    fn keep(&mut self) {
        self.first.sort_by_key(|(workgroup, ..)| *workgroup);
        self.first.truncate(MAX_PRINTED);
    }
}

impl Findings {
    /// Reports a finding of the present workgroup.
    pub fn report(&mut self, line: u32, kind: FindingKind, message: impl FnOnce() -> String) {
        self.enter((line, Standing::Found(kind), None), (None, 0), || (message(), Fix::Said));
    }

    /// Reports an access of the present workgroup outside of a variable, by its number: one finding for each of a line.
    pub fn report_outside(&mut self, line: u32, variable: u16, outside: Outside, message: impl FnOnce() -> String) {
        let key = (line, Standing::Found(FindingKind::OutOfBounds), Some(variable));
        let before = self.first.get(&key).and_then(|entry| entry.outside);
        self.enter(key, (None, 0), || (message(), Fix::Said));
        if let Some(entry) = self.first.get_mut(&key) {
            entry.outside = Some(outside);
            before.into_iter().for_each(|before| entry.outside.iter_mut().for_each(|all| all.add(before)));
        }
    }

    /// Reports a race of the present workgroup, for a word of `buffer` or of workgroup memory. Of a line, the case with
    /// the greatest `reach` is shown.
    pub fn report_race(&mut self, line: u32, buffer: Option<u16>, reach: u8, found: impl FnOnce() -> (String, Fix)) {
        self.enter((line, Standing::Found(FindingKind::Race), None), (buffer, reach), found);
    }

    /// Two accesses of which one at `line` may get another value in another order.
    pub fn question(&mut self, line: u32, buffer: Option<u16>, reach: u8, found: impl FnOnce() -> (String, Fix)) {
        self.enter((line, Standing::InQuestion, None), (buffer, reach), found);
    }

    /// Two threads store one value, with nothing between.
    pub fn report_alike(&mut self, line: u32, buffer: Option<u16>, reach: u8, message: impl FnOnce() -> String) {
        self.enter((line, Standing::Alike, None), (buffer, reach), || (message(), Fix::Said));
    }

    /// The result of an atomic at `line` depends on the order of lanes.
    pub fn contend(&mut self, line: u32) {
        self.contended.insert(line);
    }

    fn enter(&mut self, key: Key, (buffer, reach): (Option<u16>, u8), found: impl FnOnce() -> (String, Fix)) {
        let follows = matches!(key.1, Standing::Found(FindingKind::OutOfBounds | FindingKind::Uninitialized));
        if follows && self.followed.last() != Some(&self.workgroup) {
            self.followed.insert(self.workgroup);
        }
        let workgroup = self.workgroup;
        let is_new = self.first.get(&key).is_none_or(|seen| (seen.reach, workgroup) < (reach, seen.workgroup));
        if is_new {
            let (message, fix) = found();
            self.first.insert(key, Entry { workgroup, reach, message, fix, buffer, outside: None });
        }
    }

    /// The present workgroup prints a text.
    pub fn print(&mut self, line: u32, text: impl FnOnce() -> String) {
        self.printed.count += 1;
        let is_full = self.printed.first.len() >= MAX_PRINTED;
        if is_full && self.printed.first.last().is_some_and(|(last, ..)| self.workgroup >= *last) {
            return;
        }
        self.printed.first.push((self.workgroup, line, text()));
        self.printed.keep();
    }

    /// The texts that were printed, which are gone from here.
    pub fn take_printed(&mut self) -> Vec<Note> {
        let Printed { first, count } = std::mem::take(&mut self.printed);
        let more = count - first.len() as u64;
        let last = first.last().map(|(_, line, _)| *line).filter(|_| more > 0);
        let note = |line, message| Note { kind: NoteKind::Printed, line, message };
        let mut notes: Vec<Note> = first.into_iter().map(|(_, line, text)| note(line, text)).collect();
        notes.extend(last.map(|line| note(line, format!("… and {} more", units::count(more)))));
        notes
    }

    /// Workgroups race for `buffer`: a barrier would not fix the races within them.
    pub fn also_between_workgroups(&mut self, buffer: u16) {
        let within = |entry: &Entry| matches!(entry.fix, Fix::Barrier(_) | Fix::SubgroupBarrier(_));
        let races = self.first.values_mut().filter(|entry| entry.buffer == Some(buffer) && within(entry));
        races.for_each(|entry| entry.fix = Fix::Workgroups);
    }

    /// Adds those of another part of the same run: the earliest workgroup's case stays.
    pub fn add(&mut self, other: Self) {
        self.followed.extend(other.followed);
        self.contended.extend(other.contended);
        self.printed.count += other.printed.count;
        self.printed.first.extend(other.printed.first);
        self.printed.keep();
        for (key, mut theirs) in other.first {
            let Some(mine) = self.first.get_mut(&key) else {
                self.first.insert(key, theirs);
                continue;
            };
            let mut all = mine.outside;
            all.iter_mut().zip(theirs.outside).for_each(|(all, theirs)| all.add(theirs));
            if theirs.is_before(mine) {
                std::mem::swap(mine, &mut theirs);
            }
            mine.outside = all;
        }
    }

    /// The findings so far, which are gone from here.
    pub fn take(&mut self) -> Self {
        let workgroup = self.workgroup;
        std::mem::replace(self, Self { workgroup, ..Self::default() })
    }

    /// The workgroups that went out of bounds, or read what was never written.
    pub fn followed(&self) -> &BTreeSet<u64> {
        &self.followed
    }

    /// Whether the result of an atomic at `line` depends on the order of lanes.
    pub fn is_contended(&self, line: u32) -> bool {
        self.contended.contains(&line)
    }

    /// The lines with a finding of this kind.
    pub fn lines(&self, kind: FindingKind) -> Vec<u32> {
        let found = self.first.keys().filter(|(_, standing, _)| *standing == Standing::Found(kind));
        let mut lines: Vec<u32> = found.map(|(line, ..)| *line).collect();
        lines.dedup();
        lines
    }

    /// Takes the findings of a kind at a line away that `which` is true of, by their variables, and gives their
    /// messages.
    pub fn remove(&mut self, line: u32, kind: FindingKind, which: &dyn Fn(Option<u16>) -> bool) -> Vec<String> {
        let is_it = |(at, of, variable): &&Key| *at == line && *of == Standing::Found(kind) && which(*variable);
        let keys: Vec<Key> = self.first.keys().filter(is_it).copied().collect();
        keys.iter().filter_map(|key| self.first.remove(key)).map(|entry| entry.message).collect()
    }

    /// Whether there are accesses whose order is in question.
    pub fn has_questions(&self) -> bool {
        self.first.keys().any(|(_, standing, _)| *standing == Standing::InQuestion)
    }

    /// Answers the questions: whether another order changed the result. None: that cannot be found out.
    pub fn answer(&mut self, differs: Option<bool>) {
        let keys: Vec<Key> = self.first.keys().filter(|(_, at, _)| *at == Standing::InQuestion).copied().collect();
        for key in keys {
            let race = (key.0, Standing::Found(FindingKind::Race), None);
            let Some(mut entry) = self.first.remove(&key) else { continue };
            match differs {
                // The race at the line says it.
                _ if self.first.contains_key(&race) => continue,
                Some(true) => {
                    entry.message += "; with the warps or the workgroups in another order the results are others";
                    self.first.insert(race, entry);
                }
                Some(false) => {
                    entry.message += "; in three orders of the warps and the workgroups the results were the same";
                    self.first.insert(key, entry);
                }
                None => _ = self.first.insert(key, entry),
            }
        }
    }

    /// The findings and the notes, by line, in the words of the kernel's language.
    pub fn into_lists(self, dialect: Dialect) -> (Vec<Finding>, Vec<Note>) {
        let (mut findings, mut notes) = (Vec::new(), Vec::new());
        let races: BTreeSet<u32> = self.lines(FindingKind::Race).into_iter().collect();
        for ((line, standing, _), entry) in self.first {
            match standing {
                Standing::Found(kind) => findings.push(Finding { kind, line, message: entry.text(dialect) }),
                _ if races.contains(&line) => {}
                Standing::InQuestion => {
                    notes.push(Note { kind: NoteKind::OrderOfAtomics, line, message: entry.text(dialect) });
                }
                Standing::Alike => notes.push(Note { kind: NoteKind::SameValue, line, message: entry.text(dialect) }),
            }
        }
        (findings, notes)
    }
}
