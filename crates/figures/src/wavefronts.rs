//! An access of workgroup memory as its wavefronts: a row for each, the first one below, a column for each bank.

use super::banks::Served;
use super::frame::{Anchor, Frame, Tag};
use super::lanes::COLUMNS;
use super::memory::label;
use super::palette::Ink;

/// Wavefronts that there is room for: as many as a warp's conflicts can make of one word a lane. One is seen to be a small part of them.
const ROOM: u32 = 32;
/// The gap above the banks' colours, which are no wavefront.
const KEY: f32 = 5.0;
/// Height of these colours.
const SWATCH: f32 = 4.0;
/// How strongly a bank's empty column is tinted, in percent.
const EMPTY: u8 = 12;

/// The part of it that is visible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    /// The variable that is accessed.
    pub(super) buffer: u16,
    /// How many of its wavefronts are there already, from 0 to 1.
    pub(super) landed: f32,
    /// The bank that the pointer is on.
    pub(super) lit: Option<u32>,
}

/// Draws the whole tower into left, top, width and height, with the wavefronts' numbers on the left and the banks' below.
pub(super) fn draw(frame: &mut Frame, served: &[Served], [left, top, width, height]: [f32; 4], look: Look) {
    let wavefronts = served.iter().map(|s| s.wavefront + 1).max().unwrap_or(0);
    let x = |bank: u32| left + width * bank as f32 / COLUMNS as f32;
    let floor = top + height;
    let across = width / COLUMNS as f32;
    let space = if across >= 5.0 { 1.0 } else { 0.0 };
    let strength = |bank: u32| if look.lit.is_none_or(|lit| lit == bank) { 100 } else { 30 };
    for bank in 0..COLUMNS {
        let tag = Some(Tag::Bank(bank));
        let of = bank as u8;
        frame.fill([x(bank), top, across - space, height], 0.0, Ink::Bank(of, EMPTY), tag);
        frame.fill([x(bank), floor + KEY, across - space, SWATCH], 0.0, Ink::Bank(of, strength(bank)), tag);
    }
    let high = height / wavefronts.max(ROOM) as f32;
    let gap = if high >= 4.0 { 1.0 } else { high / 4.0 };
    let there = (look.landed * wavefronts as f32).ceil() as u32;
    for word in served.iter().filter(|word| word.wavefront < there) {
        let rect = [x(word.bank), floor - (word.wavefront + 1) as f32 * high + gap, across - space, high - gap];
        let tag = Some(Tag::Word { buffer: look.buffer, index: word.word });
        let strength = strength(word.bank);
        frame.fill(rect, 0.0, Ink::Bank(word.bank as u8, strength), tag);
        if strength == 100 {
            label(frame, rect, word.lanes, Ink::On, tag);
        }
    }
    let every = ((14.0 / high).ceil().max(1.0) as u32).next_power_of_two();
    for wavefront in (1..=wavefronts).filter(|w| w.is_multiple_of(every) || (wavefronts < every && *w == wavefronts)) {
        let y = floor - (wavefront as f32 - 0.5) * high;
        frame.text([left - 6.0, y], 12.0, Anchor::End, Ink::Muted, wavefront.to_string());
    }
    let y = floor + KEY + SWATCH + 8.0;
    frame.text([left - 6.0, y], 12.0, Anchor::End, Ink::Muted, "bank");
    let every = match across {
        across if across >= 17.0 => 1,
        across if across >= 6.0 => 4,
        _ => 8,
    };
    for bank in (0..COLUMNS).filter(|bank| bank.is_multiple_of(every) || (*bank == COLUMNS - 1 && every == 4)) {
        if bank == COLUMNS - 1 && every == 4 && across < 11.0 {
            continue;
        }
        let middle = x(bank) + (across - space) / 2.0;
        frame.text([middle, y], 12.0, Anchor::Middle, Ink::Muted, bank.to_string());
        frame.tag_last(Tag::Bank(bank));
    }
}
