//! Where a CUDA toolkit may lie that the system's loader does not look into.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::trace::record::Backend;

/// The environment's names for a toolkit's folder.
const VARIABLES: [&str; 2] = ["CUDA_HOME", "CUDA_PATH"];

/// Folders that installers use.
const USUAL: [&str; 2] = ["/usr/local/cuda", "/opt/cuda"];

/// The variable that the system's loader takes further folders from.
const LOADER_VARIABLE: &str = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };

/// The toolkits' folders, the named ones first.
pub(super) fn roots() -> Vec<PathBuf> {
    let named = VARIABLES.iter().filter_map(std::env::var_os).map(PathBuf::from);
    let mut roots: Vec<PathBuf> = named.chain(USUAL.iter().map(PathBuf::from)).filter(|root| root.is_dir()).collect();
    roots.dedup();
    roots
}

/// The setting with which a process finds the toolkits' libraries; None if there are none. What the user set goes first.
pub(super) fn library_path() -> Option<(OsString, OsString)> {
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

/// The setting of the environment with which this process would find CUDA's libraries, if it has to be started again for them.
#[must_use]
pub fn missing_setting(backend: Backend) -> Option<(OsString, OsString)> {
    let (name, value) = library_path().filter(|_| backend == Backend::Cuda)?;
    (std::env::var_os(&name).as_ref() != Some(&value)).then_some((name, value))
}
