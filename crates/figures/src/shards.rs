//! Whose shard is whose: for each rank and each part of the model's state, which pieces of the parameters the rank holds.

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Ink, SERIES};
use super::reel::{Moment, Reel, ReelBuffer};
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
            "a name and its buffers each, the sliced one first: \"gradients: grad_shard, grads\"; a row is a rank's; where both are used, \
             the second one has pieces for a while",
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
    /// In a buffer that is used for one layer after another.
    Lent,
    /// Its elements.
    Held,
    /// Its elements, which the present launch has changed.
    Changed,
}

/// A part of the model's state.
struct State {
    name: String,
    /// Bytes that a rank holds of it, and of the buffer that it has for a while.
    bytes: [f64; 2],
    /// A row for each rank, as many pieces as there are ranks.
    pieces: Vec<Vec<Piece>>,
    /// The pieces that the present launch copies: the piece, and the ranks from which and to which it goes.
    moves: Vec<(usize, [usize; 2])>,
}

struct States {
    ranks: usize,
    states: Vec<State>,
    /// The colour of the first state.
    first: usize,
    when: String,
    /// How far the present launch is.
    progress: f32,
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
            let is_used = |of: &&ReelBuffer| of.columns.unwrap_or(1) > 1;
            let mut used = buffers.iter().filter_map(|of| reel.buffer(of)).filter(is_used);
            let sizes = Sizes { layers, layer, ranks };
            let held = Slices::of(reel, used.next()?, moment, &sizes)?;
            let lent = used.next().and_then(|lent| Slices::of(reel, lent, moment, &sizes));
            let lent = lent.map(|lent| Slices { is_sliced: false, ..lent });
            Some(held.state(name, lent.as_ref(), moment))
        };
        let states = view.picture.texts("states").iter().filter_map(state).collect();
        Ok(Self { ranks, states, first, when: reel.when(moment.settled()), progress: moment.eased() })
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        let has =
            |wanted: Piece| self.states.iter().flat_map(|state| state.pieces.iter().flatten()).any(|it| *it == wanted);
        let own = color(self.first);
        let mut keys = vec![Key::new(own, "held"), Key::new(Ink::Panel, "another rank's").edge(Ink::Faint)];
        let empty = Key::new(Ink::Panel, "room for it, nothing written yet").edge(own).or("empty");
        keys.extend(has(Piece::Empty).then_some(empty));
        let lent = Key::new(pale(self.first), "another rank's, here for one layer").edge(own).or("here for one layer");
        keys.extend(has(Piece::Lent).then_some(lent));
        board.footer(&format!("dot: changed; {}", self.when));
        board.legend(&keys);
        let room = board.room();
        let mut rows = Rows::capped(room.within([HEAD, 0.0]), [self.ranks, RANKS], PITCH);
        rows.names(&mut board.frame, "rank", |rank| format!("rank {rank}"));
        let all = si(self.states.iter().map(|state| state.bytes[0]).sum::<f64>(), "B");
        rows.notes(&mut board.frame, f32::INFINITY, |_| (Ink::Text, all.clone()));
        board.frame.text([rows.right + 12.0, room.top + 4.0], 13.0, Anchor::Start, Ink::Text, "all");
        let group = (rows.right - rows.left) / self.states.len().max(1) as f32;
        let fits = |words: &str| text::width(words, 12.0, false) <= group - 8.0;
        let has_bytes = self.states.iter().all(|state| fits(&si(state.bytes[0], "B")));
        if has_bytes {
            board.frame.text([rows.left - 12.0, room.top + 20.0], 12.0, Anchor::End, Ink::Muted, "per rank");
        }
        for (at, state) in self.states.iter().enumerate() {
            let x = rows.along(at as f32 / self.states.len() as f32);
            let ink = color(self.first + at);
            board.frame.fitted([x, room.top + 4.0], 13.0, Anchor::Start, ink, group - 8.0, &state.name);
            if has_bytes {
                let bytes = state.bytes.map(|bytes| si(bytes, "B"));
                let has_lent = state.pieces.iter().flatten().any(|piece| *piece == Piece::Lent);
                let both = Some(format!("{} + {}", bytes[0], bytes[1])).filter(|both| has_lent && fits(both));
                let words = both.unwrap_or_else(|| bytes[0].clone());
                board.frame.text([x, room.top + 20.0], 12.0, Anchor::Start, Ink::Muted, words);
            }
            for rank in 0..rows.shown {
                let [_, y, _, high] = rows.rect(rank);
                self.pieces(&mut board.frame, [at, rank], [x, y, group - 10.0, high], view.hovered);
            }
            for (piece, [from, to]) in state.moves.iter().filter(|(_, ends)| ends.iter().all(|rank| *rank < rows.shown))
            {
                let [[_, from, _, high], [_, to, ..]] = [rows.rect(*from), rows.rect(*to)];
                let wide = (group - 10.0) / self.ranks as f32;
                let y = from + (to - from) * self.progress;
                let rect = [x + wide * *piece as f32, y, (wide - 1.5).max(1.5), high];
                board.frame.outline(rect, 1.5, Some(ink), Ink::Text, None);
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
                Piece::Empty | Piece::Lent | Piece::Held | Piece::Changed => own,
            };
            let fill = match has {
                Piece::Held | Piece::Changed => own,
                Piece::Lent => pale(self.first + at),
                Piece::Elsewhere | Piece::Empty => Ink::Panel,
            };
            frame.outline(rect, 1.5, Some(fill), edge, tag);
            if *has == Piece::Changed {
                let middle = [rect[0] + rect[2] / 2.0, y + high / 2.0];
                frame.dot(middle, (rect[2].min(high) * 0.18).max(1.0), Ink::On, tag);
            }
        }
    }

    fn alt(&self, all: &str) -> String {
        let each = self.states.iter().map(|state| {
            let of = |wanted: &dyn Fn(Piece) -> bool| {
                state.pieces.first().map_or(0, |row| row.iter().filter(|piece| wanted(**piece)).count())
            };
            let own = of(&|piece| !matches!(piece, Piece::Elsewhere | Piece::Lent));
            let lent = match of(&|piece| piece == Piece::Lent) {
                0 => String::new(),
                lent => format!(" and {lent} for one layer"),
            };
            format!("{}: {own}{lent} of {} pieces", state.name, self.ranks)
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
            Piece::Lent => "another rank's, here for one layer",
            Piece::Held => "held",
            Piece::Changed => "held, changed by the present launch",
        };
        Some(format!("rank {rank}, piece {piece} of the {}: {has}", state.name))
    }
}

/// How a rank's part of the model is divided.
struct Sizes {
    layers: usize,
    /// Elements of a whole layer.
    layer: usize,
    ranks: usize,
}

/// A buffer of a row for each rank, which holds whole layers, or of every layer the rank's own piece.
struct Slices<'a> {
    sizes: &'a Sizes,
    /// Elements of a row.
    row: usize,
    is_sliced: bool,
    /// The contents before and after the present launch.
    around: [&'a Tensor; 2],
    /// The contents before the rounds in which the launch is.
    begin: &'a Tensor,
}

impl<'a> Slices<'a> {
    fn of(reel: &'a Reel, buffer: &ReelBuffer, moment: Moment, sizes: &'a Sizes) -> Option<Self> {
        let around = reel.around(&buffer.name, moment)?;
        let begin = reel.after(&buffer.name, reel.turn(moment.before).start)?;
        let row = usize::try_from(buffer.columns?).ok()?.min(around[1].len());
        let is_sliced = row < sizes.layer || (row == sizes.layers * sizes.shard() && sizes.ranks > 1);
        Some(Self { sizes, row, is_sliced, around, begin })
    }

    /// The state whose slices these are, and those that are there for a while.
    fn state(&self, name: &str, lent: Option<&Self>, moment: Moment) -> State {
        let Sizes { ranks, .. } = *self.sizes;
        let shown = |rank| (0..ranks).map(move |piece| [rank, piece]);
        let piece = |at: [usize; 2]| match self.piece(at, moment) {
            Piece::Elsewhere if lent.is_some_and(|lent| lent.has_lent(self, at, moment)) => Piece::Lent,
            piece => piece,
        };
        let pieces = (0..ranks.min(RANKS)).map(|rank| shown(rank).map(piece).collect()).collect();
        let moved = lent.unwrap_or(self);
        let moves = (0..ranks).flat_map(shown).filter(|_| moment.share < 1.0);
        let moves = moves.filter_map(|at| Some((at[1], [moved.source(at)?, at[0]]))).collect();
        let bytes = |of: &Self| of.row as f64 * of.around[1].elem.bytes() as f64;
        State { name: name.to_owned(), bytes: [bytes(self), lent.map_or(0.0, bytes)], pieces, moves }
    }

    /// The elements of a piece of a layer on a rank; of a piece that it does not hold, there are none.
    fn places(&self, [rank, piece]: [usize; 2], layer: usize) -> std::ops::Range<usize> {
        let Sizes { layer: whole, .. } = *self.sizes;
        let shard = self.sizes.shard();
        let (begin, stride) = if self.is_sliced { (0, shard) } else { (piece * shard, whole) };
        let first = rank * self.row + layer * stride + begin;
        let last = first + shard.min(whole.saturating_sub(piece * shard).max(1));
        if self.is_sliced && piece != rank {
            0..0
        } else {
            first.min(self.around[1].len())..last.min(self.around[1].len())
        }
    }

    /// The layers of a row.
    fn layers(&self) -> usize {
        self.row / if self.is_sliced { self.sizes.shard() } else { self.sizes.layer }.max(1)
    }

    /// The state of a piece on a rank.
    fn piece(&self, [rank, piece]: [usize; 2], moment: Moment) -> Piece {
        if self.is_sliced && piece != rank {
            return Piece::Elsewhere;
        }
        let [before, now] = self.around;
        let (mut written, mut changed) = (false, false);
        for i in (0..self.layers()).flat_map(|layer| self.places([rank, piece], layer)) {
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

    /// Whether a piece of another rank is here for a while: written in the present rounds, or as its owner has it, in the layer of
    /// which the rank's own piece is here.
    fn has_lent(&self, owned: &Self, [rank, piece]: [usize; 2], moment: Moment) -> bool {
        let now = self.around[usize::from(moment.share >= 1.0)];
        (0..self.layers()).any(|layer| {
            let here = self.places([rank, piece], layer);
            let differs = here.clone().any(|i| !now.is_poison(i) && now.bits(i) != self.begin.bits(i));
            let is_of = |at: [usize; 2], of: usize| {
                let (mine, owners) = (self.places([rank, at[1]], layer), owned.places(at, of));
                !mine.is_empty() && mine.zip(owners).all(|(i, j)| now.bits(i) == owned.around[0].bits(j))
            };
            differs || (0..owned.layers()).any(|of| is_of([rank, rank], of) && is_of([piece, piece], of))
        })
    }

    /// The rank from which the present launch copies a piece: one that had it before; None if it copies none.
    fn source(&self, [rank, piece]: [usize; 2]) -> Option<usize> {
        let ([before, now], ranks) = (self.around, self.sizes.ranks);
        (0..self.layers()).find_map(|layer| {
            let here = self.places([rank, piece], layer);
            let differs = here.clone().any(|i| before.bits(i) != now.bits(i));
            // On a ring it is the one before.
            let mut others = (1..ranks).map(|back| (rank + ranks - back) % ranks);
            let has = |other: &usize| {
                let there = self.places([*other, piece], layer);
                !there.is_empty() && here.clone().zip(there).all(|(i, j)| now.bits(i) == before.bits(j))
            };
            if differs { others.find(has) } else { None }
        })
    }
}

impl Sizes {
    /// Elements of a rank's piece of a layer.
    fn shard(&self) -> usize {
        self.layer.div_ceil(self.ranks)
    }
}

/// A state's colour.
fn color(state: usize) -> Ink {
    Ink::Series((state % SERIES as usize) as u8)
}

/// The colour of what is there for a while.
fn pale(state: usize) -> Ink {
    Ink::Pale((state % SERIES as usize) as u8)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of};
    use super::super::reel::ReelPass;
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
        Reel { film, buffers: vec![buffer("w", 8), buffer("m", 4)], passes: vec![ReelPass::single("update")] }
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
        assert_eq!((found.states[0].bytes, found.states[1].bytes), ([32.0, 0.0], [16.0, 0.0]));
        for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
            let frame = drawn(&Fig, &View { size, ..view }, &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(frame.alt.contains("parameters: 2 of 2 pieces, moments: 1 of 2 pieces"), "{}", frame.alt);
        }
    }

    /// Two ranks that keep one piece of each of two layers, and gather the second layer: each copies its own piece, then the other's.
    #[test]
    fn a_gathered_piece_comes_from_its_owner_and_is_here_for_one_layer() {
        let whole = |words: &[u32]| Tensor::from_bits(Elem::U32, words.iter().copied());
        // A row is a rank's: its pieces of layer 0 and layer 1, two elements each.
        let sliced = whole(&[1, 2, 5, 6, 3, 4, 7, 8]);
        let first = whole(&[1, 2, 3, 4, 1, 2, 3, 4]);
        let own = whole(&[5, 6, 3, 4, 1, 2, 7, 8]);
        let gathered = whole(&[5, 6, 7, 8, 5, 6, 7, 8]);
        let mut film = Film::new(vec![sliced, first]);
        film.add((0, 0), vec![(1, own)]);
        film.add((1, 0), vec![(1, gathered)]);
        let buffer = |name: &str| ReelBuffer { name: name.into(), columns: Some(4), ..ReelBuffer::default() };
        let passes = vec![ReelPass::single("put"), ReelPass::single("gather")];
        let reel = Reel { film, buffers: vec![buffer("shard"), buffer("whole")], passes };
        let states = vec!["parameters: shard, whole".to_owned()];
        let picture = picture_of("Shards", &[("states", ArgValue::Texts(states))]);
        let results = filmed(&Fig, &picture, &[("ranks", 2.0), ("layers", 2.0), ("layer", 4.0)], reel);
        let at = |position: f32| {
            let view = View { position, motion: true, ..View::still(&results, &picture, [650.0, 300.0]) };
            assert_tidy(&drawn(&Fig, &view, &mut Kept::default()), &format!("{position}"));
            States::of(&view).unwrap_or_else(|why| panic!("{why:?}"))
        };
        use Piece::{Elsewhere, Held, Lent};
        let (put, moving, over) = (at(0.99), at(1.3), at(1.99));
        assert_eq!(put.states[0].pieces, [[Held, Elsewhere], [Elsewhere, Held]]);
        assert_eq!(moving.states[0].pieces, put.states[0].pieces);
        assert_eq!(moving.states[0].moves, [(1, [1, 0]), (0, [0, 1])]);
        assert_eq!(over.states[0].pieces, [[Held, Lent], [Lent, Held]]);
        assert!(over.states[0].moves.is_empty());
        assert_eq!(over.states[0].bytes, [16.0, 16.0]);
    }
}
