//! Commands in CUDA's terms: launches, copies and events on one stream, or captured as one graph.

use std::ops::Range;

use super::cublas::Matrix;
use super::device::Gpu;
use super::driver::{Code, Event, Graph, Outcome};
use super::error::named;
use crate::gpu::backend::{Failure, Sink};
use crate::gpu::driver::{Command, Part};

/// Commands that can be submitted again and again.
pub(super) struct Recorded<'a> {
    gpu: &'a Gpu,
    commands: Vec<Command<'a, Gpu>>,
    /// Those between the marks at both ends.
    inner: Range<usize>,
    /// The inner commands as one CUDA graph, if requested. The marks at both ends stay outside, so a time includes the
    /// graph's start-up.
    graph: Option<Graph>,
    /// The readings of the clock, by their marks' numbers.
    marks: Vec<Event>,
    /// After all.
    done: Event,
}

impl<'a> Recorded<'a> {
    pub(super) fn new(gpu: &'a Gpu, commands: Vec<Command<'a, Gpu>>, whole: bool) -> Result<Self, Failure> {
        let is_mark = |command: &Command<'_, Gpu>| matches!(command, Command::Mark(_));
        let start = commands.iter().position(|command| !is_mark(command)).unwrap_or(commands.len());
        let end = commands.iter().rposition(|command| !is_mark(command)).map_or(start, |last| last + 1);
        let event = |_| Event::new(&gpu.context);
        let marks = commands.iter().filter(|command| is_mark(command)).map(|_| ());
        let marks = marks.map(event).collect::<Outcome<_>>().map_err(|code| named(&[], code))?;
        let done = event(()).map_err(|code| named(&[], code))?;
        let mut recorded = Self { gpu, commands, inner: start..end, graph: None, marks, done };
        if whole {
            let inner = recorded.inner.clone();
            let graph = Graph::capture(&gpu.context, || recorded.carry_out(inner, true));
            recorded.graph = Some(graph.map_err(|code| recorded.failure(code))?);
        }
        Ok(recorded)
    }

    /// Has some of the commands carried out, one after the other.
    fn carry_out(&self, which: Range<usize>, in_graph: bool) -> Outcome<()> {
        self.commands[which].iter().try_for_each(|command| match command {
            Command::Launch { kernel, bound, grid } => kernel.launch(*grid, bound),
            Command::Copy { from, to } => to.memory.copy(to.offset, from.memory, from.offset, from.bytes),
            Command::Fill { to, word } => to.memory.fill(to.offset, to.bytes, *word),
            Command::Product { parts, elems, product } => {
                let matrix = |i: usize| {
                    let Part { memory, offset, .. }: Part<'_, Gpu> = parts[i];
                    Matrix { memory, offset, elem: elems[i] }
                };
                let cublas = self.gpu.cublas.get().ok_or(Code::CUDA_ERROR_NOT_INITIALIZED)?;
                cublas.product([matrix(0), matrix(1), matrix(2)], product)
            }
            Command::Mark(mark) if in_graph => self.marks[*mark].record_in_graph(),
            Command::Mark(mark) => self.marks[*mark].record(),
        })
    }

    pub(super) fn submit(&self) -> Result<(), Failure> {
        let Range { start, end } = self.inner;
        let submitted = || {
            self.carry_out(0..start, false)?;
            match &self.graph {
                Some(graph) => graph.launch()?,
                None => self.carry_out(start..end, false)?,
            }
            self.carry_out(end..self.commands.len(), false)?;
            self.done.record()
        };
        submitted().map_err(|code| self.failure(code))
    }

    /// # Errors
    /// When the device fails or the wait is cancelled.
    pub(super) fn finish(&self, sink: &dyn Sink) -> Result<Vec<f64>, Failure> {
        self.gpu.wait(&self.done, sink, |code| self.failure(code))?;
        let Some(first) = self.marks.first() else { return Ok(Vec::new()) };
        let readings = self.marks.iter().map(|mark| mark.seconds_since(first));
        readings.collect::<Outcome<_>>().map_err(|code| self.failure(code))
    }

    /// A failure of one of the kernels that are launched.
    fn failure(&self, code: Code) -> Failure {
        let mut kernels: Vec<(&str, &str)> = Vec::new();
        for command in &self.commands {
            if let Command::Launch { kernel, .. } = command
                && !kernels.contains(&kernel.name())
            {
                kernels.push(kernel.name());
            }
        }
        named(&kernels, code)
    }
}
