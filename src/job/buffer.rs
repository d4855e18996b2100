//! A buffer: its type, its size and what it holds at first.

use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::base::diag::{Diagnostic, Place};
use crate::base::files::FileError;
use crate::base::npy;
use crate::base::tensor::{Elem, Init, Tensor};
use crate::pack::PackFiles;
use crate::tokenizer::tables::{self, Table};

/// A buffer of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BufferSpec {
    /// Its name in the program.
    pub name: String,
    /// The type of its elements.
    pub elem: Elem,
    /// Elements.
    pub count: u64,
    /// What it holds at first.
    pub content: Content,
    /// The columns of the row-major matrix that it is; None where the lesson does not say that it is one.
    pub columns: Option<u64>,
    /// The parameters that size it, by the names that people know them by.
    pub blame: Vec<String>,
    /// Where a lesson declares it; None where nothing does.
    pub place: Option<Place>,
}

/// What a buffer holds at first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Numbers that are made.
    Made(Init),
    /// The bytes of a text or file: each is a number, and an element.
    Bytes(Source),
    /// A file's bytes as they are, elements of the buffer's type with their low bytes first.
    Elements(Source),
    /// A table of a vocabulary that is built in, by its name.
    Vocabulary(String, Table),
    /// The array in a `.npy` file that the user named.
    Npy(PathBuf),
    /// These words.
    Words(Arc<[u32]>),
}

/// Bytes that are not made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    /// These.
    Text(Arc<str>),
    /// A file of a pack.
    File {
        /// The pack.
        pack: PackFiles,
        /// The path within it.
        path: String,
        /// The SHA-256 that it must have, in hexadecimal.
        sha256: String,
    },
}

/// The largest file of a pack that is read into a buffer, in bytes.
const LARGEST: u64 = 1 << 30;

impl BufferSpec {
    /// The size in bytes; counts come from lessons, so it may be more than any memory has.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.elem.bytes()).checked_next_multiple_of(4).unwrap_or(u64::MAX)
    }

    /// Whether it begins as poison: whoever reads it before it was written is wrong.
    #[must_use]
    pub fn is_poison(&self) -> bool {
        self.content == Content::Made(Init::Poison)
    }

    /// Whether all elements begin with the same value.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        matches!(self.content, Content::Made(Init::Poison | Init::Zero | Init::Value(_)))
    }

    /// The contents at the start: `position` is the buffer's place in its job, `seed` the job's.
    ///
    /// # Errors
    /// Where they come from a file that is missing, unreadable, changed or too short.
    pub fn fill(&self, seed: u64, position: usize) -> Result<Tensor, Diagnostic> {
        self.made(seed, position).map_err(|problem| problem.in_place_of(self.place.as_ref()))
    }

    fn made(&self, seed: u64, position: usize) -> Result<Tensor, Diagnostic> {
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let elem = self.elem;
        match &self.content {
            Content::Made(init) => Ok(Tensor::new(elem, count, *init, seed, position as u64)),
            Content::Bytes(source) => {
                let bytes = source.bytes()?;
                self.long_enough(bytes.len() as u64, source)?;
                Ok(Tensor::from_numbers(elem, bytes[..count].iter().map(|byte| f64::from(*byte))))
            }
            Content::Elements(source) => {
                let mut bytes = source.bytes()?;
                self.long_enough(bytes.len() as u64 / elem.bytes(), source)?;
                bytes.truncate(count * usize::try_from(elem.bytes()).unwrap_or(4));
                bytes.resize(bytes.len().next_multiple_of(4), 0);
                let words = bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                Ok(Tensor { elem, words: words.collect() })
            }
            Content::Vocabulary(name, table) => {
                let words = tables::shared(name, *table).unwrap_or_default();
                if words.len() == count {
                    return Ok(Tensor { elem, words: words.to_vec() });
                }
                let (has, buffer) = (words.len(), &self.name);
                let message = format!("the table of {name} for `{buffer}` has {has} elements, and the buffer {count}");
                Err(Diagnostic::error(message).hint(format!("write count: \"{has}\"")))
            }
            Content::Words(words) => Ok(Tensor { elem, words: words.to_vec() }),
            Content::Npy(path) => {
                let tensor = npy::read(path, elem)?;
                if tensor.words.len() as u64 * 4 == self.bytes() {
                    return Ok(tensor);
                }
                let (has, path) = (tensor.len(), path.display());
                Err(Diagnostic::error(format!(
                    "{path} has {has} elements, and the buffer `{}` {}",
                    self.name, self.count
                ))
                .hint("give an array of that length, or set the parameters that the buffer's size follows from"))
            }
        }
    }

    fn long_enough(&self, has: u64, source: &Source) -> Result<(), Diagnostic> {
        if has >= self.count {
            return Ok(());
        }
        let message = format!("{} has {has} elements for `{}`, which takes {}", source.name(), self.name, self.count);
        Err(Diagnostic::error(message).hint("give the buffer no more elements than there are, or a longer source"))
    }
}

impl Source {
    /// What it is called in messages.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Text(_) => "the text".to_owned(),
            Self::File { pack, path, .. } => pack.display(path),
        }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// Where a file is missing, unreadable or another than the lesson was written for.
    pub fn bytes(&self) -> Result<Vec<u8>, Diagnostic> {
        match self {
            Self::Text(text) => Ok(text.as_bytes().to_vec()),
            Self::File { pack, path, sha256 } => {
                let bytes = pack.read_bytes(path, LARGEST).map_err(|error| {
                    let why = match error {
                        FileError::Missing => "it is not there".to_owned(),
                        FileError::Unreadable(why) => why,
                    };
                    Diagnostic::error(format!("cannot read {}: {why}", self.name()))
                        .hint("add the file, or name another")
                })?;
                let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
                if found == *sha256 {
                    return Ok(bytes);
                }
                let message = format!("{} has changed: its SHA-256 is {found}", self.name());
                Err(Diagnostic::error(message)
                    .hint(format!("bring back the file whose SHA-256 is {sha256}, or write the new one")))
            }
        }
    }
}
