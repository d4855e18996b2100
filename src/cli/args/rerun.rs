//! Options of `rerun`.

use std::path::PathBuf;

use clap::Args;

use super::BackendArg;

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
