//! Options of `warpbook predict`.

use clap::Args;

/// Options of `predict`.
#[derive(Args, Debug)]
pub struct PredictArgs {
    /// The lessons; all where none is given.
    pub lessons: Vec<String>,
    /// Leave out points whose work needs more operations or bytes than this: a prediction is made of a whole trace.
    #[arg(long, value_name = "N", default_value_t = 3e8)]
    pub most_work: f64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
