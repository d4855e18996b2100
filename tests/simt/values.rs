//! Arithmetic, conversions and built-in functions.

use super::{Result, float_lanes, lanes};

#[test]
fn integers() -> Result {
    lanes("", "let x = i32(i) - 50; out[i] = u32(x / 7 * 1000 + x % 7 + (x >> 1u) * 5 - (x << 3u));", |i| {
        let x = i.cast_signed() - 50;
        (x / 7 * 1000 + x % 7 + (x >> 1) * 5 - (x << 3)).cast_unsigned()
    })?;
    // Division by zero is the dividend, its remainder 0.
    lanes("", "let d = i % 2u; out[i] = (i / d) * 100u + i % d;", |i| i * 100)?;
    lanes("", "let d = i32(i % 2u); out[i] = u32((-7 - i32(i)) / d + (-9 % d));", |i| {
        (-7 - i.cast_signed()).cast_unsigned()
    })?;
    lanes("", "out[i] = (~i & 0xF0u) | (i ^ 3u) + u32(i > 5u && i <= 9u) * 1000u - (i >> 2u);", |i| {
        (!i & 0xF0) | ((i ^ 3) + u32::from(i > 5 && i <= 9) * 1000).wrapping_sub(i >> 2)
    })?;
    lanes(
        "",
        "out[i] = countOneBits(i) + reverseBits(i) + firstLeadingBit(i) * 3u + countTrailingZeros(i) + u32(sign(i32(i) - 3) + abs(i32(i) - 9));",
        |i| {
            let first = if i == 0 { u32::MAX } else { 31 - i.leading_zeros() };
            let x = i.cast_signed();
            i.count_ones()
                .wrapping_add(i.reverse_bits())
                .wrapping_add(first.wrapping_mul(3))
                .wrapping_add(i.trailing_zeros())
                .wrapping_add(((x - 3).signum() + (x - 9).abs()).cast_unsigned())
        },
    )?;
    lanes(
        "",
        "out[i] = extractBits(0xABCDEF12u, i % 32u, 7u) + insertBits(0u, i, 3u, 4u) + min(i, 7u) + clamp(i, 10u, 20u);",
        |i| {
            let o = i % 32;
            let count = 7.min(32 - o);
            (((0xABCD_EF12_u32 >> o) & ((1 << count) - 1)) + ((i & 15) << 3)) + i.min(7) + i.clamp(10, 20)
        },
    )
}

#[test]
fn floats() -> Result {
    float_lanes("x * 1.5 + 2.25 / x - x % 3.5", |x| x * 1.5 + 2.25 / x - x % 3.5)?;
    float_lanes("floor(x) + ceil(x) * 3.0 + round(x) * 7.0 + trunc(x) + fract(x)", |x| {
        x.floor() + x.ceil() * 3.0 + x.round_ties_even() * 7.0 + x.trunc() + (x - x.floor())
    })?;
    float_lanes("exp(x) + exp2(x * 0.5) + log(abs(x)) + log2(abs(x)) + sqrt(abs(x)) + inverseSqrt(abs(x))", |x| {
        x.exp() + (x * 0.5).exp2() + x.abs().ln() + x.abs().log2() + x.abs().sqrt() + 1.0 / x.abs().sqrt()
    })?;
    float_lanes("sin(x) + cos(x) * tan(x) + tanh(x) + atan2(x, 2.0) + pow(abs(x), 1.7)", |x| {
        x.sin() + x.cos() * x.tan() + x.tanh() + x.atan2(2.0) + x.abs().powf(1.7)
    })?;
    float_lanes("fma(x, 0.1, 3.3) + clamp(x, -2.0, 9.0) + mix(1.0, 5.0, x) + step(3.0, x) + saturate(x)", |x| {
        let mix = 1.0 * (1.0 - x) + 5.0 * x;
        x.mul_add(0.1, 3.3) + x.clamp(-2.0, 9.0) + mix + f32::from(u8::from(x >= 3.0)) + x.clamp(0.0, 1.0)
    })?;
    float_lanes("smoothstep(-10.0, 20.0, x) + sign(x) + min(x, 1.0) + max(x, -4.0) + degrees(x)", |x| {
        let t = ((x + 10.0) / (20.0 - -10.0)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t) + x.signum() + x.min(1.0) + x.max(-4.0) + x * (180.0 / std::f32::consts::PI)
    })?;
    float_lanes(
        "select(-x, x * 2.0, x > 3.0) + modf(x).fract + frexp(x).fract + f32(frexp(x).exp) + ldexp(x, 3)",
        |x| {
            let chosen = if x > 3.0 { x * 2.0 } else { -x };
            let exp = x.abs().log2().floor() + 1.0;
            chosen + (x - x.trunc()) + x / exp.exp2() + exp + x * 8.0
        },
    )
}

#[test]
fn vectors_and_matrices() -> Result {
    float_lanes("dot(vec3(x, 2.0, 3.0), vec3(1.0, x, 0.5)) + length(vec2(3.0, 4.0)) + distance(x, 1.0)", |x| {
        3.0 * 0.5 + (2.0 * x + x * 1.0) + 5.0 + (x - 1.0).abs()
    })?;
    float_lanes("cross(vec3(x, 1.0, 2.0), vec3(3.0, x, 4.0)).z + normalize(vec2(x, 0.0)).x + vec3(x).zyx.y", |x| {
        (x * x - 1.0 * 3.0) + x / (x * x).sqrt() + x
    })?;
    float_lanes("(mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0) * vec2(x, 10.0)).y", |x| 5.0 * 10.0 + 2.0 * x)?;
    float_lanes("(vec3(x, 1.0, 2.0) * mat2x3<f32>(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)).y", |x| {
        2.0 * 6.0 + (1.0 * 5.0 + x * 4.0)
    })?;
    float_lanes("(mat2x2<f32>(1.0, 2.0, 3.0, x) * mat2x2<f32>(x, 6.0, 7.0, 8.0))[0].y", |x| x * 6.0 + 2.0 * x)?;
    float_lanes(
        "determinant(mat3x3<f32>(2.0, 0.0, 1.0, x, 3.0, 0.0, 0.0, 1.0, 4.0)) + transpose(mat2x3<f32>(1.0, 2.0, 3.0, x, 5.0, 6.0))[0].y",
        |x| {
            // Columns (2,0,1), (x,3,0), (0,1,4).
            (2.0 * (3.0 * 4.0 - 0.0) - x * (0.0 * 4.0 - 1.0 * 1.0) + 0.0) + x
        },
    )?;
    lanes(
        "",
        "let v = vec3<i32>(i32(i), 4, -9); let c = v > vec3(5, 5, -10); out[i] = u32(all(c)) + u32(any(c)) * 2u + u32(v.x + v.z * -1);",
        |i| 2 + i + 9,
    )
}

#[test]
fn conversions() -> Result {
    lanes(
        "",
        "out[i] = u32(f32(i) * 1e9) + u32(-f32(i)) + u32(i32(f32(i) * -1e8)) + bitcast<u32>(f32(i)) + u32(bool(i));",
        |i| {
            let x = i as f32;
            ((x * 1e9) as u32)
                .min(4_294_967_040)
                .wrapping_add(((x * -1e8) as i32).cast_unsigned())
                .wrapping_add(x.to_bits())
                .wrapping_add(u32::from(i != 0))
        },
    )?;
    lanes(
        "",
        "out[i] = pack4x8unorm(vec4(f32(i) / 255.0, 1.0, 0.0, 2.0)) ^ pack2x16float(vec2(f32(i), -1.5));",
        |i| {
            let norm = i | 0xFF00 | 0xFF00_0000;
            let half = |x: f32| u32::from(warpbook::base::half::f32_to_f16(x));
            norm ^ (half(i as f32) | half(-1.5) << 16)
        },
    )?;
    lanes(
        "",
        "let v = unpack4x8snorm(0x7F80C000u + i); out[i] = bitcast<u32>(v.x) + u32(v.w) + u32(v.z == -1.0);",
        |i| {
            let x = f32::from(i as u8 as i8) / 127.0;
            x.to_bits() + 1 + 1
        },
    )?;
    lanes("", "out[i] = u32(dot4I8Packed(0xFF010203u, i)) + u32(unpack2x16float(0x3C00u + i * 65536u).x);", |i| {
        ((i as u8 as i8 as i32) * 3).cast_unsigned() + 1
    })
}

#[test]
fn precedence_of_moves_over_uses() -> Result {
    // Results that are written straight into variables, around other uses of these.
    lanes(
        "",
        "var a = i; var b = 2u; let t = a * b; b = a; a = t; let u = a + b; a = u; out[i] = a * 10u + b;",
        |i| (i * 2 + i) * 10 + i,
    )?;
    lanes("", "var v = vec2<u32>(i, 1u); v = v.yx + v; v = vec2(v.y, v.x * 3u); out[i] = v.x * 1000u + v.y;", |i| {
        (i + 1) * 1000 + (i + 1) * 3
    })?;
    lanes("", "var k = i; k = k * 3u + 1u; k = 5u - k * 2u; let z = k; k = k + k * 4u; out[i] = k + z;", |i| {
        let k = 5_u32.wrapping_sub((i * 3 + 1) * 2);
        k.wrapping_mul(6)
    })
}

/// Beyond an integer's range a float becomes the nearest integer that is also an f32 ("Floating Point Conversion" in
/// the specification).
#[test]
fn floats_beyond_the_integers() -> Result {
    lanes("", "out[i] = u32(3e9 + f32(i) * 1e8);", |i| ((3e9 + i as f32 * 1e8) as u32).min(4_294_967_040))?;
    lanes("", "out[i] = u32(i32(2e9 + f32(i) * 1e7));", |i| {
        ((2e9 + i as f32 * 1e7) as i32).min(2_147_483_520).cast_unsigned()
    })?;
    lanes("", "out[i] = u32(i32(f32(i) * -1e8));", |i| ((i as f32 * -1e8) as i32).cast_unsigned())
}

/// Near 1 an `atanh` computed in f32 throughout is off by more than log((1 + x) / (1 - x)) / 2 may be.
#[test]
fn atanh_near_one() -> Result {
    float_lanes("atanh(-0.9594412 - x * 0.0001)", |x| f64::from(-0.9594412 - x * 0.0001).atanh() as f32)
}
