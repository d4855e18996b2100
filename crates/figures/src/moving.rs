//! A picture that moves, as one SVG: all moments in one list of items, each shown while it is there.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::frame::Frame;
use super::palette::Ink;
use super::svg::Writer;

/// The maximum of moments.
pub const MOST: usize = 48;

/// Seconds per moment: where a tick has several moments, and where each moment is an event to read.
pub const MOMENT_S: f64 = 0.25;
pub const EVENT_S: f64 = 1.25;

/// Seconds for which the last one stays.
const REST_S: f64 = 2.0;

/// The height of the line that says how far the film is.
const PROGRESS: f32 = 3.0;

/// How far an item is looked for in the list of those before it.
const FAR: usize = 96;

/// The moments in a row, over and over; at most [`MOST`]. The colours follow the system. Where motion is reduced, and in programs that
/// know no animation, the moment `still` is shown, from 0. Empty without moments.
#[must_use]
pub fn moving(frames: &[Frame], still: usize, moment_s: f64) -> String {
    let frames = &frames[..frames.len().min(MOST)];
    let Some(shown) = frames.get(still).or(frames.last()) else { return String::new() };
    let still = still.min(frames.len() - 1);
    let mut writer = Writer::adaptive();
    let lines =
        (1..=frames.len()).map(|moment| with_progress(&frames[moment - 1], moment as f32 / frames.len() as f32));
    let lines: Vec<Frame> = lines.collect();
    let items = merged(lines.iter().map(|frame| writer.packed(frame)));
    let (moments, all) = (frames.len(), u64::MAX >> (u64::BITS as usize - frames.len()));
    let mut masks = BTreeMap::new();
    let mut body = String::new();
    for (item, mask) in &items {
        if *mask == all {
            body.push_str(item);
            continue;
        }
        let class = format!("m{moments}x{mask:x}");
        let hidden = if !bit(*mask, still) { " visibility=\"hidden\"" } else { "" };
        let _ = writeln!(body, "<g class=\"{class}\"{hidden}>{}</g>", item.trim_end());
        masks.insert(class, *mask);
    }
    let rest = (REST_S / moment_s).ceil() as usize;
    let mut style = String::from("@media (prefers-reduced-motion:no-preference){");
    for (class, mask) in &masks {
        // The names follow from the moments alone, so that several pictures on one page agree.
        let all = moments + rest;
        let seconds = moment_s * all as f64;
        let _ = write!(style, ".{class}{{animation:{class} {seconds}s step-end infinite}}@keyframes {class}{{");
        for moment in (0..moments).filter(|moment| *moment == 0 || bit(*mask, *moment) != bit(*mask, moment - 1)) {
            let (share, shown) = (100.0 * moment as f64 / all as f64, bit(*mask, moment));
            let _ = write!(style, "{share:.2}%{{visibility:{}}}", if shown { "visible" } else { "hidden" });
        }
        style.push('}');
    }
    style.push('}');
    writer.document(shown, &body, &style)
}

/// The frame with a line at its foot, which grows to the frame's width as the film plays.
fn with_progress(frame: &Frame, share: f32) -> Frame {
    let mut frame = frame.clone();
    let y = frame.height - PROGRESS;
    frame.fill([0.0, y, frame.width, PROGRESS], 0.0, Ink::Faint, None);
    frame.fill([0.0, y, frame.width * share, PROGRESS], 0.0, Ink::Accent, None);
    frame
}

fn bit(mask: u64, moment: usize) -> bool {
    mask >> moment & 1 == 1
}

/// The items of all moments in an order that keeps the order of each; with the moments that have them as bits.
fn merged(moments: impl Iterator<Item = Vec<String>>) -> Vec<(String, u64)> {
    let mut items: Vec<(String, u64)> = Vec::new();
    for (moment, of_moment) in moments.enumerate() {
        let mut before = std::mem::take(&mut items).into_iter();
        for item in of_moment {
            let near = before.as_slice().iter().take(FAR).position(|(known, _)| *known == item);
            let mask = near.map_or(0, |steps| {
                items.extend(before.by_ref().take(steps));
                before.next().map_or(0, |(_, mask)| mask)
            });
            items.push((item, mask | 1 << moment));
        }
        items.extend(before);
    }
    items
}

#[cfg(test)]
mod tests {
    use super::super::frame::Anchor;
    use super::super::palette::Ink;
    use super::*;

    /// A box that stays, and a word that changes.
    fn moments() -> Vec<Frame> {
        let words = ["first", "second", "third"];
        let frame = |word: &&str| {
            let mut frame = Frame::new([100.0, 50.0]);
            frame.fill([0.0, 0.0, 10.0, 10.0], 0.0, Ink::Load, None);
            frame.text([20.0, 20.0], 12.0, Anchor::Start, Ink::Text, *word);
            frame.alt = format!("{word} moment");
            frame
        };
        words.iter().map(frame).collect()
    }

    #[test]
    fn an_item_of_all_moments_is_there_once_and_others_while_they_last() -> Result<(), roxmltree::Error> {
        let text = moving(&moments(), 1, MOMENT_S);
        let document = roxmltree::Document::parse(&text)?;
        let groups: Vec<_> = document.descendants().filter(|node| node.has_tag_name("g")).collect();
        let hidden: Vec<bool> = groups.iter().map(|group| group.attribute("visibility").is_some()).collect();
        let mut words: Vec<_> = groups.iter().filter_map(|group| group.first_element_child()?.text()).collect();
        words.sort_unstable();
        assert_eq!(words, ["first", "second", "third"]);
        let still =
            groups.iter().zip(&hidden).find(|(_, hidden)| !**hidden).and_then(|(group, _)| group.first_element_child());
        assert_eq!(
            (still.and_then(|item| item.text()), hidden.iter().filter(|hidden| **hidden).count()),
            // Of each kind, words and progress, two.
            (Some("second"), 4)
        );
        assert_eq!(text.matches("width=\"10\"").count(), 1, "{text}");
        assert_eq!(text.matches("@keyframes").count(), 3);
        Ok(())
    }

    #[test]
    fn the_order_of_each_moment_is_kept() {
        let of = |text: &str| -> Vec<String> { text.split(' ').map(ToOwned::to_owned).collect() };
        let moments = ["a b c d", "a x c d", "b a d", "d c b a"];
        let items = merged(moments.iter().map(|moment| of(moment)));
        for (moment, text) in moments.iter().enumerate() {
            let shown = items.iter().filter(|(_, mask)| bit(*mask, moment)).map(|(item, _)| item.as_str());
            assert_eq!(shown.collect::<Vec<_>>().join(" "), *text);
        }
    }

    #[test]
    fn nothing_moves_without_moments() {
        assert_eq!(moving(&[], 0, MOMENT_S), "");
        assert!(!moving(&moments()[..1], 9, MOMENT_S).contains("@keyframes"));
    }

    #[test]
    fn cells_beside_each_other_are_a_line_for_each_colour() {
        let mut frame = Frame::new([100.0, 50.0]);
        let inks = [Ink::Load, Ink::Store, Ink::Load, Ink::Load, Ink::Store];
        for (i, ink) in inks.into_iter().enumerate() {
            frame.fill([10.0 * i as f32, 8.0, 10.0, 4.0], 0.0, ink, None);
        }
        // A cell that covers another, and one below, are none of the row.
        frame.fill([20.0, 8.0, 10.0, 4.0], 0.0, Ink::Text, None);
        frame.fill([0.0, 12.0, 10.0, 4.0], 0.0, Ink::Load, None);
        let text = moving(&[frame], 0, MOMENT_S);
        assert!(text.contains("d=\"M0 10h10M20 10h10M30 10h10\""), "{text}");
        assert!(text.contains("d=\"M10 10h10M40 10h10\""), "{text}");
        // The panel, the two cells, and the two rectangles of the progress.
        assert_eq!(text.matches("<rect").count(), 5, "{text}");
    }
}
