//! What the elements of a buffer mean.

/// What the elements of a buffer mean, so that they can be shown as more than numbers. `T` is what stands for another buffer.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Meaning<T> {
    /// Numbers.
    #[default]
    Plain,
    /// Each is the byte of this text at which a token begins.
    Cuts(T),
    /// Row `i` has the two tokens that token `first + i` consists of; smaller tokens are bytes.
    Makes(u32),
    /// A row is a word: where its tokens begin, how many they are, how often the word occurs.
    Words {
        /// The tokens of all words.
        tokens: T,
        /// The two tokens of each token that is more than a byte.
        merges: T,
        /// The first token that is more than a byte.
        first: u32,
    },
    /// A row has a rank's elements, as many chunks as there are ranks, which exchange them.
    Links {
        /// Bytes that each rank (row) has sent to each other (column).
        meter: T,
        /// These bytes before the launch.
        meter_before: T,
        /// The elements before the launch.
        before: T,
    },
    /// A row is a span of time: its track, its part, its beginning and its end. The tracks have these names.
    Spans(Vec<String>),
}

/// The moment at which another buffer is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The same as that of the buffer itself.
    Now,
    /// Before the launch.
    Before,
}

impl<T> Meaning<T> {
    /// The same with something else for other buffers, which `of` gets with the moment at which they are meant; None if it has nothing for one.
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
