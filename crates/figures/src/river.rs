//! Where a kernel's bytes go: between DRAM, the caches, registers and shared memory, as a river whose width is bytes.

use super::answers::River;
use super::ask;
use super::figure::{Card, Clock, Figure, Kept, View};
use super::results::Missing;
use std::borrow::Cow;

use super::frame::{Anchor, Frame};
use super::kit::MARGIN;
use super::kit::legend::{Key, legend};
use super::palette::{Hue, Ink};
use super::text;
use crate::base::units::{digits3, si};

const SIZE: f32 = 13.0;
/// As the warp's picture has it.
const WASTE: Ink = Ink::Tint(Hue::Waste, 35);
/// The river between its levels, also where bytes only pass one.
const WATER: Ink = Ink::Tint(Hue::Load, 16);
/// Bytes of a sector.
const SECTOR: u64 = 32;
/// From one level to the next, where there is room for words below each.
const WORDS: f32 = 40.0;
/// Height of a bar.
const BAR: f32 = 14.0;
/// Height of the slices that a bend of the river is drawn in.
const SLICE: f32 = 2.0;
/// The share of the room that the least takes while the river is no wider than that allows: so that its width can be seen to change.
const UNIT: f32 = 1.0 / 8.0;

/// The level of what the work needs.
const LEAST: &str = "at least";

/// A level of the memory, with the streams that pass it: their bytes and colours.
struct Level {
    name: &'static str,
    /// How its bytes are known.
    mark: Cow<'static, str>,
    streams: Vec<(f64, Ink)>,
    /// Bytes that pass this level and are served below it.
    passing: f64,
    /// Whether the tracer's caches say it.
    is_cache: bool,
}

impl Level {
    fn new(name: &'static str, mark: impl Into<Cow<'static, str>>, streams: Vec<(f64, Ink)>) -> Self {
        Self { name, mark: mark.into(), streams, passing: 0.0, is_cache: false }
    }

    /// Bytes that this level serves.
    fn bytes(&self) -> f64 {
        self.streams.iter().map(|(bytes, _)| bytes).sum()
    }

    /// Bytes that this level serves or passes on: its width.
    fn wide(&self) -> f64 {
        self.bytes() + self.passing
    }
}

#[expect(clippy::cast_precision_loss, reason = "bytes stay below 2^53")]
fn levels(river: &River) -> Vec<Level> {
    let bytes = |bytes: u64| bytes as f64;
    let (load, store, shared) = (Hue::Load.ink(), Hue::Store.ink(), Hue::Shared.ink());
    let mut levels = Vec::new();
    let global = [(bytes(river.loaded), load), (bytes(river.stored), store)];
    let served = bytes(river.shared_loads + river.shared_stores);
    if served > 0.0 {
        let all = [&global[..], &[(served, shared)]].concat();
        levels.push(Level::new("registers", "traced: from both memories", all));
        let own = Level::new("shared memory", "traced: wavefronts of 128 bytes", vec![(served, shared)]);
        levels.push(Level { passing: global[0].0 + global[1].0, ..own });
    } else {
        levels.push(Level::new("registers", "traced: what lanes asked for", global.into()));
    }
    let waste = (river.load_sectors.saturating_sub(river.loaded), river.store_sectors.saturating_sub(river.stored));
    let used = (river.load_sectors.min(river.loaded), river.store_sectors.min(river.stored));
    let streams = vec![(bytes(used.0), load), (bytes(waste.0 + waste.1), WASTE), (bytes(used.1), store)];
    levels.push(Level::new("global memory", "traced: sectors that warps ask for", streams));
    if let Some(caches) = &river.caches {
        let atomics = caches.l2_atomics;
        let asked = [caches.l2_loads + atomics, caches.l2_stores + atomics];
        let level = |name, mark, [loads, stores]: [u64; 2]| {
            let streams = vec![(bytes(SECTOR * loads), load), (bytes(SECTOR * stores), store)];
            Level { is_cache: true, ..Level::new(name, mark, streams) }
        };
        levels.push(level("L2", "traced: what L1 does not have", asked));
        // A device's own count says more of the same bytes.
        if river.counted.is_none() {
            levels.push(level("DRAM", "traced: what L2 does not have", [caches.dram_loads, caches.dram_stores]));
        }
    }
    if let Some(counted) = &river.counted {
        let streams = vec![(counted.read, load), (counted.written, store)];
        levels.push(Level::new("DRAM, counted", format!("recorded: {}", counted.whence), streams));
    }
    if river.least > 0.0 {
        let streams = vec![(river.least, Ink::Muted)];
        levels.push(Level::new(LEAST, "what the work needs: each byte once", streams));
    }
    // That DRAM can move enough says nothing. That it cannot says that a cache has helped.
    if let Some(reach) = river.reach.as_ref().filter(|reach| reach.bytes < river.least) {
        let streams = vec![(reach.bytes, Hue::Conflict.ink())];
        levels.push(Level::new("DRAM, at most", reach.whence.clone(), streams));
    }
    levels
}

/// The picture.
pub(super) fn frame(view: &View<'_>, river: &River) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let names = 150.0_f32.min(width * 0.28);
    let figures = 116.0_f32.min(width * 0.22);
    let (left, room) = (MARGIN + names, width - 2.0 * MARGIN - names - figures);
    // Below the last level's words.
    let foot = if height > 260.0 { 44.0 } else { 24.0 };
    let apart = |levels: &[Level]| (height - 2.0 * MARGIN - foot - BAR) / (levels.len() - 1).max(1) as f32;
    let mut levels = levels(river);
    // The levels of the caches need room for the words of all.
    if apart(&levels) <= WORDS {
        levels.retain(|level| !level.is_cache);
    }
    let step = apart(&levels);
    let most = levels.iter().map(Level::wide).fold(1.0, f64::max);
    #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
    let scale = if river.least > 0.0 {
        (f64::from(room * UNIT) / river.least).min(f64::from(room) / most) as f32
    } else {
        room / most as f32
    };
    let middle = left + room / 2.0;
    let y_of = |index: usize| MARGIN + index as f32 * step;
    for (index, pair) in levels.windows(2).enumerate() {
        bend(&mut frame, [&pair[0], &pair[1]], [y_of(index) + BAR, y_of(index + 1)], middle, scale);
    }
    for (index, level) in levels.iter().enumerate() {
        let y = y_of(index);
        #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
        let widths: Vec<(f32, Ink)> = std::iter::once(&(level.passing, WATER))
            .chain(&level.streams)
            .map(|(bytes, ink)| (*bytes as f32 * scale, *ink))
            .collect();
        let mut x = middle - widths.iter().map(|(w, _)| w).sum::<f32>() / 2.0;
        for (w, ink) in widths {
            if w > 0.0 {
                frame.fill([x, y, w.max(1.0), BAR], 0.0, ink, None);
            }
            x += w;
        }
        let fit = |text: &str, size: f32| text::fit(text, size, false, names - 8.0);
        frame.text([MARGIN, y + BAR / 2.0], SIZE, Anchor::Start, Ink::Text, fit(level.name, SIZE));
        frame.text([width - MARGIN, y + BAR / 2.0], 14.0, Anchor::End, Ink::Text, si(level.bytes(), "B"));
        if river.least > 0.0 && step > WORDS {
            let times = level.bytes() / river.least;
            let times =
                if level.name == LEAST { "the least".to_owned() } else { format!("{}× the least", digits3(times)) };
            frame.text([width - MARGIN, y + BAR / 2.0 + 17.0], 12.0, Anchor::End, Ink::Muted, times);
        }
        if step > WORDS {
            let lines = text::wrap(&level.mark, 12.0, names - 8.0);
            // Down to the name of the next level.
            let most = if step > 54.0 { 2 } else { 1 };
            for (line, text) in (0_u8..most).zip(lines) {
                let y = y + BAR / 2.0 + 17.0 + 14.0 * f32::from(line);
                if y + 6.0 < height {
                    frame.text([MARGIN, y], 12.0, Anchor::Start, Ink::Muted, text);
                }
            }
        }
    }
    let keys = [
        Key::new(Hue::Load.ink(), "loads"),
        Key::new(Hue::Store.ink(), "stores"),
        Key::new(WASTE, "moved, but not asked for").or("not asked for"),
        Key::new(Hue::Shared.ink(), "shared memory").or("shared"),
        Key::new(Hue::Conflict.ink(), "less than the work needs").or("too few"),
    ];
    let drawn = |ink: Ink| levels.iter().flat_map(|level| &level.streams).any(|(bytes, of)| *of == ink && *bytes > 0.0);
    let keys: Vec<Key<'_>> = keys.into_iter().filter(|key| drawn(key.fill)).collect();
    legend(&mut frame, left, height - MARGIN, width - MARGIN - left, &keys);
    let told = levels.iter().map(|level| format!("{}: {} ({})", level.name, si(level.bytes(), "B"), level.mark));
    frame.alt = format!("Where the bytes go. {}.", told.collect::<Vec<_>>().join("; "));
    frame
}

/// The river between two levels: its width goes from that of the upper one to that of the lower one.
fn bend(frame: &mut Frame, levels: [&Level; 2], [top, bottom]: [f32; 2], middle: f32, scale: f32) {
    #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
    let widths = levels.map(|level| level.wide() as f32 * scale);
    let slices = ((bottom - top) / SLICE).max(1.0).floor();
    let height = (bottom - top) / slices;
    for slice in 0..slices as usize {
        let share = (slice as f32 + 0.5) / slices;
        // Slow at both ends, as a bend is.
        let share = share * share * (3.0 - 2.0 * share);
        let width = widths[0] + (widths[1] - widths[0]) * share;
        let y = top + slice as f32 * height;
        frame.fill([middle - width / 2.0, y, width.max(1.0), height + 0.5], 0.0, WATER, None);
    }
}

static CARD: Card = Card {
    name: "Bytes",
    tab: "Bytes",
    help: "Where the bytes go: DRAM, caches, registers, shared memory",
    about: "where the bytes go, over the whole grid",
    clock: Clock::Still,
    fits: |facts| facts.traced,
    needs: "any kernel that can be traced",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.ask(ask::River).map(|river| frame(view, river))
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::Results;
    use crate::answers::{Counted, Reach};
    use crate::fixtures::{Painter, Seen};
    use crate::frame::Item;
    use crate::trace::CacheCounts;

    fn picture(river: &River, size: [f32; 2]) -> Frame {
        Painter::of("Bytes").frame(&Seen::from(Results::default().with(ask::River, river.clone()), size))
    }

    fn strided(stride: u64) -> River {
        let sectors = 4 * stride.min(8);
        River {
            loaded: 128,
            stored: 128,
            load_sectors: 32 * sectors,
            store_sectors: 128,
            least: 256.0,
            ..River::default()
        }
    }

    fn wasted(frame: &Frame) -> f32 {
        let waste = frame.items.iter().filter_map(|item| match item {
            Item::Rect { rect, fill: Some(ink), .. } if *ink == WASTE && rect[3] == BAR => Some(rect[2]),
            _ => None,
        });
        waste.sum()
    }

    #[test]
    fn a_stride_floods_the_caches_and_not_the_registers() {
        let size = [700.0, 300.0];
        assert_eq!(wasted(&picture(&strided(1), size)), 0.0);
        let (two, eight) = (wasted(&picture(&strided(2), size)), wasted(&picture(&strided(8), size)));
        // The scale stays, so that seven times the waste is seven times as wide.
        assert!(two > 10.0 && (eight / two - 7.0).abs() < 0.05, "{two} {eight}");
        let alt = picture(&strided(8), size).alt;
        assert!(alt.contains("global memory: 1.15 kB") && alt.contains("at least: 256 B"), "{alt}");
    }

    #[test]
    fn no_level_is_narrower_than_what_passes_it() {
        let tiled = River {
            loaded: 1000,
            stored: 100,
            load_sectors: 1000,
            store_sectors: 128,
            shared_loads: 1 << 17,
            ..River::default()
        };
        let levels = levels(&tiled);
        assert_eq!(
            levels.iter().map(|level| level.name).collect::<Vec<_>>(),
            ["registers", "shared memory", "global memory"]
        );
        assert_eq!(levels[0].wide(), levels[1].wide());
        assert!(levels[1].wide() > levels[2].wide() && levels[1].bytes() == f64::from(1 << 17));
    }

    #[test]
    fn the_levels_that_serve_it_are_the_caches_ones() {
        let caches = CacheCounts { l2_loads: 16, l2_stores: 4, dram_loads: 8, ..CacheCounts::default() };
        let river = River { caches: Some(caches), ..strided(8) };
        let alt = picture(&river, [700.0, 360.0]).alt;
        assert!(alt.contains("L2: 640 B (") && alt.contains("DRAM: 256 B (traced"), "{alt}");
        let counted = Some(Counted { read: 512.0, written: 0.0, whence: "A device, 2026-11-22".to_owned() });
        let alt = picture(&River { counted, ..river }, [700.0, 360.0]).alt;
        assert!(
            alt.contains("L2: 640 B (") && !alt.contains("DRAM: ") && alt.contains("DRAM, counted: 512 B"),
            "{alt}"
        );
    }

    #[test]
    fn what_a_device_counted_has_a_level_of_its_own() {
        let counted = Some(Counted { read: 512.0, written: 0.0, whence: "A device, 2026-11-22".to_owned() });
        let alt = picture(&River { counted, ..strided(8) }, [700.0, 360.0]).alt;
        assert!(alt.contains("DRAM, counted: 512 B (recorded: A device, 2026-11-22)"), "{alt}");
        assert!(!picture(&strided(8), [700.0, 360.0]).alt.contains("counted"));
    }

    #[test]
    fn a_time_that_dram_cannot_explain_has_a_level_of_its_own() {
        let reach = |bytes| Some(Reach { bytes, whence: "recorded: 1 µs at 4.8 TB/s".to_owned() });
        let alt = |bytes| picture(&River { reach: reach(bytes), ..strided(8) }, [700.0, 360.0]).alt;
        assert!(alt(200.0).contains("DRAM, at most: 200 B (recorded: 1 µs at 4.8 TB/s)"), "{}", alt(200.0));
        assert!(!alt(300.0).contains("DRAM"), "it can have moved the 256 bytes");
    }

    #[test]
    fn nothing_leaves_the_picture() {
        let tiled =
            River { loaded: 1 << 30, shared_loads: 1 << 34, shared_stores: 1 << 30, least: 1e6, ..River::default() };
        for size in [[420.0, 170.0], [700.0, 300.0], [1400.0, 900.0]] {
            let counted =
                Counted { read: 1e9, written: 1e8, whence: "A device with a long name, 2026-11-22".to_owned() };
            let reach = Reach { bytes: 9e5, whence: "recorded: 5.47 µs at 4.80 TB/s, a device, a day".to_owned() };
            let deep = River { counted: Some(counted), reach: Some(reach), ..tiled.clone() };
            for river in [strided(1), strided(32), tiled.clone(), deep, River::default()] {
                for item in picture(&river, size).items {
                    let [x, y, w, h] = item.bounds();
                    assert!(
                        x >= -0.5 && y >= -0.5 && x + w <= size[0] + 0.5 && y + h <= size[1] + 0.5,
                        "{size:?}: {item:?}"
                    );
                }
            }
        }
    }
}
