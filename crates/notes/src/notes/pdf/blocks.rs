//! The elements of a note's page, one below the other.

use roxmltree::Node;

use super::fonts::{Face, Fonts};
use super::lines::{Style, Words};
use super::page::{Drawn, Ink, MARGIN, NO_PICTURE, PAGE, Pages};
use super::pictures::{PX, Pictures};
use super::table;

pub(super) const BODY: Style = Style { face: Face::Serif, size: 10.5, ink: Ink::Text };
/// Captions, questions' answers and tables.
pub(super) const SMALL: Style = Style { face: Face::Sans, size: 8.5, ink: Ink::Muted };
const CODE: Style = Style { face: Face::Mono, size: 8.0, ink: Ink::Text };
/// The space after a block.
const GAP: f32 = 8.0;
/// The indentation of a list, and of a quotation or a card.
const INDENT: f32 = 16.0;

/// The width that a block has: its left end, and how wide it is.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) left: f32,
    pub(super) width: f32,
}

impl Column {
    fn indented(self, by: f32) -> Self {
        Self { left: self.left + by, width: self.width - by }
    }
}

/// Sets elements on pages.
pub(super) struct Setter<'a, 'p> {
    pub(super) pages: &'a mut Pages,
    pub(super) fonts: &'a Fonts,
    pub(super) pictures: &'a Pictures<'p>,
}

/// Elements that stand within a line.
const INLINE: [&str; 11] = ["a", "b", "br", "code", "del", "em", "ins", "s", "span", "strong", "time"];

fn is_inline(node: &Node<'_, '_>) -> bool {
    node.is_text() || INLINE.contains(&node.tag_name().name())
}

impl Setter<'_, '_> {
    /// A page's contents.
    pub(super) fn all(&mut self, main: Node<'_, '_>) {
        let column = Column { left: MARGIN[0], width: PAGE[0] - 2.0 * MARGIN[0] };
        self.children(main, column, BODY);
    }

    /// The children of an element: blocks, and runs of words between them.
    fn children(&mut self, node: Node<'_, '_>, column: Column, style: Style) {
        let mut children = node.children().peekable();
        while let Some(child) = children.peek() {
            if is_inline(child) {
                let run = std::iter::from_fn(|| children.next_if(is_inline));
                let words = Words::of(run, style, self.fonts, self.pictures);
                self.words(words, column, style);
            } else if let Some(child) = children.next().filter(Node::is_element) {
                self.block(child, column, style);
            }
        }
    }

    /// Words in lines, and the gap after them.
    fn words(&mut self, words: Words, column: Column, style: Style) {
        if words.is_empty() {
            return;
        }
        for line in words.lines(column.width, self.fonts) {
            line.draw(self.pages, column.left, style);
        }
        self.pages.gap(GAP);
    }

    fn block(&mut self, node: Node<'_, '_>, column: Column, style: Style) {
        let class = node.attribute("class").unwrap_or_default();
        match node.tag_name().name() {
            // Paper has an outline and page numbers.
            "nav" => {}
            "h1" => self.heading(node, column, 22.0, None),
            "h2" => {
                let title: String = node.descendants().filter_map(|n| n.text().filter(|_| n.is_text())).collect();
                self.pages.gap(14.0);
                self.heading(node, column, 15.0, Some(&title));
            }
            "h3" | "h4" | "h5" | "h6" => {
                self.pages.gap(6.0);
                self.heading(node, column, 11.5, None);
            }
            "p" if class == "kicker" => self.children(node, column, Style { ink: Ink::Accent, ..SMALL }),
            "p" if class == "date" => self.children(node, column, SMALL),
            "p" if class == "question" => self.children(node, column, Style { face: Face::Medium, size: 10.0, ..BODY }),
            "summary" | "figcaption" | "caption" => self.children(node, column, SMALL),
            "ul" | "ol" => self.list(node, column, style),
            "blockquote" => self.beside_a_bar(node, column, Style { ink: Ink::Muted, ..style }, Ink::Line),
            "section" => {
                let bar = if class == "own" { Ink::Accent } else { Ink::Line };
                self.beside_a_bar(node, column, style, bar);
            }
            "pre" => self.code(node, column, class == "command"),
            "table" => table::set(self, node, column),
            "dl" => self.entries(node, column),
            "figure" => self.figure(node, column),
            "div" if class == "math" => self.formula(node, column),
            "footer" => {
                self.pages.gap(12.0);
                self.children(node, column, SMALL);
            }
            _ => self.children(node, column, style),
        }
    }

    /// A heading, which has an entry in the outline if it has a title there.
    fn heading(&mut self, node: Node<'_, '_>, column: Column, size: f32, title: Option<&str>) {
        let style = Style { face: Face::Medium, size, ink: Ink::Text };
        let words = Words::of(node.children(), style, self.fonts, self.pictures);
        let lines = words.lines(column.width, self.fonts);
        self.pages.room(lines.len() as f32 * style.leading() + 3.0 * BODY.leading());
        title.into_iter().for_each(|title| self.pages.title(title));
        self.pages.heading(|pages| lines.into_iter().for_each(|line| line.draw(pages, column.left, style)));
        self.pages.gap(size * 0.4);
    }

    fn list(&mut self, node: Node<'_, '_>, column: Column, style: Style) {
        let first: Option<usize> = (node.tag_name().name() == "ol")
            .then(|| node.attribute("start").and_then(|start| start.parse().ok()).unwrap_or(1));
        let entries = node.children().filter(|child| child.has_tag_name("li"));
        for (number, entry) in entries.enumerate() {
            let mark = first.map_or_else(|| "•".to_owned(), |first| format!("{}.", first + number));
            self.pages.room(style.leading());
            let at = [column.left + 2.0, self.pages.y + style.leading() * 0.76];
            let Style { face, size, ink } = style;
            self.pages.draw(Drawn::Text { at, face, size, ink, text: mark });
            let before = self.pages.y;
            self.children(entry, column.indented(INDENT), style);
            // An entry without words still takes its line, and entries are closer to each other than paragraphs.
            self.pages.y = if self.pages.y == before { before + style.leading() } else { self.pages.y - GAP * 0.6 };
        }
        self.pages.gap(GAP * 0.6);
    }

    /// Contents with a bar at their left, on every page that they take.
    fn beside_a_bar(&mut self, node: Node<'_, '_>, column: Column, style: Style, ink: Ink) {
        self.pages.gap(4.0);
        self.pages.room(3.0 * style.leading());
        let top = self.pages.here();
        self.children(node, column.indented(INDENT), style);
        self.pages.bar(top, column.left, ink);
        self.pages.gap(4.0);
    }

    fn code(&mut self, node: Node<'_, '_>, column: Column, is_command: bool) {
        let mut lines = vec![Vec::new()];
        coloured(node, CODE, &mut lines);
        if lines.last().is_some_and(Vec::is_empty) {
            lines.pop();
        }
        if let Some(first) = lines.first_mut().filter(|_| is_command) {
            first.insert(0, ("$ ".to_owned(), Style { ink: Ink::Muted, ..CODE }));
        }
        let advance = self.fonts.width("0", CODE.face, CODE.size);
        let most = ((column.width - 12.0) / advance).max(1.0) as usize;
        for parts in lines {
            for row in wrapped(parts, most) {
                let height = CODE.leading();
                self.pages.room(height);
                let y = self.pages.y;
                self.pages.draw(Drawn::Box { rect: [column.left, y, column.width, height + 0.5], ink: Ink::Card });
                let mut x = column.left + 6.0;
                for (text, Style { face, size, ink }) in row {
                    let width = self.fonts.width(&text, face, size);
                    self.pages.draw(Drawn::Text { at: [x, y + height * 0.74], face, size, ink, text });
                    x += width;
                }
                self.pages.y += height;
            }
        }
        self.pages.gap(GAP);
    }

    /// Names and values, side by side.
    fn entries(&mut self, node: Node<'_, '_>, column: Column) {
        let names = node.children().filter(|child| child.has_tag_name("dt"));
        let wide = |name: Node<'_, '_>| self.fonts.width(name.text().unwrap_or_default(), SMALL.face, SMALL.size);
        let left = names.map(wide).fold(0.0, f32::max).min(column.width * 0.4) + 14.0;
        let value = Style { ink: Ink::Text, ..SMALL };
        for child in node.children().filter(Node::is_element) {
            if child.has_tag_name("dt") {
                self.pages.room(SMALL.leading());
                let words = Words::of(child.children(), SMALL, self.fonts, self.pictures);
                let baseline = self.pages.y + SMALL.leading() * 0.76;
                for line in words.lines(f32::INFINITY, self.fonts) {
                    line.draw_at(self.pages, [column.left, baseline]);
                }
            } else {
                let before = self.pages.y;
                let words = Words::of(child.children(), value, self.fonts, self.pictures);
                for line in words.lines(column.width - left, self.fonts) {
                    line.draw(self.pages, column.left + left, value);
                }
                self.pages.y = self.pages.y.max(before + if self.pages.y < before { 0.0 } else { SMALL.leading() });
            }
        }
        self.pages.gap(GAP);
    }

    /// A picture in the width of the column, with its caption on the same page.
    fn figure(&mut self, node: Node<'_, '_>, column: Column) {
        let svg = node.children().find(|child| child.has_tag_name("svg"));
        let caption = node.children().find(|child| child.has_tag_name("figcaption"));
        let words = |setter: &Self| {
            caption.map(|of| Words::of(of.children(), SMALL, setter.fonts, setter.pictures)).unwrap_or_default()
        };
        let lines = words(self).lines(column.width, self.fonts).len() as f32;
        let tree = svg.map(|svg| self.pictures.tree(svg, 1.0));
        if let Some(None) = tree {
            self.words(Words::plain(NO_PICTURE, SMALL, self.fonts), column, SMALL);
        }
        if let Some((tree, [w, h])) = tree.flatten() {
            let most = PAGE[1] - 2.0 * MARGIN[1] - lines * SMALL.leading() - 12.0;
            let scale = (column.width / w).min(most / h).min(1.0);
            let (w, h) = (w * scale, h * scale);
            self.pages.gap(4.0);
            self.pages.room(h + lines * SMALL.leading() + 6.0);
            let rect = [column.left + (column.width - w) / 2.0, self.pages.y, w, h];
            self.pages.draw(Drawn::Picture { rect, tree: Box::new(tree) });
            self.pages.y += h + 5.0;
        }
        // The page's text in place of a picture.
        let others = node.children().filter(|child| child.has_tag_name("p"));
        others.for_each(|other| self.children(other, column, SMALL));
        let words = words(self);
        self.words(words, column, SMALL);
    }

    /// A formula on a line of its own.
    fn formula(&mut self, node: Node<'_, '_>, column: Column) {
        let Some(svg) = node.children().find(|child| child.has_tag_name("svg")) else { return };
        let Some((tree, [w, h])) = self.pictures.tree(svg, BODY.size / PX) else { return };
        let scale = (column.width / w).min(1.0);
        let (w, h) = (w * scale, h * scale);
        self.pages.room(h + 6.0);
        let rect = [column.left + (column.width - w) / 2.0, self.pages.y + 2.0, w, h];
        self.pages.draw(Drawn::Picture { rect, tree: Box::new(tree) });
        self.pages.y += h + 4.0;
        self.pages.gap(GAP);
    }
}

/// The lines of a program's text, with the colours of what was added and taken away.
fn coloured(node: Node<'_, '_>, style: Style, lines: &mut Vec<Vec<(String, Style)>>) {
    for child in node.children() {
        let ink = match child.tag_name().name() {
            "ins" => Ink::More,
            "del" => Ink::Less,
            _ => style.ink,
        };
        let style = Style { ink, ..style };
        let Some(text) = child.text().filter(|_| child.is_text()) else {
            coloured(child, style, lines);
            continue;
        };
        for (n, line) in text.split('\n').enumerate() {
            if n > 0 {
                lines.push(Vec::new());
            }
            if let Some(last) = lines.last_mut().filter(|_| !line.is_empty()) {
                last.push((line.replace('\t', "    "), style));
            }
        }
    }
}

/// A line in rows of at most `most` characters, which end at blanks where there are some.
fn wrapped(parts: Vec<(String, Style)>, most: usize) -> Vec<Vec<(String, Style)>> {
    let all: Vec<(char, Style)> =
        parts.into_iter().flat_map(|(text, style)| text.chars().map(move |c| (c, style)).collect::<Vec<_>>()).collect();
    let (mut rows, mut rest) = (Vec::new(), all.as_slice());
    while rest.len() > most {
        let blank = rest[most / 2..most].iter().rposition(|(c, _)| *c == ' ');
        let (row, next) = rest.split_at(blank.map_or(most, |at| most / 2 + at + 1));
        rows.push(styled(row));
        rest = next;
    }
    rows.push(styled(rest));
    rows
}

/// Characters as texts of one style each.
fn styled(row: &[(char, Style)]) -> Vec<(String, Style)> {
    let runs = row.chunk_by(|(_, one), (_, other)| one == other);
    runs.map(|run| (run.iter().map(|(c, _)| c).collect(), run[0].1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_at_blanks() {
        let rows = |text: &str| -> Vec<String> {
            let rows = wrapped(vec![(text.to_owned(), CODE)], 10);
            rows.iter().map(|row| row.iter().map(|(text, _)| text.as_str()).collect()).collect()
        };
        assert_eq!(rows("run --set n=4 --set m"), ["run --set ", "n=4 --set ", "m"]);
        assert_eq!(rows("0123456789ab"), ["0123456789", "ab"]);
        assert_eq!(rows(""), [""]);
    }

    #[test]
    fn a_line_of_any_length_is_read_once() {
        let [work, double] = [20_000, 40_000].map(|n| {
            let made = allocation_counter::measure(|| drop(wrapped(vec![("x".repeat(n), CODE)], 80)));
            made.bytes_total / n as u64
        });
        assert!(double < work + work / 2, "{work} and {double} bytes for each character");
    }
}
