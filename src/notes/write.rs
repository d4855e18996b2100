//! Notes on disk. A file that is there already is left alone: the learner may have edited it.

use std::path::{Path, PathBuf};

use super::report::{NoteBlock, Report, slug, unique};
use super::{csv, html, markdown};
use crate::base::diag::{Diagnostic, nearest};
use crate::base::store::write_atomic;

/// The format of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown, with figures and tables as files beside it.
    Markdown,
    /// One self-contained HTML file.
    Html,
    /// The tables alone, as comma-separated values.
    Csv,
}

impl Format {
    /// All formats, in the order they are offered.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Html, Self::Csv];

    /// As the command line names it, and as its files end.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Html => "html",
            Self::Csv => "csv",
        }
    }

    /// The format of this name.
    ///
    /// # Errors
    /// When there is none; the hint has the names.
    pub fn from_name(name: &str) -> Result<Self, Diagnostic> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let hint = match nearest(name, names) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("choose among {}", names.join(", ")),
            };
            Diagnostic::error(format!("there is no format `{name}` for notes")).hint(hint)
        })
    }
}

/// Writes the report in each of the formats into `folder`, and gives the paths of all files written.
/// All are named after the lesson and the day; where such a note exists, `-2`, `-3` and so on is added.
///
/// # Errors
/// When the folder cannot be made or written to.
pub fn write(report: &Report, formats: &[Format], folder: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let name = free_name(report, folder);
    let mut files: Vec<(String, String)> = Vec::new();
    for format in Format::ALL.into_iter().filter(|format| formats.contains(format)) {
        match format {
            Format::Markdown => {
                let rendered = markdown::render(report, &name);
                files.extend(rendered.files);
                files.push((format!("{name}.md"), rendered.text));
            }
            Format::Html => files.push((format!("{name}.html"), html::render(report))),
            // With Markdown, the tables are there already.
            Format::Csv if formats.contains(&Format::Markdown) => {}
            Format::Csv => files.extend(tables(report, &name)),
        }
    }
    let mut written = Vec::new();
    for (relative, contents) in files {
        let path = relative.split('/').fold(folder.to_path_buf(), |path, part| path.join(part));
        write_atomic(&path, contents.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}

fn tables(report: &Report, name: &str) -> Vec<(String, String)> {
    let mut taken = Vec::new();
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    blocks
        .filter_map(|block| match block {
            NoteBlock::Data { id, header, rows, .. } => {
                Some((format!("{name}-data/{}.csv", unique(id, &mut taken)), csv::csv(header, rows)))
            }
            NoteBlock::Prose(_)
            | NoteBlock::Figure { .. }
            | NoteBlock::Command(_)
            | NoteBlock::OwnWords { .. }
            | NoteBlock::Prediction { .. }
            | NoteBlock::Source { .. } => None,
        })
        .collect()
}

/// The first name of which nothing exists yet, in any format.
fn free_name(report: &Report, folder: &Path) -> String {
    let name = format!("{}-{}", slug(&report.lesson), slug(&report.created));
    let is_free = |name: &String| {
        [".md", ".html", "-figures", "-data"].iter().all(|ending| !folder.join(format!("{name}{ending}")).exists())
    };
    std::iter::once(name.clone()).chain((2_u32..).map(|i| format!("{name}-{i}"))).find(is_free).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::*;

    #[test]
    fn an_edited_note_is_left_alone() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let first = write(&sample(), &Format::ALL, folder.path())?;
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().filter_map(|p| p.strip_prefix(folder.path()).ok()).map(|p| p.display().to_string()).collect()
        };
        let stem = "coalescing-2026-11-20";
        let expected = |stem: &str| {
            ["-figures/stride.svg", "-data/stride.csv", ".md", ".html"].map(|ending| format!("{stem}{ending}")).to_vec()
        };
        assert_eq!(names(&first), expected(stem));
        let note = folder.path().join(format!("{stem}.md"));
        std::fs::write(&note, "edited")?;
        let second = write(&sample(), &Format::ALL, folder.path())?;
        assert_eq!(names(&second), expected(&format!("{stem}-2")));
        assert_eq!(std::fs::read_to_string(note)?, "edited");
        let third = write(&sample(), &[Format::Csv], folder.path())?;
        assert_eq!(names(&third), [format!("{stem}-3-data/stride.csv")]);
        assert!(third[0].is_file());
        Ok(())
    }

    #[test]
    fn hostile_names_stay_in_the_folder() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let mut report = sample();
        report.lesson = "../../outside".into();
        if let Some(NoteBlock::Figure { id, .. }) = report.sections[0].blocks.get_mut(1) {
            *id = "/etc/../x".into();
        }
        for path in write(&report, &Format::ALL, folder.path())? {
            assert!(std::fs::canonicalize(&path)?.starts_with(std::fs::canonicalize(folder.path())?), "{path:?}");
        }
        Ok(())
    }

    #[test]
    fn a_folder_that_is_a_file_is_explained() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        std::fs::write(&file, "")?;
        match write(&sample(), &[Format::Html], &file) {
            Err(error) => assert!(error.hint.is_some() && error.message.contains("cannot write"), "{error}"),
            Ok(paths) => panic!("wrote {paths:?}"),
        }
        Ok(())
    }

    #[test]
    fn formats_have_names() -> Result<(), Diagnostic> {
        for format in Format::ALL {
            assert_eq!(Format::from_name(format.name())?, format);
        }
        let hint = Format::from_name("htm").err().and_then(|error| error.hint);
        assert_eq!(hint.as_deref(), Some("did you mean `html`?"));
        Ok(())
    }
}
