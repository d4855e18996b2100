//! Tests of the Markdown parser: blocks, and the places of mistakes.

use proptest::prelude::*;

use super::*;
use crate::base::diag::Diagnostic;
use crate::base::expr::Expr;
use crate::lesson::excerpt::{Findings, Source};
use crate::lesson::mention::Mention;

fn read(text: &str) -> (Vec<Section>, Vec<Mention>, Vec<Diagnostic>) {
    let (found, mentions) = (Findings::default(), Mentions::default());
    let sections = {
        let source = Source::new("text.md", text, &found);
        sections(source.whole(), &mentions)
    };
    (sections, mentions.finish(), found.finish())
}

/// The blocks of a text without mistakes, after a step's heading.
fn blocks_of(text: &str) -> Vec<Block> {
    let (mut sections, _, found) = read(&format!("## Step {{#s}}\n\n{text}"));
    assert!(found.is_empty(), "{found:?}");
    sections.pop().map(|section| section.blocks).unwrap_or_default()
}

/// The first mistake of a text after a step's heading of two lines.
fn mistake(text: &str) -> String {
    let (_, _, found) = read(&format!("## Step {{#s}}\n\n{text}"));
    found.first().map(ToString::to_string).unwrap_or_default()
}

fn text(text: &str) -> Inline {
    Inline::Text(text.to_owned())
}

fn value(expr: &str, unit: &str) -> Inline {
    #[expect(clippy::unwrap_used, reason = "the tests below write expressions that parse")]
    Inline::Value(Expr::parse(expr).unwrap(), unit.to_owned())
}

#[test]
fn headings_begin_sections() {
    let (sections, _, found) = read("## The `copy` kernel {#copy}\n\nOne.\n\n### Below\n\n## Second {#two}\nTwo.\n");
    assert!(found.is_empty(), "{found:?}");
    let shape: Vec<_> =
        sections.iter().map(|s| (s.id.as_str(), s.title.as_str(), s.place.line, s.blocks.len())).collect();
    assert_eq!(shape, [("copy", "The copy kernel", 1, 2), ("two", "Second", 7, 1)]);
    assert_eq!(sections[0].blocks[1], Block::Heading(3, vec![text("Below")]));
}

#[test]
fn prose_has_live_parts_and_formulas() {
    let blocks =
        blocks_of("At {{stride}}, *{{= a*b*c : B/s}}* of $\\frac{{a}}{b}$\nand `{{code}}` **{{= if(n<2,1,2)}}**.");
    let line = vec![
        text("At "),
        Inline::Control("stride".to_owned()),
        text(", "),
        Inline::Emph(vec![value("a*b*c", "B/s")]),
        text(" of "),
        Inline::Math("\\frac{{a}}{b}".to_owned()),
        text(" and "),
        Inline::Code("{{code}}".to_owned()),
        text(" "),
        Inline::Strong(vec![value("if(n<2,1,2)", "")]),
        text("."),
    ];
    assert_eq!(blocks, [Block::Paragraph(line)]);
}

#[test]
fn words_can_set_parameters() {
    let preset = Inline::Preset("Two words".to_owned(), vec![("k".to_owned(), 1.0), ("score".to_owned(), 0.5)]);
    assert_eq!(blocks_of("{{set k=1, score = 0.5 : Two words}}"), [Block::Paragraph(vec![preset])]);
}

#[test]
fn blocks_of_all_kinds() {
    let blocks = blocks_of(
        "> quoted\n\n1. a\n   - b\n2. c\n\n```wgsl\nx = {{1}};\n```\n\n$$\nE = mc^2\n$$\n\n| a | b |\n|---|---|\n| {{= x || y}} | `c` |\n\n[t](https://a.b)\\\nend\n\n{{predict p}}\n\n{{exercise e}}\n",
    );
    let paragraph = |s: &str| Block::Paragraph(vec![text(s)]);
    let inner = Block::List(None, vec![vec![paragraph("b")]]);
    let list = Block::List(Some(1), vec![vec![paragraph("a"), inner], vec![paragraph("c")]]);
    let header = vec![vec![text("a")], vec![text("b")]];
    let row = vec![vec![value("x || y", "")], vec![Inline::Code("c".to_owned())]];
    let link = Inline::Link("https://a.b".to_owned(), vec![text("t")]);
    assert_eq!(
        blocks,
        [
            Block::Quote(vec![paragraph("quoted")]),
            list,
            Block::Code("wgsl".to_owned(), "x = {{1}};".to_owned()),
            Block::Math("\nE = mc^2\n".to_owned()),
            Block::Table(header, vec![row]),
            Block::Paragraph(vec![link, Inline::Break, text("end")]),
            Block::Predict("p".to_owned()),
            Block::Exercise("e".to_owned()),
        ]
    );
}

#[test]
fn quotations_unfold_and_nest() {
    let blocks = blocks_of("> {{unfold  Why}}\n>\n> a\n>\n> $$ b $$\n>\n> > {{unfold More}}\n> >\n> > c\n\n> d");
    let paragraph = |s: &str| Block::Paragraph(vec![text(s)]);
    let inner = Block::Unfold("More".to_owned(), vec![paragraph("c")]);
    let all = vec![paragraph("a"), Block::Math(" b ".to_owned()), inner];
    assert_eq!(blocks, [Block::Unfold("Why".to_owned(), all), Block::Quote(vec![paragraph("d")])]);
}

#[test]
fn mentions_have_places() {
    let (_, mentions, _) =
        read("## S {#s}\n\nAt {{stride}} and {{= n * k.time}}.\n\n{{predict p}}\n\n{{explore  it}}\n");
    let seen: Vec<String> = mentions.iter().map(|m| format!("{} {}", m.name, m.place)).collect();
    assert_eq!(
        seen,
        ["stride text.md:3:6", "n text.md:3:23", "k.time text.md:3:27", "p text.md:5:11", "it text.md:7:12"]
    );
}

#[test]
fn mistakes_have_places() {
    for (markdown, place, message) in [
        ("a <b>bold</b>", "3:3", "HTML is not supported"),
        ("<div>\nx\n</div>", "3:1", "HTML is not supported"),
        ("see ![x](https://a.b/c.png)", "3:5", "an image"),
        ("note[^1]\n\n[^1]: below", "3:5", "a footnote"),
        ("~~no~~", "3:1", "struck out"),
        ("- [ ] task", "3:3", "not supported"),
        ("a\n\n---\n", "5:1", "a rule"),
        ("# Title", "3:1", "heading of this level"),
        ("## No id", "3:1", "has no id"),
        ("## *Loud* {#x}", "3:1", "plain text"),
        ("[x](file:///etc/passwd)", "3:1", "not a web address"),
        ("so $\\frac{a}$ is", "3:", "not LaTeX"),
        ("so $a + \\nonsense$ is", "3:9", "not LaTeX"),
        ("> a\n> b {{= ciel(n)}}", "4:9", "no function `ciel`"),
        ("{{= n +}}", "3:8", "ends where"),
        ("a {{stride", "3:3", "does not begin a live part"),
        ("{{}", "3:1", "does not begin a live part"),
        ("here {{predict p}} inside", "3:8", "is within a line"),
        ("- {{exercise e}}", "3:5", "is within a line"),
        ("> {{exercise e}}", "3:5", "cannot stand here"),
        ("{{exercise}}", "3:3", "which exercise"),
        ("- {{explore jacobian}}", "3:5", "is within a line"),
        ("> {{explore jacobian}}", "3:5", "cannot stand here"),
        ("{{set k=x : a}}", "3:7", "`k=x` is not a setting"),
        ("{{set k=1}}", "3:7", "no words"),
        ("{{unfold Why}}", "3:3", "is a quotation"),
        ("> a\n>\n> {{unfold Why}}", "5:5", "is a quotation"),
        ("so {{unfold Why}}", "3:6", "is within a line"),
        ("> {{unfold}}\n>\n> a", "3:5", "has no title"),
        ("> {{unfold Why}}", "3:5", "nothing unfolds"),
        ("> {{unfold Why}}\n>\n> {{= 1 +}}", "5:10", "ends where"),
    ] {
        let found = mistake(markdown);
        assert!(found.starts_with(&format!("text.md:{place}")), "{markdown:?}: {found}");
        assert!(found.contains(message), "{markdown:?}: {found}");
    }
    let (_, _, found) = read("Hello\n\n## S {#s}\n");
    assert!(found[0].to_string().starts_with("text.md:1:1: error: this comes before the first step"));
}

#[test]
fn every_mistake_is_reported() {
    let (_, _, found) = read("## S {#s}\n\n<i>\n\n{{= 1 +}} and $\\bad$\n\n![a](https://b.c)\n");
    let lines: Vec<u32> = found.iter().filter_map(|d| d.place.as_ref()).map(|place| place.line).collect();
    assert_eq!(lines, [3, 5, 5, 7], "{found:?}");
}

#[test]
fn nesting_is_bounded() {
    for deep in ["> ".repeat(5000) + "x", "- ".repeat(5000) + "x", "*a ".repeat(50) + &"b*".repeat(50)] {
        assert!(mistake(&deep).contains("deep"), "{}", mistake(&deep));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn no_markdown_panics(text in "([#>*_`$|\\[\\](){}<!~=:\n -]|\\{\\{|\\}\\}|a|é|&amp;|\\\\|1\\. ){0,60}") {
        read(&text);
    }
}

#[test]
fn a_formula_that_is_too_large_is_reported_at_its_place() {
    let report = mistake("Too large: $\\rule{5000em}{5000em}$.");
    assert!(report.starts_with("text.md:3:13: error: the formula"), "{report}");
}
