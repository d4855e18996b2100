//! Tests of recordings: files round-trip, and errors in them are reported.

use super::*;
use crate::base::diag::Diagnostic;
use crate::base::tensor::{Elem, Init};
use crate::lesson::{Curve, InitDecl, Kernel, Pack, PackFiles, Variant};
use crate::session;
use crate::session::experiment::record;

/// The built-in pack, plus a lesson of these tests only.
fn pack() -> Pack {
    let mut pack = session::load(&PackFiles::Embedded).0;
    pack.lessons.retain(|lesson| lesson.experiments.iter().any(|experiment| experiment.id == "width_speed"));
    pack
}

fn recording(pack: &Pack) -> Recording {
    let lesson = &pack.lessons[0];
    let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
    let curves = experiment.iter().flat_map(|e| &e.curves);
    let params = BTreeMap::from([("block".to_owned(), 256.0)]);
    let all = jobs::with(&jobs::defaults(lesson), &[("block".to_owned(), 256.0)]);
    let point = |x: f64| RecordedPoint {
        x,
        bytes: 8.0 * x,
        flops: 0.0,
        cache: CacheState::Cold,
        samples_s: vec![1.25e-5, 1.2e-5, 2e-5],
        library: (x > 1e5).then(|| RecordedLibrary {
            name: "a copy".into(),
            version: (x < 2e5).then(|| "1.2".into()),
            samples_s: vec![1e-5],
        }),
    };
    let values = [65536.0, 262_144.0];
    let curve = |curve: &Curve| RecordedCurve {
        curve: curve.id.clone(),
        fingerprint: fingerprint(lesson, curve, ("n", &values), &all, Backend::Cuda).unwrap_or_default(),
        points: values.map(point).into(),
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
            params,
            curves: curves.map(curve).collect(),
        }],
        shown: Vec::new(),
        own: false,
    }
    .resolve(pack)
}

#[test]
fn what_is_written_is_read() -> Result<(), Diagnostic> {
    let pack = pack();
    let written = recording(&pack);
    assert_eq!(written.experiments[0].curves.len(), 2);
    let text = written.to_text();
    assert_eq!(text.lines().filter(|line| line.contains("(x: ")).count(), 4, "a line a point");
    assert_eq!(read("a-device-cuda", "a.ron", &text)?.experiments, written.experiments);
    assert!(written.strangers("a.ron", &pack).is_empty());
    Ok(())
}

#[test]
fn mistakes_are_named_with_their_place() {
    let text = recording(&pack()).to_text();
    let problem = |text: &str| read("a", "a.ron", text).err().map(|d| d.to_string()).unwrap_or_default();
    let newer = problem(&text.replace("format_version: 3", "format_version: 4"));
    assert!(newer.contains("a.ron:2:") && newer.contains("format 4"), "{newer}");
    let torn = problem(&text[..text.len() / 2]);
    assert!(torn.contains("a.ron:") && torn.contains("cannot read this recording"), "{torn}");
    let strange = problem(&text.replace("date:", "day:"));
    assert!(strange.contains("a.ron:7:") && strange.contains("day"), "{strange}");
    for (sound, wrong, said) in [
        ("[1.250e-5, 1.200e-5", "[1.250e-5, -1", "the point at 65536 has a sample of -1 s"),
        ("[1.250e-5, 1.200e-5, 2.000e-5]", "[]", "the point at 65536 has no samples"),
        ("bytes: 524288", "bytes: -8", "the point at 65536 does -8 of work"),
        ("[1.000e-5]", "[0]", "the point at 262144 has a sample of 0 s"),
    ] {
        let found = problem(&text.replacen(sound, wrong, 1));
        let line = if said.contains("65536") { "a.ron:13:" } else { "a.ron:14:" };
        assert!(found.contains(said) && found.contains(line), "{found}");
    }
}

#[test]
fn what_the_pack_has_not_is_ignored_and_said() {
    let pack = pack();
    let mut recording = recording(&pack);
    recording.experiments[0].curves[1].curve = "gone".into();
    recording.experiments.push(RecordedExperiment { lesson: "lost".into(), ..recording.experiments[0].clone() });
    recording.experiments.push(RecordedExperiment { experiment: "left".into(), ..recording.experiments[0].clone() });
    let found: Vec<String> = recording.strangers("a.ron", &pack).iter().map(ToString::to_string).collect();
    for what in ["curve `gone`", "lesson `lost`", "experiment `left`"] {
        assert!(found.iter().any(|f| f.contains(what) && f.contains("warning")), "{what}: {found:?}");
    }
    let lesson = &pack.lessons[0];
    let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
    let recording = recording.resolve(&pack);
    let shown = experiment.and_then(|e| recording.shown(lesson, e));
    let points = shown.map(|(_, s)| (s.changed.len(), s.sweep.points.clone())).unwrap_or_default();
    assert_eq!((points.0, points.1.len()), (0, 2));
    // Figures follow from the samples; a library's too.
    let times: Vec<f64> = points.1.iter().filter_map(|p| Some(p.kernel.time.as_ref()?.median_s)).collect();
    assert_eq!(times, [1.25e-5, 1.25e-5]);
    let libraries: Vec<bool> = points.1.iter().map(|p| p.kernel.library.is_some()).collect();
    assert_eq!(libraries, [false, true]);
}

#[test]
fn a_kernel_that_changed_since_is_not_shown() {
    let pack = pack();
    let mut recording = recording(&pack);
    recording.experiments[0].curves[0].fingerprint = "0123456789abcdef".into();
    let lesson = &pack.lessons[0];
    let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
    let recording = recording.resolve(&pack);
    let shown = experiment.and_then(|e| recording.shown(lesson, e)).map(|(_, shown)| shown);
    assert_eq!(shown.map(|s| s.changed.clone()), Some(vec!["Copy".to_owned()]));
    assert!(shown.is_some_and(|s| s.sweep.points.iter().all(|p| p.kernel.id == "vec4")));
}

#[test]
fn a_fingerprint_is_of_what_is_run() {
    let pack = pack();
    let lesson = &pack.lessons[0];
    let print = |lesson: &Lesson, curve: &Curve, backend| {
        fingerprint(lesson, curve, ("n", &[65536.0]), &jobs::defaults(lesson), backend)
    };
    let plain = |id: &str| Curve { id: id.into(), title: String::new(), variant: Variant::plain(id), pass: None };
    // CUDA ran the twin, a graphics driver the shader.
    let of = |kernel: &Kernel| [Backend::Cuda, Backend::Wgpu].map(|backend| print(lesson, &plain(&kernel.id), backend));
    // Kernels of a program's passes do not run alone.
    let alone = lesson.kernels.iter().filter(|kernel| lesson.program(&kernel.id).is_some());
    let mut prints: Vec<Option<String>> = alone.flat_map(of).collect();
    let before = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!((prints.len(), prints.contains(&None)), (before, false));
    let curve = plain(&lesson.kernels[0].id);
    let changed = |change: &dyn Fn(&mut Lesson)| {
        let mut other = Lesson::clone(lesson);
        change(&mut other);
        print(&other, &curve, Backend::Cuda) != print(lesson, &curve, Backend::Cuda)
    };
    assert!(!changed(&|lesson| lesson.title.clear()));
    assert!(changed(&|lesson| lesson.programs[0].buffers[0].elem = Elem::U32));
    assert!(changed(&|lesson| lesson.programs[0].buffers[0].init = InitDecl::Plain(Init::Iota)));
}

#[test]
fn without_a_gpu_the_first_one_is_shown() {
    let pack = pack();
    let recording = recording(&pack);
    let lesson = &pack.lessons[0];
    let all: Vec<Of<'_>> = lesson.experiments.iter().filter_map(|e| recording.shown(lesson, e)).collect();
    let tracer = crate::gpu::simt::device();
    let gpu = Device { backend: Backend::Wgpu, software: false, ..tracer.clone() };
    let software = Device { software: true, ..gpu.clone() };
    let of = |choice: &RecordingChoice, device: Option<&Device>| chosen(&all, choice, device, false);
    assert_eq!(of(&RecordingChoice::Auto, Some(&tracer)), Some(0));
    assert_eq!(of(&RecordingChoice::Auto, Some(&software)), Some(0));
    assert_eq!(of(&RecordingChoice::Auto, Some(&gpu)), None);
    assert_eq!(of(&RecordingChoice::Auto, None), None);
    assert_eq!(of(&RecordingChoice::Only("a-device-cuda".into()), Some(&gpu)), Some(0));
    assert_eq!(of(&RecordingChoice::Only("another".into()), Some(&tracer)), None);
    assert_eq!(of(&RecordingChoice::Hidden, Some(&tracer)), None);
}

#[test]
fn a_library_has_a_curve_of_its_own() {
    let pack = pack();
    let recording = recording(&pack);
    let lesson = &pack.lessons[0];
    let experiment = lesson.experiments.iter().find(|e| e.id == "width_speed");
    let plot =
        experiment.and_then(|e| Some(session::experiment::chart::recorded(lesson, e, recording.shown(lesson, e)?.1)));
    let series: Vec<(String, String, usize)> =
        plot.into_iter().flat_map(|p| p.series).map(|s| (s.id, s.name, s.points.len())).collect();
    let expected = [
        ("recorded copy", "Copy, recorded", 2),
        ("recorded vec4", "Vector copy, recorded", 2),
        ("recorded library a copy", "a copy (library), recorded", 1),
    ];
    assert_eq!(series, expected.map(|(id, name, points)| (id.to_owned(), name.to_owned(), points)));
}

#[test]
fn a_lesson_recorded_again_leaves_the_others_of_that_device() {
    let pack = pack();
    let (mut earlier, later) = (recording(&pack), recording(&pack));
    let other = RecordedExperiment { lesson: "other".into(), ..earlier.experiments[0].clone() };
    let gone = RecordedExperiment { experiment: "gone".into(), ..earlier.experiments[0].clone() };
    earlier.experiments[0].curves.clear();
    earlier.experiments.extend([other.clone(), gone]);
    let joined = record::joined(earlier.clone(), &later, &pack).unwrap_or_else(|problem| panic!("{problem}"));
    assert_eq!(joined.experiments.len(), 2);
    assert!(joined.experiments.contains(&other) && joined.experiments.contains(&later.experiments[0]));
    let of_days = |from: &str, to: &str| {
        let earlier = Recording { date: from.into(), ..earlier.clone() };
        let later = Recording { date: to.into(), ..later.clone() };
        record::joined(earlier, &later, &pack).map(|joined| joined.date).unwrap_or_default()
    };
    assert_eq!(of_days("2026-11-22", "2026-11-22"), "2026-11-22");
    assert_eq!(of_days("2026-11-22", "2026-11-23"), "2026-11-22 to 2026-11-23");
    assert_eq!(of_days("2026-11-22 to 2026-11-23", "2026-12-01"), "2026-11-22 to 2026-12-01");
    let elsewhere = Recording { driver: "another".into(), ..earlier };
    assert!(record::joined(elsewhere, &later, &pack).is_err_and(|problem| problem.message.contains("another")));
}

#[test]
fn the_packs_recordings_are_of_its_kernels_as_they_are() {
    let pack = session::load(&PackFiles::Embedded).0;
    let (recordings, problems) = load(&PackFiles::Embedded, &pack);
    assert!(problems.is_empty() && recordings.len() >= 4, "{problems:?}");
    let stale: Vec<(&str, &str)> = recordings
        .iter()
        .flat_map(|recording| recording.shown.iter().map(move |shown| (recording, shown)))
        .filter(|(_, shown)| !shown.changed.is_empty())
        .map(|(recording, shown)| (recording.id.as_str(), shown.of.1.as_str()))
        .collect();
    // The training's kernels changed after this experiment was recorded through Vulkan.
    assert_eq!(stale, [("nvidia-h200-wgpu", "step_stage")]);
}
