//! Results from the worker threads so far: traces, measurements, sweeps, verdicts.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

pub use super::compiler::Built;
use super::place::Place;
use crate::base::diag::Diagnostic;
use crate::base::units::Work;
use crate::device::Launch;
use crate::figures::Reel;
use crate::job::Shown;
use crate::lesson::scope::Results;
use crate::lesson::{Facts, Variant};
use crate::session::experiment::sweep::Sweep;
use crate::session::learn::exercise::Judged;
use crate::trace::provenance::Origin as Answer;
use crate::trace::record::{Ceilings, Device, Record};
use crate::trace::{Finding, Heat, PassRecord, Timeline, Trace};

/// Results from the worker threads so far, at the current settings.
#[derive(Default)]
pub struct Found {
    /// The device, or why there is none.
    pub device: DeviceState,
    /// The device's ceilings; absent until measured.
    pub ceilings: Option<Ceilings>,
    /// Why that could not be measured, until it is.
    pub unrated: Option<Diagnostic>,
    /// Traces by program.
    pub traced: BTreeMap<String, Traced>,
    /// Measurements by program.
    pub measured: BTreeMap<String, Measured>,
    /// The program on the bench as it ran when its shaders were compiled last: at these parameters, or a moment ago at others.
    pub built: Option<Built>,
    /// The shader of the kernel on the stage as it runs at the parameters.
    pub source: Option<Arc<str>>,
    /// The facts that decide what the stage can show of it.
    pub facts: Facts,
    /// Workgroups in its grid.
    pub groups: u32,
    /// Programs that could not be traced, and why.
    pub failed: BTreeMap<String, Vec<Diagnostic>>,
    /// Programs that could not be measured, and why.
    pub unmeasured: BTreeMap<String, Vec<Diagnostic>>,
    /// The latest sweep of each experiment.
    pub sweeps: BTreeMap<String, Sweep>,
    /// Results from before a control was turned.
    pub turned: Option<Turned>,
    /// The element that the learner asked about, and where it came from.
    pub origin: Option<Origin>,
    /// Contents, after each launch, of the buffers that the figure on the stage shows.
    pub reeled: Option<Reeled>,
    /// The last verdict on each exercise, by its id.
    pub verdicts: BTreeMap<String, Arc<Judged>>,
    /// A prediction whose probes are running.
    pub answering: Option<String>,
}

/// Results of the program on the bench from before a control was turned.
#[derive(Clone, Debug)]
pub struct Turned {
    /// The program.
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

/// The chosen backend's device.
#[derive(Clone, Debug, Default)]
pub enum DeviceState {
    /// Not asked yet, or not answered.
    #[default]
    Starting,
    /// Ready.
    Ready(Device),
    /// There is none: why, and how to get one. The tracer works all the same.
    Missing(Diagnostic),
}

/// The tracer's results for a program.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// Which program at which settings; see `Setting::traced_key`.
    pub key: String,
    /// The record of the whole program, with the counts of each pass, once it is there.
    pub record: Option<Arc<Record>>,
    /// How each pass is launched.
    pub launches: Vec<Option<Launch>>,
    /// Single accesses of the workgroup on the stage, with the launch and the workgroup that they are of.
    pub timeline: Option<(Shown, u32, Arc<Timeline>)>,
    /// How often elements were fetched by a launch, once requested and available.
    pub heat: Option<(Shown, Arc<Heat>)>,
    /// Findings in that workgroup, including races, which a trace of the whole grid does not check.
    pub shown_findings: Vec<Finding>,
}

impl Traced {
    /// The record of a pass.
    #[must_use]
    pub fn pass(&self, place: usize) -> Option<&PassRecord> {
        self.record.as_ref()?.pass(place)
    }

    /// The counts of a pass over all its launches.
    #[must_use]
    pub fn trace(&self, place: usize) -> Option<&Trace> {
        self.pass(place)?.trace.as_ref()
    }

    /// The timeline of a workgroup of a launch, if it is the one available.
    #[must_use]
    pub fn timeline_of(&self, place: &Place) -> Option<&Arc<Timeline>> {
        let of = |(shown, workgroup, _): &&(Shown, u32, _)| *shown == place.shown() && *workgroup == place.workgroup;
        self.timeline.as_ref().filter(of).map(|(_, _, timeline)| timeline)
    }

    /// The findings in a pass, each kind once a line: those of the grid, then those of the workgroup on the stage.
    pub fn findings(&self, place: usize) -> impl Iterator<Item = &Finding> {
        let grid = self.trace(place).map_or(&[][..], |trace| &trace.findings);
        let staged = self.timeline.as_ref().is_some_and(|(shown, ..)| shown.pass == place);
        let is_new =
            move |shown: &&Finding| staged && !grid.iter().any(|f| (f.line, f.kind) == (shown.line, shown.kind));
        grid.iter().chain(self.shown_findings.iter().filter(is_new))
    }
}

/// An element that was asked about.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Which program at which settings; see `Setting::traced_key`.
    pub key: String,
    /// The program that it is of.
    pub program: String,
    /// The buffer.
    pub buffer: String,
    /// Which of its 32-bit words.
    pub index: u64,
    /// Where it came from, or why that is unknown; None while it is being computed.
    pub answer: Option<Result<Arc<Answer>, Vec<Diagnostic>>>,
    /// The number of the learner's question; asking again after a control is turned keeps it.
    pub question: u64,
}

/// Contents of buffers after each launch.
#[derive(Clone, Debug)]
pub struct Reeled {
    /// Which program at which settings; see `Setting::traced_key`.
    pub key: String,
    /// The buffers.
    pub buffers: Vec<String>,
    /// Their contents, or why they are unknown. None while they are being computed.
    pub answer: Option<Result<Arc<Reel>, Vec<Diagnostic>>>,
}

/// The device's measurements of a program.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Which program at which settings; see `Setting::key`.
    pub key: String,
    /// Its work: bytes and operations.
    pub work: Work,
    /// Samples so far, in seconds, while it runs.
    pub samples: Vec<f64>,
    /// The finished record.
    pub record: Option<Arc<Record>>,
}

impl Found {
    /// All results, as names in expressions.
    #[must_use]
    pub fn results(&self, place: &Place) -> Results {
        let mut results = Results::default();
        if let Some(ceilings) = &self.ceilings {
            results.insert_ceilings(ceilings);
        }
        for (id, traced) in &self.traced {
            traced.record.iter().for_each(|record| results.insert_record(id, record));
        }
        for (id, measured) in &self.measured {
            let record = measured.record.as_ref().filter(|r| r.trusted());
            match record {
                // It has no trace to take its work from.
                Some(record) if !place.is_traceable(id) => results.insert_record(id, record),
                Some(record) => results.insert_timing(id, record),
                None => {}
            }
        }
        results
    }

    /// The trusted record of a program that was measured.
    #[must_use]
    pub fn measured(&self, program: &str) -> Option<&Arc<Record>> {
        self.measured.get(program)?.record.as_ref().filter(|record| record.trusted())
    }
}
