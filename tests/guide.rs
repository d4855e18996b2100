//! The author's guide: its tutorial makes a lesson that passes, and its reference has what the program knows, no more
//! and no less.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{spoilt_copy, warpbook, warpbook_in};
use warpbook::base::expr::{Expr, FUNCTIONS};
use warpbook::figures::meanings::MEANINGS;
use warpbook::figures::{Arg, ArgKind, FIGURES};
use warpbook::lesson::scope::{COUNTED_FIELDS, DEVICE_FIELDS, ROUNDS, TIMED_FIELDS};
use warpbook::lesson::{FORMS, INITS};
use warpbook::reference;

fn page(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src").join(name)).unwrap()
}

/// The rows of the table whose first column is called `first`, within the section `heading` if there is one, their
/// cells trimmed.
fn table(page: &str, heading: &str, first: &str) -> Vec<Vec<String>> {
    let from = if heading.is_empty() { 0 } else { page.find(&format!("\n## {heading}\n")).unwrap() + 1 };
    let head = format!("| {first} |");
    let lines = page[from..].lines().skip_while(|line| !line.starts_with(&head)).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    // A bar within a cell is escaped.
    let cells = |row: &str| -> Vec<String> {
        let row = row.replace("\\|", "\u{1}");
        row.trim_matches('|').split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
    };
    rows.map(cells).collect()
}

/// The names in a table's first column.
fn names(page: &str, heading: &str, first: &str) -> BTreeSet<String> {
    let rows = table(page, heading, first);
    let names: BTreeSet<String> = rows.iter().map(|row| row[0].trim_matches('`').to_owned()).collect();
    assert_eq!(names.len(), rows.len(), "{heading}: a name is there twice");
    assert!(!names.is_empty(), "{heading}: there is no table of `{first}`");
    names
}

fn set<'a>(known: impl IntoIterator<Item = &'a str>) -> BTreeSet<String> {
    known.into_iter().map(str::to_owned).collect()
}

/// The tutorial's files, in a pack that `new` made.
#[test]
fn the_tutorials_lesson_passes_check() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(warpbook_in(folder.path(), &["new", "sums", "--pack", "."]).code, 0);
    let text = page("tutorial.md");
    let mut written = 0;
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(path) = line.strip_prefix("**`").and_then(|rest| rest.strip_suffix("`**")) else { continue };
        let code: Vec<&str> = lines
            .by_ref()
            .skip_while(|line| !line.starts_with("```"))
            .skip(1)
            .take_while(|line| *line != "```")
            .collect();
        fs::write(folder.path().join(path), code.join("\n") + "\n").unwrap();
        written += 1;
    }
    assert_eq!(written, 7);
    let run = warpbook_in(folder.path(), &["check", "."]);
    assert_eq!(run.code, 0, "{}{}", run.out, run.err);
    for args in [
        &["--pack", ".", "run", "sums", "--backend", "simt", "--rung", "chunkwise=serial", "--print", "total"][..],
        &["--pack", ".", "trace", "sums/two_passes/chunkwise", "--explain", "partial[3]"],
    ] {
        let run = warpbook_in(folder.path(), args);
        assert_eq!(run.code, 0, "{}", run.err);
    }
    // The kernel that is listed as wrong is: taken for a solution it is refused.
    let wrong = fs::read_to_string(folder.path().join("lessons/sums/no_barrier.wgsl")).unwrap();
    fs::write(folder.path().join("lessons/sums/solution.wgsl"), &wrong).unwrap();
    let run = warpbook_in(folder.path(), &["check", "."]);
    assert!(run.code == 2 && run.err.contains("race for word"), "{}", run.err);
}

/// The fields of a record that the program lists in its message about an unknown field.
fn known(file: &str, start: &str) -> BTreeSet<String> {
    known_in("programs", file, start)
}

fn known_in(pack: &str, file: &str, start: &str) -> BTreeSet<String> {
    let spoilt = format!("{}zzz: 1, {}", &start[..1], &start[1..]);
    let folder = spoilt_copy(pack, &[(file, start, &spoilt)]).unwrap();
    let run = warpbook(&["check", &folder.path().display().to_string()]);
    let mut lines = run.err.lines().skip_while(|line| !line.contains("there is no field `zzz` here"));
    let hint = lines.nth(1).unwrap_or_else(|| panic!("{start}: {}", run.err));
    hint.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

#[test]
fn every_field_is_in_the_reference() {
    const LESSON: &str = "lessons/programs/lesson.ron";
    let (lesson, programs) = (page("reference/lesson.md"), page("reference/programs.md"));
    for (page, heading, start) in [
        (&lesson, "lesson", "(\n    format_version: 3"),
        (&lesson, "parameter", "(id: \"n\", label"),
        (&lesson, "value", "(id: \"chunks\", label"),
        (&lesson, "kernel", "(id: \"tree_sum\""),
        (&lesson, "experiment", "(\n            id: \"sizes\""),
        (&lesson, "curve", "(program: \"reduce\", pass: \"together\""),
        (&lesson, "step", "(id: \"sum\", program"),
        (&lesson, "prediction", "(\n            id: \"rounds\""),
        (&lesson, "probe", "(id: \"trained\""),
        (&lesson, "exercise", "(\n            id: \"chunk\""),
        (&programs, "program", "(\n            id: \"reduce\""),
        (&programs, "buffer", "(name: \"partial\""),
        (&programs, "words", "(buffer: \"groups\""),
        (&programs, "series", "(id: \"change\""),
        (&programs, "check", "(output: \"total\", formula: \"sum(k, 0, n, x[k])\", tolerance"),
    ] {
        assert_eq!(names(page, heading, "field"), known(LESSON, start), "{heading}");
    }
    for (heading, start) in [("ranks", "(number: \"ranks\""), ("collective", "(buffer: \"y\"")] {
        assert_eq!(
            names(&programs, heading, "field"),
            known_in("ranks", "lessons/mean/lesson.ron", start),
            "{heading}"
        );
    }
    let mut passes = known(LESSON, "(id: \"chunkwise\", title");
    passes.extend(known(LESSON, "(id: \"smoothing\""));
    assert_eq!(names(&programs, "pass", "field"), passes);
}

#[test]
fn every_name_is_in_the_reference() {
    let (lesson, programs, expressions) =
        (page("reference/lesson.md"), page("reference/programs.md"), page("reference/expressions.md"));
    assert_eq!(names(&programs, "buffer", "init"), set(INITS));
    let forms = names(&programs, "check", "field");
    assert!(FORMS.iter().all(|form| forms.contains(*form)));
    let listed = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let references: Vec<Vec<String>> = reference::signatures()
        .iter()
        .map(|known| vec![format!("`{}`", known.name), listed(known.args), listed(known.inputs)])
        .collect();
    let mut told = table(&programs, "check", "reference");
    told.iter_mut().for_each(|row| row.truncate(3));
    assert_eq!(told, references);
    assert_eq!(names(&expressions, "", "function"), set(FUNCTIONS));
    let operators = Expr::parse("1 ? 2").unwrap_err().hint.unwrap();
    let operators = operators.split("operators are ").nth(1).unwrap();
    assert_eq!(names(&expressions, "", "operator"), set(operators.split_whitespace()));
    let results = TIMED_FIELDS.into_iter().chain(COUNTED_FIELDS).chain([ROUNDS]);
    assert_eq!(names(&expressions, "", "result"), set(results));
    assert_eq!(names(&expressions, "", "device"), set(DEVICE_FIELDS));
    let figures: Vec<Vec<String>> = FIGURES
        .iter()
        .map(|figure| figure.card())
        .map(|card| vec![format!("`{}`", card.name), card.tab.to_owned(), card.needs.to_owned(), arguments(card.args)])
        .collect();
    assert_eq!(table(&lesson, "step", "figure"), figures);
    let meanings = MEANINGS.iter().map(|meaning| meaning.card());
    let meanings = meanings.map(|card| vec![format!("`{}`", card.name), card.help.to_owned(), arguments(card.args)]);
    assert_eq!(table(&programs, "buffer", "meaning"), meanings.collect::<Vec<_>>());
    // The quantities that can be plotted are those that the program lists in its message about another one.
    let edit = ("lessons/programs/lesson.ron", "quantity: BytesPerSecond", "quantity: Nothing");
    let folder = spoilt_copy("programs", &[edit]).unwrap();
    let run = warpbook(&["check", &folder.path().display().to_string()]);
    for quantity in names(&lesson, "experiment", "quantity") {
        assert!(run.err.contains(&quantity), "{quantity}: {}", run.err);
    }
}

/// The arguments of a figure or a meaning, as the reference lists them.
fn arguments(args: &[Arg]) -> String {
    let said = args.iter().map(|arg| {
        let kind = match arg.kind {
            ArgKind::Share => "a share".to_owned(),
            ArgKind::Text => "a text".to_owned(),
            ArgKind::Texts => "a list of texts".to_owned(),
            ArgKind::Buffer => "a buffer".to_owned(),
            ArgKind::Number | ArgKind::Count(_) => "an expression".to_owned(),
            ArgKind::Experiment => "an experiment".to_owned(),
            ArgKind::Program => "a program".to_owned(),
            ArgKind::UpTo(most) => format!("0 to {most}"),
        };
        let needed = if arg.required { ", required" } else { "" };
        format!("`{}` ({kind}{needed}): {}", arg.name, arg.help)
    });
    said.collect::<Vec<_>>().join("; ")
}
