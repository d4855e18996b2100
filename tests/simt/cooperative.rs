//! Cooperative matrices: products by hand, where they are loaded from, what is counted, and what is wrong or refused.

use super::provenance::{ask, sources};
use super::{Result, compile, floats, run_with, width, words};
use warpbook::base::half::f32_to_f16;
use warpbook::base::tensor::{Elem, Tensor};
use warpbook::trace::provenance::Role;
use warpbook::trace::{FindingKind, Trace};

/// Small whole numbers, all different enough to tell places apart; their products are exact in `f32`, and some sums are
/// not in `f16`.
fn number(matrix: u32, row: u32, column: u32) -> f32 {
    ((row * 7 + column * 3 + matrix * 5) % 13) as f32 - 4.0
}

fn halves(values: &[f32]) -> Tensor {
    let pair = |p: &[f32]| p.iter().rev().fold(0, |word, x| word << 16 | u32::from(f32_to_f16(*x)));
    Tensor { elem: Elem::F16, words: values.chunks(2).map(pair).collect() }
}

/// A matrix with rows, or columns, `stride` numbers apart, from the first number on.
fn laid_out(matrix: u32, size: u32, stride: u32, row_major: bool) -> Vec<f32> {
    let at = |i: u32| {
        let (major, minor) = (i / stride, i % stride);
        let (row, column) = if row_major { (major, minor) } else { (minor, major) };
        if minor < size { number(matrix, row, column) } else { 99.0 }
    };
    (0..size * stride).map(at).collect()
}

/// `a · b + c`, row by row.
fn product(size: u32) -> Vec<f32> {
    let element = |i: u32| {
        let (row, column) = (i / size, i % size);
        (0..size).map(|k| number(0, row, k) * number(1, k, column)).sum::<f32>() + number(2, row, column)
    };
    (0..size * size).map(element).collect()
}

/// A warp that multiplies matrices of `size` from arrays of `element`, and stores the sum row by row.
fn kernel(size: u32, element: &str, load_a: &str, load_b: &str) -> String {
    format!(
        "enable f16; enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage> a: array<{element}>;
@group(0) @binding(1) var<storage> b: array<{element}>;
@group(0) @binding(2) var<storage> c: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;
alias Left = coop_mat{size}x{size}<f16, A>; alias Right = coop_mat{size}x{size}<f16, B>; alias Sum = coop_mat{size}x{size}<f32, C>;
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{
    let x = {load_a};
    let y = {load_b};
    let sum = coopMultiplyAdd(x, y, coopLoadT<Sum>(&c[0], {size}));
    coopStoreT(sum, &out[0], {size});
}}"
    )
}

fn run(source: &str, buffers: &mut [Tensor]) -> Result<Trace> {
    Ok(run_with(&compile(source, "main", &[])?, buffers, [1, 1, 1], &width(32))?.trace)
}

#[test]
fn products_of_every_size_and_layout() -> Result {
    for size in [8, 16] {
        for (element, each) in [("f16", 1), ("vec2<f16>", 2), ("vec4<f16>", 4)] {
            for by_rows in [[true, true], [true, false], [false, true], [false, false]] {
                let stride = size + 4;
                let load = |name: &str, ty: &str, by_row: bool| {
                    let t = if by_row { "T" } else { "" };
                    format!("coopLoad{t}<{ty}>(&{name}[0], {})", stride / each)
                };
                let source = kernel(size, element, &load("a", "Left", by_rows[0]), &load("b", "Right", by_rows[1]));
                let mut buffers = [
                    halves(&laid_out(0, size, stride, by_rows[0])),
                    halves(&laid_out(1, size, stride, by_rows[1])),
                    floats(&laid_out(2, size, size, true)),
                    floats(&vec![0.0; (size * size) as usize]),
                ];
                let trace = run(&source, &mut buffers)?;
                assert_eq!(buffers[3], floats(&product(size)), "{source}");
                assert_eq!(trace.findings, [], "{source}");
            }
        }
    }
    Ok(())
}

/// Buffers of a [`kernel`] on 16 × 16 matrices without gaps.
fn buffers() -> [Tensor; 4] {
    let packed = |matrix| laid_out(matrix, 16, 16, true);
    [halves(&packed(0)), halves(&packed(1)), floats(&packed(2)), floats(&[0.0; 256])]
}

const LOAD_A: &str = "coopLoadT<Left>(&a[0], 16)";
const LOAD_B: &str = "coopLoadT<Right>(&b[0], 16)";

#[test]
fn variables_arrays_functions_and_arithmetic_hold_matrices() -> Result {
    let source = kernel(16, "f16", LOAD_A, LOAD_B).replace(
        "    let sum = ",
        "    var kept: array<Sum, 2>;
    for (var k = 0u; k < 2; k++) { kept[k] = twice(coopMultiplyAdd(x, y, Sum()), kept[k]); }
    let half = 0.25 * (kept[0] + kept[1]);
    let sum = half; let unused = ",
    ) + "\nfn twice(m: Sum, n: Sum) -> Sum { return m + m - n; }";
    let mut buffers = buffers();
    run(&source, &mut buffers)?;
    let expected: Vec<f32> =
        (0..256_u32).map(|i| (0..16).map(|k| number(0, i / 16, k) * number(1, k, i % 16)).sum()).collect();
    assert_eq!(buffers[3], floats(&expected));
    Ok(())
}

#[test]
fn sums_of_halves_are_rounded() -> Result {
    let source = "enable f16; enable wgpu_cooperative_matrix;
@group(0) @binding(0) var<storage> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;
alias Sum = coop_mat16x16<f16, C>;
@compute @workgroup_size(32) fn main() {
    let sum = coopMultiplyAdd(coopLoadT<coop_mat16x16<f16, A>>(&a[0]), coopLoadT<coop_mat16x16<f16, B>>(&a[0]), Sum());
    coopStore(sum, &out[0]);
}";
    let values: Vec<f32> = (0..256).map(|i| (i % 16) as f32 + 40.0).collect();
    let mut buffers = [halves(&values), halves(&[0.0; 256])];
    run(source, &mut buffers)?;
    // Sums near 30,000 lie 16 apart; the matrix is stored column by column.
    let sum = |column: u32| (0..16).map(|k| values[k] * values[k * 16 + column as usize]).sum::<f32>();
    let expected: Vec<f32> = (0..256).map(|i| sum(i / 16)).collect();
    assert_eq!(buffers[1], halves(&expected));
    assert!((0..16).any(|column| sum(column) % 16.0 != 0.0));
    Ok(())
}

#[test]
fn a_tile_counts_as_its_bytes_do() -> Result {
    let trace = run(&kernel(16, "f16", LOAD_A, LOAD_B), &mut buffers())?;
    // Each of A and B: two requests of half a tile, 512 bytes. Each of C and the sum: two of 512 bytes each.
    let [load, store] = [trace.global.load, trace.global.store];
    assert_eq!((load.requests, load.sectors, load.bytes), (6, 16 + 16 + 16 + 16 + 32, 512 + 512 + 1024));
    assert_eq!((store.requests, store.sectors, store.bytes), (2, 32, 1024));
    // Three loads, a product and a store.
    assert_eq!(trace.warp_instructions, 5);
    Ok(())
}

#[test]
fn eight_rows_that_lie_in_different_banks_are_served_at_once() -> Result {
    for (row, conflicts) in [(4, 4), (6, 0), (8, 12)] {
        let source = format!(
            "enable f16; enable wgpu_cooperative_matrix;
var<workgroup> tile: array<vec4<f16>, 16 * {row}>;
@compute @workgroup_size(32) fn main() {{
    let unused = coopLoadT<coop_mat16x16<f16, A>>(&tile[0], {row});
}}"
        );
        let shared = run(&source, &mut [])?.shared.load;
        assert_eq!((shared.requests, shared.wavefronts, shared.conflicts), (2, 4 + conflicts, conflicts), "{row}");
    }
    Ok(())
}

#[test]
fn an_element_comes_from_a_row_and_a_column() -> Result {
    let program = compile(&kernel(16, "f16", LOAD_A, LOAD_B), "main", &[])?;
    let known = ask(&program, &buffers(), [1, 1, 1], ("out", 3 * 16 + 5), 32)?;
    assert_eq!(known.value.number(), f64::from(product(16)[3 * 16 + 5]));
    let writer = known.writer.ok_or("nobody")?;
    let mut expected: Vec<(&str, u64, Role)> = (0..16).map(|k| ("a", 3 * 16 + k, Role::Value)).collect();
    expected.extend((0..16).map(|k| ("b", k * 16 + 5, Role::Value)));
    expected.push(("c", 3 * 16 + 5, Role::Value));
    assert_eq!(sources(&writer), expected);
    Ok(())
}

#[test]
fn what_is_wrong_with_a_matrix_is_found() -> Result {
    let found = |source: &str, mut buffers: [Tensor; 4]| -> Result<Vec<FindingKind>> {
        Ok(run(source, &mut buffers)?.findings.iter().map(|f| f.kind).collect())
    };
    let whole = kernel(16, "f16", LOAD_A, LOAD_B);
    let some = whole.replace("workgroup_size(32)", "workgroup_size(16)");
    assert_eq!(found(&some, buffers())?, [FindingKind::InactiveLane]);
    // The last row ends four numbers past the buffer.
    let past = kernel(16, "f16", "coopLoadT<Left>(&a[4], 16)", LOAD_B);
    assert_eq!(found(&past, buffers())?, [FindingKind::OutOfBounds]);
    let past = kernel(16, "vec4<f16>", "coopLoadT<Left>(&a[1], 4)", "coopLoadT<Right>(&b[0], 4)");
    assert_eq!(found(&past, buffers())?, [FindingKind::OutOfBounds]);
    let [a, b, c, _] = buffers();
    assert_eq!(found(&whole, [a, b, c, words(&[0; 250])])?, [FindingKind::OutOfBounds]);
    Ok(())
}

#[test]
fn warps_of_another_width_are_refused() -> Result {
    let program = compile(&kernel(16, "f16", LOAD_A, LOAD_B), "main", &[])?;
    for other in [8, 16, 64] {
        let error = run_with(&program, &mut buffers(), [1, 1, 1], &width(other)).err().unwrap_or_default();
        assert!(error.contains("warps of 32 lanes"), "{error}");
    }
    Ok(())
}

#[test]
fn matrices_that_lie_elsewhere_are_refused() {
    let refused = |source: &str, wanted: &str| {
        let error = compile(source, "main", &[]).err().unwrap_or_default();
        assert!(error.contains(wanted), "{source}\ngave: {error}");
    };
    let local = "enable wgpu_cooperative_matrix;
@compute @workgroup_size(32) fn main() {
    var own: array<f32, 256>;
    let unused = coopLoad<coop_mat16x16<f32, A>>(&own[0], 16);
}";
    refused(local, "t.wgsl:4:18: error: a matrix that is not in an array of numbers");
    let whole = local.replace("array<f32, 256>", "f32").replace("own[0]", "own");
    refused(&whole, "a matrix that does not begin at an element of an array");
}
