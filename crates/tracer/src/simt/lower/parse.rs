//! WGSL text to a validated module with its overrides resolved, and every complaint as a diagnostic.

use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::ir;
use naga::valid::{Capabilities, ModuleInfo, ValidationError, ValidationFlags, Validator};

use super::super::big_stack::{MAX_WGSL, deep};
use warpbook_base::diag::{Diagnostic, Place, nearest};
use warpbook_base::wgsl::without_enable_subgroups;

/// An entry point of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// Its name.
    pub name: String,
    /// Its workgroup's size, where no override decides it.
    pub workgroup_size: Option<[u32; 3]>,
    /// The line that it is on, from 1.
    pub line: u32,
}

/// A pipeline-overridable constant of a shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// Its name. One with an `@id` also goes by that number.
    pub name: String,
    /// Its value if none is given; None if one must be, or if it depends on other overrides.
    pub default: Option<f64>,
    /// Whether a value must be given.
    pub required: bool,
}

/// The compute entry points of `source`, in order.
///
/// # Errors
/// Problems with the source.
pub fn entry_points(file: &str, source: &str) -> Result<Vec<EntryPoint>, Vec<Diagnostic>> {
    deep(file, source, MAX_WGSL, || {
        let (module, _) = parse(file, source)?;
        Ok(compute_entries(&module)
            .map(|entry| EntryPoint {
                name: entry.name.clone(),
                workgroup_size: entry.workgroup_size_overrides.is_none().then_some(entry.workgroup_size),
                line: entry_line(entry, source),
            })
            .collect())
    })
}

/// The overrides of `source`, in order.
///
/// # Errors
/// Problems with the source.
pub fn overrides(file: &str, source: &str) -> Result<Vec<Override>, Vec<Diagnostic>> {
    deep(file, source, MAX_WGSL, || Ok(known_overrides(&parse(file, source)?.0)))
}

fn known_overrides(module: &ir::Module) -> Vec<Override> {
    module
        .overrides
        .iter()
        // An array's size that is an expression is an override too, which cannot be set.
        .filter_map(|(_, o)| Some((o.name.clone()?, o)))
        .map(|(name, o)| Override {
            name,
            default: o.init.and_then(|init| match module.global_expressions[init] {
                ir::Expression::Literal(literal) => literal_value(literal),
                _ => None,
            }),
            required: o.init.is_none(),
        })
        .collect()
}

/// The key of the override `name` when resolving: its number if it has one.
fn override_key(module: &ir::Module, name: &str) -> Option<String> {
    let is_meant =
        |o: &ir::Override| o.name.as_deref() == Some(name) || o.id.map(|id| id.to_string()).as_deref() == Some(name);
    let (_, o) = module.overrides.iter().find(|(_, o)| is_meant(o))?;
    override_name(o)
}

/// An override's number where it has one, else its name.
fn override_name(o: &ir::Override) -> Option<String> {
    o.id.map(|id| id.to_string()).or_else(|| o.name.clone())
}

fn literal_value(literal: ir::Literal) -> Option<f64> {
    match literal {
        ir::Literal::F32(x) => Some(f64::from(x)),
        ir::Literal::U32(x) => Some(f64::from(x)),
        ir::Literal::I32(x) => Some(f64::from(x)),
        ir::Literal::F16(x) => Some(x.to_f64()),
        ir::Literal::Bool(x) => Some(f64::from(u8::from(x))),
        _ => None,
    }
}

fn compute_entries(module: &ir::Module) -> impl Iterator<Item = &ir::EntryPoint> {
    module.entry_points.iter().filter(|e| e.stage == ir::ShaderStage::Compute)
}

/// The line an entry point is on. They carry no span of their own, so the text is searched for `fn name`.
pub(super) fn entry_line(entry: &ir::EntryPoint, source: &str) -> u32 {
    function_line(&entry.name, source)
}

/// The line that function `name` is on; the first where it cannot be found.
fn function_line(name: &str, source: &str) -> u32 {
    let named = |line: &str| {
        line.split("fn").skip(1).any(|rest| {
            rest.trim_start()
                .strip_prefix(name)
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    source.lines().position(named).map_or(1, |i| u32::try_from(i + 1).unwrap_or(u32::MAX))
}

/// Parses and validates. What the tracer does not know it refuses later, in its own words.
pub(super) fn parse(file: &str, source: &str) -> Result<(ir::Module, ModuleInfo), Vec<Diagnostic>> {
    let known = without_enable_subgroups(source);
    let module = naga::front::wgsl::parse_str(&known).map_err(|e| parse_error(file, source, &e))?;
    let info = validator().validate(&module).map_err(|e| validation_error(file, source, &e))?;
    Ok((module, info))
}

fn validator() -> Validator {
    Validator::new(ValidationFlags::all(), Capabilities::all())
}

fn parse_error(file: &str, source: &str, error: &naga::front::wgsl::ParseError) -> Vec<Diagnostic> {
    let notes: Vec<&str> = error.notes().collect();
    if notes.iter().any(|note| note.contains("recursion limit")) {
        let error = Diagnostic { place: Some(deepest(file, source)), ..Diagnostic::error("the text nests too deeply") };
        return vec![error.hint("take the inner part out, into variables or functions of their own")];
    }
    let mut out = Vec::new();
    for (span, label) in error.labels() {
        if label.is_empty() && !out.is_empty() {
            continue;
        }
        let place = Place::at(file, source, span.to_range().map_or(0, |r| r.start));
        let message = if out.is_empty() && !label.is_empty() && !error.message().starts_with(label) {
            format!("{} ({label})", error.message())
        } else if out.is_empty() {
            error.message().to_owned()
        } else {
            label.to_owned()
        };
        out.push(Diagnostic { place: Some(place), ..Diagnostic::error(message) });
    }
    if out.is_empty() && !notes.is_empty() {
        // A so-called internal error of the parser is the text's fault all the same, and only the notes describe it.
        return vec![Diagnostic::error(format!("this is no WGSL: {}", notes.join("; "))).in_file(file)];
    }
    if out.is_empty() {
        out.push(Diagnostic::error(error.message()).in_file(file));
    }
    if !notes.is_empty() {
        out[0].hint = Some(notes.join("; "));
    }
    out
}

/// Where the most brackets are open.
fn deepest(file: &str, source: &str) -> Place {
    let (mut depth, mut most, mut at) = (0_usize, 0, 0);
    for (i, c) in source.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > most {
            (most, at) = (depth, i);
        }
    }
    Place::at(file, source, at)
}

fn validation_error(file: &str, source: &str, error: &naga::WithSpan<ValidationError>) -> Vec<Diagnostic> {
    // The chain of causes, from the outermost in.
    let mut message = error.as_inner().to_string();
    let mut cause = std::error::Error::source(error.as_inner());
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    let mut out: Vec<Diagnostic> = error
        .spans()
        .filter_map(|(span, label)| Some((span.to_range()?, label)))
        .map(|(range, label)| Diagnostic::error(label.as_str()).at(file, source, &range))
        .collect();
    match out.first_mut() {
        // Some labels only say what part of the compiler's own module it is.
        Some(first) if first.message.starts_with("naga::") => first.message = message,
        Some(first) => first.message = format!("{message} ({})", first.message),
        None => {
            let line = match error.as_inner() {
                ValidationError::EntryPoint { name, .. } | ValidationError::Function { name, .. } => {
                    function_line(name, source)
                }
                _ => 1,
            };
            let place = Place { file: file.to_owned(), line, column: 1 };
            out.push(Diagnostic { place: Some(place), ..Diagnostic::error(message) });
        }
    }
    out
}

/// Keeps only entry point `entry`, gives the overrides their values, and validates what comes out.
pub(super) fn resolve(
    file: &str,
    source: &str,
    entry: &str,
    constants: &[(String, f64)],
) -> Result<(ir::Module, ModuleInfo), Vec<Diagnostic>> {
    let (module, info) = parse(file, source)?;
    check_entry(file, &module, entry).map_err(|e| vec![e])?;
    let values = constant_values(file, &module, constants)?;
    let chosen = Some((ir::ShaderStage::Compute, entry));
    match process_overrides(&module, &info, chosen, &values) {
        Ok((module, info)) => Ok((module.into_owned(), info.into_owned())),
        Err(PipelineConstantError::ValidationError(e)) => Err(validation_error(file, source, &e)),
        Err(PipelineConstantError::MissingValue(key)) => {
            let wanted = |(_, o): &(_, &ir::Override)| override_name(o).as_deref() == Some(key.as_str());
            let span = module.overrides.iter().find(wanted).map(|(handle, _)| module.overrides.get_span(handle));
            let at = span.and_then(naga::Span::to_range).map_or(0, |range| range.start);
            let error = Diagnostic::error(format!("the override `{key}` has no value"));
            Err(vec![
                Diagnostic { place: Some(Place::at(file, source, at)), ..error }
                    .hint("give it one, or a default in the shader"),
            ])
        }
        Err(e) => Err(vec![
            Diagnostic::error(format!("the overrides cannot be resolved: {e}"))
                .in_file(file)
                .hint("look at the values given to them, and at the expressions that use them"),
        ]),
    }
}

fn check_entry(file: &str, module: &ir::Module, entry: &str) -> Result<(), Diagnostic> {
    let names: Vec<&str> = compute_entries(module).map(|e| e.name.as_str()).collect();
    if names.contains(&entry) {
        return Ok(());
    }
    let error = Diagnostic::error(format!("no compute entry point is named `{entry}`")).in_file(file);
    Err(if names.is_empty() {
        error.hint("the file has none: one starts with `@compute @workgroup_size(64) fn name()`")
    } else if let Some(near) = nearest(entry, names.iter().copied()) {
        error.hint(format!("did you mean `{near}`? There are: {}", names.join(", ")))
    } else {
        error.hint(format!("there are: {}", names.join(", ")))
    })
}

fn constant_values(
    file: &str,
    module: &ir::Module,
    constants: &[(String, f64)],
) -> Result<naga::back::PipelineConstants, Vec<Diagnostic>> {
    let known = known_overrides(module);
    let names: Vec<&str> = known.iter().map(|o| o.name.as_str()).collect();
    let mut values = naga::back::PipelineConstants::default();
    let mut errors = Vec::new();
    for (name, value) in constants {
        if let Some(key) = override_key(module, name) {
            values.insert(key, *value);
            continue;
        }
        let error = Diagnostic::error(format!("the shader has no override `{name}`")).in_file(file);
        errors.push(match nearest(name, names.iter().copied()) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None if names.is_empty() => error.hint("it has none"),
            None => error.hint(format!("it has: {}", names.join(", "))),
        });
    }
    if errors.is_empty() { Ok(values) } else { Err(errors) }
}
