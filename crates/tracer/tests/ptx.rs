//! Kernels in CUDA, compiled to PTX, traced and compared with what they should compute.

mod common;

use common::{Case, close, floats, ints, random, randoms};
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::Argument;
use warpbook_tracer::simt::Outcome;
use warpbook_tracer::trace::FindingKind;

#[test]
fn a_block_sums() {
    for n in [1, 255, 1000] {
        let a = random(n);
        let case = Case::of("basic", "sum", 2, 256).floats(&a).floats(&[0.0; 2]).int(i32::try_from(n).unwrap_or(0));
        let (buffers, _) = case.clean();
        let total: f64 = floats(&buffers[1]).into_iter().map(f64::from).sum();
        close(&[total as f32], [a.iter().map(|x| f64::from(*x)).sum::<f64>()]);
    }
}

#[test]
fn an_index_of_64_bits() {
    let (x, y) = (random(1000), random(1000));
    let case = Case::of("basic", "saxpy", 8, 128).int(1000).float(1.5).floats(&x).floats(&y);
    let (buffers, outcome) = case.clean();
    close(&floats(&buffers[1]), x.iter().zip(&y).map(|(x, y)| 1.5 * f64::from(*x) + f64::from(*y)));
    // 32 warps, of which the last has 8 lanes with an element: each access of a whole warp takes 4 sectors.
    assert_eq!(outcome.trace.global.load.requests, 64);
    assert_eq!(outcome.trace.global.load.sectors, 2 * (31 * 4 + 1));
}

#[test]
fn lanes_leave_a_loop_at_different_times() {
    let values: Vec<i32> = (1..=100).collect();
    let case = Case::of("basic", "collatz", 4, 32).ints(&values).ints(&[0; 100]).int(100);
    let (buffers, outcome) = case.clean();
    let steps = |mut x: i32| {
        let mut count = 0;
        while x != 1 {
            x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
            count += 1;
        }
        count
    };
    assert_eq!(ints(&buffers[1]), values.iter().map(|x| steps(*x)).collect::<Vec<_>>());
    // The lanes meet again after the loop: a store per warp.
    assert_eq!(outcome.trace.global.store.requests, 4);
}

#[test]
fn a_tile_is_turned() {
    let (width, height) = (70, 45);
    let a = random(width * height);
    let mut case = Case::of("basic", "transpose", 3, 32).floats(&a).floats(&vec![0.0; width * height]);
    (case.grid, case.block) = ([3, 2, 1], [32, 8, 1]);
    let (buffers, outcome) = case.int(70).int(45).clean();
    let got = floats(&buffers[1]);
    for (i, value) in got.iter().enumerate() {
        assert_eq!(*value, a[(i % height) * width + i / height], "{i}");
    }
    assert_eq!(
        outcome.trace.shared.load.wavefronts, outcome.trace.shared.load.requests,
        "a padded tile has no conflict"
    );
}

#[test]
fn tiles_are_multiplied() {
    let n = 48;
    let (a, b) = (random(n * n), random(n * n));
    let mut case = Case::of("basic", "matmul", 3, 16).floats(&a).floats(&b).floats(&vec![0.0; n * n]).int(48);
    (case.grid, case.block) = ([3, 3, 1], [16, 16, 1]);
    let (buffers, _) = case.clean();
    let wanted = (0..n * n).map(|i| (0..n).map(|k| f64::from(a[i / n * n + k]) * f64::from(b[k * n + i % n])).sum());
    close(&floats(&buffers[2]), wanted.collect::<Vec<f64>>());
}

#[test]
fn lanes_exchange() {
    let columns = 100;
    let a: Vec<f32> = random(3 * columns).into_iter().map(|x| x * 5.0).collect();
    let case = Case::of("basic", "row_shares", 3, 32).floats(&a).floats(&vec![0.0; 3 * columns]).int(100);
    let (buffers, _) = case.clean();
    let exps: Vec<f64> = a.iter().map(|x| f64::from(*x).exp()).collect();
    let wanted = (0..a.len()).map(|i| exps[i] / exps[i / columns * columns..][..columns].iter().sum::<f64>());
    close(&floats(&buffers[1]), wanted.collect::<Vec<f64>>());
    let values = randoms(200, 50);
    let (buffers, _) = Case::of("basic", "scan", 1, 256).ints(&values).ints(&[0; 200]).int(200).clean();
    let mut sum = 0;
    let wanted: Vec<i32> = values
        .iter()
        .map(|v| {
            sum += v;
            sum
        })
        .collect();
    assert_eq!(ints(&buffers[1]), wanted);
    let (buffers, _) = Case::of("basic", "compact", 2, 128).ints(&values).ints(&[0; 256]).ints(&[0]).int(200).run();
    let kept = values.iter().filter(|v| **v > 0).count();
    assert_eq!(ints(&buffers[2]), [i32::try_from(kept).unwrap_or(0)]);
    let mut got = ints(&buffers[1])[..kept].to_vec();
    let mut wanted: Vec<i32> = values.iter().copied().filter(|v| *v > 0).collect();
    got.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(got, wanted);
}

#[test]
fn bytes_are_counted() {
    let text: Vec<u8> = (0..1000_u32).map(|i| (i * i % 251) as u8).collect();
    let words = text.chunks(4).map(|c| c.iter().rev().fold(0, |w, b| w << 8 | u32::from(*b))).collect();
    let case =
        Case::of("basic", "histogram", 3, 128).buffer(Elem::U32, words).buffer(Elem::U32, vec![0; 256]).int(1000);
    let (buffers, _) = case.clean();
    let mut wanted = vec![0_u32; 256];
    text.iter().for_each(|b| wanted[usize::from(*b)] += 1);
    assert_eq!(buffers[1].words, wanted);
}

#[test]
fn values_of_64_bits() {
    let a = random(100);
    let (buffers, _) = Case::of("basic", "doubles", 1, 128).floats(&a).floats(&[0.0; 100]).int(100).clean();
    let wanted = a.iter().map(|x| (f64::from(*x).powi(2) + 2.0).sqrt() / 3.0 - f64::from(*x).abs());
    close(&floats(&buffers[1]), wanted.collect::<Vec<f64>>());
    let keys = randoms(100, i32::MAX);
    let (buffers, _) = Case::of("basic", "hashes", 1, 128).ints(&keys).ints(&[0; 100]).int(100).clean();
    let hash = |key: &i32| {
        let h = key
            .to_le_bytes()
            .iter()
            .fold(14_695_981_039_346_656_037_u64, |h, byte| (h ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211));
        ((h >> 32) as u32 ^ h as u32).cast_signed()
    };
    assert_eq!(ints(&buffers[1]), keys.iter().map(hash).collect::<Vec<_>>());
}

#[test]
fn cases_and_nested_loops() {
    let values: Vec<i32> = (-60..60).collect();
    let (buffers, _) = Case::of("basic", "kinds", 2, 64).ints(&values).ints(&[0; 120]).int(120).clean();
    let kind = |x: i32| match x & 7 {
        0 => x + 1,
        1 => x * 3,
        2 => -x ^ 0x55,
        3 => x ^ 0x55,
        5 => x / 7,
        6 => x % 11,
        _ => 42,
    };
    let wanted: Vec<i32> = values.iter().map(|x| if x & 7 == 2 { x ^ 0x55 } else { kind(*x) }).collect();
    assert_eq!(ints(&buffers[1]), wanted);
    let (buffers, _) = Case::of("basic", "nested", 2, 64).ints(&values).ints(&[0; 120]).int(120).clean();
    let nested = |x: i32| {
        let (limit, mut total) = (x & 15, 0);
        for a in 0..limit {
            if a == 3 {
                continue;
            }
            for b in 0..10 {
                if b * a > limit {
                    break;
                }
                if (a + b) % 5 == 4 {
                    return total;
                }
                total += a * b + 1;
            }
            total += 100;
        }
        total
    };
    assert_eq!(ints(&buffers[1]), values.iter().map(|x| nested(*x)).collect::<Vec<_>>());
}

#[test]
fn halves() {
    use half::{bf16, f16};
    let a: Vec<f16> = random(64).into_iter().map(f16::from_f32).collect();
    let b: Vec<f16> = random(64).into_iter().rev().map(f16::from_f32).collect();
    let words = |v: &[f16]| v.chunks(2).map(|p| u32::from(p[0].to_bits()) | u32::from(p[1].to_bits()) << 16).collect();
    let of = |t: &Tensor| {
        t.words.iter().flat_map(|w| [*w as u16, (*w >> 16) as u16]).map(f16::from_bits).collect::<Vec<_>>()
    };
    let case = |entry, n| {
        let case = Case::of("basic", entry, 1, 64).buffer(Elem::F16, words(&a)).buffer(Elem::F16, words(&b));
        case.buffer(Elem::F16, vec![0; 32]).int(n).clean().0
    };
    let wanted: Vec<f16> = a.iter().zip(&b).map(|(a, b)| f16::from_f64(a.to_f64() * b.to_f64() + 0.5)).collect();
    assert_eq!(of(&case("halves", 64)[2]), wanted);
    let wanted: Vec<f16> = a
        .iter()
        .zip(&b)
        .map(|(a, b)| f16::from_f64(f16::from_f64(a.to_f64() * b.to_f64()).to_f64() + a.to_f64()))
        .collect();
    assert_eq!(of(&case("halves2", 32)[2]), wanted);
    let c: Vec<bf16> = random(64).into_iter().map(bf16::from_f32).collect();
    let packed = c.chunks(2).map(|p| u32::from(p[0].to_bits()) | u32::from(p[1].to_bits()) << 16).collect();
    let (buffers, _) =
        Case::of("basic", "bfloats", 1, 64).buffer(Elem::Bf16, packed).buffer(Elem::Bf16, vec![0; 32]).int(64).clean();
    let got = buffers[1].words.iter().flat_map(|w| [*w as u16, (*w >> 16) as u16]).map(bf16::from_bits);
    assert_eq!(got.collect::<Vec<_>>(), c.iter().map(|x| bf16::from_f32(x.to_f32() * 3.0)).collect::<Vec<_>>());
}

#[test]
fn memories_of_all_kinds() {
    let a = random(64);
    let mut case = Case::of("basic", "dynamic", 1, 64).floats(&a).floats(&[0.0; 64]);
    case.shared = 256;
    let (buffers, _) = case.clean();
    assert_eq!(floats(&buffers[1]), a.iter().rev().copied().collect::<Vec<_>>());
    let values = randoms(64, 100);
    let (buffers, _) = Case::of("basic", "local", 1, 64).ints(&values).ints(&[0; 64]).int(64).clean();
    let wanted: Vec<i32> = (0..64)
        .map(|i| {
            let mut seen: Vec<i32> = (0..16).collect();
            (0..16).for_each(|k| {
                seen[usize::try_from((values[i] + k) & 15).unwrap_or(0)] += values[(i + k as usize) % 64]
            });
            seen[usize::try_from(values[i] & 15).unwrap_or(0)]
        })
        .collect();
    assert_eq!(ints(&buffers[1]), wanted);
    let (buffers, outcome) = Case::of("basic", "vectors", 1, 32).floats(&a).floats(&[0.0; 64]).int(16).clean();
    let wanted: Vec<f32> = a.chunks(4).flat_map(|v| v.iter().rev().copied()).collect();
    assert_eq!(floats(&buffers[1]), wanted);
    assert_eq!(outcome.trace.global.load.sectors, 8);
}

#[test]
fn arguments_are_structs_too() {
    let a = random(32);
    let mut case = Case::of("basic", "boxed", 1, 32);
    let mut bytes = 2.0_f32.to_le_bytes().to_vec();
    bytes.extend(5_i32.to_le_bytes());
    bytes.extend(0.25_f64.to_le_bytes());
    case.arguments.push(Argument::Value(bytes));
    let (buffers, _) = case.floats(&a).floats(&[0.0; 32]).clean();
    close(&floats(&buffers[1]), (0..32).map(|i| f64::from(a[(i + 5) % 32]) * 2.0 + 0.25));
}

#[test]
fn a_modules_variables_have_their_first_values() {
    let a = random(32);
    let (buffers, outcome) = Case::of("basic", "constants", 1, 32).floats(&a).floats(&[0.0; 32]).clean();
    let weights = [0.5, 1.0, 2.0, 4.0];
    close(&floats(&buffers[1]), (0..32).map(|i| f64::from(a[i]) * weights[i % 4]));
    assert_eq!(outcome.trace.uniform.load.requests, 1, "constants are read through their own cache");
}

#[test]
fn pointers_change_places() {
    let a = random(32);
    let (buffers, _) = Case::of("basic", "swapped", 1, 32).floats(&a).floats(&[0.0; 32]).int(3).clean();
    assert_eq!(floats(&buffers[0]), a.iter().map(|x| x * 4.0).collect::<Vec<_>>());
    assert_eq!(floats(&buffers[1]), a.iter().map(|x| x * 8.0).collect::<Vec<_>>());
}

/// The kinds of findings, each with its line's text in the source.
fn found(outcome: &Outcome) -> Vec<(FindingKind, &'static str)> {
    let line = |line: u32| include_str!("ptx/basic.cu").lines().nth(line as usize - 1).unwrap_or_default().trim();
    outcome.trace.findings.iter().map(|f| (f.kind, line(f.line))).collect()
}

#[test]
fn mistakes_in_kernels_are_found_at_their_lines() {
    let floats_of = |entry| Case::of("basic", entry, 1, 64).floats(&[1.0; 64]).floats(&[0.0; 64]);
    let (_, outcome) = floats_of("racy").run();
    assert!(found(&outcome).contains(&(FindingKind::Race, "out[threadIdx.x] = shared[63 - threadIdx.x];")));
    let message = &outcome.trace.findings[0].message;
    assert!(message.contains("with no __syncthreads() between"), "{message}");
    let (_, outcome) = Case::of("basic", "unwritten", 1, 64).floats(&[0.0; 64]).run();
    assert_eq!(found(&outcome), [(FindingKind::Uninitialized, "out[threadIdx.x] = shared[63 - threadIdx.x];")]);
    let (_, outcome) = Case::of("basic", "divergent", 1, 64).floats(&[0.0; 64]).run();
    assert_eq!(found(&outcome), [(FindingKind::DivergentBarrier, "if (threadIdx.x < 32) __syncthreads();")]);
    let (_, outcome) = Case::of("basic", "misaligned", 1, 32).floats(&[1.0; 64]).floats(&[0.0; 64]).run();
    assert_eq!(found(&outcome), [(FindingKind::Misaligned, "out[threadIdx.x] = *(const float2*)(in + threadIdx.x);")]);
}

#[test]
fn one_past_an_end_is_a_finding_at_its_line() {
    let (_, outcome) = Case::of("basic", "past", 1, 32).floats(&[1.0; 32]).floats(&[0.0; 32]).run();
    let found: Vec<_> = outcome.trace.findings.iter().map(|f| (f.line, f.message.as_str())).collect();
    let line = u32::try_from(
        include_str!("ptx/basic.cu").lines().position(|l| l.contains("in[threadIdx.x - 1]")).unwrap_or(0),
    )
    .unwrap_or(0)
        + 1;
    assert!(found.iter().all(|(at, _)| *at == line), "{found:?}");
    assert!(found.iter().any(|(_, said)| said.contains("`b0`, which has 32 elements")), "{found:?}");
}
