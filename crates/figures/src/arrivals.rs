//! Choices in the order of the batch, a row per expert: each fills a place of its expert's bucket, and those that find none are dropped.

use super::buffer::is_written;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, MOST_EXPERTS, NO_BUFFER, View};
use super::frame::{Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Hue, Ink};
use super::results::Missing;
use crate::base::units::count;

/// Height of an expert's row at least and at most.
const PITCH: [f32; 2] = [14.0, 44.0];
/// The least distance of the lines between groups if the rows were as wide as the picture.
const APART: f32 = 6.0;

static CARD: Card = Card {
    name: "Arrivals",
    tab: "Arrivals",
    help: "The choices in the order of the batch, a row per expert, and those that find the bucket full",
    about: "the choices in the order of the batch, and those that were dropped",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program buffers with the chosen experts and the dropped choices",
    args: &[
        Arg::required("chosen", ArgKind::Buffer, "the expert of each choice"),
        Arg::required("dropped", ArgKind::Buffer, "1 for each choice that was dropped"),
        Arg::required("experts", ArgKind::Count(MOST_EXPERTS), "how many experts there are"),
        Arg::optional("group", ArgKind::Count(u32::MAX), "the choices of a group; all if left out"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Arrivals::of(view).map(|arrivals| arrivals.draw(view.size))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Word { index, .. } = tag else { return None };
        let arrivals = Arrivals::of(view).ok()?;
        let (expert, dropped) = arrivals.choices.get(usize::try_from(index).ok()?).copied().flatten()?;
        let became = if dropped { "dropped" } else { "taken" };
        Some(format!("choice {} of {}: expert {expert}, {became}", index + 1, count(arrivals.choices.len() as u64)))
    }
}

struct Arrivals {
    experts: usize,
    /// By choice, its expert and whether it was dropped; None if it has not arrived.
    choices: Vec<Option<(usize, bool)>>,
    /// Choices of a group.
    group: usize,
    /// Whether these are all choices of the batch; of a long one only the first are known.
    is_whole: bool,
    when: String,
}

impl Arrivals {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let chosen = reel.after(view.picture.text("chosen"), moment.before + 1).ok_or(NO_BUFFER)?;
        let [before, dropped] = reel.around(view.picture.text("dropped"), moment).ok_or(NO_BUFFER)?;
        let number = |name: &str| view.number(name).map(|number| number as usize);
        let all = chosen.len();
        // In the launch that decides, the choices come one after the other.
        let decides = (0..all.min(dropped.len())).any(|i| !is_written(before, i) && is_written(dropped, i));
        let arrived = if decides { (moment.share.min(1.0) * all as f32) as usize } else { all };
        let choice = |i: usize| {
            let is_known = i < arrived && is_written(dropped, i) && is_written(chosen, i);
            is_known.then(|| (chosen.bits(i) as usize, dropped.bits(i) != 0))
        };
        Ok(Self {
            experts: number("experts").unwrap_or(1).max(1),
            choices: (0..all).map(choice).collect(),
            group: number("group").filter(|group| *group > 0).unwrap_or(all),
            is_whole: reel.buffer(view.picture.text("chosen")).is_none_or(|buffer| buffer.count <= all as u64),
            when: reel.when(moment.settled()),
        })
    }

    /// Of each expert, the choices that were taken, and those that were dropped.
    fn counts(&self) -> Vec<[u64; 2]> {
        let mut counts = vec![[0; 2]; self.experts];
        for (expert, dropped) in self.choices.iter().flatten().filter(|(expert, _)| *expert < self.experts) {
            counts[*expert][usize::from(*dropped)] += 1;
        }
        counts
    }

    fn draw(&self, size: [f32; 2]) -> Frame {
        let mut board = Board::new(size);
        let all = self.choices.len().max(1) as f32;
        // Groups that are too narrow to be seen apart have no lines between them.
        let is_apart = self.group < self.choices.len() && board.room().wide() * self.group as f32 / all >= APART;
        let mut keys =
            vec![Key::new(TAKEN, "a choice that was taken"), Key::new(DROPPED, "dropped: its bucket was full")];
        keys.extend(is_apart.then(|| Key::new(Ink::Accent, "where a group ends")));
        board.legend(&keys);
        let mut rows = Rows::new(board.room().within([0.0, Rows::ENDS]), self.experts, PITCH);
        rows.names(&mut board.frame, "expert", |i| format!("expert {i}"));
        let counts = self.counts();
        let said = |i: usize| match counts[i] {
            [taken, 0] => format!("{} taken", count(taken)),
            [taken, lost] => format!("{} taken, {} dropped", count(taken), count(lost)),
        };
        let ink = |i: usize| if counts[i][1] > 0 { Ink::Text } else { Ink::Muted };
        rows.notes(&mut board.frame, f32::INFINITY, |i| (ink(i), said(i)));
        (0..rows.shown).for_each(|row| board.frame.fill(rows.rect(row), 2.0, Ink::Raised, None));
        for last in [false, true] {
            self.ticks(&mut board.frame, &rows, last);
        }
        for border in (self.group..self.choices.len()).step_by(self.group.max(1)).filter(|_| is_apart) {
            let x = rows.along(border as f32 / all);
            board.frame.line([x, rows.rect(0)[1] - 4.0], [x, rows.bottom() + 4.0], 1.5, Ink::Accent, None);
        }
        rows.ends(&mut board.frame, "first choice of the batch", if self.is_whole { "last" } else { "…" });
        let each: Vec<String> = (0..self.experts).map(|i| format!("expert {i}: {}", said(i))).collect();
        board.finish(format!("{}. {}.", self.when, each.join("; ")))
    }

    /// The choices that were taken, or the dropped ones, which come last, since neighbours may be less than a point apart.
    fn ticks(&self, frame: &mut Frame, rows: &Rows, are_dropped: bool) {
        let all = self.choices.len().max(1) as f32;
        let (wide, ink) =
            if are_dropped { (2.0, DROPPED) } else { (((rows.right - rows.left) / all).clamp(1.0, 6.0), TAKEN) };
        // One tick per point and expert, however long the batch is.
        let mut free = vec![0.0_f32; rows.shown];
        let of = self.choices.iter().enumerate().filter_map(|(i, choice)| Some((i, (*choice)?)));
        for (i, (expert, _)) in of.filter(|(_, (expert, dropped))| *dropped == are_dropped && *expert < rows.shown) {
            let x = rows.along(i as f32 / all);
            if x >= free[expert] {
                free[expert] = x + 1.0;
                let [_, y, _, high] = rows.rect(expert);
                frame.fill([x, y, wide, high], 0.0, ink, Some(Tag::Word { buffer: 0, index: i as u64 }));
            }
        }
    }
}

const TAKEN: Ink = Ink::Load;
const DROPPED: Ink = Ink::Tint(Hue::Conflict, 100);

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of, reel_of};
    use super::*;
    use crate::lesson::ArgValue;

    #[test]
    fn choices_arrive_one_after_the_other_and_find_buckets_full() {
        let reel = reel_of(&[("chosen", 1, &[0, 1, 0, 0, 1, 0]), ("dropped", 0, &[0, 0, 0, 1, 0, 1])]);
        let text = |text: &str| ArgValue::Text(text.to_owned());
        let picture = picture_of("Arrivals", &[("chosen", text("chosen")), ("dropped", text("dropped"))]);
        let results = filmed(&Fig, &picture, &[("experts", 2.0), ("group", 4.0)], reel);
        for size in [[420.0, 220.0], [690.0, 300.0], [1400.0, 700.0]] {
            let at = |position: f32| {
                let view = View { position, motion: true, ..View::still(&results, &picture, size) };
                drawn(&Fig, &view, &mut Kept::default())
            };
            assert!(at(0.99).alt.contains("expert 0: 2 taken, 2 dropped; expert 1: 2 taken"), "{}", at(0.99).alt);
            assert!(at(0.45).alt.contains("expert 0: 2 taken; expert 1: 1 taken"), "{}", at(0.45).alt);
            assert_tidy(&at(0.99), &format!("{size:?}"));
            assert_eq!(at(0.4), at(0.4), "a frame between two moments is deterministic");
        }
    }
}
