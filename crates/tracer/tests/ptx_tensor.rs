//! Kernels with instructions of tensor cores and asynchronous copies, compiled to PTX, traced and compared with what
//! they should compute.

mod common;

use common::{Case, floats_of, whole};
use half::{bf16, f16};
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::simt::Outcome;
use warpbook_tracer::trace::FindingKind;

const SOURCE: &str = include_str!("ptx/tensor.cu");

/// Runs a kernel as one block; gives its buffers, the last of which it fills, and what was counted.
fn run(entry: &'static str, threads: u32, buffers: &[Tensor], numbers: &[u32]) -> (Vec<Tensor>, Outcome) {
    let case = Case::of("tensor", entry, 1, threads);
    let case = buffers.iter().fold(case, |case, tensor| case.buffer(tensor.elem, tensor.words.clone()));
    numbers.iter().fold(case, |case, number| case.value(&number.to_le_bytes())).run()
}

/// The numbers of the last buffer afterwards; panics where something was wrong.
fn clean(entry: &'static str, threads: u32, buffers: &[Tensor], numbers: &[u32]) -> (Vec<f32>, Outcome) {
    let (buffers, outcome) = run(entry, threads, buffers, numbers);
    assert_eq!(found(&outcome), [], "{entry}");
    let words = buffers.last().map(|last| last.words.clone()).unwrap_or_default();
    (words.into_iter().map(f32::from_bits).collect(), outcome)
}

/// The kinds of the findings, and the text of their lines.
fn found(outcome: &Outcome) -> Vec<(FindingKind, &'static str)> {
    let line = |n: u32| SOURCE.lines().nth(n as usize - 1).unwrap_or_default().trim();
    outcome.trace.findings.iter().map(|f| (f.kind, line(f.line))).collect()
}

fn words_of(halves: impl Iterator<Item = u16>) -> Vec<u32> {
    let halves: Vec<u16> = halves.collect();
    halves.chunks(2).map(|two| u32::from(two[0]) | u32::from(*two.get(1).unwrap_or(&0)) << 16).collect()
}

fn f16s(values: &[f32]) -> Tensor {
    Tensor { elem: Elem::F16, words: words_of(values.iter().map(|v| f16::from_f32(*v).to_bits())) }
}

fn bf16s(values: &[f32]) -> Tensor {
    Tensor { elem: Elem::Bf16, words: words_of(values.iter().map(|v| bf16::from_f32(*v).to_bits())) }
}

/// The product of row-major matrices, on top of `c`.
fn product([m, n, k]: [usize; 3], a: &[f32], b: &[f32], c: &[f32]) -> Vec<f32> {
    let at =
        |row: usize, column: usize| (0..k).fold(c[row * n + column], |sum, i| sum + a[row * k + i] * b[i * n + column]);
    (0..m * n).map(|i| at(i / n, i % n)).collect()
}

fn transposed(rows: usize, values: &[f32]) -> Vec<f32> {
    let columns = values.len() / rows;
    (0..values.len()).map(|i| values[i % rows * columns + i / rows]).collect()
}

#[test]
fn products_of_fragments() {
    let (a, b, c) = (whole(256, 1), whole(128, 2), whole(128, 3));
    let wanted = product([16, 8, 16], &a, &b, &c);
    let none = floats_of(&[0.0; 128]);
    assert_eq!(clean("mma_bf16", 32, &[bf16s(&a), bf16s(&b), floats_of(&c), none.clone()], &[]).0, wanted);
    assert_eq!(clean("mma_f16", 32, &[f16s(&a), f16s(&b), floats_of(&c), none.clone()], &[]).0, wanted);
    let wanted = product([16, 8, 16], &a, &b, &[0.0; 128]);
    assert_eq!(clean("mma_f16_sums", 32, &[f16s(&a), f16s(&b), none.clone()], &[]).0, wanted);
    let wanted = product([16, 8, 8], &a[..128], &b[..64], &[0.0; 128]);
    // The last bits of a factor count for nothing.
    let longer: Vec<f32> = a[..128].iter().map(|x| f32::from_bits(x.to_bits() | 0x1FFF)).collect();
    let longer: Vec<f32> = longer.iter().zip(&a).map(|(long, x)| if *x == 0.0 { 0.0 } else { *long }).collect();
    assert_eq!(clean("mma_tf32", 32, &[floats_of(&longer), floats_of(&b[..64]), none], &[]).0, wanted);
}

#[test]
fn products_of_bytes() {
    let (a, b) = (whole(512, 4), whole(256, 5));
    let b: Vec<f32> = b.iter().map(|x| (x + 7.0) * 17.0).collect();
    let bytes = |values: &[f32]| {
        let bytes: Vec<u8> = values.iter().map(|v| (*v as i32).to_le_bytes()[0]).collect();
        let words = bytes.chunks(4).map(|four| four.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        Tensor { elem: Elem::U32, words: words.collect() }
    };
    let none = Tensor { elem: Elem::I32, words: vec![0; 128] };
    let (buffers, outcome) = run("mma_bytes", 32, &[bytes(&a), bytes(&b), none], &[]);
    assert_eq!(found(&outcome), []);
    let got: Vec<i32> = buffers[2].words.iter().map(|w| w.cast_signed()).collect();
    let wanted: Vec<i32> = product([16, 8, 32], &a, &b, &[0.0; 128]).into_iter().map(|v| v as i32).collect();
    assert_eq!(got, wanted);
}

#[test]
fn sums_are_rounded_as_it_says() {
    // In f32, 2^24 + 1 rounds to 2^24 at each step; the sum of all would be 2^24 + 16.
    let mut a = vec![1.0; 256];
    let c = vec![16_777_216.0; 128];
    let none = floats_of(&[0.0; 128]);
    let b = vec![1.0; 128];
    let all = |a: &[f32]| clean("mma_f16", 32, &[f16s(a), f16s(&b), floats_of(&c), none.clone()], &[]).0;
    assert_eq!(all(&a), vec![16_777_216.0; 128]);
    a.fill(2.0);
    assert_eq!(all(&a), vec![16_777_248.0; 128]);
}

#[test]
fn matrices_through_registers() {
    let values: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let none = f16s(&[0.0; 256]);
    let (buffers, outcome) = run("through_registers", 32, &[f16s(&values), none], &[]);
    assert_eq!(found(&outcome), []);
    // Turned within each 8 x 8 by each of three instructions.
    let turned = |i: usize| {
        let (row, column) = (i / 16, i % 16);
        (row / 8 * 8 + column % 8) * 16 + column / 8 * 8 + row % 8
    };
    let wanted: Vec<f32> = (0..256).map(|i| values[turned(i)]).collect();
    assert_eq!(buffers[1].words, f16s(&wanted).words);
    // Four passes for four matrices, of rows in different banks; the stores one for each.
    let shared = &outcome.trace.shared;
    let (words, lines) = (8, 1);
    assert_eq!((shared.load.requests, shared.load.wavefronts), (words + lines, words + 4));
    assert_eq!((shared.store.requests, shared.store.wavefronts), (words + 3, words + 4));
}

#[test]
fn fragments_of_wmma() {
    let (a, b) = (whole(256, 6), whole(256, 7));
    let none = floats_of(&[0.0; 256]);
    // A is doubled, each sum begins at 1, and is halved.
    let half = |sums: Vec<f32>| -> Vec<f32> { sums.into_iter().map(|s| s + 0.5).collect() };
    let wanted = half(product([16, 16, 16], &a, &b, &[0.0; 256]));
    let (got, outcome) = clean("wmma_rows", 32, &[f16s(&a), f16s(&b), none.clone()], &[]);
    assert_eq!(got, wanted);
    // Four loads for each factor and four stores, of eight sectors each, as H100s do it.
    let global = &outcome.trace.global;
    assert_eq!((global.load.requests, global.load.sectors), (8, 64));
    assert_eq!((global.store.requests, global.store.sectors), (4, 32));
    let (got, outcome) = clean("wmma_shared", 32, &[f16s(&a), f16s(&b), none.clone()], &[]);
    assert_eq!(got, wanted);
    // One `ldmatrix` for each factor, and eight loads of two rows of sums, which share four banks.
    assert_eq!((outcome.trace.shared.load.requests, outcome.trace.shared.load.wavefronts), (10, 8 + 2 * 8));
    let down = [transposed(16, &a), transposed(16, &b)];
    let (got, _) = clean("wmma_columns", 32, &[f16s(&down[0]), f16s(&down[1]), none.clone()], &[]);
    assert_eq!(transposed(16, &got), wanted);
    let (a, b) = (whole(512, 8), whole(128, 9));
    let (got, _) = clean("wmma_tall", 32, &[bf16s(&a), bf16s(&transposed(16, &b)), none.clone()], &[]);
    assert_eq!(got, half(product([32, 8, 16], &a, &b, &[0.0; 256])));
    let (a, b) = (&a[..128], &b[..128]);
    let (got, _) = clean("wmma_tf32", 32, &[floats_of(a), floats_of(b), none], &[]);
    assert_eq!(got, product([16, 16, 8], a, b, &[0.0; 256]));
}

#[test]
fn a_product_needs_the_whole_warp() {
    let (a, b) = (whole(256, 6), whole(256, 7));
    let (_, outcome) = run("mma_bf16", 24, &[bf16s(&a), bf16s(&b), floats_of(&a), floats_of(&[0.0; 128])], &[]);
    assert_eq!(found(&outcome)[0].0, FindingKind::InactiveLane);
}

#[test]
fn copies_land_when_they_are_waited_for() {
    let (n, blocks) = (1000_usize, 9_usize);
    let values = whole(n, 10);
    let none = floats_of(&[0.0; 128]);
    let (got, outcome) = clean("ring_of_copies", 128, &[floats_of(&values), none], &[1000, 9]);
    let at = |i: usize| values.get(i).copied().unwrap_or(0.0);
    let wanted: Vec<f32> = (0..128).map(|lane| (0..blocks).map(|block| at(block * 128 + 127 - lane)).sum()).collect();
    assert_eq!(got, wanted);
    // A request of 16 sectors for each block, of which the last has less, and one beyond it nothing.
    assert_eq!((outcome.trace.global.load.requests, outcome.trace.global.load.sectors), (8, 125));
    // Each of nine blocks is stored by a warp, 16 bytes a lane.
    assert_eq!((outcome.trace.shared.store.requests, outcome.trace.shared.store.wavefronts), (9, 36));
}

#[test]
fn copies_of_each_size() {
    let values = whole(96, 11);
    let (got, _) = clean("sizes_of_copies", 32, &[floats_of(&values), floats_of(&[0.0; 96])], &[]);
    let wanted: Vec<f32> = (0..96).map(|i| if i >= 64 && i % 4 >= 2 { 0.0 } else { values[i] }).collect();
    assert_eq!(got, wanted);
}

#[test]
fn a_copy_is_read_too_early() {
    let values = whole(256, 12);
    let buffers = [floats_of(&values), floats_of(&[0.0; 32])];
    let (_, outcome) = run("early_read", 32, &buffers, &[]);
    assert_eq!(found(&outcome), [(FindingKind::EarlyRead, "out[threadIdx.x] = place[threadIdx.x];  // too early")]);
    let message = &outcome.trace.findings[0].message;
    assert!(message.contains("`place`") && message.contains("has not been waited for"), "{message}");
    let (_, outcome) = run("others_copies", 32, &buffers, &[]);
    assert_eq!(found(&outcome), [(FindingKind::Race, "out[threadIdx.x] = place[127 - threadIdx.x];  // no barrier")]);
    let (_, outcome) = run("refilled", 32, &buffers, &[]);
    let kinds: Vec<FindingKind> = found(&outcome).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(kinds, [FindingKind::Race]);
}
