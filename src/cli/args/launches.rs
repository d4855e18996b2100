//! Options of `warpbook launches`, and those of a launch that a file keeps.

#[cfg(feature = "cuda")]
use std::path::PathBuf;

#[cfg(feature = "cuda")]
use clap::Args;
use clap::Parser;

use super::SettingArgs;
#[cfg(feature = "cuda")]
use super::trace::host_value;

/// Options of `launches`.
#[cfg(feature = "cuda")]
#[derive(Args, Debug)]
pub struct LaunchesArgs {
    /// The path of a .cu, .cuh or .cpp file.
    pub file: PathBuf,
    /// The launch that is shown whole, where the file has many.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub launch: Option<u32>,
    /// The value of a name, or of an expression, in its host code that the file does not say: N=1024, 'x.size(0)=64'.
    #[arg(long = "let", value_name = "NAME=VALUE", value_parser = host_value)]
    pub lets: Vec<(String, f64)>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
struct Kept {
    #[command(flatten)]
    setting: SettingArgs,
}

/// The launch of options that a file keeps.
///
/// # Errors
/// A message of one line.
pub fn kept(words: &[String]) -> Result<SettingArgs, String> {
    let kept = Kept::try_parse_from(words).map_err(|error| {
        let said = error.to_string();
        said.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })?;
    Ok(kept.setting)
}
