//! A text file of any length, counted in several ways without being held in memory.

use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rayon::prelude::*;
use rustc_hash::{FxBuildHasher, FxHashSet};

use crate::base::diag::Diagnostic;
use crate::base::sanitize::harmless;
use crate::base::units::count as number;
use crate::tokenizer::{Pattern, encode, rank_file, stream};

/// Characters of the beginning that is shown.
const SHOWN: usize = 400;

/// Bytes between two progress reports.
const STEP: usize = 8 << 20;

/// Bytes of the part of a step that one core counts.
const PART: usize = 1 << 20;

/// Bytes of the longest word. The time of a word's merges grows faster than its length, and cannot be cancelled.
const LONGEST: usize = 1 << 20;

/// Bytes that are held at most without a place to cut them.
const UNCUT: u64 = 128_000_000;

/// Distinct words that are counted at most: each takes about 16 bytes.
const KINDS: usize = 8_000_000;

/// The vocabularies whose tokens are counted.
const VOCABULARIES: [(&str, Pattern); 2] = [("cl100k_base", Pattern::Cl100k), ("o200k_base", Pattern::O200k)];

/// A file that was counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The file's name, without its folder.
    pub name: String,
    /// Its first characters.
    pub beginning: String,
    /// Bytes.
    pub bytes: u64,
    /// Characters: code points.
    pub characters: u64,
    /// Words: the pieces that GPT-2's rule cuts.
    pub words: u64,
    /// Different words.
    pub kinds: Kinds,
    /// Tokens, by the vocabulary's name.
    pub tokens: Vec<(&'static str, u64)>,
}

/// How many different words there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinds {
    /// Exactly this many.
    Exactly(u64),
    /// More than this many.
    MoreThan(u64),
}

/// Counts the text in a file on all cores. `report` gets the bytes done and the bytes in all. None if `stop` is set meanwhile: it then returns soon.
///
/// # Errors
/// If there is no text: it is a folder, cannot be read, is empty, or is not UTF-8.
pub fn count(path: &Path, stop: &AtomicBool, mut report: impl FnMut(u64, u64)) -> Result<Option<Counted>, Diagnostic> {
    let shown = harmless(&path.display().to_string()).into_owned();
    let (file, length) = open(path, &shown)?;
    let uncut = AtomicU64::new(0);
    let source = Source { file, stop, uncut: &uncut };
    let name = path.file_name().map_or_else(|| shown.clone(), |name| harmless(&name.to_string_lossy()).into_owned());
    let mut tally = Tally { counted: Counted::of(name), kinds: FxHashSet::default() };
    report(0, length);
    // The places where a text can be cut are the same for all patterns that are used here.
    let read = stream::read(source, &shown, Pattern::Gpt2, |block| {
        uncut.store(0, Ordering::Relaxed);
        for step in Pattern::Gpt2.parts(block, STEP) {
            if let Err(problem) = tally.add(step, &shown, stop) {
                return ControlFlow::Break(Some(problem));
            }
            if stop.load(Ordering::Relaxed) {
                return ControlFlow::Break(None);
            }
            // The file may have grown since.
            report(tally.counted.bytes, length.max(tally.counted.bytes));
        }
        ControlFlow::Continue(())
    });
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    match read? {
        ControlFlow::Break(Some(problem)) => Err(problem),
        ControlFlow::Break(None) => Ok(None),
        ControlFlow::Continue(()) if tally.counted.bytes == 0 => Err(empty(&shown)),
        ControlFlow::Continue(()) => Ok(Some(tally.counted)),
    }
}

/// The file and its length.
fn open(path: &Path, shown: &str) -> Result<(File, u64), Diagnostic> {
    let cannot = |error: io::Error| Diagnostic::error(format!("cannot read {shown}: {error}"));
    let there = std::fs::metadata(path).map_err(cannot)?;
    if there.is_dir() {
        return Err(Diagnostic::error(format!("{shown} is a folder")).hint("give one text file of it"));
    }
    // A pipe or a device might block, or never end.
    if !there.is_file() {
        return Err(Diagnostic::error(format!("{shown} is no regular file")).hint("copy what it gives into a file"));
    }
    if there.len() == 0 {
        return Err(empty(shown));
    }
    Ok((File::open(path).map_err(cannot)?, there.len()))
}

fn empty(shown: &str) -> Diagnostic {
    Diagnostic::error(format!("{shown} is empty")).hint("give a file with some text in UTF-8")
}

/// A file reader that stops when cancelled, or before too much is held.
struct Source<'a> {
    file: File,
    stop: &'a AtomicBool,
    /// Bytes read since a block was taken last.
    uncut: &'a AtomicU64,
}

impl Read for Source<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(io::Error::other("it was called off"));
        }
        let read = self.file.read(into)?;
        if self.uncut.fetch_add(read as u64, Ordering::Relaxed) > UNCUT {
            let megabytes = UNCUT / 1_000_000;
            return Err(io::Error::other(format!(
                "in more than {megabytes} MB of it there is no place to cut, such as the end of a line"
            )));
        }
        Ok(read)
    }
}

impl Counted {
    fn of(name: String) -> Self {
        let tokens = VOCABULARIES.iter().map(|(name, _)| (*name, 0)).collect();
        let (beginning, kinds) = (String::new(), Kinds::Exactly(0));
        Self { name, beginning, bytes: 0, characters: 0, words: 0, kinds, tokens }
    }
}

/// Counts so far.
struct Tally {
    counted: Counted,
    /// The hashes of the distinct words, as long as they are counted.
    kinds: FxHashSet<u64>,
}

impl Tally {
    /// Adds a step of the text.
    fn add(&mut self, step: &str, shown: &str, stop: &AtomicBool) -> Result<(), Diagnostic> {
        let counted = &mut self.counted;
        for part in Pattern::Gpt2.parts(step, PART).par_iter().map(|part| Words::of(part)).collect::<Vec<_>>() {
            let words = part.map_err(|at| too_long(shown, counted.bytes + (at - step.as_ptr() as u64)))?;
            counted.words += words.count;
            if matches!(counted.kinds, Kinds::Exactly(_)) {
                self.kinds.extend(words.kinds);
                counted.kinds = match self.kinds.len() {
                    kinds if kinds <= KINDS => Kinds::Exactly(kinds as u64),
                    _ => Kinds::MoreThan(KINDS as u64),
                };
            }
        }
        if matches!(counted.kinds, Kinds::MoreThan(_)) {
            self.kinds = FxHashSet::default();
        }
        for ((name, pattern), (_, tokens)) in VOCABULARIES.iter().zip(&mut counted.tokens) {
            if let Some(vocabulary) = rank_file::shared(name) {
                *tokens += encode::count(vocabulary, *pattern, step, stop);
            }
        }
        // The first step may be shorter than what is shown.
        if counted.characters < SHOWN as u64 {
            counted.beginning.extend(step.chars().take(SHOWN - counted.characters as usize));
        }
        counted.characters += step.bytes().filter(|byte| !is_continued(*byte)).count() as u64;
        counted.bytes += step.len() as u64;
        Ok(())
    }
}

/// Whether a UTF-8 byte is a continuation byte.
fn is_continued(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

fn too_long(shown: &str, offset: u64) -> Diagnostic {
    let message =
        format!("{shown} has a word of more than {} bytes at offset {}", number(LONGEST as u64), number(offset));
    Diagnostic::error(message).hint("what has no spaces, digits or line ends for so long is hardly a text; take it out")
}

/// The words of a part.
struct Words {
    count: u64,
    kinds: FxHashSet<u64>,
}

impl Words {
    /// Counts them; the address of one that is too long, if there is one.
    fn of(part: &str) -> Result<Self, u64> {
        let mut words = Self { count: 0, kinds: FxHashSet::default() };
        for piece in Pattern::Gpt2.pieces(part) {
            if piece.len() > LONGEST {
                return Err(piece.as_ptr() as u64);
            }
            words.count += 1;
            words.kinds.insert(FxBuildHasher.hash_one(piece));
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(text: &[u8]) -> Result<Option<Counted>, Diagnostic> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("some.txt");
        std::fs::write(&path, text).expect("the file is written");
        count(&path, &AtomicBool::new(false), |done, all| assert!(done <= all))
    }

    #[test]
    fn counts_are_those_of_the_whole_text() {
        let text = "Unhappiest of all: naïve tokenizers, mistokenizing 人人生而自由.\nlow lower ".repeat(150_000);
        assert!(text.len() > STEP, "several steps");
        let counted = counted(text.as_bytes()).expect("it is a text").expect("nobody stops it");
        assert_eq!(counted.name, "some.txt");
        assert_eq!(counted.bytes, text.len() as u64);
        assert_eq!(counted.characters, text.chars().count() as u64);
        assert_eq!(counted.words, Pattern::Gpt2.pieces(&text).count() as u64);
        let kinds: FxHashSet<&str> = Pattern::Gpt2.pieces(&text).collect();
        assert_eq!(counted.kinds, Kinds::Exactly(kinds.len() as u64));
        for ((name, pattern), (of, tokens)) in VOCABULARIES.iter().zip(&counted.tokens) {
            let vocabulary = rank_file::shared(name).expect("it is built in");
            assert_eq!((*of, *tokens), (*name, encode::encode(vocabulary, *pattern, &text).len() as u64));
        }
        assert_eq!(counted.beginning, text.chars().take(SHOWN).collect::<String>());
    }

    #[test]
    fn it_stops_between_two_steps() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("some.txt");
        std::fs::write(&path, "low lower ".repeat(2_000_000)).expect("the file is written");
        let (stop, mut reports) = (AtomicBool::new(false), 0);
        let stopped = count(&path, &stop, |done, all| {
            reports += 1;
            assert!(done < all, "it goes on");
            stop.store(done > 0, Ordering::Relaxed);
        });
        assert_eq!((stopped, reports), (Ok(None), 2));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        let said = |text: &[u8]| counted(text).expect_err("it is no text").message;
        assert!(said(b"").ends_with("some.txt is empty"));
        let wrong = [b"good text, then ".as_slice(), &[0xe9, 0x20]].concat();
        assert!(said(&wrong).ends_with("some.txt is not UTF-8: the byte 0xe9 at offset 16 begins no character"));
        let long = "word ".to_owned() + &"a".repeat(LONGEST + 1);
        assert!(said(long.as_bytes()).ends_with("has a word of more than 1,048,576 bytes at offset 4"));
        let folder = tempfile::tempdir().expect("a temporary folder");
        let none = AtomicBool::new(false);
        let refused = |path: &Path| count(path, &none, |_, _| {}).expect_err("there is no text").message;
        assert!(refused(folder.path()).ends_with("is a folder"));
        assert!(refused(&folder.path().join("gone")).starts_with("cannot read "));
    }
}
