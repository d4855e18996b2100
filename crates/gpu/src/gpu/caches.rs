//! The L2 cache behind the workgroups of a program's launches, and DRAM behind that.

use crate::job::{Caches, Job};
use crate::simt::{Cache, Program, Request, Requests};
use crate::trace::{AccessKind, CacheCounts};

/// Sectors that DRAM gives at a time: 64 bytes.
const FETCHED: u32 = 2;

/// Requests of a workgroup before those of the next one of its wave.
const TURN: usize = 32;

/// Bytes between the starts of buffers: allocations begin at a multiple of this.
const ALIGNED: u64 = 1 << 9;

/// The caches of a device while a program runs.
pub(super) struct Behind {
    spec: Caches,
    l2: Cache,
    /// The first sector of each buffer.
    bases: Vec<u32>,
}

impl Behind {
    /// Empty caches.
    pub fn new(spec: Caches, job: &Job) -> Self {
        let mut at = 0;
        let base = |buffer: &crate::job::BufferSpec| {
            let here = at;
            at += buffer.bytes().div_ceil(ALIGNED) * ALIGNED;
            u32::try_from(here / 32).unwrap_or(u32::MAX >> 2)
        };
        let bases = job.buffers.iter().map(base).collect();
        let mut l2 = Cache::new(spec.l2_bytes);
        if spec.warm {
            // What an earlier run of the program left there.
            let end = u32::try_from(at / 32).unwrap_or(u32::MAX >> 2);
            for sector in (0..end).step_by(4) {
                l2.load(sector, 4);
            }
        }
        Self { spec, l2, bases }
    }

    /// The first sector of a buffer.
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

    /// The bytes of L1 that a workgroup has: an equal share of what shared memory leaves.
    pub fn l1_bytes(&self, program: &Program, blocks: u64) -> u64 {
        let held = self.held(program, blocks);
        let shared = held * u64::from(program.shared_bytes());
        u64::from(self.spec.l1_bytes).saturating_sub(shared) / held
    }

    /// Serves the requests of a launch: wave by wave, the workgroups of a wave in turns.
    pub fn serve(&mut self, program: &Program, blocks: u64, requests: Requests) -> CacheCounts {
        let mut counts =
            CacheCounts { l1_hits: requests.l1_hits, l1_misses: requests.l1_misses, ..CacheCounts::default() };
        let streams: Vec<Vec<Request>> = requests.streams.into_values().collect();
        let wave = usize::try_from(self.held(program, blocks) * u64::from(self.spec.sms)).unwrap_or(usize::MAX);
        for wave in streams.chunks(wave.max(1)) {
            let longest = wave.iter().map(Vec::len).max().unwrap_or(0);
            for first in (0..longest).step_by(TURN) {
                for stream in wave {
                    let turn = stream.get(first..stream.len().min(first + TURN)).unwrap_or_default();
                    turn.iter().for_each(|request| self.request(*request, &mut counts));
                }
            }
        }
        counts.dirty = self.l2.dirty();
        counts
    }

    fn request(&mut self, request: Request, counts: &mut CacheCounts) {
        if request.kind() != AccessKind::Store {
            counts.l2_loads += 1;
            let served = self.l2.load(request.sector(), FETCHED);
            counts.l2_hits += u64::from(served.hit);
            counts.dram_loads += if served.hit { 0 } else { u64::from(FETCHED) };
            counts.dram_stores += u64::from(served.written_back);
        }
        if request.kind() != AccessKind::Load {
            counts.l2_stores += 1;
            counts.dram_stores += u64::from(self.l2.store(request.sector()).written_back);
        }
    }
}
