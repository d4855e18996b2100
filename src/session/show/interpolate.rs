//! Prose with its live values and controls replaced by the figures they show.

use crate::base::expr::Expr;
use crate::base::units::figure;
use crate::figures::Filled;
use crate::lesson::scope::{Env, PREDICTED_TIME};
use crate::lesson::{Block, Inline, Lesson, LiveText, Program, each_inline, within};
use crate::notes::site::LIVE;
use crate::session::jobs::Params;
use crate::session::pack::quote::Quotes;

/// The sources of the figures.
pub struct Fill<'a> {
    /// Names in expressions.
    pub env: &'a Env<'a>,
    /// Parameters, for controls.
    pub params: &'a Params,
    pub lesson: &'a Lesson,
    /// The figures that the lesson quotes.
    pub quotes: &'a Quotes,
    /// Whether values and controls get the marks of [`live`].
    pub live: bool,
}

impl Fill<'_> {
    /// The sources of the figures that some blocks quote; None if they quote nothing.
    #[must_use]
    pub fn sources_of(&self, blocks: &[Block]) -> Option<Block> {
        let names: Vec<&str> = self.quotes.names(self.lesson, blocks).into_iter().collect();
        let text = format!("Figures that were not measured here are from: {}.", names.join("; "));
        (!names.is_empty()).then(|| Block::Paragraph(vec![Inline::Text(text)]))
    }

    /// The block with its figures in place.
    #[must_use]
    pub fn block(&self, block: &Block) -> Block {
        let blocks = |list: &[Block]| list.iter().map(|b| self.block(b)).collect::<Vec<_>>();
        match block {
            Block::Heading(level, text) => Block::Heading(*level, self.inlines(text)),
            Block::Paragraph(text) => Block::Paragraph(self.inlines(text)),
            Block::List(start, items) => Block::List(*start, items.iter().map(|i| blocks(i)).collect()),
            Block::Quote(inner) => Block::Quote(blocks(inner)),
            Block::Unfold(title, inner) => Block::Unfold(title.clone(), blocks(inner)),
            Block::Table(header, rows) => {
                let row = |cells: &Vec<Vec<Inline>>| cells.iter().map(|c| self.inlines(c)).collect::<Vec<_>>();
                Block::Table(row(header), rows.iter().map(row).collect())
            }
            Block::Code(..) | Block::Math(_) | Block::Predict(_) | Block::Exercise(_) | Block::Explore(_) => {
                block.clone()
            }
        }
    }

    /// The text of a value or a control; None of anything else.
    fn shown(&self, inline: &Inline) -> Option<String> {
        match inline {
            Inline::Value(expr, unit) => Some(match self.env.eval(expr) {
                Ok(value) => figure(value, unit),
                Err(_) => "(not measured)".to_owned(),
            }),
            Inline::Control(id) => {
                let param = self.lesson.params.iter().find(|param| param.id == *id);
                let words = self.params.get(id).zip(param).map(|(value, param)| param.words(*value));
                Some(words.unwrap_or_else(|| id.clone()))
            }
            _ => None,
        }
    }

    /// A text of a figure, with its live elements filled in.
    #[must_use]
    pub fn filled(&self, text: &LiveText) -> Filled {
        let mut filled = Filled::default();
        self.inlines(&text.inlines).iter().for_each(|inline| push_words(&mut filled.text, inline));
        within(&text.inlines, &mut |inline| {
            if let Inline::Quote(quote) = inline {
                filled
                    .from
                    .extend(self.quotes.read(self.lesson, quote, self.env).into_iter().flat_map(|read| read.from));
            }
        });
        filled.value = match text.amount() {
            Some(Inline::Value(expr, _)) => self.env.eval(expr).ok(),
            Some(Inline::Quote(quote)) => self.quotes.value(self.lesson, quote, self.env),
            _ => None,
        };
        filled
    }

    /// The texts of the values and controls of some blocks, in reading order.
    #[must_use]
    pub fn texts(&self, blocks: &[Block]) -> Vec<String> {
        let mut texts = Vec::new();
        each_inline(blocks, &mut |inline| texts.extend(self.shown(inline)));
        texts
    }

    /// The inlines with their figures in place.
    #[must_use]
    pub fn inlines(&self, inlines: &[Inline]) -> Vec<Inline> {
        inlines
            .iter()
            .map(|inline| match inline {
                Inline::Value(..) | Inline::Control(_) => {
                    let text = self.shown(inline).unwrap_or_default();
                    Inline::Text(if self.live { live(inline, &text) } else { text })
                }
                Inline::Quote(quote) => Inline::Text(match self.quotes.read(self.lesson, quote, self.env) {
                    Some(quoted) => quoted.text,
                    None => "(not recorded)".to_owned(),
                }),
                Inline::Preset(words, settings) => Inline::Text(match self.live {
                    true => preset(words, settings),
                    false => format!("{words} ({})", settings_text(settings)),
                }),
                Inline::Emph(inner) => Inline::Emph(self.inlines(inner)),
                Inline::Strong(inner) => Inline::Strong(self.inlines(inner)),
                Inline::Link(url, inner) => Inline::Link(url.clone(), self.inlines(inner)),
                Inline::Text(_) | Inline::Code(_) | Inline::Math(_) | Inline::Break => inline.clone(),
            })
            .collect()
    }
}

/// Adds the words of an element without live ones.
fn push_words(to: &mut String, inline: &Inline) {
    match inline {
        Inline::Text(text) | Inline::Code(text) | Inline::Math(text) => to.push_str(text),
        Inline::Emph(inner) | Inline::Strong(inner) | Inline::Link(_, inner) => {
            inner.iter().for_each(|inline| push_words(to, inline));
        }
        Inline::Break => to.push(' '),
        Inline::Value(..) | Inline::Control(_) | Inline::Quote(_) | Inline::Preset(..) => {}
    }
}

/// The text of a value or a control between the marks that a site's page replaces by an element; a control's parameter is before a third.
fn live(inline: &Inline, text: &str) -> String {
    let [begin, middle, end] = LIVE;
    match inline {
        Inline::Control(id) => format!("{begin}{id}{middle}{text}{end}"),
        _ => format!("{begin}{text}{end}"),
    }
}

/// The words of a preset between the marks, with its settings.
fn preset(words: &str, settings: &[(String, f64)]) -> String {
    let [begin, middle, end] = LIVE;
    let set: Vec<String> = settings.iter().map(|(id, value)| format!("{id}={value}")).collect();
    format!("{begin}{}{middle}{words}{end}", set.join(","))
}

/// Settings as a reader would type them: "k = 1, score = 0".
fn settings_text(settings: &[(String, f64)]) -> String {
    let one = |(name, value): &(String, f64)| format!("{name} = {}", figure(*value, ""));
    settings.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// A program whose results some prose uses.
pub struct Spoken {
    /// The program's id.
    pub program: String,
    /// The passes whose results it uses.
    pub passes: Vec<String>,
    /// Whether a predicted time is one of them.
    pub predicted: bool,
}

/// The programs whose results some prose uses, through values too; `each` calls its argument with each element of the prose.
#[must_use]
pub fn spoken_of<'a>(lesson: &'a Lesson, each: impl FnOnce(&mut dyn FnMut(&'a Inline))) -> Vec<Spoken> {
    let mut found: Vec<&Expr> = Vec::new();
    each(&mut |inline| {
        if let Inline::Value(expr, _) = inline {
            found.push(expr);
        }
    });
    let names = lesson.names_behind(found);
    let fields: Vec<(&str, &str)> = names.into_iter().filter_map(|name| name.split_once('.')).collect();
    let is_predicted = |field: &str| field.rsplit('.').next() == Some(PREDICTED_TIME.name);
    let predicted = |id: &str| fields.iter().any(|(run, field)| *run == id && is_predicted(field));
    let used = lesson.programs.iter().filter(|program| fields.iter().any(|(run, _)| *run == program.id));
    let passes = |id: &str| {
        let of = fields.iter().filter(|(run, _)| *run == id);
        of.filter_map(|(_, field)| Some(field.split_once('.')?.0.to_owned())).collect()
    };
    used.map(|Program { id, .. }| Spoken { program: id.clone(), passes: passes(id), predicted: predicted(id) })
        .collect()
}
