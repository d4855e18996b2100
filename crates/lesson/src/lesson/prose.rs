//! The prose of a step, from its section of `text.md`.

use super::model::Lesson;
use super::picture::ArgValue;
use crate::base::diag::Place;
use crate::base::expr::Expr;

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading below the step's own, level 3 to 6.
    Heading(u8, Vec<Inline>),
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
    /// An exercise, by its id.
    Exercise(String),
    /// A figure that the learner drags, by its name in `reference`'s table of explorers.
    Explore(String),
    /// Contents that are folded until the reader opens them: their title, and their blocks.
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
    Code(String),
    /// A formula in LaTeX.
    Math(String),
    /// A link: its address and its text.
    Link(String, Vec<Inline>),
    /// A live value and its unit.
    Value(Expr, String),
    /// A figure that was measured or published elsewhere.
    Quote(Quote),
    /// A control for the parameter of this id.
    Control(String),
    /// Words that set parameters when clicked: the words, and the parameters with their values.
    Preset(String, Vec<(String, f64)>),
    /// A forced line break.
    Break,
}

/// Arithmetic with figures from a recording, a profile or a device's data sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct Quote {
    /// The arithmetic. Names with a dot and elements are [`Quote::figures`]; other names are parameters, and values
    /// that follow from them.
    pub expr: Expr,
    /// The result's unit.
    pub unit: String,
    /// The source, in words of its id: "h200 cuda"; with "all" before them, every recording that they match.
    pub source: String,
    /// The place of the source's name.
    pub place: Place,
    /// The figures it uses, from left to right.
    pub figures: Vec<QuotedNumber>,
}

/// A figure of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct QuotedNumber {
    /// Its name in the source: `experiment.curve.time`, `run.counter`, `device.l2_bytes`.
    pub name: String,
    /// The position on a curve; None if it is not on a curve.
    pub at: Option<f64>,
    /// The place of its name.
    pub place: Place,
}

impl Quote {
    /// Whether it covers every source that its words match, and so is a range.
    #[must_use]
    pub fn is_range(&self) -> bool {
        self.source.split(' ').next() == Some("all")
    }
}

/// Calls `see` with each inline element in `blocks`, nested ones included.
pub fn each_inline<'a>(blocks: &'a [Block], see: &mut dyn FnMut(&'a Inline)) {
    for block in blocks {
        match block {
            Block::Heading(_, text) | Block::Paragraph(text) => within(text, see),
            Block::List(_, items) => items.iter().for_each(|item| each_inline(item, see)),
            Block::Quote(inner) | Block::Unfold(_, inner) => each_inline(inner, see),
            Block::Table(header, rows) => {
                header.iter().chain(rows.iter().flatten()).for_each(|cell| within(cell, see));
            }
            Block::Code(..) | Block::Math(_) | Block::Predict(_) | Block::Exercise(_) | Block::Explore(_) => {}
        }
    }
}

impl Lesson {
    /// Calls `see` with each inline element of its prose: steps with their figures, predictions and exercises.
    pub fn each_inline<'a>(&'a self, see: &mut dyn FnMut(&'a Inline)) {
        for step in &self.steps {
            each_inline(&step.blocks, see);
            for arg in &step.figure.args {
                let ArgValue::Live(texts) = &arg.value else { continue };
                texts.iter().for_each(|text| within(&text.inlines, see));
            }
        }
        for prediction in &self.predictions {
            within(&prediction.question, see);
            within(&prediction.because, see);
        }
        self.exercises.iter().for_each(|exercise| each_inline(&exercise.prompt, see));
    }
}

/// The same for the elements of one line.
pub fn within<'a>(inlines: &'a [Inline], see: &mut dyn FnMut(&'a Inline)) {
    for inline in inlines {
        see(inline);
        if let Inline::Emph(inner) | Inline::Strong(inner) | Inline::Link(_, inner) = inline {
            within(inner, see);
        }
    }
}
