//! A cache of recent pieces. A text repeats its words, and most of them are short, so most lookups end here, in memory
//! that stays in a core's cache.

/// Pieces of at most this many bytes have a place.
const LONGEST: usize = 15;

/// Places, as a power of two: 16,384 of 32 bytes each.
const BITS: u32 = 14;

/// A value for each of the short pieces that came lately. A piece has one place; a newer one takes it over.
pub(super) struct Recent<V> {
    places: Vec<(u128, V)>,
}

/// The key of a short piece: its bytes and its length.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Key(u128);

impl Key {
    /// The key of the piece `text[from..to]`; None if it is long.
    #[inline(always)]
    pub(super) fn of(text: &[u8], from: usize, to: usize) -> Option<Self> {
        let length = to - from;
        if length > LONGEST || length == 0 {
            return None;
        }
        // Sixteen bytes are read at once if the text has them; those after the piece are cleared.
        let bytes = match text[from..].first_chunk::<16>() {
            Some(chunk) => u128::from_le_bytes(*chunk) & (!0 >> (128 - 8 * length)),
            None => text[from..to].iter().rev().fold(0, |bytes, byte| bytes << 8 | u128::from(*byte)),
        };
        Some(Self(bytes | (length as u128) << 120))
    }

    #[inline(always)]
    fn place(self) -> usize {
        let folded = (self.0 as u64) ^ ((self.0 >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (folded.wrapping_mul(0xd6e8_feb8_6659_fd93) >> (64 - BITS)) as usize
    }
}

impl<V: Copy + Default> Recent<V> {
    pub(super) fn new() -> Self {
        Self { places: vec![(0, V::default()); 1 << BITS] }
    }

    #[inline(always)]
    pub(super) fn get(&self, key: Key) -> Option<V> {
        let (known, value) = self.places[key.place()];
        (known == key.0).then_some(value)
    }

    #[inline(always)]
    pub(super) fn set(&mut self, key: Key, value: V) {
        self.places[key.place()] = (key.0, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_the_piece_wherever_it_stands() {
        let text = b"the thing, the end the";
        let first = Key::of(text, 0, 3).expect("it is short");
        for from in [11, 19] {
            assert!(Key::of(text, from, from + 3) == Some(first), "at {from}");
        }
        assert!(Key::of(text, 0, 2) != Some(first) && Key::of(text, 4, 7) != Some(first));
        assert!(Key::of(b"\0\0", 0, 1) != Key::of(b"\0\0", 0, 2), "zeros count");
        assert!(Key::of(text, 0, 16).is_none());
        let mut recent = Recent::new();
        recent.set(first, 7);
        assert_eq!((recent.get(first), recent.get(Key::of(text, 4, 7).expect("it is short"))), (Some(7), None));
    }
}
