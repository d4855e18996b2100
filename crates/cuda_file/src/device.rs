//! The device's part of a CUDA C++ file: kernels and what they use. The host's code is replaced by spaces, so that lines and columns
//! stay.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tree_sitter::Node;

use crate::tree::{self, words};

/// Words by which a declaration is the device's.
const DEVICE: [&str; 5] = ["__global__", "__device__", "__constant__", "__shared__", "__managed__"];

/// Headers of the host that include those of 16-bit numbers, and an include of these, which is shorter than theirs.
const BRING_HALVES: [&str; 6] = ["cublas", "cudnn", "torch/", "ATen/", "c10/", "cutlass/"];
const HALVES: &str = "#include<cuda_bf16.h>";

/// The texts of a file and of the parts that it includes, with the host's part replaced by spaces. `is_known` says whether the compiler
/// finds a header, by its name; includes of others are left out. Types and functions that `instance`, an instance of a template, names are kept.
#[must_use]
pub fn device_parts(texts: &[&str], is_known: &dyn Fn(&str) -> bool, instance: &str) -> Vec<String> {
    let macros = tree::MacroNames::of(texts);
    let trees: Vec<_> = texts.iter().map(|text| tree::parse(text, &macros)).collect();
    let mut found = Found::default();
    for (part, (text, tree)) in texts.iter().zip(&trees).enumerate() {
        found.macros_of(text, tree.root_node());
        let mut finder = Finder { part, text, found: &mut found, is_known };
        finder.list(tree.root_node());
    }
    let kept = found.kept(instance);
    let blank = |(part, text): (usize, &&str)| {
        let items = found.items.iter().zip(&kept).filter(|(item, _)| item.part == part);
        let mut bytes = text.as_bytes().to_vec();
        for (item, kept) in items {
            let ranges = if *kept { item.host.as_slice() } else { std::slice::from_ref(&item.range) };
            for range in ranges {
                bytes[range.clone()]
                    .iter_mut()
                    .filter(|byte| !matches!(byte, b'\n' | b'\r'))
                    .for_each(|byte| *byte = b' ');
                if item.instead.len() <= range.len() {
                    bytes[range.start..range.start + item.instead.len()].copy_from_slice(item.instead.as_bytes());
                }
            }
        }
        // Whole items are blanked, so characters stay whole.
        String::from_utf8_lossy(&bytes).into_owned()
    };
    texts.iter().enumerate().map(blank).collect()
}

/// When an item is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keep {
    /// Always: a kernel.
    Root,
    /// If something that is kept uses one of its names.
    IfUsed,
    Never,
}

/// A declaration, definition or directive.
#[derive(Debug)]
struct Item {
    part: usize,
    range: Range<usize>,
    keep: Keep,
    is_device: bool,
    names: Vec<String>,
    uses: BTreeSet<String>,
    /// Parts of it that are the host's: member functions.
    host: Vec<Range<usize>>,
    /// The text in place of an item that is left out, at most as long.
    instead: &'static str,
}

#[derive(Default)]
struct Found {
    items: Vec<Item>,
    /// The words of each macro's text.
    macros: BTreeMap<String, BTreeSet<String>>,
}

impl Found {
    fn macros_of(&mut self, text: &str, node: Node<'_>) {
        tree::each(node, &mut |node| {
            if matches!(node.kind(), "preproc_def" | "preproc_function_def")
                && let Some(name) = node.child_by_field_name("name")
            {
                let value = node.child_by_field_name("value").map_or("", |value| &text[value.byte_range()]);
                self.macros
                    .entry(text[name.byte_range()].to_owned())
                    .or_default()
                    .extend(words(value).map(str::to_owned));
            }
        });
    }

    /// Whether a macro's text, or that of one that it uses, has one of these words.
    fn expands_to(&self, name: &str, wanted: &[&str]) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![name];
        while let Some(name) = next.pop() {
            let Some(words) = self.macros.get(name).filter(|_| seen.insert(name)) else { continue };
            if words.iter().any(|word| wanted.contains(&word.as_str())) {
                return true;
            }
            next.extend(words.iter().map(String::as_str));
        }
        false
    }

    fn has(&self, head: &str, wanted: &[&str]) -> bool {
        words(head).any(|word| wanted.contains(&word) || self.expands_to(word, wanted))
    }

    fn kept(&self, instance: &str) -> Vec<bool> {
        let has_kernel = self.items.iter().any(|item| item.keep == Keep::Root);
        let is_root = |item: &Item| item.keep == Keep::Root || (!has_kernel && item.is_device);
        let mut kept: Vec<bool> = self.items.iter().map(is_root).collect();
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (i, item) in self.items.iter().enumerate().filter(|(_, item)| item.keep == Keep::IfUsed) {
            item.names.iter().for_each(|name| by_name.entry(name).or_default().push(i));
        }
        let mut seen = BTreeSet::new();
        let begin = self.items.iter().zip(&kept).filter(|(_, kept)| **kept).flat_map(|(item, _)| &item.uses);
        let mut next: Vec<&str> = begin.map(String::as_str).collect();
        // Operators are used without their names.
        next.push("operator");
        next.extend(words(instance));
        while let Some(word) = next.pop() {
            if !seen.insert(word) {
                continue;
            }
            next.extend(self.macros.get(word).into_iter().flatten().map(String::as_str));
            for i in by_name.get(word).into_iter().flatten() {
                if !std::mem::replace(&mut kept[*i], true) {
                    next.extend(self.items[*i].uses.iter().map(String::as_str));
                }
            }
        }
        kept
    }
}

struct Finder<'a> {
    part: usize,
    text: &'a str,
    found: &'a mut Found,
    is_known: &'a dyn Fn(&str) -> bool,
}

impl Finder<'_> {
    /// The items of a file, a namespace, a block of `extern "C"` or a branch of the preprocessor.
    fn list(&mut self, node: Node<'_>) {
        for child in tree::children(node) {
            match child.kind() {
                "preproc_if" | "preproc_ifdef" | "preproc_else" | "preproc_elif" | "preproc_elifdef"
                | "declaration_list" => {
                    self.list(child);
                }
                "namespace_definition" => {
                    child.child_by_field_name("body").into_iter().for_each(|body| self.list(body))
                }
                "linkage_specification" => match child.child_by_field_name("body") {
                    Some(body) if body.kind() == "declaration_list" => self.list(body),
                    Some(body) => self.item(child, body),
                    None => {}
                },
                _ if child.is_named() => self.item(child, child),
                // A token that belongs to nothing; directives stay, and so do the ends of lines and of namespaces.
                kind if !kind.starts_with('#') && !matches!(kind, "\n" | ";") && node.kind() != "declaration_list" => {
                    self.stray(child)
                }
                _ => {}
            }
        }
    }

    fn stray(&mut self, node: Node<'_>) {
        let (part, range) = (self.part, node.byte_range());
        let item = Item {
            part,
            range,
            keep: Keep::Never,
            is_device: false,
            names: Vec::new(),
            uses: BTreeSet::new(),
            host: Vec::new(),
            instead: "",
        };
        self.found.items.push(item);
    }

    /// An item, and the declaration in it.
    fn item(&mut self, whole: Node<'_>, node: Node<'_>) {
        let (keep, names) = self.class(node);
        let Some(keep) = keep else { return };
        let mut uses = BTreeSet::new();
        tree::each(node, &mut |node| {
            if matches!(node.kind(), "identifier" | "type_identifier" | "namespace_identifier" | "field_identifier") {
                uses.insert(self.text[node.byte_range()].to_owned());
            }
        });
        let mut host = Vec::new();
        self.host_members(node, &mut host);
        let is_device = keep != Keep::Never && self.found.has(self.head(node), &DEVICE);
        let range = whole.byte_range();
        let path = node.child_by_field_name("path").map_or("", |path| &self.text[path.byte_range()]);
        let brings = |of: &&str| path.trim_start_matches(['<', '"']).starts_with(of);
        let instead = if BRING_HALVES.iter().any(brings) { HALVES } else { "" };
        self.found.items.push(Item { part: self.part, range, keep, is_device, names, uses, host, instead });
    }

    /// When an item is kept, and the names that it has; None for one that is left alone.
    fn class(&self, node: Node<'_>) -> (Option<Keep>, Vec<String>) {
        let head = self.head(node);
        let has = |wanted: &[&str]| self.found.has(head, wanted);
        let names = || tree::names(node, self.text);
        match node.kind() {
            "comment"
            | "preproc_def"
            | "preproc_function_def"
            | "preproc_call"
            | "preproc_undef"
            | "preproc_directive" => (None, Vec::new()),
            _ if &self.text[node.byte_range()] == ";" => (None, Vec::new()),
            // A condition of the preprocessor.
            _ if node.parent().is_some_and(|parent| {
                parent.kind().starts_with("preproc_")
                    && (parent.child_by_field_name("condition") == Some(node)
                        || parent.child_by_field_name("name") == Some(node))
            }) =>
            {
                (None, Vec::new())
            }
            "preproc_include" => {
                let path = node.child_by_field_name("path").map_or("", |path| &self.text[path.byte_range()]);
                let name = path.trim_matches(|c| matches!(c, '"' | '<' | '>'));
                ((!(self.is_known)(name)).then_some(Keep::Never), Vec::new())
            }
            "template_declaration" => match tree::children(node).rfind(Node::is_named) {
                Some(inner) => self.class(inner),
                None => (Some(Keep::Never), Vec::new()),
            },
            "function_definition" if has(&["__global__"]) => (Some(Keep::Root), names()),
            "function_definition" if has(&["__device__", "constexpr"]) => (Some(Keep::IfUsed), names()),
            "function_definition" => (Some(Keep::Never), Vec::new()),
            "declaration" if has(&DEVICE) => (Some(Keep::IfUsed), names()),
            "declaration" if tree::is_prototype(node) => (Some(Keep::Never), Vec::new()),
            "declaration"
                if has(&["const", "constexpr", "enum"])
                    || node.child_by_field_name("type").is_some_and(|ty| ty.child_by_field_name("body").is_some()) =>
            {
                (Some(Keep::IfUsed), names())
            }
            "declaration" => (Some(Keep::Never), Vec::new()),
            "struct_specifier"
            | "class_specifier"
            | "union_specifier"
            | "enum_specifier"
            | "type_definition"
            | "alias_declaration"
            | "namespace_alias_definition"
            | "template_instantiation"
            | "concept_definition" => (Some(Keep::IfUsed), names()),
            "using_declaration" => {
                let mut names =
                    words(&self.text[node.byte_range()]).filter(|word| !matches!(*word, "using" | "namespace"));
                let of_std = names.next().is_some_and(|word| matches!(word, "std" | "torch" | "thrust"));
                (of_std.then_some(Keep::Never), Vec::new())
            }
            "expression_statement" | "ERROR"
                if self.found.has(&self.text[node.byte_range()], &["__global__", "__device__"]) =>
            {
                (Some(Keep::Root), Vec::new())
            }
            _ => (Some(Keep::Never), Vec::new()),
        }
    }

    /// The text of an item before its body.
    fn head(&self, node: Node<'_>) -> &str {
        let inner = if node.kind() == "template_declaration" {
            tree::children(node).rfind(Node::is_named).unwrap_or(node)
        } else {
            node
        };
        let end = inner.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
        let end = if inner.kind() == "declaration" {
            inner.child_by_field_name("value").map_or(end, |value| value.start_byte())
        } else {
            end
        };
        &self.text[node.start_byte()..end]
    }

    /// Member functions that only the host can call.
    fn host_members(&self, node: Node<'_>, into: &mut Vec<Range<usize>>) {
        tree::each(node, &mut |list| {
            if list.kind() != "field_declaration_list" {
                return;
            }
            for member in tree::children(list) {
                let inner = match member.kind() {
                    "template_declaration" => tree::children(member).rfind(Node::is_named),
                    _ => Some(member),
                };
                let has_body = inner.is_some_and(|inner| {
                    inner.kind() == "function_definition" && inner.child_by_field_name("body").is_some()
                });
                let is_host = has_body || member.kind() == "friend_declaration";
                if is_host && !self.found.has(self.head(member), &["__device__", "__global__", "constexpr"]) {
                    into.push(member.byte_range());
                }
            }
        });
    }
}
