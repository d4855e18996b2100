//! Walking through a program step by step on a host that can read its buffers: on the tracer, and once on a device
//! before it is timed.

use super::backend::Failure;
use super::checks;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::job::{BindingKind, Grid, Job, Launch, Moment, Node, Repeat};
use crate::reference::TERMS;
use crate::trace::{Check, Film};

/// Elements of a buffer that a film keeps at most.
const FILMED: usize = 1 << 16;

/// A host that carries out passes.
pub(super) trait Host {
    /// Carries out a pass. False where all that was wanted is done.
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure>;

    /// Carries out a whole repetition in another way. False if its passes are to be carried out.
    fn replaces(&mut self, _: &Repeat) -> Result<bool, Failure> {
        Ok(false)
    }

    /// The current content of a buffer.
    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure>;

    /// The current content of a buffer, up to `most` elements.
    fn first_elements(&mut self, buffer: usize, most: usize) -> Result<Tensor, Failure> {
        let mut content = self.content(buffer)?;
        content.words.truncate(most.div_ceil(content.elem.in_word()));
        Ok(content)
    }

    /// Some elements of a buffer, from the first one on.
    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure>;

    /// Whether the result is no longer wanted.
    fn cancelled(&self) -> bool;

    /// Reports that a pass was done, or that a check is being made. True if the result is no longer wanted.
    fn goes_on(&mut self) -> bool {
        self.cancelled()
    }

    /// Takes the result of a check.
    fn checked(&mut self, _: &Check) {}
}

/// A pass's turn in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub pass: usize,
    /// How many launches of it came before.
    pub launch: u64,
    /// The grid, where it is a launch whose grid a buffer gave.
    pub grid: Option<[u32; 3]>,
}

/// The results of a walk.
#[derive(Default)]
pub(super) struct Walked {
    /// The turns that were carried out, in order.
    pub trail: Vec<Turn>,
    /// By pass, how often.
    pub launches: Vec<u64>,
    /// Rounds of each repetition, over all the times that it was reached.
    pub rounds: Vec<(String, u64)>,
    /// One for each of the job's checks; shorter where it ended early.
    pub checks: Vec<Option<Check>>,
    /// One for each of the job's series.
    pub series: Vec<(String, Vec<f64>)>,
    /// One for each of the job's looks that goes into no file.
    pub looks: Vec<Tensor>,
    /// The job's film.
    pub film: Option<Film>,
    /// Whether the program came to its end.
    pub ended: bool,
}

impl Walked {
    /// The checks that were made.
    pub fn checks(self) -> Vec<Check> {
        self.checks.into_iter().flatten().collect()
    }
}

/// Goes through a program; `at_end` says whether its checks at the end are made as well, and not only those on the way.
///
/// # Errors
/// When a pass fails, a buffer asks for more workgroups than there can be, or a check cannot be made.
pub(super) fn walk(job: &Job, host: &mut dyn Host, at_end: bool) -> Result<Walked, Failure> {
    let mut walk = Walk {
        job,
        host,
        found: Walked {
            launches: vec![0; job.passes.len()],
            rounds: job.repeats().iter().map(|repeat| (repeat.id.clone(), 0)).collect(),
            checks: vec![None; job.checks.len()],
            series: job.series.iter().map(|series| (series.id.clone(), Vec::new())).collect(),
            ..Walked::default()
        },
        looks: vec![None; job.looks.len()],
        terms: TERMS,
    };
    walk.look(Moment::Start)?;
    walk.begin_film()?;
    walk.found.ended = walk.body(&job.body)?;
    if walk.found.ended {
        walk.read(None)?;
        walk.look(Moment::End)?;
        if at_end {
            walk.check(None, 0)?;
        }
    }
    let Walk { mut found, looks, .. } = walk;
    found.looks = looks.into_iter().flatten().collect();
    Ok(found)
}

struct Walk<'a> {
    job: &'a Job,
    host: &'a mut dyn Host,
    found: Walked,
    /// The contents looked at that go into no file.
    looks: Vec<Option<Tensor>>,
    /// Terms of sums that the checks may still take.
    terms: f64,
}

impl Walk<'_> {
    /// False where the program ended before its end.
    fn body(&mut self, body: &[Node]) -> Result<bool, Failure> {
        for node in body {
            let goes_on = match node {
                Node::Pass(pass) => self.pass(*pass)?,
                Node::Repeat(repeat) => self.repeat(repeat)?,
            };
            if !goes_on {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<bool, Failure> {
        if self.host.replaces(repeat)? {
            return Ok(true);
        }
        for _ in 0..repeat.times {
            self.stop_if_cancelled()?;
            if !self.body(&repeat.body)? {
                return Ok(false);
            }
            let mine = self.found.rounds.iter_mut().find(|(id, _)| *id == repeat.id);
            let round = mine.map_or(0, |(_, rounds)| {
                *rounds += 1;
                *rounds
            });
            self.read(Some(&repeat.id))?;
            self.check(Some(&repeat.id), round)?;
            if let Some(until) = &repeat.until {
                let value = self.host.elements(until.buffer, until.index, 1)?.first().copied().unwrap_or(f64::NAN);
                if value.is_nan() {
                    let name = &self.job.buffers[until.buffer].name;
                    let message =
                        format!("`{name}[{}]` is not a number after round {round} of `{}`", until.index, repeat.id);
                    let hint = "see what the passes of a round leave there: `--print` shows a buffer";
                    return Err(Diagnostic::error(message).in_place(&self.job.place).hint(hint).into());
                }
                if until.comparison.holds(value, until.value) {
                    break;
                }
            }
        }
        Ok(true)
    }

    fn stop_if_cancelled(&mut self) -> Result<(), Failure> {
        match self.host.goes_on() {
            true => Err(Diagnostic::error(format!("`{}` was cancelled", self.job.program)).into()),
            false => Ok(()),
        }
    }

    fn pass(&mut self, place: usize) -> Result<bool, Failure> {
        let pass = &self.job.passes[place];
        self.stop_if_cancelled()?;
        let grid = match pass.launch() {
            Some(launch) => self.words(&pass.id, launch)?,
            None => None,
        };
        let before = self.found.launches[place];
        self.found.launches[place] += 1;
        let turn = Turn { pass: place, launch: before, grid };
        self.look(Moment::Before(place, before))?;
        // No workgroups is no launch.
        let goes_on = if grid.is_some_and(|grid| grid.contains(&0)) {
            true
        } else {
            self.found.trail.push(turn);
            self.host.pass(turn)?
        };
        self.look(Moment::After(place, before))?;
        self.film(place, before)?;
        self.read(Some(&pass.id))?;
        self.check(Some(&pass.id), before + 1)?;
        Ok(goes_on)
    }

    /// The grid that a buffer gives, where one does.
    fn words(&mut self, pass: &str, launch: &Launch) -> Result<Option<[u32; 3]>, Failure> {
        let Grid::Words { buffer, at, most } = launch.grid else { return Ok(None) };
        let words = self.host.elements(buffer, at, 3)?;
        let name = &self.job.buffers[buffer].name;
        let mut grid = [0; 3];
        for ((size, word), (most, axis)) in grid.iter_mut().zip(&words).zip(most.into_iter().zip(["x", "y", "z"])) {
            if *word > f64::from(most) {
                let message = format!(
                    "`{name}` asks for {word} workgroups in {axis} when the pass `{pass}` has its turn, and {most} are the most there can be"
                );
                let hint = "look at the pass that writes the grid, or raise `most`";
                return Err(Diagnostic::error(message).in_place(&launch.place()).hint(hint).into());
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a word, at most `most`")]
            let word = *word as u32;
            *size = word;
        }
        Ok(Some(grid))
    }

    /// Reads the series of a repetition or a pass, or those of the end.
    fn read(&mut self, of: Option<&str>) -> Result<(), Failure> {
        for (spec, (_, figures)) in self.job.series.iter().zip(&mut self.found.series) {
            if spec.each.as_deref() != of {
                continue;
            }
            let (first, count) = spec.reading.takes(self.job.buffers[spec.buffer].count);
            figures.push(spec.reading.of(&self.host.elements(spec.buffer, first, count)?));
        }
        Ok(())
    }

    /// Makes the checks that follow a pass or a repetition, or those of the end.
    fn check(&mut self, after: Option<&str>, round: u64) -> Result<(), Failure> {
        for (spec, slot) in self.job.checks.iter().zip(&mut self.found.checks) {
            // A failed check stays failed.
            if spec.after.as_deref() != after || slot.as_ref().is_some_and(|check| !check.ok) {
                continue;
            }
            let host = &mut *self.host;
            let seen = checks::gather(self.job, spec, round, &mut |buffer| host.content(buffer))?;
            let check = checks::make(self.job, spec, seen, &mut self.terms, &mut || host.goes_on())?;
            host.checked(&check);
            if slot.as_ref().is_none_or(|known| !check.ok || check.max_rel_error > known.max_rel_error) {
                *slot = Some(check);
            }
        }
        Ok(())
    }

    fn begin_film(&mut self) -> Result<(), Failure> {
        if self.job.film.is_empty() {
            return Ok(());
        }
        let start = self.job.film.iter().map(|buffer| self.host.first_elements(*buffer, FILMED));
        self.found.film = Some(Film::new(start.collect::<Result<_, Failure>>()?));
        Ok(())
    }

    /// Keeps what a launch has written of the film's buffers.
    fn film(&mut self, place: usize, launch: u64) -> Result<(), Failure> {
        let Some(film) = &mut self.found.film else { return Ok(()) };
        let mut written = Vec::new();
        for (at, buffer) in self.job.film.iter().enumerate() {
            let writes = |(of, kind): (usize, BindingKind)| of == *buffer && kind == BindingKind::ReadWrite;
            if self.job.passes[place].touched().any(writes) {
                written.push((at, self.host.first_elements(*buffer, FILMED)?));
            }
        }
        film.add((place, launch), written);
        Ok(())
    }

    fn look(&mut self, now: Moment) -> Result<(), Failure> {
        for (look, slot) in self.job.looks.iter().zip(&mut self.looks).filter(|(look, _)| look.at == now) {
            let content = self.host.content(look.buffer)?;
            *slot = checks::seen(self.job, look, &content)?;
        }
        Ok(())
    }
}
