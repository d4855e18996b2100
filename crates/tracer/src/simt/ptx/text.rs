//! The tokens of PTX text.

use warpbook_base::diag::Diagnostic;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name, a directive, an opcode with its suffixes, or a register.
    Word(&'a str),
    /// An integer or the bits of a float.
    Number(Number),
    /// A text in quotes, without them.
    Text(&'a str),
    /// Any other character.
    Mark(char),
}

/// A literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// An integer, modulo 2^64.
    Whole(u64),
    /// The bits of an `f32` (`0f…`).
    Single(u32),
    /// The bits of an `f64` (`0d…`), or a decimal fraction.
    Double(u64),
}

/// A token and the line that it is in, from 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot<'a> {
    pub token: Token<'a>,
    pub line: u32,
}

/// Splits `text` into tokens; comments are left out, and so are source lines within inline assembly: there LLVM gives
/// the line of the statement that follows.
///
/// # Errors
/// A comment or a text in quotes that does not end, or a number that is none, with its line in `file`.
pub(super) fn tokens<'a>(file: &str, text: &'a str) -> Result<Vec<Spot<'a>>, Diagnostic> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut i, mut line, mut is_inline) = (0, 1_u32, false);
    let end_of_line = |i: usize| text[i..].find('\n').map_or(text.len(), |n| i + n);
    let failed = |line: u32, why: &str| Err(super::at_line(Diagnostic::error(why), file, line));
    while let Some(&byte) = bytes.get(i) {
        match byte {
            b'\n' => {
                line += 1;
                i += 1;
            }
            b' ' | b'\t' | b'\r' => i += 1,
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                let end = end_of_line(i);
                match text[i + 2..end].trim() {
                    "begin inline asm" => is_inline = true,
                    "end inline asm" => is_inline = false,
                    _ => {}
                }
                i = end;
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                let Some(end) = text[i + 2..].find("*/") else {
                    return failed(line, "this comment does not end");
                };
                line += lines(&text[i..i + 2 + end]);
                i += end + 4;
            }
            b'"' => {
                let Some(end) = text[i + 1..].find('"') else {
                    return failed(line, "this text in quotes does not end");
                };
                out.push(Spot { token: Token::Text(&text[i + 1..=i + end]), line });
                line += lines(&text[i..i + end]);
                i += end + 2;
            }
            b'0'..=b'9' => {
                let end = end_of(text, i, |c| c.is_ascii_alphanumeric() || c == '.');
                let Some(number) = number(&text[i..end]) else {
                    return failed(line, &format!("`{}` is not a number", clip(&text[i..end])));
                };
                out.push(Spot { token: Token::Number(number), line });
                i = end;
            }
            byte if is_start(byte) => {
                let end = end_of_word(text, i);
                if is_inline && &text[i..end] == ".loc" {
                    i = end_of_line(i);
                    continue;
                }
                out.push(Spot { token: Token::Word(&text[i..end]), line });
                i = end;
            }
            _ => {
                let Some(mark) = text[i..].chars().next() else { break };
                out.push(Spot { token: Token::Mark(mark), line });
                i += mark.len_utf8();
            }
        }
    }
    Ok(out)
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX)
}

/// The first characters of `text`, for a message.
fn clip(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}

fn is_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$' | b'%' | b'.')
}

fn end_of(text: &str, start: usize, more: impl Fn(char) -> bool) -> usize {
    text[start..].find(|c| !more(c)).map_or(text.len(), |n| start + n)
}

/// The end of a word, in which `::` joins two parts (`.shared::cta`).
fn end_of_word(text: &str, start: usize) -> usize {
    let mut end = start;
    loop {
        end = end_of(text, end, |c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%' | '.'));
        match text[end..].strip_prefix("::") {
            Some(_) => end += 2,
            None => return end,
        }
    }
}

fn number(word: &str) -> Option<Number> {
    let lower = word.to_ascii_lowercase();
    if let Some(bits) = lower.strip_prefix("0f").filter(|bits| bits.len() == 8) {
        return u32::from_str_radix(bits, 16).ok().map(Number::Single);
    }
    if let Some(bits) = lower.strip_prefix("0d").filter(|bits| bits.len() == 16) {
        return u64::from_str_radix(bits, 16).ok().map(Number::Double);
    }
    if lower.contains('.') {
        return lower.parse::<f64>().ok().map(|value| Number::Double(value.to_bits()));
    }
    let digits = lower.strip_suffix('u').unwrap_or(&lower);
    let (radix, digits) = match (digits.strip_prefix("0x"), digits.strip_prefix("0b"), digits.strip_prefix('0')) {
        (Some(hex), ..) => (16, hex),
        (_, Some(bits), _) => (2, bits),
        (_, _, Some(octal)) if !octal.is_empty() => (8, octal),
        _ => (10, digits),
    };
    u64::from_str_radix(digits, radix).ok().map(Number::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Token<'_>> {
        tokens("t.ptx", text).map(|spots| spots.into_iter().map(|s| s.token).collect()).unwrap_or_default()
    }

    #[test]
    fn words_numbers_and_marks() {
        use Token::{Mark, Number as N, Text, Word};
        assert_eq!(
            of("@%p1 ld.shared::cta.v2.f32 {%f1, _}, [%rd1+-4]; // end"),
            [
                Mark('@'),
                Word("%p1"),
                Word("ld.shared::cta.v2.f32"),
                Mark('{'),
                Word("%f1"),
                Mark(','),
                Word("_"),
                Mark('}'),
                Mark(','),
                Mark('['),
                Word("%rd1"),
                Mark('+'),
                Mark('-'),
                N(Number::Whole(4)),
                Mark(']'),
                Mark(';'),
            ]
        );
        assert_eq!(
            of(".loc 1 10\n// begin inline asm\n.loc 1 11\nmov;\n// end inline asm\n.loc 1 12"),
            of(".loc 1 10 mov; .loc 1 12")
        );
        assert_eq!(of("$L__BB0_2: /* a\nb */ \"x y\""), [Word("$L__BB0_2"), Mark(':'), Text("x y")]);
        assert_eq!(
            of("0x1F 017 9U 0b11 0f3F800000 0d3FF0000000000000 1.5"),
            [
                N(Number::Whole(31)),
                N(Number::Whole(15)),
                N(Number::Whole(9)),
                N(Number::Whole(3)),
                N(Number::Single(0x3F80_0000)),
                N(Number::Double(1.0_f64.to_bits())),
                N(Number::Double(1.5_f64.to_bits())),
            ]
        );
    }

    #[test]
    fn lines_are_counted_and_mistakes_named() {
        let spots = tokens("t.ptx", "a\n/* \n */ b\nc").unwrap_or_default();
        assert_eq!(spots.iter().map(|s| s.line).collect::<Vec<_>>(), [1, 3, 4]);
        for (text, said) in [("a\n/* b", "t.ptx:2:1"), ("\"x", "does not end"), ("\n\n09z", "t.ptx:3:1")] {
            let failed = tokens("t.ptx", text).err().map(|d| d.to_string()).unwrap_or_default();
            assert!(failed.contains(said), "{failed}");
        }
    }
}
