//! Collectives between ranks: checked, then timed, for several lengths of a message.

use std::ops::Range;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::meeting::Meeting;
use warpbook_base::diag::Diagnostic;

/// The fewest and the most runs of a timing.
const RUNS: [f64; 2] = [3.0, 2000.0];

/// Timings of which the median counts.
const TIMINGS: usize = 5;

/// A collective operation of all ranks.
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

    /// A remark on its times.
    fn remark(&self) -> Option<String> {
        None
    }

    /// The length of a message that it can exchange, in numbers, near `wanted`.
    fn count(&self, wanted: usize) -> usize {
        wanted
    }

    /// Gives this rank its numbers.
    ///
    /// # Errors
    /// When there is no memory for them.
    fn write(&mut self, numbers: &[f32]) -> Result<(), Diagnostic>;

    /// Does it `times` times, in place, and waits until it is done here. Another rank may still use this one's numbers
    /// until all have met.
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
    /// The operation.
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

/// A rank's number at an element: whole and below 256, so that the sums of all ranks are exact in every order, and
/// without a pattern, so that what is in the wrong place shows. The mixing is that of SplitMix64 (Steele, Lea and Flood
/// 2014).
fn number(rank: usize, i: usize) -> f32 {
    let mut bits =
        (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (rank as u64 + 1).wrapping_mul(0xd1b5_4a32_d192_ed03);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 56) as f32
}

/// So many numbers in memory of their own.
///
/// # Errors
/// When there is not enough.
pub(super) fn collected(numbers: impl ParallelIterator<Item = f32>, count: usize) -> Result<Vec<f32>, Diagnostic> {
    let mut all = Vec::new();
    let reserved = all.try_reserve_exact(count);
    reserved.map_err(|_| {
        Diagnostic::error(format!("there is no memory for a message of {} bytes", 4 * count as u64))
            .hint("choose shorter messages with --bytes")
    })?;
    all.par_extend(numbers);
    Ok(all)
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
    let zeros = collected(rayon::iter::repeat_n(0.0, count), count).map_err(|problem| meeting.explain(&problem))?;
    transport.write(&zeros)?;
    drop(zeros);
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
    // After all these runs it is still right.
    check(transport, what, count, meeting)?;
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
    let own = collected((0..count).into_par_iter().map(|i| number(rank, i)), count)
        .map_err(|problem| meeting.explain(&problem))?;
    transport.write(&own).map_err(|problem| meeting.explain(&problem))?;
    drop(own);
    meeting.numbers(0.0)?;
    transport.run(what, 1, meeting)?;
    let all = transport.read()?;
    meeting.numbers(0.0)?;
    let mine = if what == Collective::ReduceScatter { chunk(count, ranks, rank) } else { 0..count };
    let owner = |i: usize| ((i + 1) * ranks - 1) / count;
    let expected = |i: usize| match what {
        Collective::AllGather => number(owner(i), i),
        _ => (0..ranks).map(|rank| number(rank, i)).sum(),
    };
    let is_wrong = |i: &usize| all.get(*i).is_none_or(|value| value.to_bits() != expected(*i).to_bits());
    match mine.into_par_iter().find_first(is_wrong) {
        None => Ok(()),
        Some(i) => Err(meeting.explain(&Diagnostic::error(format!(
            "{} over {} is wrong: element {i} of {count} is {}, and should be {}",
            what.name(),
            transport.name(),
            all.get(i).copied().unwrap_or(f32::NAN),
            expected(i)
        )))),
    }
}
