//! The machine code of a kernel in PTX, by `ptxas` and `nvdisasm`. It needs both programs (pip has them), and no GPU.

mod tools;

use self::tools::{NVDISASM, PTXAS};
#[cfg(feature = "cuda")]
use super::backend::Part;
use super::simt;
use crate::base::diag::Diagnostic;
use crate::job::Assembled;
use crate::machine::{Instruction, MachineCode, comments, instructions, kept};
use crate::simt::ptx_entry_named;

/// How to get both programs.
const GET: &str = "install them into an active Python environment: pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm; \
                   or the CUDA toolkit, and name its folder in CUDA_HOME";

/// Registers, spills and shared memory of a kernel's machine code, for the target that its PTX names.
///
/// # Errors
/// That there is no `ptxas`, or its message.
pub fn figures(assembled: &Assembled) -> Result<MachineCode, Diagnostic> {
    match MachineCode::of(&assembled.ptx, &entry(assembled)) {
        Some(figures) => Ok(figures),
        None => assemble(assembled).map(|assembly| assembly.figures),
    }
}

/// The machine code of a kernel, for the target that its PTX names: that which the PTX came with, else by the tools.
///
/// # Errors
/// That `ptxas` or `nvdisasm` is missing, or the message of one that fails.
pub fn listing(assembled: &Assembled) -> Result<(MachineCode, Vec<Instruction>), Diagnostic> {
    match kept(&assembled.ptx, &entry(assembled)) {
        Some(kept) => Ok(kept),
        None => disassemble(assembled).map(|(assembly, listing)| (assembly.figures, listing)),
    }
}

/// The PTX of a kernel with its machine code in comments, as a pack keeps it.
///
/// # Errors
/// As [`listing`].
pub fn with_machine_code(assembled: &Assembled) -> Result<String, Diagnostic> {
    let (Assembly { log, .. }, listing) = disassemble(assembled)?;
    Ok(format!("{}\n{}", assembled.ptx.trim_end(), comments(&log, &entry(assembled), &listing)))
}

/// The programs that machine code needs, found or missing.
#[cfg(feature = "cuda")]
pub(super) fn parts() -> Vec<Part> {
    [PTXAS, NVDISASM].map(|name| tools::part(name, GET)).into()
}

/// The kernel's name in its PTX.
fn entry(Assembled { twin, ptx, .. }: &Assembled) -> String {
    ptx_entry_named(ptx, &twin.entry).unwrap_or_else(|| twin.entry.clone())
}

/// The output of `ptxas`.
struct Assembly {
    figures: MachineCode,
    log: String,
    code: Vec<u8>,
}

fn assemble(assembled: &Assembled) -> Result<Assembly, Diagnostic> {
    let (log, code) = tools::assemble(&assembled.ptx).map_err(|why| failed(assembled, PTXAS, why))?;
    let figures = MachineCode::of(&MachineCode::comments(&log), &entry(assembled));
    let figures =
        figures.ok_or_else(|| failed(assembled, PTXAS, Some("its log does not name the kernel".to_owned())))?;
    Ok(Assembly { figures, log, code })
}

fn disassemble(assembled: &Assembled) -> Result<(Assembly, Vec<Instruction>), Diagnostic> {
    let assembly = assemble(assembled)?;
    let text = tools::disassemble(&assembly.code).map_err(|why| failed(assembled, NVDISASM, why))?;
    let line = simt::shown_lines(&assembled.twin, &assembled.ptx);
    Ok((assembly, instructions(&text, &entry(assembled), &line)))
}

/// That a program is missing, or fails as it says.
fn failed(Assembled { twin, .. }: &Assembled, program: &str, why: Option<String>) -> Diagnostic {
    match why {
        Some(why) => Diagnostic::error(format!("{program} makes no machine code of this kernel: {why}"))
            .in_file(&twin.file)
            .hint("`warpbook doctor` shows which one was found; another version may know this PTX"),
        None => Diagnostic::error(format!("machine code needs {program}, which is missing")).hint(GET).not_here(),
    }
}
