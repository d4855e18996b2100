//! The built-in pack: it passes its own check, and its kernels count what its prose says.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::common::devices;
use warpbook::gpu::simt;
use warpbook::lesson::{Catch, Code, Lesson, PackFiles, Picture};
use warpbook::session;
use warpbook::session::ask::{Answers, Inline};
use warpbook::session::learn::exercise::{Try, Verdict};
use warpbook::session::pack::check;
use warpbook::session::run::devices::Choice;
use warpbook::session::run::{self, RunOptions, Which};
use warpbook::session::show::cover;
use warpbook::session::show::staged::Sources;
use warpbook::trace::Trace;
use warpbook::trace::record::Backend;

#[test]
fn the_pack_passes_its_check() {
    let (pack, problems) = check::check(&devices(), &PackFiles::Embedded, &[], &AtomicBool::new(false), &mut |_, _| {});
    assert_eq!(problems, []);
    assert!(!pack.lessons.is_empty());
}

/// A lesson of the built-in pack.
fn lesson(id: &str) -> Arc<Lesson> {
    let (pack, _) = session::load(&PackFiles::Embedded);
    pack.lessons.into_iter().find(|lesson| lesson.id == id).unwrap()
}

/// `source` with a store by all lanes to one word of workgroup memory: its result stays right, and it races.
fn with_a_race(source: &str) -> String {
    assert_eq!(source.matches("dst[i] = value;").count(), 1, "{source}");
    format!("{}\nvar<workgroup> seen: u32;\n", source.replace("dst[i] = value;", "dst[i] = value; seen = 1u;"))
}

#[test]
fn a_race_fails_the_check_of_a_kernel_whose_result_is_right() {
    let mut lesson = (*lesson("coalescing")).clone();
    let kernel = lesson.kernels.iter_mut().find(|k| k.id == "copy").unwrap();
    let Code::Wgsl { source, .. } = &mut kernel.code else { panic!("it is in WGSL") };
    let clean = std::mem::replace(source, with_a_race(source).into());
    let line = 1 + clean.lines().position(|l| l.contains("dst[i] = value;")).unwrap();
    let problems = check::lesson_problems(&devices(), &Arc::new(lesson), &AtomicBool::new(false));
    let [problem] = &problems[..] else { panic!("{problems:?}") };
    assert!(problem.to_string().starts_with(&format!("shaders/coalescing/copy.wgsl:{line}:")), "{problem}");
    assert!(problem.message.contains("local indices 1 and 32 of workgroup 0 race for word 0"), "{problem}");
}

#[test]
fn a_step_opens_what_its_kernel_includes() {
    let mut lesson = (*lesson("softmax")).clone();
    assert_eq!(check::step_problems(&lesson), []);
    let step = lesson.steps.iter_mut().find(|step| !step.open.is_empty()).unwrap();
    step.open = vec!["no_such_file".to_owned()];
    let place = step.place.clone();
    let [problem] = &check::step_problems(&lesson)[..] else { panic!("one problem") };
    assert!(problem.message.contains("opens the part `no_such_file`, which its kernel does not include"), "{problem}");
    assert_eq!(problem.place, Some(place));
}

#[test]
fn a_scene_has_something_to_show() {
    let mut lesson = (*lesson("coalescing")).clone();
    let at = lesson.steps.iter().position(|step| step.variant.program == "copy").unwrap();
    lesson.steps[at].figure = Picture::named("Heat");
    let [problem] = &check::step_problems(&lesson)[..] else { panic!("one problem") };
    let (id, place) = (&lesson.steps[at].id, &lesson.steps[at].place);
    assert!(problem.message.contains(&format!("the step `{id}` has nothing to show as Heat")), "{problem}");
    assert_eq!(problem.place.as_ref(), Some(place));
}

#[test]
fn every_lesson_has_a_picture_on_the_start_page() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    for lesson in &pack.lessons {
        let (device, cancel) = (simt::device(), AtomicBool::new(false));
        let sources = Sources::of_device(&device);
        let store = Inline::new(Answers::default(), &cancel);
        let cover = cover::of(lesson, &store, &sources).unwrap_or_else(|| panic!("{} has no picture", lesson.id));
        assert!(cover.ticks > 0, "{}", lesson.id);
    }
}

#[test]
fn a_race_makes_a_try_wrong() {
    let lesson = lesson("coalescing");
    let source = with_a_race(&lesson.exercises[0].solution);
    let verdict = Try { exercise: lesson.exercises[0].id.clone(), lesson, source, seed: 7 }
        .judge(&devices(), &AtomicBool::new(false));
    let Some(Verdict::Wrong(caught, problems)) = verdict else { panic!("{verdict:?}") };
    assert_eq!(caught, [Catch::Race]);
    assert!(problems.len() == 1 && problems[0].message.contains("race for word 0 (byte 0) of `seen`"), "{problems:?}");
}

#[test]
fn a_wrong_kernel_is_caught_by_what_should_catch_it() {
    let mut lesson = (*lesson("coalescing")).clone();
    let solution = lesson.exercises[0].solution.clone();
    let wrong = &mut lesson.exercises[0].wrong;
    assert!(wrong.len() >= 4);
    wrong.truncate(2);
    assert_eq!(wrong[0].caught_by, Catch::OutOfBounds);
    wrong[0].caught_by = Catch::Race;
    wrong[1].source = solution;
    let places: Vec<_> = wrong.iter().map(|wrong| wrong.place.clone()).collect();
    let (files, exercise) =
        (wrong.iter().map(|wrong| wrong.file.clone()).collect::<Vec<_>>(), lesson.exercises[0].clone());
    let problems = check::exercise_problems(&devices(), &Arc::new(lesson), &exercise, &AtomicBool::new(false));
    let [otherwise, not_at_all] = &problems[..] else { panic!("{problems:?}") };
    assert_eq!([otherwise, not_at_all].map(|problem| problem.place.clone().unwrap()), places[..]);
    let said = format!(
        "{} is to be caught by a race, and was caught by a wrong result and by an index out of bounds",
        files[0]
    );
    assert!(otherwise.message == said && otherwise.hint.as_ref().unwrap().contains("`Result`"), "{otherwise}");
    assert!(
        not_at_all.message.starts_with(&files[1]) && not_at_all.message.ends_with("solves the exercise"),
        "{not_at_all}"
    );
}

/// The counts of a kernel of the coalescing lesson, with the lesson's defaults but for `set`.
fn traced(kernel: &str, set: &[(&str, f64)]) -> Trace {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let options = RunOptions {
        which: Which { kernels: vec![kernel.to_owned()], ..Which::default() },
        set: set.iter().map(|(id, v)| ((*id).to_owned(), *v)).collect(),
        backend: Choice::Only(Backend::Simt),
        ..RunOptions::default()
    };
    let cancel = AtomicBool::new(false);
    let output = run::run(&devices(), &pack, "coalescing", &options, None, &cancel, &mut |_, _| {}).unwrap();
    assert!(output.ok(), "{kernel}: {:?}", output.kernels[0].error);
    output.kernels[0].trace.clone().unwrap()
}

/// Load requests, sectors and bytes; then store requests and sectors; then conflicts and wavefronts of shared loads.
fn counts(trace: &Trace) -> [u64; 7] {
    let (load, store, shared) = (trace.global.load, trace.global.store, trace.shared.load);
    [load.requests, load.sectors, load.bytes, store.requests, store.sectors, shared.conflicts, shared.wavefronts]
}

#[test]
fn coalescing_counts_are_those_of_an_h100() {
    // Read with a profiler on an H100 from CUDA versions of the same kernels, at the lesson's defaults (n = 1,048,576, block 256).
    let rows: [(&str, [u64; 7]); 10] = [
        ("copy", [32_768, 131_072, 4_194_304, 32_768, 131_072, 0, 0]),
        ("vec4", [8_192, 131_072, 4_194_304, 8_192, 131_072, 0, 0]),
        ("strided", [32_768, 131_072, 4_194_304, 32_768, 131_072, 0, 0]),
        ("aos_field", [32_768, 262_144, 4_194_304, 32_768, 131_072, 0, 0]),
        ("aos", [32_768, 262_144, 8_388_608, 32_768, 131_072, 0, 0]),
        ("soa", [65_536, 262_144, 8_388_608, 32_768, 131_072, 0, 0]),
        ("transpose_naive", [32_768, 131_072, 4_194_304, 32_768, 1_048_576, 0, 0]),
        ("transpose_tiled", [32_768, 131_072, 4_194_304, 32_768, 131_072, 1_015_808, 1_048_576]),
        ("transpose_padded", [32_768, 131_072, 4_194_304, 32_768, 131_072, 0, 32_768]),
        ("chunked", [32_768, 1_048_576, 4_194_304, 32_768, 1_048_576, 0, 0]),
    ];
    for (kernel, expected) in rows {
        assert_eq!(counts(&traced(kernel, &[])), expected, "{kernel}");
    }
}

#[test]
fn coalescing_paddings_take_as_many_wavefronts_as_the_prose_says() {
    for (pad, wavefronts) in (0_u32..).zip([32, 1, 2, 1, 4, 1, 2, 1, 8]) {
        let shared = traced("transpose_padded", &[("n", 65536.0), ("pad", f64::from(pad))]).shared;
        assert_eq!(shared.load.wavefronts, wavefronts * shared.load.requests, "padding {pad}");
        assert_eq!(shared.store.wavefronts, shared.store.requests, "padding {pad}");
    }
}

#[test]
fn coalescing_strides_and_offsets_follow_the_formulas_in_the_prose() {
    for stride in [1_u32, 2, 3, 5, 8, 12, 32] {
        let trace = traced("strided", &[("stride", f64::from(stride))]);
        assert_eq!(trace.global.load.sectors, 32_768 * u64::from((4 * stride).min(32)), "stride {stride}");
    }
    for offset in [1_u32, 7, 8, 9, 16, 31] {
        let trace = traced("strided", &[("offset", f64::from(offset))]);
        let each = if offset % 8 == 0 { 4 } else { 5 };
        assert_eq!(trace.global.load.sectors, 32_768 * each, "offset {offset}");
    }
}
