//! Buffers of numbers, as WGSL's storage buffers hold them: in 32-bit words.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use super::rng;

/// The type of a buffer's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Elem {
    /// 32-bit float.
    F32,
    /// 32-bit unsigned integer.
    U32,
    /// 32-bit signed integer.
    I32,
    /// 16-bit float; two share a word, the first in its low half.
    F16,
    /// 16-bit float with the exponent of a 32-bit one, of which it is the upper half; two share a word. WGSL has no
    /// such type.
    Bf16,
}

/// The initial contents of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Init {
    /// Uniform in [-1, 1) for floats, all bits for integers; from the job's seed and the buffer's position.
    Random,
    /// 0, 1, 2, …
    Iota,
    /// All zeros.
    Zero,
    /// One value everywhere.
    Value(f64),
    /// A pattern that no kernel writes by chance: outputs start with it, so that an element never written shows.
    Poison,
    /// Uniform from `low` to below `high`, whole numbers for integers; each is [`MASKED`] instead with the probability
    /// `masked`. From the job's seed and the buffer's position.
    Within {
        /// The least.
        low: f64,
        /// Above the greatest.
        high: f64,
        /// From 0 to 1.
        masked: f64,
    },
    /// Normally distributed.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
    /// Whole numbers from 0 to below `values`; k has a probability proportional to (k + 1)^-exponent.
    Zipf {
        /// How steeply it falls; 0 is uniform.
        exponent: f64,
        /// How many numbers there are.
        values: u64,
    },
    /// Each of 0, 1, 2, … once, in an order that the seed and the buffer's position give.
    Permutation,
    /// Rows of `columns` elements that are positive and sum to one: the softmax of logits with mean 0 and standard
    /// deviation 1.
    Softmax {
        /// Elements in a row, 1 or more.
        columns: u64,
    },
}

/// A logit that takes no part in a softmax: far below any other, and finite even when it is multiplied by log2 e, since
/// WGSL need not know infinities.
pub const MASKED: f32 = -1.0e38;

/// The bit pattern of [`Init::Poison`]: a quiet NaN with a payload.
pub const POISON: u32 = 0x7FC0_DEAD;

/// The bit pattern of a 16-bit float in [`Init::Poison`]: a quiet NaN with a payload.
pub const HALF_POISON: u32 = 0x7EAD;

/// The same of a bfloat16.
const BFLOAT_POISON: u32 = 0x7FED;

/// From a buffer's random stream to the one that says which elements are masked: past the streams of all buffers.
const MASKS: u64 = 0x8000;

/// Elements that are worth a thread of their own when a tensor is filled.
const PAR_MIN: usize = 1 << 16;

/// A flat buffer. `words[i]` is the bit pattern of element `i`; of 16-bit elements, there are two in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tensor {
    /// The type of the elements.
    pub elem: Elem,
    /// The bit patterns.
    pub words: Vec<u32>,
}

/// `count` words, of the bit patterns that `value` gives for `in_word` elements each.
fn elements(count: usize, in_word: usize, value: impl Fn(u64) -> u32 + Sync) -> Vec<u32> {
    let places = (0..count).into_par_iter().with_min_len(PAR_MIN);
    if in_word == 1 {
        return places.map(|i| value(i as u64)).collect();
    }
    let word = |i: usize| (0..in_word).rev().fold(0, |word, k| word << 16 | value((i * in_word + k) as u64));
    places.map(word).collect()
}

impl Tensor {
    /// `count` elements filled as `init` says; of 16-bit ones, as many as fill the last word. `stream` keeps the random
    /// buffers of one job apart.
    #[must_use]
    pub fn new(elem: Elem, count: usize, init: Init, seed: u64, stream: u64) -> Self {
        let seed = seed.wrapping_mul(0x1_0000).wrapping_add(stream);
        let in_word = elem.in_word();
        let count = count.div_ceil(in_word);
        let each = |value: &(dyn Fn(u64) -> u32 + Sync)| elements(count, in_word, value);
        let words = match init {
            Init::Zero => vec![0; count],
            Init::Poison => vec![elem.poison(); count],
            Init::Value(value) => each(&|_| elem.encode(value)),
            #[expect(clippy::cast_precision_loss, reason = "iota is exact up to 2^53")]
            Init::Iota => each(&|i| elem.encode(i as f64)),
            // Most buffers are these, and large: each type has a loop of its own.
            Init::Random => match elem {
                Elem::F32 => elements(count, 1, |i| rng::unit_f32(seed, i).to_bits()),
                Elem::F16 => elements(count, 2, |i| u32::from(f32_to_f16(rng::unit_f32(seed, i)))),
                Elem::Bf16 => elements(count, 2, |i| u32::from(f32_to_bf16(rng::unit_f32(seed, i)))),
                Elem::U32 | Elem::I32 => elements(count, 1, |i| rng::word(seed, i)),
            },
            Init::Within { low, high, masked } => each(&|i| {
                if rng::unit(seed.wrapping_add(MASKS), i) < masked {
                    return elem.encode(f64::from(MASKED));
                }
                let value = low + (high - low) * rng::unit(seed, i);
                elem.encode(if matches!(elem, Elem::U32 | Elem::I32) { value.floor() } else { value })
            }),
            Init::Normal { mean, deviation } => each(&|i| {
                let value = mean + deviation * rng::normal(seed, i);
                elem.encode(if matches!(elem, Elem::U32 | Elem::I32) { value.round() } else { value })
            }),
            Init::Zipf { exponent, values } => {
                let zipf = rng::Zipf::new(exponent, values);
                each(&|i| elem.encode(zipf.pick(rng::unit(seed, i))))
            }
            #[expect(clippy::cast_precision_loss, reason = "places are exact up to 2^53")]
            Init::Permutation => each(&|i| elem.encode(rng::permuted(seed, i, (count * in_word) as u64) as f64)),
            Init::Softmax { columns } => {
                let (columns, all) = (columns.max(1), (count * in_word) as u64);
                let exponential = |i| rng::normal(seed, i).exp();
                let row_sum = |row| (row * columns..all.min((row + 1) * columns)).map(exponential).sum::<f64>();
                let sums: Vec<f64> = (0..all.div_ceil(columns)).into_par_iter().map(row_sum).collect();
                #[expect(clippy::cast_possible_truncation, reason = "it is a place in a vector")]
                each(&|i| elem.encode(exponential(i) / sums[(i / columns) as usize]))
            }
        };
        Self { elem, words }
    }

    /// These numbers, each rounded to the type.
    #[must_use]
    pub fn from_numbers(elem: Elem, numbers: impl Iterator<Item = f64>) -> Self {
        Self::from_bits(elem, numbers.map(|number| elem.encode(number)))
    }

    /// Elements with these bit patterns; of 16 bits, the low ones count.
    #[must_use]
    pub fn from_bits(elem: Elem, bits: impl Iterator<Item = u32>) -> Self {
        let bits: Vec<u32> = bits.collect();
        let in_word = elem.in_word();
        let word = |part: &[u32]| part.iter().rev().fold(0_u32, |word, bits| word << 16 | bits);
        Self { elem, words: if in_word == 1 { bits } else { bits.chunks(in_word).map(word).collect() } }
    }

    /// The number of elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.words.len() * self.elem.in_word()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Element `i` as a number.
    #[must_use]
    pub fn get(&self, i: usize) -> f64 {
        self.elem.decode(self.bits(i))
    }

    /// The bit pattern of element `i`.
    #[must_use]
    pub fn bits(&self, i: usize) -> u32 {
        let in_word = self.elem.in_word();
        let word = self.words[i / in_word] >> (16 * (i % in_word));
        if in_word == 1 { word } else { word & 0xFFFF }
    }

    /// Whether element `i` is still the NaN of [`Init::Poison`]. No integer is.
    #[must_use]
    pub fn is_poison(&self, i: usize) -> bool {
        let mask = if self.elem.in_word() == 1 { u32::MAX } else { 0xFFFF };
        self.get(i).is_nan() && self.bits(i) == self.elem.poison() & mask
    }
}

impl Elem {
    /// The word of [`Init::Poison`]: of 16-bit floats two quiet NaNs with a payload.
    #[must_use]
    pub fn poison(self) -> u32 {
        match self {
            Self::F32 | Self::U32 | Self::I32 => POISON,
            Self::F16 => HALF_POISON << 16 | HALF_POISON,
            Self::Bf16 => BFLOAT_POISON << 16 | BFLOAT_POISON,
        }
    }

    /// All of them.
    pub const ALL: [Self; 5] = [Self::F32, Self::U32, Self::I32, Self::F16, Self::Bf16];

    /// Its name in WGSL, or as short.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
        }
    }

    /// Whether it is an integer type.
    #[must_use]
    pub fn is_whole(self) -> bool {
        matches!(self, Self::U32 | Self::I32)
    }

    /// Whether it has this number: an integer type has whole ones within its range, a float those, rounded, that are
    /// not too large for it.
    #[must_use]
    pub fn holds(self, value: f64) -> bool {
        let (least, most) = match self {
            Self::F32 | Self::Bf16 => (f64::from(f32::MIN), f64::from(f32::MAX)),
            Self::F16 => (-65504.0, 65504.0),
            Self::U32 => (0.0, f64::from(u32::MAX)),
            Self::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
        };
        (value.fract() == 0.0 || !self.is_whole()) && (least..=most).contains(&value)
    }

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(self) -> u64 {
        match self {
            Self::F32 | Self::U32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// Elements in a word.
    #[must_use]
    pub fn in_word(self) -> usize {
        match self {
            Self::F32 | Self::U32 | Self::I32 => 1,
            Self::F16 | Self::Bf16 => 2,
        }
    }

    /// The bit pattern of `value`, rounded to this type; integers saturate.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "rounding to the narrower type is the point"
    )]
    pub fn encode(self, value: f64) -> u32 {
        match self {
            Self::F32 => (value as f32).to_bits(),
            Self::F16 => u32::from(f32_to_f16(value as f32)),
            Self::Bf16 => u32::from(f32_to_bf16(value as f32)),
            Self::U32 => value as u32,
            Self::I32 => (value as i32).cast_unsigned(),
        }
    }

    /// The number that the bit pattern represents; of a 16-bit element, the low bits count.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "only the low bits are the element's")]
    pub fn decode(self, word: u32) -> f64 {
        match self {
            Self::F32 => f64::from(f32::from_bits(word)),
            Self::F16 => f64::from(f16_to_f32(word as u16)),
            Self::Bf16 => f64::from(bf16_to_f32(word as u16)),
            Self::U32 => f64::from(word),
            Self::I32 => f64::from(word.cast_signed()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fills() {
        assert_eq!(Tensor::new(Elem::F32, 3, Init::Iota, 0, 0).get(2), 2.0);
        assert_eq!(Tensor::new(Elem::I32, 1, Init::Value(-3.0), 0, 0).get(0), -3.0);
        assert!(Tensor::new(Elem::F32, 1, Init::Poison, 0, 0).get(0).is_nan());
        let halves = Tensor::new(Elem::F16, 3, Init::Iota, 0, 0);
        assert_eq!(halves.words, [0x3C00_0000, 0x4200_4000]);
        assert_eq!((halves.len(), halves.get(1), halves.get(2)), (4, 1.0, 2.0));
        let upper = Tensor::new(Elem::Bf16, 3, Init::Iota, 0, 0);
        assert_eq!(upper.words, [0x3F80_0000, 0x4040_4000]);
        assert_eq!((upper.len(), upper.get(1), upper.get(2)), (4, 1.0, 2.0));
        assert!(Tensor::new(Elem::Bf16, 2, Init::Poison, 0, 0).get(1).is_nan());
        let a = Tensor::new(Elem::F32, 8, Init::Random, 1, 0);
        assert_ne!(a, Tensor::new(Elem::F32, 8, Init::Random, 1, 1));
        assert_ne!(a, Tensor::new(Elem::F32, 8, Init::Random, 2, 0));
        assert_eq!(a, Tensor::new(Elem::F32, 8, Init::Random, 1, 0));
    }

    #[test]
    fn fills_within_bounds() {
        let values = |elem, low, high, masked| {
            let tensor = Tensor::new(elem, 10_000, Init::Within { low, high, masked }, 1, 0);
            (0..tensor.len()).map(|i| tensor.get(i)).collect::<Vec<f64>>()
        };
        let logits = values(Elem::F32, -1e4, 1e4, 0.25);
        let (masked, rest): (Vec<f64>, Vec<f64>) = logits.into_iter().partition(|x| *x == f64::from(MASKED));
        assert!((2_300..2_700).contains(&masked.len()), "{}", masked.len());
        assert!(rest.iter().all(|x| (-1e4..1e4).contains(x)) && rest.iter().any(|x| *x > 9e3));
        assert!(values(Elem::F32, 0.0, 1.0, 1.0).iter().all(|x| *x == f64::from(MASKED)));
        let targets = values(Elem::U32, 0.0, 3.0, 0.0);
        assert!([0.0, 1.0, 2.0].iter().all(|t| targets.contains(t)) && targets.iter().all(|t| *t < 3.0));
        assert!(values(Elem::U32, 0.0, 1.0, 0.0).iter().all(|t| *t == 0.0));
    }

    #[test]
    fn fills_with_distributions() {
        let values = |elem, count, init| {
            let tensor = Tensor::new(elem, count, init, 3, 0);
            (0..tensor.len()).map(|i| tensor.get(i)).collect::<Vec<f64>>()
        };
        let normal = values(Elem::F32, 20_000, Init::Normal { mean: 5.0, deviation: 2.0 });
        let mean = normal.iter().sum::<f64>() / 20_000.0;
        let variance = normal.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 20_000.0;
        assert!((mean - 5.0).abs() < 0.05 && (variance - 4.0).abs() < 0.15, "{mean} {variance}");
        let shares = values(Elem::F32, 1_000, Init::Softmax { columns: 300 });
        for row in shares.chunks(300) {
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-6 && row.iter().all(|share| *share > 0.0));
        }
        assert!(shares[..300].iter().any(|share| *share > 0.01) && shares[300] != shares[0]);
        let zipf = values(Elem::U32, 60_000, Init::Zipf { exponent: 1.0, values: 3 });
        let share = |k: f64| zipf.iter().filter(|x| **x == k).count();
        // 1 : 1/2 : 1/3 are 6, 3 and 2 elevenths.
        let counts = [share(0.0), share(1.0), share(2.0)];
        assert!(
            counts.iter().sum::<usize>() == 60_000
                && counts[0].abs_diff(32_727) < 600
                && counts[1].abs_diff(16_364) < 600
        );
        for count in [1, 2, 31, 1000, 4097] {
            let mut permuted = values(Elem::U32, count, Init::Permutation);
            assert!(count < 31 || permuted.iter().zip(0..).any(|(x, i)| *x != f64::from(i)));
            permuted.sort_by(f64::total_cmp);
            assert!(permuted.iter().zip(0..).all(|(x, i)| *x == f64::from(i)), "{count}");
        }
        assert_eq!(Tensor::from_numbers(Elem::F16, [1.0, 2.0, 3.0].into_iter()).words, [0x4000_3C00, 0x4200]);
        assert_eq!(Tensor::from_numbers(Elem::U32, [7.0].into_iter()).words, [7]);
    }
}
