//! Pretokenization: cutting a text into the pieces that no merge crosses.
//!
//! The patterns are those that GPT-2, tiktoken and Llama 3 publish. A regular expression with look-ahead is several
//! times slower than all the rest of encoding, so each is written out here: one look at a character's classes decides
//! what a piece is, and the piece is a run of that class.

use super::classes::{Classes, LETTER, LINE_END, LOWER, NUMBER, SPACE, UPPER};

/// A rule for cutting a text into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// The whole text is one piece.
    None,
    /// GPT-2's.
    Gpt2,
    /// That of `cl100k_base` (GPT-3.5, GPT-4).
    Cl100k,
    /// That of `o200k_base` (GPT-4o).
    O200k,
    /// Llama 3's: as `cl100k_base` cut words at first. Only white space at the end of the text is cut otherwise.
    Llama3,
}

/// Every pattern.
pub const PATTERNS: [Pattern; 5] = [Pattern::None, Pattern::Gpt2, Pattern::Cl100k, Pattern::O200k, Pattern::Llama3];

impl Pattern {
    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gpt2 => "gpt2",
            Self::Cl100k => "cl100k",
            Self::O200k => "o200k",
            Self::Llama3 => "llama3",
        }
    }

    /// The regular expression as tokenizers with look-ahead take it; None if the text is not cut.
    #[must_use]
    pub fn expression(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Gpt2 => Some(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
            Self::Cl100k => Some(
                r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s",
            ),
            Self::O200k => Some(concat!(
                r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
                r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            )),
            Self::Llama3 => Some(concat!(
                r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}",
                r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
            )),
        }
    }

    /// The pieces of a text, in order; together they are the text.
    #[must_use]
    pub fn pieces(self, text: &str) -> Pieces<'_> {
        Pieces { text, at: 0, pattern: self, classes: Classes::get() }
    }

    /// A text in parts of about `size` bytes, whose pieces are the text's.
    #[must_use]
    pub fn parts(self, text: &str, size: usize) -> Vec<&str> {
        self.parts_within(text, size, text.len())
    }

    /// The same, in parts of at most `most` bytes. A part that cannot be cut may be longer.
    #[must_use]
    pub fn parts_within(self, text: &str, size: usize, most: usize) -> Vec<&str> {
        let mut parts = Vec::new();
        let mut rest = text;
        while rest.len() > size {
            let can = |at: &usize| self.can_cut(rest, *at);
            let end = rest.len().min(most + 1);
            let cut = (size..end).find(can).or_else(|| (1..size).rev().find(can));
            let Some(cut) = cut.or_else(|| (end..rest.len()).find(can)) else { break };
            let (part, behind) = rest.split_at(cut);
            parts.push(part);
            rest = behind;
        }
        if !rest.is_empty() {
            parts.push(rest);
        }
        parts
    }

    /// The last place where the text can be cut; None if there is none.
    #[must_use]
    pub fn last_cut(self, text: &str) -> Option<usize> {
        (1..text.len()).rev().find(|&at| self.can_cut(text, at))
    }

    /// Whether a piece ends before byte `at` whatever else the text holds: between a non-space and a space, between a
    /// letter or a number and a punctuation mark, or between the end of a line that is not empty and a non-space.
    fn can_cut(self, text: &str, at: usize) -> bool {
        let bytes = text.as_bytes();
        if self == Self::None || at < 2 || at + 1 >= bytes.len() {
            return false;
        }
        let class = |c: Option<char>| c.map(|c| Classes::get().of(c));
        let before = |at: usize| class(text[..at].chars().next_back());
        match (bytes[at - 1], bytes[at]) {
            (_, b' ' | b'\t') => before(at).is_some_and(|before| before & SPACE == 0),
            // An apostrophe may begin an ending that belongs to the word.
            (_, mark) if mark.is_ascii_punctuation() && mark != b'\'' && bytes[at - 1] != b'\n' => {
                before(at).is_some_and(|before| before & (LETTER | NUMBER) != 0)
            }
            // o200k's pattern takes slashes after a punctuation mark for ends of lines.
            (b'\n', behind) if behind != b'/' => {
                let behind = class(text[at..].chars().next());
                behind.is_some_and(|behind| behind & SPACE == 0)
                    && before(at - 1).is_some_and(|before| before & SPACE == 0)
            }
            _ => false,
        }
    }
}

/// Iterates over the pieces of a text.
pub struct Pieces<'t> {
    text: &'t str,
    at: usize,
    pattern: Pattern,
    classes: Classes,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    #[inline]
    fn next(&mut self) -> Option<&'t str> {
        if self.at == self.text.len() {
            return None;
        }
        let end = match self.pattern {
            Pattern::None => self.text.len(),
            Pattern::Gpt2 => self.gpt2(),
            Pattern::Cl100k | Pattern::Llama3 => self.cl100k(),
            Pattern::O200k => self.o200k(),
        };
        let piece = &self.text[self.at..end];
        self.at = end;
        Some(piece)
    }
}

/// Each rule answers with the end of the piece that begins at `self.at`, where there is a character.
impl Pieces<'_> {
    /// `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
    #[inline(always)]
    fn gpt2(&self) -> usize {
        let (text, at) = (self.text, self.at);
        let first = text.as_bytes()[at];
        if first == b'\''
            && let Some(end) = contraction(text, at, false)
        {
            return end;
        }
        let begin = at + usize::from(first == b' ');
        match self.classes.at(text, begin) {
            Some((class, end)) if class & LETTER != 0 => self.classes.run(text, end, LETTER),
            Some((class, end)) if class & NUMBER != 0 => self.classes.run(text, end, NUMBER),
            Some((class, end)) if class & SPACE == 0 => self.others(end),
            _ => self.spaces(false),
        }
    }

    /// `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+\z|\s*[\r\n]|\s+(?!\S)|\s`
    #[inline(always)]
    fn cl100k(&self) -> usize {
        let (text, at) = (self.text, self.at);
        if text.as_bytes()[at] == b'\''
            && let Some(end) = contraction(text, at, true)
        {
            return end;
        }
        let Some((class, end)) = self.classes.at(text, at) else { return text.len() };
        if class & LETTER != 0 {
            return self.classes.run(text, end, LETTER);
        }
        if class & NUMBER != 0 {
            return self.three_numbers(end);
        }
        if class & LINE_END == 0
            && let Some((next, next_end)) = self.classes.at(text, end)
            && next & LETTER != 0
        {
            return self.classes.run(text, next_end, LETTER);
        }
        match self.marks() {
            Some(end) => self.classes.run(text, end, LINE_END),
            None => self.spaces(true),
        }
    }

    /// A word that may begin with another character and end in a contraction, or else as [`Pieces::cl100k`], with `/`
    /// at the end of marks. A word is `[UPPER]*[LOWER]+`, or if there is none `[UPPER]+[LOWER]*`. Letters without case,
    /// and marks, are both.
    #[inline(always)]
    fn o200k(&self) -> usize {
        let (text, at) = (self.text, self.at);
        let Some((class, end)) = self.classes.at(text, at) else { return text.len() };
        let leads = class & (LETTER | NUMBER | LINE_END) == 0;
        // The character before the word is left out only if no word follows it.
        let begins = [leads.then_some(end), Some(at)];
        let word = begins.into_iter().flatten().find_map(|begin| self.lower_word(begin));
        let word = word.or_else(|| begins.into_iter().flatten().find_map(|begin| self.upper_word(begin)));
        if let Some(end) = word {
            return match text.as_bytes().get(end) {
                Some(b'\'') => contraction(text, end, true).unwrap_or(end),
                _ => end,
            };
        }
        if class & NUMBER != 0 {
            return self.three_numbers(end);
        }
        let Some(mut end) = self.marks() else { return self.spaces(true) };
        while matches!(text.as_bytes().get(end), Some(b'\r' | b'\n' | b'/')) {
            end += 1;
        }
        end
    }

    /// The end of `[UPPER]*[LOWER]+` from `begin` on.
    #[inline(always)]
    fn lower_word(&self, begin: usize) -> Option<usize> {
        let mut at = begin;
        // Behind the last character of the run that is LOWER as well.
        let mut last = None;
        while let Some((class, end)) = self.classes.at(self.text, at)
            && class & UPPER != 0
        {
            at = end;
            if class & LOWER != 0 {
                last = Some(end);
            }
        }
        let end = self.classes.run(self.text, at, LOWER);
        if end > at { Some(end) } else { last }
    }

    /// The end of `[UPPER]+[LOWER]*` from `begin` on.
    #[inline(always)]
    fn upper_word(&self, begin: usize) -> Option<usize> {
        let end = self.classes.run(self.text, begin, UPPER);
        (end > begin).then(|| self.classes.run(self.text, end, LOWER))
    }

    /// The end of a number that has one character before `at`, and three at most.
    #[inline(always)]
    fn three_numbers(&self, mut at: usize) -> usize {
        for _ in 0..2 {
            match self.classes.at(self.text, at) {
                Some((class, end)) if class & NUMBER != 0 => at = end,
                _ => break,
            }
        }
        at
    }

    /// The end of ` ?[^\s\p{L}\p{N}]+`.
    #[inline(always)]
    fn marks(&self) -> Option<usize> {
        let begin = self.at + usize::from(self.text.as_bytes()[self.at] == b' ');
        let (class, end) = self.classes.at(self.text, begin)?;
        (class & (SPACE | LETTER | NUMBER) == 0).then(|| self.others(end))
    }

    /// The end of a run of what is neither white space nor letter nor number.
    #[inline(always)]
    fn others(&self, mut at: usize) -> usize {
        while let Some((class, end)) = self.classes.at(self.text, at)
            && class & (SPACE | LETTER | NUMBER) == 0
        {
            at = end;
        }
        at
    }

    /// The end of white space: all of it at the end of the text; else up to the last end of a line in it, if ends of
    /// lines count; else without its last character, which goes to the word after it.
    #[inline(always)]
    fn spaces(&self, line_ends: bool) -> usize {
        let (mut at, mut before_last, mut behind_line) = (self.at, self.at, None);
        while let Some((class, end)) = self.classes.at(self.text, at)
            && class & SPACE != 0
        {
            (before_last, at) = (at, end);
            if class & LINE_END != 0 {
                behind_line = Some(end);
            }
        }
        match behind_line.filter(|_| line_ends) {
            // GPT-4's pattern takes white space at the end as a whole; GPT-4o's and Llama 3's end it after the line.
            _ if at == self.text.len() && !matches!(self.pattern, Pattern::O200k | Pattern::Llama3) => at,
            Some(behind_line) => behind_line,
            None if at == self.text.len() || before_last == self.at => at,
            None => before_last,
        }
    }
}

/// The end of `'s`, `'d`, `'m`, `'t`, `'ll`, `'ve` or `'re`, whose apostrophe is at `at`.
#[inline]
fn contraction(text: &str, at: usize, any_case: bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let letter = |at: usize| bytes.get(at).map(|byte| if any_case { byte.to_ascii_lowercase() } else { *byte });
    match (letter(at + 1)?, letter(at + 2)) {
        (b's' | b'd' | b'm' | b't', _) => Some(at + 2),
        (b'l', Some(b'l')) | (b'v' | b'r', Some(b'e')) => Some(at + 3),
        // The long s is an s in another case.
        _ if any_case && text[at + 1..].starts_with('ſ') => Some(at + 1 + 'ſ'.len_utf8()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(pattern: Pattern, text: &str) -> Vec<&str> {
        pattern.pieces(text).collect()
    }

    #[test]
    fn pieces_are_those_of_the_patterns() {
        assert_eq!(pieces(Pattern::Gpt2, "a  b"), ["a", " ", " b"]);
        assert_eq!(pieces(Pattern::Gpt2, "a\n\nb"), ["a", "\n", "\n", "b"]);
        assert_eq!(pieces(Pattern::Cl100k, "a\n\nb"), ["a", "\n\n", "b"]);
        assert_eq!(pieces(Pattern::Cl100k, "a \n  b"), ["a", " \n", " ", " b"]);
        assert_eq!(pieces(Pattern::O200k, "it's  "), ["it's", "  "]);
        assert_eq!(pieces(Pattern::O200k, "a\n  "), ["a", "\n", "  "]);
        assert_eq!(pieces(Pattern::Cl100k, "a\n  "), ["a", "\n  "]);
        assert_eq!(pieces(Pattern::Llama3, "it's\n  "), ["it", "'s", "\n", "  "]);
        assert_eq!(pieces(Pattern::O200k, "XMLHttp ABCd e'LL"), ["XMLHttp", " ABCd", " e'LL"]);
        assert_eq!(pieces(Pattern::None, "a b\nc"), ["a b\nc"]);
    }

    #[test]
    fn parts_have_the_pieces_of_the_text() {
        let text =
            "One line.\nAnother  one,\n\nand don't stop: 12345 wörter\nÄhre.\n  中文\n中文。\n文 x y z ".repeat(40);
        for pattern in PATTERNS {
            let whole = pieces(pattern, &text);
            assert_eq!(whole.concat(), text);
            let parts = pattern.parts(&text, 50);
            assert_eq!(parts.len() > 1, pattern != Pattern::None);
            let of_parts: Vec<&str> = parts.iter().flat_map(|part| pattern.pieces(part)).collect();
            assert_eq!(of_parts, whole, "{pattern:?}");
        }
        // A text that cannot be cut after 50 bytes is cut before.
        let text = format!("{} {}", "a".repeat(40), "b".repeat(100));
        assert_eq!(Pattern::Gpt2.parts_within(&text, 50, 60), [&text[..40], &text[40..]]);
    }

    proptest::proptest! {
        #[test]
        fn a_text_has_the_pieces_of_its_parts(text in "[aB é中1٣ \t\n\r's./{\u{301}\u{a0}ſ]{0,24}") {
            for pattern in PATTERNS {
                for at in (1..text.len()).filter(|&at| pattern.can_cut(&text, at)) {
                    let parts = [pieces(pattern, &text[..at]), pieces(pattern, &text[at..])];
                    proptest::prop_assert_eq!(parts.concat(), pieces(pattern, &text), "{:?} at {}", pattern, at);
                }
            }
        }
    }
}
