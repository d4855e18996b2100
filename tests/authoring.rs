//! Mistakes that authors make: reported at their places in files that can be opened, with advice that can be followed.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use clap::CommandFactory;

use crate::common::{devices, warpbook};
use warpbook::cli::Cli;
use warpbook::lesson::PackFiles;
use warpbook::session::pack::{check, new_lesson};

const LESSON: &str = "lessons/mine/lesson.ron";
const TEXT: &str = "lessons/mine/text.md";
const SHADER: &str = "shaders/mine/copy.wgsl";
const INDEX: &str = "lessons/index.ron";

/// The check of the new lesson's kernel.
const CHECK: &str = "            check: (
                reference: \"strided_copy\", args: {\"n\": \"n\", \"stride\": \"1\", \"offset\": \"0\"},
                output: \"dst\", tolerance: 0,
            ),
";

/// A new pack after replacing, in each file, one text by another.
fn pack(edits: &[(&str, &str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    new_lesson::create(folder.path(), "mine").unwrap();
    for (file, from, to) in edits {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }
    folder
}

/// The place of the first `part` in a file: "file:line:column: ".
fn place(path: &Path, part: &str) -> String {
    let text = fs::read_to_string(path).unwrap();
    let before = &text[..text.find(part).unwrap()];
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    format!("{}:{}:{column}: ", path.display(), before.matches('\n').count() + 1)
}

/// The problems that `check` reports after an edit; every place is in an existing file.
fn said(folder: &Path) -> Vec<String> {
    let files = PackFiles::Folder(folder.to_owned());
    let (_, found) = check::check(&devices(), &files, &[], &AtomicBool::new(false), &mut |_, _| {});
    for place in found.iter().filter_map(|problem| problem.place.as_ref()) {
        assert!(Path::new(&place.file).is_file(), "{} cannot be opened", place.file);
    }
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn mistakes_are_said_at_their_places() {
    let exercise = "exercises: [(
        id: \"faster\", prompt: \"Copy.\", kernel: \"copy\", starter: \"copy.wgsl\", solution: \"copy.wgsl\",
        goal: \"exercise.load_sectors > 0\", goal_text: \"Copy.\",
    )],
    predictions: [";
    // The edit, the file and the part of it that is wrong, and words of the message and its hint.
    type Case<'a> = ((&'a str, &'a str, &'a str), (&'a str, &'a str), [&'a str; 2]);
    let step = "(id: \"copy\", kernel: \"copy\", experiment: \"size\"),";
    let cases: [Case<'_>; 11] = [
        (
            (LESSON, "steps: [", "steps: \"copy\", exercises: ["),
            (LESSON, "\"copy\", exercises"),
            ["cannot read this", "a list"],
        ),
        ((LESSON, step, ""), (LESSON, "[\n        \n    ],"), ["at least one step", "add one"]),
        ((INDEX, "\"mine\"", ""), (INDEX, "[]"), ["`mine` is not listed", "list it"]),
        ((LESSON, "\"Mine\"", "\"Mi\\qne\""), (LESSON, "\\qne"), ["escape", "write \\\\ for itself"]),
        ((LESSON, "\"main\"", "\"mian\""), (LESSON, "\"mian\""), ["no function `mian`", "did you mean `main`?"]),
        (
            (LESSON, "over: \"n\"", "over: \"moved\""),
            (LESSON, "moved\", values"),
            ["only a parameter", "name a parameter"],
        ),
        ((TEXT, "{{block}}", "{{movd}}"), (TEXT, "{{movd}}"), ["no parameter `movd`", "{{= moved}}"]),
        (
            (LESSON, "predictions: [", exercise),
            (LESSON, "(\n        id: \"faster\""),
            ["already reaches its goal", "leave something"],
        ),
        ((SHADER, "= src[i]", "= src[i] + 1.0"), (SHADER, "main"), ["wrong result", "compare"]),
        (
            (SHADER, "var<storage, read> src", "var<storage, read> other"),
            (SHADER, "other:"),
            ["no size for the buffer `other`", "`bind`"],
        ),
        ((SHADER, "arrayLength", "arrayLen"), (SHADER, "arrayLen"), ["arrayLen", ""]),
    ];
    for (edit, (file, part), words) in cases {
        let folder = pack(&[edit]);
        fs::copy(folder.path().join(SHADER), folder.path().join("lessons/mine/copy.wgsl")).unwrap();
        if edit.0 == SHADER && part == "other:" {
            let path = folder.path().join(SHADER);
            fs::write(&path, fs::read_to_string(&path).unwrap().replace("src[i]", "other[i]")).unwrap();
        }
        let found = said(folder.path());
        let start = place(&folder.path().join(file), part);
        let fits = |said: &&String| said.contains(words[0]) && said.contains(words[1]);
        let [only] = found.iter().filter(fits).collect::<Vec<_>>()[..] else { panic!("{edit:?}: {found:#?}") };
        let line = start.rsplit_once(':').unwrap().0.rsplit_once(':').unwrap().0;
        assert!(only.starts_with(line), "{only} is not at {start}");
        if words[0] != "escape" && file != TEXT {
            assert!(only.starts_with(&start), "{only} is not at {start}");
        }
    }
    // An unreadable part is reported once, and nothing that refers to it.
    let found = said(pack(&[(LESSON, "steps: [", "steps: \"copy\", exercises: [")]).path());
    assert!(!found.iter().any(|said| said.contains("at least one step") || said.contains("has no step")), "{found:#?}");
}

#[test]
fn run_tells_races_and_what_nothing_checks() {
    let folder = pack(&[(LESSON, CHECK, ""), (SHADER, "dst[i]", "dst[(i * 4u) % 4096u]")]);
    let root = folder.path().display().to_string();
    let args = ["--pack", &root, "run", "mine", "--backend", "simt", "--set", "n=4096"];
    let run = warpbook(&[args.as_slice(), &["--json"]].concat());
    let kernel = &run.json()["kernels"][0];
    assert_eq!((run.code, &kernel["ok"]), (1, &false.into()), "{}", run.err);
    assert_eq!(kernel["trace"]["findings"][0]["kind"], "race");
    let line = place(&folder.path().join(SHADER), "        dst[(").replace(":1: ", ":");
    assert!(run.err.contains(&line) && run.err.contains("race for word 0"), "{line}: {}", run.err);
    fs::write(folder.path().join(SHADER), fs::read_to_string(pack(&[]).path().join(SHADER)).unwrap()).unwrap();
    let run = warpbook(&args);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("copy: not checked"), "{}", run.err);
    assert!(run.out.lines().any(|line| line.starts_with("copy ") && line.ends_with("not checked")), "{}", run.out);
}

#[test]
fn a_constant_by_itself_is_no_size() {
    let run = warpbook(&["trace", "softmax/fused", "--const", "COLS=1024"]);
    assert!(run.err.contains("--const COLS=1024 changes the shader alone"), "{}", run.err);
    assert!(run.err.contains("hint: set the lesson's parameter instead: --set cols=1024"), "{}", run.err);
    let run = warpbook(&["trace", "softmax/fused", "--set", "cols=1024"]);
    assert!(run.code == 0 && !run.err.contains("warning"), "{}", run.err);
}

#[test]
fn what_a_setting_rules_out_is_skipped_in_tables_that_fit() {
    let run = warpbook(&["run", "tensor_cores", "--backend", "simt", "--set", "n=100"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(run.err.contains("fragment: skipped") && run.err.contains("must be a multiple of 16"), "{}", run.err);
    let wide: Vec<&str> = run.out.lines().filter(|line| line.chars().count() > 100).collect();
    assert!(run.out.contains("limited by") && wide.is_empty(), "{wide:#?}");
}

/// The Rust files below a folder.
fn rust(folder: &Path) -> Vec<PathBuf> {
    let below = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    below.flat_map(|path| if path.is_dir() { rust(&path) } else { vec![path] }).collect()
}

/// The words of `text` that begin with two hyphens, without those.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.split("--").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-').unwrap_or(rest.len());
        (end > 1).then(|| &rest[..end])
    })
}

/// The help of a command and of all its own.
fn long_help(command: &mut clap::Command) -> String {
    let own = command.render_long_help().to_string();
    own + &command.get_subcommands_mut().map(long_help).collect::<String>()
}

#[test]
fn options_in_messages_exist() {
    let mut program = Cli::command();
    program.build();
    let help = long_help(&mut program);
    let known: BTreeSet<&str> = options(&help).collect();
    assert!(known.contains("unchecked") && known.contains("set"), "{known:?}");
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in rust(&src) {
        // The worker has arguments of its own, NVIDIA's compiler has, a note's style sheet has variables, and the options of `cost` are
        // parameters of its lesson.
        let name = path.strip_prefix(&src).unwrap().display().to_string();
        if name.starts_with("gpu/cuda/")
            || ["cli/args/cost.rs", "gpu/worker.rs", "notes/style.rs"].contains(&name.as_str())
        {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for hint in text.lines().filter(|line| line.contains('"') && !line.trim_start().starts_with("//")) {
            let odd: Vec<&str> = options(hint).filter(|option| !known.contains(option) && *option != "cuda").collect();
            assert!(odd.is_empty(), "{name}: {odd:?} in {hint}");
        }
    }
}

#[test]
fn concepts_that_are_not_introduced_or_not_tested_are_named() {
    let folder = pack(&[
        (LESSON, "experiment: \"size\"),", "experiment: \"size\", teaches: [\"copy\", \"alone\"]),"),
        (LESSON, "id: \"double\", ", "id: \"double\", teaches: [\"copy\", \"unknown\"], "),
        (LESSON, "    summary:", "    presupposes: [\"gone\"],\n    summary:"),
    ]);
    let (said, lesson) = (said(folder.path()), folder.path().join(LESSON));
    for (at, what) in [
        (place(&lesson, "(id: \"copy\", kernel"), "warning: nothing tests the concept `alone`"),
        (place(&lesson, "(\n            id: \"double\""), "warning: no step introduces the concept `unknown`"),
        (String::new(), "the lesson `mine` presupposes `gone`, which the pack does not have"),
    ] {
        assert!(said.iter().any(|line| line.contains(&at) && line.contains(what)), "{at}{what}: {said:#?}");
    }
    assert_eq!(said.len(), 3, "{said:#?}");
}
