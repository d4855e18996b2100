//! Memories of all kinds, structs, constants, templates, switches, pointers that move.

use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::trace::FindingKind;

use crate::common::{Case, close, floats, ints, random, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/memory", entry, grid, block)
}

fn doubles(tensor: &Tensor) -> Vec<f64> {
    tensor.words.chunks(2).map(|p| f64::from_bits(u64::from(p[0]) | u64::from(p[1]) << 32)).collect()
}

#[test]
fn shared_memory_in_parts() {
    let a = random(50);
    let case = || of("parts", 1, 64).floats(&a).buffer(Elem::U32, vec![0; 128]).int(50);
    let (buffers, _) = case().shared(64 * 16).clean();
    let at = |i: usize| a.get(63 - (i + 1) % 64).copied().map_or(0.0, f64::from) * 2.0;
    assert_eq!(doubles(&buffers[1]), (0..64).map(at).collect::<Vec<_>>());
    let found = case().shared(64 * 12).found();
    assert!(found.iter().any(|(kind, _)| *kind == FindingKind::OutOfBounds), "{found:?}");
    let found = of("parts_past", 1, 64).floats(&random(64)).floats(&[0.0; 64]).shared(256).found();
    assert!(
        found.contains(&(FindingKind::OutOfBounds, "s[threadIdx.x + 1] = in[threadIdx.x];".to_owned())),
        "{found:?}"
    );
}

#[test]
fn structs_in_memory() {
    // A struct of 24 bytes: three floats, a short, two bytes, a double.
    let (floats, kinds) = (random(4 * 20), randoms(20, 100));
    let mut words: Vec<u32> = Vec::new();
    let mut wanted = Vec::new();
    for i in 0..20_usize {
        let at = &floats[4 * i..4 * i + 4];
        let (flags, mass) = ([i as u8, 100 + i as u8], f64::from(at[3]).to_bits());
        let word = |kind: i32| kind.cast_unsigned() | u32::from(flags[0]) << 16 | u32::from(flags[1]) << 24;
        words.extend([
            at[0].to_bits(),
            at[1].to_bits(),
            at[2].to_bits(),
            word(kinds[i]),
            mass as u32,
            (mass >> 32) as u32,
        ]);
        let twice = (f64::from(at[3]) * 2.0).to_bits();
        let y = at[1] + kinds[i] as f32;
        let kind = i32::from(flags[i & 1]);
        wanted.push([at[0].to_bits(), y.to_bits(), at[2].to_bits(), word(kind), twice as u32, (twice >> 32) as u32]);
    }
    let case = of("structs", 1, 32).buffer(Elem::U32, words).buffer(Elem::U32, vec![0; 120]).int(20);
    let (buffers, _) = case.clean();
    wanted.reverse();
    assert_eq!(buffers[1].words, wanted.concat());
}

#[test]
fn templates_and_polynomials() {
    let a = random(32);
    let (buffers, _) = of("templates", 1, 32).floats(&a).floats(&[0.0; 32]).buffer(Elem::U32, vec![0; 64]).clean();
    let x: Vec<f64> = a.iter().map(|x| f64::from(*x)).collect();
    close(&floats(&buffers[1]), x.iter().map(|x| 1.0 - 2.0 * x + 3.0 * x * x - 4.0 * x.powi(3)));
    let wanted = x.iter().map(|x| 0.5 + 0.25 * x + 2.0 * x * x);
    doubles(&buffers[2]).iter().zip(wanted).for_each(|(got, wanted)| assert!((got - wanted).abs() < 1e-14));
}

#[test]
fn arrays_of_a_thread() {
    // A tree: the children of v are 2v + 1 and 2v + 2.
    let children: Vec<i32> =
        (0..31).flat_map(|v| [2 * v + 1, 2 * v + 2]).map(|c| if c < 31 { c } else { -1 }).collect();
    let (buffers, _) = of("stack", 1, 32).ints(&children).ints(&[0; 31]).int(31).clean();
    fn sum(v: i32) -> i32 {
        if v < 31 { v + sum(2 * v + 1) + sum(2 * v + 2) } else { 0 }
    }
    assert_eq!(ints(&buffers[1]), (0..31).map(sum).collect::<Vec<_>>());
    of("stack_past", 1, 32).ints(&[0; 32]).int(8).clean();
    let found = of("stack_past", 1, 32).ints(&[0; 32]).int(9).found();
    assert_eq!(found, [(FindingKind::OutOfBounds, "for (int i = 0; i < n; i++) own[i] = i * threadIdx.x;".to_owned())]);
}

#[test]
fn a_struct_as_an_argument_is_indexed() {
    let weights = random(12);
    let order: Vec<u8> = (0..12).map(|i| (i * 5 % 12) as u8).collect();
    let mut bytes = 7_i32.to_le_bytes().to_vec();
    weights.iter().for_each(|w| bytes.extend(w.to_le_bytes()));
    bytes.extend(&order);
    let (buffers, _) = of("argument", 1, 32).value(&bytes).floats(&[0.0; 32]).clean();
    let of = |t: usize| (0..7).map(|i| f64::from(weights[usize::from(order[(i + t) % 12])]) * i as f64).sum();
    close(&floats(&buffers[0]), (0..32).map(of).collect::<Vec<f64>>());
}

#[test]
fn variables_of_the_module() {
    let (buffers, _) = of("of_the_module", 1, 64).ints(&[0; 64]).clean();
    assert_eq!(ints(&buffers[0]), (0..64).map(|i| 5 + (i & 3) + 63 - i).collect::<Vec<_>>());
}

#[test]
fn a_switch() {
    let values: Vec<i32> = (0..60).map(|i| i % 9).collect();
    let (buffers, _) = of("cases", 1, 64).ints(&values).ints(&[-1; 60]).int(60).clean();
    let wanted = values.iter().map(|x| match x {
        0 => 10,
        1 => 3,
        2 => 8,
        3 | 4 => -1,
        5 => 80,
        6 => -6,
        _ => 99,
    });
    assert_eq!(ints(&buffers[1]), wanted.collect::<Vec<_>>());
}

#[test]
fn pointers_that_are_chosen_or_move() {
    let (a, b) = (random(32), random(64)[32..].to_vec());
    for which in 0..4 {
        let (buffers, _) = of("chosen", 1, 32).floats(&a).floats(&b).floats(&[0.0; 32]).int(which).clean();
        let from = if which & 1 == 1 { &a } else { &b };
        assert_eq!(floats(&buffers[2]), from.iter().rev().copied().collect::<Vec<_>>(), "{which}");
    }
    for rounds in 0..4_usize {
        let a = random(64);
        let (buffers, _) = of("two_buffers", 1, 64).floats(&a).floats(&[0.0; 64]).int(rounds as i32).clean();
        let wanted: Vec<f32> = (0..64).map(|t| a[(t + rounds) & 63] * (1 << rounds) as f32).collect();
        assert_eq!(floats(&buffers[1]), wanted, "{rounds}");
    }
    let a = random(100);
    let (buffers, _) = of("walks", 1, 32).floats(&a).floats(&[0.0; 32]).value(&100_i64.to_le_bytes()).clean();
    let of = |t: usize| a.iter().skip(t).step_by(32).map(|x| f64::from(*x)).sum::<f64>() + f64::from(a[99 - t]);
    close(&floats(&buffers[1]), (0..32).map(of).collect::<Vec<_>>());
}

#[test]
fn rows_by_threads_touch_many_sectors() {
    let (rows, columns) = (64_usize, 40_usize);
    let (a, x) = (random(rows * columns), random(columns));
    let case = of("matvec", 1, 64).floats(&a).floats(&x).floats(&vec![0.0; rows]).int(64).int(40);
    let (buffers, outcome) = case.clean();
    let row = |r: usize| (0..columns).map(|c| f64::from(a[r * columns + c]) * f64::from(x[c])).sum();
    close(&floats(&buffers[2]), (0..rows).map(row).collect::<Vec<f64>>());
    let load = outcome.trace.global.load;
    assert!(load.sectors > 15 * load.requests, "half of the loads touch a sector for each lane: {load:?}");
}
