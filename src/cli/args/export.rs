//! Options of `warpbook export`.

use std::path::PathBuf;

use clap::Args;

use super::BackendArg;
use crate::notes::Format;
use crate::notes::write::ASSETS;

/// Options of `export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// The lesson's id. With `--site` there may be several; none for all.
    #[arg(value_name = "LESSON", required_unless_present_any = ["all", "site"])]
    pub lessons: Vec<String>,
    /// Every lesson of the pack.
    #[arg(long, conflicts_with = "lessons")]
    pub all: bool,
    /// Write the lessons as a site to this folder: pages that play in a browser, which any server of files gives.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "reader", "output", "only", "still"])]
    pub site: Option<PathBuf>,
    /// With `--site`, the address at which it will be, for shared links and search engines.
    #[arg(long, value_name = "URL", requires = "site", default_value = "", hide_default_value = true, value_parser = address)]
    pub address: String,
    /// Formats, with commas between: md, html, csv.
    #[arg(long, default_value = "md", value_delimiter = ',', value_parser = format)]
    pub format: Vec<Format>,
    /// The program that reads the note: obsidian, jekyll, hugo, quarto, jupyter, anki, github or pdf. The folder is a
    /// vault, or a site's root or its `_posts`.
    #[arg(long = "for", value_name = "PROGRAM", value_parser = reader, conflicts_with = "format")]
    pub reader: Option<Format>,
    /// With `--for jekyll`, the folder for figures below the site's root.
    #[arg(long, value_name = "/PATH", default_value = ASSETS, value_parser = assets)]
    pub assets: String,
    /// The part of the lesson's text beside what is your own: `own` for none, `read` for the steps that you have read,
    /// or steps by id or number, with commas between. All of it where nothing is given.
    #[arg(long, value_name = "own|read|STEP,…", value_delimiter = ',')]
    pub only: Vec<String>,
    /// The folder to write to.
    #[arg(short = 'o', long = "output", default_value = "notes", value_name = "DIR")]
    pub output: PathBuf,
    /// Backend that runs the kernels.
    #[arg(long, default_value = "auto", value_enum)]
    pub backend: BackendArg,
    /// Seed of the random inputs.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Leave out the part of an HTML note that plays: it is small, and runs no script.
    #[arg(long)]
    pub still: bool,
    /// Measure the experiments of the note that neither the window nor a run before has measured on this device.
    /// Without it nothing is measured: curves are those of the window and of recordings.
    #[arg(long)]
    pub measure: bool,
    /// Measure every experiment of the note, also those that the window has measured on this device.
    #[arg(long)]
    pub again: bool,
}

/// Options of `serve`.
#[derive(Args, Debug)]
pub struct ServeArgs {
    /// The site's folder. If it is left out, that of all lessons: `site`, which is written first if it is not there.
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
    /// The port; 0 for any that is free.
    #[arg(long, default_value_t = 8060)]
    pub port: u16,
}

fn address(text: &str) -> Result<String, String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
    let is_plain = text.chars().all(|c| c.is_ascii_graphic() && !"\"<>\\^`{|}".contains(c));
    if text.is_empty() || is_web && is_plain {
        Ok(text.to_owned())
    } else {
        Err("expected an address such as https://example.org/book".to_owned())
    }
}

fn format(text: &str) -> Result<Format, String> {
    Format::from_name(text.trim(), &Format::ALL).map_err(|problem| problem.to_string())
}

fn reader(text: &str) -> Result<Format, String> {
    Format::from_name(text.trim(), &Format::READERS).map_err(|problem| problem.to_string())
}

fn assets(text: &str) -> Result<String, String> {
    let text = text.trim_end_matches('/');
    let is_plain = |part: &str| {
        !part.is_empty() && part != ".." && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
    };
    match text.strip_prefix('/') {
        Some(rest) if rest.split('/').all(is_plain) => Ok(text.to_owned()),
        _ => Err("a path is wanted that begins with `/` and has letters, digits, `.`, `_` and `-`".to_owned()),
    }
}
