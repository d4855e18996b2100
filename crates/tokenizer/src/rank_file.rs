//! tiktoken's rank file: a line for each token, its bytes in base64 and its id.

use std::io::Read;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;

use super::vocabulary::{Vocabulary, ids_of};
use warpbook_base::diag::{Diagnostic, Place};

/// The vocabularies that are built in. Their files are OpenAI's, packed.
pub const BUILT_IN: [&str; 2] = ["cl100k_base", "o200k_base"];

/// The files of [`BUILT_IN`], in its order. Left out of the WASM build: several MB.
#[cfg(target_family = "wasm")]
const PACKED: [&[u8]; BUILT_IN.len()] = [&[]; BUILT_IN.len()];
#[cfg(not(target_family = "wasm"))]
const PACKED: [&[u8]; BUILT_IN.len()] = [
    include_bytes!("../../../assets/vocabularies/cl100k_base.tiktoken.gz"),
    include_bytes!("../../../assets/vocabularies/o200k_base.tiktoken.gz"),
];

/// A built-in vocabulary, by its name in tiktoken; None if the name is unknown.
#[must_use]
pub fn built_in(name: &str) -> Option<Result<Vocabulary, Diagnostic>> {
    let at = BUILT_IN.iter().position(|known| *known == name)?;
    let mut text = String::new();
    Some(match GzDecoder::new(PACKED[at]).read_to_string(&mut text) {
        Ok(_) => read(name, &text),
        Err(error) => Err(Diagnostic::error(format!("{name} cannot be unpacked: {error}"))),
    })
}

/// A built-in vocabulary, unpacked at most once; None if the name is unknown.
#[must_use]
pub fn shared(name: &str) -> Option<&'static Vocabulary> {
    static UNPACKED: [OnceLock<Option<Vocabulary>>; BUILT_IN.len()] = [const { OnceLock::new() }; BUILT_IN.len()];
    let at = BUILT_IN.iter().position(|known| *known == name)?;
    UNPACKED[at].get_or_init(|| built_in(name)?.ok()).as_ref()
}

/// A vocabulary's file.
#[must_use]
pub fn write(vocabulary: &Vocabulary) -> String {
    let mut text = String::new();
    for id in 0..vocabulary.len() as u32 {
        if let Some(token) = vocabulary.token(id) {
            text.push_str(&format!("{} {id}\n", STANDARD.encode(token)));
        }
    }
    text
}

/// Reads a file of ranks. Ids may have gaps, as those of OpenAI's older vocabularies have; tokens and ids are unique,
/// and each byte is a token.
///
/// # Errors
/// The first line that is wrong, or a byte without a token.
pub fn read(file: &str, text: &str) -> Result<Vocabulary, Diagnostic> {
    let mut tokens: Vec<Box<[u8]>> = Vec::new();
    let mut lines = rustc_hash::FxHashMap::default();
    let ids = ids_of(text.lines().filter(|line| !line.is_empty()).count());
    for (number, line) in (1_u32..).zip(text.lines()) {
        if line.is_empty() {
            continue;
        }
        let wrong = |message: String| {
            Diagnostic::error(message)
                .in_place(&Place { file: file.to_owned(), line: number, column: 1 })
                .hint("a line is a token's bytes in base64, a space, and its id")
        };
        let (coded, id) = line.split_once(' ').ok_or_else(|| wrong("this line has no space".to_owned()))?;
        let token = STANDARD.decode(coded).map_err(|error| wrong(format!("`{coded}` is not base64: {error}")))?;
        if token.is_empty() {
            return Err(wrong("this token has no bytes".to_owned()));
        }
        let id: usize = id.trim().parse().map_err(|_| wrong(format!("`{id}` is not an id")))?;
        if id >= ids {
            return Err(wrong(format!("the id {id} is too large for this file")));
        }
        if id >= tokens.len() {
            tokens.resize(id + 1, Box::default());
        }
        if !tokens[id].is_empty() {
            return Err(wrong(format!("the id {id} has a token already")));
        }
        if let Some(earlier) = lines.insert(token.clone(), number) {
            return Err(wrong(format!("this token is also in line {earlier}")));
        }
        tokens[id] = token.into();
    }
    Vocabulary::from_ranks(tokens).map_err(|byte| {
        Diagnostic::error(format!("the byte {byte:#04x} has no token"))
            .in_file(file)
            .hint("a byte-level vocabulary has a token for each of the 256 bytes")
    })
}
