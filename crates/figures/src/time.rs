//! What the predicted time of a launch is made of: the launch, and each resource's time with the counts behind it.

use super::answers::TimeParts;
use super::ask;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, MARGIN, Rows};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::text;
use crate::base::units::{digits3, si};
use crate::device::{Bound, Part, Point};

/// The least and the greatest distance between two rows.
const PITCH: [f32; 2] = [24.0, 44.0];
/// Size of the words on a row.
const SIZE: f32 = 12.0;
/// A row at least this high has room for two lines of words.
const TWO_LINES: f32 = 23.0;
/// Parts that take less of the whole time than this are left out.
const LEAST: f64 = 0.005;
/// The likely range of the predicted time.
const RANGE: Ink = Ink::Tint(Hue::Accent, 35);

static CARD: Card = Card {
    name: "Time",
    tab: "Time",
    help: "What the predicted time of a launch is made of: each resource's time, with the counts behind it",
    about: "the parts of a predicted time",
    clock: Clock::Still,
    fits: |facts| facts.traced,
    needs: "any kernel that can be traced",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.ask(ask::TimeParts).map(|time| drawn(view.size, time))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Spot(row) = tag else { return None };
        let time = view.ask(ask::TimeParts).ok()?;
        rows(time).get(row).map(|row| format!("{}\n{}", row.name, row.words))
    }
}

/// A bar with its name and words.
struct Row {
    name: String,
    seconds: f64,
    ink: Ink,
    words: String,
}

/// The predicted time, the recorded one if there is one, and the parts: the launch first, then the longest.
fn rows(time: &TimeParts) -> Vec<Row> {
    let Point { point_s, likely_s: [low, high], parts } = &time.predicted;
    let range = format!("{} (9 of 10: {} to {})", si(*point_s, "s"), si(*low, "s"), si(*high, "s"));
    let mut rows =
        vec![Row { name: "predicted".to_owned(), seconds: *point_s, ink: Hue::Accent.ink(), words: range }];
    if let Some((seconds, whence)) = &time.recorded {
        let off = digits3(100.0 * (point_s / seconds - 1.0).abs());
        let than = if point_s > seconds { "longer" } else { "shorter" };
        let words = format!("{}, {whence}; predicted {off} % {than}", si(*seconds, "s"));
        rows.push(Row { name: "recorded".to_owned(), seconds: *seconds, ink: Ink::Text, words });
    }
    let (launch, others): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| part.of == Bound::Launch);
    let others: Vec<&Part> = others.into_iter().filter(|part| part.seconds >= LEAST * point_s).collect();
    let bound = others.first().map(|part| part.of);
    rows.extend(launch.into_iter().chain(others).map(|part| {
        let ink = if Some(part.of) == bound { Ink::Series(1) } else { Ink::Series(0) };
        let costs = part.words();
        let words = if costs.is_empty() { si(part.seconds, "s") } else { format!("{} = {costs}", si(part.seconds, "s")) };
        Row { name: part.of.name().to_owned(), seconds: part.seconds, ink, words }
    }));
    rows
}

fn drawn(size: [f32; 2], time: &TimeParts) -> Frame {
    let mut board = Board::new(size);
    let all = rows(time);
    let of = format!("For {}: the launch, and after it all others at once. The longest decides, and the next add to it.", time.device);
    board.caption(&of);
    let keys = [
        Key::new(Hue::Accent.ink(), "predicted"),
        Key::new(RANGE, "range of 9 in 10 times"),
        Key::new(Ink::Series(1), "the longest part"),
        Key::new(Ink::Series(0), "other parts"),
    ];
    board.legend(&keys);
    let mut rows = Rows::new(board.room(), all.len(), PITCH);
    rows.names(&mut board.frame, "part", |row| all[row].name.clone());
    let most = all.iter().map(|row| row.seconds).chain([time.predicted.likely_s[1]]).fold(f64::MIN_POSITIVE, f64::max);
    let wide = (rows.right - rows.left) * 0.45;
    let long = |seconds: f64| ((seconds / most) as f32 * wide).max(1.0);
    for (row, Row { seconds, ink, words, .. }) in all.iter().enumerate().take(rows.shown) {
        let [left, top, _, high] = rows.rect(row);
        let mut end = left + long(*seconds);
        if row == 0 {
            let [low, far] = time.predicted.likely_s.map(|end| left + long(end));
            board.frame.fill([low, top + high * 0.3, far - low, high * 0.4], 2.0, RANGE, None);
            end = end.max(far);
        }
        board.frame.fill([left, top, long(*seconds), high], 2.0, *ink, Some(Tag::Spot(row)));
        let at = [end + 8.0, rows.middle(row)];
        let room = (size[0] - MARGIN - at[0]).max(1.0);
        let lines = match text::wrap(words, SIZE, room) {
            wrapped if high >= TWO_LINES => wrapped.into_iter().take(2).collect(),
            _ => vec![words.clone()],
        };
        let first = at[1] - 7.5 * (lines.len() as f32 - 1.0);
        for (i, line) in lines.iter().enumerate() {
            board.frame.fitted([at[0], first + 15.0 * i as f32], SIZE, Anchor::Start, Ink::Text, room, line);
        }
    }
    let said: Vec<String> = all.iter().map(|row| format!("{}: {}", row.name, row.words)).collect();
    board.finish(format!("{of} {}.", said.join(". ")))
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, numbered, picture_of};
    use super::*;
    use crate::device::Cost;

    fn part(of: Bound, seconds: f64) -> Part {
        Part { of, seconds, costs: vec![Cost { count: 1000.0, of: "a block", each_s: seconds / 1000.0 }] }
    }

    #[test]
    fn the_launch_comes_first_then_the_longest_and_small_parts_are_left_out() {
        let parts = vec![
            part(Bound::L2, 4e-6),
            part(Bound::Launch, 1.4e-6),
            part(Bound::Blocks, 1e-6),
            part(Bound::Atomics, 1e-9),
        ];
        let predicted = Point { point_s: 5.5e-6, likely_s: [5e-6, 7e-6], parts };
        let time = TimeParts {
            device: "H200".to_owned(),
            predicted,
            recorded: Some((5e-6, "recorded on an H200, CUDA".to_owned())),
        };
        let names: Vec<String> = rows(&time).iter().map(|row| row.name.clone()).collect();
        assert_eq!(names, ["predicted", "recorded", "the launch", "the L2 cache", "starting blocks"]);
        assert!(rows(&time)[1].words.ends_with("predicted 10.0 % longer"), "{}", rows(&time)[1].words);
        assert_eq!(rows(&time)[3].words, "4.00 µs = 1,000 × 4.00 ns for a block");
        let results = numbered(&[]).with(ask::TimeParts, time);
        let picture = picture_of("Time", &[]);
        for size in [[420.0, 260.0], [900.0, 600.0]] {
            assert_tidy(&drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default()), "time");
        }
    }
}
