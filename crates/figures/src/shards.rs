//! Whose shard is whose: for each rank and each part of the model's state, which pieces of the parameters the rank holds.

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Ink, SERIES};
use super::reel::Moment;
use super::results::Missing;
use super::text;
use crate::base::tensor::Tensor;
use crate::base::units::si;

/// Height of the states' names above the rows.
const HEAD: f32 = 32.0;
/// Ranks that are drawn at most, and how high each is at least and at most.
const RANKS: usize = 16;
const PITCH: [f32; 2] = [14.0, 44.0];

static CARD: Card = Card {
    name: "Shards",
    tab: "Shards",
    help: "For each rank, the pieces of parameters, gradients and optimizer state that it holds",
    about: "the pieces of the model's state that each rank holds",
    clock: Clock::Launches,
    fits: |facts| facts.buffers,
    needs: "give its program buffers with a row for each rank",
    args: &[
        Arg::required(
            "states",
            ArgKind::Texts,
            "a name and its buffers each, the sliced one first: \"gradients: grad_shard, grads\"; a row is a rank's",
        ),
        Arg::required("ranks", ArgKind::Count(1024), "how many ranks there are"),
        Arg::required("layers", ArgKind::Count(1 << 16), "how many layers a row holds, unless it holds fewer"),
        Arg::required("layer", ArgKind::Count(u32::MAX), "elements of a whole layer"),
        Arg::optional(
            "colour",
            ArgKind::Count(255),
            "the first state's colour, from 0: a state keeps its own from page to page",
        ),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        let states = view.picture.texts("states").iter().filter_map(|state| parts(state));
        Ok(states.flat_map(|(_, buffers)| buffers).map(ToOwned::to_owned).collect())
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        States::of(view).map(|states| states.draw(view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        States::of(view).ok()?.told(tag)
    }
}

/// A state's name and its buffers.
fn parts(state: &str) -> Option<(&str, Vec<&str>)> {
    let (name, buffers) = state.split_once(':')?;
    Some((name.trim(), buffers.split(',').map(str::trim).collect()))
}

/// The state of a piece of the parameters on a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// No place for it.
    Elsewhere,
    /// A place that nothing was written to yet.
    Empty,
    /// Its elements.
    Held,
    /// Its elements, which the present launch has changed.
    Changed,
}

/// A part of the model's state.
struct State {
    name: String,
    /// Bytes that a rank holds of it.
    bytes: f64,
    /// A row for each rank, as many pieces as there are ranks.
    pieces: Vec<Vec<Piece>>,
}

struct States {
    ranks: usize,
    states: Vec<State>,
    /// The colour of the first state.
    first: usize,
    when: String,
}

impl States {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (reel, moment) = view.reel(&Fig)?;
        let number = |name: &str| view.number(name).map_or(0, |value| value as usize);
        let (ranks, layers, layer) = (number("ranks").max(1), number("layers").max(1), number("layer").max(1));
        let first = number("colour");
        let state = |text: &String| {
            let (name, buffers) = parts(text)?;
            // A sliced buffer that the stage does not use has a column alone.
            let is_used = |of: &&&str| reel.buffer(of).is_some_and(|buffer| buffer.columns.unwrap_or(1) > 1);
            let buffer = reel.buffer(buffers.iter().find(is_used)?)?;
            let [before, now] = reel.around(&buffer.name, moment)?;
            let row = usize::try_from(buffer.columns?).ok()?.min(now.len());
            let sizes = Sizes { row, layers, layer, ranks };
            let shown = |rank| (0..ranks).map(|piece| sizes.piece([before, now], moment, [rank, piece])).collect();
            let bytes = row as f64 * now.elem.bytes() as f64;
            Some(State { name: name.to_owned(), bytes, pieces: (0..ranks.min(RANKS)).map(shown).collect() })
        };
        let states = view.picture.texts("states").iter().filter_map(state).collect();
        Ok(Self { ranks, states, first, when: reel.when(moment.settled()) })
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        let is_empty = self.states.iter().any(|state| state.pieces.iter().flatten().any(|has| *has == Piece::Empty));
        let own = color(self.first);
        let mut keys = vec![Key::new(own, "held"), Key::new(Ink::Panel, "another rank's").edge(Ink::Faint)];
        let empty = Key::new(Ink::Panel, "room for it, nothing written yet").edge(own).or("empty");
        keys.extend(is_empty.then_some(empty));
        board.footer(&format!("dot: changed; {}", self.when));
        board.legend(&keys);
        let room = board.room();
        let mut rows = Rows::capped(room.within([HEAD, 0.0]), [self.ranks, RANKS], PITCH);
        rows.names(&mut board.frame, "rank", |rank| format!("rank {rank}"));
        let all = si(self.states.iter().map(|state| state.bytes).sum::<f64>(), "B");
        rows.notes(&mut board.frame, f32::INFINITY, |_| (Ink::Text, all.clone()));
        board.frame.text([rows.right + 12.0, room.top + 4.0], 13.0, Anchor::Start, Ink::Text, "all");
        let group = (rows.right - rows.left) / self.states.len().max(1) as f32;
        let fits = |state: &State| text::width(&si(state.bytes, "B"), 12.0, false) <= group - 8.0;
        let has_bytes = self.states.iter().all(fits);
        if has_bytes {
            board.frame.text([rows.left - 12.0, room.top + 20.0], 12.0, Anchor::End, Ink::Muted, "per rank");
        }
        for (at, state) in self.states.iter().enumerate() {
            let x = rows.along(at as f32 / self.states.len() as f32);
            let ink = color(self.first + at);
            board.frame.fitted([x, room.top + 4.0], 13.0, Anchor::Start, ink, group - 8.0, &state.name);
            if has_bytes {
                let bytes = si(state.bytes, "B");
                board.frame.text([x, room.top + 20.0], 12.0, Anchor::Start, Ink::Muted, bytes);
            }
            for rank in 0..rows.shown {
                let [_, y, _, high] = rows.rect(rank);
                self.pieces(&mut board.frame, [at, rank], [x, y, group - 10.0, high], view.hovered);
            }
        }
        board.finish(self.alt(&all))
    }

    /// The pieces of a state on a rank, beside each other.
    fn pieces(&self, frame: &mut Frame, [at, rank]: [usize; 2], [x, y, w, high]: [f32; 4], hovered: Option<Tag>) {
        let wide = w / self.ranks as f32;
        let own = color(self.first + at);
        for (piece, has) in self.states[at].pieces[rank].iter().enumerate() {
            let rect = [x + wide * piece as f32, y, (wide - 1.5).max(1.5), high];
            let tag = Some(Tag::Cell { buffer: at as u16, row: rank as u64, column: piece as u64 });
            let edge = match has {
                _ if hovered == tag => Ink::Text,
                Piece::Elsewhere => Ink::Faint,
                Piece::Empty | Piece::Held | Piece::Changed => own,
            };
            let fill = if matches!(has, Piece::Held | Piece::Changed) { own } else { Ink::Panel };
            frame.outline(rect, 1.5, Some(fill), edge, tag);
            if *has == Piece::Changed {
                let middle = [rect[0] + rect[2] / 2.0, y + high / 2.0];
                frame.dot(middle, (rect[2].min(high) * 0.18).max(1.0), Ink::On, tag);
            }
        }
    }

    fn alt(&self, all: &str) -> String {
        let each = self.states.iter().map(|state| {
            let own = state.pieces.first().map_or(0, |row| row.iter().filter(|p| **p != Piece::Elsewhere).count());
            format!("{}: {own} of {} pieces", state.name, self.ranks)
        });
        format!(
            "{} ranks, {all} each, {}. Rank 0 holds {}.",
            self.ranks,
            self.when,
            each.collect::<Vec<_>>().join(", ")
        )
    }

    fn told(&self, tag: Tag) -> Option<String> {
        let Tag::Cell { buffer, row, column } = tag else { return None };
        let (rank, piece) = (usize::try_from(row).ok()?, usize::try_from(column).ok()?);
        let state = self.states.get(usize::from(buffer))?;
        let has = match state.pieces.get(rank)?.get(piece)? {
            Piece::Elsewhere => "not here: another rank has it",
            Piece::Empty => "room for it, nothing written yet",
            Piece::Held => "held",
            Piece::Changed => "held, changed by the present launch",
        };
        Some(format!("rank {rank}, piece {piece} of the {}: {has}", state.name))
    }
}

/// How a rank's row is divided.
struct Sizes {
    /// Elements of a row.
    row: usize,
    layers: usize,
    /// Elements of a whole layer.
    layer: usize,
    ranks: usize,
}

impl Sizes {
    /// The state of a piece on a rank. A row holds whole layers, or of every layer the rank's own piece.
    fn piece(&self, [before, now]: [&Tensor; 2], moment: Moment, [rank, piece]: [usize; 2]) -> Piece {
        let shard = self.layer.div_ceil(self.ranks);
        let is_sliced = self.row < self.layer || (self.row == self.layers * shard && self.ranks > 1);
        if is_sliced && piece != rank {
            return Piece::Elsewhere;
        }
        let (begin, stride) = if is_sliced { (0, shard) } else { (piece * shard, self.layer) };
        let places = (0..self.row / stride.max(1)).flat_map(|layer| {
            let first = rank * self.row + layer * stride + begin;
            first..first + shard.min(self.layer.saturating_sub(piece * shard).max(1))
        });
        let (mut written, mut changed) = (false, false);
        for i in places.filter(|i| *i < now.len()) {
            written |= !now.is_poison(i);
            changed |= i < before.len() && before.bits(i) != now.bits(i);
        }
        match (written, changed) {
            // Until the launch is halfway, what it writes is not there.
            (true, true) if moment.share < 0.5 => Piece::Held,
            (true, true) => Piece::Changed,
            (true, false) => Piece::Held,
            (false, _) => Piece::Empty,
        }
    }
}

/// A state's colour.
fn color(state: usize) -> Ink {
    Ink::Series((state % SERIES as usize) as u8)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of};
    use super::super::reel::{Reel, ReelBuffer};
    use super::*;
    use crate::base::tensor::{Elem, Init};
    use crate::lesson::ArgValue;
    use crate::trace::Film;

    /// Two ranks and two layers of four elements: whole parameters, and a sliced moment of which rank 1's first layer is written.
    fn reel() -> Reel {
        let whole = Tensor::new(Elem::F32, 16, Init::Value(1.0), 1, 0);
        let sliced = Tensor::new(Elem::F32, 8, Init::Poison, 1, 0);
        let mut after = sliced.clone();
        (4..6).for_each(|i| after.words[i] = 0);
        let mut film = Film::new(vec![whole, sliced]);
        film.add((0, 0), vec![(1, after)]);
        let buffer =
            |name: &str, columns| ReelBuffer { name: name.into(), columns: Some(columns), ..ReelBuffer::default() };
        Reel { film, buffers: vec![buffer("w", 8), buffer("m", 4)], passes: vec![("update".into(), 1)] }
    }

    #[test]
    fn each_rank_holds_its_own_piece() {
        let states = vec!["parameters: w".to_owned(), "moments: m".to_owned()];
        let picture = picture_of("Shards", &[("states", ArgValue::Texts(states))]);
        let results = filmed(&Fig, &picture, &[("ranks", 2.0), ("layers", 2.0), ("layer", 4.0)], reel());
        let view = View { position: 0.99, ..View::still(&results, &picture, [650.0, 300.0]) };
        let found = States::of(&view).unwrap_or_else(|why| panic!("{why:?}"));
        use Piece::{Changed, Elsewhere, Empty, Held};
        assert_eq!(found.states[0].pieces, [[Held, Held], [Held, Held]]);
        assert_eq!(found.states[1].pieces, [[Empty, Elsewhere], [Elsewhere, Changed]]);
        assert_eq!((found.states[0].bytes, found.states[1].bytes), (32.0, 16.0));
        for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
            let frame = drawn(&Fig, &View { size, ..view }, &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(frame.alt.contains("parameters: 2 of 2 pieces, moments: 1 of 2 pieces"), "{}", frame.alt);
        }
    }
}
