//! The programs of the open lesson at the present settings.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::place::Place;
use crate::session::ask::At;
use crate::trace::record::Backend;

/// A program as the tracer runs it, and as the device does.
#[derive(Debug)]
struct Runs {
    traced: At,
    timed: Option<At>,
}

/// Each program of the open lesson at the present settings, by its id. It is made anew after each change of the place.
#[derive(Debug, Default)]
pub struct Now(BTreeMap<String, Runs>);

impl Now {
    /// The programs at a place, measured on this backend.
    #[must_use]
    pub fn of(place: &Place, backend: Option<Backend>) -> Self {
        let Some(setting) = place.setting().map(Arc::new) else { return Self::default() };
        let runs = |id: &String| {
            let variant = place.variant_of(id);
            let timed = backend.map(|backend| At::timed(&setting, &variant, backend));
            (id.clone(), Runs { traced: At::traced(&setting, &variant), timed })
        };
        Self(setting.lesson.programs.iter().map(|program| runs(&program.id)).collect())
    }

    /// A program as the tracer runs it.
    #[must_use]
    pub fn traced(&self, program: &str) -> Option<&At> {
        self.0.get(program).map(|runs| &runs.traced)
    }

    /// A program as the device runs it; None without a device.
    #[must_use]
    pub fn timed(&self, program: &str) -> Option<&At> {
        self.0.get(program)?.timed.as_ref()
    }

    /// The programs' ids.
    pub fn programs(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}
