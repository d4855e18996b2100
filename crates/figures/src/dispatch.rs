//! Rows of tokens on their way to their experts' rows: each token's row is copied once per choice.

use super::buffer::is_written;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, MOST_EXPERTS, NO_BUFFER, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Rows};
use super::lanes::between;
use super::palette::Ink;
use super::results::Missing;
use super::{bars, text};
use crate::base::units::count;

/// Height of the names above the boxes.
const HEAD: f32 = 18.0;
/// Tokens that are drawn at most, and the height of one at least and at most.
const TOKENS: usize = 8;
const PITCH: [f32; 2] = [19.0, 48.0];

static CARD: Card = Card {
    name: "Dispatch",
    tab: "Dispatch",
    help: "The first tokens, and the rows that their numbers are copied to, expert by expert",
    about: "the rows that the first tokens are copied to",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program buffers with the chosen experts and the row of each choice",
    args: &[
        Arg::required("chosen", ArgKind::Buffer, "the experts of each token, a row per token"),
        Arg::required("row_of", ArgKind::Buffer, "the row of each choice"),
        Arg::required("moved", ArgKind::Buffer, "the buffer of the rows: they move in the launch that writes it"),
        Arg::required("experts", ArgKind::Count(MOST_EXPERTS), "how many experts there are"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Dispatch::of(view).map(|rows| rows.draw(view.size))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Word { index, .. } = tag else { return None };
        let rows = Dispatch::of(view).ok()?;
        let (expert, row) = rows.choices.get(usize::try_from(index).ok()?).copied().flatten()?;
        Some(format!("token {}: expert {expert}, row {}", index / rows.k as u64, count(row as u64)))
    }
}

struct Dispatch {
    k: usize,
    /// By choice of the tokens that are drawn, its expert and its row; None before they are known.
    choices: Vec<Option<(usize, usize)>>,
    /// Rows of each expert.
    counts: Vec<usize>,
    /// How far the rows have come, from 0 to 1.
    share: f32,
    when: String,
}

impl Dispatch {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let after = |name: &str| reel.after(view.picture.text(name), moment.settled()).ok_or(NO_BUFFER);
        let (chosen, row_of) = (after("chosen")?, after("row_of")?);
        let [before, now] = reel.around(view.picture.text("moved"), moment).ok_or(NO_BUFFER)?;
        let share = match (!is_written(before, 0), !is_written(now, 0)) {
            (true, true) => 0.0,
            (true, false) => moment.eased(),
            (false, _) => 1.0,
        };
        let columns = reel.buffer(view.picture.text("chosen")).and_then(|buffer| buffer.columns);
        let k = columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(1).max(1);
        let experts = view.number("experts").map_or(1, |experts| experts as usize).max(1);
        let expert = |i: usize| is_written(chosen, i).then(|| chosen.bits(i) as usize).filter(|e| *e < experts);
        let mut counts = vec![0; experts];
        (0..chosen.len()).filter_map(expert).for_each(|expert| counts[expert] += 1);
        let tokens = (chosen.len() / k).min(TOKENS);
        let choice = |i: usize| {
            let row = is_written(row_of, i).then(|| row_of.bits(i) as usize)?;
            Some((expert(i)?, row))
        };
        Ok(Self { k, choices: (0..tokens * k).map(choice).collect(), counts, share, when: reel.when(moment.settled()) })
    }

    fn draw(&self, size: [f32; 2]) -> Frame {
        let mut board = Board::new(size);
        let said = format!("{}: a token has {} rows, one per choice", self.when, self.k);
        board.footer(&said);
        let [width, _] = size;
        let (left, right) = (width * 0.2, width * 0.66);
        let wide = (width * 0.15).clamp(64.0, 150.0).min(left - 8.0);
        let room = board.room().within([HEAD, 0.0]);
        let tokens = Rows::boxes(room, [left - wide, wide], [self.choices.len() / self.k, TOKENS], PITCH);
        board.frame.text([left, 16.0], 14.0, Anchor::End, Ink::Muted, "tokens");
        let over = "rows, expert by expert";
        board.frame.fitted([right, 16.0], 14.0, Anchor::Start, Ink::Muted, width - right - 8.0, over);
        let all = self.counts.iter().sum::<usize>().max(1) as f32;
        let at = |row: f32| room.top + room.high() * row / all;
        let names = self.experts(&mut board.frame, [right, wide], at);
        let known = || self.choices.iter().enumerate().filter_map(|(i, choice)| Some((i, (*choice)?)));
        for (i, (expert, row)) in known().filter(|(i, _)| i / self.k < tokens.shown) {
            let tag = Some(Tag::Word { buffer: 0, index: i as u64 });
            let from = tokens.exit(i / self.k, [i % self.k, self.k]);
            let to = [right, at(row as f32 + 0.5)];
            board.frame.line(from, to, 1.0, Ink::Faint, tag);
            let tip = between(from, to, self.share);
            board.frame.line(from, tip, 2.0, bars::ink(expert), tag);
            board.frame.fill([tip[0] - 6.0, tip[1] - 3.0, 12.0, 6.0], 1.0, bars::ink(expert), tag);
            if self.share >= 1.0 {
                board.frame.line(to, [right + wide, to[1]], 1.5, Ink::On, tag);
            }
        }
        for (at, name) in names {
            let half = text::width(&name, 12.0, false) / 2.0 + 3.0;
            board.frame.fill([at[0] - half, at[1] - 7.0, 2.0 * half, 14.0], 3.0, Ink::Panel, None);
            board.frame.text(at, 12.0, Anchor::Middle, Ink::Text, name);
        }
        for i in 0..tokens.shown {
            tokens.named(&mut board.frame, i, None, &format!("token {i}"), None);
        }
        tokens.more(&mut board.frame, "token");
        let each: Vec<String> = known().map(|(i, (_, row))| format!("token {} to row {row}", i / self.k)).collect();
        board.finish(format!("{said}. {}.", each.join(", ")))
    }

    /// Draws the rows of each expert, one below the other, `at` the heights of rows; gives the names that find room, and their places.
    fn experts(&self, frame: &mut Frame, [x, wide]: [f32; 2], at: impl Fn(f32) -> f32) -> Vec<([f32; 2], String)> {
        let (mut first, mut names) = (0, Vec::new());
        for (expert, rows) in self.counts.iter().enumerate() {
            let (y, end) = (at(first as f32), at((first + rows) as f32));
            frame.fill([x, y, wide, (end - y - 1.0).max(0.5)], 0.0, bars::ink(expert), None);
            if end - y >= 13.0 {
                let middle = (y + end) / 2.0;
                let said = format!("{} to {}", count(first as u64), count((first + rows).max(1) as u64 - 1));
                let room = frame.width - x - wide - 16.0;
                frame.fitted([x + wide + 8.0, middle], 12.0, Anchor::Start, Ink::Muted, room, &said);
                names.push(([x + wide / 2.0, middle], format!("expert {expert}")));
            }
            first += rows;
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of, reel_of};
    use super::*;
    use crate::lesson::ArgValue;

    #[test]
    fn each_choice_goes_to_its_row() {
        let reel = reel_of(&[("chosen", 2, &[1, 0, 1, 2]), ("row_of", 0, &[1, 0, 2, 3]), ("rows", 0, &[0, 1, 2, 3])]);
        let text = |text: &str| ArgValue::Text(text.to_owned());
        let args = [("chosen", text("chosen")), ("row_of", text("row_of")), ("moved", text("rows"))];
        let picture = picture_of("Dispatch", &args);
        let results = filmed(&Fig, &picture, &[("experts", 3.0)], reel);
        for size in [[420.0, 240.0], [690.0, 300.0], [1400.0, 700.0]] {
            let at = |position: f32| {
                let view = View { position, motion: true, ..View::still(&results, &picture, size) };
                drawn(&Fig, &view, &mut Kept::default())
            };
            let after = at(0.99);
            assert!(
                after.alt.contains("token 0 to row 1, token 0 to row 0, token 1 to row 2, token 1 to row 3"),
                "{}",
                after.alt
            );
            assert_tidy(&after, &format!("{size:?}"));
            assert_eq!(at(0.4), at(0.4), "a frame between two moments is deterministic");
        }
    }
}
