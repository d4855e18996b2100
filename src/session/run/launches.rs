//! The launches in a CUDA C++ file, as options of a trace: grid, block, arguments and buffers that the file's host code gives.

use std::collections::BTreeMap;

use warpbook_cuda_file::{Argument, Launch, Size, Value, launches};

use super::cuda_named::Named;
use super::pointee::Pointee;
use super::trace_options::TraceOptions;
use crate::base::diag::Diagnostic;
use crate::base::parts;
use crate::base::shell::typed;
use crate::base::tensor::Init;
use crate::base::units::count as count_of;

/// Elements of a buffer whose size the file does not say. It is large enough to be held by pages, where the launch touches it.
const ROOM: u64 = 1 << 31;

/// The launches in the text of a file with its parts. `given` are values of names that the file does not know.
#[must_use]
pub fn listed(source: &str, given: &[(String, f64)]) -> Vec<Launch> {
    let texts: Vec<&str> = parts::parts(source).into_iter().map(|part| part.text).collect();
    let given: BTreeMap<String, f64> = given.iter().cloned().collect();
    launches(&texts, &given)
}

/// The names that a launch needs and that nothing gives a value, each once. Buffers can be of any size.
#[must_use]
pub fn unknown(launch: &Launch) -> Vec<String> {
    let sizes = launch.grid.value.as_ref().err().into_iter().chain(launch.block.value.as_ref().err());
    let sizes = sizes.chain(launch.shared.value.as_ref().err());
    let is_class = |i: usize| launch.parameters.get(i).is_some_and(|parameter| parameter.is_class);
    let is_asked = |i: usize, text: &str| !is_pointer(launch, i) && !is_class(i) && !text.ends_with("{}");
    let numbers = launch.arguments.iter().enumerate().filter(|(i, argument)| is_asked(*i, &argument.text));
    let all = sizes.chain(numbers.filter_map(|(_, argument)| argument.number.as_ref().err()));
    let mut names: Vec<String> = Vec::new();
    for unknown in all {
        if !names.contains(&unknown.0) {
            names.push(unknown.0.clone());
        }
    }
    names
}

fn is_pointer(launch: &Launch, argument: usize) -> bool {
    launch.parameters.get(argument).is_some_and(|parameter| parameter.is_pointer)
}

/// The launch that a trace takes.
pub(super) struct Chosen {
    /// Its number in the file, from 1.
    number: usize,
    /// The launches in the file.
    count: usize,
    pub launch: Launch,
}

/// The launch that a trace takes: the one that the options number, the first of the kernel that they name, or the
/// first. None if the options give a grid, or the file has no launches.
///
/// # Errors
/// A number that no launch has.
pub(super) fn chosen(target: &str, source: &str, options: &TraceOptions) -> Result<Option<Chosen>, Diagnostic> {
    if options.grid.is_some() && options.launch.is_none() {
        return Ok(None);
    }
    // A macro's value counts for the host, too.
    let defined = options.constants.iter().filter_map(|(name, text)| Some((name.clone(), text.parse().ok()?)));
    let given: Vec<_> = defined.chain(options.lets.iter().cloned()).collect();
    let all = listed(source, &given);
    let count = all.len();
    let plain = |name: &str| name.split('<').next().unwrap_or_default().to_owned();
    let is_it = |launch: &Launch| match &options.entry {
        Some(entry) if entry.contains('<') => launch.kernel == *entry,
        Some(entry) => plain(&launch.kernel) == *entry,
        None => true,
    };
    let found = match options.launch {
        Some(number) => Some(number as usize - 1).filter(|at| *at < count),
        None => all
            .iter()
            .position(|launch| is_it(launch) && launch.missed.is_none())
            .or_else(|| all.iter().position(is_it)),
    };
    match (found, options.launch) {
        (Some(at), _) => Ok(all.into_iter().nth(at).map(|launch| Chosen { number: at + 1, count, launch })),
        (None, Some(number)) => {
            let message = match count {
                0 => format!("there is no launch {number}: the file has none"),
                1 => format!("there is no launch {number}: the file has one"),
                count => format!("there is no launch {number}: the file has {count}"),
            };
            Err(Diagnostic::error(message).in_file(target).hint(format!("list them: warpbook launches {target}")))
        }
        (None, None) => Ok(None),
    }
}

/// The options, completed by the launch in the file, and notes on that.
///
/// # Errors
/// Names that are not known, or sizes that no launch can have.
pub(super) fn filled(
    target: &str,
    Chosen { number, count, launch }: &Chosen,
    named: &[Named],
    options: &TraceOptions,
) -> Result<(TraceOptions, Vec<String>), Diagnostic> {
    let given = options;
    let mut options = options.clone();
    let unknown = needed(launch, named, &options);
    if !unknown.is_empty() {
        let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
        let lets: Vec<String> =
            unknown.iter().map(|name| format!("--let {}", typed(&format!("{name}=VALUE")))).collect();
        let message =
            format!("launch {number}, `{}`, needs {}, which the file does not say", launch.kernel, names.join(", "));
        return Err(at_launch(target, launch, message).hint(format!("add {}", lets.join(" "))));
    }
    let size = |of: &str, option: &str, value: [i64; 3]| {
        let whole = value.map(|value| u32::try_from(value).ok().filter(|value| *value > 0));
        let [Some(x), Some(y), Some(z)] = whole else {
            let [x, y, z] = value;
            let message = format!("launch {number} has a {of} of {x} × {y} × {z}");
            return Err(at_launch(target, launch, message).hint(format!("give another: {option} X[,Y[,Z]]")));
        };
        Ok([x, y, z])
    };
    if let (None, Ok(grid)) = (options.grid, &launch.grid.value) {
        options.grid = Some(size("grid", "--grid", *grid)?);
    }
    if let (None, None, Ok(block)) = (options.block, options.warps, &launch.block.value) {
        options.block = Some(size("block", "--block", *block)?);
    }
    if let (0, Ok(bytes)) = (options.shared_bytes, &launch.shared.value) {
        options.shared_bytes = u32::try_from(*bytes).unwrap_or_default();
    }
    let mut notes = vec![noted(*number, *count, launch, given)];
    if let Some(missed) = &launch.missed {
        notes.push(format!("launch {number} is not reached in a run like this: {}", missed.words()));
    }
    for (name, _) in options.lets.iter().filter(|(name, _)| !launch.given.contains(name)) {
        notes.push(format!("--let {name} changes nothing: no size or argument of this launch depends on such a name"));
    }
    let mut known: Vec<(String, String)> = Vec::new();
    let mut of_no_size = Vec::new();
    for (parameter, at) in placed(named) {
        let (name, Some(argument)) = (&parameter.name, launch.arguments.get(at)) else { break };
        if options.gives(name) {
            continue;
        }
        if parameter.is_member() && !is_part(parameter, argument) {
            continue;
        }
        if !parameter.parameter.is_pointer {
            let is_class = launch.parameters.get(at).is_some_and(|parameter| parameter.is_class);
            if let (true, Ok(value)) = (parameter.is_member(), &argument.number) {
                let element = element(parameter.path(), value).unwrap_or(value);
                options.arguments.push((name.clone(), element.to_string()));
                continue;
            }
            // The kernel's launch asks for it by its name.
            if is_class && !argument.text.ends_with("{}") {
                continue;
            }
            // An object without members has bytes all the same.
            let empty = || format!("hex:{}", "00".repeat(parameter.parameter.bytes as usize));
            let value = match &argument.number {
                Ok(value) if *value != Value::List(Vec::new()) => value.to_string(),
                _ => empty(),
            };
            options.arguments.push((name.clone(), value));
            continue;
        }
        if ["NULL", "nullptr", "0"].contains(&argument.text.rsplit([' ', ')']).next().unwrap_or_default()) {
            options.arguments.push((name.clone(), "0".to_owned()));
            continue;
        }
        let buffer = argument.buffer.as_ref();
        if let Some((_, other)) = buffer.and_then(|of| known.iter().find(|(variable, _)| *variable == of.name)) {
            options.shared.push((name.clone(), other.clone()));
            continue;
        }
        known.extend(buffer.map(|of| (of.name.clone(), name.clone())));
        let of_launch = launch.parameters.get(at).and_then(|parameter| Pointee::of_cpp(&parameter.ty));
        let pointee = parameter.declared_pointee().or(of_launch);
        if let (Some(of_launch), None) = (of_launch, parameter.declared_pointee()) {
            options.types.push((name.clone(), of_launch));
        }
        let count = match buffer.map(|of| &of.size) {
            Some(Ok(Size::Elements(elements))) => u64::try_from(*elements).ok(),
            Some(Ok(Size::Bytes(bytes))) => {
                let each = pointee.map_or(4, Pointee::bytes).max(1);
                u64::try_from(*bytes).ok().map(|bytes| bytes / each)
            }
            _ => None,
        };
        if count.is_none() {
            of_no_size.push(format!("`{name}`"));
        }
        // Integers are mostly places in other buffers, and random ones lie outside.
        let is_whole = pointee.is_some_and(Pointee::is_whole);
        options.buffers.push((name.clone(), count.unwrap_or(ROOM), if is_whole { Init::Zero } else { Init::Random }));
    }
    if !of_no_size.is_empty() {
        notes.push(format!(
            "the file does not say how large these are: {}. They get room for {} elements each, so accesses past their ends \
             are not found; give their sizes by --buffer NAME=COUNT",
            of_no_size.join(", "),
            count_of(ROOM)
        ));
    }
    Ok((options, notes))
}

/// Whether an argument says the value of a member: an element of a list, or the buffer or the size of a span.
fn is_part(member: &Named, argument: &Argument) -> bool {
    match (member.path(), &argument.number) {
        (".data", Ok(Value::Int(_))) => argument.buffer.is_some(),
        (".size", Ok(Value::Int(_))) => argument.buffer.is_some(),
        (path, Ok(list)) => element(path, list).is_some(),
        _ => false,
    }
}

/// The element of a list at a path such as `[2]`; one that the list leaves out is 0.
fn element<'v>(path: &str, list: &'v Value) -> Option<&'v Value> {
    let at: usize = path.strip_prefix('[')?.strip_suffix(']')?.parse().ok()?;
    let Value::List(list) = list else { return None };
    Some(list.get(at).unwrap_or(&Value::Int(0)))
}

/// Each of a kernel's parameters with the place of its argument: members of a structure have one.
fn placed(named: &[Named]) -> impl Iterator<Item = (&Named, usize)> {
    let mut last: Option<(Option<&str>, usize)> = None;
    named.iter().map(move |named| {
        let own = named.is_member().then(|| named.base());
        let at = match &last {
            Some((of, at)) if own.is_some() && *of == own => *at,
            Some((_, at)) => at + 1,
            None => 0,
        };
        last = Some((own, at));
        (named, at)
    })
}

/// The unknown names, except those that the options make unnecessary.
fn needed(launch: &Launch, named: &[Named], options: &TraceOptions) -> Vec<String> {
    let mut rest = launch.clone();
    if let Some([x, y, z]) = options.grid {
        rest.grid.value = Ok([x, y, z].map(i64::from));
    }
    if options.block.is_some() || options.warps.is_some() {
        rest.block.value = Ok([1; 3]);
    }
    if options.shared_bytes > 0 {
        rest.shared.value = Ok(0);
    }
    for (of, at) in placed(named) {
        if let Some(argument) = rest.arguments.get_mut(at)
            && (of.parameter.is_pointer || of.is_member() || options.gives(&of.name))
        {
            argument.number = Ok(Value::Int(0));
        }
    }
    unknown(&rest)
}

fn at_launch(target: &str, launch: &Launch, message: String) -> Diagnostic {
    let mut problem = Diagnostic::error(message).in_file(target);
    if let (Some(place), (0, line)) = (&mut problem.place, launch.place) {
        place.line = u32::try_from(line + 1).unwrap_or(1);
    }
    problem
}

/// A sentence on the launch that is taken: its line, its sizes, and the names that these come from.
fn noted(number: usize, count: usize, launch: &Launch, options: &TraceOptions) -> String {
    let others = if count > 1 { format!(" of {count} (another by --launch N)") } else { String::new() };
    // An option replaces the name that holds the size in the file.
    let is_replaced = |name: &str| {
        (options.grid.is_some() && launch.grid.text == name) || (options.block.is_some() && launch.block.text == name)
    };
    let used = launch.used.iter().filter(|used| !is_replaced(&used.name));
    let used: Vec<String> = used.map(|used| format!("{} = {}", used.name, used.value)).collect();
    let used = if used.is_empty() { String::new() } else { format!(", with {}", used.join(", ")) };
    let [grid, block] = [&launch.grid.text, &launch.block.text];
    format!("launch {number}{others}, line {}: {}<<<{grid}, {block}>>>{used}", launch.place.1 + 1, launch.kernel)
}
