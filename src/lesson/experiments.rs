//! What a lesson has measured: experiments, and the sizes that the bench takes.

use super::document::{Kind, Reader, each};
use super::fields::Node;
use super::mention::Of;
use super::model::{BenchSize, Experiment, Quantity};

impl Reader<'_> {
    /// One experiment.
    pub(super) fn experiment(&mut self, node: Node<'_>) -> Option<Experiment> {
        let fields = node.fields()?;
        let id = self.id(&fields, Kind::Experiment);
        let title = fields.text("title");
        let kernels = each(&fields, "kernels", |node| self.name(node.text(), Of::Kernel));
        let over = self.name(fields.text("over"), Of::Param);
        let mut values = Vec::new();
        for node in fields.required("values").and_then(Node::list).unwrap_or_default() {
            if let (Some(value), Some(over)) = (node.read("a number"), &over) {
                let place = node.source.place(node.start());
                self.reading.mentions.add(over, place.clone(), Of::Setting(value, place));
                values.push(value);
            }
        }
        let wanted = "BytesPerSecond, FlopsPerSecond, Time, SectorsPerRequest or LoadedBytes";
        let quantity = fields.required("quantity").and_then(|node| node.read::<Quantity>(wanted));
        let at = fields.optional("at").and_then(Node::map).map(|given| self.values_of(given)).unwrap_or_default();
        fields.finish();
        if kernels.is_empty() || values.is_empty() {
            node.error("an experiment needs a kernel and a value at least", "fill in `kernels` and `values`");
        }
        Some(Experiment { id: id?, title: title?.value, kernels, over: over?, values, quantity: quantity?, at })
    }

    /// One size for the bench.
    pub(super) fn bench_size(&mut self, node: Node<'_>) -> Option<BenchSize> {
        let fields = node.fields()?;
        let set = self.settings(&fields);
        let kernels = each(&fields, "kernels", |node| self.name(node.text(), Of::Kernel));
        fields.finish();
        Some(BenchSize { set: set?, kernels })
    }
}
