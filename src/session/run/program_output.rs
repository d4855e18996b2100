//! Results of `run` for a program of several passes, in the shape that the command line prints as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use super::output::{CompiledOutput, KernelOutput, Printed, TimeOutput, outcome, why};
use super::whole::Whole;
use crate::base::diag::Diagnostic;
use crate::lesson::Variant;
use crate::trace::{Check, PassRecord, Record, Trace};

/// One program's part.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ProgramOutput {
    pub id: String,
    /// The kernels in its places that are not the lesson's first.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub rungs: BTreeMap<String, String>,
    /// Whether it ran, passed its checks and had no findings; null if it was skipped.
    pub ok: Option<bool>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skipped: Option<String>,
    /// Rounds of its first repetition; 1 if nothing is repeated.
    pub rounds: u64,
    /// The time of the whole, if measured.
    pub time: Option<TimeOutput>,
    /// Bytes that the work needs to move.
    pub bytes: f64,
    /// Floating-point operations that the work needs.
    pub flops: f64,
    /// `bytes` over the median time.
    pub bytes_per_s: Option<f64>,
    /// `flops` over the median time.
    pub flops_per_s: Option<f64>,
    /// The device model's prediction.
    pub predicted: Option<Whole>,
    pub passes: Vec<PassOutput>,
    pub checks: Vec<ProgramCheck>,
    /// By name, one figure per round.
    pub series: BTreeMap<String, Vec<f64>>,
    /// The error if it could not run.
    pub error: Option<String>,
    /// Requested contents of buffers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub printed: Vec<Printed>,
}

/// One pass's part.
#[derive(Clone, Debug, Serialize)]
pub struct PassOutput {
    pub id: String,
    /// The kernel that it launched; null for a copy or a fill.
    pub kernel: Option<String>,
    /// Whether it ran to its end without findings.
    pub ok: bool,
    /// How often it was launched.
    pub launches: u64,
    /// The time of all its launches in a run, if measured.
    pub time: Option<TimeOutput>,
    /// Bytes that the work of all its launches needs to move.
    pub bytes: f64,
    /// Floating-point operations that it needs.
    pub flops: f64,
    /// The tracer's counts over all its launches.
    pub trace: Option<Trace>,
    /// Figures of its kernel's compiled code, if the backend reports them.
    pub compiled: Option<CompiledOutput>,
}

#[derive(Clone, Debug, Serialize)]
pub struct ProgramCheck {
    /// The buffer that was compared.
    pub output: String,
    /// The reference that it was compared with.
    pub against: String,
    /// Whether it holds.
    pub ok: bool,
    /// The largest relative error; null means infinity.
    pub max_rel_error: f64,
    /// Elements compared.
    pub elements: u64,
}

impl ProgramOutput {
    /// The outcome of a program.
    #[must_use]
    pub fn of(variant: &Variant, record: &Record) -> Self {
        let KernelOutput { ok, time, bytes, flops, bytes_per_s, flops_per_s, .. } =
            KernelOutput::of(&variant.program, record, None);
        let check = |check: &Check| ProgramCheck {
            output: check.output.clone(),
            against: check.reference.clone(),
            ok: check.ok,
            max_rel_error: check.max_rel_error,
            elements: check.elements,
        };
        Self {
            id: variant.program.clone(),
            rungs: variant.rungs.clone(),
            ok,
            skipped: None,
            rounds: record.rounds.first().map_or(1, |(_, rounds)| *rounds),
            time,
            bytes,
            flops,
            bytes_per_s,
            flops_per_s,
            predicted: None,
            passes: record.passes.iter().map(PassOutput::of).collect(),
            checks: record.checks.iter().map(check).collect(),
            series: record.series.iter().cloned().collect(),
            error: None,
            printed: Vec::new(),
        }
    }

    /// How it went, in a word or two.
    #[must_use]
    pub fn outcome(&self) -> &'static str {
        outcome(self.ok, !self.checks.is_empty())
    }

    /// The outcome of a program that could not run, or was skipped.
    #[must_use]
    pub fn failed(variant: &Variant, problems: &[Diagnostic], skipped: bool) -> Self {
        let (ok, skipped, error) = why(problems, skipped);
        Self { id: variant.program.clone(), rungs: variant.rungs.clone(), ok, skipped, error, ..Self::default() }
    }
}

impl PassOutput {
    fn of(pass: &PassRecord) -> Self {
        Self {
            id: pass.id.clone(),
            kernel: pass.kernel.clone(),
            ok: pass.trace.as_ref().is_none_or(|trace| trace.findings.is_empty() && trace.complete),
            launches: pass.launches,
            time: pass.timing.as_ref().map(Into::into),
            bytes: pass.work.bytes,
            flops: pass.work.flops,
            trace: pass.trace.clone(),
            compiled: pass.compiled.as_ref().map(Into::into),
        }
    }
}
