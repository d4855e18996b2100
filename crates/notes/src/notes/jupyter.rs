//! A report as a Jupyter notebook (nbformat 4.5): prose, figures with their pictures as outputs, and cells that read
//! the tables and repeat the commands. Cells of the learner's own stay where they are.

use serde_json::{Map, Value, json};

use super::markdown::{self, Folders};
use super::place::digest;
use super::report::{NoteBlock, Report, unique};
use crate::base::sanitize::harmless;

/// The key of what is ours in a cell's metadata.
const OURS: &str = "warpbook";

/// Writes the notebook. Cells of `old` that are not ours are kept, before or after ours. True if one of ours was
/// changed.
#[must_use]
pub fn render(report: &Report, lesson: &str, folders: &Folders, old: Option<&str>) -> (String, bool) {
    let old: Option<Value> = old.and_then(|old| serde_json::from_str(old).ok());
    let all = old.as_ref().and_then(|old| old["cells"].as_array()).map(Vec::as_slice).unwrap_or_default();
    let first = all.iter().position(|cell| is_ours(cell, lesson)).unwrap_or(0);
    let (before, after) = all.split_at(first);
    let theirs =
        |cells: &[Value]| -> Vec<Value> { cells.iter().filter(|cell| !is_ours(cell, lesson)).cloned().collect() };
    let edited =
        all.iter().any(|cell| is_ours(cell, lesson) && cell["metadata"][OURS]["digest"] != digest(&source(cell)));
    let cells: Vec<Value> =
        theirs(before).into_iter().chain(cells(report, lesson, folders)).chain(theirs(after)).collect();
    let metadata = old.as_ref().map(|old| old["metadata"].clone()).filter(Value::is_object).unwrap_or_else(|| {
        json!({"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}})
    });
    let book = json!({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5});
    (format!("{book:#}\n"), edited)
}

/// Whether a notebook has cells of a lesson.
pub(super) fn is_of(text: &str, lesson: &str) -> bool {
    let book: Value = serde_json::from_str(text).unwrap_or_default();
    book["cells"].as_array().is_some_and(|cells| cells.iter().any(|cell| is_ours(cell, lesson)))
}

fn is_ours(cell: &Value, lesson: &str) -> bool {
    cell["metadata"][OURS]["lesson"] == lesson
}

/// A cell's text, which a file has as a string or as lines.
fn source(cell: &Value) -> String {
    match &cell["source"] {
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        text => text.as_str().unwrap_or_default().to_owned(),
    }
}

fn cells(report: &Report, lesson: &str, folders: &Folders) -> Vec<Value> {
    let mut cells = Cells { lesson, all: Vec::new() };
    let [mut figures, mut tables] = [Vec::new(), Vec::new()];
    cells.prose(&format!("# {}", markdown::plain(&report.title)));
    for section in &report.sections {
        if !section.title.is_empty() {
            cells.prose(&format!("## {}", markdown::plain(&section.title)));
        }
        for block in &section.blocks {
            match block {
                NoteBlock::Figure { id, caption, svg, alt } => {
                    let file = format!("{}/{}.svg", folders.figures, unique(id, &mut figures));
                    let show =
                        format!("from IPython.display import SVG, display\n\ndisplay(SVG(filename={}))", json!(file));
                    cells.code(
                        &show,
                        vec![json!({
                            "output_type": "display_data", "metadata": {},
                            "data": {"image/svg+xml": harmless(svg), "text/plain": harmless(alt)},
                        })],
                    );
                    cells.prose(&format!("*{}*", markdown::plain(caption)));
                }
                NoteBlock::Data { id, caption, .. } => {
                    let file = format!("{}/{}.csv", folders.data, unique(id, &mut tables));
                    cells.prose(&format!("*{}*", markdown::plain(caption)));
                    let read = "with open(FILE, newline=\"\", encoding=\"utf-8\") as file:\n    rows = list(csv.DictReader(file))\nrows[:5]";
                    cells
                        .code(&format!("import csv\n\n{}", read.replace("FILE", &json!(file).to_string())), Vec::new());
                }
                NoteBlock::Command(command) => {
                    let run = "print(subprocess.run(shlex.split(COMMAND), capture_output=True, text=True, check=True).stdout)";
                    let run = run.replace("COMMAND", &json!(command).to_string());
                    cells.code(&format!("import shlex, subprocess\n\n{run}"), Vec::new());
                }
                NoteBlock::Prose(_)
                | NoteBlock::OwnWords { .. }
                | NoteBlock::Prediction { .. }
                | NoteBlock::Source { .. } => {
                    cells.prose(&markdown::cell(block));
                }
            }
        }
    }
    cells.all
}

struct Cells<'a> {
    lesson: &'a str,
    all: Vec<Value>,
}

impl Cells<'_> {
    fn prose(&mut self, text: &str) {
        let text = harmless(text.trim()).into_owned();
        if !text.is_empty() {
            let cell = self.cell("markdown", &text);
            self.all.push(cell.into());
        }
    }

    fn code(&mut self, text: &str, outputs: Vec<Value>) {
        let mut cell = self.cell("code", text);
        cell.insert("execution_count".to_owned(), Value::Null);
        cell.insert("outputs".to_owned(), outputs.into());
        self.all.push(cell.into());
    }

    fn cell(&self, kind: &str, text: &str) -> Map<String, Value> {
        // An id is unlike all others, also another lesson's in the same notebook.
        let id = format!("{}-{:04}", digest(self.lesson), self.all.len());
        let ours = json!({OURS: {"lesson": self.lesson, "digest": digest(text)}});
        let fields = [("cell_type", json!(kind)), ("id", json!(id)), ("metadata", ours), ("source", json!(text))];
        fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::report::tests::sample;

    fn folders() -> Folders {
        Folders { figures: "f".to_owned(), data: "d".to_owned(), site: None }
    }

    #[test]
    fn cells_of_the_learners_own_stay_and_changes_of_ours_are_seen() -> Result<(), serde_json::Error> {
        let (text, edited) = render(&sample(), "coalescing", &folders(), None);
        assert!(!edited && is_of(&text, "coalescing") && !is_of(&text, "other"));
        let mut book: Value = serde_json::from_str(&text)?;
        let own = |id: &str| json!({"cell_type": "markdown", "id": id, "metadata": {}, "source": ["my", " cell"]});
        if let Some(cells) = book["cells"].as_array_mut() {
            cells.insert(0, own("first"));
            cells.insert(3, own("between"));
        }
        let (again, edited) = render(&sample(), "coalescing", &folders(), Some(&book.to_string()));
        assert!(!edited);
        let new: Value = serde_json::from_str(&again)?;
        let ids = |book: &Value| -> Vec<String> {
            let cells = book["cells"].as_array().map(Vec::as_slice).unwrap_or_default();
            cells.iter().map(|cell| cell["id"].as_str().unwrap_or_default().to_owned()).collect()
        };
        let ids = ids(&new);
        assert_eq!((ids.first().map(String::as_str), ids.last().map(String::as_str)), (Some("first"), Some("between")));
        assert!(ids.iter().all(|id| ids.iter().filter(|other| *other == id).count() == 1), "{ids:?}");
        book["cells"][1]["source"] = json!("changed");
        assert!(render(&sample(), "coalescing", &folders(), Some(&book.to_string())).1);
        Ok(())
    }

    #[test]
    fn a_cell_has_what_its_kind_must_have_and_no_more() -> Result<(), serde_json::Error> {
        let book: Value = serde_json::from_str(&render(&sample(), "coalescing", &folders(), None).0)?;
        let cells = book["cells"].as_array().map(Vec::as_slice).unwrap_or_default();
        for cell in cells {
            let keys: Vec<&String> = cell.as_object().into_iter().flat_map(Map::keys).collect();
            let common = ["cell_type", "id", "metadata", "source"];
            let code = ["cell_type", "execution_count", "id", "metadata", "outputs", "source"];
            assert_eq!(keys, if cell["cell_type"] == "code" { &code[..] } else { &common[..] });
        }
        let sources: Vec<String> = cells.iter().map(source).collect();
        for part in ["display(SVG(filename=\"f/stride.svg\"))", "open(\"d/stride.csv\"", "shlex.split(\"warpbook sweep"]
        {
            assert!(sources.iter().any(|source| source.contains(part)), "{part}: {sources:?}");
        }
        Ok(())
    }
}
