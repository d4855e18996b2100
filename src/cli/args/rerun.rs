//! Options of `rerun`.

use std::path::PathBuf;

use clap::{Args, Parser};

use super::{BackendArg, Cli, Command};

/// Options of `rerun`.
#[derive(Args, Debug)]
pub struct RerunArgs {
    /// The note: .md, .html or .ipynb, with its folder of data beside it.
    #[arg(value_name = "NOTE")]
    pub note: PathBuf,
    /// Backend that runs the commands; the note's where none is given, or the tracer if that is not here.
    #[arg(long, value_enum)]
    pub backend: Option<BackendArg>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The command that some words are, and the pack that they name; the first is the program's name. None for the program
/// without a command.
///
/// # Errors
/// The first line of the grammar's message.
pub fn parsed(words: &[String]) -> Result<(Option<Command>, Option<PathBuf>), String> {
    let first = |text: String| text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    Cli::try_parse_from(words).map(|cli| (cli.command, cli.pack)).map_err(|why| first(why.to_string()))
}
