//! Reading files that a user names: regular ones, of a bounded size, as UTF-8.

use std::io::Read;
use std::path::Path;

/// Why a file has no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileError {
    /// It is not there.
    Missing,
    /// It is there, and this went wrong.
    Unreadable(String),
}

impl From<&std::io::Error> for FileError {
    fn from(error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Self::Missing,
            _ => Self::Unreadable(error.to_string()),
        }
    }
}

/// The largest text that is read: far more than any lesson's.
pub const LARGEST: u64 = 8 << 20;

/// The text of a regular file of 8 MiB at most, with a byte-order mark removed.
///
/// # Errors
/// As [`read_file`], and where it is not UTF-8.
pub fn read_text(path: &Path) -> std::io::Result<String> {
    read_text_within(path, LARGEST)
}

/// As [`read_text`], of a file of `most` bytes at most.
///
/// # Errors
/// As [`read_text`].
pub fn read_text_within(path: &Path, most: u64) -> std::io::Result<String> {
    text_of(read_file(path, most)?)
}

/// The text of a file's bytes, with a byte-order mark removed.
///
/// # Errors
/// Where they are not UTF-8.
pub fn text_of(bytes: Vec<u8>) -> std::io::Result<String> {
    let text = String::from_utf8(bytes)
        .map_err(|_| std::io::Error::other("it is not UTF-8 text; save it in that encoding"))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The bytes of a regular file of `most` bytes at most. Pipes and devices would be waited for, or never end.
///
/// # Errors
/// Where it is not there, larger, not regular or not readable.
pub fn read_file(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let there = std::fs::metadata(path)?;
    if !there.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    if there.len() > most {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", most >> 20)));
    }
    // It may grow meanwhile.
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
