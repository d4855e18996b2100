//! How warps hide each other's waits: the issue slots of one of an SM's schedulers over time, for few warps and for many.

use super::answers::Waits;
use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Ink, SERIES};
use super::results::Missing;
use crate::base::units::count;

/// Height of a row at least and at most.
const ROW: [f32; 2] = [14.0, 56.0];
/// Rows at most: 1, 2, 4, … warps.
const ROWS: u32 = 6;
/// Runs of a lone warp that the picture is long, and the waits that it is long at most.
const RUNS: u64 = 2;
const WAITS: f64 = 4.0;
/// Instructions of a warp that are looked at.
const LONGEST: u64 = 40_000;

static CARD: Card = Card {
    name: "Schedulers",
    tab: "Schedulers",
    help: "The issue slots of one scheduler over time, for few warps and for many",
    about: "the issue slots of one scheduler, for few warps and for many",
    clock: Clock::Still,
    fits: |facts| facts.traced,
    needs: "any kernel that can be traced",
    args: &[Arg::required("warps", ArgKind::Count(1024), "the most warps that a scheduler has")],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        let waits = view.ask(ask::Waits);
        view.within()?;
        waits.map(|waits| drawn(view, waits))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Warp(row) = tag else { return None };
        let waits = view.ask(ask::Waits).ok()?;
        let warps = 1 << row;
        let slots = issued(waits, warps, length(waits));
        Some(format!(
            "{}: a warp issues in {} of {} slots",
            warps_of(warps),
            count(slots.iter().flatten().count() as u64),
            count(slots.len() as u64)
        ))
    }
}

fn warps_of(warps: u32) -> String {
    if warps == 1 { "1 warp".to_owned() } else { format!("{warps} warps") }
}

/// Cycles that a warp takes if it is alone.
fn alone(waits: &Waits) -> u64 {
    let path = &waits.path;
    path.instructions.max(1)
        + (path.global_waits as f64 * waits.buffer_cycles + path.shared_waits as f64 * waits.shared_cycles) as u64
}

/// Cycles that the picture shows.
fn length(waits: &Waits) -> usize {
    let most = WAITS * waits.buffer_cycles.max(waits.shared_cycles);
    (RUNS * alone(waits)).min(most.max(100.0) as u64) as usize
}

/// The cycles after each instruction of a warp until its next one: the waits lie at equal distances, those for buffers evenly among them.
fn pauses(waits: &Waits) -> Vec<u64> {
    let path = &waits.path;
    let instructions = path.instructions.clamp(1, LONGEST);
    let all = path.global_waits + path.shared_waits;
    let mut pauses = vec![1; instructions as usize];
    for wait in 0..all.min(instructions) {
        let of_buffer = (wait + 1) * path.global_waits / all > wait * path.global_waits / all;
        let cycles = if of_buffer { waits.buffer_cycles } else { waits.shared_cycles };
        let at = (wait + 1) * instructions / (all + 1);
        pauses[at.min(instructions - 1) as usize] = cycles.max(1.0) as u64;
    }
    pauses
}

/// The warp that issues in each cycle. A scheduler issues one instruction per cycle, of the warp that has been ready for the longest time. A
/// warp that is done makes room for another.
fn issued(waits: &Waits, warps: u32, cycles: usize) -> Vec<Option<u32>> {
    let pauses = pauses(waits);
    let mut at = vec![0_usize; warps as usize];
    let mut ready = vec![0_u64; warps as usize];
    let slot = |cycle: usize| {
        let now = cycle as u64;
        let warp = (0..ready.len()).filter(|warp| ready[*warp] <= now).min_by_key(|warp| ready[*warp])?;
        ready[warp] = now + pauses[at[warp]];
        at[warp] = (at[warp] + 1) % pauses.len();
        u32::try_from(warp).ok()
    };
    (0..cycles).map(slot).collect()
}

fn drawn(view: &View<'_>, waits: &Waits) -> Frame {
    let most = view.number("warps").map_or(1.0, |warps| warps.max(1.0));
    let cycles = length(waits);
    let rows: Vec<Vec<Option<u32>>> =
        (0..(most.log2() as u32 + 1).min(ROWS)).map(|row| issued(waits, 1 << row, cycles)).collect();
    let used =
        |row: usize| format!("{:.0}% used", 100.0 * rows[row].iter().flatten().count() as f32 / cycles.max(1) as f32);
    let mut board = Board::new(view.size);
    board.caption(&format!("{} cycles of one scheduler", count(cycles as u64)));
    let path = &waits.path;
    let shared = match path.shared_waits {
        0 => String::new(),
        shared => format!(", {} of {:.0} for workgroup memory", count(shared), waits.shared_cycles),
    };
    board.footer(&format!(
        "Per warp: {} instructions, {} waits of {:.0} cycles (model of the {}) for global memory{shared}",
        count(path.instructions),
        count(path.global_waits),
        waits.buffer_cycles,
        waits.device
    ));
    board.legend(&[
        Key::new(warp_ink(0), "an instruction is issued: a colour per warp").or("issued"),
        Key::new(Ink::Panel, "no warp is ready: all wait for memory").edge(Ink::Faint).or("idle"),
    ]);
    let mut places = Rows::new(board.room(), rows.len(), ROW);
    places.names(&mut board.frame, "row", |row| warps_of(1 << row));
    places.notes(&mut board.frame, f32::INFINITY, |row| (Ink::Text, used(row)));
    for (row, slots) in (0..).zip(&rows[..places.shown]) {
        let tag = Some(Tag::Warp(row));
        let edge = if view.hovered == tag { Ink::Text } else { Ink::Faint };
        let rect = places.rect(row as usize);
        board.frame.outline(rect, 0.0, Some(Ink::Panel), edge, tag);
        strips(&mut board.frame, rect, slots, tag);
    }
    let said: Vec<String> = (0..rows.len()).map(|row| format!("{}: {}", warps_of(1 << row), used(row))).collect();
    board.finish(format!("Issue slots of one scheduler over {} cycles. {}.", count(cycles as u64), said.join(", ")))
}

/// The busy parts of a row, a colour per warp; one point wide at least.
fn strips(frame: &mut Frame, [left, y, room, high]: [f32; 4], slots: &[Option<u32>], tag: Option<Tag>) {
    let columns = (room as usize).max(1);
    let column = |at: usize| {
        slots.get(at * slots.len() / columns..((at + 1) * slots.len() / columns).max(at * slots.len() / columns + 1))
    };
    // The warp that issues first in a column stands for it.
    let of: Vec<Option<u32>> = (0..columns).map(|at| column(at)?.iter().flatten().next().copied()).collect();
    let mut begin = 0;
    for end in 1..=columns {
        if end < columns && of[end] == of[begin] {
            continue;
        }
        if let Some(warp) = of[begin] {
            frame.fill([left + begin as f32, y + 1.0, (end - begin) as f32, high - 2.0], 0.0, warp_ink(warp), tag);
        }
        begin = end;
    }
}

fn warp_ink(warp: u32) -> Ink {
    Ink::Series((warp % u32::from(SERIES)) as u8)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, numbered, picture_of};
    use super::*;
    use crate::trace::CriticalPath;

    /// Ten instructions and two waits of 45 cycles.
    fn waits() -> Waits {
        let path = CriticalPath { instructions: 10, global_waits: 2, ..CriticalPath::default() };
        Waits { device: "a device".to_owned(), path, buffer_cycles: 45.0, shared_cycles: 20.0 }
    }

    fn used(warps: u32) -> usize {
        issued(&waits(), warps, 980).iter().flatten().count()
    }

    #[test]
    fn a_lone_warp_waits_and_many_fill_the_slots() {
        assert_eq!(alone(&waits()), 100);
        assert_eq!(pauses(&waits()).iter().sum::<u64>(), 8 + 2 * 45);
        assert_eq!(used(1), 100);
        // Warps that are ready at the same time wait for each other a little.
        assert!((380..=400).contains(&used(4)), "four warps issue four times as many: {}", used(4));
        assert!(used(16) > 900, "more than there are slots for: {}", used(16));
    }

    #[test]
    fn a_row_for_each_number_of_warps() {
        let results = numbered(&[("warps", 16.0)]).with(ask::Waits, waits());
        let picture = picture_of("Schedulers", &[]);
        for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
            let view = View::still(&results, &picture, size);
            let frame = drawn(&Fig, &view, &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            assert!(frame.alt.contains("cycles. 1 warp: ") && frame.alt.contains("8 warps: "), "{}", frame.alt);
            assert!(
                Fig.tip(&view, &Kept::default(), None, Tag::Warp(4)).is_some_and(|tip| tip.starts_with("16 warps"))
            );
        }
    }
}
