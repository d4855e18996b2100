//! A frame as short text, stable enough to compare in tests and to read in a diff.

use std::fmt::Write;

use super::frame::{Anchor, Frame, Item, Tag};
use crate::base::xml::number;

/// One line for the frame, one for its description, and one for each item.
#[must_use]
pub fn dump(frame: &Frame) -> String {
    let mut out = format!("frame {}x{}\nalt {}\n", number(frame.width), number(frame.height), frame.alt);
    for item in &frame.items {
        // Writing to a String cannot fail.
        let _ = match item {
            Item::Rect { rect, radius, fill, stroke, tag: _ } => {
                let _ = write!(out, "rect {} r{}", list(rect), number(*radius));
                if let Some(ink) = fill {
                    let _ = write!(out, " {ink:?}");
                }
                stroke.map_or(Ok(()), |(ink, width)| write!(out, " edge {ink:?} {}", number(width)))
            }
            Item::Line { from, to, width, ink, tag: _ } => {
                write!(out, "line {} {} w{} {ink:?}", list(from), list(to), number(*width))
            }
            Item::Polyline { points, width, ink, tag: _ } => {
                let points: Vec<String> = points.iter().map(|p| list(p)).collect();
                write!(out, "polyline {} w{} {ink:?}", points.join(" "), number(*width))
            }
            Item::Dot { center, radius, ink, tag: _ } => {
                write!(out, "dot {} r{} {ink:?}", list(center), number(*radius))
            }
            Item::Text { at, size, anchor, ink, text, mono, tag: _ } => {
                let anchor = match anchor {
                    Anchor::Start => "start",
                    Anchor::Middle => "middle",
                    Anchor::End => "end",
                };
                let face = if *mono { " mono" } else { "" };
                write!(out, "text {} {}{face} {anchor} {ink:?} {text:?}", list(at), number(*size))
            }
        };
        match item.tag() {
            Some(tag) => {
                let _ = writeln!(out, " #{}", name(tag));
            }
            None => out.push('\n'),
        }
    }
    out
}

fn list(values: &[f32]) -> String {
    values.iter().map(|v| number(*v)).collect::<Vec<String>>().join(",")
}

fn name(tag: Tag) -> String {
    match tag {
        Tag::Lane(lane) => format!("lane{lane}"),
        Tag::Event(event) => format!("event{event}"),
        Tag::Sector { buffer, index } => format!("sector{buffer}.{index}"),
        Tag::Word { buffer, index } => format!("word{buffer}.{index}"),
        Tag::Bank(bank) => format!("bank{bank}"),
        Tag::Warp(warp) => format!("warp{warp}"),
        Tag::SourceLine(line) => format!("line{line}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::Script;
    use super::super::palette::Ink;
    use super::super::warp::{WarpView, frame};
    use super::*;

    #[test]
    fn items_read_as_lines() {
        let mut frame = Frame::new([20.0, 10.0]);
        frame.outline([0.0, 0.0, 4.0, 4.0], 2.0, Some(Ink::Panel), Ink::Load, Some(Tag::Word { buffer: 1, index: 9 }));
        frame.line([0.0, 0.0], [1.5, 2.0], 1.0, Ink::Store, Some(Tag::Lane(3)));
        frame.text([1.0, 2.0], 12.0, Anchor::End, Ink::Muted, "a \"b\"");
        frame.alt = "three things".to_owned();
        assert_eq!(
            dump(&frame),
            "frame 20x10\nalt three things\n\
             rect 0.5,0.5,3,3 r2 Panel edge Load 1 #word1.9\n\
             line 0,0 1.5,2 w1 Store #lane3\n\
             text 1,2 12 end Muted \"a \\\"b\\\"\"\n"
        );
    }

    #[test]
    fn the_same_moment_gives_the_same_text() {
        let timeline = Script::new(8).load(|i| i * 8).0;
        let view = WarpView {
            timeline: &timeline,
            workgroup: 0,
            warp: 0,
            position: 1.0,
            hovered: None,
            motion: true,
            size: [420.0, 300.0],
        };
        let text = dump(&frame(&view));
        assert_eq!(text, dump(&frame(&view)));
        for part in ["\"load of src\"", "#sector0.1", "#word0.14", "#lane7", "2 sectors of 32 bytes"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
