//! Functions of mathematics, exact and fast, and kernels that use them.

use warpbook_base::tensor::{Elem, Tensor};

use crate::common::{Case, floats, ints, random};

fn of(entry: &'static str, grid: u32, block: u32) -> Case {
    Case::of("corpus/science", entry, grid, block)
}

/// The error function, by its series and, far out, its continued fraction.
fn erf(x: f64) -> f64 {
    if x.abs() > 6.0 {
        return x.signum();
    }
    let (mut term, mut sum) = (x, x);
    for n in 1..200 {
        term *= -x * x / f64::from(n);
        sum += term / f64::from(2 * n + 1);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// The logarithm of the gamma function, by Stirling's series.
fn lgamma(x: f64) -> f64 {
    let shift: f64 = (0..10).map(|k| (x + f64::from(k)).ln()).sum();
    let y = x + 10.0;
    let series = 1.0 / (12.0 * y) - 1.0 / (360.0 * y.powi(3)) + 1.0 / (1260.0 * y.powi(5));
    (y - 0.5) * y.ln() - y + 0.5 * (2.0 * std::f64::consts::PI).ln() + series - shift
}

fn functions(x: f64) -> [f64; 20] {
    let a = x.abs();
    let round = |v: f64| (v.abs() + 0.5).floor().copysign(v);
    [
        (x * 10.0).sin(),
        (x * 10.0).cos(),
        x.exp(),
        (a + 0.1).ln(),
        (a + 0.1).powf(2.5),
        erf(x),
        x.tanh(),
        (x * 3.0).sin() * 2.0 + (x * 3.0).cos(),
        f64::from(x as f32 * 100.0) % 7.0,
        x.atan2(f64::from(0.3_f32)),
        x.cbrt(),
        x.hypot(2.0),
        a.ln_1p(),
        x.exp_m1(),
        {
            let y = f64::from(x as f32 * 10.0);
            round(y) + y.floor() * 100.0 + y.ceil() * 10_000.0
        },
        lgamma(a + 1.0),
        x.exp2() + (a + 0.5).log2() + 10_f64.powf(x),
        x.asin() + x.acos(),
        1.0 / (a + 0.1).sqrt() + a.sqrt(),
        0.5 * (1.0 + erf(x / 2_f64.sqrt())),
    ]
}

fn differences(file: &'static str) -> Vec<f64> {
    let a = random(100);
    let (buffers, _) = Case::of(file, "functions", 1, 128).floats(&a).floats(&[0.0; 2000]).int(100).clean();
    let mut most = vec![0.0_f64; 20];
    for (x, got) in a.iter().zip(floats(&buffers[1]).chunks(20)) {
        for ((most, got), wanted) in most.iter_mut().zip(got).zip(functions(f64::from(*x))) {
            *most = most.max((f64::from(*got) - wanted).abs() / wanted.abs().max(1.0));
        }
    }
    most
}

#[test]
fn functions_of_singles() {
    let exact = differences("corpus/science");
    assert!(exact.iter().all(|error| *error < 3e-6), "{exact:?}");
    let fast = differences("corpus/fast");
    assert!(fast.iter().all(|error| *error < 1e-3), "{fast:?}");
}

#[test]
fn functions_of_doubles() {
    let a: Vec<f64> = random(50).into_iter().map(f64::from).collect();
    let words = |v: &[f64]| v.iter().flat_map(|x| [x.to_bits() as u32, (x.to_bits() >> 32) as u32]).collect();
    let case = of("doubles", 1, 64).buffer(Elem::U32, words(&a)).buffer(Elem::U32, vec![0; 600]).int(50);
    let (buffers, _) = case.clean();
    let got: Vec<f64> = doubles(&buffers[1]);
    for (x, got) in a.iter().zip(got.chunks(6)) {
        let y = x.abs();
        let wanted = [
            (x * 10.0).sin(),
            x.exp(),
            (y + 0.1).ln(),
            (y + 0.1).powf(2.5),
            y.sqrt() / 3.0 + (x * 100.0) % 7.0,
            erf(*x),
        ];
        for (got, wanted) in got.iter().zip(wanted) {
            assert!((got - wanted).abs() <= 1e-13 * wanted.abs().max(1.0), "{x}: {got} for {wanted}");
        }
    }
}

fn doubles(tensor: &Tensor) -> Vec<f64> {
    tensor.words.chunks(2).map(|p| f64::from_bits(u64::from(p[0]) | u64::from(p[1]) << 32)).collect()
}

#[test]
fn the_rounding_that_a_function_names() {
    let a = random(32);
    let (buffers, _) = of("rounded", 1, 32).floats(&a).floats(&[0.0; 192]).clean();
    for (i, got) in floats(&buffers[1]).chunks(6).enumerate() {
        let (x, y) = (f64::from(a[i]), f64::from(a[(i + 1) % 32]));
        let n = (f64::from(a[i] * 2_147_483_000.0)).trunc();
        let (down, up) = (|v: f64| below(v), |v: f64| -below(-v));
        let zero = |v: f64| if v < 0.0 { up(v) } else { down(v) };
        let wanted = [down(x + y), up(x * y), zero(x / y), down(x.abs().sqrt()), up(x * y), zero(n)];
        assert_eq!(got, wanted, "{i}");
    }
}

/// The largest single that is not above.
fn below(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) > v { nearest.next_down() } else { nearest }
}

#[test]
fn options_and_bodies() {
    let of_range = |low: f32, high: f32, skip: usize| -> Vec<f32> {
        random(300)[skip..skip + 100].iter().map(|x| low + (high - low) * (x + 1.0) / 2.0).collect()
    };
    let (s, k, t) = (of_range(5.0, 30.0, 0), of_range(1.0, 100.0, 100), of_range(0.25, 10.0, 200));
    for file in ["corpus/science", "corpus/fast"] {
        let zeros = [0.0; 100];
        let case =
            Case::of(file, "black_scholes", 1, 128).floats(&s).floats(&k).floats(&t).floats(&zeros).floats(&zeros);
        let (buffers, _) = case.int(100).clean();
        let normal = |d: f64| 0.5 * (1.0 + erf(d / 2_f64.sqrt()));
        for i in 0..100 {
            let [s, k, t] = [s[i], k[i], t[i]].map(f64::from);
            let d1 = ((s / k).ln() + (0.02 + 0.045) * t) / (0.3 * t.sqrt());
            let d2 = d1 - 0.3 * t.sqrt();
            let call = s * normal(d1) - k * (-0.02 * t).exp() * normal(d2);
            let put = call - s + k * (-0.02 * t).exp();
            let got = [floats(&buffers[3])[i], floats(&buffers[4])[i]].map(f64::from);
            assert!(
                (got[0] - call).abs() < 2e-4 && (got[1] - put).abs() < 2e-4,
                "{file} {i}: {got:?} for {call} {put}"
            );
        }
    }
    let n = 100;
    let at = random(4 * n);
    let (buffers, _) = of("bodies", 2, 64).floats(&at).floats(&vec![0.0; 4 * n]).int(n as i32).clean();
    let wanted = (0..n).flat_map(|i| {
        let mut sum = [0.0; 4];
        for j in 0..n {
            let d: Vec<f64> = (0..3).map(|c| f64::from(at[4 * j + c]) - f64::from(at[4 * i + c])).collect();
            let r = 1.0 / (d.iter().map(|x| x * x).sum::<f64>() + 0.01).sqrt();
            (0..3).for_each(|c| sum[c] += d[c] * f64::from(at[4 * j + 3]) * r.powi(3));
        }
        sum
    });
    for (got, wanted) in floats(&buffers[1]).iter().zip(wanted) {
        assert!((f64::from(*got) - wanted).abs() < 1e-4 * wanted.abs().max(10.0), "{got} for {wanted}");
    }
}

#[test]
fn mandelbrot() {
    let (width, height, most) = (40_i32, 30_i32, 50);
    let case = of("mandelbrot", 1, 1).plane([3, 4], [16, 8]).ints(&vec![0; 1200]).int(width).int(height).int(most);
    let (buffers, _) = case.clean();
    let wanted: Vec<i32> = (0..width * height)
        .map(|i| {
            let c = [
                -2.0 + 2.5 * f64::from(i % width) / f64::from(width),
                -1.25 + 2.5 * f64::from(i / width) / f64::from(height),
            ];
            let (mut z, mut n) = ([0.0_f64; 2], 0);
            while n < most && z[0] * z[0] + z[1] * z[1] < 4.0 {
                z = [z[0] * z[0] - z[1] * z[1] + c[0], 2.0 * z[0] * z[1] + c[1]];
                n += 1;
            }
            n
        })
        .collect();
    let differ = ints(&buffers[0]).iter().zip(&wanted).filter(|(a, b)| a != b).count();
    assert!(differ < 12, "{differ} points at the set's edge differ by rounding");
}
