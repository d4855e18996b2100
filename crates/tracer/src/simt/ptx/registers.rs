//! Which registers are written once, and so are values, and which are variables.

use super::flow::Flow;
use super::module::{Base, Instruction, Kernel, Operand, RegId};

/// Facts about a kernel's registers.
pub(super) struct Registers {
    /// By register, whether one instruction writes it, which comes before all that read it, and no loop between repeats that alone.
    pub once: Vec<bool>,
    /// By register, whether anything reads it.
    pub is_read: Vec<bool>,
}

/// Calls `read` and `write` with the registers of an instruction.
pub(super) fn uses(i: &Instruction, mut read: impl FnMut(RegId), mut write: impl FnMut(RegId)) {
    if let Some((pred, _)) = i.guard {
        read(pred);
    }
    let results = results(i);
    // The sums of this one are in its registers before, too.
    let adds = i.words[0] == "wgmma" && results > 0;
    if adds && let Some(sums) = i.operands.first() {
        each(sums, &mut |reg, _| read(reg));
    }
    for (n, operand) in i.operands.iter().enumerate() {
        each(operand, &mut |reg, in_address| if n < results && !in_address { write(reg) } else { read(reg) });
    }
}

/// How many operands come first that the instruction writes to.
fn results(i: &Instruction) -> usize {
    match i.words[0].as_str() {
        "bar" | "barrier" if i.has("red") => 1,
        "wmma" if i.has("store") => 0,
        "wgmma" => usize::from(i.has("mma_async")),
        "mbarrier" if ["init", "inval", "expect_tx", "complete_tx"].contains(&i.words[1].as_str()) => 0,
        "st" | "red" | "stmatrix" | "cp" | "setmaxnreg" | "bar" | "barrier" | "membar" | "fence" | "bra" | "ret"
        | "exit" | "prefetch" | "prefetchu" | "nanosleep" | "discard" | "applypriority" => 0,
        // Calls that [`super::outcries`] replaces.
        "printf" | "assert" | "trap" | "brkpt" | "pmevent" => 0,
        _ => 1,
    }
}

/// Calls `visit` with each register of an operand, and whether it is part of an address.
fn each(operand: &Operand, visit: &mut dyn FnMut(RegId, bool)) {
    match operand {
        Operand::Reg(reg) | Operand::Not(reg) => visit(*reg, false),
        Operand::Two(a, b) => [*a, *b].into_iter().for_each(|reg| visit(reg, false)),
        Operand::Parts(parts) => parts.iter().for_each(|part| each(part, visit)),
        Operand::Address { base: Base::Reg(reg), .. } => visit(*reg, true),
        Operand::Box { map, at } => {
            if let Base::Reg(reg) = map {
                visit(*reg, true);
            }
            at.iter().for_each(|part| each(part, &mut |reg, _| visit(reg, true)));
        }
        _ => {}
    }
}

impl Registers {
    pub(super) fn of(kernel: &Kernel, flow: &Flow<'_>) -> Self {
        let count = kernel.regs.len();
        // Where each is written, unless more than once or under a predicate.
        let mut written: Vec<Option<(usize, usize)>> = vec![None; count];
        let mut once = vec![true; count];
        for (b, block) in flow.blocks.iter().enumerate() {
            for (n, i) in block.body.iter().enumerate() {
                uses(
                    i,
                    |_| {},
                    |reg| {
                        let slot = &mut written[reg as usize];
                        if slot.replace((b, n)).is_some() || i.guard.is_some() {
                            once[reg as usize] = false;
                        }
                    },
                );
            }
        }
        let mut is_read = vec![false; count];
        let mut read = |reg: RegId, (b, n): (usize, usize)| {
            is_read[reg as usize] = true;
            let before = written[reg as usize].is_some_and(|(at, place)| match at == b {
                true => place < n,
                false => flow.dominates(at, b) && flow.loops_of(at).all(|l| flow.loops_of(b).any(|m| m == l)),
            });
            once[reg as usize] &= before;
        };
        for (b, block) in flow.blocks.iter().enumerate() {
            for (n, i) in block.body.iter().enumerate() {
                uses(i, |reg| read(reg, (b, n)), |_| {});
            }
            match block.end {
                super::flow::End::Branch { pred, .. } => read(pred, (b, usize::MAX)),
                super::flow::End::Table { index, .. } => read(index, (b, usize::MAX)),
                _ => {}
            }
        }
        Self { once, is_read }
    }
}
