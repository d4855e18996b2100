//! Code generation, from [`Ir`] to [`Code`]: each operation in the form that its operands' classes allow.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::classes::{Class, Classes, binary};
use super::code::{Block, Code, Given, NONE, Op};
use super::ir::{Extent, Inst, Ir, Reg, RegKind};
use super::ops::{Binary, Src, Ternary, Unary};
use super::pages::Pages;
use super::regions::Regions;
use super::subgroup::Subgroup;

mod control;
mod peephole;
mod places;

/// Where the value of a register of the [`Ir`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loc {
    /// Not computed yet.
    Unset,
    /// A scalar register.
    One(u32),
    /// Scalar registers with base and step.
    Linear { base: u32, step: u32 },
    /// A vector register.
    Lanes(u32),
}

/// Emits the code of a program for known classes and buffers of `sizes` bytes in memory, or of which `pages` say where they are.
pub fn emit(ir: &Ir, regions: &Regions, classes: &Classes, sizes: &[u32], pages: &[Option<Arc<Pages>>]) -> Code {
    let mut e = Emitter {
        ir,
        regions,
        classes,
        sizes,
        pages,
        code: Code { local_words: ir.local_words, says: ir.says.clone(), ..Code::default() },
        locs: vec![Loc::Unset; ir.regs.len()],
        facts: peephole::Facts::gather(ir, regions),
        words: HashMap::new(),
        defined: vec![None; ir.regs.len()],
        ramps: HashMap::new(),
        straight: 0,
        block: None,
        weighed: FxHashMap::default(),
        line: 1,
        open: Vec::new(),
        to_end: Vec::new(),
    };
    e.givens();
    for i in 0..ir.insts.len() {
        e.line = ir.lines[i];
        e.inst(i);
    }
    e.finish();
    let mut code = e.code;
    code.releases = ir.releases();
    super::chains::find(&mut code);
    super::registers::allocate(&mut code);
    code
}

struct Emitter<'a> {
    ir: &'a Ir,
    regions: &'a Regions,
    classes: &'a Classes,
    sizes: &'a [u32],
    pages: &'a [Option<Arc<Pages>>],
    code: Code,
    locs: Vec<Loc>,
    facts: peephole::Facts,
    /// Scalar registers with constants.
    words: HashMap<u32, u32>,
    /// By register, the operation that defines it, where there is just one.
    defined: Vec<Option<usize>>,
    /// Vectors made from linear registers since the last label.
    ramps: HashMap<Reg, u32>,
    /// Operations from here on run one after the other.
    straight: usize,
    /// The basic block that counts what is emitted.
    block: Option<usize>,
    /// By basic block and line, its place among the lines of the block.
    weighed: FxHashMap<(usize, u32), usize>,
    line: u32,
    open: Vec<control::Open>,
    /// Jumps to the end of the program.
    to_end: Vec<usize>,
}

impl Emitter<'_> {
    /// Registers whose values are given before the program starts.
    fn givens(&mut self) {
        let zero = self.word(0);
        debug_assert_eq!(zero, 0);
        for (reg, kind) in (0..).zip(&self.ir.regs) {
            self.locs[reg as usize] = match *kind {
                RegKind::Const(word) => Loc::One(self.word(word)),
                RegKind::Length(extent) => Loc::One(self.word(self.length(extent))),
                RegKind::Builtin(builtin) => match self.classes.of[reg as usize] {
                    Class::Uniform => Loc::One(self.given(Given::Builtin(builtin))),
                    Class::Linear => Loc::Linear { base: self.given(Given::Builtin(builtin)), step: self.word(1) },
                    Class::Varying => {
                        self.code.given_vectors.push(Given::Builtin(builtin));
                        Loc::Lanes(number(self.code.given_vectors.len() - 1))
                    }
                },
                RegKind::Temp | RegKind::Var { .. } => Loc::Unset,
            };
        }
        self.code.scalars = number(self.code.given_scalars.len());
        self.code.vectors = number(self.code.given_vectors.len());
        for (reg, kind) in self.ir.regs.iter().enumerate() {
            if matches!(kind, RegKind::Var { .. }) {
                self.locs[reg] = self.fresh(self.classes.of[reg]);
            }
        }
    }

    fn given(&mut self, given: Given) -> u32 {
        self.code.given_scalars.push(given);
        number(self.code.given_scalars.len() - 1)
    }

    fn word(&mut self, word: u32) -> u32 {
        if let Some(reg) = self.words.get(&word) {
            return *reg;
        }
        let reg = self.given(Given::Word(word));
        self.words.insert(word, reg);
        reg
    }

    fn length(&self, extent: Extent) -> u32 {
        self.sizes[usize::from(extent.buffer)].saturating_sub(extent.offset) / extent.stride.max(1)
    }

    fn scalar(&mut self) -> u32 {
        self.code.scalars += 1;
        self.code.scalars - 1
    }

    fn vector(&mut self) -> u32 {
        self.code.vectors += 1;
        self.code.vectors - 1
    }

    fn fresh(&mut self, class: Class) -> Loc {
        match class {
            Class::Uniform => Loc::One(self.scalar()),
            Class::Linear => Loc::Linear { base: self.scalar(), step: self.scalar() },
            Class::Varying => Loc::Lanes(self.vector()),
        }
    }

    fn push(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.lines.push(self.line);
        self.code.ops.len() - 1
    }

    /// Counts `weight` instructions on the present line, in the basic block that goes on here.
    fn weigh(&mut self, weight: u32) {
        if weight == 0 || self.line == 0 {
            return;
        }
        let block = match self.block {
            Some(block) => block,
            None => {
                self.code.blocks.push(Block::default());
                let block = self.code.blocks.len() - 1;
                self.push(Op::Enter(number(block)));
                self.block = Some(block);
                block
            }
        };
        let Block { weight: all, lines, .. } = &mut self.code.blocks[block];
        *all += weight;
        let at = *self.weighed.entry((block, self.line)).or_insert(lines.len());
        match lines.get_mut(at) {
            Some((_, sum)) => *sum += weight,
            None => lines.push((self.line, weight)),
        }
    }

    /// A register as a vector.
    fn lanes(&mut self, reg: Reg) -> u32 {
        match self.locs[reg as usize] {
            Loc::Lanes(r) => r,
            Loc::Linear { base, step } => {
                if let Some(ramp) = self.ramps.get(&reg) {
                    return *ramp;
                }
                let dst = self.vector();
                self.push(Op::Ramp { dst, base, step, masked: false });
                if !matches!(self.ir.regs[reg as usize], RegKind::Var { .. }) && !self.is_alias(reg) {
                    self.ramps.insert(reg, dst);
                }
                dst
            }
            Loc::One(a) => {
                let dst = self.vector();
                self.push(Op::Fill { dst, a, masked: false });
                dst
            }
            Loc::Unset => 0,
        }
    }

    /// A register as an operand of a vector operation.
    fn src(&mut self, reg: Reg) -> Src {
        match self.locs[reg as usize] {
            Loc::One(r) => Src::scalar(r),
            _ => Src::vector(self.lanes(reg)),
        }
    }

    /// A uniform register.
    fn one(&self, reg: Reg) -> u32 {
        match self.locs[reg as usize] {
            Loc::One(r) => r,
            // Classes say which registers are uniform; zero is there for what was never computed.
            _ => 0,
        }
    }

    /// A uniform or linear register as base and step.
    fn linear(&mut self, reg: Reg) -> (u32, u32) {
        match self.locs[reg as usize] {
            Loc::Linear { base, step } => (base, step),
            _ => (self.one(reg), self.word_zero()),
        }
    }

    /// The scalar register with zero, which is the first.
    fn word_zero(&self) -> u32 {
        0
    }

    fn class(&self, reg: Reg) -> Class {
        match self.locs[reg as usize] {
            Loc::One(_) | Loc::Unset => Class::Uniform,
            Loc::Linear { .. } => Class::Linear,
            Loc::Lanes(_) => Class::Varying,
        }
    }

    fn inst(&mut self, i: usize) {
        let inst = self.ir.insts[i];
        // The jump back of a loop is weighed where the loop is closed.
        if !matches!(inst, Inst::EndLoop) {
            self.weigh(inst.weight());
        }
        match inst {
            Inst::Un { op, dst, a } => {
                let (loc, op) = if self.class(a) == Class::Uniform {
                    let r = self.scalar();
                    (Loc::One(r), Op::SUn { op, dst: r, a: self.one(a) })
                } else {
                    let a = self.lanes(a);
                    let r = self.vector();
                    (Loc::Lanes(r), Op::VUn { op, dst: r, a, masked: false })
                };
                self.define(dst, loc, op);
            }
            Inst::Bin { op, dst, a, b } => self.bin(op, dst, a, b),
            Inst::Tri { op, dst, a, b, c } => {
                if [a, b, c].into_iter().all(|r| self.class(r) == Class::Uniform) {
                    let r = self.scalar();
                    let op = Op::STri { op, dst: r, a: self.one(a), b: self.one(b), c: self.one(c) };
                    self.define(dst, Loc::One(r), op);
                } else {
                    let (a, b, c) = (self.src(a), self.src(b), self.src(c));
                    let r = self.vector();
                    self.define(dst, Loc::Lanes(r), Op::VTri { op, dst: r, a, b, c, masked: false });
                }
            }
            Inst::Wide { wide } => self.wide(&wide),
            Inst::Read { dst, var } => self.read(i, dst, var),
            Inst::Write { var, src } => self.write(var, src),
            Inst::Load { place, dst } => self.load(place, dst),
            Inst::Store { place, src } => {
                let words = usize::from(self.ir.places[place as usize].components);
                let mut values = [Src::scalar(0); 4];
                for (value, reg) in values.iter_mut().zip(&src[..words]) {
                    *value = self.src(*reg);
                }
                let place = self.place(place);
                self.push(Op::Store { place, src: values });
            }
            Inst::Atomic { op, place, value, compare, old, done } => {
                let (value, compare) = (self.src(value), self.src(compare));
                let place = self.place(place);
                let [old, done] = [old, done].map(|reg| {
                    reg.map_or(NONE, |reg| {
                        let r = self.vector();
                        self.locs[reg as usize] = Loc::Lanes(r);
                        r
                    })
                });
                self.push(Op::Atomic { op, place, value, compare, old, done });
            }
            Inst::AtomicWords { op, place, operands, old } => {
                let operands = operands.map(|reg| self.src(reg));
                let place = self.place(place);
                let old = old.map_or([NONE; 4], |old| {
                    old.map(|reg| {
                        let r = self.vector();
                        self.locs[reg as usize] = Loc::Lanes(r);
                        r
                    })
                });
                self.push(Op::AtomicWords { op, place, operands, old });
            }
            Inst::Clock { dst } => {
                let dst = dst.map(|reg| {
                    let r = self.scalar();
                    self.locs[reg as usize] = Loc::One(r);
                    r
                });
                self.push(Op::Clock { dst });
                // The instructions after it count later.
                self.block = None;
            }
            Inst::Spin => {
                self.push(Op::Spin);
                // Other warps may go on here.
                self.block = None;
            }
            Inst::GoesOn { number } => {
                self.push(Op::GoesOn { number });
            }
            Inst::Subgroup { op, dst, a, index } => self.subgroup(op, dst, a, index),
            Inst::Collective { id } => self.collective(id),
            Inst::ClearLocal { first, rows } => {
                self.push(Op::ClearLocal { first, rows });
            }
            Inst::Switch { case } => {
                let case = self.src(case);
                self.push(Op::Switch { case });
            }
            Inst::Vote { how, absent, a, dst } => {
                let a = self.lanes(a);
                let r = self.scalar();
                self.locs[dst as usize] = Loc::One(r);
                self.push(Op::Vote { how, absent, a, dst: r });
                self.block = None;
            }
            Inst::Say { say } => {
                self.push(Op::Say { say });
                // An assertion that fails ends the kernel here.
                self.block = None;
            }
            Inst::Barrier(orders) => {
                self.push(Op::Barrier(orders));
                // Warps wait here, so a chain of dependent instructions does not go on past it.
                self.block = None;
            }
            _ => self.control(i, inst),
        }
    }

    fn define(&mut self, dst: Reg, loc: Loc, op: Op) {
        let at = self.push(op);
        self.locs[dst as usize] = loc;
        self.defined[dst as usize] = Some(at);
    }

    fn bin(&mut self, op: Binary, dst: Reg, a: Reg, b: Reg) {
        match binary(op, self.class(a), self.class(b)) {
            Class::Uniform => {
                if self.fuse_multiply_add(op, dst, a, b) {
                    return;
                }
                let r = self.scalar();
                let op = Op::SBin { op, dst: r, a: self.one(a), b: self.one(b) };
                self.define(dst, Loc::One(r), op);
            }
            Class::Linear => {
                let (x, y) = (self.linear(a), self.linear(b));
                let (base, step) = (self.scalar(), self.scalar());
                self.push(Op::SBin { op, dst: base, a: x.0, b: y.0 });
                // A product of a linear and a uniform value scales the step by the latter.
                let steps = match op {
                    Binary::IMul | Binary::Shl if self.class(a) == Class::Linear => (x.1, y.0),
                    Binary::IMul => (x.0, y.1),
                    _ => (x.1, y.1),
                };
                let step = match (op, steps) {
                    // Adding a uniform value leaves the step as it is.
                    (Binary::IAdd | Binary::ISub, (s, 0)) if !self.is_variable_step(a) => s,
                    (Binary::IAdd, (0, s)) if !self.is_variable_step(b) => s,
                    (_, (a, b)) => {
                        self.push(Op::SBin { op, dst: step, a, b });
                        step
                    }
                };
                self.locs[dst as usize] = Loc::Linear { base, step };
            }
            Class::Varying => {
                if self.fuse_multiply_add(op, dst, a, b) {
                    return;
                }
                let (a, b) = (self.src(a), self.src(b));
                let r = self.vector();
                self.define(dst, Loc::Lanes(r), Op::VBin { op, dst: r, a, b, masked: false });
            }
        }
    }

    /// Whether a register's step may be written again while a value made from it is used.
    fn is_variable_step(&self, reg: Reg) -> bool {
        matches!(self.ir.regs[reg as usize], RegKind::Var { .. }) || self.is_alias(reg)
    }

    fn write(&mut self, var: Reg, src: Reg) {
        if self.retarget(var, src) {
            return;
        }
        match (self.locs[var as usize], self.locs[src as usize]) {
            (Loc::One(dst), _) => {
                let a = self.one(src);
                self.push(Op::SUn { op: Unary::Move, dst, a });
            }
            (Loc::Linear { base, step }, _) => {
                let (b, s) = self.linear(src);
                self.push(Op::SUn { op: Unary::Move, dst: base, a: b });
                self.push(Op::SUn { op: Unary::Move, dst: step, a: s });
            }
            (Loc::Lanes(dst), Loc::One(a)) => {
                self.push(Op::Fill { dst, a, masked: true });
            }
            (Loc::Lanes(dst), Loc::Linear { base, step }) => {
                self.push(Op::Ramp { dst, base, step, masked: true });
            }
            (Loc::Lanes(dst), Loc::Lanes(a)) => {
                self.push(Op::VUn { op: Unary::Move, dst, a, masked: true });
            }
            (Loc::Lanes(_) | Loc::Unset, _) => {}
        }
    }

    fn load(&mut self, place: u32, dst: [Reg; 4]) {
        let words = usize::from(self.ir.places[place as usize].components);
        let place = self.place(place);
        let uniform = self.classes.of[dst[0] as usize] == Class::Uniform;
        let mut regs = [0; 4];
        for (reg, dst) in regs.iter_mut().zip(&dst[..words]) {
            let loc = self.fresh(if uniform { Class::Uniform } else { Class::Varying });
            self.locs[*dst as usize] = loc;
            if let Loc::One(r) | Loc::Lanes(r) = loc {
                *reg = r;
            }
        }
        let op = if uniform { Op::LoadOne { place, dst: regs } } else { Op::Load { place, dst: regs } };
        let at = self.push(op);
        for dst in &dst[..words] {
            self.defined[*dst as usize] = Some(at);
        }
    }

    fn subgroup(&mut self, op: Subgroup, dst: [Reg; 4], a: Reg, index: Reg) {
        let (a, index) = (self.lanes(a), self.src(index));
        let one = self.classes.of[dst[0] as usize] == Class::Uniform;
        let mut regs = [0; 4];
        for (reg, dst) in regs.iter_mut().zip(&dst[..op.results()]) {
            let loc = self.fresh(if one { Class::Uniform } else { Class::Varying });
            self.locs[*dst as usize] = loc;
            if let Loc::One(r) | Loc::Lanes(r) = loc {
                *reg = r;
            }
        }
        self.push(Op::Subgroup { op, dst: regs, a, index, one });
    }
}

fn number(i: usize) -> u32 {
    u32::try_from(i).unwrap_or(u32::MAX)
}

/// The fused operation of a multiplication whose result goes straight into an addition.
fn multiply_add(mul: Binary, add: Binary) -> Option<Ternary> {
    match (mul, add) {
        (Binary::FMul, Binary::FAdd) => Some(Ternary::FMulAdd),
        (Binary::IMul, Binary::IAdd) => Some(Ternary::IMulAdd),
        _ => None,
    }
}
