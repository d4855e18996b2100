//! The command line: one file a command. JSON goes to standard output alone, everything else to standard error.

mod annotations;
mod args;
mod assemble;
mod assert;
mod bench;
mod brief;
mod check;
mod cost;
mod counters;
mod diff;
mod doctor;
mod export;
mod film;
mod kept;
#[cfg(feature = "cuda")]
mod launches;
mod ledger;
mod list;
mod machine;
mod mcp;
mod names;
mod new;
mod open;
mod out;
mod predict;
mod predicted;
mod ranks;
mod record;
mod reexec;
mod rerun;
mod run;
mod serve;
mod site;
mod still_working;
mod sweep;
mod target;
mod together;
mod tokenizer;
mod trace;
mod watch;
mod zero_fit;

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub use args::{Cli, Command, OpenArgs, ShotArgs, ThemeArg, with_open};
pub use open::opening;
pub use out::{DONE, FAILED, MISUSED, failed, line, misused, note, problems};

use crate::base::diag::Diagnostic;
use crate::device::DeviceSpec;
use crate::gpu::client::WorkerCommand;
use crate::lesson::{Pack, PackFiles};
use crate::ranks::launch::is_launched;
use crate::session;
use crate::session::experiment::recording::Recording;
use crate::session::pack::quote::Quotes;
use crate::session::run::devices::Devices;

/// The context of every command.
pub struct Context {
    pub files: PackFiles,
    /// The backends.
    pub devices: Devices,
    /// Never set on the command line: an interrupt ends the process.
    pub cancel: AtomicBool,
}

impl Context {
    /// A context for a pack: the built-in one, or a folder's.
    #[must_use]
    pub fn new(files: PackFiles, worker: WorkerCommand) -> Self {
        Self { files, devices: Devices::new(worker), cancel: AtomicBool::new(false) }
    }

    /// Reads the pack; what is wrong with it goes to standard error.
    fn pack(&self) -> Result<Pack, ExitCode> {
        let (pack, found) = session::load(&self.files);
        problems(&found);
        if pack.lessons.is_empty() {
            if found.is_empty() {
                problems(&[Diagnostic::error("the pack has no lessons").hint("name them in lessons/index.ron")]);
            }
            return Err(MISUSED.into());
        }
        Ok(pack)
    }

    /// The pack's recordings; what is wrong with their files goes to standard error.
    fn recordings(&self, pack: &Pack) -> Vec<Recording> {
        let (recordings, found) = session::experiment::recording::load(&self.files, pack);
        problems(&found);
        recordings
    }

    /// The figures that the pack quotes; what is wrong with them goes to standard error.
    fn quotes(&self, pack: &Pack, recordings: &[Recording], models: &[DeviceSpec]) -> Quotes {
        let (quotes, found) = Quotes::load(&self.files, pack, recordings, models);
        problems(&found);
        quotes
    }

    /// The devices that can be modelled; what is wrong with their files goes to standard error.
    fn models(&self) -> Vec<DeviceSpec> {
        let (models, found) = session::run::model::load(&self.files);
        problems(&found);
        models
    }
}

/// Carries out a command that needs no window.
#[must_use]
pub fn execute(command: Command, context: &Context) -> ExitCode {
    // A rank's launcher says it for all.
    let waits = match &command {
        Command::Serve(_) | Command::Mcp => true,
        Command::Trace(args) => args.watch,
        _ => false,
    };
    let _patience = (!is_launched() && !waits).then(still_working::Patience::start);
    let done = match command {
        Command::List { json } => list::list(context, json),
        Command::Doctor { json } => doctor::doctor(context, json),
        Command::Run(args) => run::run(context, &args),
        Command::Sweep(args) => sweep::sweep(context, &args),
        Command::Trace(args) => trace::trace(context, &args),
        Command::Diff(args) => diff::diff(context, &args),
        Command::Counters(args) => counters::counters(context, &args),
        Command::Assert(args) => assert::assert(context, &args),
        Command::Assemble { pack } => assemble::assemble(context, &pack),
        #[cfg(feature = "cuda")]
        Command::Launches(args) => launches::launches(&args),
        Command::Mcp => mcp::mcp(),
        Command::Names { json } => Ok(names::names(json)),
        Command::Check { pack, lessons } => check::check(context, pack, &lessons),
        Command::Bench(args) => bench::bench(context, &args),
        Command::Predict(args) => predict::predict(context, &args),
        Command::Record(args) => record::record(context, &args),
        Command::Export(args) => export::export(context, &args),
        Command::Serve(args) => serve::serve(context, args.folder.as_deref(), args.port),
        Command::Ledger(args) => ledger::ledger(context, &args),
        Command::Review(args) => ledger::review(context, &args),
        Command::Worklog(args) => ledger::worklog(context, &args),
        Command::Rerun(args) => rerun::rerun(context, &args),
        Command::Film(args) => film::film(context, &args),
        Command::New { name, pack } => new::new(&name, pack),
        Command::Tokenizer(command) => tokenizer::tokenizer(command),
        Command::Ranks(args) => ranks::ranks(&args),
        Command::Cost(args) => cost::cost(context, &args),
        Command::ZeroFit(args) => zero_fit::zero_fit(&args),
        Command::Shot(_) | Command::Open(_) | Command::Worker { .. } => {
            problems(&[Diagnostic::error("this command needs the window's part of the program")]);
            Err(MISUSED.into())
        }
    };
    done.unwrap_or_else(|code| code)
}

/// Without a window: says what was found and what happens instead, then writes the lessons as a site.
#[must_use]
pub fn instead_of_window(why: &Diagnostic, context: &Context) -> ExitCode {
    site::instead_of_window(why, context).unwrap_or_else(|code| code)
}
