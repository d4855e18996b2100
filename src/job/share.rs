//! One rank's share of a program: what a process does that runs it together with others.

use super::{BufferSpec, Job};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::ranks::measure::Collective;

/// A program that processes share, one for each rank.
#[derive(Clone, Debug)]
pub struct Share {
    /// This rank.
    pub rank: usize,
    /// How many there are.
    pub ranks: usize,
    /// The program with the buffers of all ranks, one after the other: what is checked and reported.
    pub whole: Job,
    /// The same with this rank's buffers: what is run here. A buffer that is as long as in the whole is each rank's own copy.
    pub part: Job,
    /// What the ranks do together.
    pub collectives: Vec<CollectiveSpec>,
    /// Which passes wait for what of that. A collective that none waits for is waited for at once.
    pub awaits: Vec<AwaitSpec>,
}

/// That a pass waits for a collective.
#[derive(Clone, Copy, Debug)]
pub struct AwaitSpec {
    /// The pass, by its place.
    pub pass: usize,
    /// The collective, by its place.
    pub collective: usize,
    /// The buffer whose first word is the number of the part that has to be there; None for all that were begun.
    pub number: Option<usize>,
}

/// What ranks do together in the place of a repetition.
#[derive(Clone, Debug)]
pub struct CollectiveSpec {
    /// The repetition's id.
    pub repeat: String,
    /// What they do.
    pub what: Collective,
    /// The buffer of whose part they do it.
    pub buffer: usize,
    /// Where it begins and how long it is: the buffer whose first word is the part's number, and of how many parts.
    pub part: Option<(usize, u64)>,
    /// The buffer that counts the bytes that a rank sends to each.
    pub meter: Option<usize>,
}

impl Share {
    /// Whether each rank has a part of a buffer, and not a copy.
    #[must_use]
    pub fn is_split(&self, buffer: usize) -> bool {
        self.part.buffers[buffer].count != self.whole.buffers[buffer].count
    }

    /// Whether a buffer counts what is sent.
    #[must_use]
    pub fn is_meter(&self, buffer: usize) -> bool {
        self.collectives.iter().any(|spec| spec.meter == Some(buffer))
    }

    /// Whether a pass waits for a collective, so that it goes on beside the passes before.
    #[must_use]
    pub fn is_awaited(&self, collective: usize) -> bool {
        self.awaits.iter().any(|wait| wait.collective == collective)
    }

    /// What this rank's part of a buffer holds at first; None if that is the same for all ranks.
    ///
    /// # Errors
    /// As [`BufferSpec::fill`].
    pub fn own_content(&self, buffer: usize) -> Result<Option<Tensor>, Diagnostic> {
        let spec: &BufferSpec = &self.whole.buffers[buffer];
        if !self.is_split(buffer) || spec.is_uniform() {
            return Ok(None);
        }
        let whole = spec.fill(self.whole.seed, buffer)?;
        let count = usize::try_from(self.part.buffers[buffer].count).unwrap_or(usize::MAX);
        let first = self.rank * count;
        Ok(Some(Tensor::from_bits(spec.elem, (first..first + count).map(|i| whole.bits(i)))))
    }
}
