//! Registers that the machine gives: positions, sizes, clocks.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{Builtin as B, Inst, Reg};
use super::super::ops::{Binary, Unary};
use super::addresses::Root;
use super::lower::Lower;
use super::workspace::workspace;

impl Lower<'_> {
    fn workspace(&mut self) -> Result<[Reg; 2], Diagnostic> {
        let Some(v) = workspace(self.kernel) else { return Err(self.error("this register cannot be traced")) };
        Ok(self.number_of(Root::Variable(v)).map(|word| self.b.constant(word)))
    }

    /// The warp's clock, of 64 bits.
    pub(super) fn clock(&mut self) -> [Reg; 2] {
        let dst = [self.b.temp(), self.b.temp()];
        self.b.push(Inst::Clock { dst });
        dst
    }

    /// `%tid.x` and the like.
    pub(super) fn special(&mut self, name: &str) -> Result<Reg, Diagnostic> {
        let (base, axis) = match name.split_once('.') {
            Some((base, "x")) => (base, 0),
            Some((base, "y")) => (base, 1),
            Some((base, "z")) => (base, 2),
            Some(_) => return Err(self.error(format!("there is no register `%{name}`"))),
            None => (name, 0_u8),
        };
        let block = self.ptx.block;
        Ok(match base {
            "tid" => self.b.builtin(B::LocalId(axis)),
            "ntid" => self.b.constant(block[usize::from(axis)]),
            "ctaid" => self.b.builtin(B::WorkgroupId(axis)),
            "nctaid" => self.b.builtin(B::NumWorkgroups(axis)),
            "laneid" => self.b.builtin(B::Lane),
            "warpid" => self.b.builtin(B::Warp),
            "nwarpid" => self.b.builtin(B::WarpCount),
            // A machine with one multiprocessor, as far as a kernel can ask.
            "smid" | "gridid" => self.b.constant(0),
            "nsmid" => self.b.constant(1),
            // Counters that a profiler sets up.
            "pm0" | "pm1" | "pm2" | "pm3" | "pm4" | "pm5" | "pm6" | "pm7" => self.b.constant(0),
            "clock" => self.clock()[0],
            "clock_hi" | "globaltimer_hi" => self.clock()[1],
            "globaltimer_lo" => self.clock()[0],
            "dynamic_smem_size" => self.b.constant(self.ptx.shared_bytes),
            "envreg1" => self.workspace()?[1],
            "envreg2" => self.workspace()?[0],
            "total_smem_size" => self.b.constant(self.b.ir.shared_bytes),
            "lanemask_eq" | "lanemask_lt" | "lanemask_le" | "lanemask_gt" | "lanemask_ge" => {
                let (lane, one) = (self.b.builtin(B::Lane), self.b.constant(1));
                let eq = self.b.bin(Binary::Shl, one, lane);
                match base {
                    "lanemask_eq" => eq,
                    "lanemask_lt" => self.b.bin(Binary::ISub, eq, one),
                    "lanemask_ge" => self.b.un(Unary::INeg, eq),
                    _ => {
                        let two = self.b.constant(2);
                        let next = self.b.bin(Binary::Shl, two, lane);
                        match base {
                            "lanemask_gt" => self.b.un(Unary::INeg, next),
                            _ => self.b.bin(Binary::ISub, next, one),
                        }
                    }
                }
            }
            _ => {
                return Err(self.error(format!("the register `%{name}` cannot be traced: the tracer does not know it")));
            }
        })
    }
}
