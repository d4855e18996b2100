//! The ring drawn from the kernel's numbers, for kernels without asynchronous copies.

use super::super::figure::View;
use super::super::frame::{Anchor, Frame};
use super::super::kit::legend::{Key, legend};
use super::super::palette::{Hue, Ink};
use super::{GAP, LOADED, LOADING, MARGIN, READ, ROW, cell, head};
use crate::answers::Ring;
use crate::text;

/// The least that a turn is wide.
const TURN: f32 = 30.0;
/// Turns that are drawn, at most.
const MOST: u32 = 18;

/// A warp that has nothing to do in a turn.
const WAITS: Ink = Ink::Tint(Hue::Waste, 35);

/// The contents of a place in a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Holds {
    /// A tile that is on its way, by its number.
    Loading(u32),
    /// One that has come and waits.
    Waiting(u32),
    /// One that is multiplied.
    Multiplied(u32),
}

impl Holds {
    fn tile(self) -> u32 {
        let (Self::Loading(tile) | Self::Waiting(tile) | Self::Multiplied(tile)) = self;
        tile
    }
}

/// The contents of `place` in a turn. The loader goes as far ahead as the ring allows: it refills a place as soon as that tile is used.
/// With a single place loading and multiplying take turns.
fn holds(places: u32, place: u32, turn: u32) -> Option<Holds> {
    if places == 1 {
        return Some(if turn.is_multiple_of(2) { Holds::Loading(turn / 2) } else { Holds::Multiplied(turn / 2) });
    }
    // Tile `t` is loaded in turn `t`, and multiplied `ahead` turns later.
    let ahead = places - 1;
    let tile = (0..places).filter_map(|back| turn.checked_sub(back)).find(|tile| tile % places == place)?;
    Some(match turn - tile {
        0 => Holds::Loading(tile),
        age if age < ahead => Holds::Waiting(tile),
        _ => Holds::Multiplied(tile),
    })
}

/// The picture.
pub(super) fn frame(view: &View<'_>, ring: &Ring) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let room = width - 2.0 * MARGIN;
    let title = title(ring.places);
    let note = "Drawn, not traced: the order is the kernel's, and widths are not times.";
    let y = head(&mut frame, view, &title, note);
    let names = [format!("loads: {}", ring.load), format!("multiplies: {}", ring.multiply)];
    let rows = ring.places as f32 + 2.0;
    let high = ((height - y - 56.0) / (rows * (1.0 + GAP))).clamp(ROW[0] * 0.6, ROW[1]);
    let pitch = high * (1.0 + GAP);
    // A name that does not find room in the height of its row gets more of the width.
    let names = names.map(|name| {
        let lines = text::wrap(&name, 12.0, (room * 0.24).clamp(96.0, 190.0));
        let has_room = lines.len() as f32 * 14.0 <= pitch;
        if has_room { lines } else { vec![text::fit(&name, 12.0, false, (room * 0.4).clamp(96.0, 260.0))] }
    });
    let widest = names.iter().flatten().map(|line| text::width(line, 12.0, false)).fold(64.0, f32::max);
    let left = MARGIN + widest + 16.0;
    // The last tile is multiplied `places - 1` turns after it is loaded.
    let after = |tiles: u32| if ring.places == 1 { tiles } else { ring.places - 1 };
    let needed = ring.tiles.map_or(MOST, |tiles| tiles.saturating_add(after(tiles)));
    let turns = (((width - MARGIN - left) / TURN).floor().max(1.0) as u32).min(MOST).min(needed.max(1));
    let wide = (width - MARGIN - left) / turns as f32;
    let of_row = |row: u32| y + row as f32 * pitch;
    for (row, lines) in [(0, &names[0]), (ring.places + 1, &names[1])] {
        let middle = of_row(row) + high / 2.0 - 7.0 * (lines.len() as f32 - 1.0);
        for (i, line) in lines.iter().enumerate() {
            frame.text([MARGIN, middle + 14.0 * i as f32], 12.0, Anchor::Start, Ink::Text, line.clone());
        }
    }
    for place in 0..ring.places {
        let at = [MARGIN, of_row(place + 1) + high / 2.0];
        frame.text(at, 12.0, Anchor::Start, Ink::Muted, format!("place {place}"));
        let ground = [left, of_row(place + 1), wide * turns as f32, high];
        frame.fill(ground, 0.0, Ink::Raised, None);
    }
    // The first tile that comes to a place that another one has left is followed.
    let followed = Some(ring.places).filter(|places| *places > 1);
    for turn in 0..turns {
        let x = left + turn as f32 * wide;
        // With a single place one of the two always waits for the other.
        if ring.places == 1 {
            let waits = if turn.is_multiple_of(2) { 2 } else { 0 };
            cell(&mut frame, [x, of_row(waits), wide, high], WAITS, None);
        }
        for place in 0..ring.places {
            let held =
                holds(ring.places, place, turn).filter(|held| ring.tiles.is_none_or(|tiles| held.tile() < tiles));
            let Some(held) = held else { continue };
            let (ink, tile) = match held {
                Holds::Loading(tile) => (LOADING, tile),
                Holds::Waiting(tile) => (LOADED, tile),
                Holds::Multiplied(tile) => (READ, tile),
            };
            cell(&mut frame, [x, of_row(place + 1), wide, high], ink, Some(tile));
            match held {
                Holds::Loading(tile) => cell(&mut frame, [x, of_row(0), wide, high], ink, Some(tile)),
                Holds::Multiplied(tile) => {
                    cell(&mut frame, [x, of_row(ring.places + 1), wide, high], ink, Some(tile));
                }
                Holds::Waiting(_) => {}
            }
            if Some(tile) == followed {
                let row = match held {
                    Holds::Loading(_) => Some(0),
                    Holds::Multiplied(_) => Some(ring.places + 1),
                    Holds::Waiting(_) => None,
                };
                for row in row.into_iter().chain([place + 1]) {
                    let y = of_row(row);
                    frame.outline([x, y, wide, high], 4.0, None, Ink::Accent, None);
                    frame.outline([x + 1.0, y + 1.0, wide - 2.0, high - 2.0], 3.0, None, Ink::Accent, None);
                }
            }
        }
    }
    let foot = of_row(ring.places + 2) + 12.0;
    let tile = followed.map(|tile| format!("tile {tile} on its way"));
    let mut keys = vec![Key::new(LOADING, "being loaded")];
    keys.extend((ring.places > 2).then(|| Key::new(LOADED, "loaded")));
    keys.push(Key::new(READ, "multiplied"));
    keys.extend(tile.as_deref().map(|tile| Key::new(Ink::Panel, tile).edge(Ink::Accent)));
    keys.extend((ring.places == 1).then(|| Key::new(WAITS, "has nothing to do")));
    legend(&mut frame, MARGIN, foot, width - 2.0 * MARGIN, &keys);
    let said = if ring.places == 1 {
        "While a tile is loaded, this workgroup does not multiply. Others on the SM may."
    } else {
        "Once the ring is full, each turn loads one tile and multiplies one."
    };
    if foot + 34.0 < height {
        frame.fitted([MARGIN, foot + 22.0], 13.0, Anchor::Start, Ink::Text, room, said);
    }
    frame.alt = format!("{title}. {note} {said}");
    frame
}

/// The purpose of a ring of this size.
fn title(places: u32) -> String {
    match places {
        1 => "1 place in shared memory: a tile is loaded or multiplied, never both".to_owned(),
        2 => "2 places in shared memory: while one tile is multiplied, the next is loaded".to_owned(),
        n => format!("{n} places in shared memory: while a tile is multiplied, the next {} are loaded", n - 1),
    }
}

#[cfg(test)]
mod tests {

    use super::super::super::fixtures::{Painter, Seen, assert_tidy};
    use super::*;
    use crate::Results;
    use crate::answers::Ring;
    use crate::ask;

    #[test]
    fn no_place_holds_two_tiles_and_each_tile_is_loaded_before_it_is_multiplied() {
        for places in 1..=6 {
            let (mut loaded, mut multiplied) = (Vec::new(), Vec::new());
            for turn in 0..40 {
                for place in 0..places {
                    match holds(places, place, turn) {
                        Some(Holds::Loading(tile)) => loaded.push((tile, turn, place)),
                        Some(Holds::Multiplied(tile)) => multiplied.push((tile, turn, place)),
                        Some(Holds::Waiting(_)) | None => {}
                    }
                }
            }
            assert!(loaded.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1), "{places}: {loaded:?}");
            let ahead = if places == 1 { 1 } else { places - 1 };
            for (tile, turn, place) in multiplied {
                assert!(loaded.contains(&(tile, turn - ahead, place)), "{places}: tile {tile} in turn {turn}");
            }
        }
    }

    #[test]
    fn it_fits() {
        for places in [1, 3, 4, 8] {
            let (load, multiply) = ("one warp, by the copy engine".into(), "two warpgroups".into());
            let tiles = Some(if places == 3 { u32::MAX } else { 9 });
            let ring = Ring { places, tiles, load, multiply };
            for size in [[420.0, 300.0], [653.0, 372.0], [1576.0, 800.0]] {
                let view = Seen::from(Results::default().with(ask::Ring, ring.clone()), size);
                assert_tidy(&Painter::of("Ring").frame(&view), &format!("{places} {size:?}"));
            }
        }
    }
}
