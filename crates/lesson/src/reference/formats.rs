//! Floating-point formats that tensor cores take, and rounding to them.

/// A binary format with a sign, an exponent and a fraction, as IEEE 754 lays them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub name: &'static str,
    /// Bits of the exponent.
    pub exponent: u32,
    /// Bits of the fraction.
    pub fraction: u32,
}

/// The formats of the lesson, the longest first. TF32 has 19 bits, stored in 32.
pub const FORMATS: [Format; 4] = [
    Format { name: "f32", exponent: 8, fraction: 23 },
    Format { name: "TF32", exponent: 8, fraction: 10 },
    Format { name: "f16", exponent: 5, fraction: 10 },
    Format { name: "bf16", exponent: 8, fraction: 7 },
];

impl Format {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The number of the format nearest to `value`, ties to even; infinite beyond the largest.
    #[must_use]
    pub fn nearest(self, value: f64) -> f64 {
        if value == 0.0 || !value.is_finite() {
            return value;
        }
        let unit = power(self.exponent_of(value) - self.fraction.cast_signed());
        let rounded = (value / unit).round_ties_even() * unit;
        if rounded.abs() >= power(self.bias() + 1) { f64::INFINITY.copysign(value) } else { rounded }
    }

    /// The bits of the number nearest to `value`, from the sign down; a quiet NaN for NaN.
    #[must_use]
    pub fn bits(self, value: f64) -> Vec<bool> {
        let kept = self.nearest(value);
        let (exponent, fraction) = if kept.is_nan() {
            ((1u64 << self.exponent) - 1, 1u64 << (self.fraction - 1))
        } else if kept.is_infinite() {
            ((1u64 << self.exponent) - 1, 0)
        } else if kept == 0.0 {
            (0, 0)
        } else {
            let power_of_two = self.exponent_of(kept);
            let steps = kept.abs() / power(power_of_two - self.fraction.cast_signed());
            let (hidden, steps) = (1u64 << self.fraction, steps as u64);
            // Below the smallest normal number, the first digit is 0, and so is the exponent field.
            if steps < hidden { (0, steps) } else { ((power_of_two + self.bias()) as u64, steps - hidden) }
        };
        let field = |value: u64, bits: u32| (0..bits).rev().map(move |bit| value >> bit & 1 == 1);
        let sign = std::iter::once(kept.is_sign_negative());
        sign.chain(field(exponent, self.exponent)).chain(field(fraction, self.fraction)).collect()
    }

    /// The exponent of `value` as a power of two, at least that of the smallest normal number.
    fn exponent_of(self, value: f64) -> i32 {
        let field = (value.to_bits() >> 52 & 0x7ff) as i32;
        (field - 1023).max(1 - self.bias())
    }
}

fn power(of_two: i32) -> f64 {
    2f64.powi(of_two)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng;

    fn packed(bits: &[bool]) -> u32 {
        bits.iter().fold(0, |word, bit| word << 1 | u32::from(*bit))
    }

    /// Compares with the machine's f32 and the crate `half`, over all sizes, including ties and subnormal numbers.
    #[test]
    fn numbers_round_as_the_formats_do() {
        let [single, _, short, brain] = FORMATS;
        let mut values = vec![0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, 2049.0, 2051.0, 65519.9, 65520.0, 70000.0];
        values.extend([5e-8, 6e-8, 3e-8, 257.0, 259.0, 3.39e38, 3.4e38, 3.5e38, 1e-40, 1e-46, 1.0 / 3.0, -0.1]);
        values.extend((0..4000).map(|at| rng::unit(7, 2 * at) * 2f64.powf(150.0 * rng::unit(7, 2 * at + 1))));
        for value in values {
            // Both convert via f32 here, which rounds once more than `nearest` does, so start from an f32.
            let value = f64::from(value as f32);
            assert_eq!(single.nearest(value), value);
            assert_eq!(packed(&single.bits(value)), (value as f32).to_bits(), "{value}");
            assert_eq!(packed(&short.bits(value)), u32::from(half::f16::from_f64(value).to_bits()), "{value}");
            assert_eq!(packed(&brain.bits(value)), u32::from(half::bf16::from_f64(value).to_bits()), "{value}");
            assert_eq!(short.nearest(value), half::f16::from_f64(value).to_f64(), "{value}");
            assert_eq!(brain.nearest(value), half::bf16::from_f64(value).to_f64(), "{value}");
        }
    }
}
