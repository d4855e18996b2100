//! Events of a warp without memory access: barriers, branch divergence, and exchanges between lanes.

use super::event::{Moment, Stage};
use super::frame::{Anchor, Frame, Tag};
use super::lanes::{COLUMNS, drop_line};
use super::palette::{Hue, Ink};
use crate::trace::{Event, EventKind, Exchange};

/// Draws the lanes above the barrier, and below it which warps of the workgroup have reached it.
pub(super) fn barrier(frame: &mut Frame, moment: &Moment<'_>, stage: &Stage) -> String {
    let [left, top, width, room] = stage.body;
    let columns = &stage.lanes.columns;
    let bar = (top + (room * 0.38).clamp(32.0, 144.0)).round();
    for lane in (0..stage.lanes.count).filter(|lane| moment.event.mask >> lane & 1 == 1) {
        let from = stage.lanes.foot(lane);
        drop_line(frame, moment, lane, from, [from[0], bar], Hue::Idle);
    }
    frame.fill([columns.left(), bar, columns.right() - columns.left(), 4.0], 2.0, Ink::Text, None);
    frame.text([columns.left() - 8.0, bar + 2.0], 12.0, Anchor::End, Ink::Text, "barrier");

    let arrived = arrivals(moment);
    let (here, of) = (arrived.iter().filter(|a| **a).count(), arrived.len());
    let said = format!("{here} of {of} warps of the workgroup have arrived");
    let mut y = bar + 28.0;
    frame.text([columns.left(), y], 14.0, Anchor::Start, Ink::Text, &said);
    y += 20.0;
    // Boxes for the warps, in as many rows as fit; this warp has the accent.
    let (cell, height) = (72.0, 24.0);
    let right = left + width;
    let per_row = (((right - columns.left() + 8.0) / (cell + 8.0)) as usize).max(1);
    let rows = ((stage.body[1] + stage.body[3] - y + 8.0) / (height + 8.0)).max(0.0) as usize;
    let fit = (per_row * rows).min(of);
    let shown = if fit < of { fit.saturating_sub(1) } else { fit };
    let place = |i: usize| {
        [columns.left() + (i % per_row) as f32 * (cell + 8.0), y + (i / per_row) as f32 * (height + 8.0), cell, height]
    };
    for (warp, arrived) in arrived.iter().enumerate().take(shown) {
        let rect = place(warp);
        let this = warp as u32 == moment.event.warp;
        let (fill, edge, words) = match (this, arrived) {
            (true, _) => (Hue::Accent.tint(24), Ink::Accent, Ink::Text),
            (false, true) => (Hue::Idle.tint(40), Ink::Idle, Ink::Text),
            (false, false) => (Ink::Panel, Ink::Faint, Ink::Muted),
        };
        frame.outline(rect, 4.0, Some(fill), edge, Some(Tag::Warp(warp as u32)));
        let at = [rect[0] + cell / 2.0, rect[1] + height / 2.0];
        frame.text(at, 12.0, Anchor::Middle, words, format!("warp {warp}"));
        frame.tag_last(Tag::Warp(warp as u32));
    }
    if shown < fit {
        let rect = place(shown);
        let more = format!("{} more", of - shown);
        frame.text([rect[0], rect[1] + height / 2.0], 12.0, Anchor::Start, Ink::Muted, more);
    }
    stage.remark(frame, Ink::Muted, "No lane goes on before all have arrived.");
    format!("{said}. No lane goes on before all have.")
}

/// For each warp of the workgroup, whether the record has it at this barrier by now.
fn arrivals(moment: &Moment<'_>) -> Vec<bool> {
    let is_barrier = |event: &Event| matches!(event.kind, EventKind::Barrier);
    let mut reached = vec![0_usize; moment.timeline.warps_per_workgroup.max(moment.event.warp + 1) as usize];
    for event in &moment.timeline.events[..=moment.index] {
        if event.workgroup == moment.event.workgroup
            && is_barrier(event)
            && let Some(count) = reached.get_mut(event.warp as usize)
        {
            *count += 1;
        }
    }
    let mine = reached[moment.event.warp as usize];
    reached.iter().map(|count| *count >= mine).collect()
}

/// The least height of a side of a branch: that of its name.
const NAME: f32 = 15.0;

/// Draws the lanes that enter the branch dropping onto one tray, and the others onto another.
pub(super) fn branch(frame: &mut Frame, moment: &Moment<'_>, stage: &Stage, taken: u64) -> String {
    let [_, top, _, room] = stage.body;
    let columns = &stage.lanes.columns;
    let mask = moment.event.mask;
    let names = if moment.timeline.jumps { ["jump", "go on"] } else { ["true", "false"] };
    let sides = [(names[0], mask & taken, Hue::Accent), (names[1], mask & !taken, Hue::Idle)];
    // The sides' names have room above each other.
    let drop = (room * 0.24).clamp(20.0, 120.0).min((room - 2.0 * NAME).max(6.0));
    let rows = stage.lanes.count.div_ceil(COLUMNS) as f32;
    let height = stage.lanes.height.min(((room - drop) / 2.0 - 12.0) / rows - 2.0).max(6.0);
    let pitch = ((room - drop) / 2.0).min(rows * (height + 2.0) + 144.0).max(NAME);
    let tray = |side: usize| top + drop + side as f32 * pitch;
    let down = moment.landed >= 1.0;
    for side in [1, 0] {
        let (_, lanes, hue) = sides[side];
        for lane in (0..stage.lanes.count).filter(|lane| lanes >> lane & 1 == 1) {
            let from = stage.lanes.foot(lane);
            drop_line(frame, moment, lane, from, [from[0], tray(side)], hue);
        }
    }
    for (side, (name, lanes, hue)) in sides.into_iter().enumerate() {
        let y = tray(side);
        for lane in 0..stage.lanes.count {
            let row_y = y + (lane / COLUMNS) as f32 * (height + 2.0);
            let rect = [columns.x(lane % COLUMNS), row_y, columns.width(), height];
            let tag = Some(Tag::Lane(lane));
            if down && lanes >> lane & 1 == 1 {
                let faded = moment.is_lit(lane) == Some(false);
                frame.fill(rect, 3.0, if faded { hue.tint(45) } else { hue.ink() }, tag);
            } else {
                frame.outline(rect, 3.0, Some(Ink::Panel), Ink::Faint, tag);
            }
        }
        let said = format!("{name}: {}", lanes.count_ones());
        let at = [columns.left() - 8.0, y + rows * (height + 2.0) / 2.0 - 1.0];
        frame.text(at, 12.0, Anchor::End, Ink::Text, said);
    }
    let divergent = sides.iter().all(|(_, lanes, _)| *lanes != 0);
    let said = match (divergent, sides.iter().map(|(_, lanes, _)| lanes.count_ones()).sum::<u32>()) {
        (true, _) => "Divergent: the warp takes both ways, one after the other.".to_owned(),
        (false, active) if active < stage.lanes.count => {
            format!("The {active} lanes that are active agree: the warp runs one side only.")
        }
        (false, _) => "All lanes agree: the warp runs one side only.".to_owned(),
    };
    let ink = if divergent { Ink::Conflict } else { Ink::Muted };
    stage.remark(frame, ink, &said);
    said
}

/// Draws whose value each lane gets: lines from the lanes above, through one bar where all values become one, to the lanes below.
pub(super) fn exchange(frame: &mut Frame, moment: &Moment<'_>, stage: &Stage) -> String {
    let EventKind::Subgroup { exchange, .. } = moment.event.kind else { return String::new() };
    let [_, top, _, room] = stage.body;
    let columns = &stage.lanes.columns;
    let (hue, mask) = (moment.hue, moment.event.mask);
    let rows = stage.lanes.count.div_ceil(COLUMNS) as f32;
    let height = stage.lanes.height.min((room * 0.4 / rows - 2.0).max(6.0));
    let tray = (top + (room * 0.45).clamp(24.0, 160.0)).round();
    let place = |lane: u32| {
        let y = tray + (lane / COLUMNS) as f32 * (height + 2.0);
        [columns.x(lane % COLUMNS), y, columns.width(), height]
    };
    let entry = |lane: u32| [columns.center(lane % COLUMNS), tray];
    let bar = ((top + tray) / 2.0).round();
    for lane in (0..stage.lanes.count).filter(|lane| mask >> lane & 1 == 1) {
        let sources = moment.timeline.sources(moment.event, lane);
        if exchange == Exchange::Reduction {
            let foot = stage.lanes.foot(lane);
            drop_line(frame, moment, lane, foot, [foot[0], bar], hue);
            if moment.landed >= 1.0 {
                drop_line(frame, moment, lane, [foot[0], bar], entry(lane), hue);
            }
            continue;
        }
        // Of a scan's many sources the nearest is drawn for those before it, which are combined in the same way.
        let nearest = sources & !(1 << lane);
        let others = if nearest == 0 { None } else { Some(63 - nearest.leading_zeros()) };
        let own = (sources >> lane & 1 == 1).then_some(lane);
        for source in others.into_iter().chain(own) {
            drop_line(frame, moment, source, stage.lanes.foot(source), entry(lane), hue);
        }
    }
    if exchange == Exchange::Reduction {
        frame.fill([columns.left(), bar - 2.0, columns.right() - columns.left(), 4.0], 2.0, Ink::Text, None);
    }
    for lane in 0..stage.lanes.count {
        let tag = Some(Tag::Lane(lane));
        if moment.landed >= 1.0 && mask >> lane & 1 == 1 {
            let faded = moment.is_lit(lane) == Some(false);
            frame.fill(place(lane), 3.0, if faded { hue.tint(45) } else { hue.ink() }, tag);
        } else {
            frame.outline(place(lane), 3.0, Some(Ink::Panel), Ink::Faint, tag);
        }
    }
    let said = match exchange {
        Exchange::Reduction => "All active lanes' values become one, and each of them gets it.",
        Exchange::InclusiveScan => "Each lane gets the values up to its own, combined.",
        Exchange::ExclusiveScan => "Each lane gets the values before its own, combined.",
        Exchange::Shuffle => "Each lane gets the value of the lane that its line comes from.",
    };
    stage.remark(frame, Ink::Muted, said);
    format!("{said} No memory is touched.")
}
