//! The kit in every width: nothing overlaps or leaves the frame, and a row is never hidden alone.

use super::*;
use crate::fixtures::assert_tidy;
use crate::frame::{Frame, Item};
use crate::palette::Ink;

/// Widths and heights of pictures that the kit is for.
fn sizes() -> impl Iterator<Item = [f32; 2]> {
    (320..=2560).step_by(70).flat_map(|width| [220.0, 300.0, 900.0].map(|height| [width as f32, height]))
}

const KEYS: [&str; 5] = ["loaded in this launch", "stored", "again in the same launch", "its place is free", "now"];

fn board(size: [f32; 2]) -> Board {
    let mut board = Board::new(size);
    board.headline("A headline that is long enough for a narrow picture to cut it somewhere near its end");
    board.caption("a caption");
    board.footer(&"a footer that says much; ".repeat(5));
    board.legend(&KEYS.map(|name| Key::new(Ink::Load, name)));
    board
}

fn rows(size: [f32; 2], count: usize) -> (Frame, usize) {
    let mut board = board(size);
    let mut rows = Rows::new(board.room().within([0.0, Rows::ENDS]), count, [14.0, 40.0]);
    rows.names(&mut board.frame, "expert", |row| format!("expert {row}"));
    rows.notes(&mut board.frame, f32::INFINITY, |row| (Ink::Muted, format!("{row} of 100,000 are taken")));
    (0..rows.shown).for_each(|row| board.frame.fill(rows.rect(row), 2.0, Ink::Load, None));
    rows.ends(&mut board.frame, "first choice of the batch", "last");
    (board.finish("rows".to_owned()), rows.shown)
}

fn says(frame: &Frame, words: &str) -> bool {
    frame.items.iter().any(|item| matches!(item, Item::Text { text, .. } if text.contains(words)))
}

#[test]
fn rows_keep_apart_in_every_size() {
    for size in sizes() {
        for count in [1, 4, 9, 40, 1000] {
            assert_tidy(&rows(size, count).0, &format!("{count} rows in {size:?}"));
        }
    }
}

#[test]
fn a_single_row_is_never_hidden() {
    for size in sizes() {
        for count in 1..64 {
            let (frame, shown) = rows(size, count);
            let hidden = count - shown;
            assert_ne!(hidden, 1, "{count} rows in {size:?}");
            assert_eq!(says(&frame, &format!("… and {hidden} more experts")), hidden > 0, "{count} rows in {size:?}");
        }
    }
}

#[test]
fn boxes_stay_in_their_room() {
    for size in sizes() {
        for count in [1, 3, 8, 200] {
            let mut board = board(size);
            let rows = Rows::boxes(board.room(), [40.0, 90.0], [count, 16], [19.0, 56.0]);
            (0..rows.shown).for_each(|row| board.frame.fill(rows.rect(row), 2.0, Ink::Load, None));
            rows.more(&mut board.frame, "expert");
            assert!(rows.rect(0)[1] >= board.room().top && rows.bottom() <= board.room().bottom, "{count} in {size:?}");
            assert_tidy(&board.finish("boxes".to_owned()), &format!("{count} boxes in {size:?}"));
        }
    }
}

#[test]
fn names_of_columns_keep_apart() {
    for size in sizes() {
        for count in [1, 5, 24, 300] {
            let mut board = board(size);
            let room = board.room();
            let columns = Columns::new(room, count, 96.0);
            (0..count)
                .for_each(|i| board.frame.fill(columns.bar(i, room.top, room.bottom - 20.0), 0.0, Ink::Load, None));
            columns.names(&mut board.frame, room.bottom - 8.0, Ink::Text, |i| format!("column {i}"));
            assert_tidy(&board.finish("columns".to_owned()), &format!("{count} columns in {size:?}"));
        }
    }
}

#[test]
fn a_legend_loses_no_entry() {
    for size in sizes() {
        let frame = board(size).finish("legend".to_owned());
        assert!(KEYS.iter().all(|name| says(&frame, name)), "{size:?}");
    }
}
