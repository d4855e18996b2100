//! A new lesson in a pack on disk, to start writing from.

use std::path::{Path, PathBuf};

use crate::base::diag::Diagnostic;
use crate::base::store::write_atomic;
use crate::lesson::scaffold;

/// Writes a small complete lesson called `name` into the pack at `folder`, and enters it in the pack's index.
///
/// # Errors
/// When the name is no usable id, when the lesson exists already, or when a file cannot be written.
pub fn create(folder: &Path, name: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let usable = !name.is_empty()
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && name.starts_with(|c: char| c.is_ascii_lowercase());
    if !usable {
        return Err(Diagnostic::error(format!("`{name}` cannot be a lesson's id"))
            .hint("use lower-case letters, digits and dashes, a letter first"));
    }
    if folder.join("lessons").join(name).exists() {
        return Err(Diagnostic::error(format!("there is a lesson `{name}` in {} already", folder.display()))
            .hint("choose another name, or another folder with --pack"));
    }
    let index = folder.join("lessons/index.ron");
    let index_text = match std::fs::read_to_string(&index) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(Diagnostic::error(format!("cannot read {}: {error}", index.display()))),
    };
    let entered = scaffold::index_with(index_text.as_deref(), name)?;
    let mut written = Vec::new();
    for (path, contents) in scaffold::scaffold(name) {
        let path = folder.join(path);
        write_atomic(&path, contents.as_bytes())?;
        written.push(path);
    }
    write_atomic(&index, entered.as_bytes())?;
    written.push(index);
    Ok(written)
}
