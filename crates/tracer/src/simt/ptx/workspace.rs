//! The memory by which the blocks of a cooperative launch wait for each other.

use super::module::{Kernel, Memory, Operand, Part, Ty, Variable};

/// The memory that the blocks of a cooperative launch wait for each other in: CUDA gives its address in two registers.
const WORKSPACE: &str = "grid#workspace";

/// Gives a kernel that asks for it the memory by which its blocks wait for each other.
pub(super) fn add_workspace(kernel: &mut Kernel) {
    let asks = |operand: &Operand| is_workspace(operand);
    let any = kernel.body.iter().any(|part| matches!(part, Part::Instruction(i) if i.operands.iter().any(asks)));
    if any {
        let (name, memory, ty) = (WORKSPACE.to_owned(), Memory::Global, Ty::Bits(32));
        kernel.variables.push(Variable { name, memory, ty, bytes: 32, align: 8, init: Vec::new(), at: kernel.at });
    }
}

/// Whether an operand is half of the workspace's address.
pub(super) fn is_workspace(operand: &Operand) -> bool {
    matches!(operand, Operand::Special(name) if name == "envreg1" || name == "envreg2")
}

/// The workspace's index among the kernel's variables.
pub(super) fn workspace(kernel: &Kernel) -> Option<usize> {
    kernel.variables.iter().position(|variable| variable.name == WORKSPACE)
}
