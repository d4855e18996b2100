//! Single numbers: what the processor has no instruction for, or Rust no function.

/// Bits of a field of `count` bits from `offset` that lie within the word.
fn clip(offset: u32, count: u32) -> u32 {
    count.min(32 - offset.min(32))
}

/// The field of `count` bits of `e` from `offset` on, as WGSL's `extractBits` for unsigned values.
pub fn extract(e: u32, offset: u32, count: u32) -> u32 {
    let count = clip(offset, count);
    if count == 0 { 0 } else { (e >> offset) & (u32::MAX >> (32 - count)) }
}

/// A field that [`extract`] gave, as a signed number.
pub fn sign_extend(bits: u32, offset: u32, count: u32) -> u32 {
    let count = clip(offset, count);
    if count == 0 { 0 } else { ((bits << (32 - count)).cast_signed() >> (32 - count)).cast_unsigned() }
}

/// Ones at `count` bits from `offset` on.
pub fn field_mask(offset: u32, count: u32) -> u32 {
    extract(u32::MAX, 0, clip(offset, count)).checked_shl(offset).unwrap_or(0)
}

/// A rounding that is not to the nearest.
#[derive(Clone, Copy, PartialEq)]
pub enum Direction {
    Down,
    Up,
    Zero,
}

/// x·y + z, rounded once in a direction.
pub fn fma_directed(x: f32, y: f32, z: f32, direction: Direction) -> f32 {
    let nearest = fma(x, y, z);
    if nearest.is_nan() || ![x, y, z].iter().all(|value| value.is_finite()) {
        return nearest;
    }
    if nearest.is_infinite() {
        let is_away = direction == if nearest > 0.0 { Direction::Up } else { Direction::Down };
        return if is_away { nearest } else { f32::MAX.copysign(nearest) };
    }
    // The product is exact in f64; so is the sum together with what its rounding lost (Knuth's two-sum).
    let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
    let sum = product + z;
    let part = sum - product;
    let lost = (product - (sum - part)) + (z - part);
    let over = (f64::from(nearest) - sum) - lost;
    match direction {
        Direction::Down if over > 0.0 => nearest.next_down(),
        Direction::Up if over < 0.0 => nearest.next_up(),
        Direction::Zero if over > 0.0 && nearest > 0.0 => nearest.next_down(),
        Direction::Zero if over < 0.0 && nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// The bits of a NaN, as PTX gives it.
pub const NAN: u32 = 0x7FFF_FFFF;

/// PTX's `bfe.u32`: `count` bits from `offset`, of which the low bytes count.
pub fn field(e: u32, offset: u32, count: u32) -> u32 {
    let (offset, count) = (offset & 0xFF, count & 0xFF);
    let moved = e.checked_shr(offset).unwrap_or(0);
    if count >= 32 { moved } else { moved & ((1 << count) - 1) }
}

/// PTX's `bfe.s32`: the same, with the field's highest bit, or that of the word, as its sign.
pub fn signed_field(e: u32, offset: u32, count: u32) -> u32 {
    let (offset, count) = (offset & 0xFF, count & 0xFF);
    if count == 0 {
        return 0;
    }
    let sign = (e >> (offset + count - 1).min(31)) & 1;
    let filled = if sign == 1 { u64::MAX << 32 } else { 0 } | u64::from(e);
    let moved = (filled.cast_signed() >> offset.min(63)).cast_unsigned();
    let kept = if count >= 32 { u64::MAX } else { (1 << count) - 1 };
    let value = moved & kept | if sign == 1 { !kept } else { 0 };
    (value & 0xFFFF_FFFF) as u32
}

/// PTX's `prmt`: byte `n` of the result is the one of `a` and `b` that bits `4n` to `4n + 2` of the selector name; with bit `4n + 3` set, its sign.
pub fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |word, n| {
        let choice = selector >> (4 * n) & 0xF;
        let byte = (bytes >> (8 * (choice & 7)) & 0xFF) as u32;
        let byte = if choice & 8 == 0 { byte } else { (byte >> 7) * 0xFF };
        word | byte << (8 * n)
    })
}

/// The products of four bytes each, read as numbers by `number`, added up.
pub fn dot4(x: u32, y: u32, number: impl Fn(u8) -> i32) -> u32 {
    let products = x.to_le_bytes().into_iter().zip(y.to_le_bytes()).map(|(x, y)| number(x) * number(y));
    products.sum::<i32>().cast_unsigned()
}

/// `x` clamped to [0, 1]; a NaN becomes 0.
#[expect(clippy::manual_clamp, reason = "clamp would keep a NaN")]
pub fn saturate(x: f32) -> f32 {
    x.max(0.0).min(1.0)
}

/// WGSL's `smoothstep`: Hermite interpolation.
pub fn smoothstep(low: f32, high: f32, x: f32) -> f32 {
    let t = saturate((x - low) / (high - low));
    t * t * (3.0 - 2.0 * t)
}

/// The correctly rounded fused multiply-add, in f64 with the sum rounded to odd so that the second rounding is exact
/// (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums").
pub fn fma(x: f32, y: f32, z: f32) -> f32 {
    // A product of two f32 is exact in f64.
    let (product, z) = (f64::from(x) * f64::from(y), f64::from(z));
    let sum = product + z;
    let bb = sum - product;
    let error = (product - (sum - bb)) + (z - bb);
    let bits = sum.to_bits();
    let inexact = error != 0.0 && sum.is_finite() && bits & 1 == 0;
    // Towards the exact sum: away from zero where the error has the sum's sign.
    let odd = if (error > 0.0) == (sum > 0.0) { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    f64::from_bits(if inexact { odd } else { bits }) as f32
}

/// The fraction in [0.5, 1) and the exponent that `x` is made of.
pub fn frexp(x: f32) -> (f32, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    // Subnormals gain an exponent first.
    let (x, shift) = if x.abs() < f32::MIN_POSITIVE { (x * 16_777_216.0, -24) } else { (x, 0) };
    let bits = x.to_bits();
    let exponent = ((bits >> 23) & 0xFF).cast_signed() - 126;
    (f32::from_bits((bits & 0x807F_FFFF) | (126 << 23)), exponent + shift)
}

/// `x` times two to the power `exponent`.
pub fn ldexp(x: f32, exponent: i32) -> f32 {
    // In f64 the product is exact, so that it rounds once; beyond these exponents the result is 0 or infinite anyway.
    (f64::from(x) * 2.0_f64.powi(exponent.clamp(-400, 400))) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpbook_base::rng;

    #[test]
    fn fused_multiply_add_rounds_once() {
        for i in 0..200_000 {
            // Random bits, with products near the addend in half of the cases.
            let [x, y] = [0, 1].map(|k| f32::from_bits(rng::word(k, i) & 0xBFFF_FFFF));
            let z = if i % 2 == 0 {
                f32::from_bits(rng::word(2, i))
            } else {
                -(x * y) * (1.0 + f32::EPSILON * (i % 9) as f32)
            };
            let (got, expected) = (fma(x, y, z), x.mul_add(y, z));
            assert!(got.to_bits() == expected.to_bits() || got.is_nan() && expected.is_nan(), "{x:e} {y:e} {z:e}");
        }
    }

    #[test]
    fn fields() {
        assert_eq!(extract(0xABCD_1234, 8, 8), 0x12);
        assert_eq!(sign_extend(extract(0x0000_8000, 8, 8), 8, 8), 0xFFFF_FF80);
        assert_eq!(extract(u32::MAX, 40, 8), 0);
        assert_eq!(field_mask(8, 4), 0xF00);
        assert_eq!(field_mask(30, 9), 0xC000_0000);
        assert_eq!(field_mask(32, 9), 0);
    }

    #[test]
    fn exponents() {
        assert_eq!(frexp(6.0), (0.75, 3));
        for x in [-1e-40, 1.0, -0.3, 1e38, f32::MIN_POSITIVE, f32::from_bits(1)] {
            let (fract, exponent) = frexp(x);
            assert!((0.5..1.0).contains(&fract.abs()));
            assert_eq!(ldexp(fract, exponent), x);
        }
        assert_eq!(ldexp(0.75, 3), 6.0);
        assert_eq!(ldexp(1.0, -140), f32::from_bits(1 << 9));
    }
}
