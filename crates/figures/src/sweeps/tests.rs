//! Sweeps of kernels whose requests are written down by hand.

use super::super::fixtures::{Painter, Script, Seen, all_kinds, assert_tidy};
use super::super::frame::Item;
use super::axis::{Axis, Run};
use super::*;
use crate::base::tensor::Elem;
use crate::trace::{Event, EventKind, Space, TracedBuffer};

const WARP: u32 = 32;

/// A workgroup of `lanes` goes over its row of `columns` elements of `x` `sweeps` times, with a barrier after each; the last time it
/// stores what it read to `y`. The row is the third one.
fn softmax(columns: u32, lanes: u32, sweeps: u32) -> Arc<Timeline> {
    let row = 2 * columns;
    let buffer = |name: &str| TracedBuffer {
        of: name.to_owned(),
        name: name.to_owned(),
        space: Space::Global,
        elem: Elem::F32,
        bytes: u64::from(columns) * 64,
        base: 0,
        columns: None,
    };
    let warps = lanes / WARP;
    let mut timeline = Timeline {
        warp_width: WARP,
        warps_per_workgroup: warps,
        buffers: vec![buffer("x"), buffer("y")],
        ..Timeline::default()
    };
    for sweep in 0..sweeps {
        for warp in 0..warps {
            for first in (0..columns).step_by(lanes as usize) {
                let of_warp = first + warp * WARP..(first + (warp + 1) * WARP).min(columns);
                let kinds = [(0, AccessKind::Load), (1, AccessKind::Store)];
                for (buffer, access) in kinds.into_iter().take(if sweep + 1 == sweeps { 2 } else { 1 }) {
                    if of_warp.is_empty() {
                        continue;
                    }
                    let first_address = timeline.addresses.len() as u32;
                    timeline.addresses.extend(of_warp.clone().map(|i| (row + i) * 4));
                    let kind = EventKind::Access { access, buffer, bytes_per_lane: 4, first_address, cost: 4 };
                    let mask = (1 << of_warp.len()) - 1;
                    timeline.events.push(Event { workgroup: 0, warp, line: 10 + sweep, mask, kind });
                }
            }
            let kind = EventKind::Barrier;
            timeline.events.push(Event { workgroup: 0, warp, line: 20, mask: 0xffff_ffff, kind });
        }
    }
    Arc::new(timeline)
}

fn view(timeline: &Arc<Timeline>, event: usize, size: [f32; 2]) -> Seen {
    Seen { position: event as f32 + 0.99, ..Seen::of(timeline, size) }
}

fn drawn(timeline: &Arc<Timeline>, event: usize) -> Frame {
    Painter::of("Sweeps").frame(&view(timeline, event, [900.0, 500.0]))
}

/// Marks that are filled with this ink.
fn marks(frame: &Frame, ink: Ink) -> usize {
    let is = |item: &&Item| matches!(item, Item::Rect { fill: Some(fill), tag: Some(Tag::Event(_)), radius, .. } if *fill == ink && *radius < 3.0);
    frame.items.iter().filter(is).count()
}

fn texts(frame: &Frame) -> Vec<&str> {
    let text = |item: &'_ Item| matches!(item, Item::Text { .. });
    let all = frame.items.iter().filter(|item| text(item));
    all.map(|item| if let Item::Text { text, .. } = item { text.as_str() } else { "" }).collect()
}

#[test]
fn three_sweeps_are_three_stripes() {
    // 4 warps: 256 elements are two rows of marks.
    let timeline = softmax(256, 128, 3);
    let course = Course::of(&timeline, 0);
    let at: Vec<(u32, u32)> = course.rows.iter().map(|row| row.at).collect();
    assert_eq!(at, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (2, 3)], "warps are in step");
    let barriers: Vec<u32> = course.rows.iter().map(|row| row.barriers).collect();
    assert_eq!((barriers, course.after), (vec![0, 0, 1, 0, 1, 0, 0, 0], 1));
    let [x, y] = course.panels.as_slice() else { panic!("{:?}", course.panels) };
    let spans: Vec<(usize, [u64; 2], u64)> = x.marks.iter().map(|m| (m.row, m.span, m.requests)).collect();
    let (low, high) = ([512, 640], [640, 768]);
    assert_eq!(spans, [(0, low, 4), (1, high, 4), (2, low, 4), (3, high, 4), (4, low, 4), (6, high, 4)]);
    assert_eq!(x.sweeps, [[0, 1], [2, 3], [4, 6]]);
    assert_eq!((x.times, y.times), ([3.0, 0.0, 0.0], [0.0, 1.0, 0.0]));
    assert_eq!(words(&course, false), "x: read 3 times, y: written once.");
    for (sweeps, said) in [(2, "x: read 2 times, y: written once."), (1, "x: read once, y: written once.")] {
        assert_eq!(words(&Course::of(&softmax(1000, 128, sweeps), 0), false), said);
    }
}

#[test]
fn what_is_done_is_full_and_what_is_to_come_faint() {
    let timeline = softmax(256, 128, 3);
    let ghost = Hue::Load.tint(GHOST);
    let last = timeline.of_warp(0, 0).count() - 1;
    for (event, full) in [(0, 1), (1, 2), (2, 2), (3, 3), (last, 6)] {
        let frame = drawn(&timeline, event);
        assert_eq!((marks(&frame, Ink::Load), marks(&frame, ghost)), (full, 6 - full), "event {event}");
    }
    let frame = drawn(&timeline, 0);
    for word in ["1st time", "2nd time", "3rd time", "barrier", "512", "767", "640"] {
        assert!(texts(&frame).contains(&word), "{word}: {:?}", texts(&frame));
    }
    let once = drawn(&softmax(256, 128, 1), 0);
    assert!(texts(&once).contains(&"once"));
}

#[test]
fn pointing_at_a_mark_tells_its_line_and_elements() {
    let timeline = softmax(256, 128, 3);
    let mut painter = Painter::of("Sweeps");
    let view = view(&timeline, 0, [900.0, 500.0]);
    let frame = painter.frame(&view);
    let mut faint = frame.items.iter().filter_map(|item| match item {
        Item::Rect { rect, fill: Some(fill), tag: Some(tag), .. } if *fill == Hue::Load.tint(GHOST) => {
            Some((*rect, *tag))
        }
        _ => None,
    });
    // The first faint mark is the second request of the first sweep.
    let ([x, y, w, h], tag) = faint.next().unwrap_or(([0.0; 4], Tag::Lane(0)));
    assert_eq!(frame.tag_at([x + w / 2.0, y + h / 2.0]), Some(tag));
    let said = painter.told(&view, Some(0), tag).unwrap_or_default();
    assert_eq!(
        said,
        "Line 10: load of x, elements 640–767\n4 requests of warps, side by side\nIts elements are read for the 1st time."
    );
}

#[test]
fn an_element_that_every_warp_reads_is_read_as_often() {
    let mut timeline = softmax(128, 128, 1);
    let record = Arc::make_mut(&mut timeline);
    for address in &mut record.addresses {
        *address = 64;
    }
    let course = Course::of(&timeline, 0);
    assert_eq!(words(&course, true), "x: read 4 times, y: written 4 times. The record is cut at its cap on events.");
    assert_eq!(course.panels[0].sweeps, [[0, 0]], "side by side");
    let mut course = course;
    course.panels.truncate(1);
    for (times, said) in [(513.0 / 512.0, "1.002"), (2.5, "2.5"), (1.0, "once"), (128.0, "128")] {
        course.panels[0].times[0] = times;
        assert!(words(&course, false).starts_with(&format!("x: read {said}")), "{}", words(&course, false));
    }
    assert_tidy(&drawn(&timeline, 0), "one element");
}

#[test]
fn long_stretches_that_nobody_touches_are_cut_out() {
    let axis = Axis::of(&[[0, 32], [40, 48], [1024, 1056], [4096, 4097]], 4);
    let run = |first, end, at| Run { first, end, at };
    assert_eq!(axis.runs, [run(0, 48, 0), run(1024, 1056, 48), run(4096, 4097, 80)]);
    assert_eq!((axis.len(), axis.place(47), axis.place(1030), axis.place(4096)), (81, 47, 54, 80));
    assert_eq!(axis.ends(), Some([0, 4096]));
    // A column of a matrix: 32 lanes, a row apart.
    let column = Arc::new(Script::new(32).load(|lane| lane * 4096).0);
    let course = Course::of(&column, 0);
    assert_eq!((course.panels[0].axis.len(), course.panels[0].marks.len()), (32, 32));
    assert!(texts(&drawn(&column, 0)).contains(&"31,744"));
}

#[test]
fn rows_that_are_drawn_as_one_end_at_barriers() {
    // 393 rows a sweep, in a picture of 180 points.
    let timeline = softmax(50_257, 128, 3);
    let frame = Painter::of("Sweeps").frame(&view(&timeline, 0, [620.0, 235.0]));
    let lines: Vec<f32> = frame.items.iter().filter_map(barrier).collect();
    assert_eq!(lines.len(), 3);
    let drawn = frame.items.iter().filter_map(|item| match item {
        Item::Rect { rect, tag: Some(Tag::Event(_)), radius, .. } if *radius < 3.0 => Some(*rect),
        _ => None,
    });
    for [_, y, _, h] in drawn {
        assert!(lines.iter().all(|line| *line < y || *line > y + h), "{y} to {}: {lines:?}", y + h);
    }
}

/// Where the line of a barrier is.
fn barrier(item: &Item) -> Option<f32> {
    match item {
        Item::Line { from, to, ink: Ink::Idle, .. } => (from[1] == to[1]).then_some(from[1]),
        _ => None,
    }
}

#[test]
fn every_picture_fits_every_size() {
    let mut kernels: Vec<(String, Arc<Timeline>)> = Vec::new();
    for columns in [1, 31, 1000, 50_257] {
        for lanes in [32, 128, 1024] {
            for sweeps in [1, 3] {
                let name = format!("{columns} columns, {lanes} lanes, {sweeps} sweeps");
                kernels.push((name, softmax(columns, lanes, sweeps)));
            }
        }
    }
    for width in [8, 64] {
        kernels.push((format!("all kinds, {width} lanes"), Arc::new(all_kinds(width))));
    }
    let column = Script::new(32).load(|lane| lane * 4096).barrier(0).load(|lane| lane * 4096 + 4).0;
    kernels.push(("a column".to_owned(), Arc::new(column)));
    kernels.push(("nothing".to_owned(), Arc::default()));
    kernels.push(("workgroup memory only".to_owned(), Arc::new(Script::new(32).shared(|lane| lane * 4).0)));
    for (name, timeline) in &kernels {
        let events = timeline.of_warp(0, 0).count();
        for size in [[420.0, 180.0], [420.0, 300.0], [620.0, 235.0], [1400.0, 900.0]] {
            for event in [0, events / 2, events.saturating_sub(1)] {
                let frame = Painter::of("Sweeps").frame(&view(timeline, event, size));
                assert_tidy(&frame, &format!("{name}, {size:?}, event {event}"));
            }
        }
    }
}
