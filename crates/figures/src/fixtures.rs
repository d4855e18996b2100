//! Timelines for tests: one warp's accesses, by hand; and what every picture must keep to.

use super::ask;
use super::figure::{Figure, Kept, View};
use super::frame::Frame;
use super::frame::Tag;
use super::judge::find;
use super::reel::{Reel, ReelBuffer, ReelPass};
use super::results::{Numbers, Results};
use super::{Accesses, Built};
use crate::base::diag::Place;
use crate::base::tensor::{Elem, Init, Tensor};
use crate::job::{BufferSpec, Content, Job};
use crate::lesson::{ArgValue, Picture, PictureArg};
use crate::trace::banks::{parts, together};
use crate::trace::{AccessKind, Event, EventKind, Exchange, Film, Space, Timeline, TracedBuffer};
use std::sync::Arc;

/// A timeline that tests add events to. Buffer 0 is global `src`, 1 global `dst`, 2 shared `tile`.
pub struct Script(pub Timeline);

impl Script {
    /// No events yet; `width` lanes a warp, 4 warps a workgroup.
    pub fn new(width: u32) -> Self {
        let buffer = |name: &str, space, bytes| TracedBuffer {
            of: name.to_owned(),
            name: name.to_owned(),
            space,
            elem: Elem::F32,
            bytes,
            base: 0,
            columns: None,
        };
        Self(Timeline {
            warp_width: width,
            warps_per_workgroup: 4,
            buffers: vec![
                buffer("src", Space::Global, 1 << 22),
                buffer("dst", Space::Global, 1 << 22),
                buffer("tile", Space::Shared, 4224),
            ],
            ..Timeline::default()
        })
    }

    /// All lanes of the warp.
    pub fn all(&self) -> u64 {
        u64::MAX >> (64 - self.0.warp_width)
    }

    /// An access of the lanes in `mask`, each of `bytes`, lane `i` at `address(i)`. Its cost is counted here, plainly.
    pub fn access(
        mut self,
        buffer: u16,
        access: AccessKind,
        bytes: u8,
        mask: u64,
        address: impl Fn(u32) -> u32,
    ) -> Self {
        let first_address = self.0.addresses.len() as u32;
        let lanes: Vec<u32> = (0..64).filter(|i| mask >> i & 1 == 1).collect();
        self.0.addresses.extend(lanes.iter().map(|lane| address(*lane)));
        let words = |lane: u32| (0..u32::from(bytes) / 4).map(move |i| lane / 4 + i);
        let cost = if buffer == 2 {
            parts(mask, together(access, u32::from(bytes), mask, &address))
                .map(|part| {
                    let mut touched: Vec<u32> = lanes
                        .iter()
                        .filter(|lane| part >> **lane & 1 == 1)
                        .flat_map(|lane| words(address(*lane)))
                        .collect();
                    touched.sort_unstable();
                    if access != AccessKind::Atomic {
                        touched.dedup();
                    }
                    (0..32).map(|bank| touched.iter().filter(|w| **w % 32 == bank).count()).max().unwrap_or(0)
                })
                .sum()
        } else if access == AccessKind::Atomic {
            let wanted = |word: u32| lanes.iter().filter(|lane| address(**lane) / 4 == word).count();
            let mut sectors: Vec<u32> = lanes.iter().map(|lane| address(*lane) / 32).collect();
            sectors.sort_unstable();
            sectors.dedup();
            sectors.iter().map(|sector| (0..8).map(|i| wanted(sector * 8 + i)).max().unwrap_or(0)).sum()
        } else {
            let mut sectors: Vec<u32> = lanes.iter().flat_map(|l| words(address(*l))).map(|word| word / 8).collect();
            sectors.sort_unstable();
            sectors.dedup();
            sectors.len()
        };
        let kind = EventKind::Access { access, buffer, bytes_per_lane: bytes, first_address, cost: cost as u16 };
        self.0.events.push(Event { workgroup: 0, warp: 0, line: 12, mask, kind });
        self
    }

    /// A load of `src` by all lanes, 4 bytes each.
    pub fn load(self, address: impl Fn(u32) -> u32) -> Self {
        let mask = self.all();
        self.access(0, AccessKind::Load, 4, mask, address)
    }

    /// A load of `tile` by all lanes, 4 bytes each.
    pub fn shared(self, address: impl Fn(u32) -> u32) -> Self {
        let mask = self.all();
        self.access(2, AccessKind::Load, 4, mask, address)
    }

    /// A barrier that `warp` reaches.
    pub fn barrier(mut self, warp: u32) -> Self {
        let mask = self.all();
        self.0.events.push(Event { workgroup: 0, warp, line: 20, mask, kind: EventKind::Barrier });
        self
    }

    /// A subgroup operation of all lanes; in a shuffle, lane `i` gets the value of lane `source(i)`.
    pub fn exchange(mut self, exchange: Exchange, source: impl Fn(u32) -> u32) -> Self {
        let mask = self.all();
        let first_source = self.0.addresses.len() as u32;
        if exchange == Exchange::Shuffle {
            self.0.addresses.extend((0..self.0.warp_width).map(source));
        }
        let kind = EventKind::Subgroup { exchange, first_source };
        self.0.events.push(Event { workgroup: 0, warp: 0, line: 9, mask, kind });
        self
    }

    /// A branch of all lanes.
    pub fn branch(mut self, taken: u64) -> Self {
        let mask = self.all();
        self.0.events.push(Event { workgroup: 0, warp: 0, line: 8, mask, kind: EventKind::Branch { taken } });
        self
    }
}

/// Every kind of event at this width, one after another.
pub fn all_kinds(width: u32) -> Timeline {
    let script = Script::new(width);
    let all = script.all();
    let quarter = all & 0x1111_1111_1111_1111;
    script
        .load(|i| i * 4)
        .load(|i| i * 8)
        .load(|i| i * 32 + 4096)
        .load(|i| i * 128)
        .load(|i| i * 4 + 4)
        .load(|i| i * 4 * 1000)
        .load(|_| 64)
        .access(0, AccessKind::Load, 16, all, |i| i * 16)
        .access(0, AccessKind::Load, 12, all, |i| i * 12)
        .access(1, AccessKind::Store, 4, quarter, |i| i * 4 + (1 << 22) - 256)
        .access(1, AccessKind::Atomic, 4, all, |i| i % 4 * 4)
        .shared(|i| i * 4)
        .shared(|i| i * 128)
        .shared(|i| i * 8)
        .shared(|_| 0)
        .access(2, AccessKind::Store, 16, all, |i| i * 16)
        .access(2, AccessKind::Load, 8, all, |i| i * 8 + 128)
        .access(2, AccessKind::Load, 8, all, |i| i / 2 * 64)
        .access(2, AccessKind::Atomic, 4, all, |i| i % 5 * 4)
        .barrier(1)
        .barrier(0)
        .barrier(2)
        .exchange(Exchange::Reduction, |_| 0)
        .exchange(Exchange::InclusiveScan, |_| 0)
        .exchange(Exchange::ExclusiveScan, |_| 0)
        .exchange(Exchange::Shuffle, |i| i ^ 1)
        .branch(all)
        .branch(all / 3)
        .0
}

/// Fails if the frame has a layout error.
pub fn assert_tidy(frame: &Frame, what: &str) {
    let faults = frame.faults();
    assert!(faults.is_empty(), "{what}: {}", faults.join("\n"));
}

/// The data of a figure, and the moment.
pub(super) struct Seen {
    pub results: Results<'static>,
    pub position: f32,
    pub hovered: Option<Tag>,
    pub motion: bool,
    pub workgroup: u32,
    pub warp: u32,
    pub size: [f32; 2],
}

impl Seen {
    pub fn of(timeline: &Arc<Timeline>, size: [f32; 2]) -> Self {
        let accesses = Accesses { timeline: timeline.clone(), ..Accesses::default() };
        Self::from(Results::default().with(ask::Accesses, accesses), size)
    }

    pub fn from(results: Results<'static>, size: [f32; 2]) -> Self {
        Self { results, position: 0.0, hovered: None, motion: false, workgroup: 0, warp: 0, size }
    }

    pub fn view<'a>(&'a self, picture: &'a Picture) -> View<'a> {
        let Self { ref results, position, hovered, motion, workgroup, warp, size } = *self;
        View { position, hovered, motion, workgroup, warp, ..View::still(results, picture, size) }
    }
}

/// Draws a figure frame after frame, as the stage does.
pub(super) struct Painter {
    figure: &'static dyn Figure,
    picture: Picture,
    kept: Kept,
}

impl Painter {
    pub fn of(name: &str) -> Self {
        Self { figure: find(name).expect("a figure"), picture: Picture::named(name), kept: Kept::default() }
    }

    pub fn frame(&mut self, seen: &Seen) -> Frame {
        drawn(self.figure, &seen.view(&self.picture), &mut self.kept)
    }

    pub fn told(&self, seen: &Seen, event: Option<usize>, tag: Tag) -> Option<String> {
        self.figure.tip(&seen.view(&self.picture), &self.kept, event, tag)
    }
}

/// The picture of a figure whose results are there.
pub(super) fn drawn(figure: &dyn Figure, view: &View<'_>, kept: &mut Kept) -> Frame {
    figure.draw(view, kept).unwrap_or_else(|missing| panic!("{missing:?}"))
}

/// Results of a figure whose arguments have these values, and that shows these contents of buffers.
pub(super) fn filmed(figure: &dyn Figure, picture: &Picture, numbers: &[(&str, f64)], reel: Reel) -> Results<'static> {
    let results = numbered(numbers);
    let buffers =
        figure.film(&View::still(&results, picture, [0.0; 2])).unwrap_or_else(|missing| panic!("{missing:?}"));
    results.with(ask::Film(buffers), reel)
}

/// A program without passes that has one buffer of four elements.
pub(super) fn built(buffer: &str) -> Built {
    let buffer = BufferSpec {
        name: buffer.to_owned(),
        elem: Elem::U32,
        count: 4,
        content: Content::Made(Init::Zero),
        columns: None,
        blame: Vec::new(),
        place: None,
    };
    let job = Job {
        program: "program".to_owned(),
        place: Place::start("lesson.ron"),
        seed: 1,
        buffers: vec![buffer],
        passes: Vec::new(),
        body: Vec::new(),
        checks: Vec::new(),
        series: Vec::new(),
        looks: Vec::new(),
        film: Vec::new(),
        measure: None,
        trace: None,
        bounds_checks: true,
        bounded_loops: false,
        work: None,
    };
    Built { job: Arc::new(job), facts: Vec::new() }
}

/// Results of a figure whose arguments have these values.
pub(super) fn numbered(numbers: &[(&str, f64)]) -> Results<'static> {
    let values = numbers.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    Results::of(Numbers { values, beyond: None })
}

/// A figure with arguments, as a lesson gives them.
pub(super) fn picture_of(name: &str, args: &[(&str, ArgValue)]) -> Picture {
    let arg = |(name, value): &(&str, ArgValue)| PictureArg {
        name: (*name).to_owned(),
        value: value.clone(),
        place: Place::start("lesson.ron"),
    };
    Picture { args: args.iter().map(arg).collect(), ..Picture::named(name) }
}

/// Whole numbers in buffers, each written by the one launch of a pass; the second figure is the columns, 0 for none.
pub(super) fn reel_of(buffers: &[(&str, u64, &[u32])]) -> Reel {
    let nothing =
        |(_, _, of): &(&str, u64, &[u32])| Tensor::from_bits(Elem::U32, of.iter().map(|_| Elem::U32.poison()));
    let mut film = Film::new(buffers.iter().map(nothing).collect());
    let written =
        |(i, (_, _, of)): (usize, &(&str, u64, &[u32]))| (i, Tensor::from_bits(Elem::U32, of.iter().copied()));
    film.add((0, 0), buffers.iter().enumerate().map(written).collect());
    let buffer = |(name, columns, of): &(&str, u64, &[u32])| ReelBuffer {
        name: (*name).to_owned(),
        count: of.len() as u64,
        columns: Some(*columns).filter(|columns| *columns > 0),
        ..ReelBuffer::default()
    };
    Reel { film, buffers: buffers.iter().map(buffer).collect(), passes: vec![ReelPass::single("pass")] }
}
