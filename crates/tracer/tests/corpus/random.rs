//! Random numbers, and what is computed with them.

use warpbook_base::tensor::Elem;

use crate::common::{Case, close, floats, random, randoms};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/random", entry, grid, block)
}

fn xorshift(s: &mut u32) -> u32 {
    *s ^= *s << 13;
    *s ^= *s >> 17;
    *s ^= *s << 5;
    *s
}

#[test]
fn numbers_of_each_thread() {
    let mut states: Vec<u32> = randoms(50, i32::MAX).iter().map(|s| s.cast_unsigned() | 1).collect();
    let case = of("numbers", 1, 64).buffer(Elem::U32, states.clone()).floats(&[0.0; 50]).int(50).int(20);
    let (buffers, _) = case.clean();
    let sums: Vec<f64> =
        states.iter_mut().map(|s| (0..20).map(|_| f64::from(xorshift(s)) / 4_294_967_296.0).sum()).collect();
    assert_eq!(buffers[0].words, states);
    close(&floats(&buffers[1]), sums);
}

#[test]
fn philox() {
    let seed = 0x1234_5678_9ABC_DEF0_u64;
    let (buffers, _) = of("philox_words", 1, 32).buffer(Elem::U32, vec![0; 128]).value(&seed.to_le_bytes()).clean();
    let wanted = (0..32).flat_map(|i| {
        let (mut c, mut k) = ([i, 0, 0, 0], [seed as u32, (seed >> 32) as u32]);
        for _ in 0..10 {
            let wide = |m: u32, x: u32| (u64::from(m) * u64::from(x), m.wrapping_mul(x));
            let (a, b) = (wide(0xD251_1F53, c[0]), wide(0xCD9E_8D57, c[2]));
            c = [(b.0 >> 32) as u32 ^ c[1] ^ k[0], b.1, (a.0 >> 32) as u32 ^ c[3] ^ k[1], a.1];
            k = [k[0].wrapping_add(0x9E37_79B9), k[1].wrapping_add(0xBB67_AE85)];
        }
        c
    });
    assert_eq!(buffers[0].words, wanted.collect::<Vec<_>>());
}

#[test]
fn dropout() {
    let a = random(100);
    let seed = 99_u64;
    let case = of("dropout", 1, 128).floats(&a).floats(&[0.0; 100]).float(0.75).value(&seed.to_le_bytes()).int(100);
    let (buffers, _) = case.clean();
    let wanted = a.iter().zip(seed..).map(|(x, mut s)| {
        for _ in 0..4 {
            s = s.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        }
        let u = (s >> 40) as f64 / f64::from(1 << 24);
        if u < 0.75 { f64::from(*x) / 0.75 } else { 0.0 }
    });
    close(&floats(&buffers[1]), wanted.collect::<Vec<_>>());
}

#[test]
fn pi_by_chance() {
    let (buffers, _) = of("monte_carlo_pi", 2, 64).ints(&[0]).int(50).clean();
    let hits: u32 = (0..128_u32)
        .map(|i| {
            let mut s = i.wrapping_mul(2_654_435_761).wrapping_add(12345);
            let mut next = || (xorshift(&mut s) >> 8) as f32 / (1 << 24) as f32;
            (0..50).map(|_| (next(), next())).filter(|(x, y)| x.mul_add(*x, y * y) < 1.0).count() as u32
        })
        .sum();
    let got = buffers[0].words[0];
    assert!(got.abs_diff(hits) <= 2, "{got} for {hits}");
    assert!((f64::from(got) / 6400.0 * 4.0 - std::f64::consts::PI).abs() < 0.1);
}
