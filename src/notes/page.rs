//! A page that plays: the parts of an HTML note that run its pictures, and the module that they run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::pack::PackFiles;

/// The module, packed, in the built-in pack. `WARPBOOK_WRITE_PAGE=1 cargo test --test page` builds it of `crates/page`.
pub const MODULE: &str = "assets/page/page.wasm.gz";
/// The fingerprint of the sources that it was built from.
pub const FINGERPRINT: &str = "assets/page/fingerprint";

/// The module's sources: files and folders.
const SOURCES: [&str; 16] = [
    "crates/base/src",
    "crates/page/src/lib.rs",
    "crates/tracer/src",
    "src/device",
    "src/figures",
    "src/gpu/simt.rs",
    "src/gpu/walk.rs",
    "src/job",
    "src/lesson",
    "src/measure",
    "src/pack.rs",
    "src/reference",
    "src/session/ask",
    "src/session/jobs",
    "src/session/run",
    "src/session/show",
];

const SCRIPT: &str = include_str!("play.js");

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
    /// In the page.
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
    std::io::Write::write_all(&mut pack, playing.pack.as_bytes()).ok()?;
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

/// The fingerprint of the sources below a repository's root.
///
/// # Errors
/// The file that cannot be read, and why.
pub fn fingerprint(root: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    for source in SOURCES {
        collect(&root.join(source), &mut files)?;
    }
    files.sort();
    let mut hash = Sha256::new();
    for file in files {
        let name = file.strip_prefix(root).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        let text = fs::read(&file).map_err(|error| format!("{name}: {error}"))?;
        hash.update(format!("{name} {}\n", text.len()));
        hash.update(text);
    }
    let mut hex = String::new();
    for byte in hash.finalize() {
        let _ = write!(hex, "{byte:02x}");
    }
    Ok(hex)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    if path.is_file() {
        files.push(path.to_owned());
        return Ok(());
    }
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    for entry in entries {
        collect(&entry.map_err(|error| error.to_string())?.path(), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_module_is_of_these_sources_and_small() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let kept = PackFiles::Embedded.read(FINGERPRINT).unwrap_or_default();
        let built = "the module is of other sources: docs/design/tests.md says how it is built";
        assert_eq!(Ok(kept.trim()), fingerprint(root).as_deref(), "{built}");
        let module = PackFiles::Embedded.read_bytes(MODULE, u64::MAX).unwrap_or_default();
        assert!((1..=2 << 20).contains(&module.len()), "{} bytes", module.len());
    }
}
