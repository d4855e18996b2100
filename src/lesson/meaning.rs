//! Meanings of a buffer's elements: tokens, words, links, time spans.

/// The meaning of a buffer's elements, so that they can be shown as more than numbers. `T` refers to another buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Meaning<T> {
    /// Numbers.
    #[default]
    Plain,
    /// Each is the offset of the byte of this text at which a token begins.
    Cuts(T),
    /// Row `i` has the two tokens that make up token `first + i`; smaller tokens are bytes.
    Makes(u32),
    /// A row is a word: the position of its first token, the number of its tokens, the number of its occurrences.
    Words {
        /// The tokens of all words.
        tokens: T,
        /// The two tokens of each merged token.
        merges: T,
        /// The first merged token; smaller ones are bytes.
        first: u32,
    },
    /// A row has the elements of one rank, in as many chunks as there are ranks, which exchange them.
    Links {
        /// Bytes that each rank (row) has sent to each other (column).
        meter: T,
        /// The same count before the launch.
        meter_before: T,
        /// The elements before the launch.
        before: T,
    },
    /// A row is a span of time: its track, its part, its beginning and its end. These are the tracks' names.
    Spans(Vec<String>),
}

/// The moment at which another buffer is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The same moment as for the buffer itself.
    Now,
    /// Before the launch.
    Before,
}

impl<T> Meaning<T> {
    /// Maps the references to other buffers; `of` gets each with its moment. None if `of` returns None for one.
    pub fn map<'a, U>(&'a self, mut of: impl FnMut(&'a T, When) -> Option<U>) -> Option<Meaning<U>> {
        let mut now = |other| of(other, When::Now);
        Some(match self {
            Self::Plain => Meaning::Plain,
            Self::Cuts(text) => Meaning::Cuts(now(text)?),
            Self::Makes(first) => Meaning::Makes(*first),
            Self::Words { tokens, merges, first } => {
                Meaning::Words { tokens: now(tokens)?, merges: now(merges)?, first: *first }
            }
            Self::Spans(tracks) => Meaning::Spans(tracks.clone()),
            Self::Links { meter, meter_before, before } => Meaning::Links {
                meter: now(meter)?,
                meter_before: of(meter_before, When::Before)?,
                before: of(before, When::Before)?,
            },
        })
    }
}
