//! Findings and notes: what a run finds wrong with a kernel, and remarks on lines that are not wrong.

use serde::{Deserialize, Serialize};

use warpbook_base::diag::{Diagnostic, Place};
use warpbook_base::parts;

/// A kind of finding, as conditions and the guide know it.
#[derive(Clone, Copy, Debug)]
pub struct KindOfFinding {
    /// The kind.
    pub kind: FindingKind,
    /// The name of the number of its findings in conditions.
    pub name: &'static str,
    /// Its description.
    pub help: &'static str,
}

/// Declares the kinds of findings, and the table of them.
macro_rules! findings {
    ($(#[doc = $help:literal] $kind:ident, $name:literal;)*) => {
        /// The kinds of [`Finding`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum FindingKind {
            $(#[doc = $help] $kind,)*
        }

        /// All kinds of findings.
        pub const FINDINGS: &[KindOfFinding] = &[
            $(KindOfFinding { kind: FindingKind::$kind, name: $name, help: $help.trim_ascii() },)*
        ];
    };
}

findings! {
    /// An index past the end of a buffer or an array.
    OutOfBounds, "out_of_bounds";
    /// An address that is no multiple of the bytes that are accessed at once.
    Misaligned, "misaligned";
    /// Two lanes of a workgroup at one word with no barrier between, and one of them wrote it.
    Race, "races";
    /// A read of memory that nothing had written.
    Uninitialized, "uninitialized";
    /// A read of an asynchronous copy that has not landed.
    EarlyRead, "early_reads";
    /// A subgroup operation that asks a lane which does not take part.
    InactiveLane, "inactive_lanes";
    /// A barrier that not all lanes of a workgroup reach.
    DivergentBarrier, "divergent_barriers";
    /// Warps that wait for each other, or for what nobody does.
    Deadlock, "deadlocks";
    /// More instructions than the run's fuel allowed.
    OutOfFuel, "out_of_fuel";
    /// The kernel ended itself: an assertion of its own failed, or it reached a trap.
    Assertion, "assertions";
}

/// The kinds of [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A load past the end whose value is used nowhere.
    UnusedLoad,
    /// A store whose place comes from what an atomic returned.
    ArrivalOrder,
    /// A text that the kernel printed, as it is.
    Printed,
    /// Threads that store one value to one word, with nothing between.
    SameValue,
    /// A strong access whose value depends on which of others came first.
    OrderOfAtomics,
    /// A read of memory that nothing had written, whose value is used nowhere.
    UnusedRead,
}

/// A remark on a line that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind of remark.
    pub kind: NoteKind,
    /// Source line, from 1.
    pub line: u32,
    /// The remark.
    pub message: String,
}

/// Something wrong in the kernel, seen while it ran. Each line reports each kind once, with its first case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// Source line, from 1.
    pub line: u32,
    /// The message, naming the workgroup, the lane and the index or address.
    pub message: String,
}

impl Finding {
    /// The finding as a diagnostic about `file`, whose composed text is `text`, or about one of its parts.
    #[must_use]
    pub fn diagnostic(&self, file: &str, text: &str) -> Diagnostic {
        let line = text.lines().nth((self.line as usize).saturating_sub(1)).unwrap_or_default();
        let indent = line.chars().take_while(|c| c.is_whitespace()).count();
        let column = u32::try_from(indent).map_or(1, |indent| indent + 1);
        let place = Place { line: self.line, column, ..Place::start(file) };
        parts::in_part(Diagnostic::error(self.message.clone()).in_place(&place), text)
    }
}
