//! Options of `warpbook open`.

use std::path::PathBuf;

use clap::Args;

use super::assignment;

/// Options of `open`.
#[derive(Args, Debug)]
pub struct OpenArgs {
    /// A .wgsl, .cu or .ptx file; or a lesson, or LESSON/PAGE with the page's number.
    #[arg(value_name = "FILE|LESSON[/PAGE]")]
    pub what: PathBuf,
    /// A lesson's parameter's value.
    #[arg(long = "set", value_name = "ID=VALUE", value_parser = assignment)]
    pub set: Vec<(String, f64)>,
}
