//! The learner's Markdown as HTML, in which their own markup is shown, not interpreted.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::cards::ANSWER;
use super::html::{Set, safe_address};
use super::nesting::limited;
use crate::base::xml::escape;

/// The maximum nesting of quotations, lists, emphasis and links, as in a lesson's text. Deeper content is placed at the
/// last level: a pasted text may nest without an end, and each level takes a stack frame of the renderer.
pub(super) const DEEPEST: usize = 12;

/// An element that is open.
#[derive(Clone, Copy, Default)]
struct Open {
    /// The elements that nest, down to this one.
    depth: usize,
    /// Whether it has its tags.
    is_written: bool,
}

impl Open {
    /// An element within this one.
    fn inner(self, tag: &Tag<'_>) -> Self {
        let depth = self.depth + usize::from(nests(tag));
        // A list and its items go together.
        let is_written = if matches!(tag, Tag::Item) { self.is_written } else { depth <= DEEPEST || !nests(tag) };
        Self { depth, is_written }
    }
}

/// Whether an element can be within another of its kind.
fn nests(tag: &Tag<'_>) -> bool {
    match tag {
        Tag::BlockQuote(_) | Tag::List(_) | Tag::Emphasis | Tag::Strong | Tag::Strikethrough => true,
        Tag::Superscript | Tag::Subscript | Tag::Link { .. } | Tag::Image { .. } => true,
        Tag::FootnoteDefinition(_) | Tag::DefinitionList => true,
        Tag::Paragraph | Tag::Heading { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_) => false,
        Tag::Table(_) | Tag::TableHead | Tag::TableRow | Tag::TableCell => false,
        Tag::Item | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => false,
    }
}

/// The HTML of `text`. Headings come below those of the note; images become links, since a note is one file.
pub(super) fn html(text: &str, set: Set) -> String {
    let text = &*limited(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH | Options::ENABLE_TASKLISTS;
    let mut out = String::new();
    let mut in_head = false;
    let (mut columns, mut column) = (Vec::new(), 0_usize);
    let mut open: Vec<Open> = Vec::new();
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            // An answer is a line of its own.
            Event::SoftBreak if text[range.end..].starts_with(ANSWER) => out.push_str("<br/>\n"),
            Event::Start(tag) => {
                let new = open.last().copied().unwrap_or_default().inner(&tag);
                open.push(new);
                if !new.is_written {
                    continue;
                }
                in_head |= matches!(tag, Tag::TableHead);
                match tag {
                    Tag::TableHead | Tag::TableRow => column = 0,
                    Tag::TableCell => column += 1,
                    Tag::Table(ref alignments) => columns.clone_from(alignments),
                    _ => {}
                }
                let start = start(&tag, in_head);
                // A column that is aligned right has figures.
                match columns.get(column.wrapping_sub(1)) {
                    Some(Alignment::Right) if tag == Tag::TableCell => {
                        out.push_str(&start.replace('>', " class=\"figure\">"))
                    }
                    _ => out.push_str(&start),
                }
            }
            Event::End(tag) => {
                if open.pop().is_some_and(|ended| !ended.is_written) {
                    // Words of entries that have no tags are apart.
                    out.push_str(if tag == TagEnd::Item { "\n" } else { "" });
                    continue;
                }
                out.push_str(end(tag, in_head));
                in_head &= !matches!(tag, TagEnd::TableHead);
            }
            Event::Text(words) | Event::Html(words) | Event::InlineHtml(words) | Event::FootnoteReference(words) => {
                out.push_str(&escape(&words));
            }
            Event::Code(words) => out.push_str(&format!("<code>{}</code>", escape(&words))),
            Event::InlineMath(latex) => out.push_str(&set(&latex, false)),
            Event::DisplayMath(latex) => out.push_str(&set(&latex, true)),
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br/>\n"),
            Event::Rule => out.push_str("<hr/>\n"),
            Event::TaskListMarker(done) => out.push_str(if done { "☑ " } else { "☐ " }),
        }
    }
    out
}

fn start(tag: &Tag<'_>, in_head: bool) -> String {
    match tag {
        Tag::Paragraph => "<p>".to_owned(),
        Tag::Heading { level, .. } => format!("<h{}>", heading(*level)),
        Tag::BlockQuote(_) => "<blockquote>".to_owned(),
        Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => "<pre><code>".to_owned(),
        Tag::HtmlBlock => "<p class=\"raw\">".to_owned(),
        Tag::List(None) => "<ul>\n".to_owned(),
        Tag::List(Some(first)) => format!("<ol start=\"{first}\">\n"),
        Tag::Item => "<li>".to_owned(),
        Tag::Table(_) => "<table>\n".to_owned(),
        Tag::TableHead => "<thead><tr>".to_owned(),
        Tag::TableRow => "<tr>".to_owned(),
        Tag::TableCell => if in_head { "<th>" } else { "<td>" }.to_owned(),
        Tag::Emphasis => "<em>".to_owned(),
        Tag::Strong => "<strong>".to_owned(),
        Tag::Strikethrough => "<s>".to_owned(),
        Tag::Superscript => "<sup>".to_owned(),
        Tag::Subscript => "<sub>".to_owned(),
        Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => match safe_address(dest_url) {
            Some(address) => format!("<a href=\"{address}\">"),
            None => "<a>".to_owned(),
        },
        // Of extensions that are not turned on.
        Tag::FootnoteDefinition(_) | Tag::DefinitionListDefinition | Tag::MetadataBlock(_) => "<div>".to_owned(),
        Tag::DefinitionList | Tag::DefinitionListTitle => "<div>".to_owned(),
    }
}

fn end(tag: TagEnd, in_head: bool) -> &'static str {
    match tag {
        TagEnd::Paragraph | TagEnd::HtmlBlock => "</p>\n",
        TagEnd::Heading(level) => match heading(level) {
            4 => "</h4>\n",
            5 => "</h5>\n",
            _ => "</h6>\n",
        },
        TagEnd::BlockQuote(_) => "</blockquote>\n",
        TagEnd::CodeBlock => "</code></pre>\n",
        TagEnd::List(true) => "</ol>\n",
        TagEnd::List(false) => "</ul>\n",
        TagEnd::Item => "</li>\n",
        TagEnd::Table => "</tbody></table>\n",
        TagEnd::TableHead => "</tr></thead>\n<tbody>",
        TagEnd::TableRow => "</tr>\n",
        TagEnd::TableCell => {
            if in_head {
                "</th>"
            } else {
                "</td>"
            }
        }
        TagEnd::Emphasis => "</em>",
        TagEnd::Strong => "</strong>",
        TagEnd::Strikethrough => "</s>",
        TagEnd::Superscript => "</sup>",
        TagEnd::Subscript => "</sub>",
        TagEnd::Link | TagEnd::Image => "</a>",
        TagEnd::FootnoteDefinition | TagEnd::DefinitionListDefinition | TagEnd::MetadataBlock(_) => "</div>",
        TagEnd::DefinitionList | TagEnd::DefinitionListTitle => "</div>",
    }
}

/// The note's own headings go down to level 3.
fn heading(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 4,
        HeadingLevel::H2 => 5,
        HeadingLevel::H3 | HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::super::html::math;

    use super::DEEPEST;

    fn html(text: &str) -> String {
        super::html(text, math)
    }

    #[test]
    fn what_nests_without_an_end_is_flattened() -> Result<(), roxmltree::Error> {
        let list: String = (0..300).map(|depth| "  ".repeat(depth) + "- w\n").collect();
        let emphasis = "*w **w ".repeat(500) + "w" + &"***".repeat(500);
        let images = "![w ".repeat(500) + &"](a)".repeat(500);
        let mixed = "> - > 1. ".repeat(250) + "w";
        for text in [">".repeat(1000) + " w", "- ".repeat(1000) + "w", list, emphasis, images, mixed] {
            let words = text.matches('w').count();
            let page = format!("<div>{}</div>", html(&text));
            let document = roxmltree::Document::parse(&page)?;
            let depth = document.descendants().map(|node| node.ancestors().count()).max().unwrap_or(0);
            // An entry is within its list; text, its paragraph, the page and the document are around.
            assert!((DEEPEST..=2 * DEEPEST + 4).contains(&depth), "{depth}: {page:.400}");
            let text: String =
                document.descendants().filter_map(|node| node.text().filter(|_| node.is_text())).collect();
            assert_eq!(text.matches('w').count(), words, "{page:.400}");
        }
        // Within the limit all is as it was.
        let quoted = html(&(">".repeat(DEEPEST) + " w"));
        assert_eq!(quoted.matches("<blockquote>").count(), DEEPEST, "{quoted}");
        assert_eq!(html("- a\n  - b\n- c").matches("<li>").count(), 3);
        Ok(())
    }

    #[test]
    fn lines_that_break_are_xml() -> Result<(), roxmltree::Error> {
        let page = html("Q: Why?\nA: Because.  \nSo.\n\n---\n\n- [x] done\n");
        roxmltree::Document::parse(&format!("<a>{page}</a>"))?;
        assert!(page.contains("Why?<br/>\nA: Because.<br/>\nSo."), "{page}");
        Ok(())
    }

    #[test]
    fn markdown_becomes_html_and_html_stays_text() {
        assert_eq!(html("a **b** `c<d`"), "<p>a <strong>b</strong> <code>c&lt;d</code></p>\n");
        assert_eq!(html("# t"), "<h4>t</h4>\n");
        let table = html("| a |\n|---|\n| b |");
        assert_eq!(
            table,
            "<table>\n<thead><tr><th>a</th></tr></thead>\n<tbody><tr><td>b</td></tr>\n</tbody></table>\n"
        );
        assert!(super::html("| a | b |\n|---|--:|\n| c | 1 |", math).contains("<td>c</td><td class=\"figure\">1</td>"));
        for hostile in [
            "<script>alert(1)</script>",
            "x <img src=x onerror=alert(1)>",
            "[a](javascript:alert(1))",
            "![a](JaVaScRiPt:alert(1))",
            "[a](data:text/html;base64,AAAA)",
            "`</code><script>`",
            "```\n</pre><script>\n```",
            "<a@b.c\"onclick=x>",
        ] {
            let html = html(hostile);
            assert!(!html.contains("<script") && !html.contains("<img") && !html.contains("href=\""), "{html}");
            let whole = format!("<div>{html}</div>");
            let parsed = roxmltree::Document::parse(&whole);
            assert!(parsed.is_ok(), "{hostile}: {html}");
        }
        assert!(html("[a](https://x.y/?a=b&c=\"d\")").contains("href=\"https://x.y/?a=b&amp;c=&quot;d&quot;\""));
    }
}
