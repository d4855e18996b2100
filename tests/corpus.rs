//! WGSL from every corner of the language: each file of `tests/corpus/` says in its first comments what comes of it,
//! and that is so.
//!
//! The first line is one of
//!
//! - `// runs`: every compute entry point runs, in full and without findings;
//! - `// refused: WORDS at line N`: it is valid, but the tracer says at that line that it does not know it;
//! - `// rejected: WORDS at line N`: it is no valid WGSL;
//! - `// no compute entry point`.
//!
//! Lines of these forms may follow, up to an empty line:
//!
//! - `// ENTRY refused: WORDS at line N`: this entry point is an exception;
//! - `// finds KIND at line N`: a finding, by its name in JSON;
//! - `// set NAME=VALUE`: an override's value;
//! - `// grid X Y Z`: workgroups, 1 1 1 where nothing is said;
//! - `// [ENTRY: ]BUFFER[FROM..] = VALUES`: what the buffer's elements are after the entry point (else the first one)
//!   ran.
//!
//! Buffers that are only read hold 0, 1, 2, …, the others zeros; a runtime-sized array fills up to 64 words.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use warpbook::base::diag::Diagnostic;
use warpbook::base::tensor::{Init, Tensor};
use warpbook::job::{BindingKind, TraceSpec};
use warpbook::simt::{self, Options, Program};
use warpbook::trace::Trace;

type Result<T = ()> = std::result::Result<T, String>;
type Launched = std::result::Result<Trace, Diagnostic>;

/// Words of a buffer whose size the shader leaves open.
const WORDS: u32 = 64;
/// Warp instructions for a run: more than any file takes that is meant to end.
const FUEL: u64 = 1 << 20;

/// A diagnostic that is wanted.
#[derive(Clone, Debug)]
struct Complaint {
    words: String,
    line: u32,
}

/// The header's verdict on all entry points of the file.
#[derive(Debug)]
enum Verdict {
    Runs,
    Refused(Complaint),
    Rejected(Complaint),
    NoEntryPoint,
}

/// The expected words of a buffer.
#[derive(Debug)]
struct Values {
    entry: Option<String>,
    buffer: String,
    from: usize,
    values: Vec<f64>,
}

#[derive(Debug)]
struct Header {
    verdict: Verdict,
    refused: Vec<(String, Complaint)>,
    findings: Vec<(String, u32)>,
    constants: Vec<(String, f64)>,
    grid: [u32; 3],
    values: Vec<Values>,
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T> {
    text.trim().parse().map_err(|_| format!("`{text}` is no number"))
}

fn complaint(text: &str) -> Result<Complaint> {
    let (words, line) = text.rsplit_once("at line ").ok_or("no line is given")?;
    Ok(Complaint { words: words.trim().to_owned(), line: number(line)? })
}

fn verdict(line: &str) -> Result<Verdict> {
    match line.split_once(": ") {
        None if line == "// runs" => Ok(Verdict::Runs),
        None if line == "// no compute entry point" => Ok(Verdict::NoEntryPoint),
        Some(("// refused", rest)) => Ok(Verdict::Refused(complaint(rest)?)),
        Some(("// rejected", rest)) => Ok(Verdict::Rejected(complaint(rest)?)),
        _ => Err(format!("the first line `{line}` does not say what comes of the file")),
    }
}

fn values(text: &str) -> Result<Values> {
    let (place, list) = text.split_once(" = ").ok_or_else(|| format!("`{text}` is no line of a header"))?;
    let (entry, place) = match place.split_once(": ") {
        Some((entry, place)) => (Some(entry.to_owned()), place),
        None => (None, place),
    };
    let (buffer, from) = place.split_once('[').ok_or("no place is given")?;
    let from = number(from.trim_end_matches(']').trim_end_matches(".."))?;
    let values = list.split_whitespace().map(number).collect::<Result<Vec<f64>>>()?;
    Ok(Values { entry, buffer: buffer.to_owned(), from, values })
}

fn header(text: &str) -> Result<Header> {
    let mut lines = text.lines();
    let mut header = Header {
        verdict: verdict(lines.next().unwrap_or_default())?,
        refused: Vec::new(),
        findings: Vec::new(),
        constants: Vec::new(),
        grid: [1; 3],
        values: Vec::new(),
    };
    for line in lines.map_while(|line| line.strip_prefix("// ")) {
        if let Some(finding) = line.strip_prefix("finds ") {
            let Complaint { words, line } = complaint(finding)?;
            header.findings.push((words, line));
        } else if let Some(constant) = line.strip_prefix("set ") {
            let (name, value) = constant.split_once('=').ok_or("an override needs a value")?;
            header.constants.push((name.to_owned(), number(value)?));
        } else if let Some(grid) = line.strip_prefix("grid ") {
            let grid = grid.split(' ').map(number).collect::<Result<Vec<u32>>>()?;
            header.grid = grid.try_into().map_err(|_| "a grid has three sizes")?;
        } else if let Some((entry, refusal)) = line.split_once(" refused: ") {
            header.refused.push((entry.to_owned(), complaint(refusal)?));
        } else {
            header.values.push(values(line)?);
        }
    }
    header.findings.sort();
    Ok(header)
}

/// Checks that `errors` begin with what is wanted, and that all of them are fit for people.
fn complains(errors: &[Diagnostic], wanted: &Complaint, text: &str) -> Result {
    for error in errors {
        let message = error.message.to_lowercase();
        let vague = ["internal", "this statement", "unsupported"].into_iter().find(|vague| message.contains(vague));
        if let Some(vague) = vague {
            return Err(format!("`{vague}` says nothing: {error}"));
        }
        let Some(place) = &error.place else { return Err(format!("no place: {error}")) };
        if !(1..=text.split('\n').count()).contains(&(place.line as usize)) || place.column == 0 {
            return Err(format!("no place in the file: {error}"));
        }
    }
    let first = errors.first().ok_or("no error at all")?;
    let line = first.place.as_ref().map_or(0, |place| place.line);
    let said = format!("{}\n{}", first.message, first.hint.clone().unwrap_or_default());
    if line != wanted.line || !said.contains(&wanted.words) {
        return Err(format!("`{}` was wanted at line {}, and came: {first}", wanted.words, wanted.line));
    }
    Ok(())
}

/// The buffers before a run.
fn buffers(program: &Program) -> Result<Vec<Tensor>> {
    let each = program.bindings().iter().map(|binding| {
        if binding.min_bytes > 1 << 20 {
            return Err(format!("`{}` is too large for a test", binding.name));
        }
        let words = binding.min_bytes.div_ceil(4).max(if binding.stride.is_some() { WORDS } else { 0 });
        let init = if binding.kind == BindingKind::ReadWrite { Init::Zero } else { Init::Iota };
        let count = u64::from(words) * 4 / binding.elem.bytes();
        Ok(Tensor::new(binding.elem, usize::try_from(count).unwrap_or(usize::MAX), init, 0, 0))
    });
    each.collect()
}

/// Runs an entry point once.
fn launch(program: &Program, buffers: &mut [Tensor], grid: [u32; 3], warp_width: u32) -> Launched {
    let spec = TraceSpec { warp_width, races: true, ..TraceSpec::default() };
    let options = Options { spec, fuel: FUEL, threads: Some(1), ..Options::default() };
    simt::run(program, buffers, grid, &options, &AtomicBool::new(false), &|_, _| {}).map(|outcome| outcome.trace)
}

/// Runs an entry point at every warp width, and checks what comes of it.
fn runs(program: &Program, header: &Header, values: &[&Values]) -> Result {
    let mut first: Option<Vec<Tensor>> = None;
    let ends = !header.findings.iter().any(|(kind, _)| kind == "out_of_fuel");
    for warp_width in [32, 8, 16, 64] {
        let mut buffers = buffers(program)?;
        let trace = launch(program, &mut buffers, header.grid, warp_width).map_err(|e| e.to_string())?;
        let findings: Vec<(String, u32)> = trace.findings.iter().map(|f| (kind_name(f), f.line)).collect();
        if findings != header.findings {
            return Err(format!("width {warp_width}: findings {:?}", trace.findings));
        }
        if trace.complete != ends {
            return Err(format!("width {warp_width}: it ran {}", if ends { "not to its end" } else { "to an end" }));
        }
        match &first {
            // A run that is cut short ends with its fuel.
            Some(first) if ends && *first != buffers => return Err(format!("width {warp_width} gives other results")),
            Some(_) => {}
            None => first = Some(buffers),
        }
    }
    let buffers = first.unwrap_or_default();
    for wanted in values {
        let at = program.bindings().iter().position(|b| b.name == wanted.buffer);
        let buffer = at.map(|at| &buffers[at]).ok_or_else(|| format!("no buffer `{}`", wanted.buffer))?;
        let range = wanted.from..wanted.from + wanted.values.len();
        if range.end > buffer.len() {
            return Err("more values than elements".to_owned());
        }
        let got: Vec<f64> = range.map(|i| buffer.get(i)).collect();
        // Values are stated as they round to the buffer's type; a NaN is any.
        let same = |(got, wanted): (&f64, &f64)| {
            let wanted = buffer.elem.decode(buffer.elem.encode(*wanted));
            *got == wanted || got.is_nan() && wanted.is_nan()
        };
        if !got.iter().zip(&wanted.values).all(same) {
            return Err(format!("{}[{}..] = {got:?}, wanted {:?}", wanted.buffer, wanted.from, wanted.values));
        }
    }
    Ok(())
}

/// The name of a finding's kind in JSON.
fn kind_name(finding: &warpbook::trace::Finding) -> String {
    serde_json::to_value(finding.kind).ok().and_then(|kind| kind.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Checks one file; what it says of values is counted in `stated`.
fn check(name: &str, text: &str, stated: &mut usize) -> Result {
    let header = header(text)?;
    let entries = match (simt::entry_points(name, text), &header.verdict) {
        (Err(errors), Verdict::Rejected(wanted)) => return complains(&errors, wanted, text),
        (Err(errors), _) => return Err(format!("rejected: {}", errors[0])),
        (Ok(_), Verdict::Rejected(_)) => return Err("accepted".to_owned()),
        (Ok(entries), _) => entries,
    };
    if let Verdict::NoEntryPoint = header.verdict {
        let wanted = Complaint { words: "no compute entry point".to_owned(), line: 1 };
        let errors = Program::compile(name, text, "main", &[]).err().unwrap_or_default();
        return if entries.is_empty() { complains(&errors, &wanted, text) } else { Err("it has one".to_owned()) };
    }
    if entries.is_empty() {
        return Err("it has no compute entry point".to_owned());
    }
    for (i, entry) in entries.iter().enumerate() {
        let own = header.refused.iter().find(|(exception, _)| *exception == entry.name).map(|(_, wanted)| wanted);
        let refusal = match &header.verdict {
            Verdict::Refused(wanted) => Some(wanted),
            _ => own,
        };
        let at = |why| format!("`{}`: {why}", entry.name);
        match (Program::compile(name, text, &entry.name, &header.constants), refusal) {
            (Err(errors), Some(wanted)) => complains(&errors, wanted, text).map_err(at)?,
            // Some programs turn out to be too large when they are launched.
            (Ok(program), Some(wanted)) => match launch(&program, &mut buffers(&program)?, header.grid, 32) {
                Err(error) => complains(&[error], wanted, text).map_err(at)?,
                Ok(_) => return Err(at("it is not refused".to_owned())),
            },
            (Err(errors), None) => return Err(at(format!("refused: {}", errors[0]))),
            (Ok(program), None) => {
                let mine = |v: &&Values| v.entry.as_ref().map_or(i == 0, |name| *name == entry.name);
                let values: Vec<&Values> = header.values.iter().filter(mine).collect();
                *stated += usize::from(!values.is_empty());
                runs(&program, &header, &values).map_err(at)?;
            }
        }
    }
    Ok(())
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|e| e.path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_does_what_it_says() {
    let files = files();
    let (mut wrong, mut stated) = (String::new(), 0);
    for path in &files {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(path).unwrap_or_default();
        if let Err(why) = check(&name, &text, &mut stated) {
            _ = writeln!(wrong, "{name}: {why}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(files.len() >= 150 && stated >= 80, "{} files, {stated} entry points with values", files.len());
}

#[test]
fn a_header_that_says_nothing_is_noticed() {
    for text in ["", "// run", "// runs\n// outs 3", "// refused: it", "// runs\n// out[0..] = x"] {
        assert!(header(text).is_err(), "{text}");
    }
    let text = "// runs\n// out[0..] = 4\n\n@group(0) @binding(0) var<storage, read_write> out: array<u32>;\n\
                @compute @workgroup_size(1) fn main() { out[0] = 5u; }";
    let wrong = check("t.wgsl", text, &mut 0).err();
    assert_eq!(wrong.as_deref(), Some("`main`: out[0..] = [5.0], wanted [4.0]"));
}
