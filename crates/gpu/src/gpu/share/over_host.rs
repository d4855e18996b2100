//! Numbers that go from rank to rank over TCP: from the tracer's memory, or from a device's through the host's.

use std::collections::VecDeque;

use super::exchange::{Exchange, Links, Sent, told};
use super::rank::{Local, Piece};
use crate::base::diag::Diagnostic;
use crate::base::tensor::{Elem, Tensor};
use crate::gpu::backend::{Failure, NullSink};
use crate::gpu::driver::{Driver, Part};
use crate::gpu::simt::Machine;
use crate::gpu::walk::{Host, Turn};
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;
use crate::ranks::ring::Ring;

/// The tracer's memory, and the ring that it is on.
pub(super) struct Traced<'a> {
    pub machine: Machine<'a>,
    pub ring: Ring,
    /// Begun collectives: each is carried out when it is waited for, as late as can be, so that a pass that should have
    /// waited is wrong.
    pub begun: VecDeque<(Collective, Piece)>,
}

impl Host for Traced<'_> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        self.machine.pass(turn)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.machine.content(buffer)
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        self.machine.elements(buffer, first, count)
    }

    fn cancelled(&self) -> bool {
        self.machine.cancelled()
    }
}

impl Local for Traced<'_> {
    fn put(&mut self, buffer: usize, content: Tensor) -> Result<(), Failure> {
        self.machine.tensors[buffer] = content;
        Ok(())
    }

    fn begin(&mut self, what: Collective, piece: Piece, _: &mut Meeting) -> Result<(), Failure> {
        self.begun.push_back((what, piece));
        Ok(())
    }

    fn arrive(&mut self, meeting: &mut Meeting) -> Result<Sent, Failure> {
        let Some((what, piece)) = self.begun.pop_front() else { return Ok(None) };
        let Tensor { elem, words } = &mut self.machine.tensors[piece.buffer];
        around(&mut self.ring, what, (*elem, words), piece.first, piece.count, meeting)
    }
}

impl<D: Driver> Exchange<D> for Ring {
    fn links(&self) -> Links {
        Links::Ring
    }

    fn begin(
        &mut self,
        driver: &D,
        what: Collective,
        elem: Elem,
        piece: Part<'_, D>,
        meeting: &mut Meeting,
    ) -> Result<Sent, Failure> {
        // Whole words are copied; nothing writes to their other halves meanwhile.
        let offset = piece.offset / 4 * 4;
        let bytes = (piece.offset + piece.bytes).next_multiple_of(4) - offset;
        let words_of = Part { offset, bytes, ..piece };
        let mut words = driver.read(words_of, &NullSink).map_err(|failure| told(&failure, meeting))?;
        let (first, count) = ((piece.offset - offset) / elem.bytes(), piece.bytes / elem.bytes());
        let sent = around(self, what, (elem, &mut words), first, count, meeting)?;
        driver.write(words_of, &words, &NullSink).map_err(|failure| told(&failure, meeting))?;
        Ok(sent)
    }
}

/// A collective on some of the elements that words hold.
fn around(
    ring: &mut Ring,
    what: Collective,
    (elem, words): (Elem, &mut [u32]),
    first: u64,
    count: u64,
    meeting: &mut Meeting,
) -> Result<Sent, Failure> {
    let [first, count] = [first, count].map(|n| usize::try_from(n).unwrap_or(usize::MAX));
    let elements = first..first.saturating_add(count);
    let sent = match elem {
        Elem::F32 => ring.collective(what, &mut bytemuck::cast_slice_mut::<u32, f32>(words)[elements], meeting),
        Elem::F16 => ring.collective(what, &mut bytemuck::cast_slice_mut::<u32, u16>(words)[elements], meeting),
        _ => Err(meeting.explain(&Diagnostic::error(format!("ranks do not exchange {}", elem.name())))),
    }?;
    let right = (meeting.world().rank + 1) % meeting.world().size;
    Ok(Some(vec![(right, sent)]))
}
