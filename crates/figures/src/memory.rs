//! Global memory under a warp: rows of 128 bytes, in sectors of 32 bytes, in words of 4.

use std::collections::{BTreeMap, BTreeSet};

use super::event::{Moment, Stage};
use super::frame::{Anchor, Frame, Tag};
use super::kit::Key;
use super::lanes::{COLUMNS, drop_line};
use super::palette::{Hue, Ink};
use super::text;
use crate::base::units::{count, counted};
use crate::trace::{AccessKind, EventKind, Space};

/// The most rows that lines from lanes to words are drawn to.
const FOLLOWED: usize = 6;
/// Height of the gap in which the number of rows is written that are left out.
const LEFT_OUT: f32 = 18.0;
/// The least height between the lanes and the first row.
const LEAST_DROP: f32 = 20.0;
/// Words in a sector of 32 bytes.
const SECTOR_WORDS: u64 = 8;
/// Words in a row of 128 bytes.
const ROW_WORDS: u64 = COLUMNS as u64;

/// The memory that one access touches.
struct Touched {
    buffer: u16,
    /// Words of the buffer; past them nothing is drawn.
    end: u64,
    /// The lanes that ask for each word.
    words: BTreeMap<u64, u64>,
    sectors: BTreeSet<u64>,
}

/// The rows that are shown, and where.
struct Plan {
    /// Row number in the buffer, and the top of its boxes.
    rows: Vec<(u64, f32)>,
    /// Height of a word's box.
    height: f32,
    /// The distance of a sector's frame from its words.
    halo: f32,
    /// Touched rows that found no room: they are before the last one.
    hidden: usize,
    /// Whether lines to the words can be followed: few rows are touched.
    followed: bool,
}

/// Draws the access and says in words what it shows.
pub(super) fn draw(frame: &mut Frame, moment: &Moment<'_>, stage: &Stage) -> String {
    let touched = touched(moment);
    let plan = plan(&touched, stage);
    let hue = moment.hue;
    let n = u64::from(moment.words_per_lane());
    let target = |address: u32| {
        let first = u64::from(address) / 4;
        let last = (first + n - 1).min(first / ROW_WORDS * ROW_WORDS + ROW_WORDS - 1);
        let top = plan.rows.iter().find(|(row, _)| *row == first / ROW_WORDS).map(|(_, top)| *top)?;
        let columns = &stage.lanes.columns;
        let x = (columns.x((first % ROW_WORDS) as u32) + columns.x((last % ROW_WORDS) as u32) + columns.width()) / 2.0;
        Some([x, top])
    };
    // Lit lines go over the rows, all others under them. Lines through many rows are hard to follow: the words have their lanes' numbers.
    let followed = plan.followed || moment.landed < 1.0;
    for lit in [false, true] {
        for (lane, address) in moment.accesses() {
            if (moment.is_lit(lane) == Some(true)) == lit
                && (lit || followed)
                && let Some(to) = target(address)
            {
                drop_line(frame, moment, lane, stage.lanes.foot(lane), to, hue);
            }
        }
        if !lit {
            for (row, top) in &plan.rows {
                draw_row(frame, moment, stage, &touched, &plan, (*row, *top));
            }
        }
    }
    marks(frame, stage, &plan);
    let uniform = moment.space() == Some(Space::Uniform);
    let asked = Key::new(hue.ink(), "asked for");
    // A store sends the words that are written with a mask of their bytes: it moves nothing else.
    let stores = matches!(moment.event.kind, EventKind::Access { access: AccessKind::Store, .. });
    let (waste, short) = match stores {
        true => ("of the sector, not written", "not written"),
        false => ("moved, but not asked for", "not asked for"),
    };
    let keys = if uniform {
        vec![asked, Key::new(Ink::Panel, "not asked for").edge(Ink::Faint)]
    } else {
        vec![
            asked,
            Key::new(Hue::Waste.tint(35), waste).edge(Hue::Waste.tint(60)).or(short),
            Key::new(Ink::Panel, "not moved").edge(Ink::Faint),
            Key::new(hue.tint(16), "a sector of 32 bytes that was moved").edge(hue.tint(70)).or("moved sector"),
        ]
    };
    stage.legend(frame, &keys);
    if uniform {
        return format!("It reads {} words through the constant cache, in one pass per address.", touched.words.len());
    }
    let waste = touched.sectors.len() as u64 * SECTOR_WORDS - touched.words.len() as u64;
    let mut said = format!(
        "It touches {} in {} of 32 bytes; {} of the words moved were not asked for.",
        counted(touched.words.len() as u64, "word"),
        counted(touched.sectors.len() as u64, "sector"),
        waste
    );
    if let EventKind::Access { access: AccessKind::Atomic, cost, .. } = moment.event.kind
        && usize::from(cost) > touched.sectors.len()
    {
        said += &format!(" Lanes at one word take turns, so that it visits sectors {cost} times.");
    }
    said
}

fn touched(moment: &Moment<'_>) -> Touched {
    let buffer = match moment.event.kind {
        EventKind::Access { buffer, .. } => buffer,
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => 0,
    };
    let mut words: BTreeMap<u64, u64> = BTreeMap::new();
    for (lane, address) in moment.accesses() {
        for i in 0..u64::from(moment.words_per_lane()) {
            *words.entry(u64::from(address) / 4 + i).or_default() |= 1 << lane;
        }
    }
    // Sectors are global memory's: a uniform buffer is read through the constant cache.
    let counted = words.keys().filter(|_| moment.space() != Some(Space::Uniform));
    let sectors = counted.map(|word| word / SECTOR_WORDS).collect();
    let last = words.keys().next_back().map_or(0, |word| word + 1);
    let declared = moment.timeline.buffers.get(usize::from(buffer)).map_or(0, |b| b.bytes / 4);
    Touched { buffer, end: declared.max(last), words, sectors }
}

/// Sectors that an access would touch if its addresses began at the best word of a sector; None if they do.
pub(super) fn aligned_sectors(moment: &Moment<'_>) -> Option<u64> {
    let words = touched(moment).words;
    let sectors = |shift: u64| {
        let shifted = words.keys().map(|word| (word + shift) / SECTOR_WORDS);
        shifted.collect::<BTreeSet<u64>>().len() as u64
    };
    (1..SECTOR_WORDS).map(sectors).min().filter(|least| *least < sectors(0))
}

fn plan(touched: &Touched, stage: &Stage) -> Plan {
    /// Rows shown at most when the access itself touches fewer: the rest is its neighbourhood.
    const NEIGHBOURHOOD: usize = 12;
    let [_, top, _, whole] = stage.body;
    let mut rows: BTreeSet<u64> = touched.words.keys().map(|word| word / ROW_WORDS).collect();
    let ideal = stage.lanes.columns.width().clamp(8.0, 24.0);
    let room = whole - (whole * 0.26).clamp(LEAST_DROP, 144.0);
    // Rows that would be too flat for words are left out before the last one.
    let apart = rows.iter().zip(rows.iter().skip(1)).any(|(row, next)| next - row > 1);
    let most = ((room / (ideal + if apart { 20.0 } else { 8.0 })) as usize).max(2);
    // A single row is shown: its number would take as much room.
    let between = Some(rows.len().saturating_sub(most)).filter(|left_out| *left_out > 1).unwrap_or(0);
    if between > 0 {
        let last = rows.last().copied();
        rows = rows.into_iter().take(most - 1).chain(last).collect();
    }
    let followed = rows.len() <= FOLLOWED;
    // Where no lines are, their room is the rows'.
    let room = if followed { room } else { whole - LEAST_DROP };
    let wanted = ((room / (ideal + 8.0)) as usize).min(NEIGHBOURHOOD);
    let end = touched.end.div_ceil(ROW_WORDS);
    while between == 0 && rows.len() < wanted {
        let next = rows.last().map_or(0, |row| row + 1);
        let before = rows.first().copied().unwrap_or(0);
        match (next < end, before > 0) {
            (true, _) => rows.insert(next),
            (false, true) => rows.insert(before - 1),
            (false, false) => break,
        };
    }
    let rows: Vec<u64> = rows.into_iter().collect();
    // Between tight and ideal, whatever fills the room.
    let gaps = |near: f32, far: f32| {
        let apart = |pair: &[u64]| if pair[1] == pair[0] + 1 { near } else { far };
        let mut gaps: Vec<f32> = rows.windows(2).map(apart).collect();
        // The number of those left out is written there.
        if let Some(last) = gaps.last_mut().filter(|_| between > 0) {
            *last = last.max(LEFT_OUT);
        }
        gaps
    };
    let total = |height: f32, gaps: &[f32]| height * rows.len() as f32 + gaps.iter().sum::<f32>();
    let (tight, loose) = (total(3.0, &gaps(1.0, 4.0)), total(ideal, &gaps(8.0, 20.0)));
    let share = if loose > tight { ((room - tight) / (loose - tight)).clamp(0.0, 1.0) } else { 1.0 };
    let blend = |low: f32, high: f32| low + (high - low) * share;
    let (height, near) = (blend(3.0, ideal), blend(1.0, 8.0));
    let gaps = gaps(near, blend(4.0, 20.0));
    let overflow = total(height, &gaps) > room + 0.5;
    // The height that the rows leave over makes the drop longer.
    let most = if followed { (whole * 0.45).max(whole - room) } else { whole - room };
    let drop = (whole - total(height, &gaps)).clamp(whole - room, most);
    let limit = top + whole + if overflow { -20.0 } else { 0.5 };
    let mut y = top + drop;
    let mut placed = Vec::new();
    for (i, row) in rows.iter().enumerate() {
        if i > 0 {
            y += gaps[i - 1];
        }
        if y + height > limit {
            break;
        }
        placed.push((*row, y));
        y += height;
    }
    let hidden = rows.len() - placed.len() + between;
    Plan { rows: placed, height, halo: (near / 2.0 - 1.0).clamp(0.0, 3.0), hidden, followed }
}

fn draw_row(
    frame: &mut Frame,
    moment: &Moment<'_>,
    stage: &Stage,
    touched: &Touched,
    plan: &Plan,
    (row, top): (u64, f32),
) {
    let columns = &stage.lanes.columns;
    let (hue, down) = (moment.hue, moment.landed >= 1.0);
    let first = row * ROW_WORDS;
    // Lines pass under memory, not through it. Rows too flat for boxes have one bar per sector instead.
    let flat = plan.height < 7.0;
    let left = columns.left() - 4.0;
    let band = plan.halo + if flat { 1.0 } else { 0.0 };
    let ground = [left, top - band, columns.right() + 4.0 - left, plan.height + 2.0 * band];
    frame.fill(ground, 0.0, Ink::Panel, None);
    let round = (plan.height / 3.0).min(2.0);
    for sector in (first / SECTOR_WORDS)..(first / SECTOR_WORDS + 4) {
        let moved = down && touched.sectors.contains(&sector);
        let column = (sector * SECTOR_WORDS - first) as u32;
        if moved {
            let x = columns.x(column) - plan.halo;
            let width = columns.x(column + 7) + columns.width() + plan.halo - x;
            let rect = [x, top - plan.halo, width, plan.height + 2.0 * plan.halo];
            let tag = Some(Tag::Sector { buffer: touched.buffer, index: sector });
            if flat {
                frame.fill(rect, round, Hue::Waste.tint(35), tag);
            } else {
                frame.outline(rect, plan.halo + 2.0, Some(hue.tint(16)), hue.tint(70), tag);
            }
        } else if flat && sector * SECTOR_WORDS < touched.end {
            let rect =
                [columns.x(column), top, columns.x(column + 7) + columns.width() - columns.x(column), plan.height];
            frame.fill(rect, round, Ink::Raised, Some(Tag::Sector { buffer: touched.buffer, index: sector }));
        }
        let mut word = sector * SECTOR_WORDS;
        while word < ((sector + 1) * SECTOR_WORDS).min(touched.end) {
            let lanes = touched.words.get(&word).copied().filter(|_| down);
            // Neighbours that the same lanes ask for are one box: a vector is one access.
            let mut run = 1;
            while lanes.is_some()
                && !(word + run).is_multiple_of(SECTOR_WORDS)
                && touched.words.get(&(word + run)).copied() == lanes
            {
                run += 1;
            }
            let x = columns.x((word - first) as u32);
            let width = columns.x((word - first + run - 1) as u32) + columns.width() - x;
            let rect = [x, top, width, plan.height];
            let tag = Some(Tag::Word { buffer: touched.buffer, index: word });
            match lanes {
                Some(lanes) => {
                    let faded = moment.any_lit(lanes) == Some(false);
                    let ink = if faded { hue.tint(45) } else { hue.ink() };
                    frame.fill(rect, round, ink, tag);
                    label(frame, rect, lanes, if faded { Ink::Text } else { Ink::On }, tag);
                }
                None if flat => {}
                None if moved => frame.fill(rect, round, Hue::Waste.tint(35), tag),
                None => frame.outline(rect, round, Some(Ink::Panel), Ink::Faint, tag),
            }
            word += run;
        }
    }
}

/// Writes into a word's box which lane asks for it, or how many do, where that fits.
pub(super) fn label(frame: &mut Frame, rect: [f32; 4], lanes: u64, ink: Ink, tag: Option<Tag>) {
    let words = match lanes.count_ones() {
        1 => lanes.trailing_zeros().to_string(),
        n => format!("×{n}"),
    };
    // One rule for all lanes: a picture that numbers only some of its boxes looks broken.
    let wide = text::width(&words, 12.0, false).max(text::width("00", 12.0, false));
    if rect[3] >= 12.0 && wide <= rect[2] {
        frame.text([rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0], 12.0, Anchor::Middle, ink, words);
        if let Some(tag) = tag {
            frame.tag_last(tag);
        }
    }
}

/// Element indices on the left, byte offsets on the right, dots where rows are left out, and what did not fit.
fn marks(frame: &mut Frame, stage: &Stage, plan: &Plan) {
    let columns = &stage.lanes.columns;
    let mut free = f32::NEG_INFINITY;
    for (i, (row, top)) in plan.rows.iter().enumerate() {
        let y = top + plan.height / 2.0;
        if y - 8.0 >= free {
            let index = format!("[{}]", row * ROW_WORDS);
            frame.text([columns.left() - 8.0, y], 12.0, Anchor::End, Ink::Muted, index);
            if stage.right_labels {
                let bytes = format!("{} B", count(row * ROW_WORDS * 4));
                frame.text([columns.right() + 12.0, y], 12.0, Anchor::Start, Ink::Muted, bytes);
            }
            free = y + 8.0;
        }
        if let Some((before, above)) = i.checked_sub(1).and_then(|i| plan.rows.get(i))
            && row - before > 1
        {
            let y = (above + plan.height + top) / 2.0;
            if plan.hidden > 0 && i + 1 == plan.rows.len() {
                let rows = if plan.hidden == 1 { "row" } else { "rows" };
                let more = format!("{} more {rows}", plan.hidden);
                let x = (columns.left() + columns.right()) / 2.0;
                // On a ground of its own: lines to the hidden rows pass here.
                let half = text::width(&more, 12.0, false) / 2.0 + 4.0;
                frame.fill([x - half, y - 7.0, 2.0 * half, 14.0], 3.0, Ink::Panel, None);
                frame.text([x, y], 12.0, Anchor::Middle, Ink::Muted, more);
            } else if top - above - plan.height >= 12.0 {
                for step in 0..3_u8 {
                    let x = (columns.left() + columns.right()) / 2.0 + (f32::from(step) - 1.0) * 8.0;
                    frame.dot([x, y], 1.5, Ink::Muted, None);
                }
            } else {
                frame.dot([columns.left() - 4.0, y], 1.0, Ink::Muted, None);
            }
        }
    }
}
