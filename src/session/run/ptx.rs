//! PTX annotated with the source lines that it came from.

use std::collections::HashMap;
use std::fmt::Write;

use crate::base::parts;

/// `ptx` with each of its `.loc` directives replaced by the line of `source`, the kernel or a part of it, that it
/// names, as a comment.
#[must_use]
pub fn with_source(ptx: &str, source: &str) -> String {
    let source = Source::of(ptx, source);
    let mut text = String::with_capacity(ptx.len());
    for line in ptx.lines() {
        match source.line(line) {
            // Writing to a string cannot fail.
            Some((place, code)) => drop(writeln!(text, "\t// {place}: {}", code.trim())),
            None => drop(writeln!(text, "{line}")),
        }
    }
    text
}

/// The files that PTX names, with the lines of those that are the kernel's.
struct Source<'a> {
    /// Paths by the numbers of `.file` directives.
    paths: HashMap<&'a str, &'a str>,
    /// Lines of the kernel's own file.
    own: Vec<&'a str>,
    /// Lines of its parts, by their names.
    parts: HashMap<&'a str, Vec<&'a str>>,
}

impl<'a> Source<'a> {
    fn of(ptx: &'a str, source: &'a str) -> Self {
        let (mut paths, mut parts) = (HashMap::new(), HashMap::new());
        // Of files with one number or one name, the first counts.
        for (number, path) in ptx.lines().filter_map(file) {
            paths.entry(number).or_insert(path);
        }
        let mut own = Vec::new();
        for part in parts::parts(source) {
            let lines = part.text.lines().collect();
            match part.name() {
                None => own = lines,
                Some(name) => {
                    parts.entry(name).or_insert(lines);
                }
            }
        }
        Self { paths, own, parts }
    }

    /// The place and the text of the line that a `.loc file line column` names: the kernel's own file is the first;
    /// None for any other line of PTX, and for files that are not the kernel's.
    fn line(&self, line: &str) -> Option<(String, &'a str)> {
        let mut words = line.trim().strip_prefix(".loc")?.split_whitespace();
        let (file, number) = (words.next()?, words.next()?);
        let at = number.parse::<usize>().ok()?.checked_sub(1)?;
        if file == "1" {
            return Some((number.to_owned(), self.own.get(at).copied()?));
        }
        let name = self.paths.get(file)?.rsplit(['/', '\\']).next()?;
        Some((format!("{name}:{number}"), self.parts.get(name)?.get(at).copied()?))
    }
}

/// The number and the path in a `.file number "path"` directive.
fn file(line: &str) -> Option<(&str, &str)> {
    let (number, path) = line.trim().strip_prefix(".file")?.trim().split_once(char::is_whitespace)?;
    Some((number, path.trim().trim_matches('"')))
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
