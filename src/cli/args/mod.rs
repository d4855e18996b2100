//! The command line's grammar, as clap reads it.

mod assert;
mod cost;
mod counters;
mod diff;
mod export;
mod film;
mod launches;
mod ledger;
mod open;
mod predict;
mod ranks;
mod rerun;
mod run;
mod shot;
mod tokenizer;
mod trace;
mod zero_fit;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use assert::AssertArgs;
pub use cost::CostArgs;
pub use counters::CountersArgs;
pub use diff::DiffArgs;
pub use export::{ExportArgs, ServeArgs};
pub use film::FilmArgs;
#[cfg(feature = "cuda")]
pub use launches::LaunchesArgs;
pub use launches::kept;
pub use ledger::{LedgerArgs, LedgerFormat, ReviewArgs, WorklogArgs};
pub use open::OpenArgs;
pub use predict::PredictArgs;
pub use ranks::{OverArg, RanksArgs};
pub use rerun::{RerunArgs, parsed};
pub use run::{IoArgs, OutArgs, Print, RunCommand};
pub use shot::{DeviceArg, ShotArgs, ThemeArg};
pub use tokenizer::{
    ComputerArg, DecodeArgs, EncodeArgs, PatternArg, TiesArg, TokenizerCommand, TrainArgs, VocabularyArgs,
};
pub use trace::{SettingArgs, TraceArgs};
pub use zero_fit::ZeroFitArgs;

use crate::job::Language;
use crate::session::run::devices::Choice;
use crate::trace::record::Backend;

/// A notebook that explains how machine-learning systems use a GPU. Without a command it opens the window.
#[derive(Parser, Debug)]
#[command(name = "warpbook", version = crate::session::VERSION, after_help = "The guide is in docs/src of the sources, and the options of a command in `warpbook help COMMAND`.")]
pub struct Cli {
    /// A folder with lessons/, shaders/ and assets/ to use instead of the built-in pack.
    #[arg(long, global = true, value_name = "DIR")]
    pub pack: Option<PathBuf>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// The program's arguments, where a single one that is a kernel's file asks for `open`.
#[must_use]
pub fn with_open(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    if let [_, file] = args.as_slice()
        && Path::new(file)
            .extension()
            .is_some_and(|end| ["cu", "cuh", "cpp", "ptx", "wgsl"].iter().any(|kernel| end == *kernel))
    {
        args.insert(1, "open".into());
    }
    args
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Lessons, in order, with what each needs.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Backends, devices, drivers and the display: found, or missing and how to get it.
    Doctor {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Open the window with a kernel of yours, to watch it (`warpbook FILE` does so, too), or at a page.
    Open(OpenArgs),
    /// Run a lesson's kernels and programs: check, time and trace them.
    Run(RunCommand),
    /// Run a lesson's kernels and programs over several values of one parameter.
    Sweep(SweepArgs),
    /// Trace a kernel, a program or a pass of it, or any .wgsl file. Findings are printed with their lines: races
    /// within workgroups and between them, reads of what was never written, indices out of bounds.
    Trace(TraceArgs),
    /// List the launches in a CUDA C++ file, with what its host code says of their sizes, arguments and buffers.
    #[cfg(feature = "cuda")]
    Launches(LaunchesArgs),
    /// Trace two kernels and print what changed: counts, predicted times and lines.
    Diff(DiffArgs),
    /// Trace a kernel and check conditions on its counts and findings. The exit code is 1 if one fails.
    Assert(AssertArgs),
    /// Put the counters of NVIDIA's profiler beside a kernel's trace: equal, explained, or not explained.
    Counters(CountersArgs),
    /// The names of counts and findings that conditions can use, with their meaning and the metrics of NVIDIA's profiler.
    Names {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Give trace, diff, assert and launches to a program that edits kernels, by the Model Context Protocol on standard
    /// input and output, for files below the current folder.
    Mcp,
    /// Check the lessons of a pack: document, kernels, references, exercises.
    Check {
        /// The pack's folder; the built-in pack where none is given.
        #[arg(value_name = "PACK")]
        pack: Option<PathBuf>,
        /// The lessons to run, by their ids; all where none is given. Documents are read of all.
        #[arg(value_name = "LESSON")]
        lessons: Vec<String>,
    },
    /// Compile a pack's kernels in CUDA C++ to PTX at the settings of its pages, so that they are traced where there is
    /// no compiler.
    Assemble {
        /// The pack's folder.
        #[arg(value_name = "PACK")]
        pack: PathBuf,
    },
    /// Write a lesson's note: prose, figures, data and the learner's own words.
    Export(ExportArgs),
    /// Give a site to a browser on this machine, and print its address.
    Serve(ServeArgs),
    /// Your knowledge by concept, from the journal: mastered, developing and blind spots, each with its evidence.
    Ledger(LedgerArgs),
    /// List the items that are due for review, and when the next one is due. The window asks the questions.
    Review(ReviewArgs),
    /// Your work of a day, from the journal.
    Worklog(WorklogArgs),
    /// Run a note's experiments here, and say what differs from what it recorded.
    Rerun(RerunArgs),
    /// Measure the device's ceilings, every kernel against them, and the tracer's own speed.
    Bench(BenchArgs),
    /// Run every lesson's experiments and keep them, to be shown where there is no such device.
    Record(RecordArgs),
    /// Compare what the model of a device predicts with every time recorded on that device.
    Predict(PredictArgs),
    /// Draw the window into a PNG file.
    Shot(ShotArgs),
    /// Write a step's picture to share: an SVG that moves, a PNG or an APNG.
    Film(FilmArgs),
    /// Start a lesson that passes `check`.
    New {
        /// The lesson's id: letters, digits, - and _, beginning with a letter.
        name: String,
        /// The pack's folder; the current one where none is given.
        #[arg(long, value_name = "DIR")]
        pack: Option<PathBuf>,
    },
    /// Train a byte-pair encoding on files, encode and decode with it, on the processor's cores or a GPU.
    #[command(subcommand)]
    Tokenizer(TokenizerCommand),
    /// What a step of training a transformer costs before it runs: parameters, operations, memory by buffer, and a time.
    Cost(CostArgs),
    /// The model state that ZeRO leaves on a GPU and what a GPU sends, by arithmetic alone.
    ZeroFit(ZeroFitArgs),
    /// Time collectives between processes, one a GPU: started here, or by torchrun, srun or mpirun.
    Ranks(RanksArgs),
    /// The process that owns a device; started by the program itself.
    #[command(hide = true)]
    Worker {
        /// How to behave, for tests.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<String>,
    },
}

/// Options of `run`, shared by `sweep`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The lesson's id.
    pub lesson: String,
    /// A kernel's id; everything where neither kernel nor program is given.
    #[arg(long = "kernel", value_name = "ID")]
    pub kernels: Vec<String>,
    /// A program's id.
    #[arg(long = "program", value_name = "ID")]
    pub programs: Vec<String>,
    /// The kernel for a place in a program: the pass's id and the kernel's.
    #[arg(long = "rung", value_name = "SLOT=KERNEL", value_parser = rung)]
    pub rungs: Vec<(String, String)>,
    /// A parameter's value.
    #[arg(long = "set", value_name = "ID=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
    /// Backend that runs the kernels.
    #[arg(long, default_value = "auto", value_enum)]
    pub backend: BackendArg,
    /// Seed of the random inputs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Have the device's compiler leave out its guards on indices. CUDA's has none.
    #[arg(long)]
    pub unchecked: bool,
    /// Print each kernel's PTX with the source's lines (CUDA only).
    #[arg(long, conflicts_with = "json")]
    pub ptx: bool,
    /// Lanes in a traced warp: 8, 16, 32 or 64. A device that measures has its own width.
    #[arg(long, default_value = "32", value_parser = warp_width)]
    pub warp: u32,
    /// The language that the tracer runs kernels in: WGSL, or CUDA C++ by way of PTX. CUDA needs its compiler, NVRTC,
    /// but no GPU.
    #[arg(long, default_value = "wgsl", value_enum)]
    pub language: LanguageArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Options of `sweep`.
#[derive(Args, Debug)]
pub struct SweepArgs {
    /// The options of `run`.
    #[command(flatten)]
    pub run: RunArgs,
    /// The parameter and its values.
    #[arg(long, value_name = "ID=V1,V2,…", value_parser = values)]
    pub over: (String, Values),
    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
}

/// Values of a swept parameter.
#[derive(Clone, Debug)]
pub struct Values(pub Vec<f64>);

/// Options of `bench`.
#[derive(Args, Debug)]
pub struct BenchArgs {
    /// The backend; every one that has a device where none is named.
    #[arg(long, default_value = "auto", value_enum)]
    pub backend: DeviceArg,
    /// Only this lesson's kernels; may be given more than once.
    #[arg(long = "lesson", value_name = "LESSON")]
    pub lessons: Vec<String>,
    /// Only this kernel or program, beside those of the lessons that are named; may be given more than once.
    #[arg(long = "kernel", value_name = "LESSON/ID", value_parser = in_lesson)]
    pub kernels: Vec<(String, String)>,
    /// Measure what the devices can do, and no kernel of a lesson.
    #[arg(long, conflicts_with_all = ["lessons", "kernels"])]
    pub ceilings: bool,
    /// Leave out the tracer's own speed.
    #[arg(long)]
    pub no_tracer: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// Options of `record`.
#[derive(Args, Debug)]
pub struct RecordArgs {
    /// The lessons to record; all where none is given. What the file has of others on the same device is kept.
    pub lessons: Vec<String>,
    /// Only these experiments of the lessons.
    #[arg(long = "experiment", value_name = "ID", requires = "lessons")]
    pub experiments: Vec<String>,
    /// The file to write; assets/recordings/DEVICE-BACKEND.ron in the pack's folder where none is given.
    #[arg(short = 'o', long = "output", value_name = "FILE.ron")]
    pub output: Option<PathBuf>,
    /// Backend that measures: with auto, the graphics driver.
    #[arg(long, default_value = "auto", value_enum)]
    pub backend: DeviceArg,
    /// Run each rank of the experiments' programs as a process of its own, and exchange numbers over this. Their file
    /// is assets/recordings/N-DEVICE-over-WHAT-BACKEND.ron.
    #[arg(long, value_enum, requires = "experiments")]
    pub over: Option<OverArg>,
}

/// The backend asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BackendArg {
    /// The graphics driver where there is one, else the tracer.
    Auto,
    /// The tracer.
    Simt,
    /// The graphics driver, through wgpu.
    Wgpu,
    /// NVIDIA's own driver, with the kernels' twins in CUDA C++.
    Cuda,
}

impl BackendArg {
    /// The choice that it represents.
    #[must_use]
    pub fn choice(self) -> Choice {
        match self {
            Self::Auto => Choice::Auto,
            Self::Simt => Choice::Only(Backend::Simt),
            Self::Wgpu => Choice::Only(Backend::Wgpu),
            Self::Cuda => Choice::Only(Backend::Cuda),
        }
    }
}

fn number(text: &str) -> Result<f64, String> {
    let value: f64 = text.trim().parse().map_err(|_| format!("`{text}` is not a number"))?;
    if value.is_finite() { Ok(value) } else { Err(format!("`{text}` is not a finite number")) }
}

fn assignment(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    let value = match value.trim() {
        "true" => 1.0,
        "false" => 0.0,
        other => number(other)?,
    };
    Ok((name.trim().to_owned(), value))
}

fn in_lesson(text: &str) -> Result<(String, String), String> {
    let (lesson, id) = text.split_once('/').ok_or("expected LESSON/ID")?;
    Ok((lesson.trim().to_owned(), id.trim().to_owned()))
}

fn member(text: &str) -> Result<(String, Vec<f64>), String> {
    let (path, numbers) = text.split_once('=').ok_or("expected BUFFER[.MEMBER]=N1[,N2,…]")?;
    let numbers = numbers.split(',').map(number).collect::<Result<Vec<f64>, String>>()?;
    Ok((path.trim().to_owned(), numbers))
}

fn rung(text: &str) -> Result<(String, String), String> {
    let (pass, kernel) = text.split_once('=').ok_or("expected SLOT=KERNEL")?;
    Ok((pass.trim().to_owned(), kernel.trim().to_owned()))
}

fn buffer_file(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("expected BUFFER=FILE.npy")?;
    if !file.ends_with(".npy") {
        return Err(format!("`{file}` is not a .npy file"));
    }
    Ok((name.trim().to_owned(), file.into()))
}

fn printed(text: &str) -> Result<Print, String> {
    let Some((name, range)) = text.split_once(':') else { return Ok((text.trim().to_owned(), None)) };
    let ends = range.split_once("..").and_then(|(from, to)| Some((from.trim().parse().ok()?, to.trim().parse().ok()?)));
    match ends {
        Some((from, to)) if from < to => Ok((name.trim().to_owned(), Some((from, to)))),
        _ => Err(format!("`{range}` is not FROM..TO")),
    }
}

fn values(text: &str) -> Result<(String, Values), String> {
    let (name, list) = text.split_once('=').ok_or("expected ID=V1,V2,…")?;
    let values = list.split(',').map(number).collect::<Result<Vec<f64>, String>>()?;
    Ok((name.trim().to_owned(), Values(values)))
}

fn grid(text: &str) -> Result<[u32; 3], String> {
    let mut grid = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err("a grid has at most three dimensions".to_owned());
    }
    for (size, part) in grid.iter_mut().zip(parts) {
        *size = part.trim().parse().ok().filter(|n| *n > 0).ok_or(format!("`{part}` is no whole number from 1 on"))?;
    }
    Ok(grid)
}

/// A number of bytes, which may be in KiB: `49152`, `48k`.
fn bytes(text: &str) -> Result<u32, String> {
    let lower = text.to_ascii_lowercase();
    let (number, unit) =
        ["kib", "kb", "k"].iter().find_map(|end| lower.strip_suffix(end)).map_or((&*lower, 1), |n| (n, 1024));
    let bytes = number.trim().parse::<u32>().ok().and_then(|n| n.checked_mul(unit));
    bytes.ok_or(format!("`{text}` is no number of bytes: give one, or KiB as in 48k"))
}

/// A language to trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LanguageArg {
    /// WGSL.
    Wgsl,
    /// CUDA C++, by way of PTX.
    Cuda,
}

impl LanguageArg {
    /// The language.
    #[must_use]
    pub fn language(self) -> Language {
        match self {
            Self::Wgsl => Language::Wgsl,
            Self::Cuda => Language::Cuda,
        }
    }
}

fn element(text: &str) -> Result<(String, u64), String> {
    let parts = text.trim().strip_suffix(']').and_then(|text| text.split_once('['));
    let (name, index) = parts.filter(|(name, _)| !name.trim().is_empty()).ok_or("expected BUFFER[INDEX]")?;
    let index = index.trim().parse().map_err(|_| format!("`{index}` is not the index of an element"))?;
    Ok((name.trim().to_owned(), index))
}

fn warp_width(text: &str) -> Result<u32, String> {
    match text {
        "8" => Ok(8),
        "16" => Ok(16),
        "32" => Ok(32),
        "64" => Ok(64),
        other => Err(format!("`{other}` is not 8, 16, 32 or 64")),
    }
}

/// The file of a picture: its name has one of these endings, or none.
fn ending_in(text: &str, endings: &[&str]) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension().map(|ending| ending.to_string_lossy().to_lowercase()) {
        Some(ending) if !endings.contains(&ending.as_str()) => {
            let names: Vec<String> = endings.iter().map(|ending| format!("FILE.{ending}")).collect();
            Err(format!("it would be a picture: name it {}", names.join(" or ")))
        }
        _ => Ok(path),
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let (width, height) = text.split_once('x').ok_or("expected WIDTHxHEIGHT")?;
    let side = |text: &str| {
        text.parse::<u32>().ok().filter(|n| (320..=8192).contains(n)).ok_or(format!("`{text}` is not from 320 to 8192"))
    };
    Ok([side(width)?, side(height)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_consistent() {
        <Cli as clap::CommandFactory>::command().debug_assert();
    }

    #[test]
    fn small_grammars() {
        assert_eq!(grid("4,2"), Ok([4, 2, 1]));
        assert!(grid("0").is_err() && size("1280").is_err());
        assert_eq!([bytes("49152"), bytes("48k"), bytes("48 KiB")], [Ok(49152), Ok(49152), Ok(49152)]);
        assert!(bytes("48m").is_err() && bytes("-1").is_err() && bytes("5000000k").is_err());
        assert_eq!(assignment("on=true"), Ok(("on".into(), 1.0)));
        assert_eq!(printed("out:3..5"), Ok(("out".into(), Some((3, 5)))));
        assert!(printed("out:5..3").is_err() && buffer_file("a=b.txt").is_err() && rung("a").is_err());
        assert_eq!(element("out[12]"), Ok(("out".into(), 12)));
        for wrong in ["out", "out[", "[3]", "out[-1]", "out[x]", "out[1"] {
            assert!(element(wrong).is_err(), "{wrong}");
        }
    }
}
