//! The bytes that each buffer of a program moves, beside those of another program, on one scale.

use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::{Metered, text};
use crate::base::units::{number, si};
use crate::trace::Moved;

/// Height of the titles and totals above the rows; a row at least and at most.
const HEAD: f32 = 72.0;
const PITCH: [f32; 2] = [22.0, 64.0];
/// Room for the number after a bar, and for two.
const NUMBER: [f32; 2] = [74.0, 124.0];
/// How strongly bytes are tinted that a launch moves again, in percent.
const AGAIN: u8 = 55;

static CARD: Card = Card {
    name: "Meter",
    tab: "Meter",
    help: "The bytes that each buffer moves, beside those of another program",
    about: "the bytes that each buffer moves",
    clock: Clock::Launches,
    fits: |facts| facts.traced && facts.buffers,
    needs: "show a program that can be traced",
    args: &[Arg::required("beside", ArgKind::Program, "the program on the right")],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    /// The clock counts the launches of a film, and a small buffer says as much as a large one.
    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        let least = view.ask(ask::Build)?.job.buffers.iter().min_by_key(|buffer| buffer.count);
        Ok(least.map(|buffer| buffer.name.clone()).into_iter().collect())
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Sides::of(view).map(|sides| sides.draw(view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Spot(spot) = tag else { return None };
        let sides = Sides::of(view).ok()?;
        let (side, name) = (&sides.0[spot % 2], sides.names().get(spot / 2)?.clone());
        let of = side.rows.iter().find(|row| row.buffer == name)?;
        let bytes = |bytes: f64| si(bytes, "B");
        let [loaded, stored, again] = of.parts().map(bytes);
        Some(format!("{name}, {}\nloaded: {loaded}\nstored: {stored}\nagain in the same launch: {again}", side.title))
    }
}

/// The bytes that a buffer moved up to a moment.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    buffer: String,
    loaded: f64,
    stored: f64,
    again: f64,
}

impl Row {
    /// Bytes that are loaded in a launch, stored, and moved again in the same launch.
    fn parts(&self) -> [f64; 3] {
        [self.loaded, self.stored, self.again]
    }

    /// Bytes that no cache saves that is empty before each launch.
    fn once(&self) -> f64 {
        self.loaded + self.stored
    }
}

/// One program.
struct Side {
    title: String,
    rows: Vec<Row>,
    /// The bytes that its buffers have moved at the end.
    whole: Vec<Row>,
}

impl Side {
    /// A program at a moment: how many of its launches are over.
    fn of(metered: &Metered, launches: f64) -> Self {
        let mut left = launches;
        let (mut rows, mut whole) = (Vec::new(), Vec::new());
        for pass in &metered.passes {
            let of = pass.launches.max(1) as f64;
            let share = (left / of).clamp(0.0, 1.0);
            left -= of;
            for moved in &pass.moved {
                add(&mut rows, moved, share);
                add(&mut whole, moved, 1.0);
            }
        }
        Self { title: metered.title.clone(), rows, whole }
    }

    /// Bytes of all buffers: moved once a launch, and again.
    fn totals(&self) -> [f64; 2] {
        [self.rows.iter().map(Row::once).sum(), self.rows.iter().map(|row| row.again).sum()]
    }

    fn has(&self, buffer: &str) -> bool {
        self.whole.iter().any(|row| row.buffer == buffer)
    }

    /// Draws the title and the totals.
    fn head(&self, frame: &mut Frame, [x, y]: [f32; 2], wide: f32) {
        frame.fitted([x, y + 10.0], 14.0, Anchor::Start, Ink::Muted, wide - 16.0, &self.title);
        let [once, again] = self.totals().map(|bytes| si(bytes, "B"));
        let long = text::width(&once, 24.0, false);
        frame.text([x, y + 38.0], 24.0, Anchor::Start, Ink::Text, once);
        let room = wide - long - 32.0;
        frame.fitted([x + long + 10.0, y + 41.0], 13.0, Anchor::Start, Ink::Muted, room, &format!("and {again} again"));
    }

    /// Draws the bytes of a buffer as a bar on the scale, and as a number; `rect` begins where the bar does, and is as wide as the number may be.
    fn row(&self, frame: &mut Frame, buffer: &str, [x, y, room, high]: [f32; 4], scale: f32, tag: Tag) {
        let [loaded, stored, again] =
            self.rows.iter().find(|of| of.buffer == buffer).map(Row::parts).unwrap_or_default();
        let mut at = x;
        for (part, ink) in [(loaded, Ink::Load), (stored, Ink::Store), (again, Hue::Idle.tint(AGAIN))] {
            let long = part as f32 * scale;
            if long > 0.0 {
                frame.fill([at, y, long.max(0.5), high], 0.0, ink, Some(tag));
                at += long;
            }
        }
        let once = si(loaded + stored, "B");
        let (ink, said) = match (self.has(buffer), again > 0.0) {
            (false, _) => (Ink::Muted, "no such buffer".to_owned()),
            (true, true) => (Ink::Text, format!("{once} + {}", si(again, "B"))),
            (true, false) => (Ink::Text, once),
        };
        frame.fitted([at + 7.0, y + high / 2.0], 12.0, Anchor::Start, ink, room - 8.0, &said);
    }
}

/// Adds a share of what a pass moved.
fn add(rows: &mut Vec<Row>, moved: &Moved, share: f64) {
    if moved.both()[0] == 0 {
        return;
    }
    let at = rows.iter().position(|row| row.buffer == moved.buffer).unwrap_or_else(|| {
        rows.push(Row { buffer: moved.buffer.clone(), ..Row::default() });
        rows.len() - 1
    });
    let [all, once] = moved.both().map(|bytes| bytes as f64 * share);
    rows[at].loaded += moved.loaded_once as f64 * share;
    rows[at].stored += moved.stored_once as f64 * share;
    rows[at].again += all - once;
}

/// The program on the stage, and the one beside it.
struct Sides([Side; 2]);

impl Sides {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let meters = view.ask(ask::Meters(vec![view.picture.text("beside").to_owned()]));
        let (_, moment) = view.reel(&Fig)?;
        let [this, other] = match &meters?[..] {
            [this, other] => [this, other],
            _ => return Err("There is no program beside this one.".into()),
        };
        // Both begin at once, a launch per tick.
        let launches = moment.before as f64 + f64::from(moment.eased());
        Ok(Self([this, other].map(|metered| Side::of(metered, launches))))
    }

    /// The buffers of either, in the order in which they are used.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for row in self.0.iter().flat_map(|side| &side.whole) {
            if !names.contains(&row.buffer) {
                names.push(row.buffer.clone());
            }
        }
        names
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        let again = Hue::Idle.tint(AGAIN);
        board.legend(&[
            Key::new(Ink::Load, "loaded"),
            Key::new(Ink::Store, "stored"),
            Key::new(again, "again in the same launch: caches may have it").or("again"),
        ]);
        let (names, room) = (self.names(), board.room());
        let mut rows = Rows::new(room.within([HEAD, 0.0]), names.len(), PITCH);
        rows.names(&mut board.frame, "buffer", |row| names[row].clone());
        let half = ((rows.right - rows.left) / 2.0).floor();
        let whole = || self.0.iter().flat_map(|side| &side.whole);
        let number = if whole().any(|row| row.again > 0.0) { NUMBER[1] } else { NUMBER[0] };
        let most = whole().map(|row| row.parts().iter().sum::<f64>()).fold(1.0, f64::max);
        let scale = (half - number - 8.0).max(20.0) / most as f32;
        for (i, side) in self.0.iter().enumerate() {
            let x = rows.left + i as f32 * half;
            side.head(&mut board.frame, [x, room.top], half);
            board.frame.line([x, room.top + HEAD - 8.0], [x, rows.bottom() + 4.0], 1.0, Ink::Faint, None);
            for (row, name) in names.iter().enumerate().take(rows.shown) {
                let [_, y, _, high] = rows.rect(row);
                let rect = [x + 1.0, y, if side.has(name) { number } else { half - 16.0 }, high];
                side.row(&mut board.frame, name, rect, scale, Tag::Spot(2 * row + i));
            }
        }
        board.finish(self.alt(&names))
    }

    fn alt(&self, names: &[String]) -> String {
        let once = [0, 1].map(|i| self.0[i].totals()[0]);
        let [this, other] = [0, 1].map(|i| format!("{}: {}", self.0[i].title, si(once[i], "B")));
        let times =
            if once[1] > 0.0 { format!(", {} times as much", number(once[0] / once[1])) } else { String::new() };
        let each = |name: &String| {
            let of = |side: &Side| side.rows.iter().find(|row| row.buffer == *name).map_or(0.0, Row::once);
            format!("{name} {} and {}", si(of(&self.0[0]), "B"), si(of(&self.0[1]), "B"))
        };
        let each: Vec<String> = names.iter().map(each).collect();
        format!("Bytes that buffers moved. {this}{times}; {other}. {}.", each.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, built, drawn, picture_of};
    use super::super::reel::{Reel, ReelBuffer, ReelPass};
    use super::super::{MeteredPass, frame::Item};
    use super::*;
    use crate::Results;
    use crate::base::tensor::{Elem, Tensor};
    use crate::lesson::ArgValue;
    use crate::trace::Film;

    fn pass(title: &str, moved: &[(&str, [u64; 3])]) -> MeteredPass {
        let of = |(name, [loaded, once, stored]): &(&str, [u64; 3])| Moved {
            buffer: (*name).to_owned(),
            loaded: *loaded,
            loaded_once: *once,
            stored: *stored,
            stored_once: *stored,
        };
        MeteredPass { title: title.into(), launches: 1, moved: moved.iter().map(of).collect() }
    }

    /// A program of two passes with an intermediate buffer, and one of one pass without.
    fn results() -> Results<'static> {
        let two = vec![
            pass("first", &[("x", [512, 256, 0]), ("between", [0, 0, 1024])]),
            pass("second", &[("between", [1024, 1024, 0]), ("y", [0, 0, 256])]),
        ];
        let one = vec![pass("both", &[("x", [256, 256, 0]), ("y", [0, 0, 256])])];
        let meters = [("Two", two), ("One", one)].map(|(title, passes)| Metered { title: title.into(), passes });
        let tensor = |word: u32| Tensor::from_bits(Elem::U32, [word].into_iter());
        let mut film = Film::new(vec![tensor(0)]);
        film.add((0, 0), vec![(0, tensor(1))]);
        film.add((1, 0), vec![(0, tensor(2))]);
        let buffers = vec![ReelBuffer { name: "y".into(), count: 1, ..ReelBuffer::default() }];
        let reel = Reel { film, buffers, passes: vec![ReelPass::single("first"), ReelPass::single("second")] };
        Results::default()
            .with(ask::Build, built("y"))
            .with(ask::Meters(vec!["one".into()]), meters.into())
            .with(ask::Film(vec!["y".into()]), reel)
    }

    #[test]
    fn bytes_grow_launch_by_launch_on_one_scale() {
        let results = results();
        let picture = picture_of("Meter", &[("beside", ArgValue::Text("one".into()))]);
        for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
            let at = |position: f32| {
                let view = View { position, motion: true, ..View::still(&results, &picture, size) };
                drawn(&Fig, &view, &mut Kept::default())
            };
            let wide = |frame: &Frame, spot: usize| -> f32 {
                let of = |item: &Item| match item {
                    Item::Rect { rect, tag: Some(Tag::Spot(of)), .. } if *of == spot => Some(rect[2]),
                    _ => None,
                };
                frame.items.iter().filter_map(of).sum()
            };
            let [start, half, first, end] = [0.0, 0.4, 0.99, 1.99].map(at);
            // Rows: x, between, y; the second program's are the odd ones.
            assert_eq!((wide(&start, 0), wide(&first, 3)), (0.0, 0.0));
            assert!(wide(&half, 2) > 0.0 && wide(&half, 2) < wide(&first, 2));
            assert!((wide(&first, 0) / wide(&first, 1) - 2.0).abs() < 0.05, "512 bytes beside 256");
            assert!((wide(&end, 2) / wide(&first, 2) - 2.0).abs() < 0.05, "stored, then loaded");
            assert!(end.alt.contains("Two: 2.56 kB, 5 times as much; One: 512 B"), "{}", end.alt);
            for frame in [&start, &half, &first, &end] {
                assert_tidy(frame, &format!("{size:?}"));
            }
        }
    }
}
