//! Jobs: programs to run, as data only. A job is self-contained: any process can run it and get the same inputs.

mod buffer;
mod check;
mod condition;
pub mod paged;
mod share;
mod spec;

use serde::{Deserialize, Serialize};

use crate::base::diag::Place;
use crate::base::units::Work;

pub use buffer::{BufferSpec, Content, Source};
pub use check::{Against, CheckSpec, Formula, Predicate, ReferenceSignature};
pub use condition::{Comparison, Condition, Reading, Reduction, SeriesSpec};
pub use share::{AwaitSpec, CollectiveSpec, Share};
pub use spec::MeasureSpec;
pub use warpbook_tracer::dispatch::{
    Argument, Asked, Assembled, Binding, BindingKind, Blame, Caches, Code, CudaLaunch, FUEL, Grid, Language, Launch,
    Library, Product, Shipped, Shown, TensorMap, TraceSpec, Twin, Wgsl, WorkgroupShape, no_buffer, written_element,
    written_for_cuda,
};

/// A program with everything a backend needs to run, check, time and trace it: buffers, and passes over them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The program's id in its lesson, or the file's name.
    pub program: String,
    /// The place where a lesson declares it, or the file of its only kernel.
    pub place: Place,
    /// Seed of the random inputs.
    pub seed: u64,
    /// The buffers, which live as long as the program runs.
    pub buffers: Vec<BufferSpec>,
    /// The passes, in the order of their first launches.
    pub passes: Vec<Pass>,
    /// The passes and repetitions, in order.
    pub body: Vec<Node>,
    /// Checks of the results.
    pub checks: Vec<CheckSpec>,
    /// Figures recorded from the buffers while the program runs.
    pub series: Vec<SeriesSpec>,
    /// Contents of buffers to return.
    pub looks: Vec<Look>,
    /// The indices of the buffers whose contents are kept after each launch.
    pub film: Vec<usize>,
    /// Timing options; backends that cannot measure ignore them.
    pub measure: Option<MeasureSpec>,
    /// Tracing options; backends that cannot trace ignore them.
    pub trace: Option<TraceSpec>,
    /// Whether the compiler guards array indices. The tracer always does.
    pub bounds_checks: bool,
    /// Whether the compiler has to bound loops, which it does not know to terminate.
    pub bounded_loops: bool,
    /// Bytes and operations that the whole needs at least, if the lesson gives them; otherwise they are the sum over
    /// its passes.
    pub work: Option<Work>,
}

/// A pass or a repetition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// The index of a pass in [`Job::passes`].
    Pass(usize),
    /// A repetition.
    Repeat(Repeat),
}

/// Passes that are repeated. Buffers keep their contents from round to round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Its name in the program.
    pub id: String,
    /// The maximum number of rounds.
    pub times: u64,
    /// The condition that ends it, tested after each round.
    pub until: Option<Condition>,
    /// The passes and repetitions of a round.
    pub body: Vec<Node>,
}

/// One operation on the buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// Its name in the program.
    pub id: String,
    pub action: Action,
    /// Bytes and operations that one launch needs at least, from the lesson.
    pub work: Work,
}

/// The action of a pass. Buffers are given by their indices in [`Job::buffers`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    Launch(Box<Launch>),
    /// Copies one buffer to another with the same number of elements of the same type.
    Copy {
        /// The buffer that is read.
        from: usize,
        to: usize,
    },
    /// Sets every element of a buffer to one value.
    Fill {
        buffer: usize,
        value: f64,
    },
}

impl Pass {
    /// The kernel that it launches; None for a copy or a fill.
    #[must_use]
    pub fn launch(&self) -> Option<&Launch> {
        match &self.action {
            Action::Launch(launch) => Some(launch),
            Action::Copy { .. } | Action::Fill { .. } => None,
        }
    }

    /// The indices of the buffers that it may access, each with whether it may read or write it.
    pub fn touched(&self) -> impl Iterator<Item = (usize, BindingKind)> + '_ {
        let (bindings, plain) = match &self.action {
            Action::Launch(launch) => {
                let grid = match launch.grid {
                    Grid::Fixed(_) => None,
                    Grid::Words { buffer, .. } => Some((buffer, BindingKind::ReadOnly)),
                };
                (launch.bindings.as_slice(), [grid, None])
            }
            Action::Copy { from, to } => {
                (&[][..], [Some((*from, BindingKind::ReadOnly)), Some((*to, BindingKind::ReadWrite))])
            }
            Action::Fill { buffer, .. } => (&[][..], [Some((*buffer, BindingKind::ReadWrite)), None]),
        };
        plain.into_iter().flatten().chain(bindings.iter().map(|binding| (binding.buffer, binding.kind)))
    }
}

/// Contents of a buffer that the caller requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The index of the buffer.
    pub buffer: usize,
    /// The moment at which they are read.
    pub at: Moment,
    /// The first element.
    pub from: u64,
    /// The number of elements; at most to the end of the buffer.
    pub count: u64,
    /// The `.npy` file that the contents are written to; without one they are returned in the record.
    pub file: Option<std::path::PathBuf>,
}

/// A moment in a program's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// Before the first pass.
    Start,
    /// After the last pass.
    End,
    /// Right before a launch of a pass: the pass's index, and the number of its launches before this one.
    Before(usize, u64),
    /// Right after such a launch.
    After(usize, u64),
}

impl Job {
    /// A job of one launch: run only, with the seed 1, and with indices and loops guarded.
    #[must_use]
    pub fn of(launch: Launch, buffers: Vec<BufferSpec>) -> Self {
        let (program, place) = (launch.kernel.clone(), launch.place());
        let pass = Pass { id: program.clone(), action: Action::Launch(Box::new(launch)), work: Work::default() };
        Self {
            program,
            place,
            seed: 1,
            buffers,
            passes: vec![pass],
            body: vec![Node::Pass(0)],
            checks: Vec::new(),
            series: Vec::new(),
            looks: Vec::new(),
            film: Vec::new(),
            measure: None,
            trace: None,
            bounds_checks: true,
            bounded_loops: true,
            work: None,
        }
    }

    /// The kernels that it launches.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.passes.iter().filter_map(Pass::launch)
    }

    /// Whether some pass may write to a buffer.
    #[must_use]
    pub fn writes(&self, buffer: usize) -> bool {
        let written = |pass: &Pass| pass.touched().any(|(i, kind)| i == buffer && kind == BindingKind::ReadWrite);
        self.passes.iter().any(written)
    }

    /// The bytes of all buffers that the tracer holds.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        let held = |(i, buffer): (usize, &BufferSpec)| if self.is_paged(i) { paged::HELD } else { buffer.bytes() };
        self.buffers.iter().enumerate().map(held).fold(0, u64::saturating_add)
    }

    /// The repetitions, outer ones before the ones inside them.
    #[must_use]
    pub fn repeats(&self) -> Vec<&Repeat> {
        fn collect<'a>(body: &'a [Node], into: &mut Vec<&'a Repeat>) {
            for node in body {
                if let Node::Repeat(repeat) = node {
                    into.push(repeat);
                    collect(&repeat.body, into);
                }
            }
        }
        let mut repeats = Vec::new();
        collect(&self.body, &mut repeats);
        repeats
    }

    /// Whether it is a single launch of one kernel.
    #[must_use]
    pub fn is_single(&self) -> bool {
        matches!(self.body.as_slice(), [Node::Pass(_)])
    }

    /// The maximum number of launches of all passes, over all rounds; a round without launches counts as one.
    #[must_use]
    pub fn most_launches(&self) -> u64 {
        fn count(body: &[Node]) -> u64 {
            body.iter().fold(0, |sum: u64, node| {
                sum.saturating_add(match node {
                    Node::Pass(_) => 1,
                    Node::Repeat(repeat) => repeat.times.saturating_mul(count(&repeat.body).max(1)),
                })
            })
        }
        count(&self.body)
    }
}
