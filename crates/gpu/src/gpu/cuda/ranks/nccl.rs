//! NCCL's collectives between ranks.

use std::thread;
use std::time::Duration;

use super::{Gpu, QUEUED, arrive, beside, read, same, whole_chunks, write};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Elem;
use crate::gpu::backend::Failure;
use crate::gpu::bench::share::Joined;
use crate::gpu::cuda::device::Gpu as Device;
use crate::gpu::cuda::driver::{Context, Memory, STREAM};
use crate::gpu::cuda::nccl::{self, Communicator, Piece};
use crate::gpu::cuda::peer::told;
use crate::gpu::cuda::probe;
use crate::gpu::cuda::stream::SideStream;
use crate::gpu::driver::Part;
use crate::gpu::share::exchange::{Exchange, Links, Sent};
use crate::ranks::measure::{Collective, Transport};
use crate::ranks::meeting::Meeting;

/// Messages in memory of their own.
struct Messages {
    communicator: Communicator,
    memory: Memory,
    count: usize,
    gpu: Gpu,
}

/// Joins all ranks over NCCL, for messages of up to `most` numbers.
///
/// # Errors
/// When the library is missing, two ranks have one GPU, or a rank is lost.
pub(in crate::gpu) fn join(most: usize, meeting: &mut Meeting) -> Result<Box<dyn Transport>, Diagnostic> {
    let (communicator, gpu) = communicate(meeting)?;
    let memory = gpu.memory(4 * whole_chunks(most, gpu.size), meeting)?;
    Ok(Box::new(Messages { communicator, memory, count: 0, gpu }))
}

/// Joins all ranks over NCCL, for parts of a program's buffers.
///
/// # Errors
/// As [`join`]: all ranks were informed.
pub(super) fn exchange(meeting: &mut Meeting) -> Joined<Device> {
    let (communicator, gpu) = communicate(meeting)?;
    let beside = gpu.new_beside(meeting)?;
    Ok(Box::new(Pieces { communicator, beside, gpu }))
}

fn communicate(meeting: &mut Meeting) -> Result<(Communicator, Gpu), Diagnostic> {
    let (gpu, all) = Gpu::open(meeting)?;
    let missing = || Diagnostic::error("no library libnccl can be loaded").hint(probe::GET_NCCL);
    nccl::version().ok_or_else(|| meeting.explain(&missing()))?;
    if let Some([one, other]) = same(&all) {
        let message = format!("ranks {one} and {other} have the same GPU, and NCCL needs one for each");
        return Err(Diagnostic::error(message).hint("start as many ranks as there are GPUs, or use --over peer"));
    }
    let words = |why: String| Diagnostic::error(format!("NCCL: {why}"));
    let id =
        if gpu.rank == 0 { nccl::new_id().map_err(|why| meeting.explain(&words(why)))?.to_vec() } else { Vec::new() };
    let id = meeting.gather(id)?.swap_remove(0);
    let id: [u8; nccl::ID] = id.try_into().map_err(|_| words("rank 0 sent no id".to_owned()))?;
    // Joining waits for all ranks, without end if one is lost: on another thread, so that this one can look after them.
    let (rank, size) = (gpu.rank, gpu.size);
    let ordinal = all[rank].ordinal;
    let joining = thread::spawn(move || {
        let context = Context::open(ordinal).map_err(|code| told("the GPU", code))?;
        Communicator::join(&context, id, rank, size)
    });
    while !joining.is_finished() {
        meeting.look()?;
        thread::sleep(Duration::from_millis(1));
    }
    let joined = joining.join().unwrap_or_else(|_| Err("its thread has failed".to_owned()));
    let communicator = joined.map_err(|why| meeting.explain(&words(why)))?;
    Ok((communicator, gpu))
}

impl Transport for Messages {
    fn name(&self) -> &'static str {
        "nccl"
    }

    fn count(&self, wanted: usize) -> usize {
        whole_chunks(wanted, self.gpu.size)
    }

    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic> {
        self.count = numbers.len();
        write(&self.memory, numbers)
    }

    fn run(&mut self, what: Collective, times: usize, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let Self { communicator, memory, count, gpu } = self;
        let piece = Piece { memory, elem: Elem::F32, offset: 0, bytes: 4 * *count as u64 };
        super::repeat(gpu, (times, QUEUED), meeting, |gpu, _| {
            communicator.run(STREAM, what, &piece, [gpu.rank, gpu.size])
        })
    }

    fn read(&mut self) -> Result<Vec<f32>, Diagnostic> {
        read(&self.memory, self.count)
    }
}

/// Parts of a program's buffers.
struct Pieces {
    communicator: Communicator,
    beside: SideStream,
    gpu: Gpu,
}

impl Exchange<Device> for Pieces {
    fn links(&self) -> Links {
        Links::Unknown
    }

    fn begin(
        &mut self,
        _: &Device,
        what: Collective,
        elem: Elem,
        piece: Part<'_, Device>,
        meeting: &mut Meeting,
    ) -> Result<Sent, Failure> {
        let Part { memory, offset, bytes } = piece;
        let piece = Piece { memory, elem, offset, bytes };
        let communicator = &self.communicator;
        let begun = beside(&mut self.gpu, &mut self.beside, |gpu, stream| {
            communicator.run(stream, what, &piece, [gpu.rank, gpu.size])
        });
        begun.map_err(|why| meeting.explain(&Diagnostic::error(why)))?;
        Ok(None)
    }

    fn arrive(&mut self, meeting: &mut Meeting) -> Result<(), Failure> {
        Ok(arrive(&mut self.beside, meeting)?)
    }

    fn wait(&mut self, meeting: &mut Meeting) -> Result<(), Failure> {
        Ok(self.gpu.wait(meeting)?)
    }
}
