//! Programs: buffers, and passes over them, as a lesson declares them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{AwaitDecl, CollectiveDecl, Kernel, Lesson, Meaning, Split, WorkDecl};
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::base::tensor::{Elem, Init};
use crate::job::{Comparison, Reduction, Source};
use crate::tokenizer::tables::Table;

/// What can be run: one pass or several over buffers of its own.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name in expressions and on the command line.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Whether it is a kernel by itself, under the kernel's id.
    pub alone: bool,
    /// Whether it is timed with the same buffers each time, which the caches may then hold. Otherwise copies of them take turns.
    pub warm: bool,
    /// The buffers.
    pub buffers: Vec<Buffer>,
    /// What is done, in order.
    pub body: Vec<Node>,
    /// How to tell that it is right.
    pub checks: Vec<CheckDecl>,
    /// What is read off the buffers on the way.
    pub series: Vec<SeriesDecl>,
    /// What the whole needs; None for the sum of its passes.
    pub work: Option<WorkDecl>,
    /// How processes share it; None if it runs on one device only.
    pub split: Option<Split>,
    /// Where the lesson declares it.
    pub place: Place,
}

/// What is done next.
#[derive(Clone, Debug)]
pub enum Node {
    /// One thing.
    Pass(Box<Pass>),
    /// Something over and over.
    Repeat(Box<Repeat>),
}

/// Passes that are repeated.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// Its name in the program.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// Rounds at most.
    pub times: Expr,
    /// After a round of which this holds, there is no other.
    pub until: Option<Until>,
    /// What ranks that are processes do instead.
    pub collective: Option<CollectiveDecl>,
    /// What a round does.
    pub body: Vec<Node>,
    /// Where the lesson declares it.
    pub place: Place,
}

/// That an element of a buffer compares with a number.
#[derive(Clone, Debug)]
pub struct Until {
    /// The buffer.
    pub buffer: String,
    /// Which of its elements.
    pub index: Expr,
    /// How.
    pub comparison: Comparison,
    /// The number.
    pub value: Expr,
    /// Where the lesson says so.
    pub place: Place,
}

/// One thing done to the buffers.
#[derive(Clone, Debug)]
pub struct Pass {
    /// Its name in the program.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What it does.
    pub action: Action,
    /// The collectives that have to be over before it.
    pub awaits: Vec<AwaitDecl>,
    /// Where the lesson declares it.
    pub place: Place,
}

/// What a pass does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Launches a kernel.
    Launch(Box<LaunchDecl>),
    /// Copies one buffer to another.
    Copy(String, String),
    /// Gives every element of a buffer one value.
    Fill(String, Expr),
}

/// A launch: which kernel, on which buffers, and what is said otherwise than by the kernel itself.
#[derive(Clone, Debug)]
pub struct LaunchDecl {
    /// The kernels that can take this place, the one that does unless another is chosen first.
    pub rungs: Vec<String>,
    /// Variables of the shader that stand for buffers of other names, and where the lesson says so.
    pub bind: Vec<(String, String, Place)>,
    /// Constants with other values than the kernel's own.
    pub constants: Vec<(String, Expr)>,
    /// Another grid than the kernel's own.
    pub grid: Option<GridDecl>,
    /// Another amount of work than the kernel's own.
    pub work: Option<WorkDecl>,
}

/// Workgroups in x, y, z.
#[derive(Clone, Debug)]
pub enum GridDecl {
    /// So many.
    Fixed([Expr; 3]),
    /// As many as three words of a buffer say.
    Words {
        /// The buffer of `U32`.
        buffer: String,
        /// The first of its words.
        at: Expr,
        /// The most there can be.
        most: Box<[Expr; 3]>,
        /// Where the lesson says so.
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

/// A buffer of a program.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Its name.
    pub name: String,
    /// The type of its elements (a `vec4<f32>` counts as four).
    pub elem: Elem,
    /// How many elements.
    pub count: Expr,
    /// The columns of the row-major matrix that it is; None for a buffer that is not a matrix.
    pub columns: Option<Expr>,
    /// What its elements mean; other buffers that this refers to are here by their names.
    pub meaning: Meaning<String>,
    /// What its rows and columns stand for.
    pub legend: Legend,
    /// What it holds at first.
    pub init: InitDecl,
    /// Where the lesson declares it.
    pub place: Place,
}

/// What the rows and columns of a matrix stand for; empty if the lesson does not say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legend {
    /// A name for each column.
    pub parts: Vec<String>,
    /// What a row is: `rank`.
    pub rows: String,
    /// The unit of its elements.
    pub unit: String,
}

impl Legend {
    /// That of a buffer whose lesson says nothing.
    pub const NONE: &'static Self = &Self { parts: Vec::new(), rows: String::new(), unit: String::new() };
}

/// What a buffer holds at first.
#[derive(Clone, Debug)]
pub enum InitDecl {
    /// What needs no more words.
    Plain(Init),
    /// Uniform between bounds.
    Within {
        /// The least.
        low: Expr,
        /// Above the greatest.
        high: Expr,
        /// The share of elements that are masked instead, from 0 to 1; None where it is left out.
        masked: Option<Expr>,
    },
    /// Normally distributed.
    Normal {
        /// The mean.
        mean: Expr,
        /// The standard deviation.
        deviation: Expr,
    },
    /// Zipf's distribution.
    Zipf {
        /// How steeply it falls.
        exponent: Expr,
        /// How many numbers there are.
        values: Expr,
    },
    /// Rows that sum to one.
    Softmax {
        /// Elements in a row.
        columns: Expr,
    },
    /// The bytes of a text or file, each an element.
    Bytes(Source),
    /// A file's bytes as elements of the buffer's type.
    Elements(Source),
    /// A table of a vocabulary that is built in, by its name.
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

/// A comparison of a buffer with what it should hold.
#[derive(Clone, Debug)]
pub struct CheckDecl {
    /// The buffer.
    pub output: String,
    /// With what.
    pub against: AgainstDecl,
    /// The largest relative error allowed.
    pub tolerance: f64,
    /// What an error is relative to at least; None for the expected value alone.
    pub scale: Option<Expr>,
    /// The pass or repetition after each of whose launches or rounds it is made; None for the end.
    pub after: Option<String>,
    /// It is made only if this is not 0; None for always.
    pub when: Option<Expr>,
    /// Where the lesson declares it.
    pub place: Place,
}

/// What a buffer is compared with.
#[derive(Clone, Debug)]
pub enum AgainstDecl {
    /// A reference of ours: its name, its arguments, and the buffers that it reads under other names than its own.
    Reference(String, Vec<(String, Expr)>, Vec<(String, String)>),
    /// A plain kernel of the lesson, as a pass launches one.
    Kernel(Box<LaunchDecl>),
    /// A formula for an element, and how many elements it speaks of; None for all.
    Formula(Expr, Option<Expr>),
    /// The formula is not 0 for any element.
    Every(Expr, Option<Expr>),
    /// The formula never becomes less from one element to the next.
    SortedBy(Expr, Option<Expr>),
    /// It holds each value as often as this buffer did at first.
    Permutation(String),
    /// It holds the values that this buffer held at first.
    EqualSets(String),
    /// Its elements add up to this.
    SumsTo(Expr),
}

/// A figure that is kept of each round of a repetition, or of the end.
#[derive(Clone, Debug)]
pub struct SeriesDecl {
    /// Its name in the program.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Its unit.
    pub unit: String,
    /// The buffer.
    pub buffer: String,
    /// What is read off it: an element, or something of all.
    pub reading: ReadingDecl,
    /// The repetition of whose rounds it is kept; None for the end.
    pub each: Option<String>,
    /// Where the lesson declares it.
    pub place: Place,
}

/// What is read off a buffer.
#[derive(Clone, Debug)]
pub enum ReadingDecl {
    /// The element of this index.
    Element(Expr),
    /// Something of all its elements.
    All(Reduction),
}

/// A program with a kernel chosen for each of its places: what is run, and what results are of.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Variant {
    /// The program's id.
    pub program: String,
    /// Kernels by pass, where another than the first is chosen.
    pub rungs: BTreeMap<String, String>,
}

impl Variant {
    /// A program as it stands.
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
    /// Its passes, in the order in which they first run.
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

    /// Its repetitions, outer ones before those within.
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

    /// The program as it stands, and once with each kernel that can take one of its places.
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

    /// The pass of this id.
    #[must_use]
    pub fn pass(&self, id: &str) -> Option<&Pass> {
        self.passes().into_iter().find(|pass| pass.id == id)
    }

    /// The place of the pass of this id among [`Program::passes`].
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
    /// The program of this id.
    #[must_use]
    pub fn program(&self, id: &str) -> Option<&Program> {
        self.programs.iter().find(|program| program.id == id)
    }

    /// The kernels that a variant launches, pass by pass; of copies and fills None.
    #[must_use]
    pub fn launched(&self, variant: &Variant) -> Vec<Option<&Kernel>> {
        let Some(program) = self.program(&variant.program) else { return Vec::new() };
        program.passes().into_iter().map(|pass| self.kernel(pass.kernel(variant)?)).collect()
    }

    /// The kernels of a variant that are not written for a backend.
    pub fn elsewhere<'a>(&'a self, variant: &Variant, backend: crate::trace::record::Backend) -> Vec<&'a Kernel> {
        self.launched(variant).into_iter().flatten().filter(|kernel| !kernel.runs_on(backend)).collect()
    }

    /// Whether all kernels of a variant are written for a backend.
    #[must_use]
    pub fn runs_on(&self, variant: &Variant, backend: crate::trace::record::Backend) -> bool {
        self.elsewhere(variant, backend).is_empty()
    }

    /// What a variant is called: the program, and the kernels chosen otherwise than at first.
    #[must_use]
    pub fn title_of(&self, variant: &Variant) -> String {
        let title = self.program(&variant.program).map_or(variant.program.as_str(), |program| program.title.as_str());
        let chosen =
            variant.rungs.values().map(|id| self.kernel(id).map_or(id.as_str(), |kernel| kernel.title.as_str()));
        let chosen: Vec<&str> = chosen.collect();
        if chosen.is_empty() { title.to_owned() } else { format!("{title}: {}", chosen.join(", ")) }
    }
}
