//! `warpbook names`

use std::process::ExitCode;

use serde::Serialize;

use super::{DONE, out};
use crate::trace::FINDINGS;
use crate::trace::counters::COUNTERS;

/// The names of counts in expressions and conditions, and those of findings in conditions.
#[derive(Serialize)]
struct Output {
    counters: Vec<CounterName>,
    findings: Vec<FindingName>,
}

#[derive(Serialize)]
struct CounterName {
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    /// Its keys in the JSON of a trace, with dots between.
    path: &'static str,
    /// Metrics of ncu that add up to it, each with its other names.
    ncu: &'static [&'static [&'static str]],
}

#[derive(Serialize)]
struct FindingName {
    name: &'static str,
    help: &'static str,
}

pub(super) fn names(json: bool) -> ExitCode {
    if json {
        let counters = COUNTERS.iter().map(|of| {
            let (name, unit, help, path, ncu) = (of.name, of.unit, of.help, of.path, of.ncu);
            CounterName { name, unit, help, path, ncu }
        });
        let findings = FINDINGS.iter().map(|of| FindingName { name: of.name, help: of.help });
        out::json(&Output { counters: counters.collect(), findings: findings.collect() });
        return DONE;
    }
    for counter in COUNTERS {
        let unit = if counter.unit == "1" { String::new() } else { format!(" ({})", counter.unit) };
        out::line(&format!("{}{unit}", counter.name));
        out::line(&format!("    {}", counter.help));
        if !counter.ncu.is_empty() {
            let metrics: Vec<&str> = counter.ncu.iter().filter_map(|names| names.first().copied()).collect();
            out::line(&format!("    ncu: {}", metrics.join(" + ")));
        }
    }
    out::line("Lines with a finding of a kind, in conditions:");
    for finding in FINDINGS {
        out::line(finding.name);
        out::line(&format!("    {}", finding.help));
    }
    DONE
}
