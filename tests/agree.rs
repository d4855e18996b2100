//! Three ways to one result: every kernel of every lesson agrees with its f64 reference on the tracer and on the graphics driver.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use warpbook::gpu::client::WorkerCommand;
use warpbook::job::{MeasureSpec, TraceSpec};
use warpbook::lesson::{Domain, Lesson, PackFiles};
use warpbook::session::devices::Devices;
use warpbook::session::jobs::{self, Params, Purpose};
use warpbook::session::{
    self,
    run::{Runner, is_not_here},
};
use warpbook::trace::record::Backend;

fn devices() -> Devices {
    Devices::new(WorkerCommand {
        program: env!("CARGO_BIN_EXE_warpbook").into(),
        args: vec!["worker".into()],
        env: Vec::new(),
        deadline: Duration::from_secs(60),
    })
}

/// Whether there is a driver to test with. Where `WARPBOOK_REQUIRE_GPU` is set there must be one.
fn driver(devices: &Devices) -> bool {
    match devices.describe(Backend::Wgpu) {
        Ok(_) => true,
        Err(why) => {
            assert!(std::env::var_os("WARPBOOK_REQUIRE_GPU").is_none(), "a driver is required here: {why}");
            assert!(why.hint.is_some(), "a missing driver comes with advice: {why}");
            false
        }
    }
}

/// Small settings of a lesson: its defaults with little work, then each choice and each end of each range.
fn settings(lesson: &Lesson) -> Vec<Params> {
    let mut base = jobs::defaults(lesson);
    for param in &lesson.params {
        if let Domain::PowersOfTwo { min, .. } = param.domain {
            base.insert(param.id.clone(), param.default.min(min.max(16_384.0)));
        }
    }
    let mut all = vec![base.clone()];
    for param in &lesson.params {
        let values = match &param.domain {
            Domain::Choice(values) => values.clone(),
            Domain::Range { min, max } => vec![*min, (min + max) / 2.0 - ((min + max) / 2.0).fract(), *max],
            Domain::PowersOfTwo { min, .. } => vec![*min],
        };
        all.extend(values.into_iter().map(|v| jobs::with(&base, &[(param.id.clone(), v)])));
    }
    all.dedup();
    all
}

#[test]
fn every_kernel_agrees_with_its_reference_on_every_backend() {
    let devices = devices();
    let mut backends = vec![Backend::Simt];
    if driver(&devices) {
        backends.push(Backend::Wgpu);
    }
    let (pack, problems) = session::load(&PackFiles::Embedded);
    assert_eq!(problems, []);
    let mut checked = 0;
    for lesson in &pack.lessons {
        for params in settings(lesson) {
            for kernel in &lesson.kernels {
                for &backend in backends.iter().filter(|backend| kernel.runs_on(**backend)) {
                    for bounds_checks in [true, false] {
                        let traces = backend == Backend::Simt;
                        if traces && !bounds_checks {
                            continue;
                        }
                        let purpose = Purpose {
                            seed: 11,
                            check: true,
                            measure: None::<MeasureSpec>,
                            trace: traces.then(TraceSpec::default),
                            bounds_checks,
                        };
                        let cancel = AtomicBool::new(false);
                        let runner = Runner { devices: &devices, backend, lesson, purpose: &purpose, cancel: &cancel };
                        let done = runner.kernel(kernel, &params);
                        let at = format!("{}/{} on {} at {params:?}", lesson.id, kernel.id, backend.name());
                        // The driver in software has no tensor cores, and says so; the tracer runs every kernel that has WGSL.
                        if backend == Backend::Wgpu && done.as_ref().is_err_and(|why| is_not_here(why)) {
                            continue;
                        }
                        let record = done.map(|d| d.record).unwrap_or_else(|why| panic!("{at}: {why:?}"));
                        let check = record.check.unwrap();
                        assert!(check.ok, "{at}: {check:?}");
                        assert!(record.trace.is_none_or(|t| t.complete && t.findings.is_empty()), "{at}");
                        checked += 1;
                    }
                }
            }
        }
    }
    assert!(checked > 100, "only {checked} runs");
}
