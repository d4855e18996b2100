//! The elements that a pointer of a kernel leads to: numbers of 1 to 8 bytes, alone or as vectors. A trace counts its
//! buffers in 32-bit words and halves; a launch is given in the elements that its kernel declares.

use crate::base::rng;
use crate::base::tensor::{Elem, Init};

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// One that a trace's buffers have.
    Elem(Elem),
    /// An integer of 1, 2 or 8 bytes; and whether it has a sign.
    Whole(u64, bool),
    /// A float of 8 bytes.
    F64,
}

/// Numbers that are loaded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointee {
    /// Their type.
    pub number: Number,
    /// How many.
    pub lanes: u64,
}

/// The names of types in options, beside those of a trace's elements.
const NAMES: [(&str, Number); 7] = [
    ("u8", Number::Whole(1, false)),
    ("i8", Number::Whole(1, true)),
    ("u16", Number::Whole(2, false)),
    ("i16", Number::Whole(2, true)),
    ("u64", Number::Whole(8, false)),
    ("i64", Number::Whole(8, true)),
    ("f64", Number::F64),
];

/// CUDA's vectors: the word without its number of lanes, and the type of a lane.
const VECTORS: [(&str, Number); 11] = [
    ("__half", Number::Elem(Elem::F16)),
    ("half", Number::Elem(Elem::F16)),
    ("__nv_bfloat16", Number::Elem(Elem::Bf16)),
    ("float", Number::Elem(Elem::F32)),
    ("uint", Number::Elem(Elem::U32)),
    ("int", Number::Elem(Elem::I32)),
    ("uchar", Number::Whole(1, false)),
    ("char", Number::Whole(1, true)),
    ("ushort", Number::Whole(2, false)),
    ("short", Number::Whole(2, true)),
    ("double", Number::F64),
];

/// Names of C's for integers of 8 bytes.
const LONG: [&str; 7] = ["size_t", "ssize_t", "ptrdiff_t", "intptr_t", "uintptr_t", "clock_t", "time_t"];

impl From<Elem> for Pointee {
    fn from(elem: Elem) -> Self {
        Self { number: Number::Elem(elem), lanes: 1 }
    }
}

impl Pointee {
    /// The type that an option names: `f32`, `u8`, `f64`, …
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let elem = Elem::ALL.into_iter().find(|elem| elem.name() == name).map(Number::Elem);
        let number = elem.or_else(|| NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, number)| number));
        number.map(|number| Self { number, lanes: 1 })
    }

    /// The names that [`Self::named`] takes, with commas between.
    #[must_use]
    pub fn names() -> String {
        let elems = Elem::ALL.into_iter().map(Elem::name);
        elems.chain(NAMES.into_iter().map(|(name, _)| name)).collect::<Vec<_>>().join(", ")
    }

    /// The type that C++ spells so, without its pointer; None of one that is not known, such as a structure.
    #[must_use]
    pub fn of_cpp(ty: &str) -> Option<Self> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let words: Vec<&str> = ty.split(|c| !is_word(c)).filter(|word| !word.is_empty()).collect();
        let vector = words.iter().find_map(|word| {
            let lanes = word.chars().last()?.to_digit(10)?;
            let (_, number) = VECTORS.into_iter().find(|(of, _)| *of == &word[..word.len() - 1])?;
            // A vector of three has its own alignment, and half2 is the only one of halves.
            (2..=4).contains(&lanes).then_some(Self { number, lanes: lanes.into() })
        });
        let bfloat = words.iter().any(|word| word.contains("bfloat16") && !word.ends_with("162"));
        let double_bfloat = words.iter().any(|word| word.ends_with("bfloat162"));
        let of = |number| Some(Self { number, lanes: 1 });
        let has = |word: &str| words.contains(&word);
        let sized = |bits: &str| ["int", "uint"].iter().any(|of| has(&format!("{of}{bits}_t")));
        let unsigned =
            has("unsigned") || has("bool") || has("size_t") || words.iter().any(|word| word.starts_with("uint"));
        if double_bfloat {
            return Some(Self { number: Number::Elem(Elem::Bf16), lanes: 2 });
        }
        if vector.is_some() {
            return vector;
        }
        match () {
            () if bfloat => of(Number::Elem(Elem::Bf16)),
            () if has("half") || has("__half") => of(Number::Elem(Elem::F16)),
            () if has("double") => of(Number::F64),
            () if has("float") => of(Number::Elem(Elem::F32)),
            () if has("char") || has("bool") || sized("8") => of(Number::Whole(1, !unsigned)),
            () if has("short") || sized("16") => of(Number::Whole(2, !unsigned)),
            () if has("long") || LONG.iter().any(|word| has(word)) || sized("64") => of(Number::Whole(8, !unsigned)),
            () if has("unsigned") || has("uint") || has("uint32_t") => of(Number::Elem(Elem::U32)),
            () if has("int") || has("int32_t") => of(Number::Elem(Elem::I32)),
            () => None,
        }
    }

    /// Whether its numbers are integers.
    #[must_use]
    pub fn is_whole(self) -> bool {
        matches!(self.number, Number::Whole(..) | Number::Elem(Elem::U32 | Elem::I32))
    }

    #[must_use]
    pub fn bytes(self) -> u64 {
        self.lanes
            * match self.number {
                Number::Elem(elem) => elem.bytes(),
                Number::Whole(bytes, _) => bytes,
                Number::F64 => 8,
            }
    }

    /// The elements in which a trace shows its buffer: words where it has no such type.
    #[must_use]
    pub fn elem(self) -> Elem {
        match self.number {
            Number::Elem(elem) => elem,
            Number::Whole(..) | Number::F64 => Elem::U32,
        }
    }

    /// The type that NumPy writes so in a file, such as `<f2`.
    #[must_use]
    pub fn of_numpy(ty: &str) -> Option<Self> {
        let (kind, bits) = (ty.get(1..2)?, 8 * ty.get(2..)?.parse::<u64>().ok()?);
        Self::named(&match kind {
            "b" => "u8".to_owned(),
            "f" | "u" | "i" => format!("{kind}{bits}"),
            _ => return None,
        })
    }

    /// NumPy's name of its numbers' type.
    #[must_use]
    pub fn dtype(self) -> String {
        match self.number {
            Number::Elem(Elem::F32) => "float32".to_owned(),
            Number::Elem(Elem::F16) => "float16".to_owned(),
            Number::Elem(Elem::Bf16) => "bfloat16".to_owned(),
            Number::Elem(Elem::U32) => "uint32".to_owned(),
            Number::Elem(Elem::I32) => "int32".to_owned(),
            Number::Whole(bytes, is_signed) => format!("{}int{}", if is_signed { "" } else { "u" }, 8 * bytes),
            Number::F64 => "float64".to_owned(),
        }
    }

    /// How NumPy describes its numbers, in files that are given to a buffer; None of a type that a trace's buffers
    /// have.
    #[must_use]
    pub fn numpy(self) -> Option<&'static [&'static str]> {
        Some(match self.number {
            Number::Elem(_) => return None,
            Number::Whole(1, _) => &["|u1", "|i1", "|b1"],
            Number::Whole(2, _) => &["<u2", "<i2"],
            Number::Whole(..) => &["<u8", "<i8"],
            Number::F64 => &["<f8"],
        })
    }

    /// The words of `count` of them, of a type that a trace's buffers do not have; None of one that they have.
    #[must_use]
    pub fn words(self, count: u64, init: Init, seed: u64, stream: u64) -> Option<Vec<u32>> {
        let each = match self.number {
            Number::Elem(_) => return None,
            Number::Whole(bytes, _) => bytes,
            Number::F64 => 8,
        };
        let numbers = count.saturating_mul(self.lanes);
        #[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "as C++ converts a number")]
        let bits = |i: u64| match (self.number, init) {
            (Number::F64, Init::Iota) => (i as f64).to_bits(),
            (Number::F64, Init::Value(value)) => value.to_bits(),
            (Number::F64, Init::Random) => f64::from(rng::unit_f32(seed ^ stream, i)).to_bits(),
            (_, Init::Iota) => i,
            (_, Init::Value(value)) => (value as i64).cast_unsigned(),
            (_, Init::Random) => {
                u64::from(rng::word(seed ^ stream, 2 * i)) << 32 | u64::from(rng::word(seed ^ stream, 2 * i + 1))
            }
            _ => 0,
        };
        let bytes = (0..numbers).flat_map(|i| bits(i).to_le_bytes().into_iter().take(each as usize));
        let bytes: Vec<u8> = bytes.collect();
        let word = |part: &[u8]| part.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
        Some(bytes.chunks(4).map(word).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_cpp_spells_them() {
        let of = |ty: &str| Pointee::of_cpp(ty).map(|pointee| (pointee.number, pointee.lanes));
        assert_eq!(of("const float"), Some((Number::Elem(Elem::F32), 1)));
        assert_eq!(of("const float4"), Some((Number::Elem(Elem::F32), 4)));
        assert_eq!(of("__half2"), Some((Number::Elem(Elem::F16), 2)));
        assert_eq!(of("__nv_bfloat162"), Some((Number::Elem(Elem::Bf16), 2)));
        assert_eq!(of("__nv_bfloat16"), Some((Number::Elem(Elem::Bf16), 1)));
        assert_eq!(of("unsigned char"), Some((Number::Whole(1, false), 1)));
        assert_eq!(of("std__uint8_t"), None);
        assert_eq!(of("uint8_t"), Some((Number::Whole(1, false), 1)));
        assert_eq!(of("unsigned long long int"), Some((Number::Whole(8, false), 1)));
        assert_eq!(of("double"), Some((Number::F64, 1)));
        assert_eq!(of("Particle"), None);
        let types = ["<f2", "|u1", "<i8", "|b1", "<c8"].map(|ty| Pointee::of_numpy(ty).map(Pointee::dtype));
        assert_eq!(types.map(Option::unwrap_or_default), ["float16", "uint8", "int64", "uint8", ""]);
    }

    #[test]
    fn numbers_of_other_sizes_are_filled_as_they_lie_in_memory() {
        let words = |name: &str, count, init| Pointee::named(name).and_then(|of| of.words(count, init, 1, 0));
        assert_eq!(words("u8", 5, Init::Iota), Some(vec![0x0302_0100, 4]));
        assert_eq!(words("i16", 2, Init::Value(-1.0)), Some(vec![u32::MAX]));
        assert_eq!(words("i64", 2, Init::Iota), Some(vec![0, 0, 1, 0]));
        let one = 1.0_f64.to_bits();
        assert_eq!(words("f64", 2, Init::Iota), Some(vec![0, 0, (one & 0xFFFF_FFFF) as u32, (one >> 32) as u32]));
        assert_eq!(words("f32", 2, Init::Iota), None);
        assert_eq!(Pointee::of_cpp("double").map(Pointee::bytes), Some(8));
    }
}
