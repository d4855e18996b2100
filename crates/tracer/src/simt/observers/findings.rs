//! Findings about a kernel: each line reports each kind once, with its first case.

use std::collections::{BTreeMap, BTreeSet};

use crate::trace::{Finding, FindingKind, Note, NoteKind};
use warpbook_base::units;

/// The fix for a race, at the end of its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mend {
    /// The message says it all.
    Said,
    /// A barrier that orders workgroup memory.
    WorkgroupBarrier,
    /// A barrier that orders storage buffers.
    StorageBarrier,
    /// The lanes are in one warp, and a subgroupBarrier() does not order their memory.
    SubgroupBarrier(&'static str),
    /// The kernel is in CUDA, whose barrier orders all memory of a block.
    SyncThreads,
    /// The kernel is in CUDA, and the lanes are in one warp.
    SyncWarp,
    /// These subgroups do the same work.
    Subgroups(u32, u32),
    /// Workgroups race for the buffer, too.
    Workgroups,
}

impl Mend {
    fn text(&self) -> String {
        match self {
            Self::Said => String::new(),
            Self::WorkgroupBarrier => ", with no workgroupBarrier() between".to_owned(),
            Self::StorageBarrier => {
                ", with no storageBarrier() (a workgroupBarrier() orders workgroup memory only; lanes \
                                     that add to one element need atomicAdd()) between"
                    .to_owned()
            }
            Self::SubgroupBarrier(barrier) => {
                format!(", with no {barrier} between (a subgroupBarrier() orders no memory)")
            }
            Self::SyncThreads => ", with no __syncthreads() between".to_owned(),
            Self::SyncWarp => {
                ", with no __syncwarp() or __syncthreads() between (the lanes of a warp may run apart)".to_owned()
            }
            Self::Subgroups(a, b) => format!(
                ": subgroups {a} and {b} both do this work; give each its own part by subgroup_id, or make the workgroup one \
                 subgroup"
            ),
            Self::Workgroups => {
                ", and so do workgroups, which no barrier orders: launch twice, or read one buffer and \
                                 write another"
                    .to_owned()
            }
        }
    }
}

/// Texts that are kept of those that a kernel prints.
const MAX_PRINTED: usize = 64;

#[derive(Clone, Debug)]
struct Entry {
    /// The workgroup that it was first seen in.
    workgroup: u64,
    message: String,
    mend: Mend,
    /// The buffer that is raced for.
    buffer: Option<u16>,
}

/// A line, a kind of finding, and the variable that it is about, if there can be several at a line.
type Key = (u32, FindingKind, Option<u16>);

/// Findings by line, kind and variable.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    first: BTreeMap<Key, Entry>,
    /// The workgroups that went out of bounds.
    outside: BTreeSet<u64>,
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
        self.enter((line, kind, None), None, || (message(), Mend::Said));
    }

    /// Reports an access of the present workgroup to a variable, by its number: one finding for each of a line.
    pub fn report_access(&mut self, line: u32, kind: FindingKind, variable: u16, message: impl FnOnce() -> String) {
        self.enter((line, kind, Some(variable)), None, || (message(), Mend::Said));
    }

    /// Reports a race of the present workgroup, for a word of `buffer` or of workgroup memory.
    pub fn report_race(&mut self, line: u32, buffer: Option<u16>, found: impl FnOnce() -> (String, Mend)) {
        self.enter((line, FindingKind::Race, None), buffer, found);
    }

    fn enter(&mut self, key: Key, buffer: Option<u16>, found: impl FnOnce() -> (String, Mend)) {
        if key.1 == FindingKind::OutOfBounds && self.outside.last() != Some(&self.workgroup) {
            self.outside.insert(self.workgroup);
        }
        let seen = self.first.get(&key).map(|entry| entry.workgroup);
        if seen.is_none_or(|seen| self.workgroup < seen) {
            let (message, mend) = found();
            self.first.insert(key, Entry { workgroup: self.workgroup, message, mend, buffer });
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

    /// Workgroups race for `buffer`: a barrier would not mend the races within them.
    pub fn also_between_workgroups(&mut self, buffer: u16) {
        let races = self.first.values_mut().filter(|entry| entry.buffer == Some(buffer) && entry.mend != Mend::Said);
        races.for_each(|entry| entry.mend = Mend::Workgroups);
    }

    /// Adds those of another part of the same run: the earliest workgroup's case stays.
    pub fn add(&mut self, other: Self) {
        self.outside.extend(other.outside);
        self.printed.count += other.printed.count;
        self.printed.first.extend(other.printed.first);
        self.printed.keep();
        for (key, theirs) in other.first {
            let seen = self.first.get(&key).map(|entry| entry.workgroup);
            if seen.is_none_or(|seen| theirs.workgroup < seen) {
                self.first.insert(key, theirs);
            }
        }
    }

    /// The findings so far, which are gone from here.
    pub fn take(&mut self) -> Self {
        Self {
            first: std::mem::take(&mut self.first),
            outside: std::mem::take(&mut self.outside),
            workgroup: self.workgroup,
            printed: std::mem::take(&mut self.printed),
        }
    }

    /// The workgroups that went out of bounds.
    pub fn outside(&self) -> &BTreeSet<u64> {
        &self.outside
    }

    /// The lines with a finding of this kind.
    pub fn lines(&self, kind: FindingKind) -> Vec<u32> {
        let mut lines: Vec<u32> =
            self.first.keys().filter(|(_, found, _)| *found == kind).map(|(line, ..)| *line).collect();
        lines.dedup();
        lines
    }

    /// Takes the findings of a kind at a line away that `which` is true of, by their variables, and gives their messages.
    pub fn remove(&mut self, line: u32, kind: FindingKind, which: &dyn Fn(Option<u16>) -> bool) -> Vec<String> {
        let keys = self.first.keys().filter(|(at, of, variable)| *at == line && *of == kind && which(*variable));
        let keys: Vec<Key> = keys.copied().collect();
        keys.iter().filter_map(|key| self.first.remove(key)).map(|entry| entry.message).collect()
    }

    /// All, by line; of a kernel in CUDA in CUDA's words.
    pub fn into_list(self, cuda: bool) -> Vec<Finding> {
        let each = self.first.into_iter().map(|((line, kind, _), entry)| {
            let message = entry.message + &entry.mend.text();
            Finding { kind, line, message: if cuda { in_cuda(&message) } else { message } }
        });
        each.collect()
    }
}

/// CUDA's words for those of WGSL. Names in the source are in backticks, and stay.
fn in_cuda(message: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("workgroup memory", "shared memory"),
        ("workgroup", "block"),
        ("local indices", "threads"),
        ("local index", "thread"),
        ("subgroup", "warp"),
    ];
    let parts = message.split('`').enumerate().map(|(n, part)| {
        let is_name = n % 2 == 1;
        WORDS.iter().filter(|_| !is_name).fold(part.to_owned(), |part, (wgsl, cuda)| part.replace(wgsl, cuda))
    });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_source_stay_as_they_are() {
        let message = "local index 3 of workgroup 1 reads `workgroup` before a copy to workgroup memory";
        assert_eq!(in_cuda(message), "thread 3 of block 1 reads `workgroup` before a copy to shared memory");
    }
}
