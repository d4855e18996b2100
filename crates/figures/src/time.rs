//! The predicted time of a launch and its parts: the launch itself, and the time of each resource with the counts that it is a sum of.

use super::answers::TimeParts;
use super::ask;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, MARGIN, Rows};
use super::palette::Ink;
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
/// The launch, the longest part, the others, and the time that they add to the longest.
const LAUNCH: Ink = Ink::Idle;
const LONGEST: Ink = Ink::Series(1);
const OTHERS: Ink = Ink::Series(0);
const ADDED: Ink = Ink::Pale(0);

static CARD: Card = Card {
    name: "Time",
    tab: "Time",
    help: "The predicted time of a launch and its parts: each resource's time, with the counts that it is a sum of",
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
    words: String,
    /// Its pieces from the left on, in seconds, each with its colour; None for the empty one before a part that follows the launch.
    pieces: Vec<(Option<Ink>, f64)>,
}

impl Row {
    fn seconds(&self) -> f64 {
        self.pieces.iter().map(|(_, seconds)| seconds).sum()
    }
}

/// The predicted time, the recorded one if there is one, and the parts: the launch first, then the longest.
fn rows(time: &TimeParts) -> Vec<Row> {
    let Point { point_s, likely_s: [low, high], parts } = &time.predicted;
    let (launch, others): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(|part| part.of == Bound::Launch);
    let launch_s: f64 = launch.iter().map(|part| part.seconds).sum();
    let others: Vec<&Part> = others.into_iter().filter(|part| part.seconds >= LEAST * point_s).collect();
    let longest_s = others.first().map_or(0.0, |part| part.seconds);
    let added_s = (point_s - launch_s - longest_s).max(0.0);
    let mut rows = vec![Row {
        name: "predicted".to_owned(),
        words: format!("{} (9 of 10 times: {} to {})", si(*point_s, "s"), si(*low, "s"), si(*high, "s")),
        pieces: vec![(Some(LAUNCH), launch_s), (Some(LONGEST), longest_s), (Some(ADDED), added_s)],
    }];
    if let Some((seconds, whence)) = &time.recorded {
        let off = digits3(100.0 * (point_s / seconds - 1.0).abs());
        let than = if point_s > seconds { "longer" } else { "shorter" };
        let words = format!("{}, {whence}; predicted {off} % {than}", si(*seconds, "s"));
        rows.push(Row { name: "recorded".to_owned(), words, pieces: vec![(Some(Ink::Text), *seconds)] });
    }
    let part = |part: &Part, pieces: Vec<(Option<Ink>, f64)>| {
        let (whole, costs) = (si(part.seconds, "s"), part.words());
        let words = if costs.is_empty() { whole } else { format!("{whole} = {costs}") };
        Row { name: part.of.name().to_owned(), words, pieces }
    };
    rows.extend(launch.into_iter().map(|launch| part(launch, vec![(Some(LAUNCH), launch.seconds)])));
    rows.extend(others.iter().enumerate().map(|(i, other)| {
        let ink = if i == 0 { LONGEST } else { OTHERS };
        part(other, vec![(None, launch_s), (Some(ink), other.seconds)])
    }));
    if others.len() > 1 {
        let pieces = vec![(None, launch_s + longest_s), (Some(ADDED), added_s)];
        rows.push(Row { name: "they add".to_owned(), words: si(added_s, "s"), pieces });
    }
    rows
}

fn drawn(size: [f32; 2], time: &TimeParts) -> Frame {
    let mut board = Board::new(size);
    let all = rows(time);
    let of = format!("For {}: after the launch, all parts at once.", time.device);
    board.caption(&of);
    board.legend(&[
        Key::new(LAUNCH, "the launch"),
        Key::new(LONGEST, "the longest part"),
        Key::new(OTHERS, "the other parts"),
        Key::new(ADDED, "what they add"),
        Key::new(Ink::Text, "9 of 10 times"),
    ]);
    let mut rows = Rows::new(board.room(), all.len(), PITCH);
    rows.names(&mut board.frame, "part", |row| all[row].name.clone());
    let likely = time.predicted.likely_s;
    let most = all.iter().map(Row::seconds).chain(likely).fold(f64::MIN_POSITIVE, f64::max);
    let wide = (rows.right - rows.left) * 0.45;
    let long = |seconds: f64| (seconds / most) as f32 * wide;
    for (row, Row { words, pieces, .. }) in all.iter().enumerate().take(rows.shown) {
        let [left, top, _, high] = rows.rect(row);
        let mut end = left;
        for (ink, seconds) in pieces {
            let from = end;
            end += long(*seconds);
            if let Some(ink) = ink {
                board.frame.fill([from, top, (end - from).max(1.0), high], 0.0, *ink, Some(Tag::Spot(row)));
            }
        }
        if row == 0 {
            let y = top + high + 2.0;
            let [low, far] = likely.map(|end| left + long(end));
            board.frame.line([low, y], [far, y], 1.5, Ink::Text, None);
            end = end.max(far);
        }
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
        assert_eq!(names, ["predicted", "recorded", "the launch", "the L2 cache", "starting blocks", "they add"]);
        // 5.5 µs are the launch's 1.4, the longest part's 4 and what the others add.
        let pieces: Vec<f64> = rows(&time)[0].pieces.iter().map(|(_, seconds)| seconds * 1e6).collect();
        assert!(pieces.iter().zip([1.4, 4.0, 0.1]).all(|(piece, s)| (piece - s).abs() < 1e-9), "{pieces:?}");
        assert!(rows(&time)[1].words.ends_with("predicted 10.0 % longer"), "{}", rows(&time)[1].words);
        assert_eq!(rows(&time)[3].words, "4.00 µs = 1,000 × 4.00 ns for a block");
        let results = numbered(&[]).with(ask::TimeParts, time);
        let picture = picture_of("Time", &[]);
        for size in [[420.0, 260.0], [900.0, 600.0]] {
            assert_tidy(&drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default()), "time");
        }
    }
}
