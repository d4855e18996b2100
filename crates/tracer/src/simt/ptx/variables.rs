//! The memories of a kernel: its buffers, and its variables in shared and local memory.

use std::collections::HashSet;

use warpbook_base::diag::Diagnostic;
use warpbook_base::tensor::{Elem, Tensor};

use super::super::binding::Binding;
use super::super::ir::Variable;
use super::super::layout::{Layout, Shape};
use super::ModuleVariable;
use super::addresses::{self, Accessed, Root};
use super::lower::{Located, Lower};
use super::module::{Base, Kernel, Memory, Operand, Part, Ty};
use super::target::{MOST_STATIC, Target};
use super::workspace;
use crate::dispatch::Argument;
use crate::dispatch::BindingKind;
use crate::trace::Space;

/// Local memory that a thread may have, in bytes.
const MAX_LOCAL_BYTES: u64 = 1 << 16;
/// Memory that the variables of a module may have together, in bytes.
const MAX_MODULE_BYTES: u64 = 1 << 30;
/// The high word of generic addresses of shared memory.
pub(super) const SHARED: u32 = 0x00FF_0000;
/// The same of local memory.
pub(super) const LOCAL: u32 = 0x00FE_0000;

impl Lower<'_> {
    /// A binding and a variable for each buffer.
    pub(super) fn bindings(&mut self) -> Result<Vec<Binding>, Diagnostic> {
        let mut bindings: Vec<Binding> = Vec::new();
        let (mut types, mut written) = (vec![None; self.kernel.params.len()], vec![false; self.kernel.params.len()]);
        for part in &self.kernel.body {
            let Part::Instruction(i) = part else { continue };
            for Accessed { operand, ty, writes } in addresses::accesses(i) {
                for p in addresses::params_of(&addresses::of_operand(self.kernel, operand, &self.origins)) {
                    types[p] = types[p].or(Some(ty));
                    written[p] |= writes;
                }
            }
        }
        let mut least = vec![4; self.kernel.params.len()];
        self.mapped(&mut types, &mut written, &mut least)?;
        for (p, argument) in self.ptx.arguments.iter().enumerate().take(self.kernel.params.len()) {
            let Argument::Buffer(name) = argument else { continue };
            // Two pointers may lead to one buffer: a kernel that works in place.
            if let Some(number) = bindings.iter().position(|binding| binding.name == *name) {
                let shared = &mut bindings[number];
                shared.min_bytes = shared.min_bytes.max(least[p]);
                if written[p] {
                    shared.kind = BindingKind::ReadWrite;
                }
                let variable = u16::try_from(number).unwrap_or(u16::MAX);
                self.params[p] = Some(Located { memory: Memory::Global, variable, base: 0, bytes: None });
                continue;
            }
            let number = u16::try_from(bindings.len()).map_err(|_| self.error("it has too many buffers"))?;
            let elem = elem(types[p].unwrap_or(Ty::Bits(32)));
            let kind = if written[p] { BindingKind::ReadWrite } else { BindingKind::ReadOnly };
            bindings.push(Binding { min_bytes: least[p], ..binding(name.clone(), number, kind, elem) });
            self.b.ir.variables.push(Variable {
                name: name.clone(),
                space: Space::Global,
                bytes: 0,
                base: 0,
                elem,
                columns: None,
            });
            self.params[p] = Some(Located { memory: Memory::Global, variable: number, base: 0, bytes: None });
        }
        for argument in self.ptx.arguments.iter().skip(self.kernel.params.len()) {
            let Argument::Buffer(name) = argument else { return Err(self.error("an argument has no parameter")) };
            self.given_variable(name, &mut bindings)?;
        }
        Ok(bindings)
    }

    /// A binding for a variable of the module whose contents the launch gives.
    fn given_variable(&mut self, name: &str, bindings: &mut Vec<Binding>) -> Result<(), Diagnostic> {
        let is_it = |v: &super::module::Variable| {
            matches!(v.memory, Memory::Global | Memory::Const) && readable(&v.name) == *name
        };
        let Some(n) = self.kernel.variables.iter().position(is_it) else {
            return Err(self.error(format!("there is no variable `{name}` in this module")));
        };
        let v = &self.kernel.variables[n];
        let number = u16::try_from(bindings.len()).map_err(|_| self.error("it has too many buffers"))?;
        let elem = self.element(Root::Variable(n)).unwrap_or(elem(v.ty));
        let is_const = v.memory == Memory::Const;
        let (space, kind) = match is_const {
            true => (Space::Uniform, BindingKind::Uniform),
            false => (Space::Global, BindingKind::ReadWrite),
        };
        let bytes = u32::try_from(v.bytes).map_err(|_| self.error(format!("`{name}` is too large to trace")))?;
        // Its size is the module's.
        let fixed = Binding { min_bytes: bytes.max(4), stride: None, ..binding(name.to_owned(), number, kind, elem) };
        bindings.push(fixed);
        self.b.ir.variables.push(Variable { name: name.to_owned(), space, bytes: 0, base: 0, elem, columns: None });
        self.memories[n] = Some(Located { memory: v.memory, variable: number, base: 0, bytes: None });
        Ok(())
    }

    /// Places for the variables that the kernel mentions.
    pub(super) fn memories(&mut self, buffers: usize) -> Result<(), Diagnostic> {
        let kernel = self.kernel;
        let (mentioned, places) = (mentioned(kernel), places(kernel));
        let (mut shared, mut local) = (0_u64, 0_u64);
        let mut located = Vec::new();
        for (n, v) in kernel.variables.iter().enumerate().filter(|(_, v)| mentioned.contains(v.name.as_str())) {
            self.at = v.at;
            let (Some(base), end) = (places[n], if v.memory == Memory::Shared { &mut shared } else { &mut local })
            else {
                if self.memories[n].is_none() {
                    self.module_variable(n, v, buffers)?;
                }
                continue;
            };
            let bytes = if v.bytes > 0 { v.bytes } else { u64::from(self.ptx.shared_bytes) };
            *end = base.saturating_add(bytes).max(*end);
            match v.memory {
                Memory::Shared => self.check_shared(v, *end)?,
                _ if *end > MAX_LOCAL_BYTES => {
                    let message = format!("`{}` is too large to trace: {MAX_LOCAL_BYTES} bytes are the most", v.name);
                    return Err(self.error(message));
                }
                _ => {}
            }
            located.push((n, v, u32::try_from(base).unwrap_or(0), u32::try_from(bytes).unwrap_or(0)));
        }
        for (n, v, base, bytes) in located {
            let mut variable = 0;
            if v.memory == Memory::Shared {
                variable =
                    u16::try_from(self.b.ir.variables.len()).map_err(|_| self.error("it has too many variables"))?;
                let elem = self.element(Root::Variable(n)).unwrap_or(elem(v.ty));
                let name = readable(&v.name);
                self.b.ir.variables.push(Variable { name, space: Space::Shared, bytes, base, elem, columns: None });
            }
            self.memories[n] = Some(Located { memory: v.memory, variable, base, bytes: Some(bytes) });
        }
        self.b.ir.shared_bytes = u32::try_from(shared).unwrap_or(0).next_multiple_of(4);
        self.b.ir.local_words = u32::try_from(local.div_ceil(4)).unwrap_or(0);
        Ok(())
    }

    /// Refuses shared memory that a launch would refuse, if it reaches to byte `end` with a variable.
    fn check_shared(&self, v: &super::module::Variable, end: u64) -> Result<(), Diagnostic> {
        let Target(sm) = self.kernel.target;
        let most = self.kernel.target.shared_bytes();
        let name = readable(&v.name);
        if v.bytes > 0 && end > MOST_STATIC && !self.kernel.is_of_tiles {
            let message = format!(
                "with `{name}` the kernel declares {end} bytes of shared memory, and {MOST_STATIC} are the most that it may declare"
            );
            let hint =
                format!("make it `extern __shared__`, whose size the launch gives: up to {most} bytes on sm_{sm}");
            return Err(self.error(message).hint(hint));
        }
        if end > most {
            let message = format!("a block would take {end} bytes of shared memory, and sm_{sm} has {most}");
            return Err(self.error(message).hint("give it less, or compile it for another GPU (--target)"));
        }
        Ok(())
    }

    /// A buffer for a variable of the module, with its first contents, which a launch begins with.
    fn module_variable(&mut self, n: usize, v: &super::module::Variable, buffers: usize) -> Result<(), Diagnostic> {
        let others: u64 = self.own.iter().map(|(_, tensor)| 4 * tensor.words.len() as u64).sum();
        if v.bytes.saturating_add(others) > MAX_MODULE_BYTES {
            let name = readable(&v.name);
            return Err(self.error(format!(
                "with `{name}` the variables of this module take more than {MAX_MODULE_BYTES} bytes, too many to trace"
            )));
        }
        let count = usize::try_from(v.bytes.div_ceil(4)).unwrap_or(0).max(1);
        let mut words = vec![0_u32; count];
        for (i, byte) in v.init.iter().enumerate().take(4 * count) {
            words[i / 4] |= u32::from(*byte) << (8 * (i % 4));
        }
        let elem = self.element(Root::Variable(n)).unwrap_or(elem(v.ty));
        let number = u16::try_from(buffers + self.own.len()).map_err(|_| self.error("it has too many variables"))?;
        let is_const = v.memory == Memory::Const;
        let space = if is_const { Space::Uniform } else { Space::Global };
        let name = readable(&v.name);
        let variable = Variable { name: name.clone(), space, bytes: 0, base: 0, elem, columns: None };
        self.b.ir.variables.push(variable);
        let kind = if is_const { BindingKind::Uniform } else { BindingKind::ReadWrite };
        self.own.push((binding(name, number, kind, elem), Tensor { elem, words }));
        self.memories[n] = Some(Located { memory: v.memory, variable: number, base: 0, bytes: None });
        Ok(())
    }

    /// The type of the elements of a memory, from its first access.
    pub(super) fn element(&self, root: Root) -> Option<Elem> {
        self.first_types.get(&root).map(|ty| elem(*ty))
    }

    /// Where a root is.
    pub(super) fn located(&self, root: Root) -> Option<Located> {
        match root {
            Root::Param(p) => self.params.get(p).copied().flatten(),
            Root::Variable(v) => self.memories.get(v).copied().flatten(),
            Root::Nowhere => None,
        }
    }

    /// The first address of a root, as two words.
    pub(super) fn number_of(&self, root: Root) -> [u32; 2] {
        match self.located(root) {
            Some(Located { memory: Memory::Shared, base, .. }) => [base, SHARED],
            Some(Located { memory: Memory::Local, base, .. }) => [base, LOCAL],
            Some(Located { variable, base, .. }) => [base, (u32::from(variable) + 1) << 8],
            None => [0, 0],
        }
    }

    /// The number that the first address of a root's memory is, which its offsets are taken from.
    pub(super) fn memory_start(&self, root: Root) -> i64 {
        i64::from(self.number_of(root)[1]) << 32
    }
}

/// Whether a kernel mentions shared memory whose size its launch gives.
pub(super) fn has_dynamic_shared(kernel: &Kernel) -> bool {
    let mentioned = mentioned(kernel);
    kernel.variables.iter().any(|v| v.memory == Memory::Shared && v.bytes == 0 && mentioned.contains(v.name.as_str()))
}

/// The names of the variables that a kernel mentions.
fn mentioned(kernel: &Kernel) -> HashSet<&str> {
    let mut mentioned = HashSet::new();
    for part in &kernel.body {
        let Part::Instruction(i) = part else { continue };
        for operand in &i.operands {
            if workspace::is_workspace(operand) {
                let workspace = workspace::workspace(kernel).and_then(|v| kernel.variables.get(v));
                mentioned.extend(workspace.map(|v| v.name.as_str()));
            }
            if let Operand::Name(name) | Operand::Address { base: Base::Name(name), .. } = operand {
                mentioned.insert(name.as_str());
            }
        }
    }
    mentioned
}

/// By variable, its first byte in shared or local memory: one after the other as the text has them, each at its alignment, as the assembler
/// places them, and those that the launch sizes last, all at one place. None of other variables, and where the kernel does not mention it.
pub(super) fn places(kernel: &Kernel) -> Vec<Option<u64>> {
    let mentioned = mentioned(kernel);
    let mut places = vec![None; kernel.variables.len()];
    let (mut shared, mut local) = (0_u64, 0_u64);
    let order = kernel.variables.iter().enumerate().filter(|(_, v)| mentioned.contains(v.name.as_str()));
    let (sized, open): (Vec<_>, Vec<_>) = order.partition(|(_, v)| v.bytes > 0);
    for (n, v) in sized.into_iter().chain(open) {
        let end = match v.memory {
            Memory::Shared => &mut shared,
            Memory::Local => &mut local,
            Memory::Global | Memory::Const => continue,
        };
        let base = end.next_multiple_of(v.align.into());
        places[n] = Some(base);
        if v.bytes > 0 {
            *end = base.saturating_add(v.bytes);
        }
    }
    places
}

/// The variables of the module that a kernel mentions.
pub(super) fn of_module(kernel: &Kernel) -> Vec<ModuleVariable> {
    let mentioned = mentioned(kernel);
    let used = kernel.variables.iter().filter(|v| matches!(v.memory, Memory::Global | Memory::Const));
    let each = used.filter(|v| mentioned.contains(v.name.as_str())).map(|v| ModuleVariable {
        name: readable(&v.name),
        bytes: v.bytes,
        is_constant: v.memory == Memory::Const,
        has_value: !v.init.is_empty(),
    });
    each.collect()
}

/// The binding of a buffer of elements.
fn binding(name: String, number: u16, kind: BindingKind, elem: Elem) -> Binding {
    let bytes = u32::try_from(elem.bytes()).unwrap_or(4);
    let of = Layout { ty: elem.name().to_owned(), shape: Shape::Scalar(elem) };
    let shape = Shape::Elements { of: Box::new(of), stride: bytes, len: None };
    let layout = Layout { ty: format!("array<{}>", elem.name()), shape };
    Binding { name, group: 0, binding: number.into(), kind, elem, min_bytes: 4, stride: Some(bytes), layout }
}

/// The element of a buffer that is accessed as `ty`.
fn elem(ty: Ty) -> Elem {
    match ty {
        Ty::Float(16) | Ty::F16x2 => Elem::F16,
        Ty::Bf16 | Ty::Bf16x2 => Elem::Bf16,
        Ty::Float(_) => Elem::F32,
        Ty::Signed(_) => Elem::I32,
        _ if ty.bits() == 16 => Elem::F16,
        _ => Elem::U32,
    }
}

/// The name of a variable in its source: PTX prefixes one of a function with the function's own (`_ZZ4tsumE4tile`).
pub(super) fn readable(name: &str) -> String {
    let inner = name.strip_prefix("_ZZ").and_then(|rest| rest.rfind('E').map(|at| &rest[at + 1..]));
    let inner = inner.or(name.strip_prefix("_Z")).unwrap_or(name);
    let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length = inner[..digits].parse::<usize>().unwrap_or(0);
    inner.get(digits..digits + length).filter(|s| !s.is_empty()).unwrap_or(name).to_owned()
}
