//! Recordings: experiments that were measured on some device, kept in `assets/recordings/` and shown where there is no such device.
//!
//! A file holds what one device and backend measured; every time in it is in seconds, bytes and operations are what the lesson says
//! that the work needs. A curve names what it was measured of by a fingerprint, so that it is not shown of another kernel.

use std::collections::BTreeMap;

use ron::extensions::Extensions;
use serde::Deserialize;

use super::desk::state::Sweep;
use super::output::{KernelOutput, SweepPoint, TimeOutput};
use super::saved::RecordingChoice;
use crate::base::diag::Diagnostic;
use crate::lesson::{Experiment, Kernel, Lesson, Pack, PackFiles};
use crate::trace::record::{Backend, CacheState, Device};

/// Where a pack's recordings are.
pub const FOLDER: &str = "assets/recordings";

/// The version of a recording's file that this program reads and writes.
pub const FORMAT_VERSION: u32 = 1;

/// What one device measured.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// The file's name without its ending.
    #[serde(skip)]
    pub id: String,
    /// See [`FORMAT_VERSION`].
    pub format_version: u32,
    /// The device's name, as its driver gives it.
    pub device: String,
    /// The driver's name and version.
    pub driver: String,
    /// The interface below the backend, such as "Vulkan".
    pub api: String,
    /// What ran the kernels.
    pub backend: Backend,
    /// The day, as YYYY-MM-DD.
    pub date: String,
    /// The version of the program that measured.
    pub program: String,
    /// Whether the device's compiler guarded indices and loops.
    pub bounds_checks: bool,
    /// The experiments.
    pub experiments: Vec<RecordedExperiment>,
}

/// One experiment of a lesson.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedExperiment {
    /// The lesson's id.
    pub lesson: String,
    /// The experiment's id.
    pub experiment: String,
    /// The parameter that was swept.
    pub over: String,
    /// The others.
    pub params: BTreeMap<String, f64>,
    /// One for each kernel.
    pub curves: Vec<RecordedCurve>,
}

/// One kernel's points.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedCurve {
    /// The kernel's id.
    pub kernel: String,
    /// Its [`fingerprint`] at the time.
    pub fingerprint: String,
    /// The points, in the order of the experiment's values.
    pub points: Vec<RecordedPoint>,
}

/// One time, in seconds, with its spread and the work done in it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordedPoint {
    /// The swept parameter's value.
    pub x: f64,
    /// The median.
    pub median_s: f64,
    /// The tenth percentile.
    pub p10_s: f64,
    /// The ninetieth percentile.
    pub p90_s: f64,
    /// How many samples.
    pub samples: usize,
    /// The state of the caches.
    pub cache: CacheState,
    /// Bytes that the work needs to move.
    pub bytes: f64,
    /// Floating-point operations that the work needs.
    pub flops: f64,
}

/// A recording as an experiment shows it.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Its points, as if they had been measured here; its device says that they were not.
    pub sweep: Sweep,
    /// Titles of the kernels that have changed since, and so are left out.
    pub changed: Vec<String>,
}

/// What of a file every version has.
#[derive(Deserialize)]
struct VersionOnly {
    format_version: u32,
}

/// Names what a backend runs of a kernel: its source, entry point, constants, buffers, grid and work. FNV-1a, 64 bits
/// (Fowler, Noll & Vo, RFC 9923), in hexadecimal; it tells a change, not an attack.
#[must_use]
pub fn fingerprint(kernel: &Kernel, backend: Backend) -> String {
    let (source, entry) = match (&kernel.cuda, backend) {
        (Some(twin), Backend::Cuda) => (&twin.source, &twin.entry),
        _ => (&kernel.source, &kernel.entry),
    };
    let mut parts: Vec<&str> = vec![source, entry];
    for (name, value) in &kernel.constants {
        parts.extend([name.as_str(), value.source()]);
    }
    for buffer in &kernel.buffers {
        parts.extend([buffer.name.as_str(), buffer.count.source()]);
    }
    parts.extend(kernel.grid.iter().chain([&kernel.bytes, &kernel.flops]).map(|e| e.source()));
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    // A byte that is in no text keeps neighbours apart.
    for byte in parts.into_iter().flat_map(|part| part.bytes().chain([0xff])) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// The place in `recorded` of the one to show: the one chosen, or the first where nothing else is there that a GPU measured. `device` is what
/// measures, once that is known.
#[must_use]
pub fn chosen(recorded: &[Shown<'_>], choice: &RecordingChoice, device: Option<&Device>) -> Option<usize> {
    match choice {
        RecordingChoice::Hidden => None,
        RecordingChoice::Only(id) => recorded.iter().position(|shown| shown.recording.id == *id),
        RecordingChoice::Auto => {
            let no_gpu = device.is_some_and(|d| d.software || d.backend == Backend::Simt);
            (no_gpu && !recorded.is_empty()).then_some(0)
        }
    }
}

impl Recording {
    /// What was recorded on what and when: "NVIDIA H200, CUDA, 2026-11-21".
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}, {}, {}", self.device, self.interface(), self.date)
    }

    /// The interface as people call it.
    #[must_use]
    pub fn interface(&self) -> &str {
        match self.backend {
            Backend::Cuda => "CUDA",
            Backend::Wgpu | Backend::Simt => &self.api,
        }
    }

    /// What it has of an experiment; none where it has nothing.
    #[must_use]
    pub fn shown(&self, lesson: &Lesson, experiment: &Experiment) -> Option<Shown<'_>> {
        let is_it = |r: &&RecordedExperiment| {
            r.lesson == lesson.id && r.experiment == experiment.id && r.over == experiment.over
        };
        let recorded = self.experiments.iter().find(is_it)?;
        let (mut points, mut changed) = (Vec::new(), Vec::new());
        for curve in &recorded.curves {
            let known = experiment.kernels.contains(&curve.kernel).then(|| lesson.kernel(&curve.kernel)).flatten();
            match known {
                Some(kernel) if fingerprint(kernel, self.backend) == curve.fingerprint => {
                    points.extend(curve.points.iter().map(|p| p.sweep_point(&curve.kernel)));
                }
                Some(kernel) => changed.push(kernel.title.clone()),
                None => {}
            }
        }
        let sweep = Sweep {
            number: 0,
            bounds_checks: self.bounds_checks,
            warp_width: 0,
            backend: self.backend,
            device: self.device.clone(),
            params: recorded.params.clone(),
            over: recorded.over.clone(),
            total: points.len(),
            points,
        };
        Some(Shown { recording: self, sweep, changed })
    }

    /// What it has of lessons, experiments and kernels that the pack has not, as warnings about `file`.
    fn strangers(&self, file: &str, pack: &Pack) -> Vec<Diagnostic> {
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
            let unknown = recorded.curves.iter().filter(|c| lesson.kernel(&c.kernel).is_none());
            found.extend(unknown.map(|c| ignored(format!("a kernel `{}` of lesson `{}`", c.kernel, lesson.id))));
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
            for RecordedCurve { kernel, fingerprint, points } in curves {
                text.push_str(&format!("            (kernel: {kernel:?}, fingerprint: {fingerprint:?}, points: [\n"));
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
        let Self { x, median_s, p10_s, p90_s, samples, cache, bytes, flops } = self;
        let cache = match cache {
            CacheState::Cold => "cold",
            CacheState::Warm => "warm",
        };
        format!(
            "                (x: {x}, median_s: {median_s:.4e}, p10_s: {p10_s:.4e}, p90_s: {p90_s:.4e}, samples: {samples}, \
             cache: {cache}, bytes: {bytes}, flops: {flops}),\n"
        )
    }

    fn sweep_point(self, kernel: &str) -> SweepPoint {
        let time = TimeOutput {
            median_s: self.median_s,
            p10_s: self.p10_s,
            p90_s: self.p90_s,
            samples: self.samples,
            each_s: Vec::new(),
            cache: self.cache,
        };
        let sampled = KernelOutput::sampled(kernel, (self.bytes, self.flops), self.median_s);
        SweepPoint { x: self.x, kernel: KernelOutput { time: Some(time), ..sampled }, warnings: Vec::new() }
    }

    fn is_sound(&self) -> bool {
        let times = [self.p10_s, self.median_s, self.p90_s];
        let work = [self.bytes, self.flops];
        self.x.is_finite()
            && times.iter().all(|t| t.is_finite() && *t > 0.0)
            && times.is_sorted()
            && work.iter().all(|w| w.is_finite() && *w >= 0.0)
    }
}

/// Reads the text of a recording's file; `id` is what it will be known by.
///
/// # Errors
/// The first mistake, at its line and column: RON that cannot be read, a version or field of another program, a time that cannot be.
pub fn read(id: &str, file: &str, text: &str) -> Result<Recording, Diagnostic> {
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    let at = |error: &ron::error::SpannedError| {
        let mut problem = Diagnostic::error(format!("cannot read this recording: {}", error.code))
            .hint("record it again with `warpbook record`")
            .in_file(file);
        if let Some(place) = &mut problem.place {
            place.line = u32::try_from(error.span.start.line).unwrap_or(u32::MAX);
            place.column = u32::try_from(error.span.start.col).unwrap_or(u32::MAX);
        }
        problem
    };
    let VersionOnly { format_version } = options.from_str(text).map_err(|error| at(&error))?;
    if format_version != FORMAT_VERSION {
        let offset = text.find("format_version").unwrap_or(0);
        let message =
            format!("this recording has format {format_version}, and this program reads format {FORMAT_VERSION}");
        let problem = Diagnostic::error(message).at(file, text, &(offset..offset));
        return Err(problem.hint("record it again with `warpbook record`"));
    }
    let recording: Recording = options.from_str(text).map_err(|error| at(&error))?;
    for (recorded, curve) in recording.experiments.iter().flat_map(|e| e.curves.iter().map(move |c| (e, c))) {
        if let Some(point) = curve.points.iter().find(|p| !p.is_sound()) {
            let message = format!(
                "the point at {} = {} of kernel `{}` in experiment `{}` has figures that cannot be",
                recorded.over, point.x, curve.kernel, recorded.experiment
            );
            return Err(Diagnostic::error(message)
                .in_file(file)
                .hint("times are positive seconds, p10 at most the median and the median at most p90"));
        }
    }
    Ok(Recording { id: id.to_owned(), ..recording })
}

/// A pack's recordings in the order of their names, and what is wrong with their files.
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
                recordings.push(recording);
            }
            Err(problem) => problems.push(problem),
        }
    }
    (recordings, problems)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session;

    fn pack() -> Pack {
        session::load(&PackFiles::Embedded).0
    }

    fn recording(pack: &Pack) -> Recording {
        let lesson = &pack.lessons[0];
        let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
        let kernels = experiment.iter().flat_map(|e| &e.kernels).filter_map(|id| lesson.kernel(id));
        let point = |x: f64| RecordedPoint {
            x,
            median_s: 1.25e-5,
            p10_s: 1.2e-5,
            p90_s: 2e-5,
            samples: 40,
            cache: CacheState::Cold,
            bytes: 8.0 * x,
            flops: 0.0,
        };
        let curve = |kernel: &Kernel| RecordedCurve {
            kernel: kernel.id.clone(),
            fingerprint: fingerprint(kernel, Backend::Cuda),
            points: vec![point(65536.0), point(262_144.0)],
        };
        Recording {
            id: "a-device-cuda".into(),
            format_version: FORMAT_VERSION,
            device: "A \"quoted\" device".into(),
            driver: "driver 1".into(),
            api: "CUDA 13.0, sm_90".into(),
            backend: Backend::Cuda,
            date: "2026-11-21".into(),
            program: "0.1.0".into(),
            bounds_checks: true,
            experiments: vec![RecordedExperiment {
                lesson: lesson.id.clone(),
                experiment: "width_speed".into(),
                over: "n".into(),
                params: BTreeMap::from([("block".to_owned(), 256.0)]),
                curves: kernels.map(curve).collect(),
            }],
        }
    }

    #[test]
    fn what_is_written_is_read() -> Result<(), Diagnostic> {
        let pack = pack();
        let written = recording(&pack);
        assert_eq!(written.experiments[0].curves.len(), 2);
        let text = written.to_text();
        assert_eq!(text.lines().filter(|line| line.contains("median_s")).count(), 4, "a line a point");
        assert_eq!(read("a-device-cuda", "a.ron", &text)?, written);
        assert!(written.strangers("a.ron", &pack).is_empty());
        Ok(())
    }

    #[test]
    fn mistakes_are_named_with_their_place() {
        let text = recording(&pack()).to_text();
        let problem = |text: &str| read("a", "a.ron", text).err().map(|d| d.to_string()).unwrap_or_default();
        let newer = problem(&text.replace("format_version: 1", "format_version: 2"));
        assert!(newer.contains("a.ron:2:") && newer.contains("format 2"), "{newer}");
        let torn = problem(&text[..text.len() / 2]);
        assert!(torn.contains("a.ron:") && torn.contains("cannot read this recording"), "{torn}");
        let strange = problem(&text.replace("date:", "day:"));
        assert!(strange.contains("a.ron:7:") && strange.contains("day"), "{strange}");
        let impossible = problem(&text.replacen("median_s: 1.2500e-5", "median_s: -1", 1));
        assert!(impossible.contains("n = 65536 of kernel `copy`"), "{impossible}");
    }

    #[test]
    fn what_the_pack_has_not_is_ignored_and_said() {
        let pack = pack();
        let mut recording = recording(&pack);
        recording.experiments[0].curves[1].kernel = "gone".into();
        recording.experiments.push(RecordedExperiment { lesson: "lost".into(), ..recording.experiments[0].clone() });
        recording
            .experiments
            .push(RecordedExperiment { experiment: "left".into(), ..recording.experiments[0].clone() });
        let found: Vec<String> = recording.strangers("a.ron", &pack).iter().map(ToString::to_string).collect();
        for what in ["kernel `gone`", "lesson `lost`", "experiment `left`"] {
            assert!(found.iter().any(|f| f.contains(what) && f.contains("warning")), "{what}: {found:?}");
        }
        let lesson = &pack.lessons[0];
        let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
        let shown = experiment.and_then(|e| recording.shown(lesson, e));
        assert_eq!(shown.map(|s| (s.sweep.points.len(), s.changed.len())), Some((2, 0)));
    }

    #[test]
    fn a_kernel_that_changed_since_is_not_shown() {
        let pack = pack();
        let mut recording = recording(&pack);
        recording.experiments[0].curves[0].fingerprint = "0123456789abcdef".into();
        let lesson = &pack.lessons[0];
        let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
        let shown = experiment.and_then(|e| recording.shown(lesson, e));
        assert_eq!(shown.as_ref().map(|s| s.changed.clone()), Some(vec!["Copy".to_owned()]));
        assert!(shown.is_some_and(|s| s.sweep.points.iter().all(|p| p.kernel.id == "vec4")));
        // The twin is what CUDA ran, the shader what a graphics driver ran.
        let prints: Vec<String> = lesson
            .kernels
            .iter()
            .flat_map(|k| [Backend::Cuda, Backend::Wgpu].map(|backend| fingerprint(k, backend)))
            .collect();
        let mut distinct = prints.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), prints.len());
    }

    #[test]
    fn without_a_gpu_the_first_one_is_shown() {
        let pack = pack();
        let recording = recording(&pack);
        let lesson = &pack.lessons[0];
        let all: Vec<Shown<'_>> = lesson.experiments.iter().filter_map(|e| recording.shown(lesson, e)).collect();
        let tracer = crate::gpu::simt::device();
        let gpu = Device { backend: Backend::Wgpu, software: false, ..tracer.clone() };
        let software = Device { software: true, ..gpu.clone() };
        let of = |choice: &RecordingChoice, device: Option<&Device>| chosen(&all, choice, device);
        assert_eq!(of(&RecordingChoice::Auto, Some(&tracer)), Some(0));
        assert_eq!(of(&RecordingChoice::Auto, Some(&software)), Some(0));
        assert_eq!(of(&RecordingChoice::Auto, Some(&gpu)), None);
        assert_eq!(of(&RecordingChoice::Auto, None), None);
        assert_eq!(of(&RecordingChoice::Only("a-device-cuda".into()), Some(&gpu)), Some(0));
        assert_eq!(of(&RecordingChoice::Only("another".into()), Some(&tracer)), None);
        assert_eq!(of(&RecordingChoice::Hidden, Some(&tracer)), None);
    }
}
