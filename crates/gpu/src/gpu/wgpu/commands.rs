//! Commands in wgpu's terms: launches in compute passes, copies between them, the clock read at their ends.

use std::rc::Rc;

use super::device::{Gpu, cause};
use super::pipeline::{Bound, Kernel};
use super::stopwatch::Stopwatch;
use crate::base::diag::Diagnostic;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::builtin_kernels;
use crate::gpu::driver::{Command, Driver};

/// Commands that are encoded anew at each submission: what a driver takes in can be submitted once.
pub(super) struct Recorded<'a> {
    commands: Vec<Command<'a, Gpu>>,
    /// Kernels that write other words than zeros, one for each such command in order.
    fills: Vec<Fill>,
    marks: usize,
    submission: Option<wgpu::SubmissionIndex>,
}

/// A kernel that writes one word everywhere in a part of memory.
struct Fill {
    kernel: Rc<Kernel>,
    bound: Bound,
    groups: u32,
}

/// Workgroups that fill memory at most; each goes on with the next piece.
const MOST_GROUPS: u64 = 4096;

impl<'a> Recorded<'a> {
    pub(super) fn new(gpu: &Gpu, commands: Vec<Command<'a, Gpu>>) -> Result<Self, Failure> {
        let marks = commands.iter().filter(|command| matches!(command, Command::Mark(_))).count();
        let marks = if gpu.clock_step_s().is_some() { marks } else { 0 };
        if marks > 0 {
            gpu.watch(marks)?;
        }
        let mut fills = Vec::new();
        for command in &commands {
            if let Command::Fill { to, word } = command
                && *word != 0
            {
                let kernel = gpu.filler(*word)?;
                let bound = kernel.bind(gpu, &builtin_kernels::fill(*word), &[*to])?;
                let groups = to.bytes.div_ceil(4 * builtin_kernels::WORKGROUP).clamp(1, MOST_GROUPS);
                fills.push(Fill { kernel, bound, groups: u32::try_from(groups).unwrap_or(1) });
            }
        }
        Ok(Self { commands, fills, marks, submission: None })
    }

    pub(super) fn submit(&mut self, gpu: &Gpu) -> Result<(), Failure> {
        let watch = if self.marks > 0 { Some(gpu.watch(self.marks)?) } else { None };
        let encoded = gpu.scoped(|| {
            let mut encoder = gpu.encoder();
            encode(gpu, &mut encoder, &self.commands, self.fills.iter(), watch.as_deref());
            if let Some(watch) = &watch {
                watch.collect(&mut encoder, self.marks);
            }
            gpu.queue.submit([encoder.finish()])
        });
        let refused =
            |error| Diagnostic::error(format!("the driver refuses the program's commands: {}", cause(&error)));
        self.submission = Some(encoded.map_err(refused)?);
        Ok(())
    }

    /// # Errors
    /// When the device fails or the wait is cancelled.
    pub(super) fn finish(&mut self, gpu: &Gpu, sink: &dyn Sink) -> Result<Vec<f64>, Failure> {
        let Some(submission) = self.submission.take() else { return Ok(Vec::new()) };
        match self.marks {
            0 => gpu.wait(&submission, sink).map(|()| Vec::new()),
            marks => gpu.watch(marks)?.seconds(gpu, &submission, marks, sink),
        }
    }
}

/// Encodes commands: launches that follow each other share a pass. A clock that is read right before and right after
/// them is read by the pass itself.
fn encode<'f>(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    commands: &[Command<'_, Gpu>],
    mut fills: impl Iterator<Item = &'f Fill>,
    watch: Option<&Stopwatch>,
) {
    let mut at = 0;
    while let Some(command) = commands.get(at) {
        let is_launch = |command: &&Command<'_, Gpu>| matches!(command, Command::Launch { .. });
        match command {
            Command::Mark(begin) => {
                let launches = commands[at + 1..].iter().take_while(is_launch).count();
                match (watch, commands.get(at + 1 + launches)) {
                    (Some(watch), Some(Command::Mark(end))) if launches > 0 => {
                        let writes = Some(watch.around_pass(*begin, *end));
                        pass(encoder, &commands[at + 1..=at + launches], writes);
                        at += launches + 2;
                        continue;
                    }
                    (Some(watch), _) => watch.mark(gpu, encoder, *begin),
                    (None, _) => {}
                }
            }
            Command::Launch { .. } => {
                let launches = commands[at..].iter().take_while(is_launch).count();
                pass(encoder, &commands[at..at + launches], None);
                at += launches;
                continue;
            }
            Command::Copy { from, to } => {
                encoder.copy_buffer_to_buffer(from.memory, from.offset, to.memory, to.offset, from.bytes);
            }
            Command::Fill { to, word: 0 } => encoder.clear_buffer(to.memory, to.offset, Some(to.bytes)),
            Command::Fill { .. } => {
                if let Some(fill) = fills.next() {
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    fill.kernel.dispatch(&mut pass, &fill.bound, [fill.groups, 1, 1]);
                }
            }
            // `Gpu::products` says that there are none.
            Command::Product { .. } => {}
        }
        at += 1;
    }
}

/// One compute pass of launches.
fn pass(
    encoder: &mut wgpu::CommandEncoder,
    launches: &[Command<'_, Gpu>],
    timestamp_writes: Option<wgpu::ComputePassTimestampWrites<'_>>,
) {
    let descriptor = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
    let mut pass = encoder.begin_compute_pass(&descriptor);
    for command in launches {
        if let Command::Launch { kernel, bound, grid } = command {
            kernel.dispatch(&mut pass, bound, *grid);
        }
    }
}
