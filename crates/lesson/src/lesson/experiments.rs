//! Measurements of a lesson: experiments, and the sizes at which the bench runs.

use super::document::{Kind, Reader, each};
use super::fields::Node;
use super::mention::Of;
use super::model::{BenchSize, Curve, Experiment, Quantity, Variant};
use super::records;

/// Quantities that an experiment can plot, for messages.
const QUANTITIES: &str =
    "BytesPerSecond, FlopsPerSecond, Time, SectorsPerRequest, LoadedBytes or Value(\"the id of a value\")";

impl Reader<'_> {
    pub(super) fn experiment(&mut self, node: Node<'_>) -> Option<Experiment> {
        let fields = node.fields(&records::EXPERIMENT)?;
        let id = self.id(&fields, Kind::Experiment);
        let title = fields.text("title");
        let mut curves = each(&fields, "kernels", |node| {
            let id = self.name(node.text(), Of::Program)?;
            let variant = Variant::plain(&id);
            Some(Curve { id, title: String::new(), variant, pass: None })
        });
        curves.extend(each(&fields, "curves", |node| self.curve(node)));
        if let Some((_, twice)) = curves.iter().enumerate().find(|(i, c)| curves[..*i].iter().any(|e| e.id == c.id)) {
            node.error(format!("two curves have the id `{}`", twice.id), "give each an id of its own");
        }
        let over = self.name(fields.text("over"), Of::Param);
        let mut values = Vec::new();
        for node in fields.get("values").and_then(Node::list).unwrap_or_default() {
            if let (Some(value), Some(over)) = (node.read("a number"), &over) {
                let place = node.place();
                self.reading.mentions.add(over, place.clone(), Of::Setting(value, place));
                values.push(value);
            }
        }
        let quantity_node = fields.get("quantity");
        let quantity = quantity_node.and_then(|node| node.read::<Quantity>(QUANTITIES));
        if let (Some(Quantity::Value(value)), Some(node)) = (&quantity, quantity_node) {
            self.reading.mentions.add(value, node.place(), Of::Value);
        }
        let at = fields.get("at").and_then(Node::map).map(|given| self.values_of(given)).unwrap_or_default();
        fields.finish();
        if curves.is_empty() || values.is_empty() {
            node.error(
                "an experiment needs a curve and a value at least",
                "fill in `kernels` or `curves`, and `values`",
            );
        }
        Some(Experiment { id: id?, title: title?.value, curves, over: over?, values, quantity: quantity?, at })
    }

    /// Reads one curve: a program, perhaps with other kernels in its passes, or one of its passes.
    fn curve(&mut self, node: Node<'_>) -> Option<Curve> {
        let fields = node.fields(&records::CURVE)?;
        let variant = self.variant(&fields);
        let (id, title) = (fields.text_or_empty("id"), fields.text_or_empty("title"));
        let pass = fields.get("pass");
        let program = variant.as_ref().map(|variant| variant.program.clone()).unwrap_or_default();
        let pass = pass.map(|node| self.name(node.text(), Of::Pass(program)));
        fields.finish();
        let (variant, pass) = (variant?, pass.map_or(Some(None), |pass| pass.map(Some))?);
        let id = id.filter(|id| !id.is_empty()).unwrap_or_else(|| match &pass {
            Some(pass) => format!("{variant}/{pass}"),
            None => variant.to_string(),
        });
        Some(Curve { id, title: title?, variant, pass })
    }

    /// Reads one size for the bench.
    pub(super) fn bench_size(&mut self, node: Node<'_>) -> Option<BenchSize> {
        let fields = node.fields(&records::BENCH_SIZE)?;
        let set = self.settings(&fields);
        let programs = each(&fields, "kernels", |node| self.name(node.text(), Of::Program));
        fields.finish();
        Some(BenchSize { set: set?, programs })
    }
}
