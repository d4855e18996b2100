//! Files that import each other in a circle, and the fields of the window's state: neither may grow.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::tidy::rust;

/// The most files that may import each other in a circle.
const MOST: usize = 3;

/// The most fields of the desk's parts together.
const FIELDS: usize = 30;

/// A module's path, its crate first.
type Module = Vec<String>;

/// All code, by module, without comments, texts and tests.
fn modules() -> BTreeMap<Module, String> {
    let sources = rust(&["src", "crates"]).into_iter();
    sources.filter_map(|source| Some((module(&source.name)?, bare(&source.text)))).collect()
}

/// The module of a file, by its path from the root; None of a test.
fn module(name: &str) -> Option<Module> {
    let (of_crate, within) = match name.strip_prefix("src/") {
        Some(within) => ("warpbook", within),
        None => name.strip_prefix("crates/")?.split_once("/src/")?,
    };
    let mut module: Module =
        [of_crate].into_iter().chain(within.strip_suffix(".rs")?.split('/')).map(str::to_owned).collect();
    if module.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        module.pop();
    }
    Some(module)
}

/// The text without comments, string literals and the tests at its end.
fn bare(text: &str) -> String {
    let program = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let lines = program.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ");
    code.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

/// The paths of a use tree, such as `a::{b, c::{d, e}}`.
fn paths(tree: &str) -> Vec<String> {
    let tree = tree.split(" as ").next().unwrap_or_default().trim();
    let Some((before, rest)) = tree.split_once('{') else { return vec![tree.to_owned()] };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let full = parts.into_iter().filter(|part| !part.trim().is_empty()).flat_map(paths);
    full.map(|path| format!("{}{path}", before.trim())).collect()
}

/// The `use` items of a text: whether each is public, and its paths.
fn uses(text: &str) -> Vec<(bool, Vec<String>)> {
    let starts = text.match_indices("use ").filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric()));
    let item = |(at, _): (usize, &str)| {
        let is_public = text[..at].trim_end().ends_with(['b', ')']);
        let tree = text[at + 4..].split(';').next().unwrap_or_default();
        (is_public, paths(&tree.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    starts.map(item).collect()
}

struct Graph {
    modules: BTreeMap<Module, String>,
    /// By module, the names that it exports again, and where they come from.
    exported: BTreeMap<Module, BTreeMap<String, Module>>,
}

impl Graph {
    fn new() -> Self {
        let mut graph = Self { modules: modules(), exported: BTreeMap::new() };
        for (module, text) in &graph.modules {
            let public = uses(text).into_iter().filter(|(is_public, _)| *is_public).flat_map(|(_, paths)| paths);
            let full = public.filter_map(|path| graph.full(module, &path));
            let names = full.filter_map(|path| Some((path.last()?.clone(), path))).collect();
            graph.exported.insert(module.clone(), names);
        }
        graph
    }

    /// A path from the crate's root, as written in a module; None if it leads out of the crate.
    fn full(&self, module: &Module, path: &str) -> Option<Module> {
        let mut parts: Vec<String> = path.split("::").map(|part| part.trim().to_owned()).collect();
        let mut at = module.clone();
        match parts[0].as_str() {
            "crate" => at.truncate(1),
            "self" => {}
            "super" => {
                while parts.first().is_some_and(|part| part == "super") {
                    at.pop();
                    parts.remove(0);
                }
                return Some([at, parts].concat());
            }
            child => {
                return self
                    .modules
                    .contains_key(&[at.clone(), vec![child.to_owned()]].concat())
                    .then(|| [at, parts].concat());
            }
        }
        Some([at, parts[1..].to_vec()].concat())
    }

    /// The module that a full path leads to, past names that are exported again.
    fn lead(&self, path: &[String], steps: usize) -> Option<Module> {
        let length = (1..=path.len()).rev().find(|n| self.modules.contains_key(&path[..*n]))?;
        let module = path[..length].to_vec();
        let again = path.get(length).and_then(|name| self.exported.get(&module)?.get(name));
        match again {
            Some(from) if steps > 0 && from.as_slice() != path => {
                self.lead(&[from, &path[length + 1..]].concat(), steps - 1)
            }
            _ => Some(module),
        }
    }

    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        let text = &self.modules[module];
        let private = uses(text).into_iter().filter(|(is_public, _)| !is_public).flat_map(|(_, paths)| paths);
        let inline = text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')).filter(|word| {
            ["crate::", "super::", "self::"].iter().any(|start| word.starts_with(start)) && !word.ends_with(':')
        });
        let all: Vec<String> = private.chain(inline.map(str::to_owned)).collect();
        let lead = |path: &String| {
            let path = self.full(module, path.trim_end_matches("::*"))?;
            self.lead(&path, 8).filter(|to| to != module)
        };
        all.iter().filter_map(lead).collect()
    }
}

/// The modules that can be reached, from each.
fn reached(direct: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeMap<&Module, BTreeSet<&Module>> {
    let from = |start| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(module) = open.pop() {
            open.extend(direct[module].iter().filter(|next| seen.insert(*next)));
        }
        seen
    };
    direct.keys().map(|module| (module, from(module))).collect()
}

#[test]
fn no_circle_of_files_is_large() {
    let graph = Graph::new();
    assert!(graph.modules.len() > 300, "the sources were not found");
    let direct = graph.modules.keys().map(|module| (module.clone(), graph.imports(module))).collect();
    let reached = reached(&direct);
    let circle = |of: &Module| {
        reached[of].iter().filter(|other| reached[**other].contains(of)).copied().collect::<BTreeSet<_>>()
    };
    let circles: BTreeSet<BTreeSet<&Module>> = reached.keys().map(|module| circle(module)).collect();
    assert!(circles.iter().any(|circle| circle.len() > 1), "the search finds the small ones that there are");
    let large: Vec<_> = circles.into_iter().filter(|circle| circle.len() > MOST).collect();
    assert!(large.is_empty(), "these import each other in a circle of more than {MOST}: {large:#?}");
}

#[test]
fn the_desks_state_stays_small() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/session/desk");
    let fields = |file: &str, name: &str| {
        let text = fs::read_to_string(root.join(file)).unwrap();
        let body = text.split(&format!("pub struct {name} {{\n")).nth(1).unwrap();
        let body = body.split("\n}").next().unwrap();
        body.lines().filter(|line| !line.trim_start().starts_with("///") && line.contains(": ")).count()
    };
    let of = [("state.rs", "State"), ("place.rs", "Place"), ("found.rs", "Found"), ("mod.rs", "Desk")];
    let counts = of.map(|(file, name)| fields(file, name));
    assert!(counts.iter().all(|count| *count > 3) && counts.iter().sum::<usize>() <= FIELDS, "{of:?}: {counts:?}");
}
