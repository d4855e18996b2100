//! Collectives between GPUs, one rank a GPU: over NCCL, and by kernels that write to the other ranks' memory.

pub(in crate::gpu) mod nccl;
mod open;
pub(in crate::gpu) mod peers;

use std::thread;
use std::time::{Duration, Instant};

use cudarc::driver::sys::CUstream;
use serde::{Deserialize, Serialize};

use super::device::Gpu as Device;
use super::driver::{self, Attribute, Context, Event, Memory};
use super::peer::{self, told};
use super::stream::SideStream;
use super::{guarded, probe};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, NullSink};
use crate::gpu::between::Between;
use crate::gpu::{bench, limits};
use crate::job::Share;
use crate::ranks::meeting::Meeting;
use crate::trace::record::Record;

/// Meetings of ranks that are queued before the host waits for them: if a rank is lost, each of those in the queue
/// takes a moment to give up.
const QUEUED: usize = 256;

/// How long the host asks again and again whether the device is done, before it sleeps in between.
const EAGER: Duration = Duration::from_millis(5);

/// A rank's GPU, as described to the other ranks.
#[derive(Serialize, Deserialize)]
struct Card {
    /// Its number on its host.
    ordinal: i32,
    /// Its identity, different from all others.
    identity: [u8; 16],
    multiprocessors: u32,
}

struct Gpu {
    context: Context,
    rank: usize,
    size: usize,
    /// The fewest multiprocessors of any rank's GPU: all launch as many blocks.
    multiprocessors: u32,
    architecture: i32,
}

impl AsRef<Self> for Gpu {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Gpu {
    /// Opens the GPU of this rank. All ranks learn what each has.
    fn open(meeting: &mut Meeting) -> Result<(Self, Vec<Card>), Diagnostic> {
        if !driver::is_present() {
            return Err(meeting.explain(&probe::missing_driver("use --over host")));
        }
        let (rank, size, local) = (meeting.world().rank, meeting.world().size, meeting.world().local);
        let failed = |what: &str, code| Diagnostic::error(told(what, code));
        let count = driver::init().and_then(|()| driver::device_count());
        let count = count.map_err(|code| meeting.explain(&failed("CUDA's driver counts no devices", code)))?;
        let local = i32::try_from(local).unwrap_or(i32::MAX);
        let ordinal = local
            .checked_rem(count)
            .ok_or_else(|| meeting.explain(&Diagnostic::error("there is no NVIDIA GPU on this host")))?;
        let opened = Context::open(ordinal).and_then(|context| {
            let multiprocessors = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
            let major = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
            let minor = context.attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
            let architecture = i32::try_from(10 * major + minor).unwrap_or(0);
            let own = Card { ordinal, identity: peer::identity(ordinal)?, multiprocessors };
            Ok((Self { context, rank, size, multiprocessors, architecture }, own))
        });
        let (mut gpu, own) = opened.map_err(|code| meeting.explain(&failed("the GPU cannot be opened", code)))?;
        let all = meeting.gather(postcard::to_stdvec(&own).unwrap_or_default())?;
        let all = all.iter().map(|card| postcard::from_bytes(card)).collect::<Result<Vec<Card>, _>>();
        let all = all.map_err(|_| meeting.explain(&Diagnostic::error("a rank does not say which GPU it has")))?;
        gpu.multiprocessors = all.iter().map(|card| card.multiprocessors).min().unwrap_or(1);
        Ok((gpu, all))
    }

    /// Waits until the device is done with what was submitted, or a rank is lost.
    fn wait(&self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let failed = |code| Diagnostic::error(told("the device", code));
        let event = Event::new(&self.context).map_err(failed)?;
        event.record().map_err(failed)?;
        let start = Instant::now();
        loop {
            match event.is_over() {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(code) => return Err(meeting.explain(&failed(code))),
            }
            meeting.look()?;
            if start.elapsed() > EAGER {
                thread::sleep(Duration::from_micros(50));
            }
        }
    }

    /// A stream for collectives.
    fn new_beside(&self, meeting: &mut Meeting) -> Result<SideStream, Diagnostic> {
        SideStream::new(&self.context)
            .map_err(|code| meeting.explain(&Diagnostic::error(told("a second stream", code))))
    }

    fn memory(&self, bytes: usize, meeting: &mut Meeting) -> Result<Memory, Diagnostic> {
        Memory::new(&self.context, bytes as u64)
            .map_err(|code| meeting.explain(&Diagnostic::error(told(&format!("no memory for {bytes} bytes"), code))))
    }

    /// Memory that is zero when the device comes to what is submitted next.
    fn cleared(&self, bytes: usize, meeting: &mut Meeting) -> Result<Memory, Diagnostic> {
        let memory = self.memory(bytes, meeting)?;
        let cleared = memory.fill(0, bytes as u64, 0);
        cleared.map_err(|code| meeting.explain(&Diagnostic::error(told("memory cannot be cleared", code))))?;
        Ok(memory)
    }
}

/// Has a piece of work done beside what follows on the first stream, and after what is before it.
fn beside<T: AsRef<Gpu>>(
    with: &mut T,
    beside: &mut SideStream,
    submit: impl FnOnce(&mut T, CUstream) -> Result<(), String>,
) -> Result<(), String> {
    let failed = |code| told("the second stream", code);
    beside.begin().map_err(failed)?;
    submit(with, beside.raw())?;
    beside.end(&with.as_ref().context).map_err(failed)
}

/// Makes the first stream wait for the first piece of work on the second for which it does not wait yet.
fn arrive(beside: &mut SideStream, meeting: &mut Meeting) -> Result<(), Diagnostic> {
    beside.arrive().map_err(|code| meeting.explain(&Diagnostic::error(told("the second stream", code))))
}

fn write(memory: &Memory, numbers: &[f32]) -> Result<(), Diagnostic> {
    memory
        .write(0, bytemuck::cast_slice(numbers))
        .map_err(|code| Diagnostic::error(told("writing to the device", code)))
}

fn read(memory: &Memory, count: usize) -> Result<Vec<f32>, Diagnostic> {
    let mut words = vec![0_u32; count];
    memory.read(0, &mut words).map_err(|code| Diagnostic::error(told("reading from the device", code)))?;
    Ok(words.into_iter().map(f32::from_bits).collect())
}

/// How many GPUs the driver sees; 0 without one.
pub(in crate::gpu) fn gpus() -> usize {
    guarded(|| Ok(if driver::is_present() { probe::devices().map_or(0, |names| names.len()) } else { 0 })).unwrap_or(0)
}

/// Calls `submit`, which only queues, `times` times, and waits until the device is done after every `most` calls.
fn repeat<T: AsRef<Gpu>>(
    with: &mut T,
    (times, most): (usize, usize),
    meeting: &mut Meeting,
    mut submit: impl FnMut(&mut T, &Meeting) -> Result<(), String>,
) -> Result<(), Diagnostic> {
    for queued in (0..times).step_by(most) {
        for _ in queued..times.min(queued + most) {
            submit(with, meeting).map_err(|why| meeting.explain(&Diagnostic::error(why)))?;
        }
        with.as_ref().wait(meeting)?;
    }
    Ok(())
}

/// Runs a share on the GPU of this rank, whose memory the others reach over NCCL or by themselves.
///
/// # Errors
/// When it cannot run here, or a rank is lost: all ranks were informed.
pub(in crate::gpu) fn run(between: Between, share: &Share, meeting: &mut Meeting) -> Result<Record, Failure> {
    guarded(|| {
        let device = Device::of_rank(meeting.world().local);
        let device = device.map_err(|failure| meeting.explain(&failure.diagnostic))?;
        if let Some(problem) = limits::check(&share.part, &device.description).into_iter().next() {
            return Err(meeting.explain(&problem).into());
        }
        bench::share::run(&device, share, meeting, &mut NullSink, |parts, meeting| match between {
            Between::Nccl => nccl::exchange(meeting),
            Between::Peers => peers::exchange(parts, meeting),
        })
    })
}

/// Two ranks that have the same GPU, if there are any.
fn same(all: &[Card]) -> Option<[usize; 2]> {
    let before = |rank: usize| all[..rank].iter().position(|other| other.identity == all[rank].identity);
    (0..all.len()).find_map(|rank| Some([before(rank)?, rank]))
}

/// `wanted` numbers, or a few less or more: chunks are equally long, and vectors of four numbers are sent as one.
fn whole_chunks(wanted: usize, ranks: usize) -> usize {
    (wanted / (4 * ranks)).max(1) * 4 * ranks
}
