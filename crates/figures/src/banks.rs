//! How banks serve an access of workgroup memory, and the picture of it under a warp: 32 banks as columns, each word stacked on the
//! wavefront that serves it.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Moment, Stage};
use super::frame::{Anchor, Frame, Tag};
use super::kit::Key;
use super::lanes::{COLUMNS, drop_line};
use super::memory::label;
use super::palette::{Hue, Ink};
use crate::base::units::count;
use crate::trace::banks::{parts, together};
use crate::trace::{AccessKind, Event, EventKind, Timeline};

/// A word in its place: which bank serves it, in which wavefront, for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Served {
    /// Word of the variable, from its start.
    pub(super) word: u64,
    pub(super) bank: u32,
    /// From 0.
    pub(super) wavefront: u32,
    /// The first wavefront of the lanes that are served together with this one's.
    pub(super) first: u32,
    /// The lanes that ask for it.
    pub(super) lanes: u64,
}

/// The active lanes of an access of workgroup memory, group after group of those that are served together.
fn groups(timeline: &Timeline, event: &Event) -> Vec<u64> {
    let EventKind::Access { access, bytes_per_lane, .. } = event.kind else { return Vec::new() };
    let at = |lane| address(timeline, event, lane);
    parts(event.mask, together(access, u32::from(bytes_per_lane), event.mask, at)).collect()
}

/// The byte that an active lane asks for first.
fn address(timeline: &Timeline, event: &Event, lane: u32) -> u32 {
    let before = event.mask & ((1 << lane) - 1);
    timeline.addresses(event).get(before.count_ones() as usize).copied().unwrap_or(0)
}

/// The fewest wavefronts an access could take: one for each group of lanes served together.
pub(super) fn least_wavefronts(timeline: &Timeline, event: &Event) -> u32 {
    groups(timeline, event).len() as u32
}

/// How an access of workgroup memory is served, group of lanes after group of lanes.
/// In each group, a wavefront takes one distinct word of each bank, or the word of one lane of an atomic.
pub(super) fn serve(timeline: &Timeline, event: &Event) -> Vec<Served> {
    let EventKind::Access { access, buffer, bytes_per_lane, .. } = event.kind else { return Vec::new() };
    let base = timeline.buffers.get(usize::from(buffer)).map_or(0, |b| u64::from(b.base) / 4);
    let words_per_lane = u64::from(bytes_per_lane).div_ceil(4).max(1);
    let mut served: Vec<Served> = Vec::new();
    let mut first = 0;
    for group in groups(timeline, event) {
        let begin = served.len();
        for lane in (0..64).filter(|lane| group >> lane & 1 == 1) {
            let start = u64::from(address(timeline, event, lane)) / 4;
            for word in start..start + words_per_lane {
                let same = served[begin..].iter().position(|s| s.word == word && access != AccessKind::Atomic);
                match same {
                    Some(at) => served[begin + at].lanes |= 1 << lane,
                    None => {
                        let bank = ((base + word) % u64::from(COLUMNS)) as u32;
                        let queue = served[begin..].iter().filter(|s| s.bank == bank).count() as u32;
                        served.push(Served { word, bank, wavefront: first + queue, first, lanes: 1 << lane });
                    }
                }
            }
        }
        first = served[begin..].iter().map(|s| s.wavefront + 1).max().unwrap_or(first);
    }
    served
}

/// The requests of an access to the banks, and the wavefronts that they take, in a sentence.
pub(super) fn said(timeline: &Timeline, event: &Event, served: &[Served]) -> String {
    let EventKind::Access { access, .. } = event.kind else { return String::new() };
    let lanes = event.mask.count_ones();
    let words: BTreeSet<u64> = served.iter().map(|s| s.word).collect();
    let banks: BTreeSet<u32> = served.iter().map(|s| s.bank).collect();
    let wavefronts = served.iter().map(|s| s.wavefront + 1).max().unwrap_or(0);
    let least = least_wavefronts(timeline, event);
    let plural = |n: u64, noun: &str| format!("{} {noun}{}", count(n), if n == 1 { "" } else { "s" });
    let verb = match (access, lanes) {
        (AccessKind::Load, 1) => "asks for",
        (AccessKind::Load, _) => "ask for",
        (AccessKind::Store, 1) => "writes",
        (AccessKind::Store, _) => "write",
        (AccessKind::Atomic, 1) => "updates",
        (AccessKind::Atomic, _) => "update",
    };
    let mut place = match (banks.len(), banks.first()) {
        (1, Some(bank)) => format!("of bank {bank}"),
        (n, _) => format!("in {n} banks"),
    };
    if banks.len() > 1 && wavefronts > least && access != AccessKind::Atomic {
        let mut of_bank: BTreeMap<u32, BTreeSet<u64>> = BTreeMap::new();
        for word in served {
            of_bank.entry(word.bank).or_default().insert(word.word);
        }
        let each: BTreeSet<usize> = of_bank.values().map(BTreeSet::len).collect();
        place += &match (each.first(), each.last()) {
            (Some(low), Some(high)) if low == high => format!(", {high} in each"),
            (_, high) => format!(", up to {} in one bank", high.copied().unwrap_or(0)),
        };
    }
    let asked = format!("{} {verb} {} {place}", plural(lanes.into(), "lane"), plural(words.len() as u64, "word"));
    let taken = plural(wavefronts.into(), "wavefront");
    match (wavefronts > least, access) {
        (true, AccessKind::Atomic) => {
            format!("{asked}, one lane at a time for each: {taken}; {least} would do.")
        }
        (true, _) => format!("{asked}: {taken}; {least} would do."),
        (false, _) if wavefronts == 1 && (words.len() as u32) < lanes => format!("{asked}: {taken} serves them all."),
        (false, _) if wavefronts == 1 => format!("{asked}: {taken}."),
        (false, _) => format!("{asked}: {taken}, the least possible."),
    }
}

/// Draws the access and says in words what it shows.
pub(super) fn draw(frame: &mut Frame, moment: &Moment<'_>, stage: &Stage) -> String {
    let served = serve(moment.timeline, moment.event);
    let wavefronts = served.iter().map(|s| s.wavefront + 1).max().unwrap_or(0);
    let EventKind::Access { buffer, .. } = moment.event.kind else { return String::new() };
    let columns = &stage.lanes.columns;
    let [_, top, _, room] = stage.body;
    // Bank numbers below, a drop zone above, the stack in between, growing upward.
    let floor = top + room - 18.0;
    let tallest = (floor - top - (room * 0.2).clamp(24.0, 96.0)).max(1.0);
    let ideal = columns.width().clamp(8.0, 24.0);
    // The tower is drawn in full, however low its rows become.
    let pitch = (tallest / wavefronts.max(1) as f32).min(ideal + 4.0);
    let space = match pitch {
        pitch if pitch >= 8.0 => 2.0,
        pitch if pitch >= 3.0 => 1.0,
        pitch => pitch / 4.0,
    };
    let row_top = |wavefront: u32| floor - (wavefront + 1) as f32 * pitch + space;
    for bank in 0..COLUMNS {
        let rect = [columns.x(bank), floor - tallest, columns.width(), tallest];
        frame.fill(rect, 2.0, Ink::Raised, Some(Tag::Bank(bank)));
    }
    let target = |served: &Served| [columns.center(served.bank), row_top(served.wavefront)];
    for lit in [false, true] {
        for word in &served {
            for lane in (0..64).filter(|lane| word.lanes >> lane & 1 == 1) {
                // A vector's lane asks for several words, but one line is enough.
                let is_first = !served.iter().any(|s| s.word + 1 == word.word && s.lanes >> lane & 1 == 1);
                if (moment.is_lit(lane) == Some(true)) == lit && is_first {
                    drop_line(frame, moment, lane, stage.lanes.foot(lane), target(word), Hue::Shared);
                }
            }
        }
        if !lit && moment.landed >= 1.0 {
            for word in &served {
                let hue = if word.wavefront == word.first { Hue::Shared } else { Hue::Conflict };
                let rect = [columns.x(word.bank), row_top(word.wavefront), columns.width(), pitch - space];
                let faded = moment.any_lit(word.lanes) == Some(false);
                let ink = if faded { hue.tint(45) } else { hue.ink() };
                let tag = Some(Tag::Word { buffer, index: word.word });
                frame.fill(rect, (rect[3] / 3.0).min(2.0), ink, tag);
                label(frame, rect, word.lanes, if faded { Ink::Text } else { Ink::On }, tag);
            }
        }
    }
    marks(frame, stage, floor, (pitch, wavefronts));
    let keys = [
        Key::new(Ink::Shared, "word that waits for no other").or("waits for none"),
        Key::new(Ink::Conflict, "word that waits for its bank").or("waits"),
        Key::new(Ink::Raised, "column: a bank, row: a wavefront").or("bank, by wavefront"),
    ];
    stage.legend(frame, &keys);
    let conflicts = wavefronts.saturating_sub(least_wavefronts(moment.timeline, moment.event));
    format!("The 32 banks serve it in {wavefronts} wavefronts, {conflicts} of them because of bank conflicts.")
}

/// Numbers the banks below and the wavefronts on the left.
fn marks(frame: &mut Frame, stage: &Stage, floor: f32, (pitch, wavefronts): (f32, u32)) {
    let columns = &stage.lanes.columns;
    frame.text([columns.left() - 8.0, floor + 9.0], 12.0, Anchor::End, Ink::Muted, "bank");
    for bank in (0..COLUMNS).filter(|bank| bank.is_multiple_of(columns.numbering())) {
        frame.text([columns.center(bank), floor + 9.0], 12.0, Anchor::Middle, Ink::Muted, bank.to_string());
        frame.tag_last(Tag::Bank(bank));
    }
    let every = ((14.0 / pitch).ceil().max(1.0) as u32).next_power_of_two();
    let is_last = |wavefront: u32| wavefronts < every && wavefront + 1 == wavefronts;
    for wavefront in (0..wavefronts).filter(|w| (w + 1).is_multiple_of(every) || is_last(*w)) {
        let y = floor - (wavefront as f32 + 0.5) * pitch;
        frame.text([columns.left() - 8.0, y], 12.0, Anchor::End, Ink::Muted, (wavefront + 1).to_string());
    }
}
