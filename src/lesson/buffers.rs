//! A kernel's buffers, as `lesson.ron` declares them.

use super::conditions::Wanted;
use super::cuda::{self, Shader};
use super::document::Reader;
use super::fields::Node;
use super::model::{Buffer, Within};
use crate::base::tensor::{Elem, Init};

impl Reader<'_> {
    /// One buffer of `kernel`, whose shader this is.
    pub(super) fn buffer(&mut self, kernel: &str, shader: Option<&Shader>, node: Node<'_>) -> Option<Buffer> {
        let fields = node.fields()?;
        let name = fields.text("name");
        let elem_node = fields.required("elem");
        let elem = elem_node.and_then(|node| node.read("F32, F16, Bf16, U32 or I32"));
        let count = self.wanted(kernel, fields.required("count"), Wanted::Count(1));
        let columns = fields.optional("columns").and_then(|node| self.wanted(kernel, Some(node), Wanted::Count(1)));
        let init = fields.required("init").and_then(|node| node.read("Random, Iota, Zero, Poison or Value(number)"));
        let bounds_node = fields.optional("bounds");
        let bounds = bounds_node.and_then(Node::pair).map(|pair| pair.map(|node| self.number(kernel, node)));
        let masked_node = fields.optional("masked");
        let masked = masked_node.and_then(|node| self.number(kernel, node));
        fields.finish();
        if let (Some(Elem::Bf16), Some(node), false) = (elem, elem_node, shader.is_none_or(cuda::is_cuda)) {
            node.error("WGSL has no bfloat16", "write F16 or F32, or write the kernel in CUDA C++ only");
            return None;
        }
        if let Some(node) = bounds_node.or(masked_node).filter(|_| init.is_some_and(|init| init != Init::Random)) {
            node.error("only random elements have bounds or are masked", "write `init: Random`, or leave this out");
        }
        let within = match bounds {
            Some([low, high]) => Some(Within { low: low?, high: high?, masked }),
            None if bounds_node.is_some() => return None,
            None => {
                if let Some(node) = masked_node {
                    node.error("elements that are masked among others need bounds", "add bounds: (\"-1\", \"1\")");
                }
                None
            }
        };
        Some(Buffer { name: name?.value, elem: elem?, count: count?, columns, init: init?, within })
    }

    fn number(&mut self, kernel: &str, node: Node<'_>) -> Option<crate::base::expr::Expr> {
        self.wanted(kernel, Some(node), Wanted::Number)
    }
}
