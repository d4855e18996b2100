//! Cache of results as names in expressions: rebuilt when a result arrives, not in every frame of the window.

use std::sync::Arc;

use super::state::State;
use crate::lesson::scope::Results;
use crate::session::run::model::Chosen;
use crate::trace::record::{Ceilings, Record};

/// Results, with the sources that they were built from.
#[derive(Default)]
pub struct KeptResults {
    ceilings: Option<Ceilings>,
    /// The device that times are predicted for, by its id.
    modelled: Option<String>,
    sources: Vec<Source>,
    results: Arc<Results>,
}

/// A record that results are taken from. It is kept alive, so that no other run's record can reuse its address.
struct Source {
    record: Arc<Record>,
    traced: bool,
    traceable: bool,
}

impl Source {
    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.record, &other.record) && (self.traced, self.traceable) == (other.traced, other.traceable)
    }
}

impl KeptResults {
    /// All results at the current settings.
    pub fn of(&mut self, state: &State) -> Arc<Results> {
        let found = &state.found;
        let of = |id: &str, record: &Arc<Record>, traced: bool| Source {
            record: record.clone(),
            traced,
            traceable: traced || state.place.is_traceable(id),
        };
        let traced = found.now.programs().filter_map(|id| Some(of(id, &found.traced(id)?.record, true)));
        let measured = found.now.programs().filter_map(|id| Some(of(id, found.ran(id)?, false)));
        let sources: Vec<Source> = traced.chain(measured).collect();
        let is_same = self.sources.len() == sources.len() && self.sources.iter().zip(&sources).all(|(a, b)| a.is(b));
        let ceilings = state.ceilings();
        let modelled = state.modelled();
        let model = |chosen: Option<Chosen<'_>>| chosen.map(|chosen| chosen.spec.id.clone());
        let is_same = is_same && self.ceilings.as_ref() == ceilings && self.modelled == model(modelled);
        if !is_same {
            let results = Arc::new(found.results(&state.place, ceilings, modelled.as_ref()));
            *self = Self { ceilings: ceilings.copied(), modelled: model(modelled), sources, results };
        }
        self.results.clone()
    }
}
