//! Options of `ledger` and `worklog`.

use clap::{Args, ValueEnum};

/// Options of `ledger`.
#[derive(Args, Debug)]
pub struct LedgerArgs {
    /// Print JSON: the same as `--format json`.
    #[arg(long)]
    pub json: bool,
    /// The form that it is printed in.
    #[arg(long, default_value = "md", value_enum, conflicts_with = "json")]
    pub format: LedgerFormat,
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
