//! A job on a device: its kernels compiled, its buffers filled, its passes as commands.

use super::awake::Awake;
use super::launches::{Launches, Pacing, Timed};
use super::residents::{Residents, carry_out};
use crate::base::tensor::Tensor;
use crate::gpu::backend::{Event, Failure, Sink, stage};
use crate::gpu::checks;
use crate::gpu::driver::{Command, Driver, Guards, Part};
use crate::gpu::walk::{Host, Turn};
use crate::job::{Action, Job, Launch, MeasureSpec};
use crate::measure::sampling;
use crate::reference::TERMS;
use crate::trace::Check;
use crate::trace::record::{Compiled, Timing, Warning};

/// A job whose kernels are compiled and whose buffers lie on the device.
pub(super) struct Prepared<'a, D: Driver> {
    pub driver: &'a D,
    pub job: &'a Job,
    /// The kernels, each once, with a launch of it.
    kernels: Vec<(&'a Launch, D::Kernel)>,
    /// By pass, which of them it launches.
    of_pass: Vec<Option<usize>>,
    pub residents: Residents<D>,
}

/// The buffers of one set, bound for each pass that launches a kernel.
pub(super) type Bounds<D> = Vec<Option<<D as Driver>::Bound>>;

impl<'a, D: Driver> Prepared<'a, D> {
    /// Compiles the job and fills its buffers.
    ///
    /// # Errors
    /// When a kernel does not compile, the buffers do not fit, or the device fails.
    pub fn new(driver: &'a D, job: &'a Job, sink: &mut dyn Sink) -> Result<Self, Failure> {
        stage(sink, "compiling")?;
        let guards = Guards { indices: job.bounds_checks, loops: job.bounded_loops };
        let mut kernels: Vec<(&Launch, D::Kernel)> = Vec::new();
        let mut of_pass = Vec::new();
        for pass in &job.passes {
            let Some(launch) = pass.launch() else {
                of_pass.push(None);
                continue;
            };
            let same =
                |(known, _): &(&Launch, D::Kernel)| known.code == launch.code && known.workgroup == launch.workgroup;
            let known = kernels.iter().position(same);
            of_pass.push(Some(known.unwrap_or(kernels.len())));
            if known.is_none() {
                kernels.push((launch, driver.compile(launch, &job.buffers, guards)?));
                stage(sink, "compiling")?;
            }
        }
        Ok(Self { driver, job, kernels, of_pass, residents: Residents::fill(driver, job, sink)? })
    }

    fn kernel(&self, pass: usize) -> Option<&D::Kernel> {
        self.of_pass[pass].map(|kernel| &self.kernels[kernel].1)
    }

    /// The compiler's results for a pass's kernel.
    pub fn compiled(&self, pass: usize) -> Result<Option<Compiled>, Failure> {
        match (self.kernel(pass), self.job.passes[pass].launch()) {
            (Some(kernel), Some(launch)) => self.driver.compiled(kernel, launch),
            _ => Ok(None),
        }
    }

    /// Whether a run of the program waits for the one before, also where that has other buffers.
    pub fn keeps_order(&self) -> bool {
        self.kernels.iter().all(|(_, kernel)| self.driver.keeps_order(kernel))
    }

    /// Binds the buffers of a set.
    pub fn bind(&self, set: u64) -> Result<Bounds<D>, Failure> {
        let bound = self.job.passes.iter().enumerate().map(|(i, pass)| {
            let (Some(kernel), Some(launch)) = (self.kernel(i), pass.launch()) else { return Ok(None) };
            let parts: Vec<Part<'_, D>> =
                launch.bindings.iter().map(|binding| self.residents.of_set(set, binding.buffer)).collect();
            self.driver.bind(kernel, launch, &self.job.buffers, &parts).map(Some)
        });
        bound.collect()
    }

    /// A pass on a set of buffers.
    pub fn pass<'c>(&'c self, turn: Turn, set: u64, bounds: &'c Bounds<D>) -> Option<Command<'c, D>> {
        let of = |buffer: usize| self.residents.of_set(set, buffer);
        Some(match &self.job.passes[turn.pass].action {
            Action::Launch(launch) => {
                let grid = turn.grid.unwrap_or_else(|| launch.grid.most());
                Command::Launch { kernel: self.kernel(turn.pass)?, bound: bounds[turn.pass].as_ref()?, grid }
            }
            Action::Copy { from, to } => Command::Copy { from: of(*from), to: of(*to) },
            Action::Fill { buffer, value } => {
                let elem = self.job.buffers[*buffer].elem;
                let bits = elem.encode(*value);
                let word = if elem.bytes() == 2 { bits << 16 | bits & 0xFFFF } else { bits };
                Command::Fill { to: of(*buffer), word }
            }
        })
    }

    /// The whole program on a set of buffers as a flat list: repetitions have the rounds of the recorded walk, and
    /// grids read from buffers the sizes that they had then.
    pub fn program<'c>(&'c self, trail: &[Turn], set: u64, bounds: &'c Bounds<D>) -> Vec<Command<'c, D>> {
        trail.iter().filter_map(|turn| self.pass(*turn, set, bounds)).collect()
    }

    /// A host that walks through the program on set 0, each pass by itself.
    pub fn host<'h>(&'h mut self, sink: &'h mut dyn Sink) -> Walker<'h, 'a, D> {
        Walker { prepared: self, bounds: None, sink }
    }

    /// Runs the program in one piece on its initial buffers, and repeats the checks of its end: those of `before` are
    /// kept unless one fails now.
    pub fn check_whole(
        &mut self,
        trail: &[Turn],
        before: Vec<Check>,
        sink: &mut dyn Sink,
    ) -> Result<Vec<Check>, Failure> {
        stage(sink, "checking")?;
        self.begin_again(sink)?;
        let bounds = self.bind(0)?;
        let mut recorded = self.driver.record(self.program(trail, 0, &bounds), true)?;
        self.driver.submit(&mut recorded)?;
        self.driver.finish(&mut recorded, sink)?;
        drop(recorded);
        let mut checks = before;
        for (spec, check) in self.job.checks.iter().zip(&mut checks).filter(|(spec, _)| spec.after.is_none()) {
            let seen = checks::gather(self.job, spec, 0, &mut |buffer| self.content(buffer, &mut *sink))?;
            let again = checks::make(self.job, spec, seen, &mut TERMS.clone(), &mut || sink.goes_on())?;
            if !again.ok {
                sink.event(Event::Checked(again.clone()));
                *check = again;
            }
        }
        carry_out(self.driver, self.residents.restoring(0), sink)?;
        Ok(checks)
    }

    /// Gives the buffers of set 0 their contents from before the first pass.
    pub fn begin_again(&self, sink: &mut dyn Sink) -> Result<(), Failure> {
        for (i, spec) in self.job.buffers.iter().enumerate().filter(|(i, spec)| spec.is_poison() && self.job.writes(*i))
        {
            self.driver.write(self.residents.of_set(0, i), &spec.fill(self.job.seed, i)?.words, sink)?;
        }
        carry_out(self.driver, self.residents.restoring(0), sink)
    }

    /// The current content of a buffer of set 0.
    pub fn content(&self, buffer: usize, sink: &mut dyn Sink) -> Result<Tensor, Failure> {
        let words = self.driver.read(self.residents.of_set(0, buffer), sink)?;
        Ok(Tensor { elem: self.job.buffers[buffer].elem, words })
    }

    /// Samples some work. A device that slowed down meanwhile is woken and sampled once more; if it is still slow, that
    /// is reported.
    pub fn time(
        &self,
        spec: &MeasureSpec,
        what: &Timed<'_>,
        awake: &mut Option<&mut Awake<D>>,
        sink: &mut dyn Sink,
    ) -> Result<(Timing, Option<Warning>), Failure> {
        let timing = self.sample(spec, what, awake, sink)?;
        let Some(load) = awake.as_mut() else { return Ok((timing, None)) };
        if load.warning(self.driver, sink)?.is_none() {
            return Ok((timing, None));
        }
        stage(sink, "measuring again, since the device slowed down")?;
        let timing = self.sample(spec, what, awake, sink)?;
        let warning = match awake {
            Some(load) => load.warning(self.driver, sink)?,
            None => None,
        };
        Ok((timing, warning))
    }

    /// Samples some work once, on a device that is awake.
    pub fn sample(
        &self,
        spec: &MeasureSpec,
        what: &Timed<'_>,
        awake: &mut Option<&mut Awake<D>>,
        sink: &mut dyn Sink,
    ) -> Result<Timing, Failure> {
        if let Some(awake) = awake.as_mut() {
            awake.wake(self.driver, sink)?;
        }
        self.sample_at(Pacing::Device(awake.as_deref_mut()), spec, what, sink)
    }

    /// As [`Prepared::sample`], at a given pace and with the device as it is.
    pub fn sample_at(
        &self,
        pacing: Pacing<'_, D>,
        spec: &MeasureSpec,
        what: &Timed<'_>,
        sink: &mut dyn Sink,
    ) -> Result<Timing, Failure> {
        let bounds = (0..self.residents.sets()).map(|set| self.bind(set)).collect::<Result<Vec<_>, Failure>>()?;
        let mut launches = Launches::new(self, &bounds, what, pacing, sink);
        let conditions = launches.conditions();
        // The sampler reports each sample itself, since it holds the sink.
        sampling::measure(&mut launches, spec, &conditions, |_| ())
    }
}

/// Walks through a program on the device.
pub(super) struct Walker<'h, 'a, D: Driver> {
    pub prepared: &'h mut Prepared<'a, D>,
    bounds: Option<Bounds<D>>,
    pub sink: &'h mut dyn Sink,
}

impl<D: Driver> Host for Walker<'_, '_, D> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        let bounds = match self.bounds.take() {
            Some(bounds) => bounds,
            None => self.prepared.bind(0)?,
        };
        let command = self.prepared.pass(turn, 0, &bounds);
        carry_out(self.prepared.driver, command.into_iter().collect(), self.sink)?;
        self.bounds = Some(bounds);
        Ok(true)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.prepared.content(buffer, self.sink)
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        let elem = self.prepared.job.buffers[buffer].elem;
        let part = self.prepared.residents.of_set(0, buffer);
        let (start, end) = (first * elem.bytes() / 4 * 4, ((first + count) * elem.bytes()).next_multiple_of(4));
        let part = Part { offset: part.offset + start, bytes: end.min(part.bytes).saturating_sub(start), ..part };
        let tensor = Tensor { elem, words: self.prepared.driver.read(part, self.sink)? };
        let skipped = usize::try_from((first * elem.bytes() - start) / elem.bytes()).unwrap_or(0);
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        Ok((skipped..tensor.len().min(skipped.saturating_add(count))).map(|i| tensor.get(i)).collect())
    }

    fn cancelled(&self) -> bool {
        self.sink.cancelled()
    }

    fn goes_on(&mut self) -> bool {
        self.sink.goes_on()
    }

    fn checked(&mut self, check: &Check) {
        self.sink.event(Event::Checked(check.clone()));
    }
}
