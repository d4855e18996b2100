//! The learner's text as Unicode and UTF-8 have it: characters, code points, bytes, one below the other.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::super::text;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::base::units::count;

/// Room of a byte's cell, and its height; the space between two characters.
const BYTE: f32 = 34.0;
const CELL: f32 = 22.0;
const GAP: f32 = 10.0;
/// Lines of characters at most.
const LINES: usize = 3;

/// Draws it.
fn draw(sheet: &mut Sheet, typed: &str) {
    let (characters, bytes) = (typed.chars().count(), typed.len());
    sheet.line(14.0, Ink::Text, &format!("{} code points, {} bytes", count(characters as u64), count(bytes as u64)));
    sheet.say(&format!("{characters} code points in {bytes} bytes."));
    sheet.y += 4.0;
    let left = 76.0;
    let (mut x, mut lines) = (left, 1);
    names(sheet);
    for (drawn, c) in typed.chars().enumerate() {
        let mut encoded = [0; 4];
        let of = c.encode_utf8(&mut encoded).as_bytes();
        let number = format!("U+{:04X}", u32::from(c));
        let wide = (BYTE * of.len() as f32).max(text::width(&number, 12.0, true) + 4.0);
        if x > left && x + wide > sheet.width {
            if lines == LINES {
                let more = format!("and {} more", count((characters - drawn) as u64));
                sheet.y += 3.0 * CELL + 12.0;
                sheet.line(12.0, Ink::Muted, &more);
                return;
            }
            (x, lines) = (left, lines + 1);
            sheet.y += 3.0 * CELL + 16.0;
            names(sheet);
        }
        let middle = x + wide / 2.0;
        let shown = match c {
            ' ' => "␣".to_owned(),
            '\n' => "¶".to_owned(),
            c if c.is_control() => "·".to_owned(),
            c => c.to_string(),
        };
        sheet.frame.text([middle, sheet.y + CELL / 2.0], 17.0, Anchor::Middle, Ink::Text, shown);
        sheet.frame.text([middle, sheet.y + CELL * 1.5], 12.0, Anchor::Middle, Ink::Muted, number);
        let first = middle - BYTE * of.len() as f32 / 2.0;
        for (i, byte) in of.iter().enumerate() {
            let rect = [first + BYTE * i as f32, sheet.y + 2.0 * CELL, BYTE - 2.0, CELL - 2.0];
            let fill = if of.len() > 1 { Ink::Bank((4 * of.len()) as u8, 45) } else { Ink::Raised };
            sheet.frame.outline(rect, 3.0, Some(fill), fill, None);
            let at = [rect[0] + rect[2] / 2.0, rect[1] + rect[3] / 2.0];
            sheet.frame.text(at, 12.0, Anchor::Middle, Ink::Text, byte.to_string());
        }
        sheet.say(&format!("U+{:04X}: {of:?}.", u32::from(c)));
        x += wide + GAP;
    }
    sheet.y += 3.0 * CELL + 8.0;
}

/// The names of the three rows of a line.
fn names(sheet: &mut Sheet) {
    for (row, name) in (0_u8..).zip(["character", "code point", "bytes"]) {
        let y = sheet.y + CELL * (f32::from(row) + 0.5);
        sheet.frame.text([0.0, y], 12.0, Anchor::Start, Ink::Muted, name);
    }
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "bytes",
    tab: "Bytes",
    controls: &[Control::Text],
    controls_first: true,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        sheet.y += LINE / 4.0;
        draw(sheet, &view.at.text);
        String::new()
    },
};
