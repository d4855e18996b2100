//! The program: parses the command line and hands over to the window, a command, or the worker.

use std::process::ExitCode;

use clap::Parser;

use warpbook::base::diag::Diagnostic;
use warpbook::cli::{self, Cli, Command, Context};
use warpbook::gpu::client::WorkerCommand;
use warpbook::gpu::worker;
use warpbook::lesson::PackFiles;
use warpbook::session::desk;

fn main() -> ExitCode {
    let Cli { pack, command } = match Cli::try_parse_from(cli::with_open(std::env::args_os())) {
        Ok(cli) => cli,
        Err(error) => return unparsed(&error),
    };
    let files = pack.map_or(PackFiles::Embedded, PackFiles::Folder);
    let own = WorkerCommand::this_program();
    match command {
        Some(Command::Worker { args }) => worker::main(&args),
        Some(Command::Shot(args)) => shot(files, own, &args),
        Some(Command::Open(cli::OpenArgs { what, set })) => {
            match cli::opening(&files, &what, &set).and_then(|first| open_window(files, own, first)) {
                Ok(Ok(())) => ExitCode::SUCCESS,
                Ok(Err(unsaved)) => cli::failed(unsaved),
                Err(why) => cli::misused(why),
            }
        }
        Some(command) => cli::execute(command, &Context::new(files, own)),
        None => match open_window(files.clone(), own.clone(), Vec::new()) {
            Ok(Ok(())) => ExitCode::SUCCESS,
            Ok(Err(unsaved)) => cli::failed(unsaved),
            Err(why) => cli::instead_of_window(&why, &Context::new(files, own)),
        },
    }
}

/// Answers arguments that are no command: help and the version where they are asked for, else what is wrong with them.
/// Errors quote arguments, which may hold anything.
fn unparsed(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if error.use_stderr() {
        cli::note(text.trim_end());
        cli::MISUSED.into()
    } else {
        cli::line(text.trim_end());
        cli::DONE
    }
}

#[cfg(feature = "app")]
fn open_window(
    files: PackFiles,
    worker: WorkerCommand,
    first: Vec<desk::Command>,
) -> Result<Result<(), Diagnostic>, Diagnostic> {
    warpbook::app::window::open(files, worker, None, first)
}

#[cfg(not(feature = "app"))]
fn open_window(
    _files: PackFiles,
    _worker: WorkerCommand,
    _first: Vec<desk::Command>,
) -> Result<Result<(), Diagnostic>, Diagnostic> {
    Err(Diagnostic::error("this build has no window").hint("build it with the feature `app`, which is on by default"))
}

#[cfg(feature = "app")]
fn shot(files: PackFiles, worker: WorkerCommand, args: &cli::ShotArgs) -> ExitCode {
    use warpbook::app::shot::{Shot, shoot};
    use warpbook::session::learn::saved::ThemeChoice;
    let theme = match args.theme {
        cli::ThemeArg::Dark => ThemeChoice::Dark,
        cli::ThemeArg::Light => ThemeChoice::Light,
    };
    let shot = Shot {
        lesson: &args.lesson,
        step: args.step,
        size: args.size,
        theme,
        experiment: args.experiment,
        warp_width: args.warp,
        explain: args.explain.clone(),
    };
    match shoot(files, worker, &shot, &args.output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => cli::misused(problem),
    }
}

#[cfg(not(feature = "app"))]
fn shot(_files: PackFiles, _worker: WorkerCommand, _args: &cli::ShotArgs) -> ExitCode {
    cli::misused(Diagnostic::error("this build has no window to draw").hint("build it with the feature `app`"))
}
