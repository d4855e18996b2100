//! PTX that a pack keeps beside a kernel in CUDA C++: a compressed text with a section for each set of constants that
//! the pack's pages use.

use std::collections::BTreeMap;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::constants::header;
use crate::base::diag::Diagnostic;
use crate::job::{Launch, Shipped, Twin};
use crate::simt;

/// Begins the line before a section, which the section's key follows.
const MARK: &str = "//// ";

/// The longest text, in bytes: a damaged file must not fill the memory.
const MOST: u64 = 64 << 20;

/// A launch's key among the sections: of its source and its constants. None if it has no twin.
#[must_use]
pub fn key(launch: &Launch) -> Option<String> {
    let twin = launch.twin()?;
    let mut hash = Sha256::new();
    hash.update(twin.source.as_bytes());
    hash.update([0]);
    hash.update(header(launch).as_bytes());
    Some(hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect())
}

/// The section with a key.
#[must_use]
pub fn find(shipped: &Shipped, key: &str) -> Option<String> {
    sections(shipped).remove(key)
}

/// The sections by key; none of a file that is damaged.
#[must_use]
pub fn sections(Shipped(bytes): &Shipped) -> BTreeMap<String, String> {
    let mut text = String::new();
    if GzDecoder::new(&**bytes).take(MOST).read_to_string(&mut text).is_err() {
        return BTreeMap::new();
    }
    let between = format!("\n{MARK}");
    let parts = text.strip_prefix(MARK).unwrap_or_default().split(&between);
    parts.filter_map(|part| part.split_once('\n')).map(|(key, ptx)| (key.to_owned(), ptx.to_owned())).collect()
}

/// Arguments that are numbers, each with its place among the parameters: their bytes, as the kernel's PTX declares the
/// parameters.
///
/// # Errors
/// A kernel that is not in the PTX, has no such parameter, or one of another type.
pub fn encoded(twin: &Twin, ptx: &str, values: &[(u32, String, f64)]) -> Result<Vec<(usize, Vec<u8>)>, Diagnostic> {
    if values.is_empty() {
        return Ok(Vec::new());
    }
    let entry = simt::ptx_entry_named(ptx, &twin.entry).unwrap_or_else(|| twin.entry.clone());
    let signature = simt::ptx_signature(&twin.file, ptx, &entry)?;
    let each = values.iter().map(|(place, name, value)| {
        let place = *place as usize;
        let wrong = |message: String| Diagnostic::error(message).in_file(&twin.file);
        let Some(parameter) = signature.parameters.get(place) else {
            let takes = signature.parameters.len();
            return Err(wrong(format!(
                "`{}` takes {takes} parameters, and `{name}` is parameter {}",
                twin.entry,
                place + 1
            ))
            .hint("name all that it takes, in order"));
        };
        let bytes = parameter.encode(&value.to_string()).ok_or_else(|| {
            wrong(format!("{value} is no value for `{name}` of `{}` ({})", twin.entry, parameter.type_words()))
                .hint("give a number of that type")
        });
        Ok((place, bytes?))
    });
    each.collect()
}

/// Sections as a pack keeps them. The same sections give the same bytes.
///
/// # Errors
/// None in practice: what is written to is memory.
pub fn packed(sections: &BTreeMap<String, String>) -> std::io::Result<Vec<u8>> {
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    for (i, (key, ptx)) in sections.iter().enumerate() {
        let before = if i > 0 { "\n" } else { "" };
        write!(out, "{before}{MARK}{key}\n{ptx}")?;
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_back() -> std::io::Result<()> {
        let sections: BTreeMap<String, String> =
            [("a1", ".version 8.0\n// x\n"), ("b2", "")].map(|(key, ptx)| (key.to_owned(), ptx.to_owned())).into();
        let bytes = packed(&sections)?;
        assert_eq!(bytes, packed(&sections)?);
        let shipped = Shipped(bytes.into());
        assert_eq!(self::sections(&shipped), sections);
        assert_eq!(find(&shipped, "a1").as_deref(), Some(".version 8.0\n// x\n"));
        assert_eq!(find(&shipped, "c3"), None);
        assert!(self::sections(&Shipped(b"no gzip"[..].into())).is_empty());
        Ok(())
    }
}
