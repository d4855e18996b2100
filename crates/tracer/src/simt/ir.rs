//! The intermediate representation: a flat list of operations on 32-bit values with structured control flow, as lowering leaves it.
//!
//! Vectors, matrices, structs and calls are gone: each component is a register, each call is inlined. A register is a constant, a value
//! that the launch gives, a temporary (written once) or a component of a variable. Nothing here depends on the width of a warp.

use super::collective::{Collective, What};
pub use super::inst::Inst;
use super::say::Say;
use crate::trace::Space;
use warpbook_base::tensor::Elem;

/// A register's number in [`Ir::regs`].
pub type Reg = u32;

/// An index of [`Ir::places`].
pub type PlaceId = u32;

/// The kind of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegKind {
    /// The same 32 bits always.
    Const(u32),
    /// A built-in input.
    Builtin(Builtin),
    /// The length of a runtime-sized array.
    Length(Extent),
    /// The result of one operation.
    Temp,
    /// A component of a variable, declared in the region that instruction `home` opens (none: the whole program),
    /// with its value at first.
    Var {
        /// The instruction that opens its function's body.
        home: Option<u32>,
        /// The register with its first value.
        init: Reg,
    },
}

/// Built-in inputs of a compute shader, by component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Linear index in the workgroup.
    LocalIndex,
    /// Position in the workgroup.
    LocalId(u8),
    /// Position in the grid.
    GlobalId(u8),
    /// Position of the workgroup in the grid.
    WorkgroupId(u8),
    /// Size of the grid, in workgroups.
    NumWorkgroups(u8),
    /// Index in the warp, which WGSL calls a subgroup.
    Lane,
    /// Index of the warp in its workgroup.
    Warp,
    /// Lanes of a warp.
    WarpWidth,
    /// Warps of a workgroup.
    WarpCount,
}

/// A runtime-sized array: it fills buffer `buffer` from byte `offset` with elements of `stride` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Extent {
    /// The buffer, by its position among the bindings.
    pub buffer: u16,
    /// Where it starts.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
}

/// A memory that places are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mem {
    /// A storage or uniform buffer, by its position among the bindings.
    Buffer(u16),
    /// Workgroup memory.
    Shared,
    /// A lane's own arrays, which are indexed and so cannot be registers.
    Local,
}

/// The memory whose accesses a barrier orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Orders {
    /// Workgroup memory.
    pub shared: bool,
    /// Storage buffers, for the lanes of one workgroup.
    pub storage: bool,
    /// Lanes that do not reach the barrier.
    pub absent: Absent,
}

/// Lanes that do not reach a barrier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Absent {
    /// It is a mistake.
    #[default]
    Wrong,
    /// It does not wait for those that have left the kernel, if they have executed nothing that follows the barrier, which
    /// [`Inst::GoesOn`] of this number begins.
    LeftBefore(u8),
    /// All of them have left the kernel so.
    Left,
}

/// How the votes of a workgroup's lanes are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Votes {
    /// Their number.
    Count,
    /// Whether all hold.
    All,
    /// Whether any holds.
    Any,
}

/// How many elements an index may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Len {
    /// A fixed number.
    Const(u32),
    /// As many as the buffer holds.
    Runtime(Extent),
    /// Any, as an unsigned number: the place as a whole is checked, see [`Whole`].
    Unsigned,
    /// Any, as a signed number.
    Signed,
}

/// The bounds of an address that is computed as a number, as in PTX: byte `start + Σ index·stride` of a memory, in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Whole {
    /// The constant part of the address.
    pub start: i64,
    /// The first byte that it may reach.
    pub low: u32,
    /// As many bytes may be reached from there; None of a buffer, whose size the launch gives.
    pub bytes: Option<u32>,
}

/// One index on the way to a place.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// The index.
    pub index: Reg,
    /// Bytes that one step of it moves.
    pub stride: i64,
    /// Indices from here on are out of bounds.
    pub len: Len,
}

/// The size of a component in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 16 bits: an `f16`, which in a register is the `f32` of the same value.
    Half,
    /// 32 bits.
    Word,
    /// 8 bits, which fill the low byte of a register.
    Byte,
    /// 16 bits as they are, in the low half of a register.
    Short,
}

impl Width {
    /// Bytes of a component.
    pub fn bytes(self) -> u8 {
        match self {
            Self::Byte => 1,
            Self::Half | Self::Short => 2,
            Self::Word => 4,
        }
    }
}

/// How lanes that do the same atomic operation are joined to one by NVIDIA's compiler, which sees that they may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Joined {
    /// Lanes at one word take turns.
    #[default]
    Never,
    /// Where the address is the same for all lanes by the code alone, one lane's atomic does the work of all.
    Uniform,
    /// Lanes that count at one word do it in one pass (ATOMS.POPC.INC).
    Counting,
}

/// How a strong access orders the accesses of its lane and of those that observe it (PTX ISA 9.0, section 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sync {
    /// What was published with the value that it reads happens before what follows it.
    pub acquires: bool,
    /// What came before it is published with the value that it writes.
    pub releases: bool,
    /// Whether its scope reaches beyond the workgroup.
    pub wide: bool,
    /// `volatile`: PTX orders it as a relaxed access, and CUDA C++ lets two of them race.
    pub volatile: bool,
    /// A load that a loop repeats until another lane has written what it waits for, or a store to the word of such a load.
    pub polls: bool,
}

/// Where one load, store or atomic goes: at byte `offset + Σ index·stride` of a memory.
#[derive(Clone, Debug)]
pub struct Place {
    /// The memory.
    pub mem: Mem,
    /// The variable, as an index into [`Ir::variables`]; 0 for local arrays, which are not traced.
    pub variable: u16,
    /// Constant part of the address, in bytes.
    pub offset: u32,
    /// Variable part.
    pub terms: Vec<Term>,
    /// The bounds of the sum; None if each index has its own.
    pub whole: Option<Whole>,
    /// Components that a lane moves, 1 to 4.
    pub components: u8,
    /// How wide each is.
    pub width: Width,
    /// Bytes of an element, as messages count them.
    pub unit: u8,
    /// Whether it is an atomic or another strong access (PTX ISA 9.0, section 8.4).
    pub atomic: bool,
    /// How it orders other accesses, where it is strong.
    pub sync: Sync,
    /// Whether it loads a word and its changed value is stored there, or stores such a value.
    pub updates: bool,
    /// Whether it is a load whose value a compare-exchange at the same address checks.
    pub checked: bool,
    /// Whether it is an atomic whose returned value is used.
    pub returns: bool,
    /// How the compiler of a device joins the lanes of an atomic.
    pub joined: Joined,
    /// Bytes of the vector that it is a component of; 0 if it is not one.
    pub vector: u8,
    /// Source line.
    pub line: u32,
}

/// The operation of an atomic on its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOp {
    /// Adds.
    Add,
    /// Adds floats.
    FAdd,
    /// Subtracts floats.
    FSub,
    /// Subtracts.
    Sub,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Signed minimum.
    IMin,
    /// Signed maximum.
    IMax,
    /// Unsigned minimum.
    UMin,
    /// Unsigned maximum.
    UMax,
    /// Replaces.
    Exchange,
    /// Replaces where the word equals another.
    CompareExchange,
    /// Adds 1, and goes from the operand to 0.
    Inc,
    /// Subtracts 1, and goes from 0, or from above the operand, to it.
    Dec,
    /// Adds halves: one in 16 bits, two in a word.
    HalfAdd,
    /// Adds bfloats: one in 16 bits, two in a word.
    BfloatAdd,
}

/// A binding or workgroup variable, as traces name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// The memory that it is in.
    pub space: Space,
    /// Its size in bytes; 0 for buffers, whose size the launch gives.
    pub bytes: u32,
    /// Where it starts in workgroup memory.
    pub base: u32,
    /// The type of its first component.
    pub elem: Elem,
    /// Elements in a row, of an array of arrays.
    pub columns: Option<u64>,
}

/// The language that a kernel was written in: the words of findings about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    #[default]
    Wgsl,
    /// CUDA C++, or PTX of another source.
    Cuda,
    /// Triton, whose programs are CUDA's blocks.
    Triton,
}

impl Dialect {
    /// Whether it came as PTX: warps have 32 lanes, and memory is CUDA's.
    pub fn is_ptx(self) -> bool {
        self != Self::Wgsl
    }
}

/// The whole program.
#[derive(Clone, Debug, Default)]
pub struct Ir {
    /// Instructions.
    pub insts: Vec<Inst>,
    /// The source line of each instruction; 0 for one that is part of another, and counts nothing.
    pub lines: Vec<u32>,
    /// Registers.
    pub regs: Vec<RegKind>,
    /// Places of memory accesses, each used by one instruction.
    pub places: Vec<Place>,
    /// The kernel's prints and assertions, each used by one instruction.
    pub says: Vec<Say>,
    /// Operations of whole warps, each used by one instruction.
    pub collectives: Vec<Collective>,
    /// Whether there are cooperative matrices at all, which lie as they do on 32 lanes only.
    pub cooperative: bool,
    /// The language of its source.
    pub dialect: Dialect,
    /// Whether there is a barrier that orders no memory: a subgroup's.
    pub subgroup_barrier: bool,
    /// Bindings, in order, then workgroup variables.
    pub variables: Vec<Variable>,
    /// Words of local memory that a lane needs.
    pub local_words: u32,
    /// Bytes of workgroup memory.
    pub shared_bytes: u32,
}

impl Ir {
    /// Whether its lanes may order what they do by fences or strong accesses, beyond barriers.
    pub fn releases(&self) -> bool {
        self.places.iter().any(|place| place.sync.releases)
            || self.collectives.iter().any(|of| matches!(of.what, What::Fence(fence) if fence.releases))
    }
}
