//! The device's part of a composed text that has code of the host.

use std::cell::RefCell;
use std::path::PathBuf;

use warpbook_cuda_file::device_parts;

use super::headers::HEADERS;
use crate::base::parts;

/// The device's part of a text.
pub(super) struct DevicePart {
    /// The text with spaces in place of the host's code, and of headers that the compiler does not find in its folders.
    pub text: String,
    /// These headers, but for those of C++'s own library.
    pub left_out: Vec<String>,
}

/// The device's part of a composed text. Types and functions that an instance of a template names are kept.
pub(super) fn of(source: &str, folders: &[PathBuf], instance: &str) -> DevicePart {
    let pieces = parts::parts(source);
    let texts: Vec<&str> = pieces.iter().map(|part| part.text).collect();
    let left_out = RefCell::new(Vec::new());
    let is_known = |name: &str| {
        let plain = name.rsplit('/').next();
        let is_part = pieces.iter().any(|part| part.name().is_some() && part.name() == plain);
        let is_there = || folders.iter().any(|folder| folder.join(name).is_file());
        let is_known = is_part || HEADERS.iter().any(|(of, _)| *of == name) || is_there();
        if !is_known && name.contains('.') {
            left_out.borrow_mut().push(name.to_owned());
        }
        is_known
    };
    let kept = device_parts(&texts, &is_known, instance);
    let mut text = source.to_owned();
    for (i, kept) in kept.iter().enumerate() {
        text = parts::replaced(&text, i, kept);
    }
    DevicePart { text, left_out: left_out.into_inner() }
}
