//! Functions that CUDA gives a kernel and that have no body in PTX: `printf`, `assert`, and what is refused by name. And `trap`.

use warpbook_base::diag::Diagnostic;

use super::super::ir::Inst;
use super::super::say::{Kind, Say, pieces};
use super::addresses::{Root, Sum};
use super::calls::Calls;
use super::lower::{Located, Lower};
use super::module::{Base, Instruction, Kernel, Memory, Operand, Part, Ty};
use super::parameters::fresh;
use super::variables::readable;

/// The longest text that a call may name, in bytes.
const MAX_TEXT: usize = 1 << 12;

/// Replaces a call of a function that CUDA gives; false if it is none.
///
/// # Errors
/// One that cannot be traced, by its name.
pub(super) fn known(
    calls: &Calls<'_, '_, '_>,
    kernel: &mut Kernel,
    i: &Instruction,
    name: &str,
    returns: &[Operand],
    arguments: &[Operand],
) -> Result<bool, Diagnostic> {
    let word = match name {
        "vprintf" => "printf",
        "__assertfail" => "assert",
        "malloc" | "free" | "__nv_aligned_device_malloc" => {
            let error = calls.error(i, format!("`{}` in a kernel cannot be traced", readable(name)));
            return Err(error.hint("give the kernel a buffer that is large enough, or use an array of its own"));
        }
        "cudaLaunchDevice"
        | "cudaLaunchDeviceV2"
        | "cudaGetParameterBuffer"
        | "cudaGetParameterBufferV2"
        | "cudaDeviceSynchronize" => {
            let error = calls.error(i, format!("`{name}`: a launch from within a kernel cannot be traced"));
            return Err(error.hint("trace the inner kernel by itself"));
        }
        _ => return Ok(false),
    };
    let mut operands = Vec::new();
    for argument in arguments {
        let Operand::Name(argument) = argument else { return Err(calls.error(i, "this call cannot be traced")) };
        // The line of an assertion is a word; what else there is are addresses.
        let ty = if word == "assert" && operands.len() == 2 { Ty::Bits(32) } else { Ty::Bits(64) };
        let reg = fresh(kernel, ty, name);
        let words = vec!["ld".to_owned(), "param".to_owned(), format!("b{}", ty.bits())];
        let address = Operand::Address { base: Base::Name(argument.clone()), offset: 0 };
        let load = Instruction { guard: None, words, operands: vec![Operand::Reg(reg), address], ..i.clone() };
        kernel.body.push(Part::Instruction(load));
        operands.push(Operand::Reg(reg));
    }
    let own = Instruction { guard: None, words: vec![word.to_owned()], operands, ..i.clone() };
    kernel.body.push(Part::Instruction(own));
    for result in returns {
        let Operand::Name(result) = result else { return Err(calls.error(i, "this call cannot be traced")) };
        let words = vec!["st".to_owned(), "param".to_owned(), "b32".to_owned()];
        let address = Operand::Address { base: Base::Name(result.clone()), offset: 0 };
        let store = Instruction { guard: None, words, operands: vec![address, Operand::Whole(0)], ..i.clone() };
        kernel.body.push(Part::Instruction(store));
    }
    Ok(true)
}

impl Lower<'_> {
    /// `printf`, `assert` and `trap`.
    pub(super) fn outcry(&mut self, i: &Instruction) -> Result<(), Diagnostic> {
        let say = match (i.words[0].as_str(), i.operands.as_slice()) {
            ("trap", []) => Say { kind: Kind::Trap, pieces: Vec::new(), line: i.line },
            ("assert", [message, ..]) => {
                let message = self.text(message)?;
                Say { kind: Kind::Assertion(message), pieces: Vec::new(), line: i.line }
            }
            ("printf", [format, arguments]) => {
                let format = self.text(format)?;
                let room = self.room_of(arguments)?;
                Say { kind: Kind::Text, pieces: pieces(&format, room), line: i.line }
            }
            _ => return Err(self.unsupported(i)),
        };
        self.push_say(say);
        Ok(())
    }

    /// Something that the kernel says at the instruction that is lowered.
    pub(super) fn say(&mut self, kind: Kind) {
        let line = self.b.line();
        self.push_say(Say { kind, pieces: Vec::new(), line });
    }

    fn push_say(&mut self, say: Say) {
        self.b.ir.says.push(say);
        let say = u32::try_from(self.b.ir.says.len() - 1).unwrap_or(u32::MAX);
        self.b.push(Inst::Say { say });
    }

    /// The text that an address leads to.
    fn text(&mut self, operand: &Operand) -> Result<String, Diagnostic> {
        let unknown = |me: &Self| {
            let error = me.error("the text of this call is not known before it runs, which cannot be traced");
            error.hint("write the format as a text in quotes, and choose between two calls by `if`")
        };
        let Sum { root: Some(Root::Variable(v)), start, terms } = self.sum(operand)? else { return Err(unknown(self)) };
        let variable = &self.kernel.variables[v];
        let bytes = usize::try_from(start).ok().and_then(|start| variable.init.get(start..));
        let (Some(bytes), true, Memory::Global | Memory::Const) = (bytes, terms.is_empty(), variable.memory) else {
            return Err(unknown(self));
        };
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        if end > MAX_TEXT {
            return Err(self.error("this text is too long to be traced"));
        }
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    /// The bytes of local memory that an address leads to: where they begin in it, and how many there are. None at address 0.
    fn room_of(&mut self, operand: &Operand) -> Result<(u32, u32), Diagnostic> {
        let Sum { root, start, terms } = self.sum(operand)?;
        if root.is_none() && start == 0 && terms.is_empty() {
            return Ok((0, 0));
        }
        let located = root.and_then(|root| self.located(root));
        let (Some(Located { memory: Memory::Local, base, bytes: Some(bytes), .. }), true) = (located, terms.is_empty())
        else {
            return Err(
                self.error("the arguments of this call cannot be traced: they lie in no array of the thread's own")
            );
        };
        let start = u32::try_from(start).unwrap_or(u32::MAX);
        Ok((base.saturating_add(start), bytes.saturating_sub(start)))
    }
}
