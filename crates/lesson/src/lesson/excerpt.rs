//! A text and its position in its file, so that mistakes inside it get the file's lines and columns.

use std::cell::{OnceCell, RefCell};

use crate::base::diag::{Diagnostic, Place};
use crate::base::lines::Lines;

/// A file that is being read, and the mistakes found so far.
pub(super) struct Source<'a> {
    /// The file's name as the user would write it.
    pub file: &'a str,
    pub text: &'a str,
    found: &'a Findings,
    /// Its lines, computed when a place is first needed.
    lines: OnceCell<Lines>,
}

/// Diagnostics in the order in which they were found, from all files of a lesson.
#[derive(Default)]
pub(super) struct Findings(RefCell<Vec<Diagnostic>>);

impl Findings {
    /// Adds one.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.0.borrow_mut().push(diagnostic);
    }

    /// All of them, file by file, ordered by place.
    pub fn finish(self) -> Vec<Diagnostic> {
        let mut all = self.0.into_inner();
        all.sort_by_cached_key(|d| d.place.as_ref().map(|p| (p.file.clone(), p.line, p.column)));
        all.dedup();
        all
    }
}

impl<'a> Source<'a> {
    /// A file's text, whose mistakes are reported to `found`.
    pub fn new(file: &'a str, text: &'a str, found: &'a Findings) -> Self {
        Self { file, text, found, lines: OnceCell::new() }
    }

    /// The place of the byte `offset`.
    pub fn place(&self, offset: usize) -> Place {
        self.lines.get_or_init(|| Lines::new(self.text)).place(self.file, self.text, offset)
    }

    /// Adds a finding that already has its place.
    pub fn report(&self, diagnostic: Diagnostic) {
        self.found.report(diagnostic);
    }

    /// Adds an error at a place of this file that was computed before.
    pub fn at(&self, place: &Place, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Diagnostic { place: Some(place.clone()), ..Diagnostic::error(message).hint(hint) });
    }

    /// Adds an error at the byte `offset`.
    pub fn error(&self, offset: usize, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Diagnostic::error(message).in_place(&self.place(offset)).hint(hint));
    }

    /// The whole file as an excerpt.
    pub fn whole(&'a self) -> Excerpt<'a> {
        Excerpt { source: self, text: self.text, start: 0, exact: true }
    }

    /// The offset at which `part`, a slice of the file's own text, begins; 0 for any other text.
    pub fn offset_of(&self, part: &str) -> usize {
        let offset = part.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
        if offset <= self.text.len() { offset } else { 0 }
    }
}

/// A text from a file: the file itself, or a string in it.
#[derive(Clone, Copy)]
pub(super) struct Excerpt<'a> {
    source: &'a Source<'a>,
    pub text: &'a str,
    /// The offset in the file at which the text begins.
    start: usize,
    /// Whether each byte of the text is a byte of the file; otherwise (a string with escapes) all places are those of
    /// its start.
    exact: bool,
}

impl<'a> Excerpt<'a> {
    /// The text `value` of the string literal `raw`, a slice of the file, in quotes and perhaps with escapes.
    pub fn of_string(source: &'a Source<'a>, raw: &'a str, value: &'a str) -> Self {
        let opened = raw.find('"').map_or(0, |quote| quote + 1);
        let exact = raw.get(opened..).is_some_and(|inside| inside.starts_with(value));
        Self { source, text: value, start: source.offset_of(raw) + if exact { opened } else { 0 }, exact }
    }

    /// The part at `range`, whose bytes are bytes of this text.
    pub fn part(&self, range: std::ops::Range<usize>) -> Self {
        let start = if self.exact { self.start + range.start } else { self.start };
        Self { text: self.text.get(range).unwrap_or(""), start, ..*self }
    }

    /// The place of the text's byte `offset`.
    pub fn place(&self, offset: usize) -> Place {
        self.source.place(if self.exact { self.start + offset } else { self.start })
    }

    /// Adds an error at the text's byte `offset`.
    pub fn error(&self, offset: usize, message: impl Into<String>, hint: impl Into<String>) {
        let mut diagnostic = Diagnostic::error(message).hint(hint);
        diagnostic.place = Some(self.place(offset));
        self.source.report(diagnostic);
    }
}
