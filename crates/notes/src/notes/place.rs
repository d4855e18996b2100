//! A note's place in a folder: the file that has it already, and what of that file is the note's. Between two lines of
//! markers a note is replaced by the next export; what is outside of them is the learner's.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::base::diag::Diagnostic;
use crate::base::files::read_file;

/// How markers begin and end: comments, which readers of Markdown and HTML do not show.
const BEGIN: &str = "<!-- warpbook:begin ";
const END: &str = "<!-- warpbook:end ";
const CLOSE: &str = " -->";

/// The largest file that is looked into, in bytes.
const LARGEST: u64 = 16 << 20;
/// Folders and files that are looked at, at most, and how deep.
const MOST: usize = 20_000;
const DEEPEST: usize = 8;

/// A lesson's note within a file's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found<'a> {
    /// The text before the note.
    before: &'a str,
    /// The text after it.
    after: &'a str,
    /// Whether the note was changed since it was written.
    pub edited: bool,
}

/// A note between its markers.
pub(super) fn marked(lesson: &str, body: &str) -> String {
    // A learner's words with a marker in them would end the note.
    let body = body.replace("<!-- warpbook:", "<!-- warpbook :");
    let body = format!("\n{}\n\n", body.trim_matches('\n'));
    format!("{BEGIN}{lesson} {}{CLOSE}\n{body}{END}{lesson}{CLOSE}\n", digest(&body))
}

/// The lesson's note in a text; None if there is none.
///
/// # Errors
/// When there are two, or when one of the markers is missing. `file` is named then.
pub(super) fn find<'a>(text: &'a str, lesson: &str, file: &Path) -> Result<Option<Found<'a>>, Diagnostic> {
    let mut begins: Vec<(usize, &str, usize)> = Vec::new();
    let mut ends: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let inside = |mark| line.trim().strip_prefix(mark)?.strip_suffix(CLOSE);
        let mut words = inside(BEGIN).unwrap_or_default().split_whitespace();
        if words.next() == Some(lesson) {
            begins.push((at, words.next().unwrap_or_default(), at + line.len()));
        }
        if inside(END).map(str::trim) == Some(lesson) {
            ends.push((at, at + line.len()));
        }
        at += line.len();
    }
    let wrong = |what: &str| {
        let message = format!("{} has {what} of a note of `{lesson}`", file.display());
        let hint = format!(
            "a note is between the lines `{BEGIN}{lesson}{CLOSE}` and `{END}{lesson}{CLOSE}`, once: mend them, or remove them"
        );
        Err(Diagnostic::error(message).hint(hint))
    };
    match (&begins[..], &ends[..]) {
        ([], []) => Ok(None),
        ([(begin, written, inner)], [(close, end)]) if inner <= close => {
            let edited = digest(&text[*inner..*close]) != *written;
            Ok(Some(Found { before: &text[..*begin], after: &text[*end..], edited }))
        }
        ([_], []) => wrong("the first marker, and no last one,"),
        ([], [_]) => wrong("the last marker, and no first one,"),
        _ => wrong("more than two markers, or markers in the wrong order,"),
    }
}

impl Found<'_> {
    /// The file's text with another note in the place of this one, in the file's own line ends.
    pub(super) fn replaced(&self, note: &str) -> String {
        let has_returns = self.before.contains("\r\n") || self.after.contains("\r\n");
        let note = if has_returns { note.replace('\n', "\r\n") } else { note.to_owned() };
        format!("{}{note}{}", self.before, self.after)
    }
}

/// A short digest of a text, whatever its line ends.
pub(super) fn digest(text: &str) -> String {
    let digest = Sha256::digest(text.replace("\r\n", "\n").as_bytes());
    digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

/// The file below a folder, of one of its endings, that has the lesson's note; None if there is none. Hidden folders
/// and links to folders are passed over.
///
/// # Errors
/// When two files have one: both are named.
pub(super) fn file_of(folder: &Path, lesson: &str, ending: &str) -> Result<Option<PathBuf>, Diagnostic> {
    let mut files = Vec::new();
    files_below(folder, ending, DEEPEST, &mut MOST.clone(), &mut files);
    files.sort();
    let mut found: Vec<PathBuf> = Vec::new();
    for path in files {
        let Some(text) = read_text(&path) else { continue };
        let is_same = |known: &PathBuf| std::fs::canonicalize(known).ok() == std::fs::canonicalize(&path).ok();
        if has_marker(&text, lesson) && !found.iter().any(is_same) {
            found.push(path);
        }
    }
    match &found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        [one, two, ..] => Err(Diagnostic::error(format!(
            "two notes of `{lesson}` are there: {} and {}",
            one.display(),
            two.display()
        ))
        .hint(
            "remove one of them, or its markers, so that it is clear which to update; or give another folder with -o",
        )),
    }
}

fn has_marker(text: &str, lesson: &str) -> bool {
    let names =
        |line: &str| line.trim().strip_prefix(BEGIN).and_then(|rest| rest.split_whitespace().next()) == Some(lesson);
    text.lines().any(names)
}

/// The text of a file, if it is one that a note can be in.
pub(super) fn read_text(path: &Path) -> Option<String> {
    String::from_utf8(read_file(path, LARGEST).ok()?).ok()
}

fn files_below(folder: &Path, ending: &str, depth: usize, left: &mut usize, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else { return };
        *left = fewer;
        let (path, kind) = (entry.path(), entry.file_type());
        let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
        if kind.is_ok_and(|kind| kind.is_dir()) {
            if depth > 0 && !is_hidden {
                files_below(&path, ending, depth - 1, left, files);
            }
        } else if path.extension().is_some_and(|found| found == ending) {
            files.push(path);
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    fn found<'a>(text: &'a str, lesson: &str) -> Result<Option<Found<'a>>, Diagnostic> {
        find(text, lesson, Path::new("a.md"))
    }

    #[test]
    fn only_what_is_between_the_markers_is_replaced() {
        let (old, new) = (marked("a", "old"), marked("a", "new"));
        let text = format!("---\ntitle: mine\n---\nbefore\n{old}after");
        let note = found(&text, "a").unwrap().unwrap();
        assert!(!note.edited);
        assert_eq!(note.replaced(&new), format!("---\ntitle: mine\n---\nbefore\n{new}after"));
        assert_eq!(found(&text, "ab").unwrap(), None);
        assert!(found(&text.replace("old", "mine"), "a").unwrap().unwrap().edited);
        let windows = text.replace('\n', "\r\n");
        let note = found(&windows, "a").unwrap().unwrap();
        assert!(!note.edited, "line ends are no edit");
        assert!(!note.replaced(&new).replace("\r\n", "").contains('\n'));
    }

    #[test]
    fn words_with_markers_do_not_end_a_note() {
        let text = marked("a", &format!("x\n{END}a{CLOSE}\n{BEGIN}a{CLOSE}\ny"));
        let note = found(&text, "a").unwrap().unwrap();
        assert_eq!((note.before, note.after), ("", ""));
    }

    #[test]
    fn markers_that_do_not_match_are_an_error() {
        let whole = marked("a", "x");
        let (first, rest) = whole.split_once('\n').unwrap();
        for text in [first, rest, &format!("{whole}{whole}"), &format!("{rest}{first}\n")] {
            let error = found(text, "a").unwrap_err();
            assert!(error.message.contains("a.md") && error.hint.is_some(), "{text}: {error}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_note_is_found_below_a_folder_and_two_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
            std::fs::write(folder.join(name), text).unwrap();
        };
        write("plain.md", "# mine");
        write(".trash/a.md", &marked("a", "x"));
        write("other.txt", &marked("a", "x"));
        write("b.md", &marked("b", "x"));
        assert_eq!(file_of(folder, "a", "md").unwrap(), None);
        write("deep/er/| [[x]] {% y %}.md", &marked("a", "x"));
        std::os::unix::fs::symlink("deep/er/| [[x]] {% y %}.md", folder.join("link.md")).unwrap();
        std::os::unix::fs::symlink(folder, folder.join("loop")).unwrap();
        assert!(file_of(folder, "a", "md").unwrap().is_some(), "a link to a note is no second note");
        write("second.md", &marked("a", "x"));
        let error = file_of(folder, "a", "md").unwrap_err();
        assert!(["[[x]]", "second.md"].iter().all(|name| error.message.contains(name)), "{error}");
    }
}
