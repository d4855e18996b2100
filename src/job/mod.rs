//! What to run, as data only. A job is self-contained: any process can run it and get the same inputs.

mod buffer;
mod check;
mod condition;
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
    Asked, Binding, BindingKind, Blame, Code, CudaLaunch, FUEL, Grid, Launch, Library, Product, Shown, TensorMap,
    TraceSpec, Twin, Wgsl, WorkgroupShape, no_buffer, written_element, written_for_cuda,
};

/// A program with everything a backend needs to run, check, time and trace it: buffers, and passes over them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The program's id in its lesson, or the file's name.
    pub program: String,
    /// Where a lesson declares it, or the file with its only kernel.
    pub place: Place,
    /// Seed of the random inputs.
    pub seed: u64,
    /// The buffers, which live as long as the program runs.
    pub buffers: Vec<BufferSpec>,
    /// The passes, in the order in which they first run.
    pub passes: Vec<Pass>,
    /// What is done, in order.
    pub body: Vec<Node>,
    /// How to tell that the results are right.
    pub checks: Vec<CheckSpec>,
    /// What is read off the buffers on the way.
    pub series: Vec<SeriesSpec>,
    /// Contents of buffers to give back.
    pub looks: Vec<Look>,
    /// The buffers whose contents are kept after each launch, by their places.
    pub film: Vec<usize>,
    /// How to time it; backends that cannot measure ignore it.
    pub measure: Option<MeasureSpec>,
    /// What to trace; backends that cannot trace ignore it.
    pub trace: Option<TraceSpec>,
    /// Whether the compiler guards array indices. A tracer always does.
    pub bounds_checks: bool,
    /// Whether the compiler has to bound loops: it does not know that they end.
    pub bounded_loops: bool,
    /// What the whole needs at least, where the lesson counts it otherwise than as the sum of its passes.
    pub work: Option<Work>,
}

/// What is done next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Node {
    /// A pass, by its place in [`Job::passes`].
    Pass(usize),
    /// Something over and over.
    Repeat(Repeat),
}

/// Passes that are repeated. Their buffers keep what they hold from round to round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Its name in the program.
    pub id: String,
    /// Rounds at most.
    pub times: u64,
    /// After a round of which this holds, there is no other.
    pub until: Option<Condition>,
    /// What a round does.
    pub body: Vec<Node>,
}

/// One thing done to the buffers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pass {
    /// Its name in the program.
    pub id: String,
    /// What it does.
    pub action: Action,
    /// What one launch of it needs at least, as the lesson counts it.
    pub work: Work,
}

/// What a pass does. Buffers are named by their places in [`Job::buffers`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Action {
    /// Launches a kernel.
    Launch(Box<Launch>),
    /// Copies one buffer to another with as many elements of the same type.
    Copy {
        /// The buffer that is read.
        from: usize,
        /// The one that is written.
        to: usize,
    },
    /// Gives every element of a buffer the same value.
    Fill {
        /// The buffer.
        buffer: usize,
        /// The value.
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

    /// The buffers that it may read and those that it may write, each by its place.
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

/// Contents of a buffer that the caller wants to see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The buffer, by its place.
    pub buffer: usize,
    /// When.
    pub at: Moment,
    /// The first element.
    pub from: u64,
    /// How many elements; to the buffer's end at most.
    pub count: u64,
    /// The `.npy` file that the contents go into; without one they come back in the record.
    pub file: Option<std::path::PathBuf>,
}

/// A moment of a program's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// Before anything is done.
    Start,
    /// When all is done.
    End,
    /// Right before a launch of a pass: its place, and how many launches of it came before.
    Before(usize, u64),
    /// Right after it.
    After(usize, u64),
}

impl Job {
    /// The program of one launch: run and no more, on the seed 1, with indices and loops guarded.
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

    /// The bytes of all buffers.
    #[must_use]
    pub fn footprint(&self) -> u64 {
        self.buffers.iter().fold(0, |sum, buffer| sum.saturating_add(buffer.bytes()))
    }

    /// The repetitions, outer ones before those within.
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

    /// Whether it is one launch of one kernel.
    #[must_use]
    pub fn is_single(&self) -> bool {
        matches!(self.body.as_slice(), [Node::Pass(_)])
    }

    /// The launches of all passes at most, counting each round; a round without any counts as one.
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
