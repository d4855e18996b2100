//! Heat maps: what is light, what the pointer lights, and that all of it fits.

use super::ask;
use crate::Results;

use super::super::fixtures::{Painter, Seen, assert_tidy};
use super::super::frame::Item;
use super::super::palette::Hue;
use super::*;
use crate::trace::Cells;

/// 2 × 2 workgroups that multiply two 64 × 64 matrices by halves.
fn heat() -> Heat {
    let cells = Cells::of(64 * 64, 64, 128);
    let fetched =
        |buffer, name: &str, each: u32| Fetches::gather(buffer, name.into(), cells, (0..64 * 64).map(|_| each));
    let half = |at: u64, rows: bool| {
        let mut bits = Bits::none(cells.count());
        for (i, j) in (0..32).flat_map(|i| (0..64).map(move |j| (at * 32 + i, j))) {
            bits.insert(cells.cell(if rows { [i, j] } else { [j, i] }));
        }
        bits
    };
    let quarter = |row: u64, column: u64| {
        let mut bits = Bits::none(cells.count());
        for (i, j) in (0..32).flat_map(|i| (0..32).map(move |j| (i, j))) {
            bits.insert(cells.cell([row * 32 + i, column * 32 + j]));
        }
        bits
    };
    let none = || Bits::none(cells.count());
    let footprint = |workgroup: u32| {
        let (row, column) = (u64::from(workgroup / 2), u64::from(workgroup % 2));
        Footprint {
            workgroup,
            loaded: vec![half(row, true), half(column, false), none()],
            stored: vec![none(), none(), quarter(row, column)],
        }
    };
    Heat {
        matrices: vec![fetched(0, "a", 2), fetched(1, "b", 300), fetched(2, "c", 0)],
        footprints: (0..4).map(footprint).collect(),
    }
}

fn shown(heat: &Heat, hovered: Option<Tag>, size: [f32; 2]) -> (Frame, String) {
    let view = Seen { hovered, ..Seen::from(Results::default().with(ask::Heat, heat.clone()), size) };
    let mut painter = Painter::of("Heat");
    let frame = painter.frame(&view);
    (frame, hovered.and_then(|tag| painter.told(&view, None, tag)).unwrap_or_default())
}

/// The part of matrix `buffer` that is filled with an ink.
fn share(frame: &Frame, buffer: u16, ink: Ink) -> f32 {
    let Some([x, y, w, h]) = frame.grids.iter().find(|g| g.buffer == buffer).map(|g| g.rect) else { return 0.0 };
    let inside = |r: &[f32; 4]| r[0] >= x && r[1] >= y && r[0] + r[2] <= x + w && r[1] + r[3] <= y + h;
    let each = frame.items.iter().map(|item| match item {
        Item::Rect { rect, fill: Some(fill), stroke: None, .. } if *fill == ink && inside(rect) => rect[2] * rect[3],
        _ => 0.0,
    });
    each.sum::<f32>() / (w * h)
}

#[test]
fn more_fetches_are_lighter_by_one_scale() {
    let heat = heat();
    let (frame, _) = shown(&heat, None, [1000.0, 560.0]);
    assert_eq!((share(&frame, 0, level(2.0)), share(&frame, 1, level(300.0))), (1.0, 1.0));
    assert!(
        (share(&frame, 2, Ink::Store) - 0.5).abs() < 0.02,
        "half of C is computed from the element that stands for all"
    );
    assert_eq!(share(&frame, 0, Ink::Faint), 0.0, "and nothing steps back for it");
    assert_eq!((level(1.0), level(4096.0), level(1e9)), (Ink::Heat(0), Ink::Heat(255), Ink::Heat(255)));
    assert!(frame.alt.ends_with("a 2; b 300."), "{}", frame.alt);
}

#[test]
fn an_element_lights_what_is_computed_from_it_and_a_result_what_it_comes_from() {
    let heat = heat();
    let size = [1000.0, 560.0];
    let (frame, said) = shown(&heat, Some(Tag::Cell { buffer: 0, row: 40, column: 3 }), size);
    assert!((share(&frame, 2, Ink::Store) - 0.5).abs() < 0.02, "the lower half of C");
    assert!(said.contains("\n2 fetches per element\nFetched by 2 of 4 workgroups."), "{said}");
    let (_, said) = shown(&heat, Some(Tag::Cell { buffer: 1, row: 3, column: 40 }), size);
    assert!(said.contains("Fetched by 2 of 4 workgroups, 150 times each."), "{said}");
    let (frame, said) = shown(&heat, Some(Tag::Cell { buffer: 2, row: 0, column: 40 }), size);
    assert!((share(&frame, 0, Ink::Faint) - 0.5).abs() < 0.02, "the lower half of A steps back");
    assert!((share(&frame, 1, level(300.0)) - 0.5).abs() < 0.02, "the right half of B is needed");
    assert!(said.ends_with("\nStored by 1 of 4 workgroups."), "{said}");
    assert_eq!(share(&frame, 0, Hue::Store.ink()), 0.0);
}

#[test]
fn all_of_it_fits() {
    let heat = heat();
    for size in [[420.0, 300.0], [640.0, 296.0], [653.0, 296.0], [1000.0, 560.0], [1576.0, 600.0]] {
        for hovered in [None, Some(Tag::Cell { buffer: 1, row: 63, column: 63 })] {
            assert_tidy(&shown(&heat, hovered, size).0, &format!("{size:?} {hovered:?}"));
        }
    }
}

#[test]
fn played_each_workgroup_shows_its_part_over_those_before_it() {
    let heat = heat();
    let at = |position: f32| {
        let results = Results::default().with(ask::Heat, heat.clone());
        Painter::of("Heat").frame(&Seen { position, ..Seen::from(results, [1000.0, 560.0]) })
    };
    let second = at(1.5);
    assert_eq!(second, at(1.5), "the same moment is the same picture");
    let near = |found: f32, wanted: f32| (found - wanted).abs() < 0.02;
    // It loads the upper half of a and the right half of b, stores a quarter of c, and the first quarter is done.
    let shares = [(0, level(2.0)), (1, level(300.0)), (2, Ink::Store), (2, Ink::Tint(Hue::Store, 45))];
    let shares = shares.map(|(buffer, ink)| share(&second, buffer, ink));
    for (found, wanted) in shares.into_iter().zip([0.5, 0.5, 0.25, 0.25]) {
        assert!(near(found, wanted), "{shares:?}");
    }
    assert_eq!(at(0.0), at(3.99), "before the first and at the end it is the whole grid");
    assert_ne!(at(3.5), at(3.99));
}
