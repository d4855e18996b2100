//! Kernels in CUDA C++ from shipped PTX, which needs neither a compiler nor a GPU: right, and traced by the command
//! line.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::AtomicBool;

use crate::common::{devices, warpbook};
use warpbook::gpu::shipped;
use warpbook::job::Language;
use warpbook::lesson::{PackFiles, Program};
use warpbook::session::jobs::cost;
use warpbook::session::pack::assemble::launches;
use warpbook::session::run::{self, Runner};
use warpbook::session::{self, jobs};
use warpbook::trace::record::Backend;

/// A file of the tracer's own tests.
fn file(name: &str) -> String {
    format!("{}/crates/tracer/tests/ptx/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_page_has_the_ptx_of_its_kernels() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let mut missing = Vec::new();
    for lesson in &pack.lessons {
        for launch in launches(lesson) {
            let Some(twin) = launch.twin() else { continue };
            let key = shipped::key(&launch).unwrap();
            if twin.shipped.as_ref().and_then(|shipped| shipped::find(shipped, &key)).is_none() {
                missing.push(format!("{}: {}", lesson.id, twin.file));
            }
        }
    }
    missing.dedup();
    assert!(missing.is_empty(), "run `warpbook assemble .`, which needs NVRTC; these have none: {missing:#?}");
}

/// Lessons whose programs take little time.
const QUICK: [&str; 4] = ["one_loop", "text_to_ids", "tokenization", "zero"];

#[test]
fn programs_traced_from_cuda_are_right() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let (devices, cancel) = (devices(), AtomicBool::new(false));
    let mut checked = 0;
    for lesson in pack.lessons.iter().filter(|lesson| QUICK.contains(&lesson.id.as_str())) {
        let purpose = run::purpose(Backend::Simt, 1, true).in_language(Language::Cuda);
        let runner = Runner { devices: &devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel: &cancel };
        for variant in lesson.programs.iter().flat_map(Program::variants) {
            let params = jobs::defaults(lesson);
            // Tensor cores take tiles that the defaults do not fill.
            if lesson.unmet(&variant, &params).is_some() {
                continue;
            }
            let done = runner.program(&variant, &params);
            let done = done.unwrap_or_else(|why| panic!("{variant} of {}: {why:?}", lesson.id));
            assert!(done.problems().is_empty(), "{variant} of {}: {:?}", lesson.id, done.problems());
            checked += done.record.checks.len();
        }
    }
    assert!(checked > 100, "{checked} results were checked");
}

#[test]
fn kernels_in_cuda_alone_are_traced_on_their_pages_and_right() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let (devices, cancel) = (devices(), AtomicBool::new(false));
    let mut checked = 0;
    for lesson in &pack.lessons {
        let purpose = run::purpose(Backend::Simt, 1, true);
        let runner = Runner { devices: &devices, backend: Backend::Simt, lesson, purpose: &purpose, cancel: &cancel };
        for step in &lesson.steps {
            let is_cuda = lesson.launched(&step.variant).into_iter().flatten().any(|k| k.cuda_only().is_some());
            let params = run::params(lesson, &step.set).unwrap();
            if !is_cuda || !cost::is_traced(lesson, &step.variant, &params) {
                continue;
            }
            let at = format!("{} of {} on page {}", step.variant, lesson.id, step.id);
            let done = runner.program(&step.variant, &params).unwrap_or_else(|why| panic!("{at}: {why:?}"));
            assert!(done.problems().is_empty() && done.record.trusted(), "{at}: {:?}", done.problems());
            checked += 1;
        }
    }
    assert!(checked >= 5, "{checked} pages");
}

/// A trace of the command line looks for races within workgroups, too.
#[test]
fn kernels_in_cuda_alone_have_no_findings_on_their_pages() {
    let (pack, _) = session::load(&PackFiles::Embedded);
    let mut traced = 0;
    for lesson in &pack.lessons {
        for step in lesson.steps.iter().filter(|step| step.exercises().next().is_none()) {
            let only = lesson.kernels.iter().find(|kernel| kernel.id == step.variant.program);
            let params = run::params(lesson, &step.set).unwrap();
            if only.is_none_or(|kernel| kernel.cuda_only().is_none())
                || !cost::is_traced(lesson, &step.variant, &params)
            {
                continue;
            }
            let set = step.set.iter().flat_map(|(id, value)| ["--set".to_owned(), format!("{id}={value}")]);
            let target = format!("{}/{}", lesson.id, step.variant.program);
            let args: Vec<String> =
                ["trace".to_owned(), target].into_iter().chain(set).chain(["--json".into()]).collect();
            let run = warpbook(&args.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(run.json()["findings"].as_array().map(Vec::len), Some(0), "{args:?}: {}", run.err);
            traced += 1;
        }
    }
    assert!(traced >= 5, "{traced} pages");
}

#[test]
fn trace_takes_a_ptx_file_and_shows_the_lines_of_its_source() {
    let (ptx, source) = (file("basic.ptx"), file("basic.cu"));
    let run = warpbook(&[
        "trace",
        &ptx,
        "--source",
        &source,
        "--entry",
        "saxpy",
        "--grid",
        "8",
        "--block",
        "128",
        "--arg",
        "n=1000",
        "--arg",
        "a=1.5",
        "--buffer",
        "x=1000",
        "--buffer",
        "y=1000:zero",
        "--json",
    ]);
    assert_eq!(run.code, 0, "{}", run.err);
    let json = run.json();
    assert_eq!(json["global"]["load"]["requests"], 64);
    assert_eq!(json["global"]["load"]["sectors"], 250);
    let text = std::fs::read_to_string(&source).unwrap();
    let line = 1 + text.lines().position(|line| line.contains("y[i] = a * x[i] + y[i]")).unwrap();
    let lines = json["lines"].as_array().unwrap();
    assert!(lines.iter().any(|l| l["line"] == line && l["sectors"] == 375), "{lines:?}");
}

#[test]
fn buffers_count_in_the_elements_of_the_signature() {
    let (ptx, source) = (file("corpus/bytes.ptx"), file("corpus/bytes.cu"));
    let traced = |length: &str, more: &[&str]| {
        let all = ["assert", &ptx, "--source", &source, "--entry", "upper", "--grid", "1", "--block", "128"];
        let length = format!("length={length}");
        warpbook(&[&all[..], &["out_of_bounds == 0", "--arg", &length], more].concat())
    };
    // 100 characters are 25 words.
    assert_eq!(traced("100", &["--buffer", "text=100:iota"]).code, 0);
    let beyond = traced("101", &["--buffer", "text=100"]);
    assert!(
        beyond.code == 1 && beyond.err.contains("index 100 is past the end of `text`, which has 100"),
        "{}",
        beyond.err
    );
    let wrong = traced("100", &["--buffer", "text=100:u9"]);
    assert!(wrong.code == 2 && wrong.err.contains("no type: f32"), "{}", wrong.err);

    // A file says how many there are.
    let folder = tempfile::tempdir().unwrap();
    let npy = folder.path().join("text.npy");
    let header = format!("{:<117}\n", "{'descr': '|u1', 'fortran_order': False, 'shape': (64,), }");
    let mut bytes = [&b"\x93NUMPY\x01\x00\x76\x00"[..], header.as_bytes()].concat();
    bytes.extend(b'a'..b'a' + 26);
    bytes.extend([b' '; 38]);
    std::fs::write(&npy, &bytes).unwrap();
    let input = format!("text={}", npy.display());
    assert_eq!(traced("64", &["--input", &input]).code, 0);
    assert_eq!(traced("65", &["--input", &input]).code, 1);
    let longer = traced("64", &["--input", &input, "--buffer", "text=128"]);
    assert!(longer.code == 2 && longer.err.contains("leave --buffer out"), "{}", longer.err);
}

#[test]
fn a_trace_stops_at_its_limit() {
    let (ptx, source) = (file("basic.ptx"), file("basic.cu"));
    let run = warpbook(&[
        "trace", &ptx, "--source", &source, "--entry", "saxpy", "--grid", "64", "--block", "128", "--arg", "n=8192",
        "--arg", "a=2", "--buffer", "x=8192", "--buffer", "y=8192", "--limit", "100",
    ]);
    assert!(run.code == 1 && run.err.contains("the run was stopped after 100 steps"), "{}", run.err);
}

#[test]
fn what_is_missing_or_wrong_is_said_by_name_and_type() {
    let (ptx, source) = (file("basic.ptx"), file("basic.cu"));
    let said = |rest: &[&str]| {
        let mut args = vec!["trace", &ptx, "--source", &source];
        args.extend_from_slice(rest);
        let run = warpbook(&args);
        assert_ne!(run.code, 0);
        run.err
    };
    let shape = ["--grid", "8", "--block", "128"];
    for (rest, words) in [
        (vec![], "there are several kernels"),
        (vec!["--entry", "saxpi"], "did you mean `saxpy`?"),
        (vec!["--entry", "saxpy"], "a file needs a grid"),
        (vec!["--entry", "saxpy", "--grid", "1"], "needs a block size"),
        ([&["--entry", "saxpy"][..], &shape].concat(), "`saxpy` needs a value for `n` (u32)"),
        ([&["--entry", "saxpy", "--arg", "n=3", "--arg", "a=x"][..], &shape].concat(), "`x` is no value for `a` (f32)"),
        ([&["--entry", "saxpy", "--arg", "x=3"][..], &shape].concat(), "`x` is a pointer, and takes a buffer"),
        ([&["--entry", "saxpy", "--arg", "m=3"][..], &shape].concat(), "takes no argument `m`"),
        (
            [&["--entry", "saxpy", "--arg", "n=3", "--arg", "a=1", "--buffer", "x=9"][..], &shape].concat(),
            "the buffer `y` has no size of its own",
        ),
        (
            [
                "--entry", "saxpy", "--arg", "n=3", "--arg", "a=1", "--buffer", "x=9", "--buffer", "y=9", "--grid",
                "1", "--block", "2048",
            ]
            .to_vec(),
            "has 2048 threads",
        ),
        (
            [
                &[
                    "--entry", "saxpy", "--arg", "n=3", "--arg", "a=1", "--buffer", "x=9", "--buffer", "y=9", "--warp",
                    "64",
                ][..],
                &shape,
            ]
            .concat(),
            "CUDA is traced with warps of 32 lanes",
        ),
    ] {
        let err = said(&rest);
        assert!(err.contains(words), "{rest:?}: {err}");
    }
}
