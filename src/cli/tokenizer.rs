//! `warpbook tokenizer`: train, encode, decode.

use std::fs::File;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use super::args::{
    ComputerArg, DecodeArgs, EncodeArgs, PatternArg, TiesArg, TokenizerCommand, TrainArgs, VocabularyArgs,
};
use super::{DONE, out, reexec};
use crate::base::diag::{Diagnostic, any_of};
use crate::base::files;
use crate::base::npy::{self, Shape};
use crate::base::store;
use crate::base::tensor::{Elem, Tensor};
use crate::gpu::tokenizer::{
    encode::encoding_on,
    train::{Goal, TrainProgress, check_length, training_on},
};
use crate::gpu::toolkit::missing_setting;
use crate::session::run::devices::Choice;
use crate::tokenizer::count::Pieces;
use crate::tokenizer::{Pattern, Ties, Vocabulary, encode, hugging_face, rank_file, stream, train};
use crate::trace::record::Backend;

pub(super) fn tokenizer(command: TokenizerCommand) -> Result<ExitCode, ExitCode> {
    match command {
        TokenizerCommand::Train(args) => train_files(&args),
        TokenizerCommand::Encode(args) => encode_text(&args),
        TokenizerCommand::Decode(args) => decode_ids(&args),
    }
    .map_err(out::misused)
}

/// The name of standard input among files.
const STDIN: &str = "-";

/// Asking for a device must not be answered by the cores silently.
fn only_cores(backend: ComputerArg) -> Result<(), Diagnostic> {
    match backend {
        ComputerArg::Auto => Ok(()),
        _ => Err(Diagnostic::error("`warpbook tokenizer decode` computes on the processor's cores")
            .hint("leave --backend out: the cores decode")),
    }
}

/// The largest file of a vocabulary that is read, in bytes: some 800,000 tokens.
const LARGEST: u64 = 64 << 20;

/// Where a file's vocabulary format shows: in its name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileFormat {
    Ranks,
    HuggingFace,
}

fn format_of(file: &Path) -> Option<FileFormat> {
    match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "tiktoken" => Some(FileFormat::Ranks),
        "json" => Some(FileFormat::HuggingFace),
        _ => None,
    }
}

fn train_files(args: &TrainArgs) -> Result<ExitCode, Diagnostic> {
    let format = format_of(&args.output).ok_or_else(|| {
        Diagnostic::error(format!("{} does not say its format", args.output.display()))
            .hint("end its name in .tiktoken or .json")
    })?;
    check_output(args)?;
    let ties = match args.ties {
        TiesArg::First => Ties::First,
        TiesArg::Smallest => Ties::Smallest,
        TiesArg::Greatest => Ties::Greatest,
    };
    let goal = Goal { pattern: args.pattern.pattern(), ties, size: args.vocab };
    let merges = match args.backend.choice() {
        Choice::Auto => train_on_cores(args, goal)?,
        Choice::Only(backend) => {
            if let Some(setting) = missing_setting(backend) {
                return reexec::with(setting);
            }
            train_on_device(args, goal, backend)?
        }
    };
    let vocabulary = Vocabulary::from_merges(&merges);
    let text = match format {
        FileFormat::Ranks => rank_file::write(&vocabulary),
        FileFormat::HuggingFace => hugging_face::write(&vocabulary, &merges, goal.pattern),
    };
    store::write_atomic(&args.output, text.as_bytes())?;
    if vocabulary.len() < args.vocab {
        out::note(&format!(
            "{} tokens: after {} merges no piece has two tokens left to merge",
            vocabulary.len(),
            merges.len()
        ));
    }
    if format == FileFormat::Ranks && goal.pattern != Pattern::Gpt2 {
        out::note(&format!("a file of ranks has no pattern: encode with --pattern {}", goal.pattern.name()));
    }
    out::line(&args.output.display().to_string());
    Ok(DONE)
}

/// Training takes long: what is wrong with its output shows before.
fn check_output(args: &TrainArgs) -> Result<(), Diagnostic> {
    store::check_target(&args.output)?;
    let same = |file: &PathBuf| file.canonicalize().ok() == args.output.canonicalize().ok();
    if args.output.exists() && args.files.iter().any(same) {
        return Err(Diagnostic::error(format!("{} is also a file to train on", args.output.display()))
            .hint("give the output another name: it would replace the text"));
    }
    Ok(())
}

/// Says something at most every two seconds.
struct Progress(Instant);

impl Progress {
    fn say(&mut self, what: impl FnOnce() -> String) {
        if self.0.elapsed() > Duration::from_secs(2) {
            self.0 = Instant::now();
            out::note(&what());
        }
    }
}

fn train_on_cores(args: &TrainArgs, goal: Goal) -> Result<Vec<(u32, u32)>, Diagnostic> {
    let mut pieces = Pieces::default();
    let mut progress = Progress(Instant::now());
    each_file(args, goal.pattern, |text| {
        pieces.add(goal.pattern, text);
        progress.say(|| format!("{} MB read", pieces.bytes() / 1_000_000));
        Ok(())
    })?;
    let bytes = pieces.bytes();
    let pieces = pieces.in_order();
    out::note(&format!("{bytes} bytes, {} different pieces", pieces.len()));
    train::train(&pieces, goal.size, goal.ties, |done| progress.say(|| format!("{done} merges")))
}

fn train_on_device(args: &TrainArgs, goal: Goal, backend: Backend) -> Result<Vec<(u32, u32)>, Diagnostic> {
    goal.check()?;
    // The device is opened first: if there is none, no time goes into the text. Its tables grow if files do not say how long they are.
    let size = |file: &PathBuf| file.metadata().map_or(0, |file| usize::try_from(file.len()).unwrap_or(usize::MAX));
    let expected = args.files.iter().map(size).fold(0, usize::saturating_add);
    training_on(backend, goal, expected, |device| {
        let (mut texts, mut bytes) = (Vec::new(), 0);
        let mut progress = Progress(Instant::now());
        each_file(args, goal.pattern, |text| {
            bytes += text.len();
            check_length(bytes)?;
            texts.push(text.to_owned());
            progress.say(|| format!("{} MB read", bytes / 1_000_000));
            Ok(())
        })?;
        out::note(&format!("{bytes} bytes"));
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        device.train(&texts, &mut |came| match came {
            TrainProgress::Rounds(done) => progress.say(|| format!("{done} rounds")),
            TrainProgress::Again(what) => {
                out::note(&format!("the table of {what} was too small: once more with a larger one"))
            }
        })
    })
}

/// Hands over the text of all files, in blocks that end where a piece does.
fn each_file(
    args: &TrainArgs,
    pattern: Pattern,
    mut take: impl FnMut(&str) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    for path in &args.files {
        let name = path.display().to_string();
        let mut is_empty = true;
        let outcome = stream::read(open(path)?, &name, pattern, |text| {
            is_empty = false;
            match take(text) {
                Ok(()) => ControlFlow::Continue(()),
                Err(problem) => ControlFlow::Break(problem),
            }
        })?;
        if let ControlFlow::Break(problem) = outcome {
            return Err(problem.in_file(&name));
        }
        if is_empty {
            out::problems(&[Diagnostic::warning("the file is empty: nothing is learnt from it").in_file(&name)]);
        }
    }
    Ok(())
}

fn encode_text(args: &EncodeArgs) -> Result<ExitCode, Diagnostic> {
    let (vocabulary, own) = vocabulary(&args.vocabulary)?;
    let pattern = pattern_of(&args.vocabulary, own);
    warn_of_path(args);
    let (mut ids, mut count) = (Vec::new(), 0);
    let mut take = |encoded: Vec<Vec<u32>>| {
        for mut encoded in encoded {
            count += encoded.len();
            if !args.count {
                ids.append(&mut encoded);
            }
        }
    };
    match args.vocabulary.backend.choice() {
        Choice::Auto => each_text(args, pattern, |text| {
            take(encode::encode_parts(&vocabulary, pattern, text));
            Ok(())
        })?,
        Choice::Only(backend) => {
            if let Some(setting) = missing_setting(backend) {
                return reexec::with(setting);
            }
            let most = match given(args) {
                Given::Text(text) => text.len(),
                Given::File(_) => usize::MAX,
            };
            encoding_on(backend, &vocabulary, pattern, most, |device| {
                each_text(args, pattern, |text| device.encode(text).map(&mut take))?;
                if let Some(remark) = device.remark() {
                    out::note(&remark);
                }
                Ok(())
            })?;
        }
    }
    if args.count {
        out::line(&count.to_string());
    } else if let Some(path) = &args.output {
        npy::write(path, &Tensor { elem: Elem::U32, words: ids }, &Shape(vec![count as u64]))?;
    } else {
        let ids: Vec<String> = ids.iter().map(u32::to_string).collect();
        out::line(&ids.join(" "));
    }
    Ok(DONE)
}

/// Hands over the text that is asked for, in blocks.
fn each_text(
    args: &EncodeArgs,
    pattern: Pattern,
    mut take: impl FnMut(&str) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let file = match given(args) {
        Given::Text(text) => return take(text),
        Given::File(file) => file,
    };
    let name = if file.as_os_str() == STDIN { "standard input".to_owned() } else { file.display().to_string() };
    let outcome = stream::read(open(file)?, &name, pattern, |text| match take(text) {
        Ok(()) => ControlFlow::Continue(()),
        Err(problem) => ControlFlow::Break(problem),
    })?;
    outcome.break_value().map_or(Ok(()), Err)
}

/// Where the text to encode is.
enum Given<'a> {
    Text(&'a str),
    File(&'a Path),
}

fn given(args: &EncodeArgs) -> Given<'_> {
    match (&args.file, args.text.as_deref()) {
        (Some(file), _) => Given::File(file),
        (None, Some(STDIN)) => Given::File(Path::new(STDIN)),
        (None, text) => Given::Text(text.unwrap_or_default()),
    }
}

/// A text that is a file's name is more often a file than a text.
fn warn_of_path(args: &EncodeArgs) {
    if let Given::Text(text) = given(args)
        && Path::new(text).metadata().is_ok_and(|found| !found.is_dir())
    {
        let message = format!("`{text}` is encoded as a text, and there is a file of that name");
        out::problems(&[Diagnostic::warning(message).hint(format!("to encode what is in it: --file {text}"))]);
    }
}

fn decode_ids(args: &DecodeArgs) -> Result<ExitCode, Diagnostic> {
    only_cores(args.vocabulary.backend)?;
    let (vocabulary, _) = vocabulary(&args.vocabulary)?;
    let ids = if args.ids.as_os_str() == STDIN {
        let mut text = String::new();
        let read = std::io::stdin().lock().read_to_string(&mut text);
        read.map_err(|error| Diagnostic::error(format!("cannot read standard input: {error}")))?;
        let wrong = |word: &str| {
            Diagnostic::error(format!("`{word}` is not an id"))
                .hint("give ids as whole numbers with white space between them")
        };
        text.split_whitespace().map(|word| word.parse().map_err(|_| wrong(word))).collect::<Result<Vec<u32>, _>>()?
    } else {
        npy::read(&args.ids, Elem::U32)?.words
    };
    let bytes = vocabulary.decode(&ids).map_err(|(at, id)| {
        Diagnostic::error(format!("the vocabulary has no token {id}, which is id number {} of the input", at + 1))
            .hint("decode with the vocabulary that the text was encoded with")
    })?;
    out::bytes(&bytes);
    Ok(DONE)
}

/// The pattern to cut by: the vocabulary's own, or the one that is asked for.
fn pattern_of(args: &VocabularyArgs, own: Option<Pattern>) -> Pattern {
    let asked = args.pattern.map(PatternArg::pattern);
    match (own, asked) {
        (None, None) => {
            out::note("a file of ranks has no pattern: words are cut by gpt2, unless --pattern names another")
        }
        (Some(own), Some(asked)) if own != asked => {
            let message =
                format!("the vocabulary cuts words by {}, and --pattern asks for {}", own.name(), asked.name());
            let hint = "leave --pattern out to get the ids that others get";
            out::problems(&[Diagnostic::warning(message).hint(hint).in_file(&args.vocab)]);
        }
        _ => {}
    }
    asked.or(own).unwrap_or(Pattern::Gpt2)
}

/// The vocabulary that is asked for, and its pattern if it has one.
fn vocabulary(args: &VocabularyArgs) -> Result<(Vocabulary, Option<Pattern>), Diagnostic> {
    if let Some(built_in) = rank_file::built_in(&args.vocab) {
        let own = if args.vocab == "o200k_base" { Pattern::O200k } else { Pattern::Cl100k };
        return Ok((built_in?, Some(own)));
    }
    let path = Path::new(&args.vocab);
    let format = format_of(path).ok_or_else(|| {
        Diagnostic::error(format!("`{}` is no vocabulary that is known here", args.vocab))
            .hint(format!("give {}, or a file that ends in .tiktoken or .json", any_of(&rank_file::BUILT_IN)))
    })?;
    let text = files::read_text_within(path, LARGEST)
        .map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", args.vocab)))?;
    let (vocabulary, pattern) = match format {
        FileFormat::Ranks => (rank_file::read(&args.vocab, &text)?, None),
        FileFormat::HuggingFace => {
            let hugging_face::Tokenizer { vocabulary, pattern, unlike, repeats } =
                hugging_face::read(&args.vocab, &text)?;
            let unlike = unlike.into_iter().map(|what| format!("{what}, which Warpbook does not do"));
            let warn = |what| Diagnostic::warning(format!("this tokenizer {what}")).in_file(&args.vocab);
            out::problems(&unlike.chain(repeats).map(warn).collect::<Vec<_>>());
            (vocabulary, Some(pattern))
        }
    };
    let alone = vocabulary.unreachable();
    if let Some(first) = alone.first() {
        let message = format!(
            "no merge makes {} of the tokens, the first is {first}: only a piece that equals such a token gets its id",
            alone.len()
        );
        out::problems(&[Diagnostic::warning(message).in_file(&args.vocab)]);
    }
    Ok((vocabulary, pattern))
}

fn open(path: &Path) -> Result<Box<dyn Read>, Diagnostic> {
    if path.as_os_str() == STDIN {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let cannot = |error: std::io::Error| Diagnostic::error(format!("cannot read {}: {error}", path.display()));
    let file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(Diagnostic::error(format!("{} is a folder", path.display())).hint("name the files in it"));
    }
    Ok(Box::new(file))
}
