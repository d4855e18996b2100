//! A job's buffers on the device: filling them, reading them back, and the copies that launches rotate among.

use super::device::{Gpu, cause};
use crate::base::diag::{Diagnostic, any_of};
use crate::base::tensor::{Init, Tensor};
use crate::base::units::si;
use crate::gpu::backend::{Failure, Sink};
use crate::job::{BindingKind, BufferSpec, Job};
use crate::measure::warnings::CACHE_BYTES;
use crate::trace::record::CacheState;

/// Bytes that go over in one piece.
const CHUNK: u64 = 64 << 20;

/// Copies of a job's buffers together exceed the cache by this factor, so that each is gone from it when its turn comes.
const CACHES: u64 = 2;

/// Never more copies than this; jobs so small that it does not suffice stay in the cache, and are reported so.
const MAX_SETS: u64 = 1024;

/// Where copies start within a buffer: a multiple of what any device asks for, uniform buffers included.
const ALIGNMENT: u64 = 256;

/// A job's buffers, and as many copies of them as a cold measurement needs.
pub(super) struct Residents {
    specs: Vec<BufferSpec>,
    /// The buffers themselves: set 0.
    masters: Vec<wgpu::Buffer>,
    /// Sets 1 and up, one after the other in one buffer for each of the job's.
    copies: Vec<wgpu::Buffer>,
    /// What each buffer held at first, where launches both read and write it.
    pristine: Vec<Option<wgpu::Buffer>>,
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
        sink: &mut dyn Sink,
        mut keep: impl FnMut(&str, Tensor),
    ) -> Result<Self, Failure> {
        let sizes: Vec<u64> = job.buffers.iter().map(BufferSpec::bytes).collect();
        let masters = allocate(gpu, job, &sizes)?;
        for (i, (spec, buffer)) in job.buffers.iter().zip(&masters).enumerate() {
            let tensor = spec.fill(job.seed, i);
            upload(gpu, buffer, &tensor.words, sink)?;
            keep(&spec.name, tensor);
        }
        let mut residents = Self {
            specs: job.buffers.clone(),
            pristine: masters.iter().map(|_| None).collect(),
            masters,
            copies: Vec::new(),
            sets: 1,
            cache: CacheState::Warm,
        };
        if job.measure.is_some() {
            residents.keep_pristine(gpu, job, sink)?;
        }
        Ok(residents)
    }

    /// Puts the buffers aside that a launch may find changed by the one before. Outputs start as poison and need no such care.
    fn keep_pristine(&mut self, gpu: &Gpu, job: &Job, sink: &mut dyn Sink) -> Result<(), Failure> {
        let changed = |spec: &BufferSpec| spec.kind == BindingKind::ReadWrite && spec.init != Init::Poison;
        let mut encoder = gpu.encoder();
        for (i, spec) in job.buffers.iter().enumerate().filter(|(_, spec)| changed(spec)) {
            let kept = allocate(gpu, job, &[spec.bytes()])?.remove(0);
            encoder.copy_buffer_to_buffer(&self.masters[i], 0, &kept, 0, spec.bytes());
            self.pristine[i] = Some(kept);
        }
        gpu.finish(encoder, sink)
    }

    /// Makes the copies that a measurement needs, with the state of the caches that comes of it.
    ///
    /// # Errors
    /// When the device fails; too little memory for copies is no error.
    pub(super) fn multiply(&mut self, gpu: &Gpu, cold: bool, sink: &mut dyn Sink) -> Result<(), Failure> {
        let footprint: u64 = self.specs.iter().map(BufferSpec::bytes).sum();
        let wanted = (CACHES * CACHE_BYTES).div_ceil(footprint.max(1)).max(2);
        let copies: Option<Vec<wgpu::Buffer>> = (cold && wanted <= MAX_SETS)
            .then(|| self.specs.iter().map(|spec| create(gpu, (wanted - 1) * stride(spec)).ok()).collect())
            .flatten();
        if let Some(copies) = copies {
            self.copies = copies;
            self.sets = wanted;
        }
        // Buffers that exceed the cache by far leave little of themselves in it even if nothing else comes between.
        let alone = cold && footprint >= CACHES * CACHE_BYTES;
        self.cache = if self.sets > 1 || alone { CacheState::Cold } else { CacheState::Warm };
        let mut encoder = gpu.encoder();
        self.restore(&mut encoder, 0);
        for set in 1..self.sets {
            for (i, spec) in self.specs.iter().enumerate() {
                let offset = (set - 1) * stride(spec);
                encoder.copy_buffer_to_buffer(&self.masters[i], 0, &self.copies[i], offset, spec.bytes());
            }
        }
        gpu.finish(encoder, sink)
    }

    /// Brings back what the buffers of `set` held at first, where a launch may have changed it.
    pub(super) fn restore(&self, encoder: &mut wgpu::CommandEncoder, set: u64) {
        for (i, kept) in self.pristine.iter().enumerate() {
            if let Some(kept) = kept {
                let binding = self.of_set(set, i);
                encoder.copy_buffer_to_buffer(kept, 0, binding.buffer, binding.offset, self.specs[i].bytes());
            }
        }
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

    /// Buffer `i` of set 0.
    pub(super) fn master(&self, i: usize) -> &wgpu::Buffer {
        &self.masters[i]
    }

    /// Buffer `i` of a set.
    pub(super) fn of_set(&self, set: u64, i: usize) -> wgpu::BufferBinding<'_> {
        let bytes = self.specs[i].bytes();
        let (buffer, offset) = match set.checked_sub(1) {
            None => (&self.masters[i], 0),
            Some(copy) => (&self.copies[i], copy * stride(&self.specs[i])),
        };
        wgpu::BufferBinding { buffer, offset, size: std::num::NonZeroU64::new(bytes) }
    }
}

fn stride(spec: &BufferSpec) -> u64 {
    spec.bytes().next_multiple_of(ALIGNMENT)
}

/// A buffer for any use.
pub(super) fn create(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, wgpu::Error> {
    let uniform = if bytes <= 1 << 28 { wgpu::BufferUsages::UNIFORM } else { wgpu::BufferUsages::empty() };
    gpu.scoped(|| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST | uniform,
            mapped_at_creation: false,
        })
    })
}

fn allocate(gpu: &Gpu, job: &Job, sizes: &[u64]) -> Result<Vec<wgpu::Buffer>, Failure> {
    sizes.iter().map(|&bytes| create(gpu, bytes)).collect::<Result<_, _>>().map_err(|error| {
        #[expect(clippy::cast_precision_loss, reason = "for three digits on the screen")]
        let total = si(job.buffers.iter().map(BufferSpec::bytes).sum::<u64>() as f64, "B");
        let message =
            format!("kernel `{}`: the device has no room for its buffers of {total}: {}", job.kernel, cause(&error));
        let mut parameters: Vec<&str> = job.blame.buffers.iter().flatten().map(String::as_str).collect();
        parameters.sort_unstable();
        parameters.dedup();
        let hint = match parameters[..] {
            [] => "use smaller buffers".to_owned(),
            _ => format!("lower {}", any_of(&parameters)),
        };
        Diagnostic::error(message).in_file(&job.file).hint(hint).into()
    })
}

/// Writes `words` into `buffer`, piece by piece: a staging copy of the whole would double what it takes.
pub(super) fn upload(gpu: &Gpu, buffer: &wgpu::Buffer, words: &[u32], sink: &mut dyn Sink) -> Result<(), Failure> {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    let mut offset = 0;
    #[expect(clippy::cast_possible_truncation, reason = "a constant of 64 MiB")]
    for piece in bytes.chunks(CHUNK as usize) {
        gpu.queue.write_buffer(buffer, offset, piece);
        offset += piece.len() as u64;
        let index = gpu.queue.submit([]);
        gpu.wait(&index, sink)?;
    }
    Ok(())
}

/// The first `bytes` of `buffer`.
///
/// # Errors
/// When the device fails or has no memory that the host can read.
pub(super) fn read_back(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    bytes: u64,
    sink: &mut dyn Sink,
) -> Result<Vec<u32>, Failure> {
    let staging = readable(gpu, bytes.min(CHUNK))?;
    let mut words = Vec::with_capacity(usize::try_from(bytes / 4).unwrap_or(0));
    let mut offset = 0;
    while offset < bytes {
        let piece = (bytes - offset).min(CHUNK);
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(buffer, offset, &staging, 0, piece);
        map(gpu, encoder, &staging, piece, sink, |bytes| words.extend(bytemuck::pod_collect_to_vec::<u8, u32>(bytes)))?;
        offset += piece;
    }
    Ok(words)
}

/// A buffer that the host can read.
pub(super) fn readable(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, Failure> {
    let descriptor = wgpu::BufferDescriptor {
        label: Some("staging"),
        size: bytes,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    };
    gpu.scoped(|| gpu.device.create_buffer(&descriptor))
        .map_err(|error| Diagnostic::error(format!("no memory to read results back: {}", cause(&error))).into())
}

/// Submits, waits, and shows `read` the first `bytes` of `staging`.
pub(super) fn map(
    gpu: &Gpu,
    encoder: wgpu::CommandEncoder,
    staging: &wgpu::Buffer,
    bytes: u64,
    sink: &dyn Sink,
    read: impl FnOnce(&[u8]),
) -> Result<(), Failure> {
    let index = gpu.queue.submit([encoder.finish()]);
    let slice = staging.slice(..bytes);
    // Whether it worked shows below: an unmapped range cannot be got.
    slice.map_async(wgpu::MapMode::Read, |_| ());
    gpu.wait(&index, sink)?;
    {
        let view = slice.get_mapped_range().map_err(|error| Failure {
            diagnostic: Diagnostic::error(format!("results cannot be read back: {error}")),
            fatal: true,
        })?;
        read(&view);
    }
    staging.unmap();
    Ok(())
}
