//! Includes: a kernel's text and its parts, files that several kernels share, as one text to compile, trace, keep and
//! show.
//!
//! A file names a part in a line of its own: `// #include "row_sum.wgsl"` in WGSL, where it is a comment,
//! `#include "row_sum.cuh"` in CUDA C++. The part lies in the same folder. [`compose`] appends each part to the file,
//! below a line with its path, so that the file's own lines keep their numbers. WGSL's declarations may be in any
//! order; a C++ compiler is given the parts as headers.

use std::path::Path;

use super::diag::{Diagnostic, Place, nearest};
use super::files::{FileError, read_text};

/// The text before and after the path in the line above a part.
const MARK: [&str; 2] = ["// ==== ", " ===="];

/// Endings of files with code. A kernel of a stranger's may name any path, and what it includes may be shown.
const CODE: [&str; 11] = ["wgsl", "cuh", "cu", "h", "hh", "hpp", "hxx", "inl", "inc", "ipp", "tpp"];

/// Folders in which repositories keep headers, and how far up they are looked for.
const HEADERS: [&str; 6] = ["", "include/", "inc/", "utils/", "common/", "Common/"];
const HIGHEST: usize = 4;

/// The most parts of a kernel.
const MOST: usize = 32;

/// A piece of a composed text: the kernel's own file, or one of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The part's path; None for the kernel's own file.
    pub file: Option<&'a str>,
    /// Lines of the composed text before its first.
    pub before: u32,
    /// Its text.
    pub text: &'a str,
}

impl<'a> Part<'a> {
    /// The file's name without its folder and its ending; None for the kernel's own file.
    #[must_use]
    pub fn stem(&self) -> Option<&'a str> {
        self.name().map(|name| name.rsplit_once('.').map_or(name, |(stem, _)| stem))
    }

    /// The file's name without its folder; None for the kernel's own file.
    #[must_use]
    pub fn name(&self) -> Option<&'a str> {
        self.file.map(|file| &file[folder(file).len()..])
    }
}

/// The text of `file` with its parts appended. `read` gives the text of a path, and `list` the existing paths, for a
/// hint.
///
/// # Errors
/// A part that is missing, unreadable, in another folder or a part of itself, and too many parts: at the line that
/// names it.
pub fn compose(
    file: &str,
    text: String,
    read: &dyn Fn(&str) -> Result<String, FileError>,
    list: &dyn Fn() -> Vec<String>,
) -> Result<String, Diagnostic> {
    let mut composer = Composer::new(read, list, file);
    composer.collect(&text)?;
    Ok(composer.joined(text))
}

/// The same, of a file that is in no pack: its parts lie on disk, of CUDA also in other folders. A part of CUDA that is
/// not there is left to the compiler, which has headers of its own. Only files with code are read, by their names where
/// links lead.
///
/// # Errors
/// As [`compose`]; a part that is no file with code.
pub fn compose_on_disk(file: &str, text: String) -> Result<String, Diagnostic> {
    let read = |path: &str| {
        let real = std::fs::canonicalize(path).map_err(|_| FileError::Missing)?;
        if !real.extension().is_some_and(|end| CODE.iter().any(|code| end.eq_ignore_ascii_case(code))) {
            let most = CODE.map(|end| format!(".{end}")).join(", ");
            return Err(FileError::Unreadable(format!("it is none of {most}")));
        }
        read_text(Path::new(path)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => FileError::Missing,
            _ => FileError::Unreadable(error.to_string()),
        })
    };
    let mut composer = Composer { of_disk: !file.ends_with(".wgsl"), ..Composer::new(&read, &Vec::new, file) };
    composer.collect(&text)?;
    Ok(composer.joined(text))
}

/// The pieces of a composed text, the kernel's own file first. Their texts are the whole text but for the lines between
/// them.
#[must_use]
pub fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut file, mut before, mut from, mut at) = (None, 0, 0, 0);
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let end = at + line.len();
        if let Some(path) = marked(line) {
            parts.push(Part { file, before, text: &text[from..at] });
            (file, before, from) = (Some(path), number, end);
        }
        at = end;
    }
    parts.push(Part { file, before, text: &text[from..] });
    parts
}

/// The composed text with another text in the place of the piece `index` of [`parts`].
#[must_use]
pub fn replaced(text: &str, index: usize, with: &str) -> String {
    let mut whole = String::with_capacity(text.len() + with.len());
    for (i, part) in parts(text).into_iter().enumerate() {
        if let Some(path) = part.file {
            if !whole.is_empty() && !whole.ends_with('\n') {
                whole.push('\n');
            }
            whole.push_str(&format!("{}{path}{}\n", MARK[0], MARK[1]));
        }
        whole.push_str(if i == index { with } else { part.text });
    }
    whole
}

/// The pieces of a composed text by their lines, found once for any number of lines.
#[derive(Clone, Debug)]
pub struct Places<'a>(Vec<Part<'a>>);

impl<'a> Places<'a> {
    /// Finds the pieces of a composed text.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        Self(parts(text))
    }

    /// The part that a line of the composed text is in, and the line's number there; None in the kernel's own file.
    #[must_use]
    pub fn located(&self, line: u32) -> Option<(&'a str, u32)> {
        let part = self.0[..self.0.partition_point(|part| part.before < line)].last()?;
        Some((part.file?, line - part.before))
    }

    /// A line of the composed text by its number, in a part also by that file's name.
    #[must_use]
    pub fn line_name(&self, line: u32) -> String {
        let name = |(path, line): (&str, u32)| format!("{}:{line}", &path[folder(path).len()..]);
        self.located(line).map_or_else(|| line.to_string(), name)
    }

    /// A message about the composed text, with each line of a part that it names, as `line N`, by the part's name and
    /// the line there. Names of the text itself are in backticks, and stay.
    #[must_use]
    pub fn in_words(&self, message: &str) -> String {
        if self.0.len() < 2 {
            return message.to_owned();
        }
        let placed = |said: &str| {
            let mut out = String::with_capacity(said.len());
            let mut rest = said;
            while let Some(at) = rest.find("line ") {
                let (before, number) = rest.split_at(at + "line ".len());
                out.push_str(before);
                let digits = number.len() - number.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let line = number[..digits].parse::<u32>().ok();
                match line.and_then(|line| self.located(line)) {
                    Some((file, line)) => out.push_str(&format!("{}:{line}", &file[folder(file).len()..])),
                    None => out.push_str(&number[..digits]),
                }
                rest = &number[digits..];
            }
            out + rest
        };
        let parts = message.split('`').enumerate();
        let parts = parts.map(|(n, part)| if n % 2 == 0 { placed(part) } else { part.to_owned() });
        parts.collect::<Vec<_>>().join("`")
    }
}

/// The diagnostic about a composed text at its place in the part that it is about, if it is about one.
#[must_use]
pub fn in_part(mut diagnostic: Diagnostic, text: &str) -> Diagnostic {
    if let Some(place) = &mut diagnostic.place
        && let Some((file, line)) = Places::of(text).located(place.line)
    {
        *place = Place { file: file.to_owned(), line, column: place.column };
    }
    diagnostic
}

/// The line of a composed text that a place in `own`, the kernel's own file, or in one of its parts is about.
#[must_use]
pub fn line_of(text: &str, own: &str, place: &Place) -> Option<u32> {
    let is_in = |part: &Part<'_>| part.file.unwrap_or(own) == place.file;
    parts(text).iter().find(|part| is_in(part)).map(|part| part.before + place.line)
}

/// The path in the line above a part.
fn marked(line: &str) -> Option<&str> {
    let path = line.trim_end().strip_prefix(MARK[0])?.strip_suffix(MARK[1])?;
    (!path.is_empty()).then_some(path)
}

/// The folder of a path, with its slash.
fn folder(path: &str) -> &str {
    &path[..path.rfind(['/', '\\']).map_or(0, |slash| slash + 1)]
}

/// The name of the part in a line that names one, and where it begins in the line.
fn named(file: &str, line: &str) -> Option<(usize, String)> {
    let code = line.trim_start();
    let code = if file.ends_with(".wgsl") { code.strip_prefix("//")?.trim_start() } else { code };
    let (name, _) = code.strip_prefix("#include")?.trim_start().strip_prefix('"')?.split_once('"')?;
    Some((line.find('"')? + 1, name.to_owned()))
}

struct Composer<'a> {
    read: &'a dyn Fn(&str) -> Result<String, FileError>,
    list: &'a dyn Fn() -> Vec<String>,
    /// The files that name each other, down to the one that is being read.
    way: Vec<String>,
    /// Paths and texts.
    parts: Vec<(String, String)>,
    /// Whether the file is in no pack, and its compiler knows headers of its own.
    of_disk: bool,
}

impl<'a> Composer<'a> {
    fn new(read: &'a dyn Fn(&str) -> Result<String, FileError>, list: &'a dyn Fn() -> Vec<String>, file: &str) -> Self {
        Self { read, list, way: vec![file.to_owned()], parts: Vec::new(), of_disk: false }
    }

    /// The text of the file with its parts.
    fn joined(self, text: String) -> String {
        let mut composed = text;
        for (path, part) in self.parts {
            if !composed.is_empty() && !composed.ends_with('\n') {
                composed.push('\n');
            }
            composed.push_str(&format!("{}{path}{}\n{part}", MARK[0], MARK[1]));
        }
        composed
    }

    /// Adds the parts that `text`, the last file of the way, names, and those that they name.
    fn collect(&mut self, text: &str) -> Result<(), Diagnostic> {
        let file = self.way.last().cloned().unwrap_or_default();
        let mut offset = 0;
        for line in text.split_inclusive('\n') {
            if let Some((at, name)) = named(&file, line) {
                let span = offset + at..offset + at + name.len();
                // A problem further down already has its place.
                let place = |problem: Diagnostic| match &problem.place {
                    Some(_) => problem,
                    None => problem.at(&file, text, &span),
                };
                self.part(&file, &name).map_err(place)?;
            }
            offset += line.len();
        }
        Ok(())
    }

    /// The path of a header on disk: beside the file that names it, or in a folder for headers there or further up, as repositories have
    /// them; beside the file if there is none.
    fn found(&self, by: &str, name: &str) -> String {
        let beside = format!("{}{name}", folder(by));
        let up = (0..=HIGHEST).map(|levels| format!("{}{}", folder(by), "../".repeat(levels)));
        let places = up.flat_map(|up| HEADERS.map(|of| format!("{up}{of}{name}")));
        let is_there = |path: &String| !matches!((self.read)(path), Err(FileError::Missing));
        std::iter::once(beside.clone()).chain(places).find(is_there).unwrap_or(beside)
    }

    fn part(&mut self, by: &str, name: &str) -> Result<(), Diagnostic> {
        let leaves = name.split('/').any(|part| matches!(part, "" | "." | "..")) || name.contains(['\\', ':', '\0']);
        if leaves && !self.of_disk {
            let message = format!("`{name}` is not a file in this folder or below it");
            return Err(Diagnostic::error(message).hint(
                "put the part beside the file that names it or in a folder there, and give its way from the file",
            ));
        }
        if Path::new(name).is_absolute() {
            let message = format!("`{name}` begins at the root of the file system");
            return Err(Diagnostic::error(message)
                .hint("name the header by its way from this file; or as <…>, with its folder in the variable CPATH"));
        }
        let path = if self.of_disk { self.found(by, name) } else { format!("{}{name}", folder(by)) };
        if self.way.contains(&path) {
            let problem = Diagnostic::error(format!("`{name}` includes itself, by way of this line"));
            return Err(problem.hint("leave this line out"));
        }
        if self.parts.iter().any(|(known, _)| *known == path) {
            return Ok(());
        }
        if self.parts.len() == MOST {
            let problem = Diagnostic::error(format!("a kernel has at most {MOST} parts"));
            return Err(problem.hint("put what belongs together into one file"));
        }
        let text = (self.read)(&path);
        if self.of_disk && text == Err(FileError::Missing) {
            return Ok(());
        }
        let text = text.map_err(|error| match error {
            FileError::Missing => {
                let all = (self.list)();
                let beside = all.iter().filter(|other| folder(other) == folder(&path));
                let near = nearest(name, beside.map(|other| &other[folder(other).len()..]));
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None if name.ends_with(".wgsl") => "add the file, or name another".to_owned(),
                    None => "add the file; a header of CUDA's own is named as <cuda_fp16.h>".to_owned(),
                };
                Diagnostic::error(format!("there is no file {path}")).hint(hint)
            }
            FileError::Unreadable(why) => {
                Diagnostic::error(format!("cannot read {path}: {why}")).hint("name a text file with code")
            }
        })?;
        // Its place among the parts is before those that it names itself.
        self.parts.push((path.clone(), text.clone()));
        self.way.push(path);
        self.collect(&text)?;
        self.way.pop();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(&str, &str); 6] = [
        ("s/sum.wgsl", "// #include \"one.wgsl\"\nfn sum() {}\n"),
        ("s/one.wgsl", "const ONE = 1;"),
        ("s/loop.wgsl", "// #include \"back.wgsl\"\n"),
        ("s/back.wgsl", "\n  // #include \"loop.wgsl\"\n"),
        ("s/add.cuh", "#pragma once\n"),
        ("t/other.wgsl", ""),
    ];

    fn composed(file: &str, text: &str) -> Result<String, String> {
        let read = |path: &str| {
            let found = FILES.iter().find(|(name, _)| *name == path);
            found.map(|(_, text)| (*text).to_owned()).ok_or(FileError::Missing)
        };
        let list = || FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        compose(file, text.to_owned(), &read, &list).map_err(|problem| problem.to_string())
    }

    #[test]
    fn parts_stand_behind_the_file_once_each() {
        let own = "// #include \"sum.wgsl\"\n//#include \"one.wgsl\"\nfn main() {}";
        let text = composed("s/k.wgsl", own).unwrap_or_default();
        let expected = "// #include \"sum.wgsl\"\n//#include \"one.wgsl\"\nfn main() {}\n\
                        // ==== s/sum.wgsl ====\n// #include \"one.wgsl\"\nfn sum() {}\n\
                        // ==== s/one.wgsl ====\nconst ONE = 1;";
        assert_eq!(text, expected);
        let found: Vec<_> = parts(&text).into_iter().map(|part| (part.name(), part.before)).collect();
        assert_eq!(found, [(None, 0), (Some("sum.wgsl"), 4), (Some("one.wgsl"), 7)]);
        assert_eq!(
            [3, 6, 8].map(|line| Places::of(&text).located(line)),
            [None, Some(("s/sum.wgsl", 2)), Some(("s/one.wgsl", 1))]
        );
        assert_eq!(parts(&text)[1].stem(), Some("sum"));
        let place = Place { file: "s/one.wgsl".to_owned(), line: 1, column: 7 };
        assert_eq!(line_of(&text, "s/k.wgsl", &place), Some(8));
        assert_eq!(line_of(&text, "s/k.wgsl", &Place::start("s/k.wgsl")), Some(1));
        assert_eq!(line_of(&text, "s/k.wgsl", &Place::start("s/none.wgsl")), None);
        for (i, part) in parts(&text).into_iter().enumerate() {
            assert_eq!(replaced(&text, i, part.text), text);
        }
        assert_eq!(
            replaced(&text, 1, "fn sum() { }"),
            text.replace("// #include \"one.wgsl\"\nfn sum() {}", "fn sum() { }")
        );
        let said = Places::of(&text).in_words("2 wrote it at line 6, with `line 6` at line 2");
        assert_eq!(said, "2 wrote it at line sum.wgsl:2, with `line 6` at line 2");
        // A file without parts is what it was.
        assert_eq!(composed("s/k.wgsl", "fn main() {}"), Ok("fn main() {}".to_owned()));
    }

    #[test]
    fn every_line_of_many_parts_is_found_in_its_part() {
        let part = |n: usize| format!("{}part{n}.wgsl{}\n{}", MARK[0], MARK[1], "x\n".repeat(n % 3));
        let text = "own\nown\n".to_owned() + &(0..500).map(part).collect::<String>();
        let places = Places::of(&text);
        let mut expected = None;
        for (number, line) in (1_u32..).zip(text.lines()) {
            if let Some(path) = marked(line) {
                // The line above a part is the last of the part before.
                expected = Some((path, number));
                continue;
            }
            assert_eq!(places.located(number), expected.map(|(path, before)| (path, number - before)), "line {number}");
        }
        assert_eq!((places.located(0), Places::of("").located(1)), (None, None));
    }

    #[test]
    fn each_language_names_parts_in_its_own_way() {
        assert!(
            composed("k.wgsl", "#include \"x.wgsl\"\n/* #include \"y\" */").is_ok_and(|text| parts(&text).len() == 1)
        );
        assert!(
            composed("s/k.cu", "#include <cuda_fp16.h>\n// #include \"x.cuh\"")
                .is_ok_and(|text| parts(&text).len() == 1)
        );
        assert!(
            composed("s/k.cu", "#include \"add.cuh\"\n")
                .is_ok_and(|text| text.ends_with("s/add.cuh ====\n#pragma once\n"))
        );
    }

    #[test]
    fn mistakes_are_at_the_line_that_names_the_part() {
        let wrong = |text: &str| composed("s/k.wgsl", text).err().unwrap_or_default();
        let missing = wrong("fn f() {}\n// #include \"som.wgsl\"\n");
        assert_eq!(missing, "s/k.wgsl:2:14: error: there is no file s/som.wgsl\n  hint: did you mean `sum.wgsl`?");
        let far = wrong("// #include \"../t/other.wgsl\"");
        assert!(
            far.starts_with("s/k.wgsl:1:14: error: `../t/other.wgsl` is not a file in this folder or below it"),
            "{far}"
        );
        let cycle = wrong("// #include \"loop.wgsl\"");
        assert!(cycle.starts_with("s/back.wgsl:2:16: error: `loop.wgsl` includes itself"), "{cycle}");
        let own = wrong("// #include \"k.wgsl\"");
        assert!(own.starts_with("s/k.wgsl:1:14: error: `k.wgsl` includes itself"), "{own}");
        let headers = composed("s/k.cu", "#include \"cuda_fp16.h\"").err().unwrap_or_default();
        assert!(headers.contains("there is no file s/cuda_fp16.h") && headers.contains("<cuda_fp16.h>"), "{headers}");
    }

    #[test]
    fn a_finding_in_a_part_is_placed_there() {
        let text = composed("s/k.wgsl", "// #include \"sum.wgsl\"\n").unwrap_or_default();
        let at = |line| Diagnostic::error("no").in_place(&Place { file: "s/k.wgsl".to_owned(), line, column: 4 });
        assert_eq!(in_part(at(4), &text).to_string(), "s/sum.wgsl:2:4: error: no");
        assert_eq!(in_part(at(1), &text).to_string(), "s/k.wgsl:1:4: error: no");
    }

    #[test]
    fn a_file_on_disk_has_parts_in_other_folders_and_leaves_headers_to_the_compiler() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("common"))?;
        std::fs::write(path("common/sum.cuh"), "// the sum\n")?;
        let own = "#include \"common/sum.cuh\"\n#include \"cuda_runtime.h\"\n";
        let text = compose_on_disk(&path("k.cu").to_string_lossy(), own.to_owned()).unwrap_or_default();
        assert_eq!(parts(&text).iter().map(Part::name).collect::<Vec<_>>(), [None, Some("sum.cuh")]);
        assert!(text.ends_with("// the sum\n"));
        Ok(())
    }

    #[test]
    fn a_file_on_disk_includes_code_alone() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = |name: &str| folder.path().join(name);
        std::fs::create_dir(path("kernels"))?;
        std::fs::write(path(".history"), "secret\n")?;
        #[cfg(unix)]
        std::os::unix::fs::symlink(path(".history"), path("kernels/a.cuh"))?;
        for name in ["../.history"].into_iter().chain(cfg!(unix).then_some("a.cuh")) {
            let own = format!("#include \"{name}\"\n");
            let refused = compose_on_disk(&path("kernels/k.cu").to_string_lossy(), own).err();
            assert!(refused.is_some_and(|why| why.message.contains("it is none of .wgsl, .cuh")), "{name}");
        }
        Ok(())
    }
}
