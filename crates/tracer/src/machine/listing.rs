//! The instructions in what `nvdisasm` prints.

use super::Instruction;

/// Begins the header of a function's section.
const SECTION: &str = ".section\t.text.";
/// Begins a comment on the line that instructions come from.
const PLACE: &str = "//## File ";

/// The instructions of the kernel `entry` in what `nvdisasm -gi -c` prints, without those that pad its end. `line` is the line of the
/// kernel's text at which a line of a file is shown.
#[must_use]
pub fn instructions(text: &str, entry: &str, line: &dyn Fn(&str, u32) -> Option<u32>) -> Vec<Instruction> {
    let mut found = Vec::new();
    let (mut inside, mut labels, mut places) = (false, Vec::new(), Places::default());
    for row in text.lines().map(str::trim) {
        if let Some(section) = row.strip_prefix(SECTION) {
            inside = section.split(',').next() == Some(entry);
        } else if !inside {
        } else if let Some(place) = row.strip_prefix(PLACE) {
            places.read(place, line);
        } else if let Some(label) =
            row.strip_suffix(':').filter(|label| !label.starts_with(".text.") && *label != entry)
        {
            // A function of the compiler's own, which has no lines.
            if label.starts_with('$') {
                places = Places::default();
            }
            labels.push(label.to_owned());
        } else if let Some((address, text)) = instruction(row) {
            let labels = std::mem::take(&mut labels);
            found.push(Instruction { address, labels, text, line: places.shown.unwrap_or(0) });
        }
    }
    while found.last().is_some_and(pads) {
        found.pop();
    }
    found
}

/// Whether an instruction at the end is never reached: one that does nothing, or a jump to itself.
fn pads(last: &Instruction) -> bool {
    last.opcode() == "NOP" || last.labels.iter().any(|label| last.text == format!("BRA `({label})"))
}

/// The address and the text of an instruction: `/*00b0*/  @!P0 LDG.E R0, desc[UR6][R2.64] ;`.
fn instruction(row: &str) -> Option<(u32, String)> {
    let (address, text) = row.strip_prefix("/*")?.split_once("*/")?;
    let address = u32::from_str_radix(address, 16).ok()?;
    let text = text.split(';').next()?.trim();
    (!text.is_empty()).then(|| (address, text.split_whitespace().collect::<Vec<_>>().join(" ")))
}

/// The place of the next instructions: a row for each function that was inlined, the innermost first; the last one is
/// inlined nowhere.
#[derive(Default)]
struct Places {
    /// The innermost line that is shown.
    shown: Option<u32>,
    /// Whether further rows of the same place follow.
    goes_on: bool,
}

impl Places {
    /// Reads `"rows.cuh", line 25 inlined at "flash.cu", line 225`.
    fn read(&mut self, row: &str, line: &dyn Fn(&str, u32) -> Option<u32>) {
        if !self.goes_on {
            self.shown = None;
        }
        self.goes_on = row.contains(" inlined at ");
        let mut quoted = row.splitn(3, '"').skip(1);
        let (Some(file), Some(rest)) = (quoted.next(), quoted.next()) else { return };
        let digits = rest.trim_start_matches(", line ");
        let digits = &digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())];
        // Line 0 is what the compiler added by itself.
        let number = digits.parse().ok().filter(|number| *number > 0);
        self.shown = self.shown.or_else(|| line(file, number?));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
//--------------------- .text.other          --------------------------
\t.section\t.text.other,\"ax\",@progbits
other:
.text.other:
        /*0000*/                   EXIT ;
\t.section\t.text._Z1kPf,\"ax\",@progbits
\t.align\t128
_Z1kPf:
.text._Z1kPf:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
\t//## File \"part.cuh\", line 3 inlined at \"k.cu\", line 8
\t//## File \"k.cu\", line 8
        /*0010*/              @!P0 LDG.E.CONSTANT   R0, desc[UR6][R2.64] ;
.L_x_1:
\t//## File \"math.h\", line 3 inlined at \"k.cu\", line 9
\t//## File \"k.cu\", line 9
        /*0020*/               @P0 BRA `(.L_x_1) ;
\t//## File \"k.cu\", line 0
        /*0030*/                   EXIT ;
\t//## File \"k.cu\", line 9
$__internal_0:
        /*0040*/                   RET.REL.NODEC R4 `(_Z1kPf) ;
.L_x_2:
        /*0050*/                   BRA `(.L_x_2);
        /*0060*/                   NOP;
";

    #[test]
    fn instructions_have_the_innermost_line_that_is_shown() {
        let line = |file: &str, line: u32| match file {
            "k.cu" => Some(line),
            "part.cuh" => Some(100 + line),
            _ => None,
        };
        let found = instructions(TEXT, "_Z1kPf", &line);
        let rows: Vec<_> = found.iter().map(|i| (i.address, i.line, i.opcode(), i.text.as_str())).collect();
        assert_eq!(
            rows,
            [
                (0, 0, "LDC", "LDC R1, c[0x0][0x28]"),
                (16, 103, "LDG", "@!P0 LDG.E.CONSTANT R0, desc[UR6][R2.64]"),
                (32, 9, "BRA", "@P0 BRA `(.L_x_1)"),
                (48, 0, "EXIT", "EXIT"),
                (64, 0, "RET", "RET.REL.NODEC R4 `(_Z1kPf)"),
            ]
        );
        assert_eq!(found[2].labels, [".L_x_1"]);
        assert!(instructions(TEXT, "none", &line).is_empty());
    }
}
