//! A ring of places for tiles in shared memory, between who loads and who multiplies: from the asynchronous copies of a trace, or drawn
//! from the kernel's numbers where it has none.

mod drawn;
mod traced;

use super::ask;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame};
use super::kit::MARGIN;
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::text;
use crate::trace::Timeline;
use std::sync::Arc;
use traced::Turns;

/// The greatest height of a row, and the least.
const ROW: [f32; 2] = [22.0, 44.0];
/// From one row to the next, as a share of a row.
const GAP: f32 = 0.3;

/// The colours of a place in a moment.
const LOADING: Ink = Ink::Load;
const LOADED: Ink = Ink::Tint(Hue::Load, 30);
const READ: Ink = Ink::Shared;

static CARD: Card = Card {
    name: "Ring",
    tab: "Ring",
    help: "The places that tiles go through between who loads and who multiplies",
    about: "how tiles go through the kernel's places in shared memory: traced where copies are asynchronous, else drawn",
    clock: Clock::Still,
    fits: |facts| facts.ring,
    needs: "say which `ring` the kernel's tiles go through",
    args: &[],
};

/// The turns of a record, kept from frame to frame.
struct Known {
    timeline: Arc<Timeline>,
    workgroup: u32,
    places: u32,
    turns: Option<Turns>,
}

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, kept: &mut Kept) -> Result<Frame, Missing> {
        // Without a trace the order is drawn.
        let (timeline, ring) = (view.timeline(), view.ask(ask::Ring));
        let (Ok(timeline), workgroup) = (timeline, view.workgroup) else { return Ok(drawn::frame(view, ring?)) };
        let places = ring.as_ref().map_or(0, |ring| ring.places);
        let known: &mut Option<Known> = kept.own();
        let same = |known: &Known| {
            Arc::ptr_eq(&known.timeline, timeline) && (known.workgroup, known.places) == (workgroup, places)
        };
        let known = match known.take().filter(same) {
            Some(same) => known.insert(same),
            None => {
                let turns = Turns::of(timeline, workgroup, places);
                known.insert(Known { timeline: timeline.clone(), workgroup, places, turns })
            }
        };
        match &known.turns {
            Some(turns) => Ok(traced::frame(view, turns)),
            None => ring.map(|ring| drawn::frame(view, ring)),
        }
    }
}

/// The title and the note above the rows, if the lesson gives none; gives where the rows begin.
fn head(frame: &mut Frame, view: &View<'_>, title: &str, note: &str) -> f32 {
    let room = view.size[0] - 2.0 * MARGIN;
    let mut y = MARGIN;
    // The lesson's own title is above.
    if view.picture.text("title").is_empty() {
        frame.fitted([MARGIN, y + 8.0], 16.0, Anchor::Start, Ink::Text, room, title);
        y += 30.0;
    }
    for line in text::wrap(note, 12.0, room) {
        frame.text([MARGIN, y], 12.0, Anchor::Start, Ink::Muted, line);
        y += 16.0;
    }
    y + 12.0
}

/// A tile's stay in a place, with its number where there is room.
fn cell(frame: &mut Frame, [x, y, w, h]: [f32; 4], ink: Ink, tile: Option<u32>) {
    frame.fill([x + 1.0, y + 1.0, w - 2.0, h - 2.0], 3.0, ink, None);
    let name = tile.map(|tile| tile.to_string()).filter(|name| text::width(name, 12.0, false) <= w - 2.0);
    if let Some(name) = name {
        let on = if matches!(ink, Ink::Tint(..)) { Ink::Text } else { Ink::Panel };
        frame.text([x + w / 2.0, y + h / 2.0], 12.0, Anchor::Middle, on, name);
    }
}
