//! The words of WGSL and of CUDA C++ by kind, for colouring a line of source.

/// A kind of word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Names, operators, spaces.
    Plain,
    /// Words of the language.
    Keyword,
    Type,
    /// `@…`.
    Attribute,
    Number,
    /// From `//` to the end of the line.
    Comment,
}

const KEYWORDS: [&str; 33] = [
    "alias",
    "break",
    "case",
    "const",
    "const_assert",
    "continue",
    "continuing",
    "default",
    "discard",
    "else",
    "enable",
    "false",
    "fn",
    "for",
    "if",
    "let",
    "loop",
    "override",
    "requires",
    "return",
    "struct",
    "switch",
    "true",
    "var",
    "while",
    "read",
    "read_write",
    "constexpr",
    "extern",
    "__global__",
    "__device__",
    "__shared__",
    "__restrict__",
];

const TYPES: [&str; 24] = [
    "array", "atomic", "bool", "f16", "f32", "i32", "u32", "ptr", "vec2", "vec3", "vec4", "mat2x2", "mat3x3", "mat4x4",
    "vec2f", "vec4f", "vec3u", "vec2u", "void", "float", "int", "unsigned", "float2", "float4",
];

/// The pieces of one line, in order; together they are the line. Block comments are taken line by line as code.
#[must_use]
pub fn pieces(line: &str) -> Vec<(Kind, &str)> {
    let mut pieces = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (kind, length) = if rest.starts_with("//") {
            (Kind::Comment, rest.len())
        } else if first == '@' {
            (Kind::Attribute, 1 + word_length(&rest[1..]))
        } else if first.is_ascii_digit() {
            (Kind::Number, rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len()))
        } else if first.is_alphabetic() || first == '_' {
            let length = word_length(rest);
            let word = &rest[..length];
            let kind = if KEYWORDS.contains(&word) {
                Kind::Keyword
            } else if TYPES.contains(&word) {
                Kind::Type
            } else {
                Kind::Plain
            };
            (kind, length)
        } else {
            let end = rest.char_indices().find(|(i, c)| *i > 0 && begins_word(rest, *i, *c)).map(|(i, _)| i);
            (Kind::Plain, end.unwrap_or(rest.len()))
        };
        let (piece, after) = rest.split_at(length.max(first.len_utf8()));
        pieces.push((kind, piece));
        rest = after;
    }
    pieces
}

fn word_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len())
}

fn begins_word(text: &str, at: usize, c: char) -> bool {
    c == '@' || c == '_' || c.is_alphanumeric() || text[at..].starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_in_pieces() {
        let line = "@compute fn main() { let x: f32 = 4u; } // why é";
        let found = pieces(line);
        assert_eq!(found.iter().map(|(_, t)| *t).collect::<String>(), line);
        assert_eq!(found[0], (Kind::Attribute, "@compute"));
        assert!(found.contains(&(Kind::Keyword, "fn")) && found.contains(&(Kind::Type, "f32")));
        assert!(found.contains(&(Kind::Number, "4u")) && found.contains(&(Kind::Comment, "// why é")));
    }

    proptest::proptest! {
        #[test]
        fn any_line_keeps_all_its_characters(line in "[^\\n]*") {
            let joined: String = pieces(&line).iter().map(|(_, t)| *t).collect();
            proptest::prop_assert_eq!(joined, line);
        }
    }
}
