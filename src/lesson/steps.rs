//! Steps, as `lesson.ron` declares them; their prose is in `text.md`.

use super::document::{Kind, Reader};
use super::fields::Node;
use super::mention::{Access, Of};
use super::model::Step;
use super::scenes::SceneKind;

impl Reader<'_> {
    pub(super) fn step(&mut self, node: Node<'_>) -> Option<Step> {
        let fields = node.fields()?;
        let id = self.id(&fields, Kind::Step);
        let variant = self.variant(&fields);
        let pass = self.pass_of(&fields, variant.as_ref());
        let set = self.settings(&fields);
        let experiment = fields.optional("experiment").map(|node| self.name(node.text(), Of::Experiment));
        let scene = fields.optional("scene").map_or(Some(SceneKind::default()), |node| node.read("a scene"));
        let watch = fields.text_or_empty("watch");
        let open = fields.list("open").unwrap_or_default();
        let open = open.into_iter().filter_map(|node| Some(node.text()?.value)).collect();
        let at = fields.optional("at").map_or(Some(0.0), |node| {
            let at = node.read::<f64>("a share of the record, such as 0.5")?;
            if !(0.0..1.0).contains(&at) {
                node.error(format!("a step cannot begin at {at}"), "give a share of the record: from 0 to less than 1");
                return None;
            }
            Some(at)
        });
        let block =
            fields.optional("block").map(|node| node.read::<(usize, usize)>("rows and columns, such as (4, 1)"));
        let block = block.map_or(Some(None), |block| block.map(|(rows, columns)| Some([rows, columns])));
        let buffer = match fields.optional("buffer") {
            Some(node) => self.name(node.text(), Of::Buffer(variant.as_ref()?.program.clone())).map(Some),
            None => Some(None),
        };
        let launch = fields.optional("launch").map_or(Some(1), |node| {
            let launch = node.read::<u64>("a launch of the pass, from 1")?;
            if launch == 0 {
                node.error("launches are counted from 1", "write 1 for the first one");
            }
            (launch > 0).then_some(launch)
        });
        let limit = fields.optional("limit").map(|node| self.expr(Some(node), &Access::Fixed));
        let limit = limit.map_or(Some(None), |expr| expr.map(Some));
        let cover = fields.optional("cover").map_or(Some(false), |node| node.read("true or false"));
        fields.finish();
        let experiment = experiment.map_or(Some(None), |name| name.map(Some))?;
        Some(Step {
            id: id?,
            title: String::new(),
            variant: variant?,
            pass: pass?,
            launch: launch?,
            set: set?,
            experiment,
            scene: scene?,
            watch: watch?,
            open,
            at: at?,
            block: block?,
            buffer: buffer?,
            limit: limit?,
            cover: cover?,
            place: node.place(),
            blocks: Vec::new(),
        })
    }
}
