//! A PTX module as data: what its text declares, with registers and names resolved.

use std::cell::RefCell;
use std::collections::HashMap;

use super::target::Target;

/// The type of a register, a parameter or an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ty {
    Pred,
    /// Bits without a meaning, by their number: 8, 16, 32, 64 or 128.
    Bits(u8),
    Unsigned(u8),
    Signed(u8),
    /// A float of 16, 32 or 64 bits.
    Float(u8),
    Bf16,
    /// Two halves in a word.
    F16x2,
    Bf16x2,
}

impl Ty {
    /// The type that a suffix such as `u32` names.
    pub(super) fn named(name: &str) -> Option<Self> {
        let sized = |rest: &str| rest.parse::<u8>().ok().filter(|bits| [8, 16, 32, 64, 128].contains(bits));
        Some(match name {
            "pred" => Self::Pred,
            "bf16" => Self::Bf16,
            "f16x2" => Self::F16x2,
            "bf16x2" => Self::Bf16x2,
            _ => match name.split_at_checked(1)? {
                ("b", rest) => Self::Bits(sized(rest)?),
                ("u", rest) => Self::Unsigned(sized(rest)?),
                ("s", rest) => Self::Signed(sized(rest)?),
                ("f", rest) => Self::Float(sized(rest).filter(|bits| (16..=64).contains(bits))?),
                _ => return None,
            },
        })
    }

    /// Its bits; 1 of a predicate.
    pub(super) fn bits(self) -> u8 {
        match self {
            Self::Pred => 1,
            Self::Bits(bits) | Self::Unsigned(bits) | Self::Signed(bits) | Self::Float(bits) => bits,
            Self::Bf16 => 16,
            Self::F16x2 | Self::Bf16x2 => 32,
        }
    }

    /// Its bytes in memory.
    pub(super) fn bytes(self) -> u32 {
        u32::from(self.bits()).div_ceil(8)
    }

    /// Whether a register of it takes two words.
    pub(super) fn is_wide(self) -> bool {
        self.bits() == 64
    }

    pub(super) fn is_signed(self) -> bool {
        matches!(self, Self::Signed(_))
    }
}

/// A register, by its place among the registers of its kernel.
pub(super) type RegId = u32;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Operand {
    Reg(RegId),
    /// A predicate's opposite.
    Not(RegId),
    /// Bits, of as many as the operation's type has; a negative number is extended.
    Whole(u64),
    Single(u32),
    Double(u64),
    /// `%tid.x` and the like.
    Special(String),
    /// The address of a variable, a label or a parameter.
    Name(String),
    /// Components, `{a, b}`.
    Parts(Vec<Operand>),
    /// `[base + offset]`.
    Address {
        base: Base,
        offset: i64,
    },
    /// `[map, {x, y}]`: a box of a tensor map.
    Box {
        map: Base,
        at: Vec<Operand>,
    },
    /// `p|q`: two results.
    Two(RegId, RegId),
    /// `_`: a result that nobody wants.
    Nothing,
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Base {
    Reg(RegId),
    Name(String),
    Nothing,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    /// The predicate that it is under, and the value at which it is executed.
    pub guard: Option<(RegId, bool)>,
    /// The operation and its suffixes: `ld`, `global`, `f32`.
    pub words: Vec<String>,
    pub operands: Vec<Operand>,
    /// Where it is in the PTX.
    pub at: u32,
    /// Where it comes from: a line of the source, or the same. While its kernel is read, 0 where no line of the source is known.
    pub line: u32,
}

impl Instruction {
    /// Whether one of its suffixes is `word`.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words[1..].iter().any(|w| w == word)
    }

    /// Its types, in order.
    pub(super) fn types(&self) -> Vec<Ty> {
        self.words[1..].iter().filter_map(|word| Ty::named(word)).collect()
    }

    /// Whether a barrier is one of a warp's lanes.
    pub(super) fn is_of_warp(&self) -> bool {
        self.words[1..].first().is_some_and(|word| word == "warp")
    }

    /// The name in CUDA of an operation whose last operand is a mask of the lanes that take part; None of other operations.
    pub(super) fn with_members(&self) -> Option<&'static str> {
        if !self.has("sync") {
            return None;
        }
        match self.words[0].as_str() {
            "shfl" => Some("__shfl_sync()"),
            "vote" if self.has("ballot") => Some("__ballot_sync()"),
            "vote" if self.has("any") => Some("__any_sync()"),
            "vote" => Some("__all_sync()"),
            "redux" => Some("__reduce_sync()"),
            "match" => Some("__match_sync()"),
            "elect" => Some("elect.sync"),
            "bar" | "barrier" if self.is_of_warp() => Some("__syncwarp()"),
            _ => None,
        }
    }
}

/// A part of a kernel's body.
#[derive(Clone, Debug)]
pub(super) enum Part {
    Label(String),
    Instruction(Instruction),
}

/// A memory that the module names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    Shared,
    Local,
    Global,
    Const,
}

/// A variable in memory.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub name: String,
    pub memory: Memory,
    pub ty: Ty,
    /// Bytes; 0 of an array without a length, which the launch sizes.
    pub bytes: u64,
    pub align: u32,
    /// Its first bytes, of a constant or a global.
    pub init: Vec<u8>,
    pub at: u32,
}

/// A parameter of a kernel or a function.
#[derive(Clone, Debug)]
pub(super) struct Param {
    pub name: String,
    pub ty: Ty,
    /// Bytes, of which an array or a struct has more than its type.
    pub bytes: u32,
}

/// A kernel, or a function that it calls.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    pub name: String,
    pub params: Vec<Param>,
    /// The threads of a block that it was compiled for (`.reqntid`).
    pub block: Option<[u32; 3]>,
    /// The most threads of a block, if it says so (`.maxntid`).
    pub most_threads: Option<u64>,
    /// Whether it was made of NVIDIA's tile IR, as cuTile's are.
    pub is_of_tiles: bool,
    /// The GPU that the module is compiled for.
    pub target: Target,
    /// The results of a function.
    pub returns: Vec<Param>,
    /// The type of each register.
    pub regs: Vec<Ty>,
    /// The name of each register.
    pub names: Vec<String>,
    /// Its own variables, and the module's.
    pub variables: Vec<Variable>,
    pub body: Vec<Part>,
    /// Lists of labels, for indexed branches.
    pub targets: Vec<(String, Vec<String>)>,
    /// Where its name is.
    pub at: u32,
    /// The number of variables that the names are of, and their places by name.
    pub by_name: RefCell<(usize, HashMap<String, usize>)>,
}

impl Kernel {
    /// The variable called `name`, by its place.
    pub(super) fn variable(&self, name: &str) -> Option<usize> {
        let (count, known) = &mut *self.by_name.borrow_mut();
        if *count != self.variables.len() {
            *count = self.variables.len();
            // Of variables of one name, the first is meant.
            *known = self.variables.iter().enumerate().rev().map(|(at, v)| (v.name.clone(), at)).collect();
        }
        known.get(name).copied()
    }
}
