//! A model that `torch.compile` compiled: the kernels that it wrote for Triton, as the passes of one program, with the lines of the model that they
//! compute.

mod cache;
mod graph;
mod wrapper;

use std::collections::BTreeMap;
use std::path::Path;

use self::cache::{Cache, Compiled, Found};
use self::wrapper::{Argument, Kernel, Launch};
use super::computes::{Computes, ModelLine};
use super::cuda_file::of_text;
use super::devices::Devices;
use super::pass_list::PassList;
use super::pointee::Pointee;
use super::resolved::Target;
use super::trace_options::TraceOptions;
use crate::base::diag::{Diagnostic, Place};
use crate::base::tensor::Init;
use crate::base::units::counted;

/// Launches that are traced together, at most.
const MOST: usize = 512;

/// Triton's names of types, and an option's.
const TYPES: [(&str, &str); 12] = [
    ("fp32", "f32"),
    ("fp16", "f16"),
    ("bf16", "bf16"),
    ("fp64", "f64"),
    ("i64", "i64"),
    ("i32", "i32"),
    ("i16", "i16"),
    ("i8", "i8"),
    ("u8", "u8"),
    ("i1", "u8"),
    ("fp8e4nv", "u8"),
    ("fp8e5", "u8"),
];

/// The job of a folder's launches, in their order.
///
/// # Errors
/// A folder without them, a kernel that is not there, a size that is no number: all problems.
pub(super) fn of_folder(devices: &Devices, target: &str, options: &TraceOptions) -> Result<Target, Vec<Diagnostic>> {
    refuse(target, options).map_err(|problem| vec![problem])?;
    let cache = Cache::read(Path::new(target)).map_err(|problem| vec![problem])?;
    let launches: usize = cache.wrappers.iter().map(|found| found.wrapper.launches.len()).sum();
    if launches == 0 || launches > MOST {
        let message = format!("{target} has {}", counted(launches as u64, "launch of Triton's"));
        return Err(vec![Diagnostic::error(message).hint(format!("1 to {MOST} are traced together"))]);
    }
    let mut list = PassList::default();
    let (mut notes, mut problems) = (Vec::new(), Vec::new());
    for found in &cache.wrappers {
        notes.extend(left_out(found));
        for launch in &found.wrapper.launches {
            match add(devices, &cache, found, launch, options, &mut list) {
                Ok(note) => notes.extend(note),
                Err(found) => problems.extend(found),
            }
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let is_view = |argument: &Argument| matches!(argument, Argument::Buffer(name) if name.contains('+'));
    if cache
        .wrappers
        .iter()
        .flat_map(|found| &found.wrapper.launches)
        .any(|launch| launch.arguments.iter().any(is_view))
    {
        notes.push("a view that begins within a buffer is a buffer of its own here, named by its offset".to_owned());
    }
    let guess = "floats begin as random numbers and integers as zeros, and so do results of what is not traced";
    notes.push(guess.to_owned());
    notes.dedup();
    list.target(notes).map_err(|problem| vec![problem])
}

/// That an option of a single launch is given.
fn refuse(target: &str, options: &TraceOptions) -> Result<(), Diagnostic> {
    let given = [
        ("--grid", options.grid.is_some()),
        ("--entry", options.entry.is_some()),
        ("--block", options.block.is_some()),
        ("--warps", options.warps.is_some()),
        ("--shared", options.shared_bytes > 0),
        ("--arg", !options.arguments.is_empty()),
        ("--buffer", !options.buffers.is_empty() || !options.shared.is_empty() || !options.pointers.is_empty()),
        ("--const", !options.constants.is_empty()),
        ("--let", !options.lets.is_empty()),
        ("--launch", options.launch.is_some()),
        ("--target", options.target.is_some()),
        ("--source", options.source.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Diagnostic::error(format!(
            "{option} is for one kernel, and {target} is a folder with the launches of a model"
        ))
        .hint("leave it out, or trace a kernel by itself: its .ptx with --grid and its buffers")),
        None => Ok(()),
    }
}

/// A note on the launches of a wrapper that are not Triton's.
fn left_out(found: &Found) -> Option<String> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    found.wrapper.others.iter().for_each(|name| *counts.entry(name).or_default() += 1);
    let listed: Vec<String> = counts.into_iter().map(|(name, count)| format!("{count} of {name}")).collect();
    (!listed.is_empty())
        .then(|| format!("{}: not traced, since they are in libraries: {}", found.wrapper.id, listed.join(", ")))
}

/// Adds the pass of a launch; returns a note on a configuration that was guessed.
fn add(
    devices: &Devices,
    cache: &Cache,
    found: &Found,
    launch: &Launch,
    options: &TraceOptions,
    list: &mut PassList,
) -> Result<Option<String>, Vec<Diagnostic>> {
    let file = found.file.display().to_string();
    let one = |problem: Diagnostic| vec![problem.in_place(&Place { line: launch.line, ..Place::start(&file) })];
    let missing = || one(Diagnostic::error(format!("the kernel `{}` is not defined here", launch.kernel)));
    let kernel = found.wrapper.kernels.get(&launch.kernel).ok_or_else(missing)?;
    let compiled = cache.compiled(&launch.kernel, kernel).map_err(one)?;
    let of_launch = launched(found, launch, kernel, &compiled, options).map_err(one)?;
    let of_launch = TraceOptions { source: cache.source(kernel).map(Path::to_owned), ..of_launch };
    let ptx = compiled.file.display().to_string();
    let mut traced = of_text(devices, &ptx, compiled.ptx, &of_launch)?;
    let variable = |parameter: &str| {
        let names = of_launch.parameters.iter().flatten();
        let at = names.zip(runtime(kernel, launch)).find(|(name, _)| *name == parameter);
        match at {
            Some((_, Argument::Buffer(name))) => format!("{}.{name}", found.wrapper.id),
            _ => format!("{}.{}.{parameter}", found.wrapper.id, launch.kernel),
        }
    };
    let own = |source: &String| vec![source.clone()];
    let nodes = launch.sources.iter().flat_map(|of| found.wrapper.nodes.get(of).cloned().unwrap_or_else(|| own(of)));
    let mut lines: Vec<ModelLine> = nodes.filter_map(|node| found.lines.get(&node).cloned()).collect();
    lines.sort();
    lines.dedup();
    traced.job.passes.iter_mut().for_each(|pass| pass.id = format!("{}.{}", found.wrapper.id, list.len() + 1));
    list.add(traced, &variable);
    list.computes(Computes { operations: launch.sources.clone(), lines });
    let guess = "several configurations were compiled, and no record says which was chosen; the first is traced";
    Ok(compiled.is_guess.then(|| format!("{}: {guess}", launch.kernel)))
}

/// The arguments of a launch that are no constants of the kernel's.
fn runtime<'a>(kernel: &'a Kernel, launch: &'a Launch) -> impl Iterator<Item = &'a Argument> {
    parameters(kernel, launch).filter(|(_, ty, _)| *ty != "constexpr").map(|(_, _, argument)| argument)
}

/// The parameters that a launch gives, with their types and its arguments: of those that were constants from the start it gives none.
fn parameters<'a>(kernel: &'a Kernel, launch: &'a Launch) -> impl Iterator<Item = (&'a str, &'a str, &'a Argument)> {
    let is_given = |name: &str| !name.chars().next().is_some_and(char::is_uppercase);
    let given = kernel.signature.iter().filter(move |(name, _)| is_given(name));
    given.zip(&launch.arguments).map(|((name, ty), argument)| (name.as_str(), ty.as_str(), argument))
}

/// The options of a launch.
fn launched(
    found: &Found,
    launch: &Launch,
    kernel: &Kernel,
    compiled: &Compiled,
    options: &TraceOptions,
) -> Result<TraceOptions, Diagnostic> {
    let mut of_launch = TraceOptions {
        shared_bytes: compiled.shared,
        parameters: Some(Vec::new()),
        limit: options.limit,
        seed: options.seed,
        warp_width: options.warp_width,
        ..TraceOptions::default()
    };
    let mut known: BTreeMap<&str, &str> = BTreeMap::new();
    for (name, ty, argument) in parameters(kernel, launch).filter(|(_, ty, _)| *ty != "constexpr") {
        of_launch.parameters.get_or_insert_default().push(name.to_owned());
        let (pointee, buffer) = match (ty.strip_prefix('*'), argument) {
            (Some(pointee), Argument::Buffer(buffer)) => (pointee, buffer),
            (None, Argument::Number(number)) => {
                of_launch.arguments.push((name.to_owned(), number.clone()));
                continue;
            }
            (_, argument) => {
                let (Argument::Buffer(given) | Argument::Number(given)) = argument;
                let message = format!("`{name}` of `{}`, which is {ty}, is given `{given}`", launch.kernel);
                return Err(
                    Diagnostic::error(message).hint("compile the model with dynamic=False: its sizes are numbers then")
                );
            }
        };
        if let Some(other) = known.get(buffer.as_str()) {
            of_launch.shared.push((name.to_owned(), (*other).to_owned()));
            continue;
        }
        known.insert(buffer, name);
        let count = size_of(found, buffer)?;
        let pointee = TYPES.iter().find(|(triton, _)| *triton == pointee).and_then(|(_, name)| Pointee::named(name));
        let init = if pointee.is_some_and(Pointee::is_whole) { Init::Zero } else { Init::Random };
        of_launch.types.extend(pointee.map(|pointee| (name.to_owned(), pointee)));
        of_launch.buffers.push((name.to_owned(), count, init));
    }
    of_launch.grid = Some(grid(launch, kernel, compiled)?);
    Ok(of_launch)
}

/// The elements of a buffer, or of a view of one that begins at one of its elements: `buf0+128`.
fn size_of(found: &Found, buffer: &str) -> Result<u64, Diagnostic> {
    let (base, offset) = buffer.split_once('+').unwrap_or((buffer, "0"));
    let Some(count) = found.wrapper.buffers.get(base) else {
        let message = format!("the wrapper does not say in numbers how large `{base}` is");
        return Err(Diagnostic::error(message).hint("compile the model with dynamic=False: its sizes are numbers then"));
    };
    let left = offset.parse::<u64>().ok().and_then(|offset| count.checked_sub(offset)).filter(|left| *left > 0);
    left.ok_or_else(|| {
        Diagnostic::error(format!("a view of `{base}`, which has {count} elements, begins at element {offset}"))
            .hint("compile the model again: this wrapper was changed, or its offsets are no numbers (dynamic=False)")
    })
}

/// The programs of a launch: its sizes by the blocks of elements that the kernel was compiled for.
fn grid(launch: &Launch, kernel: &Kernel, compiled: &Compiled) -> Result<[u32; 3], Diagnostic> {
    let axes = match kernel.grid.as_str() {
        "Grid1D" => 1,
        "Grid2D" | "Grid2DWithYZOverflow" => 2,
        "Grid3D" => 3,
        other => {
            let message = format!("`{}` is launched with a grid that is not read: {other}", launch.kernel);
            return Err(
                Diagnostic::error(message).hint("trace the kernel by itself: its .ptx with --grid and its buffers")
            );
        }
    };
    let mut grid = [1; 3];
    for (axis, (extent, block)) in
        ["xnumel", "ynumel", "znumel"].into_iter().zip(compiled.blocks).enumerate().take(axes)
    {
        let given = parameters(kernel, launch).find(|(name, ..)| *name == extent);
        let number = given.and_then(|(_, _, argument)| match argument {
            Argument::Number(number) => number.parse::<u64>().ok(),
            Argument::Buffer(_) => None,
        });
        let (Some(number), Some(block)) = (number, block.filter(|block| *block > 0)) else {
            let message = format!("the size of `{}` in {extent}, or of a block of it, is not known", launch.kernel);
            return Err(Diagnostic::error(message).hint(
                "Triton's .source or .ttir beside the .ptx has the block; sizes are numbers with dynamic=False",
            ));
        };
        grid[axis] = u32::try_from(number.div_ceil(block)).unwrap_or(u32::MAX);
    }
    Ok(grid)
}
