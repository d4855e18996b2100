//! References for tokenizers: the tokens of a text in a built-in vocabulary, and the merges learned from a text.

use super::given::{Expected, Given};
use crate::tokenizer::count::Pieces;
use crate::tokenizer::{Pattern, Ties, encode, rank_file, train};

/// The maximum length of a text, in bytes: learning from one takes about ten times its size.
pub(super) const MOST_BYTES: usize = 1 << 28;

/// The value for a byte at which no token begins.
const NOTHING: f64 = u32::MAX as f64;

/// A text of `bytes` bytes, packed four to a word; the first `words` words are repeated to its end.
fn unpacked(given: &Given<'_>, bytes: usize, words: usize) -> Vec<u8> {
    let packed = (0..words.max(1).min(bytes.div_ceil(4))).flat_map(|i| given.inputs[0].bits(i).to_le_bytes());
    let mut text: Vec<u8> = packed.collect();
    while text.len() < bytes {
        text.extend_from_within(..(bytes - text.len()).min(text.len()));
    }
    text.truncate(bytes);
    text
}

/// Bytes as a text, without a character that is cut off at the end.
fn as_text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// The token of `cl100k_base` that begins at each byte of a text, which is packed four bytes to a word and repeated
/// from the start past its end. If words of `letters` letters are requested, the bytes give random letters, with a
/// space before each word.
pub(super) fn cl100k(given: &Given<'_>, _: usize, out: &mut [Expected]) {
    let mut text = unpacked(given, given.args[0], given.args[1]);
    if let Some(every) = given.args[2].checked_add(1).filter(|every| *every > 1) {
        for (at, byte) in text.iter_mut().enumerate() {
            *byte = if at % every == 0 { b' ' } else { b'a' + *byte % 26 };
        }
    }
    out.fill(Expected { value: NOTHING, ..Expected::default() });
    let Some(vocabulary) = rank_file::shared("cl100k_base") else { return };
    let mut at = 0;
    for id in encode::encode(vocabulary, Pattern::Cl100k, as_text(&text)) {
        out[at].value = f64::from(id);
        at += vocabulary.token(id).map_or(0, <[u8]>::len);
    }
}

/// The merges learned from a text, packed as for [`cl100k`]: the two tokens of each, and zeros after the last one.
pub(super) fn trained(given: &Given<'_>, _: usize, out: &mut [Expected]) {
    let text = unpacked(given, given.args[0], given.args[1]);
    let pattern = match given.args[2] {
        0 => Pattern::None,
        1 => Pattern::Gpt2,
        2 => Pattern::Cl100k,
        _ => Pattern::O200k,
    };
    let ties = match given.args[3] {
        0 => Ties::Smallest,
        1 => Ties::First,
        _ => Ties::Greatest,
    };
    let mut pieces = Pieces::default();
    pieces.add(pattern, as_text(&text));
    out.fill(Expected::default());
    // A text of `MOST_BYTES` is not too long.
    let merges = train::train(&pieces.in_order(), 256 + given.args[4], ties, |_| {}).unwrap_or_default();
    for (out, id) in out.iter_mut().zip(merges.into_iter().flat_map(|(left, right)| [left, right])) {
        out.value = f64::from(id);
    }
}
