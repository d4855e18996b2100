//! Checks in `lesson.ron`: a buffer, and what it is compared with.

use super::document::Reader;
use super::fields::{Fields, Node, Text, did_you_mean};
use super::mention::{Access, Of};
use super::model::{AgainstDecl, Buffer, CheckDecl};
use super::records;
use crate::base::expr::Expr;

/// The kinds of comparison, by the field that selects one.
pub const FORMS: [&str; 8] =
    ["reference", "kernel", "formula", "every", "sorted_by", "permutation_of", "equal_set", "sums_to"];

/// The prefix of a buffer's name in a formula for its initial contents.
pub const BEFORE: &str = "before.";

impl Reader<'_> {
    /// Reads one check of `owner`, a kernel by itself or a program, with these buffers.
    pub(super) fn check(&mut self, owner: &str, buffers: &[Buffer], node: Node<'_>) -> Option<CheckDecl> {
        let fields = node.fields(&records::CHECK)?;
        let output = fields.text("output").and_then(|text| buffer(buffers, text));
        let tolerance_node = fields.get("tolerance");
        let tolerance = tolerance_node.map_or(Some(0.0), |node| node.read::<f64>("a number"));
        if let Some((node, odd)) = tolerance_node.zip(tolerance).filter(|(_, t)| !(0.0..1.0).contains(t)) {
            node.error(format!("a relative error of {odd} cannot be asked for"), "use a number from 0 to below 1");
        }
        let scale_node = fields.get("scale");
        let scale = scale_node.map(|node| self.figure(owner, Some(node), None));
        let after = fields.get("after").map(|node| self.name(node.text(), Of::Part(owner.to_owned())));
        let when = fields.get("when").map(|node| self.figure(owner, Some(node), None));
        let given: Vec<&str> = FORMS.into_iter().filter(|form| fields.get(form).is_some()).collect();
        let [form] = given[..] else {
            let (message, hint) = if given.is_empty() {
                ("this check compares with nothing", format!("write one of {}", FORMS.join(", ")))
            } else {
                ("this check compares with several things", "make a check of each".to_owned())
            };
            node.error(message, hint);
            return None;
        };
        let against = self.against(owner, buffers, form, &fields);
        fields.finish();
        if let (Some(node), false) = (scale_node, matches!(form, "formula" | "kernel")) {
            node.error("only a formula or a plain kernel has a scale", "leave it out");
        }
        let (after, scale, when) = (
            after.map_or(Some(None), |after| after.map(Some)),
            scale.map_or(Some(None), |s| s.map(Some)),
            when.map_or(Some(None), |when| when.map(Some)),
        );
        let place = node.place();
        Some(CheckDecl {
            output: output?,
            against: against?,
            tolerance: tolerance?,
            scale: scale?,
            after: after?,
            when: when?,
            place,
        })
    }

    fn against(&mut self, owner: &str, buffers: &[Buffer], form: &str, fields: &Fields<'_>) -> Option<AgainstDecl> {
        match form {
            "reference" => self.reference(owner, buffers, fields),
            "kernel" => self.launch_of(owner, buffers, fields).map(|launch| AgainstDecl::Kernel(Box::new(launch))),
            "permutation_of" => Some(AgainstDecl::Permutation(buffer(buffers, fields.text("permutation_of")?)?)),
            "equal_set" => Some(AgainstDecl::EqualSets(buffer(buffers, fields.text("equal_set")?)?)),
            "sums_to" => self.figure(owner, fields.get("sums_to"), None).map(AgainstDecl::SumsTo),
            "formula" => self.formula(owner, buffers, fields, "formula").map(|(f, n)| AgainstDecl::Formula(f, n)),
            "every" => self.formula(owner, buffers, fields, "every").map(|(f, n)| AgainstDecl::Every(f, n)),
            _ => self.formula(owner, buffers, fields, "sorted_by").map(|(f, n)| AgainstDecl::SortedBy(f, n)),
        }
    }

    /// A formula for element `i`, and the number of elements that it covers.
    fn formula(
        &mut self,
        owner: &str,
        buffers: &[Buffer],
        fields: &Fields<'_>,
        name: &'static str,
    ) -> Option<(Expr, Option<Expr>)> {
        let text = fields.text(name);
        let count = fields.get("count");
        let count = count.map(|node| self.figure(owner, Some(node), Some(0)));
        let text = text?;
        let excerpt = text.excerpt();
        let expr = self.reading.mentions.formula(excerpt, &Access::Fixed, &["i", "round"])?;
        for (name, span) in expr.buffers() {
            let bare = name.strip_prefix(BEFORE).unwrap_or(name);
            if !buffers.iter().any(|buffer| buffer.name == bare) {
                let hint = did_you_mean(bare, buffers.iter().map(|buffer| buffer.name.as_str()));
                excerpt.error(span.start, format!("`{bare}` is not a buffer here"), hint);
            }
        }
        match count {
            Some(count) => Some((expr, Some(count?))),
            None => Some((expr, None)),
        }
    }

    fn reference(&mut self, owner: &str, buffers: &[Buffer], fields: &Fields<'_>) -> Option<AgainstDecl> {
        let reference = fields.text("reference")?;
        let args = fields.map("args");
        let inputs = fields.map("inputs").unwrap_or_default().into_iter().map(|(name, node)| {
            let from = buffer(buffers, node.text()?)?;
            Some((name.value, from))
        });
        let inputs = inputs.collect::<Option<Vec<_>>>();
        let known = self.reading.references;
        let Some(known) = known.iter().find(|known| known.name == reference.value) else {
            let hint = did_you_mean(&reference.value, known.iter().map(|known| known.name));
            reference.error(format!("there is no reference `{}`", reference.value), hint);
            return None;
        };
        let given: Vec<&str> = args.iter().flatten().map(|(name, _)| name.value.as_str()).collect();
        for missing in known.args.iter().filter(|arg| !given.contains(arg)) {
            reference.error(format!("`{}` needs the argument `{missing}`", known.name), "add it to `args`");
        }
        for (odd, _) in args.iter().flatten().filter(|(name, _)| !known.args.contains(&name.value.as_str())) {
            let hint = did_you_mean(&odd.value, known.args.iter().copied());
            odd.error(format!("`{}` has no argument `{}`", known.name, odd.value), hint);
        }
        let inputs = inputs?;
        let renamed = |input: &str| inputs.iter().any(|(name, _)| name == input);
        let names = || buffers.iter().map(|buffer| buffer.name.as_str());
        for missing in known.inputs.iter().filter(|input| !renamed(input) && !names().any(|name| name == **input)) {
            let message = format!("`{}` reads a buffer `{missing}`, and there is none here", known.name);
            reference.error(
                message,
                format!("{} Or say which: inputs: {{\"{missing}\": \"…\"}}", did_you_mean(missing, names())),
            );
        }
        let args = args.map(|all| self.figures(owner, all));
        Some(AgainstDecl::Reference(reference.value, args?, inputs))
    }
}

/// A buffer's name.
fn buffer(buffers: &[Buffer], text: Text<'_>) -> Option<String> {
    if buffers.iter().any(|buffer| buffer.name == text.value) {
        return Some(text.value);
    }
    let hint = did_you_mean(&text.value, buffers.iter().map(|buffer| buffer.name.as_str()));
    text.error(format!("`{}` is not a buffer here", text.value), hint);
    None
}
