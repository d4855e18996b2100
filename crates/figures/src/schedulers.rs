//! How warps hide each other's waits: the issue slots of one of an SM's schedulers over time, for few warps and for many.

use super::answers::{Level, Wait, Waits};
use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Frame, Tag};
use super::kit::{Board, Key, Rows};
use super::palette::{Hue, Ink, SERIES};
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
        let mut said =
            format!("{}: an instruction is issued in {} of slots", warps_of(warps), share(&slots, Slot::is_issued));
        for wait in &waits.kinds {
            let stalls = share(&slots, |slot| slot == Slot::Stalled(Some(wait.level)));
            said.push_str(&format!("\nall wait, the first for {}: {stalls}", wait.level.name()));
        }
        Some(said)
    }
}

fn warps_of(warps: u32) -> String {
    if warps == 1 { "1 warp".to_owned() } else { format!("{warps} warps") }
}

/// Cycles that a warp takes if it is alone.
fn alone(waits: &Waits) -> u64 {
    let waited: f64 = waits.kinds.iter().map(|wait| wait.count as f64 * wait.cycles).sum();
    waits.path.instructions.max(1) + waited as u64
}

/// Cycles that the picture shows.
fn length(waits: &Waits) -> usize {
    let most = WAITS * waits.kinds.iter().map(|wait| wait.cycles).fold(0.0, f64::max);
    (RUNS * alone(waits)).min(most.max(100.0) as u64) as usize
}

/// After each instruction of a warp, the cycles until its next one, and what it waits for: the waits lie at equal distances, each kind evenly
/// among them.
fn pauses(waits: &Waits) -> Vec<(u64, Option<Level>)> {
    let instructions = waits.path.instructions.clamp(1, LONGEST);
    let all: u64 = waits.kinds.iter().map(|wait| wait.count).sum();
    let mut pauses = vec![(1, None); instructions as usize];
    let mut given = vec![0_u64; waits.kinds.len()];
    for wait in 0..all.min(instructions) {
        // The kind that is furthest behind its share.
        let behind = |kind: usize| waits.kinds[kind].count as f64 * (wait + 1) as f64 / all as f64 - given[kind] as f64;
        let Some(kind) = (0..given.len()).max_by(|a, b| behind(*a).total_cmp(&behind(*b))) else { break };
        given[kind] += 1;
        let at = (wait + 1) * instructions / (all + 1);
        let Wait { cycles, level, .. } = waits.kinds[kind];
        pauses[at.min(instructions - 1) as usize] = (cycles.max(1.0) as u64, Some(level));
    }
    pauses
}

/// A slot of a scheduler: the warp whose instruction it issues, or what the warp waits for that is ready first.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    Issued(u32),
    Stalled(Option<Level>),
}

impl Slot {
    fn is_issued(self) -> bool {
        matches!(self, Self::Issued(_))
    }

    fn ink(self) -> Ink {
        match self {
            Self::Issued(warp) => Ink::Series((warp % u32::from(SERIES)) as u8),
            Self::Stalled(level) => level.map_or(Ink::Panel, stalled),
        }
    }
}

/// The colour of waits for a level: the further away, the stronger.
fn stalled(level: Level) -> Ink {
    match level {
        Level::Dram => Ink::Tint(Hue::Waste, 30),
        Level::L2 => Ink::Tint(Hue::Waste, 16),
        Level::L1 => Ink::Tint(Hue::Waste, 8),
        Level::Shared => Ink::Tint(Hue::Shared, 20),
    }
}

/// The slots. A scheduler issues one instruction per cycle, of the warp that has been ready for the longest time. A
/// warp that is done makes room for another.
fn issued(waits: &Waits, warps: u32, cycles: usize) -> Vec<Slot> {
    let pauses = pauses(waits);
    let mut at = vec![0_usize; warps as usize];
    let mut ready = vec![0_u64; warps as usize];
    let mut waits_for = vec![None; warps as usize];
    let slot = |cycle: usize| {
        let now = cycle as u64;
        let Some(first) = (0..ready.len()).min_by_key(|warp| ready[*warp]) else { return Slot::Stalled(None) };
        if ready[first] > now {
            return Slot::Stalled(waits_for[first]);
        }
        let (pause, level) = pauses[at[first]];
        (ready[first], waits_for[first]) = (now + pause, level);
        at[first] = (at[first] + 1) % pauses.len();
        Slot::Issued(first as u32)
    };
    (0..cycles).map(slot).collect()
}

/// The share of slots that are of a kind, in whole per cents.
fn share(slots: &[Slot], is_it: impl Fn(Slot) -> bool) -> String {
    let count = slots.iter().filter(|slot| is_it(**slot)).count();
    format!("{:.0}%", 100.0 * count as f32 / slots.len().max(1) as f32)
}

fn drawn(view: &View<'_>, waits: &Waits) -> Frame {
    let most = view.number("warps").map_or(1.0, |warps| warps.max(1.0));
    let cycles = length(waits);
    let rows: Vec<Vec<Slot>> =
        (0..(most.log2() as u32 + 1).min(ROWS)).map(|row| issued(waits, 1 << row, cycles)).collect();
    let used = |row: usize| format!("{} used", share(&rows[row], Slot::is_issued));
    let mut board = Board::new(view.size);
    board.caption(&format!("{} cycles of one scheduler", count(cycles as u64)));
    let kinds: Vec<String> = waits
        .kinds
        .iter()
        .map(|wait| format!("{} waits of {:.0} cycles for {}", count(wait.count), wait.cycles, wait.level.name()))
        .collect();
    let kinds = if kinds.is_empty() { "no waits".to_owned() } else { kinds.join(", ") };
    board.footer(&format!("{}, per warp: {} instructions, {kinds}", waits.device, count(waits.path.instructions)));
    let names: Vec<(Ink, String)> =
        waits.kinds.iter().map(|wait| (stalled(wait.level), format!("all wait for {}", wait.level.name()))).collect();
    let mut keys = vec![Key::new(Slot::Issued(0).ink(), "an instruction is issued: a colour per warp").or("issued")];
    keys.extend(names.iter().zip(&waits.kinds).map(|((ink, name), wait)| Key::new(*ink, name).or(wait.level.name())));
    board.legend(&keys);
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
fn strips(frame: &mut Frame, [left, y, room, high]: [f32; 4], slots: &[Slot], tag: Option<Tag>) {
    let columns = (room as usize).max(1);
    let column = |at: usize| {
        slots.get(at * slots.len() / columns..((at + 1) * slots.len() / columns).max(at * slots.len() / columns + 1))
    };
    // The warp that issues first in a column stands for it, or what the first warp waits for.
    let of = |at: usize| {
        let slots = column(at)?;
        slots.iter().find(|slot| slot.is_issued()).or(slots.first()).copied()
    };
    let of: Vec<Option<Slot>> = (0..columns).map(of).collect();
    let mut begin = 0;
    for end in 1..=columns {
        if end < columns && of[end] == of[begin] {
            continue;
        }
        if let Some(slot) = of[begin] {
            frame.fill([left + begin as f32, y + 1.0, (end - begin) as f32, high - 2.0], 0.0, slot.ink(), tag);
        }
        begin = end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, numbered, picture_of};
    use super::*;
    use crate::trace::CriticalPath;

    /// Ten instructions and two waits of 45 cycles.
    fn waits() -> Waits {
        let path = CriticalPath { instructions: 10, global_waits: 2, ..CriticalPath::default() };
        let kinds = vec![Wait { level: Level::Dram, count: 2, cycles: 45.0 }];
        Waits { device: "a device".to_owned(), path, kinds }
    }

    fn used(warps: u32) -> usize {
        issued(&waits(), warps, 980).into_iter().filter(|slot| slot.is_issued()).count()
    }

    #[test]
    fn a_lone_warp_waits_and_many_fill_the_slots() {
        assert_eq!(alone(&waits()), 100);
        assert_eq!(pauses(&waits()).iter().map(|(cycles, _)| cycles).sum::<u64>(), 8 + 2 * 45);
        assert_eq!(used(1), 100);
        // Warps that are ready at the same time wait for each other a little.
        assert!((380..=400).contains(&used(4)), "four warps issue four times as many: {}", used(4));
        assert!(used(16) > 900, "more than there are slots for: {}", used(16));
    }

    #[test]
    fn each_stall_has_the_level_that_ends_it() {
        let path = CriticalPath { instructions: 12, global_waits: 3, ..CriticalPath::default() };
        let of = |level, count, cycles| Wait { level, count, cycles };
        let kinds = vec![of(Level::Dram, 1, 60.0), of(Level::L1, 2, 10.0)];
        let waits = Waits { device: "a device".to_owned(), path, kinds };
        let levels: Vec<Level> = pauses(&waits).into_iter().filter_map(|(_, level)| level).collect();
        assert_eq!(levels.iter().filter(|level| **level == Level::L1).count(), 2, "{levels:?}");
        let slots = issued(&waits, 1, 89);
        let stalls = |level| slots.iter().filter(|slot| **slot == Slot::Stalled(Some(level))).count();
        // A wait of 60 cycles leaves 59 slots empty.
        assert_eq!((stalls(Level::Dram), stalls(Level::L1)), (59, 18));
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
