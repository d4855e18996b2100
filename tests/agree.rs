//! Every kernel and program of every lesson agrees with its reference on the graphics driver, and by hand from CUDA on
//! the tracer.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(feature = "gpu-tests")]
use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use crate::common::{devices, driver};
#[cfg(feature = "gpu-tests")]
use warpbook::job::Language;
use warpbook::job::{Job, Node};
use warpbook::lesson::{Domain, Lesson, PackFiles, Program, Variant};
use warpbook::session;
use warpbook::session::jobs::cost;
use warpbook::session::jobs::{self, Params, Purpose};
#[cfg(feature = "gpu-tests")]
use warpbook::session::run;
use warpbook::session::run::devices::Devices;
use warpbook::session::run::{Runner, is_not_here};
use warpbook::trace::record::Backend;

/// Operations or bytes that a launch here needs at most.
const MOST_WORK: f64 = 2e7;
/// Workgroups that all launches here have together at most: hundreds of simulated ranks have little to compute, and
/// very many launches.
const MOST_GROUPS: u64 = 1 << 20;
/// Settings at which a driver in software runs a program of several passes: compiling them is what takes long there.
const LONG_SETTINGS: usize = 4;

/// Settings with little work for a program: quick ones, each choice, and of each range its ends and what lies between.
fn settings(lesson: &Lesson, variant: &Variant) -> Vec<Params> {
    let base = cost::quick(lesson, variant);
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
        has_few && cost::needed(lesson, variant, params).is_some_and(|work| work <= MOST_WORK)
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

/// Parts that the programs are divided into, for tests that run beside each other: a driver in software compiles on one core.
const PARTS: usize = 4;

#[test]
fn a_first_part_of_the_programs_agrees_with_references_on_the_graphics_driver() {
    agree_on_the_graphics_driver(0);
}

#[test]
fn a_second_part_of_the_programs_agrees_with_references_on_the_graphics_driver() {
    agree_on_the_graphics_driver(1);
}

#[test]
fn a_third_part_of_the_programs_agrees_with_references_on_the_graphics_driver() {
    agree_on_the_graphics_driver(2);
}

#[test]
fn a_fourth_part_of_the_programs_agrees_with_references_on_the_graphics_driver() {
    agree_on_the_graphics_driver(3);
}

/// The tracer's results at such settings are compared by `the_pack_passes_its_check`, and those of long programs at awkward sizes by tests
/// of their own.
fn agree_on_the_graphics_driver(part: usize) {
    let devices = devices();
    if !driver(&devices) {
        return;
    }
    let (pack, problems) = session::load(&PackFiles::Embedded);
    assert_eq!(problems, []);
    let programs = pack.lessons.iter().flat_map(|lesson| {
        let variants = lesson.programs.iter().flat_map(Program::variants);
        variants.filter(|variant| lesson.runs_on(variant, Backend::Wgpu)).map(move |variant| (lesson, variant))
    });
    let mine: Vec<_> = programs.enumerate().filter(|(place, _)| place % PARTS == part).map(|(_, of)| of).collect();
    let checked: usize = mine.iter().map(|(lesson, variant)| agrees(&devices, lesson, variant)).sum();
    assert!(mine.len() > 10 && checked > 30, "only {checked} runs of {} programs", mine.len());
}

/// The number of runs of a program that agree with its reference.
fn agrees(devices: &Devices, lesson: &Lesson, variant: &Variant) -> usize {
    let settings = settings(lesson, variant);
    assert!(settings.len() >= 3, "{}/{variant}: only {} settings", lesson.id, settings.len());
    let is_long = lesson.program(&variant.program).is_some_and(|program| program.passes().len() > 4);
    // A driver in software compiles every pass at every setting.
    let most = if is_long { LONG_SETTINGS } else { usize::MAX };
    let (mut launched, mut checked) = (Vec::new(), 0);
    for (number, params) in settings.into_iter().take(most).enumerate() {
        // Without checks once a program: each is a compilation.
        for bounds_checks in [true, false].into_iter().filter(|bounds_checks| *bounds_checks || number == 0) {
            let purpose = Purpose { seed: 11, check: true, measure: None, trace: None, bounds_checks };
            // Not every parameter is every kernel's.
            let job = jobs::build(lesson, variant, &params, &purpose).unwrap();
            if launched.contains(&job) {
                continue;
            }
            launched.push(job);
            let cancel = AtomicBool::new(false);
            let runner = Runner { devices, backend: Backend::Wgpu, lesson, purpose: &purpose, cancel: &cancel };
            let at = format!("{}/{variant} at {params:?}", lesson.id);
            let record = match runner.program(variant, &params) {
                Ok(done) => done.record,
                // The driver in software has no tensor cores and less shared memory than the tracer, and says so.
                Err(why) if is_not_here(&why) || why[0].message.contains("workgroup memory, and") => continue,
                Err(why) => panic!("{at}: {why:?}"),
            };
            assert!(!record.checks.is_empty() && record.trusted(), "{at}: {:?}", record.checks);
            checked += 1;
        }
    }
    checked
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
