//! A vocabulary: tokens, their ids, and the merges of two into a third.

use rustc_hash::FxHashMap;

/// The largest number of ids: a pair of them has to fit into 64 bits.
pub const MOST: usize = 1 << 31;

/// The ids that a file with this many tokens may have: gaps are few, and a wrong id must not take all memory.
pub(super) fn ids_of(tokens: usize) -> usize {
    (4 * tokens + 4096).min(MOST)
}

/// The merge of two neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merge {
    /// Of two possible merges, that with the smaller rank comes first.
    pub rank: u32,
    /// The token that they make.
    pub id: u32,
}

/// The tokens of a byte-level BPE.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// Each token's bytes, by its id; empty if no token has the id.
    tokens: Vec<Box<[u8]>>,
    /// The ids of the 256 bytes.
    bytes: [u32; 256],
    merges: FxHashMap<u64, Merge>,
    /// Tokens that no text is encoded as, by their ids: those that a file adds beside its merges.
    added: FxHashMap<u32, Box<[u8]>>,
    /// Tokens by their bytes, if a piece that is a token is taken as it is, without merging.
    whole: Option<FxHashMap<Box<[u8]>, u32>>,
}

/// Two ids as one key.
#[must_use]
pub fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

impl Vocabulary {
    /// The 256 bytes, with their values as ids, and a token for each merge, in order.
    ///
    /// # Panics
    /// If a merge refers to a token that comes after it.
    #[must_use]
    pub fn from_merges(merges: &[(u32, u32)]) -> Self {
        let mut tokens: Vec<Box<[u8]>> = (0..=255).map(|byte| Box::from([byte])).collect();
        let mut table = FxHashMap::default();
        for (rank, &(left, right)) in (0_u32..).zip(merges) {
            tokens.push([&*tokens[left as usize], &*tokens[right as usize]].concat().into());
            table.insert(pair(left, right), Merge { rank, id: 256 + rank });
        }
        // A token of a trained vocabulary is encoded as itself, so the shortcut changes nothing.
        let (bytes, whole) = (std::array::from_fn(|byte| byte as u32), Some(by_bytes(&tokens)));
        Self { bytes, merges: table, added: FxHashMap::default(), whole, tokens }
    }

    /// A vocabulary from its tokens, by id. Two neighbours merge if their bytes together are a token, the smallest id
    /// first: so does tiktoken with a file of ranks. The error is a byte that is no token.
    ///
    /// # Errors
    /// The first byte without a token.
    pub fn from_ranks(tokens: Vec<Box<[u8]>>) -> Result<Self, u8> {
        let whole = by_bytes(&tokens);
        let (bytes, lengths) = (byte_ids(&whole)?, Lengths::of(&tokens));
        let mut merges = FxHashMap::default();
        for (id, token) in (0_u32..).zip(&tokens) {
            for at in lengths.cuts(token.len()) {
                if let Some(&left) = whole.get(&token[..at])
                    && let Some(&right) = whole.get(&token[at..])
                {
                    merges.insert(pair(left, right), Merge { rank: id, id });
                }
            }
        }
        Ok(Self { tokens, bytes, merges, added: FxHashMap::default(), whole: Some(whole) })
    }

    /// Tokens by id, with the merges listed, as in a `tokenizer.json`. `whole` says whether a piece that is a token is
    /// taken without merging.
    ///
    /// # Errors
    /// The first byte without a token.
    pub fn from_listed(tokens: Vec<Box<[u8]>>, merges: FxHashMap<u64, Merge>, whole: bool) -> Result<Self, u8> {
        let known = by_bytes(&tokens);
        let (bytes, whole) = (byte_ids(&known)?, whole.then_some(known));
        Ok(Self { bytes, tokens, merges, added: FxHashMap::default(), whole })
    }

    /// The same with tokens that are decoded, and that no text is encoded as.
    pub(super) fn with_added(self, added: FxHashMap<u32, Box<[u8]>>) -> Self {
        Self { added, ..self }
    }

    /// One more than the largest id.
    #[must_use]
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there is no token at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// A token's bytes; None if no token has the id.
    #[must_use]
    pub fn token(&self, id: u32) -> Option<&[u8]> {
        self.tokens.get(id as usize).filter(|token| !token.is_empty()).map(|token| &**token)
    }

    /// Tokens of several bytes that no merge makes. Only a piece that is such a token gets its id.
    #[must_use]
    pub fn unreachable(&self) -> Vec<u32> {
        let made: rustc_hash::FxHashSet<u32> = self.merges.values().map(|merge| merge.id).collect();
        (0..).zip(&self.tokens).filter(|(id, token)| token.len() > 1 && !made.contains(id)).map(|(id, _)| id).collect()
    }

    /// The bytes of ids.
    ///
    /// # Errors
    /// The first id that no token has, and its place.
    pub fn decode(&self, ids: &[u32]) -> Result<Vec<u8>, (usize, u32)> {
        let mut bytes = Vec::with_capacity(4 * ids.len());
        for (at, &id) in ids.iter().enumerate() {
            let added = || self.added.get(&id).map(|token| &**token);
            bytes.extend_from_slice(self.token(id).or_else(added).ok_or((at, id))?);
        }
        Ok(bytes)
    }

    /// The id of a byte.
    #[must_use]
    pub fn of_byte(&self, byte: u8) -> u32 {
        self.bytes[usize::from(byte)]
    }

    /// The merge of two neighbouring tokens; None if they do not merge.
    #[must_use]
    pub fn merge(&self, left: u32, right: u32) -> Option<Merge> {
        self.merges.get(&pair(left, right)).copied()
    }

    /// All merges, with their two tokens, in any order.
    pub(super) fn merges(&self) -> impl Iterator<Item = (u32, u32, Merge)> + '_ {
        self.merges.iter().map(|(key, merge)| ((key >> 32) as u32, *key as u32, *merge))
    }

    /// The tokens that a piece is looked up among.
    pub(super) fn taken_whole(&self) -> impl Iterator<Item = (u32, &[u8])> {
        let tokens = if self.whole.is_some() { self.tokens.as_slice() } else { &[] };
        (0..).zip(tokens).filter(|(_, token)| !token.is_empty()).map(|(id, token)| (id, &**token))
    }

    pub(super) fn whole(&self, piece: &[u8]) -> Option<u32> {
        self.whole.as_ref()?.get(piece).copied()
    }
}

/// The lengths of all tokens, in order.
struct Lengths(Vec<usize>);

impl Lengths {
    fn of(tokens: &[Box<[u8]>]) -> Self {
        let lengths: std::collections::BTreeSet<usize> = tokens.iter().map(|token| token.len()).collect();
        Self(lengths.into_iter().filter(|length| *length > 0).collect())
    }

    /// Where a token of a length can be cut so that there are tokens as long as both parts: a long token has few such
    /// places.
    fn cuts(&self, length: usize) -> impl Iterator<Item = usize> {
        let shorter = self.0.iter().copied().take_while(move |at| *at < length);
        shorter.filter(move |at| self.0.binary_search(&(length - at)).is_ok())
    }
}

fn by_bytes(tokens: &[Box<[u8]>]) -> FxHashMap<Box<[u8]>, u32> {
    (0..).zip(tokens).filter(|(_, token)| !token.is_empty()).map(|(id, token)| (token.clone(), id)).collect()
}

fn byte_ids(tokens: &FxHashMap<Box<[u8]>, u32>) -> Result<[u32; 256], u8> {
    let mut ids = [0; 256];
    for byte in 0..=255_u8 {
        ids[usize::from(byte)] = *tokens.get(&[byte][..]).ok_or(byte)?;
    }
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_token_is_cut_only_where_both_parts_can_be_tokens() {
        let mut tokens: Vec<Box<[u8]>> = (0..=255).map(|byte| Box::from([byte])).collect();
        tokens.push([b'a'; 2].into());
        tokens.push(vec![b'a'; 639_999].into());
        tokens.push(vec![b'a'; 640_000].into());
        let lengths = Lengths::of(&tokens);
        assert_eq!(lengths.cuts(639_999).count(), 0);
        assert_eq!(lengths.cuts(640_000).collect::<Vec<_>>(), [1, 639_999]);
        let vocabulary = Vocabulary::from_ranks(tokens).expect("all bytes are there");
        assert_eq!(vocabulary.merge(97, 97), Some(Merge { rank: 256, id: 256 }));
        assert_eq!(vocabulary.merge(97, 257), Some(Merge { rank: 258, id: 258 }));
        assert_eq!(vocabulary.merge(257, 97), Some(Merge { rank: 258, id: 258 }));
    }
}
