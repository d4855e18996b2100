//! Roundings that are not to the nearest, and conversions to narrow floats, as PTX's `cvt` has them (PTX ISA 9.0, section 9.7.9.21).

use super::numerics::Direction;
use half::{bf16, f16};

/// `nearest`, or its neighbour where that lies on the other side of the exact value; `error` is the exact value minus `nearest`, or of
/// its sign.
fn toward(nearest: f64, error: f64, direction: Direction) -> f64 {
    match direction {
        // Of what is too large for a double, the largest one is nearer to zero.
        Direction::Zero if nearest.is_infinite() => f64::MAX.copysign(nearest),
        Direction::Down if nearest == f64::INFINITY => f64::MAX,
        Direction::Up if nearest == f64::NEG_INFINITY => f64::MIN,
        Direction::Down if error < 0.0 => nearest.next_down(),
        Direction::Up if error > 0.0 => nearest.next_up(),
        Direction::Zero if error < 0.0 && nearest > 0.0 => nearest.next_down(),
        Direction::Zero if error > 0.0 && nearest < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// The sum of two doubles and what its rounding lost (Knuth's two-sum).
fn two_sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let part = sum - x;
    (sum, (x - (sum - part)) + (y - part))
}

/// x·y + z in double precision, rounded once in a direction.
pub fn fma(x: f64, y: f64, z: f64, direction: Direction) -> f64 {
    let nearest = x.mul_add(y, z);
    if ![x, y, z].iter().all(|value| value.is_finite()) {
        return nearest;
    }
    if nearest == 0.0 && (x * y != 0.0 || z != 0.0) && direction == Direction::Down {
        // The sum of a number and its opposite is -0 downward.
        return -0.0;
    }
    let product = x * y;
    let lost = x.mul_add(y, -product);
    let (sum, part) = two_sum(product, z);
    let (high, low) = two_sum(sum - nearest, lost);
    toward(nearest, high + (part + low), direction)
}

/// x / y in double precision, rounded in a direction.
pub fn divide(x: f64, y: f64, direction: Direction) -> f64 {
    let nearest = x / y;
    if !x.is_finite() || !y.is_finite() || y == 0.0 {
        return nearest;
    }
    // What is left of x has the sign of the error, times that of y.
    let left = (-nearest).mul_add(y, x);
    toward(nearest, left * y.signum(), direction)
}

/// The square root in double precision, rounded in a direction.
pub fn root(x: f64, direction: Direction) -> f64 {
    let nearest = x.sqrt();
    if !nearest.is_finite() {
        return nearest;
    }
    toward(nearest, (-nearest).mul_add(nearest, x), direction)
}

/// A double as a single, in a direction.
pub fn single(x: f64, direction: Direction) -> f32 {
    let nearest = x as f32;
    let over = f64::from(nearest) - x;
    match direction {
        _ if x.is_infinite() || x.is_nan() => nearest,
        Direction::Zero | Direction::Down if nearest == f32::INFINITY => f32::MAX,
        Direction::Zero | Direction::Up if nearest == f32::NEG_INFINITY => f32::MIN,
        Direction::Up if over < 0.0 => nearest.next_up(),
        Direction::Down if over > 0.0 => nearest.next_down(),
        Direction::Zero if over > 0.0 && x > 0.0 => nearest.next_down(),
        Direction::Zero if over < 0.0 && x < 0.0 => nearest.next_up(),
        _ => nearest,
    }
}

/// An integer as a single, in a direction.
pub fn whole_to_single(x: i128, direction: Direction) -> f32 {
    let nearest = x as f32;
    let over = nearest as i128 - x;
    let down = direction == Direction::Down || direction == Direction::Zero && x > 0;
    match () {
        () if over > 0 && down => nearest.next_down(),
        () if over < 0 && !down => nearest.next_up(),
        () => nearest,
    }
}

/// An integer as a double, in a direction.
pub fn whole_to_double(x: i128, direction: Direction) -> f64 {
    let nearest = x as f64;
    let error = x - nearest as i128;
    toward(nearest, error.signum() as f64, direction)
}

/// The bits of a 16-bit float, from those of its nearest to `x`, in a direction. `value` gives the number of bits; `most` are the bits of
/// the largest finite number.
fn sixteen(x: f64, nearest: u16, value: impl Fn(u16) -> f64, most: u16, direction: Direction) -> u16 {
    let sign = nearest & 0x8000;
    if x.is_nan() || x.is_infinite() {
        return nearest;
    }
    let rounded = value(nearest);
    let toward_zero = match direction {
        Direction::Zero => true,
        Direction::Down => sign == 0,
        Direction::Up => sign != 0,
    };
    if rounded.is_infinite() {
        return if toward_zero { sign | most } else { nearest };
    }
    match (rounded.abs() > x.abs(), rounded.abs() < x.abs()) {
        (true, _) if toward_zero => nearest - 1,
        (_, true) if !toward_zero => nearest + 1,
        _ => nearest,
    }
}

/// The bits of a half, in a direction.
pub fn to_half(x: f64, direction: Direction) -> u16 {
    sixteen(x, f16::from_f64(x).to_bits(), |bits| f16::from_bits(bits).to_f64(), f16::MAX.to_bits(), direction)
}

/// The bits of a bfloat16, in a direction.
pub fn to_bfloat(x: f64, direction: Direction) -> u16 {
    sixteen(x, bf16::from_f64(x).to_bits(), |bits| bf16::from_bits(bits).to_f64(), bf16::MAX.to_bits(), direction)
}

/// A single with the 10 bits of a tf32's fraction, rounded to the nearest, ties away from zero.
pub fn to_tf32(bits: u32) -> u32 {
    if bits & 0x7F80_0000 == 0x7F80_0000 { bits } else { bits.wrapping_add(0x1000) & 0xFFFF_E000 }
}

/// The same, ties to even.
pub fn to_tf32_even(bits: u32) -> u32 {
    if bits & 0x7F80_0000 == 0x7F80_0000 {
        return bits;
    }
    bits.wrapping_add(0xFFF + (bits >> 13 & 1)) & 0xFFFF_E000
}

/// A float of 8 bits (Micikevicius et al., "FP8 Formats for Deep Learning", 2022).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eight {
    /// 4 bits of exponent, 3 of fraction; no infinity.
    E4m3,
    /// 5 bits of exponent, 2 of fraction.
    E5m2,
}

impl Eight {
    /// Bits of the fraction, the bias of the exponent, and the bits of the largest number and of a NaN.
    fn shape(self) -> (i32, i32, u8, u8) {
        match self {
            Self::E4m3 => (3, 7, 0x7E, 0x7F),
            Self::E5m2 => (2, 15, 0x7B, 0x7F),
        }
    }

    /// The bits of the number that is nearest to `x`, ties to even; the largest for what is larger.
    pub fn of(self, x: f32) -> u8 {
        let (fraction, bias, most, nan) = self.shape();
        let sign = if x.is_sign_negative() { 0x80 } else { 0 };
        if x.is_nan() {
            return nan;
        }
        let x = f64::from(x.abs());
        // A step at the exponent of x, or at the least one of normal numbers.
        let exponent = if x == 0.0 { 1 - bias } else { (x.log2().floor() as i32).clamp(1 - bias, 127) };
        let step = 2_f64.powi(exponent - fraction);
        let steps = (x / step).round_ties_even();
        let value = steps * step;
        if value > self.value(most).into() || x.is_infinite() {
            return sign | most;
        }
        // Steps of normal numbers are 2^fraction and up, and carry into the exponent.
        let bits = i64::from(exponent + bias - 1) * (1 << fraction) + steps as i64;
        sign | u8::try_from(bits).unwrap_or(most)
    }

    /// The number of these bits.
    pub fn value(self, bits: u8) -> f32 {
        let (fraction, bias, most, _) = self.shape();
        let (sign, bits) = (if bits & 0x80 == 0 { 1.0 } else { -1.0 }, bits & 0x7F);
        if bits > most {
            let is_infinite = self == Self::E5m2 && bits == most + 1;
            return if is_infinite { sign * f32::INFINITY } else { f32::NAN };
        }
        let (exponent, rest) = (i32::from(bits >> fraction), f32::from(bits & ((1 << fraction) - 1)));
        let whole = if exponent == 0 { 0.0 } else { 1.0 };
        sign * (whole + rest / (1 << fraction) as f32) * 2_f32.powi(exponent.max(1) - bias)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Direction; 3] = [Direction::Down, Direction::Up, Direction::Zero];

    #[test]
    fn a_sum_lies_between_its_neighbours() {
        // 1 + 2^-60 is between 1 and the next double.
        let tiny = 2_f64.powi(-60);
        let got = ALL.map(|direction| fma(1.0, 1.0, tiny, direction));
        assert_eq!(got, [1.0, 1.0_f64.next_up(), 1.0]);
        let got = ALL.map(|direction| fma(-1.0, 1.0, -tiny, direction));
        assert_eq!(got, [(-1.0_f64).next_down(), -1.0, -1.0]);
        // A product that is exact stays as it is, and one that is too large does not become infinite toward zero.
        assert_eq!(ALL.map(|direction| fma(3.0, 5.0, -15.0, direction)), [-0.0, 0.0, 0.0]);
        assert!(fma(3.0, 5.0, -15.0, Direction::Down).is_sign_negative());
        assert_eq!(ALL.map(|direction| fma(f64::MAX, 2.0, 0.0, direction)), [f64::MAX, f64::INFINITY, f64::MAX]);
    }

    #[test]
    fn quotients_and_roots() {
        let third = 1.0 / 3.0;
        // The nearest double to a third is below it.
        assert_eq!(ALL.map(|direction| divide(1.0, 3.0, direction)), [third, f64::next_up(third), third]);
        assert_eq!(ALL.map(|direction| divide(-1.0, 3.0, direction)), [f64::next_down(-third), -third, -third]);
        assert_eq!(ALL.map(|direction| divide(1.0, 4.0, direction)), [0.25; 3]);
        let two = 2_f64.sqrt();
        // The nearest double to the root of two is above it.
        assert_eq!(ALL.map(|direction| root(2.0, direction)), [two.next_down(), two, two.next_down()]);
    }

    #[test]
    fn integers_and_narrow_floats() {
        let large = i128::from(i64::MAX);
        let got = ALL.map(|direction| whole_to_single(large, direction));
        assert_eq!(got, [2_f32.powi(63).next_down(), 2_f32.powi(63), 2_f32.powi(63).next_down()]);
        assert_eq!(
            ALL.map(|direction| whole_to_double(-large, direction)),
            [-(2_f64.powi(63)), 1.0 - 2_f64.powi(63) + 1023.0, 1024.0 - 2_f64.powi(63)]
        );
        let x = 1.0 + 2_f64.powi(-12);
        assert_eq!(ALL.map(|direction| to_half(x, direction)), [0x3C00, 0x3C01, 0x3C00]);
        assert_eq!(ALL.map(|direction| to_half(-x, direction)), [0xBC01, 0xBC00, 0xBC00]);
        assert_eq!(ALL.map(|direction| to_half(1e6, direction)), [0x7BFF, 0x7C00, 0x7BFF]);
        assert_eq!(ALL.map(|direction| to_bfloat(1.001, direction)), [0x3F80, 0x3F81, 0x3F80]);
        assert_eq!(
            [to_tf32(0x3F80_1000), to_tf32(0x3F80_0FFF), to_tf32_even(0x3F80_1000)],
            [0x3F80_2000, 0x3F80_0000, 0x3F80_0000]
        );
    }

    #[test]
    fn eight_bits_and_back() {
        for format in [Eight::E4m3, Eight::E5m2] {
            for bits in 0..=0xFF_u8 {
                let value = format.value(bits);
                if value.is_finite() {
                    assert_eq!(format.of(value), bits, "{format:?} {bits:#x} {value}");
                }
            }
        }
        assert_eq!([448.0, 464.0, 1e9, -1e9].map(|x| Eight::E4m3.of(x)), [0x7E, 0x7E, 0x7E, 0xFE]);
        assert_eq!([1.0, 1.0625, 1.1875, 0.0, 0.001953125].map(|x| Eight::E4m3.of(x)), [0x38, 0x38, 0x3A, 0, 1]);
        assert_eq!(Eight::E5m2.of(57344.0), 0x7B);
        assert!(Eight::E4m3.value(0x7F).is_nan() && Eight::E5m2.value(0x7C).is_infinite());
    }
}
