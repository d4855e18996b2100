//! Calls of device functions: each is replaced by the function's body, with registers, labels and parameters of its own.

use std::collections::HashMap;

use warpbook_base::diag::Diagnostic;

use super::body::{MAX_PARTS, MAX_REGS};
use super::module::{Base, Instruction, Kernel, Operand, Part, RegId};
use super::parse::Parser;
use super::variables::readable;
use super::{outcries, parameters};

/// Functions that call each other, one within the other.
const MAX_DEPTH: usize = 64;

/// `kernel` with the functions that it calls in their places, and their parameters in registers.
///
/// # Errors
/// A function that calls itself, is called through a pointer, or is not in this file, with the line of the call.
pub(super) fn inline(
    parser: &mut Parser<'_>,
    kernel: Kernel,
    source: &dyn Fn(&str, u32) -> Option<u32>,
) -> Result<Kernel, Diagnostic> {
    let mut calls = Calls { parser, source, done: HashMap::new(), open: Vec::new(), count: 0 };
    let mut kernel = calls.expand(kernel)?;
    parameters::to_registers(&calls, &mut kernel)?;
    Ok(kernel)
}

pub(super) struct Calls<'p, 'a, 's> {
    parser: &'p mut Parser<'a>,
    source: &'s dyn Fn(&str, u32) -> Option<u32>,
    /// Functions whose own calls are replaced.
    done: HashMap<String, Kernel>,
    /// The functions that are being read, the outermost first.
    open: Vec<String>,
    /// Calls so far, which tell copies of names apart.
    count: u32,
}

/// A call as its instruction has it.
struct Call<'i> {
    i: &'i Instruction,
    name: &'i str,
    returns: &'i [Operand],
    arguments: &'i [Operand],
}

impl Calls<'_, '_, '_> {
    /// An error at an instruction.
    pub(super) fn error(&self, i: &Instruction, message: impl Into<String>) -> Diagnostic {
        self.parser.error_at(i.at, message)
    }

    fn expand(&mut self, mut kernel: Kernel) -> Result<Kernel, Diagnostic> {
        for part in std::mem::take(&mut kernel.body) {
            match part {
                Part::Instruction(i) if i.words[0] == "call" => self.call(&mut kernel, &i)?,
                part => kernel.body.push(part),
            }
        }
        Ok(kernel)
    }

    fn call(&mut self, kernel: &mut Kernel, i: &Instruction) -> Result<(), Diagnostic> {
        let (returns, rest) = match i.operands.as_slice() {
            [Operand::Parts(returns), rest @ ..] => (returns.as_slice(), rest),
            rest => (&[][..], rest),
        };
        let (name, arguments) = match rest {
            [Operand::Name(name)] => (name, &[][..]),
            [Operand::Name(name), Operand::Parts(arguments)] => (name, arguments.as_slice()),
            [Operand::Reg(_), ..] => {
                let error =
                    self.error(i, "a call through a pointer cannot be traced: which function it calls is not known");
                return Err(error.hint("call the function by its name, or make it a parameter of a template"));
            }
            _ => return Err(self.error(i, "this call cannot be traced")),
        };
        let call = Call { i, name, returns, arguments };
        self.count += 1;
        let end = format!("{}#end", self.count);
        if let Some((pred, when)) = i.guard {
            let words = vec!["bra".to_owned()];
            let operands = vec![Operand::Name(end.clone())];
            kernel.body.push(Part::Instruction(Instruction {
                guard: Some((pred, !when)),
                words,
                operands,
                ..i.clone()
            }));
        }
        if !outcries::known(self, kernel, i, call.name, call.returns, call.arguments)? {
            self.copy(kernel, &call, &end)?;
        }
        kernel.body.push(Part::Label(end));
        Ok(())
    }

    /// The function `name`, with its own calls replaced.
    fn function(&mut self, call: &Call<'_>) -> Result<Kernel, Diagnostic> {
        let name = call.name;
        if let Some(function) = self.done.get(name) {
            return Ok(function.clone());
        }
        let shown = readable(name);
        if self.open.iter().any(|open| open == name) {
            let error = self.error(call.i, format!("`{shown}` calls itself, and recursion cannot be traced"));
            return Err(error.hint("write it as a loop, with a stack in an array if it needs one"));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(self.error(call.i, "functions call each other too deeply to be traced"));
        }
        let Some(function) = self.parser.function(name, self.source)? else {
            let error = self.error(call.i, format!("`{shown}` has no body in this PTX, and cannot be traced"));
            return Err(error.hint("compile the file that defines it together with this one"));
        };
        self.open.push(name.to_owned());
        let function = self.expand(function)?;
        self.open.pop();
        self.done.insert(name.to_owned(), function.clone());
        Ok(function)
    }

    /// Appends the called function's body.
    fn copy(&mut self, kernel: &mut Kernel, call: &Call<'_>, end: &str) -> Result<(), Diagnostic> {
        let function = self.function(call)?;
        let i = call.i;
        let mut names = HashMap::new();
        for (formals, actuals) in [(&function.params, call.arguments), (&function.returns, call.returns)] {
            if formals.len() != actuals.len() {
                let (shown, wanted, given) = (readable(call.name), formals.len(), actuals.len());
                return Err(self.error(i, format!("`{shown}` has {wanted} of these, and the call has {given}")));
            }
            for (formal, actual) in formals.iter().zip(actuals) {
                let Operand::Name(actual) = actual else {
                    return Err(self.error(i, "arguments that are no parameters cannot be traced"));
                };
                names.insert(formal.name.as_str(), actual.clone());
            }
        }
        let first = RegId::try_from(kernel.regs.len()).unwrap_or(RegId::MAX);
        if kernel.regs.len() + function.regs.len() > MAX_REGS || kernel.body.len() + function.body.len() > MAX_PARTS {
            return Err(self.error(i, "the kernel is too large to trace with the functions that it calls"));
        }
        kernel.regs.extend_from_slice(&function.regs);
        kernel.names.extend_from_slice(&function.names);
        // A variable of a function has one place: no two calls of it are under way at once.
        let new = function.variables.iter().filter(|v| kernel.variables.iter().all(|known| known.name != v.name));
        let new: Vec<_> = new.cloned().collect();
        kernel.variables.extend(new);
        let copy = Copy { first, call: end, names };
        let renamed = |name: &String| copy.label(name);
        let lists = function.targets.iter().map(|(name, labels)| (renamed(name), labels.iter().map(renamed).collect()));
        kernel.targets.extend(lists);
        for part in &function.body {
            kernel.body.push(match part {
                Part::Label(name) => Part::Label(renamed(name)),
                Part::Instruction(own) => Part::Instruction(copy.instruction(own, i, end)),
            });
        }
        Ok(())
    }
}

/// The names of one copy of a function.
struct Copy<'f> {
    /// Its first register.
    first: RegId,
    /// The call, by the label at its end.
    call: &'f str,
    /// The names of parameters.
    names: HashMap<&'f str, String>,
}

impl Copy<'_> {
    fn label(&self, name: &str) -> String {
        format!("{}:{name}", self.call)
    }

    fn name(&self, name: &str, is_label: bool) -> String {
        match self.names.get(name) {
            Some(actual) => actual.clone(),
            // A parameter of a further call.
            None if is_label || name.contains('#') => self.label(name),
            None => name.to_owned(),
        }
    }

    fn instruction(&self, own: &Instruction, call: &Instruction, end: &str) -> Instruction {
        let guard = own.guard.map(|(pred, when)| (self.first + pred, when));
        let line = if own.line == 0 { call.line } else { own.line };
        if own.words[0] == "ret" {
            let words = vec!["bra".to_owned()];
            return Instruction { guard, words, operands: vec![Operand::Name(end.to_owned())], at: own.at, line };
        }
        let branches = matches!(own.words[0].as_str(), "bra" | "brx");
        let operands = own.operands.iter().map(|operand| self.operand(operand, branches)).collect();
        Instruction { guard, words: own.words.clone(), operands, at: own.at, line }
    }

    fn operand(&self, operand: &Operand, is_label: bool) -> Operand {
        let shifted = |reg: &RegId| self.first + reg;
        match operand {
            Operand::Reg(reg) => Operand::Reg(shifted(reg)),
            Operand::Not(reg) => Operand::Not(shifted(reg)),
            Operand::Two(a, b) => Operand::Two(shifted(a), shifted(b)),
            Operand::Name(name) => Operand::Name(self.name(name, is_label)),
            Operand::Parts(parts) => Operand::Parts(parts.iter().map(|part| self.operand(part, is_label)).collect()),
            Operand::Address { base, offset } => {
                let base = match base {
                    Base::Reg(reg) => Base::Reg(shifted(reg)),
                    Base::Name(name) => Base::Name(self.name(name, false)),
                    Base::Nothing => Base::Nothing,
                };
                Operand::Address { base, offset: *offset }
            }
            other => other.clone(),
        }
    }
}
