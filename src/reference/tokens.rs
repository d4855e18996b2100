//! What a vocabulary that is built in makes of a text.

use super::table::{Expected, Given};
use crate::tokenizer::{Pattern, encode, rank_file};

/// No token begins at a byte.
const NOTHING: f64 = u32::MAX as f64;

/// The token of `cl100k_base` that begins at each byte of a text, which comes with four bytes in a word and is read again behind its end. A character that the end cuts
/// is left out. If words of so many `letters` are asked for, the bytes stand for random letters, with a space before each word.
pub(super) fn cl100k(given: &Given<'_>, _: usize, out: &mut [Expected]) {
    let (bytes, words) = (given.args[0], given.args[1].max(1));
    let packed = (0..words.min(bytes.div_ceil(4))).flat_map(|i| given.inputs[0].bits(i).to_le_bytes());
    let mut text: Vec<u8> = packed.collect();
    while text.len() < bytes {
        text.extend_from_within(..(bytes - text.len()).min(text.len()));
    }
    text.truncate(bytes);
    if let Some(every) = given.args[2].checked_add(1).filter(|every| *every > 1) {
        for (at, byte) in text.iter_mut().enumerate() {
            *byte = if at % every == 0 { b' ' } else { b'a' + *byte % 26 };
        }
    }
    let text = match std::str::from_utf8(&text) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&text[..error.valid_up_to()]).unwrap_or_default(),
    };
    out.fill(Expected { value: NOTHING, ..Expected::default() });
    let Some(vocabulary) = rank_file::shared("cl100k_base") else { return };
    let mut at = 0;
    for id in encode::encode(vocabulary, Pattern::Cl100k, text) {
        out[at].value = f64::from(id);
        at += vocabulary.token(id).map_or(0, <[u8]>::len);
    }
}
