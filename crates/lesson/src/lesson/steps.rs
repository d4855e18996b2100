//! Steps in `lesson.ron`; their prose is in `text.md`.

use super::document::{Kind, Reader, words};
use super::fields::{Fields, Node};
use super::mention::{Mentions, Of};
use super::model::Step;
use super::picture::{ArgValue, LiveText, Picture, PictureArg};
use super::{records, text};

impl Reader<'_> {
    pub(super) fn step(&mut self, node: Node<'_>) -> Option<Step> {
        let mut fields = node.fields(&records::STEP)?;
        let id = self.id(&fields, Kind::Step);
        let variant = self.variant(&fields);
        let pass = self.pass_of(&fields, variant.as_ref());
        let set = self.settings(&fields);
        let experiment = fields.get("experiment").map(|node| self.name(node.text(), Of::Experiment));
        let mut figure = match self.version {
            1 | 2 => scene(&mut fields),
            _ => {
                fields.get("figure").map_or_else(|| Some(Picture::default()), |node| live(node, self.reading.mentions))
            }
        };
        let (watch, part) = (fields.text_or_empty("watch"), fields.text_or_empty("part"));
        let at = fields.get("at").map_or(Some(0.0), |node| {
            let at = node.read::<f64>("a share of the record, such as 0.5")?;
            if !(0.0..1.0).contains(&at) {
                node.error(format!("a step cannot begin at {at}"), "give a share of the record: from 0 to less than 1");
                return None;
            }
            Some(at)
        });
        let (open, terms, teaches) = (words(&fields, "open"), words(&fields, "terms"), words(&fields, "teaches"));
        if let (Some(block), Some(figure)) = (fields.former("block"), &mut figure) {
            block_of_explorer(block, figure)?;
        }
        let launch = fields.get("launch").map_or(Some(1), |node| {
            let launch = node.read::<u64>("a launch of the pass, from 1")?;
            if launch == 0 {
                node.error("launches are counted from 1", "write 1 for the first one");
            }
            (launch > 0).then_some(launch)
        });
        let switch = |name| fields.get(name).map_or(Some(false), |node| node.read("true or false"));
        let (cover, model, round) = (switch("cover"), switch("model"), switch("round"));
        let curves: Vec<_> =
            fields.list("curves").unwrap_or_default().into_iter().filter_map(|node| node.text()).collect();
        fields.finish();
        let experiment = experiment.map_or(Some(None), |name| name.map(Some))?;
        let curves = curves.into_iter().filter_map(|text| match &experiment {
            Some(of) => self.name(Some(text), Of::Curve(of.clone())),
            None => {
                text.error("the step has no experiment", "name its `experiment`, too");
                None
            }
        });
        let curves = curves.collect();
        Some(Step {
            id: id?,
            title: String::new(),
            part: part?,
            variant: variant?,
            pass: pass?,
            launch: launch?,
            set: set?,
            experiment,
            curves,
            figure: figure?,
            watch: watch?,
            at: at?,
            open,
            cover: cover?,
            model: model?,
            round: round?,
            terms,
            teaches,
            python: None,
            place: node.place(),
            blocks: Vec::new(),
        })
    }
}

/// The figure in formats 1 and 2: a scene, with its arguments among the step's fields.
fn scene(fields: &mut Fields<'_>) -> Option<Picture> {
    let mut found = match fields.former("scene") {
        Some(node) => picture(node)?,
        None => Picture::default(),
    };
    let names: &[&str] = match found.name.as_str() {
        "Contents" => &["buffer", "limit", "at"],
        "Waves" => &["at"],
        _ => &[],
    };
    for name in names {
        if let Some(node) = fields.former(name) {
            found.args.push(PictureArg { name: (*name).to_owned(), value: value(node)?, place: node.place() });
        }
    }
    Some(found)
}

/// Converts the former field `block: (rows, columns)` to arguments of the explorer.
fn block_of_explorer(node: Node<'_>, figure: &mut Picture) -> Option<()> {
    let (rows, columns) = node.read::<(u32, u32)>("rows and columns, such as (4, 1)")?;
    let arg = |name: &str, n: u32| PictureArg {
        name: name.to_owned(),
        value: ArgValue::Number(n.into()),
        place: node.place(),
    };
    if figure.name == "Explore" {
        figure.args.extend([arg("rows", rows), arg("columns", columns)]);
    }
    Some(())
}

/// A figure whose arguments may have live elements, as texts have them.
fn live(node: Node<'_>, mentions: &Mentions) -> Option<Picture> {
    let mut picture = picture(node)?;
    let (_, rest) = node.variant();
    let given = rest.map_or_else(|| Some(Vec::new()), Node::entries)?;
    for (arg, (_, node)) in picture.args.iter_mut().zip(given) {
        let texts = match &arg.value {
            ArgValue::Text(text) if text.contains("{{") => vec![node],
            ArgValue::Texts(texts) if texts.iter().any(|text| text.contains("{{")) => node.list()?,
            _ => continue,
        };
        let live = |node: Node<'_>| Some(LiveText::new(text::inlines(node.text()?.excerpt(), mentions)));
        arg.value = ArgValue::Live(texts.into_iter().map(live).collect::<Option<_>>()?);
    }
    Some(picture)
}

/// A figure with its arguments: `Matrices`, or `Contents(buffer: "counts", at: 0.5)`.
pub(super) fn picture(node: Node<'_>) -> Option<Picture> {
    let (name, rest) = node.variant();
    if name.is_empty() {
        node.error(
            "this is no figure",
            "write its name, with what it takes in parentheses: Contents(buffer: \"counts\")",
        );
        return None;
    }
    let args = match rest {
        Some(rest) => rest.entries()?,
        None => Vec::new(),
    };
    let args = args
        .into_iter()
        .map(|(name, node)| Some(PictureArg { name: name.to_owned(), value: value(node)?, place: node.place() }));
    Some(Picture { name: name.to_owned(), args: args.collect::<Option<_>>()?, place: Some(node.place()) })
}

/// An argument: a text, a list of texts, or a number.
pub(super) fn value(node: Node<'_>) -> Option<ArgValue> {
    match node.raw.chars().next() {
        Some('"' | 'r') => Some(ArgValue::Text(node.text()?.value)),
        Some('[') => Some(ArgValue::Texts(node.read("a list of words")?)),
        _ => Some(ArgValue::Number(node.read("a text, a list of texts or a number")?)),
    }
}
