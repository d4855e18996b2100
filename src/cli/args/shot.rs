//! Options of `warpbook shot`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{element, ending_in, size, warp_width};
use crate::trace::record::Backend;

/// Options of `shot`.
#[derive(Args, Debug)]
pub struct ShotArgs {
    /// The lesson's id.
    pub lesson: String,
    /// The step, from 1.
    #[arg(long, default_value_t = 1)]
    pub step: usize,
    /// Width and height in points.
    #[arg(long, default_value = "1280x800", value_parser = size)]
    pub size: [u32; 2],
    /// The colours.
    #[arg(long, default_value = "dark", value_enum)]
    pub theme: ThemeArg,
    /// Run the step's experiment first.
    #[arg(long)]
    pub experiment: bool,
    /// Lanes in a traced warp: 8, 16, 32 or 64.
    #[arg(long, default_value = "32", value_parser = warp_width)]
    pub warp: u32,
    /// Show where an element of the step's kernel came from.
    #[arg(long, value_name = "BUFFER[INDEX]", value_parser = element)]
    pub explain: Option<(String, u64)>,
    /// The file to write.
    #[arg(short = 'o', long = "output", value_name = "FILE.png", value_parser = |text: &str| ending_in(text, &["png"]))]
    pub output: PathBuf,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ThemeArg {
    /// Light on dark.
    Dark,
    /// Dark on light.
    Light,
}

/// A backend that measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DeviceArg {
    /// Whatever is there.
    Auto,
    /// The graphics driver, through wgpu.
    Wgpu,
    /// NVIDIA's own driver, with the kernels' twins in CUDA C++.
    Cuda,
}

impl DeviceArg {
    /// The one that was named.
    #[must_use]
    pub fn named(self) -> Option<Backend> {
        match self {
            Self::Auto => None,
            Self::Wgpu => Some(Backend::Wgpu),
            Self::Cuda => Some(Backend::Cuda),
        }
    }
}
