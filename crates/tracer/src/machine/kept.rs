//! A kernel's machine code as comments at the end of its PTX, so that it is shown where no tool makes it.

use super::{Instruction, MachineCode};

/// Begins the comment before the instructions of a kernel, which its name follows.
const KERNEL: &str = "//@ ";
/// Begins the comment before instructions of another line than those before, which its number follows.
const LINE: &str = "//# ";
/// Begins the comment on a label before an instruction.
const LABEL: &str = "//: ";
/// Begins the comment on an instruction.
const INSTRUCTION: &str = "//= ";

/// Bytes of an instruction, from Volta on.
const BYTES: u32 = 16;

/// The comments on a kernel's machine code.
#[must_use]
pub fn comments(entry: &str, listing: &[Instruction]) -> String {
    let mut text = format!("{KERNEL}{entry}\n");
    let mut last = 0;
    for Instruction { labels, text: instruction, line, .. } in listing {
        if *line != last {
            last = *line;
            text.push_str(&format!("{LINE}{line}\n"));
        }
        labels.iter().for_each(|label| text.push_str(&format!("{LABEL}{label}\n")));
        text.push_str(&format!("{INSTRUCTION}{instruction}\n"));
    }
    text
}

/// The machine code of a kernel in the comments of its PTX; None if they have none.
#[must_use]
pub fn kept(ptx: &str, entry: &str) -> Option<(MachineCode, Vec<Instruction>)> {
    let figures = MachineCode::of(ptx, entry)?;
    let mut found: Vec<Instruction> = Vec::new();
    let (mut line, mut labels) = (0, Vec::new());
    let mut rows = ptx.lines().skip_while(|row| row.strip_prefix(KERNEL) != Some(entry)).skip(1).peekable();
    rows.peek()?;
    for row in rows {
        if let Some(text) = row.strip_prefix(INSTRUCTION) {
            let address = found.last().map_or(0, |last| last.address + BYTES);
            found.push(Instruction { address, labels: std::mem::take(&mut labels), text: text.to_owned(), line });
        } else if let Some(number) = row.strip_prefix(LINE) {
            line = number.parse().ok()?;
        } else if let Some(label) = row.strip_prefix(LABEL) {
            labels.push(label.to_owned());
        } else {
            break;
        }
    }
    Some((figures, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_come_back_from_comments() {
        let instruction = |address, labels: &[&str], text: &str, line| {
            let labels = labels.iter().map(|label| (*label).to_owned()).collect();
            Instruction { address, labels, text: text.to_owned(), line }
        };
        let listing = vec![
            instruction(0, &[], "S2R R0, SR_TID.X", 0),
            instruction(16, &[".L_x_1"], "@P0 BRA `(.L_x_1)", 7),
            instruction(32, &[".L_x_2", "f"], "EXIT", 7),
        ];
        let ptx = format!(".entry q()\n// machine code: q sm_90a 8 0 0 0 0\n{}//@ other\n", comments("q", &listing));
        let figures = MachineCode { target: "sm_90a".to_owned(), registers: 8, ..MachineCode::default() };
        assert_eq!(kept(&ptx, "q"), Some((figures, listing)));
        assert_eq!(kept(&ptx, "other"), None);
        assert_eq!(kept(".entry q()\n", "q"), None);
    }
}
