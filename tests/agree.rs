//! Three ways to one result: every kernel and program of every lesson agrees with its reference on the tracer and on the graphics driver.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(feature = "gpu-tests")]
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use crate::common::{devices, driver};
use warpbook::base::diag::Diagnostic;
#[cfg(feature = "gpu-tests")]
use warpbook::job::Language;
use warpbook::job::{Job, MeasureSpec, Node, TraceSpec};
use warpbook::lesson::{Domain, Lesson, PackFiles, Program, Variant};
use warpbook::session;
use warpbook::session::jobs::work;
use warpbook::session::jobs::{self, Params, Purpose};
#[cfg(feature = "gpu-tests")]
use warpbook::session::run;
use warpbook::session::run::{Runner, is_not_here};
use warpbook::trace::record::Backend;

/// Operations or bytes that a launch here needs at most.
const MOST_WORK: f64 = 2e7;
/// Workgroups that all launches here have together at most: hundreds of simulated ranks have little to compute, and very many launches.
const MOST_GROUPS: u64 = 1 << 20;
/// Settings at which a driver in software runs a program of several passes: compiling them is what takes long there.
const LONG_SETTINGS: usize = 4;

/// Settings with little work for a program: quick ones, each choice, and of each range its ends and what lies between.
fn settings(lesson: &Lesson, variant: &Variant) -> Vec<Params> {
    let base = work::quick(lesson, variant);
    let mut all = vec![base.clone()];
    for param in &lesson.params {
        let values = match &param.domain {
            Domain::Choice(values) => values.clone(),
            Domain::Range { min, max } => {
                vec![*min, (min + 33.0).min(*max), (min + max) / 2.0 - ((min + max) / 2.0).fract(), *max]
            }
            Domain::PowersOfTwo { min, .. } => vec![*min],
        };
        all.extend(values.into_iter().map(|v| jobs::with(&base, &[(param.id.clone(), v)])));
    }
    let little = |params: &Params| {
        let has_few = jobs::sketch(lesson, variant, params).is_some_and(|job| groups(&job, &job.body) <= MOST_GROUPS);
        has_few && work::needed(lesson, variant, params).is_some_and(|work| work <= MOST_WORK)
    };
    all.retain(|params| little(params) && lesson.unmet(variant, params).is_none());
    all
}

/// Workgroups of all launches of a job, at most.
fn groups(job: &Job, body: &[Node]) -> u64 {
    let of = |node: &Node| match node {
        Node::Pass(place) => {
            job.passes[*place].launch().map_or(0, |launch| launch.grid.most().map(u64::from).iter().product())
        }
        Node::Repeat(repeat) => repeat.times * groups(job, &repeat.body),
    };
    body.iter().map(of).sum()
}

#[test]
fn every_program_agrees_with_its_reference_on_every_backend() {
    let devices = devices();
    let mut backends = vec![Backend::Simt];
    if driver(&devices) {
        backends.push(Backend::Wgpu);
    }
    let (pack, problems) = session::load(&PackFiles::Embedded);
    assert_eq!(problems, []);
    let mut checked = 0;
    for lesson in &pack.lessons {
        for variant in lesson.programs.iter().flat_map(Program::variants) {
            // Kernels in CUDA C++ only, which `tests/cuda.py` and `check` run where there is a GPU.
            if !backends.iter().any(|backend| lesson.runs_on(&variant, *backend)) {
                continue;
            }
            let settings = settings(lesson, &variant);
            assert!(settings.len() >= 3, "{}/{variant}: only {} settings", lesson.id, settings.len());
            let mut launched = Vec::new();
            let is_long = lesson.program(&variant.program).is_some_and(|program| program.passes().len() > 4);
            for (number, params) in settings.into_iter().enumerate() {
                for &backend in backends.iter().filter(|backend| lesson.runs_on(&variant, **backend)) {
                    // A driver in software compiles every pass at every setting. Awkward sizes of long programs have tests of their own.
                    if backend == Backend::Wgpu && is_long && number >= LONG_SETTINGS {
                        continue;
                    }
                    for bounds_checks in [true, false] {
                        let traces = backend == Backend::Simt;
                        // Without checks once a program: each is a compilation, and the tracer always has them.
                        if !bounds_checks && (traces || number > 0) {
                            continue;
                        }
                        let purpose = Purpose {
                            seed: 11,
                            check: true,
                            measure: None::<MeasureSpec>,
                            trace: traces.then(TraceSpec::default),
                            bounds_checks,
                        };
                        // Not every parameter is every kernel's.
                        let job = jobs::build(lesson, &variant, &params, &purpose).unwrap();
                        if launched.contains(&(backend, job.clone())) {
                            continue;
                        }
                        launched.push((backend, job));
                        let cancel = AtomicBool::new(false);
                        let runner = Runner { devices: &devices, backend, lesson, purpose: &purpose, cancel: &cancel };
                        let done = runner.program(&variant, &params);
                        let at = format!("{}/{variant} on {} at {params:?}", lesson.id, backend.name());
                        // The driver in software has no tensor cores and less shared memory than the tracer, and says so.
                        let lacks = |why: &Vec<Diagnostic>| {
                            is_not_here(why) || why[0].message.contains("workgroup memory, and")
                        };
                        // Without CUDA's compiler, kernels in CUDA C++ alone run at their pages' settings only; with it, see below.
                        let lacks_compiler = |why: &Vec<Diagnostic>| backend == Backend::Simt && is_not_here(why);
                        if done
                            .as_ref()
                            .is_err_and(|why| lacks_compiler(why) || (backend == Backend::Wgpu && lacks(why)))
                        {
                            continue;
                        }
                        let record = done.map(|d| d.record).unwrap_or_else(|why| panic!("{at}: {why:?}"));
                        assert!(!record.checks.is_empty() && record.trusted(), "{at}: {:?}", record.checks);
                        assert!(record.complete() && record.findings().next().is_none(), "{at}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} runs");
}

/// By hand: PTX for other settings than the pages' has to be compiled.
#[cfg(feature = "gpu-tests")]
#[test]
fn every_twin_agrees_with_its_reference_when_traced_from_cuda() {
    let (devices, cancel) = (devices(), AtomicBool::new(false));
    let (pack, problems) = session::load(&PackFiles::Embedded);
    assert_eq!(problems, []);
    let (mut checked, mut refused, mut wrong) = (0, BTreeMap::<String, u32>::new(), Vec::new());
    for lesson in &pack.lessons {
        for variant in lesson.programs.iter().flat_map(Program::variants) {
            let mut launched = Vec::new();
            for params in settings(lesson, &variant) {
                let purpose = run::purpose(Backend::Simt, 11, true).in_language(Language::Cuda);
                let Ok(job) = jobs::build(lesson, &variant, &params, &purpose) else { continue };
                if launched.contains(&job) {
                    continue;
                }
                launched.push(job);
                let runner =
                    Runner { devices: &devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel: &cancel };
                let at = format!("{}/{variant} at {params:?}", lesson.id);
                match runner.program(&variant, &params) {
                    Err(why) => *refused.entry(why[0].message.clone()).or_default() += 1,
                    Ok(done) if done.problems().is_empty() && done.record.complete() => checked += 1,
                    Ok(done) => {
                        let found: Vec<_> = done.record.findings().map(|(_, finding)| &finding.message).collect();
                        wrong.push(format!("{at}: {:?} {found:?}", done.problems()));
                    }
                }
            }
        }
    }
    println!("{checked} runs agree; refused: {refused:#?}");
    assert!(wrong.is_empty(), "{} runs are wrong: {wrong:#?}", wrong.len());
    assert!(checked > 100, "only {checked} runs");
}
