//! A rank's walk through the whole program: passes run on its own part of the buffers, and queries of a buffer go to
//! all ranks.

use std::collections::VecDeque;

use super::exchange::{Sent, told};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::gpu::backend::Failure;
use crate::gpu::checks;
use crate::gpu::walk::{Host, Turn, Walked};
use crate::job::{Grid, Job, Node, Repeat, Share};
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;
use crate::reference::TERMS;
use crate::trace::Check;

/// Bytes that all ranks together send each other at once.
const TOLD: usize = 32 << 20;

/// A host that a rank's passes run on.
pub(in crate::gpu) trait Local: Host {
    /// Gives a buffer another content.
    fn put(&mut self, buffer: usize, content: Tensor) -> Result<(), Failure>;

    /// Makes the buffers' current contents their initial contents, whenever all is done again.
    fn keep(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Begins a collective on some elements of a buffer with all other ranks, after the passes and collectives before
    /// it. It is carried out at any time, at the latest when it is waited for.
    ///
    /// # Errors
    /// When a rank is lost: all ranks were informed.
    fn begin(&mut self, what: Collective, piece: Piece, meeting: &mut Meeting) -> Result<(), Failure>;

    /// Waits for the first of the collectives that were begun and not yet waited for.
    ///
    /// # Errors
    /// When a rank is lost: all ranks were informed.
    fn arrive(&mut self, meeting: &mut Meeting) -> Result<Sent, Failure>;
}

/// Some elements of a buffer.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) struct Piece {
    pub buffer: usize,
    pub first: u64,
    pub count: u64,
}

/// A step that a rank carried out.
#[derive(Clone, Copy, Debug)]
pub(in crate::gpu) enum Step {
    Pass(Turn),
    Begin(Collective, Piece),
    /// The first collective that was begun and not yet waited for is over.
    Arrive,
}

/// A collective that was begun.
struct Begun {
    /// Which one, by its place.
    collective: usize,
    /// The number of the part that it is about.
    number: u64,
}

/// One rank among all.
pub(in crate::gpu) struct Rank<'a, L> {
    pub local: L,
    share: &'a Share,
    meeting: &'a mut Meeting,
    /// Collectives that were begun, and may not be over.
    begun: VecDeque<Begun>,
    /// All that it did.
    pub steps: Vec<Step>,
    /// Whether all ranks know that this is over.
    is_over: bool,
}

impl<'a, L: Local> Rank<'a, L> {
    /// Gives the buffers what this rank has of the whole.
    ///
    /// # Errors
    /// When a file cannot be read, or the device fails: all ranks were informed.
    pub fn new(share: &'a Share, local: L, meeting: &'a mut Meeting) -> Result<Self, Failure> {
        let mut rank = Self::filled(share, local, meeting);
        for buffer in 0..share.part.buffers.len() {
            let own = share.own_content(buffer).map_err(Failure::from);
            let put = own.and_then(|own| own.map_or(Ok(()), |own| rank.local.put(buffer, own)));
            rank.told(put)?;
        }
        let kept = rank.local.keep();
        rank.told(kept)?;
        Ok(rank)
    }

    /// A rank whose buffers hold already what they are to hold.
    pub fn filled(share: &'a Share, local: L, meeting: &'a mut Meeting) -> Self {
        Self { local, share, meeting, begun: VecDeque::new(), steps: Vec::new(), is_over: false }
    }

    /// Makes the checks of a program's end; gives those that fail. A meter is left out: it counts only in a walk.
    ///
    /// # Errors
    /// When one cannot be made: all ranks were informed.
    pub fn failing(&mut self, whole: &Job) -> Result<Vec<Check>, Failure> {
        let at_end = whole.checks.iter().filter(|spec| spec.after.is_none() && !self.share.is_meter(spec.output));
        let mut failing = Vec::new();
        for spec in at_end {
            let seen = checks::gather(whole, spec, 0, &mut |buffer| self.content(buffer));
            let made =
                seen.and_then(|seen| checks::make(whole, spec, seen, &mut TERMS.clone(), &mut || self.goes_on()));
            let made = if self.is_over { made? } else { self.told(made)? };
            failing.extend(Some(made).filter(|check| !check.ok));
        }
        Ok(failing)
    }

    /// Tells all ranks what went wrong here.
    fn told<T>(&mut self, result: Result<T, Failure>) -> Result<T, Failure> {
        self.is_over |= result.is_err();
        result.map_err(|failure| told(&failure, self.meeting))
    }

    /// The result of a walk; failures outside the passes, such as a file that cannot be written, are reported to the
    /// others now.
    pub fn walked(&mut self, walked: Result<Walked, Failure>) -> Result<Walked, Failure> {
        if self.is_over {
            return walked;
        }
        let walked = self.told(walked)?;
        self.arrive(self.begun.len())?;
        Ok(walked)
    }

    /// All ranks' contents of a buffer, one after the other.
    fn gather(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.arrive(self.begun.len())?;
        let own = self.local.content(buffer);
        let own = self.told(own)?;
        if !self.share.is_split(buffer) {
            return Ok(own);
        }
        let count = usize::try_from(self.share.part.buffers[buffer].count).unwrap_or(usize::MAX);
        let mut of_ranks: Vec<Vec<u32>> = vec![Vec::new(); self.share.ranks];
        for piece in own.words.chunks((TOLD / 4 / self.share.ranks).max(1)) {
            let all = self.meeting.gather(bytemuck::cast_slice(piece).to_vec());
            self.is_over |= all.is_err();
            let all = all?;
            for (words, bytes) in of_ranks.iter_mut().zip(all) {
                words.extend(bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
            }
        }
        if of_ranks.iter().any(|words| words.len() != own.words.len()) {
            let name = &self.share.part.buffers[buffer].name;
            let problem = Diagnostic::error(format!("the ranks have parts of `{name}` that are not equally long"));
            return self.told(Err(problem.into()));
        }
        let of_ranks: Vec<Tensor> = of_ranks.into_iter().map(|words| Tensor { elem: own.elem, words }).collect();
        let bits = of_ranks.iter().flat_map(|tensor| (0..count).map(|i| tensor.bits(i)));
        Ok(Tensor::from_bits(own.elem, bits))
    }

    /// Whether a repetition would launch nothing: its first pass gets an empty grid.
    fn is_empty(&mut self, repeat: &Repeat) -> Result<bool, Failure> {
        let Some(Node::Pass(first)) = repeat.body.first() else { return Ok(repeat.times == 0) };
        let grid = self.share.part.passes[*first].launch().map(|launch| launch.grid);
        let Some(Grid::Words { buffer, at, .. }) = grid else { return Ok(repeat.times == 0) };
        let words = self.local.elements(buffer, at, 3);
        Ok(repeat.times == 0 || self.told(words)?.contains(&0.0))
    }

    /// The word that says which of `of` parts it is about.
    fn number(&mut self, buffer: usize, of: u64) -> Result<u64, Failure> {
        let number = self.local.elements(buffer, 0, 1);
        let number = self.told(number)?.first().copied().unwrap_or(0.0);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a word of 32 bits")]
        Ok(number as u64 % of)
    }

    /// Waits for the first `count` of the collectives that were begun.
    fn arrive(&mut self, count: usize) -> Result<(), Failure> {
        for Begun { collective, .. } in self.begun.drain(..count).collect::<Vec<_>>() {
            let sent = self.local.arrive(self.meeting);
            self.is_over |= sent.is_err();
            let sent = sent?;
            self.steps.push(Step::Arrive);
            if let (Some(meter), Some(sent)) = (self.share.collectives[collective].meter, sent) {
                self.count(meter, &sent)?;
            }
        }
        Ok(())
    }

    /// Waits for what a pass needs.
    fn arrive_for(&mut self, pass: usize) -> Result<(), Failure> {
        let share = self.share;
        for wait in share.awaits.iter().filter(|wait| wait.pass == pass) {
            let of = share.collectives[wait.collective].part.map(|(_, of)| of);
            let number = match wait.number.zip(of) {
                Some((buffer, of)) => Some(self.number(buffer, of)?),
                None => None,
            };
            let is_it = |begun: &Begun| {
                begun.collective == wait.collective && number.is_none_or(|number| begun.number == number)
            };
            let last = self.begun.iter().rposition(is_it);
            self.arrive(last.map_or(0, |last| last + 1))?;
        }
        Ok(())
    }

    /// Adds what was sent to what a meter shows.
    fn count(&mut self, meter: usize, sent: &[(usize, u64)]) -> Result<(), Failure> {
        let content = self.local.content(meter);
        let mut content = self.told(content)?;
        for (to, bytes) in sent {
            let word = &mut content.words[*to];
            *word = word.wrapping_add(u32::try_from(*bytes).unwrap_or(u32::MAX));
        }
        let put = self.local.put(meter, content);
        self.told(put)
    }
}

impl<L: Local> Host for Rank<'_, L> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        self.arrive_for(turn.pass)?;
        self.steps.push(Step::Pass(turn));
        let done = self.local.pass(turn);
        self.told(done)
    }

    fn replaces(&mut self, repeat: &Repeat) -> Result<bool, Failure> {
        let share = self.share;
        let Some(collective) = share.collectives.iter().position(|spec| spec.repeat == repeat.id) else {
            return Ok(false);
        };
        if self.is_empty(repeat)? {
            return Ok(true);
        }
        let spec = &share.collectives[collective];
        let all = share.part.buffers[spec.buffer].count;
        let (number, of) = match spec.part {
            Some((buffer, of)) => (self.number(buffer, of)?, of),
            None => (0, 1),
        };
        let piece = Piece { buffer: spec.buffer, first: number * (all / of), count: all / of };
        let begun = self.local.begin(spec.what, piece, self.meeting);
        self.is_over |= begun.is_err();
        begun?;
        self.steps.push(Step::Begin(spec.what, piece));
        self.begun.push_back(Begun { collective, number });
        if !share.is_awaited(collective) {
            self.arrive(self.begun.len())?;
        }
        Ok(true)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.gather(buffer)
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        if !self.share.is_split(buffer) {
            let elements = self.local.elements(buffer, first, count);
            return self.told(elements);
        }
        let all = self.gather(buffer)?;
        let at = |n: u64| usize::try_from(n).unwrap_or(usize::MAX).min(all.len());
        Ok((at(first)..at(first.saturating_add(count))).map(|i| all.get(i)).collect())
    }

    fn cancelled(&self) -> bool {
        self.local.cancelled()
    }

    fn goes_on(&mut self) -> bool {
        self.local.goes_on()
    }
}
