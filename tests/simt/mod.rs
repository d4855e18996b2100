//! Kernels with outcomes worked out by hand, each run at every warp width, on one thread and on several.

mod atomics;
mod control;
mod cooperative;
mod counting;
mod course;
mod critical;
mod halves;
mod heat;
mod memory;
mod provenance;
mod provenance_ways;
mod races;
mod random;
mod refusals;
mod subgroups;
mod values;

use std::sync::atomic::AtomicBool;

use warpbook::base::diag::Diagnostic;
use warpbook::base::tensor::{Elem, Tensor};
use warpbook::job::TraceSpec;
use warpbook::simt::{Options, Outcome, Program, run};

type Result<T = ()> = std::result::Result<T, String>;

fn compile(source: &str, entry: &str, constants: &[(&str, f64)]) -> Result<Program> {
    let constants: Vec<(String, f64)> = constants.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
    Program::compile("t.wgsl", source, entry, &constants).map_err(|errors| listed(&errors))
}

fn listed(errors: &[Diagnostic]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn words(words: &[u32]) -> Tensor {
    Tensor { elem: Elem::U32, words: words.to_vec() }
}

fn floats(values: &[f32]) -> Tensor {
    Tensor { elem: Elem::F32, words: values.iter().map(|x| x.to_bits()).collect() }
}

/// Runs `program` once.
fn run_with(program: &Program, buffers: &mut [Tensor], grid: [u32; 3], options: &Options) -> Result<Outcome> {
    run(program, buffers, grid, options, &AtomicBool::new(false), &|_, _| {}).map_err(|e| e.to_string())
}

fn width(warp_width: u32) -> Options {
    Options { spec: TraceSpec { warp_width, ..TraceSpec::default() }, fuel: 1 << 24, ..Options::default() }
}

/// Runs entry point `main` of `source` on `buffers` in every way, checks that all ways agree, and gives the buffers and
/// the outcome at width 32.
fn every_way(source: &str, buffers: &[Tensor], grid: [u32; 3]) -> Result<(Vec<Tensor>, Outcome)> {
    let program = compile(source, "main", &[])?;
    let mut first = buffers.to_vec();
    let outcome = run_with(&program, &mut first, grid, &width(32))?;
    for warp_width in [8, 16, 64] {
        let mut again = buffers.to_vec();
        run_with(&program, &mut again, grid, &width(warp_width))?;
        assert_eq!(first, again, "width {warp_width}");
    }
    for options in [
        Options { count: false, ..width(32) },
        Options { threads: Some(1), ..width(32) },
        Options { threads: Some(3), ..width(32) },
    ] {
        let mut again = buffers.to_vec();
        let other = run_with(&program, &mut again, grid, &options)?;
        assert_eq!(first, again, "{options:?}");
        assert_eq!(outcome.trace.findings, other.trace.findings);
        if options.count {
            assert_eq!(outcome.trace.lane_ops, other.trace.lane_ops);
            assert_eq!(outcome.trace.lines, other.trace.lines);
        }
    }
    Ok((first, outcome))
}

/// Runs `body` as 100 invocations of one workgroup, with `i` their index, and compares `out[i]` with `expected(i)`.
/// `before` is module-scope text.
fn lanes(before: &str, body: &str, expected: impl Fn(u32) -> u32) -> Result {
    let source = format!(
        "{before}\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n\
         @compute @workgroup_size(100) fn main(@builtin(local_invocation_index) i: u32) {{\n{body}\n}}"
    );
    let (buffers, outcome) = every_way(&source, &[words(&[77; 100])], [1, 1, 1])?;
    assert_eq!(outcome.trace.findings, [], "{body}");
    let expected: Vec<u32> = (0..100).map(expected).collect();
    assert_eq!(buffers[0].words, expected, "{body}");
    Ok(())
}

/// The same for expressions in `x = f32(i) - 49.5`, with a float for `out`.
fn float_lanes(body: &str, expected: impl Fn(f32) -> f32) -> Result {
    let body = format!("let x = f32(i) - 49.5;\nout[i] = bitcast<u32>({body});");
    lanes("", &body, |i| expected(i as f32 - 49.5).to_bits())
}
