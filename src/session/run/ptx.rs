//! PTX annotated with the source lines that it came from.

use std::fmt::Write;

use crate::base::parts::{self, Part};

/// `ptx` with each of its `.loc` directives replaced by the line of `source`, the kernel or a part of it, that it names, as a comment.
#[must_use]
pub fn with_source(ptx: &str, source: &str) -> String {
    let parts = parts::parts(source);
    let files: Vec<(&str, &str)> = ptx.lines().filter_map(file).collect();
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        match source_line(line, &files, &parts) {
            // Writing to a string cannot fail.
            Some((place, code)) => drop(writeln!(text, "\t// {place}: {}", code.trim())),
            None => drop(writeln!(text, "{line}")),
        }
    }
    text
}

/// The number and the path in a `.file number "path"` directive.
fn file(line: &str) -> Option<(&str, &str)> {
    let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(char::is_whitespace)?;
    Some((number, path.trim().trim_matches('"')))
}

/// The place and the text of the line that a `.loc file line column` names: the kernel's own file is the first; None for any other line of
/// PTX, and for files that are not the kernel's.
fn source_line<'a>(line: &str, files: &[(&str, &str)], parts: &[Part<'a>]) -> Option<(String, &'a str)> {
    let mut words = line.trim().strip_prefix(".loc")?.split_whitespace();
    let (file, number) = (words.next()?, words.next()?);
    let code = |part: &Part<'a>| part.text.lines().nth(number.parse::<usize>().ok()?.checked_sub(1)?);
    if file == "1" {
        return Some((number.to_owned(), code(parts.first()?)?));
    }
    let (_, path) = files.iter().find(|(known, _)| *known == file)?;
    let name = path.rsplit(['/', '\\']).next()?;
    let part = parts.iter().find(|part| part.name() == Some(name))?;
    Some((format!("{name}:{number}"), code(part)?))
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

    #[test]
    fn locations_in_a_part_name_it() {
        let source = "// A copy.\n// ==== shaders/add.cuh ====\n#pragma once\n  return a + b;\n";
        let ptx = "\t.loc\t2 2 3, function_name $L, inlined_at 1 1 2\n\t.loc 3 1 1\n\t.file\t2 \"/tmp/add.cuh\"\n";
        let expected = "\t// add.cuh:2: return a + b;\n\t.loc 3 1 1\n\t.file\t2 \"/tmp/add.cuh\"\n";
        assert_eq!(with_source(ptx, source), expected);
    }
}
