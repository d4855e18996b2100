//! Collectives between ranks: checked, then timed, for several lengths of a message.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::meeting::Meeting;
use crate::base::diag::Diagnostic;

/// The fewest and the most runs of a timing.
const RUNS: [f64; 2] = [3.0, 2000.0];

/// Timings of which the median counts.
const TIMINGS: usize = 5;

/// What ranks do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Rank `c` gets the sums of chunk `c`.
    ReduceScatter,
    /// Everyone gets chunk `c` of rank `c`.
    AllGather,
    /// Everyone gets all sums.
    AllReduce,
}

/// All of them.
pub const COLLECTIVES: [Collective; 3] = [Collective::ReduceScatter, Collective::AllGather, Collective::AllReduce];

impl Collective {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ReduceScatter => "reduce-scatter",
            Self::AllGather => "all-gather",
            Self::AllReduce => "all-reduce",
        }
    }

    /// The bus bandwidth over the algorithm's: what a link carries of each byte of the message
    /// ([nccl-tests, PERFORMANCE.md](https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md)).
    #[must_use]
    pub fn bus(self, ranks: usize) -> f64 {
        let once = (ranks - 1) as f64 / ranks as f64;
        if self == Self::AllReduce { 2.0 * once } else { once }
    }
}

/// A way over which ranks exchange numbers.
pub trait Transport {
    /// Its name.
    fn name(&self) -> &'static str;

    /// What has to be known about its times.
    fn remark(&self) -> Option<String> {
        None
    }

    /// The numbers of a message that it can exchange, of about so many.
    fn count(&self, wanted: usize) -> usize {
        wanted
    }

    /// Gives this rank its numbers.
    ///
    /// # Errors
    /// When there is no memory for them.
    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic>;

    /// Does it so many times, in the numbers' own place, and waits until it is done here. Another rank may still read this one's numbers, until all have met.
    ///
    /// # Errors
    /// When a rank is lost.
    fn run(&mut self, what: Collective, times: usize, meeting: &mut Meeting) -> Result<(), Diagnostic>;

    /// This rank's numbers.
    ///
    /// # Errors
    /// When they cannot be read.
    fn read(&mut self) -> Result<Vec<f32>, Diagnostic>;

    /// Lets the others go; nothing is exchanged after that.
    ///
    /// # Errors
    /// When a rank is lost.
    fn leave(&mut self, _: &mut Meeting) -> Result<(), Diagnostic> {
        Ok(())
    }
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What was done.
    pub what: Collective,
    /// Over what.
    pub over: &'static str,
    /// Bytes of the message.
    pub bytes: u64,
    /// Seconds that it took: the median of several timings, each as long as its slowest rank.
    pub seconds: f64,
    /// Bytes of the message in a second.
    pub algorithm: f64,
    /// Bytes over a link in a second.
    pub bus: f64,
}

/// The elements of chunk `which` of a message: as many chunks as ranks, of equal length but for the remainder.
#[must_use]
pub fn chunk(count: usize, ranks: usize, which: usize) -> Range<usize> {
    which * count / ranks..(which + 1) * count / ranks
}

/// Rank's number at an element: small and whole, so that sums are exact in every order.
fn number(rank: usize, i: usize) -> f32 {
    ((7 * i + 3 * rank) % 11) as f32
}

/// Checks a collective and times it for `long`.
///
/// # Errors
/// When a result is wrong, or a rank is lost.
pub fn measure(
    transport: &mut dyn Transport,
    what: Collective,
    count: usize,
    long: Duration,
    meeting: &mut Meeting,
) -> Result<Row, Diagnostic> {
    let count = transport.count(count);
    check(transport, what, count, meeting)?;
    // Zeros stay zeros, however often they are added.
    transport.write(&vec![0.0; count])?;
    let mut timed = |times: usize| -> Result<f64, Diagnostic> {
        meeting.numbers(0.0)?;
        let start = Instant::now();
        transport.run(what, times, meeting)?;
        let slowest = meeting.numbers(start.elapsed().as_secs_f64() / times as f64)?;
        Ok(slowest.into_iter().fold(0.0, f64::max))
    };
    let first = timed(1)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number within bounds")]
    let times = (long.as_secs_f64() / TIMINGS as f64 / first).clamp(RUNS[0], RUNS[1]) as usize;
    let mut seconds = (0..TIMINGS).map(|_| timed(times)).collect::<Result<Vec<f64>, _>>()?;
    seconds.sort_by(f64::total_cmp);
    let (seconds, bytes) = (seconds[TIMINGS / 2], 4 * count as u64);
    let algorithm = bytes as f64 / seconds;
    let bus = algorithm * what.bus(meeting.world().size);
    Ok(Row { what, over: transport.name(), bytes, seconds, algorithm, bus })
}

/// Whether the result is that of arithmetic.
fn check(
    transport: &mut dyn Transport,
    what: Collective,
    count: usize,
    meeting: &mut Meeting,
) -> Result<(), Diagnostic> {
    let (rank, ranks) = (meeting.world().rank, meeting.world().size);
    let own: Vec<f32> = (0..count).map(|i| number(rank, i)).collect();
    transport.write(&own)?;
    meeting.numbers(0.0)?;
    transport.run(what, 1, meeting)?;
    let all = transport.read()?;
    meeting.numbers(0.0)?;
    let mine = if what == Collective::ReduceScatter { chunk(count, ranks, rank) } else { 0..count };
    let owner = |i: usize| ((i + 1) * ranks - 1) / count;
    let wrong = mine.into_iter().find(|&i| {
        let expected = match what {
            Collective::AllGather => number(owner(i), i),
            _ => (0..ranks).map(|rank| number(rank, i)).sum(),
        };
        all.get(i).is_none_or(|value| value.to_bits() != expected.to_bits())
    });
    match wrong {
        None => Ok(()),
        Some(i) => Err(meeting.explain(&Diagnostic::error(format!(
            "{} over {} is wrong at rank {rank}: element {i} of {count} is {:?}",
            what.name(),
            transport.name(),
            all.get(i)
        )))),
    }
}
