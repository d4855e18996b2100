//! `warpbook names`

use std::process::ExitCode;

use serde::Serialize;

use super::{DONE, out};
use crate::trace::FINDINGS;
use crate::trace::counters::{CACHE_COUNTERS, COUNTERS};

/// The names of counts in expressions and conditions, and those of findings in conditions.
#[derive(Serialize)]
struct Output {
    counters: Vec<CounterName>,
    /// Counts of the caches of the device that a time is predicted for.
    caches: Vec<CacheCounterName>,
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
struct CacheCounterName {
    name: &'static str,
    unit: &'static str,
    help: &'static str,
    /// The metric of ncu; empty if there is none.
    ncu: &'static str,
}

#[derive(Serialize)]
struct FindingName {
    name: &'static str,
    help: &'static str,
}

fn show([name, unit, help, ncu]: [&str; 4]) {
    let unit = if unit == "1" { String::new() } else { format!(" ({unit})") };
    out::line(&format!("{name}{unit}"));
    out::line(&format!("    {help}"));
    if !ncu.is_empty() {
        out::line(&format!("    ncu: {ncu}"));
    }
}

pub(super) fn names(json: bool) -> ExitCode {
    if json {
        let counters = COUNTERS.iter().map(|of| {
            let (name, unit, help, path, ncu) = (of.name, of.unit, of.help, of.path, of.ncu);
            CounterName { name, unit, help, path, ncu }
        });
        let findings = FINDINGS.iter().map(|of| FindingName { name: of.name, help: of.help });
        let caches = CACHE_COUNTERS.iter().map(|of| {
            let (name, unit, help, ncu) = (of.name, of.unit, of.help, of.ncu);
            CacheCounterName { name, unit, help, ncu }
        });
        out::json(&Output { counters: counters.collect(), caches: caches.collect(), findings: findings.collect() });
        return DONE;
    }
    for counter in COUNTERS {
        let metrics: Vec<&str> = counter.ncu.iter().filter_map(|names| names.first().copied()).collect();
        show([counter.name, counter.unit, counter.help, &metrics.join(" + ")]);
    }
    out::line("Of the caches of the device that a time is predicted for:");
    for of in CACHE_COUNTERS {
        show([of.name, of.unit, of.help, of.ncu]);
    }
    out::line("Lines with a finding of a kind, in conditions:");
    for finding in FINDINGS {
        out::line(finding.name);
        out::line(&format!("    {}", finding.help));
    }
    DONE
}
