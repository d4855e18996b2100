//! Predictions and exercises, as `lesson.ron` declares them.

use super::document::{Kind, Reader, each, is_id};
use super::fields::Node;
use super::mention::Access;
use super::model::{CATCHES, Catch, Exercise, Prediction, Probe, WrongKernel};
use super::text;

impl Reader<'_> {
    pub(super) fn prediction(&mut self, node: Node<'_>) -> Option<Prediction> {
        let mentions = self.reading.mentions;
        let fields = node.fields()?;
        let id = self.id(&fields, Kind::Prediction);
        let question = fields.text("question").map(|text| text::inlines(text.excerpt(), mentions));
        let listed = fields.list("options").unwrap_or_default();
        let options = listed.iter().filter_map(|node| {
            let [name, node] = node.pair()?;
            let value = node.read::<f64>("a number")?;
            if !value.is_finite() {
                node.error(format!("no answer can be {value}"), "write a number");
            }
            Some((name.text()?.value, value))
        });
        let options: Vec<(String, f64)> = options.collect();
        let probes = each(&fields, "probes", |node| self.probe(node));
        let ids: Vec<String> = probes.iter().map(|probe| probe.id.clone()).collect();
        let runs: Vec<(String, String)> =
            probes.iter().map(|probe| (probe.id.clone(), probe.variant.program.clone())).collect();
        let measured = fields.optional("measured").map(|node| self.expr(Some(node), &Access::Probes(runs.clone())));
        let traced = self.expr(fields.required("traced"), &Access::Counts(runs));
        let unit = fields.text_or_empty("unit");
        let because = fields.text("because").map(|text| text::inlines(text.excerpt(), mentions));
        fields.finish();
        if listed.len() < 2 {
            node.error("a prediction needs two answers at least", "write options: [(\"80%\", 0.8), (\"90%\", 0.9)]");
        }
        if let Some(twice) = ids.iter().enumerate().find(|(i, id)| ids[..*i].contains(id)) {
            node.error(format!("two probes have the id `{}`", twice.1), "give each an id of its own");
        }
        Some(Prediction {
            id: id?,
            question: question?,
            options,
            probes,
            measured: match measured {
                Some(measured) => Some(measured?),
                None => None,
            },
            traced: traced?,
            unit: unit?,
            because: because?,
        })
    }

    fn probe(&mut self, node: Node<'_>) -> Option<Probe> {
        let fields = node.fields()?;
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
        let fields = node.fields()?;
        let id = self.id(&fields, Kind::Exercise);
        let prompt = fields.text("prompt").map(|text| text::blocks(text.excerpt(), self.reading.mentions));
        let variant = self.variant(&fields);
        let pass = self.pass_of(&fields, variant.as_ref());
        let set = self.settings(&fields);
        let also = each(&fields, "also", |node| Some(self.values_of(node.map()?)));
        let starter = fields.text("starter").and_then(|text| self.file(&folder, &text));
        let solution = fields.text("solution").and_then(|text| self.file(&folder, &text));
        let wrong = each(&fields, "wrong", |node| self.wrong(&folder, node));
        let program = variant.as_ref().map(|variant| variant.program.clone()).unwrap_or_default();
        let goal = self.expr(fields.required("goal"), &Access::Exercise(program));
        let goal_text = fields.text("goal_text");
        fields.finish();
        // Files that have been reported are left out, and the exercise keeps its name.
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
            goal: goal?,
            goal_text: goal_text?.value,
        })
    }

    /// A kernel that must not pass, and what must be found of it.
    fn wrong(&self, folder: &str, node: Node<'_>) -> Option<WrongKernel> {
        if node.raw.starts_with('"') {
            let hint = format!("write (\"file.wgsl\", Result), with one of {}", CATCHES.join(", "));
            node.error("a wrong kernel says what must catch it", hint);
            return None;
        }
        let [file, caught_by] = node.pair()?;
        let caught_by = caught_by.read::<Catch>("what must catch it, such as Result");
        let (file, source) = self.file(folder, &file.text()?)?;
        Some(WrongKernel { file, source, caught_by: caught_by?, place: node.place() })
    }
}
