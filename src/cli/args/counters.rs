//! Options of `warpbook counters`.

use std::path::PathBuf;

use clap::Args;

use super::SettingArgs;

/// Options of `counters`.
#[derive(Args, Debug)]
pub struct CountersArgs {
    /// A report of ncu's (FILE.ncu-rep; pip install ncu-report reads it), or what `ncu --csv --page raw` wrote.
    #[arg(value_name = "FILE.ncu-rep|FILE.csv")]
    pub file: PathBuf,
    /// The kernel, as `trace` takes it.
    pub target: String,
    /// The launch.
    #[command(flatten)]
    pub setting: SettingArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
