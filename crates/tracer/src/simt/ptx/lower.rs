//! The state of lowering a kernel: its registers and variables in the IR, and how instructions read and write them.

use std::collections::HashMap;

use warpbook_base::diag::Diagnostic;

use warpbook_base::tensor::Tensor;

use super::super::binding::Binding;
use super::super::builder::Builder;
use super::super::ir::{Dialect, Inst, PlaceId, Reg};
use super::super::ops::{Binary, Ternary, Unary};
use super::super::wide::WideOp;
use super::addresses::{self, Atom, Origin, Root, Sum};
use super::flow::Flow;
use super::leaving::Leaving;
use super::module::{Base, Instruction, Kernel, Memory, Operand, RegId, Ty};
use super::registers::Registers;
use super::{Lowered, Ptx, at_line, lines, spins};
use crate::dispatch::Argument;

/// Instructions of the IR, fewer than a slice of fuel.
const MAX_INSTS: usize = 1 << 20;

/// Bytes of a tensor map.
const MAP_BYTES: usize = 128;

/// A memory that a [`Root`] leads into, as the IR has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    pub memory: Memory,
    /// The variable of the IR.
    pub variable: u16,
    /// Where it begins in its memory.
    pub base: u32,
    /// Its size; None of a buffer.
    pub bytes: Option<u32>,
}

/// A kernel that is being lowered.
pub(super) struct Lower<'a> {
    pub ptx: &'a Ptx<'a>,
    pub kernel: &'a Kernel,
    pub b: Builder,
    once: Vec<bool>,
    is_read: Vec<bool>,
    wanted: Vec<bool>,
    pub origins: Vec<Origin>,
    /// By memory, the type of its first access.
    pub first_types: HashMap<Root, Ty>,
    /// The variables of registers that are written more than once.
    variables: Vec<Option<[Reg; 2]>>,
    /// The values of the others.
    values: Vec<Option<[Reg; 2]>>,
    sums: Vec<Option<Sum>>,
    /// By parameter and by variable of the kernel.
    pub params: Vec<Option<Located>>,
    pub memories: Vec<Option<Located>>,
    pub own: Vec<(Binding, Tensor)>,
    /// The places of atomics that leave their word as it is.
    pub polls: Vec<PlaceId>,
    /// Barriers that lanes do not come to.
    pub leaving: Leaving,
    /// The variable that holds the carry of sums.
    pub carry: Option<Reg>,
    /// The instruction's line in the PTX.
    pub at: u32,
}

pub(super) fn lower(ptx: &Ptx<'_>, kernel: &Kernel, flow: &Flow<'_>) -> Result<Lowered, Diagnostic> {
    let is_buffer = |p: usize| matches!(ptx.arguments.get(p), Some(Argument::Buffer(_) | Argument::Null(_)));
    let Registers { once, is_read } = Registers::of(kernel, flow);
    let count = kernel.regs.len();
    let origins = addresses::origins(kernel, &is_buffer);
    let mut lower = Lower {
        ptx,
        kernel,
        b: Builder::new(""),
        wanted: addresses::wanted(kernel, &once),
        once,
        is_read,
        first_types: addresses::first_types(kernel, &origins),
        origins,
        variables: vec![None; count],
        values: vec![None; count],
        sums: vec![None; count],
        params: vec![None; kernel.params.len()],
        memories: vec![None; kernel.variables.len()],
        own: Vec::new(),
        polls: Vec::new(),
        leaving: Leaving::of(flow),
        carry: None,
        at: kernel.at,
    };
    lower.check()?;
    let bindings = lower.bindings()?;
    lower.memories(bindings.len())?;
    lower.b.at_line(flow.blocks.first().and_then(|b| b.body.first()).map_or(1, |i| i.line));
    lower.b.push(Inst::Open);
    lower.structure(flow)?;
    lower.b.push(Inst::Close);
    let (mut ir, polls) = (lower.b.ir, lower.polls);
    spins::mark(&mut ir, &polls);
    ir.dialect = if lines::is_python(ptx.text) { Dialect::Triton } else { Dialect::Cuda };
    Ok(Lowered { ir, bindings, own: lower.own })
}

impl<'a> Lower<'a> {
    /// An error at the present instruction.
    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        at_line(Diagnostic::error(message), self.ptx.file, self.at)
    }

    /// That an instruction cannot be traced.
    pub(super) fn unsupported(&self, i: &Instruction) -> Diagnostic {
        self.error(format!("`{}` cannot be traced yet", i.words.join(".")))
            .hint("the page on CUDA in the guide lists the instructions that can")
    }

    fn check(&self) -> Result<(), Diagnostic> {
        let [x, y, z] = self.ptx.block;
        let threads = u64::from(x) * u64::from(y) * u64::from(z);
        if !(1..=1024).contains(&threads) {
            let error = self.error(format!("a block of {x} × {y} × {z} has {threads} threads"));
            return Err(error.hint("GPUs run blocks of 1 to 1024 threads"));
        }
        if let Some(most) = self.kernel.most_threads.filter(|most| threads > *most) {
            let error = self.error(format!("a block of {threads} threads, and the kernel allows {most}"));
            return Err(error.hint("give it fewer threads; or raise its __launch_bounds__ (.maxntid in PTX)"));
        }
        let (wanted, given) = (self.kernel.params.len(), self.ptx.arguments.len());
        let extra = self.ptx.arguments.iter().skip(wanted);
        // Further ones are variables of the module.
        if given < wanted || extra.clone().any(|argument| matches!(argument, Argument::Value(_) | Argument::Null(_))) {
            return Err(self.error(format!("`{}` takes {wanted} arguments, and is given {given}", self.kernel.name)));
        }
        for (n, (param, argument)) in self.kernel.params.iter().zip(self.ptx.arguments).enumerate() {
            let bytes = match argument {
                Argument::Buffer(_) | Argument::Null(_) => 8,
                Argument::Value(bytes) => bytes.len(),
                Argument::Map(..) => MAP_BYTES,
            };
            if bytes != param.bytes as usize {
                let message =
                    format!("parameter {} of `{}` has {} bytes, not {bytes}", n + 1, self.kernel.name, param.bytes);
                return Err(self.error(message));
            }
        }
        Ok(())
    }

    /// Whether anything reads a register.
    pub(super) fn is_read(&self, reg: RegId) -> bool {
        self.is_read[reg as usize]
    }

    pub(super) fn ty(&self, reg: RegId) -> Ty {
        self.kernel.regs[reg as usize]
    }

    /// The value of an operand of up to 32 bits; `ty` is the operation's type, which says how a number is meant.
    pub(super) fn word(&mut self, operand: &Operand, ty: Ty) -> Result<Reg, Diagnostic> {
        Ok(match operand {
            // Of a wide register its low word: the register may be a sum that is not computed yet.
            Operand::Reg(reg) if self.ty(*reg).is_wide() => self.pair(operand)?[0],
            Operand::Reg(reg) => self.read(*reg)[0],
            Operand::Not(reg) => {
                let value = self.read(*reg)[0];
                self.b.un(Unary::Not, value)
            }
            Operand::Whole(bits) => {
                let bits = match ty {
                    Ty::Float(32) if *bits == 0 => 0,
                    Ty::Pred => u32::from(*bits != 0),
                    _ if ty.bits() == 16 => (*bits & 0xFFFF) as u32,
                    _ => (*bits & 0xFFFF_FFFF) as u32,
                };
                self.b.constant(bits)
            }
            Operand::Single(bits) => self.b.constant(*bits),
            Operand::Double(bits) => self.b.constant((f64::from_bits(*bits) as f32).to_bits()),
            Operand::Special(name) => self.special(name)?,
            Operand::Name(name) if name == "WARP_SZ" => self.b.constant(32),
            Operand::Name(name) | Operand::Address { base: Base::Name(name), .. } => {
                let offset = match operand {
                    Operand::Address { offset, .. } => *offset as u32,
                    _ => 0,
                };
                let Some(root) = addresses::variable(self.kernel, name).map(Root::Variable) else {
                    return Err(self.error(format!("there is no variable `{name}`")));
                };
                let [low, _] = self.number_of(root);
                self.b.constant(low.wrapping_add(offset))
            }
            _ => return Err(self.error("this operand cannot be traced")),
        })
    }

    /// The value of a 64-bit operand, in two registers.
    pub(super) fn pair(&mut self, operand: &Operand) -> Result<[Reg; 2], Diagnostic> {
        if let Operand::Reg(reg) = operand
            && !self.ty(*reg).is_wide()
        {
            return Err(self.error("a register of 64 bits is expected"));
        }
        match operand {
            Operand::Reg(reg) => {
                if let (true, None, Some(sum)) =
                    (self.once[*reg as usize], self.values[*reg as usize], self.sums[*reg as usize].clone())
                {
                    return Ok(self.computed(&sum));
                }
                Ok(self.read(*reg))
            }
            Operand::Whole(bits) | Operand::Double(bits) => Ok(self.constants(*bits)),
            Operand::Special(name) if name == "clock64" || name == "globaltimer" => Ok(self.clock()),
            Operand::Special(name) => {
                let low = self.special(name)?;
                Ok([low, self.b.constant(0)])
            }
            Operand::Name(name) | Operand::Address { base: Base::Name(name), .. } => {
                let Some(root) = addresses::variable(self.kernel, name).map(Root::Variable) else {
                    return Err(self.error(format!("there is no variable `{name}`")));
                };
                let offset = match operand {
                    Operand::Address { offset, .. } => *offset,
                    _ => 0,
                };
                Ok(self.computed(&Sum { root: Some(root), start: offset, terms: Vec::new() }))
            }
            _ => Err(self.error("this operand cannot be traced")),
        }
    }

    pub(super) fn constants(&mut self, bits: u64) -> [Reg; 2] {
        [self.b.constant((bits & 0xFFFF_FFFF) as u32), self.b.constant((bits >> 32) as u32)]
    }

    /// The value of a register: its second word has a meaning if it is wide.
    pub(super) fn read(&mut self, reg: RegId) -> [Reg; 2] {
        let zero = self.b.constant(0);
        if self.once[reg as usize] {
            // One that is read but never written holds anything.
            return self.values[reg as usize].unwrap_or([zero; 2]);
        }
        let wide = self.ty(reg).is_wide();
        let variables = self.variable(reg);
        [self.b.read(variables[0]), if wide { self.b.read(variables[1]) } else { zero }]
    }

    fn variable(&mut self, reg: RegId) -> [Reg; 2] {
        if let Some(variables) = self.variables[reg as usize] {
            return variables;
        }
        let zero = self.b.constant(0);
        let second = if self.ty(reg).is_wide() { self.b.var(None, zero) } else { zero };
        let variables = [self.b.var(None, zero), second];
        self.variables[reg as usize] = Some(variables);
        variables
    }

    /// Writes a result. A value of 64 bits has two words.
    pub(super) fn write(&mut self, operand: &Operand, value: [Reg; 2]) -> Result<(), Diagnostic> {
        let reg = match operand {
            Operand::Reg(reg) => *reg,
            Operand::Nothing => return Ok(()),
            _ => return Err(self.error("a result must go to a register")),
        };
        if self.once[reg as usize] {
            self.values[reg as usize] = Some(value);
            return Ok(());
        }
        let variables = self.variable(reg);
        self.b.write(variables[0], value[0]);
        if self.ty(reg).is_wide() {
            self.b.write(variables[1], value[1]);
        }
        Ok(())
    }

    /// Writes a result of up to 32 bits; of 16 bits it keeps as many.
    pub(super) fn write_word(&mut self, operand: &Operand, value: Reg) -> Result<(), Diagnostic> {
        let zero = self.b.constant(0);
        self.write(operand, [value, zero])
    }

    /// Records a sum symbolically; the additions are emitted only if its value is used.
    pub(super) fn write_sum(&mut self, operand: &Operand, sum: Sum) -> Result<(), Diagnostic> {
        if let Operand::Reg(reg) = operand
            && self.once[*reg as usize]
        {
            if self.wanted[*reg as usize] {
                let value = self.computed(&sum);
                self.values[*reg as usize] = Some(value);
            }
            self.sums[*reg as usize] = Some(sum);
            return Ok(());
        }
        let value = self.computed(&sum);
        self.write(operand, value)
    }

    /// A 64-bit operand as a sum: what it was made of, or its value.
    pub(super) fn sum(&mut self, operand: &Operand) -> Result<Sum, Diagnostic> {
        match operand {
            Operand::Reg(reg) => match (self.once[*reg as usize], &self.sums[*reg as usize]) {
                (true, Some(sum)) => Ok(sum.clone()),
                _ => Ok(Sum::of(Atom::Pair(self.pair(operand)?))),
            },
            Operand::Whole(bits) => Ok(Sum::number(bits.cast_signed())),
            Operand::Name(name) | Operand::Address { base: Base::Name(name), .. } => {
                let start = match operand {
                    Operand::Address { offset, .. } => *offset,
                    _ => 0,
                };
                match addresses::variable(self.kernel, name) {
                    Some(v) => Ok(Sum { root: Some(Root::Variable(v)), start, terms: Vec::new() }),
                    // Which map it is the origin says.
                    None if self.map(name).is_some() => Ok(Sum::number(0)),
                    None => Err(self.error(format!("there is no variable `{name}`"))),
                }
            }
            _ => Ok(Sum::of(Atom::Pair(self.pair(operand)?))),
        }
    }

    /// The value of a sum, in two registers.
    pub(super) fn computed(&mut self, sum: &Sum) -> [Reg; 2] {
        let zero = self.b.constant(0);
        let start = sum.root.map_or([0, 0], |root| self.number_of(root));
        let start = (u64::from(start[0]) | u64::from(start[1]) << 32).wrapping_add(sum.start.cast_unsigned());
        let mut total: Option<[Reg; 2]> = (start != 0 || sum.terms.is_empty()).then(|| self.constants(start));
        for (atom, factor) in &sum.terms {
            let scaled = match *atom {
                Atom::Pair(value) if *factor == 1 => value,
                Atom::Pair(value) => {
                    let by = self.constants(factor.cast_unsigned());
                    self.b.wide(WideOp::Mul, [value, by, [zero; 2]])
                }
                Atom::Unsigned(value) if *factor == 1 => [value, zero],
                Atom::Signed(value) if *factor == 1 => {
                    self.b.wide(WideOp::Extend, [[value, zero], [zero; 2], [zero; 2]])
                }
                Atom::Unsigned(value) | Atom::Signed(value) => {
                    let signed = matches!(atom, Atom::Signed(_));
                    let (op, fits) = if signed {
                        (WideOp::IMulWide, i32::try_from(*factor).is_ok())
                    } else {
                        (WideOp::UMulWide, u32::try_from(*factor).is_ok())
                    };
                    let by = self.constants(factor.cast_unsigned());
                    if fits {
                        self.b.wide(op, [[value, zero], [by[0], zero], [zero; 2]])
                    } else {
                        let value = match signed {
                            true => self.b.wide(WideOp::Extend, [[value, zero], [zero; 2], [zero; 2]]),
                            false => [value, zero],
                        };
                        self.b.wide(WideOp::Mul, [value, by, [zero; 2]])
                    }
                }
            };
            total = Some(match total {
                Some(total) => self.b.wide(WideOp::Add, [total, scaled, [zero; 2]]),
                None => scaled,
            });
        }
        total.unwrap_or([zero; 2])
    }

    /// The low 16 bits of a value.
    pub(super) fn short(&mut self, value: Reg) -> Reg {
        let mask = self.b.constant(0xFFFF);
        self.b.bin(Binary::And, value, mask)
    }

    /// The low `bits` of a value, extended by their sign.
    pub(super) fn sign_extended(&mut self, value: Reg, bits: u8) -> Reg {
        let (zero, bits) = (self.b.constant(0), self.b.constant(bits.into()));
        self.b.tri(Ternary::IExtract, value, zero, bits)
    }

    /// Refuses a kernel that became too large.
    pub(super) fn room(&self) -> Result<(), Diagnostic> {
        if self.b.ir.insts.len() > MAX_INSTS { Err(self.error("the kernel is too large to trace")) } else { Ok(()) }
    }
}
