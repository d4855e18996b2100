//! Rules for every picture of a warp, at every size and for every kind of event.

use std::sync::Arc;

use super::super::fixtures::{Script, all_kinds, assert_tidy};
use super::super::frame::Item;
use super::*;

fn view(timeline: &Arc<Timeline>, position: f32, size: [f32; 2]) -> WarpView<'_> {
    WarpView { timeline, workgroup: 0, warp: 0, position, hovered: None, marked: &[], motion: true, size }
}

#[test]
fn every_event_fits_every_size() {
    let sizes = [[420.0, 300.0], [640.0, 420.0], [759.0, 300.0], [760.0, 280.0], [1000.0, 560.0], [1400.0, 900.0]];
    for width in [8, 16, 32, 64] {
        let timeline = Arc::new(all_kinds(width));
        let events = timeline.of_warp(0, 0).count();
        for size in sizes {
            for event in 0..events {
                for progress in [0.0, 0.4, 0.99] {
                    let frame = frame(&view(&timeline, event as f32 + progress, size));
                    assert_tidy(&frame, &format!("{width} lanes, {size:?}, event {event} at {progress}"));
                }
            }
        }
    }
}

#[test]
fn an_empty_pane_says_what_will_appear() {
    let nothing = Arc::new(Timeline::default());
    let frame = frame(&view(&nothing, 0.0, [420.0, 300.0]));
    assert_tidy(&frame, "empty");
    assert!(frame.alt.contains("Once the kernel is traced"));
    let other = Arc::new(Script::new(32).load(|i| i * 4).0);
    let missing = super::frame(&WarpView { warp: 3, ..view(&other, 0.0, [420.0, 300.0]) });
    assert_tidy(&missing, "no such warp");
    assert!(missing.alt.contains("No events of warp 3"));
}

/// Items filled with this ink.
fn filled(frame: &Frame, ink: Ink) -> usize {
    let is =
        |item: &&Item| matches!(item, Item::Rect { fill: Some(fill), tag: Some(Tag::Word { .. }), .. } if *fill == ink);
    frame.items.iter().filter(is).count()
}

fn says(frame: &Frame, words: &str) -> bool {
    frame.items.iter().any(|item| matches!(item, Item::Text { text, .. } if text == words))
}

#[test]
fn words_and_waste_are_drawn_as_they_are() {
    let timeline = Arc::new(Script::new(32).load(|i| i * 4).load(|i| i * 8).load(|i| i * 4 + 4).0);
    let size = [1200.0, 700.0];
    for (event, waste) in [(0, 0), (1, 32), (2, 8)] {
        let frame = frame(&view(&timeline, event as f32 + 0.99, size));
        assert_eq!(filled(&frame, Ink::Load), 32, "event {event}");
        assert_eq!(filled(&frame, Hue::Waste.tint(35)), waste, "event {event}");
        // Only the last would touch fewer sectors from another address on.
        assert_eq!(says(&frame, "if aligned"), event == 2, "event {event}");
    }
}

#[test]
fn a_conflict_is_a_tower_and_a_broadcast_one_word() {
    let timeline = Arc::new(Script::new(32).shared(|i| i * 4).shared(|i| i * 128).shared(|_| 0).0);
    let shown = |event: f32| {
        let frame = frame(&view(&timeline, event + 0.99, [1200.0, 700.0]));
        (filled(&frame, Ink::Shared), filled(&frame, Ink::Conflict))
    };
    assert_eq!(shown(0.0), (32, 0));
    assert_eq!(shown(1.0), (1, 31));
    assert_eq!(shown(2.0), (1, 0));
}

#[test]
fn a_tower_stands_whole_in_any_room() {
    for (width, wavefronts) in [(32, 32), (64, 64)] {
        let timeline = Arc::new(Script::new(width).shared(|i| i * 128).0);
        for size in [[420.0, 236.0], [636.0, 236.0], [1400.0, 900.0]] {
            let frame = frame(&view(&timeline, 0.99, size));
            let drawn = filled(&frame, Ink::Shared) + filled(&frame, Ink::Conflict);
            assert_eq!(drawn, wavefronts, "{width} lanes, {size:?}");
            assert!(
                !frame.items.iter().any(|i| matches!(i, Item::Text { text, .. } if text.contains("more wavefronts")))
            );
            assert_tidy(&frame, &format!("{width} lanes, {size:?}"));
        }
    }
}

#[test]
fn what_finds_no_room_is_counted() {
    let timeline = Arc::new(Script::new(64).load(|i| i * 4000).0);
    for size in [[420.0, 300.0], [690.0, 380.0], [1400.0, 700.0]] {
        let frame = frame(&view(&timeline, 0.99, size));
        let more = frame.items.iter().find_map(|item| match item {
            Item::Text { text, .. } if text.contains("more rows") => Some(text.clone()),
            _ => None,
        });
        let hidden: usize = more.and_then(|text| text.split(' ').next()?.parse().ok()).unwrap_or(0);
        assert_eq!(hidden + filled(&frame, Ink::Load), 64, "{size:?}");
    }
}

#[test]
fn motion_can_be_stilled() {
    let timeline = Arc::new(Script::new(32).load(|i| i * 4).0);
    let moving = view(&timeline, 0.3, [640.0, 420.0]);
    assert_eq!(filled(&frame(&moving), Ink::Load), 0);
    assert_eq!(filled(&frame(&WarpView { motion: false, ..moving }), Ink::Load), 32);
}

#[test]
fn hovering_lights_counterparts() {
    let timeline = Arc::new(Script::new(32).load(|i| i * 4).0);
    for tag in [Tag::Lane(5), Tag::Word { buffer: 0, index: 5 }] {
        let lit = frame(&WarpView { hovered: Some(tag), ..view(&timeline, 0.99, [640.0, 420.0]) });
        assert_eq!(filled(&lit, Ink::Load), 1, "{tag:?}");
    }
    let sector = Some(Tag::Sector { buffer: 0, index: 1 });
    let lit = frame(&WarpView { hovered: sector, ..view(&timeline, 0.99, [640.0, 420.0]) });
    assert_eq!(filled(&lit, Ink::Load), 8);
}
