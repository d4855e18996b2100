//! What a vocabulary that is built in makes of a text, and what is learnt from one.

use super::table::{Expected, Given};
use crate::tokenizer::count::Pieces;
use crate::tokenizer::{Pattern, Ties, encode, rank_file, train};

/// Bytes of a text at most: what is learnt from one takes some ten times its size.
pub(super) const MOST_BYTES: usize = 1 << 28;

/// No token begins at a byte.
const NOTHING: f64 = u32::MAX as f64;

/// A text of so many bytes, which comes with four bytes in a word, of which so many are read in turn.
fn unpacked(given: &Given<'_>, bytes: usize, words: usize) -> Vec<u8> {
    let packed = (0..words.max(1).min(bytes.div_ceil(4))).flat_map(|i| given.inputs[0].bits(i).to_le_bytes());
    let mut text: Vec<u8> = packed.collect();
    while text.len() < bytes {
        text.extend_from_within(..(bytes - text.len()).min(text.len()));
    }
    text.truncate(bytes);
    text
}

/// Bytes as a text. A character that the end cuts is left out.
fn as_text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// The token of `cl100k_base` that begins at each byte of a text, which comes with four bytes in a word and is read again behind its end. If words of so many
/// `letters` are asked for, the bytes stand for random letters, with a space before each word.
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

/// The merges that are learnt from a text, as [`cl100k`] has it: the two tokens of each, and zeros behind the last one.
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
