//! Values of the host's expressions, as far as they can be known without running it.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tree_sitter::Node;

use crate::host::{Code, Frame, declared, function_name, last_name, template_parameters};
use crate::tree::{each_with, named};

/// The most steps from one name to the next.
const DEEPEST: usize = 96;

/// What a program asks of its device, as an H100 or H200 answers.
const PROPERTIES: [(&str, i64); 11] = [
    ("multiProcessorCount", 132),
    ("warpSize", 32),
    ("maxThreadsPerBlock", 1024),
    ("maxThreadsPerMultiProcessor", 2048),
    ("maxBlocksPerMultiProcessor", 32),
    ("sharedMemPerBlock", 49_152),
    ("sharedMemPerBlockOptin", 232_448),
    ("sharedMemPerMultiprocessor", 233_472),
    ("regsPerBlock", 65_536),
    ("major", 9),
    ("minor", 0),
];

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Int(i64),
    Float(f64),
    Dim([i64; 3]),
    List(Vec<Value>),
    Text(String),
}

/// The name or the expression that cannot be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown(pub String);

/// A name that a value depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    pub name: String,
    /// Its expression in the source.
    pub text: String,
    pub value: Value,
    /// The file, by its index, and the line, from 0.
    pub place: (usize, usize),
}

/// Evaluates expressions of a host's code.
pub struct Evaluator<'a, 'e> {
    pub code: &'e Code<'a>,
    /// Values that the user gives to names.
    pub given: &'e BTreeMap<String, f64>,
    /// The names that were used since it was emptied.
    pub used: RefCell<Vec<Used>>,
    /// The names of given values that were used since it was emptied.
    pub taken: RefCell<BTreeSet<String>>,
    depth: RefCell<usize>,
}

type Known = Result<Value, Unknown>;

impl<'a, 'e> Evaluator<'a, 'e> {
    pub fn new(code: &'e Code<'a>, given: &'e BTreeMap<String, f64>) -> Self {
        Self { code, given, used: RefCell::default(), taken: RefCell::default(), depth: RefCell::default() }
    }

    fn text(&self, frame: &Frame<'a>, node: Node<'a>) -> &'a str {
        self.code.host.text(frame.source, node)
    }

    /// The value that the user gives to a name or an expression. The parameters of macros and of functions that only compute have names of
    /// their own.
    fn given(&self, text: &str, frame: &Frame<'a>) -> Option<Value> {
        if frame.is_helper && frame.bound.iter().any(|(bound, _)| bound == text) {
            return None;
        }
        self.taken(text).map(Value::of)
    }

    /// The number that the user gives to a name.
    pub fn taken(&self, text: &str) -> Option<f64> {
        let value = self.given.get(text).copied()?;
        self.taken.borrow_mut().insert(text.to_owned());
        Some(value)
    }

    /// The value of an expression in a frame.
    pub fn value(&self, node: Node<'a>, frame: &Frame<'a>) -> Known {
        let unknown = || Unknown(self.text(frame, node).split_whitespace().collect::<Vec<_>>().join(" "));
        if *self.depth.borrow() > DEEPEST {
            return Err(unknown());
        }
        *self.depth.borrow_mut() += 1;
        let value = self.given(self.text(frame, node), frame);
        let value = value.map_or_else(|| self.expression(node, frame, &unknown), Ok);
        *self.depth.borrow_mut() -= 1;
        value
    }

    fn expression(&self, node: Node<'a>, frame: &Frame<'a>, unknown: &dyn Fn() -> Unknown) -> Known {
        let text = self.text(frame, node);
        let field = |name: &str| node.child_by_field_name(name).ok_or_else(unknown);
        match node.kind() {
            "number_literal" => number(text).ok_or_else(unknown),
            "true" => Ok(Value::Int(1)),
            "false" | "null" | "nullptr" => Ok(Value::Int(0)),
            "identifier" | "type_identifier" => self.named(text, frame),
            "parenthesized_expression"
            | "translation_unit"
            | "expression_statement"
            | "condition_clause"
            | "return_statement" => self.value(named(node).next().ok_or_else(unknown)?, frame),
            // The text of a macro that a parser takes for a type or a label.
            "ERROR" | "type_descriptor" if node.named_child_count() == 1 => {
                self.value(named(node).next().ok_or_else(unknown)?, frame)
            }
            "binary_expression" => {
                let operator = self.text(frame, field("operator")?);
                let left = self.value(field("left")?, frame)?;
                // The right side may be unknown where the left one decides.
                match (operator, &left) {
                    ("&&" | "and", Value::Int(0)) => return Ok(Value::Int(0)),
                    ("||" | "or", Value::Int(1)) => return Ok(Value::Int(1)),
                    _ => {}
                }
                binary(operator, &left, &self.value(field("right")?, frame)?).ok_or_else(unknown)
            }
            "unary_expression" => {
                match (self.text(frame, field("operator")?), self.value(field("argument")?, frame)?) {
                    ("-", Value::Int(value)) => Ok(Value::Int(value.wrapping_neg())),
                    ("-", Value::Float(value)) => Ok(Value::Float(-value)),
                    ("+", value) => Ok(value),
                    ("!" | "not", Value::Int(value)) => Ok(Value::Int(i64::from(value == 0))),
                    ("~", Value::Int(value)) => Ok(Value::Int(!value)),
                    _ => Err(unknown()),
                }
            }
            "cast_expression" => self.converted(field("type")?, field("value")?, frame, unknown),
            "conditional_expression" => match self.value(field("condition")?, frame)? {
                Value::Int(0) => self.value(field("alternative")?, frame),
                Value::Int(_) => self.value(field("consequence")?, frame),
                _ => Err(unknown()),
            },
            "sizeof_expression" => self.size_of(node, frame).map(Value::Int).ok_or_else(unknown),
            "initializer_list" | "argument_list" => {
                Ok(Value::List(named(node).map(|it| self.value(it, frame)).collect::<Result<_, _>>()?))
            }
            "compound_literal_expression" => {
                let list = self.value(field("value")?, frame)?;
                if self.text(frame, field("type")?) == "dim3" {
                    dimensions(&list).ok_or_else(unknown)
                } else {
                    Ok(list)
                }
            }
            "subscript_expression" => {
                let index = node
                    .child_by_field_name("indices")
                    .and_then(|list| named(list).next())
                    .or_else(|| node.child_by_field_name("index"));
                match (self.value(field("argument")?, frame)?, self.value(index.ok_or_else(unknown)?, frame)?) {
                    (Value::List(list), Value::Int(at)) => {
                        usize::try_from(at).ok().and_then(|at| list.get(at).cloned()).ok_or_else(unknown)
                    }
                    _ => Err(unknown()),
                }
            }
            "field_expression" => self.member(node, frame).ok_or_else(unknown),
            "qualified_identifier" => {
                let name = last_name(node).ok_or_else(unknown)?;
                let of_type = || self.of_type(field("scope").ok()?, self.text(frame, name), frame);
                self.named(self.text(frame, name), frame).ok().or_else(of_type).ok_or_else(unknown)
            }
            "assignment_expression" => self.value(field("right")?, frame),
            "call_expression" => self.called(node, frame, unknown),
            _ => Err(unknown()),
        }
    }

    fn converted(&self, ty: Node<'a>, value: Node<'a>, frame: &Frame<'a>, unknown: &dyn Fn() -> Unknown) -> Known {
        let value = self.value(value, frame)?;
        as_type(self.text(frame, ty), value).ok_or_else(unknown)
    }

    fn called(&self, node: Node<'a>, frame: &Frame<'a>, unknown: &dyn Fn() -> Unknown) -> Known {
        let function = node.child_by_field_name("function").ok_or_else(unknown)?;
        let list = node.child_by_field_name("arguments").ok_or_else(unknown)?;
        let given: Vec<_> = named(list).collect();
        let name = self.text(frame, last_name(function).unwrap_or(function));
        if matches!(name, "static_cast" | "reinterpret_cast" | "const_cast") || (function.kind() == "primitive_type") {
            let ty =
                function.child_by_field_name("arguments").and_then(|types| named(types).next()).unwrap_or(function);
            return self.converted(ty, *given.first().ok_or_else(unknown)?, frame, unknown);
        }
        if let Some(used) = self.code.host.macros.get(name)
            && let Some(parameters) = &used.parameters
        {
            let body = self.code.host.sources[used.source].tree.root_node();
            let bound = parameters.iter().cloned().zip(given).collect();
            let caller = Rc::new(frame.at(frame.at));
            let inner = Frame {
                bound,
                caller: Some(Rc::clone(&caller)),
                outer: Some(caller),
                is_helper: true,
                ..Frame::of(used.source, usize::MAX)
            };
            return self.value(body, &inner);
        }
        if let Some(value) = self.returned(name, node, frame) {
            return value;
        }
        let values: Vec<Value> = given.iter().map(|argument| self.value(*argument, frame)).collect::<Result<_, _>>()?;
        let real = |f: fn(f64) -> f64| values.first().and_then(Value::real).map(|value| Value::Float(f(value)));
        let result = match (name, values.as_slice()) {
            ("dim3" | "make_uint3" | "make_int3", _) => dimensions(&Value::List(values.clone())),
            ("int" | "size_t" | "int64_t" | "uint32_t" | "int32_t" | "uint64_t" | "float" | "double", [value]) => {
                as_type(name, value.clone())
            }
            ("ceil" | "ceilf", _) => real(f64::ceil),
            ("floor" | "floorf", _) => real(f64::floor),
            ("round" | "roundf", _) => real(f64::round),
            ("sqrt" | "sqrtf", _) => real(f64::sqrt),
            ("log2" | "log2f", _) => real(f64::log2),
            ("exp2" | "exp2f", _) => real(f64::exp2),
            ("pow" | "powf", [base, power]) => {
                base.real().zip(power.real()).map(|(base, power)| Value::Float(base.powf(power)))
            }
            ("abs" | "fabs", [Value::Int(value)]) => Some(Value::Int(value.wrapping_abs())),
            ("min" | "fmin" | "fminf", [a, b]) => {
                binary("<", a, b).map(|less| if less == Value::Int(1) { a.clone() } else { b.clone() })
            }
            ("max" | "fmax" | "fmaxf", [a, b]) => {
                binary("<", a, b).map(|less| if less == Value::Int(1) { b.clone() } else { a.clone() })
            }
            // Usual names for a quotient that is rounded up, of helpers that are not at hand.
            (_, [Value::Int(a), Value::Int(b)]) if is_rounded_up(name) && *b != 0 => {
                Some(Value::Int(a.div_euclid(*b) + i64::from(a.rem_euclid(*b) != 0)))
            }
            _ => None,
        };
        result.ok_or_else(unknown)
    }

    /// The value of a call of a function of the file that only returns an expression.
    fn returned(&self, name: &str, call: Node<'a>, frame: &Frame<'a>) -> Option<Known> {
        let count = call.child_by_field_name("arguments").map_or(0, |list| named(list).count());
        let of = |(_, function): &(usize, Node<'a>)| crate::host::parameters(*function).len() == count;
        let (source, function) = self.code.functions(name).iter().copied().find(of)?;
        let body = function.child_by_field_name("body")?;
        let result = named(body).last().filter(|last| last.kind() == "return_statement")?;
        let mut inner = Frame { function: Some(function), is_helper: true, ..Frame::of(source, result.start_byte()) };
        inner.bind(self.code.host, function, Rc::new(frame.at(frame.at)), call);
        Some(self.value(result, &inner))
    }

    /// The value of a name in a frame.
    pub fn named(&self, name: &str, frame: &Frame<'a>) -> Known {
        if let Some(value) = self.given(name, frame) {
            return Ok(value);
        }
        let unknown = || Unknown(name.to_owned());
        if let Some((value, place, node)) = self.assigned(name, frame) {
            let value = value?;
            self.note(name, self.text(frame, node), &value, (frame.source, place));
            return Ok(value);
        }
        if let Some((_, value)) = frame.bound.iter().rev().find(|(bound, _)| bound == name) {
            let caller = frame.caller.as_ref().ok_or_else(unknown)?;
            let is_of_template = value.parent().is_some_and(|list| list.kind() == "template_argument_list");
            let of_type =
                |unknown| self.type_text(*value, caller).map(Value::Text).filter(|_| is_of_template).ok_or(unknown);
            return self.value(*value, caller).or_else(of_type);
        }
        if frame.function.is_some_and(|function| {
            template_parameters(function, &self.code.host.sources[frame.source].text).contains(&name)
        }) {
            return self.default_of(name, frame).unwrap_or_else(|| Err(unknown()));
        }
        if frame.function.is_some() && self.is_parameter(name, frame) {
            return match name {
                "argc" => Ok(Value::Int(1)),
                _ => self.default_of(name, frame).unwrap_or_else(|| Err(unknown())),
            };
        }
        if let Some(outer) = &frame.outer {
            return self.named(name, outer);
        }
        if let Some(used) = self.code.host.macros.get(name).filter(|used| used.parameters.is_none()) {
            let body = self.code.host.sources[used.source].tree.root_node();
            return self.value(body, &Frame::of(used.source, usize::MAX));
        }
        if frame.function.is_some() || frame.source >= self.code.host.files {
            for file in 0..self.code.host.files {
                if let Some((value, place, node)) = self.assigned(name, &Frame::of(file, usize::MAX)) {
                    // A variable of the file may get another value when the program begins.
                    let later = self.code.assignment(name).and_then(|(source, assignment)| {
                        let begin = self.code.frame(source, assignment.start_byte(), 4);
                        self.value(assignment.child_by_field_name("right")?, &begin).ok()
                    });
                    let value = later.map_or(value, Ok)?;
                    self.note(name, self.code.host.text(file, node), &value, (file, place));
                    return Ok(value);
                }
            }
        }
        self.enumerator(name)
            .or(match name {
                "warpSize" => Some(Value::Int(32)),
                "RAND_MAX" => Some(Value::Int(i64::from(i32::MAX))),
                _ => None,
            })
            .ok_or_else(unknown)
    }

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

    fn is_parameter(&self, name: &str, frame: &Frame<'a>) -> bool {
        let of = |parameter: &Node<'a>| declared(*parameter).is_some_and(|it| self.text(frame, it) == name);
        frame.function.is_some_and(|function| crate::host::parameters(function).iter().any(of))
    }

    fn default_of(&self, name: &str, frame: &Frame<'a>) -> Option<Known> {
        let function = frame.function?;
        let template = function.parent().and_then(|parent| parent.child_by_field_name("parameters"));
        let all = crate::host::parameters(function).into_iter().chain(template.into_iter().flat_map(named));
        let mut found = all.filter(|parameter| declared(*parameter).is_some_and(|it| self.text(frame, it) == name));
        let value = found.find_map(|parameter| parameter.child_by_field_name("default_value"))?;
        Some(self.value(value, frame))
    }

    fn note(&self, name: &str, text: &str, value: &Value, (source, at): (usize, usize)) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = self.code.host.place(source, at);
        let used = Used { name: name.to_owned(), text, value: value.clone(), place };
        let mut all = self.used.borrow_mut();
        if !all.contains(&used) {
            all.push(used);
        }
    }

    /// The last value that is given to a name before the frame's place, on the way to it; with its place and its expression.
    fn assigned(&self, name: &str, frame: &Frame<'a>) -> Option<(Known, usize, Node<'a>)> {
        let scope = frame.scope(self.code.host);
        let text = &self.code.host.sources[frame.source].text;
        let mut last: Option<(Node<'a>, Node<'a>)> = None;
        let is_name = |node: Option<Node<'a>>| node.is_some_and(|node| &text[node.byte_range()] == name);
        each_with(scope, text, name, &mut |node| {
            if node.start_byte() >= frame.at {
                return;
            }
            let is_here = match node.kind() {
                "declaration" => {
                    named(node).any(|it| it.kind().ends_with("declarator") && is_name(declared(it)))
                        || named(node).any(|it| is_name(Some(it)))
                }
                "assignment_expression" => is_name(node.child_by_field_name("left")),
                "for_range_loop" => is_name(node.child_by_field_name("declarator").and_then(declared)),
                _ => false,
            };
            let is_on_the_way = || {
                let mut block = node.parent();
                while let Some(at) = block.filter(|at| !is_block(at.kind())) {
                    block = at.parent();
                }
                // A list of files' items has no blocks of its own.
                let block = block.unwrap_or(scope);
                if frame.function.is_none() && frame.source < self.code.host.files {
                    is_global(node)
                } else {
                    block.end_byte() >= frame.at || block == scope || block.kind() == "translation_unit"
                }
            };
            // The place itself may be in a declaration of the same name further out.
            if is_here
                && (node.end_byte() <= frame.at || node.kind() == "for_range_loop")
                && is_on_the_way()
                && self.code.host.is_active(frame.source, node, frame.at)
            {
                let part = match node.kind() {
                    "declaration" => {
                        named(node).find(|it| is_name(declared(*it)) || is_name(Some(*it))).unwrap_or(node)
                    }
                    _ => node,
                };
                last = Some((node, part));
            }
        });
        let (node, part) = last?;
        // What a function may write through its address is not known any more.
        let is_written = node.kind() == "declaration" && self.is_written(name, node.end_byte(), frame);
        let before = frame.at(node.start_byte());
        let ty = node.child_by_field_name("type").map_or("auto", |ty| &text[ty.byte_range()]);
        let is_dim = ty.ends_with("dim3");
        let unknown = || Unknown(name.to_owned());
        let of_type = |value: Value| if is_dim { dimensions(&value) } else { as_type(ty, value) };
        let (value, shown) = match (node.kind(), part.kind()) {
            ("for_range_loop", _) => {
                let range = node.child_by_field_name("right")?;
                let first = self.value(range, &before).and_then(|list| match list {
                    Value::List(list) => list.first().cloned().ok_or_else(unknown),
                    _ => Err(unknown()),
                });
                (first, range)
            }
            ("assignment_expression", _) => {
                let right = node.child_by_field_name("right")?;
                let operator =
                    node.child_by_field_name("operator").map_or("=", |operator| &text[operator.byte_range()]);
                let value = self.value(right, &before);
                let value = match operator.strip_suffix('=') {
                    Some("") | None => value,
                    Some(operator) => {
                        self.named(name, &before).and_then(|left| binary(operator, &left, &value?).ok_or_else(unknown))
                    }
                };
                (
                    value.map(|value| {
                        if let (Ok(Value::Dim(_)), Value::Int(_)) = (self.named(name, &before), &value) {
                            dimensions(&value).unwrap_or(value)
                        } else {
                            value
                        }
                    }),
                    right,
                )
            }
            (_, "init_declarator") if is_written => (Err(unknown()), part),
            (_, "init_declarator") => {
                let value = part.child_by_field_name("value")?;
                let known = self.value(value, &before).and_then(|known| {
                    let known = match (value.kind(), known) {
                        ("argument_list" | "initializer_list", Value::List(list))
                            if list.len() == 1 && !is_dim && !is_array(part) =>
                        {
                            list[0].clone()
                        }
                        (_, known) => known,
                    };
                    of_type(known).ok_or_else(unknown)
                });
                (known, value)
            }
            _ if is_dim => (Ok(Value::Dim([1; 3])), part),
            _ => (Err(unknown()), part),
        };
        Some((value, node.start_byte(), shown))
    }

    /// Whether a call before the frame's place gets the address of a name.
    fn is_written(&self, name: &str, after: usize, frame: &Frame<'a>) -> bool {
        let text = &self.code.host.sources[frame.source].text;
        let mut found = false;
        each_with(frame.scope(self.code.host), text, name, &mut |node| {
            found |= node.kind() == "pointer_expression"
                && (after..frame.at).contains(&node.start_byte())
                && text[node.byte_range()].strip_prefix('&').is_some_and(|of| of.trim() == name)
                && node.parent().is_some_and(|parent| parent.kind() == "argument_list");
        });
        found
    }

    /// A constant of a type: `Pack<float>::size`.
    fn of_type(&self, ty: Node<'a>, name: &str, frame: &Frame<'a>) -> Option<Value> {
        let mut ty = (frame.source, ty);
        // Names for other types.
        for _ in 0..4 {
            let Some(other) = self.code.alias(self.code.host.text(ty.0, last_name(ty.1).unwrap_or(ty.1))) else {
                break;
            };
            ty = other;
        }
        let wanted = self.code.host.text(ty.0, last_name(ty.1).unwrap_or(ty.1));
        let (source, class) = self.code.class(wanted)?;
        let is_it = |member: &Node<'a>| declared(*member).is_some_and(|it| self.code.host.text(source, it) == name);
        let value = named(class.child_by_field_name("body")?).find(is_it)?.child_by_field_name("default_value")?;
        let parameters =
            template_parameters(class, &self.code.host.sources[source].text).into_iter().map(str::to_owned);
        let given = ty.1.child_by_field_name("arguments").into_iter().flat_map(named);
        let caller = Rc::new(if ty.0 == frame.source { frame.at(frame.at) } else { Frame::of(ty.0, usize::MAX) });
        let inner = Frame {
            function: Some(class),
            bound: parameters.zip(given).collect(),
            caller: Some(caller),
            ..Frame::of(source, value.start_byte())
        };
        self.value(value, &inner).ok()
    }

    fn member(&self, node: Node<'a>, frame: &Frame<'a>) -> Option<Value> {
        let of = node.child_by_field_name("argument")?;
        let name = self.text(frame, node.child_by_field_name("field")?);
        let index = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => {
                let property = || PROPERTIES.iter().find(|(of, _)| *of == name).map(|(_, value)| Value::Int(*value));
                return self.set_member(node, frame).or_else(property);
            }
        };
        match self.value(of, frame) {
            Ok(Value::Dim(dim)) => Some(Value::Int(dim[index])),
            _ => self.set_member(node, frame),
        }
    }

    /// The value that a member of a variable was given by an assignment before.
    fn set_member(&self, node: Node<'a>, frame: &Frame<'a>) -> Option<Value> {
        let wanted = self.text(frame, node);
        let mut last = None;
        let text = &self.code.host.sources[frame.source].text;
        each_with(frame.scope(self.code.host), text, wanted, &mut |node| {
            if node.kind() == "assignment_expression"
                && node.end_byte() <= frame.at
                && node.child_by_field_name("left").is_some_and(|left| self.text(frame, left) == wanted)
            {
                last = node.child_by_field_name("right");
            }
        });
        self.value(last?, &frame.at(last?.start_byte())).ok()
    }

    fn enumerator(&self, name: &str) -> Option<Value> {
        let (source, value) = self.code.enumerator(name)?;
        self.value(value, &Frame::of(source, usize::MAX)).ok()
    }

    /// The bytes of a type or a variable.
    fn size_of(&self, node: Node<'a>, frame: &Frame<'a>) -> Option<i64> {
        let of = node.child_by_field_name("type").or_else(|| node.child_by_field_name("value"))?;
        let of = if of.kind() == "parenthesized_expression" { named(of).next()? } else { of };
        let text = self.text(frame, of);
        if let Some(bytes) = self.bytes_of(text, frame) {
            return Some(bytes);
        }
        // A variable: an array's elements are counted.
        if let "identifier" | "type_identifier" = of.kind()
            && let Some((value, ..)) = self.assigned(text, frame)
        {
            let bytes = self.bytes_of(&self.type_of(text, frame)?, frame)?;
            return match value.ok() {
                Some(Value::List(list)) => Some(bytes * list.len() as i64),
                _ => Some(bytes),
            };
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

    /// The bytes of a type by its name.
    pub fn bytes_of(&self, ty: &str, frame: &Frame<'a>) -> Option<i64> {
        if ty.trim_end().ends_with('*') {
            return Some(8);
        }
        let plain: Vec<&str> = ty
            .split_whitespace()
            .filter(|word| !matches!(*word, "const" | "static" | "constexpr" | "struct"))
            .collect();
        let name = plain.join(" ");
        if let Some(bytes) = crate::launches::bytes_of(name.rsplit("::").next().unwrap_or(&name)) {
            return Some(bytes);
        }
        if let Some((_, value)) = frame.bound.iter().rev().find(|(bound, _)| *bound == name) {
            let caller = frame.caller.as_ref()?;
            return self.bytes_of(self.text(caller, *value), caller);
        }
        if let Some(outer) = &frame.outer {
            return self.bytes_of(&name, outer);
        }
        // A name for another type; a macro's text.
        if let Some(used) = self.code.host.macros.get(&name).filter(|used| used.parameters.is_none()) {
            return self
                .bytes_of(&self.code.host.sources[used.source].text, frame)
                .filter(|_| self.code.host.sources[used.source].text.trim() != name);
        }
        let (source, other) = self.code.alias(&name)?;
        Some(self.code.host.text(source, other))
            .filter(|other| *other != name)
            .and_then(|other| self.bytes_of(other, frame))
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
        bound.and_then(|(_, value)| self.type_text(*value, frame.caller.as_ref()?)).unwrap_or(ty)
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

    /// The name of the function of a frame.
    pub fn function_name(&self, frame: &Frame<'a>) -> Option<&'a str> {
        function_name(frame.function?, &self.code.host.sources[frame.source].text)
    }
}

impl Value {
    /// A whole number, or another.
    fn of(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < 9e15 { Self::Int(value as i64) } else { Self::Float(value) }
    }

    /// A number as an integer, cut where it is a float.
    pub fn whole(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            Self::Float(value) => Some(*value as i64),
            _ => None,
        }
    }

    /// A number as a float.
    pub fn real(&self) -> Option<f64> {
        match self {
            Self::Int(value) => Some(*value as f64),
            Self::Float(value) => Some(*value),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Dim([x, y, z]) => write!(f, "{x},{y},{z}"),
            Self::List(list) => write!(f, "{}", list.iter().map(Self::to_string).collect::<Vec<_>>().join(",")),
            Self::Text(text) => f.write_str(text),
        }
    }
}

fn is_block(kind: &str) -> bool {
    matches!(
        kind,
        "compound_statement"
            | "case_statement"
            | "for_statement"
            | "if_statement"
            | "else_clause"
            | "while_statement"
            | "do_statement"
            | "for_range_loop"
            | "function_definition"
            | "translation_unit"
    )
}

fn is_global(node: Node<'_>) -> bool {
    let mut at = node.parent();
    while let Some(parent) = at {
        if parent.kind() == "function_definition" || parent.kind() == "field_declaration_list" {
            return false;
        }
        at = parent.parent();
    }
    true
}

fn is_array(declarator: Node<'_>) -> bool {
    declarator.child_by_field_name("declarator").is_some_and(|it| it.kind() == "array_declarator")
}

fn is_rounded_up(name: &str) -> bool {
    let plain: String = name.to_ascii_lowercase().split('_').collect();
    matches!(plain.as_str(), "ceildiv" | "cdiv" | "divup" | "idivup" | "divceil" | "iceildiv" | "ceiling" | "updiv")
}

/// The value of a literal.
fn number(text: &str) -> Option<Value> {
    let text = text.replace('\'', "");
    let lower = text.to_ascii_lowercase();
    if let Some(digits) = lower.strip_prefix("0x") {
        return i64::from_str_radix(digits.trim_end_matches(['u', 'l']), 16).ok().map(Value::Int);
    }
    let plain = lower.trim_end_matches(['u', 'l', 'z']);
    if let Ok(value) = plain.parse() {
        return Some(Value::Int(value));
    }
    lower.trim_end_matches(['f', 'l']).parse().ok().map(Value::Float)
}

fn binary(operator: &str, left: &Value, right: &Value) -> Option<Value> {
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        let (a, b) = (*a, *b);
        let shift = u32::try_from(b).ok();
        let value = match operator {
            "+" => a.checked_add(b),
            "-" => a.checked_sub(b),
            "*" => a.checked_mul(b),
            "/" => a.checked_div(b),
            "%" => a.checked_rem(b),
            "<<" => shift.and_then(|shift| a.checked_shl(shift)),
            ">>" => shift.and_then(|shift| a.checked_shr(shift)),
            "&" => Some(a & b),
            "|" => Some(a | b),
            "^" => Some(a ^ b),
            "<" => Some(i64::from(a < b)),
            ">" => Some(i64::from(a > b)),
            "<=" => Some(i64::from(a <= b)),
            ">=" => Some(i64::from(a >= b)),
            "==" => Some(i64::from(a == b)),
            "!=" => Some(i64::from(a != b)),
            "&&" | "and" => Some(i64::from(a != 0 && b != 0)),
            "||" | "or" => Some(i64::from(a != 0 || b != 0)),
            _ => None,
        };
        return value.map(Value::Int);
    }
    let (a, b) = (left.real()?, right.real()?);
    match operator {
        "+" => Some(Value::Float(a + b)),
        "-" => Some(Value::Float(a - b)),
        "*" => Some(Value::Float(a * b)),
        "/" => Some(Value::Float(a / b)),
        "<" => Some(Value::Int(i64::from(a < b))),
        ">" => Some(Value::Int(i64::from(a > b))),
        "<=" => Some(Value::Int(i64::from(a <= b))),
        ">=" => Some(Value::Int(i64::from(a >= b))),
        _ => None,
    }
}

/// A value as a type has it: floats are cut to integers.
fn as_type(ty: &str, value: Value) -> Option<Value> {
    if ty.contains('*') {
        return None;
    }
    let is_float = ty.contains("float") || ty.contains("double") || ty.contains("half");
    Some(match value {
        Value::Int(value) if is_float => Value::Float(value as f64),
        Value::Float(value) if !is_float && ty != "auto" && !ty.contains("decltype") => Value::Int(value as i64),
        value => value,
    })
}

/// A dim3 of up to three numbers.
pub fn dimensions(value: &Value) -> Option<Value> {
    match value {
        Value::Dim(_) => Some(value.clone()),
        Value::List(list) if list.len() == 1 && list[0].whole().is_none() => dimensions(&list[0]),
        Value::List(list) if list.len() <= 3 => {
            let mut dim = [1; 3];
            for (at, value) in list.iter().enumerate() {
                dim[at] = value.whole()?;
            }
            Some(Value::Dim(dim))
        }
        value => value.whole().map(|x| Value::Dim([x, 1, 1])),
    }
}
