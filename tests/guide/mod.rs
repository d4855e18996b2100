//! The author's guide: its tutorial makes a lesson that passes, and its reference has what the program knows, no more
//! and no less.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod derived;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{spoilt_copy, warpbook, warpbook_in};
use warpbook::base::expr::{Expr, FUNCTIONS};
use warpbook::lesson::records::RECORDS;
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

/// The fields that the program lists in its message about an unknown field of the record that begins so.
fn known(pack: &str, file: &str, start: &str) -> BTreeSet<String> {
    let spoilt = format!("{}zzz: 1, {}", &start[..1], &start[1..]);
    known_where(pack, file, start, &spoilt)
}

/// The same where a text of the file is replaced.
fn known_where(pack: &str, file: &str, from: &str, to: &str) -> BTreeSet<String> {
    let folder = spoilt_copy(pack, &[(file, from, to)]).unwrap();
    let run = warpbook(&["check", &folder.path().display().to_string()]);
    let mut lines = run.err.lines().skip_while(|line| !line.contains("there is no field `zzz` here"));
    let hint = lines.nth(1).unwrap_or_else(|| panic!("{to}: {}", run.err));
    hint.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The fields of a record, of which the reference has a table.
fn fields(record: &str) -> BTreeSet<String> {
    let (_, record) = RECORDS.iter().find(|(name, _)| *name == record).unwrap();
    set(record.0.iter().map(|field| field.name))
}

#[test]
fn every_field_of_a_record_is_read() {
    const LESSON: &str = "lessons/programs/lesson.ron";
    for (record, start) in [
        ("lesson", "(\n    format_version: 3"),
        ("parameter", "(id: \"n\", label"),
        ("value", "(id: \"chunks\", label"),
        ("kernel", "(id: \"tree_sum\""),
        ("experiment", "(\n            id: \"sizes\""),
        ("curve", "(program: \"reduce\", pass: \"together\""),
        ("step", "(id: \"sum\", program"),
        ("prediction", "(\n            id: \"rounds\""),
        ("probe", "(id: \"trained\""),
        ("exercise", "(\n            id: \"chunk\""),
        ("program", "(\n            id: \"reduce\""),
        ("buffer", "(name: \"partial\""),
        ("words", "(buffer: \"groups\""),
        ("series", "(id: \"change\""),
    ] {
        assert_eq!(fields(record), known("programs", LESSON, start), "{record}");
    }
    for (record, start) in [("ranks", "(number: \"ranks\""), ("collective", "(buffer: \"y\"")] {
        assert_eq!(fields(record), known("ranks", "lessons/mean/lesson.ron", start), "{record}");
    }
    let mut passes = known("programs", LESSON, "(id: \"chunkwise\", title");
    passes.extend(known("programs", LESSON, "(id: \"smoothing\""));
    assert_eq!(fields("pass"), passes);
    let check = "(output: \"total\", formula: \"sum(k, 0, n, x[k])\", tolerance";
    let mut checks = known("programs", LESSON, check);
    let of_kernel = "(zzz: 1, output: \"total\", kernel: \"tree_sum\", tolerance";
    checks.extend(known_where("programs", LESSON, check, of_kernel));
    checks.extend(known("good", "lessons/tiny/lesson.ron", "(\n                reference: \"strided_copy\""));
    assert_eq!(fields("check"), checks);
}

#[test]
fn every_name_is_in_the_reference() {
    let (lesson, programs, expressions) =
        (page("reference/lesson.md"), page("reference/programs.md"), page("reference/expressions.md"));
    assert_eq!(names(&programs, "buffer", "init"), set(INITS));
    assert!(FORMS.iter().all(|form| fields("check").contains(*form)));
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
    // The quantities that can be plotted are those that the program lists in its message about another one.
    let edit = ("lessons/programs/lesson.ron", "quantity: BytesPerSecond", "quantity: Nothing");
    let folder = spoilt_copy("programs", &[edit]).unwrap();
    let run = warpbook(&["check", &folder.path().display().to_string()]);
    for quantity in names(&lesson, "experiment", "quantity") {
        assert!(run.err.contains(&quantity), "{quantity}: {}", run.err);
    }
}
