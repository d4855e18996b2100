//! The counts of a trace by their names in expressions.

use crate::trace::Trace;

/// The counts of a trace by their names in expressions.
#[must_use]
pub fn counts(trace: &Trace) -> Vec<(String, u64)> {
    let mut all = Vec::new();
    let mut set = |field: &str, value: u64| all.push((field.to_owned(), value));
    let global = &trace.global;
    for (kind, counts) in [("load", &global.load), ("store", &global.store), ("atomic", &global.atomic)] {
        set(&format!("{kind}_requests"), counts.requests);
        set(&format!("{kind}_sectors"), counts.sectors);
        set(&format!("{kind}_bytes"), counts.bytes);
    }
    let shared = &trace.shared;
    for (kind, counts) in [("load", &shared.load), ("store", &shared.store), ("atomic", &shared.atomic)] {
        set(&format!("shared_{kind}_requests"), counts.requests);
        set(&format!("shared_{kind}_wavefronts"), counts.wavefronts);
        set(&format!("shared_{kind}_conflicts"), counts.conflicts);
    }
    set("barriers", trace.barriers);
    set("branches", trace.branches.executed);
    set("divergent_branches", trace.branches.divergent);
    set("warp_instructions", trace.warp_instructions);
    set("lane_ops", trace.lane_ops);
    set("warps", trace.warps);
    all
}
