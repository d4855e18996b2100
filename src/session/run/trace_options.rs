//! What a trace is given besides its target: sizes, contents and constants.

use std::path::PathBuf;

use super::given;
use super::io::Io;
use super::pointee::Pointee;
use crate::base::diag::Diagnostic;
use crate::base::tensor::Init;
use crate::job::{Caches, Language};

/// Options of a trace: the target's sizes, contents and constants.
#[derive(Clone, Debug)]
pub struct TraceOptions {
    /// Workgroups in x, y, z; if None, the lesson's own for a lesson's target.
    pub grid: Option<[u32; 3]>,
    /// The caches whose hits are counted, for a predicted time.
    pub caches: Option<Caches>,
    /// The entry point, if the file has several.
    pub entry: Option<String>,
    /// Threads of a block in x, y, z, of a kernel in CUDA or PTX.
    pub block: Option<[u32; 3]>,
    /// Warps of a block, instead of its threads, as Triton has it.
    pub warps: Option<u32>,
    /// Dynamic shared memory of a kernel in CUDA or PTX, in bytes.
    pub shared_bytes: u32,
    /// Arguments that are no pointers, by name, of a kernel in CUDA or PTX.
    pub arguments: Vec<(String, String)>,
    /// The types of the elements of buffers, where they are not the kernel's.
    pub types: Vec<(String, Pointee)>,
    /// The file that PTX was compiled from.
    pub source: Option<PathBuf>,
    /// The language that a lesson's kernel is traced in.
    pub language: Language,
    /// Values of overrides and of constants, and texts of macros.
    pub constants: Vec<(String, String)>,
    /// The architecture that a .cu file is compiled for, such as `sm_80`.
    pub target: Option<String>,
    /// Sizes and contents of runtime-sized buffers, by name.
    pub buffers: Vec<(String, u64, Init)>,
    /// Shapes of buffers in several dimensions, by name.
    pub shapes: Vec<(String, Vec<u64>)>,
    /// Pointers of a kernel in CUDA or PTX that lead to another one's buffer: both names.
    pub shared: Vec<(String, String)>,
    /// Buffers of pointers: the names of those, in order, that each leads to.
    pub pointers: Vec<(String, Vec<String>)>,
    /// The launch in a .cu file that gives what the options do not, by its number from 1; the first one if None.
    pub launch: Option<u32>,
    /// Whether all launches of a .cu file are traced, one after the other.
    pub all: bool,
    /// The names of the parameters of PTX, in order, where its source does not tell them.
    pub parameters: Option<Vec<String>>,
    /// Triton's number of stages.
    pub stages: Option<u32>,
    /// Whether a file of Python's is executed as a whole, and not its definitions alone.
    pub run_python: bool,
    /// Values of names in the host's code of a .cu file.
    pub lets: Vec<(String, f64)>,
    /// A lesson's parameters that differ from their defaults.
    pub set: Vec<(String, f64)>,
    /// Kernels for places in a program, by the pass's id.
    pub rungs: Vec<(String, String)>,
    /// Lanes in a warp.
    pub warp_width: u32,
    /// Seed of the random contents.
    pub seed: u64,
    /// Elements whose origin is requested: buffer, and 32-bit word of it.
    pub explain: Vec<(String, u64)>,
    /// Buffer contents from files, into files, or to be printed.
    pub io: Io,
    /// Warp instructions after which the trace stops; None for the tracer's own limit.
    pub limit: Option<u64>,
    /// Numbers for members of a file's buffers.
    pub members: Vec<given::Setting>,
    /// Whether the events of the first workgroup are kept.
    pub events: bool,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            caches: None,
            grid: None,
            entry: None,
            block: None,
            warps: None,
            shared_bytes: 0,
            arguments: Vec::new(),
            types: Vec::new(),
            source: None,
            language: Language::default(),
            constants: Vec::new(),
            target: None,
            buffers: Vec::new(),
            shapes: Vec::new(),
            shared: Vec::new(),
            pointers: Vec::new(),
            launch: None,
            all: false,
            parameters: None,
            stages: None,
            run_python: false,
            lets: Vec::new(),
            set: Vec::new(),
            rungs: Vec::new(),
            warp_width: 32,
            seed: 1,
            explain: Vec::new(),
            io: Io::default(),
            limit: None,
            members: Vec::new(),
            events: false,
        }
    }
}

impl TraceOptions {
    /// Whether an argument or a buffer is given.
    pub(super) fn gives(&self, name: &str) -> bool {
        self.arguments.iter().any(|(given, _)| given == name)
            || self.buffers.iter().any(|(given, ..)| given == name)
            || self.shared.iter().any(|(given, _)| given == name)
            || self.pointers.iter().any(|(given, _)| given == name)
            || self.io.input(name).is_some()
    }

    /// The constants of a kernel in WGSL or of a lesson, which are numbers.
    pub(super) fn numbers(&self) -> Result<Vec<(String, f64)>, Diagnostic> {
        let number = |(name, text): &(String, String)| {
            let value = match text.as_str() {
                "true" => Some(1.0),
                "false" => Some(0.0),
                other => other.parse().ok().filter(|value: &f64| value.is_finite()),
            };
            let value = value.ok_or_else(|| {
                Diagnostic::error(format!("--const {name}={text}: `{text}` is no number"))
                    .hint("give a number, true or false; only a macro of a .cu file has any text")
            })?;
            Ok((name.clone(), value))
        };
        self.constants.iter().map(number).collect()
    }

    /// An error where an option is given that only a kernel in CUDA or PTX has.
    pub(super) fn check_of_wgsl(&self, what: &str) -> Result<(), Diagnostic> {
        if let Some(target) = &self.target {
            let problem = Diagnostic::error(format!("--target {target} is for a .cu file, not for {what}"));
            return Err(problem.hint("leave --target out"));
        }
        if let Some((name, other)) = self.shared.first() {
            let problem = Diagnostic::error(format!("--buffer {name}=@{other} is for pointers, not for {what}"));
            return Err(problem.hint(format!("give `{name}` a buffer of its own: --buffer {name}=COUNT")));
        }
        Ok(())
    }
}
