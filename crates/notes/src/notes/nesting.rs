//! Quotations and lists within each other, as far as a text is read.

use std::borrow::Cow;

/// Quotations and lists that a line begins, at most: a reader of Markdown goes through all that are open for each line.
const MOST: usize = 100;

/// The text, in which a mark that would begin one more is a character.
pub(super) fn limited(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some(at) = mark(line, MOST) {
            out.push_str(&text[copied..start + at]);
            out.push('\\');
            copied = start + at;
        }
        start += line.len();
    }
    if copied == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[copied..]) }
}

/// The place of the mark of a quotation or an item that comes after `before` others at the beginning of a line; None if
/// there are fewer. Of a numbered item it is the place of the dot or bracket.
fn mark(line: &str, before: usize) -> Option<usize> {
    let (mut at, mut count) = (0, 0);
    loop {
        let rest = &line[at..];
        at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &line[at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = rest.as_bytes().get(digits + 1);
        // An item's mark is a word of its own: dashes in a row are a rule.
        let is_word = after.is_none_or(u8::is_ascii_whitespace);
        let is_mark = match rest.as_bytes().get(digits)? {
            b'>' => digits == 0,
            b'-' | b'+' | b'*' => digits == 0 && is_word,
            b'.' | b')' => digits > 0 && is_word,
            _ => false,
        };
        if !is_mark {
            return None;
        }
        if count == before {
            return Some(at + digits);
        }
        (at, count) = (at + digits + 1, count + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_begins_no_more_than_a_reader_goes_through() {
        let (dashes, stars) = ("-".repeat(200), "*".repeat(200));
        for text in ["> - 1. a\n", "", "a\n\n* b", "**a** b", &dashes, &stars] {
            assert!(matches!(limited(text), Cow::Borrowed(same) if same == text), "{text}");
        }
        assert_eq!(limited(&">".repeat(101)), format!("{}\\>", ">".repeat(100)));
        assert_eq!(limited(&format!("a\n{}b\n> c", "> ".repeat(102))), format!("a\n{}\\> > b\n> c", "> ".repeat(100)));
        assert_eq!(limited(&"1. ".repeat(101)), format!("{}1\\. ", "1. ".repeat(100)));
    }
}
