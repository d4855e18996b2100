//! The rule by which a figure in prose looks measured: a number with a unit of time or of a rate, a percentage, a
//! factor.

use warpbook::lesson::{Block, Inline};

/// Units of time.
const TIMES: [&str; 16] = [
    "ns",
    "µs",
    "μs",
    "us",
    "ms",
    "s",
    "nanosecond",
    "nanoseconds",
    "microsecond",
    "microseconds",
    "millisecond",
    "milliseconds",
    "second",
    "seconds",
    "minute",
    "minutes",
];

/// The findings. Code, formulas and `{{…}}` are left out: the first two are no measurements, the last is computed.
#[derive(Default)]
pub struct Typed(pub Vec<String>);

impl Typed {
    pub fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Heading(_, line) | Block::Paragraph(line) => self.line(line),
                Block::List(_, items) => items.iter().for_each(|item| self.blocks(item)),
                Block::Quote(inner) | Block::Unfold(_, inner) => self.blocks(inner),
                Block::Table(header, rows) => self.table(header, rows),
                Block::Code(..) | Block::Math(_) | Block::Predict(_) | Block::Exercise(_) | Block::Explore(_) => {}
            }
        }
    }

    pub fn line(&mut self, line: &[Inline]) {
        for inline in line {
            match inline {
                Inline::Text(text) => self.0.extend(figures(text)),
                Inline::Emph(inner) | Inline::Strong(inner) | Inline::Link(_, inner) => self.line(inner),
                Inline::Code(_)
                | Inline::Math(_)
                | Inline::Value(..)
                | Inline::Quote(_)
                | Inline::Control(_)
                | Inline::Preset(..)
                | Inline::Break => {}
            }
        }
    }

    fn table(&mut self, header: &[Vec<Inline>], rows: &[Vec<Vec<Inline>>]) {
        header.iter().chain(rows.iter().flatten()).for_each(|cell| self.line(cell));
        for row in rows {
            let of_row = row.first().is_some_and(|first| names_a_unit(&plain(first)));
            for (column, cell) in row.iter().enumerate().skip(1) {
                let of_column = header.get(column).is_some_and(|head| names_a_unit(&plain(head)));
                let text = plain(cell);
                if (of_row || of_column) && text.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
                    self.0.push(format!("`{}` in a table", text.trim()));
                }
            }
        }
    }
}

fn plain(line: &[Inline]) -> String {
    let texts =
        line.iter().filter_map(|inline| if let Inline::Text(text) = inline { Some(text.as_str()) } else { None });
    texts.collect()
}

/// Whether a header names a unit that the numbers below it have.
fn names_a_unit(text: &str) -> bool {
    text.split([' ', '\u{a0}', ',', '(', ')']).any(|word| is_unit(word) || word == "%" || word == "percent")
}

fn is_unit(word: &str) -> bool {
    TIMES.contains(&word) || is_rate(word)
}

/// Whether a word is a rate: bytes or operations a second.
fn is_rate(word: &str) -> bool {
    let word = word.strip_prefix(['k', 'M', 'G', 'T', 'P']).unwrap_or(word);
    matches!(word, "B/s" | "FLOP/s" | "FLOPS" | "FLOPs" | "flop/s")
}

/// The numbers in a text that look measured, each with its unit.
fn figures(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(|c: char| c.is_ascii_digit()).map(|offset| at + offset) {
        let number =
            text[start..].find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ','))).unwrap_or(text.len() - start);
        let end = start + text[start..start + number].trim_end_matches(['.', ',']).len();
        at = end;
        // A digit within a name, such as H100.
        if text[..start].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let rest = &text[end..];
        let after = rest.trim_start_matches([' ', '\u{a0}', '\u{202f}', '\u{2009}']);
        let is_apart = after.len() < rest.len();
        let word = &after[..after.find(|c: char| !(c.is_alphanumeric() || c == '/')).unwrap_or(after.len())];
        // "1990s" is no time, and "32×32" no factor.
        let is_time = TIMES.contains(&word) && (is_apart || word != "s");
        let is_factor = rest.strip_prefix('×').is_some_and(|times| {
            !times.starts_with(char::is_alphanumeric) && !times.trim_start().starts_with(|c: char| c.is_ascii_digit())
        });
        let is_longer = ["times as long", "times as fast"].iter().any(|words| after.starts_with(words));
        let is_ratio = after.starts_with('%') || word == "percent" || is_longer || is_factor;
        if is_time || is_rate(word) || is_ratio {
            let shown: String = after.split_whitespace().take(3).collect::<Vec<_>>().join(" ");
            found.push(format!("`{} {shown}`", &text[start..end]));
        }
    }
    found
}
