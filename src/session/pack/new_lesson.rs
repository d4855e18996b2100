//! Creates a new lesson in a pack on disk, as a starting point for authors.

use std::path::{Path, PathBuf};

use crate::base::diag::Diagnostic;
use crate::base::store::write_within;
use crate::lesson::{FileError, PackFiles, add_to_index, scaffold};

/// The index of a pack, as a path within it.
const INDEX: &str = "lessons/index.ron";
/// The index of a pack that has no lessons yet.
const EMPTY_INDEX: &str = "(\n    format_version: 3,\n    order: [],\n)\n";

/// Writes a small complete lesson called `name` into the pack at `folder`, and enters it in the pack's index. The index
/// is written last: it never names a lesson that is not there.
///
/// # Errors
/// When the name is no usable id, when the lesson exists already, or when a file cannot be written; the pack is as it
/// was then.
pub fn create(folder: &Path, name: &str) -> Result<Vec<PathBuf>, Diagnostic> {
    let lesson = scaffold(name)?;
    if folder.join("lessons").join(name).exists() {
        return Err(Diagnostic::error(format!("there is a lesson `{name}` in {} already", folder.display()))
            .hint("choose another name, or another folder with --pack"));
    }
    let pack = PackFiles::Folder(folder.to_path_buf());
    let listed = match pack.read(INDEX) {
        Ok(text) => text,
        Err(FileError::Missing) => EMPTY_INDEX.to_owned(),
        Err(FileError::Unreadable(_)) => pack.require(INDEX)?,
    };
    let entered = add_to_index(&pack.display(INDEX), &listed, name)?;
    let files: Vec<(PathBuf, String)> = lesson.into_iter().map(|(path, text)| (folder.join(path), text)).collect();
    if let Some((there, _)) = files.iter().find(|(path, _)| path.symlink_metadata().is_ok()) {
        return Err(Diagnostic::error(format!("{} is there already", there.display()))
            .hint("choose another name, or move that file away: nothing is overwritten"));
    }
    let mut written = Vec::new();
    for (path, contents) in files.into_iter().chain([(folder.join(INDEX), entered)]) {
        if let Err(problem) = write_within(folder, &path, contents.as_bytes()) {
            take_back(&written);
            return Err(problem);
        }
        written.push(path);
    }
    Ok(written)
}

/// Removes files that were written, and their folders if nothing else is in them.
fn take_back(written: &[PathBuf]) {
    for path in written {
        // Files that cannot be removed stay: the index does not name them, and the original problem is the one to report.
        let _ = std::fs::remove_file(path);
        let _ = path.parent().map(std::fs::remove_dir);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_takes_any_number_of_lessons() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        for name in ["one", "two", "three"] {
            create(folder.path(), name)?;
        }
        let (pack, found) = crate::session::load(&PackFiles::Folder(folder.path().into()));
        assert!(found.is_empty(), "{found:?}");
        assert_eq!(pack.lessons.iter().map(|lesson| lesson.id.as_str()).collect::<Vec<_>>(), ["one", "two", "three"]);
        Ok(())
    }

    #[test]
    fn what_fails_leaves_the_pack_as_it_was() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        create(folder.path(), "one")?;
        let index = std::fs::read_to_string(folder.path().join(INDEX))?;
        // A file is in the place of the second lesson's shader folder.
        std::fs::write(folder.path().join("shaders/two"), "")?;
        assert!(create(folder.path(), "two").is_err());
        assert_eq!(std::fs::read_to_string(folder.path().join(INDEX))?, index);
        assert!(!folder.path().join("lessons/two").exists());
        std::fs::remove_file(folder.path().join("shaders/two"))?;
        create(folder.path(), "two")?;
        Ok(())
    }
}
