//! The instance of a template that a launch names, or that its arguments tell.

use tree_sitter::Node;

use crate::arithmetic::Value;
use crate::host::{Frame, last_name, parameters, template_parameters};
use crate::launches::{Argument, Reader};
use crate::tree::named;

impl<'a> Reader<'a, '_> {
    /// The kernel's name, of a template with its arguments: those that are written, or those that its parameters' types tell.
    pub fn instance(&self, frame: &Frame<'a>, kernel: Node<'a>, arguments: &[(&Node<'a>, Argument)]) -> String {
        let name = last_name(kernel).map_or_else(|| self.text(frame, kernel), |name| self.text(frame, name));
        let name = match frame.bound.iter().rev().find(|(bound, _)| *bound == name) {
            // A kernel that the caller chooses.
            Some((_, value)) if frame.caller.is_some() => {
                let caller = frame.caller.as_ref().expect("there is one");
                return self.instance(caller, *value, &[]);
            }
            _ => name,
        };
        let Some((source, function)) = self
            .code
            .functions(&name)
            .iter()
            .copied()
            .find(|(_, function)| function.parent().is_some_and(|parent| parent.kind() == "template_declaration"))
        else {
            return name;
        };
        let mut of_template: Vec<String> =
            self.template_arguments(kernel).map(|node| self.template_argument(node, frame)).collect();
        let text = &self.host.sources[source].text;
        let kernels = parameters(function);
        for parameter in template_parameters(function, text).into_iter().skip(of_template.len()) {
            let deduced = kernels.iter().zip(arguments).find_map(|(kernel, (node, _))| {
                let ty = kernel.child_by_field_name("type")?;
                if &text[ty.byte_range()] == parameter {
                    return self.pointee(**node, frame, 0);
                }
                // An argument of the parameter's own template: `Tag<N>` is given as `Tag<8>{}`.
                let place = self.template_arguments(ty).position(|of| &text[of.byte_range()] == parameter)?;
                let given = node.child_by_field_name("type").or_else(|| node.child_by_field_name("function"))?;
                self.template_arguments(given).nth(place).map(|of| self.template_argument(of, frame))
            });
            let Some(deduced) = deduced else { break };
            of_template.push(self.evaluator.plain_type(&deduced, frame));
        }
        if of_template.is_empty() { name } else { format!("{name}<{}>", of_template.join(", ")) }
    }

    /// The arguments of a template's name.
    fn template_arguments(&self, name: Node<'a>) -> impl Iterator<Item = Node<'a>> {
        let mut name = name;
        while name.kind() == "qualified_identifier" {
            let Some(inner) = name.child_by_field_name("name") else { break };
            name = inner;
        }
        name.child_by_field_name("arguments").into_iter().flat_map(named)
    }

    fn template_argument(&self, node: Node<'a>, frame: &Frame<'a>) -> String {
        let text = self.text(frame, node);
        let last = text.rsplit("::").next().unwrap_or_default();
        if text.contains("::") && self.code.enumerator(last).is_some() {
            return text;
        }
        match self.evaluator.value(node, frame) {
            Ok(Value::Int(value)) => value.to_string(),
            Ok(Value::Text(text)) => text,
            _ => {
                let ty = self.evaluator.type_text(node, frame).unwrap_or_else(|| self.text(frame, node));
                self.evaluator.plain_type(&ty, frame)
            }
        }
    }

    /// The type that an argument is, or points to, by its declaration.
    fn pointee(&self, node: Node<'a>, frame: &Frame<'a>, depth: usize) -> Option<String> {
        match node.kind() {
            _ if depth > 24 => None,
            "number_literal" => {
                let text = self.host.text(frame.source, node).to_ascii_lowercase();
                let is_real = text.contains(['.', 'e']) && !text.starts_with("0x");
                Some(
                    if !is_real {
                        "int"
                    } else if text.ends_with('f') {
                        "float"
                    } else {
                        "double"
                    }
                    .to_owned(),
                )
            }
            "identifier" => {
                let name = self.host.text(frame.source, node);
                let ty = self.evaluator.type_of(name, frame)?;
                match frame.bound.iter().rev().find(|(bound, _)| *bound == ty) {
                    Some((_, value)) => self.evaluator.type_text(*value, frame.caller.as_ref()?),
                    None => {
                        // A template's type that the caller's argument tells.
                        let is_open = frame.function.is_some_and(|function| {
                            template_parameters(function, &self.host.sources[frame.source].text).contains(&ty.as_str())
                        });
                        if !is_open {
                            return (ty != "auto").then_some(ty);
                        }
                        let (_, value) =
                            frame.bound.iter().rev().find(|(bound, _)| bound == name).filter(|_| depth < 8)?;
                        self.pointee(*value, frame.caller.as_ref()?, depth + 1)
                    }
                }
            }
            "cast_expression" => {
                node.child_by_field_name("type").map(|ty| self.text(frame, ty).trim_end_matches([' ', '*']).to_owned())
            }
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let types = if function.kind() == "field_expression" {
                    function.child_by_field_name("field")?
                } else {
                    function
                };
                let ty = types.child_by_field_name("arguments").and_then(|types| named(types).next())?;
                let text = self.evaluator.type_text(ty, frame)?;
                Some(text.trim_end_matches([' ', '*']).to_owned())
            }
            _ => node
                .child_by_field_name("argument")
                .or_else(|| node.child_by_field_name("left"))
                .and_then(|inner| self.pointee(inner, frame, depth + 1)),
        }
    }
}
