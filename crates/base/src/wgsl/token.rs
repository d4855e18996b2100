//! A minimal WGSL lexer, without comments and spaces: enough to look for declarations.

use std::ops::Range;

/// The next token from `at` on: a word, or any other single character.
pub(super) fn token(source: &str, at: usize) -> Option<Range<usize>> {
    let start = skip_blank(source, at)?;
    let rest = &source[start..];
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let length = if word > 0 { word } else { rest.chars().next()?.len_utf8() };
    Some(start..start + length)
}

/// The words of `source`, and each other character but blanks by itself, without comments.
pub fn tokens(source: &str) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let token = token(source, at)?;
        at = token.end;
        Some(&source[token])
    })
}

/// The first byte from `at` on that is neither space nor comment.
fn skip_blank(source: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = source.get(at..)?;
        at += rest.len() - rest.trim_start().len();
        let rest = &source[at..];
        if rest.is_empty() {
            return None;
        } else if rest.starts_with("//") {
            at += rest.find('\n')?;
        } else if rest.starts_with("/*") {
            at += comment(rest)?;
        } else {
            return Some(at);
        }
    }
}

/// The length of the block comment that `text` starts with; comments nest.
fn comment(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(rest) = text.as_bytes().get(at..at + 2) {
        match rest {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {
                at += 1;
                continue;
            }
        }
        at += 2;
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_tokens() {
        let found: Vec<&str> = tokens("let é_1 = a<f16>; // b\n/* c */ }").collect();
        assert_eq!(found, ["let", "é_1", "=", "a", "<", "f16", ">", ";", "}"]);
    }
}
