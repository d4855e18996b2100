//! Kernels in Triton, compiled to PTX, traced and compared with what they should compute.

mod common;

use common::{Case, close, floats, random};
use half::f16;
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::simt::Outcome;

/// A kernel of `kernels.py` on programs of four warps.
fn kernel(name: &'static str, file: &'static str, grid: [u32; 2]) -> Case {
    Case::of(file, name, 1, 128).plane(grid, [128, 1]).shared(4096)
}

/// Runs it with the two pointers that Triton adds, which these kernels do not follow.
fn run(case: Case) -> (Vec<Tensor>, Outcome) {
    case.value(&[0; 8]).value(&[0; 8]).clean()
}

fn halves(case: Case, values: &[f32]) -> Case {
    let bits: Vec<u32> = values.iter().map(|value| u32::from(f16::from_f32(*value).to_bits())).collect();
    let words = bits.chunks(2).map(|pair| pair.iter().rev().fold(0, |word, half| word << 16 | half)).collect();
    case.buffer(Elem::F16, words)
}

/// Numbers that 16 bits hold, as the kernel reads them.
fn rounded(count: usize) -> Vec<f32> {
    random(count).into_iter().map(|value| f16::from_f32(value).to_f32()).collect()
}

/// Sums of f32 in any order are this close to the sum in f64, for the sizes here.
fn near(got: &[f32], wanted: &[f64]) {
    for (i, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert!((f64::from(*got) - wanted).abs() <= 2e-3 * wanted.abs().max(1.0), "{i}: {got} for {wanted}");
    }
}

#[test]
fn vectors_are_added() {
    let (x, y) = (random(1000), random(1000));
    let case = kernel("vector_add", "triton/vector_add", [4, 1]).floats(&x).floats(&y).floats(&[0.0; 1000]).int(1000);
    let (buffers, outcome) = run(case);
    close(&floats(&buffers[2]), x.iter().zip(&y).map(|(x, y)| f64::from(*x) + f64::from(*y)));
    // Two loads and a store of a word for each lane, twice; the last program has a warp without an element in the second half.
    assert_eq!(outcome.trace.global.load.sectors, 250);
    assert_eq!(outcome.trace.global.store.sectors, 125);
}

#[test]
fn rows_are_normalised() {
    let (rows, columns) = (3, 200);
    let x: Vec<f32> = random(rows * columns).into_iter().map(|x| 4.0 * x).collect();
    let case = kernel("row_softmax", "triton/row_softmax", [3, 1]).floats(&x).floats(&[0.0; 600]).int(200).int(200);
    let (buffers, outcome) = run(case);
    let exps: Vec<f64> = x.iter().map(|x| f64::from(*x).exp()).collect();
    let wanted = exps.chunks(columns).flat_map(|row| row.iter().map(|e| e / row.iter().sum::<f64>()));
    close(&floats(&buffers[1]), wanted.collect::<Vec<f64>>());
    let text = common::text_of("triton/kernels", "py");
    let loads = outcome.trace.lines.iter().find(|line| line.sectors > 0).map_or(0, |line| line.line);
    let line = text.lines().nth(loads as usize - 1).unwrap_or_default();
    assert!(line.contains("scores = tl.load("), "line {loads}: {line}");
}

#[test]
fn layers_are_normalised() {
    let (rows, columns) = (3, 300);
    let (x, scale, shift) = (random(rows * columns), random(columns), random(columns));
    let case = kernel("layer_norm", "triton/layer_norm", [3, 1]).floats(&x).floats(&scale).floats(&shift);
    let (buffers, _) = run(case.floats(&[0.0; 900]).int(300).float(1e-5));
    let wanted = x.chunks(columns).flat_map(|row| {
        let mean = row.iter().map(|x| f64::from(*x)).sum::<f64>() / columns as f64;
        let spread = row.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / columns as f64;
        let inverse = 1.0 / (spread + 1e-5).sqrt();
        let each = row.iter().zip(scale.iter().zip(&shift));
        each.map(move |(x, (scale, shift))| (f64::from(*x) - mean) * inverse * f64::from(*scale) + f64::from(*shift))
    });
    near(&floats(&buffers[3]), &wanted.collect::<Vec<f64>>());
}

#[test]
fn matrices_are_multiplied_in_groups() {
    // No size is a multiple of a tile's.
    let (m, n, k) = (70, 50, 40);
    let (a, b) = (rounded(m * k), rounded(k * n));
    let case = halves(halves(kernel("grouped_matmul", "triton/grouped_matmul", [6, 1]), &a), &b);
    let (buffers, _) = run(case.floats(&vec![0.0; m * n]).int(70).int(50).int(40));
    let wanted = (0..m * n).map(|i| (0..k).map(|j| f64::from(a[i / n * k + j]) * f64::from(b[j * n + i % n])).sum());
    near(&floats(&buffers[2]), &wanted.collect::<Vec<f64>>());
}

#[test]
fn attention_is_causal() {
    let (length, heads, width) = (70, 2, 32);
    let [q, k, v] =
        [0, 1, 2].map(|i: usize| rounded(3 * heads * length * width)[i * heads * length * width..].to_vec());
    let size = heads * length * width;
    let scale = 1.0 / (width as f64).sqrt();
    let case = halves(
        halves(halves(kernel("causal_attention", "triton/causal_attention", [3, 2]), &q[..size]), &k[..size]),
        &v[..size],
    );
    let (buffers, _) = run(case.floats(&vec![0.0; size]).int(70).float(scale as f32));
    let mut wanted = Vec::new();
    for row in 0..heads * length {
        let (head, at) = (row / length, row % length);
        let of = |x: &[f32], row: usize, d: usize| f64::from(x[(head * length + row) * width + d]);
        let scores: Vec<f64> =
            (0..=at).map(|key| scale * (0..width).map(|d| of(&q, at, d) * of(&k, key, d)).sum::<f64>()).collect();
        let weights: Vec<f64> = scores.iter().map(|score| score.exp()).collect();
        let total: f64 = weights.iter().sum();
        wanted.extend(
            (0..width).map(|d| weights.iter().enumerate().map(|(key, w)| w * of(&v, key, d)).sum::<f64>() / total),
        );
    }
    near(&floats(&buffers[3]), &wanted);
}
