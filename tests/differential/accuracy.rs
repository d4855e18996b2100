//! How exact WGSL's operations on f32 have to be: operation → what it may give.
//!
//! Each row is the one of the same name in the WGSL specification, "Accuracy of Concrete Floating Point Expressions".
//! Inherited bounds are the same expression in [`Interval`]s. Where an argument is no number or infinite, WGSL promises
//! nothing, and neither does a row.

use std::f64::consts::PI;

use super::interval::{ANYTHING, Interval, sum};

type I = Interval;

/// The type of an operation's results.
#[derive(Clone, Copy)]
pub enum Words {
    /// `f32`.
    F32,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
}

/// The results that an operation may give, component by component.
pub enum Bound {
    /// From floats.
    Floats(fn(&[I]) -> Vec<I>),
    /// From the first argument's bits.
    Bits(fn(u32) -> Vec<I>),
}

/// An operation.
pub struct Row {
    /// It in WGSL, of the floats `a`, `b`, … or the first one's bits `w`.
    pub wgsl: &'static str,
    /// The result.
    pub gives: Words,
    /// For each argument, between what it is drawn most often.
    pub from: &'static [(f32, f32)],
    /// The allowed results.
    pub bound: Bound,
}

const fn row(wgsl: &'static str, from: &'static [(f32, f32)], bound: fn(&[I]) -> Vec<I>) -> Row {
    Row { wgsl, gives: Words::F32, from, bound: Bound::Floats(bound) }
}

const fn whole(wgsl: &'static str, gives: Words, from: &'static [(f32, f32)], bound: fn(&[I]) -> Vec<I>) -> Row {
    Row { wgsl, gives, from, bound: Bound::Floats(bound) }
}

const fn unpack(wgsl: &'static str, bound: fn(u32) -> Vec<I>) -> Row {
    Row { wgsl, gives: Words::F32, from: &[(-2.0, 2.0)], bound: Bound::Bits(bound) }
}

const TEN: (f32, f32) = (-10.0, 10.0);
const UNIT: (f32, f32) = (-1.0, 1.0);
const WIDE: (f32, f32) = (-1e6, 1e6);
const ABOVE: (f32, f32) = (0.0, 1e3);

fn n(x: f64) -> I {
    I::rounded(x, x)
}

fn exp(x: I) -> I {
    x.monotone(f64::exp).ulps(3.0 + 2.0 * x.magnitude())
}

fn exp2(x: I) -> I {
    x.monotone(f64::exp2).ulps(3.0 + 2.0 * x.magnitude())
}

/// 2⁻²¹ from 0.5 to 2, 3 ULP outside.
fn logarithm(x: I, f: fn(f64) -> f64) -> I {
    let (exact, inside) = (x.monotone(f), (-21.0_f64).exp2());
    if !x.within(f64::MIN_POSITIVE, f64::MAX) {
        ANYTHING
    } else if x.within(0.5, 2.0) {
        exact.absolute(inside)
    } else if x.within(0.0, 0.5) || x.within(2.0, f64::MAX) {
        exact.ulps(3.0)
    } else {
        exact.absolute(inside).or(exact.ulps(3.0))
    }
}

fn log(x: I) -> I {
    logarithm(x, f64::ln)
}

fn inverse_sqrt(x: I) -> I {
    if x.within(f64::MIN_POSITIVE, f64::MAX) { x.monotone(|x| 1.0 / x.sqrt()).ulps(2.0) } else { ANYTHING }
}

/// Inherited from `1.0 / inverseSqrt(x)`, and 0 at 0.
fn sqrt(x: I) -> I {
    let zero = I::exactly(0.0);
    match x.zero_and_rest() {
        (true, None) => zero,
        (true, Some(rest)) => zero.or(n(1.0).over(inverse_sqrt(rest))),
        (false, _) => n(1.0).over(inverse_sqrt(x)),
    }
}

fn wave(x: I, f: fn(f64) -> f64) -> I {
    if x.within(-PI, PI) { x.monotone(f).absolute((-11.0_f64).exp2()) } else { ANYTHING }
}

fn atan2(y: I, x: I) -> I {
    let (least, most) = (f64::from(f32::MIN_POSITIVE), 126.0_f64.exp2());
    let x_fits = x.within(least, most) || x.within(-most, -least);
    let y_fits = y.within(least, f64::MAX) || y.within(f64::MIN, -least);
    if x_fits && y_fits { y.atan2(x).ulps(4096.0) } else { ANYTHING }
}

fn sinh(x: I) -> I {
    exp(x).minus(exp(x.negated())).times(n(0.5))
}

fn cosh(x: I) -> I {
    exp(x).plus(exp(x.negated())).times(n(0.5))
}

fn dot(x: &[I], y: &[I]) -> I {
    let terms: Vec<I> = x.iter().zip(y).map(|(x, y)| x.times(*y)).collect();
    sum(&terms)
}

fn length(x: &[I]) -> I {
    sqrt(dot(x, x))
}

fn minus(x: &[I], y: &[I]) -> Vec<I> {
    x.iter().zip(y).map(|(x, y)| x.minus(*y)).collect()
}

fn mix(x: I, y: I, z: I) -> I {
    x.times(n(1.0).minus(z)).plus(y.times(z))
}

fn reflect(x: &[I], y: &[I]) -> Vec<I> {
    let twice = n(2.0).times(dot(x, y));
    x.iter().zip(y).map(|(x, y)| x.minus(twice.times(*y))).collect()
}

fn refract(x: &[I], y: &[I], z: I) -> Vec<I> {
    let d = dot(y, x);
    let k = n(1.0).minus(z.times(z).times(n(1.0).minus(d.times(d))));
    if k.within(f64::MIN, -f64::MIN_POSITIVE) {
        return vec![I::exactly(0.0); x.len()];
    }
    let along = z.times(d).plus(sqrt(k));
    x.iter().zip(y).map(|(x, y)| z.times(*x).minus(along.times(*y))).collect()
}

fn smoothstep(low: I, high: I, x: I) -> I {
    let t = x.minus(low).over(high.minus(low)).max(n(0.0)).min(n(1.0));
    t.times(t).times(n(3.0).minus(n(2.0).times(t)))
}

/// Correctly rounded to f16, where subnormal numbers may become zero.
fn quantized(x: I) -> I {
    let step = |x: f64| (x.abs().log2().floor().max(-14.0) - 10.0).exp2();
    let floor = |x: f64| if x == 0.0 { x } else { (x / step(x)).floor() * step(x) };
    if !x.within(-65504.0, 65504.0) {
        return ANYTHING;
    }
    let near = x.monotone(floor).or(x.negated().monotone(floor).negated());
    if x.within(-6.104e-5, 6.104e-5) { near.or(I::exactly(0.0)) } else { near }
}

/// `floor(0.5 + scale * clamp(x, low, 1))`, correctly rounded before the floor.
fn packed(x: I, low: f64, scale: f64) -> I {
    x.max(n(low)).min(n(1.0)).times(n(scale)).plus(n(0.5)).monotone(f64::floor)
}

fn fields(w: u32, bits: u32, bound: impl Fn(u32) -> I) -> Vec<I> {
    (0..32 / bits).map(|i| bound((w >> (i * bits)) & (u32::MAX >> (32 - bits)))).collect()
}

fn signed(field: u32, bits: u32) -> f64 {
    f64::from((field << (32 - bits)).cast_signed() >> (32 - bits))
}

/// Correctly rounded where `x` is zero or normal.
fn normal(x: I, f: impl Fn(f64) -> f64) -> I {
    if x.is_one_number() { x.monotone(f) } else { ANYTHING }
}

fn exponent(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.abs().log2().floor() + 1.0 }
}

/// Correctly rounded; too large an exponent is an error, and where the result would be subnormal it may be zero.
fn ldexp(x: I, e: I) -> I {
    let e = e.monotone(f64::trunc);
    if !e.within(-1000.0, 128.0) {
        return ANYTHING;
    }
    let exact = x.times_exactly(e.monotone(f64::exp2));
    if e.within(-126.0, 128.0) { exact.absolute(0.0) } else { exact.absolute(0.0).or(I::exactly(0.0)) }
}

fn each(x: &[I], f: impl Fn(I) -> I) -> Vec<I> {
    x.iter().map(|x| f(*x)).collect()
}

/// The table.
pub const ROWS: &[Row] = &[
    row("a + b", &[WIDE, WIDE], |x| vec![x[0].plus(x[1])]),
    row("a - b", &[WIDE, WIDE], |x| vec![x[0].minus(x[1])]),
    row("a * b", &[WIDE, WIDE], |x| vec![x[0].times(x[1])]),
    row("a / b", &[WIDE, TEN], |x| vec![x[0].over(x[1])]),
    row("a % b", &[WIDE, TEN], |x| vec![x[0].minus(x[1].times(x[0].over(x[1]).monotone(f64::trunc)))]),
    row("-a", &[WIDE], |x| vec![x[0].negated()]),
    row("select(0.0, 1.0, a <= b)", &[TEN, TEN], |x| vec![x[0].at_most(x[1])]),
    row("abs(a)", &[WIDE], |x| vec![x[0].max(x[0].negated())]),
    row("acos(a)", &[UNIT], |x| {
        let square = n(1.0).minus(x[0].times(x[0]));
        vec![x[0].monotone(f64::acos).absolute(6.77e-5).or(atan2(sqrt(square), x[0]))]
    }),
    row("acosh(a)", &[(1.0, 100.0)], |x| vec![log(x[0].plus(sqrt(x[0].times(x[0]).minus(n(1.0)))))]),
    row("asin(a)", &[UNIT], |x| {
        let square = n(1.0).minus(x[0].times(x[0]));
        vec![x[0].monotone(f64::asin).absolute(6.81e-5).or(atan2(x[0], sqrt(square)))]
    }),
    row("asinh(a)", &[TEN], |x| vec![log(x[0].plus(sqrt(x[0].times(x[0]).plus(n(1.0)))))]),
    row("atan(a)", &[TEN], |x| vec![x[0].monotone(f64::atan).ulps(4096.0)]),
    row("atan2(a, b)", &[TEN, TEN], |x| vec![atan2(x[0], x[1])]),
    row("atanh(a)", &[UNIT], |x| vec![log(n(1.0).plus(x[0]).over(n(1.0).minus(x[0]))).times(n(0.5))]),
    row("ceil(a)", &[TEN], |x| vec![x[0].monotone(f64::ceil)]),
    row("clamp(a, b, c)", &[TEN, TEN, TEN], |x| {
        let middle = x[0].min(x[1]).max(x[0].max(x[1]).min(x[2]));
        vec![x[0].max(x[1]).min(x[2]).or(middle)]
    }),
    row("cos(a)", &[(-3.1, 3.1)], |x| vec![wave(x[0], f64::cos)]),
    row("cosh(a)", &[TEN], |x| vec![cosh(x[0])]),
    row("cross(vec3(a, b, c), vec3(d, e, f))", &[TEN; 6], |x| {
        let part = |i: usize, j: usize| x[i].times(x[j + 3]).minus(x[j].times(x[i + 3]));
        vec![part(1, 2), part(2, 0), part(0, 1)]
    }),
    row("degrees(a)", &[TEN], |x| vec![x[0].times(n(57.295_779_513_082_32))]),
    row("distance(a, b)", &[TEN, TEN], |x| vec![length(&[x[0].minus(x[1])])]),
    row("distance(vec2(a, b), vec2(c, d))", &[TEN; 4], |x| vec![length(&minus(&x[..2], &x[2..]))]),
    row("distance(vec4(a, b, c, 1.0), vec4(d, e, f, 2.0))", &[TEN; 6], |x| {
        vec![length(&[minus(&x[..3], &x[3..]), vec![n(-1.0)]].concat())]
    }),
    row("dot(vec2(a, b), vec2(c, d))", &[TEN; 4], |x| vec![dot(&x[..2], &x[2..])]),
    row("dot(vec3(a, b, c), vec3(d, e, f))", &[TEN; 6], |x| vec![dot(&x[..3], &x[3..])]),
    row("dot(vec4(a, b, c, 2.0), vec4(d, e, f, 3.0))", &[TEN; 6], |x| {
        vec![dot(&[&x[..3], &[n(2.0)]].concat(), &[&x[3..], &[n(3.0)]].concat())]
    }),
    row("exp(a)", &[(-80.0, 80.0)], |x| vec![exp(x[0])]),
    row("exp2(a)", &[(-120.0, 120.0)], |x| vec![exp2(x[0])]),
    row("faceForward(vec2(a, b), vec2(c, d), vec2(e, f))", &[TEN; 6], |x| {
        let d = dot(&x[4..], &x[2..4]);
        let (kept, flipped) = (x[..2].to_vec(), each(&x[..2], I::negated));
        if d.within(f64::MIN, -f64::MIN_POSITIVE) {
            kept
        } else if d.within(0.0, f64::MAX) {
            flipped
        } else {
            kept.iter().zip(flipped).map(|(k, f)| k.or(f)).collect()
        }
    }),
    row("floor(a)", &[TEN], |x| vec![x[0].monotone(f64::floor)]),
    row("fma(a, b, c)", &[WIDE, WIDE, WIDE], |x| vec![x[0].times(x[1]).plus(x[2])]),
    row("fract(a)", &[TEN], |x| vec![x[0].minus(x[0].monotone(f64::floor))]),
    row("frexp(a).fract", &[WIDE], |x| vec![normal(x[0], |x| x / exponent(x).exp2())]),
    whole("frexp(a).exp", Words::I32, &[WIDE], |x| vec![normal(x[0], exponent)]),
    row("inverseSqrt(a)", &[ABOVE], |x| vec![inverse_sqrt(x[0])]),
    row("ldexp(a, i32(b))", &[TEN, (-160.0, 140.0)], |x| vec![ldexp(x[0], x[1])]),
    row("length(a)", &[TEN], |x| vec![length(x)]),
    row("length(vec2(a, b))", &[TEN; 2], |x| vec![length(x)]),
    row("length(vec3(a, b, c))", &[TEN; 3], |x| vec![length(x)]),
    row("length(vec4(a, b, c, d))", &[TEN; 4], |x| vec![length(x)]),
    row("log(a)", &[ABOVE], |x| vec![log(x[0])]),
    row("log(abs(a) + 0.5)", &[UNIT], |x| vec![log(x[0].max(x[0].negated()).plus(n(0.5)))]),
    row("log2(a)", &[ABOVE], |x| vec![logarithm(x[0], f64::log2)]),
    row("log2(abs(a) + 0.5)", &[UNIT], |x| vec![logarithm(x[0].max(x[0].negated()).plus(n(0.5)), f64::log2)]),
    row("max(a, b)", &[TEN, TEN], |x| vec![x[0].max(x[1])]),
    row("min(a, b)", &[TEN, TEN], |x| vec![x[0].min(x[1])]),
    row("mix(a, b, c)", &[TEN, TEN, UNIT], |x| vec![mix(x[0], x[1], x[2])]),
    row("mix(vec2(a, b), vec2(c, d), vec2(e, f))", &[TEN; 6], |x| vec![mix(x[0], x[2], x[4]), mix(x[1], x[3], x[5])]),
    row("modf(a).fract", &[TEN], |x| vec![x[0].minus(x[0].monotone(f64::trunc))]),
    row("modf(a).whole", &[TEN], |x| vec![x[0].monotone(f64::trunc)]),
    row("normalize(vec2(a, b))", &[TEN; 2], |x| each(x, |y| y.over(length(x)))),
    row("normalize(vec3(a, b, c))", &[TEN; 3], |x| each(x, |y| y.over(length(x)))),
    row("normalize(vec4(a, b, c, d))", &[TEN; 4], |x| each(x, |y| y.over(length(x)))),
    whole("unpack4xI8(pack4x8snorm(vec4(a, b, c, d)))", Words::I32, &[UNIT; 4], |x| {
        each(x, |x| packed(x, -1.0, 127.0))
    }),
    whole("unpack4xU8(pack4x8unorm(vec4(a, b, c, d)))", Words::U32, &[UNIT; 4], |x| each(x, |x| packed(x, 0.0, 255.0))),
    whole("(vec2<i32>(i32(pack2x16snorm(vec2(a, b)))) << vec2(16u, 0u)) >> vec2(16u)", Words::I32, &[UNIT; 2], |x| {
        each(x, |x| packed(x, -1.0, 32767.0))
    }),
    whole("(vec2<u32>(pack2x16unorm(vec2(a, b))) << vec2(16u, 0u)) >> vec2(16u)", Words::U32, &[UNIT; 2], |x| {
        each(x, |x| packed(x, 0.0, 65535.0))
    }),
    row("unpack2x16float(pack2x16float(vec2(a, b)))", &[TEN; 2], |x| each(x, quantized)),
    row("pow(a, b)", &[(0.0, 10.0), TEN], |x| vec![exp2(x[1].times(logarithm(x[0], f64::log2)))]),
    row("quantizeToF16(a)", &[TEN], |x| vec![quantized(x[0])]),
    row("radians(a)", &[(-360.0, 360.0)], |x| vec![x[0].times(n(0.017_453_292_519_943_295))]),
    row("reflect(vec2(a, b), vec2(c, d))", &[TEN, TEN, UNIT, UNIT], |x| reflect(&x[..2], &x[2..])),
    row("reflect(vec3(a, b, c), vec3(d, e, f))", &[TEN; 6], |x| reflect(&x[..3], &x[3..])),
    row("refract(vec2(a, b), vec2(c, d), e)", &[UNIT, UNIT, UNIT, UNIT, (0.0, 2.0)], |x| {
        refract(&x[..2], &x[2..4], x[4])
    }),
    row("round(a)", &[TEN], |x| vec![x[0].monotone(f64::round_ties_even)]),
    row("saturate(a)", &[UNIT], |x| vec![x[0].max(n(0.0)).min(n(1.0))]),
    row("sign(a)", &[TEN], |x| vec![x[0].monotone(|x| if x == 0.0 { 0.0 } else { x.signum() })]),
    row("sin(a)", &[(-3.1, 3.1)], |x| vec![wave(x[0], f64::sin)]),
    row("sinh(a)", &[TEN], |x| vec![sinh(x[0])]),
    row("smoothstep(a, b, c)", &[(-2.0, 0.0), (0.0, 2.0), (-2.0, 2.0)], |x| vec![smoothstep(x[0], x[1], x[2])]),
    row("sqrt(a)", &[ABOVE], |x| vec![sqrt(x[0])]),
    row("step(a, b)", &[TEN, TEN], |x| vec![x[0].at_most(x[1])]),
    row("tan(a)", &[(-1.6, 1.6)], |x| vec![wave(x[0], f64::sin).over(wave(x[0], f64::cos))]),
    row("tanh(a)", &[TEN], |x| vec![x[0].monotone(f64::tanh).absolute(1e-5).or(sinh(x[0]).over(cosh(x[0])))]),
    row("trunc(a)", &[TEN], |x| vec![x[0].monotone(f64::trunc)]),
    unpack("unpack4x8snorm(w)", |w| fields(w, 8, |x| I::exactly((signed(x, 8) / 127.0).max(-1.0)).ulps(3.0))),
    unpack("unpack4x8unorm(w)", |w| fields(w, 8, |x| I::exactly(f64::from(x) / 255.0).ulps(3.0))),
    unpack("unpack2x16snorm(w)", |w| fields(w, 16, |x| I::exactly((signed(x, 16) / 32767.0).max(-1.0)).ulps(3.0))),
    unpack("unpack2x16unorm(w)", |w| fields(w, 16, |x| I::exactly(f64::from(x) / 65535.0).ulps(3.0))),
    // Conversions: "Floating Point Conversion" of the same specification. Beyond the target's range they give the nearest integer
    // that is also an f32.
    whole("i32(a)", Words::I32, &[WIDE], |x| {
        vec![x[0].monotone(|x| x.trunc().clamp(-2_147_483_648.0, 2_147_483_520.0))]
    }),
    whole("u32(a)", Words::U32, &[WIDE], |x| vec![x[0].monotone(|x| x.trunc().clamp(0.0, 4_294_967_040.0))]),
    unpack("f32(w)", |w| vec![n(f64::from(w))]),
    unpack("f32(bitcast<i32>(w))", |w| vec![n(f64::from(w.cast_signed()))]),
];
