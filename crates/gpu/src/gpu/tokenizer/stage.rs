//! Staging memory of the host for parts of a text that are copied to a device.

use rayon::prelude::*;

use super::board::{BLOCK, Board, END, MOST_GROUPS};
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, NullSink};
use crate::gpu::driver::Driver;
use crate::tokenizer::Pattern;

/// A text is cut at the first possible place in the last 1/`SLACK` of the largest part, if there is one; else at the
/// last one before.
const SLACK: usize = 256;

/// Elements that one core copies.
const COPIED: usize = 1 << 17;

/// Memory of the host from which parts go to the buffer `packed`, four bytes in a word.
pub(super) struct Stage<D: Driver> {
    /// Bytes of the largest part.
    pub capacity: usize,
    memory: D::Host,
}

/// Blocks of the largest part of a text of up to `wanted` bytes.
pub(super) fn blocks(wanted: usize) -> usize {
    wanted.div_ceil(BLOCK).clamp(1, MOST_GROUPS)
}

impl<D: Driver> Stage<D> {
    /// Allocates memory for parts of `blocks` blocks.
    pub fn new(driver: &D, blocks: usize) -> Result<Self, Failure> {
        let capacity = blocks * BLOCK;
        Ok(Self { capacity, memory: host(driver, capacity / 4)? })
    }

    /// A text in parts, of which only those that cannot be cut are too long.
    pub fn parts<'t>(&self, pattern: Pattern, text: &'t str) -> Vec<&'t str> {
        pattern.parts_within(text, self.capacity - self.capacity / SLACK, self.capacity)
    }

    /// Copies a part to the device, with its end after it; it is not longer than the largest.
    pub fn bring(&mut self, board: &Board<'_, D>, text: &str) -> Result<(), Failure> {
        let staged: &mut [u8] = bytemuck::cast_slice_mut(self.memory.as_mut());
        let (bytes, rest) = staged.split_at_mut(text.len());
        copy(bytes, text.as_bytes());
        rest.fill(END);
        board.driver.write(board.part("packed")?, self.memory.as_mut(), &NullSink)
    }
}

/// Memory of the host that is fast to copy to the device and back.
pub(super) fn host<D: Driver>(driver: &D, words: usize) -> Result<D::Host, Diagnostic> {
    driver.host(words).map_err(|why| {
        Diagnostic::error(format!("there is no memory to copy {words} words from and to the device: {why}"))
            .hint("end what else takes memory, or leave --backend out")
    })
}

/// Copies on all cores: memory that is new is cleared by the system when it is first written to.
pub(super) fn copy<T: Copy + Send + Sync>(to: &mut [T], from: &[T]) {
    to.par_chunks_mut(COPIED).zip(from.par_chunks(COPIED)).for_each(|(to, from)| to.copy_from_slice(from));
}
