//! The syntax tree of a CUDA C++ file.

use std::collections::BTreeSet;

use tree_sitter::{Node, Parser, Tree};

/// Attributes that the grammar does not know.
const ATTRIBUTES: [&str; 9] = [
    "__align__",
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__attribute__",
    "__restrict__",
    "__grid_constant__",
    "__noinline__",
];

/// Words of which a macro for attributes consists.
const SPECIFIERS: [&str; 14] = [
    "__device__",
    "__host__",
    "__global__",
    "__forceinline__",
    "__inline__",
    "__noinline__",
    "inline",
    "static",
    "constexpr",
    "extern",
    "const",
    "__restrict__",
    "C",
    "__attribute__",
];

/// Names of macros that the grammar has to be helped with.
#[derive(Default)]
pub struct MacroNames {
    /// Those that stand for attributes alone.
    attributes: BTreeSet<String>,
    /// Those with parentheses that define functions: no semicolon has to follow.
    definitions: BTreeSet<String>,
}

impl MacroNames {
    pub fn of(texts: &[&str]) -> Self {
        let mut names = Self::default();
        for text in texts {
            let whole = text.replace("\\\r\n", " ").replace("\\\n", " ");
            for line in whole.lines() {
                let Some(rest) = line.trim_start().strip_prefix('#') else { continue };
                let Some(rest) = rest.trim_start().strip_prefix("define") else { continue };
                let rest = rest.trim();
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                let (name, value) = rest.split_at(length);
                let is_of_specifiers =
                    words(value).next().is_some() && words(value).all(|word| SPECIFIERS.contains(&word));
                if is_of_specifiers && name.len() >= STATIC.len() && !value.starts_with('(') {
                    names.attributes.insert(name.to_owned());
                } else if value.starts_with('(') && value.contains('{') && value.trim_end().ends_with('}') {
                    names.definitions.insert(name.to_owned());
                }
            }
        }
        names
    }
}

/// A specifier that the grammar knows, in place of one that it does not.
const STATIC: &str = "static";

/// Whether a text launches a kernel.
pub fn has_launch(text: &str) -> bool {
    ["<<<", "<< <", "< < <"].iter().any(|open| text.contains(open))
}

/// The end of a list in parentheses that begins at a place.
pub fn end_of_list(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0;
    for (i, byte) in text.bytes().enumerate().skip(at) {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth == 0 {
            return Some(i + 1);
        }
    }
    None
}

/// The places at which a word occurs by itself.
pub fn places<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word)
        .map(|(at, _)| at)
        .filter(move |at| !text[..*at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part))
}

/// The comments in the texts of macros that go over several lines: where they begin and end.
fn comments_of_macros(text: &str) -> Vec<(usize, usize)> {
    let (mut found, mut at, mut is_macro) = (Vec::new(), 0, false);
    for line in text.split_inclusive('\n') {
        is_macro |= line.trim_start().strip_prefix('#').is_some_and(|rest| rest.trim_start().starts_with("define"));
        let goes_on = line.trim_end().ends_with('\\');
        if is_macro && goes_on {
            let mut from = 0;
            while let Some((begin, length)) = line[from..]
                .find("/*")
                .and_then(|begin| Some((from + begin, line[from + begin..].find("*/")? + "*/".len())))
            {
                found.push((at + begin, at + begin + length));
                from = begin + length;
            }
        }
        is_macro &= goes_on;
        at += line.len();
    }
    found
}

/// The text as the grammar reads it best, each byte at its place: without attributes, and variables of `dim3` with braces, since
/// `dim3 grid(x, y);` could declare a function.
fn plain(text: &str, macros: &MacroNames) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut fill = |at: usize, end: usize, with: &str| {
        bytes[at..end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
        bytes[at..at + with.len()].copy_from_slice(with.as_bytes());
    };
    for attribute in ATTRIBUTES {
        for at in places(text, attribute) {
            let after = at + attribute.len();
            let list = text.len() - text[after..].trim_start().len();
            let end = if text[list..].starts_with('(') { end_of_list(text, list).unwrap_or(after) } else { after };
            fill(at, end, if attribute == "__noinline__" { STATIC } else { "" });
        }
    }
    // The grammar ends a macro's text at a comment.
    for (at, end) in comments_of_macros(text) {
        fill(at, end, "");
    }
    for name in &macros.attributes {
        let is_used = |at: &usize| !text[..*at].trim_end().ends_with("define");
        places(text, name).filter(is_used).for_each(|at| fill(at, at + name.len(), STATIC));
    }
    for open in ["<< <", "< < <"] {
        // As some formatters leave a launch.
        for (at, _) in text.match_indices(open) {
            let closes = [">> >", "> > >"].iter().filter_map(|close| Some((text[at..].find(close)? + at, close.len())));
            if let Some((end, length)) = closes.min()
                && text[end + length..].trim_start_matches([' ', '\\', '\n', '\r']).starts_with('(')
            {
                fill(at, at + open.len(), "<<<");
                fill(end, end + length, ">>>");
            }
        }
    }
    for at in places(text, "dim3") {
        let rest = text[at + 4..].trim_start();
        let Some(list) =
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').map(|length| text.len() - rest.len() + length)
        else {
            continue;
        };
        if text[list..].starts_with('(')
            && !rest.starts_with('(')
            && let Some(end) = end_of_list(text, list)
            && text[end..].trim_start().starts_with([';', ','])
        {
            fill(list, list + 1, "{");
            fill(end - 1, end, "}");
        }
    }
    for name in &macros.definitions {
        for at in places(text, name).filter(|at| text[..*at].ends_with('\n') || *at == 0) {
            let list = at + name.len();
            if text[list..].starts_with('(')
                && let Some(end) = end_of_list(text, list)
                && text[end..].starts_with('\n')
            {
                bytes[end] = b';';
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

/// The syntax tree of a text. Parts that do not parse are error nodes.
pub fn parse(text: &str, macros: &MacroNames) -> Tree {
    let text = plain(text, macros);
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).expect("the grammar is of this parser's version");
    parser.parse(&text, None).expect("there is a language and no limit of time")
}

/// The children of a node.
pub fn children(node: Node<'_>) -> impl DoubleEndedIterator<Item = Node<'_>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect::<Vec<_>>().into_iter()
}

/// The children of a node that are not punctuation or comments.
pub fn named(node: Node<'_>) -> impl DoubleEndedIterator<Item = Node<'_>> {
    children(node).filter(|node| node.is_named() && node.kind() != "comment")
}

/// Calls `see` with a node and all below it, outer ones first.
pub fn each<'a>(node: Node<'a>, see: &mut dyn FnMut(Node<'a>)) {
    each_if(node, &mut |node| {
        see(node);
        true
    });
}

/// Calls `see` with a node and all below it whose texts have a name, outer ones first.
pub fn each_with<'a>(node: Node<'a>, text: &str, name: &str, see: &mut dyn FnMut(Node<'a>)) {
    each_if(node, &mut |node| {
        let has = text[node.byte_range()].contains(name);
        if has {
            see(node);
        }
        has
    });
}

/// Calls `enter` with a node, and with the children of each for which it says so.
fn each_if<'a>(node: Node<'a>, enter: &mut dyn FnMut(Node<'a>) -> bool) {
    let mut next = vec![node];
    while let Some(node) = next.pop() {
        if enter(node) {
            next.extend(children(node).rev());
        }
    }
}

/// The identifiers in a text.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// Whether a declaration is that of a function.
pub fn is_prototype(node: Node<'_>) -> bool {
    let mut at = node.child_by_field_name("declarator");
    while let Some(node) = at {
        if node.kind() == "function_declarator" {
            return true;
        }
        at = node.child_by_field_name("declarator").filter(|_| node.kind() != "init_declarator");
    }
    false
}

/// The names that an item declares.
pub fn names(node: Node<'_>, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let of = |node: Node<'_>| text[node.byte_range()].to_owned();
    if let Some(ty) = node.child_by_field_name("type").filter(|ty| ty.child_by_field_name("body").is_some()) {
        found.extend(names(ty, text));
        if ty.kind() == "enum_specifier" || node.kind() == "enum_specifier" {
            each(ty, &mut |node| {
                if node.kind() == "enumerator" {
                    found.extend(node.child_by_field_name("name").map(of))
                }
            });
        }
    }
    if node.kind() == "enum_specifier" {
        each(node, &mut |node| {
            if node.kind() == "enumerator" {
                found.extend(node.child_by_field_name("name").map(of))
            }
        });
    }
    if matches!(node.kind(), "template_declaration") {
        if let Some(inner) = children(node).rfind(Node::is_named) {
            found.extend(names(inner, text));
        }
        return found;
    }
    if node.kind() == "template_instantiation" {
        each(node, &mut |node| {
            if matches!(node.kind(), "identifier" | "type_identifier") {
                found.push(of(node))
            }
        });
        return found;
    }
    for i in 0..node.child_count() {
        let (Some(child), field) = (node.child(i), node.field_name_for_child(i)) else { continue };
        if matches!(field, Some("declarator" | "name")) {
            declared(child, text, &mut found);
        }
    }
    found
}

/// The name in a declarator.
fn declared(node: Node<'_>, text: &str, found: &mut Vec<String>) {
    match node.kind() {
        "identifier" | "type_identifier" | "namespace_identifier" | "field_identifier" => {
            found.push(text[node.byte_range()].to_owned())
        }
        "operator_name" | "operator_cast" => found.push("operator".to_owned()),
        "template_function"
        | "template_type"
        | "qualified_identifier"
        | "init_declarator"
        | "pointer_declarator"
        | "reference_declarator"
        | "array_declarator"
        | "function_declarator"
        | "parenthesized_declarator"
        | "attributed_declarator" => {
            let inner = node.child_by_field_name("declarator").or_else(|| node.child_by_field_name("name"));
            let inner = inner.or_else(|| children(node).find(Node::is_named));
            if let Some(inner) = inner {
                declared(inner, text, found);
            }
        }
        _ => {}
    }
}
