//! Asynchronous copies: `cp.async` and its groups.

use warpbook_base::diag::Diagnostic;

use super::super::collective::{Collective, What};
use super::super::ir::{Inst, Reg, Width};
use super::super::ops::{Binary, Unary};
use super::lower::Lower;
use super::memory::Parts;
use super::module::{Instruction, Operand, Ty};

impl Lower<'_> {
    /// `cp.async…`.
    pub(super) fn asynchronous(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        if i.words.get(1).is_none_or(|word| word != "async") {
            return Err(self.unsupported(i));
        }
        let what = match (i.words.get(2).map(String::as_str), i.operands.as_slice()) {
            (Some("ca" | "cg"), [to, from, Operand::Whole(size @ (4 | 8 | 16)), rest @ ..]) => {
                return self.copy(i, (to, from), *size as u32, rest);
            }
            (Some("commit_group"), []) => What::CommitCopies,
            (Some("wait_group"), [Operand::Whole(left)]) => {
                What::WaitForCopies { left: Some(u32::try_from(*left).unwrap_or(u32::MAX)) }
            }
            (Some("wait_all"), []) => What::WaitForCopies { left: None },
            _ => return Err(self.unsupported(i)),
        };
        self.b.collective(Collective::on(what, [const { Vec::new() }; 4]));
        Ok(())
    }

    /// `cp.async` of `size` bytes: the values are loaded here, and land later.
    fn copy(
        &mut self,
        i: &Instruction,
        (to, from): (&Operand, &Operand),
        size: u32,
        rest: &[Operand],
    ) -> Result<(), Diagnostic> {
        let parts = Parts { width: Width::Word, components: (size / 4) as u8, words: 1 };
        let [root] = self.roots(from)?[..] else { return Err(self.error("this address may lead to several buffers")) };
        let load = |me: &mut Self| -> Result<Vec<Reg>, Diagnostic> {
            let place = me.place_in(i, from, parts, root, Some("global"))?;
            let zero = me.b.constant(0);
            let mut dst = [zero; 4];
            dst.iter_mut().take(usize::from(parts.components)).for_each(|reg| *reg = me.b.temp());
            let place = me.b.add_place(place);
            me.b.push(Inst::Load { place, dst });
            Ok(dst[..usize::from(parts.components)].to_vec())
        };
        let wide = |operand: &&Operand| matches!(operand, Operand::Reg(reg) if self.ty(*reg).is_wide());
        // A policy of the cache has 64 bits, and changes no value.
        let given = rest.iter().find(|operand| !wide(operand)).cloned();
        let ignored = matches!(given, Some(Operand::Reg(reg) | Operand::Not(reg)) if self.ty(reg) == Ty::Pred);
        let zero = self.b.constant(0);
        let words = match given {
            None => load(self)?,
            Some(Operand::Whole(bytes)) if bytes == u64::from(size) => load(self)?,
            Some(given) => {
                let whole = if ignored {
                    let ignored = self.word(&given, Ty::Pred)?;
                    self.b.un(Unary::Not, ignored)
                } else {
                    let (bytes, size) = (self.word(&given, Ty::Unsigned(32))?, self.b.constant(size));
                    self.b.bin(Binary::IEq, bytes, size)
                };
                let variables: Vec<Reg> = (0..parts.components).map(|_| self.b.var(None, zero)).collect();
                // A variable keeps what the loop's last round left.
                variables.iter().for_each(|var| self.b.write(*var, zero));
                self.b.push(Inst::If { cond: whole, counted: false });
                let loaded = load(self)?;
                variables.iter().zip(loaded).for_each(|(var, src)| self.b.write(*var, src));
                self.b.push(Inst::EndIf);
                if !ignored {
                    let bytes = self.word(&given, Ty::Unsigned(32))?;
                    self.copy_part(i, from, (bytes, size), &variables)?;
                }
                variables.into_iter().map(|var| self.b.read(var)).collect()
            }
        };
        let [root] = self.roots(to)?[..] else { return Err(self.error("this address may lead to several variables")) };
        let place = self.place_in(i, to, parts, root, Some("shared"))?;
        let place = Some(self.b.add_place(place));
        self.b.collective(Collective {
            what: What::Copy,
            place,
            other: None,
            a: words,
            b: Vec::new(),
            c: Vec::new(),
            d: Vec::new(),
        });
        Ok(())
    }

    /// The words of a copy that reads fewer bytes than it writes, more than none: the others stay zero.
    fn copy_part(
        &mut self,
        i: &Instruction,
        from: &Operand,
        (bytes, size): (Reg, u32),
        variables: &[Reg],
    ) -> Result<(), Diagnostic> {
        let Operand::Address { base, offset } = from else { return Err(self.unsupported(i)) };
        let [root] = self.roots(from)?[..] else { return Err(self.unsupported(i)) };
        let one = self.b.constant(1);
        let (less, size) = (self.b.bin(Binary::ISub, bytes, one), self.b.constant(size - 1));
        let part = self.b.bin(Binary::ULt, less, size);
        self.b.push(Inst::If { cond: part, counted: false });
        for (n, var) in (0..).zip(variables) {
            let before = self.b.constant(4 * n);
            let any = self.b.bin(Binary::ULt, before, bytes);
            self.b.push(Inst::If { cond: any, counted: false });
            let at = Operand::Address { base: base.clone(), offset: offset + 4 * i64::from(n) };
            let parts = Parts { width: Width::Word, components: 1, words: 1 };
            let place = self.place_in(i, &at, parts, root, Some("global"))?;
            let (place, word, zero) = (self.b.add_place(place), self.b.temp(), self.b.constant(0));
            self.b.push(Inst::Load { place, dst: [word, zero, zero, zero] });
            // Of the last word perhaps only the first bytes.
            let left = self.b.bin(Binary::ISub, bytes, before);
            let (four, eight, ones) = (self.b.constant(4), self.b.constant(8), self.b.constant(u32::MAX));
            let left = self.b.bin(Binary::UMin, left, four);
            let missing = self.b.bin(Binary::ISub, four, left);
            let by = self.b.bin(Binary::IMul, missing, eight);
            let mask = self.b.bin(Binary::UShr, ones, by);
            let word = self.b.bin(Binary::And, word, mask);
            self.b.write(*var, word);
            self.b.push(Inst::EndIf);
        }
        self.b.push(Inst::EndIf);
        Ok(())
    }
}
