//! The value of a variable at a place: its declaration, and the changes on the way there, in order. A change that is not understood makes it
//! unknown.

use tree_sitter::Node;

use crate::arithmetic::{Known, Unknown, Value, binary, dimensions};
use crate::host::{Frame, declared, parameters};
use crate::tree::{each_with, named};
use crate::value::{Assigned, Evaluator};

/// Something that changes a variable.
enum Change<'a> {
    /// Its declaration, and its declarator.
    Declared(Node<'a>),
    /// An assignment, with its operator.
    Set(Node<'a>, &'a str),
    /// `++` or `--`.
    Stepped(i64),
    /// An assignment to a component of a `dim3`.
    Component(usize, Node<'a>),
    /// The first element of a list.
    First(Node<'a>),
    /// Anything else.
    Unclear,
}

/// Whether a change happens before a place is reached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Yes,
    No,
    Unclear,
}

impl<'a> Evaluator<'a, '_> {
    /// The value that a variable has at a frame's place; None if it is not declared there.
    pub fn assigned(&self, name: &str, frame: &Frame<'a>) -> Option<Assigned> {
        if frame.id == 0 {
            return self.folded(name, frame);
        }
        let key = frame.key(name);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let found = self.folded(name, frame);
        self.known.borrow_mut().insert(key, found.clone());
        found
    }

    fn folded(&self, name: &str, frame: &Frame<'a>) -> Option<Assigned> {
        let text = &self.code.host.sources[frame.source].text;
        let unknown = || Unknown(name.to_owned());
        let mut found: Option<Assigned> = None;
        let mut ty = "auto";
        for (node, change) in self.changes(name, frame) {
            let reach = self.reach(node, frame);
            if reach == Reach::No {
                continue;
            }
            let before = frame.at(node.start_byte());
            let is_dim = ty.ends_with("dim3");
            let of_type = |value: Value| if is_dim { dimensions(&value) } else { self.as_type(ty, value, frame) };
            let current = || found.as_ref().map_or_else(|| Err(unknown()), |(value, ..)| value.clone());
            let (value, shown) = match change {
                Change::Declared(part) => {
                    ty = node.child_by_field_name("type").map_or("auto", |ty| &text[ty.byte_range()]);
                    (self.initial_value(name, ty, part, &before), part.child_by_field_name("value").unwrap_or(part))
                }
                Change::Set(right, operator) => {
                    let value = self.value(right, &before);
                    let value = match operator.strip_suffix('=').unwrap_or_default() {
                        "" => value,
                        operator => current().and_then(|left| binary(operator, &left, &value?).ok_or_else(unknown)),
                    };
                    (value.and_then(|value| of_type(value).ok_or_else(unknown)), right)
                }
                Change::Stepped(by) => {
                    (current().and_then(|value| binary("+", &value, &Value::Int(by)).ok_or_else(unknown)), node)
                }
                Change::Component(at, right) => {
                    let value = self.value(right, &before).and_then(|value| value.whole().ok_or_else(unknown));
                    let set = |of: Value| match of {
                        Value::Dim(mut dim) => {
                            dim[at] = value.clone()?;
                            Ok(Value::Dim(dim))
                        }
                        _ => Err(unknown()),
                    };
                    (current().and_then(set), right)
                }
                Change::First(range) => {
                    let first = self.value(range, &before).and_then(|list| match list {
                        Value::List(list) => list.first().cloned().ok_or_else(unknown),
                        _ => Err(unknown()),
                    });
                    (first, range)
                }
                Change::Unclear => (Err(unknown()), node),
            };
            let value = if reach == Reach::Unclear { Err(unknown()) } else { value };
            found = Some((value, node.start_byte(), text[shown.byte_range()].to_owned()));
        }
        found
    }

    fn initial_value(&self, name: &str, ty: &str, part: Node<'a>, before: &Frame<'a>) -> Known {
        let unknown = || Unknown(name.to_owned());
        let is_dim = ty.ends_with("dim3");
        let Some(value) = part.child_by_field_name("value") else {
            return if is_dim { Ok(Value::Dim([1; 3])) } else { Err(unknown()) };
        };
        if part.child_by_field_name("declarator").is_some_and(|it| it.kind() == "reference_declarator") {
            return Err(unknown());
        }
        let is_array = part.child_by_field_name("declarator").is_some_and(|it| it.kind() == "array_declarator");
        // An earlier declarator of the same declaration may be used.
        let known = self.value(value, &before.at(value.start_byte()))?;
        let known = match (value.kind(), known) {
            ("argument_list" | "initializer_list", Value::List(list)) if list.len() == 1 && !is_dim && !is_array => {
                list[0].clone()
            }
            (_, known) => known,
        };
        let known = if is_dim { dimensions(&known) } else { self.as_type(ty, known, before) };
        known.ok_or_else(unknown)
    }

    /// The declaration of a variable and its changes before a frame's place, in the order of the text.
    fn changes(&self, name: &str, frame: &Frame<'a>) -> Vec<(Node<'a>, Change<'a>)> {
        let scope = frame.scope(self.code.host);
        let text = &self.code.host.sources[frame.source].text;
        let is_file = frame.function.is_none() && frame.source < self.code.host.files;
        let mut found = Vec::new();
        // Blocks that have a variable of this name of their own.
        let mut hidden = Vec::new();
        each_with(scope, text, name, &mut |node| {
            if node.start_byte() >= frame.at || (is_file && (node.kind() != "declaration" || !is_global(node))) {
                return;
            }
            let Some(change) = self.change(name, node, frame) else { return };
            if !self.code.host.is_active(frame.source, node, frame.at) {
                return;
            }
            if let (Change::Declared(_), false) = (&change, is_file) {
                let block = block_of(node, scope);
                if block != scope && !(block.start_byte() <= frame.at && frame.at <= block.end_byte()) {
                    hidden.push(node.start_byte()..block.end_byte());
                    return;
                }
                found.clear();
            }
            found.push((node, change));
        });
        found.retain(|(node, _)| {
            !hidden.iter().any(|range: &std::ops::Range<usize>| range.contains(&node.start_byte()))
        });
        found
    }

    fn change(&self, name: &str, node: Node<'a>, frame: &Frame<'a>) -> Option<Change<'a>> {
        let text = &self.code.host.sources[frame.source].text;
        let is_name = |node: Option<Node<'a>>| node.is_some_and(|node| &text[node.byte_range()] == name);
        let field = |field: &str| node.child_by_field_name(field);
        match node.kind() {
            "declaration" => {
                let part = named(node)
                    .find(|it| is_name(Some(*it)) || (it.kind().ends_with("declarator") && is_name(declared(*it))));
                let part = part.filter(|part| part.end_byte() <= frame.at);
                let refers = || named(node).any(|it| refers_to(it, &|of| is_name(Some(of))));
                part.map(Change::Declared).or_else(|| refers().then_some(Change::Unclear))
            }
            "assignment_expression" if node.end_byte() <= frame.at => {
                let left = field("left")?;
                if is_name(Some(left)) {
                    let operator = field("operator").map_or("=", |operator| &text[operator.byte_range()]);
                    return Some(Change::Set(field("right")?, operator));
                }
                if !is_name(left.child_by_field_name("argument")) || left.kind() == "pointer_expression" {
                    return None;
                }
                let component = left.child_by_field_name("field").map(|field| &text[field.byte_range()]);
                let is_set = field("operator").is_none_or(|operator| &text[operator.byte_range()] == "=");
                match component.and_then(|of| ["x", "y", "z"].iter().position(|it| *it == of)) {
                    Some(at) if is_set => Some(Change::Component(at, field("right")?)),
                    // Members of other variables are looked up by their own texts.
                    _ if left.kind() == "field_expression" => None,
                    _ => Some(Change::Unclear),
                }
            }
            "update_expression" if is_name(field("argument")) && node.end_byte() <= frame.at => {
                let is_up = text[node.byte_range()].contains("++");
                Some(Change::Stepped(if is_up { 1 } else { -1 }))
            }
            "for_range_loop" if is_name(field("declarator").and_then(declared)) => {
                let is_inside = field("body").is_some_and(|body| body.byte_range().contains(&frame.at));
                is_inside.then(|| field("right").map(Change::First)).flatten()
            }
            // A parameter of a lambda that holds the place.
            "parameter_declaration" | "optional_parameter_declaration" if is_name(declared(node)) => {
                let mut at = node.parent();
                while let Some(parent) =
                    at.filter(|at| !matches!(at.kind(), "lambda_expression" | "function_definition"))
                {
                    at = parent.parent();
                }
                let lambda = at.filter(|at| at.kind() == "lambda_expression")?;
                lambda.byte_range().contains(&frame.at).then_some(Change::Unclear)
            }
            "pointer_expression" if is_name(field("argument")) && text[node.byte_range()].starts_with('&') => {
                let mut at = node.parent()?;
                while matches!(at.kind(), "cast_expression" | "parenthesized_expression") {
                    at = at.parent()?;
                }
                (node.end_byte() <= frame.at && matches!(at.kind(), "argument_list" | "init_declarator"))
                    .then_some(Change::Unclear)
            }
            "binary_expression" if is_name(field("right")) => {
                let is_stream = text[field("left")?.byte_range()].contains("cin");
                (is_stream && &text[field("operator")?.byte_range()] == ">>").then_some(Change::Unclear)
            }
            "argument_list" => {
                let place = named(node).position(|it| is_name(Some(it)))?;
                let called = self
                    .code
                    .host
                    .text(frame.source, crate::host::last_name(node.parent()?.child_by_field_name("function")?)?);
                let takes_reference = self.code.functions(called).iter().any(|(source, function)| {
                    let parameter = parameters(*function).get(place).map(|it| self.code.host.text(*source, *it));
                    parameter.is_some_and(|it| it.contains('&') && !it.contains("const"))
                });
                (takes_reference && node.end_byte() <= frame.at).then_some(Change::Unclear)
            }
            _ => None,
        }
    }

    /// The value that `main`, or a function that it calls, gives to a variable of the file before the frame's place, with where it does so;
    /// unknown if several do.
    pub fn later(&self, name: &str, frame: &Frame<'a>) -> Option<(Known, (usize, usize), String)> {
        let mut outermost = frame;
        while let Some(caller) = outermost.caller.as_ref().or(outermost.outer.as_ref()) {
            outermost = caller;
        }
        let all = self.code.assignments(name);
        let set = |source: usize, node: Node<'a>, begin: &Frame<'a>| {
            let right = node.child_by_field_name("right")?;
            let text = self.code.host.text(source, right).to_owned();
            Some((self.value(right, &begin.at(node.start_byte())), (source, node.start_byte()), text))
        };
        let own = all.iter().rfind(|it| outermost.has(it) && it.1.start_byte() < outermost.at);
        let own = own.and_then(|(source, node)| set(*source, *node, &self.code.frame(*source, node.start_byte(), 4)));
        let others = all.iter().filter(|it| !outermost.has(it) && !frame.has(it));
        let others = others.map(|(source, node)| (*source, *node, self.code.frame(*source, node.start_byte(), 4)));
        let is_called = |begin: &Frame<'a>| begin.function.is_some() && begin.begins_in_main(self.code.host);
        let others = others.filter(|(_, node, begin)| is_called(begin) && self.reach_of(*node, begin) != Reach::No);
        let others: Vec<_> = others.filter(|(.., begin)| self.is_called_before(begin, outermost)).collect();
        match others.as_slice() {
            [] => own,
            // A single assignment that a run comes to once.
            [(source, node, begin)] if own.is_none() && self.is_done_once(*node, begin, outermost) => {
                set(*source, *node, begin)
            }
            [(source, node, _), ..] => {
                let text = self.code.host.text(*source, *node).to_owned();
                Some((Err(Unknown(name.to_owned())), (*source, node.start_byte()), text))
            }
        }
    }

    /// Whether a function is called before the place of the outermost one, as far as that is one of its calls.
    fn is_called_before(&self, begin: &Frame<'a>, outermost: &Frame<'a>) -> bool {
        let name = self.function_name(begin).unwrap_or_default();
        let calls = self.code.calls_of(name);
        calls.iter().any(|call| !outermost.has(call) || call.1.start_byte() < outermost.at)
    }

    /// Whether a run comes to an assignment in a function exactly once: a plain one, on each way through, by the only call of the function,
    /// which the outermost one makes before its place.
    fn is_done_once(&self, node: Node<'a>, begin: &Frame<'a>, outermost: &Frame<'a>) -> bool {
        let operator = node.child_by_field_name("operator");
        let is_plain = operator.is_none_or(|operator| self.code.host.text(begin.source, operator) == "=");
        let [call] = self.code.calls_of(self.function_name(begin).unwrap_or_default()) else { return false };
        is_plain
            && self.reach_of(node, begin) == Reach::Yes
            && outermost.has(call)
            && call.1.end_byte() <= outermost.at
            && self.reach(call.1, outermost) == Reach::Yes
    }

    /// Whether a call of a function comes to a statement of it.
    fn reach_of(&self, node: Node<'a>, frame: &Frame<'a>) -> Reach {
        let end = frame.function.map_or(frame.at, |function| function.end_byte());
        self.reach(node, &frame.at(end))
    }

    /// Whether a run comes to a change before it comes to the frame's place.
    fn reach(&self, node: Node<'a>, frame: &Frame<'a>) -> Reach {
        let mut at = node;
        let mut reach = Reach::Yes;
        while let Some(parent) = at.parent() {
            let holds = parent.start_byte() <= frame.at && frame.at < parent.end_byte();
            let is = |field: &str| parent.child_by_field_name(field).is_some_and(|it| it == at);
            let kind = parent.kind();
            if holds && kind == "for_statement" && is("update") {
                return Reach::No;
            }
            if (holds && !matches!(kind, "switch_statement" | "if_statement")) || kind == "function_definition" {
                return reach;
            }
            let in_other_branch = kind == "if_statement" && !is("condition") && !at.byte_range().contains(&frame.at);
            let here = match holds {
                // The branch with the place is taken, and not the other.
                true if in_other_branch => Reach::No,
                true => Reach::Yes,
                false if kind == "case_statement" && self.ends(parent, frame) => Reach::No,
                false => self.branch(parent, at, node, frame),
            };
            match here {
                Reach::No => return Reach::No,
                Reach::Unclear => reach = Reach::Unclear,
                Reach::Yes => {}
            }
            at = parent;
        }
        reach
    }

    /// Whether another case of the same switch has the frame's place, and this one does not fall through to it.
    fn ends(&self, case: Node<'a>, frame: &Frame<'a>) -> bool {
        let switch = case.parent().and_then(|body| body.parent());
        let text = self.code.host.text(frame.source, case);
        switch.is_some_and(|switch| switch.byte_range().contains(&frame.at))
            && (text.contains("break") || text.contains("return"))
    }

    /// Whether a run goes from a statement on to a part of it that has `node`: the branch of an `if`, the case of a `switch`, the body of a
    /// loop.
    pub fn branch(&self, statement: Node<'a>, part: Node<'a>, node: Node<'a>, frame: &Frame<'a>) -> Reach {
        let is = |field: &str| statement.child_by_field_name(field).is_some_and(|it| it == part);
        let condition = statement.child_by_field_name("condition");
        let whole = |node: Node<'a>, at: usize| self.value(node, &frame.at(at)).ok().and_then(|value| value.whole());
        let begin = statement.start_byte();
        let if_it_holds = |wanted: bool, at: usize| match condition.and_then(|condition| whole(condition, at)) {
            Some(value) if (value != 0) == wanted => Reach::Yes,
            Some(_) => Reach::No,
            None => Reach::Unclear,
        };
        match statement.kind() {
            "if_statement" if !is("condition") => if_it_holds(is("consequence"), begin),
            "switch_statement" if is("body") => match condition.and_then(|condition| whole(condition, begin)) {
                Some(value) if self.is_case_of(statement, node, value, &|node| whole(node, begin)) => Reach::Yes,
                Some(_) => Reach::No,
                None => Reach::Unclear,
            },
            // The first turn of a loop decides whether there is one; how many there are is not known.
            "while_statement" | "for_statement" if is("body") => match if_it_holds(true, part.start_byte()) {
                Reach::No => Reach::No,
                _ => Reach::Unclear,
            },
            "do_statement" | "for_range_loop" if is("body") => Reach::Unclear,
            "for_statement" if is("update") => Reach::Unclear,
            "lambda_expression" | "conditional_expression" | "catch_clause" => Reach::Unclear,
            _ => Reach::Yes,
        }
    }

    /// Whether a switch over a value comes to a node in it: in its own case, or in one that falls through to it.
    fn is_case_of(
        &self,
        switch: Node<'a>,
        node: Node<'a>,
        value: i64,
        whole: &dyn Fn(Node<'a>) -> Option<i64>,
    ) -> bool {
        let Some(body) = switch.child_by_field_name("body") else { return true };
        let cases: Vec<_> = named(body).filter(|node| node.kind() == "case_statement").collect();
        let Some(own) = cases.iter().position(|case| case.byte_range().contains(&node.start_byte())) else {
            return true;
        };
        // None for `default`, which has no value.
        let is_it =
            |case: &Node<'a>| case.child_by_field_name("value").map(|it| whole(it).is_none_or(|of| of == value));
        // Cases without statements of their own go on in the next.
        let falls = cases[..own].iter().rev().take_while(|case| named(**case).count() <= 1);
        let reached: Vec<_> = std::iter::once(&cases[own]).chain(falls).map(is_it).collect();
        let is_other = cases.iter().any(|case| is_it(case) == Some(true));
        reached.contains(&Some(true)) || (reached.contains(&None) && !is_other)
    }
}

/// The block that a declaration is in.
fn block_of<'a>(node: Node<'a>, scope: Node<'a>) -> Node<'a> {
    let mut block = node.parent();
    while let Some(at) = block.filter(|at| *at != scope && !is_block(at.kind())) {
        block = at.parent();
    }
    block.unwrap_or(scope)
}

fn is_block(kind: &str) -> bool {
    let blocks =
        ["compound_statement", "case_statement", "for_statement", "if_statement", "else_clause", "while_statement"];
    blocks.contains(&kind)
        || ["do_statement", "for_range_loop", "function_definition", "translation_unit", "lambda_expression"]
            .contains(&kind)
}

/// Whether a declarator is that of a reference to a variable.
fn refers_to<'a>(declarator: Node<'a>, is_it: &dyn Fn(Node<'a>) -> bool) -> bool {
    declarator.kind() == "init_declarator"
        && declarator.child_by_field_name("declarator").is_some_and(|it| it.kind() == "reference_declarator")
        && declarator.child_by_field_name("value").is_some_and(is_it)
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
