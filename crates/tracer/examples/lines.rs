//! The cost of each line of a kernel: instructions of warps, sectors, branches that lanes disagree about.
//! `cargo run --example lines`.
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::sync::atomic::AtomicBool;

use warpbook_tracer::diag::Diagnostic;
use warpbook_tracer::simt::{self, Options, Program};
use warpbook_tracer::tensor::{Elem, Init, Tensor};

const KERNEL: &str = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3u) {
    let i = at.x * 4u;
    if at.x % 2u == 0u {
        x[i] = sqrt(x[i]);
    } else {
        x[i + 1u] = x[i] * x[i + 2u];
    }
}";

fn main() -> Result<(), Vec<Diagnostic>> {
    let program = Program::compile("lines.wgsl", KERNEL, "main", &[])?;
    let mut buffers = [Tensor::new(Elem::F32, 4096, Init::Random, 1, 0)];
    let outcome =
        simt::run(&program, &mut buffers, [16, 1, 1], &Options::default(), &AtomicBool::new(false), &|_, _| {});
    let trace = outcome.map_err(|error| vec![error])?.trace;
    println!("instructions  sectors  divergent");
    for (number, text) in (1..).zip(KERNEL.lines()) {
        let (instructions, sectors, divergent) = trace
            .lines
            .iter()
            .find(|line| line.line == number)
            .map_or((0, 0, 0), |line| (line.warp_instructions, line.sectors, line.divergent));
        println!("{instructions:12}  {sectors:7}  {divergent:9}  {text}");
    }
    Ok(())
}
