//! WGSL's `enable subgroups;`. The compiler here knows subgroups without being asked, and stumbles over the directive that
//! the standard demands: it is blanked before compiling, byte for byte, so that all places stay what they are.

use std::borrow::Cow;
use std::ops::Range;

/// `source` with `subgroups` taken out of its `enable` directives.
#[must_use]
pub fn without_enable_subgroups(source: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(source);
    let mut at = 0;
    // Directives come first; anything else ends them.
    while let Some(start) = skip_blank(source, at) {
        let rest = &source[start..];
        let Some(length) = rest.find(';').map(|i| i + 1) else { break };
        let is = |word: &str| rest.strip_prefix(word).is_some_and(|r| r.starts_with([' ', '\t', '\r', '\n', '(']));
        if is("enable") {
            let names = start + "enable".len()..start + length - 1;
            if let Some(blank) = subgroups_in(source, names.clone()) {
                let alone = source[names].trim() == "subgroups";
                overwrite(&mut out, if alone { start..start + length } else { blank });
            }
        } else if !is("requires") && !is("diagnostic") {
            break;
        }
        at = start + length;
    }
    out
}

/// Where the name stands in a list, with one comma beside it.
fn subgroups_in(source: &str, list: Range<usize>) -> Option<Range<usize>> {
    let mut from = list.start;
    for name in source[list.clone()].split(',') {
        let to = from + name.len();
        if name.trim() == "subgroups" {
            return Some(if to < list.end { from..to + 1 } else { from.saturating_sub(1).max(list.start)..to });
        }
        from = to + 1;
    }
    None
}

fn overwrite(out: &mut Cow<'_, str>, range: Range<usize>) {
    let blank: String = out[range.clone()].chars().flat_map(|c| blank(c).chars()).collect();
    out.to_mut().replace_range(range, &blank);
}

fn blank(c: char) -> &'static str {
    match (c, c.len_utf8()) {
        ('\n', _) => "\n",
        ('\r', _) => "\r",
        (_, 1) => " ",
        (_, 2) => "  ",
        (_, 3) => "   ",
        _ => "    ",
    }
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
    fn only_the_directive_goes() {
        for (before, after) in [
            ("enable subgroups;\nfn f() {}", "                 \nfn f() {}"),
            ("/* a /* b */ */ enable\n subgroups ;x", "/* a /* b */ */       \n            x"),
            ("enable f16, subgroups;", "enable f16           ;"),
            ("enable subgroups, f16;", "enable            f16;"),
            ("// é\nrequires a;\nenable f16;\nenable subgroups;", "// é\nrequires a;\nenable f16;\n                 "),
            ("fn f() {} enable subgroups;", "fn f() {} enable subgroups;"),
            ("enable subgroups", "enable subgroups"),
            ("/* enable subgroups;", "/* enable subgroups;"),
            ("enable subgroups_more;", "enable subgroups_more;"),
            ("", ""),
        ] {
            assert_eq!(without_enable_subgroups(before), after, "{before}");
            assert_eq!(without_enable_subgroups(before).len(), before.len());
        }
    }
}
