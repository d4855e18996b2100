//! `warpbook new`

use std::path::PathBuf;
use std::process::ExitCode;

use super::{DONE, out};
use crate::session::pack::new_lesson;

pub(super) fn new(name: &str, pack: Option<PathBuf>) -> Result<ExitCode, ExitCode> {
    let folder = pack.unwrap_or_else(|| PathBuf::from("."));
    let files = new_lesson::create(&folder, name).map_err(out::misused)?;
    for file in files {
        out::line(&file.display().to_string());
    }
    out::note(&format!("check it with `warpbook check {}`", folder.display()));
    Ok(DONE)
}
