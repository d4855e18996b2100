//! Text without terminal control characters, for printed output and for notes that are read in a terminal.

use std::borrow::Cow;

/// The characters by which a site marks texts that its pages keep up to date; a pack's own are replaced when it is read.
pub const MARKS: [char; 3] = ['\u{e000}', '\u{e001}', '\u{e002}'];

/// The text with U+FFFD for each control character but line feed and tab: titles, names of files and sources may hold
/// any.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(steers) { text.replace(steers, "\u{fffd}").into() } else { text.into() }
}

/// A text in JSON with each control character that JSON allows in strings, such as U+009B, as an escape of it.
#[must_use]
pub fn harmless_json(json: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !json.contains(steers) {
        return json.into();
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        if steers(c) {
            text.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            text.push(c);
        }
    }
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_replaced() {
        assert_eq!(harmless("a\u{1b}[31mb\0c\u{9b}d\r\n\te"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\u{fffd}\n\te");
        assert_eq!(harmless("plain é"), "plain é");
        let text = "a\u{9b}b\u{7f}\u{1b}é\n";
        let json = serde_json::to_string(text).expect("a string");
        assert_eq!(harmless_json(&json), "\"a\\u009bb\\u007f\\u001bé\\n\"");
        assert_eq!(serde_json::from_str::<String>(&harmless_json(&json)).ok().as_deref(), Some(text));
    }
}
