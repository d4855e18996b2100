//! The picture of one warp at one moment: its lanes above, the memory they touch below, counters beside.

use std::sync::Arc;

use super::counters;
use super::event::{Moment, Stage, WarpView, moment};
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::heading::Heading;
use super::lanes::{Columns, Lanes};
use super::moving::MOST;
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::{banks, flow, mark, memory, memory_tooltip, text};
use crate::base::units::count;
use crate::trace::{AccessKind, EventKind, Space, Timeline};

/// The picture of the view's moment.
#[must_use]
pub fn frame(view: &WarpView<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let events: Vec<usize> = view.timeline.of_warp(view.workgroup, view.warp).collect();
    if events.is_empty() {
        empty(&mut frame, view);
        return frame;
    }
    let ordinal = (view.position.max(0.0) as usize).min(events.len() - 1);
    let moment = moment(view, &events, ordinal);
    let margin = if view.size[0] < 560.0 { 8.0 } else { 16.0 };
    let title = headline(&moment);
    header(&mut frame, &moment, &title, margin, (ordinal, events.len()));
    let stage = stage(&mut frame, view, &moment, margin);
    stage.lanes.draw(&mut frame, &moment, moment.hue);
    let seen = match moment.event.kind {
        EventKind::Access { .. } if moment.hue == Hue::Shared => banks::draw(&mut frame, &moment, &stage),
        EventKind::Access { .. } => memory::draw(&mut frame, &moment, &stage),
        EventKind::Barrier => flow::barrier(&mut frame, &moment, &stage),
        EventKind::Subgroup { .. } => flow::exchange(&mut frame, &moment, &stage),
        EventKind::Branch { taken } => flow::branch(&mut frame, &moment, &stage, taken),
    };
    mark::draw(&mut frame, &moment, view.marked);
    frame.alt = format!(
        "Warp {} of workgroup {}, event {} of {}: {}, {}. {seen}",
        view.warp,
        view.workgroup,
        ordinal + 1,
        events.len(),
        title.0,
        title.1.join(", ")
    );
    frame
}

/// The first events of the first warp, a picture for each, at most [`MOST`].
#[must_use]
pub fn first_events(timeline: &Arc<Timeline>, size: [f32; 2]) -> Vec<Frame> {
    let events = timeline.of_warp(0, 0).count().clamp(1, MOST);
    let at = |event: usize| WarpView {
        timeline,
        workgroup: 0,
        warp: 0,
        position: event as f32,
        hovered: None,
        marked: &[],
        motion: false,
        size,
    };
    (0..events).map(|event| frame(&at(event))).collect()
}

/// The event in words, then the details in falling order of weight.
pub(super) fn headline(moment: &Moment<'_>) -> (String, Vec<String>) {
    let width = moment.timeline.warp_width;
    let active = moment.event.mask.count_ones();
    let lanes = if active == width { format!("all {width} lanes") } else { format!("{active} of {width} lanes") };
    let line = format!("line {}", moment.event.line);
    match moment.event.kind {
        EventKind::Access { access, buffer, bytes_per_lane, .. } => {
            let (verb, of) = match access {
                AccessKind::Load => ("load", "of"),
                AccessKind::Store => ("store", "to"),
                AccessKind::Atomic => ("atomic", "on"),
            };
            let buffer = moment.timeline.buffers.get(usize::from(buffer));
            let space = match buffer.map(|b| b.space) {
                Some(Space::Shared) => "shared ",
                Some(Space::Uniform) => "uniform ",
                Some(Space::Global) | None => "",
            };
            let name = buffer.map_or("a buffer", |b| b.name.as_str());
            (format!("{space}{verb} {of} {name}"), vec![line, lanes, format!("{bytes_per_lane} bytes per lane")])
        }
        EventKind::Barrier => ("barrier".to_owned(), vec![line, lanes]),
        EventKind::Subgroup { exchange, .. } => (exchange.name().to_owned(), vec![line, lanes]),
        EventKind::Branch { .. } => ("branch".to_owned(), vec![line, lanes]),
    }
}

/// Draws the event on the left, and its number among all on the right.
pub(super) fn header(
    frame: &mut Frame,
    moment: &Moment<'_>,
    title: &(String, Vec<String>),
    margin: f32,
    at: (usize, usize),
) {
    let place = format!("{} of {}", count(at.0 as u64 + 1), count(at.1 as u64));
    let cut = if moment.timeline.truncated { ", record cut short" } else { "" };
    let long = format!("event {place}{cut}");
    // The counts are of the whole grid in any case.
    let place = if frame.width < 560.0 { place } else { long };
    let of_line = |first: usize| (first == 0).then_some(Tag::SourceLine(moment.event.line));
    let details = title.1.iter().enumerate().map(|(i, detail)| (detail.as_str(), of_line(i)));
    Heading {
        event: Some((moment.hue.ink(), Tag::Event(moment.index))),
        name: &title.0,
        details: details.collect(),
        place: &place,
    }
    .draw(frame, margin);
}

/// Height of a frame that has room for a row of memory between the lanes, and the counters and the legend. A lower one has neither.
const LEAST_WITH_COUNTERS: f32 = 190.0;

/// Divides the frame among the lanes, the body and the counters, and draws the counters.
fn stage(frame: &mut Frame, view: &WarpView<'_>, moment: &Moment<'_>, margin: f32) -> Stage {
    let [width, height] = view.size;
    let top = margin + 28.0;
    let (mut right, mut bottom) = (width - margin, height - margin);
    if width >= 760.0 && height >= 280.0 {
        let side = if width >= 1000.0 { 232.0 } else { 208.0 };
        counters::beside(frame, moment, [right - side, top, side, bottom - top]);
        right -= side + 24.0;
    } else if height >= LEAST_WITH_COUNTERS {
        let tall = if height >= 380.0 { 56.0 } else { 36.0 };
        counters::below(frame, moment, [margin, bottom - tall, right - margin, tall]);
        bottom -= tall + 8.0;
    }
    // The widest label of any event of this record, so that columns keep their places from event to event.
    let words = view.timeline.buffers.iter().map(|b| b.bytes / 4).max().unwrap_or(0);
    let gutter = (text::width(&format!("[{words}]"), 12.0, true) + 8.0).clamp(48.0, 104.0);
    let room = right - margin - gutter;
    let right_labels = room >= 640.0;
    let columns = Columns::new(margin + gutter, if right_labels { room - gutter - 16.0 } else { room });
    let lanes = Lanes::new(columns, top, view.timeline.warp_width);
    let legend_y = (height >= LEAST_WITH_COUNTERS).then_some(bottom - 8.0);
    let body_top = lanes.bottom();
    let body_bottom = legend_y.map_or(height - 4.0, |y| y - 16.0);
    let body = [margin, body_top, right - margin, (body_bottom - body_top).max(0.0)];
    Stage { lanes, body, legend_y, right_labels }
}

/// Says what will appear.
fn empty(frame: &mut Frame, view: &WarpView<'_>) {
    let (title, help) = if view.timeline.events.is_empty() {
        (
            "No trace yet".to_owned(),
            "Once the kernel is traced, the lanes of a warp appear here, with each byte that they touch: \
             sectors of global memory, banks of shared memory, barriers and branches."
                .to_owned(),
        )
    } else {
        (
            format!("No events of warp {} in workgroup {}", view.warp, view.workgroup),
            "Its lanes and the bytes they touch would appear here. Pick a workgroup and a warp that the trace kept."
                .to_owned(),
        )
    };
    frame.alt = format!("{title}. {help}");
    let room = (frame.width - 48.0).clamp(40.0, 480.0);
    let lines = text::wrap(&help, 14.0, room);
    let (middle, mut y) = (frame.width / 2.0, frame.height / 2.0 - 10.0 * lines.len() as f32 - 12.0);
    frame.fitted([middle, y], 18.0, Anchor::Middle, Ink::Text, frame.width - 32.0, &title);
    y += 12.0;
    for line in lines {
        y += 20.0;
        frame.text([middle, y], 14.0, Anchor::Middle, Ink::Muted, line);
    }
}

static CARD: Card = Card {
    name: "Warp",
    tab: "Warp",
    help: "The lanes of one warp, and each byte that they touch",
    about: "one access of warp 0, workgroup 0",
    clock: Clock::Events,
    fits: |facts| facts.traced,
    needs: "any kernel that can be traced",
    args: &[
        Arg::optional("workgroup", ArgKind::Count(u32::MAX), "the workgroup at first, from 0"),
        Arg::optional("warp", ArgKind::Count(u32::MAX), "its warp at first, from 0"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn is_of_one_event(&self) -> bool {
        true
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.warp_view().map(|view| frame(&view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, event: Option<usize>, tag: Tag) -> Option<String> {
        memory_tooltip::told(view.timeline().ok()?, event?, tag)
    }

    fn element(&self, view: &View<'_>, event: Option<usize>, tag: Tag) -> Option<(String, u64)> {
        written(view.timeline().ok()?, event?, tag)
    }
}

/// The element that a lane or a word of an event writes to a buffer.
fn written(timeline: &Timeline, event: usize, tag: Tag) -> Option<(String, u64)> {
    let event = timeline.events.get(event)?;
    let EventKind::Access { access: AccessKind::Store | AccessKind::Atomic, buffer, .. } = event.kind else {
        return None;
    };
    let named = timeline.buffers.get(usize::from(buffer)).filter(|b| b.space == Space::Global)?;
    let byte = match tag {
        Tag::Word { buffer: of, index } if of == buffer => index * 4,
        Tag::Lane(lane) if event.mask >> lane & 1 == 1 => {
            let before = (event.mask & ((1 << lane) - 1)).count_ones() as usize;
            u64::from(*timeline.addresses(event).get(before)?)
        }
        _ => return None,
    };
    Some((named.of.clone(), byte / named.elem.bytes()))
}

#[cfg(test)]
#[path = "warp_tests.rs"]
mod tests;
