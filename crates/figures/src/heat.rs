//! How often each element of the matrices is fetched from global memory over the whole grid, and for whom.

use super::ask;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::frame::{Frame, Tag};
use super::kit::Key;
use super::kit::SideCard;
use super::kit::cells::{self, Matrix, Placed};
use super::matrices::{areas, name};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::tiles::Tiles;
use crate::base::units::{count, counted, figure, number};
use crate::trace::heat::{Bits, Footprint};
use crate::trace::{Fetches, Heat};

/// Steps of the scale: neighbours that differ by less look the same.
const STEPS: f32 = 48.0;
/// Where the scale ends; beyond, all looks the same.
const TOP: u32 = 1 << 12;
/// Fetches that are written at the scale, at even distances.
const TICKS: [u32; 4] = [1, 1 << 4, 1 << 8, TOP];

/// How far from its end the last tick is over.
const END: f32 = 0.05;

/// The items that the pointer lights: the workgroups that touched a cell, and all that they touched.
struct Lit {
    /// The matrix of the cell, by its place in the heat's list; None for a workgroup's turn.
    matrix: Option<usize>,
    /// Workgroups that loaded the cell, or stored it if no workgroup loads it.
    workgroups: usize,
    /// Requests for an element of the cell, on average.
    requests: f64,
    /// By matrix, what they loaded.
    loaded: Vec<Bits>,
    /// By matrix, what they stored.
    stored: Vec<Bits>,
}

impl Lit {
    /// All that the workgroup at a place in the list touches.
    fn of_turn(heat: &Heat, turn: usize) -> Self {
        let Footprint { loaded, stored, .. } = heat.footprints[turn].clone();
        Self { matrix: None, workgroups: 1, requests: 0.0, loaded, stored }
    }
}

/// The workgroup whose turn it is at a position of the clock, by its place in the list; None before the first and at the end, where the
/// picture is that of the whole grid.
fn turn(heat: &Heat, position: f32) -> Option<usize> {
    let end = heat.footprints.len() as f32 - END;
    (position > 0.0 && position < end).then_some(position as usize)
}

/// By matrix, the cells that the workgroups before this one have stored.
fn stored(heat: &Heat, turn: usize) -> Vec<Bits> {
    let mut all: Vec<Bits> = heat.matrices.iter().map(|m| Bits::none(m.cells.count())).collect();
    for footprint in &heat.footprints[..turn] {
        all.iter_mut().zip(&footprint.stored).for_each(|(all, more)| all.extend(more));
    }
    all
}

/// The picture.
pub(super) fn frame(view: &View<'_>, heat: &Heat) -> Frame {
    let mut frame = Frame::new(view.size);
    let (placed, card) = layout(heat, view.size);
    let is_pointed = matches!(view.hovered, Some(Tag::Cell { .. }));
    let turn = turn(heat, view.position).filter(|_| !is_pointed);
    // Until the pointer chooses an element, one serves as an example: the picture shows at once what is computed from it.
    // No example where tiles reach beyond the edges: then the picture is about them.
    let overhangs = tiled(heat, &placed).is_some_and(|(tiles, _)| tiles.beyond != [0, 0]);
    let sample = sample(heat, &placed).filter(|_| !is_pointed && turn.is_none() && !overhangs);
    let told = sample.or(view.hovered);
    let lit = match turn {
        Some(turn) => Some(Lit::of_turn(heat, turn)),
        None => told.and_then(|tag| lit(heat, &placed, tag)),
    };
    let done = turn.map(|turn| stored(heat, turn));
    for placed in &placed {
        let Some((i, fetches)) = find(heat, placed.grid.buffer) else { continue };
        placed.draw(&mut frame, |row, column| {
            let (mut sum, mut cells, mut reached) = (0.0, 0.0, [false; 2]);
            for cell in placed.finer(&fetches.cells, row, column) {
                sum += fetches.mean[cell];
                cells += 1.0;
                if let Some(lit) = &lit {
                    reached[0] |= lit.loaded[i].has(cell);
                    reached[1] |= lit.stored[i].has(cell);
                }
            }
            let mean: f32 = sum / f32::max(cells, 1.0);
            match &lit {
                Some(_) if placed.matrix.written && reached[1] => Some(Ink::Store),
                Some(_) if placed.matrix.written => done.as_ref().and_then(|done| {
                    let is_done = placed.finer(&fetches.cells, row, column).any(|cell| done[i].has(cell));
                    is_done.then_some(Ink::Tint(Hue::Store, 45))
                }),
                // The matrix that the pointer is on stays as it is; of the others, the rest steps back.
                Some(lit) if sample.is_none() && lit.matrix != Some(i) && !reached[0] => Some(Ink::Faint),
                _ => (mean > 0.0).then(|| level(mean)),
            }
        });
        let tiles = Tiles::of(heat, i).filter(|_| placed.matrix.written);
        if let Some(tiles) = tiles {
            tiles.draw(&mut frame, placed);
        }
        placed.ring(&mut frame, told);
    }
    let said: Vec<(String, String)> = heat.matrices.iter().filter(|m| m.total > 0).map(words).collect();
    if let Some(rect) = card {
        let mut card = SideCard::new(&mut frame, rect);
        card.title(None, "Fetches per element");
        card.says("By warps, before any cache.");
        card.scale(&TICKS.map(|tick| count(u64::from(tick))));
        card.section("requests per element");
        for (name, value) in &said {
            card.row(name, value);
        }
        if let Some(turn) = turn {
            card.section("now");
            card.row("workgroup", &format!("{} of {}", count(turn as u64 + 1), count(heat.footprints.len() as u64)));
            card.says("What it loads keeps its colour; what it stores is filled.");
        }
        if let (Some(lit), Some(Tag::Cell { buffer, row, column }), None) = (&lit, told, turn)
            && let Some(on) = placed.iter().find(|p| p.grid.buffer == buffer)
        {
            card.section(if sample.is_some() { "who needs a cell" } else { "under the pointer" });
            card.says(&name(on, row, column));
            let by = By::of(heat, lit);
            card.row("by workgroups", &format!("{} of {}", by.some, count(by.all)));
            if let Some(each) = &by.each {
                card.row("times each", each);
            }
            let edge = if on.matrix.written { "stored" } else { "the element" };
            let made = Key::new(Ink::Store, "their tiles");
            card.legend(&[Key::new(Ink::Panel, edge).edge(Ink::Accent), made]);
            if sample.is_some() {
                card.says("Point at another.");
            }
        }
        if let Some((tiles, cells)) = tiled(heat, &placed) {
            card.section("tiles");
            let [down, across] = tiles.each;
            card.row("one workgroup's", &format!("{} × {}", count(down), count(across)));
            if tiles.beyond != [0, 0] {
                card.row("of them inside", &figure(cells as f64 / tiles.covered() as f64, "%"));
                card.says("Shaded: beyond the edges.");
            }
            card.row("tiles", &format!("{} × {}", count(tiles.count[0]), count(tiles.count[1])));
        }
        card.finish();
    }
    let said: Vec<String> = said.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    frame.alt = format!("Fetches from global memory per element, over the whole grid: {}.", said.join("; "));
    frame
}

fn layout(heat: &Heat, size: [f32; 2]) -> (Vec<Placed>, Option<[f32; 4]>) {
    let (area, card) = areas(size);
    let matrix = |m: &Fetches| Matrix {
        buffer: m.buffer,
        name: m.name.clone(),
        cells: m.cells,
        written: m.total == 0,
        shaped: true,
        beyond: [0; 2],
    };
    let mut matrices: Vec<Matrix> = heat.matrices.iter().map(matrix).collect();
    if let Some([left, right, output]) = cells::product(&matrices)
        && let Some(Tiles { beyond: [rows, columns], .. }) = Tiles::of(heat, output)
    {
        // Tiles of the inputs reach as far as those of the output.
        matrices[left].beyond = [rows, 0];
        matrices[right].beyond = [0, columns];
        matrices[output].beyond = [rows, columns];
    }
    let (mut placed, _) = cells::place(matrices, area);
    cells::centre(&mut placed.iter_mut().collect::<Vec<_>>(), area);
    (placed, card)
}

/// The tiles of the first matrix that is stored in tiles, and its elements.
fn tiled(heat: &Heat, placed: &[Placed]) -> Option<(Tiles, u64)> {
    placed.iter().filter(|placed| placed.matrix.written).find_map(|placed| {
        let (i, fetches) = find(heat, placed.grid.buffer)?;
        Some((Tiles::of(heat, i)?, fetches.cells.elements()))
    })
}

/// An element of the first matrix that is fetched, a third of the way in.
fn sample(heat: &Heat, placed: &[Placed]) -> Option<Tag> {
    let on = placed.iter().find(|placed| !placed.matrix.written)?;
    let cells = on.grid.cells;
    let at = |elements: u64, span: u64| elements / 3 / span * span;
    let (row, column) = (at(cells.rows, cells.span[0]), at(cells.columns, cells.span[1]));
    (!heat.footprints.is_empty()).then_some(Tag::Cell { buffer: on.grid.buffer, row, column })
}

fn find(heat: &Heat, buffer: u16) -> Option<(usize, &Fetches)> {
    heat.matrices.iter().enumerate().find(|(_, m)| m.buffer == buffer)
}

/// The scale is the same for all kernels and sizes, so that fewer fetches are darker in any two pictures: a step is a factor of two.
fn level(mean: f32) -> Ink {
    let share = mean.max(1.0).log2() / (TOP as f32).log2();
    let step = (share * STEPS).round().clamp(0.0, STEPS);
    Ink::Heat((step * 255.0 / STEPS) as u8)
}

/// A matrix and its elements' fetches: one number where all are the same.
fn words(fetches: &Fetches) -> (String, String) {
    let [least, most] = fetches.range.map(u64::from);
    let value = if least == most {
        count(most)
    } else {
        format!("{}–{}, mean {}", count(least), count(most), number(fetches.mean_of_all()))
    };
    (fetches.name.clone(), value)
}

fn lit(heat: &Heat, placed: &[Placed], tag: Tag) -> Option<Lit> {
    let Tag::Cell { buffer, row, column } = tag else { return None };
    let (matrix, fetches) = find(heat, buffer)?;
    let placed = placed.iter().find(|p| p.grid.buffer == buffer)?;
    let span = placed.grid.cells.span;
    let cells: Vec<usize> = placed.finer(&fetches.cells, row / span[0], column / span[1]).collect();
    let touched = |bits: &[Bits]| bits.get(matrix).is_some_and(|bits| cells.iter().any(|cell| bits.has(*cell)));
    let fetched = !placed.matrix.written;
    let those = |f: &&Footprint| touched(if fetched { &f.loaded } else { &f.stored });
    let none: Vec<Bits> = heat.matrices.iter().map(|m| Bits::none(m.cells.count())).collect();
    let requests = cells.iter().map(|cell| f64::from(fetches.mean[*cell])).sum::<f64>() / cells.len().max(1) as f64;
    let mut lit = Lit { matrix: Some(matrix), workgroups: 0, requests, loaded: none.clone(), stored: none };
    for footprint in heat.footprints.iter().filter(those) {
        lit.workgroups += 1;
        lit.loaded.iter_mut().zip(&footprint.loaded).for_each(|(all, more)| all.extend(more));
        lit.stored.iter_mut().zip(&footprint.stored).for_each(|(all, more)| all.extend(more));
    }
    (!heat.footprints.is_empty()).then_some(lit)
}

/// The workgroups that access an element.
struct By {
    verb: &'static str,
    some: String,
    all: u64,
    /// How often each of them does, if it is more than once.
    each: Option<String>,
}

impl By {
    fn of(heat: &Heat, lit: &Lit) -> Self {
        let is_fetched = lit.matrix.is_some_and(|matrix| heat.matrices[matrix].total > 0);
        let each = lit.requests / lit.workgroups as f64;
        Self {
            verb: if is_fetched { "Fetched" } else { "Stored" },
            some: count(lit.workgroups as u64),
            all: heat.footprints.len() as u64,
            each: (each > 1.0 && each.is_finite()).then(|| number(each)),
        }
    }

    /// In a sentence.
    fn said(&self) -> String {
        let each = self.each.as_ref().map(|each| format!(", {each} times each")).unwrap_or_default();
        format!("{} by {} of {}{each}.", self.verb, self.some, counted(self.all, "workgroup"))
    }
}

/// The tip for the item under the pointer.
pub(super) fn told(view: &View<'_>, tag: Tag) -> Option<String> {
    let (heat, Tag::Cell { buffer, row, column }) = (view.ask(ask::Heat).ok()?, tag) else { return None };
    let (placed, _) = layout(heat, view.size);
    let on = placed.iter().find(|p| p.grid.buffer == buffer)?;
    let (_, fetches) = find(heat, buffer)?;
    let span = on.grid.cells.span;
    let cells: Vec<usize> = on.finer(&fetches.cells, row / span[0], column / span[1]).collect();
    let mean = cells.iter().map(|cell| fetches.mean[*cell]).sum::<f32>() / cells.len().max(1) as f32;
    let most = cells.iter().map(|cell| fetches.most[*cell]).max().unwrap_or(0);
    let mut said = name(on, row, column);
    if fetches.total > 0 {
        let most = if most as f32 > mean { format!(", at most {}", count(most.into())) } else { String::new() };
        said += &format!("\n{} fetches per element{most}", number(f64::from(mean)));
    }
    if let Some(lit) = lit(heat, &placed, tag) {
        said += &format!("\n{}", By::of(heat, &lit).said());
    }
    Some(said)
}

static CARD: Card = Card {
    name: "Heat",
    tab: "Heat",
    help: "How often each element is fetched from global memory, over the whole grid",
    about: "how often each element is fetched from global memory, over the whole grid",
    clock: Clock::Workgroups,
    fits: |facts| facts.matrices,
    needs: "give its matrices their `columns`",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.ask(ask::Heat).map(|heat| frame(view, heat))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(view, tag)
    }
}

#[cfg(test)]
#[path = "heat_tests.rs"]
mod tests;
