//! Pages of a PDF: what is drawn where, and the file that they become. Lengths are points, from the top left.

use krilla::Document;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::destination::XyzDestination;
use krilla::geom::{PathBuilder, Point, Rect, Size, Transform};
use krilla::metadata::Metadata;
use krilla::num::NormalizedF32;
use krilla::outline::{Outline, OutlineNode};
use krilla::page::PageSettings;
use krilla::paint::{Fill, FillRule};
use krilla::surface::Surface;
use krilla::text::TextDirection;
use krilla_svg::{SurfaceExt, SvgSettings};
use usvg::Tree;

use super::fonts::{Face, Fonts};

/// The program, in the files that it wrote.
pub(super) const CREATOR: &str = "Warpbook";

/// A4.
pub(super) const PAGE: [f32; 2] = [595.28, 841.89];
/// Left and right, and above and below.
pub(super) const MARGIN: [f32; 2] = [62.0, 60.0];

/// In place of a picture that cannot be drawn.
pub(super) const NO_PICTURE: &str = "This picture cannot be drawn on paper: see it in the note as HTML.";

/// The colours on paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ink {
    Text,
    Muted,
    Accent,
    More,
    Less,
    Line,
    Card,
}

impl Ink {
    fn rgb(self) -> [u8; 3] {
        match self {
            Self::Text => [27, 31, 36],
            Self::Muted => [89, 98, 111],
            Self::Accent => [85, 70, 207],
            Self::More => [17, 107, 58],
            Self::Less => [163, 35, 47],
            Self::Line => [217, 222, 228],
            Self::Card => [244, 246, 248],
        }
    }
}

pub(super) enum Drawn {
    /// A text in one font; `at` is the left end of its baseline.
    Text { at: [f32; 2], face: Face, size: f32, ink: Ink, text: String },
    /// A filled rectangle: left, top, width, height.
    Box { rect: [f32; 4], ink: Ink },
    /// A picture, in its rectangle.
    Picture { rect: [f32; 4], tree: Box<Tree> },
    /// A link over a rectangle.
    Link { rect: [f32; 4], address: String },
}

impl Drawn {
    fn raise(&mut self, by: f32) {
        match self {
            Self::Text { at, .. } => at[1] -= by,
            Self::Box { rect, .. } | Self::Picture { rect, .. } | Self::Link { rect, .. } => rect[1] -= by,
        }
    }
}

/// Pages that are filled from the top down.
#[derive(Default)]
pub(super) struct Pages {
    /// The contents of each page, in the order they are drawn.
    pages: Vec<Vec<Drawn>>,
    /// Where the next thing goes on the last page.
    pub(super) y: f32,
    /// Titles of sections, with their page and height.
    titles: Vec<(String, usize, f32)>,
    /// The headings at the end of the last page, which go with what comes next: the first of what they draw, and their
    /// top.
    headings: Option<(usize, f32)>,
}

impl Pages {
    /// The first page.
    pub(super) fn new() -> Self {
        Self { pages: vec![Vec::new()], y: MARGIN[1], ..Self::default() }
    }

    /// Makes room for something of this height: on the next page if it does not fit, and begins a page at most once.
    pub(super) fn room(&mut self, height: f32) {
        if self.y + height <= PAGE[1] - MARGIN[1] || self.y <= MARGIN[1] {
            return;
        }
        // Headings that are the page's only contents would be on the next page as they are on this one.
        let headings = self.headings.take().filter(|(first, _)| *first > 0);
        let page = self.pages.len();
        let mut moved = match (headings, self.pages.last_mut()) {
            (Some((first, _)), Some(last)) => last.split_off(first),
            _ => Vec::new(),
        };
        let top = headings.map_or(self.y, |(_, top)| top);
        let up = top - MARGIN[1];
        moved.iter_mut().for_each(|drawn| drawn.raise(up));
        // The last titles are those of the last page.
        let titles = self.titles.iter_mut().rev().take_while(|(_, on, _)| *on + 1 == page);
        for (_, on, y) in titles.filter(|(.., y)| *y >= top) {
            (*on, *y) = (page, *y - up);
        }
        self.pages.push(moved);
        self.y -= up;
        self.headings = headings.map(|_| (0, MARGIN[1]));
    }

    /// Draws a heading with `draw`: it is on the page of what comes next.
    pub(super) fn heading(&mut self, draw: impl FnOnce(&mut Self)) {
        let first = self.pages.last().map_or(0, Vec::len);
        let headings = self.headings.unwrap_or((first, self.y));
        draw(self);
        self.headings = Some(headings);
    }

    #[cfg(test)]
    pub(super) fn words(&self) -> Vec<&str> {
        let drawn = self.pages.iter().flatten();
        drawn
            .filter_map(|drawn| if let Drawn::Text { text, .. } = drawn { Some(text.as_str()) } else { None })
            .collect()
    }

    /// The page, from 0, and the height on it.
    pub(super) fn here(&self) -> (usize, f32) {
        (self.pages.len() - 1, self.y)
    }

    /// Draws a bar at `x` from a place on to here, on each page between.
    pub(super) fn bar(&mut self, from: (usize, f32), x: f32, ink: Ink) {
        let last = self.pages.len() - 1;
        for page in from.0..=last {
            let top = if page == from.0 { from.1 } else { MARGIN[1] };
            let end = if page == last { self.y - 6.0 } else { PAGE[1] - MARGIN[1] };
            self.pages[page].push(Drawn::Box { rect: [x, top, 2.0, (end - top).max(1.0)], ink });
        }
    }

    /// Leaves a gap, except at the top of a page.
    pub(super) fn gap(&mut self, height: f32) {
        if self.y > MARGIN[1] {
            self.y += height;
        }
    }

    /// Draws on the last page.
    pub(super) fn draw(&mut self, drawn: Drawn) {
        self.headings = None;
        if let Some(page) = self.pages.last_mut() {
            page.push(drawn);
        }
    }

    /// Enters a section in the outline, here.
    pub(super) fn title(&mut self, title: &str) {
        self.titles.push((title.to_owned(), self.pages.len() - 1, self.y));
    }

    /// The file; `foot` is at the bottom of each page, beside its number.
    pub(super) fn file(self, title: &str, foot: &str, fonts: &Fonts) -> Result<Vec<u8>, String> {
        let mut document = Document::new();
        document.set_metadata(Metadata::new().title(title.to_owned()).creator(CREATOR.to_owned()));
        let mut outline = Outline::new();
        for (title, page, y) in self.titles {
            outline.push_child(OutlineNode::new(title, XyzDestination::new(page, Point::from_xy(0.0, y))));
        }
        document.set_outline(outline);
        let count = self.pages.len();
        for (number, drawn) in (1..).zip(self.pages) {
            let settings = PageSettings::from_wh(PAGE[0], PAGE[1]).ok_or("the page has no size")?;
            let mut page = document.start_page_with(settings);
            for drawn in &drawn {
                if let Drawn::Link { rect, address } = drawn
                    && let Some(rect) = Rect::from_xywh(rect[0], rect[1], rect[2], rect[3])
                {
                    let target = Target::Action(Action::Link(LinkAction::new(address.clone())));
                    page.add_annotation(Annotation::new_link(LinkAnnotation::new(rect, target), None));
                }
            }
            let mut surface = page.surface();
            for drawn in drawn {
                put(&mut surface, drawn, fonts);
            }
            let foot = format!("{foot} · {number} of {count}");
            let x = (PAGE[0] - fonts.width(&foot, Face::Sans, 8.0)) / 2.0;
            let at = [x, PAGE[1] - 30.0];
            text(&mut surface, at, (Face::Sans, 8.0, Ink::Muted), &foot, fonts);
            surface.finish();
            page.finish();
        }
        document.finish().map_err(|why| format!("{why:?}"))
    }
}

fn put(surface: &mut Surface<'_>, drawn: Drawn, fonts: &Fonts) {
    match drawn {
        Drawn::Text { at, face, size, ink, text } => self::text(surface, at, (face, size, ink), &text, fonts),
        Drawn::Box { rect: [x, y, w, h], ink } => {
            let mut path = PathBuilder::new();
            if let Some(rect) = Rect::from_xywh(x, y, w, h) {
                path.push_rect(rect);
            }
            if let Some(path) = path.finish() {
                surface.set_fill(Some(fill(ink)));
                surface.draw_path(&path);
            }
        }
        Drawn::Picture { rect: [x, y, w, h], tree } => {
            if let Some(size) = Size::from_wh(w, h) {
                surface.push_transform(&Transform::from_translate(x, y));
                let drawn = surface.draw_svg(&tree, size, SvgSettings::default());
                surface.pop();
                if drawn.is_none() {
                    text(surface, [x, y + h / 2.0], (Face::Sans, 8.0, Ink::Muted), NO_PICTURE, fonts);
                }
            }
        }
        Drawn::Link { .. } => {}
    }
}

fn text(surface: &mut Surface<'_>, at: [f32; 2], (face, size, ink): (Face, f32, Ink), text: &str, fonts: &Fonts) {
    let mut x = at[0];
    for run in fonts.runs(text, face, size) {
        if let Some(font) = fonts.embedded(run.face) {
            surface.set_fill(Some(fill(ink)));
            let at = Point::from_xy(x, at[1]);
            surface.draw_text(at, font.clone(), size, &run.text, false, TextDirection::Auto);
        }
        x += run.width;
    }
}

fn fill(ink: Ink) -> Fill {
    let [r, g, b] = ink.rgb();
    Fill { paint: rgb::Color::new(r, g, b).into(), opacity: NormalizedF32::ONE, rule: FillRule::NonZero }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(pages: &mut Pages, text: &str) {
        let at = [MARGIN[0], pages.y + 8.0];
        pages.draw(Drawn::Text { at, face: Face::Sans, size: 10.0, ink: Ink::Text, text: text.to_owned() });
        pages.y += 12.0;
    }

    #[test]
    fn a_heading_goes_to_the_next_page_with_what_comes_after_it() {
        let texts = |pages: &Pages| -> Vec<usize> { pages.pages.iter().map(Vec::len).collect() };
        let mut pages = Pages::new();
        text(&mut pages, "words");
        pages.title("Heading");
        pages.heading(|pages| text(pages, "Heading"));
        pages.heading(|pages| text(pages, "Below it"));
        pages.room(PAGE[1] / 2.0);
        assert_eq!(texts(&pages), [3], "there is room");
        pages.room(PAGE[1] - 2.0 * MARGIN[1] - 30.0);
        assert_eq!((texts(&pages), pages.y), (vec![1, 2], MARGIN[1] + 24.0));
        assert_eq!(pages.titles, [("Heading".to_owned(), 1, MARGIN[1])]);
        assert!(matches!(pages.pages[1][0], Drawn::Text { at: [_, y], .. } if (y - MARGIN[1] - 8.0).abs() < 1e-3));
        // Not for ever: what is taller than a page comes after it.
        pages.room(2.0 * PAGE[1]);
        text(&mut pages, "tall");
        assert_eq!(texts(&pages), [1, 2, 1]);
    }
}
