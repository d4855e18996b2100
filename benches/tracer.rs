//! How fast the tracer is, on one core: a tiled matmul and a strided copy, executed only and counted.

use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::simt::{Options, Outcome, Program, run};

/// Execution alone.
const PLAIN: &str = "plain";
/// With sectors and banks counted.
const COUNTED: &str = "counted";

fn main() {
    divan::main();
}

/// A kernel with its buffers, ready to run.
struct Case {
    program: Program,
    buffers: Vec<Tensor>,
    grid: [u32; 3],
}

impl Case {
    fn new(source: &str, entry: &str, constants: &[(&str, f64)], counts: &[usize], grid: [u32; 3]) -> Self {
        let constants: Vec<(String, f64)> = constants.iter().map(|(k, v)| ((*k).to_owned(), *v)).collect();
        let buffers = counts.iter().enumerate().map(|(i, n)| Tensor::new(Elem::F32, *n, Init::Random, 1, i as u64));
        match Program::compile("bench.wgsl", source, entry, &constants) {
            Ok(program) => Self { program, buffers: buffers.collect(), grid },
            Err(errors) => panic!("{errors:?}"),
        }
    }

    fn run(&mut self, count: bool) -> Outcome {
        let options = Options { threads: Some(1), count, ..Options::default() };
        match run(&self.program, &mut self.buffers, self.grid, &options, &AtomicBool::new(false), &|_, _| {}) {
            Ok(outcome) => outcome,
            Err(error) => panic!("{error}"),
        }
    }
}

/// 512³ through 32×32 tiles; an item is a multiply-add of one lane.
#[divan::bench(args = [PLAIN, COUNTED], sample_count = 5, sample_size = 1)]
fn tiled_matmul_512(bencher: Bencher, mode: &str) {
    let n = 512;
    let source = include_str!("../tests/kernels/tiled_matmul.wgsl");
    let mut case = Case::new(source, "tiled", &[("n", 512.0)], &[n * n; 3], [16, 16, 1]);
    bencher.counter(ItemsCount::new(n * n * n)).bench_local(|| case.run(mode == COUNTED));
}

/// 512³ without tiles, a warp over two rows; an item is a multiply-add of one lane.
#[divan::bench(args = [PLAIN, COUNTED], sample_count = 5, sample_size = 1)]
fn naive_matmul_512(bencher: Bencher, mode: &str) {
    let n = 512;
    let source = include_str!("../tests/kernels/naive_matmul.wgsl");
    let mut case = Case::new(source, "x_is_row", &[("n", 512.0)], &[n * n; 3], [32, 32, 1]);
    bencher.counter(ItemsCount::new(n * n * n)).bench_local(|| case.run(mode == COUNTED));
}

/// A copy with stride 2; an item is an element.
#[divan::bench(args = [PLAIN, COUNTED], sample_count = 10, sample_size = 1)]
fn strided_copy_1m(bencher: Bencher, mode: &str) {
    let n = 1 << 20;
    let source = include_str!("../tests/kernels/strided.wgsl");
    let mut case = Case::new(source, "copy", &[("stride", 2.0)], &[2 * n, n], [4096, 1, 1]);
    bencher.counter(ItemsCount::new(n)).bench_local(|| case.run(mode == COUNTED));
}
