//! Fingerprints of measured curves, so that a recording is not shown for changed kernels.

use super::canonical::Canonical;
use crate::job::Job;
use crate::lesson::{Curve, Lesson};
use crate::session::jobs::{self, Params};
use crate::trace::record::Backend;

/// The fingerprint of all that a backend runs for a curve at some values of a parameter: sources, constants, launches,
/// buffers with their initial contents, work. None if there is nothing to run at a value.
#[must_use]
pub fn fingerprint(
    lesson: &Lesson,
    curve: &Curve,
    (over, values): (&str, &[f64]),
    params: &Params,
    backend: Backend,
) -> Option<String> {
    let mut bytes = Canonical::new();
    let program = lesson.program(&curve.variant.program)?;
    for pass in program.passes() {
        pass.launch()
            .into_iter()
            .flat_map(|launch| &launch.bind)
            .for_each(|(name, buffer, _)| [name, buffer].into_iter().for_each(|text| bytes.text(text)));
    }
    bytes.text(curve.pass.as_deref().unwrap_or_default());
    for value in values {
        let params = jobs::with(params, &[(over.to_owned(), *value)]);
        let job = jobs::sketch(lesson, &curve.variant, &params)?;
        write(&mut bytes, &job, backend);
    }
    Some(bytes.key())
}

/// The fingerprint of a job that ranks run together, with its seed, checks and series.
#[must_use]
pub fn of_job(job: &Job, backend: Backend) -> String {
    let mut bytes = Canonical::new();
    write(&mut bytes, job, backend);
    job.launches().for_each(|launch| bytes.bindings(&launch.bindings));
    bytes.list(&job.checks, |to, check| to.check(check, backend));
    bytes.list(&job.series, Canonical::series);
    bytes.seed(job.seed);
    bytes.key()
}

fn write(bytes: &mut Canonical, job: &Job, backend: Backend) {
    bytes.list(&job.buffers, Canonical::buffer);
    bytes.list(&job.passes, |to, pass| to.pass(pass, backend));
    bytes.nodes(&job.body);
    bytes.whole(job.work);
}
