//! Predicted times as `run` and `trace` print them.

use super::out;
use crate::base::units::{count, digits3, si};
use crate::session::run::model::{Modelled, Predicted};
use crate::session::run::whole::Whole;

/// Whose prediction it is.
pub(super) fn heading(device: &Modelled) -> String {
    let whose = if device.this_machine { "the device that measures" } else { "a model, not this machine" };
    format!("predicted for {} ({whose}):", device.name)
}

/// Prints a kernel's predicted time with all that it takes for granted.
pub(super) fn show(predicted: &Predicted) {
    out::line(&heading(&predicted.device));
    if let Some(point) = &predicted.point {
        out::line(&format!("  {}", point.words()));
    }
    let bound = predicted.bound.map_or_else(String::new, |bound| format!(", bound by {}", bound.name()));
    if let Some(time) = predicted.bounds_words() {
        let bounds = if predicted.point.is_some() { "bounds: " } else { "" };
        out::line(&format!("  {bounds}{time}{bound}"));
    }
    let said = predicted.missing.iter().chain(&predicted.assumptions).map(|said| said.text.clone());
    let facts = [predicted.occupancy_words(), predicted.waves_words()];
    facts.into_iter().flatten().chain(said).for_each(|text| out::line(&format!("  {text}")));
}

/// Prints a program's predicted time.
pub(super) fn show_sum(whole: &Whole) {
    let Some(point) = &whole.point else { return };
    let launches: u64 = whole.passes.iter().map(|pass| pass.launches).sum();
    out::line(&heading(&whole.device));
    out::line(&format!("  {} launches one after another: {}", count(launches), point.words()));
}

/// Prints a program's predicted time, and those of its passes.
pub(super) fn show_program(whole: &Whole) {
    let Some(point) = &whole.point else { return };
    show_sum(whole);
    let mut rows = vec![["pass", "launches", "predicted", "of all", "bound by"].map(str::to_owned).to_vec()];
    rows.extend(whole.passes.iter().map(|pass| {
        let seconds = pass.point_s.unwrap_or(0.0);
        let bound = pass.bound.map_or("–", |bound| bound.name());
        let share = format!("{} %", digits3(100.0 * seconds / point.point_s));
        vec![pass.id.clone(), count(pass.launches), si(seconds, "s"), share, bound.to_owned()]
    }));
    out::table(&rows);
}
