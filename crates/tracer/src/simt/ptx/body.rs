//! The body of a kernel: scopes of registers, labels, instructions with their operands.

use std::collections::HashMap;

use warpbook_base::diag::Diagnostic;

use super::lines::Loc;
use super::module::{Base, Instruction, Kernel, Operand, Part, RegId, Ty};
use super::parse::{Parser, memory};
use super::text::{Number, Token};

/// Registers that a kernel may use.
pub(super) const MAX_REGS: usize = 1 << 18;
/// Instructions and labels that it may have.
pub(super) const MAX_PARTS: usize = 1 << 18;
/// Blocks within blocks, of which inline assembly makes some.
const MAX_SCOPES: usize = 64;

/// The registers that a block declares: single ones, and families such as `%r<14>`.
#[derive(Default)]
struct Scope {
    single: HashMap<String, RegId>,
    families: HashMap<String, (Ty, u64)>,
    /// Parameters of calls, with a name of their own in the kernel.
    params: HashMap<String, String>,
}

pub(super) struct Body<'p, 'a> {
    pub parser: &'p mut Parser<'a>,
    pub kernel: Kernel,
    /// By part, the `.loc` before it.
    pub locs: Vec<Option<Loc>>,
    loc: Option<Loc>,
    scopes: Vec<Scope>,
    /// Parameters of calls so far.
    params: u32,
}

impl<'p, 'a> Body<'p, 'a> {
    pub(super) fn new(parser: &'p mut Parser<'a>, kernel: Kernel) -> Self {
        Self { parser, kernel, locs: Vec::new(), loc: None, scopes: Vec::new(), params: 0 }
    }

    /// Reads the body up to its last brace.
    pub(super) fn read(&mut self) -> Result<(), Diagnostic> {
        loop {
            let Some(spot) = self.parser.peek() else { return Err(self.parser.expected("`}`")) };
            match spot.token {
                Token::Mark('{') => {
                    self.parser.next += 1;
                    if self.scopes.len() == MAX_SCOPES {
                        return Err(self.parser.error("too many blocks are nested here"));
                    }
                    self.scopes.push(Scope::default());
                }
                Token::Mark('}') => {
                    self.parser.next += 1;
                    self.scopes.pop();
                    if self.scopes.is_empty() {
                        return Ok(());
                    }
                }
                Token::Mark(';') => self.parser.next += 1,
                Token::Word(word) if word.starts_with('.') => self.directive(word)?,
                Token::Word(name) if self.is_label() => {
                    self.parser.next += 2;
                    self.label(name)?;
                }
                _ => self.instruction()?,
            }
            if self.kernel.body.len() > MAX_PARTS {
                return Err(self.parser.error("the kernel is too large to trace"));
            }
        }
    }

    fn is_label(&self) -> bool {
        self.parser.spots.get(self.parser.next + 1).is_some_and(|spot| spot.token == Token::Mark(':'))
    }

    fn label(&mut self, name: &str) -> Result<(), Diagnostic> {
        if let Some(Token::Word(".branchtargets")) = self.parser.peek().map(|spot| spot.token) {
            self.parser.next += 1;
            let mut labels = vec![self.parser.word("a label")?.to_owned()];
            while self.parser.take(',') {
                labels.push(self.parser.word("a label")?.to_owned());
            }
            self.parser.expect(';')?;
            self.kernel.targets.push((name.to_owned(), labels));
            return Ok(());
        }
        if let Some(Token::Word(".callprototype" | ".calltargets")) = self.parser.peek().map(|spot| spot.token) {
            return self.skip_statement();
        }
        self.push(Part::Label(name.to_owned()));
        Ok(())
    }

    /// Past the next semicolon.
    fn skip_statement(&mut self) -> Result<(), Diagnostic> {
        while !self.parser.take(';') {
            if self.parser.peek().is_none() {
                return Err(self.parser.expected("`;`"));
            }
            self.parser.next += 1;
        }
        Ok(())
    }

    /// The name of a parameter of a call, or of anything else.
    fn named(&self, name: &str) -> String {
        let known = self.scopes.iter().rev().find_map(|scope| scope.params.get(name));
        known.cloned().unwrap_or_else(|| name.to_owned())
    }

    fn push(&mut self, part: Part) {
        self.kernel.body.push(part);
        self.locs.push(self.loc.clone());
    }

    fn directive(&mut self, word: &str) -> Result<(), Diagnostic> {
        self.parser.next += 1;
        match word {
            ".loc" => {
                let file = self.parser.whole("the number of a file")?;
                let line = self.parser.small("a line")?;
                self.parser.whole("a column")?;
                let mut loc = Loc { file, line, inlined: None };
                while self.parser.take(',') {
                    match self.parser.word("function_name or inlined_at")? {
                        "inlined_at" => {
                            loc.inlined = Some((self.parser.whole("a file")?, self.parser.small("a line")?));
                            self.parser.whole("a column")?;
                        }
                        _ => {
                            self.parser.word("a function's label")?;
                            if self.parser.take('+') {
                                self.parser.whole("an offset")?;
                            }
                        }
                    }
                }
                self.loc = Some(loc);
            }
            ".reg" => {
                let ty = self.parser.word("the registers' type")?;
                self.registers(ty)?;
            }
            _ if word.starts_with(".reg.") => self.registers(&word[4..])?,
            ".pragma" => self.skip_statement()?,
            // A parameter of a call: its size follows from what is stored in it.
            ".param" => {
                self.parser.next -= 1;
                for param in self.parser.listed_params(';')? {
                    self.params += 1;
                    let own = format!("{}#{}", param.name, self.params);
                    if let Some(scope) = self.scopes.last_mut() {
                        scope.params.insert(param.name, own);
                    }
                }
            }
            _ => match memory(word) {
                Some(memory) => {
                    let declared = self.parser.variable(memory)?;
                    self.kernel.variables.extend(declared);
                }
                None => {
                    self.parser.next -= 1;
                    return Err(self.parser.error(format!("the directive `{word}` cannot be traced here")));
                }
            },
        }
        Ok(())
    }

    fn registers(&mut self, mut ty: &str) -> Result<(), Diagnostic> {
        if ty == ".v2" || ty == ".v4" {
            return Err(self.parser.error("registers of vectors cannot be traced"));
        }
        ty = ty.strip_prefix('.').unwrap_or(ty);
        let ty = Ty::named(ty).ok_or_else(|| self.parser.error(format!("there is no type `{ty}`")))?;
        loop {
            let name = self.parser.word("a register's name")?.to_owned();
            if self.parser.take('<') {
                let count = self.parser.whole("their number")?;
                self.parser.expect('>')?;
                if let Some(scope) = self.scopes.last_mut() {
                    scope.families.insert(name, (ty, count));
                }
            } else {
                let id = self.fresh(ty, &name)?;
                if let Some(scope) = self.scopes.last_mut() {
                    scope.single.insert(name, id);
                }
            }
            if !self.parser.take(',') {
                break;
            }
        }
        self.parser.expect(';')
    }

    fn fresh(&mut self, ty: Ty, name: &str) -> Result<RegId, Diagnostic> {
        if self.kernel.regs.len() >= MAX_REGS {
            return Err(self.parser.error("the kernel has too many registers to trace"));
        }
        self.kernel.regs.push(ty);
        self.kernel.names.push(name.to_owned());
        Ok(u32::try_from(self.kernel.regs.len() - 1).unwrap_or(u32::MAX))
    }

    /// The register called `name`, where there is one.
    fn register(&mut self, name: &str) -> Result<Option<RegId>, Diagnostic> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (family, number) = name.split_at(name.len() - digits);
        for depth in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[depth];
            if let Some(id) = scope.single.get(name) {
                return Ok(Some(*id));
            }
            let Some((ty, count)) = scope.families.get(family).copied() else { continue };
            if number.parse::<u64>().is_ok_and(|n| n < count) {
                let id = self.fresh(ty, name)?;
                self.scopes[depth].single.insert(name.to_owned(), id);
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn instruction(&mut self) -> Result<(), Diagnostic> {
        let at = self.parser.line();
        let guard = if self.parser.take('@') {
            let when = !self.parser.take('!');
            let name = self.parser.word("a predicate")?;
            let id = self.register(name)?.ok_or_else(|| self.unknown(name))?;
            if self.kernel.regs[id as usize] != Ty::Pred {
                return Err(self.parser.error(format!("`{name}` is not a predicate")));
            }
            Some((id, when))
        } else {
            None
        };
        let opcode = self.parser.word("an instruction")?;
        let words: Vec<String> = opcode.split('.').map(str::to_owned).collect();
        let mut operands = Vec::new();
        while !self.parser.is(';') {
            operands.push(self.operand(0)?);
            if !self.parser.take(',') && !self.parser.is(';') {
                return Err(self.parser.expected("`,` or `;`"));
            }
        }
        self.parser.next += 1;
        let instruction = Instruction { guard, words, operands, at, line: at };
        self.push(Part::Instruction(instruction));
        Ok(())
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        self.parser.error(format!("`{}` is declared nowhere", name.get(..40).unwrap_or(name)))
    }

    fn operand(&mut self, depth: u32) -> Result<Operand, Diagnostic> {
        if depth > 4 {
            return Err(self.parser.error("operands are nested too deeply"));
        }
        let Some(spot) = self.parser.peek() else { return Err(self.parser.expected("an operand")) };
        let first = match spot.token {
            Token::Mark('{') => {
                self.parser.next += 1;
                let mut parts = Vec::new();
                while !self.parser.take('}') {
                    parts.push(self.operand(depth + 1)?);
                    if !self.parser.take(',') && !self.parser.is('}') {
                        return Err(self.parser.expected("`,` or `}`"));
                    }
                }
                return Ok(Operand::Parts(parts));
            }
            Token::Mark('(') => {
                self.parser.next += 1;
                let mut parts = Vec::new();
                while !self.parser.take(')') {
                    parts.push(self.operand(depth + 1)?);
                    if !self.parser.take(',') && !self.parser.is(')') {
                        return Err(self.parser.expected("`,` or `)`"));
                    }
                }
                return Ok(Operand::Parts(parts));
            }
            Token::Mark('[') => {
                self.parser.next += 1;
                return self.address();
            }
            Token::Mark('!') => {
                self.parser.next += 1;
                let name = self.parser.word("a predicate")?;
                return self.register(name)?.map(Operand::Not).ok_or_else(|| self.unknown(name));
            }
            Token::Mark('-') => {
                self.parser.next += 1;
                match self.parser.peek().map(|spot| spot.token) {
                    Some(Token::Number(Number::Whole(value))) => Operand::Whole(value.wrapping_neg()),
                    Some(Token::Number(Number::Double(bits))) => Operand::Double(bits ^ 1 << 63),
                    _ => return Err(self.parser.expected("a number")),
                }
            }
            Token::Number(Number::Whole(value)) => Operand::Whole(value),
            Token::Number(Number::Single(bits)) => Operand::Single(bits),
            Token::Number(Number::Double(bits)) => Operand::Double(bits),
            Token::Word("_") => Operand::Nothing,
            Token::Word(name) => match self.register(name)? {
                Some(id) => Operand::Reg(id),
                None if name.starts_with('%') => Operand::Special(name[1..].to_owned()),
                None => Operand::Name(self.named(name)),
            },
            _ => return Err(self.parser.expected("an operand")),
        };
        self.parser.next += 1;
        if let (Operand::Reg(a), true) = (&first, self.parser.is('|')) {
            self.parser.next += 1;
            let name = self.parser.word("a predicate")?;
            if name == "_" {
                return Ok(first);
            }
            let b = self.register(name)?.ok_or_else(|| self.unknown(name))?;
            return Ok(Operand::Two(*a, b));
        }
        if let (Operand::Name(name), true) = (&first, self.parser.is('+')) {
            self.parser.next += 1;
            let offset = self.parser.whole("an offset")?.cast_signed();
            return Ok(Operand::Address { base: Base::Name(name.clone()), offset });
        }
        Ok(first)
    }

    /// The rest of `[base + offset]`; a bracket may also hold a list, as of a tensor's coordinates.
    fn address(&mut self) -> Result<Operand, Diagnostic> {
        let base = match self.parser.peek().map(|spot| spot.token) {
            Some(Token::Word(name)) => {
                self.parser.next += 1;
                self.register(name)?.map_or_else(|| Base::Name(self.named(name)), Base::Reg)
            }
            _ => Base::Nothing,
        };
        let mut offset = 0_i64;
        let mut more = base == Base::Nothing || self.parser.take('+');
        while more {
            let negative = self.parser.take('-');
            let value = self.parser.whole("an offset")?.cast_signed();
            offset = offset.wrapping_add(if negative { value.wrapping_neg() } else { value });
            more = self.parser.take('+');
        }
        if offset == 0 && self.parser.take(',') {
            let at = match self.operand(1)? {
                Operand::Parts(parts) => parts,
                one => vec![one],
            };
            self.parser.expect(']')?;
            return Ok(Operand::Box { map: base, at });
        }
        self.parser.expect(']')?;
        Ok(Operand::Address { base, offset })
    }
}
