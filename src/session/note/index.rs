//! The index of notes: a link to each lesson's, with what the learner did in it.

use std::path::{Path, PathBuf};

use crate::lesson::{Block, Inline, Lesson};
use crate::notes::report::INDEX;
use crate::notes::{NoteBlock, Report, Section};
use crate::session::learn::saved::LessonSaved;

/// The index of some notes, each with the learner's work on its lesson, and its path below `folder`.
#[must_use]
pub fn report(notes: &[(&Lesson, &LessonSaved, PathBuf)], folder: &Path, created: &str) -> Report {
    let entries = notes.iter().map(|(lesson, kept, path)| {
        let link = Inline::Link(address(path, folder), vec![Inline::Text(lesson.title.clone())]);
        vec![Block::Paragraph(vec![link, Inline::Text(format!(": {}", done(lesson, kept)))])]
    });
    let list = NoteBlock::Prose(vec![Block::List(None, entries.collect())]);
    Report {
        title: "My lessons".to_owned(),
        lesson: INDEX.to_owned(),
        created: created.to_owned(),
        meta: Vec::new(),
        sections: vec![Section { blocks: vec![list], ..Section::default() }],
        playing: None,
    }
}

/// A path relative to a folder, as links have it.
fn address(path: &Path, folder: &Path) -> String {
    let parts = path.strip_prefix(folder).unwrap_or(path).components();
    let encoded = parts.map(|part| {
        let text = part.as_os_str().to_string_lossy();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect::<String>()
    });
    encoded.collect::<Vec<_>>().join("/")
}

/// The learner's work in a lesson.
fn done(lesson: &Lesson, kept: &LessonSaved) -> String {
    let (right, answered) = kept.right(lesson);
    let of = |done: usize, all: usize, what: &str| (all > 0).then(|| format!("{done} of {all} {what}"));
    let words = kept.words.values().filter(|words| !words.trim().is_empty()).count();
    let parts = [
        of(kept.read(lesson), lesson.steps.len(), "pages read"),
        of(right, answered, "answers right"),
        of(kept.solved(lesson), lesson.exercises.len(), "exercises solved"),
        (words > 0).then(|| format!("words on {words}")),
        (!kept.edits.is_empty()).then(|| format!("kernels of mine: {}", kept.edits.len())),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_notes_of_any_name() {
        let folder = Path::new("notes");
        assert_eq!(address(Path::new("notes/a.md"), folder), "a.md");
        assert_eq!(
            address(Path::new("notes/deep er/| [[x]] {% y %}.md"), folder),
            "deep%20er/%7C%20%5B%5Bx%5D%5D%20%7B%25%20y%20%25%7D.md"
        );
    }
}
