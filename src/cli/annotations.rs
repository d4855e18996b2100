//! Failed conditions and findings at their lines, for the programs that show code: SARIF, and GitHub's annotations.

use std::path::Path;

use serde_json::{Value, json};

use crate::base::diag::{Diagnostic, Place};
use crate::base::store;

/// Something to show at a line.
pub(super) struct Annotation {
    /// The rule that it breaks: a condition, or a kind of finding.
    pub rule: String,
    pub message: String,
    pub place: Place,
    /// Whether it fails the command.
    pub fails: bool,
}

/// Writes a SARIF log (<https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>).
///
/// # Errors
/// A file that cannot be written.
pub(super) fn write_sarif(file: &Path, found: &[Annotation]) -> Result<(), Diagnostic> {
    let mut rules: Vec<&str> = found.iter().map(|annotation| annotation.rule.as_str()).collect();
    rules.sort_unstable();
    rules.dedup();
    let result = |annotation: &Annotation| {
        let Place { file, line, column } = &annotation.place;
        json!({
            "ruleId": annotation.rule,
            "level": if annotation.fails { "error" } else { "warning" },
            "message": {"text": annotation.message},
            "locations": [{"physicalLocation": {
                "artifactLocation": {"uri": uri(file)},
                "region": {"startLine": line, "startColumn": column},
            }}],
        })
    };
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "warpbook",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| json!({"id": rule})).collect::<Vec<Value>>(),
            }},
            "results": found.iter().map(result).collect::<Vec<Value>>(),
        }],
    });
    store::write_atomic(file, format!("{log:#}\n").as_bytes())
}

/// A path as a relative reference of a URI.
fn uri(path: &str) -> String {
    let mut text = String::new();
    for byte in path.bytes() {
        match byte {
            b'\\' => text.push('/'),
            b'/' | b'.' | b'-' | b'_' | b'~' => text.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The line that has GitHub show an annotation
/// (<https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands>).
pub(super) fn github(annotation: &Annotation) -> String {
    let data = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| data(text).replace(':', "%3A").replace(',', "%2C");
    let Annotation { rule, message, place: Place { file, line, column }, fails } = annotation;
    let level = if *fails { "error" } else { "warning" };
    format!("::{level} file={},line={line},col={column},title={}::{}", property(file), property(rule), data(message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_in_a_workflow_command_are_escaped() {
        let place = Place { file: "a,b.cu".to_owned(), line: 3, column: 5 };
        let (rule, message) = ("races == 0".to_owned(), "50 % of\nlanes: one".to_owned());
        let said = github(&Annotation { rule, message, place, fails: true });
        assert_eq!(said, "::error file=a%2Cb.cu,line=3,col=5,title=races == 0::50 %25 of%0Alanes: one");
        assert_eq!(uri("my kernels\\a.cu"), "my%20kernels/a.cu");
    }
}
