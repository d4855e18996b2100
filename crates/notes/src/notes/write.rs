//! Notes on disk. A note that is there already is replaced in its place; what its file has besides is left alone.

use std::path::{Path, PathBuf};

use super::markdown::{self, Folders};
use super::place;
use super::report::{NoteBlock, Report, slug, unique};
use super::{Format, anki, csv, html, jupyter, pdf};
use crate::base::diag::Diagnostic;
use crate::base::store::{copy_aside, write_within};

/// Where a site's figures go, below its root, where nothing else is said.
pub const ASSETS: &str = "/assets/warpbook";

/// Where a note goes.
#[derive(Clone, Debug)]
pub struct To {
    /// The folder: a vault's, a site's root or its `_posts`, or any other.
    pub folder: PathBuf,
    /// The folder for figures below a site's root, beginning with `/`.
    pub assets: String,
}

impl To {
    /// A folder, with a site's figures where they usually are.
    #[must_use]
    pub fn folder(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), assets: ASSETS.to_owned() }
    }
}

/// The files written.
#[derive(Debug, Default)]
pub struct Written {
    pub files: Vec<PathBuf>,
    /// Those among them that are notes.
    pub notes: Vec<(Format, PathBuf)>,
    /// Messages to the learner: changes within a note that were kept aside.
    pub messages: Vec<Diagnostic>,
}

/// Writes the report in each of the formats. A file that has a note of the lesson keeps all that is outside of it; what
/// was changed within it is kept aside. A file of the note's name without one is left alone, and the note gets another
/// name.
///
/// # Errors
/// When two files have a note of the lesson, markers do not match, or something cannot be written.
pub fn write(report: &Report, formats: &[Format], to: &To) -> Result<Written, Diagnostic> {
    let mut written = Written::default();
    for format in formats {
        // With Markdown, the tables are there already.
        if *format == Format::Csv && formats.contains(&Format::Markdown) {
            continue;
        }
        one(report, *format, to, &mut written)?;
    }
    Ok(written)
}

fn one(report: &Report, format: Format, to: &To, written: &mut Written) -> Result<(), Diagnostic> {
    let (folder, site) = home(format, to);
    let ending = format.ending();
    let lesson = slug(&report.lesson);
    let known = match format {
        Format::Csv => None,
        Format::Pdf => Some(folder.join(format!("{lesson}.{ending}"))).filter(|path| pdf::is_ours(path)),
        Format::Jupyter | Format::Anki => Some(folder.join(format!("{lesson}.{ending}")))
            .filter(|path| place::read_text(path).is_some_and(|text| is_ours(&text, format, &lesson))),
        _ => place::file_of(&folder, &lesson, ending)?,
    };
    let path = known.clone().unwrap_or_else(|| fresh(&folder, format, report));
    let name = stem(&path, format);
    let near = path.parent().unwrap_or(&folder).to_path_buf();
    let old = known.as_deref().and_then(place::read_text);
    if known.as_ref().is_some_and(|path| path.metadata().is_ok_and(|there| there.permissions().readonly())) {
        return Err(Diagnostic::error(format!("cannot write {}: it is write-protected", path.display()))
            .hint("allow it to be written, or give another folder with -o"));
    }
    let folders = match (&site, format) {
        (Some(assets), _) => Folders {
            figures: format!("..{assets}/{name}"),
            data: format!("..{assets}/{name}"),
            site: Some(format!("{assets}/{name}")),
        },
        (None, Format::Hugo) => Folders { figures: "figures".to_owned(), data: "data".to_owned(), site: None },
        _ => Folders { figures: format!("{name}-figures"), data: format!("{name}-data"), site: None },
    };
    let (text, edited, files) = match format {
        Format::Csv => {
            return apart(report, &folders, false).into_iter().try_for_each(|file| put(&near, &near, file, written));
        }
        Format::Pdf => {
            let cannot = |why| Diagnostic::error(format!("cannot write {}: {why}", path.display()));
            write_within(&folder, &path, &pdf::render(report).map_err(cannot)?)?;
            written.files.push(path.clone());
            written.notes.push((format, path));
            return Ok(());
        }
        Format::Html => {
            let text = place::marked(&lesson, &html::playing(report));
            let text = format!("{}{text}", html::DOCTYPE);
            let found = old.as_deref().map(|old| place::find(old, &lesson, &path)).transpose()?.flatten();
            (text, found.is_some_and(|found| found.edited), Vec::new())
        }
        Format::Jupyter => {
            let (text, edited) = jupyter::render(report, &lesson, &folders, old.as_deref());
            let files = apart(report, &folders, true);
            (text, edited, files)
        }
        Format::Anki => {
            let text = anki::render(report);
            let edited = old.as_deref().is_some_and(|old| !anki::is_as_written(old));
            if anki::is_empty(&text) {
                let hint = "answer a question of the lesson, or write a line that begins with `Q:` and one with `A:`";
                let message = format!("{} has no cards yet", path.display());
                written.messages.push(Diagnostic::warning(message).hint(hint));
            }
            (text, edited, Vec::new())
        }
        _ => {
            let rendered = markdown::render(report, format, &folders);
            let note = place::marked(&lesson, &rendered.body);
            let found = old.as_deref().map(|old| place::find(old, &lesson, &path)).transpose()?.flatten();
            let text = match &found {
                Some(found) => found.replaced(&note),
                None => format!("{}{}{note}", rendered.front, if rendered.front.is_empty() { "" } else { "\n" }),
            };
            (text, found.is_some_and(|found| found.edited), rendered.files)
        }
    };
    if edited {
        let kept = copy_aside(&path)?;
        let message = format!("{} was changed where Warpbook writes", path.display());
        let hint = format!("it was kept as {}; what is outside the markers stays as it is", kept.display());
        written.messages.push(Diagnostic::warning(message).hint(hint));
    }
    // A site's figures are beside the folder of its posts.
    let (base, root) = match &site {
        Some(_) => (&folder, folder.parent().unwrap_or(&folder)),
        None => (&near, folder.as_path()),
    };
    files.into_iter().try_for_each(|file| put(root, base, file, written))?;
    write_within(&folder, &path, text.as_bytes())?;
    written.files.push(path.clone());
    written.notes.push((format, path));
    Ok(())
}

/// The folder that a format's notes are in; for a site, with the folder of its assets.
fn home(format: Format, To { folder, assets }: &To) -> (PathBuf, Option<String>) {
    match format {
        Format::Jekyll if folder.file_name().is_some_and(|name| name == "_posts") => {
            (folder.clone(), Some(assets.clone()))
        }
        Format::Jekyll => (folder.join("_posts"), Some(assets.clone())),
        _ => (folder.clone(), None),
    }
}

/// The path of a new note: the first name that nothing has.
fn fresh(folder: &Path, format: Format, report: &Report) -> PathBuf {
    let lesson = slug(&report.lesson);
    let name = if format == Format::Jekyll { format!("{}-{lesson}", slug(&report.created)) } else { lesson };
    let names = std::iter::once(name.clone()).chain((2_u32..).map(|i| format!("{name}-{i}")));
    let path = |name: String| match format {
        Format::Hugo => folder.join(name).join("index.md"),
        _ => folder.join(format!("{name}.{}", format.ending())),
    };
    // The files of a table alone replace those before.
    let mut paths = names.map(path);
    let first = paths.next().unwrap_or_else(|| folder.join("note"));
    if format == Format::Csv || first.symlink_metadata().is_err() {
        return first;
    }
    paths.find(|path| path.symlink_metadata().is_err()).unwrap_or(first)
}

/// The name that a note's files begin with.
fn stem(path: &Path, format: Format) -> String {
    let named = if format == Format::Hugo { path.parent().unwrap_or(path) } else { path };
    let name = named.file_stem().unwrap_or_default().to_string_lossy();
    slug(&name)
}

/// Whether a file that is a note as a whole was written for this lesson.
fn is_ours(text: &str, format: Format, lesson: &str) -> bool {
    match format {
        Format::Jupyter => jupyter::is_of(text, lesson),
        _ => anki::is_of(text, lesson),
    }
}

/// Writes a file beside a note and below `root`; `path` is relative to the note's folder, with `/`.
fn put(
    root: &Path,
    folder: &Path,
    (relative, contents): (String, String),
    written: &mut Written,
) -> Result<(), Diagnostic> {
    let path = relative.split('/').fold(folder.to_path_buf(), |path, part| {
        if part == ".." { path.parent().map(Path::to_path_buf).unwrap_or_default() } else { path.join(part) }
    });
    write_within(root, &path, contents.as_bytes())?;
    written.files.push(path);
    Ok(())
}

/// The tables of a report, and where it is wanted its figures, as files: path relative to the note, and contents.
fn apart(report: &Report, folders: &Folders, figures: bool) -> Vec<(String, String)> {
    let (mut drawn, mut counted) = (Vec::new(), Vec::new());
    let blocks = report.sections.iter().flat_map(|section| &section.blocks);
    let file = |block: &NoteBlock| match block {
        NoteBlock::Data { id, header, rows, .. } => {
            Some((format!("{}/{}.csv", folders.data, unique(id, &mut counted)), csv::csv(header, rows)))
        }
        NoteBlock::Figure { id, svg, .. } if figures => {
            Some((format!("{}/{}.svg", folders.figures, unique(id, &mut drawn)), svg.clone()))
        }
        NoteBlock::Prose(_)
        | NoteBlock::Figure { .. }
        | NoteBlock::Command(_)
        | NoteBlock::OwnWords { .. }
        | NoteBlock::Prediction { .. }
        | NoteBlock::Source { .. } => None,
    };
    blocks.filter_map(file).collect()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::super::report::tests::sample;
    use super::*;

    fn names(written: &Written, folder: &Path) -> Vec<String> {
        written.files.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    #[test]
    fn a_second_export_replaces_the_note_and_keeps_what_is_around_it() {
        let folder = tempfile::tempdir().unwrap();
        let to = To::folder(folder.path());
        let expected =
            ["coalescing-figures/stride.svg", "coalescing-data/stride.csv", "coalescing.md", "coalescing.html"];
        let mut report = sample();
        for _ in 0..2 {
            let written = write(&report, &Format::ALL, &to).unwrap();
            assert_eq!(
                (names(&written, folder.path()), written.messages),
                (expected.map(str::to_owned).to_vec(), vec![])
            );
        }
        let path = folder.path().join("coalescing.md");
        let own = std::fs::read_to_string(&path).unwrap().replacen("---\n", "---\nmine: 1\n", 1) + "\nMy own end.\n";
        std::fs::write(&path, &own).unwrap();
        report.sections.truncate(1);
        assert!(write(&report, &[Format::Markdown], &to).unwrap().messages.is_empty());
        let now = std::fs::read_to_string(&path).unwrap();
        assert!(
            now.starts_with("---\nmine: 1\n") && now.ends_with("\nMy own end.\n") && !now.contains("I said"),
            "{now}"
        );
    }

    #[test]
    fn what_was_changed_within_a_note_is_kept_aside() {
        let folder = tempfile::tempdir().unwrap();
        let to = To::folder(folder.path());
        for format in [Format::Markdown, Format::Html, Format::Anki, Format::Jupyter] {
            let path = write(&sample(), &[format], &to).unwrap().files.pop().unwrap();
            let changed = std::fs::read_to_string(&path).unwrap().replace("90 %", "my 90 %");
            std::fs::write(&path, &changed).unwrap();
            let written = write(&sample(), &[format], &to).unwrap();
            assert_eq!(written.messages.len(), 1, "{format:?}: {:?}", written.messages);
            let kept = format!("{}.kept", path.display());
            assert_eq!(std::fs::read_to_string(kept).unwrap(), changed);
            assert!(!std::fs::read_to_string(&path).unwrap().contains("my 90 %"));
            assert!(write(&sample(), &[format], &to).unwrap().messages.is_empty(), "{format:?}");
        }
    }

    #[test]
    fn cards_without_a_question_are_said_to_be_none() {
        let folder = tempfile::tempdir().unwrap();
        let none = Report { sections: Vec::new(), ..sample() };
        let written = write(&none, &[Format::Anki], &To::folder(folder.path())).unwrap();
        assert!(written.messages[0].message.ends_with("has no cards yet"), "{:?}", written.messages);
    }

    #[test]
    fn a_file_that_is_no_note_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let written = |format: &Format| cfg!(feature = "pdf") || *format != Format::Pdf;
        for format in Format::READERS.into_iter().chain([Format::Markdown, Format::Html]).filter(written) {
            let place = folder.path().join(format.name());
            let first = write(&sample(), &[format], &To::folder(&place)).unwrap().files.pop().unwrap();
            std::fs::write(&first, "mine").unwrap();
            let second = write(&sample(), &[format], &To::folder(&place)).unwrap().files.pop().unwrap();
            assert!(first != second && second.is_file(), "{first:?}, {second:?}");
            assert_eq!(std::fs::read_to_string(first).unwrap(), "mine");
        }
    }

    #[test]
    fn a_sites_files_are_where_the_site_has_them() {
        let folder = tempfile::tempdir().unwrap();
        let post = "_posts/2026-11-20-coalescing.md";
        let asset = |name: &str| format!("assets/warpbook/2026-11-20-coalescing/stride.{name}");
        for place in [folder.path().to_path_buf(), folder.path().join("_posts")] {
            let mut report = sample();
            report.created = "2026-11-20".to_owned();
            let written = write(&report, &[Format::Jekyll], &To::folder(place)).unwrap();
            assert_eq!(names(&written, folder.path()), [asset("svg"), asset("csv"), post.to_owned()]);
        }
        let text = std::fs::read_to_string(folder.path().join(post)).unwrap();
        assert!(
            text.contains("({{ \"/assets/warpbook/2026-11-20-coalescing/stride.svg\" | relative_url }})"),
            "{text}"
        );
        // On another day it is the same post.
        let mut report = sample();
        report.created = "2026-12-24".to_owned();
        let written = write(&report, &[Format::Jekyll], &To::folder(folder.path())).unwrap();
        assert_eq!(written.files.last(), Some(&folder.path().join(post)));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_protected_notes_are_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let vault = folder.path().join("vault");
        let real = vault.join("real.md");
        let note = write(&sample(), &[Format::Markdown], &To::folder(&vault)).unwrap().files.pop().unwrap();
        std::fs::rename(&note, &real).unwrap();
        std::os::unix::fs::symlink(&real, &note).unwrap();
        std::fs::write(&real, std::fs::read_to_string(&real).unwrap() + "mine\n").unwrap();
        write(&sample(), &[Format::Markdown], &To::folder(&vault)).unwrap();
        assert!(note.is_symlink() && std::fs::read_to_string(&real).unwrap().ends_with("mine\n"));
        let mut permissions = real.metadata().unwrap().permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&real, permissions).unwrap();
        let error = write(&sample(), &[Format::Markdown], &To::folder(&vault)).unwrap_err();
        assert!(error.message.contains("write-protected") && error.hint.is_some(), "{error}");
    }

    #[test]
    fn hostile_names_stay_in_the_folder() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let mut report = sample();
        report.lesson = "../../outside".into();
        if let Some(NoteBlock::Figure { id, .. }) = report.sections[0].blocks.get_mut(1) {
            *id = "/etc/../x".into();
        }
        for path in write(&report, &Format::ALL, &To::folder(folder.path()))?.files {
            assert!(std::fs::canonicalize(&path)?.starts_with(std::fs::canonicalize(folder.path())?), "{path:?}");
        }
        Ok(())
    }

    #[test]
    fn a_folder_that_is_a_file_is_explained() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        std::fs::write(&file, "")?;
        match write(&sample(), &[Format::Html], &To::folder(file)) {
            Err(error) => assert!(error.hint.is_some() && error.message.contains("cannot write"), "{error}"),
            Ok(written) => panic!("wrote {written:?}"),
        }
        Ok(())
    }
}
