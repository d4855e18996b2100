//! A new lesson in a pack on disk, to start writing from.

use std::path::{Path, PathBuf};

use crate::base::diag::Diagnostic;
use crate::base::store::write_atomic;
use crate::lesson::{add_to_index, scaffold};

/// The index of a pack that has no lessons yet.
const EMPTY_INDEX: &str = "(\n    format_version: 2,\n    order: [],\n)\n";

/// Writes a small complete lesson called `name` into the pack at `folder`, and enters it in the pack's index.
///
/// # Errors
/// When the name is no usable id, when the lesson exists already, or when a file cannot be written.
pub fn create(folder: &Path, name: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let lesson = scaffold(name)?;
    if folder.join("lessons").join(name).exists() {
        return Err(Diagnostic::error(format!("there is a lesson `{name}` in {} already", folder.display()))
            .hint("choose another name, or another folder with --pack"));
    }
    let index = folder.join("lessons/index.ron");
    let listed = match std::fs::read_to_string(&index) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => EMPTY_INDEX.to_owned(),
        Err(error) => return Err(Diagnostic::error(format!("cannot read {}: {error}", index.display()))),
    };
    let entered = add_to_index(&index.display().to_string(), &listed, name)?;
    for (path, _) in &lesson {
        if folder.join(path).exists() {
            return Err(Diagnostic::error(format!("{} is there already", folder.join(path).display()))
                .hint("choose another name, or move that file away: nothing is overwritten"));
        }
    }
    let mut written = Vec::new();
    for (path, contents) in lesson {
        let path = folder.join(path);
        write_atomic(&path, contents.as_bytes())?;
        written.push(path);
    }
    write_atomic(&index, entered.as_bytes())?;
    written.push(index);
    Ok(written)
}
