//! NCCL's collectives between ranks.

use std::thread;
use std::time::Duration;

use super::{Gpu, read, same, whole_chunks, write};
use crate::base::diag::Diagnostic;
use crate::gpu::cuda::driver::{Context, Memory};
use crate::gpu::cuda::nccl::{self, Communicator};
use crate::gpu::cuda::peer::told;
use crate::gpu::cuda::probe;
use crate::ranks::measure::{Collective, Transport};
use crate::ranks::meeting::Meeting;

/// NCCL's collectives.
struct Nccl {
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
    let memory = gpu.memory(4 * most, meeting)?;
    Ok(Box::new(Nccl { communicator, memory, count: 0, gpu }))
}

impl Transport for Nccl {
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
        let Gpu { rank, size, .. } = self.gpu;
        let submit = || {
            let done = self.communicator.run(what, &self.memory, rank, size, self.count / size);
            done.map_err(|why| format!("NCCL: {why}"))
        };
        self.gpu.repeat(times, meeting, submit)
    }

    fn read(&mut self) -> Result<Vec<f32>, Diagnostic> {
        read(&self.memory, self.count)
    }
}
