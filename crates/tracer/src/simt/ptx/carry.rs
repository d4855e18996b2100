//! Sums with a carry, as integers of many words are added: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Reg;
use super::super::ops::Binary;
use super::super::wide::WideOp;
use super::lower::Lower;
use super::module::Instruction;

impl Lower<'_> {
    fn carry(&mut self) -> Reg {
        if let Some(carry) = self.carry {
            return carry;
        }
        let zero = self.b.constant(0);
        let carry = self.b.var(None, zero);
        self.carry = Some(carry);
        carry
    }

    /// One of these operations. A borrow is a carry of 1, too.
    pub(super) fn with_carry(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let dst = i.operands.first().ok_or_else(|| self.unsupported(i))?;
        let zero = self.b.constant(0);
        let name = i.words[0].as_str();
        let (takes, gives, subtracts) = (name.ends_with('c'), i.has("cc"), name.starts_with("sub"));
        let wide = ty.is_wide();
        let mut values = Vec::new();
        for operand in &i.operands[1..] {
            values.push(if wide { self.pair(operand)? } else { [self.word(operand, ty)?, zero] });
        }
        let (a, b) = match (name, values.as_slice()) {
            ("mad" | "madc", [a, b, c]) => {
                let high = match (wide, ty.is_signed()) {
                    (true, true) => WideOp::IMulHigh,
                    (true, false) => WideOp::UMulHigh,
                    (false, true) => WideOp::IMulWide,
                    (false, false) => WideOp::UMulWide,
                };
                let product = match (i.has("hi"), wide) {
                    (true, true) => self.wide_op(high, &[*a, *b]),
                    (true, false) => [self.wide_op(high, &[*a, *b])[1], zero],
                    (false, true) => self.wide_op(WideOp::Mul, &[*a, *b]),
                    (false, false) => [self.b.bin(Binary::IMul, a[0], b[0]), zero],
                };
                (product, *c)
            }
            (_, [a, b]) => (*a, *b),
            _ => return Err(self.unsupported(i)),
        };
        let carry = self.carry();
        let before = if takes { self.b.read(carry) } else { zero };
        let op = if subtracts { WideOp::Sub } else { WideOp::Add };
        let first = self.wide_op(op, &[a, b]);
        let sum = self.wide_op(op, &[first, [before, zero]]);
        let (value, out) = if wide {
            // A carry comes from one of two sums at most.
            let (one, other) = match subtracts {
                true => (self.wide_op(WideOp::ULt, &[a, b])[0], self.wide_op(WideOp::ULt, &[first, [before, zero]])[0]),
                false => (self.wide_op(WideOp::ULt, &[first, a])[0], self.wide_op(WideOp::ULt, &[sum, first])[0]),
            };
            (sum, self.b.bin(Binary::Or, one, other))
        } else {
            // In 64 bits the carry is bit 32, and a borrow sets all of the high word.
            let one = self.b.constant(1);
            ([sum[0], zero], self.b.bin(Binary::And, sum[1], one))
        };
        if gives {
            self.b.write(carry, out);
        }
        self.write(dst, value)
    }
}
