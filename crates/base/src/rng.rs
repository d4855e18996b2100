//! Reproducible random inputs: element `i` of stream `seed` depends on nothing else.

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

/// From the stream that says how far to the one that says in which direction.
const DIRECTIONS: u64 = 0x4000;

/// The `index`-th number of a standard normal distribution (Box & Muller, Annals of Mathematical Statistics 29, 1958).
#[must_use]
pub fn normal(seed: u64, index: u64) -> f64 {
    let far = (-2.0 * (1.0 - unit(seed, index)).ln()).sqrt();
    far * (std::f64::consts::TAU * unit(seed.wrapping_add(DIRECTIONS), index)).cos()
}

/// Whole numbers whose probabilities fall with a power of their rank.
pub struct Zipf {
    /// For each number, the probability of it or a lower one.
    up_to: Vec<f64>,
}

impl Zipf {
    /// Numbers from 0 to below `values`; k has a probability proportional to (k + 1)^-exponent.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
    pub fn new(exponent: f64, values: u64) -> Self {
        let mut sum = 0.0;
        let weights = (1..=values).map(|rank| {
            sum += (rank as f64).powf(-exponent);
            sum
        });
        let mut up_to: Vec<f64> = weights.collect();
        up_to.iter_mut().for_each(|weight| *weight /= sum);
        Self { up_to }
    }

    /// The number that `uniform`, from 0 to below 1, picks.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "ranks are far below 2^53")]
    pub fn pick(&self, uniform: f64) -> f64 {
        self.up_to.partition_point(|up_to| *up_to <= uniform).min(self.up_to.len().saturating_sub(1)) as f64
    }
}

/// From the stream to the first of those that a permutation is made with.
const ROUNDS: u64 = 0x2000;

/// Where a permutation of 0 to `count - 1` sends `index`: a Feistel network over the next power of four, walked until
/// it comes back into range (Black & Rogaway, CT-RSA 2002).
#[must_use]
pub fn permuted(seed: u64, index: u64, count: u64) -> u64 {
    let half_bits = count.max(2).next_power_of_two().trailing_zeros().div_ceil(2);
    let mask = (1_u64 << half_bits) - 1;
    let mut place = index;
    loop {
        let (mut left, mut right) = (place >> half_bits, place & mask);
        for round in 0..4 {
            let mixed = u64::from(word(seed.wrapping_add(ROUNDS + round), right)) & mask;
            (left, right) = (right, left ^ mixed);
        }
        place = left << half_bits | right;
        if place < count {
            return place;
        }
    }
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
