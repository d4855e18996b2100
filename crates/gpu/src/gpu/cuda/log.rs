//! The compiler's log, read into diagnostics at their file, line and column.

use crate::base::diag::{Diagnostic, Place, Severity};
use crate::base::parts::{Part, parts};
use crate::job::Twin;

/// The errors and warnings in `log`, in order, at their places in the twin and its parts. `of_lesson`: hints speak of
/// lessons. Those of other files, such as CUDA's own headers, are put at the head of the twin's.
pub(super) fn diagnostics(log: &str, twin: &Twin, of_lesson: bool) -> Vec<Diagnostic> {
    let lines: Vec<&str> = log.lines().collect();
    lines.iter().enumerate().filter_map(|(i, line)| finding(line, &lines[i + 1..], twin, of_lesson)).collect()
}

/// The finding that begins in `line`, which goes `file(number): error: message` or
/// `file(number): warning #177-D: message`.
fn finding(line: &str, after: &[&str], twin: &Twin, of_lesson: bool) -> Option<Diagnostic> {
    let (file, rest) = line.split_once('(')?;
    let (number, rest) = rest.split_once("): ")?;
    let number: u32 = number.parse().ok()?;
    let (kind, message) = rest.split_once(": ")?;
    let severity = match kind.split(" #").next()? {
        "error" | "catastrophic error" => Severity::Error,
        "warning" => Severity::Warning,
        _ => return None,
    };
    let diagnostic = Diagnostic { severity, ..Diagnostic::error(message.trim()) };
    let is_meant = |part: &Part<'_>| part.name().unwrap_or(&twin.file) == file;
    let Some(part) = parts(&twin.source).into_iter().find(is_meant) else {
        let message = format!("{} (in {file}, line {number})", diagnostic.message);
        return Some(Diagnostic { message, ..diagnostic }.in_file(&twin.file));
    };
    let column = column(after, part.text, number).unwrap_or(1);
    let place = Some(Place { file: part.file.unwrap_or(file).to_owned(), line: number, column });
    let hint = match diagnostic.message.strip_prefix("identifier \"").and_then(|rest| rest.split_once('"')) {
        Some((name, _)) if name.chars().all(|c| c.is_ascii_uppercase() || c == '_') => Some(match of_lesson {
            true => format!("a constant `{name}` reaches the twin where the lesson's kernel sets it in `constants`"),
            false => format!("give it by --define {name}=VALUE, or include the header that defines it"),
        }),
        _ if diagnostic.message.contains("without execution space annotations") => {
            Some(super::headers::HOST.to_owned())
        }
        _ => missing(&diagnostic.message).map(super::headers::hint),
    };
    Some(Diagnostic { place, hint, ..diagnostic })
}

/// The name of a header that is not found.
fn missing(message: &str) -> Option<&str> {
    message.strip_prefix("cannot open source file \"")?.split('"').next()
}

/// The column that the caret below the quoted line points at. The quotation is indented in its own way.
fn column(after: &[&str], text: &str, number: u32) -> Option<u32> {
    let caret = after.iter().take(3).position(|line| line.trim() == "^")?;
    let quoted = after.get(caret.checked_sub(1)?)?;
    let source = text.lines().nth(usize::try_from(number).ok()?.checked_sub(1)?)?;
    let indent = |line: &str| line.chars().take_while(|c| c.is_whitespace()).count();
    let within = after[caret].chars().take_while(|c| *c != '^').count().checked_sub(indent(quoted))?;
    u32::try_from(indent(source) + within + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn twin() -> Twin {
        let source = "// A copy.\nextern \"C\" __global__ void copy(const float* src, float* dst) {\n    float value = sorc[0];\n    dst[0] = value\n}\n";
        Twin { file: "shaders/copy.cu".into(), source: source.into(), entry: "copy".into(), shipped: None }
    }

    #[test]
    fn errors_and_warnings_come_with_their_places() {
        let log = "shaders/copy.cu(3): error: identifier \"sorc\" is undefined\n      float value = sorc[0];\n                    ^\n\n\
                   shaders/copy.cu(5): error: expected a \";\"\n  }\n  ^\n\n\
                   shaders/copy.cu(3): warning #177-D: variable \"value\" was declared but never referenced\n      float value = sorc[0];\n            ^\n\n\
                   Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n\
                   2 errors detected in the compilation of \"shaders/copy.cu\".\n";
        let found: Vec<String> = diagnostics(log, &twin(), true).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "shaders/copy.cu:3:19: error: identifier \"sorc\" is undefined",
                "shaders/copy.cu:5:1: error: expected a \";\"",
                "shaders/copy.cu:3:11: warning: variable \"value\" was declared but never referenced",
            ]
        );
    }

    #[test]
    fn missing_headers_constants_and_other_files() {
        let log = "shaders/copy.cu(1): catastrophic error: cannot open source file \"no.h\"\n  #include <no.h>\n                 ^\n\n\
                   shaders/copy.cu(3): error: identifier \"STRIDE\" is undefined\n\
                   other.h(7): error #20: identifier \"x\" is undefined\n";
        let found = diagnostics(log, &twin(), true);
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].is_error() && found[0].message.contains("no.h"));
        assert!(found[0].hint.as_ref().is_some_and(|hint| hint.contains("CPATH")), "{}", found[0]);
        assert!(found[1].hint.as_ref().is_some_and(|h| h.contains("`STRIDE`")), "{}", found[1]);
        assert_eq!(
            found[2].to_string(),
            "shaders/copy.cu:1:1: error: identifier \"x\" is undefined (in other.h, line 7)"
        );
        assert_eq!(diagnostics("", &twin(), true), []);
    }

    #[test]
    fn what_is_wrong_in_a_part_is_placed_there() {
        let twin =
            Twin { source: format!("{}// ==== shaders/add.cuh ====\n\n  int add(\n", twin().source).into(), ..twin() };
        let log = "add.cuh(2): error: expected a \")\"\n  int add(\n          ^\n";
        let found: Vec<String> = diagnostics(log, &twin, true).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["shaders/add.cuh:2:11: error: expected a \")\""]);
    }
}
