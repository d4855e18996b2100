//! A report as Markdown for one of its readers; its figures and tables lie beside it as files of their own.

mod dialect;
mod front;
mod own;
mod prose;

use super::csv::{csv, to_read};
use super::report::{NoteBlock, Report, unique};
use super::{Format, Section};
use crate::base::sanitize::harmless;
use crate::lesson::Block;
use dialect::{Dialect, Sort};
use prose::{blocks, escape, fenced, inline, paragraph, table};

/// A note as Markdown, and the files that it refers to.
#[derive(Clone, Debug, PartialEq)]
pub struct Rendered {
    /// The front matter, which begins a new note.
    pub front: String,
    /// The note's text.
    pub body: String,
    /// Path relative to the note, with `/`, and contents.
    pub files: Vec<(String, String)>,
}

/// Where the files beside a note are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folders {
    /// The folder of figures, relative to the note, with `/`.
    pub figures: String,
    /// The folder of tables.
    pub data: String,
    /// How links to both begin if they do not begin at the note: the folder within a site, by which `/` is followed.
    pub site: Option<String>,
}

/// Rows of a table that are shown; the CSV has all.
const SHOWN_ROWS: usize = 40;

/// Writes the report for a reader of Markdown.
#[must_use]
pub fn render(report: &Report, format: Format, folders: &Folders) -> Rendered {
    let dialect = Dialect(format);
    let mut writer = Writer { dialect, folders, body: String::new(), files: Vec::new(), taken: Default::default() };
    if !dialect.shows_title() {
        writer.add(&format!("# {}", escape(dialect, &report.title)));
    }
    report.sections.iter().for_each(|section| writer.section(section));
    writer.made_with(report);
    let clean = |text: String| harmless(&text.replace("\r\n", "\n")).into_owned();
    // Code and the learner's own words are left as they are, also on a terminal.
    Rendered { front: clean(front::front_matter(report, format)), body: clean(writer.body), files: writer.files }
}

/// Prose as Markdown that any reader shows, with formulas as LaTeX.
#[must_use]
pub fn prose(text: &[Block]) -> String {
    harmless(&blocks(Dialect(Format::Markdown), text)).into_owned()
}

/// A block as Markdown that a notebook's cell shows; one without files beside it.
pub(super) fn cell(block: &NoteBlock) -> String {
    let (dialect, folders) = (Dialect(Format::Jupyter), Folders::default());
    let mut writer =
        Writer { dialect, folders: &folders, body: String::new(), files: Vec::new(), taken: Default::default() };
    writer.block(block);
    writer.body
}

pub(super) fn plain(text: &str) -> String {
    escape(Dialect(Format::Jupyter), text)
}

struct Writer<'a> {
    dialect: Dialect,
    folders: &'a Folders,
    body: String,
    files: Vec<(String, String)>,
    /// The names of figures and tables so far.
    taken: [Vec<String>; 2],
}

impl Writer<'_> {
    /// Adds a paragraph in which nothing is for the reader's templates.
    fn add(&mut self, text: &str) {
        paragraph(&mut self.body, &self.dialect.protected(text));
    }

    fn section(&mut self, section: &Section) {
        if !section.title.is_empty() {
            self.add(&format!("## {}", escape(self.dialect, &section.title)));
        }
        section.blocks.iter().for_each(|block| self.block(block));
    }

    fn block(&mut self, block: &NoteBlock) {
        let dialect = self.dialect;
        match block {
            NoteBlock::Prose(prose) => self.add(&blocks(dialect, prose)),
            NoteBlock::Figure { id, caption, svg, alt } => self.figure(id, caption, (svg, alt)),
            NoteBlock::Data { id, caption, header, rows } => self.data(id, caption, header, rows),
            NoteBlock::Command(command) => self.add(&fenced("sh", command)),
            NoteBlock::OwnWords { words, .. } if words.trim().is_empty() => {}
            NoteBlock::OwnWords { about, words } => {
                if !about.is_empty() {
                    self.add(&format!("### {}", escape(dialect, about)));
                }
                self.add(&own::own(dialect, words));
            }
            NoteBlock::Prediction { question, options, answer, measured, traced, verdict, because, .. } => {
                let question = inline(dialect, question);
                let mut lines: Vec<String> = Vec::new();
                let Some(answer) = answer else {
                    lines.extend(options.iter().map(|option| format!("- [ ] {}", escape(dialect, option))));
                    let folded = dialect.folded(Sort::Question, "The answer", &inline(dialect, because));
                    lines.extend([String::new(), folded]);
                    self.add(&dialect.apart(Sort::Question, &question, &lines.join("\n")));
                    return;
                };
                let entry = |name: &str, value: &String| format!("- {name}: {}", escape(dialect, value));
                lines.push(entry("I said", answer));
                lines.extend(measured.iter().map(|value| entry("Measured", value)));
                lines.extend(traced.iter().map(|[how, value]| entry(how, value)));
                lines.extend(verdict.iter().map(|value| format!("- **{}**", escape(dialect, value))));
                lines.extend([String::new(), inline(dialect, because)]);
                self.add(&dialect.apart(Sort::Question, &question, lines.join("\n").trim_end()));
            }
            // A diff's first lines have its names.
            NoteBlock::Source { language, text, folded: false, .. } => self.add(&fenced(language, text)),
            NoteBlock::Source { file, language, text, folded: true } => {
                self.add(&dialect.folded(Sort::Code, file, &fenced(language, text)));
            }
        }
    }

    fn figure(&mut self, id: &str, caption: &str, (svg, alt): (&str, &str)) {
        let name = format!("{}.svg", unique(id, &mut self.taken[0]));
        let path = format!("{}/{name}", self.folders.figures);
        let alt = escape(self.dialect, &alt.replace('|', " "));
        // The link may have a template of its own.
        let picture = format!("![{}]({})", self.dialect.protected(&alt), self.link(&path, &name));
        let anchor = if self.dialect.0 == Format::Obsidian {
            format!(" ^{}", name.replace(['.', '_'], "-"))
        } else {
            String::new()
        };
        paragraph(&mut self.body, &(picture + &anchor));
        self.add(&format!("*{}*", escape(self.dialect, caption)));
        self.files.push((path, svg.to_owned()));
    }

    fn data(&mut self, id: &str, caption: &str, header: &[String], rows: &[Vec<String>]) {
        let name = format!("{}.csv", unique(id, &mut self.taken[1]));
        let path = format!("{}/{name}", self.folders.data);
        let cut = match rows.len() {
            n if n > SHOWN_ROWS => format!(", the first {SHOWN_ROWS} of {n} rows"),
            _ => String::new(),
        };
        let caption = self.dialect.protected(&escape(self.dialect, caption));
        let above = format!("*{caption}*{cut} ([CSV]({}))", self.link(&path, &name));
        paragraph(&mut self.body, &above);
        let cells = |row: &Vec<String>| row.iter().map(|cell| escape(self.dialect, cell)).collect::<Vec<_>>();
        let (columns, read) = to_read(header, rows);
        let shown: Vec<Vec<String>> = read.iter().take(SHOWN_ROWS).map(cells).collect();
        self.add(&table(&cells(&columns), &shown));
        self.files.push((path, csv(header, rows)));
    }

    /// The address of a file beside the note.
    fn link(&self, path: &str, name: &str) -> String {
        match &self.folders.site {
            Some(folder) => format!("{{{{ \"{folder}/{name}\" | relative_url }}}}"),
            None => path.to_owned(),
        }
    }

    /// The settings of the figures.
    fn made_with(&mut self, report: &Report) {
        if report.meta.is_empty() {
            return;
        }
        self.add("## Made with");
        let entry = |(key, value): &(String, String)| {
            format!("- {}: {}", escape(self.dialect, key), escape(self.dialect, value))
        };
        let mut entries: Vec<String> = vec![format!("- date: {}", escape(self.dialect, &report.created))];
        entries.extend(report.meta.iter().map(entry));
        self.add(&entries.join("\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::sample;
    use super::prose::code;
    use super::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    const PLAIN: Dialect = Dialect(Format::Markdown);

    fn rendered(report: &Report) -> Rendered {
        let folders = Folders { figures: "name-figures".to_owned(), data: "name-data".to_owned(), site: None };
        render(report, Format::Markdown, &folders)
    }

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
        let rendered = rendered(&report).body;
        let [asked, folded, told] =
            ["- [ ] 80 %", "<details><summary>The answer</summary>", "The fifth sector is in L2."]
                .map(|part| rendered.find(part).unwrap_or_else(|| panic!("no {part}: {rendered}")));
        assert!(asked < folded && folded < told && !rendered.contains("I said"), "{rendered}");
        let page = super::super::html::render(&report);
        assert!(page.contains("<li>80 %</li>") && page.contains("<details><summary>The answer</summary>"), "{page}");
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
        let rendered = rendered(&report);
        let rendered = rendered.front + &rendered.body;
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
            assert_eq!(words(&escape(PLAIN, text)), text);
            let plain = |event: &Event<'_>| {
                matches!(
                    event,
                    Event::Text(_) | Event::Start(Tag::Paragraph) | Event::End(pulldown_cmark::TagEnd::Paragraph)
                )
            };
            let marked = escape(PLAIN, text);
            assert!(events(&marked).iter().all(plain), "{:?}", events(&marked));
        }
        for text in ["a ` b", "``", " x ", "`"] {
            assert_eq!(words(&code(text)).trim(), text.trim());
        }
    }

    #[test]
    fn a_note_reads_back() {
        let rendered = rendered(&sample());
        let body = rendered.body.as_str();
        let made_with = body.find("## Made with").and_then(|at| body[at..].find("580.1 second: line"));
        assert!(made_with.is_some(), "{body}");
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
        assert_eq!(paths, ["name-figures/stride.svg", "name-data/stride.csv"]);
        assert!(paths.iter().all(|path| body.contains(&format!("({path})"))));
        // Raw HTML comes from the learner's own text only, where it is the learner's business.
        let html = events(body).iter().filter(|e| matches!(e, Event::Start(Tag::HtmlBlock))).count();
        let folded = body.matches("<details>").count() + body.matches("</details>").count();
        assert_eq!(html, 1 + folded);
    }
}
