//! `warpbook assemble`

use std::path::Path;
use std::process::ExitCode;

use super::{Context, DONE, FAILED, MISUSED, out};
use crate::base::units::counted;
use crate::lesson::PackFiles;
use crate::session::pack::assemble::{self, MachineCode};

pub(super) fn assemble(context: &Context, folder: &Path) -> Result<ExitCode, ExitCode> {
    let files = PackFiles::Folder(folder.to_owned());
    let (pack, problems) = crate::session::load(&files);
    out::problems(&problems);
    if problems.iter().any(crate::base::diag::Diagnostic::is_error) {
        return Err(MISUSED.into());
    }
    let on_lesson = &mut |id: &str, count: usize| {
        out::line(&format!("{id}: {}", counted(count as u64, "compiled kernel")));
    };
    assemble::assemble(&context.devices, &pack, (folder, MachineCode::Needed), on_lesson).map_err(|problems| {
        out::problems(&problems);
        FAILED
    })?;
    Ok(DONE)
}
