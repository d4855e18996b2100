//! Where a CUDA toolkit may lie that the system's loader does not look into.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::trace::record::Backend;

/// The environment's names for a toolkit's folder.
const VARIABLES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// Folders that installers use.
const USUAL: [&str; 2] = ["/usr/local/cuda", "/opt/cuda"];

/// The variable that the system's loader takes further folders from.
const LOADER_VARIABLE: &str = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };

/// How names of NVRTC's library begin.
const NVRTC: &str = if cfg!(windows) { "nvrtc64_" } else { "libnvrtc.so" };

/// The interpreter of a Python installation, within a folder of the search path.
const PYTHON: &str = if cfg!(windows) { "python.exe" } else { "python3" };

/// Variables that name the folder of a Python environment.
const ENVIRONMENTS: [&str; 2] = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/// The toolkits' folders: the named ones first, those that pip installed last.
pub(super) fn roots() -> Vec<PathBuf> {
    let named = VARIABLES.iter().filter_map(std::env::var_os).map(PathBuf::from);
    let usual = USUAL.iter().map(PathBuf::from);
    let mut roots: Vec<PathBuf> = Vec::new();
    for root in named
        .chain(of_loader())
        .chain(usual)
        .filter(|root| root.is_dir())
        .chain(pythons().iter().flat_map(|python| of_pip(python)))
    {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// The folders above those in which the loader looks for libraries, if NVRTC is there: its headers are beside it.
fn of_loader() -> Vec<PathBuf> {
    let folders = std::env::var_os(LOADER_VARIABLE).unwrap_or_default();
    let has_nvrtc = |folder: &PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(NVRTC)))
    };
    let found = std::env::split_paths(&folders).filter(has_nvrtc);
    found.filter_map(|folder| Some(folder.parent()?.to_owned())).collect()
}

/// Folders of Python installations: of the environment, of the search path, of the user, and of pyenv.
fn pythons() -> Vec<PathBuf> {
    let environments = ENVIRONMENTS.iter().filter_map(std::env::var_os).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    // A wheel puts the program beside the interpreter of its environment.
    let own = std::env::current_exe().ok().and_then(|program| Some(program.parent()?.to_owned()));
    let of_path = own.into_iter().chain(std::env::split_paths(&path)).filter(|folder| folder.join(PYTHON).is_file());
    let of_path: Vec<PathBuf> = of_path.filter_map(|folder| Some(folder.parent()?.to_owned())).collect();
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let versions = home.iter().flat_map(|home| folders(&home.join(".pyenv/versions"), "")).collect::<Vec<_>>();
    environments.chain(of_path).chain(home.map(|home| home.join(".local"))).chain(versions).collect()
}

/// A program of a toolkit, such as `ptxas`, in each place where it is: in the toolkits, in Triton, on the search path.
pub(super) fn programs(name: &str) -> Vec<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let of_toolkits = roots().into_iter().map(|root| root.join("bin"));
    let packages = pythons().into_iter().flat_map(|python| packages(&python)).collect::<Vec<_>>();
    let of_triton = packages.iter().map(|packages| packages.join("triton/backends/nvidia/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = of_toolkits.chain(of_triton).chain(std::env::split_paths(&path));
    folders.map(|folder| folder.join(&name)).filter(|program| program.is_file()).collect()
}

/// The interpreter of a Python that has a package.
#[must_use]
pub fn python_with(package: &str) -> Option<PathBuf> {
    let has = |python: &PathBuf| packages(python).iter().any(|packages| packages.join(package).is_dir());
    let python = pythons().into_iter().find(has)?;
    // The search path has the folder of the program, and environments the folder above it.
    let places = [python.join("bin"), python.join("Scripts"), python];
    places.into_iter().map(|folder| folder.join(PYTHON)).find(|program| program.is_file())
}

/// The toolkits that pip installed for the Python in a folder.
fn of_pip(python: &Path) -> Vec<PathBuf> {
    packages(python).iter().flat_map(|packages| folders(&packages.join("nvidia"), "cu")).collect()
}

/// The folders of packages of the Python in a folder.
fn packages(python: &Path) -> Vec<PathBuf> {
    // Windows has no folder of the version below the libraries.
    let libraries = folders(&python.join("lib"), "python3").into_iter().chain([python.join("Lib")]);
    libraries.flat_map(|lib| ["site-packages", "dist-packages"].map(|name| lib.join(name))).collect()
}

/// The folders in `folder` whose names begin with `start`, the last one by name first.
fn folders(folder: &Path, start: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let begins = |name: &std::ffi::OsStr| name.to_str().is_some_and(|name| name.starts_with(start));
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| begins(&entry.file_name()))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found.reverse();
    found
}

/// The setting with which a process finds the toolkits' libraries; None if there are none. What the user set goes
/// first.
pub(super) fn library_path() -> Option<(OsString, OsString)> {
    // A page has no folders, and no search path that could be split.
    if cfg!(target_family = "wasm") {
        return None;
    }
    let below: &[&str] = if cfg!(windows) { &["bin/x64", "bin"] } else { &["lib64", "lib"] };
    let folders: Vec<PathBuf> = roots()
        .iter()
        .flat_map(|root| below.iter().map(|folder| root.join(folder)))
        .filter(|folder| folder.is_dir())
        .collect();
    if folders.is_empty() {
        return None;
    }
    let set = std::env::var_os(LOADER_VARIABLE).unwrap_or_default();
    let set: Vec<PathBuf> = std::env::split_paths(&set).filter(|folder| !folder.as_os_str().is_empty()).collect();
    let others = folders.iter().filter(|folder| !set.contains(folder));
    Some((LOADER_VARIABLE.into(), std::env::join_paths(set.iter().chain(others)).ok()?))
}

/// The setting of the environment with which this process would find CUDA's libraries, if it has to be started again
/// for them.
#[must_use]
pub fn missing_setting(backend: Backend) -> Option<(OsString, OsString)> {
    let (name, value) = library_path().filter(|_| backend == Backend::Cuda)?;
    (std::env::var_os(&name).as_ref() != Some(&value)).then_some((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toolkits_of_pip_are_found_in_a_python() -> std::io::Result<()> {
        let python = tempfile::tempdir()?;
        for folder in [
            "lib/python3.9/site-packages/nvidia/cu12",
            "lib/python3.11/dist-packages/nvidia/cu13",
            "Lib/site-packages/nvidia/cu11",
            "lib/other/nvidia/cu13",
        ] {
            std::fs::create_dir_all(python.path().join(folder))?;
        }
        let found = of_pip(python.path());
        let wanted = [
            "lib/python3.9/site-packages/nvidia/cu12",
            "lib/python3.11/dist-packages/nvidia/cu13",
            "Lib/site-packages/nvidia/cu11",
        ];
        assert_eq!(found, wanted.map(|folder| python.path().join(folder)));
        assert!(of_pip(&python.path().join("none")).is_empty());
        Ok(())
    }
}
