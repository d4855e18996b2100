//! The format of `lesson.ron`, field by field, read without resolving names.
//!
//! Names are noted in [`Mentions`] and resolved by `check`, so that one reading reports every mistake.

use serde::Deserialize;

use super::conditions::{Condition, RequiredValue, Wanted};
use super::excerpt::Source;
use super::fields::{Fields, Node, Text};
use super::mention::{Access, Mentions, Of};
use super::model::{Code, Domain, Kernel, Lesson, Param, Program, Value, Variant, WorkDecl};
use super::records;
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::job::{ReferenceSignature, Twin};
use crate::pack::PackFiles;

/// The version of `lesson.ron` and `index.ron` that this program writes. It also reads earlier ones: the first had no
/// programs of several passes, the second no figures with arguments.
pub const FORMAT_VERSION: u32 = 3;

const FIRST_VERSION: u32 = 1;

/// The format's version, if this program can read it.
pub(super) fn version(fields: &Fields<'_>, what: &str) -> Option<u32> {
    let node = fields.get("format_version")?;
    let version = node.read::<u32>("a version")?;
    if (FIRST_VERSION..=FORMAT_VERSION).contains(&version) {
        return Some(version);
    }
    let message =
        format!("this {what} has format {version}, and this program reads formats {FIRST_VERSION} to {FORMAT_VERSION}");
    node.error(message, "use the program that it was written for, or rewrite it");
    None
}

/// A lesson as far as it could be read, with the data that `check` needs.
pub(super) struct Draft {
    /// Parts with mistakes are left out; steps do not yet have titles or prose.
    pub lesson: Lesson,
    /// Every declared id, including those of parts with mistakes.
    pub declared: Vec<Declared>,
    /// The place of its steps, or of the file if it has none; None if `steps` is not a list, which has been reported.
    pub steps: Option<Place>,
    /// Expressions that size the kernels' runs.
    pub required: Vec<RequiredValue>,
    /// Requirements of kernels.
    pub conditions: Vec<Condition>,
}

/// An id and where it is declared.
pub(super) struct Declared {
    pub kind: Kind,
    pub id: String,
    pub place: Place,
}

/// The kind of thing that an id names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Param,
    Value,
    Kernel,
    Program,
    /// A pass, repetition or series of the program with this index: ids within it.
    Part(usize),
    Experiment,
    Step,
    Prediction,
    Exercise,
}

/// The context in which a document is read.
pub(super) struct Reading<'a> {
    pub files: &'a PackFiles,
    /// The lesson's id.
    pub id: &'a str,
    pub references: &'a [ReferenceSignature],
    pub mentions: &'a Mentions,
}

/// Reads `source`; mistakes go to its findings.
pub(super) fn read(source: &Source<'_>, reading: &Reading<'_>) -> Option<Draft> {
    let mut fields = Node::whole(source).fields(&records::LESSON)?;
    // A lesson without a version is reported as such, and read as the current one.
    let version = match fields.get("format_version") {
        Some(_) => version(&fields, "lesson")?,
        None => FORMAT_VERSION,
    };
    let mut reader = Reader {
        reading,
        version,
        declared: Vec::new(),
        required: Vec::new(),
        conditions: Vec::new(),
        programs: Vec::new(),
    };
    let mut lesson = Lesson {
        id: reading.id.to_owned(),
        title: fields.text("title").map(|text| text.value).unwrap_or_default(),
        summary: fields.text("summary").map(|text| text.value).unwrap_or_default(),
        presupposes: words(&fields, "presupposes"),
        python_first: fields.get("python_first").and_then(|node| node.read("true or false")).unwrap_or_default(),
        params: each(&fields, "params", |node| reader.param(node)),
        values: each(&fields, "values", |node| reader.value(node)),
        kernels: each(&fields, "kernels", |node| reader.kernel(node)),
        programs: each(&fields, "programs", |node| reader.program(node)),
        experiments: each(&fields, "experiments", |node| reader.experiment(node)),
        bench: each(&fields, "bench", |node| reader.bench_size(node)),
        steps: each(&fields, "steps", |node| reader.step(node)),
        predictions: each(&fields, "predictions", |node| reader.prediction(node)),
        exercises: each(&fields, "exercises", |node| reader.exercise(node)),
        files: reading.files.clone(),
    };
    lesson.programs.splice(0..0, reader.programs);
    if let Some(node) = fields.former("exercise") {
        let hint = "write `exercises: [(id: \"a_name\", …)]`, and {{exercise a_name}} in text.md";
        node.error("a lesson has a list of exercises, each with an id", hint);
    }
    let listed = |node: Node<'_>| node.raw.starts_with('[').then(|| node.place());
    let steps = fields.get("steps").map_or_else(|| Some(source.place(0)), listed);
    fields.finish();
    Some(Draft { lesson, declared: reader.declared, steps, required: reader.required, conditions: reader.conditions })
}

/// The maximum number of items in a list.
const MOST_ITEMS: usize = 1000;

/// The items of a list that could be read.
pub(super) fn each<'a, T>(fields: &Fields<'a>, name: &'static str, read: impl FnMut(Node<'a>) -> Option<T>) -> Vec<T> {
    let items = fields.list(name).unwrap_or_default();
    if let Some(node) = items.get(MOST_ITEMS) {
        let message = format!("`{name}` has {} entries, and the maximum is {MOST_ITEMS}", items.len());
        node.error(message, "make several lessons of it");
    }
    items.into_iter().take(MOST_ITEMS).filter_map(read).collect()
}

/// A list of texts; empty if there is no such field.
pub(super) fn words(fields: &Fields<'_>, name: &'static str) -> Vec<String> {
    each(fields, name, |node| Some(node.text()?.value))
}

#[derive(Deserialize)]
enum DomainDocument {
    Range(f64, f64),
    PowersOfTwo(f64, f64),
    Choice(Vec<f64>),
}

/// The state of the caches when a program is timed.
#[derive(Deserialize, PartialEq)]
enum CacheDocument {
    Cold,
    Warm,
}

pub(super) struct Reader<'a> {
    pub reading: &'a Reading<'a>,
    /// The format's version.
    pub version: u32,
    pub declared: Vec<Declared>,
    required: Vec<RequiredValue>,
    pub conditions: Vec<Condition>,
    /// Programs of kernels by themselves.
    programs: Vec<Program>,
}

impl Reader<'_> {
    /// The id of an item. Ids that expressions use are names; others may have hyphens.
    pub(super) fn id(&mut self, fields: &Fields<'_>, kind: Kind) -> Option<String> {
        let text = fields.text("id")?;
        let hyphens = matches!(kind, Kind::Experiment | Kind::Step | Kind::Prediction | Kind::Exercise);
        if !is_id(&text.value, hyphens) {
            let hint = if hyphens { "letters, digits, - and _" } else { "letters, digits and _" };
            text.error(format!("`{}` cannot be an id", text.value), format!("use {hint}, beginning with a letter"));
        }
        let place = text.excerpt().place(0);
        self.declared.push(Declared { kind, id: text.value.clone(), place });
        Some(text.value)
    }

    pub fn expr(&self, node: Option<Node<'_>>, access: &Access) -> Option<Expr> {
        let text = node?.text()?;
        self.reading.mentions.expr(text.excerpt(), access)
    }

    /// An expression that sizes runs of `owner`, a kernel or a program: a count of at least `least`, if that is given.
    pub(super) fn figure(&mut self, owner: &str, node: Option<Node<'_>>, least: Option<u64>) -> Option<Expr> {
        self.wanted(owner, node, least.map_or(Wanted::Number, Wanted::Count))
    }

    /// An expression that sizes runs of `owner`.
    pub fn wanted(&mut self, owner: &str, node: Option<Node<'_>>, wanted: Wanted) -> Option<Expr> {
        let node = node?;
        let expr = self.expr(Some(node), &Access::Fixed)?;
        self.require(owner, node, expr.clone(), wanted);
        Some(expr)
    }

    /// Records an expression whose names have been resolved, and its place.
    pub fn require(&mut self, owner: &str, node: Node<'_>, expr: Expr, wanted: Wanted) {
        self.figure_here(owner, node.place(), expr, wanted);
    }

    /// The same, at a given place.
    pub fn figure_here(&mut self, owner: &str, place: Place, expr: Expr, wanted: Wanted) {
        self.required.push(RequiredValue { owner: owner.to_owned(), expr, place, wanted });
    }

    /// A name in quotes that `check` resolves.
    pub(super) fn name(&self, text: Option<Text<'_>>, of: Of) -> Option<String> {
        let text = text?;
        self.reading.mentions.add(&text.value, text.excerpt().place(0), of);
        Some(text.value)
    }

    /// Parameters and their values, from the field `set`.
    pub(super) fn settings(&self, fields: &Fields<'_>) -> Option<Vec<(String, f64)>> {
        Some(self.values_of(fields.map("set")?))
    }

    /// Parameters and their values, from a map.
    pub(super) fn values_of(&self, given: Vec<(Text<'_>, Node<'_>)>) -> Vec<(String, f64)> {
        let mut settings = Vec::new();
        for (name, node) in given {
            if let Some(value) = node.read("a number") {
                let of = Of::Setting(value, node.place());
                settings.extend(self.name(Some(name), of).map(|name| (name, value)));
            }
        }
        settings
    }

    fn param(&mut self, node: Node<'_>) -> Option<Param> {
        let fields = node.fields(&records::PARAMETER)?;
        let id = self.id(&fields, Kind::Param);
        let label = fields.text("label");
        let (help, unit) = (fields.text_or_empty("help"), fields.text_or_empty("unit"));
        let zero = fields.text_or_empty("zero");
        let (names, names_node) = (words(&fields, "names"), fields.get("names"));
        let default_node = fields.get("default");
        let domain_node = fields.get("domain");
        fields.finish();
        let default = default_node.and_then(|node| node.read("a number"));
        let domain =
            domain_node?.read("Range(min, max), PowersOfTwo(min, max) or Choice([…])").map(
                |document| match document {
                    DomainDocument::Range(min, max) => Domain::Range { min, max },
                    DomainDocument::PowersOfTwo(min, max) => Domain::PowersOfTwo { min, max },
                    DomainDocument::Choice(values) => Domain::Choice(values),
                },
            )?;
        let default = default?;
        if let Err(why) = domain.validate() {
            domain_node?.error(why, "Range takes whole numbers, PowersOfTwo powers of two, least first; Choice a list");
            return None;
        }
        if !domain.accepts(default) {
            default_node?
                .error(format!("the default, {default}, is not in the domain"), format!("use {}", domain.describe()));
        }
        let names = match (&domain, zero?) {
            (Domain::Choice(values), _) if !names.is_empty() && names.len() == values.len() => {
                values.iter().copied().zip(names).collect()
            }
            (_, zero) => {
                if let Some(node) = names_node {
                    node.error(
                        "these are not the names of the domain's values",
                        "give a Choice, and a name for each of its values",
                    );
                }
                Some((0.0, zero)).filter(|(_, zero)| !zero.is_empty()).into_iter().collect()
            }
        };
        Some(Param { id: id?, label: label?.value, help: help?, unit: unit?, default, names, domain })
    }

    fn value(&mut self, node: Node<'_>) -> Option<Value> {
        let fields = node.fields(&records::VALUE)?;
        let id = self.id(&fields, Kind::Value);
        let (label, unit) = (fields.text("label"), fields.text_or_empty("unit"));
        let expr = self.expr(fields.get("expr"), &Access::Results);
        fields.finish();
        Some(Value { id: id?, label: label?.value, unit: unit?, expr: expr? })
    }

    fn kernel(&mut self, node: Node<'_>) -> Option<Kernel> {
        let fields = node.fields(&records::KERNEL)?;
        let place = node.place();
        let id = self.id(&fields, Kind::Kernel);
        let of = id.clone().unwrap_or_default();
        let title = fields.text("title");
        let (ladder, change) = (fields.text_or_empty("ladder"), fields.text_or_empty("change"));
        let shader = fields.text("shader").and_then(|text| self.file("shaders", &text));
        let (entry, twin) = self.languages(&fields, shader.as_ref());
        let constants = fields.map("constants").map(|all| self.constants(&of, shader.as_ref(), all));
        let requires = each(&fields, "requires", |node| self.requirement(&of, node));
        let alone = fields.get("buffers").is_some();
        let buffers = each(&fields, "buffers", |node| self.buffer(&of, shader.as_ref(), node));
        let grid_node = if alone { fields.needed("grid") } else { fields.get("grid") };
        let grid = grid_node.map(|node| self.grid(&of, &buffers, node));
        let work = if alone { self.work(&of, &fields) } else { Some(self.work_or_none(&of, &fields)) };
        let cuda_only = self.cuda_only(&of, shader.as_ref(), &buffers, &fields);
        let ring = fields.get("ring").and_then(|node| self.ring(&of, node));
        let library = fields.get("library").and_then(|node| self.library(&of, &buffers, node));
        let one = fields.get("check");
        let several = fields.list("checks").unwrap_or_default();
        if let Some(node) = one.or(several.first().copied()).filter(|_| !alone) {
            node.error(
                "a kernel without buffers cannot be checked by itself",
                "give it `buffers`, or check the program that it is a part of",
            );
        }
        let checks: Vec<_> = one.into_iter().chain(several).map(|node| self.check(&of, &buffers, node)).collect();
        let warm = self.is_warm(&fields);
        fields.finish();
        let (file, source) = shader?;
        let (launch, former_ring) = cuda_only?.unzip();
        let code = match (launch, twin) {
            (Some(launch), twin) => {
                // The text that people read is the one that the PTX was compiled from.
                let (twin, source) = (twin?, launch.source.clone());
                let twin = source.map_or(twin.clone(), |(file, source)| Twin { file, source, ..twin });
                Code::Cuda { twin, launch: Box::new(launch) }
            }
            (None, twin) => Code::Wgsl { file, source, entry: entry?, twin },
        };
        let checks = checks.into_iter().collect::<Option<Vec<_>>>()?;
        let none = || Some(WorkDecl { bytes: Expr::parse("0").ok()?, flops: Expr::parse("0").ok()? });
        let (id, title) = (id?, title?.value);
        if alone {
            self.programs.push(Program { warm, ..Program::of_kernel(&id, &title, buffers, checks, place) });
        }
        Some(Kernel {
            id,
            title,
            ladder: ladder?,
            change: change?,
            code,
            ring: ring.or(former_ring.flatten()),
            library,
            constants: constants?,
            requires,
            grid: match grid {
                Some(grid) => Some(grid?),
                None => None,
            },
            work: work?.or_else(none)?,
        })
    }

    /// Whether it is timed with the same buffers each time.
    pub(super) fn is_warm(&self, fields: &Fields<'_>) -> bool {
        let cache = fields.get("cache").and_then(|node| node.read("Cold or Warm"));
        cache == Some(CacheDocument::Warm)
    }

    pub(super) fn figures(&mut self, owner: &str, all: Vec<(Text<'_>, Node<'_>)>) -> Vec<(String, Expr)> {
        let read = all.into_iter();
        read.filter_map(|(name, node)| Some((name.value, self.figure(owner, Some(node), None)?))).collect()
    }

    /// Bytes and operations that some work needs; bytes are required. None if one is missing or invalid.
    fn work(&mut self, owner: &str, fields: &Fields<'_>) -> Option<Option<WorkDecl>> {
        let bytes = self.wanted(owner, fields.needed("bytes"), Wanted::Amount);
        let flops_node = fields.get("flops");
        let flops =
            if flops_node.is_some() { self.wanted(owner, flops_node, Wanted::Amount) } else { Expr::parse("0").ok() };
        Some(Some(WorkDecl { bytes: bytes?, flops: flops? }))
    }

    /// Bytes and operations that some work needs, if the lesson gives any.
    pub(super) fn work_or_none(&mut self, owner: &str, fields: &Fields<'_>) -> Option<WorkDecl> {
        let nodes = [fields.get("bytes"), fields.get("flops")];
        if nodes.iter().all(Option::is_none) {
            return None;
        }
        let [bytes, flops] = nodes.map(|node| match node {
            Some(_) => self.wanted(owner, node, Wanted::Amount),
            None => Expr::parse("0").ok(),
        });
        Some(WorkDecl { bytes: bytes?, flops: flops? })
    }

    /// A variant to run: a kernel by itself, or a program with the kernels chosen for its passes.
    pub(super) fn variant(&mut self, fields: &Fields<'_>) -> Option<Variant> {
        let rungs = fields.map("rungs")?;
        let (kernel, program) = (fields.get("kernel"), fields.get("program"));
        let text = match (kernel, program) {
            (Some(_), Some(node)) => {
                node.error("either a kernel by itself is run or a program", "leave one of them out");
                return None;
            }
            (_, Some(node)) | (Some(node), None) => node.text(),
            (None, None) => fields.needed("kernel").and_then(Node::text),
        };
        let id = self.name(text, Of::Program)?;
        let chosen = rungs.into_iter().filter_map(|(pass, node)| {
            let pass = self.name(Some(pass), Of::Pass(id.clone()))?;
            let kernel = self.name(node.text(), Of::Rung(id.clone(), pass.clone()))?;
            Some((pass, kernel))
        });
        let rungs = chosen.collect();
        Some(Variant { program: id, rungs })
    }

    /// The pass that `pass` names; empty, for the first one, if there is no such field.
    pub(super) fn pass_of(&mut self, fields: &Fields<'_>, variant: Option<&Variant>) -> Option<String> {
        let Some(node) = fields.get("pass") else { return Some(String::new()) };
        self.name(node.text(), Of::Pass(variant?.program.clone()))
    }
}

/// Whether `id` consists of letters, digits, `_` and, with `hyphens`, `-`, beginning with a letter.
pub(super) fn is_id(id: &str, hyphens: bool) -> bool {
    id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || (hyphens && c == '-'))
}
