//! Which tiles of C run together, row by row and in groups, and which tiles of A and B they load.

use super::super::frame::Anchor;
use super::super::palette::{Hue, Ink};
use super::super::text;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::base::units::si;
use crate::reference::Explored;
use crate::reference::tile_order::{in_groups, spans};

/// Tiles of C: 8192 × 8192 in tiles of 128 × 256.
const TILES: [usize; 2] = [64, 32];
/// Rows and columns of a tile.
const TILE: [usize; 2] = [128, 256];
/// Tiles that run together: one on each SM of an H200.
const TOGETHER: usize = 132;
/// Bytes of a row or column of a tile in one step of the depth: 64 numbers of two bytes.
const STEP: usize = 2 * 64;
/// Width of the picture for each point of a tile's height; its width is twice that.
const SCALE: f32 = 190.0;
/// Room for the strip of A's or B's tiles.
const STRIP: f32 = 16.0;

/// Draws both orders side by side.
fn draw(sheet: &mut Sheet, group: usize, wave: usize) {
    let half = (sheet.width - 24.0) / 2.0;
    let tall = (sheet.width / SCALE).floor().max(2.0);
    let (now, done, loaded) = (Hue::Store.ink(), Hue::Store.tint(25), Hue::Load.ink());
    let top = sheet.y;
    let mut bottom = top;
    let groups = if group == 1 { "groups of 1 row".to_owned() } else { format!("groups of {group} rows") };
    for (left, name, group) in [(0.0, "row by row".to_owned(), 1), (half + 24.0, groups, group)] {
        let order: Vec<_> = in_groups(TILES, group).collect();
        let first = wave * TOGETHER;
        let running = &order[first..order.len().min(first + TOGETHER)];
        let [rows, columns] = spans(running);
        let bytes = (rows * TILE[0] + columns * TILE[1]) * STEP;
        sheet.frame.text([left, top + LINE / 2.0], 13.0, Anchor::Start, Ink::Text, &name);
        let (x, y) = (left + STRIP, top + LINE + STRIP);
        let [high, wide] = [TILES[0] as f32 * tall, TILES[1] as f32 * 2.0 * tall];
        sheet.frame.outline([x - 1.0, y - 1.0, wide + 2.0, high + 2.0], 0.0, None, Ink::Faint, None);
        sheet.frame.outline([left, y - 1.0, STRIP - 6.0, high + 2.0], 0.0, None, Ink::Faint, None);
        sheet.frame.outline([x - 1.0, top + LINE, wide + 2.0, STRIP - 6.0], 0.0, None, Ink::Faint, None);
        for (at, [row, column]) in order[..first + running.len()].iter().enumerate() {
            let ink = if at >= first { now } else { done };
            let at = [x + *column as f32 * 2.0 * tall, y + *row as f32 * tall];
            sheet.frame.fill([at[0], at[1], 2.0 * tall - 1.0, tall - 1.0], 0.0, ink, None);
        }
        for row in (0..TILES[0]).filter(|row| running.iter().any(|tile| tile[0] == *row)) {
            sheet.frame.fill([left + 1.0, y + row as f32 * tall, STRIP - 8.0, tall - 1.0], 0.0, loaded, None);
        }
        for column in (0..TILES[1]).filter(|column| running.iter().any(|tile| tile[1] == *column)) {
            let at = [x + column as f32 * 2.0 * tall, top + LINE + 1.0];
            sheet.frame.fill([at[0], at[1], 2.0 * tall - 1.0, STRIP - 8.0], 0.0, loaded, None);
        }
        let axes = [
            ([left + 5.0, top + LINE + 5.0], Anchor::Middle, "A".to_owned()),
            ([x + wide + 6.0, top + LINE + 5.0], Anchor::Start, "B".to_owned()),
            ([x + wide + 6.0, y + 8.0], Anchor::Start, "C".to_owned()),
            ([x + wide + 6.0, y + 24.0], Anchor::Start, format!("{} × {} tiles", TILES[0], TILES[1])),
        ];
        let fits = |at: [f32; 2], words: &str| at[0] + text::width(words, 12.0, false) <= left + half;
        for (at, anchor, words) in axes.into_iter().filter(|(at, _, words)| fits(*at, words)) {
            sheet.frame.text(at, 12.0, anchor, Ink::Muted, words);
        }
        let said = format!("{rows} of A, {columns} of B: {} per step", si(bytes as f64, "B"));
        let mut end = y + high + 6.0;
        for line in text::wrap(&said, 13.0, half) {
            sheet.frame.text([left, end + LINE / 2.0], 13.0, Anchor::Start, Ink::Text, line);
            end += LINE;
        }
        bottom = bottom.max(end);
        sheet.say(&format!("{name}, wave {}: {said}.", wave + 1));
    }
    sheet.y = bottom;
    let keys = [
        (now, "C: these 132 tiles run together"),
        (done, "C: done"),
        (loaded, "A at the left, B above: loaded for them"),
    ];
    sheet.legend(0.0, &keys);
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "tile_order",
    tab: "Order",
    controls: &[
        Control::Whole { name: "rows in a group", of: |at| &mut at.group, range: [1, Explored::GROUP], first: 0 },
        Control::Whole { name: "wave", of: |at| &mut at.wave, range: [0, Explored::WAVES - 1], first: 1 },
    ],
    controls_first: true,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, view.at.group, view.at.wave);
        String::new()
    },
};
