//! `warpbook launches`

use std::process::ExitCode;

use serde::Serialize;
use warpbook_cuda_file::{Argument, Given, Kernel, Launch, Missed, Parameter, Size, Used, Value, kernels};

use super::args::LaunchesArgs;
use super::{DONE, out};
use crate::base::diag::Diagnostic;
use crate::base::shell::typed;
use crate::base::{files, parts};
use crate::session::run::launches::{listed, unknown};

/// Launches that are shown whole; of more, each is a line.
const LONG: usize = 6;

pub(super) fn launches(args: &LaunchesArgs) -> Result<ExitCode, ExitCode> {
    let LaunchesArgs { file, launch: number, lets, json } = args;
    let name = file.display().to_string();
    let missing = |error| {
        let problem = Diagnostic::error(format!("cannot read {name}: {error}"));
        out::misused(problem.hint("give the path of a .cu, .cuh or .cpp file"))
    };
    let text = files::read_text(file).map_err(missing)?;
    let source = parts::compose_on_disk(&name, text).map_err(out::misused)?;
    let found = listed(&source, lets);
    let files: Vec<String> = parts::parts(&source).iter().map(|part| part.file.unwrap_or(&name).to_owned()).collect();
    let all: Vec<Output> =
        found.iter().zip(1..).map(|(launch, number)| Output::of(launch, number, &files, lets)).collect();
    if *json {
        let texts: Vec<&str> = parts::parts(&source).iter().map(|part| part.text).collect();
        let kernels = kernels(&texts).into_iter().map(|kernel| OfKernel::of(kernel, &files)).collect();
        out::json(&Outputs { kernels, launches: all });
        return Ok(DONE);
    }
    if all.is_empty() {
        out::note(&format!("note: no launch was found in {name}: give grid, block and arguments to warpbook trace"));
    }
    match number {
        Some(number) => match all.get(*number as usize - 1) {
            Some(launch) => show(launch),
            None => {
                let problem = Diagnostic::error(format!("there is no launch {number}")).in_file(&name);
                return Err(out::misused(problem.hint(format!("the last one is {}", all.len()))));
            }
        },
        None if all.len() > LONG => {
            all.iter().for_each(show_short);
            out::note(&format!("note: warpbook launches {} --launch N shows one whole", typed(&name)));
        }
        None => all.iter().for_each(show),
    }
    Ok(DONE)
}

/// The JSON output.
#[derive(Serialize)]
struct Outputs {
    kernels: Vec<OfKernel>,
    launches: Vec<Output>,
}

/// A kernel that the file or a part of it defines.
#[derive(Serialize)]
struct OfKernel {
    name: String,
    signature: String,
    /// The parameters of its template.
    template: Option<String>,
    file: String,
    line: usize,
}

impl OfKernel {
    fn of(kernel: Kernel, files: &[String]) -> Self {
        let Kernel { name, signature, template, place: (file, line) } = kernel;
        Self { name, signature, template, file: files.get(file).cloned().unwrap_or_default(), line: line + 1 }
    }
}

/// A launch.
#[derive(Serialize)]
struct Output {
    number: usize,
    kernel: String,
    file: String,
    line: usize,
    function: String,
    /// Sizes are null where the file does not say them; beside each, how the launch writes it.
    grid: Option<[i64; 3]>,
    grid_from: String,
    block: Option<[i64; 3]>,
    block_from: String,
    shared_bytes: Option<i64>,
    shared_from: String,
    arguments: Vec<OfArgument>,
    /// Names that the values come from.
    names: Vec<OfName>,
    /// A condition around it that is false in a run without arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    missed: Option<String>,
    /// The same in words.
    #[serde(skip)]
    why_missed: Option<String>,
    /// Names that the file gives no value.
    unknown: Vec<String>,
    /// The command that traces it.
    command: String,
}

/// A size, if it is known.
fn known<T: Copy>(given: &Given<T>) -> Option<T> {
    given.value.as_ref().ok().copied()
}

#[derive(Serialize)]
struct OfArgument {
    /// The parameter's name.
    name: String,
    #[serde(rename = "type")]
    ty: String,
    /// The value of one that is no pointer, if the file says it.
    value: Option<String>,
    /// The argument as the launch writes it.
    from: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elements: Option<i64>,
}

#[derive(Serialize)]
struct OfName {
    name: String,
    text: String,
    value: String,
    file: String,
    line: usize,
}

impl Output {
    fn of(launch: &Launch, number: usize, files: &[String], lets: &[(String, f64)]) -> Self {
        let file = |part: usize| files.get(part).cloned().unwrap_or_default();
        let argument = |(i, argument): (usize, &Argument)| {
            let parameter = launch.parameters.get(i);
            let is_pointer = parameter.is_some_and(|parameter| parameter.is_pointer);
            let buffer = argument.buffer.as_ref().filter(|_| is_pointer);
            let size = buffer.and_then(|buffer| buffer.size.as_ref().ok());
            OfArgument {
                name: parameter.map_or_else(|| format!("param_{i}"), |parameter| parameter.name.clone()),
                ty: parameter.map(type_words).unwrap_or_default(),
                from: argument.text.clone(),
                value: argument.number.as_ref().ok().map(Value::to_string).filter(|_| !is_pointer),
                buffer: buffer.map(|buffer| buffer.name.clone()),
                bytes: size.and_then(|size| if let Size::Bytes(bytes) = size { Some(*bytes) } else { None }),
                elements: size.and_then(|size| if let Size::Elements(count) = size { Some(*count) } else { None }),
            }
        };
        let name = |used: &Used| OfName {
            name: used.name.clone(),
            text: used.text.clone(),
            value: used.value.to_string(),
            file: file(used.place.0),
            line: used.place.1 + 1,
        };
        let unknown = unknown(launch);
        let given = lets.iter().map(|(name, value)| format!(" --let {}", typed(&format!("{name}={value}"))));
        let asked = unknown.iter().map(|name| format!(" --let {}", typed(&format!("{name}=VALUE"))));
        let lets: String = given.chain(asked).collect();
        Self {
            number,
            kernel: launch.kernel.clone(),
            file: file(launch.place.0),
            line: launch.place.1 + 1,
            function: launch.function.clone(),
            grid: known(&launch.grid),
            grid_from: launch.grid.text.clone(),
            block: known(&launch.block),
            block_from: launch.block.text.clone(),
            shared_bytes: known(&launch.shared),
            shared_from: launch.shared.text.clone(),
            arguments: launch.arguments.iter().enumerate().map(argument).collect(),
            names: launch.used.iter().map(name).collect(),
            command: format!("warpbook trace {} --launch {number}{lets}", typed(&file(0))),
            missed: launch.missed.as_ref().map(|missed| missed.text().to_owned()),
            why_missed: launch.missed.as_ref().map(Missed::words),
            unknown,
        }
    }
}

fn type_words(parameter: &Parameter) -> String {
    format!("{}{}", parameter.ty, if parameter.is_pointer { " *" } else { "" })
}

/// A launch in a line.
fn show_short(launch: &Output) {
    let Output { number, kernel, line, grid_from, block_from, .. } = launch;
    let missed = if launch.missed.is_some() { "  (not reached)" } else { "" };
    let asks =
        if launch.unknown.is_empty() { String::new() } else { format!("  asks for {}", launch.unknown.join(", ")) };
    out::line(&format!("{number}  line {line}  {kernel}<<<{grid_from}, {block_from}>>>{asks}{missed}"));
}

fn show(launch: &Output) {
    let Output { number, kernel, line, function, .. } = launch;
    let within = if function.is_empty() { String::new() } else { format!(", in {function}") };
    out::line(&format!("{number}  {kernel}  ({}:{line}{within})", launch.file));
    let size = |value: Option<[i64; 3]>| value.map_or_else(|| "?".to_owned(), |[x, y, z]| format!("{x},{y},{z}"));
    let dynamic = match (launch.shared_bytes, launch.shared_from.as_str()) {
        (Some(0), _) => String::new(),
        (Some(bytes), text) => format!("  shared {bytes} ({text})"),
        (None, text) => format!("  shared ? ({text})"),
    };
    out::line(&format!(
        "    grid {} ({})  block {} ({}){dynamic}",
        size(launch.grid),
        launch.grid_from,
        size(launch.block),
        launch.block_from
    ));
    for argument in &launch.arguments {
        let value = match (&argument.value, &argument.buffer, argument.bytes, argument.elements) {
            (Some(value), ..) => value.clone(),
            (None, Some(buffer), Some(bytes), _) => format!("{buffer}, {bytes} bytes"),
            (None, Some(buffer), None, Some(elements)) => format!("{buffer}, {elements} elements"),
            (None, Some(buffer), None, None) => format!("{buffer}, of a size that the file does not say"),
            (None, None, ..) => "?".to_owned(),
        };
        let text = if value == argument.from { String::new() } else { format!("  ({})", argument.from) };
        out::line(&format!("    {} = {value}{text}", argument.name));
    }
    for name in &launch.names {
        let text = if name.text == name.value { String::new() } else { format!(" = {}", name.text) };
        out::line(&format!("      {}{text} = {}  (line {})", name.name, name.value, name.line));
    }
    if let Some(why) = &launch.why_missed {
        out::line(&format!("    not reached in a run like this: {why}"));
    }
    out::line(&format!("    {}", launch.command));
}
