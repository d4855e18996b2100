//! A job's buffers on the device: filling them, restoring them, and the copies that launches rotate among.

use crate::base::diag::{Diagnostic, any_of};
use crate::base::units::si;
use crate::gpu::backend::{Failure, Sink, stage};
use crate::gpu::driver::{Command, Driver, Part};
use crate::job::{BufferSpec, Job};
use crate::measure::warnings::CACHE_BYTES;
use crate::trace::record::CacheState;

/// Copies of a job's buffers together exceed the cache by this factor, so that each is gone from it when its turn
/// comes.
const CACHES: u64 = 2;

/// Never more copies than this; jobs so small that it does not suffice stay in the cache, and are reported so.
const MAX_SETS: u64 = 1024;

/// Where copies start within a buffer: a multiple of what any device asks for, uniform buffers included.
const ALIGNMENT: u64 = 512;

/// A job's buffers, and as many copies of them as a cold measurement needs.
pub(super) struct Residents<D: Driver> {
    sizes: Vec<u64>,
    /// The buffers themselves: set 0.
    masters: Vec<D::Memory>,
    /// Sets 1 and up, one after the other in one piece for each buffer.
    copies: Vec<D::Memory>,
    /// Initial contents of each buffer that the program writes, unless it takes the buffer for unwritten.
    pristine: Vec<Option<D::Memory>>,
    sets: u64,
    cache: CacheState,
}

impl<D: Driver> Residents<D> {
    /// Fills the job's buffers as their specs say.
    ///
    /// # Errors
    /// When the device has not enough memory, or fails, or a file cannot be read.
    pub fn fill(driver: &D, job: &Job, sink: &mut dyn Sink) -> Result<Self, Failure> {
        stage(sink, "filling the buffers")?;
        let sizes: Vec<u64> = job.buffers.iter().map(BufferSpec::bytes).collect();
        let room = |bytes: &u64| driver.allocate(*bytes).map_err(|why| no_room(job, &why));
        let masters: Vec<D::Memory> = sizes.iter().map(room).collect::<Result<_, _>>()?;
        for (i, (spec, memory)) in job.buffers.iter().zip(&masters).enumerate() {
            let all = Part { memory, offset: 0, bytes: sizes[i] };
            driver.write(all, &spec.fill(job.seed, i)?.words, sink)?;
        }
        let pristine = masters.iter().map(|_| None).collect();
        let mut residents = Self { sizes, masters, copies: Vec::new(), pristine, sets: 1, cache: CacheState::Warm };
        if job.measure.is_some() {
            // Outputs start as poison and need no such care.
            for (i, _) in job.buffers.iter().enumerate().filter(|(i, spec)| job.writes(*i) && !spec.is_poison()) {
                residents.pristine[i] = Some(room(&residents.sizes[i])?);
            }
            residents.keep(driver, sink)?;
        }
        Ok(residents)
    }

    /// Makes the copies that a measurement needs. Too little memory for copies is no error.
    pub fn multiply(&mut self, driver: &D, job: &Job, cold: bool, sink: &mut dyn Sink) -> Result<(), Failure> {
        let footprint = job.footprint();
        let wanted = (CACHES * CACHE_BYTES).div_ceil(footprint.max(1)).max(2);
        let copies: Option<Vec<D::Memory>> = (cold && wanted <= MAX_SETS)
            .then(|| self.sizes.iter().map(|bytes| driver.allocate((wanted - 1) * stride(*bytes)).ok()).collect())
            .flatten();
        if let Some(copies) = copies {
            self.copies = copies;
            self.sets = wanted;
        }
        // Buffers that exceed the cache by far leave little of themselves in it even if nothing else comes between.
        let alone = cold && footprint >= CACHES * CACHE_BYTES;
        self.cache = if self.sets > 1 || alone { CacheState::Cold } else { CacheState::Warm };
        carry_out(driver, self.restoring(0), sink)?;
        let all = (1..self.sets).flat_map(|set| (0..self.masters.len()).map(move |i| (set, i)));
        let copy = |(set, i)| Command::Copy { from: self.of_set(0, i), to: self.of_set(set, i) };
        carry_out(driver, all.map(copy).collect(), sink)
    }

    /// Keeps what the buffers of set 0 hold now: [`Residents::restoring`] brings it back.
    pub fn keep(&self, driver: &D, sink: &mut dyn Sink) -> Result<(), Failure> {
        let kept = self.pristine.iter().enumerate().filter_map(|(i, kept)| {
            let to = Part { memory: kept.as_ref()?, offset: 0, bytes: self.sizes[i] };
            Some(Command::Copy { from: self.of_set(0, i), to })
        });
        carry_out(driver, kept.collect(), sink)
    }

    /// Commands that restore the initial contents of the buffers of `set`, if a run of the program may have changed
    /// them.
    pub fn restoring(&self, set: u64) -> Vec<Command<'_, D>> {
        let each = self.pristine.iter().enumerate().filter_map(|(i, kept)| {
            let from = Part { memory: kept.as_ref()?, offset: 0, bytes: self.sizes[i] };
            Some(Command::Copy { from, to: self.of_set(set, i) })
        });
        each.collect()
    }

    /// Whether [`Residents::restoring`] does anything.
    pub fn needs_restoring(&self) -> bool {
        self.pristine.iter().any(Option::is_some)
    }

    /// Copies to rotate among; at least one.
    pub fn sets(&self) -> u64 {
        self.sets
    }

    /// The state of the caches at a set's turn.
    pub fn cache(&self) -> CacheState {
        self.cache
    }

    /// Buffer `i` of a set.
    pub fn of_set(&self, set: u64, i: usize) -> Part<'_, D> {
        let bytes = self.sizes[i];
        match set.checked_sub(1) {
            None => Part { memory: &self.masters[i], offset: 0, bytes },
            Some(copy) => Part { memory: &self.copies[i], offset: copy * stride(bytes), bytes },
        }
    }

    /// All buffers of a set.
    pub fn set(&self, set: u64) -> Vec<Part<'_, D>> {
        (0..self.masters.len()).map(|i| self.of_set(set, i)).collect()
    }
}

fn stride(bytes: u64) -> u64 {
    bytes.next_multiple_of(ALIGNMENT)
}

/// Has commands carried out, and waits for them.
pub(super) fn carry_out<'a, D: Driver>(
    driver: &'a D,
    commands: Vec<Command<'a, D>>,
    sink: &mut dyn Sink,
) -> Result<(), Failure> {
    if commands.is_empty() {
        return Ok(());
    }
    let mut recorded = driver.record(commands, false)?;
    driver.submit(&mut recorded)?;
    driver.finish(&mut recorded, sink).map(drop)
}

/// That the job's buffers do not fit, with the parameters to turn.
pub(super) fn no_room(job: &Job, why: &str) -> Failure {
    #[expect(clippy::cast_precision_loss, reason = "for three digits on the screen")]
    let total = si(job.footprint() as f64, "B");
    let message = format!("`{}`: the device has no room for its buffers of {total}: {why}", job.program);
    let mut parameters: Vec<&str> = job.buffers.iter().flat_map(|buffer| &buffer.blame).map(String::as_str).collect();
    parameters.sort_unstable();
    parameters.dedup();
    let lower =
        if parameters.is_empty() { "use smaller buffers".to_owned() } else { format!("lower {}", any_of(&parameters)) };
    Diagnostic::error(message).in_place(&job.place).hint(format!("{lower}, or end what else uses the GPU")).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::fake;

    #[test]
    fn a_full_memory_names_the_parameters() {
        let mut job = fake::job("copy", 1 << 20);
        job.buffers[0].blame = vec!["`n`".into()];
        job.buffers[1].blame = vec!["`n`".into(), "`stride`".into()];
        let Failure { diagnostic, fatal } = no_room(&job, "out of memory");
        assert!(!fatal);
        let text = diagnostic.to_string();
        assert!(
            text.contains("no room for its buffers of 8.39 MB: out of memory")
                && text.contains("lower `n` or `stride`"),
            "{text}"
        );
    }
}
