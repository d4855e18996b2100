//! The overview of one warp's events for a scrub bar: a row of ticks, coloured by kind, as high as they cost.

use super::frame::{Frame, Tag};
use super::palette::{Hue, Ink};
use crate::base::units::counted;
use crate::trace::{AccessKind, Event, EventKind, Space, Timeline};

/// Which events to show, and how large.
#[derive(Clone, Copy, Debug)]
pub struct StripView<'a> {
    /// The record.
    pub timeline: &'a Timeline,
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// Warp within the workgroup.
    pub warp: u32,
    /// Where the reader is, as in [`super::WarpView::position`].
    pub position: f32,
    /// The item under the pointer: an event lights its tick, a source line those of all its events.
    pub hovered: Option<Tag>,
    /// Width and height in points.
    pub size: [f32; 2],
}

/// Narrowest tick, with the space after it.
const TICK: f32 = 3.0;

/// The overview. If there are more events than ticks fit, a tick shows the costliest of its share.
#[must_use]
pub fn frame(view: &StripView<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let events: Vec<usize> = view.timeline.of_warp(view.workgroup, view.warp).collect();
    frame.fill([0.0, height - 1.0, width, 1.0], 0.0, Ink::Faint, None);
    if events.is_empty() || width < TICK {
        frame.alt = "No events of this warp yet.".to_owned();
        return frame;
    }
    let ticks = events.len().min((width / TICK) as usize).max(1);
    let pitch = width / ticks as f32;
    let most = events.iter().map(|i| cost(&view.timeline.events[*i])).max().unwrap_or(1).max(1);
    let lines_lit = |event: &Event| matches!(view.hovered, Some(Tag::SourceLine(line)) if line == event.line);
    for tick in 0..ticks {
        let share = &events[tick * events.len() / ticks..(tick + 1) * events.len() / ticks];
        let Some(index) = share.iter().copied().max_by_key(|i| (cost(&view.timeline.events[*i]), usize::MAX - i))
        else {
            continue;
        };
        let event = &view.timeline.events[index];
        // Square roots keep a cost of 1 visible beside one of 32.
        let tall = (cost(event) as f32 / most as f32).sqrt() * (height - 4.0);
        let tall = tall.max(4.0).min(height - 1.0);
        let space = if pitch >= 6.0 { 2.0 } else { 1.0 };
        let rect = [tick as f32 * pitch, height - 1.0 - tall, (pitch - space).clamp(1.0, 24.0), tall];
        let lit = view.hovered == Some(Tag::Event(index)) || share.iter().any(|i| lines_lit(&view.timeline.events[*i]));
        let dimmed = !lit && matches!(view.hovered, Some(Tag::Event(_) | Tag::SourceLine(_)));
        let hue = hue(view.timeline, event);
        frame.fill(rect, 1.0, if dimmed { hue.tint(40) } else { hue.ink() }, Some(Tag::Event(index)));
    }
    // Over the middle of its event's tick, wherever in the event the reader is: between two ticks it would seem to belong to the next.
    let event = view.position.max(0.0).floor().min((events.len() - 1) as f32);
    let tick = (event * ticks as f32 / events.len() as f32).floor();
    let space = if pitch >= 6.0 { 2.0 } else { 1.0 };
    let x = (tick * pitch + (pitch - space).clamp(1.0, 24.0) / 2.0).clamp(1.0, width - 1.0);
    frame.fill([x - 1.0, 0.0, 2.0, height], 0.0, Ink::Accent, None);
    frame.dot([x.clamp(4.0, (width - 4.0).max(4.0)), 4.0], 4.0, Ink::Accent, None);
    frame.alt = format!(
        "{} of warp {} in workgroup {}; the costliest takes {most} sectors or wavefronts.",
        counted(events.len() as u64, "event"),
        view.warp,
        view.workgroup
    );
    frame
}

/// Which of the events is under `x`, from 0.
#[must_use]
pub fn event_at(view: &StripView<'_>, x: f32) -> usize {
    let events = view.timeline.of_warp(view.workgroup, view.warp).count();
    let share = if view.size[0] <= 0.0 { 0.0 } else { (x / view.size[0]).clamp(0.0, 1.0) };
    ((share * events as f32) as usize).min(events.saturating_sub(1))
}

fn cost(event: &Event) -> u16 {
    match event.kind {
        EventKind::Access { cost, .. } => cost,
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => 1,
    }
}

fn hue(timeline: &Timeline, event: &Event) -> Hue {
    match event.kind {
        EventKind::Access { access, buffer, .. } => {
            match (timeline.buffers.get(usize::from(buffer)).map(|b| b.space), access) {
                (Some(Space::Shared), _) => Hue::Shared,
                (_, AccessKind::Load) => Hue::Load,
                (_, AccessKind::Store) => Hue::Store,
                (_, AccessKind::Atomic) => Hue::Atomic,
            }
        }
        EventKind::Subgroup { .. } | EventKind::Barrier | EventKind::Branch { .. } => Hue::Idle,
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{Script, all_kinds};
    use super::super::frame::Item;
    use super::*;

    fn view(timeline: &Timeline, size: [f32; 2]) -> StripView<'_> {
        StripView { timeline, workgroup: 0, warp: 0, position: 0.0, hovered: None, size }
    }

    fn ticks(frame: &Frame) -> Vec<([f32; 4], Ink, Tag)> {
        let tick = |item: &Item| match item {
            Item::Rect { rect, fill: Some(ink), tag: Some(tag), .. } => Some((*rect, *ink, *tag)),
            _ => None,
        };
        frame.items.iter().filter_map(tick).collect()
    }

    #[test]
    fn ticks_are_coloured_by_kind_and_higher_where_dearer() {
        let timeline = Script::new(32).load(|i| i * 4).load(|i| i * 128).shared(|i| i * 4).barrier(0).0;
        let ticks = ticks(&frame(&view(&timeline, [400.0, 32.0])));
        let inks: Vec<Ink> = ticks.iter().map(|t| t.1).collect();
        assert_eq!(inks, [Ink::Load, Ink::Load, Ink::Shared, Ink::Idle]);
        assert!(ticks[1].0[3] > ticks[0].0[3] && ticks[0].0[3] > ticks[2].0[3]);
    }

    #[test]
    fn a_long_record_keeps_its_dearest_events() {
        let script =
            (0..2000).fold(Script::new(8), |s, i| s.load(move |lane| if i == 777 { lane * 128 } else { lane * 4 }));
        let frame = frame(&view(&script.0, [300.0, 24.0]));
        let ticks = ticks(&frame);
        assert_eq!(ticks.len(), 100);
        assert!(ticks.iter().any(|t| t.2 == Tag::Event(777)));
        for item in &frame.items {
            let [x, y, w, h] = item.bounds();
            assert!(x >= -0.1 && y >= -0.1 && x + w <= 300.1 && y + h <= 24.1, "{item:?}");
        }
    }

    #[test]
    fn a_place_on_the_strip_is_an_event() {
        let timeline = all_kinds(32);
        let view = view(&timeline, [100.0, 24.0]);
        let events = timeline.of_warp(0, 0).count();
        assert_eq!([-5.0, 50.0, 500.0].map(|x| event_at(&view, x)), [0, events / 2, events - 1]);
        let none = Timeline::default();
        assert!(frame(&StripView { timeline: &none, ..view }).alt.contains("No events"));
    }
}
