//! The tiles of a product of many matrices, a row per expert: those with rows to multiply, and those that were launched for nothing.

use super::buffer::is_written;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, NO_BUFFER, View};
use super::frame::{Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Hue, Ink};
use super::results::Missing;
use crate::base::units::count;

/// Height of an expert's row at least and at most.
const PITCH: [f32; 2] = [14.0, 40.0];
/// The least width of a tile that is drawn by itself.
const LEAST: f32 = 2.5;

static CARD: Card = Card {
    name: "Blocks",
    tab: "Blocks",
    help: "The tiles of rows that each expert gets, how full they are, and those that have no work",
    about: "the tiles of rows of each expert",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program a buffer with the rows of each expert",
    args: &[
        Arg::required("counts", ArgKind::Buffer, "the rows of each expert"),
        Arg::required("tile", ArgKind::Count(u32::MAX), "rows of a tile"),
        Arg::optional(
            "launched",
            ArgKind::Count(1 << 24),
            "tiles that are launched per expert; those with rows if left out",
        ),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Blocks::of(view).map(|blocks| blocks.draw(view.size))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Cell { row, column, .. } = tag else { return None };
        let blocks = Blocks::of(view).ok()?;
        let rows = blocks.filled(usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        Some(format!("expert {row}, tile {column}: {rows} of {} rows", blocks.tile))
    }
}

struct Blocks {
    counts: Vec<usize>,
    tile: usize,
    /// Tiles that are launched per expert; None if only those with rows are.
    launched: Option<usize>,
    when: String,
}

impl Blocks {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let counts = reel.after(view.picture.text("counts"), moment.settled()).ok_or(NO_BUFFER)?;
        let number = |name: &str| view.number(name).map(|number| number as usize);
        let rows = |i: usize| if !is_written(counts, i) { 0 } else { counts.bits(i) as usize };
        Ok(Self {
            counts: (0..counts.len()).map(rows).collect(),
            tile: number("tile").unwrap_or(1).max(1),
            launched: number("launched"),
            when: reel.when(moment.settled()),
        })
    }

    /// Rows in a tile of an expert.
    fn filled(&self, expert: usize, tile: usize) -> usize {
        self.counts.get(expert).map_or(0, |rows| rows.saturating_sub(tile * self.tile).min(self.tile))
    }

    /// Tiles of an expert that have rows.
    fn working(&self, expert: usize) -> usize {
        self.counts[expert].div_ceil(self.tile)
    }

    fn said(&self, expert: usize) -> String {
        match self.launched {
            Some(launched) => format!("{} of {} work", self.working(expert), count(launched as u64)),
            None => format!("{} rows, {} tiles", count(self.counts[expert] as u64), self.working(expert)),
        }
    }

    fn headline(&self) -> String {
        let works = (0..self.counts.len()).map(|i| self.working(i)).sum::<usize>();
        let Some(launched) = self.launched else {
            let rows = self.counts.iter().sum::<usize>().max(1);
            let waste = 100.0 * (works * self.tile - rows.min(works * self.tile)) as f64 / rows as f64;
            return format!("{} tiles, and all have work; {waste:.0}% more rows, as padding", count(works as u64));
        };
        format!("{} of {} tiles have rows", count(works as u64), count((launched * self.counts.len()) as u64))
    }

    fn draw(&self, size: [f32; 2]) -> Frame {
        let mut board = Board::new(size);
        let headline = self.headline();
        board.headline(&headline);
        let nothing = self.launched.map(|_| Key::new(Ink::Panel, "launched for nothing").edge(Ink::Faint));
        let keys = [Key::new(ROWS, "rows of tokens"), Key::new(NONE, "no token").edge(ROWS)];
        board.legend(&keys.into_iter().chain(nothing).collect::<Vec<_>>());
        let mut rows = Rows::new(board.room(), self.counts.len(), PITCH);
        rows.names(&mut board.frame, "expert", |i| format!("expert {i}"));
        let most = (0..self.counts.len()).map(|i| self.working(i)).max().unwrap_or(0);
        let across = self.launched.unwrap_or(0).max(most).max(1) as f32;
        rows.notes(&mut board.frame, 64.0 * across, |i| (Ink::Muted, self.said(i)));
        for expert in 0..rows.shown {
            self.tiles(&mut board.frame, expert, rows.rect(expert), across);
        }
        let each: Vec<String> = (0..self.counts.len()).map(|i| format!("expert {i}: {}", self.said(i))).collect();
        board.finish(format!("{headline}, {}. {}.", self.when, each.join("; ")))
    }

    /// The tiles of an expert, `across` of which would take all of the row.
    fn tiles(&self, frame: &mut Frame, expert: usize, [x, y, width, high]: [f32; 4], across: f32) {
        let wide = width / across;
        let launched = self.launched.unwrap_or_else(|| self.working(expert));
        // Tiles that are too narrow to be seen apart are one box for those with rows, and one for the others.
        if wide < LEAST {
            let busy = wide * self.working(expert).min(launched) as f32;
            frame.outline([x, y, (wide * launched as f32).max(2.0), high], 1.5, Some(Ink::Panel), Ink::Faint, None);
            frame.fill([x, y, busy.max(1.0), high], 1.5, ROWS, None);
            return;
        }
        let gap = if wide >= 5.0 { 1.5 } else { 0.5 };
        for tile in 0..launched {
            let rect = [x + wide * tile as f32, y, wide - gap, high];
            let tag = Some(Tag::Cell { buffer: 0, row: expert as u64, column: tile as u64 });
            let filled = self.filled(expert, tile);
            let (fill, edge) = if filled > 0 { (NONE, ROWS) } else { (Ink::Panel, Ink::Faint) };
            frame.outline(rect, 1.5, Some(fill), edge, tag);
            if filled > 0 {
                frame.fill([rect[0], y, rect[2] * filled as f32 / self.tile as f32, high], 1.5, ROWS, tag);
            }
        }
    }
}

const ROWS: Ink = Ink::Load;
const NONE: Ink = Ink::Tint(Hue::Waste, 45);

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of, reel_of};
    use super::*;
    use crate::Results;
    use crate::lesson::ArgValue;

    #[test]
    fn tiles_without_rows_are_counted() {
        let picture = picture_of("Blocks", &[("counts", ArgValue::Text("counts".into()))]);
        let of = |launched: Option<f64>| {
            let numbers: Vec<(&str, f64)> =
                [Some(("tile", 4.0)), launched.map(|l| ("launched", l))].into_iter().flatten().collect();
            filmed(&Fig, &picture, &numbers, reel_of(&[("counts", 0, &[5, 0, 8])]))
        };
        for size in [[420.0, 220.0], [690.0, 300.0], [1400.0, 700.0]] {
            let alt = |results: &Results<'_>| {
                let view = View { position: 1.0, ..View::still(results, &picture, size) };
                let frame = drawn(&Fig, &view, &mut Kept::default());
                assert_tidy(&frame, &format!("{size:?}"));
                frame.alt
            };
            let [padded, listed] = [of(Some(4.0)), of(None)].map(|results| alt(&results));
            assert!(
                padded.starts_with("4 of 12 tiles have rows") && padded.contains("expert 1: 0 of 4 work"),
                "{padded}"
            );
            let far = of(Some(100_000.0));
            let view = View { position: 1.0, ..View::still(&far, &picture, size) };
            assert!(drawn(&Fig, &view, &mut Kept::default()).items.len() < 100, "one box for many tiles");
            assert!(listed.starts_with("4 tiles, and all have work; 23% more rows, as padding"), "{listed}");
        }
    }
}
