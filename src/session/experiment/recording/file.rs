//! A recording's file: RON, with a line for each point.

use serde::Deserialize;

use super::{FOLDER, FORMAT_VERSION, RecordedCurve, RecordedExperiment, RecordedLibrary, RecordedPoint, Recording};
use crate::base::diag::Diagnostic;
use crate::base::versioned::Versioned;
use crate::lesson::{Pack, PackFiles};
use crate::trace::record::CacheState;

/// How a recording's file is read.
const FILE: Versioned = Versioned {
    what: "recording",
    version: FORMAT_VERSION,
    unreadable: "record it again with `warpbook record`",
    other_version: "record it again with `warpbook record`",
};

/// A [`RecordedPoint`] as written in the file; its figures are not validated yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Point {
    x: f64,
    bytes: f64,
    flops: f64,
    cache: CacheState,
    samples_s: Vec<f64>,
    #[serde(default)]
    library: Option<RecordedLibrary>,
}

impl TryFrom<Point> for RecordedPoint {
    type Error = String;

    fn try_from(point: Point) -> Result<Self, String> {
        let Point { x, bytes, flops, cache, samples_s, library } = point;
        if !x.is_finite() {
            return Err(format!("a point at {x} cannot be"));
        }
        if let Some(work) = [bytes, flops].into_iter().find(|work| !work.is_finite() || *work < 0.0) {
            return Err(format!("the point at {x} does {work} of work, which cannot be"));
        }
        for samples in [Some(&samples_s), library.as_ref().map(|l| &l.samples_s)].into_iter().flatten() {
            if let Some(time) = samples.iter().find(|time| !time.is_finite() || **time <= 0.0) {
                return Err(format!("the point at {x} has a sample of {time} s, which cannot be"));
            }
            if samples.is_empty() {
                return Err(format!("the point at {x} has no samples"));
            }
        }
        Ok(Self { x, bytes, flops, cache, samples_s, library })
    }
}

impl Recording {
    /// Its lessons, experiments and curves that the pack does not have, as warnings about `file`.
    pub(super) fn strangers(&self, file: &str, pack: &Pack) -> Vec<Diagnostic> {
        let ignored = |what: String| {
            Diagnostic::warning(format!("this recording has {what}, which the pack has not: it is ignored"))
                .in_file(file)
                .hint("record again with `warpbook record`")
        };
        let mut found = Vec::new();
        for recorded in &self.experiments {
            let Some(lesson) = pack.lessons.iter().find(|l| l.id == recorded.lesson) else {
                found.push(ignored(format!("a lesson `{}`", recorded.lesson)));
                continue;
            };
            let experiment = lesson.experiments.iter().find(|e| e.id == recorded.experiment && e.over == recorded.over);
            if experiment.is_none() {
                let (id, over) = (&recorded.experiment, &recorded.over);
                found.push(ignored(format!("an experiment `{id}` over `{over}` of lesson `{}`", lesson.id)));
            }
            let known = |id: &str| lesson.experiments.iter().any(|e| e.curves.iter().any(|curve| curve.id == id));
            let unknown = recorded.curves.iter().filter(|c| !known(&c.curve));
            found.extend(unknown.map(|c| ignored(format!("a curve `{}` of lesson `{}`", c.curve, lesson.id))));
        }
        found.dedup();
        found
    }

    /// The file's text: a line for each point.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut text = format!(
            "(\n    format_version: {},\n    device: {:?},\n    driver: {:?},\n    api: {:?},\n    backend: {},\n    date: {:?},\n    \
             program: {:?},\n    bounds_checks: {},\n    experiments: [\n",
            self.format_version,
            self.device,
            self.driver,
            self.api,
            self.backend.name(),
            self.date,
            self.program,
            self.bounds_checks
        );
        for RecordedExperiment { lesson, experiment, over, params, curves } in &self.experiments {
            let params: Vec<String> = params.iter().map(|(id, value)| format!("{id:?}: {value}")).collect();
            text.push_str(&format!(
                "        (lesson: {lesson:?}, experiment: {experiment:?}, over: {over:?}, params: {{{}}}, curves: [\n",
                params.join(", ")
            ));
            for RecordedCurve { curve, fingerprint, points } in curves {
                text.push_str(&format!("            (curve: {curve:?}, fingerprint: {fingerprint:?}, points: [\n"));
                points.iter().for_each(|point| text.push_str(&point.line()));
                text.push_str("            ]),\n");
            }
            text.push_str("        ]),\n");
        }
        text.push_str("    ],\n)\n");
        text
    }
}

impl RecordedPoint {
    fn line(&self) -> String {
        let Self { x, bytes, flops, cache, samples_s, library } = self;
        let cache = match cache {
            CacheState::Cold => "cold",
            CacheState::Warm => "warm",
        };
        let library = library.as_ref().map_or_else(String::new, |RecordedLibrary { name, version, samples_s }| {
            let version = version.as_ref().map(|version| format!("version: {version:?}, ")).unwrap_or_default();
            format!(", library: (name: {name:?}, {version}samples_s: [{}])", list(samples_s))
        });
        format!(
            "                (x: {x}, bytes: {bytes}, flops: {flops}, cache: {cache}, samples_s: [{}]{library}),\n",
            list(samples_s)
        )
    }
}

/// Formats samples to four digits, which is more than their precision.
fn list(samples_s: &[f64]) -> String {
    samples_s.iter().map(|s| format!("{s:.3e}")).collect::<Vec<_>>().join(", ")
}

/// Parses the text of a recording's file; `id` becomes the recording's id.
///
/// # Errors
/// The first mistake, at its line and column: RON that cannot be read, a version or field of another program, a time
/// that cannot be.
pub fn read(id: &str, file: &str, text: &str) -> Result<Recording, Diagnostic> {
    let recording: Recording = FILE.read(file, text)?;
    Ok(Recording { id: id.to_owned(), ..recording })
}

/// A pack's recordings in the order of their names, and the problems of their files.
#[must_use]
pub fn load(files: &PackFiles, pack: &Pack) -> (Vec<Recording>, Vec<Diagnostic>) {
    let (mut recordings, mut problems) = (Vec::new(), Vec::new());
    for path in files.list(FOLDER) {
        let name = path.strip_prefix(FOLDER).and_then(|rest| rest.strip_prefix('/'));
        let Some(id) = name.and_then(|name| name.strip_suffix(".ron")) else { continue };
        let file = files.display(&path);
        match files.require(&path).and_then(|text| read(id, &file, &text)) {
            Ok(recording) => {
                problems.extend(recording.strangers(&file, pack));
                recordings.push(recording.resolve(pack));
            }
            Err(problem) => problems.push(problem),
        }
    }
    (recordings, problems)
}
