//! Words in their banks, and what an access of them takes: worked out by hand.

use super::super::banks::said;
use super::super::fixtures::{Painter, Script, Seen, all_kinds, assert_tidy};
use super::*;
use crate::base::tensor::Elem;
use crate::trace::AccessKind;

/// One warp that reads column `column` of a tile of 32 rows of `pitch` floats, after it wrote the tile's 32 × 32 elements row by row.
fn transpose(pitch: u32, column: u32) -> Arc<Timeline> {
    let mut script = Script::new(32);
    let tile = &mut script.0.buffers[2];
    (tile.columns, tile.bytes) = (Some(u64::from(pitch)), u64::from(pitch) * 128);
    let all = script.all();
    for row in 0..32 {
        script = script.access(2, AccessKind::Store, 4, all, move |lane| (row * pitch + lane) * 4);
    }
    Arc::new(script.load(|lane| lane * 4).shared(move |lane| (lane * pitch + column) * 4).0)
}

fn view(timeline: &Arc<Timeline>, event: usize, size: [f32; 2]) -> Seen {
    Seen { position: event as f32 + 0.99, ..Seen::of(timeline, size) }
}

fn sentence(timeline: &Timeline, event: usize) -> String {
    let event = &timeline.events[event];
    said(timeline, event, &serve(timeline, event))
}

#[test]
fn a_columns_wavefronts_are_what_its_pitch_and_the_banks_share() {
    let expected = [32, 1, 2, 1, 4, 1, 2, 1, 8];
    for (pad, wavefronts) in (0_u32..).zip(expected) {
        let timeline = transpose(32 + pad, 5);
        let read = &timeline.events[33];
        assert_eq!(serve(&timeline, read).iter().map(|s| s.wavefront + 1).max(), Some(wavefronts), "padding {pad}");
        let row = &timeline.events[7];
        assert_eq!(serve(&timeline, row).iter().map(|s| s.wavefront + 1).max(), Some(1), "padding {pad}");
    }
}

#[test]
fn an_access_is_told_in_a_sentence() {
    assert_eq!(sentence(&transpose(32, 0), 33), "32 lanes ask for 32 words of bank 0: 32 wavefronts; 1 would do.");
    assert_eq!(sentence(&transpose(33, 0), 33), "32 lanes ask for 32 words in 32 banks: 1 wavefront.");
    assert_eq!(
        sentence(&transpose(34, 0), 33),
        "32 lanes ask for 32 words in 16 banks, 2 in each: 2 wavefronts; 1 would do."
    );
    assert_eq!(sentence(&transpose(32, 0), 3), "32 lanes write 32 words in 32 banks: 1 wavefront.");
    let other = Script::new(32).shared(|_| 20).shared(|lane| if lane < 3 { lane * 128 } else { lane * 4 }).0;
    assert_eq!(sentence(&other, 0), "32 lanes ask for 1 word of bank 5: 1 wavefront serves them all.");
    // Words 0, 32 and 64 are of bank 0, and no lane asks for banks 1 and 2.
    assert_eq!(
        sentence(&other, 1),
        "32 lanes ask for 32 words in 30 banks, up to 3 in one bank: 3 wavefronts; 1 would do."
    );
    let script = Script::new(32);
    let all = script.all();
    let wide = script.access(2, AccessKind::Load, 16, all, |lane| lane * 16);
    let wide = wide.access(2, AccessKind::Atomic, 4, all, |lane| lane % 4 * 4).0;
    assert_eq!(sentence(&wide, 0), "32 lanes ask for 128 words in 32 banks: 4 wavefronts, the least possible.");
    assert_eq!(
        sentence(&wide, 1),
        "32 lanes update 4 words in 4 banks, one lane at a time for each: 8 wavefronts; 1 would do."
    );
}

#[test]
fn rows_are_the_sources_own_or_the_banks() {
    let traced = |elem, bytes, columns, base| TracedBuffer {
        of: "t".to_owned(),
        name: "t".to_owned(),
        space: Space::Shared,
        elem,
        bytes,
        base,
        columns,
    };
    let padded = Shape::of(&traced(Elem::F32, 4224, Some(33), 0));
    assert_eq!((padded.pitch, padded.rows(), padded.declared), (33, 32, true));
    // One row down is one bank on.
    assert_eq!([0, 33, 66, 33 * 31].map(|word| padded.bank(word)), [0, 1, 2, 31]);
    assert_eq!(padded.told(), "A row of t has 33 words, so the word below lies 1 bank on.");
    let square = Shape::of(&traced(Elem::F32, 4096, Some(32), 0));
    assert_eq!([0, 32, 64, 32 * 31].map(|word| square.bank(word)), [0; 4]);
    assert!(square.told().ends_with("the word below lies in the same bank."));
    let flat = Shape::of(&traced(Elem::F32, 400, None, 64));
    assert_eq!((flat.pitch, flat.rows(), flat.declared), (32, 4, false));
    assert_eq!([flat.bank(0), flat.bank(15), flat.bank(16)], [16, 31, 0], "it begins at byte 64");
    // 16-bit floats: 64 to a row are 32 words, and 33 to a row end within a word.
    assert_eq!(Shape::of(&traced(Elem::F16, 4096, Some(64), 0)).pitch, 32);
    assert!(!Shape::of(&traced(Elem::F16, 2112, Some(33), 0)).declared);
    let one = Shape::of(&traced(Elem::U32, 4, None, 0));
    assert_eq!((one.rows(), one.columns()), (1, 1));
}

/// Words that are drawn in the tile and in the tower: those left and right of the wavefronts' left edge.
fn words(frame: &Frame) -> Vec<([f32; 4], u64, Ink)> {
    let word = |item: &Item| match item {
        Item::Rect { rect, fill: Some(ink), tag: Some(Tag::Word { index, .. }), .. } => Some((*rect, *index, *ink)),
        _ => None,
    };
    frame.items.iter().filter_map(word).collect()
}

#[test]
fn the_tower_stands_whole_and_the_tile_has_each_word_once() {
    for size in [[420.0, 240.0], [620.0, 235.0], [1200.0, 900.0]] {
        for (pitch, wavefronts) in [(32, 32), (33, 1), (36, 4)] {
            let timeline = transpose(pitch, 0);
            let frame = Painter::of("Banks").frame(&view(&timeline, 33, size));
            let words = words(&frame);
            let tile = u64::from(pitch) * 32;
            assert_eq!(words.len() as u64, tile + 32, "{size:?}, pitch {pitch}");
            let mut tops: Vec<f32> = words[tile as usize..].iter().map(|(rect, ..)| rect[1]).collect();
            tops.sort_unstable_by(f32::total_cmp);
            tops.dedup_by(|a, b| (*a - *b).abs() < 0.01);
            assert_eq!(tops.len(), wavefronts, "{size:?}, pitch {pitch}");
            for (_, word, ink) in &words[tile as usize..] {
                assert_eq!(*ink, Ink::Bank((word % 32) as u8, 100));
            }
        }
    }
}

#[test]
fn padding_is_hatched_and_the_access_outlined() {
    let lines = |frame: &Frame| frame.items.iter().filter(|i| matches!(i, Item::Line { ink: Ink::Panel, .. })).count();
    let outlines = |frame: &Frame| {
        let is = |item: &&Item| matches!(item, Item::Rect { fill: None, stroke: Some((Ink::Text, _)), .. });
        frame.items.iter().filter(is).count()
    };
    let size = [1200.0, 900.0];
    let padded = Painter::of("Banks").frame(&view(&transpose(33, 5), 33, size));
    // Three lines a word, and those of the legend.
    assert_eq!((lines(&padded), outlines(&padded)), (3 * 32 + 3, 1), "a column is one outline");
    let square = Painter::of("Banks").frame(&view(&transpose(32, 5), 33, size));
    assert_eq!((lines(&square), outlines(&square)), (0, 1));
    let row = Painter::of("Banks").frame(&view(&transpose(33, 5), 3, size));
    assert_eq!(outlines(&row), 1);
}

#[test]
fn the_pointer_lights_a_bank_and_names_its_lanes() {
    let timeline = transpose(33, 0);
    let mut painter = Painter::of("Banks");
    let view = Seen { hovered: Some(Tag::Bank(7)), ..view(&timeline, 33, [1200.0, 900.0]) };
    let frame = painter.frame(&view);
    let full = words(&frame).iter().filter(|(.., ink)| *ink == Ink::Bank(7, 100)).count();
    assert_eq!(full, 33 + 1, "33 words of the tile, and one of the tower");
    assert!(words(&frame).iter().all(|(_, word, ink)| word % 32 == 7 || !matches!(ink, Ink::Bank(_, 100))));
    let said = painter.told(&view, Some(33), Tag::Word { buffer: 2, index: 33 }).unwrap_or_default();
    assert!(said.contains("bank 1") && said.contains("Lane 1 touches it now."), "{said}");
}

#[test]
fn an_event_without_workgroup_memory_shows_the_nearest_that_has() {
    let timeline = transpose(32, 0);
    let shown = |event| Painter::of("Banks").frame(&view(&timeline, event, [900.0, 500.0])).alt;
    assert!(
        shown(32).contains("32 lanes write 32 words")
            && shown(32).contains("Event 33 touches no bank; this is the last one before it that does.")
    );
    let late = Arc::new(Script::new(32).load(|lane| lane * 4).shared(|lane| lane * 128).0);
    let said = Painter::of("Banks").frame(&view(&late, 0, [900.0, 500.0])).alt;
    assert!(
        said.contains("32 wavefronts; 1 would do. Event 1 touches no bank; this is the next one that does."),
        "{said}"
    );
    let none = Arc::new(Script::new(32).load(|lane| lane * 4).0);
    let frame = Painter::of("Banks").frame(&view(&none, 0, [420.0, 240.0]));
    assert_tidy(&frame, "none");
    assert!(frame.alt.starts_with("No access of workgroup memory"));
}

#[test]
fn every_picture_fits_every_size() {
    let mut records: Vec<(String, Arc<Timeline>)> = Vec::new();
    for pitch in [1, 3, 32, 33, 40, 132, 1024] {
        records.push((format!("pitch {pitch}"), transpose(pitch, 0)));
    }
    for width in [8, 32, 64] {
        let mut timeline = all_kinds(width);
        // Beyond what is shown at once.
        timeline.buffers[2].bytes = 1 << 16;
        records.push((format!("all kinds, {width} lanes"), Arc::new(timeline)));
    }
    records.push(("nothing".to_owned(), Arc::default()));
    for (name, timeline) in &records {
        let events = timeline.of_warp(0, 0).count();
        for size in [[420.0, 180.0], [420.0, 300.0], [620.0, 235.0], [1000.0, 560.0], [1400.0, 900.0]] {
            for event in (0..events.max(1)).step_by(if events > 30 { 11 } else { 1 }) {
                for progress in [0.0, 0.5, 0.99] {
                    let view = Seen { motion: true, position: event as f32 + progress, ..Seen::of(timeline, size) };
                    let frame = Painter::of("Banks").frame(&view);
                    assert_tidy(&frame, &format!("{name}, {size:?}, event {event}"));
                }
            }
        }
    }
}
