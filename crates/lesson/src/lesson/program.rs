//! Programs of a lesson: buffers, and passes over them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{AwaitDecl, CollectiveDecl, Kernel, Lesson, Split, WorkDecl};
use super::picture::Picture;
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::base::tensor::{Elem, Init};
use crate::job::{Comparison, Reduction, Source};
use crate::tokenizer::tables::Table;

/// A program that can be run: one or several passes over buffers of its own.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name in expressions and on the command line.
    pub id: String,
    /// Its display name.
    pub title: String,
    /// Whether it is a single kernel's, with the kernel's id.
    pub alone: bool,
    /// Whether it is timed with the same buffers each time, so that they may be in the caches. Otherwise the samples
    /// rotate among copies.
    pub warm: bool,
    pub buffers: Vec<Buffer>,
    /// The passes and repetitions, in order.
    pub body: Vec<Node>,
    /// Checks of its results.
    pub checks: Vec<CheckDecl>,
    /// Figures recorded from its buffers while it runs.
    pub series: Vec<SeriesDecl>,
    /// Bytes and operations that the whole needs; None for the sum of its passes.
    pub work: Option<WorkDecl>,
    /// How it is split over processes; None if it runs on one device only.
    pub split: Option<Split>,
    pub place: Place,
}

/// A pass or a repetition.
#[derive(Clone, Debug)]
pub enum Node {
    Pass(Box<Pass>),
    /// Several passes, repeated.
    Repeat(Box<Repeat>),
}

/// Passes that are repeated.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Its name in the program.
    pub id: String,
    /// Its display name.
    pub title: String,
    /// The name of a round; empty if pictures do not number them.
    pub turn: String,
    /// The maximum number of rounds.
    pub times: Expr,
    /// The condition that ends it, tested after each round.
    pub until: Option<Until>,
    /// The collective that ranks run in its place if they are processes.
    pub collective: Option<CollectiveDecl>,
    /// The passes and repetitions of a round.
    pub body: Vec<Node>,
    pub place: Place,
}

/// A comparison of a buffer's element with a number.
#[derive(Clone, Debug)]
pub struct Until {
    pub buffer: String,
    /// The index of the element.
    pub index: Expr,
    pub comparison: Comparison,
    /// The number.
    pub value: Expr,
    pub place: Place,
}

/// One operation on the buffers.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Its name in the program.
    pub id: String,
    /// Its display name.
    pub title: String,
    pub action: Action,
    /// The collectives that it waits for.
    pub awaits: Vec<AwaitDecl>,
    pub place: Place,
}

#[derive(Clone, Debug)]
pub enum Action {
    Launch(Box<LaunchDecl>),
    /// Copies one buffer to another.
    Copy(String, String),
    /// Sets every element of a buffer to one value.
    Fill(String, Expr),
}

/// A launch: the kernel, its buffers, and the values that differ from the kernel's own.
#[derive(Clone, Debug)]
pub struct LaunchDecl {
    /// The kernels that can be launched here; the first one unless another is chosen.
    pub rungs: Vec<String>,
    /// Shader variables that are bound to buffers of other names, with the place in the lesson.
    pub bind: Vec<(String, String, Place)>,
    /// Constants whose values differ from the kernel's own.
    pub constants: Vec<(String, Expr)>,
    /// A grid instead of the kernel's own.
    pub grid: Option<GridDecl>,
    /// An amount of work instead of the kernel's own.
    pub work: Option<WorkDecl>,
}

/// Workgroups in x, y, z.
#[derive(Clone, Debug)]
pub enum GridDecl {
    /// These numbers.
    Fixed([Expr; 3]),
    /// Three words of a buffer, for an indirect dispatch.
    Words {
        /// The buffer of `U32`.
        buffer: String,
        /// The index of the first of the words.
        at: Expr,
        /// The maximum grid.
        most: Box<[Expr; 3]>,
        place: Place,
    },
}

impl GridDecl {
    /// All expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let (sizes, at) = match self {
            Self::Fixed(sizes) => (sizes, None),
            Self::Words { at, most, .. } => (&**most, Some(at)),
        };
        sizes.iter().chain(at)
    }
}

#[derive(Clone, Debug)]
pub struct Buffer {
    pub name: String,
    /// The type of its elements (a `vec4<f32>` counts as four).
    pub elem: Elem,
    /// The number of elements.
    pub count: Expr,
    /// The columns of the row-major matrix that it holds; None if it is not a matrix.
    pub columns: Option<Expr>,
    /// The meaning of its elements, if they are more than numbers. `figures` lists the meanings.
    pub means: Option<Picture>,
    /// Names of its rows and columns, and the unit.
    pub legend: Legend,
    pub init: InitDecl,
    pub place: Place,
}

/// Names of the rows and columns of a matrix, and the unit of its elements; empty if the lesson does not give them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// A name for each column.
    pub parts: Vec<String>,
    /// The name of a row: `rank`.
    pub rows: String,
    /// The name of a column: `key`.
    pub across: String,
    /// A name for each row, all different: `bytes`, `operations`.
    pub names: Vec<String>,
    /// The unit of its elements.
    pub unit: String,
}

impl Legend {
    /// The legend of a buffer for which the lesson gives none.
    pub const NONE: &'static Self =
        &Self { parts: Vec::new(), rows: String::new(), across: String::new(), names: Vec::new(), unit: String::new() };
}

/// The initial contents of a buffer.
#[derive(Clone, Debug)]
pub enum InitDecl {
    /// Contents without parameters.
    Plain(Init),
    /// Uniformly distributed between bounds.
    Within {
        /// The lower bound.
        low: Expr,
        /// The upper bound, which is excluded.
        high: Expr,
        /// The share of elements that are masked instead, from 0 to 1; None if the lesson does not give it.
        masked: Option<Expr>,
    },
    /// Normally distributed.
    Normal {
        mean: Expr,
        /// The standard deviation.
        deviation: Expr,
    },
    /// Zipf's distribution.
    Zipf {
        exponent: Expr,
        /// The number of different values.
        values: Expr,
    },
    /// Rows that sum to one.
    Softmax {
        /// Elements in a row.
        columns: Expr,
    },
    /// The bytes of a text or file, one per element.
    Bytes(Source),
    /// A file's bytes as elements of the buffer's type.
    Elements(Source),
    /// A table of a built-in vocabulary, which is given by its name.
    Vocabulary(String, Table),
}

impl InitDecl {
    /// All expressions in it.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let found = match self {
            Self::Plain(_) | Self::Bytes(_) | Self::Elements(_) | Self::Vocabulary(..) => [None, None, None],
            Self::Within { low, high, masked } => [Some(low), Some(high), masked.as_ref()],
            Self::Softmax { columns } => [Some(columns), None, None],
            Self::Normal { mean: a, deviation: b } | Self::Zipf { exponent: a, values: b } => [Some(a), Some(b), None],
        };
        found.into_iter().flatten()
    }
}

/// A comparison of a buffer with its expected contents.
#[derive(Clone, Debug)]
pub struct CheckDecl {
    /// The buffer.
    pub output: String,
    /// The expected contents.
    pub against: AgainstDecl,
    /// The largest relative error allowed.
    pub tolerance: f64,
    /// The least magnitude that an error is relative to; None for the expected value alone.
    pub scale: Option<Expr>,
    /// The pass or repetition after each of whose launches or rounds the check runs; None for the end.
    pub after: Option<String>,
    /// The check runs only if this is not 0; None for always.
    pub when: Option<Expr>,
    pub place: Place,
}

/// The expected contents of a buffer.
#[derive(Clone, Debug)]
pub enum AgainstDecl {
    /// A reference on the CPU: its name, its arguments, and the buffers that it reads under other names than its own.
    Reference(String, Vec<(String, Expr)>, Vec<(String, String)>),
    /// A plain kernel of the lesson, with its launch.
    Kernel(Box<LaunchDecl>),
    /// A formula for an element, and the number of elements that it covers; None for all.
    Formula(Expr, Option<Expr>),
    /// The formula is not 0 for any element.
    Every(Expr, Option<Expr>),
    /// The formula never decreases from one element to the next.
    SortedBy(Expr, Option<Expr>),
    /// It holds each value as often as this buffer initially did.
    Permutation(String),
    /// It holds the same set of values that this buffer initially held.
    EqualSets(String),
    /// Its elements add up to this.
    SumsTo(Expr),
}

/// A figure that is recorded after each round of a repetition, or at the end.
#[derive(Clone, Debug)]
pub struct SeriesDecl {
    /// Its name in the program.
    pub id: String,
    /// Its display name.
    pub label: String,
    pub unit: String,
    pub buffer: String,
    /// The reading: an element, or a reduction of all.
    pub reading: ReadingDecl,
    /// The repetition after whose rounds it is recorded; None for the end.
    pub each: Option<String>,
    pub place: Place,
}

/// A reading of a buffer.
#[derive(Clone, Debug)]
pub enum ReadingDecl {
    /// The element of this index.
    Element(Expr),
    /// A reduction of all its elements.
    All(Reduction),
}

/// A program with a kernel chosen for each of its passes: this is what is run, and what results belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The program's id.
    pub program: String,
    /// Kernels by pass, if another than the first is chosen.
    pub rungs: BTreeMap<String, String>,
}

impl Variant {
    /// A program with its first kernels.
    #[must_use]
    pub fn plain(program: &str) -> Self {
        Self { program: program.to_owned(), rungs: BTreeMap::new() }
    }
}

impl std::fmt::Display for Variant {
    /// `program`, or `program[pass=kernel,…]`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.program)?;
        for (i, (pass, kernel)) in self.rungs.iter().enumerate() {
            write!(f, "{}{pass}={kernel}", if i == 0 { "[" } else { "," })?;
        }
        f.write_str(if self.rungs.is_empty() { "" } else { "]" })
    }
}

impl Program {
    /// Its passes, in the order of their first launches.
    #[must_use]
    pub fn passes(&self) -> Vec<&Pass> {
        let mut found = Vec::new();
        walk(&self.body, &mut |node| {
            if let Node::Pass(pass) = node {
                found.push(&**pass);
            }
        });
        found
    }

    /// Its repetitions, outer ones before the ones inside them.
    #[must_use]
    pub fn repeats(&self) -> Vec<&Repeat> {
        let mut found = Vec::new();
        walk(&self.body, &mut |node| {
            if let Node::Repeat(repeat) = node {
                found.push(&**repeat);
            }
        });
        found
    }

    /// The program with its first kernels, and one variant for each other kernel that a pass can launch.
    #[must_use]
    pub fn variants(&self) -> Vec<Variant> {
        let mut all = vec![Variant::plain(&self.id)];
        for pass in self.passes() {
            for rung in pass.launch().into_iter().flat_map(|launch| launch.rungs.iter().skip(1)) {
                all.push(Variant { program: self.id.clone(), rungs: [(pass.id.clone(), rung.clone())].into() });
            }
        }
        all
    }

    #[must_use]
    pub fn pass(&self, id: &str) -> Option<&Pass> {
        self.passes().into_iter().find(|pass| pass.id == id)
    }

    /// The index of the pass of this id in [`Program::passes`].
    #[must_use]
    pub fn place_of(&self, id: &str) -> Option<usize> {
        self.passes().iter().position(|pass| pass.id == id)
    }
}

fn walk<'a>(body: &'a [Node], see: &mut dyn FnMut(&'a Node)) {
    for node in body {
        see(node);
        if let Node::Repeat(repeat) = node {
            walk(&repeat.body, see);
        }
    }
}

impl Pass {
    /// Its launch; None for a copy or a fill.
    #[must_use]
    pub fn launch(&self) -> Option<&LaunchDecl> {
        match &self.action {
            Action::Launch(launch) => Some(launch),
            Action::Copy(..) | Action::Fill(..) => None,
        }
    }

    /// The id of the kernel that it launches in a variant of its program; None for a copy or a fill.
    #[must_use]
    pub fn kernel<'a>(&'a self, variant: &'a Variant) -> Option<&'a str> {
        let chosen = variant.rungs.get(&self.id).map(String::as_str);
        chosen.or(self.launch()?.rungs.first().map(String::as_str))
    }
}

impl Lesson {
    #[must_use]
    pub fn program(&self, id: &str) -> Option<&Program> {
        self.programs.iter().find(|program| program.id == id)
    }

    /// The kernels that share a kernel's ladder, in its order; only the kernel itself if it is in none.
    pub fn rungs<'a>(&'a self, kernel: &'a Kernel) -> impl Iterator<Item = &'a Kernel> {
        let with = |k: &&Kernel| k.id == kernel.id || (!k.ladder.is_empty() && k.ladder == kernel.ladder);
        self.kernels.iter().filter(with)
    }

    /// The kernels that a variant launches, pass by pass; None for copies and fills.
    #[must_use]
    pub fn launched(&self, variant: &Variant) -> Vec<Option<&Kernel>> {
        let Some(program) = self.program(&variant.program) else { return Vec::new() };
        program.passes().into_iter().map(|pass| self.kernel(pass.kernel(variant)?)).collect()
    }

    /// The kernels of a variant that a backend cannot run.
    pub fn elsewhere<'a>(&'a self, variant: &Variant, backend: crate::trace::record::Backend) -> Vec<&'a Kernel> {
        self.launched(variant).into_iter().flatten().filter(|kernel| !kernel.runs_on(backend)).collect()
    }

    /// Whether a backend can run all kernels of a variant.
    #[must_use]
    pub fn runs_on(&self, variant: &Variant, backend: crate::trace::record::Backend) -> bool {
        self.elsewhere(variant, backend).is_empty()
    }

    /// The display name of a variant: the program, and the kernels other than the first ones.
    #[must_use]
    pub fn title_of(&self, variant: &Variant) -> String {
        let title = self.program(&variant.program).map_or(variant.program.as_str(), |program| program.title.as_str());
        let chosen =
            variant.rungs.values().map(|id| self.kernel(id).map_or(id.as_str(), |kernel| kernel.title.as_str()));
        let chosen: Vec<&str> = chosen.collect();
        if chosen.is_empty() { title.to_owned() } else { format!("{title}: {}", chosen.join(", ")) }
    }
}
