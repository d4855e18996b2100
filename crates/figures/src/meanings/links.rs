//! Ranks that exchange chunks: each a column with its chunks, the chunks that moved in a launch, and the bytes carried by each link so far.

use super::super::buffer::Contents;
use super::super::figure::{Arg, ArgKind};
use super::super::frame::{Anchor, Frame, Item, Tag};
use super::super::kit::MARGIN;
use super::super::palette::{Hue, Ink};
use super::super::text;
use super::{Card, Meaning, Meant};
use crate::base::tensor::Tensor;
use crate::base::units::{count, number, si};

/// Space above the chunks and below them.
const HEAD: f32 = 64.0;
const FOOT: f32 = 74.0;
/// The least and the most that a chunk's row is high, and its cell's share of that.
const ROW: [f32; 2] = [18.0, 40.0];
const CELL: f32 = 0.8;
/// The least width of a rank's column, and the most of a cell.
const COLUMN: f32 = 56.0;
const WIDEST: f32 = 76.0;
/// Length of an arrow's head.
const TIP: f32 = 5.0;

/// A buffer whose rows are ranks, after a launch and before it.
pub(crate) struct Links<'a> {
    /// The elements: a row for each rank.
    pub of: &'a Contents<'a>,
    /// Them before the launch.
    pub before: &'a Tensor,
    /// Bytes that each rank (row) has sent to each other (column).
    pub meter: &'a Tensor,
    /// Them before the launch.
    pub meter_before: &'a Tensor,
}

/// Where columns and rows are.
struct Layout {
    left: f32,
    column: f32,
    cell: f32,
    row: f32,
    ranks: usize,
    chunks: usize,
}

impl Layout {
    /// The cell of a rank's chunk.
    fn cell(&self, rank: usize, chunk: usize) -> [f32; 4] {
        let x = self.left + rank as f32 * self.column + (self.column - self.cell) / 2.0;
        let high = CELL * self.row;
        [x, HEAD + chunk as f32 * self.row + (self.row - high) / 2.0, self.cell, high]
    }
}

impl Links<'_> {
    fn ranks(&self) -> usize {
        self.meter.len().isqrt()
    }

    /// Elements of a row; 0 if rows are not known.
    fn row(&self) -> usize {
        self.of.columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(0)
    }

    /// The elements of a rank's chunk.
    fn chunk(&self, rank: usize, chunk: usize) -> std::ops::Range<usize> {
        let (row, all) = (self.row(), self.ranks().max(1));
        let [from, to] = [chunk, chunk + 1].map(|chunk| (rank * row + chunk * row / all).min(self.of.tensor.len()));
        from..to
    }

    /// The mean of a chunk's elements; None if there are none, or one was never written.
    fn mean(&self, rank: usize, chunk: usize) -> Option<f64> {
        let elements = self.chunk(rank, chunk);
        let size = elements.len() as f64;
        let sum = elements.map(|i| self.of.value(i)).try_fold(0.0, |sum, value| Some(sum + value?))?;
        (size > 0.0).then_some(sum / size)
    }

    fn has_changed(&self, rank: usize, chunk: usize) -> bool {
        self.chunk(rank, chunk).any(|i| i < self.before.len() && self.of.tensor.bits(i) != self.before.bits(i))
    }

    /// Bytes from a rank to another so far, and those of the launch.
    fn sent(&self, from: usize, to: usize) -> [u64; 2] {
        let at = from * self.ranks() + to;
        let before = if at < self.meter_before.len() { self.meter_before.bits(at) } else { 0 };
        let now = self.meter.bits(at);
        [u64::from(now), u64::from(now.saturating_sub(before))]
    }

    /// The ranks that a rank was sent something by in the launch.
    fn sources(&self, to: usize) -> Vec<usize> {
        (0..self.ranks()).filter(|from| self.sent(*from, to)[1] > 0).collect()
    }

    fn layout(&self, [width, height]: [f32; 2]) -> Layout {
        let left = MARGIN + text::width(&format!("chunk {}", self.ranks()), 12.0, false) + 20.0;
        // The last column leaves room for the arrow that goes back to the first.
        let room = width - left - MARGIN - 20.0;
        let ranks = self.ranks().min((room / COLUMN).max(1.0) as usize);
        let column = (room / ranks.max(1) as f32).min(2.8 * WIDEST);
        let room = height - HEAD - FOOT;
        let row = (room / self.ranks().max(1) as f32).clamp(ROW[0], ROW[1]);
        let chunks = self.ranks().min((room / row).max(1.0) as usize);
        Layout { left, column, cell: (0.52 * column).min(WIDEST), row, ranks, chunks }
    }

    /// Draws the ranks, and says what was sent.
    pub(crate) fn draw(&self, frame: &mut Frame, hovered: Option<Tag>) -> String {
        let all = self.ranks();
        let layout = self.layout([frame.width, frame.height]);
        let pairs = || (0..all).flat_map(|from| (0..all).map(move |to| (from, to)));
        let [total, now] = [0, 1].map(|k| pairs().map(|(from, to)| self.sent(from, to)[k]).sum::<u64>());
        let said = format!("{} sent so far, {} of them in this launch", bytes(total), bytes(now));
        let shown = match layout.ranks < all || layout.chunks < all {
            true => format!("{} of {} ranks and {} of their chunks; ", layout.ranks, count(all as u64), layout.chunks),
            false => String::new(),
        };
        let (heading, said_here) = (format!("{} {}", self.of.buffer, self.of.when), format!("{shown}{said}"));
        let both = text::width(&heading, 16.0, false) + text::width(&said_here, 12.0, false) + 16.0;
        // Beside the heading, if there is room for both.
        let (at, anchor) = match both <= frame.width - 2.0 * MARGIN {
            true => ([frame.width - MARGIN, 18.0], Anchor::End),
            false => ([MARGIN, 36.0], Anchor::Start),
        };
        let said_here = text::fit(&said_here, 12.0, false, frame.width - 2.0 * MARGIN);
        frame.text(at, 12.0, anchor, Ink::Muted, said_here);
        self.draw_chunks(frame, &layout, hovered);
        self.draw_meters(frame, &layout);
        for to in 0..layout.ranks {
            if let [from] = self.sources(to)[..] {
                for chunk in (0..layout.chunks).filter(|chunk| self.has_changed(to, *chunk)) {
                    arrow(frame, &layout, [from, to], all, chunk, self.of.progress);
                }
            }
        }
        format!("{} ranks. {said}.", count(all as u64))
    }

    fn draw_chunks(&self, frame: &mut Frame, layout: &Layout, hovered: Option<Tag>) {
        let means: Vec<Vec<Option<f64>>> =
            (0..layout.ranks).map(|rank| (0..layout.chunks).map(|chunk| self.mean(rank, chunk)).collect()).collect();
        let most = means.iter().flatten().flatten().fold(0.0_f64, |most, mean| most.max(mean.abs()));
        for chunk in 0..layout.chunks {
            let [_, y, _, high] = layout.cell(0, chunk);
            let name = format!("chunk {chunk}");
            frame.text([layout.left - 20.0, y + high / 2.0 - 0.5], 12.0, Anchor::End, Ink::Muted, name);
        }
        for (rank, means) in means.iter().enumerate() {
            let [x, _, wide, _] = layout.cell(rank, 0);
            let name = format!("rank {rank}");
            frame.text([x + wide / 2.0, HEAD - 14.0], 12.0, Anchor::Middle, Ink::Text, name);
            for (chunk, mean) in means.iter().enumerate() {
                let rect = layout.cell(rank, chunk);
                let tag = Some(Tag::Word { buffer: 0, index: self.chunk(rank, chunk).start as u64 });
                #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 40")]
                let fill = match mean {
                    Some(mean) if most > 0.0 => Ink::Tint(Hue::Shared, (mean.abs() / most * 40.0) as u8),
                    _ => Ink::Raised,
                };
                let edge = match () {
                    () if tag == hovered => Ink::Text,
                    () if self.has_changed(rank, chunk) => Ink::Accent,
                    () => fill,
                };
                frame.outline(rect, 3.0, Some(fill), edge, tag);
                let words = mean.map_or_else(|| "–".to_owned(), number);
                if text::width(&words, 12.0, true) < rect[2] - 4.0 {
                    let at = [rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0 - 0.5];
                    let (size, anchor, ink, mono) = (12.0, Anchor::Middle, Ink::Text, true);
                    frame.items.push(Item::Text { at, size, anchor, ink, text: words, mono, tag });
                }
            }
        }
    }

    /// Draws the bytes that each link has carried, if ranks send only to the next one, else those that each rank has sent; and a legend.
    fn draw_meters(&self, frame: &mut Frame, layout: &Layout) {
        let all = self.ranks();
        let y = HEAD + layout.chunks as f32 * layout.row + 14.0;
        let is_ring = (0..all).all(|from| (0..all).all(|to| to == (from + 1) % all || self.sent(from, to)[0] == 0));
        frame.text([layout.left - 20.0, y], 12.0, Anchor::End, Ink::Muted, if is_ring { "link" } else { "sent" });
        for rank in 0..layout.ranks {
            let [x, _, wide, _] = layout.cell(rank, 0);
            let (at, sent) = match is_ring {
                true => (x + (wide + layout.column) / 2.0, self.sent(rank, (rank + 1) % all)[0]),
                false => (x + wide / 2.0, (0..all).map(|to| self.sent(rank, to)[0]).sum()),
            };
            let words = bytes(sent);
            if text::width(&words, 12.0, false) < layout.column - 8.0 && at + 24.0 < frame.width {
                frame.text([at, y], 12.0, Anchor::Middle, Ink::Text, words);
            }
        }
        let [chunk, link] = [
            if self.row() > all { "a number is the mean of its chunk" } else { "a number is a chunk" },
            if is_ring { "what the link has carried so far" } else { "what the rank has sent so far" },
        ];
        let legend = [
            format!("{chunk}; outlined: it has changed in this launch"),
            match (0..all).any(|rank| self.sources(rank).len() > 1) {
                true => format!("read from several ranks, so without arrows; bottom row: {link}"),
                false => format!("arrow: where it was read; bottom row: {link}"),
            },
        ];
        for (line, words) in legend.into_iter().enumerate() {
            frame.text([MARGIN, y + 24.0 + 18.0 * line as f32], 12.0, Anchor::Start, Ink::Muted, words);
        }
    }

    /// The chunk of element `i` in words.
    pub(crate) fn told(&self, i: usize) -> Option<String> {
        let row = self.row();
        if row == 0 || self.ranks() == 0 {
            return None;
        }
        // The chunk that begins at c · row / ranks, rounded down.
        let (rank, chunk) = (i / row, ((i % row + 1) * self.ranks() - 1) / row);
        let elements = self.chunk(rank, chunk);
        let values: Vec<String> = elements
            .clone()
            .take(8)
            .map(|i| self.of.value(i).map_or_else(|| "never written".to_owned(), number))
            .collect();
        let more = if elements.len() > values.len() { ", …" } else { "" };
        let moved = match (self.has_changed(rank, chunk), &self.sources(rank)[..]) {
            (true, [from]) => format!("; read from rank {from} in this launch"),
            (true, [_, ..]) => format!("; read from {} ranks in this launch", self.sources(rank).len()),
            _ => String::new(),
        };
        Some(format!("rank {rank}, chunk {chunk}: {}{more}{moved}", values.join(", ")))
    }
}

/// An arrow along a chunk's row, and the chunk on its way along it. One that leaves after the last rank comes in before the first.
fn arrow(frame: &mut Frame, layout: &Layout, [from, to]: [usize; 2], all: usize, chunk: usize, progress: f32) {
    let [[a, y, wide, high], [b, ..]] = [from, to].map(|rank| layout.cell(rank, chunk));
    let y = y + high / 2.0;
    let mut straight = |from: f32, to: f32| {
        if progress < 1.0 {
            let at = from + (to - from) * progress;
            frame.fill([at - 5.0, y - 5.0, 10.0, 10.0], 2.0, Ink::Accent, None);
        }
        frame.line([from, y], [to, y], 1.5, Ink::Accent, None);
        for side in [-1.0, 1.0] {
            frame.line([to - TIP, y + side * (TIP - 1.0)], [to, y], 1.5, Ink::Accent, None);
        }
    };
    let stub = ((layout.column - wide) / 2.0).min(18.0);
    match () {
        () if from + 1 == to => straight(a + wide + 2.0, b - 2.0),
        () if (from + 1) % all == to => {
            if from < layout.ranks {
                straight(a + wide + 2.0, a + wide + stub);
            }
            straight(b - stub, b - 2.0);
        }
        // Ranks that are further apart: the target's outline and the words below say it.
        () => {}
    }
}

/// Bytes in words, all digits of them if they are few.
fn bytes(of: u64) -> String {
    if of < 1000 { format!("{of} B") } else { si(of as f64, "B") }
}

static CARD: Card = Card {
    name: "Links",
    tab: "Links",
    help: "a row has a rank's elements, in as many chunks as there are ranks; the picture is the ranks with their chunks, what moved in a launch, and what each link has carried",
    args: &[Arg::required(
        "meter",
        ArgKind::Buffer,
        "ranks × ranks: the bytes that each rank (row) has sent to each other (column)",
    )],
    travels: true,
};

/// The meaning.
pub struct Fig;

fn links<'a>(of: &Meant<'a>) -> Option<Links<'a>> {
    Some(Links { of: of.contents, before: of.before()?, meter: of.now("meter")?, meter_before: of.earlier("meter")? })
}

impl Meaning for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn row(&self, columns: usize) -> usize {
        columns
    }

    fn draw(&self, frame: &mut Frame, of: &Meant<'_>, hovered: Option<Tag>) -> Option<String> {
        Some(links(of)?.draw(frame, hovered))
    }

    fn tip(&self, of: &Meant<'_>, i: usize) -> Option<String> {
        links(of)?.told(i)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures::assert_tidy;
    use super::super::super::shape::Shape;
    use super::*;
    use crate::base::tensor::Elem;
    use crate::lesson::Legend;

    fn of(numbers: &[u32]) -> Tensor {
        Tensor::from_bits(Elem::U32, numbers.iter().copied())
    }

    #[test]
    fn a_chunk_comes_from_the_left_neighbour() {
        // Three ranks with three chunks of one element: rank 0 adds chunk 1 of rank 2 to its own, and so on.
        let (before, after) = (of(&[1, 2, 3, 1, 2, 3, 1, 2, 3]), of(&[1, 4, 3, 1, 2, 6, 2, 2, 3]));
        let (meter_before, meter) = (of(&[0; 9]), of(&[0, 4, 0, 0, 0, 4, 4, 0, 0]));
        let contents = Contents {
            buffer: "data",
            when: "after add",
            tensor: &after,
            count: 9,
            columns: Some(3),
            row: None,
            legend: Legend::NONE,
            shape: Shape::Meant,
            from: 0,
            line: crate::buffer::Line::default(),
            progress: 1.0,
        };
        let links = Links { of: &contents, before: &before, meter: &meter, meter_before: &meter_before };
        assert_eq!(links.told(1).as_deref(), Some("rank 0, chunk 1: 4; read from rank 2 in this launch"));
        assert_eq!(links.told(0).as_deref(), Some("rank 0, chunk 0: 1"));
        let mut frame = Frame::new([560.0, 240.0]);
        assert_eq!(links.draw(&mut frame, None), "3 ranks. 12 B sent so far, 12 B of them in this launch.");
        frame.alt = "three ranks".to_owned();
        assert_tidy(&frame, "three ranks");
        // Two arrows of three lines, and one that goes out on the right and comes in on the left.
        assert_eq!(frame.items.iter().filter(|item| matches!(item, Item::Line { .. })).count(), 12);
    }
}
