//! How wide a text will be, estimated without a font, so that layout is the same in every output.

/// The estimated width of `text` at `size` points. On the wide side for common sans-serif faces.
#[must_use]
pub fn width(text: &str, size: f32, mono: bool) -> f32 {
    text.chars().map(|c| if mono { 0.61 } else { em(c) }).sum::<f32>() * size
}

/// `text`, or as much of it as fits in `room` points, with an ellipsis in place of the rest.
#[must_use]
pub fn fit(text: &str, size: f32, mono: bool, room: f32) -> String {
    if width(text, size, mono) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size, mono);
    let kept = text.char_indices().rev().map(|(end, _)| text[..end].trim_end());
    kept.into_iter().find(|kept| width(kept, size, mono) <= room).map_or_else(String::new, |kept| format!("{kept}…"))
}

/// `text` broken at spaces into lines of at most `room` points. A longer word has a line of its own.
#[must_use]
pub fn wrap(text: &str, size: f32, room: f32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size, false) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// The advance of a character in ems, by class; in proportion to those of wide faces such as Verdana.
fn em(c: char) -> f32 {
    match c {
        'i' | 'j' | 'l' | '\'' | '.' | ',' | ':' | ';' | '|' | '!' | '·' | ' ' => 0.32,
        'f' | 'r' | 't' | '(' | ')' | '[' | ']' | '/' | '-' => 0.40,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 0.95,
        'A'..='Z' => 0.70,
        'a'..='z' | '0'..='9' => 0.61,
        _ if c.is_ascii() => 0.65,
        '−' => 0.8,
        // Beyond Latin a character may fill the em.
        '\u{80}'..='\u{2ff}' | '\u{370}'..='\u{3ff}' | '\u{2010}'..='\u{209f}' => 0.65,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits() {
        let long = "a rather long title that cannot fit";
        let cut = fit(long, 12.0, false, 100.0);
        assert!(cut.ends_with('…') && width(&cut, 12.0, false) <= 100.0, "{cut}");
        assert_eq!(fit("short", 12.0, false, 100.0), "short");
        assert_eq!(fit("nothing", 12.0, false, 1.0), "");
    }

    #[test]
    fn lines_fit_and_lose_no_word() {
        let lines = wrap("one two three four five six", 12.0, 60.0);
        assert!(lines.len() > 1 && lines.iter().all(|l| width(l, 12.0, false) <= 60.0));
        assert_eq!(lines.join(" "), "one two three four five six");
    }
}
