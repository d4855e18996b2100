//! The title and the caption that a lesson gives a figure, above it.

use super::figure::{Arg, ArgKind, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::palette::Ink;
use super::text;

/// Arguments that every figure takes.
pub const COMMON: [Arg; 2] = [
    Arg::optional("title", ArgKind::Text, "a line above the figure"),
    Arg::optional(
        "caption",
        ArgKind::Text,
        "a sentence below the title, if the picture is high enough; an explorer has none",
    ),
];

const MARGIN: f32 = 16.0;
const TITLE: f32 = 17.0;
const CAPTION: f32 = 13.0;

/// A lower picture has no caption, or no title either.
const LEAST: [f32; 2] = [190.0, 300.0];

/// The caption in lines, and the height that both take.
fn head(view: &View<'_>) -> (Vec<String>, f32) {
    let height = view.size[1];
    let caption = if height < LEAST[1] { "" } else { view.picture.text("caption") };
    let caption = text::wrap(caption, CAPTION, view.size[0] - 2.0 * MARGIN);
    let has_title = height >= LEAST[0] && !view.picture.text("title").is_empty();
    let title = if has_title { 24.0 } else { 0.0 };
    let height = title + 17.0 * caption.len() as f32;
    (caption, if height > 0.0 { height + 10.0 } else { 0.0 })
}

/// The view of the figure below its title.
fn below<'a>(view: &View<'a>) -> (View<'a>, Vec<String>, f32) {
    let (caption, height) = head(view);
    let [width, all] = view.size;
    (View { size: [width, (all - height).max(1.0)], ..*view }, caption, height)
}

/// The figure with its title.
#[must_use]
pub fn draw(figure: &dyn Figure, view: &View<'_>, kept: &mut Kept) -> Frame {
    let (inner, caption, height) = below(view);
    if height == 0.0 {
        return figure.draw(view, kept);
    }
    let mut frame = Frame::new(view.size);
    let title = view.picture.text("title");
    let mut y = 20.0;
    if !title.is_empty() && view.size[1] >= LEAST[0] {
        let title = text::fit(title, TITLE, false, view.size[0] - 2.0 * MARGIN);
        frame.alt = format!("{title}.");
        frame.text([MARGIN, y], TITLE, Anchor::Start, Ink::Text, title);
        y += 22.0;
    }
    for line in caption {
        frame.text([MARGIN, y], CAPTION, Anchor::Start, Ink::Muted, line);
        y += 17.0;
    }
    frame.place(figure.draw(&inner, kept), [0.0, height]);
    frame
}

/// As [`Figure::tip`].
#[must_use]
pub fn tip(figure: &dyn Figure, view: &View<'_>, kept: &Kept, event: Option<usize>, tag: Tag) -> Option<String> {
    figure.tip(&below(view).0, kept, event, tag)
}

/// As [`Figure::element`].
#[must_use]
pub fn element(figure: &dyn Figure, view: &View<'_>, event: Option<usize>, tag: Tag) -> Option<(String, u64)> {
    figure.element(&below(view).0, event, tag)
}
