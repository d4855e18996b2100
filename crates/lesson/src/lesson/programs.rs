//! Programs in `lesson.ron`: buffers, passes over them, repetitions, series.

use super::conditions::Wanted;
use super::document::{Kind, Reader, each};
use super::excerpt::Excerpt;
use super::fields::{Fields, Node as Value, Text, did_you_mean};
use super::mention::{Access, Of};
use super::model::{
    Action, Buffer, CheckDecl, GridDecl, LaunchDecl, Node, Pass, Program, ReadingDecl, Repeat, SeriesDecl, Until,
};
use super::records;
use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::job::{Comparison, Reduction};

/// The maximum number of rounds of a repetition.
pub const MOST_ROUNDS: u64 = 1 << 20;

/// The maximum nesting depth of repetitions.
const MOST_NESTED: usize = 8;

impl Program {
    /// The program of a kernel by itself.
    pub(super) fn of_kernel(id: &str, title: &str, buffers: Vec<Buffer>, checks: Vec<CheckDecl>, place: Place) -> Self {
        let launch =
            LaunchDecl { rungs: vec![id.to_owned()], bind: Vec::new(), constants: Vec::new(), grid: None, work: None };
        let pass = Pass {
            id: id.to_owned(),
            title: title.to_owned(),
            action: Action::Launch(Box::new(launch)),
            awaits: Vec::new(),
            place: place.clone(),
        };
        let body = vec![Node::Pass(Box::new(pass))];
        let (id, title) = (id.to_owned(), title.to_owned());
        let (series, work, split) = (Vec::new(), None, None);
        Self { id, title, alone: true, warm: false, buffers, body, checks, series, work, split, place }
    }
}

/// The context in which a program's parts are read.
struct Around<'a> {
    /// The program's id.
    program: &'a str,
    /// The program's index among those that are declared.
    number: usize,
    buffers: &'a [Buffer],
}

impl Around<'_> {
    /// The buffer that `text` names.
    fn buffer(&self, text: &Text<'_>) -> Option<String> {
        self.named(&text.value, text.excerpt())
    }

    /// The buffer `name`, which is at the start of `at`.
    fn named(&self, name: &str, at: Excerpt<'_>) -> Option<String> {
        let found = self.buffers.iter().any(|buffer| buffer.name == name);
        if !found {
            let hint = did_you_mean(name, self.buffers.iter().map(|buffer| buffer.name.as_str()));
            at.error(0, format!("`{name}` is not a buffer of this program"), hint);
        }
        found.then(|| name.to_owned())
    }
}

impl Reader<'_> {
    pub(super) fn program(&mut self, node: Value<'_>) -> Option<Program> {
        let fields = node.fields(&records::PROGRAM)?;
        let id = self.id(&fields, Kind::Program);
        let of = id.clone().unwrap_or_default();
        let title = fields.text("title");
        let buffers = each(&fields, "buffers", |node| self.buffer(&of, None, node));
        for (i, buffer) in buffers.iter().enumerate() {
            if buffers[..i].iter().any(|earlier| earlier.name == buffer.name) {
                node.source.at(
                    &buffer.place,
                    format!("the buffer `{}` is here twice", buffer.name),
                    "rename one of them",
                );
            }
        }
        let around = Around { program: &of, number: self.declared.len(), buffers: &buffers };
        let listed = fields.get("passes").and_then(Value::list).unwrap_or_default();
        let nodes: Vec<Option<Node>> = listed.into_iter().map(|node| self.node(&around, node, 0)).collect();
        let checks = fields.list("checks").unwrap_or_default();
        let checks: Vec<_> = checks.into_iter().map(|node| self.check(&of, &buffers, node)).collect();
        let series = fields.list("series").unwrap_or_default();
        let series: Vec<_> = series.into_iter().map(|node| self.series(&around, node)).collect();
        let work = self.work_or_none(&of, &fields);
        let warm = self.is_warm(&fields);
        let split = fields.get("ranks").map(|node| self.split(&of, node));
        fields.finish();
        if nodes.is_empty() {
            node.error("a program has at least one pass", "add one to `passes`");
        }
        Some(Program {
            id: id?,
            title: title?.value,
            alone: false,
            warm,
            body: nodes.into_iter().flatten().collect(),
            checks: checks.into_iter().flatten().collect(),
            series: series.into_iter().flatten().collect(),
            buffers,
            work,
            split: split.flatten(),
            place: node.place(),
        })
    }

    fn node(&mut self, around: &Around<'_>, node: Value<'_>, depth: usize) -> Option<Node> {
        let fields = node.fields(&records::PASS)?;
        let id = self.id(&fields, Kind::Part(around.number));
        let title = fields.text_or_empty("title");
        let place = node.place();
        let named = |title: Option<String>| {
            let id = id.clone()?;
            let title = title.filter(|title| !title.is_empty()).unwrap_or_else(|| id.replace('_', " "));
            Some((id, title))
        };
        let forms = ["kernel", "kernels", "copy", "fill", "repeat"];
        let given: Vec<&str> = forms.into_iter().filter(|form| fields.get(form).is_some()).collect();
        let [form] = given[..] else {
            let hint = "write one of `kernel`, `kernels`, `copy`, `fill` and `repeat`";
            node.error(if given.is_empty() { "this pass does nothing" } else { "this pass does several things" }, hint);
            return None;
        };
        if form == "repeat" {
            let times = self.wanted(around.program, fields.get("repeat"), Wanted::Between(0, MOST_ROUNDS));
            let until = fields.get("until").map(|node| self.until(around, node));
            let turn = fields.text_or_empty("turn").unwrap_or_default();
            let collective = fields.get("collective").and_then(|node| self.collective(around.program, node));
            let listed = fields.needed("passes").and_then(Value::list).unwrap_or_default();
            if listed.is_empty() {
                node.error("nothing is repeated", "add `passes: […]`");
            }
            if depth == MOST_NESTED {
                node.error(format!("repetitions nest more than {MOST_NESTED} deep"), "write some of them out");
                fields.finish();
                return None;
            }
            let body: Vec<Option<Node>> = listed.into_iter().map(|node| self.node(around, node, depth + 1)).collect();
            fields.finish();
            let (id, title) = named(title)?;
            // A field that has been reported is replaced, so that the repetition keeps its id.
            let times = times.or_else(|| Expr::parse("1").ok())?;
            let body = body.into_iter().flatten().collect();
            let until = until.flatten();
            return Some(Node::Repeat(Box::new(Repeat { id, title, turn, times, until, collective, body, place })));
        }
        let action = match form {
            "copy" => fields.get("copy").and_then(Value::pair).and_then(|pair| {
                let [from, to] = pair.map(|node| around.buffer(&node.text()?));
                Some(Action::Copy(from?, to?))
            }),
            "fill" => fields.get("fill").and_then(Value::pair).and_then(|[buffer, value]| {
                let buffer = buffer.text().and_then(|text| around.buffer(&text));
                Some(Action::Fill(buffer?, self.figure(around.program, Some(value), None)?))
            }),
            _ => self.launch_of(around.program, around.buffers, &fields).map(|launch| Action::Launch(Box::new(launch))),
        };
        let awaits = fields.get("awaits").and_then(Value::list).unwrap_or_default();
        let awaits = awaits.into_iter().filter_map(|node| self.awaited(around.program, node)).collect();
        fields.finish();
        let (id, title) = named(title)?;
        // A pass that has been reported keeps its name, so that references to it are not reported as well.
        let action = action.unwrap_or_else(|| Action::Copy(String::new(), String::new()));
        Some(Node::Pass(Box::new(Pass { id, title, action, awaits, place })))
    }

    /// A launch, from the fields of a pass or of a check.
    pub(super) fn launch_of(&mut self, program: &str, buffers: &[Buffer], fields: &Fields<'_>) -> Option<LaunchDecl> {
        let kernels = match fields.get("kernel") {
            Some(node) => vec![node],
            None => fields.needed("kernels").and_then(Value::list)?,
        };
        let rungs: Vec<Option<String>> = kernels.iter().map(|node| self.name(node.text(), Of::Kernel)).collect();
        let bind = fields.map("bind").unwrap_or_default().into_iter().map(|(variable, node)| {
            let around = Around { program, number: 0, buffers };
            let buffer = around.buffer(&node.text()?)?;
            Some((variable.value, buffer, node.place()))
        });
        let bind: Vec<Option<_>> = bind.collect();
        let constants = fields.map("constants").map(|all| self.figures(program, all));
        let grid = fields.get("grid").map(|node| self.grid(program, buffers, node));
        let work = self.work_or_none(program, fields);
        let rungs = rungs.into_iter().collect::<Option<Vec<_>>>()?;
        if rungs.is_empty() {
            fields.get("kernels")?.error("a place for kernels needs one at least", "name one");
            return None;
        }
        Some(LaunchDecl {
            rungs,
            bind: bind.into_iter().flatten().collect(),
            constants: constants?,
            grid: match grid {
                Some(grid) => Some(grid?),
                None => None,
            },
            work,
        })
    }

    /// Workgroups: three expressions, or the words of a buffer with their number.
    pub(super) fn grid(&mut self, owner: &str, buffers: &[Buffer], node: Value<'_>) -> Option<GridDecl> {
        let ("Words", Some(rest)) = node.variant() else {
            let [x, y, z] = node.triple()?.map(|node| self.figure(owner, Some(node), Some(1)));
            return Some(GridDecl::Fixed([x?, y?, z?]));
        };
        let fields = rest.fields(&records::WORDS)?;
        let around = Around { program: owner, number: 0, buffers };
        let buffer = fields.text("buffer").and_then(|text| around.buffer(&text));
        let at = fields.get("at");
        let at = if at.is_some() { self.figure(owner, at, Some(0)) } else { Expr::parse("0").ok() };
        let most = fields.get("most").and_then(Value::triple);
        let most =
            most.map(|most| most.map(|node| self.wanted(owner, Some(node), Wanted::Between(1, u64::from(u32::MAX)))));
        fields.finish();
        let [x, y, z] = most?;
        Some(GridDecl::Words { buffer: buffer?, at: at?, most: Box::new([x?, y?, z?]), place: node.place() })
    }

    /// A condition on an element: `change[0] < 0.001`.
    fn until(&mut self, around: &Around<'_>, node: Value<'_>) -> Option<Until> {
        const FORM: &str = "write BUFFER[INDEX] < NUMBER, or another comparison";
        let text = node.text()?;
        let excerpt = text.excerpt();
        let (buffer, index, rest) = self.element(around, excerpt, FORM)?;
        let sign = excerpt.part(rest..excerpt.text.len());
        let trimmed = sign.text.trim_start();
        let Some((symbol, comparison)) = Comparison::SIGNS.into_iter().find(|(symbol, _)| trimmed.starts_with(symbol))
        else {
            sign.error(0, "there is no comparison here", FORM);
            return None;
        };
        let start = rest + (sign.text.len() - trimmed.len()) + symbol.len();
        let value = self.number_in(around.program, excerpt.part(start..excerpt.text.len()), Wanted::Number)?;
        Some(Until { buffer, index, comparison, value, place: node.place() })
    }

    /// `BUFFER[INDEX]` at the start of a text, and the offset of its end.
    fn element(&mut self, around: &Around<'_>, excerpt: Excerpt<'_>, form: &str) -> Option<(String, Expr, usize)> {
        let ends = excerpt.text.find('[').and_then(|open| Some((open, open + excerpt.text[open..].find(']')?)));
        let Some((open, close)) = ends else {
            excerpt.error(0, "there is no element of a buffer here", form);
            return None;
        };
        let buffer = around.named(excerpt.text[..open].trim(), excerpt);
        let index = self.number_in(around.program, excerpt.part(open + 1..close), Wanted::Count(0));
        Some((buffer?, index?, close + 1))
    }

    /// Reads an expression in a part of a text.
    fn number_in(&mut self, program: &str, excerpt: Excerpt<'_>, wanted: Wanted) -> Option<Expr> {
        let expr = self.reading.mentions.expr(excerpt, &Access::Fixed)?;
        self.figure_here(program, excerpt.place(0), expr.clone(), wanted);
        Some(expr)
    }

    /// A series: `loss[0]`, or `max(load)`.
    fn series(&mut self, around: &Around<'_>, node: Value<'_>) -> Option<SeriesDecl> {
        const FORM: &str = "write BUFFER[INDEX], or sum(BUFFER), min(BUFFER), max(BUFFER) or mean(BUFFER)";
        let fields = node.fields(&records::SERIES)?;
        let id = self.id(&fields, Kind::Part(around.number));
        let (label, unit) = (fields.text_or_empty("label"), fields.text_or_empty("unit"));
        let of = fields.text("of").and_then(|text| {
            let excerpt = text.excerpt();
            let all = excerpt.text.split_once('(').and_then(|(name, rest)| {
                let reduction = Reduction::NAMES.into_iter().find(|(known, _)| *known == name.trim())?.1;
                Some((reduction, rest.strip_suffix(')')?.trim()))
            });
            match all {
                Some((reduction, buffer)) => Some((around.named(buffer, excerpt)?, ReadingDecl::All(reduction))),
                None => {
                    let (buffer, index, rest) = self.element(around, excerpt, FORM)?;
                    if !excerpt.text[rest..].trim().is_empty() {
                        excerpt.part(rest..excerpt.text.len()).error(0, "a series is one figure", FORM);
                        return None;
                    }
                    Some((buffer, ReadingDecl::Element(index)))
                }
            }
        });
        let each = fields.get("each").map(|node| self.name(node.text(), Of::Part(around.program.to_owned())));
        fields.finish();
        let (buffer, reading) = of?;
        let each = match each {
            Some(each) => Some(each?),
            None => None,
        };
        let id = id?;
        let label = label.filter(|label| !label.is_empty()).unwrap_or_else(|| id.replace('_', " "));
        Some(SeriesDecl { id, label, unit: unit?, buffer, reading, each, place: node.place() })
    }
}
