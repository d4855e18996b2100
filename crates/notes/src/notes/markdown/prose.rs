//! Prose as Markdown: blocks, inlines, and plain text in which nothing is markup.

use super::dialect::{Dialect, Sort};
use crate::lesson::{Block, Inline, Quote};

/// Adds a paragraph, apart from what comes before.
pub(super) fn paragraph(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push('\n');
        out.push_str(text.trim_end_matches('\n'));
        out.push('\n');
    }
}

/// Blocks as Markdown.
pub(super) fn blocks(dialect: Dialect, blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        let text = match block {
            Block::Heading(level, words) => {
                format!("{} {}", "#".repeat(usize::from((*level).clamp(3, 6))), inline(dialect, words))
            }
            Block::Paragraph(words) => inline(dialect, words),
            Block::List(start, entries) => list(dialect, *start, entries),
            Block::Quote(inner) => prefixed(&self::blocks(dialect, inner), "> ", "> "),
            Block::Code(language, text) => fenced(language, text),
            Block::Math(latex) => dialect.display_math(latex),
            Block::Table(header, rows) => {
                let cells = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| inline(dialect, cell)).collect::<Vec<_>>();
                table(&cells(header), &rows.iter().map(cells).collect::<Vec<_>>())
            }
            Block::Predict(id) => format!("Prediction {}", code(id)),
            Block::Exercise(id) => format!("Exercise {}", code(id)),
            Block::Explore(name) => format!("Explorer {}", code(name)),
            Block::Unfold(title, inner) => {
                dialect.apart(Sort::Aside, &escape(dialect, title), &self::blocks(dialect, inner))
            }
        };
        paragraph(&mut out, &text);
    }
    out.trim_start_matches('\n').trim_end_matches('\n').to_owned()
}

fn list(dialect: Dialect, start: Option<u64>, entries: &[Vec<Block>]) -> String {
    let mut out: Vec<String> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let mark = start.map_or_else(|| "- ".to_owned(), |first| format!("{}. ", first + i as u64));
        out.push(prefixed(&blocks(dialect, entry), &mark, &" ".repeat(mark.len())));
    }
    out.join("\n")
}

/// `text` with `first` before its first line and `rest` before all others.
pub(super) fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(i, line)| {
        let prefix = if i == 0 { first } else { rest };
        format!("{prefix}{line}").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Inlines as Markdown.
pub(super) fn inline(dialect: Dialect, words: &[Inline]) -> String {
    words
        .iter()
        .map(|word| match word {
            Inline::Text(text) => escape(dialect, text),
            Inline::Emph(inner) => format!("*{}*", inline(dialect, inner)),
            Inline::Strong(inner) => format!("**{}**", inline(dialect, inner)),
            Inline::Code(text) => code(text),
            Inline::Math(latex) => dialect.inline_math(latex),
            Inline::Link(address, inner) => format!("[{}]({})", inline(dialect, inner), target(address)),
            Inline::Value(expr, unit) | Inline::Quote(Quote { expr, unit, .. }) if unit.is_empty() => {
                code(expr.source())
            }
            Inline::Value(expr, unit) | Inline::Quote(Quote { expr, unit, .. }) => {
                format!("{} {}", code(expr.source()), escape(dialect, unit))
            }
            Inline::Preset(words, _) => escape(dialect, words),
            Inline::Control(id) => code(id),
            Inline::Break => "\\\n".to_owned(),
        })
        .collect()
}

/// A link's address, in angle brackets where plain would end early.
fn target(address: &str) -> String {
    let clean: String = address.chars().filter(|c| !c.is_control()).collect();
    if clean.contains([' ', '(', ')', '<', '>']) || clean.is_empty() {
        format!("<{}>", clean.replace('<', "%3C").replace('>', "%3E"))
    } else {
        clean
    }
}

/// Plain text, with every character escaped that Markdown may read as more. Line breaks become spaces.
pub(super) fn escape(dialect: Dialect, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut begun = Begun::Blank;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let is_escaped = match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '$' | '&' | '#' | '!' => true,
            c if dialect.specials().contains(&c) => true,
            // These matter at the start of a line only, where a paragraph may begin.
            '-' | '+' | '=' | ':' => begun == Begun::Blank,
            '.' | ')' => begun.is_number() && rest.as_str().chars().next().is_none_or(char::is_whitespace),
            _ => false,
        };
        let c = match c {
            '\n' | '\r' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        };
        begun = if is_escaped { Begun::Other } else { begun.with(c) };
        out.extend(is_escaped.then_some('\\').into_iter().chain([c]));
    }
    out
}

/// The construct that a line begins.
#[derive(Clone, Copy, PartialEq)]
enum Begun {
    /// Blanks alone.
    Blank,
    /// A number after them.
    Number,
    /// A number, and blanks again.
    NumberAndBlank,
    /// Anything else.
    Other,
}

impl Begun {
    fn with(self, c: char) -> Self {
        match (self, c) {
            (Self::Blank, c) if c.is_whitespace() => Self::Blank,
            (Self::Blank | Self::Number, '0'..='9') => Self::Number,
            (Self::Number | Self::NumberAndBlank, c) if c.is_whitespace() => Self::NumberAndBlank,
            _ => Self::Other,
        }
    }

    /// Whether there is a number alone.
    fn is_number(self) -> bool {
        matches!(self, Self::Number | Self::NumberAndBlank)
    }
}

/// The longest run of backticks in `text`.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Code within a line.
pub(super) fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Code in a fence that it cannot end.
pub(super) fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A table of cells in Markdown.
pub(super) fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | ").replace('\n', " "));
    let mut out = vec![line(header), format!("|{}", " --- |".repeat(header.len()))];
    out.extend(rows.iter().map(|row| line(row)));
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notes::Format;

    #[test]
    fn what_begins_a_line_is_escaped_and_the_same_elsewhere_is_not() {
        for (text, escaped) in [
            ("  12 . x", "  12 \\. x"),
            ("12.3. ", "12.3. "),
            ("1 2. x", "1 2. x"),
            ("12)", "12\\)"),
            (" \n-a - b", "  \\-a - b"),
            ("\t- a", "\u{fffd}- a"),
            ("+1. x", "\\+1. x"),
            (": a", "\\: a"),
        ] {
            assert_eq!(escape(Dialect(Format::Markdown), text), escaped);
        }
    }
}
