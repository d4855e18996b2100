//! The Unicode character classes that patterns use.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

/// A letter.
pub(super) const LETTER: u8 = 1;
/// A digit, or another number.
pub(super) const NUMBER: u8 = 2;
/// White space.
pub(super) const SPACE: u8 = 4;
/// The characters that begin a word in o200k's pattern: letters that are not lower case, and marks.
pub(super) const UPPER: u8 = 8;
/// The characters of the rest of a word in o200k's pattern: letters that are not upper case, and marks.
pub(super) const LOWER: u8 = 16;
/// The end of a line: `\r` or `\n`.
pub(super) const LINE_END: u8 = 32;

/// The classes by their definitions.
const DEFINITIONS: [(u8, &str); 6] = [
    (LETTER, r"\p{L}"),
    (NUMBER, r"\p{N}"),
    (SPACE, r"\s"),
    (UPPER, r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]"),
    (LOWER, r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"),
    (LINE_END, r"[\r\n]"),
];

/// The classes of every character, by its number.
static TABLE: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut table = vec![0; 0x11_0000];
    for (class, definition) in DEFINITIONS {
        let parsed = regex_syntax::parse(definition).expect("a definition of this file is a class");
        let HirKind::Class(Class::Unicode(ranges)) = parsed.kind() else { continue };
        for range in ranges.ranges() {
            for classes in &mut table[range.start() as usize..=range.end() as usize] {
                *classes |= class;
            }
        }
    }
    table
});

/// Classes by character; taken once and kept, so that a text is not slowed down by looking whether the table is there.
#[derive(Clone, Copy)]
pub(super) struct Classes(&'static [u8]);

impl Classes {
    pub(super) fn get() -> Self {
        Self(&TABLE)
    }

    /// The classes of all characters in their order, four in a word.
    pub(super) fn packed() -> Vec<u32> {
        TABLE.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
    }

    /// The classes of a character.
    pub(super) fn of(self, c: char) -> u8 {
        self.0[c as usize]
    }

    /// The classes of the character that begins at `at`, and where it ends; nothing at the end of the text.
    #[inline(always)]
    pub(super) fn at(self, text: &str, at: usize) -> Option<(u8, usize)> {
        let first = *text.as_bytes().get(at)?;
        if first < 0x80 {
            return Some((self.0[usize::from(first)], at + 1));
        }
        let c = text[at..].chars().next()?;
        Some((self.0[c as usize], at + c.len_utf8()))
    }

    /// Where the run of characters in `class` ends that begins at `at`.
    #[inline(always)]
    pub(super) fn run(self, text: &str, mut at: usize, class: u8) -> usize {
        while let Some((found, end)) = self.at(text, at)
            && found & class != 0
        {
            at = end;
        }
        at
    }
}
