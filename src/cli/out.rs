//! Writing to the terminal: the only file that does.

use std::io::Write;
use std::process::ExitCode;

use serde::Serialize;

use crate::base::diag::Diagnostic;
use crate::base::sanitize::{harmless, harmless_json};
use crate::trace::record::Warning;

pub const DONE: ExitCode = ExitCode::SUCCESS;
/// Done, and something failed its check.
pub const FAILED: ExitCode = ExitCode::FAILURE;
/// Bad usage or input.
pub const MISUSED: u8 = 2;

/// Writes a line to standard output. A closed pipe ends the program quietly, as a reader that has seen enough wants;
/// anything else that goes wrong there ends it with a message.
pub fn line(text: &str) {
    print(&harmless(text));
}

fn print(text: &str) {
    bytes(format!("{text}\n").as_bytes());
}

/// Writes bytes to standard output as they are.
#[expect(clippy::disallowed_methods, reason = "commands hold nothing that a destructor must put in order")]
pub fn bytes(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            note(&format!("error: standard output cannot be written to: {error}"));
            std::process::exit(1);
        }
    }
}

/// Writes a value as JSON to standard output.
pub fn json(value: &impl Serialize) {
    json_text(value).iter().for_each(|text| print(text));
}

/// A value as JSON; None, with a message, if it has no such form.
pub fn json_text(value: &impl Serialize) -> Option<String> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Some(harmless_json(&text).into_owned()),
        Err(error) => {
            note(&format!("error: the result has no JSON form: {error}"));
            None
        }
    }
}

/// Writes a line to standard error. Where nothing can be written there, the results still count.
pub fn note(text: &str) {
    let _ = writeln!(std::io::stderr(), "{}", harmless(text));
}

/// Writes diagnostics to standard error.
pub fn problems(found: &[Diagnostic]) {
    for problem in found {
        note(&problem.to_string());
    }
}

/// Writes to standard error what a reader of the figures should know.
pub fn warnings(found: &[Warning]) {
    for warning in found {
        note(&format!("warning: {}\n  hint: {}", warning.message, warning.hint));
    }
}

/// Reports one diagnostic as something that failed.
pub fn failed(problem: Diagnostic) -> ExitCode {
    problems(&[problem]);
    FAILED
}

/// Reports one diagnostic as bad input.
pub fn misused(problem: Diagnostic) -> ExitCode {
    problems(&[problem]);
    ExitCode::from(MISUSED)
}

/// Columns that a line has at most, where it can be broken.
const WIDTH: usize = 100;

/// A line, cut at the columns that it has at most.
pub fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        None => text.to_owned(),
        Some(_) => text.chars().take(WIDTH - 1).chain(['…']).collect(),
    }
}

/// Words with commas between them, on as many lines as they take; all lines but the first are indented.
pub fn list(words: impl IntoIterator<Item = String>) {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() && text.chars().count() + 3 + word.chars().count() > WIDTH {
            line(&format!("{text},"));
            text = format!("  {word}");
        } else {
            text.push_str(if text.is_empty() { "" } else { ", " });
            text.push_str(&word);
        }
    }
    line(&text);
}

/// Columns of text, each as wide as its widest cell; the first is aligned left, the others right.
pub fn table(rows: &[Vec<String>]) {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0))
        .collect();
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(c, (cell, &width))| if c == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") })
            .collect();
        line(cells.join("  ").trim_end());
    }
}
