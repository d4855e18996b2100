//! What a device does to encode a part of a text: the kernels that the lesson on tokenization explains, from the same files.

use crate::base::diag::Diagnostic;
use crate::base::files::PackFiles;
use crate::base::parts;
use crate::job::{Launch, Twin, Wgsl};
use crate::simt::Program;
use crate::tokenizer::tables::Table;
use crate::tokenizer::{Pattern, Vocabulary};

/// The most workgroups that every device can launch.
const MOST_GROUPS: usize = 65_535;

/// Bytes of a workgroup.
const BLOCK: usize = 256;

/// Bytes that a workgroup of `cut` goes through.
const CUT: usize = 64 * 64;

/// No token.
const NOTHING: u32 = u32::MAX;

/// A buffer: its name in the kernels, and its size or what it holds.
pub(super) struct Buffer {
    pub name: &'static str,
    pub content: Content,
}

/// What a buffer holds at first.
pub(super) enum Content {
    /// Anything, in so many words.
    Room(usize),
    /// A table.
    Words(Vec<u32>),
}

impl Buffer {
    /// Its size.
    pub fn bytes(&self) -> u64 {
        4 * match &self.content {
            Content::Room(words) => *words as u64,
            Content::Words(words) => words.len() as u64,
        }
    }
}

/// One thing done to the buffers, which are named by their places.
pub(super) enum Step {
    /// Gives every word of a buffer this value.
    Fill(usize, u32),
    /// Launches a kernel on so many workgroups.
    Launch(Box<Launch>, u32),
}

/// Buffers, and steps over them.
pub(super) struct Plan {
    /// Bytes of the largest part.
    pub capacity: usize,
    pub buffers: Vec<Buffer>,
    pub steps: Vec<Step>,
}

impl Plan {
    /// The plan of a vocabulary, for parts of up to `wanted` bytes, or as many as every device takes.
    ///
    /// # Errors
    /// When the pattern does not cut the text: then nothing can be done side by side.
    pub fn new(vocabulary: &Vocabulary, pattern: Pattern, wanted: usize) -> Result<Self, Diagnostic> {
        let rule = match pattern {
            Pattern::None => {
                return Err(Diagnostic::error(
                    "a device encodes the pieces of a text side by side, and the pattern `none` leaves one piece",
                )
                .hint("leave --backend out, or choose another pattern"));
            }
            Pattern::Llama3 => {
                return Err(Diagnostic::error("a device does not cut words by llama3 here").hint("leave --backend out"));
            }
            Pattern::Gpt2 => 1,
            Pattern::Cl100k => 2,
            Pattern::O200k => 3,
        };
        let room = |name, words| Buffer { name, content: Content::Room(words) };
        let table = |name, table| Buffer { name, content: Content::Words(vocabulary.table(table)) };
        let blocks = wanted.div_ceil(BLOCK).clamp(1, MOST_GROUPS);
        let capacity = blocks * BLOCK;
        let buffers = vec![
            room("packed", capacity / 4),
            table("classes", Table::Classes),
            table("of_byte", Table::Bytes),
            table("whole", Table::Whole),
            table("spelling", Table::Spelling),
            table("merges", Table::Merges),
            room("text", capacity),
            room("wall", capacity),
            room("waiting", 2),
            room("words", capacity),
            room("ids", capacity),
            room("kept", blocks),
            room("starts", blocks + 1),
            room("encoded", capacity),
            room("offset", capacity + 1),
            room("length", 1),
        ];
        let mut plan = Self { capacity, buffers, steps: Vec::new() };
        let places = |plan: &Self, name| plan.buffers[plan.place(name)].bytes() / 16;
        let (whole, merges) = (places(&plan, "whole") as f64, places(&plan, "merges") as f64);
        let bytes = ("N", capacity as f64);
        let kernel = |plan: &Self, name, constants: &[(&str, f64)], grid: usize| {
            launch(plan, &format!("tokenization/{name}"), constants, grid)
        };
        plan.steps = vec![
            kernel(&plan, "unpack", &[bytes, ("WORDS", (capacity / 4) as f64)], blocks)?,
            Step::Fill(plan.place("wall"), 0),
            Step::Fill(plan.place("waiting"), 0),
            Step::Fill(plan.place("ids"), NOTHING),
            kernel(&plan, "cut", &[bytes, ("PATTERN", f64::from(rule))], capacity.div_ceil(CUT))?,
            kernel(&plan, "find_words", &[bytes, ("PLACES", whole), ("LOOK", 1.0)], blocks)?,
            kernel(&plan, "merge_by_group", &[bytes, ("MERGE_PLACES", merges), ("LANES", 32.0)], blocks)?,
            kernel(&plan, "count_ids", &[bytes], blocks)?,
            launch(&plan, "moe/scan", &[("N", blocks as f64)], 1)?,
            kernel(&plan, "gather_ids", &[bytes, ("BLOCKS", blocks as f64)], blocks)?,
        ];
        Ok(plan)
    }

    /// The place of a buffer of this name.
    pub fn place(&self, name: &str) -> usize {
        // `scan` calls what it adds up by a name of its own.
        let name = if name == "counts" { "kept" } else { name };
        self.buffers.iter().position(|buffer| buffer.name == name).unwrap_or_default()
    }
}

/// The launch of a kernel, by its file below `shaders` without the ending.
fn launch(plan: &Plan, path: &str, constants: &[(&str, f64)], groups: usize) -> Result<Step, Diagnostic> {
    let files = PackFiles::Embedded;
    let read = |ending: &str| {
        let file = format!("shaders/{path}.{ending}");
        let read = |file: &str| files.read(file);
        let own = read(&file).map_err(|error| Diagnostic::error(format!("cannot read {file}: {error:?}")))?;
        Ok::<_, Diagnostic>((parts::compose(&file, own, &read, &Vec::new)?, file))
    };
    let ((source, file), (twin, twin_file)) = (read("wgsl")?, read("cu")?);
    let overrides: Vec<(String, f64)> = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let program = Program::compile(&file, &source, "main", &overrides).map_err(|mut problems| problems.remove(0))?;
    let entry = path.rsplit('/').next().unwrap_or(path).to_owned();
    let twin = Twin { file: twin_file, source: twin.into(), entry: entry.clone() };
    let wgsl =
        Wgsl { file, source: source.into(), entry: "main".to_owned(), overrides, consts: Vec::new(), twin: Some(twin) };
    let groups = u32::try_from(groups).unwrap_or(u32::MAX);
    let mut launch = program.launch(&entry, wgsl, [groups, 1, 1]);
    for binding in &mut launch.bindings {
        binding.buffer = plan.place(&binding.name);
    }
    Ok(Step::Launch(Box::new(launch), groups))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_finds_its_buffers() {
        let vocabulary = Vocabulary::from_merges(&[(97, 98)]);
        let plan = Plan::new(&vocabulary, Pattern::Gpt2, 1000).expect("the kernels compile");
        for step in &plan.steps {
            let Step::Launch(launch, _) = step else { continue };
            for binding in &launch.bindings {
                let buffer = plan.buffers[binding.buffer].name;
                assert!(buffer == binding.name || (buffer, binding.name.as_str()) == ("kept", "counts"), "{buffer}");
            }
        }
        assert!(Plan::new(&vocabulary, Pattern::None, 1000).is_err());
    }
}
