//! A report as one self-contained HTML file, which reads well on screen and on paper. It runs no script but the one
//! that plays its pictures.

use std::collections::BTreeMap;

use super::csv::{SAMPLES, csv, to_read};
use super::own_words;
use super::page::{self, Played};
use super::report::{NoteBlock, Report, Section, unique};
use super::style::STYLE;
use crate::base::sanitize::harmless;
use crate::base::xml::{escape, number};
use crate::lesson::{Block, Inline, Quote};
use crate::math;

/// The size that formulas are drawn at: the body text's, in CSS pixels.
pub(super) const TEXT_PX: f32 = 17.0;

/// The first line of the file.
pub(super) const DOCTYPE: &str = "<!DOCTYPE html>\n";

/// Writes the report, with still pictures: the file without its first line.
#[must_use]
pub fn render(report: &Report) -> String {
    page(report, "default-src 'none'; style-src 'unsafe-inline'", "")
}

/// The same with its pictures that play.
#[must_use]
pub fn playing(report: &Report) -> String {
    match report.playing.as_ref().and_then(page::parts) {
        Some((policy, elements)) => page(report, &policy, &elements),
        None => render(report),
    }
}

/// The page under a policy, with elements at its end.
fn page(report: &Report, policy: &str, elements: &str) -> String {
    let mut body = String::new();
    body.push_str(&format!("<header>\n<p class=\"kicker\">Warpbook note · {}</p>\n", escape(&report.lesson)));
    body.push_str(&format!("<h1>{}</h1>\n", escape(&report.title)));
    body.push_str(&format!("<p class=\"date\"><time>{}</time></p>\n</header>\n", escape(&report.created)));
    body.push_str(&contents(&report.sections));
    let mut taken = Vec::new();
    for section in &report.sections {
        if !section.title.is_empty() {
            let id = unique(&section.id, &mut taken);
            body.push_str(&format!("<h2 id=\"{id}\">{}</h2>\n", escape(&section.title)));
        }
        for block in &section.blocks {
            body.push_str(&note_block(block, report.playing.as_ref().map(|playing| &playing.figures)));
        }
    }
    if !report.meta.is_empty() {
        body.push_str("<footer>\n<h2>Made with</h2>\n<dl>\n");
        for (key, value) in &report.meta {
            body.push_str(&format!("<dt>{}</dt><dd>{}</dd>\n", escape(key), escape(value)));
        }
        body.push_str("</dl>\n</footer>\n");
    }
    let body = body.replace("\r\n", "\n");
    let body = harmless(&body);
    // The policy forbids the network, and other scripts, whatever a figure or a link may hold.
    format!(
        "<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
         <meta name=\"color-scheme\" content=\"light dark\"/>\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\"/>\n\
         <meta name=\"generator\" content=\"Warpbook\"/>\n<title>{}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<main>\n{body}</main>\n{elements}</body>\n</html>\n",
        escape(&report.title)
    )
}

/// Sections from which on a note has a table of contents.
const CONTENTS: usize = 3;

/// The table of contents; empty for a short note.
fn contents(sections: &[Section]) -> String {
    let mut taken = Vec::new();
    let titled = sections.iter().filter(|section| !section.title.is_empty());
    let entry = |section: &Section| {
        let id = unique(&section.id, &mut taken);
        format!("<li><a href=\"#{id}\">{}</a></li>\n", escape(&section.title))
    };
    let entries: Vec<String> = titled.map(entry).collect();
    if entries.len() < CONTENTS {
        return String::new();
    }
    format!("<nav aria-label=\"Contents\">\n<ol>\n{}</ol>\n</nav>\n", entries.concat())
}

/// A part of a note, whose pictures play as `playing` says.
pub(super) fn note_block(block: &NoteBlock, playing: Option<&BTreeMap<String, Played>>) -> String {
    match block {
        NoteBlock::Prose(prose) => blocks(prose, math),
        NoteBlock::Figure { id, caption, svg, alt } => {
            let played = playing.and_then(|figures| figures.get(id));
            let (plays, svg, why) = match played {
                Some(Played::Here { of, still }) => (format!(" data-plays=\"{}\"", escape(of)), still, String::new()),
                Some(Played::InTheProgram(why)) => (
                    String::new(),
                    svg,
                    format!("<p class=\"tip\">It plays in the program, and not here: {}.</p>\n", escape(why)),
                ),
                None => (String::new(), svg, String::new()),
            };
            let picture = if is_svg(svg) { svg.clone() } else { format!("<p>{}</p>", escape(alt)) };
            format!(
                "<figure class=\"wide\"{plays}>\n{picture}<figcaption>{}</figcaption>\n{why}</figure>\n",
                escape(caption)
            )
        }
        NoteBlock::Data { caption, header, rows, .. } => {
            let every_digit = whole(header, rows);
            let (header, rows) = to_read(header, rows);
            data(caption, &header, &rows, &every_digit)
        }
        NoteBlock::Command(command) => format!("<pre class=\"command\"><code>{}</code></pre>\n", escape(command)),
        NoteBlock::OwnWords { words, .. } if words.trim().is_empty() => String::new(),
        NoteBlock::OwnWords { about, words } => {
            let heading = if about.is_empty() { String::new() } else { format!("<h3>{}</h3>\n", escape(about)) };
            format!("<section class=\"own\">\n{heading}{}</section>\n", own_words::html(words, math))
        }
        NoteBlock::Prediction { question, options, answer: None, because, .. } => {
            let options: String = options.iter().map(|option| format!("<li>{}</li>\n", escape(option))).collect();
            let options = if options.is_empty() { options } else { format!("<ul>\n{options}</ul>\n") };
            let (question, because) = (inline(question, math), inline(because, math));
            format!(
                "<section class=\"card\">\n<p class=\"question\">{question}</p>\n{options}<details><summary>The answer</summary>\n\
                 <p>{because}</p>\n</details>\n</section>\n"
            )
        }
        NoteBlock::Prediction { question, answer: Some(answer), measured, traced, verdict, because, .. } => {
            let row = |name: &str, value: &str| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(value));
            let mut rows = row("I said", answer);
            rows.extend(measured.iter().map(|value| row("Measured", value)));
            rows.extend(traced.iter().map(|[how, value]| row(how, value)));
            let verdict =
                verdict.as_ref().map_or_else(String::new, |said| format!("<p><strong>{}</strong></p>\n", escape(said)));
            let because =
                if because.is_empty() { String::new() } else { format!("<p>{}</p>\n", inline(because, math)) };
            let question = inline(question, math);
            format!(
                "<section class=\"card\">\n<p class=\"question\">{question}</p>\n<dl>\n{rows}</dl>\n{verdict}{because}</section>\n"
            )
        }
        NoteBlock::Source { file, language, text, folded } => {
            let open = if *folded { "" } else { " open=\"open\"" };
            let text = if language == "diff" { diff(text) } else { escape(text) };
            let file = escape(file);
            format!("<details class=\"wide\"{open}><summary>{file}</summary><pre><code>{text}</code></pre></details>\n")
        }
    }
}

/// A unified diff with its lines marked.
fn diff(text: &str) -> String {
    let line = |line: &str| match line.as_bytes().first() {
        Some(b'+') => format!("<ins>{}</ins>", escape(line)),
        Some(b'-') => format!("<del>{}</del>", escape(line)),
        _ => escape(line),
    };
    text.split_inclusive('\n').map(|text| line(text.trim_end_matches('\n')) + "\n").collect()
}

/// Whether a figure is what it should be: one SVG element without scripts or foreign content.
pub(super) fn is_svg(text: &str) -> bool {
    let text = text.trim();
    let low = text.to_ascii_lowercase();
    let tame =
        !["<script", "<foreignobject", "<iframe", "javascript:", " onload", " onclick"].iter().any(|s| low.contains(s));
    tame && text.starts_with("<svg") && text.ends_with("</svg>") && low.matches("<svg").count() == 1
}

/// Columns that a table has at most in the width of the text; one with more is as wide as a figure.
const COLUMNS: usize = 6;

/// A table's numbers as CSV, as an attribute has it: without the single samples, which are many.
fn whole(header: &[String], rows: &[Vec<String>]) -> String {
    let kept = |row: &[String]| -> Vec<String> {
        row.iter().zip(header).filter(|(_, name)| *name != SAMPLES).map(|(cell, _)| cell.clone()).collect()
    };
    let rows: Vec<Vec<String>> = rows.iter().map(|row| kept(row)).collect();
    escape(&csv(&kept(header), &rows)).replace("\r\n", "&#10;")
}

/// A table as it is read, with all digits of its numbers as `every_digit`, for `rerun`.
fn data(caption: &str, header: &[String], rows: &[Vec<String>], every_digit: &str) -> String {
    // Columns of figures are aligned right, so that their digits are in columns too.
    let is_figure = |cell: &String| cell.starts_with(|c: char| c.is_ascii_digit() || "-−–+.<≈".contains(c));
    let class = |column: usize| {
        let cells = || rows.iter().filter_map(|row| row.get(column));
        if cells().next().is_some() && cells().all(is_figure) { " class=\"figure\"" } else { "" }
    };
    let classes: Vec<&str> = (0..header.len()).map(class).collect();
    let class = |column: usize| classes.get(column).copied().unwrap_or_default();
    let cell = |tag: &str, i: usize, text: &String| format!("<{tag}{}>{}</{tag}>", class(i), escape(text));
    let line = |tag: &str, row: &[String]| -> String {
        let cells: String = row.iter().enumerate().map(|(i, text)| cell(tag, i, text)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let body: String = rows.iter().map(|row| line("td", row)).collect();
    let wide = if header.len() > COLUMNS { " wide" } else { "" };
    format!(
        "<div class=\"scroll{wide}\"><table data-csv=\"{every_digit}\">\n<caption>{}</caption>\n<thead>{}</thead>\n<tbody>{body}</tbody></table></div>\n",
        escape(caption),
        line("th", header)
    )
}

/// How a formula is set: its LaTeX, and whether it is displayed.
pub(super) type Set = fn(&str, bool) -> String;

fn blocks(blocks: &[Block], set: Set) -> String {
    blocks
        .iter()
        .map(|block| match block {
            Block::Heading(level, words) => {
                let level = (*level).clamp(3, 6);
                format!("<h{level}>{}</h{level}>\n", inline(words, set))
            }
            Block::Paragraph(words) => format!("<p>{}</p>\n", inline(words, set)),
            Block::List(start, entries) => {
                let entries: String =
                    entries.iter().map(|entry| format!("<li>{}</li>\n", self::blocks(entry, set).trim_end())).collect();
                match start {
                    Some(first) => format!("<ol start=\"{first}\">\n{entries}</ol>\n"),
                    None => format!("<ul>\n{entries}</ul>\n"),
                }
            }
            Block::Quote(inner) => format!("<blockquote>\n{}</blockquote>\n", self::blocks(inner, set)),
            Block::Code(_, text) => format!("<pre><code>{}</code></pre>\n", escape(text)),
            Block::Math(latex) => set(latex, true),
            Block::Table(header, rows) => {
                let line = |tag: &str, row: &[Vec<Inline>]| -> String {
                    row.iter().map(|cell| format!("<{tag}>{}</{tag}>", inline(cell, set))).collect()
                };
                let body: String = rows.iter().map(|row| format!("<tr>{}</tr>\n", line("td", row))).collect();
                let head = line("th", header);
                format!("<div class=\"scroll\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>\n")
            }
            Block::Predict(id) => format!("<p>Prediction <code>{}</code></p>\n", escape(id)),
            Block::Exercise(id) => format!("<p>Exercise <code>{}</code></p>\n", escape(id)),
            Block::Explore(name) => format!("<p>Explorer <code>{}</code></p>\n", escape(name)),
            Block::Unfold(title, inner) => format!(
                "<details class=\"unfold\" open=\"open\"><summary>{}</summary>\n{}</details>\n",
                escape(title),
                self::blocks(inner, set)
            ),
        })
        .collect()
}

pub(super) fn inline(words: &[Inline], set: Set) -> String {
    words
        .iter()
        .map(|word| match word {
            Inline::Text(text) => escape(text),
            Inline::Emph(inner) => format!("<em>{}</em>", inline(inner, set)),
            Inline::Strong(inner) => format!("<strong>{}</strong>", inline(inner, set)),
            Inline::Code(text) | Inline::Control(text) => format!("<code>{}</code>", escape(text)),
            Inline::Preset(words, _) => escape(words),
            Inline::Math(latex) => set(latex, false),
            Inline::Link(address, inner) => match safe_address(address) {
                Some(address) => format!("<a href=\"{address}\">{}</a>", inline(inner, set)),
                None => inline(inner, set),
            },
            Inline::Value(expr, unit) | Inline::Quote(Quote { expr, unit, .. }) => {
                let unit = if unit.is_empty() { String::new() } else { format!(" {}", escape(unit)) };
                format!("<code>{}</code>{unit}", escape(expr.source()))
            }
            Inline::Break => "<br/>\n".to_owned(),
        })
        .collect()
}

/// A formula as a picture on the line's baseline, with its LaTeX for those who copy it; its source alone where it
/// cannot be set.
pub(super) fn math(latex: &str, display: bool) -> String {
    let size = if display { TEXT_PX * 1.1 } else { TEXT_PX };
    let copied = |fence: &str| format!("<span class=\"tex\">{fence}{}{fence}</span>", escape(latex.trim()));
    match math::svg(latex, display, size, "currentColor") {
        Ok(drawn) if display => format!("<div class=\"math\">{}{}</div>\n", drawn.svg, copied("$$")),
        Ok(drawn) => {
            let (depth, copied) = (number(drawn.depth), copied("$"));
            format!("<span class=\"math\" style=\"vertical-align:-{depth}px\">{}{copied}</span>", drawn.svg)
        }
        Err(_) => format!("<code class=\"unset\">{}</code>", escape(latex)),
    }
}

/// An address that does no more than lead somewhere, escaped; none for any other.
pub(super) fn safe_address(address: &str) -> Option<String> {
    let scheme = address.split(['/', '?', '#']).next().unwrap_or_default();
    let is_safe = match scheme.split_once(':') {
        Some((scheme, _)) => ["http", "https", "mailto"].iter().any(|safe| scheme.eq_ignore_ascii_case(safe)),
        None => true,
    };
    (is_safe && !address.chars().any(char::is_control)).then(|| escape(address))
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::*;

    #[test]
    fn a_note_is_well_formed_and_inert() -> Result<(), roxmltree::Error> {
        // The page keeps to what XML allows, but for its first line.
        let page = render(&sample());
        let document = roxmltree::Document::parse(&page)?;
        let all = || document.descendants();
        for banned in ["script", "img", "iframe", "link", "object", "b"] {
            assert!(!all().any(|node| node.tag_name().name() == banned), "{banned}");
        }
        for node in all().filter(roxmltree::Node::is_element) {
            for attribute in node.attributes() {
                assert!(!attribute.name().starts_with("on"), "{attribute:?}");
                assert!(!attribute.value().to_lowercase().contains("javascript:"), "{attribute:?}");
            }
        }
        let text: String = all().filter_map(|node| node.text()).collect();
        for expected in [
            "Coalescing: \"strides\" & <sectors>",
            "<b>bytes</b>",
            "<script>alert(1)</script>",
            "580.1\nsecond: line",
            "fn main() { a < b; }",
            "94.8 %, n=40",
        ] {
            assert!(text.contains(expected), "{expected}");
        }
        // Two formulas of the prose, one of the learner's, and the figure.
        assert_eq!(all().filter(|node| node.tag_name().name() == "svg").count(), 4);
        Ok(())
    }

    #[test]
    fn a_figure_that_is_no_picture_is_described() {
        let figure = |svg: &str| {
            note_block(
                &NoteBlock::Figure {
                    id: "x".into(),
                    caption: "c".into(),
                    svg: svg.into(),
                    alt: "what it shows".into(),
                },
                None,
            )
        };
        for hostile in [
            "<script>alert(1)</script>",
            "<svg><script>alert(1)</script></svg>",
            "<svg onload=\"alert(1)\"></svg>",
            "<svg></svg><p></p>",
            "",
        ] {
            assert!(figure(hostile).contains("<p>what it shows</p>"), "{hostile}");
        }
        assert!(figure("<svg></svg>").contains("<svg></svg>"));
    }

    #[test]
    fn addresses_only_lead_somewhere() {
        for safe in ["https://a.b/c:d", "HTTP://x", "mailto:a@b", "page#x", "./a:b"] {
            assert!(safe_address(safe).is_some(), "{safe}");
        }
        for other in
            ["javascript:x", "JAVASCRIPT:x", "data:text/html,x", "java\nscript:x", "file:///etc", " javascript:x"]
        {
            assert!(safe_address(other).is_none(), "{other}");
        }
    }

    #[test]
    fn a_formula_that_cannot_be_set_shows_its_source() {
        assert_eq!(math(r"\nope<", false), "<code class=\"unset\">\\nope&lt;</code>");
    }
}
