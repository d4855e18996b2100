//! The files of a pack, which are built into the program or are in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::Dir;
use serde::{Deserialize, Serialize};

use crate::base::diag::Diagnostic;
use crate::base::files::{FileError, LARGEST, read_file, text_of};
use crate::base::sanitize::MARKS;

/// A pack's three folders, by their names within the pack. A page brings the files that it needs.
#[cfg(not(target_family = "wasm"))]
static BUILT_IN: [(&str, &Dir<'_>); 3] = [
    ("lessons", &include_dir::include_dir!("$CARGO_MANIFEST_DIR/../../lessons")),
    ("shaders", &include_dir::include_dir!("$CARGO_MANIFEST_DIR/../../shaders")),
    ("assets", &include_dir::include_dir!("$CARGO_MANIFEST_DIR/../../assets")),
];
#[cfg(target_family = "wasm")]
static BUILT_IN: [(&str, &Dir<'_>); 0] = [];

/// The files of a pack: `lessons/`, `shaders/` and `assets/`. Paths within it have `/` between their parts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PackFiles {
    /// The pack that is built into the program.
    Embedded,
    /// A folder on disk that holds the three.
    Folder(PathBuf),
    /// Files by their paths, as a page has them.
    Memory(Arc<BTreeMap<String, Vec<u8>>>),
}

impl PackFiles {
    /// The text of the file at `path`, with a byte-order mark removed.
    ///
    /// # Errors
    /// Where the file is not there, not UTF-8 or not readable, and where `path` leaves the pack.
    pub fn read(&self, path: &str) -> Result<String, FileError> {
        let text = text_of(self.read_bytes(path, LARGEST)?).map_err(|error| FileError::from(&error))?;
        Ok(if text.contains(MARKS) { text.replace(MARKS, "\u{fffd}") } else { text })
    }

    /// The bytes of the file at `path`, `most` of them at most.
    ///
    /// # Errors
    /// Where the file is not there, larger or not readable, and where `path` leaves the pack, also through a link.
    pub fn read_bytes(&self, path: &str, most: u64) -> Result<Vec<u8>, FileError> {
        if !is_inside(path) {
            return Err(FileError::Missing);
        }
        match self {
            Self::Embedded => {
                let (folder, rest) = path.split_once('/').ok_or(FileError::Missing)?;
                let (_, dir) = BUILT_IN.iter().find(|(name, _)| *name == folder).ok_or(FileError::Missing)?;
                Ok(dir.get_file(rest).ok_or(FileError::Missing)?.contents().to_vec())
            }
            Self::Folder(root) => read_file(&resolve(root, path)?, most).map_err(|error| FileError::from(&error)),
            Self::Memory(files) => files.get(path).cloned().ok_or(FileError::Missing),
        }
    }

    /// Whether there is a file at `path` that can be read, without reading it.
    pub fn find(&self, path: &str) -> Result<(), FileError> {
        match self {
            Self::Folder(root) if is_inside(path) => match resolve(root, path)?.is_file() {
                true => Ok(()),
                false => Err(FileError::Unreadable("it is not a regular file".to_owned())),
            },
            _ => self.read_bytes(path, LARGEST).map(drop),
        }
    }

    /// The paths of all files below `folder` (a path within the pack), in order.
    #[must_use]
    pub fn list(&self, folder: &str) -> Vec<String> {
        let mut paths = Vec::new();
        match self {
            Self::Embedded => {
                for (name, dir) in BUILT_IN {
                    list_embedded(name, dir, &mut paths);
                }
                let below = format!("{folder}/");
                paths.retain(|path| path.starts_with(&below));
            }
            Self::Folder(root) if is_inside(folder) => list_folder(root, folder, &mut paths),
            Self::Folder(_) => {}
            Self::Memory(files) => {
                let below = format!("{folder}/");
                paths.extend(files.keys().filter(|path| path.starts_with(&below)).cloned());
            }
        }
        paths.sort();
        paths
    }

    /// The file at `path` as its user would name it.
    #[must_use]
    pub fn display(&self, path: &str) -> String {
        match self {
            Self::Embedded | Self::Memory(_) => path.to_owned(),
            Self::Folder(root) => root.join(path).display().to_string(),
        }
    }

    /// A problem whose place is in a file of the pack, with that file as its user would name it.
    #[must_use]
    pub fn named(&self, mut problem: Diagnostic) -> Diagnostic {
        if let Some(place) = problem.place.as_mut().filter(|place| self.find(&place.file).is_ok()) {
            place.file = self.display(&place.file);
        }
        problem
    }

    /// As [`PackFiles::read`], with a diagnostic about the whole file where it fails.
    pub fn require(&self, path: &str) -> Result<String, Diagnostic> {
        self.read(path).map_err(|error| match error {
            FileError::Missing => {
                Diagnostic::error("this file is missing").in_file(&self.display(path)).hint("a pack needs it: add it")
            }
            FileError::Unreadable(why) => {
                Diagnostic::error(format!("cannot read this file: {why}")).in_file(&self.display(path))
            }
        })
    }
}

/// Where `path` within the folder `root` really is; links may not lead out of it.
fn resolve(root: &Path, path: &str) -> Result<PathBuf, FileError> {
    let real = root.join(path).canonicalize().map_err(|error| FileError::from(&error))?;
    if real.starts_with(root.canonicalize().map_err(|error| FileError::from(&error))?) {
        return Ok(real);
    }
    Err(FileError::Unreadable("it is a link out of the pack".to_owned()))
}

/// Whether `path` is made of plain names, and so stays within the pack.
fn is_inside(path: &str) -> bool {
    !path.contains(['\\', ':', '\0']) && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

fn list_embedded(prefix: &str, dir: &Dir<'_>, into: &mut Vec<String>) {
    for file in dir.files() {
        let parts: Vec<_> = file.path().iter().map(|part| part.to_string_lossy()).collect();
        into.push(format!("{prefix}/{}", parts.join("/")));
    }
    for below in dir.dirs() {
        list_embedded(prefix, below, into);
    }
}

/// Folders that link back to one above them would never end; no pack is deeper than this.
const DEEPEST: usize = 16;

fn list_folder(root: &Path, folder: &str, into: &mut Vec<String>) {
    if folder.split('/').count() > DEEPEST {
        return;
    }
    for entry in std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten() {
        // Names that are not text cannot be written in a lesson either.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{folder}/{name}");
        // A link to a folder is not followed: it may lead back here.
        if entry.file_type().is_ok_and(|t| t.is_dir()) {
            list_folder(root, &path, into);
        } else {
            into.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_pack_has_an_index() {
        assert!(PackFiles::Embedded.read("lessons/index.ron").is_ok());
        assert!(PackFiles::Embedded.list("lessons").contains(&"lessons/index.ron".to_owned()));
        assert_eq!(PackFiles::Embedded.read("Cargo.toml"), Err(FileError::Missing));
    }

    #[test]
    fn a_folder_is_a_pack() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("lessons/a"))?;
        std::fs::write(folder.path().join("lessons/a/text.md"), "\u{feff}hello")?;
        std::fs::write(folder.path().join("lessons/a/bad.md"), [0xFF, 0xFE])?;
        std::fs::write(folder.path().join("secret"), "no")?;
        let pack = PackFiles::Folder(folder.path().join("."));
        assert_eq!(pack.read("lessons/a/text.md"), Ok("hello".to_owned()));
        assert_eq!(pack.list("lessons"), ["lessons/a/bad.md", "lessons/a/text.md"]);
        assert_eq!(pack.read("lessons/a/none.md"), Err(FileError::Missing));
        assert!(matches!(pack.read("lessons/a/bad.md"), Err(FileError::Unreadable(_))));
        for outside in ["../secret", "lessons/../../secret", "/etc/passwd", "lessons/./a/text.md", ""] {
            assert_eq!(pack.read(outside), Err(FileError::Missing), "{outside}");
        }
        assert!(pack.display("lessons/a/text.md").ends_with("lessons/a/text.md"));
        Ok(())
    }
}
