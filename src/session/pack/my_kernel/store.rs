//! The learner's own pack of kernels, beside the saved state.

use std::path::{Path, PathBuf};

use super::{Setup, comment, document, files};
use crate::base::diag::Diagnostic;
use crate::base::store::{write_atomic, write_within};
use crate::base::{files as disk, parts};
use crate::lesson::{Pack, PackFiles};
use crate::session::pack::assemble::{MachineCode, assemble};
use crate::session::run::devices::Devices;

/// The name of the pack's folder.
const FOLDER: &str = "kernels";

/// The setup of a lesson's kernel, beside its document.
const SETUP: &str = "setup.ron";

/// The longest id.
const LONGEST: usize = 40;

/// The folder of the learner's kernels, beside the file of the saved state.
#[must_use]
pub fn folder(state: &Path) -> Option<PathBuf> {
    Some(state.parent()?.join(FOLDER))
}

/// Writes the lesson of a kernel into the learner's pack, in place of an earlier one of the same file and kernel;
/// returns its id.
pub fn write(devices: &Devices, folder: &Path, setup: &Setup) -> Result<String, Diagnostic> {
    let id = id(folder, setup);
    let is_new = !lesson(folder, &id).exists();
    let shaders = Path::new("shaders").join(&id);
    let parts = parts_of(setup)?;
    for file in std::iter::once(&setup.file).chain(&setup.source) {
        copy(file, folder, &shaders.join(file.file_name().unwrap_or_default()))?;
    }
    for (file, below) in parts {
        copy(&file, folder, &shaders.join(below))?;
    }
    let [document, text] = files(&id, setup);
    let plain = (text.0.clone(), format!("## {} {{#kernel}}\n\nYour kernel.\n", setup.entry));
    for (path, text) in [&document, &plain] {
        write_within(folder, &folder.join(path), text.as_bytes())?;
    }
    for (path, bytes) in document::contents(&id, setup) {
        write_within(folder, &folder.join(path), &bytes)?;
    }
    let saved = ron::ser::to_string_pretty(setup, ron::ser::PrettyConfig::default());
    let saved = saved.map_err(|error| Diagnostic::error(format!("the launch cannot be written: {error}")))?;
    write_within(folder, &lesson(folder, &id).join(SETUP), saved.as_bytes())?;
    index(folder)?;
    if setup.file.extension().is_some_and(|end| end == "cu") {
        // So that it is traced where there is no compiler, too. Its counts can be quoted only after that.
        let (pack, _) = crate::session::load(&PackFiles::Folder(folder.to_owned()));
        let one = Pack { lessons: pack.lessons.into_iter().filter(|lesson| lesson.id == id).collect() };
        let made = assemble(devices, &one, (folder, MachineCode::WhereThere), &mut |_, _| {});
        if let Err(problems) = made {
            if is_new {
                remove(folder, &id)?;
            }
            return Err(problems.into_iter().next().unwrap_or_else(|| Diagnostic::error("it does not compile")));
        }
    }
    write_within(folder, &folder.join(&text.0), text.1.as_bytes())?;
    Ok(id)
}

/// Writes the launch into the kernel's own file, as a comment that `warpbook trace` and the form read.
///
/// # Errors
/// A file that cannot be read or written, or a size that is no number.
pub fn keep(setup: &Setup) -> Result<(), Diagnostic> {
    let name = setup.file.display().to_string();
    let text =
        disk::read_text(&setup.file).map_err(|error| Diagnostic::error(format!("cannot read {name}: {error}")))?;
    write_atomic(&setup.file, comment::keeping(&text, setup)?.as_bytes())
}

/// The files that a kernel includes, each with its way from the kernel's folder.
///
/// # Errors
/// One that is not in that folder: the lesson's pack has no place for it.
fn parts_of(setup: &Setup) -> Result<Vec<(PathBuf, PathBuf)>, Diagnostic> {
    let name = setup.file.display().to_string();
    let text = disk::read_text(&setup.file).unwrap_or_default();
    let Ok(composed) = parts::compose_on_disk(&name, text) else { return Ok(Vec::new()) };
    let beside = setup.file.parent().unwrap_or(Path::new(""));
    let each = parts::parts(&composed).into_iter().filter_map(|part| part.file.map(PathBuf::from)).map(|part| {
        let is_below = |below: &&Path| below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        let below = part.strip_prefix(beside).ok().filter(is_below);
        // A header that was found in a folder for headers is named without its way, and lies beside the kernel here.
        let plain = part.file_name().filter(|name| composed.contains(&format!("\"{}\"", name.to_string_lossy())));
        let Some(below) = below.or(plain.map(Path::new)).map(Path::to_path_buf) else {
            let message = format!("{} is not in the folder of {name}", part.display());
            return Err(Diagnostic::error(message).hint(
                "put the header beside the kernel or in a folder there; or name it as <…>, with its folder in CPATH",
            ));
        };
        Ok((part, below))
    });
    each.collect()
}

/// Copies a file to `to`, below the folder of the pack.
fn copy(file: &Path, folder: &Path, to: &Path) -> Result<(), Diagnostic> {
    let bytes = disk::read_file(file, disk::LARGEST).map_err(|error| {
        Diagnostic::error(format!("cannot read {}: {error}", file.display())).hint("is it still there?")
    })?;
    write_within(folder, &folder.join(to), &bytes)
}

fn lesson(folder: &Path, id: &str) -> PathBuf {
    folder.join("lessons").join(id)
}

/// The setup that a lesson was made with.
///
/// # Errors
/// A lesson that has none that can be read.
pub fn load(folder: &Path, id: &str) -> Result<Setup, Diagnostic> {
    let path = lesson(folder, id).join(SETUP);
    let name = path.display().to_string();
    let text = disk::read_text(&path).map_err(|error| {
        Diagnostic::error(format!("cannot read {name}: {error}")).hint("open the kernel's file again")
    })?;
    ron::from_str(&text)
        .map_err(|error| Diagnostic::error(format!("{name}: {error}")).hint("open the kernel's file again"))
}

/// Copies the kernel's files into its lesson again, after they changed.
pub fn read_again(devices: &Devices, folder: &Path, id: &str) -> Result<(), Diagnostic> {
    write(devices, folder, &load(folder, id)?).map(drop)
}

/// Removes a kernel's lesson; the kernel's own files stay.
pub fn remove(folder: &Path, id: &str) -> Result<(), Diagnostic> {
    let gone = std::fs::remove_dir_all(lesson(folder, id))
        .and_then(|()| std::fs::remove_dir_all(folder.join("shaders").join(id)))
        .and_then(|()| {
            let contents = folder.join("assets").join(id);
            if contents.exists() { std::fs::remove_dir_all(contents) } else { Ok(()) }
        });
    gone.map_err(|error| {
        Diagnostic::error(format!("cannot remove {id}: {error}")).hint(format!("remove it in {}", folder.display()))
    })?;
    index(folder)
}

/// The id of a kernel's lesson: that of an earlier lesson of the same file and kernel, or a new one.
fn id(folder: &Path, setup: &Setup) -> String {
    let known = ids(folder);
    let is_same =
        |id: &&String| load(folder, id).is_ok_and(|other| (&other.file, &other.entry) == (&setup.file, &setup.entry));
    if let Some(same) = known.iter().find(is_same) {
        return same.clone();
    }
    let stem = setup.file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name: String = format!("{stem}-{}", setup.entry)
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' })
        .take(LONGEST)
        .collect();
    let names = std::iter::once(format!("my-{name}")).chain((2..).map(|n| format!("my-{name}-{n}")));
    names.into_iter().find(|name| !known.contains(name)).unwrap_or_default()
}

/// The ids of the lessons in the pack, in order.
fn ids(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("lessons")).into_iter().flatten().flatten();
    let of = |entry: std::fs::DirEntry| {
        let id = entry.file_name().into_string().ok()?;
        entry.path().join(SETUP).is_file().then_some(id)
    };
    let mut ids: Vec<String> = entries.filter_map(of).collect();
    ids.sort();
    ids
}

/// Writes the pack's index anew.
fn index(folder: &Path) -> Result<(), Diagnostic> {
    let order: Vec<String> = ids(folder).iter().map(|id| format!("{id:?}")).collect();
    let text = format!("(\n    format_version: 3,\n    order: [{}],\n)\n", order.join(", "));
    write_within(folder, &folder.join("lessons/index.ron"), text.as_bytes())
}
