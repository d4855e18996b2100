//! Figures: a run in, a [`Frame`] of closed items out; every output is one exhaustive match over them.
//!
//! A figure is a file with a [`Fig`](warp::Fig) that implements [`Figure`], and its name in the list below. Tabs, notes, the reference and
//! the tests of pictures walk the list.

// Nothing is published: a comment says more than a name, or is left out.
#![allow(missing_docs)]

use warpbook_base as base;
use warpbook_lesson::{device, job, lesson, reference};
use warpbook_tokenizer as tokenizer;
use warpbook_tracer::{machine, trace};

macro_rules! figures {
    ($($file:ident)*) => {
        $(mod $file;)*

        /// Every figure, in the order of the stage's tabs.
        pub static FIGURES: &[&dyn Figure] = &[$(&$file::Fig),*];
    };
}

figures! {
    warp
    maths
    matrices
    heat
    reduction
    tile
    sweeps
    river
    ring
    waves
    schedulers
    roofline
    contents
    scores
    meter
    heads
    pages
    experts
    shards
    stairs
    dispatch
    arrivals
    blocks
    histogram
    values
    rounds
    time
    launches
    pass_roofline
    curves
    amounts
    beside
    ladder
    boxes
    places
}

mod answers;
pub mod ask;
mod banks;
mod bars;
mod buffer;
mod counters;
mod event;
pub mod explore;
mod faults;
pub mod figure;
mod flow;
pub mod frame;
mod judge;
mod kit;
mod lanes;
pub mod mark;
pub mod meanings;
mod memory;
pub mod memory_tooltip;
mod message;
pub mod moving;
pub mod palette;
pub mod passes;
pub mod plot;
pub mod reel;
pub mod results;
pub mod shape;
mod step;
pub mod strip;
pub mod svg;
pub mod text;
mod tiles;
pub mod titled;
mod wavefronts;

#[cfg(test)]
mod fixtures;

pub use answers::{
    Accesses, Built, Counted, Filled, LaunchTime, Launches, Level, Machine, Metered, MeteredPass, Reach, Ring, River,
    Roof, Roofline, Spot, SpotBytes, SpotTime, Spread, TimeParts, Traced, Wait, Waits,
};
pub use contents::{first_element, row};
pub use curves::EXPERIMENT;
pub use event::WarpView;
pub use figure::{Arg, ArgKind, Card, Clock, Figure, Kept, Reading, View, opening_phase};
pub use frame::{Anchor, Frame, Item, Tag};
pub use judge::{find, fitting, judge, judge_meanings, numbers, plays};
pub use palette::{Hue, Ink, Rgb, Theme};
pub use reduction::ReductionView;
pub use reel::{Moment, Reel, ReelBuffer, ReelPass, Rounds};
pub use results::{Missing, Numbers, Results, Source};
pub use rounds::count_rounds;
pub use strip::StripView;
pub use warp::first_events;
pub use warpbook_lesson::math;
pub use waves::begins;
