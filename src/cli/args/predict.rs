//! Options of `warpbook predict`.

use clap::Args;

/// Options of `predict`.
#[derive(Args, Debug)]
pub struct PredictArgs {
    /// The lessons; all where none is given.
    pub lessons: Vec<String>,
    /// Do not trace points whose work needs more operations or bytes than this; they are listed without a prediction.
    #[arg(long, value_name = "N", default_value_t = 3e8, value_parser = amount)]
    pub most_work: f64,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

fn amount(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| *value >= 0.0);
    value.ok_or_else(|| format!("`{text}` is not a number from 0, such as 3e8"))
}
