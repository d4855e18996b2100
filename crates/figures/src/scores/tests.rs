//! The square of scores over a course that is written by hand.

use super::super::ask;
use super::super::results::Results;

use super::super::figure::{Figure, Kept, View};
use super::super::fixtures::{assert_tidy, drawn, numbered, picture_of};
use super::super::frame::{Frame, Item, Tag};
use super::super::palette::{Hue, Ink};
use super::Fig;
use super::square::Square;
use crate::base::tensor::{Elem, Tensor};
use crate::lesson::{ArgValue, Picture};
use crate::trace::{Course, Followed, Phase, Rows};

const NAMES: [&str; 7] = ["q", "k", "v", "o", "s", "m", "d"];

fn followed() -> Vec<Followed> {
    let of = |name: &&str| Followed { name: (*name).into(), of: (*name).into(), elem: Elem::F32, columns: 2 };
    NAMES.iter().map(of).collect()
}

fn rows(buffer: u16, first: u64, count: u64) -> Rows {
    Rows { buffer, rows: [first, first + count], columns: [0, 2], bytes: 8 * count }
}

fn numbers(numbers: &[f64]) -> Tensor {
    Tensor::from_numbers(Elem::F32, numbers.iter().copied())
}

/// Two blocks of two queries over four keys, two at a time; the first block has only its first tile. The first query's maximum grows.
fn causal() -> Vec<Phase> {
    let mut phases = Vec::new();
    for workgroup in 0..2_u32 {
        let first = 2 * u64::from(workgroup);
        phases.push(Phase { workgroup, loads: vec![rows(0, first, 2)], ..Phase::default() });
        for tile in 0..=u64::from(workgroup) {
            let maximum = if tile == 0 { [1.0, 5.0] } else { [2.0, 5.0] };
            let loads = vec![rows(1, 2 * tile, 2)];
            phases.push(Phase { workgroup, loads, ..Phase::default() });
            let contents = vec![(4, numbers(&[1.0, -1e38, 2.0, 3.0]))];
            phases.push(Phase { workgroup, contents, ..Phase::default() });
            let contents =
                vec![(4, numbers(&[0.5, 0.0, 0.25, 1.0])), (5, numbers(&maximum)), (6, numbers(&[1.0, 1.5]))];
            phases.push(Phase { workgroup, contents, ..Phase::default() });
        }
        phases.push(Phase { workgroup, stores: vec![rows(3, first, 2)], ..Phase::default() });
    }
    phases
}

fn results(picture: &Picture, phases: Vec<Phase>) -> Results<'static> {
    let course = Course { variables: followed(), phases, ..Course::default() };
    let variables = ["scores", "max", "sum", "out"].map(|name| picture.text(name).to_owned());
    let variables = variables.into_iter().filter(|name| !name.is_empty()).collect();
    numbered(&[("rows", 4.0)]).with(ask::Course(variables), course)
}

fn picture(scores: &str) -> Picture {
    let args = [("q", "q"), ("k", "k"), ("o", "o"), ("scores", scores), ("max", "m"), ("sum", "d")];
    picture_of("Scores", &args.map(|(name, value)| (name, ArgValue::Text(value.into()))))
}

fn filled(frame: &Frame, ink: Ink) -> usize {
    frame.items.iter().filter(|item| matches!(item, Item::Rect { fill: Some(fill), .. } if *fill == ink)).count()
}

#[test]
fn a_tile_lasts_from_its_keys_to_the_next() {
    let picture = picture("s");
    let results = results(&picture, causal());
    let square = Square::of(&View::still(&results, &picture, [650.0, 420.0])).unwrap_or_else(|why| panic!("{why:?}"));
    let tiles: Vec<_> = square.tiles.iter().map(|tile| (tile.block, tile.keys.clone(), tile.ticks.clone())).collect();
    assert_eq!(tiles, [(0, 0..2, 1..5), (1, 0..2, 6..9), (1, 2..4, 9..13)]);
    assert_eq!((square.tile_at(0), square.tile_at(5), square.tile_at(7)), (None, None, Some(1)));
    assert_eq!(square.scores(&square.tiles[1], 6), None, "they are not computed yet, and those before are gone");
    assert_eq!(square.scores(&square.tiles[1], 7).map(|scores| scores[3]), Some(3.0));
    assert_eq!(square.scores(&square.tiles[1], 8).map(|scores| scores[3]), Some(1.0));
}

#[test]
fn a_maximum_that_grows_is_marked_with_its_factor() {
    let picture = picture("s");
    let results = results(&picture, causal());
    let square = Square::of(&View::still(&results, &picture, [650.0, 420.0])).unwrap_or_else(|why| panic!("{why:?}"));
    assert_eq!(square.maxima(8), [], "before the first tile there is nothing to rescale");
    assert_eq!(square.maxima(11), [(0, [1.0, 2.0]), (1, [5.0, 5.0])]);
    let view = View { position: 11.5, ..View::still(&results, &picture, [650.0, 420.0]) };
    let frame = drawn(&Fig, &view, &mut Kept::default());
    assert!(frame.alt.contains("m grew in 1 of 2 queries. Query 2: m 1.00 to 2.00"), "{}", frame.alt);
    assert!(frame.alt.contains("multiplied by 0.368"), "{}", frame.alt);
    assert!(
        frame.alt.contains("4 scores alive of the square's 16") && frame.alt.contains("4 scores are in tiles"),
        "{}",
        frame.alt
    );
}

#[test]
fn tiles_vanish_unless_their_scores_are_in_a_buffer() {
    let picture_of_tile = picture("s");
    let draw = |results: &Results<'_>, picture: &Picture, position| {
        drawn(&Fig, &View { position, ..View::still(results, picture, [650.0, 420.0]) }, &mut Kept::default())
    };
    let end = draw(&results(&picture_of_tile, causal()), &picture_of_tile, 12.9);
    // Of three tiles two are gone, the last is there until its workgroup ends, and one box is the legend's.
    assert_eq!(filled(&end, Hue::Shared.tint(14)), 3);
    let mut phases = causal();
    for phase in &mut phases {
        if phase.changed(4) {
            phase.stores.push(Rows { buffer: 4, rows: [0, 2], columns: [0, 2], bytes: 16 });
        }
    }
    let end = draw(&results(&picture_of_tile, phases), &picture_of_tile, 12.9);
    // Two tiles that are over, and the results of both blocks.
    assert_eq!((filled(&end, Hue::Shared.tint(14)), filled(&end, Hue::Store.tint(32))), (0, 4));
    assert!(end.alt.contains("12 scores in memory of the square's 16"), "{}", end.alt);
}

#[test]
fn nothing_leaves_the_picture() {
    let picture = picture("s");
    let results = results(&picture, causal());
    for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
        for tick in 0..13 {
            let view = View { position: tick as f32 + 0.5, ..View::still(&results, &picture, size) };
            assert_tidy(&drawn(&Fig, &view, &mut Kept::default()), &format!("{size:?}, {tick}"));
        }
    }
    let view = View { position: 7.5, ..View::still(&results, &picture, [650.0, 420.0]) };
    let told = |row, column| Fig.tip(&view, &Kept::default(), None, Tag::Cell { buffer: 0, row, column });
    assert_eq!(told(3, 1).as_deref(), Some("query 3, key 1: now 3.00 (workgroup 1)"));
    assert_eq!(told(0, 3).as_deref(), Some("query 0, key 3: its tile is never loaded"));
    assert_eq!(told(0, 0).as_deref(), Some("query 0, key 0: was computed, and is gone (workgroup 0)"));
}

#[test]
fn a_name_that_is_wrong_is_told() {
    let args = [("q", "q"), ("k", "k"), ("max", "maximum")].map(|(name, value)| (name, ArgValue::Text(value.into())));
    let picture = picture_of("Scores", &args);
    let results = results(&picture, causal());
    let drawn = Fig.draw(&View::still(&results, &picture, [650.0, 420.0]), &mut Kept::default());
    assert_eq!(drawn, Err("The kernel has no variable maximum in workgroup memory.".into()));
}
