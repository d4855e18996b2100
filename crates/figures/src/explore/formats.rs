//! A number as four formats write it: bits, what is kept, and how far that is off.

use super::super::frame::Anchor;
use super::super::palette::Ink;
use super::Explorer;
use super::control::Control;
use super::sheet::{LINE, Sheet};
use crate::base::units::count;
use crate::reference::formats::{FORMATS, Format};

/// Room for a format's name.
const NAME: f32 = 44.0;
/// Room for the number that is kept.
const KEPT: f32 = 108.0;
/// Room for how far it is off.
const OFF: f32 = 100.0;
/// Bits of the longest format.
const BITS: f32 = 32.0;

/// Draws it.
fn draw(sheet: &mut Sheet, number: f64) {
    sheet.line(14.0, Ink::Text, &format!("{} in the formats of tensor cores", written(number)));
    let bit = ((sheet.width - NAME - KEPT - OFF) / BITS).min(14.0);
    let tall = bit.max(12.0) * 1.5;
    for (x, name) in [(sheet.width - OFF - 8.0, "kept"), (sheet.width, "off by")] {
        sheet.frame.text([x, sheet.y + LINE / 2.0], 12.0, Anchor::End, Ink::Muted, name);
    }
    let inks = [Ink::Accent, Ink::Load, Ink::Shared];
    sheet.y += LINE + 4.0;
    for format in FORMATS {
        let middle = sheet.y + tall / 2.0;
        sheet.frame.text([0.0, middle], 14.0, Anchor::Start, Ink::Text, format.name);
        for (at, one) in format.bits(number).into_iter().enumerate() {
            let ink = match at as u32 {
                0 => inks[0],
                at if at <= format.exponent => inks[1],
                _ => inks[2],
            };
            let rect = [NAME + at as f32 * bit, sheet.y, bit - 1.0, tall];
            sheet.frame.outline(rect, 1.0, one.then_some(ink), ink, None);
        }
        let (kept, off) = (format.nearest(number), off_by(format, number));
        let ink = if kept.is_finite() { Ink::Text } else { Ink::Conflict };
        sheet.frame.text([sheet.width - OFF - 8.0, middle], 13.0, Anchor::End, ink, written(kept));
        sheet.frame.text([sheet.width, middle], 13.0, Anchor::End, Ink::Text, off.as_str());
        sheet.say(&format!("{}: {}, off by {off}.", format.name, written(kept)));
        sheet.y += tall + 10.0;
    }
    sheet
        .legend(0.0, &[(inks[0], "sign"), (inks[1], "exponent"), (inks[2], "fraction"), (Ink::Panel, "bit that is 0")]);
}

/// How far the kept number is off, as a part of the number.
fn off_by(format: Format, number: f64) -> String {
    let kept = format.nearest(number);
    if kept == number || number.is_nan() {
        "0".to_owned()
    } else if !kept.is_finite() {
        "infinity".to_owned()
    } else if kept == 0.0 {
        "all of it".to_owned()
    } else {
        let parts = (number / (kept - number)).abs();
        if parts < 1e6 {
            format!("1 in {}", count(parts.round() as u64))
        } else {
            format!("1 in {:.0} million", parts / 1e6)
        }
    }
}

/// Nine digits at most: as many as tell any two numbers of f32 apart.
fn written(number: f64) -> String {
    let size = number.abs();
    let text = if number == 0.0 || !number.is_finite() {
        number.to_string()
    } else if !(1e-4..1e8).contains(&size) {
        format!("{number:.4e}")
    } else {
        let decimals = (8.0 - size.log10().floor()).max(0.0) as usize;
        format!("{number:.decimals$}").trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    text.replace('-', "−")
}

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "formats",
    tab: "Formats",
    controls: &[Control::Number],
    controls_first: true,
    is_low: true,
    has_vocabulary: false,
    draw: |sheet, view| {
        draw(sheet, view.at.number);
        String::new()
    },
};
