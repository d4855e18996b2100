//! One rank's share of a program on a device: walked through with all ranks, then timed with them.

use std::collections::VecDeque;
use std::time::Instant;

use super::prepared::{Prepared, Walker};
use super::record;
use super::residents::{Residents, carry_out};
use crate::base::tensor::Tensor;
use crate::gpu::backend::{Failure, Sink, stage};
use crate::gpu::driver::{Command, Driver, Part};
use crate::gpu::share::exchange::{Exchange, Links, Sent, told};
use crate::gpu::share::rank::{Local, Piece, Rank, Step};
use crate::gpu::walk::{Host, Turn, walk};
use crate::job::{Job, MeasureSpec, Share};
use crate::measure::sampling::{self, Conditions, Sampler};
use crate::measure::warnings;
use crate::ranks::measure::Collective;
use crate::ranks::meeting::Meeting;
use crate::trace::record::{CacheState, Ceilings, Record, Timing, Warning, WarningKind};

/// How a rank's memory is joined with that of the others.
pub(in crate::gpu) type Joined<D> = Result<Box<dyn Exchange<D>>, Failure>;

/// Runs a share on a device, checks what all ranks have, and times it; `join` gets the buffers that ranks exchange
/// parts of.
///
/// # Errors
/// When it cannot run here, or a rank is lost: all ranks were informed.
pub(in crate::gpu) fn run<D: Driver>(
    driver: &D,
    share: &Share,
    meeting: &mut Meeting,
    sink: &mut dyn Sink,
    join: impl FnOnce(&[Part<'_, D>], &mut Meeting) -> Joined<D>,
) -> Result<Record, Failure> {
    let prepared = Prepared::new(driver, &share.part, sink);
    let mut prepared = prepared.map_err(|failure| told(&failure, meeting))?;
    let mut exchanged: Vec<usize> = share.collectives.iter().map(|spec| spec.buffer).collect();
    exchanged.sort_unstable();
    exchanged.dedup();
    let parts: Vec<Part<'_, D>> = exchanged.iter().map(|buffer| prepared.residents.of_set(0, *buffer)).collect();
    let mut exchange = join(&parts, meeting)?;
    drop(parts);
    let whole = judged(share, exchange.links());
    let local = OnDevice { walker: prepared.host(sink), exchange: exchange.as_mut(), sent: VecDeque::new() };
    let mut rank = Rank::new(share, local, meeting)?;
    let walked = walk(&whole, &mut rank, true);
    let walked = rank.walked(walked)?;
    let steps = std::mem::take(&mut rank.steps);
    drop(rank);
    let mut record = record(&whole, &prepared, walked).map_err(|failure| told(&failure, meeting))?;
    let all_trusted = meeting.numbers(f64::from(u8::from(record.trusted())))?.iter().all(|trusted| *trusted == 1.0);
    if let Some(spec) = share.part.measure.filter(|_| all_trusted) {
        let timing = time(&prepared, &steps, &spec, exchange.as_mut(), meeting, sink)?;
        let around = warnings::Circumstances {
            device: driver.device(),
            ceilings: &Ceilings::default(),
            spec: &spec,
            footprint_bytes: share.part.footprint(),
            bounds_checks: share.part.bounds_checks && D::GUARDS,
        };
        record.warnings.extend(warnings::of(&timing, &around));
        record.warnings.extend(exchange.remark().map(|message| Warning {
            kind: WarningKind::SharedDevice,
            message,
            hint: "run each rank on a GPU of its own to see what the exchange takes".to_owned(),
        }));
        // The timed run was the device's own doing: its result must be the same.
        let local = OnDevice { walker: prepared.host(sink), exchange: exchange.as_mut(), sent: VecDeque::new() };
        let failing = Rank::filled(share, local, meeting).failing(&whole)?;
        record.timing = failing.is_empty().then_some(timing);
        record.checks.extend(failing);
    }
    exchange.leave(meeting)?;
    Ok(record)
}

/// The whole program with the checks and series that mean something: a meter is filled as the ranks really exchange
/// numbers.
fn judged(share: &Share, links: Links) -> Job {
    let mut whole = share.whole.clone();
    if links != Links::Ring {
        whole.checks.retain(|check| !share.is_meter(check.output));
    }
    if links == Links::Unknown {
        whole.series.retain(|series| !share.is_meter(series.buffer));
    }
    whole
}

/// A rank's memory on a device, and the way to the others.
struct OnDevice<'h, 'a, 'x, D: Driver> {
    walker: Walker<'h, 'a, D>,
    exchange: &'x mut dyn Exchange<D>,
    /// Bytes sent by the collectives that were begun and not waited for.
    sent: VecDeque<Sent>,
}

impl<D: Driver> Host for OnDevice<'_, '_, '_, D> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        self.walker.pass(turn)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.walker.content(buffer)
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        self.walker.elements(buffer, first, count)
    }

    fn cancelled(&self) -> bool {
        self.walker.cancelled()
    }

    fn goes_on(&mut self) -> bool {
        self.walker.goes_on()
    }
}

impl<D: Driver> Local for OnDevice<'_, '_, '_, D> {
    fn put(&mut self, buffer: usize, content: Tensor) -> Result<(), Failure> {
        let Prepared { driver, residents, .. } = &*self.walker.prepared;
        driver.write(residents.of_set(0, buffer), &content.words, self.walker.sink)
    }

    fn keep(&mut self) -> Result<(), Failure> {
        let Prepared { driver, residents, .. } = &*self.walker.prepared;
        residents.keep(*driver, self.walker.sink)
    }

    fn begin(&mut self, what: Collective, piece: Piece, meeting: &mut Meeting) -> Result<(), Failure> {
        let Prepared { driver, residents, job, .. } = &*self.walker.prepared;
        let elem = job.buffers[piece.buffer].elem;
        let sent = self.exchange.begin(driver, what, elem, of(residents, job, piece), meeting)?;
        self.sent.push_back(sent);
        Ok(())
    }

    fn arrive(&mut self, meeting: &mut Meeting) -> Result<Sent, Failure> {
        self.exchange.arrive(meeting)?;
        self.exchange.wait(meeting)?;
        Ok(self.sent.pop_front().flatten())
    }
}

/// The memory of some elements.
fn of<'r, D: Driver>(residents: &'r Residents<D>, job: &Job, piece: Piece) -> Part<'r, D> {
    let size = job.buffers[piece.buffer].elem.bytes();
    let all = residents.of_set(0, piece.buffer);
    Part { memory: all.memory, offset: all.offset + piece.first * size, bytes: piece.count * size }
}

/// Consecutive passes, and the step after them that is not a pass.
struct Stretch<'r, D: Driver + 'r> {
    passes: Option<D::Recorded<'r>>,
    then: Option<Step>,
}

/// The whole with all ranks, again and again.
struct Together<'r, 'a, D: Driver> {
    prepared: &'r Prepared<'a, D>,
    stretches: Vec<Stretch<'r, D>>,
    exchange: &'r mut dyn Exchange<D>,
    meeting: &'r mut Meeting,
    sink: &'r mut dyn Sink,
    /// Seconds of all samples: a clock that is the same on all ranks, so that they stop at the same sample.
    spent: f64,
}

impl<'r, 'a, D: Driver> Together<'r, 'a, D> {
    fn told<T>(&mut self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| told(&failure, self.meeting))
    }

    /// Gives the buffers what they held at first.
    fn restore(&mut self) -> Result<(), Failure> {
        let Prepared { driver, residents, .. } = self.prepared;
        carry_out(*driver, residents.restoring(0), self.sink)
    }

    /// Has all done once, and waits for it.
    fn run(&mut self) -> Result<(), Failure> {
        let Prepared { driver, residents, job, .. } = self.prepared;
        for i in 0..self.stretches.len() {
            if let Some(passes) = &mut self.stretches[i].passes {
                let submitted = driver.submit(passes);
                self.told(submitted)?;
            }
            match self.stretches[i].then {
                Some(Step::Begin(what, piece)) => {
                    let elem = job.buffers[piece.buffer].elem;
                    self.exchange.begin(driver, what, elem, of(residents, job, piece), self.meeting)?;
                }
                Some(Step::Arrive) => self.exchange.arrive(self.meeting)?,
                Some(Step::Pass(_)) | None => {}
            }
        }
        self.exchange.wait(self.meeting)?;
        let last = self.stretches.iter_mut().rev().find_map(|stretch| stretch.passes.as_mut());
        let finished = last.map_or(Ok(()), |last| driver.finish(last, self.sink).map(drop));
        self.told(finished)
    }
}

/// A sample begins when all ranks have come, and is as long as the slowest of them takes.
impl<D: Driver> Sampler for Together<'_, '_, D> {
    type Error = Failure;

    fn sample(&mut self, launches: u32) -> Result<f64, Failure> {
        let mut seconds = 0.0;
        for _ in 0..launches {
            let restored = self.restore();
            self.told(restored)?;
            self.meeting.numbers(0.0)?;
            let start = Instant::now();
            self.run()?;
            let all = self.meeting.numbers(start.elapsed().as_secs_f64())?;
            seconds += all.into_iter().fold(0.0, f64::max);
        }
        self.spent += seconds;
        Ok(seconds)
    }

    fn now(&self) -> f64 {
        self.spent
    }
}

/// Times the whole with all ranks.
fn time<D: Driver>(
    prepared: &Prepared<'_, D>,
    steps: &[Step],
    spec: &MeasureSpec,
    exchange: &mut dyn Exchange<D>,
    meeting: &mut Meeting,
    sink: &mut dyn Sink,
) -> Result<Timing, Failure> {
    stage(sink, "measuring")?;
    let bounds = prepared.bind(0).map_err(|failure| told(&failure, meeting))?;
    let mut stretches = Vec::new();
    for steps in steps.split_inclusive(|step| !matches!(step, Step::Pass(_))) {
        let passes = steps.iter().filter_map(|step| match step {
            Step::Pass(turn) => prepared.pass(*turn, 0, &bounds),
            Step::Begin(..) | Step::Arrive => None,
        });
        let passes: Vec<Command<'_, D>> = passes.collect();
        let passes = (!passes.is_empty()).then(|| prepared.driver.record(passes, true)).transpose();
        let passes = passes.map_err(|failure| told(&failure, meeting))?;
        stretches.push(Stretch { passes, then: steps.last().copied() });
    }
    let mut together = Together { prepared, stretches, exchange, meeting, sink, spent: 0.0 };
    let conditions = Conditions { cache: CacheState::Warm, device_clock: false, resolution_s: 0.0, max_launches: 1 };
    sampling::measure(&mut together, spec, &conditions, |_| ())
}
