//! How many elements of a buffer have each value: a histogram of small whole numbers.

use super::buffer::is_written;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, NO_BUFFER, View};
use super::frame::{Frame, Tag};
use super::kit::{Board, Columns};
use super::palette::Ink;
use super::results::Missing;
use crate::base::units::count;

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
        let found = *counts(view).ok()?.0.get(usize::try_from(index).ok()?)?;
        Some(format!("{} {}: {index} {}", count(found), view.picture.text("elements"), view.picture.text("values")))
    }
}

/// By value, how many elements have it; and when that is.
fn counts(view: &View<'_>) -> Result<(Vec<u64>, String), Missing> {
    let (reel, moment) = view.reel(&Fig)?;
    let tensor = reel.after(view.picture.text("of"), moment.settled()).ok_or(NO_BUFFER)?;
    let mut counts = vec![0; BARS];
    for value in (0..tensor.len()).filter(|i| is_written(tensor, *i)).map(|i| tensor.get(i)) {
        counts[(value.max(0.0) as usize).min(BARS - 1)] += 1;
    }
    counts.truncate(counts.iter().rposition(|found| *found > 0).map_or(0, |last| last + 1));
    Ok((counts, reel.when(moment.settled())))
}

fn drawn(view: &View<'_>, counts: &[u64], when: &str) -> Frame {
    let (elements, values) = (view.picture.text("elements"), view.picture.text("values"));
    let mut board = Board::new(view.size);
    board.caption(&format!("{elements}, {when}"));
    board.footer(values);
    let room = board.room();
    Columns::bars(&mut board.frame, room, counts, Ink::Load, |value| value.to_string());
    let each: Vec<String> = (0..).zip(counts).map(|(value, found)| format!("{found} have {value}")).collect();
    board.finish(format!("{elements} by {values}, {when}: {}.", each.join(", ")))
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
