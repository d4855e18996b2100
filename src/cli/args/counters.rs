//! Options of `warpbook counters`.

use std::path::PathBuf;

use clap::Args;

use super::SettingArgs;

/// Options of `counters`.
#[derive(Args, Debug)]
pub struct CountersArgs {
    /// The file that `ncu --csv --page raw` wrote.
    #[arg(value_name = "FILE.csv")]
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
