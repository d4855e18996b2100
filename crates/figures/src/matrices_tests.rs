//! Pictures of matrices: what is filled, what is said, and that all of it fits.

use super::super::fixtures::{Painter, Seen, assert_tidy};
use super::super::frame::Item;
use super::*;
use crate::base::tensor::Elem;
use crate::trace::TracedBuffer;

/// A workgroup of 2 warps of 8 lanes that multiplies two 16 × 16 matrices by 8 × 8 tiles: each warp loads 4 rows of a tile of `a` (two
/// requests), stores them to workgroup memory, waits, loads from there, waits; twice; and stores two rows of `c`.
fn tiled() -> Arc<Timeline> {
    let buffer = |name: &str, space, bytes, columns| TracedBuffer {
        of: name.to_owned(),
        name: name.to_owned(),
        space,
        elem: Elem::F32,
        bytes,
        base: 0,
        columns,
    };
    let mut timeline = Timeline {
        warp_width: 8,
        warps_per_workgroup: 2,
        buffers: vec![
            buffer("a", Space::Global, 1024, Some(16)),
            buffer("b", Space::Global, 1024, Some(16)),
            buffer("c", Space::Global, 1024, Some(16)),
            buffer("tile", Space::Shared, 256, Some(8)),
        ],
        ..Timeline::default()
    };
    let mut access = |warp: u32, access, buffer, first: u32| {
        let first_address = timeline.addresses.len() as u32;
        timeline.addresses.extend((0..8).map(|lane| (first + lane) * 4));
        let kind = EventKind::Access { access, buffer, bytes_per_lane: 4, first_address, cost: 1 };
        timeline.events.push(Event { workgroup: 0, warp, line: 3, mask: 0xff, kind });
    };
    use AccessKind::{Load, Store};
    let mut barriers = Vec::new();
    for tile in 0..2_u32 {
        for warp in 0..2_u32 {
            for row in [warp * 2, warp * 2 + 1] {
                access(warp, Load, 0, row * 16 + tile * 8);
                access(warp, Store, 3, row * 8);
            }
            barriers.push((tile, warp));
        }
        for warp in 0..2 {
            access(warp, Load, 3, warp * 8);
        }
    }
    for warp in 0..2 {
        access(warp, Store, 2, warp * 16);
    }
    // Barriers follow each round of loads and each round of reads.
    let all = std::mem::take(&mut timeline.events);
    let barrier = |warp| Event { workgroup: 0, warp, line: 9, mask: 0xff, kind: EventKind::Barrier };
    for (i, event) in all.iter().enumerate() {
        timeline.events.push(*event);
        let ends_round = matches!(i, 3 | 7 | 8 | 9 | 13 | 17 | 18 | 19);
        if ends_round {
            timeline.events.push(barrier(event.warp));
        }
    }
    Arc::new(timeline)
}

fn view(timeline: &Arc<Timeline>, event: usize, size: [f32; 2]) -> Seen {
    Seen { position: event as f32 + 0.99, ..Seen::of(timeline, size) }
}

/// Points that are filled with this ink.
fn area(frame: &Frame, ink: Ink) -> f32 {
    let each = frame.items.iter().map(|item| match item {
        Item::Rect { rect, fill: Some(fill), stroke: None, radius, .. } if *fill == ink && *radius == 0.0 => {
            rect[2] * rect[3]
        }
        _ => 0.0,
    });
    each.sum()
}

#[test]
fn what_is_loaded_is_bright_then_mid_then_faint() {
    let timeline = tiled();
    let mut painter = Painter::of("Matrices");
    let size = [1000.0, 600.0];
    let mut shown = |event: usize| painter.frame(&view(&timeline, event, size));
    let unit = {
        let frame = shown(0);
        let [_, _, w, h] = frame.grids.iter().find(|g| g.buffer == 0).map(|g| g.rect).unwrap_or_default();
        w * h / 256.0
    };
    let cells = |frame: &Frame, ink| (area(frame, ink) / unit).round();
    let mid = strength(Hue::Load, true);
    let faint = strength(Hue::Load, false);
    // Both warps have loaded a row; the one on the stage is bright.
    let first = shown(0);
    assert_eq!([Ink::Load, mid, faint].map(|ink| cells(&first, ink)), [8.0, 8.0, 0.0]);
    // Through the barrier and the loads from the tile, the tile of `a` stays the one loaded last: 4 rows of 8.
    for event in [4, 5, 6] {
        assert_eq!([Ink::Load, mid, faint].map(|ink| cells(&shown(event), ink)), [0.0, 32.0, 0.0], "event {event}");
    }
    let second = shown(7);
    assert_eq!([Ink::Load, mid, faint].map(|ink| cells(&second, ink)), [8.0, 8.0, 32.0]);
    assert!(second.alt.contains("Last loaded: rows 0–2, columns 8–15 of a."), "{}", second.alt);
    let last = shown(14);
    assert_eq!(cells(&last, Ink::Store), 8.0, "{}", last.alt);
    assert!(
        last.alt.contains("So far the workgroup has loaded 256 B from global and 128 B from workgroup memory."),
        "{}",
        last.alt
    );
    // Backwards it is the same.
    assert_eq!(shown(7), second);
    assert_eq!(shown(0), first);
}

#[test]
fn all_of_it_fits() {
    let timeline = tiled();
    let mut painter = Painter::of("Matrices");
    for size in [[420.0, 300.0], [640.0, 268.0], [653.0, 268.0], [1000.0, 560.0], [1576.0, 570.0]] {
        for event in 0..15 {
            let frame = painter.frame(&view(&timeline, event, size));
            assert_tidy(&frame, &format!("{size:?}, event {event}"));
        }
    }
}

#[test]
fn the_pointer_is_told_of_its_element() {
    let timeline = tiled();
    let mut painter = Painter::of("Matrices");
    let mut at = view(&timeline, 0, [1000.0, 600.0]);
    let tag = Tag::Cell { buffer: 0, row: 0, column: 5 };
    at.hovered = Some(tag);
    let ringed = painter.frame(&at);
    let ring = |item: &Item| matches!(item, Item::Rect { stroke: Some((Ink::Accent, _)), .. });
    assert!(ringed.items.iter().any(ring));
    let said = painter.told(&at, Some(0), tag).unwrap_or_default();
    assert!(said.starts_with("a, row 0, column 5\nLane 5 touches it now."), "{said}");
}
