//! The square of scores of one head as a launch goes over it: blocks of queries, tiles, and what is known of them at a tick.

use super::super::results::Missing;
use std::ops::Range;

use super::super::figure::View;
use super::super::frame::Tag;
use crate::base::tensor::Tensor;
use crate::base::units::{count, digits3};
use crate::trace::{Course, Phase, Rows};

/// Below this a maximum is that of no scores.
pub(super) const NOTHING: f64 = -1e30;

/// Queries and keys of a head at most, and heads: their product is a number of elements.
pub(super) const MOST: u32 = 1 << 20;

/// The queries of a workgroup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub workgroup: u32,
    /// Rows of the square.
    pub rows: Range<u64>,
}

/// The scores of a block's queries with some keys, which a workgroup has for some ticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    /// By its place among the blocks.
    pub block: usize,
    /// Columns of the square.
    pub keys: Range<u64>,
    pub ticks: Range<usize>,
}

/// The square, over all ticks.
pub(super) struct Square<'a> {
    pub course: &'a Course,
    /// The phases of the head's workgroups, by their places in the course.
    pub ticks: Vec<usize>,
    /// Rows and columns.
    pub size: [u64; 2],
    pub head: u64,
    pub blocks: Vec<Block>,
    /// In the order in which they are computed.
    pub tiles: Vec<Tile>,
    pub names: Names,
    /// The names of rows and columns: `queries` and `keys`.
    pub called: [String; 2],
}

/// The buffers and variables of the arguments, as the course numbers them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Names {
    pub q: Option<u16>,
    pub k: Option<u16>,
    pub v: Option<u16>,
    pub o: Option<u16>,
    pub scores: Option<u16>,
    pub max: Option<u16>,
    pub sum: Option<u16>,
    pub out: Option<u16>,
}

/// The events of a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Now {
    pub q: bool,
    pub k: bool,
    pub v: bool,
    pub scores: bool,
    pub max: bool,
    pub sum: bool,
    pub out: bool,
    pub stored: bool,
}

/// The arguments that name variables in workgroup memory, unless they name buffers of the program.
const VARIABLES: [&str; 4] = ["scores", "max", "sum", "out"];

impl<'a> Square<'a> {
    pub fn of(view: &View<'a>) -> Result<Self, Missing> {
        let picture = view.picture;
        let is_buffer =
            |name: &&str| view.program.is_some_and(|program| program.buffers.iter().any(|b| b.name == **name));
        let variables = VARIABLES.map(|name| picture.text(name)).into_iter();
        let variables: Vec<&str> = variables.filter(|name| !name.is_empty() && !is_buffer(name)).collect();
        let course = view.course(&variables)?;
        let number = |name: &str| view.number(name).filter(|n| *n >= 0.0).map(|n| (n as u64).min(u64::from(MOST)));
        let rows = number("rows").filter(|rows| *rows > 0).ok_or("The head has no queries.")?;
        let keys = number("keys").filter(|keys| *keys > 0).unwrap_or(rows);
        let head = number("head").unwrap_or(0);
        let find = |name: &str| Some(picture.text(name)).filter(|name| !name.is_empty()).map(|n| (n, course.find(n)));
        let known = |name: &str| find(name).and_then(|(_, place)| place);
        for (name, place) in ["max", "sum", "out"].iter().filter_map(|name| find(name)) {
            if place.is_none() {
                return Err(format!("The kernel has no variable {name} in workgroup memory.").into());
            }
        }
        let names = Names {
            q: known("q"),
            k: known("k"),
            v: known("v"),
            o: known("o"),
            scores: known("scores"),
            max: known("max"),
            sum: known("sum"),
            out: known("out"),
        };
        let called = match picture.texts("called") {
            [rows, columns] => [rows.clone(), columns.clone()],
            _ => ["queries", "keys"].map(str::to_owned),
        };
        let (ticks, blocks, tiles) = (Vec::new(), Vec::new(), Vec::new());
        let mut square = Self { course, ticks, size: [rows, keys], head, blocks, tiles, names, called };
        square.find_blocks();
        square.find_tiles();
        if square.ticks.is_empty() {
            return Err("No workgroup of the launch works on this head.".into());
        }
        Ok(square)
    }

    /// The letters of rows and columns: `Q` and `K`.
    pub fn letters(&self) -> [String; 2] {
        self.called.each_ref().map(|name| name.chars().take(1).flat_map(char::to_uppercase).collect())
    }

    /// Finds the blocks: of each workgroup the queries that it loads, or else the scores or results that it stores.
    fn find_blocks(&mut self) {
        let Names { q, o, scores, .. } = self.names;
        let first = self.head * self.size[0];
        let end = first + self.size[0];
        // The rows of the square; None if they are of other heads.
        let own_rows = |run: &Rows| {
            let [from, to] = run.rows.map(|row| row.clamp(first, end) - first);
            (from < to).then_some(from..to)
        };
        for phase in &self.course.phases {
            let runs = match (q, scores, o) {
                (Some(q), ..) => phase.loads.iter().filter(|rows| rows.buffer == q).collect::<Vec<_>>(),
                (None, scores, o) => {
                    let is_own = |rows: &&Rows| Some(rows.buffer) == scores || Some(rows.buffer) == o;
                    phase.loads.iter().chain(&phase.stores).filter(is_own).collect()
                }
            };
            for rows in runs.into_iter().filter_map(own_rows) {
                match self.blocks.iter_mut().find(|block| block.workgroup == phase.workgroup) {
                    Some(Block { rows: all, .. }) => *all = all.start.min(rows.start)..all.end.max(rows.end),
                    None => self.blocks.push(Block { workgroup: phase.workgroup, rows }),
                }
            }
        }
    }

    /// Finds the ticks and the tiles: one begins where a workgroup loads other keys.
    fn find_tiles(&mut self) {
        for (at, phase) in self.course.phases.iter().enumerate() {
            let Some(block) = self.blocks.iter().position(|block| block.workgroup == phase.workgroup) else { continue };
            let tick = self.ticks.len();
            self.ticks.push(at);
            let known = self.tiles.last_mut().filter(|tile| tile.block == block);
            let is_new = |keys: &Range<u64>| known.as_ref().is_none_or(|tile| tile.keys != *keys);
            let keys = columns(self.names, phase, self.size[1]);
            match (keys.filter(is_new), known) {
                (Some(keys), _) => self.tiles.push(Tile { block, keys, ticks: tick..tick + 1 }),
                (None, Some(tile)) => tile.ticks.end = tick + 1,
                (None, None) => {}
            }
        }
    }

    /// The tick of a position of the clock.
    pub fn tick(&self, position: f32) -> usize {
        (position.max(0.0) as usize).min(self.ticks.len() - 1)
    }

    pub fn phase(&self, tick: usize) -> &'a Phase {
        &self.course.phases[self.ticks[tick]]
    }

    /// The tile that is there at a tick, by its place.
    pub fn tile_at(&self, tick: usize) -> Option<usize> {
        self.tiles.iter().position(|tile| tile.ticks.contains(&tick))
    }

    /// The block that a tick is of, by its place.
    pub fn block_at(&self, tick: usize) -> usize {
        let workgroup = self.phase(tick).workgroup;
        self.blocks.iter().position(|block| block.workgroup == workgroup).unwrap_or(0)
    }

    /// Whether the scores are in a buffer, where they stay.
    pub fn stays(&self) -> bool {
        self.names.scores.is_some_and(|scores| {
            let touches = |rows: &Rows| rows.buffer == scores;
            self.course.phases.iter().any(|phase| phase.loads.iter().chain(&phase.stores).any(touches))
        })
    }

    /// The blocks by their places, that of a tick last: it covers others with the same queries.
    pub fn drawn(&self, tick: usize) -> impl Iterator<Item = usize> {
        let current = self.block_at(tick);
        (0..self.blocks.len()).filter(move |at| *at != current).chain([current])
    }

    /// Whether the scores of a tile are in their buffer at a tick: the launch has stored them, or only loads them.
    pub fn is_in_memory(&self, tile: &Tile, tick: usize) -> bool {
        let Some(scores) = self.names.scores else { return false };
        let stores = |phase: &Phase| phase.stored(scores).next().is_some();
        let mut until = tile.ticks.start..tile.ticks.end.min(tick.saturating_add(1));
        until.any(|tick| stores(self.phase(tick))) || !self.course.phases.iter().any(stores)
    }

    /// The events of a tick.
    pub fn now(&self, tick: usize) -> Now {
        let phase = self.phase(tick);
        let loads = |name: Option<u16>| name.is_some_and(|name| phase.loaded(name).next().is_some());
        let stores = |name: Option<u16>| name.is_some_and(|name| phase.stored(name).next().is_some());
        let changes = |name: Option<u16>| name.is_some_and(|name| phase.changed(name));
        let Names { q, k, v, o, scores, max, sum, out } = self.names;
        Now {
            q: loads(q),
            k: loads(k),
            v: loads(v),
            scores: changes(scores) || stores(scores),
            max: changes(max),
            sum: changes(sum),
            out: changes(out),
            stored: stores(o),
        }
    }

    /// The contents of a variable as they were last written in some ticks.
    fn within(&self, variable: Option<u16>, ticks: Range<usize>) -> Option<&'a Tensor> {
        let variable = variable?;
        let phases = ticks.rev().map(|tick| self.phase(tick));
        phases.flat_map(|phase| &phase.contents).find(|(of, _)| *of == variable).map(|(_, tensor)| tensor)
    }

    /// The ticks of a block up to a tick.
    fn ticks_of(&self, block: usize, tick: usize) -> Range<usize> {
        let workgroup = self.blocks[block].workgroup;
        let is_own = |at: &usize| self.phase(*at).workgroup == workgroup;
        let first = (0..self.ticks.len()).find(is_own).unwrap_or(0);
        let end = (first..self.ticks.len()).find(|at| !is_own(at)).unwrap_or(self.ticks.len());
        first..end.min(tick + 1).max(first)
    }

    /// Queries that a variable has room for: the maxima that are kept, or else the queries of the largest block.
    fn room(&self) -> usize {
        let maxima = self.within(self.names.max, 0..self.ticks.len()).map(Tensor::len);
        let largest = || self.blocks.iter().map(|block| (block.rows.end - block.rows.start) as usize).max();
        maxima.or_else(largest).unwrap_or(1).max(1)
    }

    /// The scores in a tile up to a tick, row by row.
    pub fn scores(&self, tile: &Tile, tick: usize) -> Option<Vec<f64>> {
        let ticks = tile.ticks.start..tile.ticks.end.min(tick + 1);
        let tensor = self.within(self.names.scores, ticks)?;
        let block = &self.blocks[tile.block];
        let [down, across] = [&block.rows, &tile.keys].map(|range| (range.end - range.start) as usize);
        let stride = (tensor.len() / self.room()).max(across);
        let cells = (0..down * across).map(|i| i / across * stride + i % across);
        cells.map(|i| (i < tensor.len()).then(|| tensor.get(i))).collect()
    }

    /// A variable with as many elements for each query of a block, as it was last written up to a tick; with the elements of a query.
    pub fn kept(&self, variable: Option<u16>, block: usize, tick: usize) -> Option<(&'a Tensor, usize)> {
        let tensor = self.within(variable, self.ticks_of(block, tick))?;
        Some((tensor, (tensor.len() / self.room()).max(1)))
    }

    /// The maximum of a block's queries before the tile of a tick, and at the tick; only those for which both are of some scores.
    pub fn maxima(&self, tick: usize) -> Vec<(usize, [f64; 2])> {
        let (block, Some(tile)) = (self.block_at(tick), self.tile_at(tick)) else { return Vec::new() };
        let before = self.tiles[tile].ticks.start.checked_sub(1).map(|before| self.ticks_of(block, before));
        let before = before.and_then(|ticks| self.within(self.names.max, ticks));
        let now = self.within(self.names.max, self.tiles[tile].ticks.start..tick + 1);
        let Some((before, now)) = before.zip(now) else { return Vec::new() };
        let each = (0..before.len().min(now.len())).map(|i| (i, [before.get(i), now.get(i)]));
        each.filter(|(_, pair)| pair.iter().all(|m| *m > NOTHING)).collect()
    }

    /// Whether a block's results are stored by a tick.
    pub fn is_stored(&self, block: usize, tick: usize) -> bool {
        let stores = |tick: usize| self.names.o.is_some_and(|o| self.phase(tick).stored(o).next().is_some());
        self.ticks_of(block, tick).any(stores)
    }

    /// The item under the pointer.
    pub fn told(&self, view: &View<'_>, tag: Tag) -> Option<String> {
        let Tag::Cell { row, column, .. } = tag else { return None };
        let (tick, block) = (self.tick(view.position), self.blocks.iter().position(|b| b.rows.contains(&row))?);
        let place = format!("query {}, key {}", count(row), count(column));
        let tile = self.tiles.iter().find(|tile| tile.block == block && tile.keys.contains(&column));
        let Some(tile) = tile else { return Some(format!("{place}: its tile is never loaded")) };
        let workgroup = self.blocks[block].workgroup;
        let when = match tile.ticks.contains(&tick) {
            true => {
                let across = tile.keys.end - tile.keys.start;
                let at = (row - self.blocks[block].rows.start) * across + column - tile.keys.start;
                let score = self.scores(tile, tick).and_then(|scores| scores.get(at as usize).copied());
                score.map_or_else(|| "now".to_owned(), |score| format!("now {}", digits3(score)))
            }
            false if tile.ticks.end <= tick && self.stays() => "stored".to_owned(),
            false if tile.ticks.end <= tick => "was computed, and is gone".to_owned(),
            false => "is to come".to_owned(),
        };
        Some(format!("{place}: {when} (workgroup {workgroup})"))
    }
}

/// The columns of the square that a phase is about: the keys that it loads, or else the values, or the scores in a buffer.
fn columns(names: Names, phase: &Phase, keys: u64) -> Option<Range<u64>> {
    let extent = |ranges: Vec<[u64; 2]>| {
        let from = ranges.iter().map(|range| range[0]).min()?;
        Some(from..ranges.iter().map(|range| range[1]).max()?)
    };
    let of_rows = |rows: &Rows| [rows.rows[0] % keys, (rows.rows[1] - 1) % keys + 1];
    let loaded = |name: u16| extent(phase.loaded(name).map(of_rows).collect());
    let in_buffer = |name: u16| {
        let runs = phase.loads.iter().chain(&phase.stores).filter(|rows| rows.buffer == name);
        extent(runs.map(|rows| rows.columns).collect())
    };
    match names {
        Names { k: Some(k), .. } => loaded(k),
        Names { v: Some(v), .. } => loaded(v),
        Names { scores: Some(scores), .. } => in_buffer(scores),
        _ => None,
    }
}
