//! A kernel in PTX, as a compiler of CUDA C++ or Triton wrote it: its arguments and counts.
//! `cargo run --example ptx FILE.ptx`, whose kernel takes pointers alone.
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::sync::atomic::AtomicBool;

use warpbook_tracer::diag::Diagnostic;
use warpbook_tracer::dispatch::Argument;
use warpbook_tracer::simt::{self, Options, Program, Ptx};
use warpbook_tracer::tensor::{Elem, Init, Tensor};

fn main() -> Result<(), Vec<Diagnostic>> {
    let file = std::env::args().nth(1).unwrap_or_default();
    let one = |problem: Diagnostic| vec![problem];
    let text = std::fs::read_to_string(&file).map_err(|error| one(Diagnostic::error(format!("{file}: {error}"))))?;
    let entry = simt::ptx_entries(&file, &text).map_err(one)?.into_iter().next().unwrap_or_default();
    let signature = simt::ptx_signature(&file, &text, &entry).map_err(one)?;
    let arguments: Vec<Argument> = signature.parameters.iter().map(|p| Argument::Buffer(p.name.clone())).collect();
    let ptx = Ptx {
        file: &file,
        text: &text,
        entry: &entry,
        block: [128, 1, 1],
        shared_bytes: 0,
        arguments: &arguments,
        source: &|_, line| Some(line),
    };
    let program = Program::compile_ptx(&ptx)?;
    let mut buffers: Vec<Tensor> =
        (0..program.bindings().len()).map(|i| Tensor::new(Elem::F32, 1 << 16, Init::Random, 1, i as u64)).collect();
    let outcome =
        simt::run(&program, &mut buffers, [8, 1, 1], &Options::default(), &AtomicBool::new(false), &|_, _| {});
    let trace = outcome.map_err(one)?.trace;
    println!(
        "{entry}: {} instructions of warps, {} sectors loaded, {} stored",
        trace.warp_instructions, trace.global.load.sectors, trace.global.store.sectors
    );
    trace.findings.iter().for_each(|finding| println!("line {}: {}", finding.line, finding.message));
    Ok(())
}
