//! A report as Markdown with YAML front matter; its figures and tables lie beside it as files of their own.

use super::csv::{csv, to_read};
use super::report::{NoteBlock, Report, unique};
use crate::base::harmless::harmless;
use crate::lesson::{Block, Inline, Quote};

/// A note as Markdown, and the files that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The Markdown.
    pub text: String,
    /// Path relative to the note, with `/`, and contents.
    pub files: Vec<(String, String)>,
}

/// Rows of a table that are shown; the CSV has all.
const SHOWN_ROWS: usize = 40;

/// Writes the report. `name` is the note's file name without its ending; its files go to `name-figures` and `name-data`.
#[must_use]
pub fn render(report: &Report, name: &str) -> Rendered {
    let mut out = Rendered { text: front_matter(report), files: Vec::new() };
    let (mut figures, mut tables) = (Vec::new(), Vec::new());
    paragraph(&mut out.text, &format!("# {}", escape(&report.title)));
    for section in &report.sections {
        if !section.title.is_empty() {
            paragraph(&mut out.text, &format!("## {}", escape(&section.title)));
        }
        for block in &section.blocks {
            match block {
                NoteBlock::Prose(prose) => paragraph(&mut out.text, &blocks(prose)),
                NoteBlock::Figure { id, caption, svg, alt } => {
                    let path = format!("{name}-figures/{}.svg", unique(id, &mut figures));
                    paragraph(&mut out.text, &format!("![{}]({path})", escape(alt)));
                    paragraph(&mut out.text, &format!("*{}*", escape(caption)));
                    out.files.push((path, svg.clone()));
                }
                NoteBlock::Data { id, caption, header, rows } => {
                    let path = format!("{name}-data/{}.csv", unique(id, &mut tables));
                    let cut = match rows.len() {
                        n if n > SHOWN_ROWS => format!(", the first {SHOWN_ROWS} of {n} rows"),
                        _ => String::new(),
                    };
                    paragraph(&mut out.text, &format!("*{}*{cut} ([CSV]({path}))", escape(caption)));
                    let cells = |row: &Vec<String>| row.iter().map(|cell| escape(cell)).collect::<Vec<_>>();
                    let (columns, read) = to_read(header, rows);
                    let shown: Vec<Vec<String>> = read.iter().take(SHOWN_ROWS).map(cells).collect();
                    paragraph(&mut out.text, &table(&cells(&columns), &shown));
                    out.files.push((path, csv(header, rows)));
                }
                NoteBlock::Command(command) => paragraph(&mut out.text, &fenced("sh", command)),
                NoteBlock::OwnWords { words, .. } if words.trim().is_empty() => {}
                NoteBlock::OwnWords { about, words } => {
                    paragraph(&mut out.text, &format!("### {}", escape(about)));
                    paragraph(&mut out.text, words.trim_end());
                }
                NoteBlock::Prediction { question, options, answer, measured, traced, verdict, because } => {
                    let mut lines = vec![format!("**{}**", inline(question)), String::new()];
                    let Some(answer) = answer else {
                        lines.extend(options.iter().map(|option| format!("- [ ] {}", escape(option))));
                        let folded = "<details><summary>The answer</summary>";
                        lines.extend([String::new(), folded.to_owned(), String::new(), inline(because)]);
                        lines.extend([String::new(), "</details>".to_owned()]);
                        paragraph(&mut out.text, &prefixed(&lines.join("\n"), "> ", "> "));
                        continue;
                    };
                    lines.push(format!("- I said: {}", escape(answer)));
                    lines.extend(measured.iter().map(|value| format!("- Measured: {}", escape(value))));
                    lines.extend(traced.iter().map(|value| format!("- From the trace alone: {}", escape(value))));
                    lines.extend(verdict.iter().map(|value| format!("- **{}**", escape(value))));
                    lines.extend([String::new(), inline(because)]);
                    paragraph(&mut out.text, &prefixed(lines.join("\n").trim_end(), "> ", "> "));
                }
                // A diff's first lines have its names.
                NoteBlock::Source { language, text, folded: false, .. } => {
                    paragraph(&mut out.text, &fenced(language, text));
                }
                NoteBlock::Source { file, language, text, folded: true } => {
                    paragraph(&mut out.text, &format!("<details><summary>{}</summary>", escape(file)));
                    paragraph(&mut out.text, &fenced(language, text));
                    paragraph(&mut out.text, "</details>");
                }
            }
        }
    }
    // Code and the learner's own words are left as they are, also on a terminal.
    out.text = harmless(&out.text.replace("\r\n", "\n")).into_owned();
    out
}

/// Every value as a JSON string, which YAML reads as a quoted scalar whatever is in it. `<` is escaped in it, because a reader of Markdown
/// that knows no front matter would take a tag for HTML.
fn front_matter(report: &Report) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string().replace('<', "\\u003c");
    let mut out = format!(
        "---\ntitle: {}\nlesson: {}\ncreated: {}\n",
        quoted(&report.title),
        quoted(&report.lesson),
        quoted(&report.created)
    );
    if !report.meta.is_empty() {
        out.push_str("made_with:\n");
        for (key, value) in &report.meta {
            out.push_str(&format!("  {}: {}\n", quoted(key), quoted(value)));
        }
    }
    out + "---\n"
}

/// Adds a paragraph, apart from what comes before.
fn paragraph(out: &mut String, text: &str) {
    if !text.is_empty() {
        out.push('\n');
        out.push_str(text.trim_end_matches('\n'));
        out.push('\n');
    }
}

fn blocks(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        let text = match block {
            Block::Heading(level, words) => {
                format!("{} {}", "#".repeat(usize::from((*level).clamp(3, 6))), inline(words))
            }
            Block::Paragraph(words) => inline(words),
            Block::List(start, entries) => list(*start, entries),
            Block::Quote(inner) => prefixed(&self::blocks(inner), "> ", "> "),
            Block::Code(language, text) => fenced(language, text),
            Block::Math(latex) => format!("$$\n{}\n$$", formula(latex)),
            Block::Table(header, rows) => {
                let cells = |row: &Vec<Vec<Inline>>| row.iter().map(|cell| inline(cell)).collect::<Vec<_>>();
                table(&cells(header), &rows.iter().map(cells).collect::<Vec<_>>())
            }
            Block::Predict(id) => format!("Prediction {}", code(id)),
            Block::Exercise(id) => format!("Exercise {}", code(id)),
            Block::Explore(name) => format!("Explorer {}", code(name)),
            Block::Unfold(title, inner) => {
                prefixed(&format!("**{}**\n\n{}", escape(title), self::blocks(inner)), "> ", "> ")
            }
        };
        paragraph(&mut out, &text);
    }
    out.trim_start_matches('\n').trim_end_matches('\n').to_owned()
}

fn list(start: Option<u64>, entries: &[Vec<Block>]) -> String {
    let mut out: Vec<String> = Vec::new();
    for (i, entry) in entries.iter().enumerate() {
        let mark = start.map_or_else(|| "- ".to_owned(), |first| format!("{}. ", first + i as u64));
        out.push(prefixed(&blocks(entry), &mark, &" ".repeat(mark.len())));
    }
    out.join("\n")
}

/// `text` with `first` before its first line and `rest` before all others.
fn prefixed(text: &str, first: &str, rest: &str) -> String {
    let lines = text.split('\n').enumerate().map(|(i, line)| {
        let prefix = if i == 0 { first } else { rest };
        format!("{prefix}{line}").trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn inline(words: &[Inline]) -> String {
    words
        .iter()
        .map(|word| match word {
            Inline::Text(text) => escape(text),
            Inline::Emph(inner) => format!("*{}*", inline(inner)),
            Inline::Strong(inner) => format!("**{}**", inline(inner)),
            Inline::Code(text) => code(text),
            Inline::Math(latex) => format!("${}$", formula(latex)),
            Inline::Link(address, inner) => format!("[{}]({})", inline(inner), target(address)),
            Inline::Value(expr, unit) | Inline::Quote(Quote { expr, unit, .. }) if unit.is_empty() => {
                code(expr.source())
            }
            Inline::Value(expr, unit) | Inline::Quote(Quote { expr, unit, .. }) => {
                format!("{} {}", code(expr.source()), escape(unit))
            }
            Inline::Preset(words, _) => escape(words),
            Inline::Control(id) => code(id),
            Inline::Break => "\\\n".to_owned(),
        })
        .collect()
}

/// LaTeX in which nothing is an HTML tag to a reader of Markdown that knows no formulas: `<` is separated from what follows.
fn formula(latex: &str) -> String {
    let mut out = String::with_capacity(latex.len());
    let mut rest = latex.trim().chars().peekable();
    while let Some(c) = rest.next() {
        out.push(c);
        if c == '<' && rest.peek().is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')) {
            out.push(' ');
        }
    }
    out
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
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '$' | '&' | '#' | '!' => {
                out.push('\\');
                out.push(c);
            }
            // These matter at the start of a line only, where a paragraph may begin.
            '-' | '+' | '=' if out.trim().is_empty() => {
                out.push('\\');
                out.push(c);
            }
            '.' | ')' if is_number(&out) && rest.as_str().chars().next().is_none_or(char::is_whitespace) => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// Whether `before` is only digits.
fn is_number(before: &str) -> bool {
    !before.trim().is_empty() && before.trim().chars().all(|c| c.is_ascii_digit())
}

/// The longest run of backticks in `text`.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let fence = "`".repeat(longest_run(&text) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn fenced(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

fn table(header: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |", cells.join(" | ").replace('\n', " "));
    let mut out = vec![line(header), format!("|{}", " --- |".repeat(header.len()))];
    out.extend(rows.iter().map(|row| line(row)));
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    fn events(text: &str) -> Vec<Event<'_>> {
        Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH).collect()
    }

    fn words(text: &str) -> String {
        events(text)
            .iter()
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                    Some(text.as_ref())
                }
                _ => None,
            })
            .collect()
    }

    #[test]
    fn a_question_that_was_passed_over_has_its_options_and_a_folded_answer() {
        let mut report = sample();
        for block in report.sections.iter_mut().flat_map(|section| &mut section.blocks) {
            if let NoteBlock::Prediction { answer, .. } = block {
                *answer = None;
            }
        }
        let rendered = render(&report, "name").text;
        let [asked, folded, told] =
            ["- [ ] 80 %", "<details><summary>The answer</summary>", "The fifth sector is in L2."]
                .map(|part| rendered.find(part).unwrap_or_else(|| panic!("no {part}: {rendered}")));
        assert!(asked < folded && folded < told && !rendered.contains("I said"), "{rendered}");
        let page = super::super::html::render(&report);
        assert!(page.contains("<li>80 %</li>") && page.contains("<details><summary>The answer</summary>"), "{page}");
    }

    #[test]
    fn formulas_hold_no_tags() {
        assert_eq!(formula(r"\text{<script>x</script>} a<b, 1<2"), r"\text{< script>x< /script>} a< b, 1<2");
    }

    #[test]
    fn nothing_in_a_note_is_html_or_steers_a_terminal() {
        let mut report = sample();
        report.title = "<script>x</script>".to_owned();
        let source = "// a\u{1b}[31m\0b\r\nfn main() {}".to_owned();
        report.sections.truncate(1);
        report.sections[0].blocks = vec![NoteBlock::Source {
            file: "a.wgsl".to_owned(),
            language: "wgsl".to_owned(),
            text: source,
            folded: false,
        }];
        let rendered = render(&report, "name").text;
        assert!(rendered.contains("// a\u{fffd}[31m\u{fffd}b\nfn main() {}"), "{rendered}");
        // Without knowledge of front matter, it is a part of the text.
        assert!(!events(&rendered).iter().any(|e| matches!(e, Event::InlineHtml(_) | Event::Html(_))), "{rendered}");
    }

    #[test]
    fn plain_text_survives_a_markdown_reader() {
        for text in [
            "# no heading",
            "- no list",
            "1. no list",
            "12) none",
            "94.8 %",
            "12.",
            "=== no heading",
            "a*b*c _d_ ~~e~~ `f` $g$ $$h$$",
            "<script>alert(1)</script> &amp; &lt;",
            "[a](b) ![c](d) <https://e.f>",
            "a | b \\ c \\* d",
            "> no quote",
            "+ no list",
            "--- none",
        ] {
            assert_eq!(words(&escape(text)), text);
            let plain = |event: &Event<'_>| {
                matches!(
                    event,
                    Event::Text(_) | Event::Start(Tag::Paragraph) | Event::End(pulldown_cmark::TagEnd::Paragraph)
                )
            };
            let marked = escape(text);
            assert!(events(&marked).iter().all(plain), "{:?}", events(&marked));
        }
        for text in ["a ` b", "``", " x ", "`"] {
            assert_eq!(words(&code(text)).trim(), text.trim());
        }
    }

    #[test]
    fn a_note_reads_back() -> Result<(), serde_json::Error> {
        let rendered = render(&sample(), "coalescing-2026-11-20");
        let (front, body) = rendered.text[4..].split_once("---\n").unwrap_or_default();
        for line in front.lines().filter(|line| *line != "made_with:") {
            let (_, value) = line.rsplit_once("\": ").or_else(|| line.split_once(": ")).unwrap_or_default();
            serde_json::from_str::<String>(value)?;
        }
        assert!(front.contains("\"driver\": \"580.1\\nsecond: line\""), "{front}");
        let words = words(body);
        for expected in [
            "Coalescing: \"strides\" & <sectors>",
            "sectors_of_32 <b>bytes</b>",
            "\\min(4s, 32)",
            "a ` b",
            "a [page]",
            "let a = b[i]; // ``` ",
            "# not a heading",
            "I said: 90 %",
            "fn main() { a < b; }",
        ] {
            assert!(words.contains(expected), "{expected:?} in {words}");
        }
        assert!(events(body).iter().any(|e| matches!(e, Event::Start(Tag::List(Some(3))))));
        let tables = events(body).iter().filter(|e| matches!(e, Event::Start(Tag::Table(_)))).count();
        assert_eq!(tables, 2);
        let paths: Vec<&str> = rendered.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(paths, ["coalescing-2026-11-20-figures/stride.svg", "coalescing-2026-11-20-data/stride.csv"]);
        assert!(paths.iter().all(|path| body.contains(&format!("({path})"))));
        // Raw HTML comes from the learner's own text only, where it is the learner's business.
        let html = events(body).iter().filter(|e| matches!(e, Event::Start(Tag::HtmlBlock))).count();
        assert_eq!(html, 1);
        Ok(())
    }
}
