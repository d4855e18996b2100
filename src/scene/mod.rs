//! Pictures. A record's timeline becomes a [`Frame`] of closed items; every output is one exhaustive match over them.

mod banks;
mod bars;
mod card;
mod cells;
pub mod contents;
mod counters;
mod flow;
mod grid;
mod heat;
mod lanes;
mod links;
mod matrices;
mod memory;
mod merges;
mod step;
mod sweeps;
mod tile;
mod tower;

pub mod explore;
pub mod frame;
pub mod mark;
pub mod palette;
pub mod passes;
pub mod plot;
pub mod reduction;
mod ring;
pub mod river;
pub mod roofline;
mod ruler;
mod spans;
pub mod stage;
pub mod strip;
pub mod svg;
pub mod text;
mod tiles;
pub mod touch;
pub mod warp;
pub mod waves;
mod words;

#[cfg(test)]
mod fixtures;

pub use crate::base::math;
pub use frame::{Anchor, Frame, Item, Tag};
pub use palette::{Hue, Ink, Rgb, Theme};
pub use reduction::ReductionView;
pub use stage::StageView;
pub use strip::StripView;
pub use warp::WarpView;
