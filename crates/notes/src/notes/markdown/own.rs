//! The learner's words in a note: as they are, as far as they leave the rest of the note alone and their reader
//! understands them.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag};

use super::dialect::Dialect;
use super::prose::fenced;
use crate::notes::Format;
use crate::notes::cards::ANSWER;
use crate::notes::nesting::limited;

/// How a comment, raw HTML or a formula begins, and what ends it. Code is ended by its own fence.
const ENDS: [(&str, &str); 8] = [
    ("<!--", "-->"),
    ("<pre", "</pre>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<textarea", "</textarea>"),
    ("<?", "?>"),
    ("<![cdata[", "]]>"),
    ("$$", "$$"),
];

/// The words for a reader: what is left open is closed, and formulas have the reader's delimiters.
pub(super) fn own(dialect: Dialect, words: &str) -> String {
    adapted(dialect, &closed(limited(words).trim_end()))
}

/// The words with an end for what was left open. They are read a few times, however many fences they have.
fn closed(words: &str) -> String {
    let low = words.to_ascii_lowercase();
    // Markdown takes the end of one element for another's, a browser does not.
    let others = ENDS.iter().filter(|(begin, _)| low.contains(begin)).map(|(_, end)| (*end).to_owned());
    let ends = last_fence(words).into_iter().chain(others).map(|end| format!("{words}\n{end}"));
    let mut all = std::iter::once(words.to_owned()).chain(ends);
    all.find(|text| leaves_the_rest_alone(text)).unwrap_or_else(|| fenced("", words))
}

/// The fence of the last code. If one is left open, it is that: it goes on to the end.
fn last_fence(words: &str) -> Option<String> {
    let starts = Parser::new_ext(words, options()).into_offset_iter().filter_map(|(event, range)| {
        matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_)))).then_some(range.start)
    });
    let begun = words[starts.last()?..].trim_start();
    let mark = begun.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    Some(begun.chars().take_while(|c| *c == mark).collect())
}

/// Whether a paragraph after the text is a paragraph.
fn leaves_the_rest_alone(text: &str) -> bool {
    const NEXT: &str = "next";
    let whole = format!("{text}\n\n{NEXT}\n");
    let at = whole.len() - NEXT.len() - 1;
    let mut depth = 0;
    for (event, range) in Parser::new_ext(&whole, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Paragraph) if range.start == at => return depth == 0,
            Event::Start(_) => depth += 1,
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    false
}

/// The words with formulas and rules as the reader has them.
fn adapted(dialect: Dialect, words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    let mut done = 0;
    for (event, range) in Parser::new_ext(words, options()).into_offset_iter() {
        let new = match (event, dialect.0) {
            (Event::InlineMath(latex), Format::Jekyll) => dialect.inline_math(&latex),
            // An answer is a line of its own.
            (Event::SoftBreak, _) if words[range.end..].starts_with(ANSWER) => "  \n".to_owned(),
            // Between lines of dashes pandoc reads settings.
            (Event::Rule, Format::Quarto) => "***\n".to_owned(),
            _ => continue,
        };
        if range.start >= done {
            out.push_str(&words[done..range.start]);
            out.push_str(&new);
            done = range.end;
        }
    }
    out + &words[done..]
}

fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH | Options::ENABLE_TASKLISTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_open_is_closed() {
        let own = |words: &str| own(Dialect(Format::Markdown), words);
        for whole in ["plain", "```\ncode\n```", "- a list\n\n- of two", "> quoted", "a <b>c", "$$\nx\n$$", "text\n---"]
        {
            assert_eq!(own(whole), whole);
        }
        assert_eq!(own("a\n\n```wgsl\nlet x;"), "a\n\n```wgsl\nlet x;\n```");
        assert_eq!(own("~~~~\n```\n"), "~~~~\n```\n~~~~");
        assert_eq!(own("```\nx\n```\n~~~~~\n```\n"), "```\nx\n```\n~~~~~\n```\n~~~~~");
        assert_eq!(own("> ```\n> x\n\n````\ny"), "> ```\n> x\n\n````\ny\n````");
        assert_eq!(own("<!-- a"), "<!-- a\n-->");
        assert_eq!(own("<script>\nx"), "<script>\nx\n</script>");
        assert_eq!(own("a\n\n<PRE>\nx"), "a\n\n<PRE>\nx\n</pre>");
    }

    #[test]
    fn words_are_read_a_few_times_whatever_they_hold() {
        // Every fence, of one length or of many, before or within a comment, and fences that nothing ends.
        let lengths = |n: usize| (3..n).map(|length| "~".repeat(length) + "\n").collect::<String>();
        let shapes: [&dyn Fn(usize) -> String; 5] = [
            &|n| "<!--\n".to_owned() + &"```\n".repeat(n),
            &|n| "<!--\n".to_owned() + &lengths(n / 8),
            &|n| "```\n".repeat(2 * n + 1),
            &|n| "<script>\n$$\n".to_owned() + &"````x\n".repeat(n),
            &|n| "- ```\n".repeat(n) + "<?",
        ];
        for (which, shape) in shapes.iter().enumerate() {
            // The bytes that are allocated for each byte of the words.
            let [work, double] = [400, 800].map(|n| {
                let words = shape(n);
                let made = allocation_counter::measure(|| drop(own(Dialect(Format::Markdown), &words)));
                made.bytes_total / words.len() as u64
            });
            assert!(double < work + work / 2, "{which}: {work} and {double} bytes for each byte");
        }
    }

    #[test]
    fn an_answer_is_a_line_of_its_own() {
        let own = |words: &str| own(Dialect(Format::Jekyll), words);
        assert_eq!(own("Q: Why?\nof all\nA: Because."), "Q: Why?\nof all  \nA: Because.");
        assert_eq!(own("```\nQ: Why?\nA: Because.\n```"), "```\nQ: Why?\nA: Because.\n```");
    }

    #[test]
    fn formulas_and_rules_are_the_readers() {
        let own = |format, words| own(Dialect(format), words);
        let words = "a $x|y$ and `$z$`\n\n$$\nw\n$$";
        assert_eq!(own(Format::Jekyll, words), "a $$x\\vert y$$ and `$z$`\n\n$$\nw\n$$");
        assert_eq!(own(Format::Obsidian, words), words);
        let rule = "a\n\n---\nfilters: [evil]\n---\n";
        assert!(!own(Format::Quarto, rule).contains("\n\n---\n"), "{}", own(Format::Quarto, rule));
    }
}
