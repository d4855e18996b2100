//! The text that training merges: all different pieces, one after the other.
//!
//! A byte has a cell, and stays in it. A token of several bytes has its id in its first cell and in its last one, so
//! that its neighbours on both sides find it; the cells between are not read any more. How far it is to the next token
//! follows from the tokens' lengths.

use std::mem;

use rayon::prelude::*;

use super::vocabulary::pair;
use warpbook_base::diag::Diagnostic;

/// No token: the separator after each piece.
const NONE: u32 = u32::MAX;

/// In a cell's `weight`: a token begins here.
const FIRST: u32 = 1 << 31;

/// Places from which on a core of its own merges them.
const PLACES: usize = 2048;

/// Bytes of pieces that a core lays out at least.
const BYTES: usize = 1 << 18;

/// A pair's weight in the text, and where its left token begins or began, in the text's order.
#[derive(Clone, Default)]
pub(super) struct Pair {
    pub(super) count: u64,
    pub(super) places: Vec<u32>,
}

/// A byte's place.
#[derive(Clone, Copy)]
struct Cell {
    symbol: u32,
    /// Where the piece's weight is in [`Cells::weights`], with [`FIRST`] in the first cell of a token.
    weight: u32,
}

/// The cells of all pieces.
pub(super) struct Cells {
    cells: Vec<Cell>,
    /// The first cell of each piece.
    starts: Vec<u32>,
    /// The different weights that pieces have: few, so that they stay in a core's cache.
    weights: Vec<u64>,
    /// Bytes of each token.
    lengths: Vec<u32>,
    /// For each part of a merge, the neighbours that it finds before and after its places.
    sides: Vec<[Side; 2]>,
}

/// The neighbours that a merge finds on one side, each once: a frequent pair has many places and few neighbours.
#[derive(Default)]
struct Side {
    /// For each token, its place in `neighbours` and 1; 0 if it is none.
    listed: Vec<u32>,
    /// Each with its pairs' weight and places.
    neighbours: Vec<(u32, Pair)>,
}

impl Side {
    fn of(&mut self, symbol: u32) -> &mut Pair {
        let at = symbol as usize;
        if at >= self.listed.len() {
            self.listed.resize(at + 1, 0);
        }
        if self.listed[at] == 0 {
            self.neighbours.push((symbol, Pair::default()));
            self.listed[at] = self.neighbours.len() as u32;
        }
        &mut self.neighbours[self.listed[at] as usize - 1].1
    }

    fn add(&mut self, symbol: u32, weight: u64, place: u32) {
        let pair = self.of(symbol);
        pair.count += weight;
        pair.places.push(place);
    }

    /// Adds the neighbours that the following part found.
    fn append(&mut self, behind: Vec<(u32, Pair)>) {
        for (symbol, mut more) in behind {
            let pair = self.of(symbol);
            pair.count += more.count;
            if pair.places.is_empty() {
                pair.places = more.places;
            } else {
                pair.places.append(&mut more.places);
            }
        }
    }

    fn take(&mut self) -> Vec<(u32, Pair)> {
        let neighbours = mem::take(&mut self.neighbours);
        neighbours.iter().for_each(|(symbol, _)| self.listed[*symbol as usize] = 0);
        neighbours
    }
}

/// A part of a text that one core merges in.
struct Part<'t> {
    cells: &'t mut [Cell],
    /// The number of its first cell.
    start: u32,
    places: &'t [u32],
    sides: &'t mut [Side; 2],
}

/// Two tokens and the one that they become.
#[derive(Clone, Copy)]
struct Merge {
    left: u32,
    right: u32,
    new: u32,
}

impl Cells {
    /// Pieces as tokens of one byte, and the pairs in them by their keys. All cores lay them out.
    ///
    /// # Errors
    /// If they need 2^32 cells or more.
    pub(super) fn new(pieces: &[(Box<[u8]>, u64)]) -> Result<(Self, Vec<(u64, Pair)>), Diagnostic> {
        let needed: usize = pieces.iter().map(|(piece, _)| piece.len() + 1).sum();
        if u32::try_from(needed).is_err() {
            let bytes = needed - pieces.len();
            return Err(Diagnostic::error(format!(
                "the text has {bytes} bytes of different pieces, more than 32 bits count"
            ))
            .hint("train on a part of it, or cut it by a pattern: pieces that repeat are kept once"));
        }
        let mut weights: Vec<u64> = pieces.iter().map(|(_, count)| *count).collect();
        weights.par_sort_unstable();
        weights.dedup();
        let mut starts = Vec::with_capacity(pieces.len());
        let mut end = 0;
        for (piece, _) in pieces {
            starts.push(end);
            end += piece.len() as u32 + 1;
        }
        let mut cells = vec![Cell { symbol: NONE, weight: 0 }; needed];
        // A part has a table of all pairs of bytes, so there are not many more than cores.
        let share = BYTES.max(needed / (4 * rayon::current_num_threads()));
        // Parts of whole pieces, each with its cells.
        let mut parts = Vec::new();
        let (mut rest, mut first) = (&mut cells[..], 0);
        while first < pieces.len() {
            let start = starts[first] as usize;
            let last = starts.partition_point(|&at| (at as usize) < start + share).max(first + 1);
            let end = starts.get(last).map_or(needed, |&at| at as usize);
            let (own, behind) = rest.split_at_mut(end - start);
            parts.push((own, start as u32, &pieces[first..last]));
            (rest, first) = (behind, last);
        }
        let found: Vec<Found> =
            parts.into_par_iter().map(|(own, start, pieces)| lay_out(own, start, pieces, &weights)).collect();
        let pairs = (0..1_usize << 16).into_par_iter().filter_map(|two| {
            let count = found.iter().map(|part| part.counts[two]).sum();
            let places = || found.iter().flat_map(|part| part.of(two)).copied().collect();
            (count > 0).then(|| (pair(two as u32 >> 8, two as u32 & 255), Pair { count, places: places() }))
        });
        let pairs = pairs.collect();
        Ok((Self { cells, starts, weights, lengths: vec![1; 256], sides: vec![] }, pairs))
    }

    /// Whether the pair is at a place now.
    pub(super) fn is_at(&self, key: u64, place: u32) -> bool {
        let (left, right) = ((key >> 32) as u32, key as u32);
        let here = self.cells[place as usize];
        here.weight & FIRST != 0
            && here.symbol == left
            && self.cells[(place + self.lengths[left as usize]) as usize].symbol == right
    }

    /// Merges two tokens at those of the places where they are, from left to right. The next id becomes theirs. Returns
    /// the neighbours before and after the new token, each with its pairs' weight and places. Many places are merged by
    /// all cores.
    pub(super) fn merge(&mut self, left: u32, right: u32, places: &[u32]) -> [Vec<(u32, Pair)>; 2] {
        // A run of equal tokens is merged from its left end.
        debug_assert!(places.is_sorted(), "places are kept in the text's order");
        let merge = Merge { left, right, new: self.lengths.len() as u32 };
        self.lengths.push(self.lengths[left as usize] + self.lengths[right as usize]);
        let wanted = (places.len() / PLACES).clamp(1, 2 * rayon::current_num_threads());
        if self.sides.len() < wanted {
            self.sides.resize_with(wanted, Default::default);
        }
        let mut parts = Vec::with_capacity(wanted);
        let (mut cells, mut start, mut places) = (&mut self.cells[..], 0, places);
        for (number, sides) in self.sides[..wanted].iter_mut().enumerate() {
            // Up to the piece of the first place that is left to others.
            let share = places.len() / (wanted - number);
            let piece = self.starts.partition_point(|&at| places.get(share).is_none_or(|&place| at <= place));
            let end = match places.get(share) {
                Some(_) => self.starts[piece - 1].max(start),
                None => start + cells.len() as u32,
            };
            let (own, behind) = mem::take(&mut cells).split_at_mut((end - start) as usize);
            let (own_places, later) = places.split_at(places.partition_point(|&place| place < end));
            parts.push(Part { cells: own, start, places: own_places, sides });
            (cells, start, places) = (behind, end, later);
        }
        if let [part] = &mut parts[..] {
            merge_part(part, merge, &self.lengths, &self.weights);
        } else {
            parts.par_iter_mut().for_each(|part| merge_part(part, merge, &self.lengths, &self.weights));
        }
        let (first, others) = self.sides.split_first_mut().expect("there is a part");
        for other in &mut others[..wanted - 1] {
            for (side, behind) in first.iter_mut().zip(other) {
                side.append(behind.take());
            }
        }
        first.each_mut().map(Side::take)
    }
}

/// Merges at the places of a part.
fn merge_part(part: &mut Part<'_>, merge: Merge, lengths: &[u32], weights: &[u64]) {
    let Part { cells, start, places, sides } = part;
    let [left_length, right_length] = [merge.left, merge.right].map(|token| lengths[token as usize] as usize);
    for &place in *places {
        let at = (place - *start) as usize;
        let here = cells[at];
        if here.weight & FIRST == 0 || here.symbol != merge.left {
            continue;
        }
        let middle = at + left_length;
        if cells[middle].symbol != merge.right {
            continue;
        }
        let end = middle + right_length;
        let weight = weights[(here.weight & !FIRST) as usize];
        cells[middle].weight &= !FIRST;
        cells[at].symbol = merge.new;
        cells[end - 1].symbol = merge.new;
        let before = if at == 0 { NONE } else { cells[at - 1].symbol };
        if before != NONE {
            sides[0].add(before, weight, place - lengths[before as usize]);
        }
        let behind = cells[end].symbol;
        if behind != NONE {
            sides[1].add(behind, weight, place);
        }
    }
}

/// The pairs of bytes of some pieces.
struct Found {
    /// The weight of each.
    counts: Vec<u64>,
    /// Where its places begin in `places`, and at the end where those of the last one end.
    starts: Vec<u32>,
    places: Vec<u32>,
}

impl Found {
    fn of(&self, two: usize) -> &[u32] {
        &self.places[self.starts[two] as usize..self.starts[two + 1] as usize]
    }
}

/// Fills the cells of pieces, and finds the pairs in them. `start` is the number of the first cell.
fn lay_out(cells: &mut [Cell], start: u32, pieces: &[(Box<[u8]>, u64)], weights: &[u64]) -> Found {
    let two = |pair: &[u8]| usize::from(pair[0]) << 8 | usize::from(pair[1]);
    let mut counts = vec![0; 1 << 16];
    let mut starts = vec![0_u32; (1 << 16) + 1];
    let mut end = 0;
    for (piece, count) in pieces {
        let weight = weights.partition_point(|weight| weight < count) as u32 | FIRST;
        for (cell, byte) in cells[end..].iter_mut().zip(piece) {
            *cell = Cell { symbol: u32::from(*byte), weight };
        }
        end += piece.len() + 1;
        for pair in piece.windows(2) {
            counts[two(pair)] += count;
            starts[two(pair) + 1] += 1;
        }
    }
    for pair in 1..starts.len() {
        starts[pair] += starts[pair - 1];
    }
    let mut free = starts.clone();
    let mut places = vec![0; starts[1 << 16] as usize];
    let mut at = start;
    for (piece, _) in pieces {
        for (place, pair) in (at..).zip(piece.windows(2)) {
            let free = &mut free[two(pair)];
            places[*free as usize] = place;
            *free += 1;
        }
        at += piece.len() as u32 + 1;
    }
    Found { counts, starts, places }
}
