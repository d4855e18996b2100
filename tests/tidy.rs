//! Rules that a compiler does not check: layers, sizes, first lines, and the places of outside crates' names.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module's layer, in the program and in the crates below it. A file may import from lower layers and from its own
/// module. That crates import from crates below them alone is Cargo's to hold.
const LAYERS: [(&str, u8); 19] = [
    ("dispatch", 0),
    ("machine", 0),
    ("trace", 1),
    ("simt", 2),
    ("math", 1),
    ("fonts", 1),
    ("pack", 1),
    ("job", 2),
    ("lesson", 3),
    ("reference", 3),
    ("measure", 3),
    ("device", 3),
    ("gpu", 4),
    ("figures", 4),
    ("notes", 4),
    ("session", 5),
    ("app", 6),
    ("cli", 6),
    ("main.rs", 7),
];

/// The crates below the program, one folder of `crates/` each.
const CRATES: [&str; 8] = ["base", "tokenizer", "ranks", "tracer", "lesson", "figures", "gpu", "notes"];

/// The folders of the modules that have layers.
const LAYERED: [&str; 6] =
    ["src", "crates/figures/src", "crates/gpu/src", "crates/lesson/src", "crates/notes/src", "crates/tracer/src"];

/// The folders of all code.
const CODE: [&str; 4] = ["src", "crates", "tests", "benches"];

const MOST_LINES: usize = 500;

pub struct Source {
    path: PathBuf,
    /// The path from the root, with `/` between its parts.
    pub name: String,
    pub text: String,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, ending: &str, found: &mut Vec<Source>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, ending, found);
        } else if path.extension().is_some_and(|e| e == ending) {
            let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let text = fs::read_to_string(&path).unwrap_or_default();
            found.push(Source { path, name, text });
        }
    }
}

/// The Rust files below some folders.
pub fn rust(folders: &[&str]) -> Vec<Source> {
    let mut found = Vec::new();
    for folder in folders {
        files(&root().join(folder), "rs", &mut found);
    }
    assert!(found.len() > 10, "the sources were not found");
    found
}

fn module_of(name: &str) -> &str {
    // A crate that is one module.
    if name.starts_with("crates/figures/src/") {
        return "figures";
    }
    let within = name.strip_prefix("src/").or_else(|| name.split_once("/src/").map(|(_, rest)| rest));
    within.and_then(|rest| rest.split('/').next()).map_or("", |first| match first {
        "main.rs" => first,
        _ => first.trim_end_matches(".rs"),
    })
}

fn layer_of(module: &str) -> Option<u8> {
    LAYERS.iter().find(|(name, _)| *name == module).map(|(_, layer)| *layer)
}

/// The text with its comments taken out, so that rules speak of code alone.
fn code(text: &str) -> String {
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Whether `word` is the first part of a path in `text`: `naga::`, not `my_naga::`.
fn names_crate(text: &str, word: &str) -> bool {
    let path = format!("{word}::");
    text.match_indices(&path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    })
}

#[test]
fn every_file_says_what_it_is_for_and_is_short() {
    let mut wrong = Vec::new();
    for source in rust(&CODE) {
        if !source.text.starts_with("//! ") {
            wrong.push(format!("{} does not begin with a `//!` line", source.name));
        }
        let lines = source.text.lines().count();
        if lines > MOST_LINES {
            wrong.push(format!("{} has {lines} lines, more than {MOST_LINES}", source.name));
        }
        if source.text.contains("\t") || source.text.contains(" \n") {
            wrong.push(format!("{} has tabs or spaces at the end of a line", source.path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Calls that write a file, move one to another's place or make a link, and the files that may have them.
const WRITES: [&str; 8] = [
    "OpenOptions",
    "File::create",
    "File::options",
    "fs::write",
    "fs::rename",
    "fs::copy",
    "hard_link",
    "fs::symlink(",
];
const WRITERS: [&str; 2] = ["crates/base/src/store.rs", "src/session/learn/journal/file.rs"];

#[test]
fn files_are_written_in_one_place() {
    let mut wrong = Vec::new();
    for source in rust(&["src", "crates"]).into_iter().filter(|source| source.name.contains("src/")) {
        let own = code(source.text.split("#[cfg(test)]").next().unwrap_or_default());
        let writes = WRITES.iter().filter(|call| own.contains(**call));
        wrong.extend(writes.map(|call| (source.name.clone(), *call)));
    }
    wrong.retain(|(name, _)| !WRITERS.contains(&name.as_str()));
    assert!(wrong.is_empty(), "write by base::store, which follows no link out of a folder: {wrong:?}");
}

#[test]
fn imports_go_down() {
    let mut wrong = Vec::new();
    for source in rust(&LAYERED) {
        let module = module_of(&source.name);
        if module == "lib" {
            continue;
        }
        let Some(own) = layer_of(module) else {
            wrong.push(format!("{} is in no layer: give `{module}` one here and in ARCHITECTURE.md", source.name));
            continue;
        };
        let code = code(&source.text);
        for (other, layer) in LAYERS {
            let imports = code.contains(&format!("crate::{other}::")) || code.contains(&format!("warpbook::{other}::"));
            if imports && other != module && layer >= own {
                wrong.push(format!("{} imports from `{other}`, which is not below `{module}`", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The folders of `session`, in the order in which they may import: from themselves and from those before them.
const USE_CASES: [&str; 9] = ["jobs", "run", "experiment", "learn", "pack", "ask", "show", "note", "desk"];

#[test]
fn use_cases_import_from_earlier_folders() {
    let mut wrong = Vec::new();
    for source in rust(&["src/session"]) {
        let Some((folder, _)) = source.name.trim_start_matches("src/session/").split_once('/') else { continue };
        let place = USE_CASES.iter().position(|known| *known == folder);
        let Some(place) = place else {
            wrong.push(format!("{folder} has no place in the order: give it one here and in docs/design/session.md"));
            continue;
        };
        let program = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        for later in &USE_CASES[place + 1..] {
            if code(program).contains(&format!("crate::session::{later}")) && !source.name.ends_with("tests.rs") {
                wrong.push(format!("{} imports from `{later}`, which comes after `{folder}`", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn outside_names_stay_where_they_belong() {
    let allowed: [(&str, &[&str]); 12] = [
        ("naga", &["crates/tracer/src/simt/lower/"]),
        ("wgpu", &["crates/gpu/src/", "src/app/shot.rs"]),
        ("cudarc", &["crates/gpu/src/gpu/cuda"]),
        ("egui", &["src/app/"]),
        ("fontdb", &["src/app/fallback.rs"]),
        ("ttf_parser", &["src/app/fallback.rs"]),
        ("clap", &["src/cli/args", "src/main.rs"]),
        ("ratex_svg", &["crates/lesson/src/math/typeset.rs"]),
        ("krilla", &["crates/notes/src/notes/pdf/"]),
        ("usvg", &["crates/notes/src/notes/pdf/", "crates/notes/src/notes/picture.rs"]),
        ("shlex", &["crates/notes/src/notes/read.rs"]),
        ("cpp_demangle", &["src/session/run/signature.rs"]),
    ];
    let mut wrong = Vec::new();
    for source in rust(&["src", "crates"]) {
        let code = code(&source.text);
        for (word, places) in allowed {
            if names_crate(&code, word) && !places.iter().any(|place| source.name.starts_with(place)) {
                wrong.push(format!("{} names {word}, which belongs to {}", source.name, places.join(", ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a program names a lesson: as a string, as the first part of a path, or as what a command of ours is given.
fn names_lesson(code: &str, id: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let path = code.match_indices(&format!("{id}/")).any(|(at, _)| !code[..at].ends_with(word));
    let commands = ["run", "sweep", "trace", "shot", "film", "export", "record", "bench"];
    let given = commands.iter().any(|command| {
        let text = format!("warpbook {command} {id}");
        code.match_indices(&text).any(|(at, _)| !code[at + text.len()..].starts_with(word))
    });
    // As a string `zero` is also what a buffer can begin with.
    path || given || (id != "zero" && code.contains(&format!("\"{id}\"")))
}

#[test]
fn a_lesson_is_found_by_each_way_to_name_it() {
    for named in [
        "a(\"moe\")",
        "k(\"moe/scan\")",
        "format!(\"moe/{name}\")",
        "\"try `warpbook run moe`\"",
        "\"warpbook trace moe/x\"",
    ] {
        assert!(names_lesson(named, "moe"), "{named}");
    }
    assert!(names_lesson("\"shaders/zero/plan\"", "zero") && names_lesson("\"warpbook run zero --set\"", "zero"));
    for other in ["\"zero\"", "Init::Zero", "non_zero/2", "\"warpbook run zeros\"", "\"removed\""] {
        assert!(!names_lesson(other, "zero") && !names_lesson(other, "moe"), "{other}");
    }
}

#[test]
fn no_lesson_is_named_in_the_program() {
    let index = fs::read_to_string(root().join("lessons/index.ron")).unwrap_or_default();
    let ids: Vec<&str> = index.split('"').skip(1).step_by(2).collect();
    assert!(!ids.is_empty(), "lessons/index.ron names no lesson");
    let mut wrong = Vec::new();
    for source in rust(&["src", "crates"]) {
        // Tests may use a real lesson's name; the program may not depend on one.
        let program = source.text.split("#[cfg(test)]").next().unwrap_or_default();
        // Modules that hold tests alone.
        let tests = source.name.ends_with("tests.rs") || source.name.ends_with("fixtures.rs");
        for id in &ids {
            // The function of that name, and the explorer that shows it.
            let is_maths =
                module_of(&source.name) == "reference" || source.name == "crates/figures/src/explore/softmax.rs";
            if !tests && names_lesson(&code(program), id) && !is_maths {
                wrong.push(format!("{} names the lesson `{id}`", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_left_behind() {
    let marks = ["TO".to_owned() + "DO", "FIX".to_owned() + "ME", "XX".to_owned() + "X", "#[ig".to_owned() + "nore"];
    let mut sources = rust(&CODE);
    for (folder, ending) in
        [("lessons", "md"), ("lessons", "ron"), ("shaders", "wgsl"), ("shaders", "cu"), ("shaders", "cuh")]
    {
        files(&root().join(folder), ending, &mut sources);
    }
    let mut wrong = Vec::new();
    for source in sources {
        for mark in &marks {
            if source.text.contains(mark.as_str()) {
                wrong.push(format!("{} holds {mark}", source.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_map_names_every_module() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap_or_default();
    for module in LAYERS.map(|(module, _)| module).into_iter().chain(CRATES) {
        assert!(
            map.contains(&format!("`{module}`")) || map.contains(&format!("`{module}/`")),
            "ARCHITECTURE.md does not name `{module}`"
        );
    }
}
