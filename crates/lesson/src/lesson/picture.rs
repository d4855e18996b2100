//! The initial figure of a step, with the arguments that the lesson gives it.

use super::prose::Inline;
use crate::base::diag::Place;
use crate::base::expr::Expr;

/// A figure by its name, with arguments. `figures` lists the figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The figure's name: `Warp`, `Matrices`.
    pub name: String,
    /// The arguments, in the lesson's order.
    pub args: Vec<PictureArg>,
    /// The place in the lesson; None if the lesson does not have it.
    pub place: Option<Place>,
}

/// One argument.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureArg {
    pub name: String,
    pub value: ArgValue,
    pub place: Place,
}

/// The value of an argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgValue {
    /// Words, a buffer's name, or an expression.
    Text(String),
    /// A list of words.
    Texts(Vec<String>),
    /// One or more texts, with live elements in at least one of them.
    Live(Vec<LiveText>),
    Number(f64),
}

/// A text with live elements.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveText {
    /// The text with its elements.
    pub inlines: Vec<Inline>,
    /// The text with "…" in place of its live elements.
    pub plain: String,
}

impl LiveText {
    /// A text by its elements.
    #[must_use]
    pub fn new(inlines: Vec<Inline>) -> Self {
        let plain = inlines.iter().map(plain).collect();
        Self { inlines, plain }
    }

    /// Its single element, if it is a value or a quoted figure and nothing else.
    #[must_use]
    pub fn amount(&self) -> Option<&Inline> {
        match &self.inlines[..] {
            [amount @ (Inline::Value(..) | Inline::Quote(_))] => Some(amount),
            _ => None,
        }
    }
}

/// The words of an element, "…" if it is live.
fn plain(inline: &Inline) -> String {
    match inline {
        Inline::Text(text) | Inline::Code(text) | Inline::Math(text) | Inline::Preset(text, _) => text.clone(),
        Inline::Emph(inner) | Inline::Strong(inner) | Inline::Link(_, inner) => inner.iter().map(plain).collect(),
        Inline::Value(..) | Inline::Quote(_) | Inline::Control(_) => "…".to_owned(),
        Inline::Break => " ".to_owned(),
    }
}

/// The default figure of a step.
pub const USUAL: &str = "Warp";

impl Default for Picture {
    fn default() -> Self {
        Self::named(USUAL)
    }
}

impl Picture {
    /// A figure without arguments.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), args: Vec::new(), place: None }
    }

    /// An argument's value.
    #[must_use]
    pub fn arg(&self, name: &str) -> Option<&ArgValue> {
        self.args.iter().find(|arg| arg.name == name).map(|arg| &arg.value)
    }

    /// An argument that is text, without the values of its live elements; empty if there is none.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        match self.arg(name) {
            Some(ArgValue::Text(text)) => text,
            Some(ArgValue::Live(live)) => live.first().map_or("", |live| &live.plain),
            _ => "",
        }
    }

    /// An argument that is a list of words; empty if there is none.
    #[must_use]
    pub fn texts(&self, name: &str) -> &[String] {
        match self.arg(name) {
            Some(ArgValue::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// An argument that is a number.
    #[must_use]
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.arg(name) {
            Some(ArgValue::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The arguments that are expressions of the lesson's parameters, as far as they parse; numbers are included.
    pub fn expressions<'a>(&'a self, names: &'a [&'a str]) -> impl Iterator<Item = (&'a str, Expr)> {
        names.iter().filter_map(|name| {
            let text = match self.arg(name)? {
                ArgValue::Text(text) => text.clone(),
                ArgValue::Number(number) => number.to_string(),
                ArgValue::Texts(_) | ArgValue::Live(_) => return None,
            };
            Some((*name, Expr::parse(&text).ok()?))
        })
    }
}
