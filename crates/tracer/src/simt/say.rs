//! Texts that a kernel prints, formatted as C's `printf` does, and its own assertions and traps.

use std::fmt::Write as _;

/// The most that one call prints, in characters.
pub const MAX_TEXT: usize = 1 << 10;
/// The widest that one number is printed.
const MAX_WIDTH: usize = 1 << 8;

/// A print, an assertion or a trap of a kernel.
#[derive(Clone, Debug)]
pub struct Say {
    /// Its kind.
    pub kind: Kind,
    /// The parts of a text that is printed.
    pub pieces: Vec<Piece>,
    /// Source line.
    pub line: u32,
}

/// The kinds of [`Say`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It prints something, and goes on.
    Text,
    /// An assertion with this text failed, which ends the kernel.
    Assertion(String),
    /// It ends the kernel.
    Trap,
    /// It follows a pointer that leads nowhere, the parameter of this name, which ends the kernel.
    Null(String),
    /// It follows an address from memory that leads nowhere, which ends the kernel.
    Nowhere,
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// As it is.
    Text(String),
    /// The value of an argument.
    Value(Conversion),
}

/// How an argument is printed. Arguments are named by their byte in the lane's local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// `-`, `+`, space, `#` and `0`.
    flags: String,
    width: Option<Size>,
    precision: Option<Size>,
    /// The letter.
    letter: char,
    /// Bytes of the value that count.
    bytes: u32,
    at: u32,
}

/// A width or a precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    Fixed(usize),
    Argument(u32),
}

/// Takes the places of arguments, one after the other.
struct Cursor {
    next: u32,
    end: u32,
}

impl Cursor {
    fn take(&mut self, bytes: u32) -> Option<u32> {
        let at = self.next.next_multiple_of(bytes);
        self.next = at.checked_add(bytes)?;
        (self.next <= self.end).then_some(at)
    }
}

/// The parts of a format whose arguments lie in `room`: a first byte of local memory and as many bytes. What is no valid conversion, or has
/// no argument, stays as it is written.
pub fn pieces(format: &str, (start, bytes): (u32, u32)) -> Vec<Piece> {
    let mut room = Cursor { next: start, end: start.saturating_add(bytes) };
    let (mut out, mut text, mut rest) = (Vec::new(), String::new(), format);
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%%") {
            text.push('%');
            rest = after;
            continue;
        }
        match conversion(&rest[1..], &mut room) {
            Some((conversion, after)) => {
                if !text.is_empty() {
                    out.push(Piece::Text(std::mem::take(&mut text)));
                }
                out.push(Piece::Value(conversion));
                rest = after;
            }
            None => {
                text.push('%');
                rest = &rest[1..];
            }
        }
    }
    text.push_str(rest);
    if !text.is_empty() {
        out.push(Piece::Text(text));
    }
    out
}

fn conversion<'t>(text: &'t str, room: &mut Cursor) -> Option<(Conversion, &'t str)> {
    let rest = text.trim_start_matches(['-', '+', ' ', '#', '0']);
    let flags = text[..text.len() - rest.len()].to_owned();
    let (width, rest) = size(rest, room)?;
    let (precision, rest) = match rest.strip_prefix('.') {
        Some(rest) => {
            let (precision, rest) = size(rest, room)?;
            (precision.or(Some(Size::Fixed(0))), rest)
        }
        None => (None, rest),
    };
    let after = rest.trim_start_matches(['h', 'l', 'j', 'z', 't']);
    let length = &rest[..rest.len() - after.len()];
    let letter = after.chars().next()?;
    let (taken, bytes) = match (letter, length) {
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X', "") => (4, 4),
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X', "h") => (4, 2),
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X', "hh") | ('c', _) => (4, 1),
        ('d' | 'i' | 'u' | 'o' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G' | 'a' | 'A' | 's' | 'p', _) => (8, 8),
        _ => return None,
    };
    let at = room.take(taken)?;
    Some((Conversion { flags, width, precision, letter, bytes, at }, &after[letter.len_utf8()..]))
}

fn size<'t>(text: &'t str, room: &mut Cursor) -> Option<(Option<Size>, &'t str)> {
    if let Some(rest) = text.strip_prefix('*') {
        return Some((Some(Size::Argument(room.take(4)?)), rest));
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = &text[..text.len() - rest.len()];
    let size = (!digits.is_empty()).then(|| Size::Fixed(digits.parse().unwrap_or(MAX_WIDTH).min(MAX_WIDTH)));
    Some((size, rest))
}

/// The text of `pieces`. `word` gives a word of the lane's local memory by its byte, `string` the text at an address.
pub fn text(pieces: &[Piece], word: &dyn Fn(u32) -> u32, string: &dyn Fn(u64) -> String) -> String {
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Value(conversion) => out.push_str(&conversion.text(word, string)),
        }
        if out.len() > MAX_TEXT {
            let end = (0..=MAX_TEXT).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
            out.truncate(end);
            out.push('…');
            break;
        }
    }
    out
}

impl Conversion {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    fn text(&self, word: &dyn Fn(u32) -> u32, string: &dyn Fn(u64) -> String) -> String {
        let size = |size: Option<Size>| match size? {
            Size::Fixed(size) => Some(i64::try_from(size).unwrap_or(0)),
            Size::Argument(at) => Some(i64::from(word(at).cast_signed())),
        };
        let bits = match self.bytes {
            8 => u64::from(word(self.at)) | u64::from(word(self.at + 4)) << 32,
            bytes => u64::from(word(self.at)) & (u64::MAX >> (64 - 8 * bytes)),
        };
        let most = MAX_WIDTH as i64;
        // A negative precision is none; a negative width means `-`.
        let precision = size(self.precision).filter(|p| *p >= 0).map(|p| p.min(most) as usize);
        let width = size(self.width).unwrap_or(0).clamp(-most, most);
        let left = self.has('-') || width < 0;
        let width = width.unsigned_abs() as usize;
        let unsigned = 64 - 8 * self.bytes;
        let (sign, digits, is_number) = match self.letter {
            'd' | 'i' => {
                let value = (bits << unsigned).cast_signed() >> unsigned;
                (self.sign(value < 0), padded(value.unsigned_abs().to_string(), precision), precision.is_none())
            }
            'u' => (String::new(), padded(bits.to_string(), precision), precision.is_none()),
            'o' => {
                let digits = padded(format!("{bits:o}"), precision);
                let prefix = if self.has('#') && !digits.starts_with('0') { "0" } else { "" };
                (prefix.to_owned(), digits, precision.is_none())
            }
            'x' => (self.prefix(bits, "0x"), padded(format!("{bits:x}"), precision), precision.is_none()),
            'X' => (self.prefix(bits, "0X"), padded(format!("{bits:X}"), precision), precision.is_none()),
            'c' => (String::new(), char::from(bits as u8).to_string(), false),
            'p' => (String::new(), format!("{bits:#x}"), false),
            's' => {
                let text = string(bits);
                (String::new(), text.chars().take(precision.unwrap_or(usize::MAX)).collect(), false)
            }
            _ => {
                let value = f64::from_bits(bits);
                let sign = self.sign(value.is_sign_negative() && !value.is_nan());
                (sign, self.float(value.abs(), precision), value.is_finite())
            }
        };
        let space = width.saturating_sub(sign.chars().count() + digits.chars().count());
        match (left, self.has('0') && is_number) {
            (true, _) => format!("{sign}{digits}{}", " ".repeat(space)),
            (false, true) => format!("{sign}{}{digits}", "0".repeat(space)),
            (false, false) => format!("{}{sign}{digits}", " ".repeat(space)),
        }
    }

    fn sign(&self, negative: bool) -> String {
        let sign = match negative {
            true => "-",
            false if self.has('+') => "+",
            false if self.has(' ') => " ",
            false => "",
        };
        sign.to_owned()
    }

    fn prefix(&self, bits: u64, prefix: &str) -> String {
        if self.has('#') && bits != 0 { prefix.to_owned() } else { String::new() }
    }

    fn float(&self, value: f64, precision: Option<usize>) -> String {
        let text = match (value.is_nan(), value.is_infinite(), self.letter.to_ascii_lowercase()) {
            (true, ..) => "nan".to_owned(),
            (_, true, _) => "inf".to_owned(),
            (.., 'e') => exponential(value, precision.unwrap_or(6)),
            (.., 'g') => self.shortest(value, precision.unwrap_or(6).max(1)),
            (.., 'a') => hexadecimal(value),
            _ => {
                let precision = precision.unwrap_or(6);
                let point = if self.has('#') && precision == 0 { "." } else { "" };
                format!("{value:.precision$}{point}")
            }
        };
        if self.letter.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
    }

    fn shortest(&self, value: f64, precision: usize) -> String {
        let scientific = exponential(value, precision - 1);
        let exponent: i64 = scientific.rsplit_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
        let places = precision as i64;
        let (text, tail) = if (-4..places).contains(&exponent) {
            (format!("{value:.*}", usize::try_from(places - 1 - exponent).unwrap_or(0)), String::new())
        } else {
            let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "+00"));
            (digits.to_owned(), format!("e{exponent}"))
        };
        let text = match text.contains('.') && !self.has('#') {
            true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
            false => text,
        };
        text + &tail
    }
}

fn padded(digits: String, precision: Option<usize>) -> String {
    let digits = if precision == Some(0) && digits == "0" { String::new() } else { digits };
    let zeros = precision.unwrap_or(0).saturating_sub(digits.len());
    "0".repeat(zeros) + &digits
}

/// C has at least two digits in an exponent, and its sign.
fn exponential(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// A float in hexadecimal, with as many digits as it needs.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52 & 0x7FF) as i64, bits & ((1 << 52) - 1));
    let (first, exponent) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        (exponent, _) => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let mut out = format!("0x{first}");
    if !digits.is_empty() {
        _ = write!(out, ".{digits}");
    }
    _ = write!(out, "p{exponent:+}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of a format with the words of its arguments.
    fn printed(format: &str, words: &[u32]) -> String {
        let bytes = u32::try_from(4 * words.len()).unwrap_or(0);
        let word = |at: u32| words.get(at as usize / 4).copied().unwrap_or(0);
        text(&pieces(format, (0, bytes)), &word, &|address| format!("text {address}"))
    }

    fn float(format: &str, value: f64) -> String {
        let bits = value.to_bits();
        printed(format, &[bits as u32, (bits >> 32) as u32])
    }

    #[test]
    fn integers_are_printed_as_c_does() {
        for (format, word, wanted) in [
            ("%d", u32::MAX, "-1"),
            ("%u", u32::MAX, "4294967295"),
            ("[%5d]", 42, "[   42]"),
            ("[%-5d]", 42, "[42   ]"),
            ("%05d", (-42_i32).cast_unsigned(), "-0042"),
            ("%+d", 7, "+7"),
            ("%.3d", 7, "007"),
            ("%#x", 255, "0xff"),
            ("%08X", 48879, "0000BEEF"),
            ("%#o", 8, "010"),
            ("%hhd", 0x1FF, "-1"),
            ("%hu", 0x1_0002, "2"),
            ("%c", 65, "A"),
            ("100%%", 0, "100%"),
            ("%q %d", 3, "%q 3"),
        ] {
            assert_eq!(printed(format, &[word]), wanted, "{format}");
        }
        assert_eq!(printed("%d %lld", &[1, 0, 5, 1]), "1 4294967301", "a value of 8 bytes lies at a multiple of 8");
        assert_eq!(printed("[%*d]", &[4, 9]), "[   9]");
        assert_eq!(printed("%s", &[3, 0]), "text 3");
        assert_eq!(printed("%d %d", &[1]), "1 %d", "one without an argument");
    }

    #[test]
    fn floats_are_printed_as_c_does() {
        for (format, value, wanted) in [
            ("%f", 1.5, "1.500000"),
            ("%7.2f", -3.26159, "  -3.26"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.1E", 1e-10, "1.0E-10"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 1_234_567.0, "1.23457e+06"),
            ("%g", 100_000.0, "100000"),
            ("%.3g", 2.5, "2.5"),
            ("%a", 1.5, "0x1.8p+0"),
            ("%f", f64::INFINITY, "inf"),
            ("%06f", f64::NEG_INFINITY, "  -inf"),
            ("%F", f64::NAN, "NAN"),
        ] {
            assert_eq!(float(format, value), wanted, "{format}");
        }
    }
}
