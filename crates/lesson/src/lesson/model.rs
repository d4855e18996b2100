//! The model of a lesson: kernels, programs, experiments and steps, with all names resolved and all expressions parsed.

use std::sync::Arc;

use serde::Deserialize;

pub use super::asked::*;
use super::picture::Picture;
pub use super::program::*;
pub use super::prose::*;
pub use super::split::{AwaitDecl, CollectiveDecl, PartDecl, Split};
use crate::base::diag::{Diagnostic, Place};
use crate::base::expr::Expr;
use crate::base::units::number;
use crate::job::{BindingKind, Language, Twin, written_for_cuda};
use crate::pack::PackFiles;
use crate::trace::record::Backend;

/// A pack: lessons in their intended reading order.
#[derive(Clone, Debug, Default)]
pub struct Pack {
    /// The lessons that could be read.
    pub lessons: Vec<Arc<Lesson>>,
}

#[derive(Clone, Debug)]
pub struct Lesson {
    /// The folder's name under `lessons/`.
    pub id: String,
    pub title: String,
    /// One sentence on what the reader will know afterwards.
    pub summary: String,
    /// Lessons of the pack, by their ids, that a reader should know before.
    pub presupposes: Vec<String>,
    /// Whether its pages show their Python at first, and not the kernel.
    pub python_first: bool,
    /// Parameters that the learner can set.
    pub params: Vec<Param>,
    /// Quantities that follow from parameters and results.
    pub values: Vec<Value>,
    /// The kernels; those of a ladder in its order.
    pub kernels: Vec<Kernel>,
    /// Programs that can be run: one for each kernel that has buffers of its own, under the kernel's id, then those of
    /// several passes.
    pub programs: Vec<Program>,
    /// Sweeps over a parameter.
    pub experiments: Vec<Experiment>,
    /// Sizes that the bench measures besides the defaults; if empty, the largest buffers that fit.
    pub bench: Vec<BenchSize>,
    /// The steps, in reading order.
    pub steps: Vec<Step>,
    /// Questions to answer before measuring.
    pub predictions: Vec<Prediction>,
    /// Kernels to write, in the order of the document.
    pub exercises: Vec<Exercise>,
    /// The pack that contains it.
    pub files: PackFiles,
}

impl Lesson {
    /// The step whose prose has a block.
    #[must_use]
    pub fn step_with(&self, block: &Block) -> Option<&Step> {
        self.steps.iter().find(|step| step.blocks.contains(block))
    }

    /// The same diagnostics, with the pack's files named as the user would name them.
    pub fn named(&self, problems: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
        problems.into_iter().map(|problem| self.files.named(problem)).collect()
    }
}

/// A parameter that the learner can set. Its id is a name in expressions.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name in expressions and on the command line.
    pub id: String,
    /// Its display name.
    pub label: String,
    /// Its effect, in a sentence.
    pub help: String,
    /// Its unit; empty for a plain count.
    pub unit: String,
    /// Its default value.
    pub default: f64,
    /// Values that are shown as words.
    pub names: Vec<(f64, String)>,
    /// The values it can take.
    pub domain: Domain,
}

impl Param {
    /// A value as the parameter's control shows it.
    #[must_use]
    pub fn words(&self, value: f64) -> String {
        let named = self.names.iter().find(|(of, _)| *of == value);
        named.map_or_else(|| number(value), |(_, name)| name.clone())
    }
}

/// The values that a parameter can take; all are whole numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum Domain {
    /// Every whole number from `min` to `max`.
    Range {
        /// The least value.
        min: f64,
        /// The greatest value.
        max: f64,
    },
    /// The powers of two from `min` to `max`, both included.
    PowersOfTwo {
        /// The least value.
        min: f64,
        /// The greatest value.
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
    /// Its display name.
    pub label: String,
    /// Its unit: an SI base unit, `%` (of a ratio) or empty.
    pub unit: String,
    /// The formula. See [`super::scope`] for the names that it may use.
    pub expr: Expr,
}

/// One kernel and how to launch it.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its name in expressions and on the command line.
    pub id: String,
    /// Its display name.
    pub title: String,
    /// The ladder that it is a rung of; empty if none.
    pub ladder: String,
    /// The change of this rung from the one before.
    pub change: String,
    /// Its source code.
    pub code: Code,
    /// The ring buffer in shared memory that its tiles go through.
    pub ring: Option<RingDecl>,
    /// A library call that does the same work, to be timed beside it if the library is available.
    pub library: Option<LibraryDecl>,
    /// Values of the shader's `override`s, and of `const`s that are set to plain numbers.
    pub constants: Vec<(String, Expr)>,
    /// Conditions under which it can be run.
    pub requires: Vec<Requirement>,
    /// Workgroups; None if each pass that launches it gives them.
    pub grid: Option<GridDecl>,
    /// Bytes and operations that its work needs.
    pub work: WorkDecl,
}

/// A kernel's source code, by language.
#[derive(Clone, Debug)]
pub enum Code {
    /// WGSL, perhaps with a twin in CUDA C++.
    Wgsl {
        /// The shader's path within the pack, such as `shaders/LESSON/KERNEL.wgsl`.
        file: String,
        /// The shader's text.
        source: Arc<str>,
        entry: String,
        /// The same kernel in CUDA C++, if there is a `.cu` file of the same name beside the shader.
        twin: Option<Twin>,
    },
    /// CUDA C++ only.
    Cuda {
        /// The text and the function.
        twin: Twin,
        /// Launch parameters that WGSL would declare.
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
    /// The path of the file with its source.
    #[must_use]
    pub fn file(&self) -> &str {
        match &self.code {
            Code::Wgsl { file, .. } => file,
            Code::Cuda { twin, .. } => &twin.file,
        }
    }

    #[must_use]
    pub fn source(&self) -> &Arc<str> {
        match &self.code {
            Code::Wgsl { source, .. } => source,
            Code::Cuda { twin, .. } => &twin.source,
        }
    }

    /// Its CUDA C++, if any.
    #[must_use]
    pub fn twin(&self) -> Option<&Twin> {
        match &self.code {
            Code::Wgsl { twin, .. } => twin.as_ref(),
            Code::Cuda { twin, .. } => Some(twin),
        }
    }

    /// Its launch parameters, if it is written in CUDA C++ only.
    #[must_use]
    pub fn cuda_only(&self) -> Option<&CudaOnly> {
        match &self.code {
            Code::Wgsl { .. } => None,
            Code::Cuda { launch, .. } => Some(launch),
        }
    }

    /// Whether a backend can run its language. CUDA also runs the twins of kernels in WGSL; the tracer runs both
    /// languages, CUDA C++ alone where a lesson says so.
    #[must_use]
    pub fn runs_on(&self, backend: Backend) -> bool {
        let only = self.cuda_only();
        match backend {
            Backend::Simt => only.is_none_or(|only| only.is_traced),
            Backend::Wgpu => only.is_none(),
            Backend::Cuda => true,
        }
    }

    /// Its text in a language; None if it has none.
    #[must_use]
    pub fn source_in(&self, language: Language) -> Option<&Arc<str>> {
        match (language, &self.code) {
            (Language::Wgsl, Code::Wgsl { source, .. }) => Some(source),
            (Language::Wgsl, Code::Cuda { .. }) => None,
            (Language::Cuda, _) => self.twin().map(|twin| &twin.source),
        }
    }

    /// The error that it does not run on a backend, naming the one that runs it.
    #[must_use]
    pub fn not_here(&self) -> Diagnostic {
        written_for_cuda(&self.id, self.file())
    }
}

/// A library call in a lesson; see [`crate::job::Library`].
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
    /// m, n and k: rows of C, columns of C, and the length of the sums.
    pub sizes: [Expr; 3],
    /// Whether B is stored transposed.
    pub b_transposed: bool,
}

/// A condition on the parameters for a kernel to be run.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// Nonzero if the requirement is met.
    pub condition: Expr,
    /// A description of the condition and its reason, as a sentence without its full stop.
    pub text: String,
    pub place: Place,
}

/// Launch parameters of a kernel in CUDA C++ only, which WGSL would declare.
#[derive(Clone, Debug)]
pub struct CudaOnly {
    /// Its first parameters, which are buffers: their names, and the kernel's access to each.
    pub parameters: Vec<(String, BindingKind)>,
    /// Parameters that are numbers, each with its place among all parameters and its name. The buffers have the other
    /// places.
    pub values: Vec<(u32, String, Expr)>,
    /// Whether pages trace it: its document says so, or the learner types it. The command line traces it where it is
    /// named.
    pub is_traced: bool,
    /// Its PTX, of a kernel in PTX: its text may be another, which the PTX was compiled from.
    pub ptx: Option<Arc<str>>,
    /// The file and the text that its PTX was compiled from, if they are given.
    pub source: Option<(String, Arc<str>)>,
    /// Lanes of a workgroup in x, y, z.
    pub block: [Expr; 3],
    /// Dynamic shared memory of each workgroup, in bytes.
    pub shared: Expr,
    /// Tensor maps, the parameters after the buffers.
    pub maps: Vec<MapDecl>,
    /// Whether a workgroup does the work of several, so that no more are launched than the device holds at once.
    pub persistent: bool,
}

/// A ring buffer of tiles in shared memory, whose places are filled and used in turn; for a figure.
#[derive(Clone, Debug, PartialEq)]
pub struct RingDecl {
    /// The number of places.
    pub places: Expr,
    /// The number of tiles that a workgroup takes through it, if the lesson says it.
    pub tiles: Option<Expr>,
    /// The threads that load, and how.
    pub load: String,
    /// The threads that multiply, and how.
    pub multiply: String,
}

impl CudaOnly {
    /// All expressions that determine the size of its launch.
    pub fn sizes(&self) -> impl Iterator<Item = &Expr> {
        let of_maps = self.maps.iter().flat_map(|map| [&map.columns, &map.rows, &map.box_columns, &map.box_rows]);
        let of_values = self.values.iter().map(|(_, _, value)| value);
        self.block.iter().chain([&self.shared]).chain(of_maps).chain(of_values)
    }
}

/// A tensor map: how tiles of a row-major matrix are fetched (see [`crate::job::TensorMap`]).
#[derive(Clone, Debug)]
pub struct MapDecl {
    /// The buffer that holds the matrix.
    pub buffer: String,
    /// Columns of the matrix.
    pub columns: Expr,
    pub rows: Expr,
    /// Columns of a tile.
    pub box_columns: Expr,
    /// Rows of a tile.
    pub box_rows: Expr,
    /// The swizzle width of a tile's rows in shared memory, in bytes; 0 for no swizzle.
    pub swizzle: u32,
}

/// A sweep: some programs over some values of one parameter.
#[derive(Clone, Debug)]
pub struct Experiment {
    pub id: String,
    /// Its title, above the plot.
    pub title: String,
    /// The programs to run, each as a curve.
    pub curves: Vec<Curve>,
    /// The parameter on the x axis.
    pub over: String,
    pub values: Vec<f64>,
    /// The quantity on the y axis.
    pub quantity: Quantity,
    /// Parameters that replace the learner's when a GPU measures: sizes that are meaningful there but slow on a CPU.
    pub at: Vec<(String, f64)>,
}

/// A program that an experiment runs, and the pass whose figures are plotted.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its id: that of the program, unless the lesson gives another.
    pub id: String,
    /// Its display name.
    pub title: String,
    /// The program to run.
    pub variant: Variant,
    /// The pass whose figures are plotted; None for the whole program.
    pub pass: Option<String>,
}

/// A size that the bench measures programs at.
#[derive(Clone, Debug)]
pub struct BenchSize {
    /// Parameters that differ from their defaults.
    pub set: Vec<(String, f64)>,
    /// The programs, by id; empty for all.
    pub programs: Vec<String>,
}

impl BenchSize {
    /// Whether a program is measured at this size.
    #[must_use]
    pub fn is_for(&self, program: &Program) -> bool {
        self.programs.is_empty() || self.programs.contains(&program.id)
    }
}

/// A quantity that an experiment can plot.
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
    /// The lesson's value of this id, with the results of the curve's runs. It may not depend on a clock.
    Value(String),
}

impl Quantity {
    /// Whether it comes from a trace, not from a clock.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        match self {
            Self::BytesPerSecond | Self::FlopsPerSecond | Self::Time => false,
            Self::SectorsPerRequest | Self::LoadedBytes | Self::Value(_) => true,
        }
    }
}

/// One step: some prose, and the state of the bench beside it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its id; the same as its heading's in the text.
    pub id: String,
    /// Its title, from the heading.
    pub title: String,
    /// The title of the part of the lesson that begins here; empty if none does.
    pub part: String,
    /// The program on the bench.
    pub variant: Variant,
    /// The pass on the stage, by its id.
    pub pass: String,
    /// Parameters set on entering the step.
    pub set: Vec<(String, f64)>,
    /// The experiment in the plot.
    pub experiment: Option<String>,
    /// The curves of the experiment that the plot shows, by their ids; empty for all.
    pub curves: Vec<String>,
    /// The initial figure on the stage.
    pub figure: Picture,
    /// Part of the source line whose first access or branch is initially on the stage; empty for the costliest access
    /// of all.
    pub watch: String,
    /// The share of a warp's events before the initial position; 0 for the beginning, less than 1.
    pub at: f64,
    /// Parts of the kernel that are initially open in the code pane, by their file names without the endings.
    pub open: Vec<String>,
    /// The launch of the pass that is initially on the stage, counted from 1; the last one if there are fewer.
    pub launch: u64,
    /// Whether this step's figure represents the lesson on the start page.
    pub cover: bool,
    /// Whether its film plays only the round of its launch.
    pub round: bool,
    /// Whether it explains the device's model, whose row the window shows from here on.
    pub model: bool,
    /// Standard terms for its subject, by which a reader may search for it.
    pub terms: Vec<String>,
    /// Concepts that it introduces.
    pub teaches: Vec<String>,
    /// The same in Python, if the lesson has it.
    pub python: Option<Arc<str>>,
    pub place: Place,
    /// The prose.
    pub blocks: Vec<Block>,
}

impl Step {
    /// The ids of the exercises in its prose.
    pub fn exercises(&self) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(|block| if let Block::Exercise(id) = block { Some(id.as_str()) } else { None })
    }

    /// The name of the first explorer in its prose.
    #[must_use]
    pub fn explorer(&self) -> Option<&str> {
        self.blocks.iter().find_map(|block| if let Block::Explore(name) = block { Some(name.as_str()) } else { None })
    }
}
