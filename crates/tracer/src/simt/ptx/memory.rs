//! Loads, stores and atomics: from an address operand to a place of the IR.

use warpbook_base::diag::Diagnostic;

use super::super::ir::{Inst, Joined, Len, Mem, Place, Reg, Sync, Term, Whole, Width};
use super::super::ops::Binary;
use super::super::say::Kind;
use super::addresses::{self, Atom, Root, Sum};
use super::lower::Lower;
use super::module::{Base, Instruction, Memory, Operand, Ty};
use crate::dispatch::Argument;

/// The words or narrower parts that one access moves.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub width: Width,
    pub components: u8,
    /// Words per value: 2 of a 64-bit one.
    pub words: u8,
}

impl Lower<'_> {
    pub(super) fn load(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        // A hint for the cache may follow.
        let [dst, address, ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let results: Vec<Operand> = match dst {
            Operand::Parts(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        if i.has("param") {
            return self.load_parameter(&results, address, ty);
        }
        let parts = self.parts(i, ty, results.len())?;
        let roots = self.roots(address)?;
        self.say_nowhere(address, &roots)?;
        let loaded = match roots.as_slice() {
            [root] => self.loaded(i, address, parts, *root)?,
            roots => {
                // The address says at run time which memory it leads into.
                let zero = self.b.constant(0);
                let variables: Vec<Reg> = (0..parts.components).map(|_| self.b.var(None, zero)).collect();
                for root in roots.iter().filter(|root| **root != Root::Nowhere) {
                    self.open_if_in(address, *root, roots)?;
                    let loaded = self.loaded(i, address, parts, *root)?;
                    variables.iter().zip(loaded).for_each(|(var, src)| self.b.write(*var, src));
                    self.b.push(Inst::EndIf);
                }
                variables.into_iter().map(|var| self.b.read(var)).collect()
            }
        };
        for (result, value) in results.iter().zip(loaded.chunks(usize::from(parts.words))) {
            let first = self.extended(value[0], ty, result);
            if parts.words == 2 {
                self.write(result, [first, value[1]])?;
            } else if matches!(result, Operand::Reg(reg) if self.ty(*reg).is_wide()) {
                let wide = self.widened(first, ty);
                self.write(result, wide)?;
            } else {
                self.write_word(result, first)?;
            }
        }
        Ok(())
    }

    /// Loads from one memory, a register per component.
    pub(super) fn loaded(
        &mut self,
        i: &Instruction,
        address: &Operand,
        parts: Parts,
        root: Root,
    ) -> Result<Vec<Reg>, Diagnostic> {
        let zero = self.b.constant(0);
        if self.leads_nowhere(root) {
            return Ok(vec![zero; usize::from(parts.components)]);
        }
        let place = self.place(i, address, parts, root)?;
        let mut loaded = Vec::new();
        if place.mem == Mem::Local {
            for part in 0..parts.components {
                let dst = self.b.temp();
                let id = self.b.add_place(shifted(&place, part));
                self.b.push(Inst::Load { place: id, dst: [dst, zero, zero, zero] });
                loaded.push(dst);
            }
            return Ok(loaded);
        }
        let mut dst = [zero; 4];
        for reg in dst.iter_mut().take(usize::from(parts.components)) {
            *reg = self.b.temp();
            loaded.push(*reg);
        }
        let id = self.b.add_place(place);
        self.b.push(Inst::Load { place: id, dst });
        Ok(loaded)
    }

    /// The memories that an address may lead into, at least one.
    pub(super) fn roots(&self, address: &Operand) -> Result<Vec<Root>, Diagnostic> {
        let mut roots = addresses::of_operand(self.kernel, address, &self.origins).0;
        // Of variables at one place, such as those that the launch sizes, one is enough.
        let mut places = Vec::new();
        roots.retain(|root| {
            let place = self.number_of(*root);
            let is_new = !places.contains(&place);
            places.push(place);
            is_new
        });
        if roots.is_empty() {
            return Err(self
                .error("it is not known which buffer this address leads to")
                .hint(
                    "an address has to come from a parameter or a variable; where a parameter is an array of pointers, give it buffers: \
                     --buffer rows=@[a,b] --buffer a=1024 --buffer b=1024",
                ));
        }
        Ok(roots)
    }

    /// Begins what is done only where an address leads into the memory of `root`, which is one of `roots`.
    pub(super) fn open_if_in(&mut self, address: &Operand, root: Root, roots: &[Root]) -> Result<(), Diagnostic> {
        let Operand::Address { base: Base::Reg(reg), offset } = address else {
            return Err(self.error("this address cannot be traced"));
        };
        let [low, high] = if self.ty(*reg).is_wide() { self.pair(&Operand::Reg(*reg))? } else { self.read(*reg) };
        let mut conds = Vec::new();
        if self.ty(*reg).is_wide() {
            // Memories are 2^40 bytes apart: what is up to half of that before or after belongs to the nearest.
            let (half, eight) = (self.b.constant(0x80), self.b.constant(8));
            let near = self.b.bin(Binary::IAdd, high, half);
            let number = self.b.bin(Binary::UShr, near, eight);
            let wanted = self.b.constant((self.number_of(root)[1] + 0x80) >> 8);
            conds.push(self.b.bin(Binary::IEq, number, wanted));
        }
        // Variables of shared memory, or of local memory, lie in one: each reaches to the next.
        let start = |me: &Self, root: Root| me.number_of(root);
        let own = start(self, root);
        let others = roots.iter().filter(|other| start(self, **other)[1] == own[1]).map(|other| start(self, *other)[0]);
        let others: Vec<u32> = others.collect();
        let moved = self.b.constant(*offset as u32);
        let at = self.b.bin(Binary::IAdd, low, moved);
        if others.iter().any(|other| *other < own[0]) {
            let from = self.b.constant(own[0]);
            conds.push(self.b.bin(Binary::ULe, from, at));
        }
        if let Some(next) = others.iter().filter(|other| **other > own[0]).min() {
            let next = self.b.constant(*next);
            conds.push(self.b.bin(Binary::ULt, at, next));
        }
        let all = conds.into_iter().reduce(|a, b| self.b.bin(Binary::And, a, b));
        let cond = all.unwrap_or_else(|| self.b.constant(1));
        self.b.push(Inst::If { cond, counted: false });
        Ok(())
    }

    /// Calls `access` once for each memory that an address may lead into, where it does.
    pub(super) fn in_each(
        &mut self,
        address: &Operand,
        access: &mut dyn FnMut(&mut Self, Root) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let roots = self.roots(address)?;
        self.say_nowhere(address, &roots)?;
        let mut access = |me: &mut Self, root| if me.leads_nowhere(root) { Ok(()) } else { access(me, root) };
        if let [root] = roots.as_slice() {
            return access(self, *root);
        }
        for root in roots.iter().filter(|root| **root != Root::Nowhere) {
            self.open_if_in(address, *root, &roots)?;
            access(self, *root)?;
            self.b.push(Inst::EndIf);
        }
        Ok(())
    }

    /// Ends the kernel where an address that was loaded from memory leads into none of `roots`.
    fn say_nowhere(&mut self, address: &Operand, roots: &[Root]) -> Result<(), Diagnostic> {
        let Operand::Address { base: Base::Reg(reg), .. } = address else { return Ok(()) };
        if !roots.contains(&Root::Nowhere) || !self.ty(*reg).is_wide() {
            return Ok(());
        }
        let high = self.pair(&Operand::Reg(*reg))?[1];
        let (half, eight) = (self.b.constant(0x80), self.b.constant(8));
        let near = self.b.bin(Binary::IAdd, high, half);
        let number = self.b.bin(Binary::UShr, near, eight);
        let mut known = self.b.constant(0);
        for root in roots.iter().filter(|root| **root != Root::Nowhere) {
            let own = self.b.constant((self.number_of(*root)[1] + 0x80) >> 8);
            let is_own = self.b.bin(Binary::IEq, number, own);
            known = self.b.bin(Binary::Or, known, is_own);
        }
        let zero = self.b.constant(0);
        let cond = self.b.bin(Binary::IEq, known, zero);
        self.b.push(Inst::If { cond, counted: false });
        self.say(Kind::Nowhere);
        self.b.push(Inst::EndIf);
        Ok(())
    }

    /// Whether an address comes from a pointer that leads nowhere. If so, the kernel ends here.
    fn leads_nowhere(&mut self, root: Root) -> bool {
        let Root::Param(p) = root else { return false };
        let Some(Argument::Null(name)) = self.ptx.arguments.get(p) else { return false };
        self.say(Kind::Null(name.clone()));
        true
    }

    /// A loaded value as its register holds it: one narrower than the register is extended.
    fn extended(&mut self, value: Reg, ty: Ty, result: &Operand) -> Reg {
        let bits = match result {
            Operand::Reg(reg) => self.ty(*reg).bits(),
            _ => 32,
        };
        if !ty.is_signed() || ty.bits() >= bits.min(32) {
            return value;
        }
        let value = self.sign_extended(value, ty.bits());
        if bits == 16 { self.short(value) } else { value }
    }

    pub(super) fn store(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let [address, src, ..] = i.operands.as_slice() else { return Err(self.unsupported(i)) };
        let ty = *i.types().last().ok_or_else(|| self.unsupported(i))?;
        let sources: Vec<Operand> = match src {
            Operand::Parts(parts) => parts.clone(),
            one => vec![one.clone()],
        };
        let parts = self.parts(i, ty, sources.len())?;
        let mut values = Vec::new();
        for source in &sources {
            let wide = matches!(source, Operand::Reg(reg) if self.ty(*reg).is_wide());
            if parts.words == 2 {
                values.extend(self.pair(source)?);
            } else if wide {
                values.push(self.pair(source)?[0]);
            } else {
                values.push(self.word(source, ty)?);
            }
        }
        let zero = self.b.constant(0);
        self.in_each(address, &mut |me, root| {
            let place = me.place(i, address, parts, root)?;
            if place.mem == Mem::Local {
                for (part, value) in (0..).zip(&values) {
                    let id = me.b.add_place(shifted(&place, part));
                    me.b.push(Inst::Store { place: id, src: [*value, zero, zero, zero] });
                }
                return Ok(());
            }
            let mut src = [zero; 4];
            src.iter_mut().zip(&values).for_each(|(src, value)| *src = *value);
            let id = me.b.add_place(place);
            me.b.push(Inst::Store { place: id, src });
            Ok(())
        })
    }

    fn parts(&self, i: &Instruction, ty: Ty, values: usize) -> Result<Parts, Diagnostic> {
        let vector = ["v2", "v4", "v8"].iter().find(|v| i.has(v)).map_or(1, |v| v[1..].parse::<usize>().unwrap_or(1));
        if vector != values {
            return Err(self.error(format!("`{}` moves {vector} values, not {values}", i.words.join("."))));
        }
        let (width, words) = match ty.bits() {
            8 => (Width::Byte, 1),
            16 => (Width::Short, 1),
            32 => (Width::Word, 1),
            64 => (Width::Word, 2),
            _ => return Err(self.unsupported(i)),
        };
        match u8::try_from(vector * usize::from(words)) {
            Ok(components @ 1..=4) => Ok(Parts { width, components, words }),
            _ => Err(self.unsupported(i)),
        }
    }

    /// Where an access goes in the memory of `root`, which its suffixes may name.
    pub(super) fn place(
        &mut self,
        i: &Instruction,
        address: &Operand,
        parts: Parts,
        root: Root,
    ) -> Result<Place, Diagnostic> {
        let named = ["global", "shared", "local", "const"].into_iter().find(|space| {
            i.words[1..]
                .iter()
                .any(|word| word == space || word.strip_prefix(space).is_some_and(|r| r.starts_with("::")))
        });
        self.place_in(i, address, parts, root, named)
    }

    /// The same, where it is known which memory is named.
    pub(super) fn place_in(
        &mut self,
        i: &Instruction,
        address: &Operand,
        parts: Parts,
        root: Root,
        named: Option<&str>,
    ) -> Result<Place, Diagnostic> {
        let Operand::Address { base, offset } = address else { return Err(self.unsupported(i)) };
        let Some(located) = self.located(root) else { return Err(self.unsupported(i)) };
        let mem = match (located.memory, named) {
            (Memory::Shared, Some("shared") | None) => Mem::Shared,
            (Memory::Local, Some("local") | None) => Mem::Local,
            (Memory::Global | Memory::Const, Some("global" | "const") | None) => Mem::Buffer(located.variable),
            (_, Some(space)) => return Err(self.error(format!("this address does not lead to {space} memory"))),
        };
        let (start, terms) = self.terms(base, *offset, root)?;
        let vector = u32::from(parts.components) * u32::from(parts.width.bytes());
        Ok(Place {
            mem,
            variable: if mem == Mem::Local { 0 } else { located.variable },
            offset: 0,
            terms,
            whole: Some(Whole { start, low: located.base, bytes: located.bytes }),
            components: parts.components,
            width: parts.width,
            unit: parts.width.bytes() * parts.words,
            atomic: ["volatile", "relaxed", "acquire", "release"].iter().any(|word| i.has(word)),
            sync: sync(i),
            updates: false,
            checked: false,
            returns: false,
            joined: Joined::Never,
            vector: if parts.components > 1 { u8::try_from(vector).unwrap_or(0) } else { 0 },
            line: i.line,
        })
    }

    /// The parts of an address, in bytes from the start of its memory.
    fn terms(&mut self, base: &Base, offset: i64, root: Root) -> Result<(i64, Vec<Term>), Diagnostic> {
        let sum = match base {
            Base::Reg(reg) if !self.ty(*reg).is_wide() => {
                // An address of shared memory in 32 bits, which counts from its start.
                let value = self.read(*reg)[0];
                let term = Term { index: value, stride: 1, len: Len::Unsigned };
                return Ok((offset, vec![term]));
            }
            Base::Reg(reg) => self.sum(&Operand::Reg(*reg))?,
            Base::Name(name) => self.sum(&Operand::Name(name.clone()))?,
            Base::Nothing => return Err(self.error("an address without a base cannot be traced")),
        };
        let Sum { root: named, start, terms } = sum;
        let mut start = start.wrapping_add(offset);
        match named {
            Some(named) => start = start.wrapping_add(self.located(named).map_or(0, |l| i64::from(l.base))),
            // Its value holds the memory's first address, too.
            None => start = start.wrapping_sub(self.memory_start(root)),
        }
        let mut out = Vec::new();
        for (atom, stride) in terms {
            match atom {
                Atom::Unsigned(index) => out.push(Term { index, stride, len: Len::Unsigned }),
                Atom::Signed(index) => out.push(Term { index, stride, len: Len::Signed }),
                Atom::Pair([low, high]) => {
                    out.push(Term { index: low, stride, len: Len::Unsigned });
                    out.push(Term { index: high, stride: stride.wrapping_mul(1 << 32), len: Len::Signed });
                }
            }
        }
        // Constants belong to the start.
        let mut terms = Vec::new();
        for term in out {
            match self.b.const_value(term.index) {
                Some(word) => {
                    let value = if term.len == Len::Signed { i64::from(word.cast_signed()) } else { i64::from(word) };
                    start = start.wrapping_add(value.wrapping_mul(term.stride));
                }
                None => terms.push(term),
            }
        }
        Ok((start, terms))
    }

    /// `ld.param`: an argument.
    fn load_parameter(&mut self, results: &[Operand], address: &Operand, ty: Ty) -> Result<(), Diagnostic> {
        let Operand::Address { base: Base::Name(name), offset } = address else {
            return Err(self.error("a parameter is read by its name"));
        };
        let Some(p) = addresses::param(self.kernel, name) else {
            return Err(self.error(format!("there is no parameter `{name}`")));
        };
        let arguments = self.ptx.arguments;
        match &arguments[p] {
            Argument::Buffer(_) | Argument::Null(_) => match results {
                [result] if *offset == 0 && ty.is_wide() => {
                    self.write_sum(result, Sum { root: Some(Root::Param(p)), ..Sum::default() })
                }
                _ => Err(self.error("a pointer is read as a whole")),
            },
            Argument::Map(..) => Err(self.error("the bytes of a tensor map cannot be traced")),
            Argument::Value(bytes) => {
                let size = ty.bytes() as usize;
                for (n, result) in results.iter().enumerate() {
                    let first = usize::try_from(*offset).unwrap_or(usize::MAX).saturating_add(n * size);
                    let Some(part) = first.checked_add(size).and_then(|end| bytes.get(first..end)) else {
                        return Err(self.error(format!("this reads past the end of the parameter `{name}`")));
                    };
                    let bits = part.iter().rev().fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
                    if ty.is_wide() {
                        self.write_sum(result, Sum::number(bits.cast_signed()))?;
                    } else {
                        let value = self.b.constant((bits & 0xFFFF_FFFF) as u32);
                        let value = self.extended(value, ty, result);
                        self.write_word(result, value)?;
                    }
                }
                Ok(())
            }
        }
    }

    /// A word as a 64-bit value.
    pub(super) fn widened(&mut self, value: Reg, ty: Ty) -> [Reg; 2] {
        let zero = self.b.constant(0);
        if ty.is_signed() {
            return self.b.wide(super::super::wide::WideOp::Extend, [[value, zero], [zero; 2], [zero; 2]]);
        }
        [value, zero]
    }
}

/// A place further on by `part` components, of one component.
fn shifted(place: &Place, part: u8) -> Place {
    let whole = place
        .whole
        .map(|whole| Whole { start: whole.start + i64::from(part) * i64::from(place.width.bytes()), ..whole });
    Place { components: 1, vector: 0, whole, ..place.clone() }
}

/// How an instruction orders other accesses. Without a scope it is that of the GPU (PTX ISA 9.0, section 9.7.13.5, "atom").
fn sync(i: &Instruction) -> Sync {
    let both = i.has("acq_rel");
    Sync {
        acquires: both || i.has("acquire"),
        releases: both || i.has("release"),
        wide: !i.has("cta"),
        volatile: i.has("volatile"),
        polls: false,
    }
}
