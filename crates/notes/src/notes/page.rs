//! A page that plays: the parts of an HTML note that run its pictures, and the module that they run.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::pack::PackFiles;

/// The module, packed, in the built-in pack: `crates/page` as of the last release, so that not each change of the
/// sources is a new binary. A picture that it does not know stays still in the note.
pub const MODULE: &str = "assets/page/page.wasm.gz";

/// The script that plays pictures.
pub(super) const SCRIPT: &str = include_str!("play.js");

/// The pictures of a note that play.
#[derive(Clone, Debug, PartialEq)]
pub struct Playing {
    /// The module's first question, which has the lesson; empty if no picture plays.
    pub pack: String,
    /// The pictures of traces, by their figures' names within the note.
    pub figures: BTreeMap<String, Played>,
}

/// Where a picture plays.
#[derive(Clone, Debug, PartialEq)]
pub enum Played {
    Here {
        /// Its step, the step's parameters, and the text of the learner's kernel, as JSON.
        of: String,
        /// The picture until it is started, as SVG.
        still: String,
    },
    /// In the program alone, for this reason.
    InTheProgram(String),
}

/// The policy of a page that plays, and the elements at its end. None if no picture plays, or the module is missing.
pub(super) fn parts(playing: &Playing) -> Option<(String, String)> {
    let module = PackFiles::Embedded.read_bytes(MODULE, u64::MAX).ok().filter(|_| !playing.pack.is_empty())?;
    let mut pack = GzEncoder::new(Vec::new(), Compression::best());
    pack.write_all(playing.pack.as_bytes()).ok()?;
    let data = |id: &str, bytes: &[u8]| {
        format!("<script type=\"application/gzip\" id=\"{id}\">{}</script>\n", BASE64_STANDARD.encode(bytes))
    };
    let hash = BASE64_STANDARD.encode(Sha256::digest(SCRIPT));
    // The script is the one that is named by its hash; its worker is a part of itself, and neither fetches anything.
    let policy = format!(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}' 'wasm-unsafe-eval'; worker-src blob:"
    );
    let elements = [data("warpbook-module", &module), data("warpbook-pack", &pack.finish().ok()?)].concat();
    Some((policy, format!("{elements}<script>{SCRIPT}</script>\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_small() {
        let module = PackFiles::Embedded.read_bytes(MODULE, u64::MAX).unwrap_or_default();
        assert!((1..=9 << 18).contains(&module.len()), "{} bytes", module.len());
    }
}
