//! A program's outputs in the tracer: what its launches stored to buffers that nothing read.

use crate::job::{Action, Grid, Job, Launch};
use crate::simt::{Program, Written};
use crate::trace::Unwritten;

/// The known state of the buffers so far, by their places.
pub struct Outputs(Vec<Output>);

#[derive(Default)]
struct Output {
    /// Something reads it, or writes all of it.
    is_settled: bool,
    written: Written,
    /// The byte at which its first element begins, and the bytes from one to the next; None until a kernel stored to
    /// it.
    array: Option<(u64, u64)>,
}

impl Outputs {
    /// Nothing was launched yet.
    pub fn new(job: &Job) -> Self {
        Self(job.buffers.iter().map(|_| Output::default()).collect())
    }

    /// A launch of a kernel is over.
    pub fn launched(&mut self, launch: &Launch, program: &Program, written: &[Written]) {
        let each = launch.bindings.iter().zip(program.bindings()).enumerate();
        for (i, (binding, of)) in each {
            let output = &mut self.0[binding.buffer];
            output.is_settled |= program.reads(i);
            if program.stores(i)
                && let Some(written) = written.get(i)
            {
                output.written.add(written);
                output.array = of.layout.array();
            }
        }
    }

    /// A copy or a fill is over.
    pub fn moved(&mut self, action: &Action) {
        match action {
            Action::Launch(_) => {}
            Action::Copy { from, to } => [from, to].into_iter().for_each(|i| self.0[*i].is_settled = true),
            Action::Fill { buffer, .. } => self.0[*buffer].is_settled = true,
        }
    }

    /// The outputs of which some elements were never written.
    pub fn unwritten(&self, job: &Job) -> Vec<Unwritten> {
        let each = job.buffers.iter().zip(&self.0).enumerate();
        // Which elements of a paged buffer were written is not noted.
        let each = each.filter(|(i, (_, output))| !output.is_settled && !job.is_paged(*i));
        let found = each.filter_map(|(_, (buffer, output))| {
            let (first, stride) = output.array?;
            let elements = (buffer.count * buffer.elem.bytes()).saturating_sub(first) / stride.max(1);
            let is_written = |element: u64| output.written.any(first + element * stride, stride);
            Unwritten::of(&buffer.name, elements, &is_written)
        });
        let only = job.launches().next().filter(|_| job.is_single());
        let shape = only.and_then(|launch| match launch.grid {
            Grid::Fixed(grid) => Some((grid, launch.workgroup?.size)),
            Grid::Words { .. } => None,
        });
        let found = found.map(|found| match shape {
            Some((grid, size)) => found.from_grid(grid, size),
            None => found,
        });
        found.collect()
    }
}
