//! Diagnostics for users: a message, its place in a file, and advice.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// How bad a [`Diagnostic`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The thing that it is about cannot be used.
    Error,
    /// The thing works, but probably not as meant.
    Warning,
}

/// A place in a text file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The file as the user would name it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Place {
    /// The start of a file.
    #[must_use]
    pub fn start(file: &str) -> Self {
        Self { file: file.to_owned(), line: 1, column: 1 }
    }

    /// The place of byte `offset` in `text`, the contents of `file`. An offset past the end is the end.
    #[must_use]
    pub fn at(file: &str, text: &str, offset: usize) -> Self {
        let offset = floor_char_boundary(text, offset);
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Self {
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One finding about one input: a message, the place it is about, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The message: a sentence without its full stop.
    pub message: String,
    /// Where, when it has a place.
    pub place: Option<Place>,
    /// Advice on it.
    pub hint: Option<String>,
    /// Whether nothing is wrong but the place: another device or backend could do it.
    pub not_here: bool,
}

impl Diagnostic {
    /// An error without a place or a hint yet.
    #[must_use]
    pub fn error(message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, message: message.into(), place: None, hint: None, not_here: false }
    }

    /// A warning without a place or a hint yet.
    #[must_use]
    pub fn warning(message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(message) }
    }

    /// The same, at the start of the byte range `span` of `text`.
    #[must_use]
    pub fn at(mut self, file: &str, text: &str, span: &Range<usize>) -> Self {
        self.place = Some(Place::at(file, text, span.start));
        self
    }

    /// The same, about a whole file.
    #[must_use]
    pub fn in_file(self, file: &str) -> Self {
        self.in_place(&Place::start(file))
    }

    /// The same, at a place.
    #[must_use]
    pub fn in_place(mut self, place: &Place) -> Self {
        self.place = Some(place.clone());
        self
    }

    /// The same, at a place if there is one.
    #[must_use]
    pub fn in_place_of(self, place: Option<&Place>) -> Self {
        match place {
            Some(place) => self.in_place(place),
            None => self,
        }
    }

    /// The same, with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, as a warning.
    #[must_use]
    pub fn as_warning(self) -> Self {
        Self { severity: Severity::Warning, ..self }
    }

    /// The same, about something that another device or backend could do.
    #[must_use]
    pub fn not_here(mut self) -> Self {
        self.not_here = true;
        self
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.message)?;
        if let Some(hint) = &self.hint {
            write!(f, "\n  hint: {hint}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}

/// The entry of `known` nearest to `name`, for "did you mean" hints; None if nothing is near.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// "did you mean …?", or all there is.
#[must_use]
pub fn did_you_mean<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => "there are none here".to_owned(),
        None => format!("there is {}", known.iter().map(|k| format!("`{k}`")).collect::<Vec<_>>().join(", ")),
    }
}

/// "a", "a or b", "a, b or c": alternatives in a sentence.
#[must_use]
pub fn any_of<T: AsRef<str>>(words: &[T]) -> String {
    match words {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_from_one() {
        let text = "ab\nçd e\n";
        assert_eq!(Place::at("f", text, 0).to_string(), "f:1:1");
        assert_eq!(Place::at("f", text, text.find('d').unwrap_or(0)).to_string(), "f:2:2");
        assert_eq!(Place::at("f", text, 999).to_string(), "f:3:1");
        // The middle of a two-byte character is the character.
        assert_eq!(Place::at("f", text, 4).to_string(), "f:2:1");
    }

    #[test]
    fn a_diagnostic_reads_as_one() {
        let d = Diagnostic::error("unknown field `strid`")
            .at("l.ron", "a\n  strid", &(4..9))
            .hint("did you mean `stride`?");
        assert_eq!(d.to_string(), "l.ron:2:3: error: unknown field `strid`\n  hint: did you mean `stride`?");
    }

    #[test]
    fn nearest_names() {
        assert_eq!(nearest("strid", ["block", "stride"]), Some("stride"));
        assert_eq!(nearest("zzz", ["block", "stride"]), None);
        assert_eq!(nearest("ciel", ["floor", "ceil"]), Some("ceil"));
        assert_eq!([&[][..], &["a"], &["a", "b"], &["a", "b", "c"]].map(any_of), ["", "a", "a or b", "a, b or c"]);
    }
}
