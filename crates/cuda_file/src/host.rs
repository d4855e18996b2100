//! The host's part of a CUDA C++ file, as far as its launches need it: functions with their calls, macros, and where a name gets its value.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use tree_sitter::{Node, Tree};

use crate::macros::{defined_by, split, substituted};
use crate::tree::{MacroNames, children, each, each_with, end_of_list, has_launch, named, parse, places};

/// The most texts that uses of macros are expanded to.
const MOST_EXPANSIONS: usize = 1024;

/// The most uses of macros within each other, and the longest text of one.
const DEEPEST: usize = 4;
const LONGEST: usize = 1 << 16;

/// A text with its tree: a file, the text of a macro, or a use of a macro with a launch in it.
pub struct Source {
    pub text: String,
    pub tree: Tree,
    /// The source and the place in it where a macro is used; None for a file and for a macro itself.
    used_at: Option<(usize, usize)>,
}

/// A macro: its parameters, None for one without parentheses, and the source with its text.
pub struct Macro {
    pub parameters: Option<Vec<String>>,
    pub source: usize,
}

/// The sources of a file and of those that it includes.
pub struct Host {
    pub sources: Vec<Source>,
    pub macros: BTreeMap<String, Macro>,
    /// How many of the sources are files.
    pub files: usize,
    /// Names of macros that stand for attributes.
    attributes: MacroNames,
    /// Names of all macros.
    pub defined: BTreeSet<String>,
}

impl Host {
    pub fn new(texts: &[&str]) -> Self {
        let attributes = MacroNames::of(texts);
        let source = |text: &&str| Source { text: (*text).to_owned(), tree: parse(text, &attributes), used_at: None };
        let sources: Vec<_> = texts.iter().map(source).collect();
        let defined = texts.iter().flat_map(|text| text.lines()).filter_map(defined_by).collect();
        let mut host = Self { files: sources.len(), sources, macros: BTreeMap::new(), attributes, defined };
        for file in 0..host.files {
            host.read_macros(file);
        }
        let mut at = 0;
        while at < host.sources.len() && host.sources.len() < MOST_EXPANSIONS {
            if at < host.files || host.sources[at].used_at.is_some() {
                host.expand(at);
            }
            at += 1;
        }
        host
    }

    fn read_macros(&mut self, file: usize) {
        let Source { text, tree, .. } = &self.sources[file];
        let mut found = Vec::new();
        each(tree.root_node(), &mut |node| {
            let Some(name) = node.child_by_field_name("name").filter(|_| node.kind().starts_with("preproc_")) else {
                return;
            };
            let parameters = node.child_by_field_name("parameters").map(|list| {
                children(list).filter(Node::is_named).map(|parameter| text[parameter.byte_range()].to_owned()).collect()
            });
            if let ("preproc_def" | "preproc_function_def", Some(value)) =
                (node.kind(), node.child_by_field_name("value"))
                && self.is_active(file, node, usize::MAX)
            {
                let value = text[value.byte_range()].replace("\\\n", " \n").replace("\\\r\n", "  \n");
                found.push((text[name.byte_range()].to_owned(), parameters, value));
            }
        });
        for (name, parameters, text) in found {
            let tree = parse(&text, &self.attributes);
            let source = self.sources.len();
            self.sources.push(Source { text, tree, used_at: None });
            self.macros.insert(name, Macro { parameters, source });
        }
    }

    /// Adds a source for each use of a macro that launches kernels, and of one whose text uses such a macro.
    fn expand(&mut self, at: usize) {
        let Source { text, tree, .. } = &self.sources[at];
        let mut found = Vec::new();
        for (name, used) in self.macros.iter().filter(|(_, used)| self.launches(used.source, 0)) {
            for place in places(text, name) {
                let node = tree.root_node().descendant_for_byte_range(place, place);
                let is_code = node.is_none_or(|node| {
                    !matches!(node.kind(), "comment" | "preproc_arg") && !text[..place].trim_end().ends_with("define")
                });
                let list = place + name.len();
                let end = text[list..].starts_with('(').then(|| end_of_list(text, list)).flatten();
                if let (true, Some(end), Some(parameters)) = (is_code, end, &used.parameters) {
                    let given = split(&text[list + 1..end - 1]);
                    found.push((place, substituted(&self.sources[used.source].text, parameters, &given)));
                }
            }
        }
        let depth = self.depth(at);
        for (place, text) in found.into_iter().filter(|(_, text)| depth < DEEPEST && text.len() < LONGEST) {
            let tree = parse(&text, &self.attributes);
            self.sources.push(Source { text, tree, used_at: Some((at, place)) });
        }
    }

    /// How many uses of macros a source is within.
    fn depth(&self, source: usize) -> usize {
        self.sources[source].used_at.map_or(0, |(outer, _)| self.depth(outer) + 1)
    }

    fn launches(&self, source: usize, depth: usize) -> bool {
        let text = &self.sources[source].text;
        let uses = |name: &&str| self.macros.get(*name).is_some_and(|used| self.launches(used.source, depth + 1));
        has_launch(text) || (depth < 4 && crate::tree::words(text).any(|name| uses(&name)))
    }

    pub fn text(&self, source: usize, node: Node<'_>) -> &str {
        &self.sources[source].text[node.byte_range()]
    }

    /// The file and the line, from 0, of a place in a source.
    pub fn place(&self, source: usize, at: usize) -> (usize, usize) {
        match self.sources[source].used_at {
            Some((outer, at)) => self.place(outer, at),
            None => (source, self.sources[source].text[..at].matches('\n').count()),
        }
    }
}

/// The sources with their functions, calls and names of types.
pub struct Code<'a> {
    pub host: &'a Host,
    functions: BTreeMap<&'a str, Vec<(usize, Node<'a>)>>,
    calls: BTreeMap<&'a str, Vec<(usize, Node<'a>)>>,
    aliases: BTreeMap<&'a str, (usize, Node<'a>)>,
    enumerators: BTreeMap<&'a str, (usize, Node<'a>)>,
    assignments: BTreeMap<&'a str, Vec<(usize, Node<'a>)>>,
    classes: BTreeMap<&'a str, (usize, Node<'a>)>,
    /// Names of types that the text defines more than once: which one is meant is not looked into.
    doubtful: BTreeSet<&'a str>,
    /// The number of the last frame.
    frames: Cell<usize>,
}

impl<'a> Code<'a> {
    pub fn of(host: &'a Host) -> Self {
        let [functions, calls] = [BTreeMap::new(), BTreeMap::new()];
        let [aliases, enumerators] = [BTreeMap::new(), BTreeMap::new()];
        let (assignments, classes) = (BTreeMap::new(), BTreeMap::new());
        let mut code = Self {
            host,
            functions,
            calls,
            aliases,
            enumerators,
            assignments,
            classes,
            doubtful: BTreeSet::new(),
            frames: Cell::new(0),
        };
        let sources = host.sources.iter().enumerate();
        for (at, source) in sources.filter(|(at, source)| *at < host.files || source.used_at.is_some()) {
            each(source.tree.root_node(), &mut |node| code.read(at, &source.text, node));
        }
        code
    }

    fn read(&mut self, at: usize, text: &'a str, node: Node<'a>) {
        let field = |name: &str| node.child_by_field_name(name);
        let named = |node: Option<Node<'a>>| node.map(|node| &text[node.byte_range()]);
        match node.kind() {
            "function_definition" => {
                let name = function_name(node, text);
                name.into_iter().for_each(|name| self.functions.entry(name).or_default().push((at, node)));
            }
            "call_expression" => {
                let name = named(field("function").and_then(last_name));
                name.into_iter().for_each(|name| self.calls.entry(name).or_default().push((at, node)));
            }
            "type_definition" | "alias_declaration" if self.host.is_active(at, node, usize::MAX) => {
                let ty = field("type").map(|ty| if ty.kind() == "type_descriptor" { first_named(ty) } else { ty });
                if let (Some(name), Some(ty)) = (named(field("declarator").or_else(|| field("name"))), ty) {
                    let known = *self.aliases.entry(name).or_insert((at, ty));
                    if self.host.text(known.0, known.1) != &text[ty.byte_range()] {
                        self.doubtful.insert(name);
                    }
                }
            }
            "assignment_expression" => {
                let name = named(field("left").filter(|left| left.kind() == "identifier"));
                name.into_iter().for_each(|name| self.assignments.entry(name).or_default().push((at, node)));
            }
            "enumerator" => {
                if let (Some(name), Some(value)) = (named(field("name")), field("value")) {
                    self.enumerators.entry(name).or_insert((at, value));
                }
            }
            "struct_specifier" | "class_specifier" if field("body").is_some() => {
                named(field("name")).into_iter().for_each(|name| {
                    let known = *self.classes.entry(name).or_insert((at, node));
                    if known.1 != node {
                        self.doubtful.insert(name);
                    }
                });
            }
            _ => {}
        }
    }

    /// The functions that have a name, with their bodies.
    pub fn functions(&self, name: &str) -> &[(usize, Node<'a>)] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    /// All functions with their names and bodies.
    pub fn all_functions(&self) -> impl Iterator<Item = (&'a str, usize, Node<'a>)> {
        self.functions.iter().flat_map(|(name, of)| of.iter().map(|(source, node)| (*name, *source, *node)))
    }

    /// The calls of all functions, in their order.
    pub fn calls(&self) -> impl Iterator<Item = (usize, Node<'a>)> {
        self.calls.values().flatten().copied()
    }

    /// The calls of a function of this name.
    pub fn calls_of(&self, name: &str) -> &[(usize, Node<'a>)] {
        self.calls.get(name).map_or(&[], Vec::as_slice)
    }

    /// The type that a name is declared for by `typedef` or `using`.
    pub fn alias(&self, name: &str) -> Option<(usize, Node<'a>)> {
        self.aliases.get(name).copied()
    }

    /// The assignments to a name anywhere.
    pub fn assignments(&self, name: &str) -> &[(usize, Node<'a>)] {
        self.assignments.get(name).map_or(&[], Vec::as_slice)
    }

    /// The expression of a constant of an `enum`.
    pub fn enumerator(&self, name: &str) -> Option<(usize, Node<'a>)> {
        self.enumerators.get(name).copied()
    }

    /// The definition of a type.
    pub fn class(&self, name: &str) -> Option<(usize, Node<'a>)> {
        self.classes.get(name).copied()
    }

    /// Whether a type's name is defined more than once.
    pub fn is_doubtful(&self, name: &str) -> bool {
        self.doubtful.contains(name)
    }

    /// The frame of a place: its function, called as the file calls it.
    pub fn frame(&self, source: usize, at: usize, depth: usize) -> Rc<Frame<'a>> {
        self.frame_by(source, at, depth, &mut Vec::new())
    }

    fn number(&self) -> usize {
        self.frames.set(self.frames.get() + 1);
        self.frames.get()
    }

    /// The same, by way of functions that are not among `seen`.
    fn frame_by(&self, source: usize, at: usize, depth: usize, seen: &mut Vec<usize>) -> Rc<Frame<'a>> {
        let root = self.host.sources[source].tree.root_node();
        let mut function = root.descendant_for_byte_range(at, at);
        while let Some(node) = function.filter(|node| node.kind() != "function_definition") {
            function = node.parent();
        }
        if let (None, Some((outer, place))) = (function, self.host.sources[source].used_at) {
            let outer = Some(self.frame_by(outer, place, depth + 1, seen));
            return Rc::new(Frame { outer, id: self.number(), ..Frame::of(source, at) });
        }
        let mut frame = Frame { function, id: self.number(), ..Frame::of(source, at) };
        let name = function.and_then(|function| function_name(function, &self.host.sources[source].text));
        if let (Some(function), Some(name), true) = (function, name.filter(|name| *name != "main"), depth < 8) {
            let parameters = parameters(function).len();
            let is_other = |of: usize, node: Node<'a>| {
                let arguments = node.child_by_field_name("arguments").map_or(0, |list| named(list).count());
                arguments <= parameters && !(of == source && function.byte_range().contains(&node.start_byte()))
            };
            let is_kept = |of: usize, node: Node<'a>| self.host.is_active(of, node, usize::MAX);
            let calls = self.calls_of(name).iter().filter(|(of, node)| is_other(*of, *node) && is_kept(*of, *node));
            let mut best: Option<(Rc<Frame<'a>>, Node<'a>)> = None;
            let id = function.start_byte() + (source << 40);
            let is_new = !seen.contains(&id);
            seen.push(id);
            for (of, call) in calls.filter(|_| is_new) {
                let caller = self.frame_by(*of, call.start_byte(), depth + 1, seen);
                let is_main = caller.begins_in_main(self.host);
                if is_main || best.is_none() {
                    best = Some((caller, *call));
                }
                if is_main {
                    break;
                }
            }
            if let Some((caller, call)) = best {
                frame.bind(self.host, function, caller, call);
            }
        }
        Rc::new(frame)
    }

    /// The name of a called function without namespaces, and the arguments.
    pub fn call(&self, source: usize, node: Node<'a>) -> Option<(&'a str, Vec<Node<'a>>)> {
        let name = last_name(node.child_by_field_name("function")?)?;
        Some((self.host.text(source, name), named(node.child_by_field_name("arguments")?).collect()))
    }
}

/// A function, or a text, with how it was called.
pub struct Frame<'a> {
    pub source: usize,
    pub function: Option<Node<'a>>,
    /// The place, as a byte of the source: assignments after it do not count.
    pub at: usize,
    /// Names of parameters with the arguments' expressions, which are the caller's.
    pub bound: Vec<(String, Node<'a>)>,
    pub caller: Option<Rc<Frame<'a>>>,
    /// Where names that are not found here are looked up: around the use of a macro.
    pub outer: Option<Rc<Frame<'a>>>,
    /// Whether it is a macro or a function that only computes a value.
    pub is_helper: bool,
    /// The number of its call; 0 of one that is made for a single expression.
    pub id: usize,
}

/// A name at a place: of one call of a function.
pub type Key = ([usize; 2], String);

impl<'a> Frame<'a> {
    /// The key of a name at the frame's place.
    pub fn key(&self, name: &str) -> Key {
        ([self.id, self.at], name.to_owned())
    }

    pub const fn of(source: usize, at: usize) -> Self {
        Self { source, function: None, at, bound: Vec::new(), caller: None, outer: None, is_helper: false, id: 0 }
    }

    /// The same frame at an earlier or later place.
    pub fn at(&self, at: usize) -> Self {
        Self { at, bound: self.bound.clone(), caller: self.caller.clone(), outer: self.outer.clone(), ..*self }
    }

    /// Binds the parameters of a function, and of its template, to what a call gives.
    pub fn bind(&mut self, host: &'a Host, function: Node<'a>, caller: Rc<Self>, call: Node<'a>) {
        let text = &host.sources[self.source].text;
        let given = call.child_by_field_name("arguments").into_iter().flat_map(named);
        let names = parameters(function).into_iter();
        self.bound.extend(
            names.zip(given).filter_map(|(name, value)| Some((text[declared(name)?.byte_range()].to_owned(), value))),
        );
        let mut types = call.child_by_field_name("function");
        while let Some(node) = types.filter(|node| node.kind() == "qualified_identifier") {
            types = node.child_by_field_name("name");
        }
        let types = types.and_then(|types| types.child_by_field_name("arguments"));
        let names = template_parameters(function, text);
        let is_given = types.map_or(0, |types| named(types).count());
        // A type that only the arguments tell: that of the variable.
        for name in names.iter().skip(is_given) {
            let is_of = |parameter: &Node<'a>| {
                parameter.child_by_field_name("type").is_some_and(|ty| &text[ty.byte_range()] == *name)
            };
            let of = parameters(function).into_iter().find(is_of).and_then(declared);
            let value = of.and_then(|of| self.bound.iter().find(|(bound, _)| *bound == text[of.byte_range()]));
            let ty = value.and_then(|(_, value)| caller.type_node(host, *value));
            self.bound.extend(ty.map(|ty| ((*name).to_owned(), ty)));
        }
        let names = names.into_iter();
        self.bound.extend(names.zip(types.into_iter().flat_map(named)).map(|(name, value)| (name.to_owned(), value)));
        self.caller = Some(caller);
    }

    /// The type that a variable is declared with.
    fn type_node(&self, host: &'a Host, variable: Node<'a>) -> Option<Node<'a>> {
        let name = host.text(self.source, variable);
        let mut found = None;
        each_with(self.scope(host), &host.sources[self.source].text, name, &mut |node| {
            if matches!(node.kind(), "declaration" | "parameter_declaration")
                && node.start_byte() < self.at
                && named(node).any(|it| declared(it).is_some_and(|it| host.text(self.source, it) == name))
            {
                found = node.child_by_field_name("type");
            }
        });
        found
    }

    /// Whether a node of a source is in the frame's function.
    pub fn has(&self, (source, node): &(usize, Node<'a>)) -> bool {
        *source == self.source && self.function.is_some_and(|own| own.byte_range().contains(&node.start_byte()))
    }

    pub fn begins_in_main(&self, host: &Host) -> bool {
        let is_main = |function| function_name(function, &host.sources[self.source].text) == Some("main");
        let outer = self.caller.as_ref().or(self.outer.as_ref());
        self.function.is_some_and(is_main) || outer.is_some_and(|outer| outer.begins_in_main(host))
    }

    /// The node in which names are declared.
    pub fn scope(&self, host: &'a Host) -> Node<'a> {
        self.function.unwrap_or_else(|| host.sources[self.source].tree.root_node())
    }
}

fn first_named(node: Node<'_>) -> Node<'_> {
    named(node).next().unwrap_or(node)
}

/// The parameters of a function.
pub fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let mut at = function.child_by_field_name("declarator");
    while let Some(node) = at.filter(|node| node.kind() != "function_declarator") {
        at = node.child_by_field_name("declarator").or_else(|| named(node).last());
    }
    let list = at.and_then(|node| node.child_by_field_name("parameters"));
    list.into_iter().flat_map(named).filter(|node| node.kind().ends_with("parameter_declaration")).collect()
}

/// The names of the parameters of a function's template.
pub fn template_parameters<'t>(function: Node<'_>, text: &'t str) -> Vec<&'t str> {
    let Some(template) = function.parent().filter(|parent| parent.kind() == "template_declaration") else {
        return Vec::new();
    };
    let list = template.child_by_field_name("parameters").into_iter().flat_map(named);
    let name = |node: Node<'_>| {
        let name = node.child_by_field_name("name").or_else(|| declared(node));
        let name = name.or_else(|| named(node).find(|node| node.kind() == "type_identifier"));
        name.map_or("", |name| &text[name.byte_range()])
    };
    list.map(name).collect()
}

/// The identifier that a declaration or a declarator declares.
pub fn declared(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        if matches!(at.kind(), "identifier" | "field_identifier") {
            return Some(at);
        }
        at = at
            .child_by_field_name("declarator")
            .or_else(|| named(at).last().filter(|_| at.kind().ends_with("_declarator")))?;
    }
}

/// The name of a function, without namespaces.
pub fn function_name<'t>(function: Node<'_>, text: &'t str) -> Option<&'t str> {
    let mut at = function.child_by_field_name("declarator")?;
    while at.kind() != "function_declarator" {
        at = at.child_by_field_name("declarator").or_else(|| named(at).last())?;
    }
    last_name(at.child_by_field_name("declarator")?).map(|name| &text[name.byte_range()])
}

/// The last name of a qualified one, without the arguments of a template.
pub fn last_name(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    loop {
        at = match at.kind() {
            "identifier" | "field_identifier" | "type_identifier" => return Some(at),
            "field_expression" => at.child_by_field_name("field")?,
            "parenthesized_expression" => named(at).next()?,
            _ => at.child_by_field_name("name")?,
        };
    }
}
