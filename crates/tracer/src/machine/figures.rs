//! Registers, spills and shared memory of a kernel's machine code, read from ptxas' log and kept as comments at the end of its PTX.

use serde::Serialize;
use warpbook_base::units::counted;

/// The words before a kernel's name and its figures.
const COMMENT: &str = "// machine code: ";

/// Registers, stack and spills of a kernel's machine code, as ptxas reports them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct MachineCode {
    /// The architecture that it is for, such as `sm_90a`.
    pub target: String,
    /// Registers of 32 bits that a thread takes.
    pub registers: u32,
    /// Bytes of local memory of a thread: arrays that registers cannot hold, and spills.
    pub stack_bytes: u32,
    /// Bytes that instructions store because registers do not suffice.
    pub spill_store_bytes: u32,
    /// Bytes that instructions load again.
    pub spill_load_bytes: u32,
    /// Bytes of a block's shared memory whose size the kernel declares.
    pub shared_bytes: u32,
}

impl MachineCode {
    /// Bytes of spills, stored and loaded, as the instructions have them: once for each, however often it runs.
    #[must_use]
    pub fn spills(&self) -> u32 {
        self.spill_store_bytes.saturating_add(self.spill_load_bytes)
    }

    /// Its registers, spills and stack as part of a sentence.
    #[must_use]
    pub fn words(&self) -> String {
        let spills = match (self.spill_store_bytes, self.spill_load_bytes) {
            (0, 0) => "no spills".to_owned(),
            (stored, loaded) => format!("spills of {stored} B stored and {loaded} B loaded"),
        };
        let stack = if self.stack_bytes > 0 { format!(", a stack of {} B", self.stack_bytes) } else { String::new() };
        let registers = counted(self.registers.into(), "register");
        format!("machine code for {}: {registers} a thread, {spills}{stack}", self.target)
    }

    /// The comments on all kernels in a log of `ptxas -v`, a line each.
    #[must_use]
    pub fn comments(log: &str) -> String {
        let (mut comments, mut entry, mut found) = (String::new(), None, Self::default());
        for line in log.lines() {
            let number = |after: &str| {
                let words: Vec<&str> = line.split([' ', ',']).filter(|word| !word.is_empty()).collect();
                let wanted: Vec<&str> = after.split(' ').collect();
                let at = words.windows(wanted.len()).position(|window| window == wanted)?;
                words.get(at.checked_sub(1)?)?.parse().ok()
            };
            if let Some(rest) = line.split("Compiling entry function '").nth(1) {
                let mut quoted = rest.split('\'');
                entry = quoted.next();
                found = Self { target: quoted.nth(1).unwrap_or_default().to_owned(), ..Self::default() };
            } else if let Some(stack) = number("bytes stack frame") {
                found.stack_bytes = stack;
                found.spill_store_bytes = number("bytes spill stores").unwrap_or_default();
                found.spill_load_bytes = number("bytes spill loads").unwrap_or_default();
            } else if let Some(registers) = number("registers")
                && let Some(name) = entry.take()
            {
                let shared_bytes: u32 = number("bytes smem").unwrap_or_default();
                let Self { target, stack_bytes, spill_store_bytes, spill_load_bytes, .. } = &found;
                comments.push_str(&format!(
                    "{COMMENT}{name} {target} {registers} {stack_bytes} {spill_store_bytes} {spill_load_bytes} {shared_bytes}\n"
                ));
            }
        }
        comments
    }

    /// That of a kernel, from the comments of its PTX; None if they say nothing about it.
    #[must_use]
    pub fn of(ptx: &str, entry: &str) -> Option<Self> {
        let mut lines = ptx.lines().rev().filter_map(|line| line.strip_prefix(COMMENT));
        let figures = lines.find_map(|line| line.strip_prefix(entry)?.strip_prefix(' '))?;
        let (target, figures) = figures.split_once(' ')?;
        let figures: Vec<u32> = figures.split(' ').filter_map(|figure| figure.parse().ok()).collect();
        let [registers, stack_bytes, spill_store_bytes, spill_load_bytes, shared_bytes] = figures[..] else {
            return None;
        };
        let target = target.to_owned();
        Some(Self { target, registers, stack_bytes, spill_store_bytes, spill_load_bytes, shared_bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1qPf' for 'sm_90a'
ptxas info    : Function properties for _Z1qPf
ptxas         .     48 bytes stack frame, 16 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 48 bytes cumulative stack size, 256 bytes smem
ptxas info    : Compile time = 2.448 ms
ptxas info    : Compiling entry function '_Z1qPfi' for 'sm_90a'
ptxas info    : Function properties for helper
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers
";

    #[test]
    fn figures_go_from_a_log_through_comments_to_a_kernel() {
        let ptx = format!(".entry _Z1qPf\n{}// instance: _Z1qPf\n", MachineCode::comments(LOG));
        let first = MachineCode {
            target: "sm_90a".to_owned(),
            registers: 255,
            stack_bytes: 48,
            spill_store_bytes: 16,
            spill_load_bytes: 20,
            shared_bytes: 256,
        };
        assert_eq!(MachineCode::of(&ptx, "_Z1qPf").as_ref(), Some(&first));
        assert_eq!(MachineCode::of(&ptx, "_Z1qPfi").map(|of| (of.registers, of.spills())), Some((10, 0)));
        assert_eq!(MachineCode::of(&ptx, "_Z1q"), None);
        assert_eq!(MachineCode::of("", "_Z1qPf"), None);
        assert_eq!(first.spills(), 36);
    }
}
