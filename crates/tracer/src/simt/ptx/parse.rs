//! From tokens to a [`Kernel`]: declarations, scopes of registers, instructions with their operands, and source lines.

use std::collections::HashMap;

use warpbook_base::diag::{Diagnostic, nearest};

use super::module::{Base, Instruction, Kernel, Memory, Operand, Param, Part, RegId, Ty, Variable};
use super::text::{Number, Spot, Token, tokens};
use super::at_line;

/// Registers that a kernel may use.
const MAX_REGS: usize = 1 << 18;
/// Instructions and labels that it may have.
const MAX_PARTS: usize = 1 << 18;
/// Blocks within blocks, of which inline assembly makes some.
const MAX_SCOPES: usize = 64;

/// A line of a file that `.loc` names.
#[derive(Clone, Debug)]
struct Loc {
    file: u64,
    line: u32,
    /// The function's label and the place that it was inlined at.
    inlined: Option<(u64, u32)>,
}

/// A kernel whose `.loc` files are known only at the end of the text.
struct Draft {
    kernel: Kernel,
    /// By part, the `.loc` before it.
    locs: Vec<Option<Loc>>,
}

/// The names of the kernels in `text`, in order.
///
/// # Errors
/// What is wrong with the text, with its line.
pub(super) fn entries(file: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    let spots = tokens(file, text)?;
    let names = spots.windows(2).filter_map(|pair| match (pair[0].token, pair[1].token) {
        (Token::Word(".entry"), Token::Word(name)) => Some(name.to_owned()),
        _ => None,
    });
    Ok(names.collect())
}

/// The kernel `entry` of `text`. `source` gives the line that a line of a file is shown at; None if it is not shown.
///
/// # Errors
/// What is wrong with the text, with its line; that there is no such kernel.
pub(super) fn kernel(
    file: &str,
    text: &str,
    entry: &str,
    source: &dyn Fn(&str, u32) -> Option<u32>,
) -> Result<Kernel, Diagnostic> {
    let mut parser = Parser { file, spots: tokens(file, text)?, next: 0, files: HashMap::new(), module: Vec::new() };
    let mut found = None;
    let mut names = Vec::new();
    while let Some(spot) = parser.peek() {
        match spot.token {
            Token::Word(".entry") => {
                parser.next += 1;
                let name = parser.word("the kernel's name")?;
                names.push(name);
                if name == entry {
                    found = Some(parser.entry(name)?);
                } else {
                    parser.skip_to_body()?;
                }
            }
            Token::Word(".func") => {
                parser.next += 1;
                parser.skip_to_body()?;
            }
            Token::Word(".version") => parser.version()?,
            Token::Word(".file") => parser.file_name()?,
            Token::Word(".section") => {
                parser.next += 2;
                parser.skip_braces()?;
            }
            Token::Word(word) if memory(word).is_some() => {
                parser.next += 1;
                let declared = parser.variable(memory(word).unwrap_or(Memory::Global))?;
                parser.module.extend(declared);
            }
            _ => parser.next += 1,
        }
    }
    let Some(mut draft) = found else {
        let hint = match (nearest(entry, names.iter().copied()), names.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "is it PTX, as `nvcc -ptx` or NVRTC writes it? A kernel begins with .entry".to_owned(),
            (None, names) => format!("its kernels are: {}", names.join(", ")),
        };
        return Err(Diagnostic::error(format!("there is no kernel `{entry}`")).in_file(file).hint(hint));
    };
    draft.kernel.variables.extend(parser.module);
    resolve_lines(&mut draft, &parser.files, source);
    Ok(draft.kernel)
}

/// Gives each instruction its line in the source: the innermost place that is shown.
fn resolve_lines(draft: &mut Draft, files: &HashMap<u64, String>, source: &dyn Fn(&str, u32) -> Option<u32>) {
    let mut last = 0;
    for (part, loc) in draft.kernel.body.iter_mut().zip(&draft.locs) {
        let Part::Instruction(instruction) = part else { continue };
        let Some(loc) = loc else {
            instruction.line = if last == 0 { instruction.at } else { last };
            continue;
        };
        let places = std::iter::once((loc.file, loc.line)).chain(loc.inlined);
        let line = places.filter_map(|(file, line)| source(files.get(&file)?, line)).next();
        last = line.unwrap_or(last);
        instruction.line = if last == 0 { instruction.at } else { last };
    }
}

fn memory(word: &str) -> Option<Memory> {
    match word {
        ".shared" => Some(Memory::Shared),
        ".local" => Some(Memory::Local),
        ".global" => Some(Memory::Global),
        ".const" => Some(Memory::Const),
        _ => None,
    }
}

struct Parser<'a> {
    file: &'a str,
    spots: Vec<Spot<'a>>,
    next: usize,
    files: HashMap<u64, String>,
    /// Variables outside of kernels.
    module: Vec<Variable>,
}

/// The registers that a block declares: single ones, and families such as `%r<14>`.
#[derive(Default)]
struct Scope {
    single: HashMap<String, RegId>,
    families: HashMap<String, (Ty, u64)>,
}

struct Body<'p, 'a> {
    parser: &'p mut Parser<'a>,
    kernel: Kernel,
    locs: Vec<Option<Loc>>,
    loc: Option<Loc>,
    scopes: Vec<Scope>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Spot<'a>> {
        self.spots.get(self.next).copied()
    }

    fn is(&self, mark: char) -> bool {
        self.peek().is_some_and(|spot| spot.token == Token::Mark(mark))
    }

    fn take(&mut self, mark: char) -> bool {
        let is = self.is(mark);
        self.next += usize::from(is);
        is
    }

    fn line(&self) -> u32 {
        self.spots.get(self.next).or(self.spots.last()).map_or(1, |spot| spot.line)
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        at_line(Diagnostic::error(message), self.file, self.line())
    }

    /// That something else was expected here.
    fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek().map(|spot| spot.token) {
            None => "the end of the file".to_owned(),
            Some(Token::Word(word)) => format!("`{}`", word.get(..40).unwrap_or(word)),
            Some(Token::Number(_)) => "a number".to_owned(),
            Some(Token::Text(_)) => "a text".to_owned(),
            Some(Token::Mark(mark)) => format!("`{}`", mark.escape_default()),
        };
        self.error(format!("{what} is expected here, not {found}"))
    }

    fn expect(&mut self, mark: char) -> Result<(), Diagnostic> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    fn word(&mut self, what: &str) -> Result<&'a str, Diagnostic> {
        match self.peek().map(|spot| spot.token) {
            Some(Token::Word(word)) => {
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn whole(&mut self, what: &str) -> Result<u64, Diagnostic> {
        match self.peek().map(|spot| spot.token) {
            Some(Token::Number(Number::Whole(value))) => {
                self.next += 1;
                Ok(value)
            }
            _ => Err(self.expected(what)),
        }
    }

    fn small(&mut self, what: &str) -> Result<u32, Diagnostic> {
        let at = self.next;
        u32::try_from(self.whole(what)?).map_err(|_| {
            self.next = at;
            self.error(format!("{what} is too large"))
        })
    }

    fn version(&mut self) -> Result<(), Diagnostic> {
        self.next += 1;
        match self.peek().map(|spot| spot.token) {
            Some(Token::Number(_)) => {
                self.next += 1;
                Ok(())
            }
            _ => Err(self.expected("the version of PTX, such as 8.0,")),
        }
    }

    fn file_name(&mut self) -> Result<(), Diagnostic> {
        self.next += 1;
        let number = self.whole("the number of a file")?;
        if let Some(Token::Text(name)) = self.peek().map(|spot| spot.token) {
            self.files.insert(number, name.to_owned());
        }
        Ok(())
    }

    /// Past a pair of braces and all between them.
    fn skip_braces(&mut self) -> Result<(), Diagnostic> {
        let mut depth = 0_u32;
        while let Some(spot) = self.peek() {
            self.next += 1;
            match spot.token {
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth <= 1 => return Ok(()),
                Token::Mark('}') => depth -= 1,
                _ => {}
            }
        }
        Err(self.expected("`}`"))
    }

    /// Past the body of a function; a declaration has none.
    fn skip_to_body(&mut self) -> Result<(), Diagnostic> {
        while let Some(spot) = self.peek() {
            match spot.token {
                Token::Mark(';') => {
                    self.next += 1;
                    return Ok(());
                }
                Token::Mark('{') => return self.skip_braces(),
                _ => self.next += 1,
            }
        }
        Ok(())
    }

    /// `.align 4 .b8 name[16] = {…};` and further names; the memory was read.
    fn variable(&mut self, memory: Memory) -> Result<Vec<Variable>, Diagnostic> {
        let (mut align, mut ty, mut vector) = (1, None, 1);
        loop {
            match self.peek().map(|spot| spot.token) {
                Some(Token::Word(".align")) => {
                    self.next += 1;
                    align = self.small("an alignment")?;
                }
                Some(Token::Word(".v2")) => (vector, self.next) = (2, self.next + 1),
                Some(Token::Word(".v4")) => (vector, self.next) = (4, self.next + 1),
                Some(Token::Word(word)) if word.starts_with('.') => {
                    self.next += 1;
                    ty = Ty::named(&word[1..]).or(ty);
                }
                _ => break,
            }
        }
        let ty = ty.ok_or_else(|| self.expected("the variable's type"))?;
        let mut out = Vec::new();
        loop {
            let at = self.line();
            let name = self.word("the variable's name")?.to_owned();
            let mut bytes = u64::from(ty.bytes()) * vector;
            while self.take('[') {
                let len = if self.is(']') { 0 } else { self.whole("a length")? };
                bytes = bytes.saturating_mul(len);
                self.expect(']')?;
            }
            let init = if self.take('=') { self.init(ty)? } else { Vec::new() };
            let align = align.max(ty.bytes());
            if !align.is_power_of_two() || align > 1 << 20 {
                return Err(self.error(format!("`{name}` cannot be aligned to {align} bytes")));
            }
            out.push(Variable { name, memory, ty, bytes, align, init, at });
            if !self.take(',') {
                break;
            }
        }
        self.expect(';')?;
        Ok(out)
    }

    /// The first bytes of a variable.
    fn init(&mut self, ty: Ty) -> Result<Vec<u8>, Diagnostic> {
        let size = ty.bytes() as usize;
        let mut out = Vec::new();
        let mut depth = 0_u32;
        loop {
            let negative = self.take('-');
            match self.peek().map(|spot| spot.token) {
                Some(Token::Mark('{')) => depth += 1,
                Some(Token::Mark('}')) => depth = depth.saturating_sub(1),
                Some(Token::Mark(',')) => {}
                Some(Token::Number(number)) => {
                    let bits = match number {
                        Number::Whole(bits) | Number::Double(bits) => bits,
                        Number::Single(bits) => bits.into(),
                    };
                    let bits = if negative { bits.wrapping_neg() } else { bits };
                    out.extend_from_slice(&bits.to_le_bytes()[..size.min(8)]);
                }
                _ => return Err(self.expected("a number")),
            }
            self.next += 1;
            if depth == 0 {
                return Ok(out);
            }
        }
    }

    fn params(&mut self) -> Result<Vec<Param>, Diagnostic> {
        let mut out = Vec::new();
        if !self.take('(') {
            return Ok(out);
        }
        while !self.take(')') {
            let mut ty = None;
            while let Some(Token::Word(word)) = self.peek().map(|spot| spot.token) {
                let Some(suffix) = word.strip_prefix('.') else { break };
                self.next += 1;
                ty = Ty::named(suffix).or(ty);
                if suffix == "align" {
                    self.whole("an alignment")?;
                }
            }
            let ty = ty.ok_or_else(|| self.expected("the parameter's type"))?;
            let name = self.word("the parameter's name")?.to_owned();
            let mut bytes = ty.bytes();
            if self.take('[') {
                bytes = bytes.saturating_mul(self.small("the parameter's length")?);
                self.expect(']')?;
            }
            out.push(Param { name, ty, bytes });
            if !self.take(',') && !self.is(')') {
                return Err(self.expected("`,` or `)`"));
            }
        }
        Ok(out)
    }

    fn entry(&mut self, name: &str) -> Result<Draft, Diagnostic> {
        let at = self.line();
        let params = self.params()?;
        // Directives such as `.maxntid` are for the machine's compiler.
        while !self.is('{') {
            if self.peek().is_none() {
                return Err(self.expected("`{`"));
            }
            self.next += 1;
        }
        let kernel = Kernel {
            name: name.to_owned(),
            params,
            regs: Vec::new(),
            names: Vec::new(),
            variables: Vec::new(),
            body: Vec::new(),
            targets: Vec::new(),
            at,
        };
        let mut body = Body { parser: self, kernel, locs: Vec::new(), loc: None, scopes: Vec::new() };
        body.read()?;
        Ok(Draft { kernel: body.kernel, locs: body.locs })
    }
}

impl Body<'_, '_> {
    fn read(&mut self) -> Result<(), Diagnostic> {
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
        self.push(Part::Label(name.to_owned()));
        Ok(())
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
            ".reg" => self.registers()?,
            ".pragma" => {
                while !self.parser.take(';') {
                    if self.parser.peek().is_none() {
                        return Err(self.parser.expected("`;`"));
                    }
                    self.parser.next += 1;
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

    fn registers(&mut self) -> Result<(), Diagnostic> {
        let mut ty = self.parser.word("the registers' type")?;
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
                None => Operand::Name(name.to_owned()),
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
                self.register(name)?.map_or_else(|| Base::Name(name.to_owned()), Base::Reg)
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
        if self.parser.is(',') {
            return Err(self.parser.error("an address of several coordinates cannot be traced yet"));
        }
        self.parser.expect(']')?;
        Ok(Operand::Address { base, offset })
    }
}
