//! Options of `warpbook assert`.

use std::path::PathBuf;

use clap::Args;

use super::SettingArgs;

/// Options of `assert`.
#[derive(Args, Debug)]
pub struct AssertArgs {
    /// The kernel, as `trace` takes it.
    pub target: String,
    /// Conditions on figures of the trace: 'conflicts == 0', 'load.sectors_per_request <= 4', 'races == 0'.
    #[arg(required = true, value_name = "CONDITION")]
    pub conditions: Vec<String>,
    /// The launch.
    #[command(flatten)]
    pub setting: SettingArgs,
    /// Write the results as JUnit XML, too.
    #[arg(long, value_name = "FILE.xml")]
    pub junit: Option<PathBuf>,
    /// Write failed conditions and findings as SARIF, too: at their lines, or at the line that has most of what a condition counts.
    #[arg(long, value_name = "FILE.sarif")]
    pub sarif: Option<PathBuf>,
    /// Print them as annotations of GitHub's workflows, too.
    #[arg(long, conflicts_with = "json")]
    pub github: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
