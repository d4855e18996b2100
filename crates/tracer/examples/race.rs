//! A sum in workgroup memory whose barrier is missing: the tracer names the threads, the lines and the word.
//! `cargo run --example race`.
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::sync::atomic::AtomicBool;

use warpbook_tracer::diag::Diagnostic;
use warpbook_tracer::dispatch::TraceSpec;
use warpbook_tracer::simt::{self, Options, Program};
use warpbook_tracer::tensor::{Elem, Init, Tensor};

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> sums: array<u32>;
var<workgroup> part: array<u32, 128>;
@compute @workgroup_size(128) fn main(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) group: vec3u) {
    part[i] = i;
    workgroupBarrier();
    for (var half = 64u; half > 0u; half /= 2u) {
        if i < half { part[i] += part[i + half]; }
        // workgroupBarrier() belongs here.
    }
    if i == 0u { sums[group.x] = part[0]; }
}";

fn main() -> Result<(), Vec<Diagnostic>> {
    let program = Program::compile("sum.wgsl", KERNEL, "main", &[])?;
    let mut buffers = [Tensor::new(Elem::U32, 4, Init::Zero, 1, 0)];
    let options = Options { spec: TraceSpec { races: true, ..TraceSpec::default() }, ..Options::default() };
    let outcome = simt::run(&program, &mut buffers, [4, 1, 1], &options, &AtomicBool::new(false), &|_, _| {});
    for finding in outcome.map_err(|error| vec![error])?.trace.findings {
        println!("line {}: {}", finding.line, finding.message);
    }
    Ok(())
}
