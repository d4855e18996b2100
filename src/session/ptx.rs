//! PTX beside the source that it came from.

use std::fmt::Write;

/// `ptx` with each of its `.loc` directives replaced by the line of `source` that it names, as a comment.
#[must_use]
pub fn with_source(ptx: &str, source: &str) -> String {
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        match source_line(line).and_then(|number| Some((number, source.lines().nth(number.checked_sub(1)?)?))) {
            // Writing to a string cannot fail.
            Some((number, code)) => drop(writeln!(text, "\t// {number}: {}", code.trim())),
            None => drop(writeln!(text, "{line}")),
        }
    }
    text
}

/// The line, from 1, that a `.loc file line column` of the first file names; none for any other line of PTX.
fn source_line(line: &str) -> Option<usize> {
    let mut words = line.trim().strip_prefix(".loc")?.split_whitespace();
    (words.next()? == "1").then(|| words.next()?.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locations_become_lines() {
        let ptx = ".entry copy()\n{\n\t.loc\t1 2 5\n\tld.global.f32 %f1, [%rd1];\n\t.loc\t2 1 1\n\t.loc 1 99 1\n}";
        let expected = ".entry copy()\n{\n\t// 2: float x = src[0];\n\tld.global.f32 %f1, [%rd1];\n\t.loc\t2 1 1\n\t.loc 1 99 1\n}\n";
        assert_eq!(with_source(ptx, "// A copy.\n    float x = src[0];\n"), expected);
    }
}
