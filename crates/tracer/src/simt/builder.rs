//! Appending to an [`Ir`]: registers, folded constants, source lines.

use std::collections::HashMap;

use super::collective::Collective;
use super::ir::{Builtin, Inst, Ir, Place, PlaceId, Reg, RegKind};
use super::ops::{Binary, Ternary, Unary};
use super::wide::{self, Pair, Wide, WideOp};
use warpbook_base::diag;

/// An [`Ir`] in the making.
pub(super) struct Builder {
    pub ir: Ir,
    constants: HashMap<u32, Reg>,
    builtins: HashMap<Builtin, Reg>,
    /// Byte offsets at which lines start.
    line_starts: Vec<usize>,
    /// The line of what is pushed next.
    line: u32,
    /// Whether what is pushed is part of an instruction that was counted already.
    pub uncounted: bool,
    /// Whether the results of float operations are rounded to halves: they represent `f16` ones.
    pub half: bool,
}

impl Builder {
    pub fn new(source: &str) -> Self {
        let line_starts = std::iter::once(0).chain(source.match_indices('\n').map(|(i, _)| i + 1)).collect();
        Self {
            ir: Ir::default(),
            constants: HashMap::new(),
            builtins: HashMap::new(),
            line_starts,
            line: 1,
            uncounted: false,
            half: false,
        }
    }

    /// Sets the line of the following instructions to that of a byte of the source.
    pub fn at_byte(&mut self, byte: usize) {
        let line = self.line_starts.partition_point(|start| *start <= byte);
        self.line = u32::try_from(line).unwrap_or(u32::MAX);
    }

    /// Sets the line of the following instructions.
    pub fn at_line(&mut self, line: u32) {
        self.line = line;
    }

    /// The line of what is pushed next.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The present line as a diagnostic's place.
    pub fn place(&self, file: &str) -> diag::Place {
        diag::Place { file: file.to_owned(), line: self.line, column: 1 }
    }

    /// Appends an instruction, and gives its index.
    pub fn push(&mut self, inst: Inst) -> u32 {
        self.ir.insts.push(inst);
        self.ir.lines.push(if self.uncounted { 0 } else { self.line });
        u32::try_from(self.ir.insts.len() - 1).unwrap_or(u32::MAX)
    }

    fn reg(&mut self, kind: RegKind) -> Reg {
        self.ir.regs.push(kind);
        u32::try_from(self.ir.regs.len() - 1).unwrap_or(u32::MAX)
    }

    pub fn temp(&mut self) -> Reg {
        self.reg(RegKind::Temp)
    }

    /// A register for what the launch gives.
    pub fn given(&mut self, kind: RegKind) -> Reg {
        self.reg(kind)
    }

    pub fn var(&mut self, home: Option<u32>, init: Reg) -> Reg {
        self.reg(RegKind::Var { home, init })
    }

    pub fn constant(&mut self, word: u32) -> Reg {
        if let Some(reg) = self.constants.get(&word) {
            return *reg;
        }
        let reg = self.reg(RegKind::Const(word));
        self.constants.insert(word, reg);
        reg
    }

    pub fn float(&mut self, value: f32) -> Reg {
        let value = self.constant(value.to_bits());
        self.rounded(value, true)
    }

    /// `value`, or its nearest half if floats represent halves and the operation `rounds`.
    fn rounded(&mut self, value: Reg, rounds: bool) -> Reg {
        if !self.half || !rounds {
            return value;
        }
        if let Some(word) = self.const_value(value) {
            return self.constant(Unary::RoundToHalf.scalar(word));
        }
        let dst = self.temp();
        self.push(Inst::Un { op: Unary::RoundToHalf, dst, a: value });
        dst
    }

    pub fn builtin(&mut self, builtin: Builtin) -> Reg {
        if let Some(reg) = self.builtins.get(&builtin) {
            return *reg;
        }
        let reg = self.reg(RegKind::Builtin(builtin));
        self.builtins.insert(builtin, reg);
        reg
    }

    pub fn const_value(&self, reg: Reg) -> Option<u32> {
        match self.ir.regs[reg as usize] {
            RegKind::Const(word) => Some(word),
            _ => None,
        }
    }

    pub fn un(&mut self, op: Unary, a: Reg) -> Reg {
        if let Some(a) = self.const_value(a) {
            let folded = self.constant(op.scalar(a));
            return self.rounded(folded, op.rounds());
        }
        let dst = self.temp();
        self.push(Inst::Un { op, dst, a });
        self.rounded(dst, op.rounds())
    }

    pub fn bin(&mut self, op: Binary, a: Reg, b: Reg) -> Reg {
        if let (Some(a), Some(b)) = (self.const_value(a), self.const_value(b)) {
            let folded = self.constant(op.scalar(a, b));
            return self.rounded(folded, op.rounds());
        }
        let dst = self.temp();
        self.push(Inst::Bin { op, dst, a, b });
        self.rounded(dst, op.rounds())
    }

    pub fn tri(&mut self, op: Ternary, a: Reg, b: Reg, c: Reg) -> Reg {
        if let (Some(a), Some(b), Some(c)) = (self.const_value(a), self.const_value(b), self.const_value(c)) {
            let folded = self.constant(op.scalar(a, b, c));
            return self.rounded(folded, op.rounds());
        }
        let dst = self.temp();
        self.push(Inst::Tri { op, dst, a, b, c });
        self.rounded(dst, op.rounds())
    }

    pub fn wide(&mut self, op: WideOp, args: [Pair<Reg>; 3]) -> Pair<Reg> {
        let zero = self.constant(0);
        let words = op.words();
        let read = args.iter().zip(words).flat_map(|(arg, words)| &arg[..words]);
        let known: Option<Vec<u32>> = read.map(|reg| self.const_value(*reg)).collect();
        if let Some(known) = known {
            let mut known = known.into_iter();
            let [a, b, c] = words.map(|words| {
                let word =
                    |shift: u32, known: &mut dyn Iterator<Item = u32>| u64::from(known.next().unwrap_or(0)) << shift;
                let low = if words > 0 { word(0, &mut known) } else { 0 };
                low | if words > 1 { word(32, &mut known) } else { 0 }
            });
            let out = op.scalar(a, b, c);
            return [self.constant(wide::low(out)), self.constant(wide::low(out >> 32))];
        }
        let dst = [self.temp(), if op.results() == 2 { self.temp() } else { zero }];
        self.push(Inst::Wide { wide: Wide { op, dst, args } });
        dst
    }

    /// Appends an operation of the whole warp.
    pub fn collective(&mut self, collective: Collective) {
        self.ir.collectives.push(collective);
        let id = u32::try_from(self.ir.collectives.len() - 1).unwrap_or(u32::MAX);
        self.push(Inst::Collective { id });
    }

    pub fn read(&mut self, var: Reg) -> Reg {
        let dst = self.temp();
        self.push(Inst::Read { dst, var });
        dst
    }

    pub fn write(&mut self, var: Reg, src: Reg) {
        self.push(Inst::Write { var, src });
    }

    pub fn add_place(&mut self, mut place: Place) -> PlaceId {
        place.line = self.line;
        self.ir.places.push(place);
        u32::try_from(self.ir.places.len() - 1).unwrap_or(u32::MAX)
    }
}
