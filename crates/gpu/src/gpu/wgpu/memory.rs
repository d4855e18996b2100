//! Memory on the device: making it, writing and reading it in pieces.

use super::device::Gpu;
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
    let staging = gpu.readable(part.bytes.min(CHUNK))?;
    let mut offset = 0;
    #[expect(clippy::cast_possible_truncation, reason = "a constant of 64 MiB")]
    for words in words.chunks_mut(CHUNK as usize / 4) {
        let piece = size_of_val(words) as u64;
        let mut encoder = gpu.encoder();
        encoder.copy_buffer_to_buffer(part.memory, part.offset + offset, &staging, 0, piece);
        let index = gpu.queue.submit([encoder.finish()]);
        gpu.mapped(&index, &staging, piece, sink, |bytes| {
            bytemuck::cast_slice_mut::<u32, u8>(words).copy_from_slice(bytes);
        })?;
        offset += piece;
    }
    Ok(())
}
