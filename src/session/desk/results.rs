//! Cache of results as names in expressions: rebuilt when a result arrives, not in every frame of the window.

use std::sync::Arc;

use super::state::State;
use crate::lesson::scope::Results;
use crate::trace::record::{Ceilings, Record};

/// Results, with the sources that they were built from.
#[derive(Default)]
pub struct KeptResults {
    ceilings: Option<Ceilings>,
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
        let of = |id: &String, record: &Arc<Record>, traced: bool| Source {
            record: record.clone(),
            traced,
            traceable: traced || state.place.is_traceable(id),
        };
        let traced = found.traced.iter().filter_map(|(id, traced)| Some(of(id, traced.record.as_ref()?, true)));
        let measured = found.measured.iter().filter_map(|(id, m)| Some(of(id, m.record.as_ref()?, false)));
        let sources: Vec<Source> = traced.chain(measured).collect();
        let is_same = self.sources.len() == sources.len() && self.sources.iter().zip(&sources).all(|(a, b)| a.is(b));
        if !is_same || self.ceilings != found.ceilings {
            *self = Self { ceilings: found.ceilings, sources, results: Arc::new(found.results(&state.place)) };
        }
        self.results.clone()
    }
}
