//! The rows of the table: what runs, from `cases.json`, and what the tracer counts of it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;
use warpbook::base::diag::Diagnostic;
use warpbook::base::parts::compose_on_disk;
use warpbook::base::tensor::{Elem, Init, Tensor};
use warpbook::base::wgsl::settle;
use warpbook::job::{Argument, Caches, TraceSpec};
use warpbook::simt::{Behind, Options, Program, Ptx, ptx_entries, run};
use warpbook::trace::counters::{COUNTERS, Counter};
use warpbook::trace::{CacheCounts, Trace};

/// Counters by name, such as `shared.load.wavefronts`; those that stayed at 0 are left out.
pub type Counters = BTreeMap<String, u64>;

/// One kernel and how to launch it; a constant with several values makes several rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    wgsl: String,
    entry: String,
    /// The CUDA twin, if it is not beside the WGSL.
    cuda: Option<String>,
    block: [u32; 3],
    grid: [u32; 3],
    constants: BTreeMap<String, Values>,
    buffers: Vec<(String, Contents, usize, Start)>,
    /// Whether the two may round differently: exponentials are the hardware's own. Then only the counters are compared.
    #[serde(default)]
    inexact: bool,
    /// Whether its hardware counters have not been read yet.
    #[serde(default)]
    unmeasured: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Contents {
    F16,
    F32,
    U32,
}

/// The initial contents of a buffer: this number everywhere, or else.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Start {
    Number(u32),
    Named(Named),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    /// 0, 1, … 12, 0, 1, …: sums of their products are exact in every order, fused or not, and on tensor cores.
    Cycle,
    Iota,
    /// Ones.
    One,
    Poison,
    Zero,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Values {
    One(u32),
    Several(Vec<u32>),
}

/// A kernel with one choice of its constants.
pub struct Row {
    /// The name of the row here, in `measure.py` and in every file between them.
    pub name: String,
    /// The kernel's file, from the root.
    pub wgsl: String,
    /// The twin's file, from the root.
    pub cuda: String,
    constants: Vec<(String, f64)>,
    case: std::sync::Arc<Case>,
}

/// The outcome of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Outcome {
    /// Adler-32 of all buffers afterwards, one after the other.
    pub checksum: u32,
    #[serde(flatten)]
    pub counters: Counters,
}

/// Reads a JSON file of this folder.
pub fn json<T: for<'a> Deserialize<'a>>(file: &str) -> Result<T, String> {
    let path = folder().join(file);
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{file}: {e}"))
}

/// The folder of the table.
pub fn folder() -> std::path::PathBuf {
    root().join("tests/hardware")
}

/// The root of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All rows, in the order of `cases.json`.
pub fn rows() -> Result<Vec<Row>, String> {
    let cases: Vec<Case> = json("cases.json")?;
    let mut rows = Vec::new();
    for case in cases {
        let mut choices = vec![Vec::new()];
        for (name, values) in &case.constants {
            let values = match values {
                Values::One(value) => std::slice::from_ref(value),
                Values::Several(values) => values,
            };
            choices = choices
                .iter()
                .flat_map(|done: &Vec<(String, u32)>| {
                    values.iter().map(move |value| {
                        let mut next = done.clone();
                        next.push((name.clone(), *value));
                        next
                    })
                })
                .collect();
        }
        let case = std::sync::Arc::new(case);
        for choice in choices {
            rows.push(Row::new(&case, &choice));
        }
    }
    Ok(rows)
}

impl Row {
    fn new(case: &std::sync::Arc<Case>, constants: &[(String, u32)]) -> Self {
        let cuda = case.cuda.clone().unwrap_or_else(|| case.wgsl.replace(".wgsl", ".cu"));
        let mut name = cuda.replace("shaders/", "").replace("tests/hardware/patterns/", "").replace(".cu", "");
        if case.entry != "main" {
            name += &format!("/{}", case.entry);
        }
        for (constant, value) in constants {
            name += &format!(" {constant}={value}");
        }
        let constants = constants.iter().map(|(name, value)| (name.clone(), f64::from(*value))).collect();
        Self { name, wgsl: case.wgsl.clone(), cuda, constants, case: case.clone() }
    }

    /// Whether its hardware counters have not been read yet.
    pub fn unmeasured(&self) -> bool {
        self.case.unmeasured
    }

    /// Whether both must leave the same bytes in the buffers.
    pub fn exact(&self) -> bool {
        !self.case.inexact
    }

    /// Runs the row on the tracer.
    pub fn trace(&self) -> Result<Outcome, String> {
        self.traced(&self.program()?)
    }

    /// The counts of caches that begin empty, on this many threads.
    pub fn cached(&self, caches: Caches, threads: Option<usize>) -> Result<CacheCounts, String> {
        Ok(self.behind_caches(caches, threads)?.caches.unwrap_or_default())
    }

    /// A trace with the counts of caches that begin empty.
    pub fn behind_caches(&self, caches: Caches, threads: Option<usize>) -> Result<Trace, String> {
        let program = self.program()?;
        let mut buffers: Vec<Tensor> = self.case.buffers.iter().map(tensor).collect();
        let blocks = self.case.grid.into_iter().map(u64::from).product();
        let mut behind = Behind::new(caches, buffers.iter().map(|buffer| 4 * buffer.words.len() as u64));
        let bases = (0..buffers.len()).map(|buffer| behind.base(buffer)).collect();
        let requests = Some((bases, behind.l1_bytes(&program, blocks)));
        let spec = TraceSpec { races: false, ..TraceSpec::default() };
        let options = Options { requests, spec, threads, ..Options::default() };
        let outcome = run(&program, &mut buffers, self.case.grid, &options, &AtomicBool::new(false), &|_, _| {});
        let mut outcome = outcome.map_err(|e| format!("{}: {e}", self.name))?;
        behind.serve(&program, blocks, outcome.requests.unwrap_or_default(), &mut outcome.trace);
        Ok(outcome.trace)
    }

    /// The row's kernel from its WGSL.
    fn program(&self) -> Result<Program, String> {
        let at = |e: String| format!("{}: {e}", self.name);
        let path = root().join(&self.wgsl);
        let source = std::fs::read_to_string(&path).map_err(|e| at(e.to_string()))?;
        let source = compose_on_disk(&path.to_string_lossy(), source).map_err(|e| at(e.to_string()))?;
        let all = |errors: Vec<Diagnostic>| at(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
        let settled = settle(&self.wgsl, &source, &self.constants).map_err(all)?;
        let program =
            Program::compile(&self.wgsl, &settled.source, &self.case.entry, &settled.overrides).map_err(all)?;
        if program.workgroup_size() != self.case.block {
            return Err(at(format!("the shader's workgroups are of {:?}", program.workgroup_size())));
        }
        let names: Vec<&str> = program.bindings().iter().map(|b| b.name.as_str()).collect();
        let given: Vec<&str> = self.case.buffers.iter().map(|(name, ..)| name.as_str()).collect();
        if names != given {
            return Err(at(format!("the shader binds {names:?}")));
        }
        Ok(program)
    }

    /// The row's kernel from its twin's PTX.
    pub fn program_of_ptx(&self, ptx: &str) -> Result<Program, String> {
        let at = |e: String| format!("{}: {e}", self.name);
        let entries = ptx_entries(&self.cuda, ptx).map_err(|e| at(e.to_string()))?;
        let entry = match entries.as_slice() {
            [only] if self.case.entry == "main" => only.clone(),
            _ => self.case.entry.clone(),
        };
        let arguments: Vec<Argument> =
            self.case.buffers.iter().map(|(name, ..)| Argument::Buffer(name.clone())).collect();
        let compiled = Program::compile_ptx(&Ptx {
            file: &self.cuda,
            text: ptx,
            entry: &entry,
            block: self.case.block,
            shared_bytes: 0,
            arguments: &arguments,
            source: &|_, line| Some(line),
        });
        compiled.map_err(|errors| at(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")))
    }

    /// Runs the row's kernel on its buffers.
    pub fn traced(&self, program: &Program) -> Result<Outcome, String> {
        let at = |e: String| format!("{}: {e}", self.name);
        let mut buffers: Vec<Tensor> = self.case.buffers.iter().map(tensor).collect();
        let cancel = AtomicBool::new(false);
        let outcome = run(program, &mut buffers, self.case.grid, &Options::default(), &cancel, &|_, _| {})
            .map_err(|e| at(e.to_string()))?;
        if !outcome.trace.complete || !outcome.trace.findings.is_empty() {
            return Err(at(format!("{:?}", outcome.trace.findings)));
        }
        let checksum = buffers
            .iter()
            .zip(&self.case.buffers)
            .fold(1, |sum, (tensor, (_, _, count, _))| adler32(sum, tensor, count * tensor.elem.bytes() as usize));
        Ok(Outcome { checksum, counters: counters(&outcome.trace) })
    }
}

fn tensor((_, contents, count, start): &(String, Contents, usize, Start)) -> Tensor {
    let elem = match contents {
        Contents::F16 => Elem::F16,
        Contents::F32 => Elem::F32,
        Contents::U32 => Elem::U32,
    };
    let init = match start {
        Start::Number(number) => Init::Value((*number).into()),
        Start::Named(Named::Cycle) => return cycle(elem, *count),
        Start::Named(Named::Iota) => Init::Iota,
        Start::Named(Named::One) => Init::Value(1.0),
        Start::Named(Named::Poison) => Init::Poison,
        Start::Named(Named::Zero) => Init::Zero,
    };
    Tensor::new(elem, *count, init, 1, 0)
}

/// Whole numbers from 0 to 12, over and over.
fn cycle(elem: Elem, count: usize) -> Tensor {
    let values: Vec<u32> = (0..13).cycle().take(count).map(|value| elem.encode(f64::from(value))).collect();
    let in_word = if elem.bytes() == 2 { 2 } else { 1 };
    let words =
        values.chunks(in_word).map(|word| word.iter().rev().fold(0, |word, value| word << 16 | value)).collect();
    Tensor { elem, words }
}

/// The checksum that zlib calls Adler-32, continued over a tensor's bytes. An odd number of halves leaves two bytes of
/// its last word.
fn adler32(sum: u32, tensor: &Tensor, bytes: usize) -> u32 {
    const PRIME: u32 = 65_521;
    let (mut a, mut b) = (sum & 0xFFFF, sum >> 16);
    for byte in tensor.words.iter().flat_map(|word| word.to_le_bytes()).take(bytes) {
        a = (a + u32::from(byte)) % PRIME;
        b = (b + a) % PRIME;
    }
    b << 16 | a
}

fn counters(trace: &Trace) -> Counters {
    let counted = measured_counters().map(|counter| (counter.path.to_owned(), (counter.of)(trace)));
    counted.filter(|(_, count)| *count > 0).collect()
}

/// The counters that hardware has, too.
fn measured_counters() -> impl Iterator<Item = &'static Counter> {
    COUNTERS.iter().filter(|counter| !counter.ncu.is_empty())
}

/// `metrics.json`: for each counter the profiler's metrics that add up to it, for `measure.py`.
pub fn metrics() -> String {
    let row = |counter: &Counter| {
        let metrics: Vec<String> =
            counter.ncu.iter().filter_map(|names| names.first()).map(|name| format!("\"{name}\"")).collect();
        format!("  \"{}\": [{}]", counter.path, metrics.join(", "))
    };
    format!("{{\n{}\n}}\n", measured_counters().map(row).collect::<Vec<_>>().join(",\n"))
}
