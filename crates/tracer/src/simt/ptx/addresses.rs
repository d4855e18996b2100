//! Where addresses come from, and addresses as sums.
//!
//! As a number, an address has the byte in its low word; its high word says which memory it is in: buffer `b` begins at `(b + 1) << 40`.
//! So one past an end, or before a start, still belongs to its buffer.

use std::collections::{HashMap, VecDeque};

use super::super::ir::Reg;
use super::Parameter;
use super::module::{Base, Instruction, Kernel, Operand, Part, RegId, Ty};
use super::registers::uses;
use super::workspace;

/// The beginning of the names of parameters that the kernel does not read: buffers that the host gave it pointers to, in memory.
pub const POINTEE: &str = "warpbook_pointee_";

/// The high word of the address at which the buffer of a binding begins, by the binding's place; the low word is 0.
#[must_use]
pub const fn address_of_binding(place: u32) -> u32 {
    (place + 1) << 8
}

/// A memory that addresses lead into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Root {
    /// The buffer that a parameter points to.
    Param(usize),
    /// A variable, by its place in the kernel's list.
    Variable(usize),
    /// None: an address that was loaded from memory may have been stored there, or not.
    Nowhere,
}

/// The memories that a register's value may lead into, in order; none of a number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin(pub Vec<Root>);

impl Origin {
    fn of(root: Root) -> Self {
        Self(vec![root])
    }

    /// Adds memories; whether any of them is new.
    fn extend(&mut self, more: &Self) -> bool {
        let before = self.0.len();
        for root in &more.0 {
            if let Err(at) = self.0.binary_search(root) {
                self.0.insert(at, *root);
            }
        }
        self.0.len() > before
    }

    fn join(mut self, other: &Self) -> Self {
        self.0.extend_from_slice(&other.0);
        self.0.sort_unstable();
        self.0.dedup();
        self
    }
}

/// A 64-bit value as a sum that is not computed yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    pub root: Option<Root>,
    pub start: i64,
    pub terms: Vec<(Atom, i64)>,
}

/// A part of a [`Sum`].
#[derive(Clone, Copy, Debug)]
pub(super) enum Atom {
    Unsigned(Reg),
    Signed(Reg),
    Pair([Reg; 2]),
}

/// Terms that a sum may have; one with more is computed.
const MAX_TERMS: usize = 6;

impl Sum {
    pub(super) fn number(value: i64) -> Self {
        Self { start: value, ..Self::default() }
    }

    pub(super) fn of(atom: Atom) -> Self {
        Self { terms: vec![(atom, 1)], ..Self::default() }
    }

    /// The sum of both; None if it has no single root or too many terms.
    pub(super) fn plus(mut self, other: &Self) -> Option<Self> {
        self.root = match (self.root, other.root) {
            (root, None) | (None, root) => root,
            _ => return None,
        };
        self.start = self.start.wrapping_add(other.start);
        self.terms.extend_from_slice(&other.terms);
        (self.terms.len() <= MAX_TERMS).then_some(self)
    }

    /// The sum times a number; None if it is an address.
    pub(super) fn times(mut self, factor: i64) -> Option<Self> {
        self.start = self.start.wrapping_mul(factor);
        self.terms.iter_mut().for_each(|(_, by)| *by = by.wrapping_mul(factor));
        (self.root.is_none() || factor == 1).then_some(self)
    }
}

/// The instructions of a kernel, and for each register those that read it and those that write it.
struct Uses<'a> {
    instructions: Vec<&'a Instruction>,
    readers: Vec<Vec<usize>>,
    writers: Vec<Vec<usize>>,
}

impl<'a> Uses<'a> {
    fn of(kernel: &'a Kernel) -> Self {
        let count = kernel.regs.len();
        let (mut readers, mut writers) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        let of_part = |part: &'a Part| match part {
            Part::Instruction(i) => Some(i),
            Part::Label(_) => None,
        };
        let instructions: Vec<&Instruction> = kernel.body.iter().filter_map(of_part).collect();
        for (n, i) in instructions.iter().enumerate() {
            uses(i, |reg| readers[reg as usize].push(n), |reg| writers[reg as usize].push(n));
        }
        Self { instructions, readers, writers }
    }

    /// Visits each instruction, and again those that `next` names because of what a visit changed, until nothing changes.
    fn until_stable(&self, mut visit: impl FnMut(&'a Instruction, &mut dyn FnMut(&[usize]))) {
        let mut waits = vec![true; self.instructions.len()];
        let mut open: VecDeque<usize> = (0..self.instructions.len()).collect();
        while let Some(n) = open.pop_front() {
            waits[n] = false;
            visit(self.instructions[n], &mut |again| {
                for n in again {
                    if !std::mem::replace(&mut waits[*n], true) {
                        open.push_back(*n);
                    }
                }
            });
        }
    }
}

/// The origin of each register of `kernel`. `is_buffer` says of a parameter whether it is an address. An address that is stored may be what is
/// loaded from such memory anywhere.
pub(super) fn origins(kernel: &Kernel, is_buffer: &dyn Fn(usize) -> bool) -> Vec<Origin> {
    let mut of = vec![Origin::default(); kernel.regs.len()];
    let mut stored: HashMap<Space, Origin> = HashMap::new();
    let pointees = (0..kernel.params.len()).filter(|p| kernel.params[*p].name.starts_with(POINTEE) && is_buffer(*p));
    let mut of_host: Vec<Root> = pointees.map(Root::Param).collect();
    if !of_host.is_empty() {
        of_host.push(Root::Nowhere);
        stored.insert(Space::Global, Origin(of_host));
    }
    let all = Uses::of(kernel);
    let is_load = |i: &Instruction| matches!(i.words[0].as_str(), "ld" | "ldu") && !i.has("param");
    let loads: Vec<usize> = (0..all.instructions.len()).filter(|n| is_load(all.instructions[*n])).collect();
    all.until_stable(|i, again| {
        if let ("st", [_, source, ..], false) = (i.words[0].as_str(), i.operands.as_slice(), i.has("param")) {
            let source = of_operand(kernel, source, &of);
            if !source.0.is_empty()
                && stored.entry(Space::of(i)).or_default().extend(&source.join(&Origin::of(Root::Nowhere)))
            {
                again(&loads);
            }
            return;
        }
        let new = match is_load(i) {
            true => stored
                .iter()
                .filter(|(space, _)| space.meets(Space::of(i)))
                .fold(Origin::default(), |o, (_, of)| o.join(of)),
            false => origin(kernel, i, &of, is_buffer).unwrap_or_default(),
        };
        if new.0.is_empty() {
            return;
        }
        let mut written = Vec::new();
        uses(i, |_| {}, |reg| written.push(reg as usize));
        for reg in written {
            if of[reg].extend(&new) {
                again(&all.readers[reg]);
            }
        }
    });
    of
}

/// The memory that a store or a load names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Space {
    Global,
    Shared,
    Local,
    /// Its address says which.
    Generic,
}

impl Space {
    fn of(i: &Instruction) -> Self {
        let named = [("global", Self::Global), ("shared", Self::Shared), ("local", Self::Local)];
        let found =
            named.into_iter().find(|(name, _)| i.words.iter().any(|word| word.split("::").next() == Some(name)));
        found.map_or(Self::Generic, |(_, space)| space)
    }

    /// Whether both may be the same.
    fn meets(self, other: Self) -> bool {
        self == other || [self, other].contains(&Self::Generic)
    }
}

/// The parameter called `name`, by its place.
pub(super) fn param(kernel: &Kernel, name: &str) -> Option<usize> {
    kernel.params.iter().position(|param| param.name == name)
}

/// The variable called `name`, by its place.
pub(super) fn variable(kernel: &Kernel, name: &str) -> Option<usize> {
    kernel.variable(name)
}

/// The origin of an operand.
pub(super) fn of_operand(kernel: &Kernel, operand: &Operand, of: &[Origin]) -> Origin {
    let root = |name: &str| variable(kernel, name).map(Root::Variable).or(param(kernel, name).map(Root::Param));
    let named = |name: &str| root(name).map_or_else(Origin::default, Origin::of);
    match operand {
        Operand::Reg(reg)
        | Operand::Address { base: Base::Reg(reg), .. }
        | Operand::Box { map: Base::Reg(reg), .. } => of[*reg as usize].clone(),
        Operand::Box { map: Base::Name(name), .. } => named(name),
        Operand::Name(name) | Operand::Address { base: Base::Name(name), .. } => named(name),
        operand if workspace::is_workspace(operand) => {
            workspace::workspace(kernel).map_or_else(Origin::default, |v| Origin::of(Root::Variable(v)))
        }
        Operand::Parts(parts) => parts.iter().fold(Origin::default(), |o, part| o.join(&of_operand(kernel, part, of))),
        _ => Origin::default(),
    }
}

fn origin(kernel: &Kernel, i: &Instruction, of: &[Origin], is_buffer: &dyn Fn(usize) -> bool) -> Option<Origin> {
    let all = |operands: &[Operand]| {
        operands.iter().fold(Origin::default(), |origin, operand| origin.join(&of_operand(kernel, operand, of)))
    };
    let sources = i.operands.get(1..).unwrap_or_default();
    match (i.words[0].as_str(), sources) {
        ("ld" | "ldu", [Operand::Address { base: Base::Name(name), .. }]) if i.has("param") => {
            param(kernel, name).filter(|p| is_buffer(*p)).map(|p| Origin::of(Root::Param(p)))
        }
        ("mov" | "cvta" | "cvt" | "add" | "sub" | "and" | "or" | "xor" | "min" | "max" | "mad" | "bfi", sources) => {
            Some(all(sources))
        }
        // A lane gets another one's.
        ("shfl", [a, ..]) => Some(all(std::slice::from_ref(a))),
        ("selp" | "slct", [a, b, ..]) => Some(all(&[a.clone(), b.clone()])),
        _ => None,
    }
}

/// The parameters among the memories of an origin.
pub(super) fn params_of(origin: &Origin) -> impl Iterator<Item = usize> + '_ {
    origin.0.iter().filter_map(|root| match root {
        Root::Param(p) => Some(*p),
        Root::Variable(_) | Root::Nowhere => None,
    })
}

/// An access of an instruction to memory.
pub(super) struct Accessed<'a> {
    /// The address.
    pub operand: &'a Operand,
    pub ty: Ty,
    pub writes: bool,
}

/// The accesses of an instruction by its address operands.
pub(super) fn accesses(i: &Instruction) -> Vec<Accessed<'_>> {
    if let ("cp", [to, from, ..], true) = (i.words[0].as_str(), i.operands.as_slice(), i.has("ca") || i.has("cg")) {
        let access = |operand, writes| Accessed { operand, ty: Ty::Bits(32), writes };
        return vec![access(to, true), access(from, false)];
    }
    let (place, writes) = match i.words[0].as_str() {
        _ if i.has("param") => return Vec::new(),
        // A run of bytes; the first operand is where it goes.
        "cp" if i.has("bulk") && !i.has("tensor") && i.has("global") => {
            let writes = i.words[3] == "global";
            let operand = i.operands.get(usize::from(!writes));
            return operand.map(|operand| Accessed { operand, ty: Ty::Bits(32), writes }).into_iter().collect();
        }
        "ld" | "ldu" | "ldmatrix" => (1, false),
        "wmma" if i.has("load") => (1, false),
        "atom" => (1, true),
        "st" | "red" | "stmatrix" => (0, true),
        "wmma" if i.has("store") => (0, true),
        _ => return Vec::new(),
    };
    let found = i.operands.get(place).zip(i.types().last().copied());
    found.map(|(operand, ty)| Accessed { operand, ty, writes }).into_iter().collect()
}

/// The parameters of a kernel.
pub(super) fn parameters(kernel: &Kernel) -> Vec<Parameter> {
    let of = origins(kernel, &|p| kernel.params[p].bytes == 8);
    let mut accessed_as: Vec<Option<Ty>> = vec![None; kernel.params.len()];
    for part in &kernel.body {
        let Part::Instruction(i) = part else { continue };
        for Accessed { operand, ty, .. } in accesses(i) {
            for p in params_of(&of_operand(kernel, operand, &of)) {
                accessed_as[p] = accessed_as[p].or(Some(ty));
            }
        }
    }
    // One that is only made an address is a pointer that the kernel happens not to follow.
    let made = kernel.body.iter().filter_map(|part| match part {
        Part::Instruction(i) if i.words[0] == "cvta" => Some(i),
        _ => None,
    });
    let mut is_pointer: Vec<bool> = accessed_as.iter().map(Option::is_some).collect();
    for i in made {
        if let Some(operand) = i.operands.get(1) {
            let made = params_of(&of_operand(kernel, operand, &of))
                .filter(|p| kernel.params[*p].bytes == 8)
                .collect::<Vec<_>>();
            made.into_iter().for_each(|p| is_pointer[p] = true);
        }
    }
    let each = kernel.params.iter().enumerate().map(|(p, param)| Parameter {
        name: param.name.clone(),
        bytes: param.bytes,
        is_pointer: is_pointer[p],
        ty: spelled(if is_pointer[p] { accessed_as[p].unwrap_or(Ty::Bits(32)) } else { param.ty }),
    });
    each.collect()
}

/// The name of a type in PTX.
pub(super) fn spelled(ty: Ty) -> String {
    match ty {
        Ty::Pred => "pred".to_owned(),
        Ty::Bits(bits) => format!("b{bits}"),
        Ty::Unsigned(bits) => format!("u{bits}"),
        Ty::Signed(bits) => format!("s{bits}"),
        Ty::Float(bits) => format!("f{bits}"),
        Ty::Bf16 => "bf16".to_owned(),
        Ty::F16x2 => "f16x2".to_owned(),
        Ty::Bf16x2 => "bf16x2".to_owned(),
    }
}

/// The registers whose 64-bit values are needed as numbers, not only as addresses. `once` says which hold a single value.
pub(super) fn wanted(kernel: &Kernel, once: &[bool]) -> Vec<bool> {
    let mut wanted: Vec<bool> = once.iter().map(|once| !once).collect();
    let all = Uses::of(kernel);
    all.until_stable(|i, again| {
        let lazy = is_sum(i) && i.guard.is_none() && {
            let mut result = false;
            uses(i, |_| {}, |reg| result |= wanted[reg as usize]);
            !result
        };
        if lazy {
            return;
        }
        uses_as_number(i, &mut |reg| {
            if !std::mem::replace(&mut wanted[reg as usize], true) {
                again(&all.writers[reg as usize]);
            }
        });
    });
    wanted
}

/// By memory, the type of its first access.
pub(super) fn first_types(kernel: &Kernel, of: &[Origin]) -> HashMap<Root, Ty> {
    let mut types = HashMap::new();
    for part in &kernel.body {
        let Part::Instruction(i) = part else { continue };
        for Accessed { operand, ty, .. } in accesses(i) {
            of_operand(kernel, operand, of).0.into_iter().for_each(|root| _ = types.entry(root).or_insert(ty));
        }
    }
    types
}

/// Whether an instruction can stay a sum.
pub(super) fn is_sum(i: &Instruction) -> bool {
    let types = i.types();
    let wide = types.last().is_some_and(|ty| ty.is_wide() && !matches!(ty, Ty::Float(_)));
    match i.words[0].as_str() {
        "mov" | "cvta" | "add" | "sub" | "shl" => wide,
        "mul" | "mad" => wide || i.has("wide"),
        "cvt" => types.first().is_some_and(|ty| ty.is_wide()) && types.iter().all(|ty| !matches!(ty, Ty::Float(_))),
        _ => false,
    }
}

/// The registers that an instruction reads, other than as an address.
fn uses_as_number(i: &Instruction, visit: &mut dyn FnMut(RegId)) {
    let address = |accessed: Accessed<'_>| match accessed.operand {
        Operand::Address { base: Base::Reg(reg), .. } => Some(*reg),
        _ => None,
    };
    let addresses: Vec<RegId> = accesses(i).into_iter().filter_map(address).collect();
    uses(
        i,
        |reg| {
            if !addresses.contains(&reg) {
                visit(reg)
            }
        },
        |_| {},
    );
}
