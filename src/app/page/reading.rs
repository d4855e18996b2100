//! The inputs for setting a page, and where its live values come from.

use super::selection::Selection;
use crate::app::format;
use crate::app::math::Formulas;
use crate::base::expr::Expr;
use crate::lesson::scope::Results;
use crate::session::desk::state::State;

/// The inputs for setting a page.
pub struct Reading<'a> {
    /// The text to show.
    pub state: &'a State,
    /// All results, by their names in expressions.
    pub results: &'a Results,
    pub formulas: &'a Formulas,
    /// Whether the step's explorer is on the stage, and in sight there.
    pub staged: bool,
    /// The words of the trade that the page has had so far.
    pub told: Vec<&'static str>,
    /// The prose that the pointer has selected.
    pub selection: Selection,
}

impl Reading<'_> {
    /// Where a live value comes from, in words.
    pub(super) fn explain(&self, expr: &Expr) -> String {
        let mut lines = vec![format!("= {}", expr.source())];
        if let Some(lesson) = &self.state.place.lesson {
            for (run, timed) in lesson.runs_behind(expr) {
                lines.push(self.provenance(&run, timed));
            }
        }
        lines.dedup();
        lines.join("\n")
    }

    /// The placeholder for a value that has no figure.
    pub(super) fn absence(&self, expr: &Expr) -> &'static str {
        let runs = self.state.place.lesson.as_ref().map(|l| l.runs_behind(expr)).unwrap_or_default();
        if runs.iter().any(|(_, timed)| *timed) { "not measured yet" } else { "not traced yet" }
    }

    fn provenance(&self, run: &str, timed: bool) -> String {
        let record = self.state.found.ran(run);
        match (timed, record.and_then(|r| r.timing.as_ref())) {
            (true, Some(timing)) => format!(
                "measured on {}: {run}, median {} (p10–p90 {}–{}), n = {}, {} cache",
                self.state.acting_device().map(|d| d.name).unwrap_or_default(),
                crate::base::units::si(timing.median_s, "s"),
                crate::base::units::si(timing.p10_s, "s"),
                crate::base::units::si(timing.p90_s, "s"),
                timing.samples.len(),
                format::cache(timing.cache),
            ),
            (true, None) => format!("{run} has not been measured at these parameters"),
            (false, _) => format!("traced: {run}, over the whole grid"),
        }
    }
}
