//! Our own collectives: each rank writes to the memory of the others.

use super::open::{Kernels, Kind, Message, Open, load, require_reach};
use super::{Gpu, arrive, beside, read, whole_chunks, write};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Elem;
use crate::gpu::backend::Failure;
use crate::gpu::bench::share::Joined;
use crate::gpu::cuda::device::Gpu as Device;
use crate::gpu::cuda::driver::{Memory, STREAM};
use crate::gpu::cuda::stream::SideStream;
use crate::gpu::driver::Part;
use crate::gpu::share::exchange::{Exchange, Links, Sent};
use crate::ranks::measure::{Collective, Transport};
use crate::ranks::meeting::Meeting;

/// Messages in memory of their own.
struct Messages {
    open: Open,
    kernels: Kernels,
    numbers: Memory,
    table: Memory,
    count: usize,
}

/// Opens memory of all ranks for messages of up to `most` numbers.
///
/// # Errors
/// When a GPU cannot reach another one, or a rank is lost.
pub(in crate::gpu) fn join(most: usize, meeting: &mut Meeting) -> Result<Box<dyn Transport>, Diagnostic> {
    let (gpu, all) = Gpu::open(meeting)?;
    require_reach(&gpu, &all, meeting)?;
    let numbers = gpu.memory(4 * whole_chunks(most, gpu.size), meeting)?;
    let open = Open::new(&[&numbers], gpu, &all, meeting)?;
    let kernels = load(&open, Kind { half: false, wide: true });
    let kernels = kernels.map_err(|problem| meeting.explain(&problem))?;
    let table = open.table(0, meeting)?;
    meeting.gather(Vec::new())?;
    Ok(Box::new(Messages { open, kernels, numbers, table, count: 0 }))
}

impl Transport for Messages {
    fn name(&self) -> &'static str {
        "peer"
    }

    fn remark(&self) -> Option<String> {
        self.open.remark()
    }

    fn count(&self, wanted: usize) -> usize {
        whole_chunks(wanted, self.open.gpu.size)
    }

    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic> {
        self.count = numbers.len();
        write(&self.numbers, numbers)
    }

    fn run(&mut self, what: Collective, times: usize, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        let Self { open, kernels, table, count, .. } = self;
        let message = open.message(what, *count);
        let most = open.queued(&message);
        super::repeat(open, (times, most), meeting, |open, meeting| {
            open.launch(STREAM, kernels, &message, table, meeting)
        })?;
        open.look(meeting)
    }

    fn read(&mut self) -> Result<Vec<f32>, Diagnostic> {
        read(&self.numbers, self.count)
    }

    fn leave(&mut self, meeting: &mut Meeting) -> Result<(), Diagnostic> {
        self.open.leave(meeting)
    }
}

/// Parts of a program's buffers.
struct Pieces {
    beside: SideStream,
    open: Open,
    /// As far as they were needed.
    kernels: Vec<(Kind, Kernels)>,
    /// By buffer: its address here, and the table for it.
    tables: Vec<(u64, Memory)>,
}

/// Opens these buffers of all ranks.
///
/// # Errors
/// When a GPU cannot reach another one, or a rank is lost: all ranks were informed.
pub(super) fn exchange(parts: &[Part<'_, Device>], meeting: &mut Meeting) -> Joined<Device> {
    let (gpu, all) = Gpu::open(meeting)?;
    require_reach(&gpu, &all, meeting)?;
    let memories: Vec<&Memory> = parts.iter().map(|part| part.memory).collect();
    let open = Open::new(&memories, gpu, &all, meeting)?;
    let mut tables = Vec::new();
    for (i, memory) in memories.iter().enumerate() {
        tables.push((memory.address(0), open.table(i, meeting)?));
    }
    meeting.gather(Vec::new())?;
    let beside = open.gpu.new_beside(meeting)?;
    Ok(Box::new(Pieces { beside, open, kernels: Vec::new(), tables }))
}

impl Pieces {
    /// The place of the kernels of a kind, which are compiled when they are first needed.
    fn kernels(&mut self, kind: Kind) -> Result<usize, Diagnostic> {
        if let Some(known) = self.kernels.iter().position(|(known, _)| *known == kind) {
            return Ok(known);
        }
        self.kernels.push((kind, load(&self.open, kind)?));
        Ok(self.kernels.len() - 1)
    }
}

impl Exchange<Device> for Pieces {
    fn links(&self) -> Links {
        Links::Pairs
    }

    fn remark(&self) -> Option<String> {
        self.open.remark()
    }

    fn begin(
        &mut self,
        _: &Device,
        what: Collective,
        elem: Elem,
        piece: Part<'_, Device>,
        meeting: &mut Meeting,
    ) -> Result<Sent, Failure> {
        let (rank, size) = (self.open.gpu.rank, self.open.gpu.size);
        let chunk = piece.bytes / size as u64;
        let wide = piece.offset.is_multiple_of(16) && chunk.is_multiple_of(16);
        let kind = Kind { half: elem == Elem::F16, wide };
        let known = self.kernels(kind).map_err(|problem| meeting.explain(&problem))?;
        let (first, taken) = (piece.offset / kind.bytes(), chunk / kind.bytes());
        let message = Message { what: what.into(), first, chunk: taken };
        let here = piece.memory.address(0);
        let table = self.tables.iter().find(|(address, _)| *address == here);
        let begun = match table {
            Some((_, table)) => {
                let (open, kernels) = (&mut self.open, &self.kernels[known].1);
                beside(open, &mut self.beside, |open, stream| open.launch(stream, kernels, &message, table, meeting))
            }
            None => Err("a buffer that is exchanged was not opened".to_owned()),
        };
        begun.map_err(|why| meeting.explain(&Diagnostic::error(why)))?;
        // Each of the others gets a chunk of this rank's numbers, or of its sums, or both.
        let bytes = if what == Collective::AllReduce { 2 * chunk } else { chunk };
        Ok(Some((0..size).filter(|other| *other != rank).map(|other| (other, bytes)).collect()))
    }

    fn arrive(&mut self, meeting: &mut Meeting) -> Result<(), Failure> {
        Ok(arrive(&mut self.beside, meeting)?)
    }

    fn wait(&mut self, meeting: &mut Meeting) -> Result<(), Failure> {
        self.open.gpu.wait(meeting)?;
        Ok(self.open.look(meeting)?)
    }

    fn leave(&mut self, meeting: &mut Meeting) -> Result<(), Failure> {
        Ok(self.open.leave(meeting)?)
    }
}
