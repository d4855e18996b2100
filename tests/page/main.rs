//! The tracer in a page: the kernels of all lessons count the same in WebAssembly, run by node, as in a native process.
//!
//! It needs node and the target `wasm32-unknown-unknown`, so `cargo test` leaves it out: `cargo test --test page`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use warpbook::base::diag::Diagnostic;
use warpbook::base::tensor::Tensor;
use warpbook::job::{Code, Job};
use warpbook::lesson::PackFiles;
use warpbook::session::jobs::{self, Purpose};

mod module;
#[path = "../../crates/tracer/examples/page.rs"]
mod page;

use page::{Answer, Question};

/// Warp instructions of one launch: those that need more are compared as far as they come.
const FUEL: u64 = 300_000;

/// The greatest difference of two floats, relative to the element, or to a typical one of its buffer if that is larger.
const ROUNDING: f64 = 1e-5;

/// The mean absolute value of the elements that are finite.
fn typical(tensor: &Tensor) -> f64 {
    let finite = (0..tensor.len()).map(|i| tensor.get(i).abs()).filter(|value| value.is_finite());
    let (sum, count) = finite.fold((0.0, 0.0_f64), |(sum, count), value| (sum + value, count + 1.0));
    sum / count.max(1.0)
}

/// The module, compiled.
fn module() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--package", "warpbook-tracer", "--example", "page"])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&target)
        .current_dir(root)
        .status()
        .unwrap();
    assert!(built.success(), "install the target: rustup target add wasm32-unknown-unknown");
    target.join("wasm32-unknown-unknown/release/examples/page.wasm")
}

/// The first launch of a program that the tracer can run; None where a library or CUDA C++ begins it.
fn question(job: &Job) -> Option<Question> {
    let launch = job.launches().next()?;
    let Code::Wgsl(wgsl) = &launch.code else { return None };
    let filled = |binding: &warpbook::job::Binding| job.buffers[binding.buffer].fill(job.seed, binding.buffer).unwrap();
    Some(Question {
        file: wgsl.file.clone(),
        source: wgsl.source.to_string(),
        entry: wgsl.entry.clone(),
        overrides: wgsl.overrides.clone(),
        grid: launch.grid.most(),
        buffers: launch.bindings.iter().map(filled).collect(),
        fuel: FUEL,
    })
}

#[test]
fn a_page_counts_what_a_native_process_counts() {
    let (pack, problems) = warpbook::session::load(&PackFiles::Embedded);
    assert!(!problems.iter().any(Diagnostic::is_error), "{problems:?}");
    let purpose = Purpose { seed: 7, check: false, measure: None, trace: None, bounds_checks: true };
    let mut node = Command::new("node")
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page/run.mjs"))
        .arg(module())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("install node");
    let (mut questions, mut answers) = (node.stdin.take().unwrap(), BufReader::new(node.stdout.take().unwrap()));
    let mut compared = 0;
    for lesson in &pack.lessons {
        for variant in lesson.programs.iter().flat_map(|program| program.variants()) {
            let Ok(job) = jobs::build(lesson, &variant, &jobs::defaults(lesson), &purpose) else { continue };
            let Some(question) = question(&job) else { continue };
            let asked = serde_json::to_string(&question).unwrap();
            writeln!(questions, "{asked}").unwrap();
            let mut line = String::new();
            answers.read_line(&mut line).unwrap();
            let there: Result<Answer, Vec<Diagnostic>> = serde_json::from_str(&line).unwrap();
            let (there, here) = (there.unwrap(), page::trace(&asked).unwrap());
            let what = format!("{}/{}", lesson.id, variant.program);
            assert_eq!(there.trace, here.trace, "{what}");
            assert!(there.trace.warps > 0, "{what} ran no warp");
            for (there, here) in there.buffers.iter().zip(&here.buffers) {
                let typical = typical(here);
                for i in 0..here.len() {
                    let (got, expected) = (there.get(i), here.get(i));
                    // Of exponentials and the like the two libraries of maths round the last bit differently; sums of them may cancel.
                    let room = ROUNDING * expected.abs().max(typical);
                    let near = !here.elem.is_whole() && (got - expected).abs() <= room;
                    let is_same = got == expected || near || got.is_nan() && expected.is_nan();
                    assert!(is_same, "{what}: element {i} is {got}, and {expected} in a native process");
                }
            }
            compared += 1;
        }
    }
    drop(questions);
    assert!(node.wait().unwrap().success());
    assert!(compared >= 50, "{compared} kernels were compared");
}
