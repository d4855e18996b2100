//! One rank's share of a program that several processes run together.

use super::{BufferSpec, Job};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::ranks::measure::Collective;

/// One rank's share of a program that is split over processes.
#[derive(Clone, Debug)]
pub struct Share {
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
    /// The program with the buffers of all ranks concatenated: this is checked and reported.
    pub whole: Job,
    /// The program with this rank's buffers: this is run here. A buffer that is as long as in the whole is a copy on
    /// each rank.
    pub part: Job,
    pub collectives: Vec<CollectiveSpec>,
    /// The passes that wait for collectives. A collective that no pass waits for is waited for at once.
    pub awaits: Vec<AwaitSpec>,
}

/// A pass that waits for a collective.
#[derive(Clone, Copy, Debug)]
pub struct AwaitSpec {
    /// The index of the pass.
    pub pass: usize,
    /// The index of the collective.
    pub collective: usize,
    /// The buffer whose first word is the number of the part that must have arrived; None for all that were started.
    pub number: Option<usize>,
}

/// A collective, which ranks run in the place of a repetition.
#[derive(Clone, Debug)]
pub struct CollectiveSpec {
    /// The repetition's id.
    pub repeat: String,
    /// The operation.
    pub what: Collective,
    /// The buffer whose parts it operates on.
    pub buffer: usize,
    /// The part of that buffer: the buffer whose first word is the part's number, and the number of parts.
    pub part: Option<(usize, u64)>,
    /// The buffer that counts the bytes that a rank sends to each other one.
    pub meter: Option<usize>,
}

impl Share {
    /// Whether a buffer is divided among the ranks, rather than copied to each.
    #[must_use]
    pub fn is_split(&self, buffer: usize) -> bool {
        self.part.buffers[buffer].count != self.whole.buffers[buffer].count
    }

    /// Whether a buffer counts sent bytes.
    #[must_use]
    pub fn is_meter(&self, buffer: usize) -> bool {
        self.collectives.iter().any(|spec| spec.meter == Some(buffer))
    }

    /// Whether a pass waits for a collective, so that the collective overlaps the passes before that one.
    #[must_use]
    pub fn is_awaited(&self, collective: usize) -> bool {
        self.awaits.iter().any(|wait| wait.collective == collective)
    }

    /// The initial contents of this rank's part of a buffer; None if they are the same for all ranks.
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
