//! Directives of C++ that name files, for where the compiler cannot be kept from opening them.
//!
//! Lines are read as the language has them: a backslash at a line's end joins it with the next one, comments are
//! spaces, `%:` is `#` (C++ standard, [lex.phases], [lex.digraph]).

/// Refuses a text with a directive that could open a file which is neither the compiler's nor given with the text: by a
/// path that begins at the root or leads upward, by a macro, or in a form that is not known.
///
/// # Errors
/// The directive.
pub(super) fn check(text: &str) -> Result<(), String> {
    for line in plain(text).lines() {
        let Some(directive) = line.trim_start().strip_prefix('#').or_else(|| line.trim_start().strip_prefix("%:"))
        else {
            if line.contains("_Pragma") || line.contains("__has_include") || line.contains("__has_embed") {
                return Err(refused(line));
            }
            continue;
        };
        let directive = directive.trim();
        let word = directive.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let operand = directive[word.len()..].trim();
        let is_harmless = match word {
            "include" => names_a_header(operand),
            "include_next" | "import" | "embed" => false,
            _ => {
                !operand.contains("__has_include")
                    && !operand.contains("__has_embed")
                    && !operand.starts_with("include_alias")
            }
        };
        if !is_harmless {
            return Err(refused(line));
        }
    }
    Ok(())
}

fn refused(line: &str) -> String {
    format!("`{}` may open a file that is not the compiler's, and this system cannot keep it from that", line.trim())
}

/// Whether an operand is a path in quotes or brackets that stays below the folders of headers.
fn names_a_header(operand: &str) -> bool {
    let path = operand
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
        .or_else(|| operand.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')));
    path.is_some_and(|path| {
        let leaves = path.split(['/', '\\']).any(|part| part == "..");
        !leaves && !path.starts_with(['/', '\\']) && !path.contains(':')
    })
}

/// A text with its lines joined and without comments.
fn plain(text: &str) -> String {
    let text = text.replace("\\\r\n", "").replace("\\\n", "").replace("??=", "#");
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quote = None;
    while let Some(c) = chars.next() {
        match (quote, c, chars.peek()) {
            (None, '/', Some('/')) => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            (None, '/', Some('*')) => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    if c == '\n' {
                        out.push('\n');
                    }
                    last = c;
                }
                out.push(' ');
            }
            (Some(_), '\\', Some(_)) => {
                out.push(c);
                out.extend(chars.next());
            }
            (_, '\n', _) => {
                // A literal ends with its line.
                quote = None;
                out.push(c);
            }
            (None, '"' | '\'', _) => {
                quote = Some(c);
                out.push(c);
            }
            (Some(open), c, _) if c == open => {
                quote = None;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_headers_is_refused_in_every_spelling() {
        for text in [
            "#include \"/etc/passwd\"",
            "  #  include   </etc/passwd>",
            "%:include \"/etc/passwd\"",
            "??=include \"/etc/passwd\"",
            "/* a */ #include /* b */ \"../../token\"",
            "#inc\\\nlude \"/etc/passwd\"",
            "#define X \"/etc/passwd\"\n#include X",
            "#include_next <token>",
            "#embed \"/etc/passwd\"",
            "#if __has_include(\"/etc/passwd\")\n#endif",
            "#include <a/../../token>",
            "#include \"C:/token\"",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
        for text in [
            "#include <cuda_fp16.h>\n#include \"row_sum.cuh\" // its sum",
            "#pragma unroll\n#define N 4\n#if N > 2\n#endif",
            "const char* s = \"#include /etc\"; // #include \"/etc/passwd\"",
            "/* #include \"/etc/passwd\" */ int x = 'a';",
        ] {
            assert_eq!(check(text), Ok(()), "{text}");
        }
    }
}
