//! Predictions and exercises in `lesson.ron`.

use std::sync::Arc;

use super::document::{Kind, Reader, each, is_id, words};
use super::fields::{Fields, Node};
use super::mention::{Access, Of};
use super::model::{
    AnswerDecl, AnswerKind, CATCHES, Catch, CurveDecl, Exercise, GoalPart, Need, Prediction, Probe, WrongKernel,
};
use super::records;
use super::text;

impl Reader<'_> {
    pub(super) fn prediction(&mut self, node: Node<'_>) -> Option<Prediction> {
        let mentions = self.reading.mentions;
        let fields = node.fields(&records::PREDICTION)?;
        let id = self.id(&fields, Kind::Prediction);
        let question = fields.text("question").map(|text| text::inlines(text.excerpt(), mentions));
        let because = fields.text("because").map(|text| text::inlines(text.excerpt(), mentions));
        let ways = [fields.get("options"), fields.get("number"), fields.get("curve")];
        let asks = match ways {
            [Some(node), None, None] => self
                .options(node)
                .zip(self.answer(&fields))
                .map(|(options, answer)| AnswerKind::Choice(options, answer)),
            [None, Some(node), None] => {
                self.within(node).zip(self.answer(&fields)).map(|(within, answer)| AnswerKind::Number(within, answer))
            }
            [None, None, Some(node)] => self.curve_asked(node).map(AnswerKind::Curve),
            _ => {
                let hint = "write options: [(\"80%\", 0.8), …], or number: (within: 0.1), or curve: (experiment: …)";
                node.error("a prediction asks for one of `options`, a `number` or a `curve`", hint);
                // Its other fields are not reported as unknown.
                for name in ["probes", "measured", "traced", "unit"] {
                    fields.get(name);
                }
                None
            }
        };
        let teaches = words(&fields, "teaches");
        fields.finish();
        Some(Prediction { id: id?, question: question?, asks: asks?, because: because?, teaches, place: node.place() })
    }

    /// Reads the answers to choose from.
    fn options(&self, node: Node<'_>) -> Option<Vec<(String, f64)>> {
        let listed = node.list()?;
        let options = listed.iter().filter_map(|node| {
            let [name, node] = node.pair()?;
            let value = node.read::<f64>("a number")?;
            if !value.is_finite() {
                node.error(format!("no answer can be {value}"), "write a number");
            }
            Some((name.text()?.value, value))
        });
        let options: Vec<(String, f64)> = options.collect();
        if listed.len() < 2 {
            node.error("a prediction needs two answers at least", "write options: [(\"80%\", 0.8), (\"90%\", 0.9)]");
        }
        Some(options)
    }

    /// The tolerance of a number, as a share of the answer.
    fn within(&self, node: Node<'_>) -> Option<f64> {
        let fields = node.fields(&records::WITHIN)?;
        let within = fields.get("within");
        fields.finish();
        let share = within?.read::<f64>("a share of the answer, such as 0.1")?;
        if !(share > 0.0 && share < 1.0) {
            within?.error(format!("a number cannot be right within {share}"), "write a share from 0 to 1, such as 0.1");
            return None;
        }
        Some(share)
    }

    /// Reads the source of the answer to a question about one figure.
    fn answer(&mut self, fields: &Fields<'_>) -> Option<AnswerDecl> {
        let probes = each(fields, "probes", |node| self.probe(node));
        let ids: Vec<&String> = probes.iter().map(|probe| &probe.id).collect();
        if let Some((i, twice)) = ids.iter().enumerate().find(|(i, id)| ids[..*i].contains(id)) {
            let node = fields.list("probes").and_then(|nodes| nodes.get(i).copied());
            let report =
                |node: Node<'_>| node.error(format!("two probes have the id `{twice}`"), "give each an id of its own");
            node.into_iter().for_each(report);
        }
        let runs: Vec<(String, String)> =
            probes.iter().map(|probe| (probe.id.clone(), probe.variant.program.clone())).collect();
        let measured = fields.get("measured").map(|node| self.expr(Some(node), &Access::Probes(runs.clone())));
        let traced = self.expr(fields.needed("traced"), &Access::Counts(runs));
        let unit = fields.text_or_empty("unit");
        let measured = match measured {
            Some(measured) => Some(measured?),
            None => None,
        };
        Some(AnswerDecl { probes, measured, traced: traced?, unit: unit? })
    }

    /// Reads the curve to draw.
    fn curve_asked(&mut self, node: Node<'_>) -> Option<CurveDecl> {
        let fields = node.fields(&records::DRAWN_CURVE)?;
        let experiment = self.name(fields.text("experiment"), Of::Experiment);
        let curve = fields.text("of");
        let set = self.settings(&fields);
        let reach_node = fields.get("y");
        fields.finish();
        let reach = reach_node?.pair()?.map(|end| end.read::<f64>("a number"));
        let [low, high] = [reach[0]?, reach[1]?];
        if !(low >= 0.0 && high > low && high.is_finite()) {
            let message = format!("an axis cannot reach from {low} to {high}");
            reach_node?.error(message, "write its least and its greatest value, such as (0, 40)");
            return None;
        }
        let experiment = experiment?;
        let curve = self.name(curve, Of::Curve(experiment.clone()))?;
        Some(CurveDecl { experiment, curve, set: set?, reach: [low, high], place: node.place() })
    }

    fn probe(&mut self, node: Node<'_>) -> Option<Probe> {
        let fields = node.fields(&records::PROBE)?;
        let id = fields.text("id");
        let variant = self.variant(&fields);
        let set = self.settings(&fields);
        fields.finish();
        if let Some(id) = id.as_ref().filter(|id| !is_id(&id.value, false)) {
            id.error(format!("`{}` cannot be an id", id.value), "use letters, digits and _, beginning with a letter");
        }
        Some(Probe { id: id?.value, variant: variant?, set: set? })
    }

    pub(super) fn exercise(&mut self, node: Node<'_>) -> Option<Exercise> {
        let folder = format!("lessons/{}", self.reading.id);
        let fields = node.fields(&records::EXERCISE)?;
        let id = self.id(&fields, Kind::Exercise);
        let prompt = fields.text("prompt").map(|text| text::blocks(text.excerpt(), self.reading.mentions));
        let variant = self.variant(&fields);
        let pass = self.pass_of(&fields, variant.as_ref());
        let set = self.settings(&fields);
        let also = each(&fields, "also", |node| Some(self.values_of(node.map()?)));
        let starter = fields.text("starter").and_then(|text| self.file(&folder, &text));
        let solution = fields.get("solution").and_then(|node| self.solution(&folder, &starter, node));
        let bases = [("Starter", &starter), ("Solution", &solution)];
        let wrong = each(&fields, "wrong", |node| self.wrong(&folder, &bases, node));
        let program = variant.as_ref().map(|variant| variant.program.clone()).unwrap_or_default();
        let hints = each(&fields, "hints", |node| Some(text::inlines(node.text()?.excerpt(), self.reading.mentions)));
        let goal = fields.get("goal").and_then(|node| self.goal(node, &Access::Exercise(program)));
        let goal_text = fields.text("goal_text");
        let teaches = words(&fields, "teaches");
        fields.finish();
        // Files that have been reported are replaced by empty ones, so that the exercise keeps its name.
        let (starter_file, starter) = starter.unwrap_or_default();
        let (solution_file, solution) = solution.unwrap_or_default();
        Some(Exercise {
            id: id?,
            prompt: prompt?,
            variant: variant?,
            pass: pass?,
            set: set?,
            also,
            starter_file,
            starter,
            solution_file,
            solution,
            wrong,
            hints,
            goal: goal?,
            goal_text: goal_text?.value,
            teaches,
            place: node.place(),
        })
    }

    /// A goal: an expression that must not be 0, or a list of parts.
    fn goal(&self, node: Node<'_>, access: &Access) -> Option<Vec<GoalPart>> {
        if node.raw.starts_with(['"', 'r']) {
            return Some(vec![GoalPart {
                of: String::new(),
                have: self.expr(Some(node), access)?,
                need: Need::Nonzero,
            }]);
        }
        let parts = node.list()?;
        if parts.is_empty() {
            node.error(
                "a goal has at least one part",
                "write (of: \"load bytes\", have: \"exercise.load_bytes\", at_most: \"4 * n\")",
            );
        }
        let part = |node: Node<'_>| {
            let fields = node.fields(&records::GOAL_PART)?;
            let (of, have) = (fields.text("of"), self.expr(fields.get("have"), access));
            let (most, exactly) = (fields.get("at_most"), fields.get("exactly"));
            fields.finish();
            let need = match (most, exactly) {
                (Some(most), None) => Need::AtMost(self.expr(Some(most), access)?),
                (None, Some(exactly)) => Need::Exactly(self.expr(Some(exactly), access)?),
                _ => {
                    node.error("a part of a goal has one bound", "give it either `at_most` or `exactly`");
                    return None;
                }
            };
            Some(GoalPart { of: of?.value, have: have?, need })
        };
        // All parts are read, so that each mistake is reported.
        let parts: Vec<_> = parts.into_iter().map(part).collect();
        parts.into_iter().collect()
    }

    /// A kernel that passes: a file, or a list of changes of the starter.
    fn solution(&self, folder: &str, starter: &Option<Kernel>, node: Node<'_>) -> Option<Kernel> {
        if !node.raw.starts_with('[') {
            return self.file(folder, &node.text()?);
        }
        let (file, source) = changed(starter.as_ref()?, node.list()?)?;
        Some((format!("{file}, changed as the solution"), source.into()))
    }

    /// A kernel that must not pass, and the finding that must reject it: a file, or changes of the starter or the
    /// solution.
    fn wrong(&self, folder: &str, bases: &[Base<'_>], node: Node<'_>) -> Option<WrongKernel> {
        if node.raw.starts_with('"') {
            let names: Vec<&str> = CATCHES.iter().map(|(name, _)| *name).collect();
            let hint = format!("write (\"file.wgsl\", Result), with one of {}", names.join(", "));
            node.error("a wrong kernel says what must catch it", hint);
            return None;
        }
        if node.is_struct() {
            return self.described(folder, bases, node);
        }
        let [file, caught_by] = node.pair()?;
        let caught_by = self::caught_by(Some(caught_by));
        let (file, source) = self.file(folder, &file.text()?)?;
        Some(WrongKernel { file, source, caught_by: caught_by?, says: None, place: node.place() })
    }

    /// The same with its mistake in words.
    fn described(&self, folder: &str, bases: &[Base<'_>], node: Node<'_>) -> Option<WrongKernel> {
        let fields = node.fields(&records::WRONG_KERNEL)?;
        let caught_by = caught_by(fields.get("caught_by"));
        let says = fields.get("says").map_or(Some(None), |node| Some(Some(node.text()?.value)));
        let (file, source) = if let Some(file) = fields.get("file") {
            fields.finish();
            self.file(folder, &file.text()?)?
        } else {
            let (id, of) = (fields.text("id"), fields.get("of"));
            let changes = fields.get("changes").and_then(Node::list);
            fields.finish();
            let (file, source) = changed(base(bases, of?)?, changes?)?;
            (format!("{file}, changed as `{}`", id?.value), source.into())
        };
        Some(WrongKernel { file, source, caught_by: caught_by?, says: says?, place: node.place() })
    }
}

/// The finding that must reject a wrong kernel.
fn caught_by(node: Option<Node<'_>>) -> Option<Catch> {
    node?.read("what must catch it, such as Result")
}

/// A kernel's file and its text.
type Kernel = (String, Arc<str>);

/// The starter or the solution: its name in `of`, and its file and text, if it could be read.
type Base<'a> = (&'static str, &'a Option<Kernel>);

/// The starter or the solution, as `of` says.
fn base<'a>(bases: &'a [Base<'_>], of: Node<'_>) -> Option<&'a Kernel> {
    let Some((_, base)) = bases.iter().find(|(name, _)| *name == of.raw) else {
        of.error(format!("`{}` is not a kernel of the exercise", of.raw), "write Starter or Solution");
        return None;
    };
    // A file that could not be read has been reported.
    base.as_ref()
}

/// A kernel's file, and its text with changes.
fn changed<'a>((file, text): &'a Kernel, changes: Vec<Node<'_>>) -> Option<(&'a str, String)> {
    let mut source = text.to_string();
    for change in changes {
        let [from, to] = change.pair()?;
        let (from, to) = (from.text()?, to.text()?);
        match source.matches(&from.value).count() {
            1 => source = source.replacen(&from.value, &to.value, 1),
            times => {
                let hint = "copy a part of it that is there once, with its spaces and line breaks";
                from.error(format!("this is {times} times in {file}, as changed so far"), hint);
                return None;
            }
        }
    }
    Some((file, source))
}
