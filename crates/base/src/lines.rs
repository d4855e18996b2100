//! An index of a text's lines, for many lookups of line and column without reading the text anew for each.

use super::diag::Place;

/// Bytes between two marks, so that a place takes at most this much reading.
const STEP: usize = 512;

/// The starts of a text's lines, and the number of characters before every [`STEP`]th byte.
#[derive(Debug)]
pub struct Lines {
    starts: Vec<usize>,
    marks: Vec<usize>,
}

impl Lines {
    /// Reads the text once.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(i, _)| i + 1);
        let mut before = 0;
        let marks = bytes.chunks(STEP).map(|chunk| {
            let mark = before;
            before += begun(chunk);
            mark
        });
        let marks = marks.collect();
        Self { starts: std::iter::once(0).chain(ends).collect(), marks }
    }

    /// As [`Place::at`], of the text that was read.
    #[must_use]
    pub fn place(&self, file: &str, text: &str, offset: usize) -> Place {
        let offset = text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(0);
        let column = self.characters(text, offset) - self.characters(text, start) + 1;
        Place {
            file: file.to_owned(),
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }

    /// Characters that begin before the byte `offset`.
    fn characters(&self, text: &str, offset: usize) -> usize {
        let mark = offset / STEP;
        match self.marks.get(mark) {
            Some(before) => before + begun(&text.as_bytes()[mark * STEP..offset]),
            // The text's end, on a mark's own place.
            None => self.marks.last().map_or(0, |last| last + begun(&text.as_bytes()[(mark - 1) * STEP..offset])),
        }
    }
}

/// Characters that begin in some bytes of a text.
fn begun(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn places_are_those_of_a_plain_reading(text in "(é|\n|[a-c]{0,200}){0,40}") {
            let lines = Lines::new(&text);
            for offset in 0..=text.len() + 1 {
                prop_assert_eq!(lines.place("f", &text, offset), Place::at("f", &text, offset));
            }
        }
    }
}
