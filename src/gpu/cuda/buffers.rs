//! A job's buffers on the device: filling them, reading them back, and the copies that launches rotate among.

use super::compile::ordered;
use super::device::{Gpu, cancelled};
use super::driver::{Arguments, Code, Memory, Outcome};
use super::error::{failure, of_kernel};
use crate::base::diag::any_of;
use crate::base::tensor::{Init, Tensor};
use crate::base::units::si;
use crate::gpu::backend::{Failure, Sink};
use crate::job::{BindingKind, BufferSpec, Job};
use crate::measure::warnings::CACHE_BYTES;
use crate::trace::record::CacheState;

/// Words that go over in one piece: 64 MiB.
const CHUNK: usize = 16 << 20;

/// Copies of a job's buffers together exceed the cache by this factor, so that each is gone from it when its turn comes.
const CACHES: u64 = 2;

/// Never more copies than this; jobs so small that it does not suffice stay in the cache, and are reported so.
const MAX_SETS: u64 = 1024;

/// Where copies start within a buffer: as the driver aligns whole buffers.
const ALIGNMENT: u64 = 512;

/// A job's buffers, and as many copies of them as a cold measurement needs.
pub(super) struct Residents {
    specs: Vec<BufferSpec>,
    /// The buffers themselves: set 0.
    masters: Vec<Memory>,
    /// Sets 1 and up, one after the other in one buffer for each of the job's.
    copies: Vec<Memory>,
    /// What each buffer held at first, where launches both read and write it.
    pristine: Vec<Option<Memory>>,
    sets: u64,
    cache: CacheState,
}

impl Residents {
    /// Fills the job's buffers as their specs say; `keep` gets each one's contents once they are on the device.
    ///
    /// # Errors
    /// When the device has not enough memory, or fails.
    pub(super) fn fill(
        gpu: &Gpu,
        job: &Job,
        sink: &dyn Sink,
        mut keep: impl FnMut(&str, Tensor),
    ) -> Result<Self, Failure> {
        let no_room = |code| no_room(job, code);
        let bytes = job.buffers.iter().map(BufferSpec::bytes);
        let masters: Vec<Memory> =
            bytes.map(|bytes| Memory::new(&gpu.context, bytes)).collect::<Outcome<_>>().map_err(no_room)?;
        let mut pristine = Vec::new();
        for (i, (spec, memory)) in job.buffers.iter().zip(&masters).enumerate() {
            let tensor = spec.fill(job.seed, i);
            upload(memory, &tensor.words, sink)?;
            keep(&spec.name, tensor);
            // Outputs start as poison and need no such care.
            let changed = job.measure.is_some() && spec.kind == BindingKind::ReadWrite && spec.init != Init::Poison;
            pristine.push(if changed {
                let kept = Memory::new(&gpu.context, spec.bytes()).map_err(no_room)?;
                kept.copy(0, memory, 0, spec.bytes()).map_err(|code| of_kernel(job, code))?;
                Some(kept)
            } else {
                None
            });
        }
        let specs = job.buffers.clone();
        Ok(Self { specs, masters, copies: Vec::new(), pristine, sets: 1, cache: CacheState::Warm })
    }

    /// Makes the copies that a measurement needs, with the state of the caches that comes of it.
    ///
    /// # Errors
    /// When the device fails; too little memory for copies is no error.
    pub(super) fn multiply(&mut self, gpu: &Gpu, cold: bool) -> Outcome<()> {
        let footprint: u64 = self.specs.iter().map(BufferSpec::bytes).sum();
        let wanted = (CACHES * CACHE_BYTES).div_ceil(footprint.max(1)).max(2);
        let room = |spec: &BufferSpec| Memory::new(&gpu.context, (wanted - 1) * stride(spec));
        if cold && wanted <= MAX_SETS && footprint > 0 {
            match self.specs.iter().map(room).collect::<Outcome<Vec<Memory>>>() {
                Ok(copies) => (self.copies, self.sets) = (copies, wanted),
                Err(Code::CUDA_ERROR_OUT_OF_MEMORY) => {}
                Err(code) => return Err(code),
            }
        }
        // Buffers that exceed the cache by far leave little of themselves in it even if nothing else comes between.
        let alone = cold && footprint >= CACHES * CACHE_BYTES;
        self.cache = if self.sets > 1 || alone { CacheState::Cold } else { CacheState::Warm };
        self.restore(0)?;
        for set in 1..self.sets {
            for (i, spec) in self.specs.iter().enumerate() {
                let (copy, offset) = self.of_set(set, i);
                copy.copy(offset, &self.masters[i], 0, spec.bytes())?;
            }
        }
        Ok(())
    }

    /// Brings back what the buffers of `set` held at first, where a launch may have changed it; does not wait.
    pub(super) fn restore(&self, set: u64) -> Outcome<()> {
        for (i, kept) in self.pristine.iter().enumerate() {
            if let Some(kept) = kept {
                let (memory, offset) = self.of_set(set, i);
                memory.copy(offset, kept, 0, self.specs[i].bytes())?;
            }
        }
        Ok(())
    }

    /// Whether [`Residents::restore`] does anything.
    pub(super) fn needs_restoring(&self) -> bool {
        self.pristine.iter().any(Option::is_some)
    }

    /// Copies to rotate among; at least one.
    pub(super) fn sets(&self) -> u64 {
        self.sets
    }

    /// What the caches hold when a set's turn comes.
    pub(super) fn cache(&self) -> CacheState {
        self.cache
    }

    /// What buffer `i` of set 0 holds now.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn read(&self, i: usize, sink: &dyn Sink) -> Result<Tensor, Failure> {
        let mut words = vec![0_u32; usize::try_from(self.specs[i].bytes() / 4).unwrap_or(0)];
        let mut offset = 0;
        for piece in words.chunks_mut(CHUNK) {
            if sink.cancelled() {
                return Err(cancelled(false));
            }
            self.masters[i].read(offset, piece).map_err(|code| failure("the device", code))?;
            offset += size_of_val(piece) as u64;
        }
        Ok(Tensor { elem: self.specs[i].elem, words })
    }

    /// Fills buffer `i` of set 0 with poison, as an output is at first.
    ///
    /// # Errors
    /// When the device fails.
    pub(super) fn poison(&self, i: usize, sink: &dyn Sink) -> Result<(), Failure> {
        let spec = BufferSpec { init: Init::Poison, ..self.specs[i].clone() };
        upload(&self.masters[i], &spec.fill(0, i).words, sink)
    }

    /// Buffer `i` of a set: its memory, and where it begins there.
    pub(super) fn of_set(&self, set: u64, i: usize) -> (&Memory, u64) {
        match set.checked_sub(1) {
            None => (&self.masters[i], 0),
            Some(copy) => (&self.copies[i], copy * stride(&self.specs[i])),
        }
    }

    /// The arguments with which `job`'s kernel works on a set.
    pub(super) fn arguments(&self, job: &Job, set: u64) -> Arguments {
        let address = |i| {
            let (memory, offset) = self.of_set(set, i);
            memory.address(offset)
        };
        Arguments::new(&ordered(job).into_iter().map(address).collect::<Vec<u64>>())
    }
}

fn stride(spec: &BufferSpec) -> u64 {
    spec.bytes().next_multiple_of(ALIGNMENT)
}

/// Writes `words` to the start of `memory`, piece by piece, so that it can be cancelled.
pub(super) fn upload(memory: &Memory, words: &[u32], sink: &dyn Sink) -> Result<(), Failure> {
    let mut offset = 0;
    for piece in words.chunks(CHUNK) {
        if sink.cancelled() {
            return Err(cancelled(false));
        }
        memory.write(offset, piece).map_err(|code| failure("the device", code))?;
        offset += size_of_val(piece) as u64;
    }
    Ok(())
}

/// That the job's buffers do not fit, with the parameters to turn.
fn no_room(job: &Job, code: Code) -> Failure {
    let mut failure = of_kernel(job, code);
    if code == Code::CUDA_ERROR_OUT_OF_MEMORY {
        #[expect(clippy::cast_precision_loss, reason = "for three digits on the screen")]
        let total = si(job.buffers.iter().map(BufferSpec::bytes).sum::<u64>() as f64, "B");
        failure.diagnostic.message =
            format!("kernel `{}`: the device has no room for its buffers of {total}: {code:?}", job.kernel);
        let mut parameters: Vec<&str> = job.blame.buffers.iter().flatten().map(String::as_str).collect();
        parameters.sort_unstable();
        parameters.dedup();
        if !parameters.is_empty() {
            let hint = format!("lower {}, or end what else uses the GPU (`nvidia-smi` lists it)", any_of(&parameters));
            failure.diagnostic = failure.diagnostic.hint(hint);
        }
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::fake;

    #[test]
    fn a_full_memory_names_the_parameters() {
        let mut job = fake::job("copy", 1 << 20);
        job.blame.buffers = vec![vec!["`n`".into()], vec!["`n`".into(), "`stride`".into()]];
        let Failure { diagnostic, fatal } = no_room(&job, Code::CUDA_ERROR_OUT_OF_MEMORY);
        assert!(!fatal);
        let text = diagnostic.to_string();
        assert!(
            text.contains("no room for its buffers of 8.39 MB") && text.contains("lower `n` or `stride`"),
            "{text}"
        );
    }
}
