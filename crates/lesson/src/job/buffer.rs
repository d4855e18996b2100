//! A buffer of a job: its type, its size and its initial contents.

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
    pub elem: Elem,
    /// The number of elements.
    pub count: u64,
    /// Its initial contents.
    pub content: Content,
    /// The columns of the row-major matrix that it holds; None if the lesson does not declare it as one.
    pub columns: Option<u64>,
    /// The parameters that determine its size, by their display names.
    pub blame: Vec<String>,
    /// The place where a lesson declares it; None if no lesson does.
    pub place: Option<Place>,
}

/// The initial contents of a buffer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Content {
    /// Generated numbers.
    Made(Init),
    /// The bytes of a text or file, one per element.
    Bytes(Source),
    /// A file's bytes unchanged, as little-endian elements of the buffer's type.
    Elements(Source),
    /// A table of a built-in vocabulary, which is given by its name.
    Vocabulary(String, Table),
    /// The array in a `.npy` file that the user named.
    Npy(PathBuf),
    Words(Arc<[u32]>),
    /// These words, again and again.
    Repeated(Arc<[u32]>),
}

/// Bytes from a text or a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Source {
    Text(Arc<str>),
    /// A file of a pack.
    File {
        pack: PackFiles,
        /// The path within it.
        path: String,
        /// The SHA-256 that the file must have, in hexadecimal.
        sha256: String,
    },
}

/// The maximum size of a pack's file that is read into a buffer, in bytes.
const LARGEST: u64 = 1 << 30;

impl BufferSpec {
    /// The size in bytes; counts come from lessons, so it may exceed any memory.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.count.saturating_mul(self.elem.bytes()).checked_next_multiple_of(4).unwrap_or(u64::MAX)
    }

    /// Whether it is initially poison: to read it before it is written is an error.
    #[must_use]
    pub fn is_poison(&self) -> bool {
        self.content == Content::Made(Init::Poison)
    }

    /// Whether all elements initially have the same value.
    #[must_use]
    pub fn is_uniform(&self) -> bool {
        matches!(self.content, Content::Made(Init::Poison | Init::Zero | Init::Value(_)))
    }

    /// The initial contents: `position` is the buffer's index in its job, `seed` the job's.
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
            Content::Repeated(words) => {
                let words = words.iter().copied().cycle().take(count.div_ceil(elem.in_word()));
                Ok(Tensor { elem, words: words.collect() })
            }
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
    /// Its name in messages.
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
    /// Where a file is missing, unreadable or not the one that the lesson was written for.
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
