//! Options of `warpbook trace`, and those of a traced launch that other commands take, too.

use std::path::PathBuf;

use clap::Args;

use super::{
    LanguageArg, OutArgs, assignment, buffer_file, bytes, element, ending_in, grid, member, number, rung, warp_width,
};
use crate::base::tensor::Init;
use crate::session::run::io::Io;
use crate::session::run::model::STAND_IN;
use crate::session::run::pointee::Pointee;
use crate::session::run::shader_file::TraceOptions;

/// Options of `trace`.
#[derive(Args, Debug)]
pub struct TraceArgs {
    /// LESSON/KERNEL, LESSON/PROGRAM, LESSON/PROGRAM/PASS, the path of a .wgsl, .cu or .ptx file, or FILE.py::NAME, a function of
    /// Triton's.
    pub target: String,
    /// The launch.
    #[command(flatten)]
    pub setting: SettingArgs,
    /// Contents of buffers at the end.
    #[command(flatten)]
    pub out: OutArgs,
    /// Say where an element came from: who wrote it, from which loads, and back through passes and rounds. INDEX counts
    /// numbers from the buffer's start, of 32 bits each (of 16 where it begins with an f16): of a vec4, x, y, z and w
    /// are one each. Mind the shell: quote the brackets.
    #[arg(long = "explain", value_name = "BUFFER[INDEX]", value_parser = element)]
    pub explain: Vec<(String, u64)>,
    /// Write the accesses of the first warp as a picture that moves.
    #[arg(long, value_name = "FILE.svg", value_parser = |text: &str| ending_in(text, &["svg"]))]
    pub film: Option<PathBuf>,
    /// Show the machine code that ptxas makes of the kernel's PTX, by the lines that it comes from. It needs ptxas and nvdisasm, and
    /// no GPU; with --json, as machine.listing.
    #[arg(long)]
    pub sass: bool,
    /// Print at most 40 lines: findings as FILE:LINE:COLUMN, counts, machine code, predicted time, and the lines that do most.
    #[arg(long, conflicts_with_all = ["json", "sass", "explain", "film"])]
    pub brief: bool,
    /// Trace a file again each time that it is saved, and print what changed.
    #[arg(long, conflicts_with_all = ["json", "sass", "explain", "film"])]
    pub watch: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The launch of a kernel that is traced: sizes, constants and contents.
#[derive(Args, Clone, Debug)]
pub struct SettingArgs {
    /// Workgroups in x, y and z.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = grid)]
    pub grid: Option<[u32; 3]>,
    /// Threads of a block in x, y and z, of a .cu or .ptx file.
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = grid)]
    pub block: Option<[u32; 3]>,
    /// Warps of a block instead of its threads, as Triton has it.
    #[arg(long, value_name = "N", conflicts_with = "block", value_parser = clap::value_parser!(u32).range(1..=32))]
    pub warps: Option<u32>,
    /// Stages of a function of Triton's, where its loads are pipelined.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=16))]
    pub stages: Option<u32>,
    /// Execute all of a .py file, as an import does: where its functions need more than its definitions.
    #[arg(long)]
    pub run: bool,
    /// Dynamic shared memory of a block, of a .cu or .ptx file: bytes, or KiB as in 48k.
    #[arg(long, value_name = "BYTES", default_value_t = 0, value_parser = bytes)]
    pub shared: u32,
    /// The launch in a .cu file, by its number in `warpbook launches`, that gives grid, block, arguments and buffers where no option does;
    /// the first one, or the first of the kernel that --entry names.
    /// Of `counters`, the launch in the profile; the first of a kernel of the traced one's name where none is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub launch: Option<u32>,
    /// Trace all launches of a .cu file that a run without arguments reaches, in their order, as passes over the host's buffers, which
    /// --input, --dump and --print name.
    #[arg(long, conflicts_with_all = ["launch", "grid", "block", "entry", "arguments", "buffers"])]
    pub all: bool,
    /// The value of a name, or of an expression, in a .cu file's host code that the file does not say: N=1024, 'x.size(0)=64'.
    #[arg(long = "let", value_name = "NAME=VALUE", value_parser = host_value)]
    pub lets: Vec<(String, f64)>,
    /// An argument of a .cu or .ptx file's kernel that is no pointer; of a struct its bytes, as hex:0a0b…. A pointer that leads nowhere is 0.
    #[arg(long = "arg", value_name = "NAME=VALUE", value_parser = argument)]
    pub arguments: Vec<(String, String)>,
    /// The source of a .ptx file, whose lines the trace shows: a .cu or a .py file.
    #[arg(long, value_name = "FILE")]
    pub source: Option<PathBuf>,
    /// The language that a lesson's kernel is traced in: WGSL, or CUDA C++ by way of PTX.
    #[arg(long, default_value = "wgsl", value_enum)]
    pub language: LanguageArg,
    /// The entry point, where the file has several.
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// An override's value; of a .cu file, the text of a macro: TILE=16, T=float; of a function in Python, a constant.
    #[arg(long = "const", visible_alias = "define", value_name = "NAME=VALUE", value_parser = argument)]
    pub constants: Vec<(String, String)>,
    /// The GPU that a .cu file is compiled for: its instructions, and what it allows a block.
    #[arg(long = "target", value_name = "sm_XX", value_parser = architecture)]
    pub architecture: Option<String>,
    /// A runtime-sized buffer's size in elements, and what it holds: random (default), iota, zero, a number, or
    /// poison: nothing, so that a read before a write is found. A
    /// uniform buffer that is not named here holds zeros, unless --set-uniform gives it others. In a .cu or .ptx file
    /// elements are those of the kernel's signature (a float4 or a double is one), or of the type that is given: f32,
    /// f16, bf16, f64, u8, i8, u16, i16, u32, i32, u64, i64. out=@x is the buffer of `x`, as a kernel is called in
    /// place; rows=@a,b,c are pointers to the buffers `a`, `b` and `c`, which options of their own give sizes (rows=@[a] is one). 64x128 is a count, too: the shape of an array of cuTile's.
    #[arg(long = "buffer", value_name = "NAME=COUNT[:TYPE][:INIT]", value_parser = buffer)]
    pub buffers: Vec<BufferArg>,
    /// Value of a member of a uniform, or of a storage buffer of a fixed size: `params.n=64`; of a vector or an array
    /// all numbers, `params.size=1,2,3`, or one of them, `params.a[1].b=0.5`. May be given more than once.
    #[arg(long = "set-uniform", value_name = "BUFFER[.MEMBER]=N1[,N2,…]", value_parser = member)]
    pub members: Vec<(String, Vec<f64>)>,
    /// A lesson's parameter's value.
    #[arg(long = "set", value_name = "ID=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// The kernel for a place in a program: the pass's id and the kernel's.
    #[arg(long = "rung", value_name = "SLOT=KERNEL", value_parser = rung)]
    pub rungs: Vec<(String, String)>,
    /// Seed of the random inputs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Initial content of a buffer: a NumPy file of its element type and length.
    #[arg(long = "input", value_name = "BUFFER=FILE.npy", value_parser = buffer_file)]
    pub inputs: Vec<(String, PathBuf)>,
    /// Steps after which the trace stops, with its counts up to there: a warp instruction is one, and eight lanes that
    /// access memory.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Lanes in a warp: 8, 16, 32 or 64.
    #[arg(long, default_value = "32", value_parser = warp_width)]
    pub warp: u32,
    /// The device to predict the time for.
    #[arg(long, value_name = "ID", help = format!("The device to predict the time for, as assets/devices/ names it; {STAND_IN} where none is given"))]
    pub device: Option<String>,
}

impl SettingArgs {
    /// The use-case's own form.
    #[must_use]
    pub fn options(&self) -> TraceOptions {
        TraceOptions {
            grid: self.grid,
            caches: None,
            entry: self.entry.clone(),
            constants: self.constants.clone(),
            target: self.architecture.clone(),
            buffers: self.buffers.iter().filter_map(BufferArg::sized).collect(),
            shapes: self
                .buffers
                .iter()
                .filter(|b| b.shape.len() > 1)
                .map(|b| (b.name.clone(), b.shape.clone()))
                .collect(),
            shared: self.buffers.iter().filter_map(BufferArg::shared).collect(),
            pointers: self.buffers.iter().filter_map(BufferArg::pointers).collect(),
            types: self.buffers.iter().filter_map(|b| Some((b.name.clone(), b.elem?))).collect(),
            block: self.block,
            warps: self.warps,
            shared_bytes: self.shared,
            arguments: self.arguments.clone(),
            source: self.source.clone(),
            language: self.language.language(),
            launch: self.launch,
            all: self.all,
            parameters: None,
            stages: self.stages,
            run_python: self.run,
            lets: self.lets.clone(),
            set: self.set.clone(),
            rungs: self.rungs.clone(),
            warp_width: self.warp,
            seed: self.seed,
            explain: Vec::new(),
            io: Io { inputs: self.inputs.clone(), ..Io::default() },
            limit: self.limit,
            members: self.members.clone(),
            events: false,
        }
    }
}

/// A buffer's size, type and contents.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferArg {
    /// Its name.
    pub name: String,
    /// Their type; None for that of the kernel.
    pub elem: Option<Pointee>,
    /// Its elements by dimension.
    pub shape: Vec<u64>,
    /// Its memory.
    pub memory: Memory,
}

/// The memory of a buffer.
#[derive(Clone, Debug, PartialEq)]
pub enum Memory {
    /// A buffer of its own: the number of elements, and their initial contents.
    Own(u64, Init),
    /// The memory of the buffer of this name.
    Of(String),
    /// Pointers to the buffers of these names.
    Pointers(Vec<String>),
}

impl BufferArg {
    fn sized(&self) -> Option<(String, u64, Init)> {
        match self.memory {
            Memory::Own(count, init) => Some((self.name.clone(), count, init)),
            Memory::Of(_) | Memory::Pointers(_) => None,
        }
    }

    fn shared(&self) -> Option<(String, String)> {
        match &self.memory {
            Memory::Own(..) | Memory::Pointers(_) => None,
            Memory::Of(other) => Some((self.name.clone(), other.clone())),
        }
    }

    fn pointers(&self) -> Option<(String, Vec<String>)> {
        match &self.memory {
            Memory::Pointers(to) => Some((self.name.clone(), to.clone())),
            Memory::Own(..) | Memory::Of(_) => None,
        }
    }
}

/// A GPU by its architecture, as NVIDIA's compilers name it: sm_80, sm_90a.
fn architecture(text: &str) -> Result<String, String> {
    let number = text.strip_prefix("sm_").unwrap_or(text);
    let digits = number.trim_end_matches(['a', 'f']);
    let is_one = (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_one || number.len() > digits.len() + 1 {
        return Err(format!("`{text}` is no architecture: expected sm_80, sm_90a or the like"));
    }
    Ok(format!("sm_{number}"))
}

fn argument(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

pub(super) fn host_value(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.rsplit_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.trim().to_owned(), number(value.trim())?))
}

fn buffer(text: &str) -> Result<BufferArg, String> {
    let (name, rest) = text.split_once('=').ok_or("expected NAME=COUNT[:INIT]")?;
    if let Some(other) = rest.trim().strip_prefix('@') {
        let list = other.strip_prefix('[').and_then(|other| other.strip_suffix(']'));
        let memory = match list.or_else(|| other.contains(',').then_some(other)) {
            Some(list) => Memory::Pointers(list.split(',').map(|name| name.trim().to_owned()).collect()),
            None => Memory::Of(other.to_owned()),
        };
        return Ok(BufferArg { name: name.trim().to_owned(), elem: None, shape: Vec::new(), memory });
    }
    let mut parts = rest.split(':');
    let count = parts.next().unwrap_or_default();
    let second = parts.next();
    let elem = second.and_then(|name| Pointee::named(name.trim()));
    let init = if elem.is_some() { parts.next() } else { second }.unwrap_or("random");
    if parts.next().is_some() {
        return Err("expected NAME=COUNT[:TYPE][:INIT]".to_owned());
    }
    let shape = count.split('x').map(|size| size.trim().parse::<u64>()).collect::<Result<Vec<u64>, _>>();
    let shape = shape.map_err(|_| format!("`{count}` is not a count of elements"))?;
    let product = shape.iter().try_fold(1_u64, |product, size| product.checked_mul(*size));
    let Some(count) = product.filter(|count| *count <= 1 << 36) else {
        return Err(format!("{count} elements are more than the tracer takes: at most 2^36"));
    };
    let init = match init.trim() {
        "random" => Init::Random,
        "iota" => Init::Iota,
        "zero" => Init::Zero,
        "poison" => Init::Poison,
        other => Init::Value(number(other).map_err(|_| {
            format!("`{other}` is not random, iota, zero, poison or a number, and no type: {}", Pointee::names())
        })?),
    };
    Ok(BufferArg { name: name.trim().to_owned(), elem, shape, memory: Memory::Own(count, init) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_has_a_count_a_type_and_contents() {
        let given = |elem: Option<&str>, init| {
            let elem = elem.and_then(Pointee::named);
            Ok(BufferArg { name: "a".into(), elem, shape: vec![8], memory: Memory::Own(8, init) })
        };
        assert_eq!(buffer("a=8:iota"), given(None, Init::Iota));
        assert_eq!(buffer("a=8:2.5"), given(None, Init::Value(2.5)));
        assert_eq!(buffer("a=8:f16:zero"), given(Some("f16"), Init::Zero));
        assert_eq!(buffer("a=8:f64"), given(Some("f64"), Init::Random));
        let of = BufferArg { name: "a".into(), elem: None, shape: Vec::new(), memory: Memory::Of("b".into()) };
        assert_eq!(buffer("a=@b"), Ok(of));
        assert!(buffer("a=8:f16:zero:1").is_err());
        assert!(buffer("a=8:often").is_err());
        let matrix = buffer("a=4x6:f16:zero").map(|of| (of.shape, of.memory));
        assert_eq!(matrix, Ok((vec![4, 6], Memory::Own(24, Init::Zero))));
        assert!(buffer("a=4x").is_err() && buffer("a=99999999999x99999999999").is_err());
    }
}
