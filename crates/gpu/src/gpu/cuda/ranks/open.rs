//! Memory of all ranks that the kernels of each can reach, and the room where they meet.

use cudarc::driver::sys::CUstream;

use super::{Gpu, QUEUED, same};
use crate::base::diag::Diagnostic;
use crate::gpu::cuda::driver::{Arguments, Function, Locked, Memory};
use crate::gpu::cuda::peer::{self, Opened, told};
use crate::gpu::cuda::{compile, nvrtc, probe};
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;

const KERNELS: &str = include_str!("../../../../../../shaders/ranks/peers.cu");

/// Lanes of a block, and blocks for each multiprocessor.
const LANES: u32 = 512;
const BLOCKS: u32 = 1;

/// The most ranks that reach each other's memory: each lane holds a number of all.
const MOST: usize = 32;

/// Units that a lane has in flight at once, each as large as what it takes at once: enough to fill a link between two
/// H100s.
const DEEP: usize = 8;

/// Bytes of floats that a rank sends at most if everyone sums a message as a whole: beyond it, two shots are faster on
/// two H100s.
const ONE_SHOT: usize = 512 << 10;

/// The bytes of a line of the cache.
const LINE: usize = 128;

/// Memory of each rank for the kernels alone, with offsets in bytes. Flags are at 0; they and the mail have to be zero
/// at first.
#[derive(Clone, Copy)]
struct Layout {
    /// The longest message that everyone sums as a whole, in floats.
    shot: usize,
    /// Units that a lane sends to each of the others in a step.
    deep: usize,
    mail: usize,
    boxes: usize,
    bytes: usize,
}

impl Layout {
    fn new(ranks: usize, blocks: usize) -> Self {
        let others = (ranks - 1).max(1);
        let (shot, deep) = ((ONE_SHOT / others / 4) & !15, (DEEP / others).max(1));
        // Layout: a flag per block and rank; then the mail, two one-shot messages per rank, as pairs of a float and its turn;
        // then the boxes, two steps per block and rank. Mail and boxes begin on cache lines, so that a warp's store touches few
        // of them.
        let mail = (4 * blocks * ranks).next_multiple_of(LINE);
        let boxes = (mail + 2 * ranks * 8 * shot).next_multiple_of(LINE);
        let bytes = boxes + blocks * 2 * ranks * deep * LANES as usize * 16;
        Self { shot, deep, mail, boxes, bytes }
    }
}

/// The memory of all ranks.
pub(super) struct Open {
    pub gpu: Gpu,
    /// By memory and rank, where it is. The last one is the room.
    addresses: Vec<Vec<u64>>,
    room: Layout,
    /// Only kernels use it.
    _room: Memory,
    /// Who did not come.
    trouble: Locked,
    opened: Vec<Opened>,
    /// The last number given to a meeting on the device, or to a one-shot message, which needs no meeting.
    turn: u64,
    /// Two ranks that have the same GPU.
    share: Option<[usize; 2]>,
}

/// The elements that the kernels take at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Floats of 16 bits; else of 32.
    pub half: bool,
    /// 16 bytes at once; else one number.
    pub wide: bool,
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

pub(super) struct Kernels {
    reduce_scatter: Function,
    all_gather: Function,
    all_reduce: Function,
    one_shot: Function,
}

/// Which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    ReduceScatter,
    AllGather,
    AllReduce,
    /// An all-reduce where everyone sums everything.
    OneShot,
}

impl From<Collective> for What {
    fn from(what: Collective) -> Self {
        match what {
            Collective::ReduceScatter => Self::ReduceScatter,
            Collective::AllGather => Self::AllGather,
            Collective::AllReduce => Self::AllReduce,
        }
    }
}

/// A launch of one of them.
pub(super) struct Message {
    pub what: What,
    /// Offset of the message, and length of a chunk, at least 1: in units that a lane accesses at once, or in floats
    /// for a one-shot message.
    pub first: u64,
    pub chunk: u64,
}

impl Open {
    /// Opens these memories of all ranks.
    ///
    /// # Errors
    /// When a GPU cannot reach another one, or a rank is lost: all ranks were informed.
    pub fn new(memories: &[&Memory], gpu: Gpu, all: &[super::Card], meeting: &mut Meeting) -> Result<Self, Diagnostic> {
        let failed = |what: &str, code| Diagnostic::error(told(what, code));
        let room = Layout::new(gpu.size, (gpu.multiprocessors * BLOCKS) as usize);
        let own_room = gpu.cleared(room.bytes, meeting)?;
        let trouble =
            Locked::new(&gpu.context, 1).map_err(|code| meeting.explain(&failed("no memory of the host", code)))?;
        gpu.wait(meeting)?;
        let shared: Vec<&Memory> = memories.iter().copied().chain([&own_room]).collect();
        let mut own = Vec::new();
        for memory in &shared {
            let handle = peer::share(memory);
            own.extend(handle.map_err(|code| meeting.explain(&failed("memory cannot be shared", code)))?);
        }
        let handles = meeting.gather(own)?;
        let (mut opened, mut addresses) = (Vec::new(), vec![Vec::new(); shared.len()]);
        for (rank, handles) in handles.iter().enumerate() {
            if handles.len() != shared.len() * peer::HANDLE {
                let problem = Diagnostic::error(format!("rank {rank} does not say where its memory is"));
                return Err(meeting.explain(&problem));
            }
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
        let share = same(all);
        Ok(Self { gpu, addresses, room, _room: own_room, trouble, opened, turn: 0, share })
    }

    /// The table that kernels get: where the numbers of all ranks are, and what is in their rooms.
    ///
    /// # Errors
    /// When the GPU has no memory left: all ranks were informed.
    pub fn table(&self, numbers: usize, meeting: &mut Meeting) -> Result<Memory, Diagnostic> {
        let Layout { mail, boxes, .. } = self.room;
        let rooms = self.addresses.last().into_iter().flatten();
        let inside = [0, mail, boxes].into_iter().flat_map(|offset| rooms.clone().map(move |at| at + offset as u64));
        let table = self.addresses[numbers].iter().copied().chain(inside);
        let words: Vec<u32> = table.flat_map(|address| [address as u32, (address >> 32) as u32]).collect();
        let memory = self.gpu.memory(4 * words.len(), meeting)?;
        let written = memory.write(0, &words);
        written.map_err(|code| meeting.explain(&Diagnostic::error(told("writing addresses", code))))?;
        Ok(memory)
    }

    /// A message of `floats` floats in memory of its own: they fill whole chunks of 16 bytes.
    pub fn message(&self, what: Collective, floats: usize) -> Message {
        let chunk = (floats / self.gpu.size) as u64;
        if what == Collective::AllReduce && floats <= self.room.shot {
            return Message { what: What::OneShot, first: 0, chunk };
        }
        Message { what: what.into(), first: 0, chunk: chunk / 4 }
    }

    /// Has a kernel launched after the work of a stream; does not wait.
    pub fn launch(
        &mut self,
        stream: CUstream,
        kernels: &Kernels,
        message: &Message,
        table: &Memory,
        meeting: &Meeting,
    ) -> Result<(), String> {
        let Message { what, first, chunk } = *message;
        let function = match what {
            What::ReduceScatter => &kernels.reduce_scatter,
            What::AllGather => &kernels.all_gather,
            What::AllReduce => &kernels.all_reduce,
            What::OneShot => &kernels.one_shot,
        };
        let turns = self.turns(message);
        // A turn has 32 bits.
        if self.turn + turns > u64::from(u32::MAX) {
            return Err("the ranks have met too often: start them again".to_owned());
        }
        let patience = u64::try_from(meeting.patience().as_nanos()).unwrap_or(u64::MAX);
        let rank = self.gpu.rank as u64;
        let values = [table.address(0), rank, first, chunk, self.turn + 1, patience, self.trouble.address()];
        let grid = [u32::try_from(self.blocks(message)).unwrap_or(1), 1, 1];
        let launched = function.launch_on(stream, grid, [LANES, 1, 1], 0, &Arguments::new(&values, Vec::new()));
        launched.map_err(|code| told("launching a collective", code))?;
        self.turn += turns;
        Ok(())
    }

    fn blocks(&self, message: &Message) -> u64 {
        let lanes = if message.what == What::OneShot { message.chunk * self.gpu.size as u64 } else { message.chunk };
        lanes.div_ceil(u64::from(LANES)).clamp(1, u64::from(self.gpu.multiprocessors * BLOCKS))
    }

    /// The turns that a launch takes, which are its meetings; one shot takes one and does not meet.
    fn turns(&self, message: &Message) -> u64 {
        match message.what {
            What::OneShot => 1,
            What::AllGather => 2,
            // After each step is sent, and after the last sum.
            What::ReduceScatter | What::AllReduce => {
                message.chunk.div_ceil(self.blocks(message) * u64::from(LANES) * self.room.deep as u64) + 1
            }
        }
    }

    /// How many launches may be queued at once.
    pub fn queued(&self, message: &Message) -> usize {
        usize::try_from(QUEUED as u64 / self.turns(message)).unwrap_or(1).max(1)
    }

    /// Looks whether a rank did not come to a meeting on the device.
    ///
    /// # Errors
    /// When one did not: all ranks were informed.
    pub fn look(&self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        match self.trouble.first().checked_sub(1) {
            None => Ok(()),
            Some(rank) => {
                Err(meeting.explain(&Diagnostic::error(format!("rank {rank} did not come to a meeting on the device"))))
            }
        }
    }

    /// A caveat about times.
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
        // No memory may be freed as long as another rank has it open.
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

/// Whether this rank's GPU can reach the memory of all others'.
///
/// # Errors
/// When it cannot: all ranks were informed.
pub(super) fn require_reach(gpu: &Gpu, all: &[super::Card], meeting: &mut Meeting) -> Result<(), Diagnostic> {
    probe::require_nvrtc().map_err(|problem| meeting.explain(&problem))?;
    if gpu.size > MOST {
        let message = format!("{MOST} ranks at most reach each other's memory, and there are {}", gpu.size);
        return Err(Diagnostic::error(message).hint("start fewer ranks, or use --over nccl or --over host"));
    }
    for (other, card) in all.iter().enumerate() {
        let is_here = peer::identity(card.ordinal).is_ok_and(|here| here == card.identity);
        let is_reached = is_here && peer::can_reach(all[gpu.rank].ordinal, card.ordinal).unwrap_or(false);
        if !is_reached {
            let message = format!("the GPU of rank {} cannot reach the memory of rank {other}'s", gpu.rank);
            return Err(meeting.explain(&Diagnostic::error(message).hint("use --over nccl or --over host")));
        }
    }
    Ok(())
}

/// The kernels of a kind, compiled for the rank's GPU.
pub(super) fn load(Open { gpu, room, .. }: &Open, kind: Kind) -> Result<Kernels, Diagnostic> {
    let broken = |why: String| Diagnostic::error(format!("NVRTC: {why}"));
    let known = nvrtc::architectures().map_err(broken)?;
    let target = compile::target(Some(gpu.architecture), &known).map_err(broken)?;
    let constants = [
        ("RANKS", gpu.size),
        ("HALF", usize::from(kind.half)),
        ("WIDE", usize::from(kind.wide)),
        ("SHOT", room.shot),
        ("DEEP", room.deep),
    ];
    let constants = constants.into_iter().map(|(name, value)| format!("-D{name}={value}"));
    let options: Vec<String> = [format!("--gpu-architecture={target}")].into_iter().chain(constants).collect();
    let compiled = nvrtc::compile(KERNELS, "peers.cu", &[], &options, None).map_err(broken)?;
    if !compiled.done {
        return Err(broken(compiled.log));
    }
    let image = if compiled.cubin.is_empty() { &compiled.ptx } else { &compiled.cubin };
    let load = |name| {
        Function::load(&gpu.context, image, name)
            .map_err(|code| Diagnostic::error(told(&format!("kernel `{name}`"), code)))
    };
    Ok(Kernels {
        reduce_scatter: load("reduce_scatter")?,
        all_gather: load("all_gather")?,
        all_reduce: load("all_reduce")?,
        one_shot: load("one_shot")?,
    })
}
