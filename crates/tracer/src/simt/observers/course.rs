//! Follows workgroups from barrier to barrier: the rows of buffers that they access, and the contents of their
//! workgroup memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::{Access, Observer};
use crate::simt::ir::{Mem, Variable};
use crate::simt::lanes::lanes_of;
use crate::trace::course::{Course, Followed, MOST_PHASES, MOST_WORDS, MOST_WORKGROUPS, Moved, Phase, Rows};
use crate::trace::{AccessKind, Space};
use warpbook_base::tensor::Tensor;

/// Bytes of a sector.
const SECTOR: u32 = 32;

/// The workgroups and variables to record.
#[derive(Clone, Debug, Default)]
pub struct Watched {
    /// By binding, the columns of the row-major matrix in the buffer.
    pub columns: Vec<Option<u64>>,
    /// The workgroup variables whose contents are kept, by name.
    pub variables: Vec<String>,
    /// Whether phases are kept; otherwise only what each buffer moved.
    pub phases: bool,
}

/// The intervals of all workgroups of a run, independent of the order in which workgroups finish.
pub struct Trail<'a> {
    watched: &'a Watched,
    variables: &'a [Variable],
    /// By binding: loads, then stores and atomics.
    totals: Vec<[Total; 2]>,
    /// By workgroup.
    phases: Mutex<BTreeMap<u32, Vec<Phase>>>,
    truncated: AtomicBool,
    /// Phases and words that each workgroup may keep.
    share: [u64; 2],
}

/// The sectors of one binding that accesses of one kind touched.
struct Total {
    /// Request by request.
    sectors: AtomicU64,
    /// A bit for each sector of the buffer.
    once: Vec<AtomicU64>,
}

impl<'a> Trail<'a> {
    /// Nothing yet. `sizes` are the bindings' bytes.
    pub fn new(watched: &'a Watched, variables: &'a [Variable], sizes: &[u32], workgroups: u64) -> Self {
        let total = |bytes: &u32| {
            let words = bytes.div_ceil(SECTOR * 64);
            Total { sectors: AtomicU64::new(0), once: (0..words).map(|_| AtomicU64::new(0)).collect() }
        };
        let kept = workgroups.clamp(1, MOST_WORKGROUPS);
        Self {
            watched,
            variables,
            totals: sizes.iter().map(|bytes| [total(bytes), total(bytes)]).collect(),
            phases: Mutex::default(),
            truncated: AtomicBool::new(watched.phases && workgroups > MOST_WORKGROUPS),
            share: [MOST_PHASES / kept, MOST_WORDS / kept],
        }
    }

    fn columns(&self, buffer: usize) -> u64 {
        self.watched.columns.get(buffer).copied().flatten().unwrap_or(1).max(1)
    }

    /// The result: the phases, if they were kept, and what each binding moved.
    pub fn finish(self) -> (Option<Course>, Vec<Moved>) {
        let moved = self.variables.iter().zip(&self.totals).map(|(variable, [loads, stores])| Moved {
            buffer: variable.name.clone(),
            loaded: loads.bytes(),
            loaded_once: loads.bytes_once(),
            stored: stores.bytes(),
            stored_once: stores.bytes_once(),
        });
        let moved = moved.collect();
        let followed = self.variables.iter().enumerate().map(|(i, variable)| Followed {
            name: variable.name.clone(),
            of: variable.name.clone(),
            elem: variable.elem,
            columns: if variable.space == Space::Shared {
                variable.columns.unwrap_or(1).max(1)
            } else {
                self.columns(i)
            },
        });
        let variables = followed.collect();
        let phases = self.phases.into_inner().unwrap_or_else(PoisonError::into_inner);
        let course = self.watched.phases.then(|| Course {
            launch: (0, 0),
            variables,
            phases: phases.into_values().flatten().collect(),
            truncated: self.truncated.into_inner(),
        });
        (course, moved)
    }
}

impl Total {
    /// The sectors from byte `first` up to before `end` are touched.
    fn add(&self, first: u32, end: u32) {
        let sectors = first / SECTOR..end.div_ceil(SECTOR);
        self.sectors.fetch_add(u64::from(sectors.end - sectors.start), Ordering::Relaxed);
        for sector in sectors {
            let bit = 1 << (sector % 64);
            if let Some(word) = self.once.get(sector as usize / 64)
                && word.load(Ordering::Relaxed) & bit == 0
            {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.sectors.load(Ordering::Relaxed) * u64::from(SECTOR)
    }

    fn bytes_once(&self) -> u64 {
        let ones = |word: &AtomicU64| u64::from(word.load(Ordering::Relaxed).count_ones());
        self.once.iter().map(ones).sum::<u64>() * u64::from(SECTOR)
    }
}

/// The accesses to one row of a buffer: the columns from and up to before, and the bytes.
type Row = ([u64; 2], u64);

/// Follows one workgroup at a time.
pub struct Following<'a> {
    trail: &'a Trail<'a>,
    workgroup: u32,
    is_kept: bool,
    /// The variables whose contents are kept: index, first word and words in workgroup memory.
    kept: Vec<(u16, usize, usize)>,
    /// Workgroup memory at the end of the phase before.
    before: Vec<u32>,
    /// The present phase: by kind and buffer and row.
    now: [BTreeMap<(u16, u64), Row>; 2],
    phases: Vec<Phase>,
    words: u64,
}

impl<'a> Following<'a> {
    /// For any workgroup of the run.
    pub fn new(trail: &'a Trail<'a>) -> Self {
        let kept = (0..).zip(trail.variables).filter(|(_, variable)| {
            variable.space == Space::Shared && trail.watched.variables.contains(&variable.name)
        });
        let kept = kept.map(|(i, variable)| (i, variable.base as usize / 4, variable.bytes.div_ceil(4) as usize));
        Self {
            trail,
            workgroup: 0,
            is_kept: false,
            kept: kept.collect(),
            before: Vec::new(),
            now: Default::default(),
            phases: Vec::new(),
            words: 0,
        }
    }

    /// Begins workgroup number `linear`, or goes on with it, with its memory as it is.
    pub fn start(&mut self, linear: u64, shared: &[u32]) {
        self.workgroup = u32::try_from(linear).unwrap_or(u32::MAX);
        self.is_kept = self.trail.watched.phases && linear < MOST_WORKGROUPS;
        self.before.clear();
        self.before.extend_from_slice(shared);
        self.words = 0;
    }

    /// Ends the phase at a barrier, or where the workgroup stops.
    pub fn end(&mut self, shared: &[u32]) {
        if !self.is_kept {
            return;
        }
        let [loads, stores] = [0, 1].map(|kind| runs(std::mem::take(&mut self.now[kind])));
        let mut contents = Vec::new();
        for (index, first, words) in &self.kept {
            let Some((new, old)) = shared.get(*first..first + words).zip(self.before.get_mut(*first..first + words))
            else {
                continue;
            };
            if new != old {
                old.copy_from_slice(new);
                let elem = self.trail.variables[usize::from(*index)].elem;
                contents.push((*index, Tensor { elem, words: new.to_vec() }));
            }
        }
        if loads.is_empty() && stores.is_empty() && contents.is_empty() {
            return;
        }
        let words: u64 = contents.iter().map(|(_, tensor)| tensor.words.len() as u64).sum();
        let [most_phases, most_words] = self.trail.share;
        if self.phases.len() as u64 >= most_phases || self.words + words > most_words {
            self.trail.truncated.store(true, Ordering::Relaxed);
            return;
        }
        self.words += words;
        self.phases.push(Phase { workgroup: self.workgroup, loads, stores, contents });
    }

    /// Hands over the phases of the workgroup, which may go on later.
    pub fn leave(&mut self) {
        let phases = std::mem::take(&mut self.phases);
        if !phases.is_empty() {
            let mut all = self.trail.phases.lock().unwrap_or_else(PoisonError::into_inner);
            all.entry(self.workgroup).or_default().extend(phases);
        }
    }

    /// The bytes from `first` up to before `end` are accessed, by one lane or by neighbours.
    fn touch(&mut self, buffer: u16, kind: usize, first: u32, end: u32) {
        let elem = self.trail.variables[usize::from(buffer)].elem.bytes();
        let columns = self.trail.columns(usize::from(buffer));
        let (mut at, end) = (u64::from(first) / elem, u64::from(end).div_ceil(elem));
        while at < end {
            let (row, column) = (at / columns, at % columns);
            let next = (at - column + columns).min(end);
            let (reached, bytes) = self.now[kind].entry((buffer, row)).or_insert(([column, column], 0));
            *reached = [reached[0].min(column), reached[1].max(column + next - at)];
            *bytes += (next - at) * elem;
            at = next;
        }
    }
}

/// Neighbouring rows with the same columns as runs.
fn runs(rows: BTreeMap<(u16, u64), Row>) -> Vec<Rows> {
    let mut runs: Vec<Rows> = Vec::new();
    for ((buffer, row), (columns, bytes)) in rows {
        match runs.last_mut() {
            Some(last) if last.buffer == buffer && last.rows[1] == row && last.columns == columns => {
                last.rows[1] += 1;
                last.bytes += bytes;
            }
            _ => runs.push(Rows { buffer, rows: [row, row + 1], columns, bytes }),
        }
    }
    runs
}

impl Observer for Following<'_> {
    const ACTIVE: bool = true;

    fn access(&mut self, access: &Access<'_>) {
        let Mem::Buffer(buffer) = access.place.mem else { return };
        let (bytes, kind) = (access.place.bytes(), usize::from(access.kind != AccessKind::Load));
        let trail = self.trail;
        let Some(total) = trail.totals.get(usize::from(buffer)).map(|totals| &totals[kind]) else { return };
        let mut firsts = [0; 64];
        let mut lanes = 0;
        for lane in lanes_of(access.mask) {
            firsts[lanes] = access.addresses.at(lane);
            lanes += 1;
        }
        let firsts = &mut firsts[..lanes];
        firsts.sort_unstable();
        // Lanes in the same or in neighbouring sectors touch them once.
        for run in firsts.chunk_by(|a, b| b / SECTOR <= (a + bytes - 1) / SECTOR) {
            total.add(run[0], run[run.len() - 1] + bytes);
        }
        if self.is_kept {
            for run in firsts.chunk_by(|a, b| b - a <= bytes) {
                self.touch(buffer, kind, run[0], run[run.len() - 1] + bytes);
            }
        }
    }
}
