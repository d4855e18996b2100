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
    frame.fitted([middle, y], 18.0, Anchor::Middle, Ink::Text, frame.width - 32.0, title);
    y += 28.0;
    for line in lines {
        frame.text([middle, y], 14.0, Anchor::Middle, Ink::Muted, line);
        y += 20.0;
    }
}

/// A sentence in the middle.
pub(super) fn line(size: [f32; 2], said: &str) -> Frame {
    let mut frame = Frame::new(size);
    let lines = text::wrap(said, 14.0, (size[0] - 32.0).clamp(40.0, 600.0));
    let above = 10.0 * (lines.len() as f32 - 1.0);
    for (at, line) in lines.into_iter().enumerate() {
        let y = size[1] / 2.0 - above + 20.0 * at as f32;
        frame.fitted([size[0] / 2.0, y], 14.0, Anchor::Middle, Ink::Muted, size[0] - 32.0, &line);
    }
    frame.alt = said.to_owned();
    frame
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::assert_tidy;
    use super::super::results::Missing;
    use super::*;

    #[test]
    fn why_there_is_no_picture_is_read_in_any_size() {
        let long = Missing::from("How the grid spreads is not known: it takes the workgroup's size. ".repeat(3));
        for size in [[420.0, 300.0], [640.0, 296.0], [1576.0, 600.0]] {
            for missing in [&Missing::Running, &long] {
                let frame = line(size, missing.words());
                assert_tidy(&frame, &format!("{size:?}"));
                assert_eq!(frame.alt, missing.words());
            }
        }
    }
}
