//! Lowering one instruction, by its row in the table: reading its operands, the operation, writing the result.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{Inst, Reg};
use super::super::ops::{Binary, Unary};
use super::super::wide::WideOp;
use super::directed::directed;
use super::lower::Lower;
use super::module::{Instruction, Ty};
use super::table::{Does, Kind, Row};

impl Lower<'_> {
    /// Lowers one instruction, under its predicate.
    pub(super) fn instruction(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        self.at = i.at;
        self.room()?;
        self.b.at_line(i.line);
        let guard = i.guard.map(|(pred, when)| {
            self.b.uncounted = true;
            let cond = self.read(pred)[0];
            let cond = if when { cond } else { self.b.un(Unary::Not, cond) };
            self.b.push(Inst::If { cond, counted: false });
            self.b.uncounted = false;
        });
        let first = self.b.ir.insts.len();
        self.operation(i)?;
        self.count_once(first);
        if guard.is_some() {
            self.b.push(Inst::EndIf);
        }
        Ok(())
    }

    /// Of the operations that one PTX instruction became, counts only one: the first of a whole warp, or else the first.
    fn count_once(&mut self, first: usize) {
        let insts = &self.b.ir.insts[first..];
        let lines = &self.b.ir.lines[first..];
        let place =
            |of: &dyn Fn(&Inst) -> bool| insts.iter().zip(lines).position(|(inst, line)| *line != 0 && of(inst));
        let together = place(&|inst| matches!(inst, Inst::Collective { .. }));
        let counted = together.or(place(&|inst| inst.weight() > 0));
        for (n, (inst, line)) in insts.iter().zip(&mut self.b.ir.lines[first..]).enumerate() {
            if inst.weight() > 0 && Some(n) != counted {
                *line = 0;
            }
        }
    }

    fn operation(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        self.members(i)?;
        let row = Row::of(i).ok_or_else(|| self.unsupported(i))?;
        match (&row.does, Kind::of(i)) {
            (Does::Nothing, _) => Ok(()),
            (Does::Refused, _) => Err(self.unsupported(i)),
            (Does::Own(lower), _) => lower(self, i),
            (does, Some(kind)) => self.computation(i, does, kind),
            _ => Err(self.unsupported(i)),
        }
    }

    /// An operation that makes one value of others.
    fn computation(&mut self, i: &Instruction, does: &Does, kind: Kind) -> Result<(), Diagnostic> {
        let is_float = matches!(kind, Kind::F32 | Kind::F64);
        if let Some(by) = directed(i).filter(|_| is_float) {
            return self.directed(i, kind, by);
        }
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        match (does, kind) {
            (_, Kind::F16 | Kind::Bf16 | Kind::U16x2 | Kind::S16x2) => {
                let value = self.halves(i, does, kind)?;
                self.write_word(dst, value)
            }
            (Does::Wide(op), Kind::U64 | Kind::S64) if self.stays_sum(i, *op)? => Ok(()),
            (Does::Wide(op), _) => {
                let args = self.as_taken(i, *op)?;
                let value = self.wide_op(*op, &args);
                self.write(dst, value)
            }
            (Does::LongOne(_) | Does::LongTwo(_), _) => {
                let value = match (does, self.pairs(i)?.as_slice()) {
                    (Does::LongOne(operations), [a]) => operations(self, [*a]),
                    (Does::LongTwo(operations), [a, b]) => operations(self, [*a, *b]),
                    _ => return Err(self.unsupported(i)),
                };
                self.write(dst, value)
            }
            _ => {
                let value = self.words(i, does, kind)?;
                self.write_word(dst, value)
            }
        }
    }

    /// An operation on values of one register.
    fn words(&mut self, i: &Instruction, does: &Does, kind: Kind) -> Result<Reg, Diagnostic> {
        let mut a = self.sources(i)?;
        if kind == Kind::S16 && matches!(does, Does::Un(_) | Does::Bin(_) | Does::BinAdd(_)) {
            a.iter_mut().for_each(|value| *value = self.sign_extended(*value, 16));
        }
        let value = self.operation_of(i, does, &a)?;
        Ok(match kind {
            Kind::F32 if i.has("sat") => self.b.un(Unary::Saturate, value),
            Kind::U16 | Kind::S16 => self.short(value),
            _ => value,
        })
    }

    /// The operations of a row on the values of its operands, in one register each.
    pub(super) fn operation_of(&mut self, i: &Instruction, does: &Does, a: &[Reg]) -> Result<Reg, Diagnostic> {
        Ok(match (does, a) {
            (Does::Un(op), [a]) => self.b.un(*op, *a),
            (Does::Bin(op), [a, b]) => self.b.bin(*op, *a, *b),
            (Does::Tri(op), [a, b, c]) => self.b.tri(*op, *a, *b, *c),
            // Two operations: so a linear index stays linear.
            (Does::BinAdd(op), [a, b, c]) => {
                let value = self.b.bin(*op, *a, *b);
                self.b.bin(Binary::IAdd, value, *c)
            }
            (Does::One(operations), [a]) => operations(self, i, [*a]),
            (Does::Two(operations), [a, b]) => operations(self, i, [*a, *b]),
            (Does::Three(operations), [a, b, c]) => operations(self, i, [*a, *b, *c]),
            (Does::Four(operations), [a, b, c, d]) => operations(self, i, [*a, *b, *c, *d]),
            _ => return Err(self.unsupported(i)),
        })
    }

    /// The operands after the first, as words.
    pub(super) fn sources(&mut self, i: &Instruction) -> Result<Vec<Reg>, Diagnostic> {
        let ty = i.types().last().copied().unwrap_or(Ty::Bits(32));
        i.operands.iter().skip(1).map(|operand| self.word(operand, ty)).collect()
    }

    /// The operands after the first, of 64 bits each.
    pub(super) fn pairs(&mut self, i: &Instruction) -> Result<Vec<[Reg; 2]>, Diagnostic> {
        i.operands.iter().skip(1).map(|operand| self.pair(operand)).collect()
    }

    /// The operands after the first, each of as many words as an operation takes.
    fn as_taken(&mut self, i: &Instruction, op: WideOp) -> Result<Vec<[Reg; 2]>, Diagnostic> {
        let (sources, words) = (&i.operands[1..], op.words());
        if sources.len() != words.iter().filter(|words| **words > 0).count() {
            return Err(self.unsupported(i));
        }
        let ty = i.types().last().copied().filter(|ty| !ty.is_wide()).unwrap_or(Ty::Bits(32));
        let zero = self.b.constant(0);
        let operand = |(operand, words)| match words {
            2 => self.pair(operand),
            _ => Ok([self.word(operand, ty)?, zero]),
        };
        sources.iter().zip(words).map(operand).collect()
    }

    /// An operation on a word and a constant.
    pub(super) fn with_constant(&mut self, op: Binary, a: Reg, constant: u32) -> Reg {
        let constant = self.b.constant(constant);
        self.b.bin(op, a, constant)
    }

    pub(super) fn wide_op(&mut self, op: WideOp, args: &[[Reg; 2]]) -> [Reg; 2] {
        let zero = self.b.constant(0);
        let at = |n: usize| args.get(n).copied().unwrap_or([zero; 2]);
        let args = [at(0), at(1), at(2)];
        self.b.wide(op, args)
    }

    /// An operation on values of 64 bits, of which each takes only one word here.
    pub(super) fn wide_word(&mut self, op: WideOp, args: &[Reg]) -> Reg {
        let zero = self.b.constant(0);
        let args: Vec<[Reg; 2]> = args.iter().map(|arg| [*arg, zero]).collect();
        self.wide_op(op, &args)[0]
    }
}
