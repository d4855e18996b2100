//! The live parts of prose, `{{…}}`: hidden from the Markdown parser, so that `*` or `|` in a formula is kept.

use std::ops::Range;

/// The marker at the beginning of a live part; a private-use character, which Markdown treats as a letter.
const MARK: char = '\u{E000}';

/// A text whose live parts are replaced, byte for byte, by letters.
pub(super) struct Masked<'a> {
    original: &'a str,
    /// The text for the Markdown parser: offsets are the same in both.
    pub text: String,
    /// The ranges of the live parts, braces included, in order.
    holes: Vec<Range<usize>>,
}

/// A piece of a run of text.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'t> {
    /// Plain text.
    Plain(&'t str),
    /// The inside of a live part, as a range of the original.
    Live(Range<usize>),
}

impl<'a> Masked<'a> {
    /// Masks every `{{…}}` of one line without braces or a dollar sign in it (LaTeX has its own double braces).
    pub fn new(original: &'a str) -> Self {
        let mut text = String::with_capacity(original.len());
        let mut holes = Vec::new();
        let mut at = 0;
        while let Some(found) = original[at..].find("{{") {
            let open = at + found;
            let inside = &original[open + 2..];
            let length = inside.find(['{', '}', '$', '\n']).unwrap_or(inside.len());
            if !inside[length..].starts_with("}}") {
                text.push_str(&original[at..=open]);
                at = open + 1;
                continue;
            }
            let end = open + 2 + length + 2;
            text.push_str(&original[at..open]);
            text.push(MARK);
            text.extend(std::iter::repeat_n('x', end - open - MARK.len_utf8()));
            holes.push(open..end);
            at = end;
        }
        text.push_str(&original[at..]);
        Self { original, text, holes }
    }

    /// The live part that fills `range` except for spaces around it.
    pub fn alone_in(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let part = &self.text[range.clone()];
        let start = range.start + (part.len() - part.trim_start().len());
        let end = start + part.trim().len();
        self.holes_in(&(start..end)).find(|hole| **hole == (start..end)).map(inside)
    }

    /// Cuts the text at `range`, which the Markdown parser gave as `text`, into plain and live pieces.
    pub fn pieces<'t>(&self, text: &'t str, range: &Range<usize>) -> Vec<Piece<'t>> {
        if text.len() != range.len() {
            // A character entity: its text is not the source's, and it holds no live part.
            return vec![Piece::Plain(text)];
        }
        let mut pieces = Vec::new();
        let mut at = 0;
        for hole in self.holes_in(range) {
            pieces.push(Piece::Plain(&text[at..hole.start - range.start]));
            pieces.push(Piece::Live(inside(hole)));
            at = hole.end - range.start;
        }
        pieces.push(Piece::Plain(&text[at..]));
        pieces.retain(|piece| *piece != Piece::Plain(""));
        pieces
    }

    /// Code or LaTeX at `range`, which the Markdown parser gave as `text`, with masked parts restored.
    pub fn restore(&self, text: &str, range: &Range<usize>) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        for hole in self.holes_in(range) {
            let mask = &self.text[hole.clone()];
            if let Some(at) = rest.find(mask) {
                out.push_str(&rest[..at]);
                out.push_str(&self.original[hole.clone()]);
                rest = &rest[at + mask.len()..];
            }
        }
        out.push_str(rest);
        out
    }

    fn holes_in(&self, range: &Range<usize>) -> impl Iterator<Item = &Range<usize>> {
        // They are in order, and none overlaps another.
        let first = self.holes.partition_point(|hole| hole.start < range.start);
        self.holes[first..].iter().take_while(|hole| hole.end <= range.end)
    }
}

fn inside(hole: &Range<usize>) -> Range<usize> {
    hole.start + 2..hole.end - 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_keep_every_offset() {
        let original = "a {{= x*y }} b {{é}} $\\frac{{a} b}{c}$ {{unclosed\n}} {{n}}";
        let masked = Masked::new(original);
        assert_eq!(masked.text.len(), original.len());
        let found: Vec<&str> = masked.holes.iter().map(|hole| &original[hole.clone()]).collect();
        assert_eq!(found, ["{{= x*y }}", "{{é}}", "{{n}}"]);
        assert!(!masked.text.contains("{{é"));
    }

    #[test]
    fn pieces_and_restoring() {
        let original = "x {{n}}, `{{n}}`";
        let masked = Masked::new(original);
        let pieces = masked.pieces(&masked.text[0..9], &(0..9));
        assert_eq!(pieces, [Piece::Plain("x "), Piece::Live(4..5), Piece::Plain(", ")]);
        assert_eq!(masked.restore(&masked.text[10..15], &(9..16)), "{{n}}");
        assert_eq!(masked.alone_in(&(1..7)), Some(4..5));
        assert_eq!(masked.alone_in(&(0..7)), None);
    }
}
