//! From tokens to a [`Kernel`]: the declarations of a module, and the source lines of a kernel's instructions.

use std::cell::RefCell;
use std::collections::HashMap;

use warpbook_base::diag::{Diagnostic, nearest};

use super::at_line;
use super::body::Body;
use super::lines::resolve_lines;
use super::module::{Kernel, Memory, Param, Ty, Variable};
use super::target::Target;
use super::text::{Number, Spot, Token, tokens};

/// The names of the kernels in `text`, in order.
///
/// # Errors
/// Invalid text, with its line.
pub(super) fn entries(file: &str, text: &str) -> Result<Vec<String>, Diagnostic> {
    let spots = tokens(file, text)?;
    let names = spots.windows(2).filter_map(|pair| match (pair[0].token, pair[1].token) {
        (Token::Word(".entry"), Token::Word(name)) => Some(name.to_owned()),
        _ => None,
    });
    Ok(names.collect())
}

/// The kernel `entry` as it is written, and what is known about the module.
pub(super) fn read<'a>(
    file: &'a str,
    text: &'a str,
    entry: &str,
    source: &dyn Fn(&str, u32) -> Option<u32>,
) -> Result<(Parser<'a>, Kernel), Diagnostic> {
    let mut parser = Parser::new(file, tokens(file, text)?);
    let mut found = None;
    let mut names = Vec::new();
    while let Some(spot) = parser.peek() {
        match spot.token {
            Token::Word(".entry") => {
                parser.next += 1;
                let name = parser.word("the kernel's name")?;
                names.push(name);
                if name == entry {
                    found = Some(parser.next);
                }
                parser.skip_to_body()?;
            }
            Token::Word(".func") => parser.function_name()?,
            Token::Word(".version") => parser.version()?,
            Token::Word(".target") => parser.target()?,
            Token::Word(".address_size") => parser.address_size()?,
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
    let Some(at) = found else {
        let hint = match (nearest(entry, names.iter().copied()), names.as_slice()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, []) => "is it PTX, as `nvcc -ptx` or NVRTC writes it? A kernel begins with .entry".to_owned(),
            (None, names) => format!("its kernels are: {}", names.join(", ")),
        };
        return Err(Diagnostic::error(format!("there is no kernel `{entry}`")).in_file(file).hint(hint));
    };
    parser.next = at;
    let kernel = parser.body_of(entry, Vec::new(), source)?;
    Ok((parser, kernel))
}

/// The memory that a directive names.
pub(super) fn memory(word: &str) -> Option<Memory> {
    match word {
        ".shared" => Some(Memory::Shared),
        ".local" => Some(Memory::Local),
        ".global" => Some(Memory::Global),
        ".const" => Some(Memory::Const),
        _ => None,
    }
}

pub(super) struct Parser<'a> {
    file: &'a str,
    pub spots: Vec<Spot<'a>>,
    /// The next token.
    pub next: usize,
    files: HashMap<u64, String>,
    target: Target,
    /// Variables outside of kernels.
    pub(super) module: Vec<Variable>,
    /// The tokens after `.func` of the functions that have a body, by name.
    functions: HashMap<&'a str, usize>,
}

impl<'a> Parser<'a> {
    fn new(file: &'a str, spots: Vec<Spot<'a>>) -> Self {
        let (files, module, functions) = (HashMap::new(), Vec::new(), HashMap::new());
        Self { file, spots, next: 0, files, target: Target(0), module, functions }
    }

    pub(super) fn peek(&self) -> Option<Spot<'a>> {
        self.spots.get(self.next).copied()
    }

    pub(super) fn is(&self, mark: char) -> bool {
        self.peek().is_some_and(|spot| spot.token == Token::Mark(mark))
    }

    pub(super) fn take(&mut self, mark: char) -> bool {
        let is = self.is(mark);
        self.next += usize::from(is);
        is
    }

    pub(super) fn line(&self) -> u32 {
        self.spots.get(self.next).or(self.spots.last()).map_or(1, |spot| spot.line)
    }

    pub(super) fn error(&self, message: impl Into<String>) -> Diagnostic {
        at_line(Diagnostic::error(message), self.file, self.line())
    }

    /// An error at a line.
    pub(super) fn error_at(&self, line: u32, message: impl Into<String>) -> Diagnostic {
        at_line(Diagnostic::error(message), self.file, line)
    }

    /// That something else was expected here.
    pub(super) fn expected(&self, what: &str) -> Diagnostic {
        let found = match self.peek().map(|spot| spot.token) {
            None => "the end of the file".to_owned(),
            Some(Token::Word(word)) => format!("`{}`", word.get(..40).unwrap_or(word)),
            Some(Token::Number(_)) => "a number".to_owned(),
            Some(Token::Text(_)) => "a text".to_owned(),
            Some(Token::Mark(mark)) => format!("`{}`", mark.escape_default()),
        };
        self.error(format!("{what} is expected here, not {found}"))
    }

    pub(super) fn expect(&mut self, mark: char) -> Result<(), Diagnostic> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, Diagnostic> {
        match self.peek().map(|spot| spot.token) {
            Some(Token::Word(word)) => {
                self.next += 1;
                Ok(word)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn whole(&mut self, what: &str) -> Result<u64, Diagnostic> {
        match self.peek().map(|spot| spot.token) {
            Some(Token::Number(Number::Whole(value))) => {
                self.next += 1;
                Ok(value)
            }
            _ => Err(self.expected(what)),
        }
    }

    pub(super) fn small(&mut self, what: &str) -> Result<u32, Diagnostic> {
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

    fn target(&mut self) -> Result<(), Diagnostic> {
        self.next += 1;
        let name = self.word("the target, such as sm_80,")?;
        if let Some(target) = Target::named(name) {
            self.target = target;
            return Ok(());
        }
        self.next -= 1;
        Err(self.error(format!("`{}` is no target of PTX, such as sm_80", name.get(..40).unwrap_or(name))))
    }

    fn address_size(&mut self) -> Result<(), Diagnostic> {
        self.next += 1;
        match self.whole("64, the bits of an address,")? {
            64 => Ok(()),
            bits => {
                self.next -= 1;
                Err(self.error(format!("PTX with addresses of {bits} bits cannot be traced; compile it for 64")))
            }
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
    pub(super) fn variable(&mut self, memory: Memory) -> Result<Vec<Variable>, Diagnostic> {
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
                // The address of a variable or a function, as of a table of pointers, which is not followed.
                Some(Token::Word(_)) => {
                    if self.spots.get(self.next + 1).is_some_and(|spot| spot.token == Token::Mark('(')) {
                        self.next += 2;
                    }
                    if self.spots.get(self.next + 1).is_some_and(|spot| spot.token == Token::Mark('+')) {
                        self.next += 2;
                    }
                    if self.spots.get(self.next + 1).is_some_and(|spot| spot.token == Token::Mark(')')) {
                        self.next += 1;
                    }
                    out.extend(std::iter::repeat_n(0, size.min(8)));
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
        if self.take('(') { self.listed_params(')') } else { Ok(Vec::new()) }
    }

    /// Parameters up to `end`.
    pub(super) fn listed_params(&mut self, end: char) -> Result<Vec<Param>, Diagnostic> {
        let mut out = Vec::new();
        while !self.take(end) {
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
            if !self.take(',') && !self.is(end) {
                return Err(self.expected(&format!("`,` or `{end}`")));
            }
        }
        Ok(out)
    }

    /// Parameters and body of a kernel or function whose name was read.
    fn body_of(
        &mut self,
        name: &str,
        returns: Vec<Param>,
        source: &dyn Fn(&str, u32) -> Option<u32>,
    ) -> Result<Kernel, Diagnostic> {
        let at = self.line();
        let params = self.params()?;
        let (mut block, mut most_threads, mut is_of_tiles) = (None, None, false);
        // Other directives are for the machine's compiler.
        while !self.is('{') {
            let spot = self.peek().ok_or_else(|| self.expected("`{`"))?;
            self.next += 1;
            match spot.token {
                Token::Word(".reqntid") => block = Some(self.block()?),
                Token::Word(".maxntid") => {
                    most_threads = Some(self.block()?.into_iter().fold(1_u64, |n, x| n.saturating_mul(x.into())));
                }
                // Of tile IR: its launches give as much shared memory as it declares.
                Token::Word(".language") => is_of_tiles = true,
                _ => {}
            }
        }
        let kernel = Kernel {
            name: name.to_owned(),
            params,
            block,
            most_threads,
            is_of_tiles,
            target: self.target,
            returns,
            regs: Vec::new(),
            names: Vec::new(),
            variables: Vec::new(),
            body: Vec::new(),
            targets: Vec::new(),
            at,
            by_name: RefCell::default(),
        };
        let mut body = Body::new(self, kernel);
        body.read()?;
        let Body { mut kernel, locs, .. } = body;
        resolve_lines(&mut kernel, &locs, &self.files, source);
        Ok(kernel)
    }

    /// Notes where a function is; a declaration has no body.
    fn function_name(&mut self) -> Result<(), Diagnostic> {
        self.next += 1;
        let start = self.next;
        if self.is('(') {
            self.params()?;
        }
        let name = self.word("the function's name")?;
        let at = self.next;
        self.skip_to_body()?;
        if at < self.next && self.spots.get(self.next - 1).is_some_and(|spot| spot.token == Token::Mark('}')) {
            self.functions.insert(name, start);
        }
        Ok(())
    }

    /// The function called `name`; None if it has no body here.
    pub(super) fn function(
        &mut self,
        name: &str,
        source: &dyn Fn(&str, u32) -> Option<u32>,
    ) -> Result<Option<Kernel>, Diagnostic> {
        let Some(start) = self.functions.get(name).copied() else { return Ok(None) };
        self.next = start;
        let returns = if self.is('(') { self.params()? } else { Vec::new() };
        self.word("the function's name")?;
        self.body_of(name, returns, source).map(Some)
    }

    /// The threads of a block: up to three numbers.
    fn block(&mut self) -> Result<[u32; 3], Diagnostic> {
        let mut block = [self.small("the threads of a block")?, 1, 1];
        for size in &mut block[1..] {
            if self.take(',') {
                *size = self.small("the threads of a block")?;
            }
        }
        Ok(block)
    }
}
