//! A lesson after reading: every name resolved, every expression parsed.

use std::sync::Arc;

use serde::Deserialize;

pub use super::asked::*;
pub use super::meaning::*;
use super::picture::Picture;
pub use super::program::*;
pub use super::prose::*;
pub use super::split::{AwaitDecl, CollectiveDecl, PartDecl, Split};
use crate::base::diag::{Diagnostic, Place};
use crate::base::expr::Expr;
use crate::base::units::number;
use crate::job::{BindingKind, Twin, written_for_cuda};
use crate::pack::PackFiles;
use crate::trace::record::Backend;

/// A pack: lessons in the order in which they are meant to be read.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The lessons that could be read.
    pub lessons: Vec<Arc<Lesson>>,
}

/// One lesson.
#[derive(Clone, Debug)]
pub struct Lesson {
    /// The folder's name under `lessons/`.
    pub id: String,
    /// The title.
    pub title: String,
    /// One sentence on what the reader will know afterwards.
    pub summary: String,
    /// What the learner can turn.
    pub params: Vec<Param>,
    /// Quantities that follow from parameters and results.
    pub values: Vec<Value>,
    /// The kernels, ladders in their order.
    pub kernels: Vec<Kernel>,
    /// What can be run: a program for each kernel that has buffers of its own, under the kernel's id, then those of several passes.
    pub programs: Vec<Program>,
    /// Sweeps over a parameter.
    pub experiments: Vec<Experiment>,
    /// What the bench measures besides the defaults; where there is nothing, the largest buffers that fit.
    pub bench: Vec<BenchSize>,
    /// The steps, in reading order.
    pub steps: Vec<Step>,
    /// Questions to answer before measuring.
    pub predictions: Vec<Prediction>,
    /// Kernels to write, in the order in which the document has them.
    pub exercises: Vec<Exercise>,
    /// The pack that it is of.
    pub files: PackFiles,
}

impl Lesson {
    /// The same problems, with the pack's files named as their user would.
    pub fn named(&self, problems: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
        problems.into_iter().map(|problem| self.files.named(problem)).collect()
    }
}

/// Something the learner can turn. Its id is a name in expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name in expressions and on the command line.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// What it does, in a sentence.
    pub help: String,
    /// Its unit; empty for a plain count.
    pub unit: String,
    /// Its value at first.
    pub default: f64,
    /// What 0 stands for, in a word that is shown in its place; empty where it is a number like others.
    pub zero: String,
    /// The values it can take.
    pub domain: Domain,
}

impl Param {
    /// A value as its control shows it.
    #[must_use]
    pub fn words(&self, value: f64) -> String {
        if value == 0.0 && !self.zero.is_empty() { self.zero.clone() } else { number(value) }
    }
}

/// The values a parameter can take; all are whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// Every whole number from `min` to `max`.
    Range {
        /// Least.
        min: f64,
        /// Greatest.
        max: f64,
    },
    /// The powers of two from `min` to `max`, both included.
    PowersOfTwo {
        /// Least.
        min: f64,
        /// Greatest.
        max: f64,
    },
    /// These and no others, in this order.
    Choice(Vec<f64>),
}

/// A named quantity that follows from others.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its name in expressions.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Its unit: an SI base unit, `%` (of a ratio) or empty.
    pub unit: String,
    /// Where it comes from. See [`super::scope`] for the names it may use.
    pub expr: Expr,
}

/// One kernel and how to launch it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name in expressions and on the command line.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// The ladder it is a rung of; empty when it stands alone.
    pub ladder: String,
    /// What this rung changes against the one before it.
    pub change: String,
    /// What it is written in.
    pub code: Code,
    /// A library's call that does the same work, to be timed beside it where there is that library.
    pub library: Option<LibraryDecl>,
    /// Values of the shader's `override`s, and of `const`s that are set to plain numbers.
    pub constants: Vec<(String, Expr)>,
    /// What must hold for it to be run at all.
    pub requires: Vec<Requirement>,
    /// Workgroups; None where each pass that launches it says how many.
    pub grid: Option<GridDecl>,
    /// What its work needs.
    pub work: WorkDecl,
}

/// What a kernel is written in.
#[derive(Clone, Debug)]
pub enum Code {
    /// WGSL, perhaps with a twin in CUDA C++.
    Wgsl {
        /// The shader's path within the pack, such as `shaders/LESSON/KERNEL.wgsl`.
        file: String,
        /// The shader's text.
        source: Arc<str>,
        /// The entry point.
        entry: String,
        /// The same kernel in CUDA C++, where a `.cu` file of the same name lies beside the shader.
        twin: Option<Twin>,
    },
    /// CUDA C++ only.
    Cuda {
        /// The text and the function.
        twin: Twin,
        /// What the WGSL would have said.
        launch: Box<CudaOnly>,
    },
}

/// Bytes and operations that some work needs.
#[derive(Clone, Debug)]
pub struct WorkDecl {
    /// Bytes to move.
    pub bytes: Expr,
    /// Floating-point operations.
    pub flops: Expr,
}

impl Kernel {
    /// The path of the file that it is read in.
    #[must_use]
    pub fn file(&self) -> &str {
        match &self.code {
            Code::Wgsl { file, .. } => file,
            Code::Cuda { twin, .. } => &twin.file,
        }
    }

    /// The text that it is read in.
    #[must_use]
    pub fn source(&self) -> &Arc<str> {
        match &self.code {
            Code::Wgsl { source, .. } => source,
            Code::Cuda { twin, .. } => &twin.source,
        }
    }

    /// Its CUDA C++, where there is some.
    #[must_use]
    pub fn twin(&self) -> Option<&Twin> {
        match &self.code {
            Code::Wgsl { twin, .. } => twin.as_ref(),
            Code::Cuda { twin, .. } => Some(twin),
        }
    }

    /// How it is launched, where it is written in CUDA C++ only.
    #[must_use]
    pub fn cuda_only(&self) -> Option<&CudaOnly> {
        match &self.code {
            Code::Wgsl { .. } => None,
            Code::Cuda { launch, .. } => Some(launch),
        }
    }

    /// Whether a backend runs what it is written in. CUDA also runs the twins of kernels in WGSL, where they have one.
    #[must_use]
    pub fn runs_on(&self, backend: Backend) -> bool {
        self.cuda_only().is_none() || backend == Backend::Cuda
    }

    /// That it does not, with what does.
    #[must_use]
    pub fn not_here(&self) -> Diagnostic {
        written_for_cuda(&self.id, self.file())
    }
}

/// A library's call, as a lesson asks for it; see [`crate::job::Library`].
#[derive(Clone, Debug)]
pub enum LibraryDecl {
    /// A copy from one buffer to the other.
    Copy(String, String),
    /// A product of matrices.
    Product(Box<ProductDecl>),
}

/// A product of matrices, C = A · B.
#[derive(Clone, Debug)]
pub struct ProductDecl {
    /// The buffers of A, B and C.
    pub buffers: [String; 3],
    /// m, n and k: rows of C, columns of C, and what is summed over.
    pub sizes: [Expr; 3],
    /// Whether B is stored transposed.
    pub b_transposed: bool,
}

/// What parameters must keep to for a kernel to be run.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Not 0 where it holds.
    pub condition: Expr,
    /// What it asks and why, for people, as a sentence without its full stop.
    pub text: String,
    /// Where the lesson says so.
    pub place: Place,
}

/// What the WGSL would have said of a kernel that is written in CUDA C++ only.
#[derive(Clone, Debug)]
pub struct CudaOnly {
    /// Its first parameters, which are buffers, by name, and what it does to each.
    pub parameters: Vec<(String, BindingKind)>,
    /// Lanes of a workgroup in x, y, z.
    pub block: [Expr; 3],
    /// Shared memory that the launch gives each workgroup, in bytes.
    pub shared: Expr,
    /// Parameters after the buffers.
    pub maps: Vec<MapDecl>,
    /// Whether a workgroup does the work of several, so that no more are launched than the device holds at a time.
    pub persistent: bool,
    /// The ring of places that its tiles go through.
    pub ring: Option<Ring>,
}

/// Places for tiles in shared memory that are filled and used in turn, for a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    /// How many.
    pub places: u32,
    /// Who loads, and how.
    pub load: String,
    /// Who multiplies, and how.
    pub multiply: String,
}

impl CudaOnly {
    /// All expressions that its launch is sized by.
    pub fn sizes(&self) -> impl Iterator<Item = &Expr> {
        let of_maps = self.maps.iter().flat_map(|map| [&map.columns, &map.rows, &map.box_columns, &map.box_rows]);
        self.block.iter().chain([&self.shared]).chain(of_maps)
    }
}

/// How tiles of a row-major matrix are fetched as a whole (see [`crate::job::TensorMap`]).
#[derive(Clone, Debug)]
pub struct MapDecl {
    /// The buffer that holds the matrix.
    pub buffer: String,
    /// Columns of the matrix.
    pub columns: Expr,
    /// Its rows.
    pub rows: Expr,
    /// Columns of a tile.
    pub box_columns: Expr,
    /// Rows of a tile.
    pub box_rows: Expr,
    /// Bytes over which a tile's rows are mixed in shared memory; 0 for not at all.
    pub swizzle: u32,
}

/// A sweep: some programs over some values of one parameter.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its id.
    pub id: String,
    /// Its title, above the plot.
    pub title: String,
    /// What is run, each a curve.
    pub curves: Vec<Curve>,
    /// The parameter on the x axis.
    pub over: String,
    /// Its values.
    pub values: Vec<f64>,
    /// What is on the y axis.
    pub quantity: Quantity,
    /// Parameters that take the place of the learner's where a GPU measures: sizes that say something there, and that a CPU is slow with.
    pub at: Vec<(String, f64)>,
}

/// A program that an experiment runs, and which of its figures is plotted.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its id: what is run, unless the lesson says otherwise.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What is run.
    pub variant: Variant,
    /// The pass whose figures are plotted; None for the whole program's.
    pub pass: Option<String>,
}

/// A size that the bench measures programs at.
#[derive(Clone, Debug)]
pub struct BenchSize {
    /// Parameters that differ from their defaults.
    pub set: Vec<(String, f64)>,
    /// The programs, by id; all where none is named.
    pub programs: Vec<String>,
}

impl BenchSize {
    /// Whether a program is measured at this size.
    #[must_use]
    pub fn is_for(&self, program: &Program) -> bool {
        self.programs.is_empty() || self.programs.contains(&program.id)
    }
}

/// What an experiment plots.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub enum Quantity {
    /// Useful bytes per second.
    BytesPerSecond,
    /// Useful floating-point operations per second.
    FlopsPerSecond,
    /// Seconds.
    Time,
    /// From the trace: global load sectors per request.
    SectorsPerRequest,
    /// From the trace: bytes that lanes load from global memory.
    LoadedBytes,
    /// The lesson's value of this id, with the results of what the curve runs. It may not depend on a clock.
    Value(String),
}

impl Quantity {
    /// Whether it comes from a trace, and not from a clock.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        match self {
            Self::BytesPerSecond | Self::FlopsPerSecond | Self::Time => false,
            Self::SectorsPerRequest | Self::LoadedBytes | Self::Value(_) => true,
        }
    }
}

/// One step: some prose, and how the bench stands beside it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its id; the same as its heading's in the text.
    pub id: String,
    /// Its title, from the heading.
    pub title: String,
    /// What is on the bench.
    pub variant: Variant,
    /// The pass on the stage, by its id.
    pub pass: String,
    /// Parameters set on entering the step.
    pub set: Vec<(String, f64)>,
    /// The experiment in the plot.
    pub experiment: Option<String>,
    /// The figure on the stage at first.
    pub figure: Picture,
    /// A part of the source line whose first access, or branch, is on the stage at first; empty for the costliest access of all.
    pub watch: String,
    /// From which share of a warp's events on; 0 for the beginning, less than 1.
    pub at: f64,
    /// Parts of the kernel that the code pane shows open at first, by their files' names without the endings.
    pub open: Vec<String>,
    /// Rows and columns of the block that a lane computes, as the explorer of registers begins.
    pub block: Option<[usize; 2]>,
    /// The launch of the pass that is on the stage at first, from 1; the last one if there are fewer.
    pub launch: u64,
    /// Whether the start page shows this step's picture for the lesson.
    pub cover: bool,
    /// Where the lesson declares it.
    pub place: Place,
    /// The prose.
    pub blocks: Vec<Block>,
}

impl Step {
    /// The exercises in its prose, by their ids.
    pub fn exercises(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| if let Block::Exercise(id) = block { Some(id.as_str()) } else { None })
    }

    /// The first explorer in its prose, by its name.
    #[must_use]
    pub fn explorer(&self) -> Option<&str> {
        self.blocks.iter().find_map(|block| if let Block::Explore(name) = block { Some(name.as_str()) } else { None })
    }
}
