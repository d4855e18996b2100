//! Escaping words and formatting numbers for XML and HTML.

/// `text` for XML and HTML, in elements and in quoted attributes. Characters that XML forbids, or that steer a
/// terminal, become U+FFFD.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// A coordinate with at most two decimals.
#[must_use]
pub fn number(value: f32) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.5, -0.001, 12.0, 1.239, f32::NAN].map(number), ["0.5", "0", "12", "1.24", "0"]);
    }

    #[test]
    fn markup_becomes_words() {
        assert_eq!(escape("<a b='c'>&\"\u{0}\u{9b}\n"), "&lt;a b=&#39;c&#39;&gt;&amp;&quot;\u{fffd}\u{fffd}\n");
    }
}
