//! A lesson after reading: every name resolved, every expression parsed.

use std::sync::Arc;

use serde::Deserialize;

use super::scenes::SceneKind;
use crate::base::diag::{Diagnostic, Place};
use crate::base::expr::Expr;
use crate::base::tensor::{Elem, Init};
use crate::job::{Twin, written_for_cuda};
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
    /// Sweeps over a parameter.
    pub experiments: Vec<Experiment>,
    /// What the bench measures besides the defaults; where there is nothing, the largest buffers that fit.
    pub bench: Vec<BenchSize>,
    /// The steps, in reading order.
    pub steps: Vec<Step>,
    /// Questions to answer before measuring.
    pub predictions: Vec<Prediction>,
    /// The exercise at the end.
    pub exercise: Option<Exercise>,
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
    /// The values it can take.
    pub domain: Domain,
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
    /// The shader's path within the pack, such as `shaders/coalescing/strided.wgsl`.
    pub file: String,
    /// The shader's text.
    pub source: Arc<str>,
    /// The entry point.
    pub entry: String,
    /// The same kernel in CUDA C++, where a `.cu` file of the same name lies beside the shader.
    pub cuda: Option<Twin>,
    /// How it is launched, where it is written in CUDA C++ only; `source` is CUDA C++, too, then.
    pub cuda_only: Option<CudaOnly>,
    /// A library's call that does the same work, to be timed beside it where there is that library.
    pub library: Option<LibraryDecl>,
    /// Values of the shader's `override`s, and of `const`s that are set to plain numbers.
    pub constants: Vec<(String, Expr)>,
    /// What must hold for it to be run at all.
    pub requires: Vec<Requirement>,
    /// The buffers it binds.
    pub buffers: Vec<Buffer>,
    /// Workgroups in x, y, z.
    pub grid: [Expr; 3],
    /// Bytes that the work needs to move.
    pub bytes: Expr,
    /// Floating-point operations that the work needs.
    pub flops: Expr,
    /// How to tell that it is right.
    pub check: Option<CheckDecl>,
}

impl Kernel {
    /// Whether a backend runs what it is written in. CUDA also runs the twins of kernels in WGSL, where they have one.
    #[must_use]
    pub fn runs_on(&self, backend: Backend) -> bool {
        self.cuda_only.is_none() || backend == Backend::Cuda
    }

    /// That it does not, with what does.
    #[must_use]
    pub fn not_here(&self) -> Diagnostic {
        written_for_cuda(&self.id, &self.file)
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
    /// Lanes of a workgroup in x, y, z.
    pub block: [Expr; 3],
    /// Shared memory that the launch gives each workgroup, in bytes.
    pub shared: Expr,
    /// Parameters after the buffers.
    pub maps: Vec<MapDecl>,
    /// Whether a workgroup does the work of several, so that no more are launched than the device holds at a time.
    pub persistent: bool,
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

/// A buffer that a kernel binds, by its variable's name in the shader.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The variable's name.
    pub name: String,
    /// The type of its elements (a `vec4<f32>` counts as four).
    pub elem: Elem,
    /// How many 32-bit elements.
    pub count: Expr,
    /// The columns of the row-major matrix that it is; none for a buffer that is no matrix.
    pub columns: Option<Expr>,
    /// What it holds at first.
    pub init: Init,
    /// Where random elements lie; without, as [`Init::Random`] says.
    pub within: Option<Within>,
}

/// Where a buffer's random elements lie.
#[derive(Clone, Debug)]
pub struct Within {
    /// The least.
    pub low: Expr,
    /// Above the greatest.
    pub high: Expr,
    /// The share of elements that are masked instead, from 0 to 1; none where it is left out.
    pub masked: Option<Expr>,
}

/// A comparison with a reference.
#[derive(Clone, Debug)]
pub struct CheckDecl {
    /// A name in `reference`'s table.
    pub reference: String,
    /// The reference's arguments.
    pub args: Vec<(String, Expr)>,
    /// The buffer to compare.
    pub output: String,
    /// The largest relative error allowed.
    pub tolerance: f64,
}

/// A sweep: some kernels over some values of one parameter.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its id.
    pub id: String,
    /// Its title, above the plot.
    pub title: String,
    /// The kernels, each a curve.
    pub kernels: Vec<String>,
    /// The parameter on the x axis.
    pub over: String,
    /// Its values.
    pub values: Vec<f64>,
    /// What is on the y axis.
    pub quantity: Quantity,
    /// Parameters that take the place of the learner's where a GPU measures: sizes that say something there, and that a CPU is slow with.
    pub at: Vec<(String, f64)>,
}

/// A size that the bench measures kernels at.
#[derive(Clone, Debug)]
pub struct BenchSize {
    /// Parameters that differ from their defaults.
    pub set: Vec<(String, f64)>,
    /// The kernels, by id; all where none is named.
    pub kernels: Vec<String>,
}

impl BenchSize {
    /// Whether a kernel is measured at this size.
    #[must_use]
    pub fn is_for(&self, kernel: &Kernel) -> bool {
        self.kernels.is_empty() || self.kernels.contains(&kernel.id)
    }
}

/// What an experiment plots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
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
}

impl Quantity {
    /// Whether it comes from a trace, and not from a clock.
    #[must_use]
    pub fn is_traced(self) -> bool {
        match self {
            Self::BytesPerSecond | Self::FlopsPerSecond | Self::Time => false,
            Self::SectorsPerRequest | Self::LoadedBytes => true,
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
    /// The kernel on the bench.
    pub kernel: String,
    /// Parameters set on entering the step.
    pub set: Vec<(String, f64)>,
    /// The experiment in the plot.
    pub experiment: Option<String>,
    /// The picture on the stage at first.
    pub scene: SceneKind,
    /// A part of the source line whose first access is on the stage at first; empty for the first access of all.
    pub watch: String,
    /// The prose.
    pub blocks: Vec<Block>,
}

/// A question to answer before measuring, and the measurement that answers it.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Its id.
    pub id: String,
    /// The question.
    pub question: Vec<Inline>,
    /// The answers on offer, with the number each stands for.
    pub options: Vec<(String, f64)>,
    /// The runs that answer it; each probe's results are names in `measured` and `traced`.
    pub probes: Vec<Probe>,
    /// The answer from the probes' times.
    pub measured: Expr,
    /// The answer that the probes' sectors alone suggest; shown where nothing can be timed, and beside it where it can.
    pub traced: Expr,
    /// The unit of both: `%` of a ratio, `x` for a factor.
    pub unit: String,
    /// What to understand from it, shown after the answer.
    pub because: Vec<Inline>,
}

/// One run of a prediction.
#[derive(Clone, Debug)]
pub struct Probe {
    /// Its name in the prediction's expressions.
    pub id: String,
    /// The kernel.
    pub kernel: String,
    /// Parameters that differ from the learner's.
    pub set: Vec<(String, f64)>,
}

/// A kernel to write: the learner's source takes the place of a kernel's own.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// What to do.
    pub prompt: Vec<Block>,
    /// The kernel whose launch, buffers and check it uses.
    pub kernel: String,
    /// Parameters it is judged at.
    pub set: Vec<(String, f64)>,
    /// The file it starts from, within the pack.
    pub starter_file: String,
    /// What the learner starts from: it must fail.
    pub starter: Arc<str>,
    /// One that passes.
    pub solution: Arc<str>,
    /// Besides a right result: must be nonzero. The run's results are under the name `exercise`.
    pub goal: Expr,
    /// What the goal asks, for people.
    pub goal_text: String,
}

/// A block of prose.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading below the step's own, level 3 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list; numbered from the given start, or bulleted.
    List(Option<u64>, Vec<Vec<Block>>),
    /// A quotation or an aside.
    Quote(Vec<Block>),
    /// Code in some language.
    Code(String, String),
    /// A formula on its own line, in LaTeX.
    Math(String),
    /// A table: its header, then its rows.
    Table(Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>),
    /// A prediction, by its id.
    Predict(String),
    /// The exercise.
    Exercise,
    /// A picture that the learner drags, by its name in `reference`'s table of explorers.
    Explore(String),
    /// What is folded away until the reader asks for it: its title, and what it holds.
    Unfold(String, Vec<Block>),
}

/// A piece of a line of prose.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Emphasis.
    Emph(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Code.
    Code(String),
    /// A formula in LaTeX.
    Math(String),
    /// A link: its address and its text.
    Link(String, Vec<Inline>),
    /// A live value and its unit.
    Value(Expr, String),
    /// A control for the parameter of this id.
    Control(String),
    /// A forced new line.
    Break,
}
