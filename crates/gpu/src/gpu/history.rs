//! A program's buffers before each of its launches: a run of the tracer that keeps every version of them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::backend::Failure;
use super::simt::Machine;
use super::walk::{Host, Turn, walk};
use crate::base::diag::Diagnostic;
use crate::base::tensor::Tensor;
use crate::base::units::si;
use crate::job::{BindingKind, Grid, Job, TraceSpec};
use crate::simt::Program;

/// Bytes of versions that are kept at most.
const MOST_KEPT: u64 = 2 << 30;

/// A launch, a copy or a fill in a program's run.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The pass, by its place.
    pub pass: usize,
    /// How many launches of it came before.
    pub launch: u64,
    /// Workgroups, of a launch.
    pub grid: [u32; 3],
}

/// All versions of a program's buffers.
pub struct History {
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// The compiled kernels, by pass.
    pub programs: Vec<Option<Arc<Program>>>,
    /// By buffer, its versions: the number of steps made before, and its content then.
    versions: Vec<Vec<(usize, Arc<Tensor>)>>,
}

impl History {
    /// Runs a job on the tracer.
    ///
    /// # Errors
    /// When it cannot run, or the versions take too much memory.
    pub fn of(job: &Job, cancel: &AtomicBool) -> Result<Self, Diagnostic> {
        let spec = TraceSpec {
            timeline_workgroups: Vec::new(),
            races: false,
            races_shown: false,
            heat: false,
            course: None,
            ..job.trace.clone().unwrap_or_default()
        };
        let job = Job {
            trace: Some(spec),
            checks: Vec::new(),
            looks: Vec::new(),
            film: Vec::new(),
            series: Vec::new(),
            ..job.clone()
        };
        let machine = Machine::new(&job, cancel)?;
        let start = machine.tensors.iter().map(|tensor| vec![(0, Arc::new(tensor.clone()))]);
        let mut keeper = Keeper { versions: start.collect(), machine, steps: Vec::new(), bytes: 0 };
        walk(&job, &mut keeper, false).map_err(|failure| failure.diagnostic)?;
        Ok(Self { steps: keeper.steps, programs: keeper.machine.programs, versions: keeper.versions })
    }

    /// The content of a buffer after `steps` steps.
    #[must_use]
    pub fn content(&self, buffer: usize, steps: usize) -> &Arc<Tensor> {
        let versions = &self.versions[buffer];
        let at = versions.partition_point(|(made, _)| *made <= steps);
        &versions[at.saturating_sub(1)].1
    }
}

struct Keeper<'a> {
    machine: Machine<'a>,
    steps: Vec<Step>,
    versions: Vec<Vec<(usize, Arc<Tensor>)>>,
    bytes: u64,
}

impl Host for Keeper<'_> {
    fn pass(&mut self, turn: Turn) -> Result<bool, Failure> {
        let goes_on = self.machine.pass(turn)?;
        let pass = &self.machine.job.passes[turn.pass];
        let grid = turn.grid.or(pass.launch().map(|launch| Grid::most(launch.grid)));
        self.steps.push(Step { pass: turn.pass, launch: turn.launch, grid: grid.unwrap_or([1, 1, 1]) });
        for (buffer, _) in pass.touched().filter(|(_, kind)| *kind == BindingKind::ReadWrite) {
            let now = self.machine.tensors[buffer].clone();
            self.bytes += now.words.len() as u64 * 4;
            self.versions[buffer].push((self.steps.len(), Arc::new(now)));
        }
        if self.bytes > MOST_KEPT {
            #[expect(clippy::cast_precision_loss, reason = "for three digits on the screen")]
            let most = si(MOST_KEPT as f64, "B");
            let message =
                format!("`{}` writes more than the {most} that can be kept of its run", self.machine.job.program);
            return Err(Diagnostic::error(message).hint("ask at a smaller size, or with fewer rounds").into());
        }
        Ok(goes_on)
    }

    fn content(&mut self, buffer: usize) -> Result<Tensor, Failure> {
        self.machine.content(buffer)
    }

    fn elements(&mut self, buffer: usize, first: u64, count: u64) -> Result<Vec<f64>, Failure> {
        self.machine.elements(buffer, first, count)
    }

    fn cancelled(&self) -> bool {
        self.machine.cancelled()
    }
}
