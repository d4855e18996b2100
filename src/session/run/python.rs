//! A function of Triton, Gluon or cuTile in a Python file: compiled to PTX by these, without a GPU, and then traced as a PTX file with its
//! source is.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::interpreter::{Package, answer};
use super::pointee::Pointee;
use super::trace_options::TraceOptions;
use crate::base::diag::{Diagnostic, Place};
use crate::base::{files, npy};

/// Compiles a function; the Python package uses it, too.
const SCRIPT: &str = include_str!("../../../python/warpbook/_offline.py");

const TRITON: Package = Package { folder: "triton", name: "Triton", install: "triton" };
const CUTILE: Package =
    Package { folder: "cuda/tile", name: "cuTile", install: "cuda-tile nvidia-cuda-tileiras nvidia-cuda-nvdisasm" };

/// The file and the function in FILE.py::NAME; the name is empty in FILE.py. None if it is no file of Python's.
#[must_use]
pub fn named(target: &str) -> Option<(&str, &str)> {
    let (file, name) = target.rsplit_once("::").unwrap_or((target, ""));
    file.ends_with(".py").then_some((file, name))
}

/// The file that a target is in: without the name of a function.
#[must_use]
pub fn file_of(target: &str) -> &str {
    named(target).map_or(target, |(file, _)| file)
}

/// The input of the script.
#[derive(Serialize)]
struct Request<'a> {
    file: &'a str,
    name: &'a str,
    arguments: BTreeMap<&'a str, &'a str>,
    /// The types of the elements of buffers, by NumPy's names, and their shapes.
    buffers: BTreeMap<&'a str, (String, Vec<u64>)>,
    constants: BTreeMap<&'a str, &'a str>,
    warps: Option<u32>,
    stages: Option<u32>,
    target: Option<&'a str>,
    run: bool,
}

/// The output of the script.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Compiled {
        ptx: String,
        warps: u32,
        shared: u32,
        parameters: Vec<String>,
        derived: BTreeMap<String, i64>,
        notes: Vec<String>,
    },
    Failed {
        error: String,
        hint: String,
        line: Option<u32>,
    },
}

/// The PTX of a function, with the options of its launch that are left (those that became constants are gone), and notes.
///
/// # Errors
/// That there is no Triton, what the function's launch lacks, or what is wrong in the file.
pub(super) fn compiled(
    file: &str,
    name: &str,
    options: &TraceOptions,
) -> Result<(String, TraceOptions, Vec<String>), Diagnostic> {
    let text = files::read_text(Path::new(file)).map_err(|error| {
        Diagnostic::error(format!("cannot read {file}: {error}")).hint("give the path of a .py file: FILE.py::NAME")
    })?;
    let package = if text.contains("cuda.tile") { CUTILE } else { TRITON };
    let options = &with_types(options);
    let request = Request {
        file,
        name,
        arguments: borrowed(&options.arguments),
        buffers: buffers(options),
        constants: borrowed(&options.constants),
        warps: options.warps,
        stages: options.stages,
        target: options.target.as_deref(),
        run: options.run_python,
    };
    let failed = format!("{} does not compile {file}", package.name);
    let request = serde_json::to_string(&request).map_err(|error| Diagnostic::error(format!("{failed}: {error}")))?;
    let stranger = Some(Path::new(file)).filter(|_| !options.run_python);
    match answer(package, (SCRIPT, &request), &failed, stranger)? {
        Answer::Compiled { ptx, warps, shared, parameters, derived, notes } => {
            let is_left = |(name, _): &(String, String)| parameters.contains(name);
            let sizes = derived.into_iter().map(|(name, size)| (name, size.to_string()));
            let options = TraceOptions {
                arguments: options.arguments.iter().filter(|of| is_left(of)).cloned().chain(sizes).collect(),
                constants: Vec::new(),
                warps: Some(warps),
                shared_bytes: shared,
                source: Some(file.into()),
                target: None,
                parameters: Some(parameters),
                ..options.clone()
            };
            Ok((ptx, options, notes))
        }
        Answer::Failed { error, hint, line } => {
            let place = Place { line: line.unwrap_or(1), ..Place::start(file) };
            let problem = Diagnostic::error(error).in_place(&place);
            Err(if hint.is_empty() { problem } else { problem.hint(hint) })
        }
    }
}

fn borrowed(pairs: &[(String, String)]) -> BTreeMap<&str, &str> {
    pairs.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect()
}

/// The options, with the types of buffers that only a file has.
fn with_types(options: &TraceOptions) -> TraceOptions {
    let mut options = options.clone();
    for (name, file) in &options.io.inputs {
        let is_typed = options.types.iter().any(|(of, _)| of == name);
        let pointee = npy::type_of(file).filter(|_| !is_typed).and_then(|ty| Pointee::of_numpy(&ty));
        options.types.extend(pointee.map(|pointee| (name.clone(), pointee)));
    }
    options
}

/// The types of the buffers that are given, by name, and their shapes: floats where no type is said, in one dimension where no other is.
fn buffers(options: &TraceOptions) -> BTreeMap<&str, (String, Vec<u64>)> {
    let own = options.buffers.iter().map(|(name, ..)| name);
    let files = options.io.inputs.iter().map(|(name, _)| name);
    let all = own.chain(files).chain(options.shared.iter().map(|(name, _)| name));
    let about = |name: &String| {
        let typed = options.types.iter().find(|(of, _)| of == name);
        let dtype = typed.map_or_else(|| "float32".to_owned(), |(_, pointee)| pointee.dtype());
        let count = || options.buffers.iter().find(|(of, ..)| of == name).map(|(_, count, _)| *count);
        let shape = options.shapes.iter().find(|(of, _)| of == name).map(|(_, shape)| shape.clone());
        (dtype, shape.unwrap_or_else(|| count().into_iter().collect()))
    };
    all.map(|name| (name.as_str(), about(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_named_after_its_file() {
        assert_eq!(named("a/k.py::add"), Some(("a/k.py", "add")));
        assert_eq!(named("k.py"), Some(("k.py", "")));
        assert_eq!((named("k.cu"), named("coalescing/copy")), (None, None));
        assert_eq!([file_of("k.py::add"), file_of("k.cu")], ["k.py", "k.cu"]);
    }
}
