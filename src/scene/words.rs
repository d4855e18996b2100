//! Words of a text, each once: how often it occurs, and its tokens.

use super::cells::{self, cell};
use super::contents::Contents;
use super::frame::{Anchor, Frame, Tag};
use super::merges;
use super::palette::Ink;
use super::text;
use crate::base::tensor::Tensor;
use crate::base::units::count;

/// Space around the list, and what is above it.
const MARGIN: f32 = 16.0;
const HEAD: f32 = 44.0;
/// Room between two columns of the list, and between a number and its word.
const GAP: f32 = 28.0;
const SPACE: f32 = 12.0;

/// A buffer of words, with those that say what they are made of.
pub(super) struct Words<'a> {
    /// Of each word its first token, how many tokens it has, how often it occurs.
    pub of: &'a Contents<'a>,
    /// The tokens of all words.
    pub tokens: &'a Tensor,
    /// The two tokens of each token that is more than a byte.
    pub merges: &'a Tensor,
    /// The first token that is more than a byte.
    pub first: u32,
}

/// A word: how often it occurs, and the bytes of each of its tokens.
struct Word<'t> {
    times: u64,
    tokens: Vec<&'t [u8]>,
}

impl Word<'_> {
    /// Room that its tokens take.
    fn room(&self) -> f32 {
        self.tokens.iter().map(|token| cells::room(token)).sum()
    }
}

impl Words<'_> {
    /// The bytes of all tokens.
    fn spelled(&self) -> Vec<Vec<u8>> {
        merges::tokens(&merges::merges(self.merges, self.first), self.first)
    }

    /// Word `row`; None behind the last word.
    fn word<'t>(&self, spelled: &'t [Vec<u8>], row: usize) -> Option<Word<'t>> {
        if 3 * row + 2 >= self.of.tensor.len() {
            return None;
        }
        let [start, length, times] = [0, 1, 2].map(|column| self.of.tensor.bits(3 * row + column));
        let poison = self.of.tensor.elem.poison();
        if length == 0 || length == poison {
            return None;
        }
        let places = start as usize..(start as usize).saturating_add(length as usize);
        // What lies behind the part of the buffer that was read is not known.
        let places = places.take_while(|at| *at < self.tokens.len());
        let token = |at| spelled.get(self.tokens.bits(at) as usize).map_or(&[][..], Vec::as_slice);
        let times = if times == poison { 0 } else { u64::from(times) };
        Some(Word { times, tokens: places.map(token).collect() })
    }

    /// Draws words from the first that is shown on, and says how many there are.
    pub(super) fn draw(&self, frame: &mut Frame, hovered: Option<Tag>) -> String {
        let spelled = self.spelled();
        let (mut all, mut tokens) = (0, 0);
        while let Some(word) = self.word(&spelled, all) {
            all += 1;
            tokens += word.tokens.len();
        }
        let said = format!("{} words in {} tokens", count(all as u64), count(tokens as u64));
        frame.text([frame.width - MARGIN, 18.0], 12.0, Anchor::End, Ink::Muted, said.clone());
        let rows = ((frame.height - HEAD - MARGIN) / cells::LINE).max(1.0) as usize;
        let (mut x, mut row) = (MARGIN, self.of.from / 3);
        while row < all {
            let column: Vec<Word<'_>> = (row..all.min(row + rows)).filter_map(|i| self.word(&spelled, i)).collect();
            let number = column.iter().map(|word| text::width(&times(word), 12.0, true)).fold(0.0, f32::max) + SPACE;
            let wide = number + column.iter().map(Word::room).fold(0.0, f32::max);
            // A first column that is too wide is shown as far as there is room.
            if x + wide > frame.width - MARGIN && x > MARGIN {
                break;
            }
            for (i, word) in column.iter().enumerate() {
                let y = HEAD + i as f32 * cells::LINE;
                let middle = y + cells::LINE / 2.0 - 2.5;
                let tag = Some(Tag::Word { buffer: 0, index: 3 * (row + i) as u64 });
                if word.times > 0 {
                    frame.text([x + number - SPACE, middle], 12.0, Anchor::End, Ink::Muted, times(word));
                }
                let mut at = x + number;
                for token in &word.tokens {
                    if at + cells::room(token) > frame.width - MARGIN {
                        break;
                    }
                    at += cell(frame, [at, y], token, hovered, tag);
                }
            }
            x += wide + GAP;
            row += column.len();
        }
        format!("{said}.")
    }

    /// The word of element `i`.
    pub(super) fn told(&self, i: usize) -> Option<String> {
        let spelled = self.spelled();
        let word = self.word(&spelled, i / 3)?;
        let tokens: Vec<String> = word.tokens.iter().map(|token| cells::shown(token)).collect();
        let often = if word.times == 0 { String::new() } else { format!(", {} times", count(word.times)) };
        Some(format!("word {}: {}{often}", count((i / 3) as u64), tokens.join(" · ")))
    }
}

/// How often a word occurs, as its row says it; nothing if nobody has counted yet.
fn times(word: &Word<'_>) -> String {
    if word.times == 0 { String::new() } else { format!("{} ×", count(word.times)) }
}

#[cfg(test)]
mod tests {
    use super::super::contents::Shape;
    use super::super::fixtures::assert_tidy;
    use super::*;
    use crate::base::tensor::Elem;
    use crate::lesson::{Legend, Meaning};

    fn of(numbers: &[u32]) -> Tensor {
        Tensor::from_bits(Elem::U32, numbers.iter().copied())
    }

    #[test]
    fn words_are_shown_in_their_tokens() {
        // low three times, as l ow; no twice, which has not been counted; then no word any more.
        let word = of(&[0, 2, 3, 3, 2, 0, 0, 0, 0]);
        let (tokens, merges) = (of(&[108, 256, 119, 110, 111]), of(&[111, 119, 0, 0]));
        let contents = Contents {
            buffer: "word",
            when: "at the end",
            tensor: &word,
            count: 9,
            columns: Some(3),
            meaning: Meaning::Words { tokens: &tokens, merges: &merges, first: 256 },
            legend: Legend::NONE,
            shape: Shape::Meant,
            from: 0,
            limit: None,
        };
        let words = Words { of: &contents, tokens: &tokens, merges: &merges, first: 256 };
        assert_eq!(words.told(1).as_deref(), Some("word 0: l · ow, 3 times"));
        assert_eq!(words.told(3).as_deref(), Some("word 1: n · o"));
        assert_eq!(words.told(6), None);
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(words.draw(&mut frame, None), "2 words in 4 tokens.");
        frame.alt = "two words".to_owned();
        assert_tidy(&frame, "two words");
    }
}
