//! What a curve was measured of, in sixteen digits, so that it is not shown of anything else.

use crate::job::{self, Action, BufferSpec, Code, Content, Job, Source};
use crate::lesson::{Curve, Lesson};
use crate::session::jobs::{self, Params};
use crate::trace::record::Backend;

/// Names what a backend runs for a curve at some values of a parameter: sources, constants, launches, buffers with what they begin with, work.
/// FNV-1a, 64 bits (Fowler, Noll & Vo, RFC 9923), in hexadecimal; it tells a change, not an attack. None if there is nothing to run at a value.
#[must_use]
pub fn fingerprint(
    lesson: &Lesson,
    curve: &Curve,
    (over, values): (&str, &[f64]),
    params: &Params,
    backend: Backend,
) -> Option<String> {
    let mut hash = Hash(BASIS);
    let program = lesson.program(&curve.variant.program)?;
    for pass in program.passes() {
        pass.launch()
            .into_iter()
            .flat_map(|launch| &launch.bind)
            .for_each(|(name, buffer, _)| hash.texts(&[name, buffer]));
    }
    hash.texts(&[curve.pass.as_deref().unwrap_or_default()]);
    for value in values {
        let params = jobs::with(params, &[(over.to_owned(), *value)]);
        let job = jobs::sketch(lesson, &curve.variant, &params)?;
        hash.job(&job, backend);
    }
    Some(format!("{:016x}", hash.0))
}

/// Names a job that ranks run together, with its seed, checks and series.
#[must_use]
pub fn of_job(job: &Job, backend: Backend) -> String {
    let mut hash = Hash(BASIS);
    hash.job(job, backend);
    for launch in job.launches() {
        hash.form(&launch.bindings);
    }
    for spec in &job.checks {
        hash.form(&(spec.output, spec.tolerance, spec.scale, &spec.after, spec.against(&job.buffers)));
    }
    hash.form(&(job.seed, &job.series));
    format!("{:016x}", hash.0)
}

/// The number that FNV-1a begins with.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;

struct Hash(u64);

impl Hash {
    fn texts(&mut self, parts: &[&str]) {
        // A byte that is in no text keeps neighbours apart.
        for byte in parts.iter().flat_map(|part| part.bytes().chain([0xff])) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// Something by its form in the code, which is the same as long as its type is.
    fn form(&mut self, of: &dyn std::fmt::Debug) {
        self.texts(&[&format!("{of:?}")]);
    }

    fn job(&mut self, job: &Job, backend: Backend) {
        for BufferSpec { name, elem, count, content, .. } in &job.buffers {
            self.form(&(name, elem, count));
            match content {
                Content::Made(init) => self.form(init),
                Content::Bytes(source) | Content::Elements(source) => match source {
                    Source::Text(text) => self.texts(&[text]),
                    Source::File { sha256, .. } => self.texts(&[sha256]),
                },
                Content::Vocabulary(name, table) => self.form(&(name, table)),
                Content::Npy(path) => self.form(path),
                Content::Words(words) => self.form(words),
            }
        }
        for job::Pass { id, action, work } in &job.passes {
            self.form(&(id, work));
            match action {
                Action::Launch(launch) => self.launch(launch, backend),
                Action::Copy { .. } | Action::Fill { .. } => self.form(action),
            }
        }
        self.form(&(&job.body, &job.work));
    }

    fn launch(&mut self, launch: &job::Launch, backend: Backend) {
        match (&launch.code, launch.twin().filter(|_| backend == Backend::Cuda)) {
            (_, Some(twin)) => self.texts(&[&twin.source, &twin.entry]),
            (Code::Wgsl(wgsl), None) => self.texts(&[&wgsl.source, &wgsl.entry]),
            (Code::Cuda { .. }, None) => {}
        }
        match &launch.code {
            Code::Wgsl(wgsl) => self.form(&(&wgsl.overrides, &wgsl.consts)),
            Code::Cuda { constants, launch, .. } => self.form(&(constants, launch)),
        }
        self.form(&(launch.workgroup, launch.grid, &launch.library));
    }
}
