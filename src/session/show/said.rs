//! The results that a step's prose speaks of.

use std::sync::Arc;

use super::interpolate::spoken_of;
use super::source::prepare;
use super::stage::Stage;
use super::staged::Sources;
use crate::figures::{Traced, ask};
use crate::lesson::scope::Results;
use crate::lesson::{Step, Variant, each_inline};
use crate::session::ask::{At, Inline, Store};
use crate::session::jobs::cost;
use crate::session::jobs::setting::Setting;
use crate::session::run::whole;
use crate::trace::record::Record;

/// The results of the programs that a step's prose mentions, and the counts of the one on its stage. `measured` gives the
/// measurement of a program; None if there is none.
#[must_use]
pub fn results(
    step: &Step,
    setting: &Arc<Setting>,
    inline: &Inline<'_>,
    sources: &Sources<'_>,
    measured: &dyn Fn(&Variant) -> Option<Arc<Record>>,
) -> (Results, Option<Arc<Traced>>) {
    let (lesson, store) = (&setting.lesson, inline as &dyn Store);
    let (mut results, mut shown) = (Results::default(), None);
    let spoken = spoken_of(lesson, |see| each_inline(&step.blocks, see));
    for program in lesson
        .programs
        .iter()
        .filter(|p| p.id == step.variant.program || spoken.iter().any(|spoken| spoken.program == p.id))
    {
        let is_shown = program.id == step.variant.program;
        let variant = if is_shown { step.variant.clone() } else { Variant::plain(&program.id) };
        let measured = measured(&variant);
        if !cost::is_traced(lesson, &variant, &setting.params) {
            measured.iter().for_each(|record| results.insert_record(&program.id, record));
            continue;
        }
        let at = At::traced(setting, &variant);
        // One run answers all that the stage asks for.
        if is_shown && let Some(stage) = Stage::of_step(&at, step) {
            prepare(stage, inline, sources);
        }
        let Some(traced) = store.find(&at, ask::Counts) else { continue };
        results.insert_record(&program.id, &traced.record);
        let is_predicted = spoken.iter().any(|spoken| spoken.program == program.id && spoken.predicted);
        if let Some(modelled) = sources.modelled().filter(|_| is_predicted) {
            whole::insert(&mut results, &program.id, (&traced.job, &traced.record), &modelled);
        }
        measured.iter().for_each(|record| results.insert_timing(&program.id, record));
        if is_shown {
            shown = Some(traced);
        }
    }
    (results, shown)
}
