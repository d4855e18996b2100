//! Conditions of the preprocessor: `#if`, `#ifdef` and `#ifndef`.

use tree_sitter::Node;

use crate::arithmetic::{Value, binary};
use crate::host::Host;
use crate::tree::named;

impl Host {
    /// Whether the preprocessor keeps a node, with the macros that the files define. A condition that also contains `place` is taken to hold.
    pub fn is_active(&self, source: usize, node: Node<'_>, place: usize) -> bool {
        let text = &self.sources[source].text;
        let field =
            |node: Node<'_>, name: &str| node.child_by_field_name(name).map_or("", |it| text[it.byte_range()].trim());
        let mut at = node;
        while let Some(parent) = at.parent() {
            let is_other = parent.child_by_field_name("alternative") == Some(at);
            let is_kept = match parent.kind() {
                "preproc_ifdef" if ["__CUDACC__", "__NVCC__"].contains(&field(parent, "name")) => {
                    text[parent.start_byte()..].starts_with("#ifdef") != is_other
                }
                "preproc_ifdef" => {
                    let name = field(parent, "name");
                    let is_ifdef = text[parent.start_byte()..].starts_with("#ifdef");
                    // A definition below its own `#ifndef` does not close it.
                    let is_own = || text[parent.byte_range()].contains(&format!("define {name}"));
                    (self.defined.contains(name) && (is_ifdef || !is_own())) == (is_ifdef != is_other)
                }
                "preproc_if" | "preproc_elif" => {
                    let condition = parent.child_by_field_name("condition");
                    let holds = condition.and_then(|condition| self.condition(text, condition, 0)).unwrap_or_default();
                    (holds != 0) != is_other
                }
                _ => true,
            };
            if !is_kept && !parent.byte_range().contains(&place) {
                return false;
            }
            at = parent;
        }
        true
    }

    /// The value of a condition of the preprocessor, as nvcc has it for the host; None if it is not known.
    fn condition(&self, text: &str, node: Node<'_>, depth: usize) -> Option<i64> {
        let said = &text[node.byte_range()];
        let field = |name: &str| node.child_by_field_name(name);
        let of = |name: &str| self.condition(text, field(name)?, depth + 1);
        match node.kind() {
            _ if depth > 64 => None,
            "number_literal" => said.trim_end_matches(['u', 'l', 'U', 'L']).parse().ok(),
            "identifier" => match said {
                "__CUDACC__" | "__NVCC__" | "__linux__" | "__CUDACC_VER_MAJOR__" => Some(13),
                "CUDART_VERSION" | "CUDA_VERSION" => Some(13_000),
                "__cplusplus" => Some(201_703),
                _ => match self.macros.get(said) {
                    Some(used) => self.sources[used.source].text.trim().trim_matches(['(', ')']).parse().ok(),
                    None => Some(0),
                },
            },
            "preproc_defined" => {
                let name = named(node).next().map_or("", |name| &text[name.byte_range()]);
                Some(i64::from(self.defined.contains(name) || ["__CUDACC__", "__NVCC__", "__linux__"].contains(&name)))
            }
            "parenthesized_expression" => self.condition(text, named(node).next()?, depth + 1),
            "unary_expression" => match &text[field("operator")?.byte_range()] {
                "!" => Some(i64::from(of("argument")? == 0)),
                "-" => of("argument")?.checked_neg(),
                _ => None,
            },
            "binary_expression" => {
                let operator = &text[field("operator")?.byte_range()];
                match (operator, of("left")?) {
                    ("&&", 0) => Some(0),
                    ("||", left) if left != 0 => Some(1),
                    (operator, left) => binary(operator, &Value::Int(left), &Value::Int(of("right")?))?.whole(),
                }
            }
            _ => None,
        }
    }
}
