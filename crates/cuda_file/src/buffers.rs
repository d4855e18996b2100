//! The buffers that a host's pointers lead to, with their sizes, from the calls that allocate them.

use std::rc::Rc;

use tree_sitter::Node;

use crate::arithmetic::{Unknown, Value};
use crate::host::{Frame, declared, parameters};
use crate::launches::{Buffer, Reader, Size};
use crate::tree::{each_with, named};

/// Functions that take the address of a pointer, and the bytes to allocate.
const ALLOCATES: [&str; 5] = ["cudaMalloc", "cudaMallocManaged", "cudaMallocHost", "cudaHostAlloc", "cudaMallocAsync"];

impl<'a> Reader<'a, '_> {
    /// The buffer that an expression leads to.
    pub fn buffer(&self, node: Node<'a>, frame: &Rc<Frame<'a>>, depth: usize) -> Option<Buffer> {
        let inner = |name: &str| node.child_by_field_name(name).and_then(|inner| self.buffer(inner, frame, depth + 1));
        match node.kind() {
            _ if depth > 24 => None,
            "cast_expression" => inner("value"),
            "parenthesized_expression" => named(node).next().and_then(|inner| self.buffer(inner, frame, depth + 1)),
            // A place within a buffer: how much is left from there is not said.
            "binary_expression" => {
                let of = inner("left")?;
                let offset = node.child_by_field_name("right").map(|right| self.evaluator.value(right, frame));
                match offset {
                    Some(Ok(Value::Int(0))) => Some(of),
                    _ => {
                        let name = self.text(frame, node);
                        Some(Buffer { size: Err(Unknown(name.clone())), name })
                    }
                }
            }
            "pointer_expression"
                if node.child_by_field_name("argument").is_some_and(|it| it.kind() == "subscript_expression") =>
            {
                let element = node.child_by_field_name("argument")?;
                let index = element.child_by_field_name("indices").and_then(|list| named(list).next());
                let index = index.map(|index| self.evaluator.value(index, frame));
                let of = element.child_by_field_name("argument").and_then(|of| self.buffer(of, frame, depth + 1))?;
                match index {
                    Some(Ok(Value::Int(0))) => Some(of),
                    _ => {
                        let name = self.text(frame, node);
                        Some(Buffer { size: Err(Unknown(name.clone())), name })
                    }
                }
            }
            // A pointer in an array of pointers.
            "subscript_expression" if node.parent().is_none_or(|parent| parent.kind() != "pointer_expression") => {
                let array = self.text(frame, node.child_by_field_name("argument")?);
                Some(Buffer { name: self.text(frame, node), size: self.allocated(&array, frame, depth) })
            }
            "pointer_expression" | "subscript_expression" => inner("argument"),
            "call_expression" => {
                let function = node.child_by_field_name("function")?;
                let object = function.child_by_field_name("argument").filter(|_| function.kind() == "field_expression");
                let first = node.child_by_field_name("arguments").and_then(|list| named(list).next());
                self.buffer(object.or(first)?, frame, depth + 1)
            }
            "field_expression" => Some(Buffer {
                name: self.text(frame, node),
                size: self.allocated(&self.text(frame, node), frame, depth),
            }),
            "identifier" => {
                let name = self.text(frame, node);
                if let Some((_, value)) = frame.bound.iter().rev().find(|(bound, _)| *bound == name) {
                    let caller = frame.caller.as_ref()?;
                    return self.buffer(*value, caller, depth + 1);
                }
                if let Some((at, value)) = self.initial(&name, frame)
                    && matches!(
                        value.kind(),
                        "identifier" | "cast_expression" | "binary_expression" | "pointer_expression"
                    )
                    && let Some(of) = self
                        .buffer(value, &Rc::new(frame.at(at)), depth + 1)
                        .filter(|of| of.name != name && of.size.is_ok())
                {
                    return Some(of);
                }
                let size = match (self.allocated(&name, frame, depth), &frame.outer) {
                    (Err(_), Some(outer)) => return self.buffer_named(&name, outer, depth),
                    (size, _) => size,
                };
                Some(Buffer { name, size })
            }
            _ => None,
        }
    }

    /// The buffer of a name of a macro's text, where the macro is used.
    fn buffer_named(&self, name: &str, frame: &Rc<Frame<'a>>, depth: usize) -> Option<Buffer> {
        match frame.bound.iter().rev().find(|(bound, _)| bound == name) {
            Some((_, value)) => self.buffer(*value, frame.caller.as_ref()?, depth + 1),
            None => match (self.allocated(name, frame, depth), &frame.outer) {
                (Err(_), Some(outer)) => self.buffer_named(name, outer, depth),
                (size, _) => Some(Buffer { name: name.to_owned(), size }),
            },
        }
    }

    /// The expression that a local pointer begins with.
    fn initial(&self, name: &str, frame: &Frame<'a>) -> Option<(usize, Node<'a>)> {
        let mut found = None;
        each_with(frame.scope(self.host), &self.host.sources[frame.source].text, name, &mut |node| {
            let is_it = |it: Node<'a>| self.host.text(frame.source, it) == name;
            if node.kind() == "init_declarator" && node.start_byte() < frame.at && declared(node).is_some_and(is_it) {
                found = node.child_by_field_name("value").map(|value| (node.start_byte(), value));
            }
        });
        found
    }

    /// The size that a variable's buffer is allocated with.
    fn allocated(&self, name: &str, frame: &Rc<Frame<'a>>, depth: usize) -> Result<Size, Unknown> {
        let unknown = || Unknown(name.to_owned());
        if let Some(elements) = self.evaluator.taken(name) {
            return Ok(Size::Elements(elements as i64));
        }
        if depth > 24 {
            return Err(unknown());
        }
        // The last one before the launch; in a function that allocates for others, the last one.
        let mut result = Err(unknown());
        each_with(frame.scope(self.host), &self.host.sources[frame.source].text, name, &mut |node| {
            if (node.start_byte() < frame.at || result.is_err())
                && let Some(size) = self.allocates(name, node, frame, depth)
            {
                result = size;
            }
        });
        // A variable of the file may be allocated by any function.
        if result.is_err() && frame.function.is_some() && self.is_global(name) {
            for (source, node) in self.code.calls() {
                if result.is_err() && self.host.text(source, node).contains(name) {
                    let frame = self.code.frame(source, node.start_byte(), 4);
                    if let Some(size) = self.allocates(name, node, &frame, depth) {
                        result = size;
                    }
                }
            }
        }
        result
    }

    fn is_global(&self, name: &str) -> bool {
        (0..self.host.files).any(|file| {
            let root = self.host.sources[file].tree.root_node();
            named(root).any(|node| {
                node.kind() == "declaration"
                    && named(node).any(|it| declared(it).is_some_and(|it| self.host.text(file, it) == name))
            })
        })
    }

    /// The size that a call or a declaration gives to a variable's buffer; None if it gives none.
    fn allocates(
        &self,
        name: &str,
        node: Node<'a>,
        frame: &Rc<Frame<'a>>,
        depth: usize,
    ) -> Option<Result<Size, Unknown>> {
        let text = |node: Node<'a>| self.host.text(frame.source, node);
        let at = frame.at(node.start_byte());
        let number = |node: Node<'a>| {
            self.evaluator
                .value(node, &at)
                .and_then(|value| value.whole().ok_or_else(|| Unknown(text(node).to_owned())))
        };
        let is_it = |node: Node<'a>| {
            let mut at = node;
            while is_wrapped(at.kind()) {
                let inner = at.child_by_field_name("value").or_else(|| at.child_by_field_name("argument"));
                let inner = inner.or_else(|| at.child_by_field_name("arguments").and_then(|list| named(list).next()));
                let Some(inner) = inner.or_else(|| named(at).last()) else { break };
                at = inner;
            }
            text(at) == name
        };
        match node.kind() {
            "call_expression" if text(node).contains(name) => {
                let (called, given) = self.code.call(frame.source, node)?;
                if ALLOCATES.contains(&called) {
                    let [pointer, bytes, ..] = given.as_slice() else { return None };
                    return is_it(*pointer).then(|| number(*bytes).map(Size::Bytes));
                }
                // A function that allocates for its caller.
                let place = given.iter().position(|argument| text(*argument).contains('&') && is_it(*argument))?;
                let (source, function) = self.code.functions(called).first().copied().filter(|_| depth < 4)?;
                let parameter = declared(*parameters(function).get(place)?)?;
                let mut inner = Frame { function: Some(function), ..Frame::of(source, function.end_byte()) };
                inner.bind(self.host, function, Rc::new(at), node);
                let size = self.allocated(self.host.text(source, parameter), &Rc::new(inner), depth + 8);
                size.is_ok().then_some(size)
            }
            "assignment_expression" if node.child_by_field_name("left").is_some_and(is_it) => {
                self.made(node.child_by_field_name("right")?, frame, &at, depth)
            }
            "init_declarator" if declared(node).is_some_and(is_it) => {
                let value = node.child_by_field_name("value")?;
                let ty = node.parent()?.child_by_field_name("type").map_or("", text);
                if ty.contains("vector<") {
                    let list = if value.kind() == "argument_list" { named(value).next() } else { None };
                    let of = ty.split_once("vector<").and_then(|(_, of)| of.split('>').next()).unwrap_or_default();
                    let each = self.evaluator.bytes_of(of, frame);
                    let size =
                        |count: i64| each.map_or(Size::Elements(count), |each| Size::Bytes(count.saturating_mul(each)));
                    return list.map(|count| number(count).map(size));
                }
                self.made(value, frame, &at, depth)
            }
            // The elements of an array of pointers are buffers of their own.
            "array_declarator" if declared(node).is_some_and(is_it) && !is_pointer_declarator(node) => {
                self.evaluator.bytes_of_variable(name, frame).map(|bytes| Ok(Size::Bytes(bytes)))
            }
            _ => None,
        }
    }

    /// The size that an expression allocates: `malloc`, `new`, a tensor of torch.
    fn made(
        &self,
        value: Node<'a>,
        frame: &Rc<Frame<'a>>,
        at: &Frame<'a>,
        depth: usize,
    ) -> Option<Result<Size, Unknown>> {
        let int = |node: Node<'a>| {
            let whole = |value: Value| value.whole().ok_or_else(|| Unknown(self.text(at, node)));
            self.evaluator.value(node, at).and_then(whole)
        };
        match value.kind() {
            "cast_expression" => self.made(value.child_by_field_name("value")?, frame, at, depth),
            "new_expression" => {
                let count = named(value.child_by_field_name("declarator")?).next()?;
                let each =
                    value.child_by_field_name("type").and_then(|ty| self.evaluator.bytes_of(&self.text(at, ty), at));
                let size =
                    |count: i64| each.map_or(Size::Elements(count), |each| Size::Bytes(count.saturating_mul(each)));
                Some(int(count).map(size))
            }
            "call_expression" => {
                let (called, given) = self.code.call(frame.source, value)?;
                match (called, given.as_slice()) {
                    ("malloc" | "mallocCheck", [bytes, ..]) => Some(int(*bytes).map(Size::Bytes)),
                    ("calloc", [count, each]) => Some(
                        int(*count).and_then(|count| int(*each).map(|each| Size::Bytes(count.saturating_mul(each)))),
                    ),
                    ("empty" | "zeros" | "ones" | "randn" | "rand" | "full", [shape, ..])
                        if shape.kind() == "initializer_list" =>
                    {
                        let extents: Result<Vec<i64>, _> = named(*shape).map(int).collect();
                        Some(extents.map(|all| Size::Elements(all.into_iter().fold(1, i64::saturating_mul))))
                    }
                    ("empty_like" | "zeros_like" | "ones_like" | "rand_like", [of, ..]) => {
                        Some(self.buffer(*of, frame, depth + 1)?.size)
                    }
                    ("clone" | "contiguous" | "to" | "cuda" | "transpose" | "t", _) => {
                        let of = value.child_by_field_name("function")?.child_by_field_name("argument")?;
                        Some(self.buffer(of, frame, depth + 1)?.size)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether an expression only wraps the pointer in it.
fn is_wrapped(kind: &str) -> bool {
    let wraps = [
        "cast_expression",
        "pointer_expression",
        "parenthesized_expression",
        "subscript_expression",
        "call_expression",
    ];
    wraps.contains(&kind)
}

fn is_pointer_declarator(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == "pointer_declarator")
}
