//! Files that are never half written, and never lose what an older or newer program left.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::diag::Diagnostic;

/// Writes `contents` to `path` so that a reader sees the old file or the new one, never a part.
///
/// # Errors
/// A diagnostic naming the path when its folder cannot be made or the file cannot be written or renamed.
pub fn write_atomic(path: &Path, contents: &[u8]) -> Result<(), Diagnostic> {
    write_through_temporary(path, contents).map_err(|error| {
        Diagnostic::error(format!("cannot write {}: {error}", path.display()))
            .hint("choose a folder that exists, that you may write to and that has room")
    })
}

fn write_through_temporary(path: &Path, contents: &[u8]) -> io::Result<()> {
    // A link stays a link: what it points to is written. Anything that is no file is left as it is.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let path = target.as_path();
    if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other("there is something there that is no file"));
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    std::fs::create_dir_all(folder)?;
    let mut temporary = builder().tempfile_in(folder)?;
    temporary.write_all(contents)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

/// Temporary files are private by default; what becomes of these is as readable as any other file of the user's.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

/// What [`load`] found.
#[derive(Debug)]
pub enum Loaded<T> {
    /// No file there yet.
    Missing,
    /// The stored value.
    Value(T),
    /// A file that this program cannot read; it now lies at `kept`, and the diagnostic says why.
    SetAside {
        /// Where the unreadable file went.
        kept: PathBuf,
        /// What was wrong with it.
        why: Diagnostic,
    },
}

#[derive(Serialize, serde::Deserialize)]
struct Versioned<T> {
    format_version: u32,
    value: T,
}

/// Reads only the version, whatever else the file holds.
#[derive(serde::Deserialize)]
struct VersionOnly {
    format_version: u32,
}

/// Writes `value` as versioned RON.
///
/// # Errors
/// As [`write_atomic`]; also when the value has no RON form.
pub fn save<T: Serialize>(path: &Path, format_version: u32, value: &T) -> Result<(), Diagnostic> {
    let text = ron::ser::to_string_pretty(&Versioned { format_version, value }, ron::ser::PrettyConfig::default())
        .map_err(|error| Diagnostic::error(format!("cannot store {}: {error}", path.display())))?;
    write_atomic(path, text.as_bytes())
}

/// Reads what [`save`] wrote, and leaves the file alone; none where there is no file.
///
/// # Errors
/// When the file cannot be read, is torn, or is from another version.
pub fn read<T: DeserializeOwned>(path: &Path, format_version: u32) -> Result<Option<T>, Diagnostic> {
    let name = path.display().to_string();
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Diagnostic::error(format!("cannot read {name}: {error}"))),
        Ok(bytes) => bytes,
    };
    let text = String::from_utf8_lossy(&bytes);
    match ron::from_str::<VersionOnly>(&text) {
        Ok(stored) if stored.format_version != format_version => Err(Diagnostic::error(format!(
            "{name} has format {}, and this program reads format {format_version}",
            stored.format_version
        ))),
        _ => match ron::from_str::<Versioned<T>>(&text) {
            Ok(stored) => Ok(Some(stored.value)),
            Err(error) => {
                let mut why = Diagnostic::error(format!("cannot read the stored state: {}", error.code)).in_file(&name);
                if let Some(place) = &mut why.place {
                    place.line = u32::try_from(error.span.start.line).unwrap_or(1);
                    place.column = u32::try_from(error.span.start.col).unwrap_or(1);
                }
                Err(why)
            }
        },
    }
}

/// As [`read`], to be written again later: a file that cannot be read is renamed and kept, never overwritten.
///
/// # Errors
/// When there is a file that can be neither read nor set aside. It must not be written to then.
pub fn load<T: DeserializeOwned>(path: &Path, format_version: u32) -> Result<Loaded<T>, Diagnostic> {
    let why = match read(path, format_version) {
        Ok(Some(value)) => return Ok(Loaded::Value(value)),
        Ok(None) => return Ok(Loaded::Missing),
        Err(why) => why,
    };
    let kept = free_name(path);
    std::fs::rename(path, &kept).map_err(|error| {
        let message = format!("{}, and it cannot be set aside: {error}", why.message);
        Diagnostic { message, ..why.clone() }.hint("until that is mended, nothing new is kept")
    })?;
    let why = why.hint(format!("it was kept as {}, and a new file is begun", kept.display()));
    Ok(Loaded::SetAside { kept, why })
}

/// The first of `path.kept`, `path.kept2`, … that does not exist.
fn free_name(path: &Path) -> PathBuf {
    let named = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let first = named(".kept");
    if !first.exists() {
        return first;
    }
    (2_u32..).map(|i| named(&format!(".kept{i}"))).find(|p| !p.exists()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_is_loaded() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("deep/state.ron");
        assert!(matches!(load::<Vec<u32>>(&path, 1)?, Loaded::Missing));
        save(&path, 1, &vec![1_u32, 2])?;
        assert!(matches!(load::<Vec<u32>>(&path, 1)?, Loaded::Value(v) if v == [1, 2]));
        Ok(())
    }

    #[test]
    #[cfg(unix)]
    fn links_are_followed_and_devices_are_left_alone() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&real, "old")?;
        std::os::unix::fs::symlink(&real, &link)?;
        write_atomic(&link, b"new")?;
        assert_eq!(std::fs::read_to_string(&real)?, "new");
        assert!(link.symlink_metadata()?.is_symlink());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket)?;
        assert!(write_atomic(&socket, b"no").is_err_and(|e| e.message.contains("no file")));
        assert!(!socket.symlink_metadata()?.is_file());
        Ok(())
    }

    #[test]
    fn torn_and_newer_files_are_kept_aside() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        for text in ["(format_version: 1, value: [1, 2", "(format_version: 9, value: \"new\")", "\u{1}\u{2}"] {
            std::fs::write(&path, text)?;
            let Loaded::SetAside { kept, why } = load::<Vec<u32>>(&path, 1)? else { panic!("{text} was read") };
            assert_eq!(std::fs::read_to_string(kept)?, text);
            assert!(why.hint.is_some());
            assert!(!path.exists());
        }
        Ok(())
    }
}
