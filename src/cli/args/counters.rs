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
    /// The launch in the file, from 1; the first of a kernel of the traced one's name where none is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub launch: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
