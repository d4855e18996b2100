//! The record of a run, as data only: counts over the whole grid, a timeline of single accesses, and what was fetched
//! how often.

pub mod banks;
pub mod cells;
pub mod counters;
pub mod counts;
pub mod course;
pub mod film;
mod findings;
pub mod heat;
pub mod provenance;
pub mod record;
pub mod timeline;
mod unwritten;

pub use cells::Cells;
pub use counts::{
    AccessCounts, BranchCounts, CacheCounts, CriticalPath, GlobalCounts, LineCounts, SharedAccessCounts, SharedCounts,
    Trace,
};
pub use course::{Course, Followed, Moved, Phase, Rows};
pub use film::Film;
pub use findings::{FINDINGS, Finding, FindingKind, KindOfFinding, Note, NoteKind};
pub use heat::{Fetches, Footprint, Heat};
pub use provenance::Provenance;
pub use record::{
    Backend, CacheState, Ceilings, Check, Device, PassRecord, Record, RoundCounts, Timing, Warning, WarningKind,
};
pub use timeline::{
    AccessKind, Event, EventKind, Exchange, Piece, Space, Timeline, TracedBuffer, Transfer, TransferPart,
};
pub use unwritten::{Reach, Unwritten};
