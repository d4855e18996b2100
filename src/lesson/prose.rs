//! Prose, as a step's section of `text.md` reads.

use crate::base::expr::Expr;

/// A block of prose.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading below the step's own, level 3 to 6.
    Heading(u8, Vec<Inline>),
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list; numbered from the given start, or bulleted.
    List(Option<u64>, Vec<Vec<Block>>),
    /// A quotation or an aside.
    Quote(Vec<Block>),
    /// Code in some language.
    Code(String, String),
    /// A formula on its own line, in LaTeX.
    Math(String),
    /// A table: its header, then its rows.
    Table(Vec<Vec<Inline>>, Vec<Vec<Vec<Inline>>>),
    /// A prediction, by its id.
    Predict(String),
    /// The exercise.
    Exercise,
    /// A picture that the learner drags, by its name in `reference`'s table of explorers.
    Explore(String),
    /// What is folded away until the reader asks for it: its title, and what it holds.
    Unfold(String, Vec<Block>),
}

/// A piece of a line of prose.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Emphasis.
    Emph(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Code.
    Code(String),
    /// A formula in LaTeX.
    Math(String),
    /// A link: its address and its text.
    Link(String, Vec<Inline>),
    /// A live value and its unit.
    Value(Expr, String),
    /// A control for the parameter of this id.
    Control(String),
    /// A forced new line.
    Break,
}
