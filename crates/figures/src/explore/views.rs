//! A view of a tensor and its storage: which elements are touched by lanes that read the view row by row.

use std::collections::BTreeSet;

use super::super::frame::Anchor;
use super::super::palette::{Hue, Ink};
use super::super::text;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::reference::views::{Op, View};

/// The largest cell.
const CELL: f32 = 30.0;
/// Elements of four bytes in a sector.
const SECTOR: usize = 8;
/// Between the view and its storage.
const GAP: f32 = 40.0;

/// Draws the view after these operations.
fn draw(sheet: &mut Sheet, ops: &[Op]) {
    let view = View::after(ops);
    let [rows, columns] = view.shape;
    let written: String = ops.iter().map(|op| op.written()).collect();
    sheet.line(13.0, Ink::Muted, "x = torch.arange(24.).view(4, 6)");
    sheet.line(14.0, Ink::Text, &format!("y = x{written}"));
    let contiguous = if view.is_contiguous() { "contiguous" } else { "not contiguous" };
    let ([down, along], offset) = (view.strides, view.offset);
    let facts = format!("shape ({rows}, {columns}), stride ({down}, {along}), offset {offset}: {contiguous}");
    sheet.line(13.0, Ink::Text, &facts);
    sheet.say(&format!("y = x{written}: {facts}."));
    sheet.y += 4.0;
    let places: Vec<usize> = view.places().collect();
    let read = &places[..places.len().min(SECTOR)];
    let cell = ((sheet.width - GAP - 24.0) / (columns + SECTOR) as f32).floor().clamp(12.0, CELL);
    let right = columns as f32 * cell + GAP + 24.0;
    for (x, name) in [(0.0, "y, row by row"), (right - 24.0, "its storage, by sector")] {
        sheet.frame.text([x, sheet.y + LINE / 2.0], 12.0, Anchor::Start, Ink::Muted, name);
    }
    sheet.y += LINE + 4.0;
    let small = if cell < 20.0 { None } else { Some(12.0) };
    let mut draw = |at: [f32; 2], value: usize, ink: Ink| {
        let rect = [at[0], at[1], cell - 2.0, cell - 2.0];
        sheet.frame.outline(rect, 2.0, Some(ink), Ink::Faint, None);
        if let Some(size) = small {
            let middle = [at[0] + cell / 2.0 - 1.0, at[1] + cell / 2.0 - 1.0];
            sheet.frame.text(middle, size, Anchor::Middle, Ink::Text, value.to_string());
        }
    };
    let (read_ink, seen_ink) = (Hue::Load.tint(45), Hue::Load.tint(14));
    for (at, place) in places.iter().enumerate() {
        let corner = [(at % columns) as f32 * cell, sheet.y + (at / columns) as f32 * cell];
        draw(corner, view.storage[*place], if at < read.len() { read_ink } else { seen_ink });
    }
    for (place, value) in view.storage.iter().enumerate() {
        let corner = [right + (place % SECTOR) as f32 * cell, sheet.y + (place / SECTOR) as f32 * cell];
        let ink = match () {
            () if read.contains(&place) => read_ink,
            () if places.contains(&place) => seen_ink,
            () => Ink::Panel,
        };
        draw(corner, *value, ink);
    }
    let sectors = view.storage.len().div_ceil(SECTOR);
    for sector in 0..sectors {
        let at = [right - 8.0, sheet.y + sector as f32 * cell + cell / 2.0 - 1.0];
        sheet.frame.text(at, 12.0, Anchor::End, Ink::Muted, sector.to_string());
    }
    let bottom = sheet.y + rows as f32 * cell + 8.0;
    sheet.y += sectors as f32 * cell + 8.0;
    conclusion(sheet, &view, read, right - 24.0);
    sheet.legend(right - 24.0, &[(read_ink, "read by these lanes"), (seen_ink, "in y"), (Ink::Panel, "not in y")]);
    sheet.y = sheet.y.max(bottom);
}

/// Writes, from `x` on, the bytes and sectors that lanes touch which `read` these places.
fn conclusion(sheet: &mut Sheet, view: &View, read: &[usize], x: f32) {
    let distinct = |places: &mut dyn Iterator<Item = usize>| places.collect::<BTreeSet<_>>().len();
    let bytes = 4 * distinct(&mut read.iter().copied());
    let sectors = distinct(&mut read.iter().map(|place| place / SECTOR));
    let (lanes, s) = (read.len(), if sectors == 1 { "" } else { "s" });
    let of = if lanes < view.shape[0] * view.shape[1] { format!("the first {lanes} of y") } else { "y".to_owned() };
    let said = format!("{lanes} lanes read {of}: {bytes} bytes of storage, in {sectors} sector{s} of 32 bytes");
    for line in text::wrap(&said, 13.0, sheet.width - x) {
        sheet.frame.text([x, sheet.y + LINE / 2.0], 13.0, Anchor::Start, Ink::Text, line);
        sheet.y += LINE;
    }
    sheet.say(&format!("{said}."));
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "views",
    tab: "Views",
    controls: &[Control::Operations],
    controls_first: true,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, &view.at.ops);
        String::new()
    },
};
