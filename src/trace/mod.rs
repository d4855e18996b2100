//! The record of a run, as data only: counts over the whole grid, and a timeline of single accesses.

pub mod banks;
pub mod counts;
pub mod provenance;
pub mod record;
pub mod timeline;

pub use counts::{
    AccessCounts, BranchCounts, Finding, FindingKind, GlobalCounts, LineCounts, SharedAccessCounts, SharedCounts, Trace,
};
pub use provenance::Provenance;
pub use record::{Backend, CacheState, Ceilings, Check, Device, Record, Timing, Warning, WarningKind};
pub use timeline::{AccessKind, Event, EventKind, Exchange, Piece, Space, Timeline, TracedBuffer};
