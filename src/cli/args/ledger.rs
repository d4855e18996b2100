//! Options of `ledger` and `worklog`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Options of `ledger`.
#[derive(Args, Debug)]
pub struct LedgerArgs {
    /// Print JSON: the same as `--format json`.
    #[arg(long)]
    pub json: bool,
    /// The form that it is printed in.
    #[arg(long, default_value = "md", value_enum, conflicts_with_all = ["json", "md"])]
    pub format: LedgerFormat,
    /// Print Markdown, as without an option.
    #[arg(long, conflicts_with = "json")]
    pub md: bool,
    /// Write it to a file.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Options of `review`.
#[derive(Args, Debug)]
pub struct ReviewArgs {
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// The forms of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LedgerFormat {
    /// Markdown.
    Md,
    /// JSON.
    Json,
}

/// Options of `worklog`.
#[derive(Args, Debug)]
pub struct WorklogArgs {
    /// The day, as YYYY-MM-DD; the last one with an entry where none is given.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub day: Option<String>,
}
