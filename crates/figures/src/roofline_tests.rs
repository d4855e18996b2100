//! The roofline: places by hand, names apart, all inside.

use super::ask;
use super::*;
use crate::Results;
use crate::answers::Spot;
use crate::fixtures::{Painter, Seen, assert_tidy};

fn spot(name: &str, intensity: f64, rate: Option<f64>) -> Spot {
    let whence = "measured here".to_owned();
    Spot {
        id: name.into(),
        name: name.into(),
        intensity,
        bytes: SpotBytes::Traced,
        flops_per_s: rate,
        time: SpotTime::Measured,
        shown: name == "bench",
        whence,
    }
}

fn roof(measured: bool) -> Roof {
    Roof { name: "H100".into(), bytes_per_s: Some(2e12), flops_per_s: Some(50e12), matrix_flops_per_s: None, measured }
}

fn known() -> Roofline {
    let mut spots: Vec<Spot> = (0..9).map(|i| spot(&format!("rung number {i}"), 4.0, Some(5e12))).collect();
    spots.push(spot("bench", 4.0, Some(4e12)));
    spots.push(Spot { time: SpotTime::Recorded, bytes: SpotBytes::Needed, ..spot("elsewhere", 600.0, Some(200e12)) });
    spots.push(spot("not run", 100.0, None));
    Roofline { roofs: vec![roof(true), roof(false)], spots, note: "Times are of size = 4,096. ".repeat(6) }
}

fn drawn(known: &Roofline, hovered: Option<Tag>, size: [f32; 2]) -> Frame {
    let results = Results::default().with(ask::Roofline, known.clone());
    Painter::of("Roofline").frame(&Seen { hovered, ..Seen::from(results, size) })
}

/// The middle of the mark of a spot.
fn middle(frame: &Frame, index: usize) -> Option<[f32; 2]> {
    frame.items.iter().find_map(|item| match item {
        Item::Dot { center, tag: Some(Tag::Spot(i)), .. } if *i == index => Some(*center),
        _ => None,
    })
}

#[test]
fn the_roof_is_the_lower_of_slope_and_peak() {
    let roof = roof(true);
    assert_eq!((roof.at(4.0), roof.at(25.0), roof.at(100.0)), (Some(8e12), Some(50e12), Some(50e12)));
    assert_eq!(Roof { bytes_per_s: None, ..roof.clone() }.at(4.0), Some(50e12));
    assert_eq!(Roof { bytes_per_s: None, flops_per_s: None, ..roof }.at(4.0), None);
}

#[test]
fn the_peak_of_matrix_units_stands_above_that_of_lanes() {
    let roof = Roof { matrix_flops_per_s: Some(800e12), ..roof(false) };
    assert_eq!((roof.at(100.0), roof.at(1000.0)), (Some(200e12), Some(800e12)));
    let lines = |roof: &Roof| {
        let spots = vec![spot("high", 1000.0, Some(700e12))];
        let frame = drawn(&Roofline { roofs: vec![roof.clone()], spots, note: String::new() }, None, [800.0, 500.0]);
        assert!(frame.alt.contains("800 TFLOP/s in 16 bits on matrix units") == roof.matrix_flops_per_s.is_some());
        let level = |item: &Item| match item {
            Item::Line { from, to, ink: Ink::Muted, .. } if from[1] == to[1] && from[0] > 100.0 => Some(from[1] as i32),
            _ => None,
        };
        let mut found: Vec<i32> = frame.items.iter().filter_map(level).collect();
        found.sort_unstable();
        found.dedup();
        found.len()
    };
    let (both, one) = (lines(&roof), lines(&Roof { matrix_flops_per_s: None, ..roof.clone() }));
    assert_eq!((both, one), (2, 1));
}

#[test]
fn a_kernel_at_the_roof_lies_on_its_line() -> Result<(), &'static str> {
    let known = Roofline {
        roofs: vec![roof(true)],
        spots: vec![spot("slope", 4.0, Some(8e12)), spot("peak", 100.0, Some(50e12))],
        note: String::new(),
    };
    let frame = drawn(&known, None, [800.0, 500.0]);
    let line = frame.items.iter().find_map(|item| match item {
        Item::Polyline { points, .. } => Some(points),
        _ => None,
    });
    let line = line.ok_or("there is a roof")?;
    let (slope, peak) = (middle(&frame, 0).ok_or("a spot")?, middle(&frame, 1).ok_or("a spot")?);
    assert!((peak[1] - line[3][1]).abs() < 0.01 && peak[0] > line[2][0]);
    let along = (slope[0] - line[0][0]) / (line[1][0] - line[0][0]);
    assert!((line[0][1] + along * (line[1][1] - line[0][1]) - slope[1]).abs() < 0.01);
    Ok(())
}

#[test]
fn the_pointer_tells_what_a_mark_is() {
    let known = known();
    let view = Seen::from(Results::default().with(ask::Roofline, known), [800.0, 500.0]);
    let said = |i| Painter::of("Roofline").told(&view, None, Tag::Spot(i)).unwrap_or_default();
    assert_eq!(said(9), "bench\n4.00 FLOP per byte (traced bytes, before caches)\n4.00 TFLOP/s, measured here");
    assert!(said(11).ends_with("\nIt was not measured; H100 allows 50.0 TFLOP/s"), "{}", said(11));
}

#[test]
fn all_of_it_fits_and_the_bench_has_its_name() {
    let full = known();
    for size in [[420.0, 300.0], [640.0, 296.0], [1000.0, 560.0], [1576.0, 600.0]] {
        let frame = drawn(&full, Some(Tag::Spot(0)), size);
        assert_tidy(&frame, &format!("{size:?}"));
        let named = |name: &str| frame.items.iter().any(|i| matches!(i, Item::Text { text, .. } if text == name));
        assert!(named("bench"), "{size:?}");
        assert!(size[0] < 1000.0 || (0..9).all(|i| named(&format!("rung number {i}"))), "{size:?}");
        let bare = Roofline { roofs: Vec::new(), ..known() };
        assert_tidy(&drawn(&bare, None, size), &format!("{size:?}, no roof"));
    }
}

#[test]
fn a_note_is_not_cut_within_a_sentence() {
    let note = "Recorded on an H200. Bytes are traced at your own settings.";
    assert_eq!(whole_sentences(note, 2000.0, 1), note);
    assert_eq!(
        whole_sentences(note, text::width("Recorded on an H200. Bytes", SIZE, false), 1),
        "Recorded on an H200."
    );
    assert_eq!(whole_sentences(note, 10.0, 1), "Recorded on an H200.");
    assert_eq!(whole_sentences("", 10.0, 1), "");
}
