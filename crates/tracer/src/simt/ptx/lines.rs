//! The lines of the source that instructions come from, as `.loc` names them.

use std::collections::HashMap;

use super::module::{Kernel, Part};

/// A line of a file that `.loc` names.
#[derive(Clone, Debug)]
pub(super) struct Loc {
    pub file: u64,
    pub line: u32,
    /// The place that its function was inlined at.
    pub inlined: Option<(u64, u32)>,
}

/// The line of the source that line `at` of the PTX comes from: that of the last `.loc` before it in its function.
pub(super) fn line_of_source(text: &str, at: u32, source: &dyn Fn(&str, u32) -> Option<u32>) -> Option<u32> {
    let lines: Vec<&str> = text.lines().take(at as usize).collect();
    let loc = lines.iter().rev().map(|line| line.trim()).take_while(|line| !line.starts_with('}') || line.len() > 1);
    let loc = loc.filter_map(|line| line.strip_prefix(".loc")).next()?;
    let numbers = |text: &str| text.split_whitespace().map_while(|word| word.parse::<u64>().ok()).take(2).collect();
    let inlined = loc.split_once("inlined_at").map(|(_, rest)| rest);
    let places: Vec<Vec<u64>> = std::iter::once(loc).chain(inlined).map(numbers).collect();
    places.iter().find_map(|place| {
        let [file, line] = place.as_slice() else { return None };
        let name = text.lines().filter_map(|line| line.trim().strip_prefix(".file")).find_map(|rest| {
            let (number, name) = rest.trim().split_once(char::is_whitespace)?;
            (number.parse() == Ok(*file)).then(|| name.trim().trim_matches('"'))
        })?;
        source(name, u32::try_from(*line).ok()?)
    })
}

/// Whether the source is Python, as Triton's kernels are.
pub(super) fn is_python(text: &str) -> bool {
    let files = text.lines().filter_map(|line| line.trim().strip_prefix(".file"));
    files.into_iter().any(|file| file.trim().trim_end_matches('"').ends_with(".py"))
}

/// Gives each instruction its line in the source: the innermost place that is shown. One without a line has that of the instruction before
/// it, and the first ones that of the first with a line; 0 where no line is shown.
pub(super) fn resolve_lines(
    kernel: &mut Kernel,
    locs: &[Option<Loc>],
    files: &HashMap<u64, String>,
    source: &dyn Fn(&str, u32) -> Option<u32>,
) {
    let shown = |loc: &Option<Loc>| {
        let loc = loc.as_ref()?;
        let mut places = std::iter::once((loc.file, loc.line)).chain(loc.inlined).filter(|(_, line)| *line > 0);
        // Line 0 is what the compiler added by itself.
        places.find_map(|(file, line)| source(files.get(&file)?, line))
    };
    let mut last = locs.iter().find_map(shown).unwrap_or(0);
    for (part, loc) in kernel.body.iter_mut().zip(locs) {
        let Part::Instruction(instruction) = part else { continue };
        last = shown(loc).unwrap_or(last);
        instruction.line = last;
    }
}
