//! Text without the characters that steer a terminal, for what is printed and for notes that are read in one.

use std::borrow::Cow;

/// The text with U+FFFD for each control character but line feed and tab: titles, names of files and sources may hold any.
#[must_use]
pub fn harmless(text: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if text.contains(steers) { text.replace(steers, "\u{fffd}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_replaced() {
        assert_eq!(harmless("a\u{1b}[31mb\0c\u{9b}d\r\n\te"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\u{fffd}\n\te");
        assert_eq!(harmless("plain é"), "plain é");
    }
}
