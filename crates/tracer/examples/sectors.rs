//! The sectors that a strided copy moves per request of a warp: `cargo run --example sectors`.
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::sync::atomic::AtomicBool;

use warpbook_tracer::diag::Diagnostic;
use warpbook_tracer::simt::{self, Options, Program};
use warpbook_tracer::tensor::{Elem, Init, Tensor};

const KERNEL: &str = "
override STRIDE: u32;
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(128) fn main(@builtin(global_invocation_id) at: vec3u) {
    dst[at.x] = src[at.x * STRIDE];
}";

fn main() -> Result<(), Vec<Diagnostic>> {
    println!("stride  requests  sectors  per request");
    for stride in [1, 2, 4, 8, 16, 32] {
        let constants = [("STRIDE".to_owned(), f64::from(stride))];
        let program = Program::compile("strided.wgsl", KERNEL, "main", &constants)?;
        let mut buffers =
            [Tensor::new(Elem::F32, 1024 * 32, Init::Iota, 1, 0), Tensor::new(Elem::F32, 1024, Init::Zero, 1, 1)];
        let outcome =
            simt::run(&program, &mut buffers, [8, 1, 1], &Options::default(), &AtomicBool::new(false), &|_, _| {});
        let load = outcome.map_err(|error| vec![error])?.trace.global.load;
        println!("{stride:6}  {:8}  {:7}  {:11}", load.requests, load.sectors, load.sectors / load.requests);
    }
    Ok(())
}
