//! A grid's workgroups over the SMs of a device, wave after wave, and the slots that stay empty.

use super::answers::Spread;
use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Key, MARGIN, legend};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::text;
use crate::base::units::{count, digits3, si};
use crate::device::Waves;
use crate::lesson::Picture;

/// Height of the strip of waves, with what is written above and below it.
const STRIP: f32 = 84.0;
/// Height of a bar that is full.
const BAR: f32 = 36.0;
/// A bar is at least this wide, and an SM at least this large.
const LEAST_BAR: f32 = 8.0;
const LEAST_CELL: f32 = 3.0;
/// An SM is at most this large.
const MOST_CELL: f32 = 40.0;
/// Empty slots.
const EMPTY: Ink = Ink::Tint(Hue::Waste, 35);
/// Room for lanes that no slot has.
const WITHOUT: Ink = Ink::Raised;
/// Slots with a workgroup.
const BUSY: Ink = Ink::Load;

/// The picture.
pub(super) fn frame(view: &View<'_>, spread: &Spread) -> Frame {
    let mut frame = Frame::new(view.size);
    let (shown, filled) = shown(spread, view);
    let headline = headline(spread);
    let room = frame.width - 2.0 * MARGIN;
    let mut y = 24.0;
    let fits = |size: &f32| text::wrap(&headline, *size, room).len() <= 2;
    let size = [16.0, 14.0].into_iter().find(fits).unwrap_or(12.0);
    for line in text::wrap(&headline, size, room) {
        frame.text([MARGIN, y], size, Anchor::Start, Ink::Text, line);
        y += size + 5.0;
    }
    for line in text::wrap(&taken(spread), 12.0, room) {
        frame.text([MARGIN, y], 12.0, Anchor::Start, Ink::Muted, line);
        y += 16.0;
    }
    let below = frame.height - STRIP;
    let slots = busy(spread, shown, filled);
    cells(&mut frame, spread, slots, [MARGIN, y, room, below - y]);
    let said = match spread.tiles {
        Some(tiles) => rounds(&mut frame, spread, tiles, shown),
        None => strip(&mut frame, spread, shown),
    };
    frame.alt = format!("{headline}. {said}.");
    frame
}

/// Workgroups that a wave has.
fn of_wave(w: &Waves, wave: u64) -> u64 {
    w.blocks.saturating_sub(wave * places(w)).min(places(w))
}

/// Workgroups that an SM has of `blocks`: each SM takes one in turn until none is left.
fn of_sm(w: &Waves, blocks: u64, sm: u32) -> u64 {
    let sms = u64::from(w.sms);
    blocks / sms + u64::from(u64::from(sm) < blocks % sms)
}

/// Workgroups running after the share `filled` of a wave's has started; for a persistent kernel, the same share of those with a tile in that round.
#[expect(clippy::cast_precision_loss, reason = "a share of the slots")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of the slots")]
fn busy(spread: &Spread, wave: u64, filled: f32) -> u64 {
    let w = &spread.waves;
    let blocks = match spread.tiles {
        Some(tiles) => tiles.saturating_sub(wave * w.blocks).min(w.blocks),
        None => of_wave(w, wave),
    };
    (blocks as f64 * f64::from(filled)).ceil() as u64
}

fn places(w: &Waves) -> u64 {
    u64::from(w.sms) * u64::from(w.blocks_per_sm)
}

/// Waves, the last of them perhaps partial.
fn all(w: &Waves) -> u64 {
    w.full + u64::from(w.tail_blocks > 0)
}

/// The wave to show, the one under the pointer or that of the clock, and the share of its workgroups that have begun.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a tick of the clock")]
fn shown(spread: &Spread, view: &View<'_>) -> (u64, f32) {
    let last = spread.ticks().saturating_sub(1);
    match view.hovered {
        Some(Tag::Wave(wave)) if wave <= last => (wave, 1.0),
        _ => {
            let wave = (view.position.max(0.0) as u64).min(last);
            // The last part of a tick is for looking.
            (wave, if view.motion { (view.position.fract() / 0.75).min(1.0) } else { 1.0 })
        }
    }
}

fn headline(spread: &Spread) -> String {
    let w = &spread.waves;
    if let Some(tiles) = spread.tiles {
        #[expect(clippy::cast_precision_loss, reason = "grids stay below 2^53 tiles")]
        let each = tiles as f64 / w.blocks as f64;
        let (slots, of) = (count(places(w)), workgroups(w.blocks));
        return format!("{of} on {slots} slots stay for {} tiles: {} each", count(tiles), digits3(each));
    }
    match spread.lanes.filter(|_| has_few_lanes(spread)) {
        Some([held, room]) => {
            let (held, room, of) = (count(held.into()), count(room.into()), percent(share(spread).into()));
            format!("An SM holds {held} of {room} lanes, {of}, limited by {}", spread.limited_by)
        }
        None => told_in_waves(spread),
    }
}

/// Whether more is lost by what an SM cannot hold than by slots that stay empty.
fn has_few_lanes(spread: &Spread) -> bool {
    let unused = 1.0 - f64::from(share(spread));
    spread.tiles.is_none() && unused > 0.5 && unused > spread.waves.idle_share
}

fn told_in_waves(spread: &Spread) -> String {
    let w = &spread.waves;
    let (of, sms) = (workgroups(w.blocks), count(w.sms.into()));
    if w.blocks < w.sms.into() {
        return format!("{of}, {sms} SMs: {} of them have nothing to do", count(u64::from(w.sms) - w.blocks));
    }
    let (each, slots, waves) = (count(w.blocks_per_sm.into()), count(places(w)), digits3(w.waves));
    format!("{of}, {sms} SMs × {each} = {slots} slots: {waves} waves; {} of slots idle", percent(w.idle_share))
}

/// The assumptions of the picture.
fn taken(spread: &Spread) -> String {
    let model = if spread.this_machine { "" } else { ", a model" };
    let registers = if spread.registers { "" } else { " Registers are not counted." };
    let lanes =
        spread.lanes.map(|[held, room]| format!(", {} of its {} lanes", count(held.into()), count(room.into())));
    let room = if spread.lanes.is_some() { "its room for lanes" } else { "its slots" };
    // The figures that the headline leaves out.
    let rest = if has_few_lanes(spread) {
        told_in_waves(spread)
    } else {
        let of = workgroups(spread.waves.blocks_per_sm.into());
        format!("An SM holds {of} at once{}, limited by {}", lanes.unwrap_or_default(), spread.limited_by)
    };
    format!(
        "A box is an SM, filled as far as {room} is taken. {rest}.{registers} {}{model}. Its workgroups take equally long and go to the SMs in turn.",
        spread.device
    )
}

fn workgroups(n: u64) -> String {
    format!("{} workgroup{}", count(n), if n == 1 { "" } else { "s" })
}

/// A share in whole per cents, with a digit more below one.
fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent > 0.0 && percent < 1.0 { format!("{percent:.1}%") } else { format!("{percent:.0}%") }
}

/// The SMs, each filled as far as its slots are busy in the wave.
#[expect(clippy::cast_precision_loss, reason = "an SM holds few workgroups")]
fn cells(frame: &mut Frame, spread: &Spread, blocks: u64, [x, y, width, height]: [f32; 4]) {
    let w = &spread.waves;
    let size = |columns: u32| (width / columns as f32).min(height / w.sms.div_ceil(columns) as f32);
    let widest = w.sms.clamp(1, 1024);
    let columns = (1..=widest).max_by(|a, b| size(*a).total_cmp(&size(*b))).unwrap_or(1);
    let pitch = size(columns).min(MOST_CELL).floor();
    if pitch < LEAST_CELL {
        if height >= 16.0 {
            let words = "There are more SMs than there is room to draw.";
            frame.fitted([x, y + height / 2.0], 12.0, Anchor::Start, Ink::Muted, width, words);
        }
        return;
    }
    let gap = if pitch >= 10.0 { 3.0 } else { 1.0 };
    let side = pitch - gap;
    // Slots take as much of a box as their lanes do of the SM's; what is there is seen, however small.
    let whole = (side * share(spread)).max(3.0).min(side);
    let band = whole / w.blocks_per_sm as f32;
    let rows = w.sms.div_ceil(columns);
    let left = x;
    let top = (y + (height - pitch * rows as f32) / 2.0).round();
    for sm in 0..w.sms {
        let at = [left + (sm % columns) as f32 * pitch, top + (sm / columns) as f32 * pitch];
        let busy = of_sm(w, blocks, sm);
        let tag = Some(Tag::Sm(sm));
        if whole < side {
            frame.outline([at[0], at[1], side, side], 2.0, Some(WITHOUT), Ink::Faint, tag);
        }
        // An idle slot is seen, however small, and a busy one.
        let filled =
            if busy < u64::from(w.blocks_per_sm) { (band * busy as f32).max(3.0).min(whole - 2.0) } else { whole };
        if busy < u64::from(w.blocks_per_sm) {
            frame.fill([at[0], at[1] + side - whole, side, whole], 2.0, EMPTY, tag);
        }
        if busy > 0 {
            frame.fill([at[0], at[1] + side - filled, side, filled], 2.0, BUSY, tag);
        }
        // Slots are separated if they are large enough.
        for slot in (1..w.blocks_per_sm).take_while(|_| band >= 4.0) {
            let y = at[1] + side - band * slot as f32;
            frame.line([at[0], y], [at[0] + side, y], 1.0, Ink::Panel, None);
        }
    }
}

/// A bar from `x` and `top` on, filled as far as its slots are busy.
#[expect(clippy::cast_precision_loss, reason = "shares of a bar")]
fn bar(frame: &mut Frame, [x, top, wide]: [f32; 3], [busy, slots]: [u64; 2], tag: Option<Tag>) {
    let filled = BAR * busy as f32 / slots as f32;
    if busy < slots {
        frame.fill([x, top, wide, BAR], 0.0, EMPTY, tag);
    }
    frame.fill([x, top + BAR - filled, wide, filled], 0.0, BUSY, tag);
}

/// One bar a wave, in the order of time, and the wave at hand in words, which are also given back.
#[expect(clippy::cast_precision_loss, reason = "shares of a bar")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bars that fit a window")]
fn strip(frame: &mut Frame, spread: &Spread, shown: u64) -> String {
    let w = &spread.waves;
    let (left, room) = (MARGIN, frame.width - 2.0 * MARGIN);
    let top = frame.height - STRIP + 26.0;
    let waves = all(w);
    let fits = (room / LEAST_BAR).floor().max(2.0) as u64;
    // A wave is not left out alone.
    let bars = if waves == fits + 1 { waves } else { waves.min(fits) };
    let pitch = (room / bars as f32).min(72.0);
    for place in 0..bars {
        // If there are too many to draw, the last bar is the last wave, and full waves before it are left out.
        let wave = if place + 1 == bars { waves - 1 } else { place };
        let x = left + pitch * place as f32;
        let (blocks, tag) = (of_wave(w, wave), Some(Tag::Wave(wave)));
        let wide = (pitch - 2.0).max(1.0);
        bar(frame, [x, top, wide], [blocks, places(w)], tag);
        if wave == shown {
            frame.outline([x, top, wide, BAR], 0.0, None, Ink::Accent, tag);
        }
    }
    let blocks = of_wave(w, shown);
    let idle = places(w) - blocks;
    let said = format!("wave {} of {}: {} of {} slots busy", shown + 1, count(waves), count(blocks), count(places(w)));
    let share = idle as f64 / places(w) as f64;
    let wasted = if share > 0.995 { "nearly all idle".to_owned() } else { format!("{} idle", percent(share)) };
    let wide = text::width(&wasted, 14.0, false);
    let words = text::fit(&said, 14.0, false, room - wide - 16.0);
    let after = left + text::width(&words, 14.0, false) + 12.0;
    frame.text([left, top - 14.0], 14.0, Anchor::Start, Ink::Text, words);
    if idle > 0 {
        frame.text([after, top - 14.0], 14.0, Anchor::Start, Ink::Waste, wasted.clone());
    }
    let predicted = spread.wave_s().map(|each| format!("time: {} a wave, predicted", si(each, "s")));
    let passes = predicted.unwrap_or_else(|| "time, from left to right".to_owned());
    let time = match waves - bars {
        0 => passes,
        more => format!("{passes}; {} full waves before the last not drawn", count(more)),
    };
    foot(frame, spread, top + BAR + 12.0, &time);
    if idle > 0 { format!("{said}, {wasted}") } else { said }
}

/// The workgroups of a kernel that stay, tile after tile, without a gap; in words, which are also given back.
#[expect(clippy::cast_precision_loss, reason = "shares of a bar")]
fn rounds(frame: &mut Frame, spread: &Spread, tiles: u64, shown: u64) -> String {
    let w = &spread.waves;
    let (left, room) = (MARGIN, frame.width - 2.0 * MARGIN);
    let top = frame.height - STRIP + 26.0;
    let rounds = tiles.div_ceil(w.blocks.max(1)).max(1);
    let pitch = (room / rounds as f32).min(72.0);
    for round in 0..rounds {
        let x = left + pitch * round as f32;
        let busy = tiles.saturating_sub(round * w.blocks).min(w.blocks);
        bar(frame, [x, top, pitch], [busy, places(w)], None);
        if round > 0 && pitch >= LEAST_BAR {
            frame.line([x, top], [x, top + BAR], 1.0, Ink::Panel, None);
        }
        if pitch >= 48.0 {
            let name = format!("tile {}", round + 1);
            frame.text([x + pitch / 2.0, top + BAR / 2.0 + 2.0], 12.0, Anchor::Middle, Ink::On, name);
        }
    }
    frame.outline([left + pitch * shown as f32, top, pitch, BAR], 0.0, None, Ink::Accent, None);
    let last = tiles - (rounds - 1) * w.blocks;
    let said = match rounds {
        1 => format!("one wave: {} take a tile each", workgroups(tiles)),
        _ => format!("one wave, {} tiles one after the other: {} take the last", count(rounds), workgroups(last)),
    };
    frame.fitted([left, top - 14.0], 14.0, Anchor::Start, Ink::Text, room, &said);
    foot(frame, spread, top + BAR + 12.0, "time, from left to right");
    said
}

/// Draws the name of the bars' axis, and the legend of the colours.
fn foot(frame: &mut Frame, spread: &Spread, y: f32, time: &str) {
    let without = Key::new(WITHOUT, "lanes without a slot").or("no slot").edge(Ink::Faint);
    let keys = [Key::new(BUSY, "workgroup"), Key::new(EMPTY, "empty slot").or("empty"), without];
    let keys = &keys[..if share(spread) < 1.0 { 3 } else { 2 }];
    let wide: f32 = keys.iter().map(|key| legend::wide(key.long) + 16.0).sum::<f32>() - 16.0;
    let x = (frame.width - MARGIN - wide).max(MARGIN);
    legend::legend(frame, x, y, frame.width - MARGIN - x, keys);
    frame.fitted([MARGIN, y], 12.0, Anchor::Start, Ink::Muted, x - MARGIN - 16.0, time);
}

/// The share of an SM's room for lanes that its slots have; all of it where that is not known.
fn share(spread: &Spread) -> f32 {
    spread.lanes.map_or(1.0, |[held, room]| (held as f32 / room.max(1) as f32).min(1.0))
}

/// The tip for the item under the pointer.
pub(super) fn told(view: &View<'_>, tag: Tag) -> Option<String> {
    let spread = view.ask(ask::Spread).ok()?;
    let w = &spread.waves;
    match tag {
        Tag::Wave(wave) => {
            let (blocks, places) = (of_wave(w, wave), places(w));
            let first = wave * places;
            let time = spread.wave_at(wave).map(|at| at.map(|s| si(s, "s")));
            let time =
                time.map_or_else(String::new, |[begin, end]| format!("\npredicted: {begin} to {end} after the launch"));
            Some(format!(
                "Wave {}: workgroups {} to {}\n{} of {} slots busy{time}",
                wave + 1,
                count(first),
                count(first + blocks.saturating_sub(1)),
                count(blocks),
                count(places)
            ))
        }
        Tag::Sm(sm) => {
            let (last, each) = (all(w).saturating_sub(1), w.blocks_per_sm);
            let busy = of_sm(w, of_wave(w, last), sm);
            let total = w.full * u64::from(each) + if w.tail_blocks > 0 { busy } else { 0 };
            Some(format!("SM {sm}\n{busy} of {each} slots busy in the last wave\n{} in all", workgroups(total)))
        }
        _ => None,
    }
}

static CARD: Card = Card {
    name: "Waves",
    tab: "Waves",
    help: "How the grid's workgroups spread over a device's SMs, wave after wave",
    about: "how the grid's workgroups spread over a device's SMs",
    clock: Clock::Waves,
    fits: |facts| facts.kernel,
    needs: "any kernel",
    args: &[Arg::optional(
        "at",
        ArgKind::Share,
        "the share of the waves at which the picture begins; the first wave if left out",
    )],
};

/// The share of the waves at which a picture begins: the lesson's, or the first wave; None for the last wave if only the learner chose it.
#[must_use]
pub fn begins(picture: &Picture) -> Option<f64> {
    picture.number("at").or_else(|| picture.place.as_ref().map(|_| 0.0))
}

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.ask(ask::Spread).map(|spread| frame(view, spread))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(view, tag)
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::Results;
    use crate::device;
    use crate::fixtures::{Painter, Seen, assert_tidy};
    use crate::frame::Item;

    fn spread(blocks: u64, sms: u32, each: u32) -> Option<Spread> {
        let waves = device::waves(blocks, sms, each)?;
        let device = "NVIDIA H100 SXM5 80 GB".to_owned();
        let (lanes, tiles) = (None, None);
        Some(Spread {
            device,
            this_machine: false,
            limited_by: "shared memory",
            registers: false,
            lanes,
            tiles,
            waves,
            busy_s: Some(4e-6),
        })
    }

    fn drawn(spread: Option<&Spread>, hovered: Option<Tag>, size: [f32; 2]) -> Frame {
        let spread = spread.expect("the device holds such a workgroup");
        let results = Results::default().with(ask::Spread, spread.clone());
        let position = spread.opening(None) as f32 + 0.99;
        let view = Seen { hovered, position, ..Seen::from(results, size) };
        Painter::of("Waves").frame(&view)
    }

    /// SMs that have a filling of this ink.
    fn filled(frame: &Frame, ink: Ink) -> usize {
        let is =
            |item: &&Item| matches!(item, Item::Rect { fill: Some(fill), tag: Some(Tag::Sm(_)), .. } if *fill == ink);
        frame.items.iter().filter(is).count()
    }

    #[test]
    fn too_few_workgroups_leave_sms_empty() {
        let spread = spread(64, 132, 1);
        let frame = drawn(spread.as_ref(), None, [800.0, 500.0]);
        assert_eq!((filled(&frame, BUSY), filled(&frame, EMPTY)), (64, 68));
        let expected = "64 workgroups, 132 SMs: 68 of them have nothing to do. \
                        wave 1 of 1: 64 of 132 slots busy, 52% idle.";
        assert_eq!(frame.alt, expected);
    }

    #[test]
    fn the_headline_says_the_larger_loss() {
        let with = |lanes| spread(133, 132, 1).map(|spread| Spread { lanes: Some(lanes), ..spread });
        let alt = |lanes| drawn(with(lanes).as_ref(), None, [800.0, 500.0]).alt;
        let few = alt([384, 2048]);
        assert!(few.starts_with("An SM holds 384 of 2,048 lanes, 19%, limited by shared memory"), "{few}");
        let many = alt([1536, 2048]);
        assert!(many.starts_with("133 workgroups, 132 SMs"), "{many}");
    }

    #[test]
    fn one_workgroup_too_many_is_a_wave_of_its_own() {
        let spread = spread(133, 132, 1);
        let frame = drawn(spread.as_ref(), None, [800.0, 500.0]);
        assert_eq!((filled(&frame, BUSY), filled(&frame, EMPTY)), (1, 131));
        assert!(frame.alt.contains("1.01 waves; 50% of slots idle"), "{}", frame.alt);
        assert!(frame.alt.ends_with("wave 2 of 2: 1 of 132 slots busy, 99% idle."), "{}", frame.alt);
        let before = drawn(spread.as_ref(), Some(Tag::Wave(0)), [800.0, 500.0]);
        assert_eq!((filled(&before, BUSY), filled(&before, EMPTY)), (132, 0));
        assert!(before.alt.ends_with("wave 1 of 2: 132 of 132 slots busy."), "{}", before.alt);
    }

    #[test]
    fn sms_take_workgroups_in_turn() -> Result<(), &'static str> {
        // 10 on 4 SMs that hold 3: one wave of 12 slots; two SMs have 3, two have 2.
        let w = spread(10, 4, 3).ok_or("there are waves")?.waves;
        assert_eq!((0..4).map(|sm| of_sm(&w, of_wave(&w, 0), sm)).collect::<Vec<_>>(), [3, 3, 2, 2]);
        let w = spread(1000, 132, 2).ok_or("there are waves")?.waves;
        let all: u64 = (0..all(&w))
            .flat_map(|wave| (0..132).map(move |sm| (wave, sm)))
            .map(|(i, sm)| of_sm(&w, of_wave(&w, i), sm))
            .sum();
        assert_eq!(all, 1000);
        Ok(())
    }

    #[test]
    fn slots_fill_between_two_moments() {
        let busy = |position: f32, motion: bool| {
            let view = Seen {
                position,
                motion,
                ..Seen::from(
                    Results::default().with(ask::Spread, spread(1000, 132, 2).expect("it is held")),
                    [800.0, 500.0],
                )
            };
            filled(&Painter::of("Waves").frame(&view), BUSY)
        };
        // A quarter of a wave's 264 workgroups have begun: half of the SMs have one.
        assert_eq!((busy(1.0, true), busy(1.1875, true), busy(1.99, true)), (0, 66, 132));
        assert_eq!(busy(1.0, false), 132, "without motion a wave is full at once");
        assert_eq!(busy(9.0, false), 132, "after the last wave it stays");
    }

    #[test]
    fn all_of_it_fits() {
        for size in [[420.0, 300.0], [640.0, 296.0], [1000.0, 560.0], [1576.0, 600.0]] {
            for (blocks, sms, each) in [(64, 132, 1), (133, 132, 1), (1 << 20, 132, 16), (7, 1, 1), (5000, 9000, 32)] {
                let spread = spread(blocks, sms, each);
                assert_tidy(&drawn(spread.as_ref(), None, size), &format!("{size:?} {blocks} {sms} {each}"));
            }
        }
    }
}
