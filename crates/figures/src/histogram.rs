//! How many elements of a buffer have each value: a histogram of small whole numbers.

use super::buffer::is_written;
use super::figure::NO_BUFFER;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::palette::Ink;
use super::results::Missing;
use super::text;
use crate::base::units::count;

const MARGIN: f32 = 16.0;
const HEAD: f32 = 44.0;
const FOOT: f32 = 44.0;
/// Values that have a bar of their own; the last one counts greater ones, too.
const BARS: usize = 24;

static CARD: Card = Card {
    name: "Histogram",
    tab: "Histogram",
    help: "How many elements have each value",
    about: "how many elements have each value",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program a buffer of whole numbers",
    args: &[
        Arg::required("of", ArgKind::Buffer, "the buffer"),
        Arg::required("elements", ArgKind::Text, "the name of its elements: \"tokens\""),
        Arg::required("values", ArgKind::Text, "the name of the values: \"experts that picked the token\""),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        counts(view).map(|(counts, when)| drawn(view, &counts, &when))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Word { index, .. } = tag else { return None };
        let (counts, _) = counts(view).ok()?;
        let found = counts.get(usize::try_from(index).ok()?)?;
        Some(format!("{} {}: {index} {}", count(*found), view.picture.text("elements"), view.picture.text("values")))
    }
}

/// By value, how many elements have it; and when that is.
fn counts(view: &View<'_>) -> Result<(Vec<u64>, String), Missing> {
    let (reel, moment) = view.reel(&Fig)?;
    let tensor = reel.after(view.picture.text("of"), moment.settled()).ok_or(NO_BUFFER)?;
    let mut counts = Vec::new();
    for value in (0..tensor.len()).filter(|i| is_written(tensor, *i)).map(|i| tensor.get(i)) {
        let place = (value.max(0.0) as usize).min(BARS - 1);
        if counts.len() <= place {
            counts.resize(place + 1, 0);
        }
        counts[place] += 1;
    }
    Ok((counts, reel.when(moment.settled())))
}

fn drawn(view: &View<'_>, counts: &[u64], when: &str) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let (elements, values) = (view.picture.text("elements"), view.picture.text("values"));
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f32;
    let pitch = ((width - 2.0 * MARGIN) / counts.len().max(1) as f32).min(96.0);
    let (base, room) = (height - FOOT, height - FOOT - HEAD);
    let headline = text::fit(&format!("{elements}, {when}"), 12.0, false, width - 2.0 * MARGIN);
    frame.text([MARGIN, 14.0], 12.0, Anchor::Start, Ink::Muted, headline);
    for (value, found) in counts.iter().enumerate() {
        let left = MARGIN + pitch * value as f32;
        let high = (room * *found as f32 / most).max(if *found > 0 { 1.0 } else { 0.0 });
        let tag = Some(Tag::Word { buffer: 0, index: value as u64 });
        if high > 0.0 {
            frame.fill([left + pitch * 0.1, base - high, pitch * 0.8, high], 2.0, Ink::Load, tag);
        }
        let middle = left + pitch / 2.0;
        frame.text([middle, base - high - 10.0], 12.0, Anchor::Middle, Ink::Text, count(*found));
        frame.text([middle, base + 12.0], 13.0, Anchor::Middle, Ink::Text, value.to_string());
    }
    frame.line([MARGIN, base], [MARGIN + pitch * counts.len() as f32, base], 1.0, Ink::Muted, None);
    frame.text([MARGIN, height - 12.0], 12.0, Anchor::Start, Ink::Muted, values);
    let each: Vec<String> = (0..).zip(counts).map(|(value, found)| format!("{found} have {value}")).collect();
    frame.alt = format!("{elements} by {values}, {when}: {}.", each.join(", "));
    frame
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of, reel_of};
    use super::*;
    use crate::lesson::ArgValue;

    #[test]
    fn values_are_counted() {
        let reel = reel_of(&[("picks", 0, &[0, 2, 1, 2, 0, 2, 99])]);
        let text = |text: &str| ArgValue::Text(text.to_owned());
        let picture =
            picture_of("Histogram", &[("of", text("picks")), ("elements", text("tokens")), ("values", text("picks"))]);
        let results = filmed(&Fig, &picture, &[], reel);
        for size in [[420.0, 220.0], [690.0, 300.0], [1400.0, 700.0]] {
            let view = View { position: 1.0, ..View::still(&results, &picture, size) };
            let frame = drawn(&Fig, &view, &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(frame.alt.contains("2 have 0, 1 have 1, 3 have 2, 0 have 3"), "{}", frame.alt);
        }
    }
}
