//! WGSL's `enable subgroups;`. The compiler here knows subgroups without being asked, and stumbles over the directive
//! that the standard demands: it is blanked before compiling, byte for byte, so that all places stay what they are.

use std::borrow::Cow;
use std::ops::Range;

use super::token::token;

/// `source` with `subgroups` taken out of its `enable` directives.
#[must_use]
pub fn without_enable_subgroups(source: &str) -> Cow<'_, str> {
    let mut blanks: Vec<Range<usize>> = Vec::new();
    let mut directive: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    // Directives come first; anything else ends them.
    while let Some(token) = token(source, at) {
        at = token.end;
        directive.push(token);
        let text = |i: usize| directive.get(i).map_or("", |t| &source[t.clone()]);
        if !matches!(text(0), "enable" | "requires" | "diagnostic" | ";") {
            break;
        }
        if text(directive.len() - 1) == ";" {
            if text(0) == "enable" {
                blanks.extend(without(source, &directive));
            }
            directive.clear();
        }
    }
    if blanks.is_empty() {
        return Cow::Borrowed(source);
    }
    let mut out = source.to_owned();
    for range in blanks {
        out.replace_range(range.clone(), &" ".repeat(range.len()));
    }
    Cow::Owned(out)
}

/// The tokens of an `enable` directive to blank: each `subgroups` with a comma beside it, or all where nothing else is
/// enabled.
fn without(source: &str, directive: &[Range<usize>]) -> Vec<Range<usize>> {
    let is = |range: &Range<usize>, text: &str| &source[range.clone()] == text;
    let others = directive[1..].iter().any(|t| ![",", ";", "subgroups"].iter().any(|known| is(t, known)));
    if !directive.iter().any(|t| is(t, "subgroups")) {
        return Vec::new();
    }
    if !others {
        return directive.to_vec();
    }
    let mut out: Vec<Range<usize>> = Vec::new();
    for (i, token) in directive.iter().enumerate().filter(|(_, t)| is(t, "subgroups")) {
        out.push(token.clone());
        let comma = |i: usize| directive.get(i).filter(|t| is(t, ",") && !out.contains(t)).cloned();
        let beside = comma(i + 1).or_else(|| comma(i - 1));
        out.extend(beside);
    }
    out
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
            ("enable subgroups, subgroups;", "                            "),
            ("enable subgroups,;", "                  "),
            ("enable f16, /* x; */ subgroups;", "enable f16  /* x; */          ;"),
            ("enable // why; because\n subgroups;", "       // why; because\n           "),
            ("enable/**/subgroups;", "      /**/          "),
            ("// é\nrequires a;\nenable f16;\nenable subgroups;", "// é\nrequires a;\nenable f16;\n                 "),
            ("diagnostic(off, a.b);\nenable subgroups;", "diagnostic(off, a.b);\n                 "),
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
