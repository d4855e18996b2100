//! The L2 cache behind the workgroups of a program's launches, and DRAM behind that.

use rustc_hash::FxHashSet;

use super::cache::Cache;
use super::observers::{Request, Requests};
use super::program::Program;
use crate::dispatch::Caches;
use crate::trace::counts::scaled;
use crate::trace::{AccessKind, CacheCounts, Trace};

/// Sectors that DRAM gives at a time: 64 bytes.
const FETCHED: u32 = 2;

/// Requests of a workgroup before those of the next one of its wave.
const TURN: usize = 32;

/// SMs whose loads of the same sector, at the same time, become one request to L2. Fitted to an H200's counters.
const CLUSTER: usize = 16;

/// Bytes between the starts of buffers: allocations begin at a multiple of this.
const ALIGNED: u64 = 1 << 9;

/// Sectors of one place in the code, by the level that was asked for them.
#[derive(Clone, Copy, Debug, Default)]
struct Levels {
    /// Loads that were in L1.
    l1: u64,
    /// Requests to L2.
    l2: u64,
    /// Fetched from DRAM.
    dram: u64,
}

/// The caches of a device while a program runs.
#[derive(Debug)]
pub struct Behind {
    spec: Caches,
    l2: Cache,
    /// The first sector of each buffer, and all of them.
    bases: Vec<u32>,
    sectors: u64,
}

impl Behind {
    /// The caches before a program with buffers of these bytes.
    #[must_use]
    pub fn new(spec: Caches, buffers: impl Iterator<Item = u64>) -> Self {
        let mut at = 0;
        let base = |bytes: u64| {
            let here = at;
            at += bytes.div_ceil(ALIGNED) * ALIGNED;
            u32::try_from(here / 32).unwrap_or(u32::MAX >> 2)
        };
        let bases = buffers.map(base).collect();
        let mut l2 = Cache::new(spec.l2_bytes);
        if spec.warm {
            // A warm L2 holds the program's buffers, as far as they fit.
            let end = u32::try_from(at / 32).unwrap_or(u32::MAX >> 2);
            for sector in (0..end).step_by(4) {
                l2.load(sector, 4);
            }
        }
        Self { spec, l2, bases, sectors: at / 32 }
    }

    /// The first sector of a buffer.
    #[must_use]
    pub fn base(&self, buffer: usize) -> u32 {
        self.bases[buffer]
    }

    /// The workgroups that an SM holds at once in a launch of `blocks`, by its threads and its shared memory.
    fn held(&self, program: &Program, blocks: u64) -> u64 {
        let threads: u32 = program.workgroup_size().iter().product();
        let by_threads = self.spec.threads_per_sm / threads.max(1);
        let by_shared = self.spec.l1_bytes / program.shared_bytes().max(1);
        let most = by_threads.min(by_shared).min(self.spec.blocks_per_sm).max(1);
        u64::from(most).min(blocks.div_ceil(self.spec.sms.into())).max(1)
    }

    /// The bytes of L1 that a workgroup of a launch of `blocks` has: an equal share of what shared memory leaves.
    #[must_use]
    pub fn l1_bytes(&self, program: &Program, blocks: u64) -> u64 {
        let held = self.held(program, blocks);
        let shared = held * u64::from(program.shared_bytes());
        u64::from(self.spec.l1_bytes).saturating_sub(shared) / held
    }

    /// Serves the requests of a launch: wave by wave, the workgroups of a wave in turns. The trace gets the counts, also by line.
    pub fn serve(&mut self, program: &Program, blocks: u64, requests: Requests, trace: &mut Trace) {
        let mut counts =
            CacheCounts { l1_hits: requests.l1_hits, l1_misses: requests.l1_misses, ..CacheCounts::default() };
        let ran = requests.workgroups;
        let mut by_place = vec![Levels::default(); program.ir.places.len()];
        by_place.iter_mut().zip(&requests.l1_hits_at).for_each(|(levels, hits)| levels.l1 = *hits);
        let streams: Vec<Vec<Request>> = requests.streams.into_values().collect();
        let wave = usize::try_from(self.held(program, blocks) * u64::from(self.spec.sms)).unwrap_or(usize::MAX);
        for wave in streams.chunks(wave.max(1)) {
            let longest = wave.iter().map(Vec::len).max().unwrap_or(0);
            for first in (0..longest).step_by(TURN) {
                let mut asked = FxHashSet::default();
                for (place, stream) in wave.iter().enumerate() {
                    let cluster = place % self.spec.sms as usize / CLUSTER;
                    let turn = stream.get(first..stream.len().min(first + TURN)).unwrap_or_default();
                    for request in turn {
                        // Loads of one sector that are on their way at once are one request.
                        if request.kind() != AccessKind::Load || asked.insert((cluster, request.sector())) {
                            self.request(*request, &mut counts, &mut by_place[request.site()]);
                        }
                    }
                }
            }
        }
        counts.dirty = self.l2.dirty();
        let fetched = counts.dram_loads;
        if ran < blocks {
            counts.scale(blocks, ran, self.fetched_at_most(blocks.div_ceil(wave.max(1) as u64)));
        }
        trace.caches = Some(counts);
        for (place, levels) in program.ir.places.iter().zip(by_place) {
            let Ok(line) = trace.lines.binary_search_by_key(&place.line, |counts| counts.line) else { continue };
            let line = &mut trace.lines[line];
            line.l1_hits += scaled(levels.l1, blocks, ran);
            line.l2_sectors += scaled(levels.l2, blocks, ran);
            line.dram_sectors += scaled(levels.dram, counts.dram_loads, fetched);
        }
    }

    /// The sectors that are fetched from DRAM at most: those of all buffers, once if L2 holds them, or else once in each wave.
    fn fetched_at_most(&self, waves: u64) -> u64 {
        if 32 * self.sectors <= self.spec.l2_bytes { self.sectors } else { self.sectors.saturating_mul(waves) }
    }

    fn request(&mut self, request: Request, counts: &mut CacheCounts, levels: &mut Levels) {
        levels.l2 += 1;
        counts.l2_atomics += u64::from(request.kind() == AccessKind::Atomic);
        counts.l2_loads += u64::from(request.kind() == AccessKind::Load);
        counts.l2_stores += u64::from(request.kind() == AccessKind::Store);
        if request.kind() != AccessKind::Store {
            let served = self.l2.load(request.sector(), FETCHED);
            counts.l2_hits += u64::from(served.hit);
            let fetched = if served.hit { 0 } else { u64::from(FETCHED) };
            counts.dram_loads += fetched;
            levels.dram += fetched;
            counts.dram_stores += u64::from(served.written_back);
        }
        if request.kind() != AccessKind::Load {
            counts.dram_stores += u64::from(self.l2.store(request.sector()).written_back);
        }
    }
}
