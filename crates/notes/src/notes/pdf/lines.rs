//! Words and formulas in lines of a width.

use roxmltree::Node;
use usvg::Tree;

use super::fonts::{Face, Fonts};
use super::page::{Drawn, Ink, Pages};
use super::pictures::{PX, Pictures};

/// How words look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Style {
    pub(super) face: Face,
    /// In points.
    pub(super) size: f32,
    pub(super) ink: Ink,
}

impl Style {
    /// From one baseline to the next.
    pub(super) fn leading(self) -> f32 {
        self.size * 1.42
    }
}

enum Part {
    Word {
        text: String,
        style: Style,
        width: f32,
        link: Option<String>,
    },
    /// A blank between words, with its width.
    Blank(Style, f32),
    /// A formula: its picture, its size, and how far it goes below the baseline.
    Formula {
        tree: Box<Tree>,
        size: [f32; 2],
        depth: f32,
    },
    /// The end of a line.
    Break,
}

impl Part {
    fn width(&self) -> f32 {
        match self {
            Self::Word { width, .. } | Self::Blank(_, width) => *width,
            Self::Formula { size, .. } => size[0],
            Self::Break => 0.0,
        }
    }
}

/// The words of an element, in reading order.
#[derive(Default)]
pub(super) struct Words(Vec<Part>);

impl Words {
    /// The words of some nodes.
    pub(super) fn of<'a, 'i: 'a>(
        nodes: impl Iterator<Item = Node<'a, 'i>>,
        style: Style,
        fonts: &Fonts,
        pictures: &Pictures<'_>,
    ) -> Self {
        let mut words = Self::default();
        nodes.for_each(|node| words.take(node, style, None, (fonts, pictures)));
        words
    }

    pub(super) fn plain(text: &str, style: Style, fonts: &Fonts) -> Self {
        let mut words = Self::default();
        words.text(text, style, None, fonts);
        words
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.0.iter().any(|part| matches!(part, Part::Word { .. } | Part::Formula { .. }))
    }

    fn take(&mut self, node: Node<'_, '_>, style: Style, link: Option<&str>, with: (&Fonts, &Pictures<'_>)) {
        let (fonts, pictures) = with;
        if let Some(text) = node.text().filter(|_| node.is_text()) {
            self.text(text, style, link, fonts);
            return;
        }
        let face = |bold: Face, other: Face| if matches!(style.face, Face::Sans | Face::Medium) { other } else { bold };
        let (style, link) = match node.tag_name().name() {
            "br" => {
                self.0.push(Part::Break);
                return;
            }
            "svg" => {
                if let Some((tree, size)) = pictures.tree(node, style.size / PX) {
                    let shift = node.parent().and_then(|parent| parent.attribute("style")).unwrap_or_default();
                    let depth =
                        shift.split(':').nth(1).and_then(|value| value.trim_matches(['-', 'p', 'x']).parse().ok());
                    let depth = depth.unwrap_or(0.0) * style.size / PX;
                    self.0.push(Part::Formula { tree: Box::new(tree), size, depth });
                }
                return;
            }
            // The source of a formula, for those who copy it from a page.
            _ if node.attribute("class") == Some("tex") => return,
            "em" => (Style { face: face(Face::Italic, Face::Sans), ..style }, link),
            "strong" | "th" => (Style { face: face(Face::Bold, Face::Medium), ..style }, link),
            "code" => (Style { face: Face::Mono, size: style.size * 0.84, ..style }, link),
            "a" => (Style { ink: Ink::Accent, ..style }, node.attribute("href").or(link)),
            _ => (style, link),
        };
        node.children().for_each(|child| self.take(child, style, link, with));
    }

    fn text(&mut self, text: &str, style: Style, link: Option<&str>, fonts: &Fonts) {
        for piece in text.split_inclusive(char::is_whitespace) {
            let word = piece.trim_end();
            if !word.is_empty() {
                let width = fonts.width(word, style.face, style.size);
                self.0.push(Part::Word { text: word.to_owned(), style, width, link: link.map(ToOwned::to_owned) });
            }
            if word.len() < piece.len() && !matches!(self.0.last(), None | Some(Part::Blank(..) | Part::Break)) {
                self.0.push(Part::Blank(style, fonts.width(" ", style.face, style.size)));
            }
        }
    }

    /// The width of the longest word, and of all in one line.
    pub(super) fn widths(&self) -> [f32; 2] {
        let longest = self.0.iter().map(Part::width).fold(0.0, f32::max);
        [longest, self.0.iter().map(Part::width).sum()]
    }

    /// The words in lines of at most this width. A word that is longer than a line is broken where it has to be.
    pub(super) fn lines(self, width: f32, fonts: &Fonts) -> Vec<Line> {
        let mut lines = vec![Line::default()];
        for part in self.0 {
            let Some(line) = lines.last_mut() else { break };
            let fits = line.width + part.width() <= width;
            match part {
                Part::Break => lines.push(Line::default()),
                Part::Blank(..) if line.parts.is_empty() || !fits => {}
                _ if fits => line.push(part),
                Part::Word { text, style, link, width: whole } if whole > width => {
                    for text in broken(&text, style, width, fonts) {
                        let wide = fonts.width(&text, style.face, style.size);
                        let part = Part::Word { text, style, width: wide, link: link.clone() };
                        match lines.last_mut().filter(|line| line.width + wide <= width) {
                            Some(line) => line.push(part),
                            None => lines.push(Line::of(part)),
                        }
                    }
                }
                part => lines.push(Line::of(part)),
            }
        }
        lines.retain(|line| !line.parts.is_empty());
        lines
    }
}

/// A word in pieces that fit.
fn broken(text: &str, style: Style, width: f32, fonts: &Fonts) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0.0;
    for c in text.chars() {
        let wide = fonts.width(c.encode_utf8(&mut [0; 4]), style.face, style.size);
        if used + wide > width && used > 0.0 {
            pieces.push(String::new());
            used = 0.0;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push(c);
        }
        used += wide;
    }
    pieces
}

#[derive(Default)]
pub(super) struct Line {
    parts: Vec<Part>,
    pub(super) width: f32,
}

impl Line {
    fn of(part: Part) -> Self {
        let mut line = Self::default();
        line.push(part);
        line
    }

    fn push(&mut self, part: Part) {
        self.width += part.width();
        self.parts.push(part);
    }

    /// How far the line goes above its baseline and below it, with the usual extent if nothing exceeds it.
    fn extent(&self, style: Style) -> [f32; 2] {
        let usual = [style.leading() * 0.76, style.leading() * 0.24];
        self.parts.iter().fold(usual, |[above, below], part| match part {
            Part::Formula { size, depth, .. } => [above.max(size[1] - depth + 1.0), below.max(*depth + 1.0)],
            _ => [above, below],
        })
    }

    pub(super) fn height(&self, style: Style) -> f32 {
        self.extent(style).iter().sum()
    }

    /// Draws the line with its left end at `x`, below what is on the page already; `style` is that of the text around.
    pub(super) fn draw(self, pages: &mut Pages, x: f32, style: Style) {
        let [above, below] = self.extent(style);
        pages.room(above + below);
        let baseline = pages.y + above;
        self.draw_at(pages, [x, baseline]);
        pages.y += above + below;
    }

    /// Draws the line with the left end of its baseline at `at`.
    pub(super) fn draw_at(self, pages: &mut Pages, at: [f32; 2]) {
        let (mut x, baseline) = (at[0], at[1]);
        // Words of one style are one text with its blanks, so that they are copied as such.
        let mut open: Option<(f32, String, Style)> = None;
        let flush = |pages: &mut Pages, open: &mut Option<(f32, String, Style)>| {
            if let Some((x, text, Style { face, size, ink })) = open.take() {
                pages.draw(Drawn::Text { at: [x, baseline], face, size, ink, text });
            }
        };
        for part in self.parts {
            let wide = part.width();
            match part {
                Part::Word { text, style, link, .. } => {
                    if let Some(address) = link {
                        pages.draw(Drawn::Link { rect: [x, baseline - style.size, wide, style.size * 1.3], address });
                    }
                    match &mut open {
                        Some((_, run, of)) if *of == style => run.push_str(&text),
                        _ => {
                            flush(pages, &mut open);
                            open = Some((x, text, style));
                        }
                    }
                }
                Part::Blank(style, _) => match &mut open {
                    Some((_, run, of)) if *of == style => run.push(' '),
                    _ => flush(pages, &mut open),
                },
                Part::Formula { tree, size: [w, h], depth } => {
                    flush(pages, &mut open);
                    pages.draw(Drawn::Picture { rect: [x, baseline + depth - h, w, h], tree });
                }
                Part::Break => {}
            }
            x += wide;
        }
        flush(pages, &mut open);
    }
}
