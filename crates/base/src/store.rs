//! Atomic writes of files, which never lose the data of an older or newer program.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::diag::Diagnostic;
use super::files::read_file;

/// The largest stored file that is read, in bytes: far more than a learner writes.
const LARGEST: u64 = 64 << 20;

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

/// Writes `contents` to `path`, which is in the folder `root`, as [`write_atomic`] does; but not through a link that
/// leads out of the folder. A folder that somebody else made may have such links.
///
/// # Errors
/// As [`write_atomic`]; and a link out of the folder, or one that leads nowhere, which is named.
pub fn write_within(root: &Path, path: &Path, contents: &[u8]) -> Result<(), Diagnostic> {
    stay_within(root, path)?;
    write_atomic(path, contents)
}

/// Whether [`write_within`] may write there.
///
/// # Errors
/// A link out of the folder, or one that leads nowhere.
fn stay_within(root: &Path, path: &Path) -> Result<(), Diagnostic> {
    let problem = |what: String| Diagnostic::error(format!("cannot write {}: {what}", path.display()));
    let cannot = |what: String| problem(what).hint("remove the link, or choose another folder");
    let io = |error: io::Error| problem(error.to_string()).hint("choose a folder that you may write to");
    let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
    std::fs::create_dir_all(root).map_err(io)?;
    let real_root = std::fs::canonicalize(root).map_err(io)?;
    let below = path.strip_prefix(root).map_err(|_| cannot(format!("it is not in {}", root.display())))?;
    if below.components().any(|part| !matches!(part, Component::Normal(_))) {
        return Err(cannot(format!("it is not in {}", root.display())));
    }
    let mut at = root.to_path_buf();
    for part in below.components() {
        at.push(part);
        let Ok(there) = at.symlink_metadata() else { return Ok(()) };
        if there.is_symlink() {
            let real = std::fs::canonicalize(&at)
                .map_err(|_| cannot(format!("{} is a link that leads nowhere", at.display())))?;
            if !real.starts_with(&real_root) {
                return Err(cannot(format!(
                    "{} is a link to {}, out of {}",
                    at.display(),
                    real.display(),
                    root.display()
                )));
            }
        }
    }
    Ok(())
}

/// Whether [`write_atomic`] can write there, as far as that shows before.
///
/// # Errors
/// A diagnostic naming the path if there is something that is no file, or its folder is none or cannot be written to.
pub fn check_target(path: &Path) -> Result<(), Diagnostic> {
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let cannot = |why: String| Err(Diagnostic::error(format!("cannot write {}: {why}", path.display())));
    if target.is_dir() {
        return cannot("it is a folder".to_owned()).map_err(|error| error.hint("name a file in it"));
    }
    if target.exists() && !target.is_file() {
        return cannot("it is a pipe or a device".to_owned()).map_err(|error| error.hint("name a file"));
    }
    let Some(folder) = target.ancestors().skip(1).find(|folder| folder.as_os_str().is_empty() || folder.exists())
    else {
        return Ok(());
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if !folder.is_dir() {
        return cannot(format!("{} is no folder", folder.display()));
    }
    // The only sure way to find out; the file goes away at once.
    match builder().tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => cannot(error.to_string()).map_err(|error| error.hint("choose a folder that you may write to")),
    }
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
    sweep(folder);
    let mut temporary = builder().tempfile_in(folder)?;
    temporary.write_all(contents)?;
    temporary.as_file().sync_all()?;
    temporary.persist(path)?;
    Ok(())
}

/// How the names of temporary files begin, and end.
const TEMPORARY: (&str, &str) = (".warpbook-", ".tmp");

/// How old a temporary file has to be to count as one whose program was killed.
const LEFT_BEHIND: Duration = Duration::from_hours(1);

/// Removes temporary files of programs that were killed before they could. A file that cannot be removed does no harm.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(TEMPORARY.0) && name.ends_with(TEMPORARY.1));
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if is_ours && age().is_some_and(|age| age > LEFT_BEHIND) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Temporary files are private by default; what becomes of these is as readable as any other file of the user's.
fn builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder
}

/// The result of [`load`].
#[derive(Debug)]
pub enum Loaded<T> {
    /// No file there yet.
    Missing,
    /// The stored value; and where the file had more than this program understands, that a copy of it was kept, and
    /// where.
    Value(T, Option<Diagnostic>),
    /// A file that this program cannot read; it now lies at `kept`, and the diagnostic says why.
    SetAside {
        /// Where the unreadable file went.
        kept: PathBuf,
        /// The problem with it.
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
    let text = text_of(format_version, value)
        .map_err(|error| Diagnostic::error(format!("cannot store {}: {error}", path.display())))?;
    write_atomic(path, text.as_bytes())
}

fn text_of<T: Serialize>(format_version: u32, value: &T) -> Result<String, ron::Error> {
    ron::ser::to_string_pretty(&Versioned { format_version, value }, ron::ser::PrettyConfig::default())
}

/// Reads what [`save`] wrote, and leaves the file alone; None if there is no file.
///
/// # Errors
/// When the file cannot be read, is torn, or is from another version.
pub fn read<T: DeserializeOwned>(path: &Path, format_version: u32) -> Result<Option<T>, Diagnostic> {
    Ok(understood(path, format_version)?.map(|(value, _)| value))
}

/// The value in a file, and what else is there that this program does not understand.
fn understood<T: DeserializeOwned>(path: &Path, format_version: u32) -> Result<Option<(T, Vec<String>)>, Diagnostic> {
    let name = path.display().to_string();
    let bytes = match read_file(path, LARGEST) {
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
        _ => {
            let mut unknown = Vec::new();
            if matches!(text, std::borrow::Cow::Owned(_)) {
                unknown.push("bytes that are not UTF-8 text".to_owned());
            }
            let value = parse::<Versioned<T>>(&text, &mut unknown).map_err(|error| {
                let mut why = Diagnostic::error(format!("cannot read the stored state: {}", error.code)).in_file(&name);
                if let Some(place) = &mut why.place {
                    place.line = u32::try_from(error.span.start.line).unwrap_or(1);
                    place.column = u32::try_from(error.span.start.col).unwrap_or(1);
                }
                why
            })?;
            Ok(Some((value.value, unknown)))
        }
    }
}

/// Reads RON, and adds to `unknown` the fields that `T` does not have.
fn parse<T: DeserializeOwned>(text: &str, unknown: &mut Vec<String>) -> Result<T, ron::error::SpannedError> {
    let mut reader = ron::Deserializer::from_str(text)?;
    let mut ignored = |field: serde_ignored::Path<'_>| unknown.push(format!("the field `{field}`"));
    let value = serde_ignored::deserialize(&mut reader, &mut ignored).map_err(|error| reader.span_error(error))?;
    reader.end().map_err(|error| reader.span_error(error))?;
    Ok(value)
}

/// As [`read`], to be written again later: a file that cannot be read is renamed and kept, never overwritten; of one
/// that is understood in part a copy is kept.
///
/// # Errors
/// When there is a file that can be neither read nor set aside. It must not be written to then.
pub fn load<T: DeserializeOwned>(path: &Path, format_version: u32) -> Result<Loaded<T>, Diagnostic> {
    let why = match understood(path, format_version) {
        Ok(None) => return Ok(Loaded::Missing),
        Ok(Some((value, unknown))) => {
            let Some(first) = unknown.first() else { return Ok(Loaded::Value(value, None)) };
            let kept = copy_aside(path)?;
            let note = Diagnostic::warning(format!("{} has {first}, which this program does not know", path.display()))
                .hint(format!("nothing is lost: the file as it was is kept as {}", kept.display()));
            return Ok(Loaded::Value(value, Some(note)));
        }
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

/// Writes `value`, as [`save`] does, to a new file of the system's temporary folder, and returns its path.
///
/// # Errors
/// When it cannot be written there either.
pub fn save_elsewhere<T: Serialize>(format_version: u32, value: &T) -> Result<PathBuf, Diagnostic> {
    let cannot = |error: io::Error| {
        let folder = std::env::temp_dir();
        Diagnostic::error(format!("no copy can be kept in {} either: {error}", folder.display()))
    };
    let text = text_of(format_version, value).map_err(|error| cannot(io::Error::other(error)))?;
    // Others on this computer may not read it.
    let mut file = tempfile::Builder::new().prefix("warpbook-").suffix(".ron").tempfile().map_err(cannot)?;
    file.write_all(text.as_bytes()).and_then(|()| file.as_file().sync_all()).map_err(cannot)?;
    Ok(file.keep().map_err(|error| cannot(error.error))?.1)
}

/// Copies the file to a free name beside it, which is returned; or returns the name of a copy that is there already.
///
/// # Errors
/// When the copy cannot be written.
pub fn copy_aside(path: &Path) -> Result<PathBuf, Diagnostic> {
    let same = |kept: &PathBuf| match (read_file(path, LARGEST), read_file(kept, LARGEST)) {
        (Ok(now), Ok(kept)) => now == kept,
        _ => false,
    };
    if let Some(kept) = kept_names(path).take_while(|kept| is_there(kept)).find(same) {
        return Ok(kept);
    }
    let kept = free_name(path);
    let copied = std::fs::read(path).and_then(|bytes| write_through_temporary(&kept, &bytes));
    copied.map_err(|error| {
        Diagnostic::error(format!("cannot keep a copy of {} as {}: {error}", path.display(), kept.display()))
            .hint("until that is mended, nothing new is kept")
    })?;
    Ok(kept)
}

/// How often a lock is tried, and the time between two tries: two seconds in all. A write takes milliseconds.
const TRIES: (usize, Duration) = (100, Duration::from_millis(20));

/// Keeps other programs that ask for the same lock from `path`, as long as what is returned lives. The lock is on
/// `path.lock`, which stays there: the file itself is replaced by each write.
///
/// # Errors
/// When the lock's file cannot be made, or another program keeps the lock.
pub fn lock(path: &Path) -> Result<File, Diagnostic> {
    let lock = beside(path, ".lock");
    // Opening a pipe would wait for someone who reads it.
    if lock.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(Diagnostic::error(format!("cannot write {}: it is not a regular file", lock.display()))
            .hint("remove it, or move it elsewhere"));
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let made = std::fs::create_dir_all(folder)
        .and_then(|()| File::options().create(true).truncate(false).write(true).open(&lock));
    let file = made.map_err(|error| {
        Diagnostic::error(format!("cannot write {}: {error}", lock.display()))
            .hint("choose a folder that exists, that you may write to and that has room")
    })?;
    for _ in 0..TRIES.0 {
        match file.try_lock() {
            // On a file system without locks each write is still whole.
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(TRIES.1),
        }
    }
    Err(Diagnostic::error(format!("another program keeps {} locked", path.display()))
        .hint("close other windows of this program"))
}

/// The first of `path.kept`, `path.kept2`, … that does not exist.
fn free_name(path: &Path) -> PathBuf {
    kept_names(path).find(|name| !is_there(name)).unwrap_or_else(|| beside(path, ".kept"))
}

/// Whether there is something of this name, a link that leads nowhere included.
fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// `path.kept`, `path.kept2`, ….
fn kept_names(path: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    std::iter::once(beside(path, ".kept")).chain((2_u32..).map(|i| beside(path, &format!(".kept{i}"))))
}

/// The path with something added to its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
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
        assert!(matches!(load::<Vec<u32>>(&path, 1)?, Loaded::Value(v, None) if v == [1, 2]));
        Ok(())
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_written_through_a_link_out_of_a_folder() -> Result<(), Box<dyn std::error::Error>> {
        let (folder, outside) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let (root, mine) = (folder.path(), outside.path().join("mine"));
        std::fs::write(&mine, "mine")?;
        let link = |to: &Path, name: &str| std::os::unix::fs::symlink(to, root.join(name));
        link(&mine, "file")?;
        link(outside.path(), "folder")?;
        link(&outside.path().join("nothing"), "nowhere")?;
        std::fs::create_dir(root.join("real"))?;
        link(&root.join("real"), "within")?;
        for name in ["file", "folder/new", "nowhere", "real/../../x"] {
            let refused = write_within(root, &root.join(name), b"x");
            assert!(refused.is_err(), "{name}");
        }
        assert!(write_within(root, &outside.path().join("new"), b"x").is_err());
        assert_eq!(std::fs::read(&mine)?, b"mine");
        assert_eq!(std::fs::read_dir(outside.path())?.count(), 1);
        write_within(root, &root.join("within/new"), b"x")?;
        assert_eq!(std::fs::read(root.join("real/new"))?, b"x");
        // A copy that is kept aside has a name of its own.
        std::fs::write(root.join("note"), "old")?;
        link(&outside.path().join("kept"), "note.kept")?;
        assert_eq!(copy_aside(&root.join("note"))?, root.join("note.kept2"));
        assert_eq!(std::fs::read_dir(outside.path())?.count(), 1);
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
    #[cfg(unix)]
    fn a_pipe_in_the_place_of_a_lock_is_not_waited_for() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        assert!(std::process::Command::new("mkfifo").arg(beside(&path, ".lock")).status()?.success());
        let why = lock(&path).err().map(|problem| problem.message).unwrap_or_default();
        assert!(why.ends_with("state.ron.lock: it is not a regular file"), "{why}");
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

    #[test]
    fn a_file_that_is_understood_in_part_is_copied() -> Result<(), Box<dyn std::error::Error>> {
        #[derive(serde::Deserialize)]
        struct Known {
            name: String,
        }
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("state.ron");
        let newer = b"(format_version: 1, value: (name: \"a\", newer: Some((1, [2]))))".as_slice();
        let damaged = b"(format_version: 1, value: (name: \"a\xff\"))".as_slice();
        for (bytes, what) in [(newer, "the field `value.newer`"), (damaged, "not UTF-8")] {
            std::fs::write(&path, bytes)?;
            let Loaded::Value(known, Some(note)) = load::<Known>(&path, 1)? else { panic!("{what}: no word of it") };
            assert!(known.name.starts_with('a') && note.message.contains(what), "{note}");
            let kept = note.hint.as_deref().and_then(|hint| hint.rsplit(' ').next()).unwrap_or_default();
            assert_eq!(std::fs::read(kept)?, bytes);
            // Read once more, it is not copied once more.
            let Loaded::Value(_, Some(again)) = load::<Known>(&path, 1)? else { panic!("{what}: no word of it") };
            assert_eq!(again.hint, note.hint);
        }
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 3);
        Ok(())
    }

    #[test]
    fn temporary_files_of_killed_programs_are_removed() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let [old, fresh, own] = [".warpbook-a.tmp", ".warpbook-b.tmp", "a.tmp"].map(|name| folder.path().join(name));
        let long_ago = std::time::SystemTime::now() - 2 * LEFT_BEHIND;
        for path in [&old, &fresh, &own] {
            let file = File::create(path)?;
            if path != &fresh {
                file.set_modified(long_ago)?;
            }
        }
        write_atomic(&folder.path().join("state"), b"x")?;
        assert_eq!([old, fresh, own].map(|path| path.exists()), [false, true, true]);
        Ok(())
    }

    #[test]
    fn a_lock_is_held_by_one() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("deep/state.ron");
        let held = lock(&path)?;
        assert!(lock(&path).is_err_and(|why| why.message.contains("another program")));
        drop(held);
        lock(&path)?;
        Ok(())
    }
}
