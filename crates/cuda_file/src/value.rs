//! Values of the host's expressions, as far as they can be known without running it.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use tree_sitter::Node;

use crate::arithmetic::{Known, Unknown, Value, as_type, binary, dimensions, is_rounded_up, number};
use crate::host::{Code, Frame, Key, declared, function_name, last_name, template_parameters};
use crate::tree::{each_with, named};

/// The most steps from one name to the next.
const DEEPEST: usize = 96;

/// The most steps for a launch.
const MOST_STEPS: usize = 20_000;

/// The most bytes of an unknown expression that are kept.
const LONGEST: usize = 120;

/// Members of `cudaDeviceProp`, with the values of an H100 and an H200.
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

/// A value with the place where it was given, and the text of its expression.
pub type Assigned = (Known, usize, String);

/// Evaluates expressions of a host's code.
pub struct Evaluator<'a, 'e> {
    pub code: &'e Code<'a>,
    /// Values that the user gives to names.
    pub given: &'e BTreeMap<String, f64>,
    /// The names that were used since it was emptied.
    pub used: RefCell<Vec<Used>>,
    /// The names of given values that were used since it was emptied.
    pub taken: RefCell<BTreeSet<String>>,
    /// Values of variables at places.
    pub known: RefCell<HashMap<Key, Option<Assigned>>>,
    depth: Cell<usize>,
    /// Steps since a launch began to be read.
    pub steps: Cell<usize>,
}

impl<'a, 'e> Evaluator<'a, 'e> {
    pub fn new(code: &'e Code<'a>, given: &'e BTreeMap<String, f64>) -> Self {
        Self {
            code,
            given,
            used: RefCell::default(),
            taken: RefCell::default(),
            known: RefCell::default(),
            depth: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    pub fn text(&self, frame: &Frame<'a>, node: Node<'a>) -> &'a str {
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
        let unknown = || {
            let text = self.text(frame, node).split_whitespace().collect::<Vec<_>>().join(" ");
            Unknown(if text.len() > LONGEST { text.chars().take(LONGEST).chain(['…']).collect() } else { text })
        };
        self.steps.set(self.steps.get() + 1);
        if self.depth.get() > DEEPEST || self.steps.get() > MOST_STEPS {
            return Err(unknown());
        }
        self.depth.set(self.depth.get() + 1);
        let value = self.given(self.text(frame, node), frame);
        let value = value.map_or_else(|| self.expression(node, frame, &unknown), Ok);
        self.depth.set(self.depth.get() - 1);
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
        self.as_type(self.text(frame, ty), value, frame).ok_or_else(unknown)
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
        // The helper of CUDA's samples for a program's own arguments, of which there are none.
        if name == "checkCmdLineFlag" {
            return Ok(Value::Int(0));
        }
        if let Some(value) = self.returned(name, node, frame) {
            return value;
        }
        // The number of a span is its size.
        if name == "span" {
            return self.value(*given.get(1).ok_or_else(unknown)?, frame);
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

    /// The value of a call of a function of the file; None if it cannot be known.
    fn returned(&self, name: &str, call: Node<'a>, frame: &Frame<'a>) -> Option<Known> {
        let count = call.child_by_field_name("arguments").map_or(0, |list| named(list).count());
        let of = |(_, function): &(usize, Node<'a>)| crate::host::parameters(*function).len() == count;
        let (source, function) = self.code.functions(name).iter().copied().find(of)?;
        let mut inner = Frame { function: Some(function), is_helper: true, ..Frame::of(source, function.end_byte()) };
        inner.bind(self.code.host, function, Rc::new(frame.at(frame.at)), call);
        for statement in named(function.child_by_field_name("body")?) {
            let here = inner.at(statement.start_byte());
            match statement.kind() {
                "return_statement" => return Some(self.value(statement, &here)),
                // A return on a condition.
                "if_statement" if self.code.host.text(source, statement).contains("return") => {
                    let condition = statement.child_by_field_name("condition")?;
                    let value = self.value(condition, &here).ok().and_then(|value| value.whole())?;
                    let branch = if value != 0 { "consequence" } else { "alternative" };
                    let Some(mut branch) = statement.child_by_field_name(branch) else { continue };
                    while matches!(branch.kind(), "compound_statement" | "else_clause")
                        && branch.named_child_count() == 1
                    {
                        branch = named(branch).next()?;
                    }
                    if branch.kind() != "return_statement" {
                        return None;
                    }
                    return Some(self.value(branch, &inner.at(branch.start_byte())));
                }
                "for_statement" | "while_statement" | "do_statement" | "switch_statement"
                    if self.code.host.text(source, statement).contains("return") =>
                {
                    return None;
                }
                _ => {}
            }
        }
        None
    }

    /// The value of a name in a frame.
    pub fn named(&self, name: &str, frame: &Frame<'a>) -> Known {
        if let Some(value) = self.given(name, frame) {
            return Ok(value);
        }
        let unknown = || Unknown(name.to_owned());
        if let Some((value, place, text)) = self.assigned(name, frame) {
            let value = value?;
            self.note(name, &text, &value, (frame.source, place));
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
        if self.is_member(name, frame) {
            return Err(unknown());
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
                if let Some((value, place, text)) = self.assigned(name, &Frame::of(file, usize::MAX)) {
                    // A variable of the file may get another value when the program begins.
                    let (value, place, text) = self.later(name, frame).unwrap_or((value, (file, place), text));
                    let value = value?;
                    self.note(name, &text, &value, place);
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

    fn is_parameter(&self, name: &str, frame: &Frame<'a>) -> bool {
        let of = |parameter: &Node<'a>| declared(*parameter).is_some_and(|it| self.text(frame, it) == name);
        frame.function.is_some_and(|function| crate::host::parameters(function).iter().any(of))
    }

    /// Whether a name is a member of the class that a frame's function is in.
    fn is_member(&self, name: &str, frame: &Frame<'a>) -> bool {
        let list =
            frame.function.and_then(|function| function.parent()).filter(|it| it.kind() == "field_declaration_list");
        let is_it = |field: Node<'a>| declared(field).is_some_and(|it| self.text(frame, it) == name);
        list.is_some_and(|list| named(list).any(|field| field.kind() == "field_declaration" && is_it(field)))
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

    /// The name of the function of a frame.
    pub fn function_name(&self, frame: &Frame<'a>) -> Option<&'a str> {
        function_name(frame.function?, &self.code.host.sources[frame.source].text)
    }
}
