//! The tracer's counts are equal to those that a hardware profiler read on an H100, for kernels that anyone can run.

use std::sync::atomic::AtomicBool;

use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::simt::{Options, Program, run};
use warpbook::trace::Trace;

/// Elements of the copies.
const N: usize = 1 << 20;

/// Runs a kernel of `tests/kernels`, with each buffer's element count and contents.
fn trace(
    file: &str,
    entry: &str,
    constants: &[(&str, f64)],
    buffers: &[(usize, Init)],
    grid: [u32; 3],
) -> Result<(Trace, Vec<Tensor>), String> {
    let path = format!("{}/tests/kernels/{file}.wgsl", env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(&path).map_err(|e| format!("{path}: {e}"))?;
    let constants: Vec<(String, f64)> = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let program = Program::compile(&path, &source, entry, &constants)
        .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let fill = |(i, (count, init)): (usize, &(usize, Init))| Tensor::new(Elem::F32, *count, *init, 1, i as u64);
    let mut tensors: Vec<Tensor> = buffers.iter().enumerate().map(fill).collect();
    let outcome = run(&program, &mut tensors, grid, &Options::default(), &AtomicBool::new(false), &|_, _| {})
        .map_err(|e| e.to_string())?;
    assert!(outcome.trace.complete);
    assert_eq!(outcome.trace.findings, []);
    Ok((outcome.trace, tensors))
}

#[test]
fn strided_copies() -> Result<(), String> {
    // Stride, offset, load sectors.
    let rows =
        [(1, 0, 131_072), (2, 0, 262_144), (4, 0, 524_288), (8, 0, 1_048_576), (32, 0, 1_048_576), (1, 1, 163_840)];
    for (stride, offset, sectors) in rows {
        let constants = [("stride", stride as f64), ("offset", offset as f64), ("block", 256.0)];
        let input = (N * stride + offset, Init::Iota);
        let (trace, tensors) = trace("strided", "copy", &constants, &[input, (N, Init::Poison)], [4096, 1, 1])?;
        assert_eq!(trace.global.load.requests, 32_768, "stride {stride}");
        assert_eq!(trace.global.load.sectors, sectors, "stride {stride}, offset {offset}");
        assert_eq!(trace.global.load.bytes, 4 * N as u64);
        assert_eq!(trace.global.store.requests, 32_768);
        assert_eq!(trace.global.store.sectors, 131_072);
        assert_eq!(trace.warps, 32_768);
        let wrong = (0..N).find(|i| tensors[1].get(*i) != (i * stride + offset) as f64);
        assert_eq!(wrong, None);
    }
    Ok(())
}

#[test]
fn copy_of_four_floats_a_lane() -> Result<(), String> {
    let buffers = [(N, Init::Iota), (N, Init::Poison)];
    let (trace, tensors) = trace("copy4", "copy4", &[], &buffers, [1024, 1, 1])?;
    assert_eq!((trace.global.load.requests, trace.global.load.sectors), (8_192, 131_072));
    assert_eq!((trace.global.store.requests, trace.global.store.sectors), (8_192, 131_072));
    assert_eq!(tensors[0].words, tensors[1].words);
    Ok(())
}

/// Runs a matmul of 512³ and checks some of its elements.
fn matmul(file: &str, entry: &str, grid: [u32; 3]) -> Result<Trace, String> {
    let n = 512;
    let buffers = [(n * n, Init::Random), (n * n, Init::Random), (n * n, Init::Poison)];
    let (trace, tensors) = trace(file, entry, &[("n", 512.0)], &buffers, grid)?;
    for i in (0..n * n).step_by(997) {
        let (row, col) = (i / n, i % n);
        let product = |k: usize| tensors[0].get(row * n + k) as f32 * tensors[1].get(k * n + col) as f32;
        let expected = (0..n).fold(0.0_f32, |sum, k| sum + product(k));
        assert_eq!(tensors[2].get(i), f64::from(expected), "element {row}, {col}");
    }
    Ok(trace)
}

#[test]
fn naive_matmul_along_columns() -> Result<(), String> {
    let trace = matmul("naive_matmul", "x_is_column", [32, 32, 1])?;
    assert_eq!((trace.global.load.requests, trace.global.load.sectors), (8_388_608, 16_777_216));
    assert_eq!(trace.global.store.sectors, 32_768);
    Ok(())
}

#[test]
fn naive_matmul_along_rows() -> Result<(), String> {
    let trace = matmul("naive_matmul", "x_is_row", [32, 32, 1])?;
    assert_eq!((trace.global.load.requests, trace.global.load.sectors), (8_388_608, 71_303_168));
    assert_eq!(trace.global.store.sectors, 131_072);
    Ok(())
}

#[test]
fn tiled_matmul() -> Result<(), String> {
    let trace = matmul("tiled_matmul", "tiled", [16, 16, 1])?;
    assert_eq!((trace.global.load.requests, trace.global.load.sectors), (262_144, 1_048_576));
    assert_eq!(trace.global.store.sectors, 32_768);
    // A row of a tile at a time, and one word for all lanes: neither conflicts.
    assert_eq!(trace.shared.load.requests, 2 * 8_192 * 512);
    assert_eq!(trace.shared.load.wavefronts, trace.shared.load.requests);
    assert_eq!(trace.shared.store.conflicts, 0);
    assert_eq!(trace.barriers, 8_192 * 16 * 2);
    Ok(())
}

#[test]
fn shared_loads_with_conflicts() -> Result<(), String> {
    for (k, wavefronts) in [(1, 512), (2, 1_024), (32, 16_384)] {
        let buffers = [(64 * 32, Init::Poison)];
        let (trace, _) = trace("shared_loads", "loads", &[("k", f64::from(k))], &buffers, [64, 1, 1])?;
        assert_eq!(trace.shared.load.requests, 512);
        assert_eq!(trace.shared.load.wavefronts, wavefronts, "k = {k}");
        assert_eq!(trace.shared.load.conflicts, wavefronts - 512);
    }
    Ok(())
}
