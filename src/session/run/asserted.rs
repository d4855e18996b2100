//! Conditions on a trace: figures by name, and expressions over them.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::diag::{Diagnostic, nearest};
use crate::base::expr::{EvalError, Expr, Scope};
use crate::base::units::number;
use crate::machine::MachineCode;
use crate::trace::counters::{CACHE_COUNTERS, COUNTERS};
use crate::trace::{FINDINGS, Trace};

/// The figures of a trace, by name. A dot in a name means an underscore: `load.sectors` is `load_sectors`.
#[derive(Clone, Debug, Default)]
pub struct Figures(BTreeMap<String, f64>);

/// A condition, and whether it holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Asserted {
    /// The condition.
    pub condition: String,
    /// Whether it holds.
    pub holds: bool,
    /// The figures that it names, in its order.
    pub figures: Vec<(String, f64)>,
    /// The reason if it has no value, such as a division by 0.
    pub problem: Option<String>,
}

impl Figures {
    /// The figures of a trace: the counts of expressions in lessons, their sums and ratios, and the number of lines with each kind of
    /// finding. Without accesses a ratio per request is 0, and the efficiency (bytes requested per byte of the sectors) is 1.
    #[must_use]
    pub fn of(trace: &Trace) -> Self {
        let mut figures = Self::default();
        COUNTERS.iter().for_each(|counter| figures.set(counter.name, whole((counter.of)(trace))));
        if let Some(caches) = &trace.caches {
            CACHE_COUNTERS.iter().for_each(|counter| figures.set(counter.name, whole((counter.of)(caches))));
        }
        let (global, shared) = (&trace.global, &trace.shared);
        for (kind, counts) in [("load", &global.load), ("store", &global.store), ("atomic", &global.atomic)] {
            figures.ratio(&format!("{kind}_sectors_per_request"), counts.sectors, counts.requests, 0.0);
            figures.ratio(&format!("{kind}_efficiency"), counts.bytes, counts.sectors * 32, 1.0);
        }
        for (kind, counts) in [("load", &shared.load), ("store", &shared.store), ("atomic", &shared.atomic)] {
            figures.ratio(&format!("shared_{kind}_wavefronts_per_request"), counts.wavefronts, counts.requests, 0.0);
        }
        figures.set("sectors", whole(trace.global_sectors()));
        figures.set("bytes", whole(trace.global_bytes()));
        figures.ratio("efficiency", trace.global_bytes(), trace.global_sectors() * 32, 1.0);
        let conflicts = shared.load.conflicts + shared.store.conflicts + shared.atomic.conflicts;
        figures.set("conflicts", whole(conflicts));
        figures.ratio("active_lanes", trace.lane_ops, trace.warp_instructions, 0.0);
        figures.set("findings", whole(trace.findings.len() as u64));
        for of in FINDINGS {
            let found = trace.findings.iter().filter(|finding| finding.kind == of.kind).count();
            figures.set(of.name, whole(found as u64));
        }
        figures
    }

    /// Sets a figure that no trace has, such as a predicted time in seconds.
    pub fn set(&mut self, name: &str, value: f64) {
        self.0.insert(name.to_owned(), value);
    }

    /// Sets what the kernel's machine code takes.
    pub fn set_machine_code(&mut self, code: &MachineCode) {
        let figures = [("registers", code.registers), ("spills", code.spills()), ("stack_bytes", code.stack_bytes)];
        figures.into_iter().for_each(|(name, value)| self.set(name, f64::from(value)));
    }

    /// A ratio; `none` if there is nothing to divide by.
    fn ratio(&mut self, name: &str, of: u64, per: u64, none: f64) {
        self.set(name, if per > 0 { whole(of) / whole(per) } else { none });
    }

    /// The names of all figures.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
fn whole(count: u64) -> f64 {
    count as f64
}

impl Scope for Figures {
    fn get(&self, name: &str) -> Result<f64, EvalError> {
        let found = self.0.get(&name.replace('.', "_")).copied();
        found.ok_or_else(|| EvalError::Missing(name.to_owned()))
    }
}

/// Whether a figure counts findings.
#[must_use]
pub fn is_of_findings(name: &str) -> bool {
    name == "findings" || FINDINGS.iter().any(|of| of.name == name)
}

/// A condition whose times have units, such as `20us`, with these in seconds.
fn in_seconds(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        let (before, word) = rest.split_at(at);
        let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.').unwrap_or(word.len());
        let unit = [("ms", "e-3"), ("us", "e-6"), ("µs", "e-6"), ("ns", "e-9"), ("s", "")];
        let unit =
            unit.into_iter().find(|(unit, _)| *unit == &word[..end] && before.ends_with(|c: char| c.is_ascii_digit()));
        out.push_str(before);
        out.push_str(unit.map_or(&word[..end], |(_, power)| power));
        rest = &word[end..];
    }
    out + rest
}

/// Reads a condition, before anything runs.
///
/// # Errors
/// A text that is no expression, or that compares nothing.
pub fn condition(text: &str) -> Result<Expr, Diagnostic> {
    let failed = |message: String, hint: Option<String>| {
        let problem = Diagnostic::error(format!("the condition `{text}`: {message}"));
        problem
            .hint(hint.unwrap_or_else(|| "for example: 'conflicts == 0', 'load.sectors_per_request <= 4'".to_owned()))
    };
    let expr = Expr::parse(&in_seconds(text))
        .map_err(|wrong| failed(format!("{} at column {}", wrong.message, wrong.span.start + 1), wrong.hint))?;
    let compares = ["<", ">", "==", "!="].iter().any(|sign| text.contains(sign));
    if !compares || expr.names().is_empty() {
        return Err(failed("it compares no figure with anything".to_owned(), None));
    }
    Ok(expr)
}

/// Whether a condition holds.
///
/// # Errors
/// A name that is no figure's: the nearest, or all.
pub fn holds(expr: &Expr, figures: &Figures) -> Result<Asserted, Diagnostic> {
    let mut named: Vec<(String, f64)> = Vec::new();
    for (name, _) in expr.names() {
        match figures.get(name) {
            Ok(value) if named.iter().all(|(known, _)| known != name) => named.push((name.to_owned(), value)),
            Ok(_) => {}
            Err(_) => return Err(unknown(name, figures)),
        }
    }
    let condition = expr.source().to_owned();
    let (holds, problem) = match expr.eval(figures) {
        Ok(value) => (value != 0.0, None),
        Err(why) => (false, Some(why.to_string())),
    };
    Ok(Asserted { condition, holds, figures: named, problem })
}

fn unknown(name: &str, figures: &Figures) -> Diagnostic {
    let problem = Diagnostic::error(format!("a trace has no figure `{name}`"));
    let known: Vec<&str> = figures.names().collect();
    match nearest(&name.replace('.', "_"), known.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint(format!("there are: {}", known.join(", "))),
    }
}

impl Asserted {
    /// The result in one line: the condition, and the figures that it names.
    #[must_use]
    pub fn words(&self) -> String {
        let verdict = if self.holds { "holds" } else { "fails" };
        let figures: Vec<String> =
            self.figures.iter().map(|(name, value)| format!("{name} is {}", number(*value))).collect();
        let why = self.problem.iter().cloned().chain(figures).collect::<Vec<_>>().join(", ");
        format!("{verdict}  {}  ({why})", self.condition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace() -> Trace {
        let mut trace = Trace::default();
        (trace.global.load.requests, trace.global.load.sectors, trace.global.load.bytes) = (2, 64, 256);
        trace.shared.store.conflicts = 3;
        trace
    }

    fn judged(text: &str) -> Result<Asserted, Diagnostic> {
        holds(&condition(text)?, &Figures::of(&trace()))
    }

    #[test]
    fn a_condition_names_figures_with_dots_or_underscores() -> Result<(), Diagnostic> {
        assert!(judged("load.sectors_per_request == 32")?.holds);
        assert!(judged("load_sectors == 64 && load_efficiency * 8 == 1")?.holds);
        let failed = judged("conflicts == 0")?;
        assert_eq!(failed.words(), "fails  conflicts == 0  (conflicts is 3)");
        assert!(!failed.holds);
        Ok(())
    }

    #[test]
    fn no_access_is_no_waste() -> Result<(), Diagnostic> {
        assert!(judged("store.sectors_per_request == 0 && store.efficiency == 1")?.holds);
        assert!(!judged("store.sectors_per_request <= 4 && conflicts == 0")?.holds);
        Ok(())
    }

    #[test]
    fn wrong_conditions_are_refused_with_advice() {
        let hint = |text: &str| judged(text).err().and_then(|problem| problem.hint);
        assert_eq!(hint("conflict == 0").as_deref(), Some("did you mean `conflicts`?"));
        for text in ["conflicts", "1 < 2", "conflicts ==", "("] {
            assert!(hint(text).is_some(), "{text}");
        }
    }

    #[test]
    fn times_may_have_units() {
        assert_eq!(in_seconds("time <= 20us && predicted_high < 1.5ms"), "time <= 20e-6 && predicted_high < 1.5e-3");
        assert_eq!(in_seconds("conflicts == 0"), "conflicts == 0");
        assert_eq!(in_seconds("time < 2s"), "time < 2");
    }
}
