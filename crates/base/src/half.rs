//! 16-bit floats: conversions of IEEE binary16 and of bfloat16 from and to binary32.

/// `x` rounded to the nearest half, ties to even; too large becomes infinite.
pub fn f32_to_f16(x: f32) -> u16 {
    let bits = x.to_bits();
    let sign = ((bits >> 16) & 0x8000) as u16;
    let magnitude = bits & 0x7FFF_FFFF;
    if magnitude > 0x7F80_0000 {
        // A NaN's payload is kept as far as it fits; a NaN that only its low bits distinguish from infinity becomes a quiet one.
        let payload = (magnitude >> 13) as u16 & 0x3FF;
        return sign | 0x7C00 | if payload == 0 { 0x200 } else { payload };
    }
    // 65520 and above round to infinity.
    if magnitude >= 0x477F_F000 {
        return sign | 0x7C00;
    }
    if magnitude >= 0x3880_0000 {
        // Normal: rebias the exponent, and add what carries where the dropped 13 bits round up.
        let rebased = magnitude - (112 << 23);
        let rounded = rebased + 0xFFF + ((rebased >> 13) & 1);
        return sign | (rounded >> 13) as u16;
    }
    // Subnormal: a multiple of 2^-24, which the float unit rounds for us.
    let steps = f32::from_bits(magnitude) * 16_777_216.0;
    sign | steps.round_ties_even() as u16
}

/// The value of a half, exactly.
pub fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10) & 0x1F;
    let fraction = u32::from(half & 0x3FF);
    match exponent {
        0 => {
            let value = f32::from(half & 0x3FF) / 16_777_216.0;
            f32::from_bits(value.to_bits() | sign)
        }
        31 => f32::from_bits(sign | 0x7F80_0000 | (fraction << 13)),
        _ => f32::from_bits(sign | ((exponent + 112) << 23) | (fraction << 13)),
    }
}

/// `x` rounded to the nearest bfloat16, ties to even: the upper half of a binary32. Too large becomes infinite.
pub fn f32_to_bf16(x: f32) -> u16 {
    let bits = x.to_bits();
    let upper = (bits >> 16) as u16;
    if bits & 0x7FFF_FFFF > 0x7F80_0000 {
        // A NaN stays one, even where its low bits alone tell it from infinity.
        return if upper & 0x7F == 0 { upper | 0x40 } else { upper };
    }
    // A carry out of the fraction goes into the exponent, up to infinity.
    (bits.wrapping_add(0x7FFF + (bits >> 16 & 1)) >> 16) as u16
}

/// The value of a bfloat16, exactly.
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bfloat16_is_the_nearest_there_is() {
        for bits in 0..=u16::MAX {
            let value = bf16_to_f32(bits);
            assert_eq!(f32_to_bf16(value), bits, "{value}");
            if value.is_finite() && bits & 0x7FFF != 0x7F7F {
                // Halfway to the next one goes to the even one, a little more to the next.
                let half = f32::from_bits(u32::from(bits) << 16 | 0x8000);
                assert_eq!(f32_to_bf16(half), bits + (bits & 1), "{half}");
                assert_eq!(f32_to_bf16(f32::from_bits(half.to_bits() + 1)), bits + 1, "{half}");
                assert_eq!(f32_to_bf16(f32::from_bits(half.to_bits() - 1)), bits, "{half}");
            }
        }
        assert_eq!(f32_to_bf16(f32::MAX), 0x7F80);
        assert!(bf16_to_f32(f32_to_bf16(f32::from_bits(0x7F80_0001))).is_nan());
    }

    #[test]
    fn every_half_survives_the_round_trip() {
        for half in 0..=u16::MAX {
            let value = f16_to_f32(half);
            assert_eq!(f32_to_f16(value), half, "{value}");
        }
    }

    #[test]
    fn rounding() {
        assert_eq!(f32_to_f16(65519.0), 0x7BFF);
        assert_eq!(f32_to_f16(65520.0), 0x7C00);
        assert_eq!(f32_to_f16(1.0 + 1.0 / 2048.0), 0x3C00);
        assert_eq!(f32_to_f16(1.0 + 3.0 / 2048.0), 0x3C02);
        assert_eq!(f32_to_f16(2.0_f32.powi(-25)), 0);
        assert_eq!(f32_to_f16(-1.5 * 2.0_f32.powi(-24)), 0x8002);
    }
}
