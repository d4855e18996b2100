//! Live elements within a line: a parameter's control, a value, a quoted figure.

use std::ops::Range;

use super::Markdown;
use crate::lesson::mention::{Access, Of};
use crate::lesson::model::Inline;
use crate::lesson::prose::Quote;

impl Markdown<'_> {
    pub(super) fn live(&self, live: &Range<usize>) -> Option<Inline> {
        let (inside, at) = self.trimmed(live);
        if let Some(settings) = inside.strip_prefix("set ") {
            return self.preset(settings, at + inside.len() - settings.len());
        }
        let Some(formula) = inside.strip_prefix('=') else {
            if placed_word(inside) {
                self.error(at, format!("{{{{{inside}}}}} is within a line"), "give it a line of its own");
                return None;
            }
            self.mentions.add(inside, self.excerpt.place(at), Of::Param);
            return Some(Inline::Control(inside.to_owned()));
        };
        let (formula, source) = formula.split_once('@').map_or((formula, None), |(f, source)| (f, Some(source)));
        let (expr, unit) = formula.split_once(':').unwrap_or((formula, ""));
        let start = at + 1 + (expr.len() - expr.trim_start().len());
        let expr = self.excerpt.part(start..start + expr.trim().len());
        let unit = unit.trim().to_owned();
        let Some(source) = source else {
            return Some(Inline::Value(self.mentions.expr(expr, &Access::Results)?, unit));
        };
        let at = at + inside.len() - source.trim_start().len();
        let (expr, figures) = self.mentions.quoted(expr)?;
        if figures.is_empty() {
            let hint = "write figures, such as experiment.kernel.time[32]; or leave out the @ and what follows it";
            self.error(start, "nothing is quoted here", hint);
            return None;
        }
        let place = self.excerpt.place(at);
        Some(Inline::Quote(Quote { expr, unit, source: source.trim().to_owned(), place, figures }))
    }

    /// Reads `a=1, b=2 : Words`, which begins at this byte.
    fn preset(&self, inside: &str, at: usize) -> Option<Inline> {
        let (given, words) = inside.split_once(':').unwrap_or((inside, ""));
        if words.trim().is_empty() {
            self.error(at, "these settings have no words to click on", "write them after a colon: {{set k=1 : one}}");
            return None;
        }
        let mut settings = Vec::new();
        let mut start = at;
        for setting in given.split(',') {
            let begin = start + setting.len() - setting.trim_start().len();
            let value =
                setting.split_once('=').and_then(|(name, value)| Some((name, value.trim().parse::<f64>().ok()?)));
            let Some((name, value)) = value.filter(|(_, value)| value.is_finite()) else {
                self.error(begin, format!("`{}` is not a setting", setting.trim()), "write parameter=number");
                return None;
            };
            let value_at = begin + setting.trim().len() - setting.trim().split_once('=')?.1.trim_start().len();
            let of = Of::Setting(value, self.excerpt.place(value_at));
            self.mentions.add(name.trim(), self.excerpt.place(begin), of);
            settings.push((name.trim().to_owned(), value));
            start += setting.len() + 1;
        }
        Some(Inline::Preset(words.trim().to_owned(), settings))
    }
}

fn placed_word(inside: &str) -> bool {
    matches!(inside.split_whitespace().next(), Some("predict" | "exercise" | "explore" | "unfold"))
}
