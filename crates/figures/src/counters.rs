//! The counters of a warp: what the current event costs, and what all its events cost so far.

use super::event::Moment;
use super::frame::{Anchor, Frame, Item};
use super::palette::{Hue, Ink};
use super::{banks, memory};
use crate::base::units::{count, si};
use crate::trace::{AccessKind, EventKind, Space, Timeline};

/// Counts in the units of NVIDIA's hardware counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) requests: u64,
    pub(super) sectors: u64,
    /// Sectors that the same addresses would touch if the first one had the best alignment, where that is fewer. Of one event only.
    pub(super) aligned: Option<u64>,
    /// Bytes the lanes asked for.
    pub(super) asked: u64,
    pub(super) uniform_requests: u64,
    pub(super) passes: u64,
    pub(super) shared_requests: u64,
    pub(super) wavefronts: u64,
    pub(super) conflicts: u64,
    pub(super) barriers: u64,
    pub(super) exchanges: u64,
    pub(super) branches: u64,
    pub(super) divergent: u64,
}

impl Tally {
    /// The counts of these events.
    pub(super) fn of(timeline: &Timeline, events: &[usize]) -> Self {
        let mut tally = Self::default();
        for event in events.iter().filter_map(|index| timeline.events.get(*index)) {
            match event.kind {
                EventKind::Access { buffer, bytes_per_lane, cost, .. } => {
                    match timeline.buffers.get(usize::from(buffer)).map(|b| b.space) {
                        Some(Space::Shared) => {
                            tally.shared_requests += 1;
                            tally.wavefronts += u64::from(cost);
                            let least = banks::least_wavefronts(timeline, event);
                            tally.conflicts += u64::from(cost).saturating_sub(u64::from(least));
                        }
                        Some(Space::Uniform) => {
                            tally.uniform_requests += 1;
                            tally.passes += u64::from(cost);
                        }
                        Some(Space::Global) | None => {
                            tally.requests += 1;
                            tally.sectors += u64::from(cost);
                            tally.asked += u64::from(event.mask.count_ones()) * u64::from(bytes_per_lane);
                        }
                    }
                }
                EventKind::Barrier => tally.barriers += 1,
                EventKind::Subgroup { .. } => tally.exchanges += 1,
                EventKind::Branch { taken } => {
                    tally.branches += 1;
                    tally.divergent += u64::from(event.mask & taken != 0 && event.mask & !taken != 0);
                }
            }
        }
        tally
    }

    /// Bytes moved: 32 for each sector.
    pub(super) fn moved(&self) -> u64 {
        self.sectors * 32
    }

    /// Bytes asked for per byte moved. Above 1 where lanes share bytes.
    pub(super) fn efficiency(&self) -> Option<f64> {
        (self.sectors > 0).then(|| self.asked as f64 / self.moved() as f64)
    }

    fn percent(&self) -> String {
        match self.efficiency() {
            None => "–".to_owned(),
            // Lanes that ask for the same bytes are no efficiency beyond the whole.
            Some(share) if share > 1.0 => format!("{}×", tidy(share)),
            Some(share) => format!("{}%", tidy(share * 100.0)),
        }
    }

    /// The label of [`Self::percent`].
    fn percent_of(&self) -> &'static str {
        if self.efficiency().is_some_and(|share| share > 1.0) { "asked per byte" } else { "efficiency" }
    }
}

/// The name of a count, for one of them.
fn singular(name: &'static str) -> &'static str {
    match name {
        "passes" => "pass",
        "branches" => "branch",
        _ => name.strip_suffix('s').unwrap_or(name),
    }
}

/// At most three digits, and no zeros after the point.
fn tidy(value: f64) -> String {
    let text = crate::base::units::digits3(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Bytes, exactly as long as they need no prefix.
pub(super) fn bytes(value: u64) -> String {
    if value < 1000 { format!("{value} B") } else { si(value as f64, "B") }
}

/// This event alone (zeros until its accesses have landed), then everything up to it.
fn tallies(moment: &Moment<'_>) -> [Tally; 2] {
    let landed = moment.landed >= 1.0;
    let before = moment.so_far.len() - usize::from(!landed);
    let mut now = if landed { Tally::of(moment.timeline, &[moment.index]) } else { Tally::default() };
    let is_atomic = matches!(moment.event.kind, EventKind::Access { access: AccessKind::Atomic, .. });
    if now.sectors > 0 && !is_atomic {
        now.aligned = memory::aligned_sectors(moment);
    }
    [now, Tally::of(moment.timeline, &moment.so_far[..before])]
}

/// One line of the table: its name, then its value for this event and for all so far.
type Row = (&'static str, [String; 2]);

fn global_rows(t: &[Tally; 2]) -> Vec<Row> {
    let aligned = t[0].aligned.map(|aligned| ("if aligned", [count(aligned), "–".to_owned()]));
    [("requests", t.map(|t| count(t.requests))), ("sectors", t.map(|t| count(t.sectors)))]
        .into_iter()
        .chain(aligned)
        .chain([
            ("asked for", t.map(|t| bytes(t.asked))),
            ("moved", t.map(|t| bytes(t.moved()))),
            (t[0].percent_of(), t.map(|t| t.percent())),
        ])
        .collect()
}

fn shared_rows(t: &[Tally; 2]) -> Vec<Row> {
    vec![
        ("requests", t.map(|t| count(t.shared_requests))),
        ("wavefronts", t.map(|t| count(t.wavefronts))),
        ("conflicts", t.map(|t| count(t.conflicts))),
    ]
}

fn uniform_rows(t: &[Tally; 2]) -> Vec<Row> {
    vec![("requests", t.map(|t| count(t.uniform_requests))), ("passes", t.map(|t| count(t.passes)))]
}

fn flow_rows(t: &[Tally; 2]) -> Vec<Row> {
    vec![
        ("branches", t.map(|t| count(t.branches))),
        ("divergent", t.map(|t| count(t.divergent))),
        ("barriers", t.map(|t| count(t.barriers))),
        ("exchanges", t.map(|t| count(t.exchanges))),
    ]
}

/// The figure that matters most for this event, and what it is.
fn lead(moment: &Moment<'_>, now: &Tally) -> (String, &'static str, Ink) {
    match (moment.event.kind, moment.hue) {
        (EventKind::Access { .. }, Hue::Shared) => {
            let ink = if now.conflicts > 0 { Ink::Conflict } else { Ink::Text };
            let noun = if now.wavefronts == 1 { "wavefront of the access" } else { "wavefronts of the access" };
            (count(now.wavefronts), noun, ink)
        }
        (EventKind::Access { .. }, _) if moment.space() == Some(Space::Uniform) => {
            let noun = if now.passes == 1 { "pass of the access" } else { "passes of the access" };
            (count(now.passes), noun, Ink::Text)
        }
        (EventKind::Access { access: AccessKind::Atomic, .. }, _) => {
            let noun = if now.sectors == 1 { "sector visited" } else { "sectors, visited in turns" };
            (count(now.sectors), noun, Ink::Text)
        }
        (EventKind::Access { .. }, _) if now.efficiency().is_some_and(|share| share > 1.0) => {
            (now.percent(), "asked for, per byte moved", Ink::Text)
        }
        (EventKind::Access { .. }, _) => (now.percent(), "asked for, of bytes moved", Ink::Text),
        (EventKind::Barrier, _) => (moment.event.mask.count_ones().to_string(), "lanes of this warp wait", Ink::Text),
        (EventKind::Subgroup { .. }, _) => {
            (moment.event.mask.count_ones().to_string(), "lanes exchange values", Ink::Text)
        }
        (EventKind::Branch { taken }, _) => {
            let ink = if now.divergent > 0 { Ink::Conflict } else { Ink::Text };
            let mask = moment.event.mask;
            let sides = format!("{} : {}", (mask & taken).count_ones(), (mask & !taken).count_ones());
            (sides, "lanes go in : lanes do not", ink)
        }
    }
}

/// Draws the counters as a card, for wide pictures.
pub(super) fn beside(frame: &mut Frame, moment: &Moment<'_>, [x, y, w, h]: [f32; 4]) {
    const PAD: f32 = 16.0;
    let t = tallies(moment);
    let card = frame.items.len();
    frame.fill([x, y, w, h], 8.0, Ink::Raised, None);
    let (left, right) = (x + PAD, x + w - PAD);
    let (figure, what, ink) = lead(moment, &t[0]);
    frame.text([left, y + 32.0], 30.0, Anchor::Start, ink, figure);
    frame.fitted([left, y + 60.0], 12.0, Anchor::Start, Ink::Muted, w - 2.0 * PAD, what);
    let mut at = y + 76.0;
    if let (EventKind::Access { .. }, Some(share)) = (moment.event.kind, t[0].efficiency()) {
        let whole = right - left;
        frame.fill([left, at, whole, 8.0], 4.0, Hue::Waste.tint(35), None);
        frame.fill([left, at, (whole * share.min(1.0) as f32).max(8.0), 8.0], 4.0, moment.hue.ink(), None);
    }
    at += 32.0;
    // The event's own section comes first, so that it is what remains where height is short.
    let mut sections = vec![
        ("global", global_rows(&t)),
        ("uniform", uniform_rows(&t)),
        ("shared", shared_rows(&t)),
        ("control", flow_rows(&t)),
    ];
    let first = match moment.space() {
        Some(Space::Global) => 0,
        Some(Space::Uniform) => 1,
        Some(Space::Shared) => 2,
        None => 3,
    };
    sections[..=first].rotate_right(1);
    let nothing = |rows: &[Row]| rows.iter().all(|(_, [_, so_far])| so_far.starts_with(['0', '–']));
    let now_x = right - 62.0;
    for (i, (title, rows)) in sections.into_iter().enumerate() {
        let tall = 20.0 * (rows.len() as f32 + 1.0);
        if at + tall - 8.0 > y + h || (i > 0 && nothing(&rows)) {
            continue;
        }
        frame.text([left, at], 12.0, Anchor::Start, Ink::Text, title);
        if i == 0 {
            frame.text([now_x, at], 12.0, Anchor::End, Ink::Muted, "now");
            frame.text([right, at], 12.0, Anchor::End, Ink::Muted, "so far");
        }
        frame.line([left, at + 10.5], [right, at + 10.5], 1.0, Ink::Faint, None);
        for (name, [now, so_far]) in rows {
            at += 20.0;
            frame.text([left, at + 2.0], 12.0, Anchor::Start, Ink::Muted, name);
            let words = if i == 0 { Ink::Text } else { Ink::Muted };
            if i == 0 {
                frame.text([now_x, at + 2.0], 12.0, Anchor::End, words, now);
            }
            frame.text([right, at + 2.0], 12.0, Anchor::End, words, so_far);
        }
        at += 32.0;
    }
    // The card ends with what is on it.
    if let Some(Item::Rect { rect, .. }) = frame.items.get_mut(card) {
        rect[3] = (at - 8.0 - y).min(h);
    }
}

/// Draws the counters as a strip of columns, for narrow pictures: figure, name and, where high enough, the sum so far.
pub(super) fn below(frame: &mut Frame, moment: &Moment<'_>, [x, y, w, h]: [f32; 4]) {
    let t = tallies(moment);
    let rows = match (moment.event.kind, moment.hue) {
        (EventKind::Access { .. }, Hue::Shared) => shared_rows(&t),
        (EventKind::Access { .. }, _) if moment.space() == Some(Space::Uniform) => uniform_rows(&t),
        // The request count of one access is always 1.
        (EventKind::Access { access, .. }, _) => {
            let mut rows = global_rows(&t).split_off(1);
            // Lanes of an atomic that meet in a sector visit it in turns, and each visit counts.
            if let (AccessKind::Atomic, Some((name, _))) = (access, rows.first_mut()) {
                *name = "sector visits";
            }
            rows
        }
        _ => flow_rows(&t),
    };
    frame.line([x, y + 0.5], [x + w, y + 0.5], 1.0, Ink::Faint, None);
    let cell = w / rows.len() as f32;
    for (i, (name, [now, so_far])) in rows.into_iter().enumerate() {
        let left = x + i as f32 * cell;
        let room = cell - 8.0;
        frame.fitted([left, y + 14.0], 15.0, Anchor::Start, Ink::Text, room, &now);
        let name = if now == "1" { singular(name) } else { name };
        frame.text([left, y + 30.0], 12.0, Anchor::Start, Ink::Muted, name);
        if h >= 52.0 && so_far != "–" {
            frame.fitted([left, y + 46.0], 12.0, Anchor::Start, Ink::Muted, room, &format!("so far {so_far}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{Script, all_kinds};
    use super::*;
    use crate::trace::Exchange;

    #[test]
    fn counts_follow_the_definitions() {
        let script = Script::new(32).load(|i| i * 8).load(|i| i * 4).shared(|i| i * 128).barrier(0).branch(1);
        let timeline = script.exchange(Exchange::Reduction, |_| 0).0;
        let events: Vec<usize> = (0..timeline.events.len()).collect();
        let tally = Tally::of(&timeline, &events);
        let expected = Tally {
            requests: 2,
            sectors: 12,
            aligned: None,
            asked: 256,
            uniform_requests: 0,
            passes: 0,
            shared_requests: 1,
            wavefronts: 32,
            conflicts: 31,
            barriers: 1,
            exchanges: 1,
            branches: 1,
            divergent: 1,
        };
        assert_eq!(tally, expected);
        assert_eq!(tally.percent(), "66.7%");
    }

    #[test]
    fn the_picture_of_shared_memory_agrees_with_the_count() {
        for width in [8, 16, 32, 64] {
            let timeline = all_kinds(width);
            for event in &timeline.events {
                let EventKind::Access { buffer: 2, cost, .. } = event.kind else { continue };
                let served = banks::serve(&timeline, event);
                let least = banks::least_wavefronts(&timeline, event);
                let wavefronts = served.iter().map(|s| s.wavefront + 1).max().unwrap_or(0);
                assert_eq!(u32::from(cost), wavefronts, "{width}: {event:?}");
                assert!(least >= 1 && least <= wavefronts);
            }
        }
    }
}
