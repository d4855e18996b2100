//! The files below the folder that `torch.compile` keeps its code in (`TORCHINDUCTOR_CACHE_DIR`): wrappers, graphs, and Triton's kernels as PTX.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::graph;
use super::wrapper::{self, Kernel, Wrapper};
use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::session::run::computes::ModelLine;

/// Files below the folder that are looked at, and how deep folders may lie.
const MOST_FILES: usize = 100_000;
const DEEPEST: usize = 8;

/// A wrapper with its file, and the lines of the model by the nodes of its graph.
pub struct Found {
    pub file: PathBuf,
    pub wrapper: Wrapper,
    pub lines: BTreeMap<String, ModelLine>,
}

/// The files of a folder, by what they are.
pub struct Cache {
    pub wrappers: Vec<Found>,
    files: Vec<PathBuf>,
}

/// A kernel as it was compiled.
pub struct Compiled {
    pub file: PathBuf,
    pub ptx: String,
    /// Dynamic shared memory of a block, in bytes.
    pub shared: u32,
    /// The size of a program's block of elements in x, y and z, where the kernel has one.
    pub blocks: [Option<u64>; 3],
    /// Whether other configurations of it were compiled, and no record says which of them was chosen.
    pub is_guess: bool,
}

/// The fields of Triton's metadata of a kernel (`NAME.json`) that a launch needs.
#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    shared: u32,
}

/// Inductor's record of the configuration that was fastest (`.best_config`).
#[derive(Deserialize)]
struct Best {
    triton_cache_hash: Option<String>,
}

impl Cache {
    /// Reads a folder.
    ///
    /// # Errors
    /// One without a wrapper of `torch.compile`'s, or without its compiled kernels.
    pub fn read(folder: &Path) -> Result<Self, Diagnostic> {
        let mut files = Vec::new();
        below(folder, DEEPEST, &mut files);
        files.sort();
        let name = folder.display();
        let has = |end: &str| files.iter().any(|file| file.extension().is_some_and(|of| of == end));
        let mut wrappers: Vec<Found> = files.iter().filter_map(|file| found(file)).collect();
        // The same wrapper is written under several names.
        wrappers.sort_by_key(|found| rank(&found.wrapper.id));
        wrappers.dedup_by(|one, other| one.wrapper == other.wrapper);
        let hint = "run the model once with TORCHINDUCTOR_CACHE_DIR=DIR (and TORCH_COMPILE_DEBUG=1, for the lines of the model), and give DIR";
        if wrappers.is_empty() {
            let message = format!("{name} is a folder without a lesson and without code of torch.compile's");
            return Err(Diagnostic::error(message).hint(hint));
        }
        if !has("ptx") {
            let message = format!("{name} has code of torch.compile's, and no compiled kernel of it");
            return Err(Diagnostic::error(message).hint(hint));
        }
        Ok(Self { wrappers, files })
    }

    /// The text of a kernel that Inductor wrote for Triton, if it is there.
    pub fn source(&self, kernel: &Kernel) -> Option<&Path> {
        let path = Path::new(&kernel.file);
        let (name, folder) = (path.file_name()?, path.parent()?.file_name()?);
        let is_it =
            |file: &&PathBuf| file.file_name() == Some(name) && file.parent().and_then(Path::file_name) == Some(folder);
        self.files.iter().find(is_it).map(PathBuf::as_path)
    }

    /// A kernel's PTX, of the configuration that was chosen.
    ///
    /// # Errors
    /// That it is not there.
    pub fn compiled(&self, name: &str, kernel: &Kernel) -> Result<Compiled, Diagnostic> {
        let file_name = format!("{name}.ptx");
        let named: Vec<&PathBuf> =
            self.files.iter().filter(|file| file.file_name().is_some_and(|of| of == file_name.as_str())).collect();
        let chosen = self.source(kernel).and_then(Path::parent).and_then(|folder| {
            let beside = self.files.iter().filter(|file| file.parent() == Some(folder));
            let best = beside.filter(|file| file.extension().is_some_and(|of| of == "best_config"));
            let hashes = best
                .filter_map(|file| serde_json::from_str::<Best>(&files::read_text(file).ok()?).ok()?.triton_cache_hash);
            let hashes: Vec<String> = hashes.collect();
            let is_it = |file: &&&PathBuf| {
                let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
                hashes.iter().any(|hash| folder == hash.as_str())
            };
            named.iter().find(is_it).copied()
        });
        let Some(file) = chosen.or_else(|| named.first().copied()) else {
            let message = format!("the kernel `{name}` is not there as PTX ({file_name})");
            return Err(Diagnostic::error(message)
                .hint("run the model once on a GPU, with this folder as TORCHINDUCTOR_CACHE_DIR"));
        };
        let unreadable = |error| Diagnostic::error(format!("cannot read {}: {error}", file.display()));
        let ptx = files::read_text(file).map_err(unreadable)?;
        let beside = |end: &str| files::read_text(&file.with_extension(end)).ok();
        let metadata = beside("json").and_then(|text| serde_json::from_str::<Metadata>(&text).ok());
        let shared = metadata.map_or(0, |metadata| metadata.shared);
        let ir = beside("source").or_else(|| beside("ttir")).unwrap_or_default();
        let blocks = ["xoffset", "yoffset", "zoffset"].map(|name| block(&ir, name));
        Ok(Compiled { file: file.clone(), ptx, shared, blocks, is_guess: chosen.is_none() && named.len() > 1 })
    }
}

/// The block of elements in Triton's IR: `%xoffset_1 = arith.constant 512 : i32` comes from `xoffset = tl.program_id(0) * XBLOCK`.
fn block(ir: &str, name: &str) -> Option<u64> {
    let is_named = |left: &str| {
        let rest = left.trim().strip_prefix('%').and_then(|left| left.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('_').is_some_and(|n| n.parse::<u32>().is_ok()))
    };
    ir.lines().find_map(|line| {
        let (left, right) = line.split_once(" = arith.constant ")?;
        is_named(left).then(|| right.split(' ').next()?.parse().ok())?
    })
}

/// Forward before backward, the first graph before the second.
fn rank(id: &str) -> (u32, bool, String) {
    let number = id.split('_').next().and_then(|number| number.parse().ok()).unwrap_or(0);
    (number, id.contains("backward"), id.to_owned())
}

fn found(file: &Path) -> Option<Found> {
    if file.extension().is_none_or(|end| end != "py") {
        return None;
    }
    let wrapper = wrapper::read(&files::read_text(file).ok()?)?;
    let beside = [file.with_extension("debug"), file.parent()?.to_owned()];
    let graphs = beside.iter().flat_map(|folder| {
        ["fx_graph_transformed.py", "fx_graph_readable.py"].map(|name| files::read_text(&folder.join(name)).ok())
    });
    let lines = graphs.flatten().flat_map(|text| graph::lines(&text)).collect();
    Some(Found { file: file.to_owned(), wrapper, lines })
}

/// The files below a folder; links are not followed.
fn below(folder: &Path, deep: usize, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && deep > 0 {
            below(&entry.path(), deep - 1, files);
        } else if kind.is_file() && files.len() < MOST_FILES {
            files.push(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_in_the_ir() {
        let ir = "  %xoffset = tt.get_program_id x\n  %xoffset_1 = arith.constant 512 : i32 loc(#loc30)\n";
        assert_eq!((block(ir, "xoffset"), block(ir, "yoffset")), (Some(512), None));
    }

    #[test]
    fn forward_goes_before_backward() {
        let mut ids = ["1_inference", "0_backward", "0_forward"];
        ids.sort_by_key(|id| rank(id));
        assert_eq!(ids, ["0_forward", "0_backward", "1_inference"]);
    }
}
