//! A kernel of the learner's own: how it is launched, proposed from its signature, and the lesson that is made of it.

pub mod comment;
mod document;
mod members;
mod propose;
mod store;

use std::path::PathBuf;

pub use document::files;
pub use members::Member;
pub use propose::{Kernels, kernels, propose};
use serde::{Deserialize, Serialize};
pub use store::{folder, keep, load, read_again, remove, write};

use crate::base::expr::Expr;
use crate::base::tensor::Elem;
use crate::session::run::cuda_file;

/// The launch of a kernel: what the form asks for. Sizes are expressions over the whole numbers among its `numbers`,
/// and over `block_x`, `block_y` and `block_z`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// The kernel's file: .wgsl, .cu or .ptx.
    pub file: PathBuf,
    /// The text that a .ptx file was compiled from.
    pub source: Option<PathBuf>,
    /// The kernel, as its source names it.
    pub entry: String,
    /// Arguments that are numbers, or overrides of WGSL.
    pub numbers: Vec<Number>,
    /// Its buffers, in order.
    pub buffers: Vec<BufferSetup>,
    /// The names of what it takes, in order: numbers and buffers of CUDA C++.
    pub order: Vec<String>,
    /// Blocks in x, y and z: expressions.
    pub grid: [String; 3],
    /// Threads of a block in x, y and z; None in WGSL, which says so itself.
    pub block: Option<[u32; 3]>,
    /// Whether the kernel was compiled for blocks of this size alone.
    pub is_block_fixed: bool,
    /// Dynamic shared memory in bytes: an expression.
    pub shared: String,
}

/// A number that a kernel takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Number {
    pub name: String,
    /// Its type in words, such as `u32`.
    pub ty: String,
    /// Whether it is a whole number that can be a control.
    pub is_whole: bool,
    pub value: String,
    /// Whether the compiler added it, as Triton does.
    pub is_compilers: bool,
}

/// A buffer that a kernel takes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BufferSetup {
    pub name: String,
    pub elem: ElemName,
    /// The number of its elements: an expression.
    pub count: String,
    /// Its initial contents.
    pub begins: Begins,
    /// Whether the kernel writes to it.
    pub is_written: bool,
    /// The numbers in a uniform buffer, with their values; empty for other buffers, which begin as `begins` says.
    pub members: Vec<Member>,
}

/// The name of an element's type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ElemName {
    /// 32-bit float.
    #[default]
    F32,
    /// 16-bit float.
    F16,
    /// 16-bit float with the range of `F32`.
    Bf16,
    /// Unsigned integer of 32 bits.
    U32,
    /// Signed integer of 32 bits.
    I32,
}

impl ElemName {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::F32, Self::F16, Self::Bf16, Self::U32, Self::I32];

    /// Its name as `--buffer` has it.
    fn option(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    fn of(elem: Elem) -> Self {
        match elem {
            Elem::F32 => Self::F32,
            Elem::F16 => Self::F16,
            Elem::Bf16 => Self::Bf16,
            Elem::U32 => Self::U32,
            Elem::I32 => Self::I32,
        }
    }

    /// Bytes of an element.
    #[must_use]
    pub fn bytes(self) -> u32 {
        match self {
            Self::F16 | Self::Bf16 => 2,
            Self::F32 | Self::U32 | Self::I32 => 4,
        }
    }
}

/// The initial contents of a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Begins {
    /// Random numbers.
    #[default]
    Random,
    /// 0, 1, 2, …
    Iota,
    Zero,
    /// Nothing: reading an element before it is written is a finding.
    Poison,
}

impl Begins {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Random, Self::Iota, Self::Zero, Self::Poison];

    /// Its name as `--buffer` has it.
    fn option(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Its name for people.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Iota => "0, 1, 2, …",
            Self::Zero => "zeros",
            Self::Poison => "nothing",
        }
    }
}

impl Setup {
    /// The same with the learner's values of `former`, where a name and its type stayed.
    #[must_use]
    pub fn keeping(mut self, former: &Self) -> Self {
        for number in &mut self.numbers {
            let same = former.numbers.iter().find(|known| (&known.name, &known.ty) == (&number.name, &number.ty));
            same.into_iter().for_each(|known| number.value.clone_from(&known.value));
        }
        for buffer in &mut self.buffers {
            if let Some(known) = former.buffers.iter().find(|known| known.name == buffer.name) {
                buffer.count.clone_from(&known.count);
                (buffer.begins, buffer.elem) = (known.begins, known.elem);
                for member in &mut buffer.members {
                    let same = known.members.iter().find(|of| (&of.path, &of.ty) == (&member.path, &member.ty));
                    same.into_iter().for_each(|of| member.value.clone_from(&of.value));
                }
            }
        }
        if !self.is_block_fixed && self.block.is_some() && former.block.is_some() {
            self.block = former.block;
        }
        (self.grid, self.shared) = (former.grid.clone(), former.shared.clone());
        self
    }

    /// Whether its file is CUDA C++.
    #[must_use]
    pub fn is_cuda(&self) -> bool {
        cuda_file::is_cuda(&self.file.display().to_string())
    }

    /// The name of its file, without the folder.
    #[must_use]
    pub fn file_name(&self) -> String {
        self.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The names of a block's dimensions in expressions.
pub const DIMENSIONS: [&str; 3] = ["block_x", "block_y", "block_z"];

impl Setup {
    /// Its problems, a sentence each; nothing if its lesson can be made.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let of_number = |number: &Number| {
            let is_number = number.value.trim().parse::<f64>().is_ok_and(f64::is_finite);
            (!is_number).then(|| format!("`{}` is no value for {}: write a number", number.value, number.name))
        };
        let grid = self.grid.iter().map(|extent| ("the blocks".to_owned(), extent));
        let shared = self.block.is_some().then_some(("the dynamic shared memory".to_owned(), &self.shared));
        let counts = self.buffers.iter().map(|buffer| (format!("the elements of {}", buffer.name), &buffer.count));
        let expressions = grid.chain(shared).chain(counts).filter_map(|(what, text)| self.wrong(&what, text));
        let threads: u64 = self.block.iter().flatten().map(|threads| u64::from(*threads)).product();
        let large =
            (self.block.is_some() && threads > 1024).then(|| format!("a block of {threads} threads: 1,024 at most"));
        let members = self.buffers.iter().flat_map(|buffer| &buffer.members).filter_map(Member::problem);
        self.numbers.iter().filter_map(of_number).chain(members).chain(expressions).chain(large).collect()
    }

    /// Why a text is no size.
    fn wrong(&self, what: &str, text: &str) -> Option<String> {
        let expr = match Expr::parse(text) {
            Ok(expr) => expr,
            Err(wrong) => return Some(format!("{what}, `{text}`: {}", wrong.message)),
        };
        let known = || self.numbers.iter().filter(|number| number.is_whole).map(|number| number.name.as_str());
        let has_block = self.block.is_some() && !self.is_block_fixed;
        let is_known = |name: &str| known().any(|n| n == name) || (has_block && DIMENSIONS.contains(&name));
        let (unknown, _) = expr.names().into_iter().find(|(name, _)| !is_known(name))?;
        let names: Vec<&str> = known().chain(DIMENSIONS.into_iter().filter(|_| has_block)).collect();
        Some(format!("{what}, `{text}`: there is no `{unknown}`; there are {}", names.join(", ")))
    }
}
