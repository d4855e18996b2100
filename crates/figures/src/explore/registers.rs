//! A lane's block of sums in registers: what it reads of two tiles, and how many products come of it.

use super::super::frame::Anchor;
use super::super::palette::{Hue, Ink};
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet, short};
use crate::reference::Explored;

/// The largest cell.
const CELL: f32 = 36.0;
/// The tallest block.
const TALL: f32 = 176.0;
/// Room for the numbers beside it.
const NUMBERS: f32 = 236.0;

/// Draws the step over one `k` of a lane that computes this many rows and columns of C.
fn draw(sheet: &mut Sheet, [rows, columns]: [usize; 2]) {
    sheet.line(14.0, Ink::Text, "What one lane does for one k: read, then multiply each with each");
    let (read, sum) = (Hue::Shared.tint(45), Hue::Store.tint(45));
    let room = sheet.width - NUMBERS;
    let cell = (room / (columns as f32 + 2.0)).min(TALL / (rows as f32 + 1.0)).min(CELL);
    let (left, top) = ((cell + 12.0).max(42.0), sheet.y + LINE + cell.max(14.0) + 4.0);
    let mut draw = |x: f32, y: f32, ink: Ink| {
        sheet.frame.outline([x, y, cell - 1.0, cell - 1.0], 2.0, Some(ink), Ink::Faint, None);
    };
    for row in 0..rows {
        draw(left - cell - 6.0, top + row as f32 * cell, read);
        (0..columns).for_each(|column| draw(left + column as f32 * cell, top + row as f32 * cell, sum));
    }
    (0..columns).for_each(|column| draw(left + column as f32 * cell, top - cell - 6.0, read));
    let name = |sheet: &mut Sheet, at: [f32; 2], anchor: Anchor, words: &str| {
        sheet.frame.text(at, 13.0, anchor, Ink::Muted, words);
    };
    name(sheet, [left, top - cell - 16.0], Anchor::Start, "of B");
    name(sheet, [left - 10.0, top - 10.0], Anchor::End, "of A");
    let (reads, products) = (rows + columns, rows * columns);
    let a_product = short(reads as f64 / products as f64);
    let lines = [
        (format!("{rows} + {columns} = {reads}"), "reads of shared memory"),
        (format!("{rows} × {columns} = {products}"), "products, each added to a sum"),
        (format!("{reads} / {products} = {a_product}"), "reads per product; 2 with one sum"),
        (products.to_string(), "registers per lane, for the sums"),
    ];
    let (x, mut y) = (sheet.width - NUMBERS + 24.0, sheet.y + 4.0);
    for (number, meaning) in &lines {
        sheet.frame.text([x, y + LINE / 2.0], 16.0, Anchor::Start, Ink::Text, number);
        sheet.frame.text([x, y + 1.5 * LINE], 12.0, Anchor::Start, Ink::Muted, *meaning);
        y += 2.0 * LINE + 6.0;
    }
    sheet.say(&format!(
        "A lane computes {rows} × {columns} elements of C. For one k it makes {reads} reads of shared memory and {products} products: {a_product} reads per product."
    ));
    sheet.y = y.max(top + rows as f32 * cell + 4.0);
    sheet.legend(0.0, &[(read, "read into a register, once"), (sum, "sum that stays in a register")]);
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "registers",
    tab: "Registers",
    controls: &[
        Control::Whole { name: "rows of sums", of: |at| &mut at.block[0], range: [1, Explored::BLOCK], first: 0 },
        Control::Whole { name: "columns of sums", of: |at| &mut at.block[1], range: [1, Explored::BLOCK], first: 0 },
    ],
    controls_first: true,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, view.at.block);
        String::new()
    },
};
