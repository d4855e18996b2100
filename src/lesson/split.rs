//! How a program is split over processes, one for each rank, as `lesson.ron` declares it.

use crate::base::diag::Place;
use crate::base::expr::Expr;
use crate::ranks::measure::Collective;

/// The ranks of a program, each of which can be a process of its own.
#[derive(Clone, Debug)]
pub struct Split {
    /// How many there are.
    pub number: Expr,
    /// The lesson's value that is the number of ranks on a device: 1 for a process.
    pub here: String,
    /// The lesson's value that is the first of them.
    pub first: String,
    /// Where the lesson says so.
    pub place: Place,
}

/// A collective: what ranks that are processes do together, in the place of a repetition that does it on one device.
#[derive(Clone, Debug)]
pub struct CollectiveDecl {
    /// What they do.
    pub what: Collective,
    /// The buffer of whose part they do it.
    pub buffer: String,
    /// Which part of what a rank has of the buffer; None for all of it.
    pub part: Option<PartDecl>,
    /// The buffer of U32 that counts the bytes which a rank sends to each; None if nothing does.
    pub meter: Option<String>,
    /// Where the lesson says so.
    pub place: Place,
}

/// One of several equal parts of what a rank has of a buffer.
#[derive(Clone, Debug)]
pub struct PartDecl {
    /// The buffer whose first word is its number, counted from 0 and on from the last part to the first.
    pub number: String,
    /// How many parts there are.
    pub of: Expr,
}

/// What a pass of a process waits for. Collectives that a pass waits for go on beside the passes before it; all others are waited for at once.
#[derive(Clone, Debug)]
pub struct AwaitDecl {
    /// The repetition in whose place the collective is.
    pub repeat: String,
    /// The buffer whose first word is the number of the part that has to be there; None for all that were begun.
    pub number: Option<String>,
    /// Where the lesson says so.
    pub place: Place,
}
