//! Tips for pieces of memory: which lanes touch the piece under the pointer.

use super::event::piece_of;
use super::frame::Tag;
use crate::base::units::count;
use crate::trace::banks::BANKS;
use crate::trace::{Piece, Space, Timeline};

/// The lanes that touch the piece of a tag: at event `index`, and in the whole record; None for other tags.
#[must_use]
pub fn told(timeline: &Timeline, index: usize, tag: Tag) -> Option<String> {
    let piece = piece_of(tag)?;
    let event = timeline.events.get(index)?;
    let now = match timeline.lanes_touching(event, piece) {
        0 => "No lane touches it now.".to_owned(),
        lanes => capital(&format!("{} it now.", touch(lanes))),
    };
    let (mut accesses, mut warps) = (0_u64, Vec::new());
    for (i, _) in timeline.touches(piece) {
        accesses += 1;
        let warp = timeline.events[i].warp;
        if !warps.contains(&warp) {
            warps.push(warp);
        }
    }
    let whole = match accesses {
        0 => "No access of this workgroup does.".to_owned(),
        1 => "In this workgroup that is the only access.".to_owned(),
        n => format!("In this workgroup: {} accesses, by {}.", count(n), plural(warps.len(), "warp")),
    };
    let sector = match piece {
        Piece::Word { buffer, index } if is_global(timeline, buffer) => {
            let index = index / 8;
            match timeline.lanes_touching(event, Piece::Sector { buffer, index }) {
                0 => String::new(),
                lanes => format!("\nOf its sector, number {}, {} a part.", count(index), touch(lanes)),
            }
        }
        _ => String::new(),
    };
    Some(format!("{}\n{now}{sector}\n{whole}", name(timeline, piece)))
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn is_global(timeline: &Timeline, buffer: u16) -> bool {
    timeline.buffers.get(usize::from(buffer)).is_some_and(|b| b.space == Space::Global)
}

fn plural(n: usize, noun: &str) -> String {
    format!("{} {noun}{}", count(n as u64), if n == 1 { "" } else { "s" })
}

fn name(timeline: &Timeline, piece: Piece) -> String {
    let buffer = |buffer: u16| timeline.buffers.get(usize::from(buffer));
    let named = |of: u16| buffer(of).map_or("a buffer", |b| b.name.as_str());
    match piece {
        Piece::Word { buffer: of, index } => {
            let bank = buffer(of).filter(|b| b.space == Space::Shared);
            let bank = bank.map(|b| format!(", bank {}", (u64::from(b.base) / 4 + index) % u64::from(BANKS)));
            let element = index * 4 / buffer(of).map_or(4, |b| b.elem.bytes());
            format!("{}[{element}], byte {}{}", named(of), count(index * 4), bank.unwrap_or_default())
        }
        Piece::Sector { buffer: of, index } => {
            format!(
                "Sector {} of {}: bytes {} to {}",
                count(index),
                named(of),
                count(index * 32),
                count(index * 32 + 31)
            )
        }
        Piece::Bank(bank) => format!("Bank {bank} of workgroup memory"),
    }
}

/// The lanes of a mask as a subject with its verb: `lane 3 touches`, `9 lanes (0–7, 9) touch`.
fn touch(lanes: u64) -> String {
    const SHOWN: usize = 6;
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for lane in (0..64).filter(|lane| lanes >> lane & 1 == 1) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => runs.push((lane, lane)),
        }
    }
    let one = |(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    let mut words: Vec<String> = runs.iter().take(SHOWN).map(one).collect();
    let left: u32 = runs.iter().skip(SHOWN).map(|(first, last)| last - first + 1).sum();
    if left > 0 {
        words.push(format!("{left} more"));
    }
    match lanes.count_ones() {
        1 => format!("lane {} touches", words.concat()),
        n => format!("{n} lanes ({}) touch", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::Script;
    use super::*;

    #[test]
    fn sectors_and_banks_name_their_lanes() {
        let timeline = Script::new(32).load(|i| i * 8).load(|_| 32).shared(|i| i * 64).0;
        let sector = |index| Tag::Sector { buffer: 0, index };
        let said = told(&timeline, 0, sector(1)).unwrap_or_default();
        assert_eq!(
            said,
            "Sector 1 of src: bytes 32 to 63\n4 lanes (4–7) touch it now.\nIn this workgroup: 2 accesses, by 1 warp."
        );
        let bank = told(&timeline, 2, Tag::Bank(16)).unwrap_or_default();
        assert!(
            bank.starts_with("Bank 16 of workgroup memory\n16 lanes (1, 3, 5, 7, 9, 11, 10 more) touch it now."),
            "{bank}"
        );
        let word = told(&timeline, 0, Tag::Word { buffer: 2, index: 33 }).unwrap_or_default();
        assert!(word.starts_with("tile[33], byte 132, bank 1\nNo lane touches it now."), "{word}");
        assert_eq!(told(&timeline, 0, Tag::Lane(3)), None);
        assert_eq!(touch(1 << 9), "lane 9 touches");
        let word = told(&timeline, 0, Tag::Word { buffer: 0, index: 8 }).unwrap_or_default();
        assert!(
            word.contains("\nLane 4 touches it now.\nOf its sector, number 1, 4 lanes (4–7) touch a part.\n"),
            "{word}"
        );
    }
}
