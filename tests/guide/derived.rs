//! Parts of the guide that are derived from the program: each is between the comments `<!-- begin NAME -->` and `<!-- end NAME -->`.
//!
//! `WARPBOOK_WRITE_DOCS=1 cargo test --test main guide::` writes them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use warpbook::figures::explore::EXPLORERS;
use warpbook::figures::meanings::MEANINGS;
use warpbook::figures::{Arg, ArgKind, FIGURES};
use warpbook::lesson::CATCHES;
use warpbook::lesson::records::{RECORDS, Record};
use warpbook::lesson::scope::{DEVICE_FIELDS, ROUNDS, ResultField, result_fields};
use warpbook::trace::FINDINGS;

/// A derived part: its name, and its text.
type Part = (&'static str, fn() -> String);

const PARTS: [Part; 7] = [
    ("catches", catches),
    ("device", device),
    ("explorers", explorers),
    ("figures", figures),
    ("findings", findings),
    ("meanings", meanings),
    ("results", results),
];

/// The beginning of the names of parts that are a record's fields; the record's name follows.
const FIELDS: &str = "fields of ";

fn catches() -> String {
    let rows = CATCHES.iter().map(|(name, help)| vec![code(name), (*help).to_owned()]);
    table(&["caught by", "what is found"], rows)
}

fn device() -> String {
    table(&["device", "unit", "what it is"], DEVICE_FIELDS.into_iter().map(result))
}

fn explorers() -> String {
    let mut names: Vec<String> = EXPLORERS.iter().map(|explorer| code(explorer.name)).collect();
    names.sort();
    names.join(", ")
}

fn figures() -> String {
    let cards = FIGURES.iter().map(|figure| figure.card());
    let rows =
        cards.map(|card| vec![code(card.name), card.tab.to_owned(), card.needs.to_owned(), arguments(card.args)]);
    table(&["figure", "its name on the stage", "it needs", "it takes"], rows)
}

fn findings() -> String {
    table(&["figure", "lines with"], FINDINGS.iter().map(|of| vec![code(of.name), lower(of.help)]))
}

fn meanings() -> String {
    let cards = MEANINGS.iter().map(|meaning| meaning.card());
    let rows = cards.map(|card| vec![code(card.name), card.help.to_owned(), arguments(card.args)]);
    table(&["meaning", "elements and picture", "arguments"], rows)
}

fn results() -> String {
    table(&["result", "unit", "what it is"], result_fields().chain([ROUNDS]).map(result))
}

fn result(field: ResultField) -> Vec<String> {
    vec![code(field.name), field.unit.to_owned(), field.help.to_owned()]
}

/// The arguments of a figure or a meaning.
fn arguments(args: &[Arg]) -> String {
    let said = args.iter().map(|arg| {
        let kind = match arg.kind {
            ArgKind::Share => "a share".to_owned(),
            ArgKind::Text => "a text".to_owned(),
            ArgKind::Texts => "a list of texts".to_owned(),
            ArgKind::Amounts => "a list of amounts".to_owned(),
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

fn code(name: &str) -> String {
    format!("`{name}`")
}

/// A sentence as the end of another.
fn lower(sentence: &str) -> String {
    let (first, rest) = sentence.trim_end_matches('.').split_at(1);
    first.to_lowercase() + rest
}

/// A Markdown table, on lines of its own.
fn table(head: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = format!("\n\n| {} |\n|{}\n", head.join(" | "), " --- |".repeat(head.len()));
    for row in rows {
        writeln!(text, "| {} |", row.join(" | ")).unwrap();
    }
    text + "\n"
}

/// The fields of a record of `lesson.ron`, except those that another record's table describes.
fn fields(record: &Record) -> String {
    let described = record.0.iter().filter(|field| !field.help.is_empty());
    let rows = described.map(|field| {
        let required = if field.required { "; required" } else { "" };
        vec![code(field.name), format!("{}{required}", field.help)]
    });
    table(&["field", "what it is"], rows)
}

/// The derived part of this name.
fn part(name: &str) -> Option<String> {
    if let Some(of) = name.strip_prefix(FIELDS) {
        return RECORDS.iter().find(|(record, _)| *record == of).map(|(_, record)| fields(record));
    }
    PARTS.iter().find(|(part, _)| *part == name).map(|(_, text)| text())
}

/// The text with its derived parts as they are in the program; their names go to `found`.
fn derive(text: &str, found: &mut BTreeSet<String>) -> String {
    let mut derived = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!-- begin ") {
        let (name, after) = after.split_once(" -->").unwrap();
        let part = part(name).unwrap_or_else(|| panic!("the program has no part `{name}`"));
        let end = format!("<!-- end {name} -->");
        let (_, after) = after.split_once(&end).unwrap_or_else(|| panic!("there is no {end}"));
        write!(derived, "{before}<!-- begin {name} -->{part}{end}").unwrap();
        assert!(found.insert(name.to_owned()), "`{name}` is there twice");
        rest = after;
    }
    derived + rest
}

/// The Markdown files below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let below = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let each = below.flat_map(|path| if path.is_dir() { pages(&path) } else { vec![path] });
    each.filter(|path| path.extension().is_some_and(|end| end == "md")).collect()
}

#[test]
fn derived_parts_are_those_of_the_program() {
    let mut found = BTreeSet::new();
    for page in pages(&Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/src")) {
        let text = fs::read_to_string(&page).unwrap();
        let derived = derive(&text, &mut found);
        if text != derived {
            let how = "WARPBOOK_WRITE_DOCS=1 cargo test --test main guide::";
            assert!(std::env::var_os("WARPBOOK_WRITE_DOCS").is_some(), "{}: write it with {how}", page.display());
            fs::write(&page, derived).unwrap();
        }
    }
    let records = RECORDS.iter().map(|(record, _)| format!("{FIELDS}{record}"));
    let all: BTreeSet<String> = PARTS.iter().map(|(name, _)| (*name).to_owned()).chain(records).collect();
    assert_eq!(found, all);
}
