//! Bytes of a text as characters in cells, and how wide they are.

/// Width of a character, and of one that fills a square.
pub(super) const CHARACTER: f32 = 8.2;
const SQUARE: f32 = 13.4;

/// Points of a text in one line.
pub(super) fn wide(text: &str) -> f32 {
    text.chars().map(width).sum()
}

/// Points of a character.
pub(super) fn width(c: char) -> f32 {
    if is_square(c) { SQUARE } else { CHARACTER }
}

/// Whether a character fills a square, as those of Chinese, Japanese and Korean do, and emoji.
fn is_square(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{115f}'
            | '\u{2e80}'..='\u{303e}'
            | '\u{3041}'..='\u{a4cf}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{fe30}'..='\u{fe6f}'
            | '\u{ff00}'..='\u{ff60}'
            | '\u{ffe0}'..='\u{ffe6}'
            | '\u{1f300}'..='\u{1faff}'
            | '\u{20000}'..='\u{3ffff}'
    )
}

/// Bytes as they are shown: spaces and ends of lines by signs of their own, what is no character by its number.
pub(super) fn shown(bytes: &[u8]) -> String {
    let mut words = String::new();
    for chunk in bytes.utf8_chunks() {
        words.extend(chunk.valid().chars().map(|c| match c {
            ' ' => '␣',
            '\n' => '¶',
            c if c.is_control() => '·',
            c => c,
        }));
        words.extend(chunk.invalid().iter().map(|byte| format!("⟨{byte:02x}⟩")));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_character_are_numbers() {
        assert_eq!(shown("é\n".as_bytes()), "é¶");
        assert_eq!(shown(&[0xc3]), "⟨c3⟩");
        assert!(wide("人人") > wide("abc"));
    }
}
