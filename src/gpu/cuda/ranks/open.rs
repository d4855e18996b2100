//! Memory of all ranks that the kernels of each can read, and the flags by which they meet.

use cudarc::driver::sys::CUstream;

use super::{Gpu, same};
use crate::base::diag::Diagnostic;
use crate::gpu::cuda::driver::{Arguments, Function, Locked, Memory};
use crate::gpu::cuda::peer::{self, Opened, told};
use crate::gpu::cuda::{compile, nvrtc, probe};
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;

/// The kernels.
const KERNELS: &str = include_str!("../../../../shaders/ranks/peers.cu");

/// Lanes of a block, and blocks for each multiprocessor.
const LANES: u32 = 512;
const BLOCKS: u32 = 1;

/// The most ranks that read each other's memory: each lane holds a number of all.
const MOST: usize = 32;

/// The memory of all ranks.
pub(super) struct Open {
    pub gpu: Gpu,
    /// By memory and rank, where it is.
    addresses: Vec<Vec<u64>>,
    flags_of: Vec<u64>,
    /// Only kernels use them.
    _flags: Memory,
    /// Who did not come.
    trouble: Locked,
    opened: Vec<Opened>,
    /// How often ranks have met on the device.
    turn: u64,
    /// Two ranks that have the same GPU.
    share: Option<[usize; 2]>,
}

/// What the kernels take at once, and what they do at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Floats of 16 bits; else of 32.
    pub half: bool,
    /// 16 bytes at once; else one number.
    pub wide: bool,
    /// Ranks meet once more at the end.
    pub again: bool,
}

impl Kind {
    /// The bytes that are taken at once.
    pub fn bytes(self) -> u64 {
        match self {
            Self { wide: true, .. } => 16,
            Self { half: true, .. } => 2,
            Self { .. } => 4,
        }
    }
}

/// The kernels of one kind.
pub(super) struct Kernels {
    kind: Kind,
    reduce_scatter: Function,
    all_gather: Function,
    all_reduce: Function,
    one_shot: Function,
}

/// A launch of one of them.
pub(super) struct Message {
    pub what: Collective,
    /// Everyone sums everything, into the second place.
    pub is_one_shot: bool,
    /// Where it begins, and the length of a chunk, in what is taken at once.
    pub first: u64,
    pub chunk: u64,
}

impl Open {
    /// Opens these memories of all ranks.
    ///
    /// # Errors
    /// When a GPU cannot reach another one, or a rank is lost: all have been told.
    pub fn new(memories: &[&Memory], gpu: Gpu, all: &[super::Card], meeting: &mut Meeting) -> Result<Self, Diagnostic> {
        let failed = |what: &str, code| Diagnostic::error(told(what, code));
        let words = (gpu.multiprocessors * BLOCKS) as usize * gpu.size;
        let flags = gpu.memory(4 * words, meeting)?;
        let trouble =
            Locked::new(&gpu.context, 1).map_err(|code| meeting.explain(&failed("no memory of the host", code)))?;
        flags
            .fill(0, 4 * words as u64, 0)
            .map_err(|code| meeting.explain(&failed("the flags cannot be cleared", code)))?;
        gpu.wait(meeting)?;
        let shared: Vec<&Memory> = memories.iter().copied().chain([&flags]).collect();
        let mut own = Vec::new();
        for memory in &shared {
            let handle = peer::share(memory);
            own.extend(handle.map_err(|code| meeting.explain(&failed("memory cannot be shared", code)))?);
        }
        let handles = meeting.gather(own)?;
        let (mut opened, mut addresses) = (Vec::new(), vec![Vec::new(); shared.len()]);
        for (rank, handles) in handles.iter().enumerate() {
            for ((own, addresses), handle) in shared.iter().zip(&mut addresses).zip(handles.chunks_exact(peer::HANDLE))
            {
                if rank == gpu.rank {
                    addresses.push(own.address(0));
                    continue;
                }
                let handle = handle.try_into().map_err(|_| Diagnostic::error("a rank sent no handle"))?;
                let there = Opened::new(&gpu.context, handle).map_err(|code| {
                    meeting.explain(&failed(&format!("the memory of rank {rank} cannot be opened"), code))
                })?;
                addresses.push(there.address());
                opened.push(there);
            }
        }
        let flags_of = addresses.pop().unwrap_or_default();
        let share = same(all);
        Ok(Self { gpu, addresses, flags_of, _flags: flags, trouble, opened, turn: 0, share })
    }

    /// The table that kernels get: where the numbers of all ranks are, and their second places.
    ///
    /// # Errors
    /// When the GPU has no memory left: all have been told.
    pub fn table(&self, numbers: usize, other: usize, meeting: &mut Meeting) -> Result<Memory, Diagnostic> {
        let table = [&self.addresses[numbers], &self.flags_of, &self.addresses[other]];
        let words: Vec<u32> =
            table.into_iter().flatten().flat_map(|address| [*address as u32, (address >> 32) as u32]).collect();
        let memory = self.gpu.memory(4 * words.len(), meeting)?;
        let written = memory.write(0, &words);
        written.map_err(|code| meeting.explain(&Diagnostic::error(told("writing addresses", code))))?;
        Ok(memory)
    }

    /// Has a kernel launched after the work of a stream; does not wait.
    ///
    /// # Errors
    /// What the driver says.
    pub fn launch(
        &mut self,
        stream: CUstream,
        kernels: &Kernels,
        message: &Message,
        table: &Memory,
        meeting: &Meeting,
    ) -> Result<(), String> {
        let Message { what, is_one_shot, first, chunk } = *message;
        let (function, meetings) = match what {
            Collective::ReduceScatter => (&kernels.reduce_scatter, 1),
            Collective::AllGather => (&kernels.all_gather, 1),
            Collective::AllReduce if is_one_shot => (&kernels.one_shot, 1),
            Collective::AllReduce => (&kernels.all_reduce, 2),
        };
        let elements = if is_one_shot { chunk * self.gpu.size as u64 } else { chunk };
        let blocks = elements.div_ceil(u64::from(LANES)).clamp(1, u64::from(self.gpu.multiprocessors * BLOCKS));
        let patience = u64::try_from(meeting.patience().as_nanos()).unwrap_or(u64::MAX);
        let rank = self.gpu.rank as u64;
        let values = [table.address(0), rank, first, chunk, self.turn + 1, patience, self.trouble.address()];
        let grid = [u32::try_from(blocks).unwrap_or(1), 1, 1];
        let launched = function.launch_on(stream, grid, [LANES, 1, 1], 0, &Arguments::new(&values, Vec::new()));
        launched.map_err(|code| told("launching a collective", code))?;
        self.turn += meetings + u64::from(kernels.kind.again);
        Ok(())
    }

    /// Looks whether a rank did not come to a meeting on the device.
    ///
    /// # Errors
    /// When one did not: all have been told.
    pub fn look(&self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        match self.trouble.first().checked_sub(1) {
            None => Ok(()),
            Some(rank) => {
                Err(meeting.explain(&Diagnostic::error(format!("rank {rank} did not come to a meeting on the device"))))
            }
        }
    }

    /// What has to be known about times.
    pub fn remark(&self) -> Option<String> {
        let [one, other] = self.share?;
        Some(format!(
            "ranks {one} and {other} have the same GPU and take turns on it: results are checked, and the times are those of the turns"
        ))
    }

    /// Lets the others go.
    ///
    /// # Errors
    /// When a rank is lost.
    pub fn leave(&mut self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        // Nobody's memory may go as long as another rank has it open.
        self.opened.clear();
        meeting.gather(Vec::new()).map(|_| ())
    }
}

impl AsRef<Gpu> for Open {
    fn as_ref(&self) -> &Gpu {
        &self.gpu
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // Kernels that still wait for a rank that is lost give up: memory goes only when they have ended.
        self.trouble.set_first(u32::MAX);
    }
}

/// Whether this rank's GPU can read the memory of all others'.
///
/// # Errors
/// When it cannot: all have been told.
pub(super) fn require_reach(gpu: &Gpu, all: &[super::Card], meeting: &mut Meeting) -> Result<(), Diagnostic> {
    probe::require_nvrtc().map_err(|problem| meeting.explain(&problem))?;
    if gpu.size > MOST {
        let message = format!("{MOST} ranks at most read each other's memory, and there are {}", gpu.size);
        return Err(Diagnostic::error(message).hint("start fewer ranks, or use --over nccl or --over host"));
    }
    for (other, card) in all.iter().enumerate() {
        let is_here = peer::identity(card.ordinal).is_ok_and(|here| here == card.identity);
        let can_read = is_here && peer::can_reach(all[gpu.rank].ordinal, card.ordinal).unwrap_or(false);
        if !can_read {
            let message = format!("the GPU of rank {} cannot read the memory of rank {other}'s", gpu.rank);
            return Err(meeting.explain(&Diagnostic::error(message).hint("use --over nccl or --over host")));
        }
    }
    Ok(())
}

/// The kernels of a kind, compiled for the rank's GPU.
///
/// # Errors
/// When the compiler or the driver refuses.
pub(super) fn load(gpu: &Gpu, kind: Kind) -> Result<Kernels, Diagnostic> {
    let broken = |why: String| Diagnostic::error(format!("NVRTC: {why}"));
    let known = nvrtc::architectures().map_err(broken)?;
    let target = compile::target(Some(gpu.architecture), &known).map_err(broken)?;
    let constants = [
        ("RANKS", gpu.size),
        ("HALF", usize::from(kind.half)),
        ("WIDE", usize::from(kind.wide)),
        ("AGAIN", usize::from(kind.again)),
    ];
    let constants = constants.into_iter().map(|(name, value)| format!("-D{name}={value}"));
    let options: Vec<String> = [format!("--gpu-architecture={target}")].into_iter().chain(constants).collect();
    let compiled = nvrtc::compile(KERNELS, "peers.cu", &[], &options).map_err(broken)?;
    if !compiled.done {
        return Err(broken(compiled.log));
    }
    let image = if compiled.cubin.is_empty() { &compiled.ptx } else { &compiled.cubin };
    let load = |name| {
        Function::load(&gpu.context, image, name)
            .map_err(|code| Diagnostic::error(told(&format!("kernel `{name}`"), code)))
    };
    Ok(Kernels {
        kind,
        reduce_scatter: load("reduce_scatter")?,
        all_gather: load("all_gather")?,
        all_reduce: load("all_reduce")?,
        one_shot: load("one_shot")?,
    })
}
