//! Our own collectives between ranks: each reads what it needs from the others' memory.

use super::{Gpu, read, same, whole_chunks, write};
use crate::base::diag::Diagnostic;
use crate::gpu::cuda::driver::{Arguments, Function, Locked, Memory};
use crate::gpu::cuda::peer::{self, Opened, told};
use crate::gpu::cuda::{compile, nvrtc, probe};
use crate::ranks::measure::{Collective, Transport};
use crate::ranks::meeting::Meeting;

/// The kernels.
const KERNELS: &str = include_str!("../../../../shaders/ranks/peers.cu");

/// The longest message that everyone sums as a whole, in bytes: beyond it, two shots move fewer bytes.
const ONE_SHOT: usize = 128 << 10;

/// Lanes of a block, and blocks for each multiprocessor.
const LANES: u32 = 512;
const BLOCKS: u32 = 1;

/// The most ranks that read each other's memory: each lane holds a number of all.
const MOST: usize = 32;

/// Our own collectives: each rank reads what it needs from the others' memory.
struct Peers {
    reduce_scatter: Function,
    all_gather: Function,
    all_reduce: Function,
    one_shot: Function,
    /// The two places for numbers; the flags, which only kernels use; who did not come.
    places: [Memory; 2],
    _flags: Memory,
    trouble: Locked,
    /// The addresses of all of these of all ranks, for numbers in the first place and in the second.
    tables: [Memory; 2],
    opened: Vec<Opened>,
    /// Which place has the numbers.
    place: usize,
    /// How often ranks have met on the device.
    turn: u64,
    count: usize,
    /// Two ranks that have the same GPU.
    share: Option<[usize; 2]>,
    gpu: Gpu,
}

/// Opens the memory of all ranks, for messages of up to `most` numbers.
///
/// # Errors
/// When a GPU cannot reach another one, or a rank is lost.
pub(in crate::gpu) fn join(most: usize, meeting: &mut Meeting) -> Result<Box<dyn Transport>, Diagnostic> {
    let (gpu, all) = Gpu::open(meeting)?;
    probe::require_nvrtc().map_err(|problem| meeting.explain(&problem))?;
    let failed = |what: &str, code| Diagnostic::error(told(what, code));
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
    let functions = load(&gpu).map_err(|problem| meeting.explain(&problem))?;
    let [reduce_scatter, all_gather, all_reduce, one_shot] = functions;
    let places = [gpu.memory(4 * most, meeting)?, gpu.memory(4 * most, meeting)?];
    let flags = gpu.memory(4 * (gpu.multiprocessors * BLOCKS) as usize * gpu.size, meeting)?;
    let trouble =
        Locked::new(&gpu.context, 1).map_err(|code| meeting.explain(&failed("no memory of the host", code)))?;
    let handles = [&places[0], &places[1], &flags].map(peer::share);
    let mut own = Vec::new();
    for handle in handles {
        own.extend(handle.map_err(|code| meeting.explain(&failed("memory cannot be shared", code)))?);
    }
    flags
        .fill(0, 4 * (gpu.multiprocessors * BLOCKS) as u64 * gpu.size as u64, 0)
        .map_err(|code| failed("clearing flags", code))?;
    gpu.wait(meeting)?;
    let handles = meeting.gather(own)?;
    let (mut opened, mut addresses) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    for (rank, handles) in handles.iter().enumerate() {
        for ((own, addresses), handle) in
            [&places[0], &places[1], &flags].iter().zip(&mut addresses).zip(handles.chunks_exact(peer::HANDLE))
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
    let [first, second, flags_of] = addresses;
    let mut tables = Vec::new();
    for table in [[&first, &flags_of, &second], [&second, &flags_of, &first]] {
        let words: Vec<u32> =
            table.into_iter().flatten().flat_map(|address| [*address as u32, (address >> 32) as u32]).collect();
        let memory = gpu.memory(4 * words.len(), meeting)?;
        memory.write(0, &words).map_err(|code| failed("writing addresses", code))?;
        tables.push(memory);
    }
    let Ok(tables) = <[Memory; 2]>::try_from(tables) else { return Err(Diagnostic::error("there are two tables")) };
    meeting.gather(Vec::new())?;
    let share = same(&all);
    let (place, turn, count) = (0, 0, 0);
    Ok(Box::new(Peers {
        reduce_scatter,
        all_gather,
        all_reduce,
        one_shot,
        places,
        _flags: flags,
        trouble,
        tables,
        opened,
        place,
        turn,
        count,
        share,
        gpu,
    }))
}

/// The kernels, compiled for the rank's GPU.
fn load(gpu: &Gpu) -> Result<[Function; 4], Diagnostic> {
    let broken = |why: String| Diagnostic::error(format!("NVRTC: {why}"));
    let known = nvrtc::architectures().map_err(broken)?;
    let target = compile::target(Some(gpu.architecture), &known).map_err(broken)?;
    let options = [format!("--gpu-architecture={target}"), format!("-DRANKS={}", gpu.size)];
    let compiled = nvrtc::compile(KERNELS, "peers.cu", &[], &options).map_err(broken)?;
    if !compiled.done {
        return Err(broken(compiled.log));
    }
    let image = if compiled.cubin.is_empty() { &compiled.ptx } else { &compiled.cubin };
    let load = |name| {
        Function::load(&gpu.context, image, name)
            .map_err(|code| Diagnostic::error(told(&format!("kernel `{name}`"), code)))
    };
    Ok([load("reduce_scatter")?, load("all_gather")?, load("all_reduce")?, load("one_shot")?])
}

impl Drop for Peers {
    fn drop(&mut self) {
        // Kernels that still wait for a rank that is lost give up: memory goes only when they have ended.
        self.trouble.set_first(u32::MAX);
    }
}

impl Transport for Peers {
    fn name(&self) -> &'static str {
        "peer"
    }

    fn remark(&self) -> Option<String> {
        let [one, other] = self.share?;
        Some(format!(
            "ranks {one} and {other} have the same GPU and take turns on it: results are checked, and the times are those of the turns"
        ))
    }

    fn count(&self, wanted: usize) -> usize {
        whole_chunks(wanted, self.gpu.size)
    }

    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic> {
        self.count = numbers.len();
        write(&self.places[self.place], numbers)
    }

    fn run(&mut self, what: Collective, times: usize, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let chunk = (self.count / self.gpu.size / 4) as u64;
        let is_one_shot = what == Collective::AllReduce && 4 * self.count <= ONE_SHOT;
        let (function, meetings) = match what {
            Collective::ReduceScatter => (&self.reduce_scatter, 1),
            Collective::AllGather => (&self.all_gather, 1),
            Collective::AllReduce if is_one_shot => (&self.one_shot, 1),
            Collective::AllReduce => (&self.all_reduce, 2),
        };
        let elements = if is_one_shot { chunk * self.gpu.size as u64 } else { chunk };
        let blocks = elements.div_ceil(u64::from(LANES)).clamp(1, u64::from(self.gpu.multiprocessors * BLOCKS));
        let patience = u64::try_from(meeting.patience().as_nanos()).unwrap_or(u64::MAX);
        let grid = [u32::try_from(blocks).unwrap_or(1), 1, 1];
        let (mut place, mut turn) = (self.place, self.turn);
        self.gpu.repeat(times, meeting, || {
            let table = self.tables[place].address(0);
            let values = [table, self.gpu.rank as u64, chunk, turn + 1, patience, self.trouble.address()];
            let arguments = Arguments::new(&values, Vec::new());
            function.launch(grid, [LANES, 1, 1], 0, &arguments).map_err(|code| told("launching a collective", code))?;
            turn += meetings;
            // One shot leaves the numbers in the other place.
            place = if is_one_shot { 1 - place } else { place };
            Ok(())
        })?;
        (self.place, self.turn) = (place, turn);
        match self.trouble.first().checked_sub(1) {
            None => Ok(()),
            Some(rank) => {
                Err(meeting.explain(&Diagnostic::error(format!("rank {rank} did not come to a meeting on the device"))))
            }
        }
    }

    fn read(&mut self) -> Result<Vec<f32>, Diagnostic> {
        read(&self.places[self.place], self.count)
    }

    fn leave(&mut self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        // Nobody's memory may go as long as another rank has it open.
        self.opened.clear();
        meeting.gather(Vec::new()).map(|_| ())
    }
}
