//! The device's part of a composed text that has code of the host.

use std::path::PathBuf;

use warpbook_cuda_file::device_parts;

use super::headers::HEADERS;
use crate::base::parts;

/// The text with spaces in place of the host's code, and of headers that the compiler does not find in its folders. What an instance of a
/// template names is kept.
pub(super) fn of(source: &str, folders: &[PathBuf], instance: &str) -> String {
    let pieces = parts::parts(source);
    let texts: Vec<&str> = pieces.iter().map(|part| part.text).collect();
    let is_known = |name: &str| {
        let plain = name.rsplit('/').next();
        let is_part = pieces.iter().any(|part| part.name().is_some() && part.name() == plain);
        is_part || HEADERS.iter().any(|(of, _)| *of == name) || folders.iter().any(|folder| folder.join(name).is_file())
    };
    let kept = device_parts(&texts, &is_known, instance);
    let mut whole = source.to_owned();
    for (i, text) in kept.iter().enumerate() {
        whole = parts::replaced(&whole, i, text);
    }
    whole
}
