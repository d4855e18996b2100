//! Options of `warpbook film`.

use std::path::PathBuf;

use clap::Args;

use super::{ending_in, size, warp_width};

/// Options of `film`.
#[derive(Args, Debug)]
pub struct FilmArgs {
    /// The lesson's id.
    pub lesson: String,
    /// The step, from 1.
    #[arg(long, default_value_t = 1)]
    pub step: usize,
    /// Width and height in points.
    #[arg(long, default_value = "720x440", value_parser = size)]
    pub size: [u32; 2],
    /// Lanes in a traced warp: 8, 16, 32 or 64.
    #[arg(long, default_value = "32", value_parser = warp_width)]
    pub warp: u32,
    /// Put the picture on a card with the titles of the page and its lesson.
    #[arg(long)]
    pub card: bool,
    /// The file to write: an SVG that moves, a PNG of the moment at which the page opens, or an APNG that moves.
    #[arg(short = 'o', long = "output", value_name = "FILE.svg|.png|.apng", value_parser = |text: &str| ending_in(text, &["svg", "png", "apng"]))]
    pub output: PathBuf,
}
