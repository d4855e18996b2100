//! Results from the worker threads so far: traces, measurements, sweeps.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::now::Now;
use super::place::Place;
use crate::base::diag::Diagnostic;
use crate::base::units::Work;
use crate::figures::{Accesses, Built, Traced, ask};
use crate::job::Job;
use crate::lesson::scope::Results;
use crate::lesson::{Facts, Variant};
use crate::session::ask::{Answers, At, Of, Query};
use crate::session::experiment::sweep::Sweep;
use crate::session::run::model::Chosen;
use crate::session::run::whole;
use crate::trace::record::{Ceilings, Device, Record};
use crate::trace::{Finding, Timeline};

/// Results from the worker threads so far.
#[derive(Default)]
pub struct Found {
    /// The device, or why there is none.
    pub device: DeviceState,
    /// The known answers, mostly at the present settings.
    pub answers: Answers,
    /// The programs at the present settings.
    pub now: Now,
    /// The measurement that is under way.
    pub sampling: Option<Sampling>,
    /// The program on the bench, compiled.
    pub compiled: Compiled,
    /// The latest sweep of each experiment, by lesson.
    pub sweeps: BTreeMap<String, BTreeMap<String, Sweep>>,
}

/// The chosen backend's device.
#[derive(Clone, Debug, Default)]
pub enum DeviceState {
    /// Not asked yet, or not answered.
    #[default]
    Starting,
    Ready(Device),
    /// There is none: why, and how to get one. The tracer works all the same.
    Missing(Diagnostic),
}

/// A measurement that is under way.
#[derive(Debug)]
pub struct Sampling {
    /// The question that it answers.
    pub query: Query,
    /// The program's work: bytes and operations.
    pub work: Work,
    /// Samples so far, in seconds.
    pub samples: Vec<f64>,
}

/// The program on the bench with its shaders compiled.
#[derive(Debug, Default)]
pub struct Compiled {
    /// The compiled program, with its lesson's id and variant. Just after a change it may still be of the previous
    /// parameters. None before the first compilation, and if it does not compile.
    pub built: Option<((String, Variant), Arc<Built>)>,
    /// The shader of the kernel on the stage as it runs at the parameters.
    pub source: Option<Arc<str>>,
    /// The facts that decide what the stage can show of it.
    pub facts: Facts,
    /// Workgroups in its grid.
    pub groups: u32,
}

impl Compiled {
    /// The job of the program on the bench.
    #[must_use]
    pub fn job(&self) -> Option<&Arc<Job>> {
        self.built.as_ref().map(|(_, built)| &built.job)
    }
}

impl Found {
    /// The counts of a program.
    #[must_use]
    pub fn traced(&self, program: &str) -> Option<&Arc<Traced>> {
        self.answers.known(self.now.traced(program)?, ask::Counts)?.ok()
    }

    /// The single accesses of the workgroup on the stage.
    #[must_use]
    pub fn accesses(&self, program: &str, place: &Place) -> Option<&Arc<Accesses>> {
        self.answers.known(staged(self.now.traced(program)?, place), ask::Accesses)?.ok()
    }

    /// The timeline of the workgroup on the stage.
    #[must_use]
    pub fn timeline(&self, program: &str, place: &Place) -> Option<&Arc<Timeline>> {
        Some(&self.accesses(program, place)?.timeline)
    }

    /// The findings in the pass on the stage, each kind once a line: those of the grid, then those of the workgroup
    /// there.
    pub fn findings<'a>(&'a self, program: &str, place: &Place) -> impl Iterator<Item = &'a Finding> {
        let grid = self.traced(program).and_then(|traced| traced.trace(place.pass()));
        let grid = grid.map_or(&[][..], |trace| &trace.findings);
        let staged = self.accesses(program, place).map_or(&[][..], |accesses| &accesses.findings);
        let is_new = move |shown: &&Finding| !grid.iter().any(|f| (f.line, f.kind) == (shown.line, shown.kind));
        grid.iter().chain(staged.iter().filter(is_new))
    }

    /// Why a program could not be traced, or that its check failed; empty if nothing is known to be wrong.
    #[must_use]
    pub fn untraced(&self, program: &str, place: &Place) -> &[Diagnostic] {
        let Some(at) = self.now.traced(program) else { return &[] };
        match (self.answers.known(at, ask::Counts), self.answers.known(staged(at, place), ask::Accesses)) {
            (Some(Err(problems)), _) | (_, Some(Err(problems))) => problems,
            (Some(Ok(traced)), _) => traced.wrong.as_slice(),
            (None, _) => &[],
        }
    }

    /// Why a program could not be measured; empty if nothing is known to be wrong.
    #[must_use]
    pub fn unmeasured(&self, program: &str) -> &[Diagnostic] {
        let known = self.now.timed(program).and_then(|at| self.answers.known(at, ask::Time));
        known.and_then(Result::err).unwrap_or_default()
    }

    /// The record of a program that was measured, even if its times cannot be trusted.
    #[must_use]
    pub fn ran(&self, program: &str) -> Option<&Arc<Record>> {
        self.answers.known(self.now.timed(program)?, ask::Time)?.ok()
    }

    /// The trusted record of a program that was measured.
    #[must_use]
    pub fn measured(&self, program: &str) -> Option<&Arc<Record>> {
        self.ran(program).filter(|record| record.trusted())
    }

    /// The measurement of a program that is under way.
    #[must_use]
    pub fn sampling(&self, program: &str) -> Option<&Sampling> {
        let at = self.now.timed(program)?;
        self.sampling.as_ref().filter(|sampling| sampling.query.of.at() == Some(at))
    }

    /// All results, as names in expressions.
    #[must_use]
    pub fn results(&self, place: &Place, ceilings: Option<&Ceilings>, modelled: Option<&Chosen<'_>>) -> Results {
        let mut results = Results::default();
        ceilings.into_iter().for_each(|ceilings| results.insert_ceilings(ceilings));
        for id in self.now.programs() {
            if let Some(traced) = self.traced(id) {
                results.insert_record(id, &traced.record);
                if let Some(modelled) = modelled {
                    whole::insert(&mut results, id, (&traced.job, &traced.record), modelled);
                }
            }
            match self.measured(id) {
                // It has no trace to take its work from.
                Some(record) if !place.is_traceable(id) => results.insert_record(id, record),
                Some(record) => results.insert_timing(id, record),
                None => {}
            }
        }
        results
    }
}

/// The workgroup of a program that a place shows.
pub(super) fn staged(at: &At, place: &Place) -> Of {
    Of::Workgroup(at.clone(), place.shown(), place.stage.workgroup)
}
