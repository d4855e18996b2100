//! Pins in the learner's words: a caption, a picture or a table of figures, and the command that repeats them, as
//! Markdown. The picture is a file beside the learner's state, which no later change of a kernel or of a control
//! changes.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::base::diag::Diagnostic;
use crate::base::files::read_text_within;
use crate::base::store;

/// The folder of pinned pictures, beside the state file, and the beginning of their addresses in the words.
const FOLDER: &str = "pins";

/// The size limit of a picture, in bytes.
const MOST_BYTES: u64 = 8 << 20;

/// Bytes of a picture's hash that name it.
const NAME_BYTES: usize = 8;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pin {
    /// The title, with the settings.
    pub caption: String,
    /// A picture as SVG.
    pub picture: Option<String>,
    /// A table's columns, and its rows; empty if there is none.
    pub table: Vec<Vec<String>>,
    /// The learner's changes to the kernel, as a unified diff; empty if there are none.
    pub change: String,
    /// The command that repeats it; empty if there is none.
    pub command: String,
}

/// A part of the learner's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Words(String),
    /// A pinned picture: its caption and its name.
    Picture(String, String),
}

/// The folder of pinned pictures, beside the learner's state file.
#[must_use]
pub fn folder(state: &Path) -> Option<PathBuf> {
    state.parent().map(|parent| parent.join(FOLDER))
}

/// A picture's name: the same picture has the same.
#[must_use]
pub fn name(svg: &str) -> String {
    Sha256::digest(svg).iter().take(NAME_BYTES).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

/// Writes a picture, under its name.
pub fn keep(folder: &Path, svg: &str) -> Result<(), Diagnostic> {
    // If it cannot be created, writing the file reports why.
    let _ = std::fs::create_dir_all(folder);
    store::write_atomic(&folder.join(format!("{}.svg", name(svg))), svg.as_bytes())
}

/// A pinned picture as SVG; None if its file is missing or too large.
#[must_use]
pub fn picture(folder: &Path, name: &str) -> Option<String> {
    read_text_within(&folder.join(format!("{name}.svg")), MOST_BYTES).ok()
}

impl Pin {
    /// The pin as Markdown.
    #[must_use]
    pub fn text(&self) -> String {
        let plain = |text: &str| text.replace(['[', ']', '|', '`', '$', '*', '_', '<', '>', '\n'], " ");
        let caption = plain(&self.caption);
        let mut parts = match &self.picture {
            Some(svg) => vec![format!("![{caption}]({FOLDER}/{}.svg)", name(svg))],
            None => vec![caption],
        };
        if let [header, rows @ ..] = &self.table[..] {
            let line =
                |cells: &[String]| format!("| {} |\n", cells.iter().map(|c| plain(c)).collect::<Vec<_>>().join(" | "));
            let rule: Vec<&str> = header.iter().enumerate().map(|(i, _)| if i == 0 { "---" } else { "---:" }).collect();
            let rows: String = rows.iter().map(|row| line(row)).collect();
            parts.push(format!("{}| {} |\n{rows}", line(header), rule.join(" | ")).trim_end().to_owned());
        }
        for (language, code) in [("diff", &self.change), ("sh", &self.command)] {
            if !code.is_empty() {
                parts.push(format!("```{language}\n{}\n```", code.trim_end().replace("```", "` ` `")));
            }
        }
        parts.join("\n\n")
    }

    /// The words with the pin as paragraphs of its own after the paragraph that has the character `at`, and the
    /// character of the empty line after it.
    #[must_use]
    pub fn into_words(&self, words: &str, at: usize) -> (String, usize) {
        let at = words.char_indices().nth(at).map_or(words.len(), |(byte, _)| byte);
        let end = paragraph_end(words, at);
        let (before, after) = (words[..end].trim_end(), words[end..].trim_start_matches('\n'));
        let gap = if before.is_empty() { "" } else { "\n\n" };
        let pinned = format!("{before}{gap}{}\n\n", self.text());
        let caret = pinned.chars().count();
        // On a line of its own: text behind the end of fenced code would be code.
        let gap = if after.is_empty() { "" } else { "\n\n" };
        (format!("{pinned}{gap}{after}"), caret)
    }
}

/// The end of the paragraph, or of the fenced code, that has the byte `at`.
fn paragraph_end(words: &str, at: usize) -> usize {
    let (mut end, mut in_code) = (0, false);
    for line in words.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        if end >= at && is_blank && !in_code {
            return end;
        }
        in_code ^= line.trim_start().starts_with("```");
        end += line.len();
    }
    words.len()
}

/// The words' parts, in order. A pinned picture within a line comes after its paragraph, and its caption is in its
/// place.
#[must_use]
pub fn parts(words: &str) -> Vec<Part> {
    let (mut parts, mut text, mut pictures) = (Vec::new(), String::new(), Vec::new());
    let mut is_code = false;
    for line in words.split_inclusive('\n') {
        is_code ^= line.trim_start().starts_with("```");
        let (plain, found) = if is_code { (line.to_owned(), Vec::new()) } else { without_pictures(line) };
        // Its caption alone would come twice.
        let is_picture = !found.is_empty() && found.iter().map(Part::caption).collect::<String>() == plain.trim();
        if !is_picture {
            text.push_str(&plain);
        }
        pictures.extend(found);
        if is_picture || (line.trim().is_empty() && !pictures.is_empty()) {
            parts.push(Part::Words(std::mem::take(&mut text)));
            parts.append(&mut pictures);
        }
    }
    parts.push(Part::Words(text));
    parts.append(&mut pictures);
    parts.retain(|part| !matches!(part, Part::Words(words) if words.trim().is_empty()));
    parts
}

impl Part {
    /// A picture's caption; empty for words.
    fn caption(&self) -> &str {
        match self {
            Self::Words(_) => "",
            Self::Picture(caption, _) => caption,
        }
    }
}

/// A line with captions in place of its pinned pictures, and those.
fn without_pictures(line: &str) -> (String, Vec<Part>) {
    let (mut plain, mut found, mut rest) = (String::new(), Vec::new(), line);
    while let Some(start) = rest.find("![") {
        plain.push_str(&rest[..start]);
        let Some((caption, name, after)) = pinned(&rest[start..]) else {
            plain.push_str("![");
            rest = &rest[start + 2..];
            continue;
        };
        plain.push_str(caption);
        found.push(Part::Picture(caption.to_owned(), name.to_owned()));
        rest = after;
    }
    plain.push_str(rest);
    (plain, found)
}

/// The pinned picture that a text begins with: its caption, its name, and the text after it.
fn pinned(text: &str) -> Option<(&str, &str, &str)> {
    let (caption, rest) = text.strip_prefix("![")?.split_once("](")?;
    let (address, after) = rest.split_once(')')?;
    let name = address.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".svg")?;
    // A name of another form could lead out of the folder.
    let is_name = name.len() == 2 * NAME_BYTES && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_name.then_some((caption, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pin() -> Pin {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        Pin {
            caption: "Sectors [of a load], at stride = 32".to_owned(),
            picture: Some("<svg></svg>".to_owned()),
            table: vec![row(["whole grid", "now"]), row(["load sectors", "32"])],
            command: "warpbook run coalescing".to_owned(),
            ..Pin::default()
        }
    }

    #[test]
    fn a_pin_is_put_after_the_paragraph_of_the_caret() {
        let text = pin().text();
        assert!(text.starts_with("![Sectors  of a load , at stride = 32](pins/"), "{text}");
        assert!(
            text.contains("\n\n| whole grid | now |\n| --- | ---: |\n| load sectors | 32 |\n\n```sh\nwarpbook run"),
            "{text}"
        );
        assert_eq!(pin().into_words("", 0).0, format!("{text}\n\n"));
        let (words, end) = pin().into_words("é one\nmore\n\ntwo\n\n", 2);
        assert_eq!(words, format!("é one\nmore\n\n{text}\n\n\n\ntwo\n\n"));
        assert_eq!(words.chars().take(end).collect::<String>(), format!("é one\nmore\n\n{text}\n\n"));
        // The next one comes after it, and no table is cut.
        assert_eq!(pin().into_words(&words, end).0, format!("é one\nmore\n\n{text}\n\n{text}\n\n\n\ntwo\n\n"));
        assert_eq!(pin().into_words("```\na\n\nb\n```\nc", 5).0, format!("```\na\n\nb\n```\nc\n\n{text}\n\n"));
        assert_eq!(pin().into_words("one\ntwo", 99).0, format!("one\ntwo\n\n{text}\n\n"));
    }

    #[test]
    fn pictures_are_found_in_the_words_and_read_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().join("pins");
        keep(&folder, "<svg></svg>").expect("it is written");
        let (words, _) = pin().into_words("before\n\nafter", 0);
        let name = name("<svg></svg>");
        let found = parts(&words);
        let picture_of = |caption: &str| Part::Picture(caption.to_owned(), name.clone());
        assert_eq!(found[0], Part::Words("before\n\n".to_owned()));
        assert_eq!(found[1], picture_of("Sectors  of a load , at stride = 32"));
        assert!(matches!(&found[2], Part::Words(rest) if rest.contains("| load sectors") && rest.ends_with("after")));
        assert_eq!(picture(&folder, &name).as_deref(), Some("<svg></svg>"));
        assert_eq!(picture(&folder, "0123456789abcdef"), None);
        let within = format!("See ![a](pins/{name}.svg), ![b](c) and\n![d](pins/{name}.svg) too.\n\nafter");
        let words = |text: &str| Part::Words(text.to_owned());
        assert_eq!(
            parts(&within),
            [words("See a, ![b](c) and\nd too.\n\n"), picture_of("a"), picture_of("d"), words("after")]
        );
        let code = format!("```\n![a](pins/{name}.svg)\n```");
        for strange in ["![a](pins/../../x.svg)", "![a](pins/0123.svg)", "![a](pins/", "![](", &code] {
            assert_eq!(parts(strange), [words(strange)], "{strange}");
        }
    }
}
