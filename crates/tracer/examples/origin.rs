//! Which lane wrote an element, at which line, and from which elements: `cargo run --example origin`.
#![expect(clippy::print_stdout, reason = "it prints what it found")]

use std::sync::atomic::AtomicBool;

use warpbook_tracer::diag::Diagnostic;
use warpbook_tracer::simt::{self, Program, Question};
use warpbook_tracer::tensor::{Elem, Init, Tensor};

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) at: vec3u) {
    let n = arrayLength(&src);
    dst[at.x] = 0.25 * src[(at.x + n - 1u) % n] + 0.5 * src[at.x] + 0.25 * src[(at.x + 1u) % n];
}";

fn main() -> Result<(), Vec<Diagnostic>> {
    let program = Program::compile("blur.wgsl", KERNEL, "main", &[])?;
    let buffers = [Tensor::new(Elem::F32, 256, Init::Iota, 1, 0), Tensor::new(Elem::F32, 256, Init::Zero, 1, 1)];
    let question = Question { buffer: "dst".to_owned(), index: 255, warp_width: 32, fuel: 1 << 20 };
    let found = simt::explain(&program, &buffers, [8, 1, 1], &question, &AtomicBool::new(false));
    let found = found.map_err(|error| vec![error])?;
    println!("dst[{}] = {}", found.index, found.value);
    if let Some(writer) = found.writer {
        println!(
            "written at line {} by lane {} of warp {} in workgroup {}",
            writer.line, writer.lane, writer.warp, writer.workgroup
        );
        for load in writer.loads {
            println!("from {}[{}] = {}", load.buffer, load.index, load.value);
        }
    }
    Ok(())
}
