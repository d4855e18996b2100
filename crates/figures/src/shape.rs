//! How the elements of a buffer are shown.

/// How elements are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// As numbers, in as many columns as fit.
    #[default]
    Numbers,
    /// As shades, in as many columns as a matrix has.
    Shades,
    /// As bars: one for each row of a matrix, or for each element of what is none.
    Bars,
    /// As characters: each element is a byte of a text.
    Characters,
    /// As what they mean: the tokens of a text, merges, words.
    Meant,
}
