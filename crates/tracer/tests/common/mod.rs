//! A kernel of the tests' PTX with what it is given, and numbers to give it.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::Path;
use std::sync::atomic::AtomicBool;

use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::{Elem, Tensor};
use warpbook_tracer::dispatch::{Argument, TraceSpec};
use warpbook_tracer::simt::{self, Options, Outcome, Program, Ptx};
use warpbook_tracer::trace::FindingKind;

/// A kernel with the buffers and numbers that it is given.
#[derive(Clone)]
pub struct Case {
    /// The file, without its ending.
    pub file: &'static str,
    pub entry: &'static str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub shared: u32,
    pub arguments: Vec<Argument>,
    pub buffers: Vec<Tensor>,
    pub fuel: u64,
}

impl Case {
    /// A kernel of `FILE.cu` on blocks along x.
    pub fn of(file: &'static str, entry: &'static str, grid: u32, block: u32) -> Self {
        let (arguments, buffers) = (Vec::new(), Vec::new());
        let (grid, block) = ([grid, 1, 1], [block, 1, 1]);
        Self { file, entry, grid, block, shared: 0, arguments, buffers, fuel: Options::default().fuel }
    }

    /// The same on blocks along x and y.
    pub fn plane(self, grid: [u32; 2], block: [u32; 2]) -> Self {
        Self { grid: [grid[0], grid[1], 1], block: [block[0], block[1], 1], ..self }
    }

    pub fn shared(self, bytes: u32) -> Self {
        Self { shared: bytes, ..self }
    }

    pub fn fuel(self, fuel: u64) -> Self {
        Self { fuel, ..self }
    }

    pub fn buffer(self, elem: Elem, words: Vec<u32>) -> Self {
        let name = format!("b{}", self.buffers.len());
        self.named(&name, Tensor { elem, words })
    }

    /// A buffer with a name, for maps and questions about it.
    pub fn named(mut self, name: &str, tensor: Tensor) -> Self {
        self.buffers.push(tensor);
        self.argument(Argument::Buffer(name.to_owned()))
    }

    pub fn argument(mut self, argument: Argument) -> Self {
        self.arguments.push(argument);
        self
    }

    /// The contents of a variable of the module, after all arguments.
    pub fn variable(mut self, name: &str, elem: Elem, words: Vec<u32>) -> Self {
        self.arguments.push(Argument::Buffer(name.to_owned()));
        self.buffers.push(Tensor { elem, words });
        self
    }

    pub fn floats(self, values: &[f32]) -> Self {
        self.buffer(Elem::F32, values.iter().map(|v| v.to_bits()).collect())
    }

    pub fn ints(self, values: &[i32]) -> Self {
        self.buffer(Elem::I32, values.iter().map(|v| v.cast_unsigned()).collect())
    }

    pub fn int(mut self, value: i32) -> Self {
        self.arguments.push(Argument::Value(value.to_le_bytes().to_vec()));
        self
    }

    pub fn float(mut self, value: f32) -> Self {
        self.arguments.push(Argument::Value(value.to_le_bytes().to_vec()));
        self
    }

    pub fn value(mut self, bytes: &[u8]) -> Self {
        self.arguments.push(Argument::Value(bytes.to_vec()));
        self
    }

    /// The message of a kernel that is refused.
    pub fn refused(self) -> String {
        self.program().err().map_or_else(|| "it is not refused".to_owned(), |errors| errors[0].to_string())
    }

    pub fn program(&self) -> Result<Program, Vec<Diagnostic>> {
        let text = text_of(self.file, "ptx");
        let name = self.file.rsplit('/').next().unwrap_or_default();
        let (ptx, cu) = (format!("{name}.ptx"), format!("{name}.cu"));
        Program::compile_ptx(&Ptx {
            file: &ptx,
            text: &text,
            entry: self.entry,
            block: self.block,
            shared_bytes: self.shared,
            arguments: &self.arguments,
            source: &|file, line| (file == cu || file == "kernels.py").then_some(line),
        })
    }

    pub fn run(mut self) -> (Vec<Tensor>, Outcome) {
        let program = self.program().unwrap_or_else(|errors| panic!("{}: {}", self.entry, errors[0]));
        let spec = TraceSpec { races: true, ..TraceSpec::default() };
        let options = Options { spec, fuel: self.fuel, ..Options::default() };
        let cancel = AtomicBool::new(false);
        let outcome = simt::run(&program, &mut self.buffers, self.grid, &options, &cancel, &|_, _| {});
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", self.entry));
        (self.buffers, outcome)
    }

    /// The findings, each with the text of its line.
    pub fn found(self) -> Vec<(FindingKind, String)> {
        let source = text_of(self.file, "cu");
        let outcome = self.run().1;
        let line = |line: u32| source.lines().nth(line as usize - 1).unwrap_or_default().trim().to_owned();
        outcome.trace.findings.iter().map(|f| (f.kind, line(f.line))).collect()
    }

    /// The buffers afterwards; panics where something was wrong.
    pub fn clean(self) -> (Vec<Tensor>, Outcome) {
        let entry = self.entry;
        let (buffers, outcome) = self.run();
        let said: Vec<String> = outcome.trace.findings.iter().map(|f| format!("{}: {}", f.line, f.message)).collect();
        assert!(said.is_empty(), "{entry}: {said:?}");
        (buffers, outcome)
    }
}

pub fn floats(tensor: &Tensor) -> Vec<f32> {
    tensor.words.iter().map(|w| f32::from_bits(*w)).collect()
}

pub fn ints(tensor: &Tensor) -> Vec<i32> {
    tensor.words.iter().map(|w| w.cast_signed()).collect()
}

/// A buffer of these numbers.
pub fn floats_of(values: &[f32]) -> Tensor {
    Tensor { elem: Elem::F32, words: values.iter().map(|v| v.to_bits()).collect() }
}

/// Small whole numbers without a pattern: every format of a matrix has each, and their sums too.
pub fn whole(count: usize, seed: u32) -> Vec<f32> {
    let mut state = 0x9E37_79B9_u32.wrapping_mul(seed);
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state % 15) as f32 - 7.0
    };
    std::iter::repeat_with(next).take(count).collect()
}

/// Numbers without a pattern, from -1 to 1.
pub fn random(count: usize) -> Vec<f32> {
    let mut state = 0x9E37_79B9_u32;
    let next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (f64::from(state) / 2_f64.powi(31) - 1.0) as f32
    };
    std::iter::repeat_with(next).take(count).collect()
}

pub fn randoms(count: usize, most: i32) -> Vec<i32> {
    random(count).into_iter().map(|x| ((f64::from(x) + 1.0) / 2.0 * f64::from(most)) as i32).collect()
}

pub fn close(got: &[f32], wanted: impl IntoIterator<Item = f64>) {
    for (i, (got, wanted)) in got.iter().zip(wanted).enumerate() {
        assert!((f64::from(*got) - wanted).abs() <= 1e-5 * wanted.abs().max(1.0), "{i}: {got} for {wanted}");
    }
}

/// A file of the tests' PTX.
pub fn text_of(file: &str, ending: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/ptx/{file}.{ending}"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
