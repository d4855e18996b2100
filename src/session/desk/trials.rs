//! The learner's trials on the open lesson: versions of kernels, exercises, predictions, a turned control.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use super::draft::Draft;
use crate::lesson::Variant;
use crate::session::learn::exercise::Judged;
use crate::trace::record::Record;

/// The learner's trials since the lesson was opened. They are not saved.
#[derive(Default)]
pub struct Trials {
    /// The compile state of the learner's versions of kernels, by their ids.
    pub drafts: BTreeMap<String, Draft>,
    /// The last verdict on each exercise, by its id.
    pub verdicts: BTreeMap<String, Arc<Judged>>,
    /// The prediction whose probes are running, and the number of its order.
    pub answering: Option<(String, u64)>,
    /// Experiments that began without being asked for, by their ids.
    pub counted: BTreeSet<String>,
    /// Results from before a control was turned.
    pub turned: Option<Turned>,
}

/// Results of the program on the bench from before a control was turned.
#[derive(Clone, Debug)]
pub struct Turned {
    pub program: Variant,
    /// The parameter, by its id, and the value that it had.
    pub param: (String, f64),
    /// When it was turned last: a control that is being dragged sends many values.
    pub at: Instant,
    /// The counts.
    pub traced: Option<Arc<Record>>,
    /// The times.
    pub measured: Option<Arc<Record>>,
}
