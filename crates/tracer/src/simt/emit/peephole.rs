//! Peephole optimizations while emitting: variables read in place, results written where they belong, multiply-adds.

use super::super::code::Op;
use super::super::ir::{Inst, Ir, Reg, RegKind};
use super::super::ops::Src;
use super::super::regions::{ConstructKind, Regions};
use super::{Emitter, Loc, multiply_add};

/// Facts about each register, from the whole program.
pub(super) struct Facts {
    /// How often it is read.
    uses: Vec<u32>,
    /// Where it is read last, counting all rounds of a loop that it was not defined in.
    last: Vec<usize>,
    /// Where it is written, if it is a variable.
    writes: Vec<Vec<usize>>,
    /// The variable that a temporary is an alias of.
    alias: Vec<Option<Reg>>,
}

impl Facts {
    pub fn gather(ir: &Ir, regions: &Regions) -> Self {
        let n = ir.regs.len();
        let mut facts = Self { uses: vec![0; n], last: vec![0; n], writes: vec![Vec::new(); n], alias: vec![None; n] };
        let mut ends = vec![0; regions.constructs.len()];
        let mut defined = vec![0; n];
        for (i, inst) in ir.insts.iter().enumerate() {
            if let (Inst::EndLoop, Some(construct)) = (inst, regions.construct[i]) {
                ends[construct as usize] = i;
            }
            if let Inst::Read { dst, .. } = inst {
                defined[*dst as usize] = i;
            }
        }
        for (i, inst) in ir.insts.iter().enumerate() {
            let mut read = |reg: Reg| {
                let r = reg as usize;
                facts.uses[r] += 1;
                let from = regions.of[defined[r]];
                // The outermost loop that has the use but not the definition.
                let around = regions
                    .chain(regions.of[i], from)
                    .filter_map(|region| regions.regions[region as usize].construct)
                    .filter(|c| regions.constructs[*c as usize].kind == ConstructKind::Loop)
                    .last();
                let last = around.map_or(i, |c| ends[c as usize]);
                facts.last[r] = facts.last[r].max(last);
            };
            inst.reads(ir, &mut read);
            if let Some(place) = inst.place(ir) {
                ir.places[place as usize].terms.iter().for_each(|t| read(t.index));
            }
            if let Inst::Write { var, .. } = inst {
                facts.writes[*var as usize].push(i);
            }
        }
        facts
    }
}

impl Emitter<'_> {
    pub(super) fn is_alias(&self, reg: Reg) -> bool {
        self.facts.alias[reg as usize].is_some()
    }

    /// A variable's value: the variable itself, where it is not written before the value's last use.
    pub(super) fn read(&mut self, i: usize, dst: Reg, var: Reg) {
        let last = self.facts.last[dst as usize];
        let writes = &self.facts.writes[var as usize];
        let next = writes.partition_point(|w| *w <= i);
        let loc = self.locs[var as usize];
        if writes.get(next).is_none_or(|w| *w >= last) {
            self.locs[dst as usize] = loc;
            self.facts.alias[dst as usize] = Some(var);
            return;
        }
        let copy = self.fresh(self.class(var));
        self.locs[dst as usize] = copy;
        let moved = |dst, a| Op::SUn { op: super::Unary::Move, dst, a };
        match (copy, loc) {
            (Loc::One(dst), Loc::One(a)) => {
                self.push(moved(dst, a));
            }
            (Loc::Linear { base, step }, Loc::Linear { base: b, step: s }) => {
                self.push(moved(base, b));
                self.push(moved(step, s));
            }
            (Loc::Lanes(dst), Loc::Lanes(a)) => {
                self.push(Op::VUn { op: super::Unary::Move, dst, a, masked: false });
            }
            _ => {}
        }
    }

    /// Whether `reg` is a temporary with one use, defined by an operation since the last label; that operation.
    fn sole_definition(&self, reg: Reg) -> Option<usize> {
        let temp = self.ir.regs[reg as usize] == RegKind::Temp && !self.is_alias(reg);
        let once = self.facts.uses[reg as usize] == 1;
        self.defined[reg as usize].filter(|at| temp && once && *at >= self.straight)
    }

    /// Lets the operation that computes `src` write to `var`, if nothing else uses either in between.
    pub(super) fn retarget(&mut self, var: Reg, src: Reg) -> bool {
        let Some(at) = self.sole_definition(src) else { return false };
        let (from, to) = match (self.locs[src as usize], self.locs[var as usize]) {
            (Loc::One(from), Loc::One(to)) => (Src::scalar(from), Src::scalar(to)),
            (Loc::Lanes(from), Loc::Lanes(to)) => (Src::vector(from), Src::vector(to)),
            _ => return false,
        };
        for i in at + 1..self.code.ops.len() {
            if self.mentions(i, to) {
                return false;
            }
        }
        let reg = |dst: &mut u32| {
            if *dst == from.reg() {
                *dst = to.reg();
            }
        };
        match &mut self.code.ops[at] {
            Op::SUn { dst, .. } | Op::SBin { dst, .. } | Op::STri { dst, .. } => reg(dst),
            Op::VUn { dst, masked, .. }
            | Op::VBin { dst, masked, .. }
            | Op::VTri { dst, masked, .. }
            | Op::Fill { dst, masked, .. }
            | Op::Ramp { dst, masked, .. } => {
                reg(dst);
                *masked = true;
            }
            // A load leaves the registers of inactive lanes alone in any case. One of several words could write
            // what another of its results still needs: leave it.
            Op::LoadOne { place, dst } | Op::Load { place, dst }
                if self.code.places[*place as usize].components == 1 =>
            {
                reg(&mut dst[0]);
            }
            _ => return false,
        }
        true
    }

    fn mentions(&mut self, i: usize, wanted: Src) -> bool {
        use super::super::code::Mention::{Read, ReadOne, Write, WriteOne};
        let mut found = false;
        let mut op = self.code.ops[i];
        op.mentions(&mut self.code.places, &mut self.code.collectives, &mut |mention| {
            found |= match mention {
                ReadOne(r) | WriteOne(r) => wanted == Src::scalar(*r),
                Read(r) | Write(r) => wanted == Src::vector(*r),
            };
        });
        found
    }

    /// Turns `a·b` just before into `a·b + c`.
    pub(super) fn fuse_multiply_add(&mut self, add: super::Binary, dst: Reg, a: Reg, b: Reg) -> bool {
        for (product, other) in [(a, b), (b, a)] {
            let Some(at) = self.sole_definition(product).filter(|at| at + 1 == self.code.ops.len()) else { continue };
            let loc = self.locs[product as usize];
            match (self.code.ops[at], loc) {
                (Op::SBin { op: mul, dst: r, a, b }, Loc::One(_)) if self.class(other) == super::Class::Uniform => {
                    let Some(op) = multiply_add(mul, add) else { continue };
                    self.code.ops[at] = Op::STri { op, dst: r, a, b, c: self.one(other) };
                }
                (Op::VBin { op: mul, dst: r, a, b, masked: false }, Loc::Lanes(_)) => {
                    let Some(op) = multiply_add(mul, add) else { continue };
                    // Making a vector of the addend may take an operation, which has to come first.
                    let line = self.code.lines.pop();
                    self.code.ops.pop();
                    let c = self.src(other);
                    self.code.ops.push(Op::VTri { op, dst: r, a, b, c, masked: false });
                    self.code.lines.push(line.unwrap_or(self.line));
                }
                _ => continue,
            }
            self.locs[dst as usize] = loc;
            self.defined[dst as usize] = Some(self.code.ops.len() - 1);
            return true;
        }
        false
    }
}
