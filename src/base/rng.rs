//! Random inputs that are the same everywhere: element `i` of stream `seed` depends on nothing else.

/// The `index`-th 32-bit word of stream `seed`: SplitMix64's finaliser over a counter
/// (Steele, Lea & Flood, OOPSLA 2014), so that any element can be made in any order and on any process.
#[must_use]
pub fn word(seed: u64, index: u64) -> u32 {
    let mut z = seed
        .wrapping_mul(0xD6E8_FEB8_6659_FD93)
        .wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    u32::try_from((z ^ (z >> 31)) >> 32).unwrap_or_default()
}

/// The `index`-th number of stream `seed`, uniform in [-1, 1), a multiple of 2⁻²³.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "24 bits fit an f32 exactly")]
pub fn unit_f32(seed: u64, index: u64) -> f32 {
    (word(seed, index) >> 8) as f32 / 8_388_608.0 - 1.0
}

/// The `index`-th number of stream `seed`, uniform in [0, 1), a multiple of 2⁻³².
#[must_use]
pub fn unit(seed: u64, index: u64) -> f64 {
    f64::from(word(seed, index)) / 4_294_967_296.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_and_reproducible() {
        let n = 100_000;
        let mean: f64 = (0..n).map(|i| f64::from(unit_f32(7, i))).sum::<f64>() / 100_000.0;
        assert!(mean.abs() < 0.01, "{mean}");
        assert!((0..n).all(|i| (-1.0..1.0).contains(&unit_f32(7, i))));
        assert_eq!(word(1, 5), word(1, 5));
        assert_ne!(word(1, 5), word(2, 5));
        assert_ne!(word(1, 5), word(1, 6));
    }
}
