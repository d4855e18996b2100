//! Products of matrices and vectors, attention, norms, and sparse matrices.

use half::{bf16, f16};
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, close, floats, ints, random, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/linear", entry, grid, block)
}

fn product(a: &[f32], b: &[f32], [m, n, k]: [usize; 3]) -> Vec<f64> {
    let cell = |i: usize| (0..k).map(|l| f64::from(a[i / n * k + l]) * f64::from(b[l * n + i % n])).sum();
    (0..m * n).map(cell).collect()
}

#[test]
fn products_of_matrices() {
    for (entry, [m, n, k], grid, block) in [
        ("gemm_naive", [33, 20, 17], [2, 3], [16, 16]),
        ("gemm_tiled", [33, 20, 17], [2, 3], [16, 16]),
        ("gemm_tiled", [1, 1, 1], [1, 1], [16, 16]),
        ("gemm_registers", [64, 32, 40], [1, 2], [64, 1]),
    ] {
        let (a, b) = (random(m * k), random(k * n));
        let case = of(entry, 1, 1).plane(grid, block).floats(&a).floats(&b).floats(&vec![0.0; m * n]);
        let (buffers, _) = case.int(m as i32).int(n as i32).int(k as i32).clean();
        close(&floats(&buffers[2]), product(&a, &b, [m, n, k]));
    }
    let found = of("gemm_misaligned", 1, 32).floats(&[0.0; 64]).floats(&[0.0; 64]).found();
    assert_eq!(found, [(FindingKind::Misaligned, "float4 v = *(const float4*)(a + threadIdx.x);".to_owned())]);
}

fn packed(values: &[u16]) -> Vec<u32> {
    values.chunks(2).map(|p| u32::from(p[0]) | u32::from(p[1]) << 16).collect()
}

fn unpacked(tensor: &Tensor) -> Vec<u16> {
    tensor.words.iter().flat_map(|w| [*w as u16, (*w >> 16) as u16]).collect()
}

#[test]
fn halves_and_bfloats() {
    let half = |v: &f32| f16::from_f32(*v);
    let (a, x): (Vec<f16>, Vec<f16>) =
        (random(5 * 96).iter().map(half).collect(), random(96).iter().map(half).collect());
    let bits = |v: &[f16]| packed(&v.iter().map(|h| h.to_bits()).collect::<Vec<_>>());
    let case = of("gemv_halves", 2, 128).buffer(Elem::F16, bits(&a)).buffer(Elem::F16, bits(&x)).floats(&[0.0; 5]);
    let (buffers, _) = case.int(5).int(96).clean();
    let row = |r: usize| (0..96).map(|i| f16::from_f64(a[r * 96 + i].to_f64() * x[i].to_f64()).to_f64()).sum();
    close(&floats(&buffers[2]), (0..5).map(row).collect::<Vec<f64>>());

    let b: Vec<bf16> = random(64).iter().map(|v| bf16::from_f32(*v)).collect();
    let bits = packed(&b.iter().map(|h| h.to_bits()).collect::<Vec<_>>());
    let case = of("axpy_bfloat", 1, 64).buffer(Elem::Bf16, bits.clone()).buffer(Elem::Bf16, bits);
    let (buffers, _) = case.float(1.5).int(64).clean();
    let wanted: Vec<u16> = b.iter().map(|v| bf16::from_f32(v.to_f32().mul_add(1.5, v.to_f32())).to_bits()).collect();
    assert_eq!(unpacked(&buffers[1]), wanted);
}

#[test]
fn mathematics_of_halves() {
    let a: Vec<f16> = random(32).iter().map(|v| f16::from_f32(*v)).collect();
    let bits = packed(&a.iter().map(|h| h.to_bits()).collect::<Vec<_>>());
    let case = of("half_math", 1, 32).buffer(Elem::F16, bits).buffer(Elem::F16, vec![0; 16]).int(32);
    let (buffers, _) = case.clean();
    let of = |v: f64| f16::from_f64(v);
    for (i, got) in unpacked(&buffers[1]).into_iter().enumerate() {
        let (x, y) = (a[i], a[(i + 1) % 32]);
        let z = if x < y { of(x.to_f64() + y.to_f64()) } else { of(x.to_f64() - y.to_f64()) };
        let z = if z > of(-0.25) { z } else { of(-0.25) };
        let e = of(z.to_f64().exp2());
        let low = of(z.to_f64().mul_add(z.to_f64(), 0.5));
        let high = of(e.to_f64().mul_add(e.to_f64(), 1.0));
        let greater = of(if high > of(1.0) { 1.0 } else { 0.0 });
        let wanted = of(low.to_f64() + of(high.to_f64() + greater.to_f64()).to_f64());
        let got = f16::from_bits(got);
        assert!((got.to_f64() - wanted.to_f64()).abs() <= 4e-3 * wanted.to_f64().abs(), "{i}: {got} for {wanted}");
    }
}

#[test]
fn softmax_and_layer_norm() {
    for columns in [1_usize, 100, 300] {
        let a = random(3 * columns);
        let rows: Vec<Vec<f64>> = a.chunks(columns).map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect();
        let zeros = vec![0.0; a.len()];
        let (buffers, _) = of("soft_rows", 3, 128).floats(&a).floats(&zeros).int(columns as i32).clean();
        let wanted = rows.iter().flat_map(|row| {
            let sum: f64 = row.iter().map(|x| x.exp()).sum();
            row.iter().map(move |x| x.exp() / sum)
        });
        close(&floats(&buffers[1]), wanted.collect::<Vec<_>>());
        let (gain, shift) = (random(columns), random(2 * columns)[columns..].to_vec());
        let case = of("layer_norm", 3, 64).floats(&a).floats(&gain).floats(&shift).floats(&zeros);
        let (buffers, _) = case.int(columns as i32).float(1e-2).clean();
        let count = columns as f64;
        let wanted = rows.iter().flat_map(|row| {
            let mean = row.iter().sum::<f64>() / count;
            let variance = row.iter().map(|x| x * x).sum::<f64>() / count - mean * mean;
            row.iter().map(move |x| (x - mean) / (variance + 1e-2).sqrt())
        });
        let wanted = wanted.enumerate().map(|(i, x)| x * f64::from(gain[i % columns]) + f64::from(shift[i % columns]));
        close(&floats(&buffers[3]), wanted.collect::<Vec<_>>());
    }
}

#[test]
fn attention_as_it_goes() {
    for n in [1_usize, 45, 64] {
        let all = random(3 * n * 32);
        let (q, k, v) = (&all[..n * 32], &all[n * 32..2 * n * 32], &all[2 * n * 32..]);
        let case = of("flash", n.div_ceil(4) as u32, 128).floats(q).floats(k).floats(v).floats(&vec![0.0; n * 32]);
        let (buffers, _) = case.int(n as i32).float(0.2).clean();
        let dot = |i: usize, j: usize| {
            (0..32).map(|d| f64::from(q[i * 32 + d]) * f64::from(k[j * 32 + d])).sum::<f64>() * 0.2
        };
        let mut wanted = Vec::new();
        for i in 0..n {
            let weights: Vec<f64> = (0..n).map(|j| dot(i, j).exp()).collect();
            let sum: f64 = weights.iter().sum();
            wanted.extend((0..32).map(|d| (0..n).map(|j| weights[j] * f64::from(v[j * 32 + d])).sum::<f64>() / sum));
        }
        close(&floats(&buffers[3]), wanted);
    }
}

#[test]
fn tables_and_sparse_matrices() {
    let (table, ids) = (random(10 * 40), randoms(7, 10));
    let case = of("embedding", 7, 32).ints(&ids).floats(&table).floats(&[0.0; 280]).int(7).int(40);
    let (buffers, _) = case.clean();
    let wanted: Vec<f32> = ids.iter().flat_map(|id| table[*id as usize * 40..][..40].to_vec()).collect();
    assert_eq!(floats(&buffers[2]), wanted);

    let lengths = randoms(20, 70);
    let starts: Vec<i32> = std::iter::once(0)
        .chain(lengths.iter().scan(0, |sum, n| {
            *sum += n;
            Some(*sum)
        }))
        .collect();
    let count = starts[20] as usize;
    let (columns, values, x) = (randoms(count, 50), random(count), random(50));
    let case = of("spmv", 5, 128).ints(&starts).ints(&columns).floats(&values).floats(&x).floats(&[0.0; 20]).int(20);
    let (buffers, _) = case.clean();
    let row = |r: usize| {
        (starts[r] as usize..starts[r + 1] as usize)
            .map(|i| f64::from(values[i]) * f64::from(x[columns[i] as usize]))
            .sum::<f64>()
    };
    close(&floats(&buffers[4]), (0..20).map(row).collect::<Vec<_>>());
}

#[test]
fn a_step_through_a_graph() {
    let edges = randoms(200, 50);
    let starts: Vec<i32> = (0..=50).map(|v| v * 4).collect();
    let mut levels = vec![-1; 50];
    (levels[3], levels[7]) = (0, 0);
    let case = of("bfs_step", 2, 32).ints(&starts).ints(&edges).ints(&levels).ints(&[0]).int(0).int(50);
    // Another block may change the level that a plain load looks at, which does not matter here, and is a race.
    let race = case.clone().found();
    assert!(
        race.iter().any(|(kind, line)| *kind == FindingKind::Race && line.contains("atomicCAS(&levels")),
        "{race:?}"
    );
    let (buffers, _) = case.run();
    let mut wanted = levels.clone();
    for v in [3, 7] {
        edges[v * 4..][..4].iter().for_each(|to| {
            if wanted[*to as usize] == -1 {
                wanted[*to as usize] = 1;
            }
        });
    }
    assert_eq!((ints(&buffers[2]), ints(&buffers[3])), (wanted, vec![1]));
}
