//! Checking a whole pack: documents, kernels, references, exercises.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::concepts::concept_problems;
use super::questions::question_problems;
use super::quote::Quotes;
use crate::base::diag::Diagnostic;
use crate::base::parts::parts;
use crate::figures;
use crate::gpu::backend::NVRTC;
use crate::gpu::client::NEVER;
use crate::gpu::{limits, simt};
use crate::job::Job;
use crate::lesson::{Curve, Domain, Exercise, Facts, Kernel, Lesson, Pack, PackFiles, Program, Variant, WrongKernel};
use crate::session::jobs::own::YOURS;
use crate::session::jobs::{self, Purpose, cost};
use crate::session::learn::exercise::{Try, Verdict};
use crate::session::run::devices::Devices;
use crate::session::run::model;
use crate::session::run::{self, Runner};
use crate::trace::record::Backend;

/// Fuel for a checked launch: far more than one of that size needs, yet little enough to end soon.
const FUEL: u64 = 300_000_000;

/// All problems of a pack, in the lessons' order; of the lessons `only`, unless it is empty, kernels are run.
/// `on_lesson` gets each lesson's id and its problems.
pub fn check(
    devices: &Devices,
    files: &PackFiles,
    only: &[String],
    cancel: &AtomicBool,
    on_lesson: &mut dyn FnMut(&str, &[Diagnostic]),
) -> (Pack, Vec<Diagnostic>) {
    let (pack, mut all) = crate::session::load(files);
    let (models, found) = model::load(files);
    all.extend(found);
    let (recordings, found) = crate::session::experiment::recording::load(files, &pack);
    all.extend(found);
    all.extend(Quotes::load(files, &pack, &recordings, &models).1);
    all.extend(concept_problems(&pack));
    let compiles = twins_not_compiled(devices, &pack).is_none();
    all.extend(only.iter().filter_map(|id| run::lesson(&pack, id).err()));
    for lesson in pack.lessons.iter().filter(|lesson| only.is_empty() || only.contains(&lesson.id)) {
        let mut problems = lesson_problems(devices, lesson, cancel);
        for variant in lesson.programs.iter().flat_map(Program::variants).filter(|_| compiles) {
            problems.extend(twin_problems(devices, lesson, &variant));
        }
        on_lesson(&lesson.id, &problems);
        all.extend(lesson.named(problems));
    }
    (pack, all)
}

/// Why a pack's twins in CUDA C++ cannot be checked on this machine; None if they can, or if there are none.
#[must_use]
pub fn twins_not_compiled(devices: &Devices, pack: &Pack) -> Option<Diagnostic> {
    let twin = pack.lessons.iter().flat_map(|lesson| &lesson.kernels).find_map(Kernel::twin)?;
    let (why, hint) = match devices.cuda_parts() {
        Ok(parts) => match parts.into_iter().find(|part| part.name == NVRTC) {
            Some(part) if part.found => return None,
            Some(part) => (part.what, part.hint),
            None => ("nothing is known of a compiler".to_owned(), None),
        },
        Err(why) => (why.message, why.hint),
    };
    let warning = Diagnostic::warning(format!("the CUDA twins were not compiled: {why}")).in_file(&twin.file);
    Some(match hint {
        Some(hint) => warning.hint(hint),
        None => warning,
    })
}

/// A warning for a pack's kernels that were not run because their only backend is missing; None if all ran.
#[must_use]
pub fn not_run(devices: &Devices, pack: &Pack) -> Option<Diagnostic> {
    let only = pack.lessons.iter().flat_map(|lesson| &lesson.kernels).filter(|kernel| kernel.cuda_only().is_some());
    let only: Vec<&Kernel> = only.collect();
    let first = only.first()?;
    let why = devices.describe(Backend::Cuda).err()?;
    let names: Vec<String> = only.iter().map(|kernel| format!("`{}`", kernel.id)).collect();
    let message = format!("written in CUDA C++ only, and so not run here: {} ({})", names.join(", "), why.message);
    let warning = Diagnostic::warning(message).in_file(first.file());
    Some(warning.hint("check the pack on a machine with an NVIDIA GPU, too"))
}

/// The CUDA compiler's messages about a program's twins, if all its kernels have one.
fn twin_problems(devices: &Devices, lesson: &Lesson, variant: &Variant) -> Vec<Diagnostic> {
    let twins = lesson.launched(variant).into_iter().flatten().all(|kernel| kernel.twin().is_some());
    let purpose = run::purpose(Backend::Cuda, 1, false);
    match jobs::build(lesson, variant, &usual(lesson, variant), &purpose) {
        Ok(job) if twins => devices.compile_twin(&job, &NEVER).unwrap_or_else(|problem| vec![problem]),
        // Problems that keep the job from being built have been reported for its shaders.
        Ok(_) | Err(_) => Vec::new(),
    }
}

/// The problems of a lesson that could be read.
#[must_use]
pub fn lesson_problems(devices: &Devices, lesson: &Arc<Lesson>, cancel: &AtomicBool) -> Vec<Diagnostic> {
    let mut problems = step_problems(lesson);
    for variant in lesson.programs.iter().flat_map(Program::variants) {
        let mut found = shader_problems(lesson, &variant);
        if found.is_empty() {
            found = run_problems(devices, lesson, &variant, cancel);
        }
        problems.extend(found);
    }
    for exercise in &lesson.exercises {
        problems.extend(exercise_problems(devices, lesson, exercise, cancel));
    }
    problems.extend(question_problems(devices, lesson, cancel));
    // A problem shared by passes, or by variants of a program, is found in each of them; report it once.
    let mut told: Vec<Diagnostic> = Vec::new();
    problems.into_iter().for_each(|problem| {
        if !told.contains(&problem) {
            told.push(problem)
        }
    });
    told
}

/// Problems of steps: watched lines that the kernel does not have, and figures without data.
#[must_use]
pub fn step_problems(lesson: &Lesson) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for step in &lesson.steps {
        let error = |message: String| Diagnostic { place: Some(step.place.clone()), ..Diagnostic::error(message) };
        let place = lesson.program(&step.variant.program).and_then(|program| program.place_of(&step.pass));
        let kernel = place.and_then(|place| lesson.launched(&step.variant).get(place).copied().flatten());
        let starters = lesson.exercises.iter().filter(|e| step.exercises().any(|id| id == e.id)).map(|e| &e.starter);
        let begins = starters.into_iter().any(|starter| starter.contains(&step.watch));
        if let Some(kernel) = kernel.filter(|kernel| !begins && !kernel.source().contains(&step.watch)) {
            let message =
                format!("step `{}` watches `{}`, which kernel `{}` does not hold", step.id, step.watch, kernel.id);
            problems.push(error(message).hint("copy a part of the line from the shader"));
        }
        let known: Vec<&str> =
            kernel.map(|kernel| parts(kernel.source())).into_iter().flatten().filter_map(|part| part.stem()).collect();
        for name in step.open.iter().filter(|name| !known.contains(&name.as_str())) {
            let message = format!("step `{}` opens the part `{name}`, which its kernel does not include", step.id);
            let hint = match known.as_slice() {
                [] => "leave it out: the kernel includes no files".to_owned(),
                known => format!("the kernel includes {}; write a name without its ending", known.join(", ")),
            };
            problems.push(error(message).hint(hint));
        }
        let purpose = run::purpose(Backend::Simt, 1, true);
        let job = jobs::build(lesson, &step.variant, &jobs::begins(lesson, step), &purpose);
        // Problems that keep the job from being built are reported for its shaders.
        let facts = job.ok().zip(place).map(|(job, place)| {
            let ring = kernel.is_some_and(|kernel| kernel.ring.is_some());
            Facts { explorer: step.explorer().is_some(), ring, ..jobs::facts(&job, place) }
        });
        problems.extend(figures::judge(lesson, step, facts));
    }
    problems
}

/// The lesson's defaults; or, if they do not meet the requirements of a kernel that is not the first in its place, the
/// settings at which the lesson measures it.
fn usual(lesson: &Lesson, variant: &Variant) -> jobs::Params {
    let defaults = jobs::defaults(lesson);
    let is_unmet = !variant.rungs.is_empty() && lesson.unmet(variant, &defaults).is_some();
    is_unmet.then(|| measured(lesson, variant)).flatten().unwrap_or(defaults)
}

/// Problems that keep a program from being built at its usual settings, or from being shared by its ranks.
#[must_use]
pub fn shader_problems(lesson: &Lesson, variant: &Variant) -> Vec<Diagnostic> {
    let (params, purpose) = (usual(lesson, variant), run::purpose(Backend::Simt, 1, true));
    let built = jobs::build(lesson, variant, &params, &purpose);
    let shared = built.and_then(|job| jobs::share::share(lesson, variant, &params, &purpose, 0, job));
    shared.err().unwrap_or_default()
}

/// Runs a program with little work on the tracer, or on CUDA if the tracer cannot run it.
fn run_problems(devices: &Devices, lesson: &Lesson, variant: &Variant, cancel: &AtomicBool) -> Vec<Diagnostic> {
    let mut purpose = run::purpose(Backend::Simt, 7, true);
    let settings = tried(lesson, variant, &purpose);
    if let Some(spec) = &mut purpose.trace {
        spec.fuel = FUEL;
        spec.races = true;
    }
    let mut backend = Backend::Simt;
    if !lesson.runs_on(variant, backend) {
        // A GPU may check what the tracer cannot; without one, `not_run` reports it.
        backend = Backend::Cuda;
        purpose = Purpose { trace: None, ..purpose };
        if devices.describe(backend).is_err() {
            return Vec::new();
        }
    }
    // At a GPU's sizes a kernel in CUDA C++ alone is not traced.
    let settings =
        settings.into_iter().filter(|params| backend != Backend::Simt || cost::is_traced(lesson, variant, params));
    let mut launched: Vec<Job> = Vec::new();
    let runner = Runner { devices, backend, lesson, purpose: &purpose, cancel };
    for params in settings {
        if let Ok(job) = jobs::build(lesson, variant, &params, &purpose) {
            if launched.contains(&job) {
                continue;
            }
            launched.push(job);
        }
        let mut problems = match runner.program(variant, &params) {
            Ok(done) => done.problems(),
            // This GPU lacks what the kernel needs.
            Err(problems) if run::is_not_here(&problems) => Vec::new(),
            Err(problems) => problems,
        };
        if let Some(first) = problems.first_mut() {
            let rungs = variant.rungs.iter().map(|(pass, kernel)| format!("{pass}: {kernel}"));
            let at: Vec<String> = rungs.chain(params.iter().map(|(id, v)| format!("{id} = {v}"))).collect();
            first.message = format!("{} (at {})", first.message, at.join(", "));
            return problems;
        }
    }
    Vec::new()
}

/// Settings to run a program at: a quick one, with each value of each list of choices and the ends of each range.
fn tried(lesson: &Lesson, variant: &Variant, purpose: &Purpose) -> Vec<jobs::Params> {
    let quick = cost::quick(lesson, variant);
    let mut settings = vec![quick.clone()];
    for param in &lesson.params {
        let with = |value: f64| jobs::with(&quick, &[(param.id.clone(), value)]);
        // Of a range, its ends and one value between, if they are little work.
        let ends = match &param.domain {
            Domain::Choice(values) => {
                settings.extend(values.iter().map(|value| with(*value)));
                continue;
            }
            Domain::Range { min, max } => vec![*min, (min + 33.0).min(*max), *max],
            Domain::PowersOfTwo { min, max } => vec![*min, *max],
        };
        settings.extend(ends.into_iter().map(with).filter(|params| {
            // Ends of several parameters may be incompatible; the window reports that, and it is no mistake.
            cost::needed(lesson, variant, params).is_some_and(|work| work <= cost::QUICK)
                && jobs::build(lesson, variant, params, purpose)
                    .is_ok_and(|job| limits::check(&job, &simt::device()).is_empty())
        }));
    }
    settings.retain(|params| lesson.unmet(variant, params).is_none());
    if settings.is_empty() {
        // A kernel whose requirements the defaults do not meet is tried where the lesson measures it.
        settings.extend(measured(lesson, variant));
    }
    settings
}

/// The first point of an experiment whose curve has a variant's kernels in their places.
fn measured(lesson: &Lesson, variant: &Variant) -> Option<jobs::Params> {
    let has = |curve: &&Curve| {
        curve.variant.program == variant.program
            && variant.rungs.iter().all(|(pass, kernel)| curve.variant.rungs.get(pass) == Some(kernel))
    };
    let experiment = lesson.experiments.iter().find(|experiment| experiment.curves.iter().any(|curve| has(&curve)))?;
    let first = experiment.values.first().map(|value| (experiment.over.clone(), *value));
    let set: Vec<(String, f64)> = experiment.at.iter().cloned().chain(first).collect();
    Some(jobs::with(&jobs::defaults(lesson), &set)).filter(|params| lesson.unmet(variant, params).is_none())
}

/// The problems of an exercise: a starter that solves it, a solution that does not, wrong kernels that are not caught
/// or are caught by the wrong test.
#[must_use]
pub fn exercise_problems(
    devices: &Devices,
    lesson: &Arc<Lesson>,
    exercise: &Exercise,
    cancel: &AtomicBool,
) -> Vec<Diagnostic> {
    let judge = |source: &str| {
        Try { lesson: lesson.clone(), exercise: exercise.id.clone(), source: source.to_owned(), seed: 7 }
            .judge(devices, cancel)
    };
    let of = format!("of the exercise `{}`", exercise.id);
    let mut problems = Vec::new();
    if let Some(Verdict::Solved(_)) = judge(&exercise.starter) {
        problems.push(
            Diagnostic::error(format!("the starter {of} already reaches its goal"))
                .in_place(&exercise.place)
                .hint("leave something to do in the starter, or ask for more in the goal"),
        );
    }
    problems.extend(exercise.wrong.iter().filter_map(|wrong| not_caught(wrong, &judge(&wrong.source)?)));
    match judge(&exercise.solution) {
        Some(Verdict::Solved(_)) | None => {}
        Some(Verdict::Endless) => {
            problems.push(Diagnostic::error(format!("the solution {of} does not end")).in_place(&exercise.place));
        }
        Some(Verdict::Right(_)) => problems.push(
            Diagnostic::error(format!("the solution {of} is right, but does not reach its goal"))
                .in_place(&exercise.place)
                .hint(format!("the goal is: {}", exercise.goal_text)),
        ),
        Some(Verdict::Broken(why) | Verdict::Wrong(_, why)) => problems.extend(why.into_iter().map(|mut problem| {
            if let Some(place) = problem.place.as_mut().filter(|place| place.file == YOURS) {
                place.file.clone_from(&exercise.solution_file);
            }
            let at: Vec<String> = exercise.set.iter().map(|(id, value)| format!("{id} = {value}")).collect();
            let at = if at.is_empty() { String::new() } else { format!(" (at {})", at.join(", ")) };
            problem.message = format!("the solution {of}: {}{at}", problem.message);
            problem
        })),
    }
    problems
}

/// The problem of a wrong kernel with this verdict; None if it was caught as intended.
fn not_caught(wrong: &WrongKernel, verdict: &Verdict) -> Option<Diagnostic> {
    let caught = verdict.caught_by();
    if caught.contains(&wrong.caught_by) {
        return None;
    }
    let (file, wanted) = (&wrong.file, wrong.caught_by.words());
    let (message, hint) = if caught.is_empty() {
        let message = format!("{file} is listed as wrong, to be caught by {wanted}, and solves the exercise");
        (message, "check more of the result, or ask for more in the goal".to_owned())
    } else {
        let by: Vec<&str> = caught.iter().map(|kind| kind.words()).collect();
        let message = format!("{file} is to be caught by {wanted}, and was caught by {}", by.join(" and by "));
        (message, format!("write `{:?}` there, or change the kernel", caught[0]))
    };
    Some(Diagnostic { place: Some(wrong.place.clone()), ..Diagnostic::error(message).hint(hint) })
}
