//! A device's answers.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::query::{Of, Outcome, Query};
use super::{At, How};
use crate::base::diag::Diagnostic;
use crate::base::units::Work;
use crate::figures::ask::{self, AnyQuestion, Question};
use crate::gpu::backend::Event as Progress;
use crate::job::MeasureSpec;
use crate::session::jobs::setting::Setting;
use crate::session::jobs::{self, Purpose, cost};
use crate::session::run;
use crate::session::run::check_failure::failed_check;
use crate::session::run::devices::Devices;
use crate::trace::Record;
use crate::trace::record::Backend;

/// Seconds that a measurement for the window takes at most.
const BUDGET_S: f64 = 0.2;

/// Answers a question to a device; `on_sample` gets the program's work and each sample in seconds as it comes. None for a question to the tracer.
pub fn measure(
    devices: &Devices,
    query: &Query,
    cancel: &AtomicBool,
    on_sample: &mut dyn FnMut(Work, f64),
) -> Option<Outcome> {
    match (&query.question, &query.of) {
        (AnyQuestion::Time(_), Of::Program(at)) => {
            let How::Timed { backend, guards } = at.how() else { return None };
            let record = time(devices, at, (backend, guards), cancel, on_sample);
            Some(record.map(ask::Time::any).map_err(Arc::from))
        }
        (AnyQuestion::Ceilings(_), Of::Device(backend)) => {
            let ceilings = devices.ceilings(*backend, cancel);
            Some(ceilings.map(ask::Ceilings::any).map_err(|problem| Arc::from([problem])))
        }
        _ => None,
    }
}

fn time(
    devices: &Devices,
    at: &At,
    (backend, guards): (Backend, bool),
    cancel: &AtomicBool,
    on_sample: &mut dyn FnMut(Work, f64),
) -> Result<Record, Vec<Diagnostic>> {
    let Setting { lesson, params, seed, .. } = &**at.setting();
    let spec = MeasureSpec { budget_s: BUDGET_S, ..MeasureSpec::default() };
    let purpose = Purpose { measure: Some(spec), ..run::purpose(backend, *seed, guards) };
    let job = jobs::build(lesson, at.variant(), params, &purpose)?;
    let work = cost::whole(&job);
    let record = devices.run(backend, &job, cancel, &mut |progress| {
        if let Progress::Sample(seconds) = progress {
            on_sample(work, seconds);
        }
    });
    let record = record.map_err(|problem| vec![problem])?;
    match failed_check(&job, &record) {
        Some(problem) => Err(vec![problem]),
        None => Ok(record),
    }
}
