//! Counts laid end to end, each on a row of its own: a staircase whose steps begin where an exclusive scan says.

use super::buffer::is_written;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, NO_BUFFER, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Rows};
use super::reel::Moment;
use super::results::Missing;
use super::{bars, text};
use crate::base::tensor::Tensor;
use crate::base::units::count;
use crate::palette::Ink;

/// Height of a row at least and at most.
const PITCH: [f32; 2] = [16.0, 40.0];

static CARD: Card = Card {
    name: "Stairs",
    tab: "Stairs",
    help: "Counts, laid end to end: each begins where those before it end",
    about: "counts that are laid end to end",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program buffers with counts and with their starts",
    args: &[
        Arg::required("counts", ArgKind::Buffer, "the counts"),
        Arg::required("starts", ArgKind::Buffer, "where each begins"),
        Arg::required("each", ArgKind::Text, "the name of a row: \"expert\""),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Stairs::of(view).map(|stairs| stairs.draw(view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let stairs = Stairs::of(view).ok()?;
        let Tag::Word { index, .. } = tag else { return None };
        let step = stairs.steps.get(usize::try_from(index).ok()?)?;
        Some(step.words(&stairs.each, index))
    }
}

/// A count, and where it begins.
struct Step {
    count: u64,
    /// None before it is known.
    start: Option<u64>,
    /// How far it has come to its start, from 0 to 1.
    share: f32,
}

impl Step {
    fn words(&self, each: &str, index: u64) -> String {
        let start =
            self.start.map_or_else(|| "start not known yet".to_owned(), |s| format!("begins at row {}", count(s)));
        format!("{each} {index}: {} rows, {start}", count(self.count))
    }
}

struct Stairs {
    each: String,
    /// How many neighbouring steps have one colour: the columns, if the counts are a matrix.
    alike: usize,
    steps: Vec<Step>,
    when: String,
}

impl Stairs {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let around = |name: &str, moment: Moment| reel.around(view.picture.text(name), moment).ok_or(NO_BUFFER);
        let ([_, counts], [before, starts]) = (around("counts", moment)?, around("starts", moment)?);
        let written = |of: &Tensor, i: usize| is_written(of, i).then(|| of.get(i) as u64);
        let step = |i: usize| {
            let start = written(starts, i);
            let is_new = start.is_some() && written(before, i) != start;
            Step { count: written(counts, i).unwrap_or(0), start, share: if is_new { moment.eased() } else { 1.0 } }
        };
        let steps = (0..counts.len()).map(step).collect();
        let columns = reel.buffer(view.picture.text("counts")).and_then(|buffer| buffer.columns).unwrap_or(1);
        let alike = usize::try_from(columns).unwrap_or(1).max(1);
        Ok(Self { each: view.picture.text("each").to_owned(), alike, steps, when: reel.when(moment.settled()) })
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        board.footer(&format!("{}: a bar is a count, and begins where the bars above it end", self.when));
        let mut rows = Rows::new(board.room().within([0.0, Rows::ENDS]), self.steps.len(), PITCH);
        rows.names(&mut board.frame, &self.each, |i| format!("{} {i}", self.each));
        let all = self.steps.iter().map(|step| step.count).sum::<u64>().max(1);
        rows.ends(&mut board.frame, "row 0", &format!("{} rows", count(all)));
        let along = |at: f32| rows.along(at / all as f32);
        let mut end_before: Option<(f32, f32)> = None;
        for (i, step) in self.steps.iter().take(rows.shown).enumerate() {
            let [_, y, _, high] = rows.rect(i);
            let start = step.start.unwrap_or(0) as f32 * if step.start.is_some() { step.share } else { 0.0 };
            let (from, to) = (along(start), along(start + step.count as f32));
            let tag = Some(Tag::Word { buffer: 0, index: i as u64 });
            // The end of a step is the start of the next one.
            if let Some((x, above)) = end_before.filter(|_| step.share >= 1.0 && step.start.is_some()) {
                board.frame.line([x, above], [x, y + high], 1.0, Ink::Muted, None);
            }
            board.frame.fill([from, y, (to - from).max(1.0), high], 2.0, bars::ink(i / self.alike), tag);
            let words = match step.start.filter(|_| step.share >= 1.0) {
                Some(start) => format!("{} from {}", count(step.count), count(start)),
                None => count(step.count),
            };
            let wide = text::width(&words, 12.0, false);
            let (at, anchor, ink) = match () {
                () if wide + 8.0 <= to - from => ((from + to) / 2.0, Anchor::Middle, bars::on(i / self.alike)),
                () if to + wide + 8.0 <= view.size[0] - 4.0 => (to + 6.0, Anchor::Start, Ink::Text),
                () => (from - 6.0, Anchor::End, Ink::Text),
            };
            board.frame.text([at, y + high / 2.0], 12.0, anchor, ink, words);
            end_before = Some((to, y + high));
        }
        let each: Vec<String> = (0..).zip(&self.steps).map(|(i, step)| step.words(&self.each, i)).collect();
        board.finish(format!("{}. {}.", self.when, each.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of, reel_of};
    use super::*;
    use crate::lesson::ArgValue;

    #[test]
    fn a_step_begins_where_the_one_above_it_ends() {
        let reel = reel_of(&[("counts", 0, &[5, 3, 2, 6]), ("starts", 0, &[0, 5, 8, 10])]);
        let text = |text: &str| ArgValue::Text(text.to_owned());
        let args = [("counts", text("counts")), ("starts", text("starts")), ("each", text("expert"))];
        let picture = picture_of("Stairs", &args);
        let results = filmed(&Fig, &picture, &[], reel);
        for size in [[420.0, 220.0], [690.0, 300.0], [1400.0, 700.0]] {
            let view = View { position: 1.0, ..View::still(&results, &picture, size) };
            let frame = drawn(&Fig, &view, &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(
                frame.alt.contains("expert 2: 2 rows, begins at row 8; expert 3: 6 rows, begins at row 10"),
                "{}",
                frame.alt
            );
        }
    }
}
