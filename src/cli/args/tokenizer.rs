//! The arguments of `warpbook tokenizer`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use crate::session::run::devices::Choice;
use crate::tokenizer::Pattern;
use crate::tokenizer::vocabulary::MOST;
use crate::trace::record::Backend;

/// The subcommands of `tokenizer`.
#[derive(Subcommand, Debug)]
pub enum TokenizerCommand {
    /// Learn a vocabulary from text files.
    Train(TrainArgs),
    /// Turn a text into ids. Special tokens are text like any other.
    Encode(EncodeArgs),
    /// Turn ids into their text.
    Decode(DecodeArgs),
}

/// Options of `tokenizer train`.
#[derive(Args, Debug)]
pub struct TrainArgs {
    /// Text files in UTF-8, one corpus together; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Tokens in all, the 256 bytes included.
    #[arg(long, value_name = "N", value_parser = vocabulary_size)]
    pub vocab: usize,
    /// How the text is cut before: no merge crosses a cut.
    #[arg(long, default_value = "gpt2", value_enum)]
    pub pattern: PatternArg,
    /// Which pair is merged, of several with the same count: the first in the text, that with the smallest ids, or that
    /// with the greatest bytes.
    #[arg(long, default_value = "smallest", value_enum)]
    pub ties: TiesArg,
    /// Backend that trains; all learn the same.
    #[arg(long, default_value = "auto", value_enum)]
    pub backend: ComputerArg,
    /// The file to write: tiktoken's file of ranks (.tiktoken), or Hugging Face's tokenizer.json (.json), which has the
    /// pattern too.
    #[arg(short = 'o', long = "output", value_name = "OUT.tiktoken|OUT.json")]
    pub output: PathBuf,
}

/// Options of `tokenizer encode`.
#[derive(Args, Debug)]
pub struct EncodeArgs {
    /// Which vocabulary.
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
    /// The text, or - for standard input.
    #[arg(allow_hyphen_values = true, required_unless_present = "file")]
    pub text: Option<String>,
    /// Encode this file's text, in UTF-8; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub file: Option<PathBuf>,
    /// Print the number of ids alone.
    #[arg(long, conflicts_with = "output")]
    pub count: bool,
    /// Write the ids to a NumPy file instead.
    #[arg(short = 'o', long = "output", value_name = "IDS.npy")]
    pub output: Option<PathBuf>,
}

/// Options of `tokenizer decode`.
#[derive(Args, Debug)]
pub struct DecodeArgs {
    /// Which vocabulary.
    #[command(flatten)]
    pub vocabulary: VocabularyArgs,
    /// A NumPy file of 32-bit ids, or - for ids on standard input, with white space between them.
    pub ids: PathBuf,
}

/// A vocabulary, and how it cuts a text.
#[derive(Args, Debug)]
pub struct VocabularyArgs {
    /// cl100k_base, o200k_base, a file of ranks, or a tokenizer.json.
    #[arg(long, value_name = "cl100k_base|o200k_base|FILE")]
    pub vocab: String,
    /// The pattern that cuts a text into words, for a file of ranks, which does not store it; gpt2 by default.
    #[arg(long, value_enum)]
    pub pattern: Option<PatternArg>,
    /// Backend that computes; decoding takes the processor's cores alone.
    #[arg(long, default_value = "auto", value_enum)]
    pub backend: ComputerArg,
}

/// A backend for tokenizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ComputerArg {
    /// All of the processor's cores.
    Auto,
    /// A GPU, through wgpu.
    Wgpu,
    /// A GPU of NVIDIA's, through its own driver.
    Cuda,
}

impl ComputerArg {
    /// The choice that it represents.
    #[must_use]
    pub fn choice(self) -> Choice {
        match self {
            Self::Auto => Choice::Auto,
            Self::Wgpu => Choice::Only(Backend::Wgpu),
            Self::Cuda => Choice::Only(Backend::Cuda),
        }
    }
}

/// A pattern's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PatternArg {
    /// The whole text is one piece.
    None,
    /// GPT-2's.
    Gpt2,
    /// That of cl100k_base.
    Cl100k,
    /// That of o200k_base.
    O200k,
    /// Llama 3's.
    Llama3,
}

impl PatternArg {
    /// The pattern of that name.
    #[must_use]
    pub fn pattern(self) -> Pattern {
        match self {
            Self::None => Pattern::None,
            Self::Gpt2 => Pattern::Gpt2,
            Self::Cl100k => Pattern::Cl100k,
            Self::O200k => Pattern::O200k,
            Self::Llama3 => Pattern::Llama3,
        }
    }
}

/// A rule for ties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TiesArg {
    /// The first in the text.
    First,
    /// The smallest ids.
    Smallest,
    /// The greatest bytes.
    Greatest,
}

fn vocabulary_size(text: &str) -> Result<usize, String> {
    let size: usize =
        text.parse().map_err(|_| format!("`{text}` is not a number of tokens; write it in digits, like 32768"))?;
    match size {
        0..256 => Err(format!("{size} tokens are fewer than the 256 bytes, each of which is a token")),
        _ if size > MOST => Err(format!("{size} tokens are more than the {MOST} that ids can tell apart")),
        _ => Ok(size),
    }
}
