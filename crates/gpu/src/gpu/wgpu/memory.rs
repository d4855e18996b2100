//! Memory on the device: making it, writing and reading it in pieces.

use super::device::{Gpu, cause};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::driver::Part;

/// Bytes that go over in one piece.
const CHUNK: u64 = 64 << 20;

/// The largest buffer that may also be bound as a uniform.
const MOST_UNIFORM: u64 = 1 << 28;

/// A buffer for any use.
pub(super) fn create(gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, wgpu::Error> {
    use wgpu::BufferUsages as Usage;
    let uniform = if bytes <= MOST_UNIFORM { Usage::UNIFORM } else { Usage::empty() };
    gpu.scoped(|| {
        gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage: Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST | uniform,
            mapped_at_creation: false,
        })
    })
}

/// Writes `words` to the start of `part`, piece by piece: a staging copy of the whole would double what it takes.
pub(super) fn upload(gpu: &Gpu, part: Part<'_, Gpu>, words: &[u32], sink: &dyn Sink) -> Result<(), Failure> {
    let bytes: &[u8] = bytemuck::cast_slice(words);
    let mut offset = part.offset;
    #[expect(clippy::cast_possible_truncation, reason = "a constant of 64 MiB")]
    for piece in bytes.chunks(CHUNK as usize) {
        gpu.queue.write_buffer(part.memory, offset, piece);
        offset += piece.len() as u64;
        let index = gpu.queue.submit([]);
        gpu.wait(&index, sink)?;
    }
    Ok(())
}

/// Copies what a part of a buffer holds to `words`.
///
/// # Errors
/// When the device fails or has no memory that the host can read.
pub(super) fn read_back(gpu: &Gpu, part: Part<'_, Gpu>, words: &mut [u32], sink: &dyn Sink) -> Result<(), Failure> {
    let staging = readable(gpu, part.bytes.min(CHUNK))?;
    let mut offset = 0;
    #[expect(clippy::cast_possible_truncation, reason = "a constant of 64 MiB")]
    for words in words.chunks_mut(CHUNK as usize / 4) {
        let piece = size_of_val(words) as u64;
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(part.memory, part.offset + offset, &staging, 0, piece);
        let index = gpu.queue.submit([encoder.finish()]);
        mapped(gpu, &index, &staging, piece, sink, |bytes| {
            bytemuck::cast_slice_mut::<u32, u8>(words).copy_from_slice(bytes);
        })?;
        offset += piece;
    }
    Ok(())
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

/// Waits for a submission, and shows `read` the first `bytes` of `staging`.
pub(super) fn mapped(
    gpu: &Gpu,
    submission: &wgpu::SubmissionIndex,
    staging: &wgpu::Buffer,
    bytes: u64,
    sink: &dyn Sink,
    read: impl FnOnce(&[u8]),
) -> Result<(), Failure> {
    let slice = staging.slice(..bytes);
    // Whether it worked shows below: an unmapped range cannot be got.
    slice.map_async(wgpu::MapMode::Read, |_| ());
    gpu.wait(submission, sink)?;
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
