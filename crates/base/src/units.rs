//! Formatting quantities: three significant digits and an SI prefix.

use serde::{Deserialize, Serialize};

/// The minimum cost of some work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes to move.
    pub bytes: f64,
    /// Floating-point operations.
    pub flops: f64,
}

impl std::ops::Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, flops: self.flops + other.flops }
    }
}

impl Work {
    /// As much as `times` of it.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a count of launches")]
    pub fn times(self, times: u64) -> Self {
        Self { bytes: self.bytes * times as f64, flops: self.flops * times as f64 }
    }

    /// Both after `seconds`: bytes and operations per second.
    #[must_use]
    pub fn per_second(self, seconds: f64) -> Self {
        Self { bytes: self.bytes / seconds, flops: self.flops / seconds }
    }
}

/// `value` with three significant digits and an SI prefix before `unit`: `si(3.2e9, "B/s")` is `3.20 GB/s`.
///
/// Digits are kept even where they are zeros, so that a figure that changes does not change its width.
#[must_use]
pub fn si(value: f64, unit: &str) -> String {
    const PREFIXES: [&str; 9] = ["n", "µ", "m", "", "k", "M", "G", "T", "P"];
    if !value.is_finite() {
        return format!("{value} {unit}").trim_end().to_owned();
    }
    if value == 0.0 {
        return format!("0 {unit}").trim_end().to_owned();
    }
    let mut index = 3_i32;
    let mut scaled = value;
    // Rounding first keeps 999.6 from becoming "1000".
    while round3(scaled).abs() >= 1000.0 && index < 8 {
        scaled /= 1000.0;
        index += 1;
    }
    while round3(scaled).abs() < 1.0 && index > 0 {
        scaled *= 1000.0;
        index -= 1;
    }
    let prefix = usize::try_from(index).map_or("", |i| PREFIXES[i]);
    let text = digits3(scaled);
    if prefix.is_empty() && unit.is_empty() { text } else { format!("{text} {prefix}{unit}") }
}

/// Three significant digits without a prefix: `12.4`, `0.985`, `1,230`.
#[must_use]
pub fn digits3(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded = round3(value);
    if rounded.abs() >= 1e15 {
        return format!("{rounded:.2e}");
    }
    let exponent = rounded.abs().log10().floor();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 0..=12 just before")]
    let decimals = (2.0 - exponent).clamp(0.0, 12.0) as usize;
    if decimals == 0 { group_digits(rounded) } else { format!("{rounded:.decimals$}") }
}

/// A whole number with its thousands separated: `1,048,576`.
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// `value` in `unit`: `%` is of a ratio, `x` a factor, empty a plain number, anything else takes an SI prefix.
#[must_use]
pub fn figure(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{}%", digits3(value * 100.0)),
        "x" => format!("{}×", digits3(value)),
        "" => number(value),
        unit => si(value, unit),
    }
}

/// A count of things: "1 warp", "2,048 warps". `thing` is one of them.
#[must_use]
pub fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number), if number == 1 { "" } else { "s" })
}

/// The range between two values, in words: "1.77 to 2.10×", "0.9 µs to 1.2 ms"; one figure if both read alike.
#[must_use]
pub fn range(low: f64, high: f64, unit: &str) -> String {
    let (low, high) = (figure(low, unit), figure(high, unit));
    if low == high {
        return low;
    }
    let end = |text: &str| text.find(|c: char| !matches!(c, '0'..='9' | '.' | ',' | '-' | '−')).unwrap_or(text.len());
    let (cut, of_high) = (end(&low), end(&high));
    let shared = low[cut..] == high[of_high..];
    format!("{} to {high}", if shared { &low[..cut] } else { &low })
}

/// A plain number: whole ones with their thousands separated, others with three digits.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be a whole number below 2^53")]
pub fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 {
        let digits = count(value.abs() as u64);
        if value < 0.0 { format!("−{digits}") } else { digits }
    } else {
        digits3(value)
    }
}

/// Parses a value in `unit` as people write it: `80%` or `80` of a ratio is 0.8, `1,024` a count, `2.5 kB` 2,500 bytes.
/// None if it is no finite number.
#[must_use]
pub fn read_figure(text: &str, unit: &str) -> Option<f64> {
    const PREFIXES: [(&str, f64); 9] = [
        ("k", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("P", 1e15),
        ("m", 1e-3),
        ("µ", 1e-6),
        ("u", 1e-6),
        ("n", 1e-9),
    ];
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    let plain = plain.replace('−', "-");
    let sign = if unit == "x" && plain.ends_with('×') { "×" } else { unit };
    let digits = plain.strip_suffix(sign).unwrap_or(&plain);
    let prefix = PREFIXES.iter().find(|(prefix, _)| !matches!(unit, "%" | "x") && digits.ends_with(prefix));
    let (digits, scale) =
        prefix.map_or((digits, 1.0), |(prefix, scale)| (&digits[..digits.len() - prefix.len()], *scale));
    // Rust reads words such as "infinity", too.
    let is_number = digits.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.'));
    let value: f64 = digits.parse().ok().filter(|_| is_number)?;
    Some(value * scale / if unit == "%" { 100.0 } else { 1.0 }).filter(|value| value.is_finite())
}

fn group_digits(value: f64) -> String {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates; larger figures carry a prefix"
    )]
    let whole = count(value.abs() as u64);
    if value < 0.0 { format!("-{whole}") } else { whole }
}

/// `value` with three significant digits.
#[must_use]
pub fn round3(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let scale = 10_f64.powf(2.0 - value.abs().log10().floor());
    (value * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_prefix() {
        assert_eq!(si(3.2e9, "B/s"), "3.20 GB/s");
        assert_eq!(si(12.4e-6, "s"), "12.4 µs");
        assert_eq!(si(999.6, "B"), "1.00 kB");
        assert_eq!(si(0.0, "s"), "0 s");
        assert_eq!(si(-2.5e-3, "s"), "-2.50 ms");
        assert_eq!(si(1.0, ""), "1.00");
    }

    #[test]
    fn what_people_write_is_read() {
        for (text, unit, value) in [
            ("80%", "%", 0.8),
            (" 80 ", "%", 0.8),
            ("1,024", "", 1024.0),
            ("8.5", "", 8.5),
            ("2.5 kB", "B", 2500.0),
            ("16", "B", 16.0),
            ("1.3×", "x", 1.3),
            ("1.3x", "x", 1.3),
            ("−3e2", "", -300.0),
            ("12 µs", "s", 12e-6),
            ("4.1 TB/s", "B/s", 4.1e12),
        ] {
            let read = read_figure(text, unit);
            assert!(read.is_some_and(|read| (read - value).abs() <= 1e-12 * value.abs()), "{text}: {read:?}");
        }
        for text in ["", "x", "NaN", "inf", "-inf", "1e999", "1..2", "twelve", "k"] {
            assert_eq!(read_figure(text, "B"), None, "{text}");
        }
    }

    #[test]
    fn figures_by_unit() {
        assert_eq!(figure(0.8, "%"), "80.0%");
        assert_eq!(figure(2.0, "x"), "2.00×");
        assert_eq!(figure(1_048_576.0, ""), "1,048,576");
        assert_eq!(figure(5.5, ""), "5.50");
        assert_eq!(figure(3.0e12, "B/s"), "3.00 TB/s");
    }

    #[test]
    fn ranges_name_their_unit_once() {
        assert_eq!(range(1.77, 2.1, "x"), "1.77 to 2.10×");
        assert_eq!(range(4.4e-5, 5.03e-5, "s"), "44.0 to 50.3 µs");
        assert_eq!(range(9e-7, 1.2e-3, "s"), "900 ns to 1.20 ms");
        assert_eq!(range(0.02, 0.0200001, "%"), "2.00%");
        assert_eq!(range(2.0, 4096.0, ""), "2 to 4,096");
    }

    #[test]
    fn grouped_counts() {
        assert_eq!(count(1_048_576), "1,048,576");
        assert_eq!(count(12), "12");
        assert_eq!(digits3(1234.0), "1,230");
        assert_eq!(digits3(0.98512), "0.985");
    }
}
