//! A Markdown parser for prose: formulas, live parts and the steps' headings, to blocks.
//!
//! Beyond Markdown: `$…$` and `$$…$$` are LaTeX; `{{stride}}` is a control of a parameter; `{{= expr : unit}}` is a
//! live value, `{{= expr : unit @ source}}` a quoted one; a line `{{predict id}}`, `{{exercise id}}` or
//! `{{explore name}}` places a prediction, an exercise or an explorer; `{{set k=1, score=0 : Switch}}` are words that
//! set parameters; a quotation that begins with a line `{{unfold Title}}` is folded. Code is left unchanged.

mod live;
#[cfg(test)]
mod tests;
mod value;

use std::iter::Peekable;
use std::ops::Range;

use live::{Masked, Piece};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, OffsetIter, Options, Parser, Tag, TagEnd};

use super::excerpt::Excerpt;
use super::mention::{Mentions, Of};
use super::model::{Block, Inline};
use crate::base::diag::Place;
use crate::math;

/// The maximum nesting depth of lists and quotations.
const MAX_NESTING: usize = 12;

/// A step's section of the text.
pub(super) struct Section {
    /// The id in its heading.
    pub id: String,
    /// The place of its heading.
    pub place: Place,
    /// Its heading.
    pub title: String,
    /// The blocks up to the next step's heading.
    pub blocks: Vec<Block>,
}

/// Reads a lesson's text: each `## Title {#id}` begins a section.
pub(super) fn sections(excerpt: Excerpt<'_>, mentions: &Mentions) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for (at, part) in Markdown::read(excerpt, mentions, Kind::Lesson) {
        match (part, sections.last_mut()) {
            (Part::Step(title, id), _) => {
                sections.push(Section { id, place: excerpt.place(at), title, blocks: Vec::new() });
            }
            (Part::Block(block), Some(section)) => section.blocks.push(block),
            (Part::Block(_), None) => {
                excerpt.error(at, "this comes before the first step", "begin with a heading: ## Title {#step-id}");
            }
        }
    }
    sections
}

/// Reads prose of several blocks, such as an exercise's prompt.
pub(super) fn blocks(excerpt: Excerpt<'_>, mentions: &Mentions) -> Vec<Block> {
    let parts = Markdown::read(excerpt, mentions, Kind::Passage);
    parts.into_iter().filter_map(|(_, part)| if let Part::Block(block) = part { Some(block) } else { None }).collect()
}

/// Reads one paragraph, such as a question.
pub(super) fn inlines(excerpt: Excerpt<'_>, mentions: &Mentions) -> Vec<Inline> {
    let mut line = Vec::new();
    for (at, part) in Markdown::read(excerpt, mentions, Kind::Passage) {
        match part {
            Part::Block(Block::Paragraph(inlines)) if line.is_empty() => line = inlines,
            _ => excerpt.error(at, "only one paragraph can stand here", "make it a single paragraph"),
        }
    }
    line
}

/// The kind of text being read.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A lesson's text, with steps, predictions and exercises.
    Lesson,
    /// Prose within something else.
    Passage,
}

/// A top-level part of the text.
enum Part {
    /// A step's heading: its title and id.
    Step(String, String),
    Block(Block),
}

struct Markdown<'a> {
    excerpt: Excerpt<'a>,
    masked: &'a Masked<'a>,
    events: Peekable<OffsetIter<'a>>,
    mentions: &'a Mentions,
    kind: Kind,
    nesting: usize,
}

impl<'a> Markdown<'a> {
    fn read(excerpt: Excerpt<'_>, mentions: &Mentions, kind: Kind) -> Vec<(usize, Part)> {
        let masked = Masked::new(excerpt.text);
        // Some of these are enabled only to report that they are not supported here.
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_MATH
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS;
        let events = Parser::new_ext(&masked.text, options).into_offset_iter().peekable();
        Markdown { excerpt, masked: &masked, events, mentions, kind, nesting: 0 }.parts()
    }

    fn error(&self, at: usize, message: impl Into<String>, hint: impl Into<String>) {
        self.excerpt.error(at, message, hint);
    }

    fn parts(&mut self) -> Vec<(usize, Part)> {
        let mut parts = Vec::new();
        while let Some((event, range)) = self.events.peek().cloned() {
            match event {
                Event::Start(Tag::Heading { level: HeadingLevel::H2, id, .. }) if self.kind == Kind::Lesson => {
                    self.events.next();
                    let inlines = self.inlines();
                    self.events.next();
                    parts.extend(self.step(&inlines, id.as_deref(), range.start));
                }
                // An end without its start; the parser balances them, so this only keeps the loop going.
                Event::End(_) => drop(self.events.next()),
                _ => parts.extend(self.block().into_iter().map(|block| (range.start, Part::Block(block)))),
            }
        }
        parts
    }

    fn step(&self, title: &[Inline], id: Option<&str>, at: usize) -> Option<(usize, Part)> {
        let mut plain = String::new();
        for inline in title {
            match inline {
                Inline::Text(text) | Inline::Code(text) => plain.push_str(text),
                _ => {
                    self.error(at, "a step's title is plain text", "take formulas, emphasis and links out of it");
                    return None;
                }
            }
        }
        let Some(id) = id else {
            self.error(
                at,
                format!("the step \"{plain}\" has no id"),
                "end its heading with {#id}, the id in lesson.ron",
            );
            return None;
        };
        Some((at, Part::Step(plain.trim().to_owned(), id.to_owned())))
    }

    /// The blocks up to the end of the enclosing element, which is consumed too.
    fn blocks(&mut self, at: usize) -> Vec<Block> {
        if self.nesting == MAX_NESTING {
            self.error(at, format!("lists and quotations nest more than {MAX_NESTING} deep"), "flatten them");
            self.skip();
            return Vec::new();
        }
        self.nesting += 1;
        let mut blocks = Vec::new();
        while !matches!(self.events.peek(), None | Some((Event::End(_), _))) {
            blocks.extend(self.block());
        }
        self.events.next();
        self.nesting -= 1;
        blocks
    }

    /// Skips to the end of the element whose start was just consumed.
    fn skip(&mut self) {
        let mut open = 1;
        while open > 0 {
            match self.events.next() {
                Some((Event::Start(_), _)) => open += 1,
                Some((Event::End(_), _)) => open -= 1,
                Some(_) => {}
                None => return,
            }
        }
    }

    fn block(&mut self) -> Option<Block> {
        let (event, range) = self.events.peek()?.clone();
        let at = range.start;
        let Event::Start(tag) = event else {
            if event == Event::Rule {
                self.events.next();
                self.error(at, "a rule across the page is not supported", "begin a step or a heading instead");
                return None;
            }
            // A tight list has its text without paragraphs.
            let inlines = self.inlines();
            return (!inlines.is_empty()).then_some(Block::Paragraph(inlines));
        };
        if is_inline(&tag) {
            return Some(Block::Paragraph(self.inlines()));
        }
        self.events.next();
        match tag {
            Tag::Paragraph => self.paragraph(&range),
            Tag::Heading { level, .. } => {
                let inlines = self.inlines();
                self.events.next();
                if level <= HeadingLevel::H2 {
                    let hint =
                        "a lesson's title is in lesson.ron, its steps have two #, and all below has three or more";
                    self.error(at, "a heading of this level cannot stand here", hint);
                    return None;
                }
                Some(Block::Heading(level as u8, inlines))
            }
            Tag::BlockQuote(_) => Some(self.quotation(at)),
            Tag::List(start) => {
                let mut items = Vec::new();
                while let Some((Event::Start(Tag::Item), item)) = self.events.peek().cloned() {
                    self.events.next();
                    items.push(self.blocks(item.start));
                }
                self.events.next();
                Some(Block::List(start, items))
            }
            Tag::CodeBlock(kind) => Some(self.code(kind, &range)),
            Tag::Table(_) => Some(self.table()),
            Tag::HtmlBlock => self.unsupported(at, "HTML", "write Markdown; for `<`, write \\<"),
            Tag::FootnoteDefinition(_) => self.unsupported(at, "a footnote", "say it in the text, or leave it out"),
            _ => self.unsupported(at, "this kind of block", "use paragraphs, lists, quotations, tables or code"),
        }
    }

    fn unsupported(&mut self, at: usize, what: &str, hint: &str) -> Option<Block> {
        self.skip();
        self.error(at, format!("{what} is not supported"), hint);
        None
    }

    fn paragraph(&mut self, range: &Range<usize>) -> Option<Block> {
        if let Some(live) = self.masked.alone_in(range)
            && let Some(block) = self.placed(&live)
        {
            self.skip();
            return block;
        }
        let mut inlines = self.inlines();
        self.events.next();
        if let [Inline::Math(latex)] = inlines.as_mut_slice()
            && self.excerpt.text.get(range.clone()).is_some_and(|text| text.trim_start().starts_with("$$"))
        {
            return Some(Block::Math(std::mem::take(latex)));
        }
        (!inlines.is_empty()).then_some(Block::Paragraph(inlines))
    }

    /// A quotation; if its first line is `{{unfold Title}}`, it is folded under that title.
    fn quotation(&mut self, at: usize) -> Block {
        let Some((title, start)) = self.unfold_title() else { return Block::Quote(self.blocks(at)) };
        self.events.next();
        self.skip();
        let empty = matches!(self.events.peek(), None | Some((Event::End(_), _)));
        let blocks = self.blocks(at);
        if title.is_empty() {
            self.error(start, "what unfolds has no title", "write what it shows: {{unfold Title}}");
        } else if empty {
            self.error(start, "nothing unfolds here", "go on below it, each line of the quotation with its >");
        }
        Block::Unfold(title, blocks)
    }

    /// The title of folded contents and its position, if the next block is a line `{{unfold Title}}`.
    fn unfold_title(&mut self) -> Option<(String, usize)> {
        let (Event::Start(Tag::Paragraph), range) = self.events.peek()?.clone() else { return None };
        let (words, at) = self.trimmed(&self.masked.alone_in(&range)?);
        let title = words.strip_prefix("unfold").filter(|rest| !rest.starts_with(|c: char| !c.is_whitespace()))?;
        Some((title.trim().to_owned(), at))
    }

    /// A prediction, an exercise or an explorer, on a line of its own; None for other live parts.
    fn placed(&self, live: &Range<usize>) -> Option<Option<Block>> {
        let (words, at) = self.trimmed(live);
        let block = match words.split_once(char::is_whitespace) {
            None if words == "exercise" => {
                self.error(at, "this does not say which exercise is meant", "write its id: {{exercise id}}");
                return Some(None);
            }
            Some(("exercise", id)) => {
                let id = id.trim();
                self.mentions.add(id, self.excerpt.place(at + words.len() - id.len()), Of::Exercise);
                Block::Exercise(id.to_owned())
            }
            Some(("predict", id)) => {
                let id = id.trim();
                self.mentions.add(id, self.excerpt.place(at + words.len() - id.len()), Of::Prediction);
                Block::Predict(id.to_owned())
            }
            Some(("explore", name)) => {
                let name = name.trim();
                self.mentions.add(name, self.excerpt.place(at + words.len() - name.len()), Of::Explorer);
                Block::Explore(name.to_owned())
            }
            _ if words.split_whitespace().next() == Some("unfold") => {
                self.error(at, "what unfolds is a quotation", "begin it with `> {{unfold Title}}`, and go on with `>`");
                return Some(None);
            }
            _ => return None,
        };
        if self.kind == Kind::Passage || self.nesting > 0 {
            self.error(
                at,
                format!("{{{{{words}}}}} cannot stand here"),
                "put it on a line of its own in a step's text",
            );
            return Some(None);
        }
        Some(Some(block))
    }

    fn trimmed(&self, live: &Range<usize>) -> (&'a str, usize) {
        let inside = self.excerpt.text.get(live.clone()).unwrap_or("");
        (inside.trim(), live.start + (inside.len() - inside.trim_start().len()))
    }

    fn code(&mut self, kind: CodeBlockKind<'_>, range: &Range<usize>) -> Block {
        let mut text = String::new();
        for (event, _) in self.events.by_ref() {
            match event {
                Event::Text(more) => text.push_str(&more),
                Event::End(_) => break,
                _ => {}
            }
        }
        let language = match kind {
            CodeBlockKind::Fenced(language) => language.trim().to_owned(),
            CodeBlockKind::Indented => String::new(),
        };
        Block::Code(language, self.masked.restore(text.trim_end_matches('\n'), range))
    }

    fn table(&mut self) -> Block {
        let (mut header, mut rows) = (Vec::new(), Vec::new());
        while let Some((event, _)) = self.events.next() {
            match event {
                Event::Start(Tag::TableHead) => header = self.cells(),
                Event::Start(Tag::TableRow) => rows.push(self.cells()),
                Event::End(TagEnd::Table) => break,
                _ => {}
            }
        }
        Block::Table(header, rows)
    }

    fn cells(&mut self) -> Vec<Vec<Inline>> {
        let mut cells = Vec::new();
        while let Some((Event::Start(Tag::TableCell), _)) = self.events.next() {
            cells.push(self.inlines());
            self.events.next();
        }
        cells
    }

    /// The inline elements up to a block's start or an element's end, neither of which is consumed.
    fn inlines(&mut self) -> Vec<Inline> {
        let mut line = Vec::new();
        while let Some((event, range)) = self.events.peek().cloned() {
            match event {
                Event::End(_) | Event::Rule => break,
                Event::Start(tag) if !is_inline(&tag) => break,
                Event::Start(tag) => {
                    self.events.next();
                    line.extend(self.span(tag, range.start));
                }
                event => {
                    self.events.next();
                    self.leaf(event, &range, &mut line);
                }
            }
        }
        line
    }

    fn span(&mut self, tag: Tag<'_>, at: usize) -> Option<Inline> {
        if self.nesting == MAX_NESTING {
            self.error(at, format!("emphasis nests more than {MAX_NESTING} deep"), "flatten it");
            self.skip();
            return None;
        }
        self.nesting += 1;
        let inside = self.inlines();
        self.nesting -= 1;
        self.events.next();
        match tag {
            Tag::Emphasis => Some(Inline::Emph(inside)),
            Tag::Strong => Some(Inline::Strong(inside)),
            Tag::Link { dest_url, .. } => {
                if !dest_url.starts_with("https://") && !dest_url.starts_with("http://") {
                    self.error(at, format!("`{dest_url}` is not a web address"), "links begin with https://");
                }
                Some(Inline::Link(dest_url.into_string(), inside))
            }
            Tag::Image { .. } => {
                self.error(at, "an image is not supported", "the bench draws what a kernel does; describe the rest");
                None
            }
            _ => {
                self.error(at, "text that is struck out is not supported", "leave it out");
                None
            }
        }
    }

    fn leaf(&self, event: Event<'_>, range: &Range<usize>, line: &mut Vec<Inline>) {
        match event {
            Event::Text(text) => {
                for piece in self.masked.pieces(&text, range) {
                    match piece {
                        Piece::Plain(plain) => {
                            if let Some(open) = plain.find("{{") {
                                let hint = "close it with }} on the same line; braces of your own go into `code`";
                                self.error(range.start + open, "this {{ does not begin a live part", hint);
                            }
                            // A pair of dollar signs that begins no formula comes as one text or as two.
                            let before = matches!(line.last(), Some(Inline::Text(before)) if before.ends_with('$'));
                            let joined = (before && plain.starts_with('$')).then_some(0);
                            let open = plain.find("$$").or(joined).filter(|_| !self.is_escaped(range));
                            if let Some(open) = open {
                                let hint = "every { of a formula needs its }; a dollar sign is \\$";
                                self.error(range.start + open - usize::from(before), "this $$ begins no formula", hint);
                            }
                            push_text(line, plain);
                        }
                        Piece::Live(live) => line.extend(self.live(&live)),
                    }
                }
            }
            Event::Code(code) => line.push(Inline::Code(self.masked.restore(&code, range))),
            Event::InlineMath(latex) | Event::DisplayMath(latex) => line.extend(self.math(&latex, range)),
            Event::SoftBreak => push_text(line, " "),
            Event::HardBreak => line.push(Inline::Break),
            Event::InlineHtml(_) | Event::Html(_) => {
                self.error(range.start, "HTML is not supported", "write Markdown; for `<`, write \\<");
            }
            Event::FootnoteReference(_) => {
                self.error(range.start, "a footnote is not supported", "say it in the text, or leave it out");
            }
            _ => self.error(range.start, "this is not supported", "use plain Markdown"),
        }
    }

    /// Whether a dollar sign of the text was written with a backslash.
    fn is_escaped(&self, range: &Range<usize>) -> bool {
        self.excerpt.text.get(range.start.saturating_sub(1)..range.end).is_some_and(|source| source.contains("\\$"))
    }

    fn math(&self, latex: &str, range: &Range<usize>) -> Option<Inline> {
        let latex = self.masked.restore(latex, range);
        let source = self.excerpt.text.get(range.clone()).unwrap_or("");
        let begin = range.start + source.find(&latex).unwrap_or(0);
        if let Some(live) = live_part(&latex) {
            let hint = "formulas are set as they stand; write the figure beside the formula";
            self.error(begin + live, "a live part cannot stand in a formula", hint);
        } else if let Some((inside, why)) = math::mistake(&latex) {
            let message = format!("this formula is not LaTeX that can be set: {why}");
            self.error(begin + inside, message, "see katex.org for what is understood; a dollar sign is \\$");
        } else if let Err(error) = math::check(&latex, source.starts_with("$$")) {
            self.error(begin, error.message, error.hint.unwrap_or_default());
        } else {
            return Some(Inline::Math(latex));
        }
        None
    }
}

/// The position in a formula of what would be a live part in text: `{{= …}}`, or a word in double braces. Other double
/// braces are LaTeX.
fn live_part(latex: &str) -> Option<usize> {
    let starts = latex.match_indices("{{").map(|(at, _)| at);
    starts.into_iter().find(|at| {
        let inside = latex[at + 2..].split("}}").next().unwrap_or_default();
        let is_word = inside.len() > 2 && inside.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        inside.starts_with('=') || is_word
    })
}

fn is_inline(tag: &Tag<'_>) -> bool {
    matches!(tag, Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Link { .. } | Tag::Image { .. })
}

/// Appends text to a line, joining it to preceding text.
fn push_text(line: &mut Vec<Inline>, text: &str) {
    if let Some(Inline::Text(before)) = line.last_mut() {
        before.push_str(text);
    } else {
        line.push(Inline::Text(text.to_owned()));
    }
}
