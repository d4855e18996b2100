//! Words of a text, each once: how often it occurs, and its tokens.

use std::ops::Range;

use super::super::buffer::Contents;
use super::super::figure::{Arg, ArgKind};
use super::super::frame::{Anchor, Frame, Tag};
use super::super::kit::MARGIN;
use super::super::palette::Ink;
use super::super::text;
use super::merges;
use super::tokens::{self, Token, cell};
use super::{Card, Meaning, Meant, corner};
use crate::base::tensor::Tensor;
use crate::base::units::count;

/// Space above the list.
const HEAD: f32 = 44.0;
/// Room between two columns of the list, and between a number and its word.
const GAP: f32 = 28.0;
const SPACE: f32 = 12.0;

/// A buffer of words, with those that say what they are made of.
pub(crate) struct Words<'a> {
    /// Of each word its first token, how many tokens it has, how often it occurs.
    pub of: &'a Contents<'a>,
    /// The tokens of all words.
    pub tokens: &'a Tensor,
    /// The two tokens of each token that is more than a byte.
    pub merges: &'a Tensor,
    /// The first token that is more than a byte.
    pub first: u32,
    /// The name of several rows, if they are not words.
    pub name: &'a str,
}

/// Tokens of a word that are named in words.
const MOST_TOLD: usize = 64;

/// A word: how often it occurs, and where its tokens are.
struct Word {
    times: u64,
    places: Range<usize>,
}

impl Words<'_> {
    /// All tokens by their ids.
    fn spelled(&self) -> Vec<Token> {
        merges::tokens(&merges::merges(self.merges, self.first), self.first)
    }

    /// Word `row`; None after the last word.
    fn word(&self, row: usize) -> Option<Word> {
        if 3 * row + 2 >= self.of.tensor.len() {
            return None;
        }
        let [start, length, times] = [0, 1, 2].map(|column| self.of.tensor.bits(3 * row + column));
        let poison = self.of.tensor.elem.poison();
        if length == 0 || length == poison {
            return None;
        }
        // Tokens after the part of the buffer that was read are not known.
        let known = |at: usize| at.min(self.tokens.len());
        let places = known(start as usize)..known((start as usize).saturating_add(length as usize));
        Some(Word { times: if times == poison { 0 } else { u64::from(times) }, places })
    }

    /// A word's tokens; one that is not known is empty.
    fn spell<'s>(&'s self, word: &Word, spelled: &'s [Token]) -> impl Iterator<Item = &'s Token> {
        static UNKNOWN: Token = Token::EMPTY;
        word.places.clone().map(|at| spelled.get(self.tokens.bits(at) as usize).unwrap_or(&UNKNOWN))
    }

    /// Room that a word's tokens take, or more than `most`.
    fn room(&self, word: &Word, spelled: &[Token], most: f32) -> f32 {
        let mut room = 0.0;
        for token in self.spell(word, spelled) {
            room += tokens::room(token, most);
            if room > most {
                break;
            }
        }
        room
    }

    /// Draws words from the first that is shown on, and says how many there are.
    pub(crate) fn draw(&self, frame: &mut Frame, hovered: Option<Tag>) -> String {
        let spelled = self.spelled();
        let (mut all, mut tokens) = (0, 0);
        while let Some(word) = self.word(all) {
            all += 1;
            tokens += word.places.len();
        }
        let said = match self.name {
            "" => format!("{} words in {} tokens", count(all as u64), count(tokens as u64)),
            name => format!("{} {name}", count(all as u64)),
        };
        corner(frame, &said);
        let rows = ((frame.height - HEAD - MARGIN) / tokens::LINE).max(1.0) as usize;
        let (mut x, mut row) = (MARGIN, self.of.from / 3);
        while row < all {
            let column: Vec<Word> = (row..all.min(row + rows)).filter_map(|i| self.word(i)).collect();
            let number = column.iter().map(|word| text::width(&times(word), 12.0, true)).fold(0.0, f32::max) + SPACE;
            let most = frame.width - 2.0 * MARGIN - number;
            let wide = number + column.iter().map(|word| self.room(word, &spelled, most)).fold(0.0, f32::max);
            // A first column that is too wide is shown as far as there is room.
            if x + wide > frame.width - MARGIN && x > MARGIN {
                break;
            }
            for (i, word) in column.iter().enumerate() {
                let y = HEAD + i as f32 * tokens::LINE;
                let middle = y + tokens::LINE / 2.0 - 2.5;
                let tag = Some(Tag::Word { buffer: 0, index: 3 * (row + i) as u64 });
                if word.times > 0 {
                    frame.text([x + number - SPACE, middle], 12.0, Anchor::End, Ink::Muted, times(word));
                }
                let mut at = x + number;
                for token in self.spell(word, &spelled) {
                    if at + tokens::room(token, most) > frame.width - MARGIN {
                        break;
                    }
                    at += cell(frame, [at, y], (token, most), hovered, tag);
                }
            }
            x += wide + GAP;
            row += column.len();
        }
        format!("{said}.")
    }

    /// The word of element `i`.
    pub(crate) fn told(&self, i: usize) -> Option<String> {
        let spelled = self.spelled();
        let word = self.word(i / 3)?;
        let mut tokens: Vec<String> = self.spell(&word, &spelled).take(MOST_TOLD).map(Token::shown).collect();
        if word.places.len() > MOST_TOLD {
            tokens.push(format!("… {} tokens", count(word.places.len() as u64)));
        }
        let often = if word.times == 0 { String::new() } else { format!(", {} times", count(word.times)) };
        Some(format!("word {}: {}{often}", count((i / 3) as u64), tokens.join(" · ")))
    }
}

/// The number of times that a word occurs, from its row; nothing if it is not counted yet.
fn times(word: &Word) -> String {
    if word.times == 0 { String::new() } else { format!("{} ×", count(word.times)) }
}

static CARD: Card = Card {
    name: "Words",
    tab: "Words",
    help: "a row of three elements is a word: where its tokens begin in `tokens`, how many they are, and how often the word occurs; the picture is the list of words in their tokens",
    args: &[
        Arg::required("tokens", ArgKind::Buffer, "the tokens of all words"),
        Arg::required("merges", ArgKind::Buffer, "the two tokens that each token from 256 on consists of"),
        Arg::optional("name", ArgKind::Text, "the name of several rows, if they are not words: \"pairs\""),
    ],
    travels: false,
};

/// The meaning.
pub struct Fig;

fn words<'a>(of: &Meant<'a>) -> Option<Words<'a>> {
    Some(Words {
        of: of.contents,
        tokens: of.now("tokens")?,
        merges: of.now("merges")?,
        first: 256,
        name: of.picture.text("name"),
    })
}

impl Meaning for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn row(&self, _: usize) -> usize {
        3
    }

    fn draw(&self, frame: &mut Frame, of: &Meant<'_>, hovered: Option<Tag>) -> Option<String> {
        Some(words(of)?.draw(frame, hovered))
    }

    fn tip(&self, of: &Meant<'_>, i: usize) -> Option<String> {
        words(of)?.told(i)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures::assert_tidy;
    use super::super::super::shape::Shape;
    use super::*;
    use crate::base::tensor::Elem;
    use crate::lesson::Legend;

    fn of(numbers: &[u32]) -> Tensor {
        Tensor::from_bits(Elem::U32, numbers.iter().copied())
    }

    fn contents(word: &Tensor) -> Contents<'_> {
        Contents {
            buffer: "word",
            when: "at the end",
            tensor: word,
            count: word.len() as u64,
            columns: Some(3),
            row: None,
            legend: Legend::NONE,
            shape: Shape::Meant,
            from: 0,
            line: crate::buffer::Line::default(),
            progress: 1.0,
        }
    }

    #[test]
    fn words_are_shown_in_their_tokens() {
        // low three times, as l ow; no twice, which has not been counted; then no word any more.
        let word = of(&[0, 2, 3, 3, 2, 0, 0, 0, 0]);
        let (tokens, merges) = (of(&[108, 256, 119, 110, 111]), of(&[111, 119, 0, 0]));
        let contents = contents(&word);
        let words = Words { of: &contents, tokens: &tokens, merges: &merges, first: 256, name: "" };
        assert_eq!(words.told(1).as_deref(), Some("word 0: l · ow, 3 times"));
        assert_eq!(words.told(3).as_deref(), Some("word 1: n · o"));
        assert_eq!(words.told(6), None);
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(words.draw(&mut frame, None), "2 words in 4 tokens.");
        frame.alt = "two words".to_owned();
        assert_tidy(&frame, "two words");
    }

    #[test]
    fn words_of_very_many_tokens_are_counted_and_not_read() {
        // All rows are the whole list of tokens: 10,000 times 100,000.
        let word = of(&[0, 100_000, 1].repeat(10_000));
        let (tokens, merges) = (of(&vec![97; 100_000]), of(&[0, 0]));
        let contents = contents(&word);
        let words = Words { of: &contents, tokens: &tokens, merges: &merges, first: 256, name: "" };
        let mut frame = Frame::new([420.0, 200.0]);
        assert_eq!(words.draw(&mut frame, None), "10,000 words in 1,000,000,000 tokens.");
        assert!(frame.items.len() < 1000, "{} items", frame.items.len());
        let told = words.told(0).unwrap_or_default();
        assert!(told.ends_with("a · … 100,000 tokens, 1 times") && told.len() < 400, "{told}");
        let spelled = words.spelled();
        let room = words.word(0).map_or(0.0, |word| words.room(&word, &spelled, 100.0));
        let of_seven = 7.0 * tokens::room(&spelled[97], 100.0);
        assert!((room - of_seven).abs() < 0.01, "{room}, and {of_seven} of the first seven");
    }
}
