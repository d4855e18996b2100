//! How a program in `lesson.ron` is split over processes, one for each rank.

use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::ranks::measure::Collective;

/// The ranks of a program, each of which can be a process of its own.
#[derive(Clone, Debug)]
pub struct Split {
    /// The number of ranks.
    pub number: Expr,
    /// The lesson's value for the number of ranks on a device: 1 for a process.
    pub here: String,
    /// The lesson's value for the first of them.
    pub first: String,
    pub place: Place,
}

/// A collective, which ranks that are processes run in the place of a repetition that does the same on one device.
#[derive(Clone, Debug)]
pub struct CollectiveDecl {
    /// The operation.
    pub what: Collective,
    /// The buffer whose parts it operates on.
    pub buffer: String,
    /// The part of the buffer, as far as a rank has it; None for all of it.
    pub part: Option<PartDecl>,
    /// The buffer of U32 that counts the bytes that a rank sends to each other one; None if they are not counted.
    pub meter: Option<String>,
    pub place: Place,
}

/// One of several equal parts of a rank's share of a buffer.
#[derive(Clone, Debug)]
pub struct PartDecl {
    /// The buffer whose first word is the part's number, counted from 0; after the last part it starts again.
    pub number: String,
    /// The number of parts.
    pub of: Expr,
}

/// A collective that a process's pass waits for. Such collectives overlap the passes before it; all others are waited
/// for at once.
#[derive(Clone, Debug)]
pub struct AwaitDecl {
    /// The repetition that the collective replaces.
    pub repeat: String,
    /// The buffer whose first word is the number of the part that must have arrived; None for all that were started.
    pub number: Option<String>,
    pub place: Place,
}
