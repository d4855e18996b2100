//! The operands of one `mma.sync`, each element with the lane that holds it.

use super::super::frame::Anchor;
use super::super::palette::{Hue, Ink};
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::reference::Explored;
use crate::reference::fragments::Operand;

/// The narrowest cell that a lane's number fits in.
const NUMBERED: f32 = 15.0;
/// The largest cell.
const CELL: f32 = 22.0;
/// Between two matrices.
const GAP: f32 = 26.0;

/// Draws A, B and C, with the elements of one lane.
fn draw(sheet: &mut Sheet, lane: usize) {
    let said = format!("Each element's lane in mma.sync; lane {lane} holds 8 of A, 4 of B, 4 of C");
    sheet.line(14.0, Ink::Text, &said);
    let cell = ((sheet.width - 2.0 * GAP) / 32.0).floor().min(CELL);
    let (own, other) = (Hue::Accent.tint(60), Ink::Panel);
    let mut x = 0.0;
    let top = sheet.y + LINE;
    for (operand, name, sign) in [(Operand::A, "A", ""), (Operand::B, "B", "·"), (Operand::C, "C", "=")] {
        let [rows, columns] = operand.shape();
        if !sign.is_empty() {
            sheet.frame.text([x - GAP / 2.0, top + 8.0 * cell], 16.0, Anchor::Middle, Ink::Muted, sign);
        }
        let head = format!("{name}, {rows} × {columns}");
        sheet.frame.text([x, sheet.y + LINE / 2.0], 12.0, Anchor::Start, Ink::Muted, head);
        let mut held = Vec::new();
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let (holder, _) = operand.holder(row, column);
            let at = [x + column as f32 * cell, top + row as f32 * cell];
            let ink = if holder == lane { own } else { other };
            sheet.frame.outline([at[0], at[1], cell - 1.0, cell - 1.0], 1.0, Some(ink), Ink::Faint, None);
            if holder == lane {
                held.push(format!("({row}, {column})"));
            }
            if cell >= NUMBERED {
                let words = if holder == lane { Ink::Text } else { Ink::Muted };
                let middle = [at[0] + (cell - 1.0) / 2.0, at[1] + (cell - 1.0) / 2.0];
                sheet.frame.text(middle, 12.0, Anchor::Middle, words, holder.to_string());
            }
        }
        sheet.say(&format!("Lane {lane} holds of {name}: {}.", held.join(", ")));
        x += columns as f32 * cell + GAP;
    }
    sheet.y = top + 16.0 * cell + 4.0;
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "fragments",
    tab: "Fragments",
    controls: &[Control::Whole { name: "lane", of: |at| &mut at.lane, range: [0, Explored::LANES - 1], first: 0 }],
    controls_first: true,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, view.at.lane);
        String::new()
    },
};
