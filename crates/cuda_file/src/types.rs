//! Types: aliases, and sizes in bytes.

use tree_sitter::Node;

use crate::arithmetic::{Value, as_type};
use crate::host::{Frame, declared, template_parameters};
use crate::tree::{each_with, named};
use crate::value::Evaluator;

/// The name that torch's `AT_DISPATCH` macros give the type of a tensor's elements, and the type that torch gives tensors where none is asked for.
const DISPATCHED: (&str, &str) = ("scalar_t", "float");

impl<'a> Evaluator<'a, '_> {
    /// The text of a type, or of another argument of a template, with names of the caller's templates resolved.
    pub fn type_text(&self, node: Node<'a>, frame: &Frame<'a>) -> Option<String> {
        let text = self.text(frame, node);
        if let Some((_, value)) = frame.bound.iter().rev().find(|(bound, _)| bound == text) {
            return self.type_text(*value, frame.caller.as_ref()?);
        }
        if let Some(outer) = &frame.outer {
            return self.text_in(text, outer);
        }
        let is_open = frame.function.is_some_and(|function| {
            template_parameters(function, &self.code.host.sources[frame.source].text).contains(&text)
        });
        (!is_open
            && matches!(
                node.kind(),
                "type_descriptor"
                    | "type_identifier"
                    | "primitive_type"
                    | "identifier"
                    | "qualified_identifier"
                    | "template_type"
            ))
        .then(|| text.to_owned())
    }

    fn text_in(&self, text: &str, frame: &Frame<'a>) -> Option<String> {
        match frame.bound.iter().rev().find(|(bound, _)| bound == text) {
            Some((_, value)) => self.type_text(*value, frame.caller.as_ref()?),
            None => Some(text.to_owned()),
        }
    }

    /// The bytes of a type or a variable.
    pub fn size_of(&self, node: Node<'a>, frame: &Frame<'a>) -> Option<i64> {
        let of = node.child_by_field_name("type").or_else(|| node.child_by_field_name("value"))?;
        let of = if of.kind() == "parenthesized_expression" { named(of).next()? } else { of };
        let text = self.text(frame, of);
        if let Some(bytes) = self.bytes_of(text, frame) {
            return Some(bytes);
        }
        // A variable: an array's elements are counted.
        if matches!(of.kind(), "identifier" | "type_identifier") {
            return self.bytes_of_variable(text, frame);
        }
        match of.kind() {
            "subscript_expression" => {
                let array = self.text(frame, of.child_by_field_name("argument")?);
                self.bytes_of(&self.type_of(array, frame)?, frame)
            }
            "pointer_expression" => {
                let pointer = self.text(frame, of.child_by_field_name("argument")?);
                self.bytes_of(&self.type_of(pointer, frame)?, frame)
            }
            _ => None,
        }
    }

    /// The bytes of a variable.
    pub fn bytes_of_variable(&self, name: &str, frame: &Frame<'a>) -> Option<i64> {
        let text = &self.code.host.sources[frame.source].text;
        let mut found = None;
        each_with(frame.scope(self.code.host), text, name, &mut |node| {
            if node.kind() == "declaration" && node.start_byte() < frame.at {
                let part = named(node).find(|it| declared(*it).is_some_and(|it| &text[it.byte_range()] == name));
                found = part.map(|part| (node, part)).or(found);
            }
        });
        let (node, part) = found?;
        let bytes = self.bytes_of(&text[node.child_by_field_name("type")?.byte_range()], frame)?;
        let mut at = part;
        let mut count = Some(1);
        loop {
            match at.kind() {
                "pointer_declarator" => return Some(8),
                "array_declarator" => {
                    let size = at.child_by_field_name("size").map(|size| self.value(size, frame).ok());
                    let listed = || match self.assigned(name, frame) {
                        Some((Ok(Value::List(list)), ..)) => i64::try_from(list.len()).ok(),
                        _ => None,
                    };
                    let size = size.map_or_else(listed, |size| size.and_then(|size| size.whole()))?;
                    count = count.and_then(|count: i64| count.checked_mul(size));
                }
                "identifier" => return count?.checked_mul(bytes),
                _ => {}
            }
            at = at.child_by_field_name("declarator").or_else(|| named(at).next())?;
        }
    }

    /// The bytes of a type by its name.
    pub fn bytes_of(&self, ty: &str, frame: &Frame<'a>) -> Option<i64> {
        self.bytes_within(ty, frame, 0)
    }

    fn bytes_within(&self, ty: &str, frame: &Frame<'a>, depth: usize) -> Option<i64> {
        if ty.trim_end().ends_with('*') {
            return Some(8);
        }
        let plain = ty.split_whitespace().filter(|word| !["const", "static", "constexpr", "struct"].contains(word));
        // A template's parameter may stand for a name that has another.
        let name = self.plain_type(&self.plain_type(&plain.collect::<Vec<_>>().join(" "), frame), frame);
        let name = name.trim_start_matches("struct ").trim();
        if let Some(bytes) = crate::launches::bytes_of(name.rsplit("::").next().unwrap_or(name)) {
            return Some(bytes);
        }
        if let (Some(outer), false) = (&frame.outer, depth > 8) {
            return self.bytes_within(name, outer, depth + 1);
        }
        // The members of a structure, each at a multiple of its own size, as far as they are numbers.
        let (source, class) = self.code.class(name).filter(|_| depth < 8)?;
        let (mut bytes, mut widest) = (0_i64, 1);
        for field in named(class.child_by_field_name("body")?).filter(|it| it.kind() == "field_declaration") {
            let text = self.code.host.text(source, field);
            let ty = self.code.host.text(source, field.child_by_field_name("type")?);
            let each = if text.contains('*') { 8 } else { self.bytes_within(ty, frame, depth + 1)? };
            if text.contains(['[', '(', ':']) || each == 0 {
                return None;
            }
            for _ in 0..=text.matches(',').count() {
                bytes = (bytes + each - 1) / each * each + each;
            }
            widest = widest.max(each);
        }
        Some((bytes + widest - 1) / widest * widest)
    }

    /// A value as a type has it; None if that is not known.
    pub fn as_type(&self, ty: &str, value: Value, frame: &Frame<'a>) -> Option<Value> {
        let words = ty.split_whitespace().filter(|word| !["const", "static", "constexpr", "inline"].contains(word));
        as_type(&self.plain_type(&words.collect::<Vec<_>>().join(" "), frame), value)
    }

    /// A type without names for it, such as those of `typedef` and of macros.
    pub fn plain_type(&self, ty: &str, frame: &Frame<'a>) -> String {
        let mut ty = ty.to_owned();
        for _ in 0..4 {
            let of_macro = self.code.host.macros.get(&ty).filter(|used| used.parameters.is_none());
            let other = match (self.code.alias(&ty), of_macro) {
                (Some((source, other)), _) => self.code.host.text(source, other),
                (None, Some(used)) => self.code.host.sources[used.source].text.trim(),
                (None, None) => break,
            };
            other.clone_into(&mut ty);
        }
        let bound = frame.bound.iter().rev().find(|(name, _)| *name == ty);
        let known = bound.and_then(|(_, value)| self.type_text(*value, frame.caller.as_ref()?));
        let (dispatched, usual) = DISPATCHED;
        known.unwrap_or_else(|| if ty == dispatched { usual.to_owned() } else { ty })
    }

    /// The type that a variable or a parameter is declared with, without what its declarator adds.
    pub fn type_of(&self, name: &str, frame: &Frame<'a>) -> Option<String> {
        let mut found = None;
        let text = &self.code.host.sources[frame.source].text;
        each_with(frame.scope(self.code.host), text, name, &mut |node| {
            if matches!(node.kind(), "declaration" | "parameter_declaration" | "optional_parameter_declaration")
                && node.start_byte() < frame.at
                && named(node).any(|it| declared(it).is_some_and(|it| &text[it.byte_range()] == name))
            {
                found = node.child_by_field_name("type").map(|ty| text[ty.byte_range()].to_owned());
            }
        });
        match (found, &frame.outer) {
            (Some(found), _) => Some(found),
            (None, Some(outer)) => self.type_of(name, outer),
            (None, None) if frame.function.is_some() => self.type_of(name, &Frame::of(frame.source, usize::MAX)),
            (None, None) => None,
        }
    }
}
