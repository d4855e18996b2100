//! A picture of words, if there is nothing to draw.

use super::frame::{Anchor, Frame};
use super::palette::Ink;
use super::text;

/// A picture that has nothing to show, and why.
pub(super) fn message(frame: &mut Frame, title: &str, help: &str) {
    frame.alt = format!("{title}. {help}");
    let middle = frame.width / 2.0;
    let lines = text::wrap(help, 14.0, (frame.width - 48.0).clamp(40.0, 480.0));
    let mut y = frame.height / 2.0 - 10.0 * lines.len() as f32 - 12.0;
    frame.text([middle, y], 18.0, Anchor::Middle, Ink::Text, text::fit(title, 18.0, false, frame.width - 32.0));
    y += 28.0;
    for line in lines {
        frame.text([middle, y], 14.0, Anchor::Middle, Ink::Muted, line);
        y += 20.0;
    }
}

/// One line in the middle.
pub(super) fn line(size: [f32; 2], said: &str) -> Frame {
    let mut frame = Frame::new(size);
    frame.text(
        [size[0] / 2.0, size[1] / 2.0],
        14.0,
        Anchor::Middle,
        Ink::Muted,
        text::fit(said, 14.0, false, size[0] - 32.0),
    );
    frame.alt = said.to_owned();
    frame
}

/// The picture, or the reason that there is none as a line.
pub(super) fn or_line(size: [f32; 2], drawn: Result<Frame, &str>) -> Frame {
    drawn.unwrap_or_else(|why| line(size, why))
}
