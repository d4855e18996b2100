//! The time of each pass of a program, with the clock read around its launches.

use super::awake::Awake;
use super::prepared::Prepared;
use super::residents::carry_out;
use crate::gpu::backend::{Failure, Sink, stage};
use crate::gpu::driver::{Command, Driver};
use crate::gpu::walk::Turn;
use crate::job::MeasureSpec;
use crate::measure::sampling::{Conditions, summary};
use crate::trace::PassRecord;

/// Launches of one run whose time is taken at most: as many as a device keeps readings of its clock for.
const MOST_TIMED: usize = 1024;

/// Runs that are timed in this way, at most and at least.
const RUNS: std::ops::RangeInclusive<u32> = 5..=50;

/// Budgets that the runs may take together, once there are enough of them.
const OVERDRAWN: f64 = 4.0;

/// Launches after which very long programs are timed in fewer runs.
const LONG: usize = 20_000;

/// Times the passes of a program, whose launches are those of `trail`, on a device whose clock can be read.
pub(super) fn measure<D: Driver>(
    prepared: &Prepared<'_, D>,
    trail: &[Turn],
    spec: &MeasureSpec,
    awake: &mut Option<&mut Awake<D>>,
    passes: &mut [PassRecord],
    sink: &mut dyn Sink,
) -> Result<(), Failure> {
    let driver = prepared.driver;
    let Some(resolution_s) = driver.clock_step_s() else { return Ok(()) };
    let cache = prepared.residents.cache();
    let conditions = Conditions { cache, device_clock: true, resolution_s, max_launches: 1 };
    stage(sink, "measuring each pass")?;
    let timed = timed(trail, passes.len());
    // By pass, a sum for each run.
    let mut samples: Vec<Vec<f64>> = vec![Vec::new(); passes.len()];
    let bounds = (0..prepared.residents.sets()).map(|set| prepared.bind(set)).collect::<Result<Vec<_>, Failure>>()?;
    let most = if trail.len() > LONG { *RUNS.start() } else { *RUNS.end() };
    let runs = spec.max_samples.min(most).max(*RUNS.start());
    if let Some(awake) = awake {
        awake.wake(driver, sink)?;
    }
    let mut spent = 0.0;
    for run in 0..runs {
        let set = u64::from(run) % prepared.residents.sets();
        let bounds = &bounds[usize::try_from(set).unwrap_or(0)];
        let mut commands = Vec::new();
        let mut marks = timed.iter().peekable();
        let mut mark = 0;
        for (i, turn) in trail.iter().enumerate() {
            let is_timed = marks.next_if(|timed| **timed == i).is_some();
            commands.extend(is_timed.then_some(Command::Mark(mark)));
            commands.extend(prepared.pass(*turn, set, bounds));
            commands.extend(is_timed.then_some(Command::Mark(mark + 1)));
            mark += if is_timed { 2 } else { 0 };
        }
        let mut recorded = driver.record(commands, true)?;
        driver.submit(&mut recorded)?;
        if let Some(awake) = awake {
            awake.load(driver)?;
        }
        let readings = driver.finish(&mut recorded, sink)?;
        drop(recorded);
        let mut sums = vec![(0.0, 0_u32); passes.len()];
        for (at, pair) in timed.iter().zip(readings.chunks_exact(2)) {
            let (sum, count) = &mut sums[trail[*at].pass];
            *sum += pair[1] - pair[0];
            *count += 1;
            spent += pair[1] - pair[0];
        }
        for ((samples, (sum, count)), pass) in samples.iter_mut().zip(sums).zip(passes.iter()) {
            #[expect(clippy::cast_precision_loss, reason = "a count of launches")]
            samples.extend((count > 0).then(|| sum / f64::from(count) * pass.launches as f64));
        }
        carry_out(driver, prepared.residents.restoring(set), sink)?;
        if run + 1 >= *RUNS.start() && spent >= OVERDRAWN * spec.budget_s {
            break;
        }
    }
    for (i, (pass, samples)) in
        passes.iter_mut().zip(samples).enumerate().filter(|(_, (_, samples))| !samples.is_empty())
    {
        pass.timed_launches = timed.iter().filter(|at| trail[**at].pass == i).count() as u64;
        pass.timing = Some(summary(samples, 1, &conditions));
    }
    Ok(())
}

/// The launches whose time is taken, in order: all, or of each pass an equal share, spread evenly.
fn timed(trail: &[Turn], passes: usize) -> Vec<usize> {
    if trail.len() <= MOST_TIMED {
        return (0..trail.len()).collect();
    }
    let share = (MOST_TIMED / passes.max(1)).max(1);
    let mut of_pass: Vec<Vec<usize>> = vec![Vec::new(); passes];
    trail.iter().enumerate().for_each(|(i, turn)| of_pass[turn.pass].push(i));
    let mut chosen: Vec<usize> = Vec::new();
    for places in of_pass {
        let count = places.len().min(share);
        chosen.extend((0..count).map(|k| places[k * places.len() / count]));
    }
    chosen.sort_unstable();
    chosen.truncate(MOST_TIMED);
    chosen
}

#[cfg(test)]
mod tests {
    use super::{Turn, timed};

    #[test]
    fn every_pass_has_its_share() {
        let turn = |pass| Turn { pass, launch: 0, grid: None };
        assert_eq!(timed(&[turn(0), turn(1), turn(1)], 2), [0, 1, 2]);
        let trail: Vec<Turn> = (0..30_000).map(|i| turn(if i == 0 { 0 } else { 1 + i % 2 })).collect();
        let chosen = timed(&trail, 3);
        let of = |pass| chosen.iter().filter(|at| trail[**at].pass == pass).count();
        assert_eq!([of(0), of(1), of(2)], [1, 341, 341]);
        assert!(chosen.is_sorted() && chosen.last().is_some_and(|last| *last > 29_000));
    }
}
