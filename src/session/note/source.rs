//! Kernels' texts in a note, and the changes from one to another.

use similar::TextDiff;

use crate::notes::NoteBlock;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;

/// A kernel's text under a name; `file` has the ending of its language.
pub(super) fn whole(name: &str, file: &str, text: &str) -> NoteBlock {
    let language = match file.rsplit_once('.') {
        // Readers of notes colour C++, and do not know CUDA's name.
        Some((_, "cu" | "cuh" | "cpp")) => "cpp",
        Some((_, ending)) => ending,
        None => "",
    };
    NoteBlock::Source { file: name.to_owned(), language: language.to_owned(), text: text.to_owned(), folded: true }
}

/// The changes from one text to another as a unified diff; None if there are none.
pub(in crate::session) fn unified((from_name, from): (&str, &str), (name, to): (&str, &str)) -> Option<String> {
    let diff = TextDiff::from_lines(from, to);
    let text = diff.unified_diff().context_radius(CONTEXT).header(from_name, name).to_string();
    Some(text).filter(|text| !text.trim().is_empty())
}

/// The changes from one named text to another; None if there are none.
pub(super) fn diff(from: (&str, &str), to: (&str, &str)) -> Option<NoteBlock> {
    let text = unified(from, to)?;
    Some(NoteBlock::Source { file: to.0.to_owned(), language: "diff".to_owned(), text, folded: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_the_changed_lines_and_their_surroundings() {
        let from: String = (1..=20).map(|line| format!("line {line}\n")).collect();
        let to = from.replace("line 10\n", "changed\nadded\n");
        let Some(NoteBlock::Source { text, folded: false, .. }) = diff(("a.wgsl", &from), ("mine", &to)) else {
            panic!("no diff");
        };
        assert!(text.starts_with("--- a.wgsl\n+++ mine\n@@ -7,7 +7,8 @@\n line 7\n"), "{text}");
        assert!(text.contains("-line 10\n+changed\n+added\n line 11\n") && !text.contains("line 14"), "{text}");
        assert_eq!(diff(("a", &from), ("b", &from)), None);
    }
}
