//! The title and the caption that a lesson gives a figure, above it.

use super::figure::{Arg, ArgKind, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::MARGIN;
use super::palette::Ink;
use super::{message, text};

/// Arguments that every figure takes.
pub const COMMON: [Arg; 2] = [
    Arg::optional("title", ArgKind::Text, "a line above the figure"),
    Arg::optional(
        "caption",
        ArgKind::Text,
        "a sentence below the title, if the picture is high enough; an explorer has none",
    ),
];

const TITLE: f32 = 17.0;
const CAPTION: f32 = 13.0;
/// Height of a line of the title.
const LINE: f32 = 22.0;

/// A lower picture has no caption, or no title either.
const LEAST: [f32; 2] = [140.0, 300.0];

/// A lower picture has a small title: its size, and the height of its line.
const SMALL_BELOW: f32 = 190.0;
const SMALL: [f32; 2] = [14.0, 18.0];

/// Height of a picture with room for a title of two lines.
const LEAST_WITH_LINES: f32 = 240.0;

/// The size of the title in a picture of this height, and the height of a line of it.
fn sizes(height: f32) -> [f32; 2] {
    if height < SMALL_BELOW { SMALL } else { [TITLE, LINE] }
}

/// The title and the caption in lines, and the height that both take.
fn head(view: &View<'_>) -> ([Vec<String>; 2], f32) {
    let [width, height] = view.size;
    let title = if height < LEAST[0] { String::new() } else { view.words("title") };
    let most = if height < LEAST_WITH_LINES { 1 } else { 2 };
    let room = width - 2.0 * MARGIN;
    let [size, line] = sizes(height);
    let mut title = text::wrap(&title, size, room);
    if title.len() > most {
        let last = title.split_off(most - 1).join(" ");
        title.push(text::fit(&last, size, false, room));
    }
    let caption = if height < LEAST[1] { String::new() } else { view.words("caption") };
    let caption = text::wrap(&caption, CAPTION, room);
    let below = if height < SMALL_BELOW { 2.0 } else { 10.0 };
    let height = if title.is_empty() { 0.0 } else { 2.0 + line * title.len() as f32 } + 17.0 * caption.len() as f32;
    ([title, caption], if height > 0.0 { height + below } else { 0.0 })
}

/// The view of the figure below its title.
fn below<'a>(view: &View<'a>) -> (View<'a>, [Vec<String>; 2], f32) {
    let (lines, height) = head(view);
    let [width, all] = view.size;
    let titled = !lines[0].is_empty();
    (View { size: [width, (all - height).max(1.0)], titled, ..*view }, lines, height)
}

/// The figure with its title; in place of it, why it cannot be drawn yet, or at all.
#[must_use]
pub fn draw(figure: &dyn Figure, view: &View<'_>, kept: &mut Kept) -> Frame {
    let mut drawn =
        |view: &View<'_>| figure.draw(view, kept).unwrap_or_else(|missing| message::line(view.size, missing.words()));
    let (inner, [title, caption], height) = below(view);
    if height == 0.0 {
        return drawn(view);
    }
    let mut frame = Frame::new(view.size);
    if !title.is_empty() {
        frame.alt = format!("{}.", view.words("title"));
    }
    let [size, high] = sizes(view.size[1]);
    let mut y = 4.0 + 0.75 * high;
    for line in title {
        frame.text([MARGIN, y], size, Anchor::Start, Ink::Text, line);
        y += high;
    }
    for line in caption {
        frame.text([MARGIN, y], CAPTION, Anchor::Start, Ink::Muted, line);
        y += 17.0;
    }
    frame.place(drawn(&inner), [0.0, height]);
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
