//! A kernel to trace: of a lesson, of a file, a lesson's kernel with the text of a file, or a saved version of the
//! learner's.

use std::path::Path;
use std::process::ExitCode;

use super::args::SettingArgs;
use super::{Context, MISUSED, kept, out};
use crate::base::diag::Diagnostic;
use crate::base::files;
use crate::device::DeviceSpec;
use crate::gpu::simt;
use crate::job::Language;
use crate::lesson::{Lesson, Pack, Variant};
use crate::session;
use crate::session::learn::edits::{self, Edit};
use crate::session::learn::saved::{self, Saved};
use crate::session::run::model::{self, Chosen};
use crate::session::run::shader_file::{self, Outcome, TraceOptions};

/// Id of a version that a file gives: no lesson's own kernel has a `+`.
const OF_FILE: &str = "+file";

/// Traces a target. Its problems, warnings and notes go to standard error.
pub(super) fn traced(context: &Context, target: &str, options: &TraceOptions) -> Result<Outcome, ExitCode> {
    let (mut pack, _) = session::load(&context.files);
    let mut options = kept::with_kept(target, options).map_err(out::misused)?;
    let outcome = with_version(&mut pack, target, &mut options)
        .and_then(|target| shader_file::trace(&context.devices, &pack, &target, &options, &context.cancel))
        .map_err(|found| {
            out::problems(&found);
            ExitCode::from(MISUSED)
        })?;
    out::problems(&outcome.warnings);
    outcome.notes.iter().for_each(|note| out::note(&format!("note: {note}")));
    Ok(outcome)
}

/// The device to predict times for. Nothing is measured, so nothing of this machine decides: the same command says the
/// same anywhere.
pub(super) fn device<'a>(models: &'a [DeviceSpec], setting: &SettingArgs) -> Result<Option<Chosen<'a>>, ExitCode> {
    model::choose(models, setting.device.as_deref(), &simt::device()).map_err(out::misused)
}

/// The target by the name that its version has in the pack, to which the version is added.
fn with_version(pack: &mut Pack, target: &str, options: &mut TraceOptions) -> Result<String, Vec<Diagnostic>> {
    let one = |problem: Diagnostic| vec![problem];
    let Some((id, rest)) = target.split_once('/') else { return Ok(target.to_owned()) };
    let Some(place) = pack.lessons.iter().position(|lesson| lesson.id == id) else { return Ok(target.to_owned()) };
    let lesson = &pack.lessons[place];
    let (edits, version) = match rest.split_once('=') {
        Some((kernel, file)) => {
            let edit = of_file(lesson, kernel, file).map_err(one)?;
            options.language = edit.language;
            let version = edit.id.clone();
            (vec![edit], version)
        }
        None if rest.contains('+') => (saved_versions(lesson, rest).map_err(one)?, rest.to_owned()),
        None => return Ok(target.to_owned()),
    };
    let with = edits::with(lesson, &edits);
    pack.lessons[place] = with.into();
    Ok(format!("{id}/{version}"))
}

/// The version of a lesson's kernel that a file has.
fn of_file(lesson: &Lesson, kernel: &str, file: &str) -> Result<Edit, Diagnostic> {
    let source = files::read_text(Path::new(file)).map_err(|error| {
        Diagnostic::error(format!("cannot read {file}: {error}")).hint("give a .wgsl or .cu file after the =")
    })?;
    let language =
        if Path::new(file).extension().is_some_and(|end| end == "cu") { Language::Cuda } else { Language::Wgsl };
    let (program, pass) = kernel.split_once('/').map_or((kernel, None), |(program, pass)| (program, Some(pass)));
    let known = lesson.program(program).ok_or_else(|| {
        Diagnostic::error(format!("{} has no kernel `{program}`", lesson.id)).hint("`warpbook list` names them")
    })?;
    let passes = known.passes();
    let pass = match (pass, passes.as_slice()) {
        (Some(pass), _) => pass.to_owned(),
        (None, [only]) => only.id.clone(),
        (None, passes) => {
            let names: Vec<&str> = passes.iter().map(|pass| pass.id.as_str()).collect();
            let hint = format!(
                "name the pass: {}/{program}/PASS={file}, where PASS is one of {}",
                lesson.id,
                names.join(", ")
            );
            return Err(Diagnostic::error(format!("`{program}` has several passes")).hint(hint));
        }
    };
    let edit = Edit {
        id: format!("{program}{OF_FILE}"),
        name: file.to_owned(),
        of: Variant { program: program.to_owned(), ..Variant::default() },
        pass,
        language,
        source,
    };
    if edits::with(lesson, std::slice::from_ref(&edit)).program(&edit.id).is_none() {
        let message = format!("`{kernel}` of {} has no kernel in the language of {file}", lesson.id);
        return Err(Diagnostic::error(message).hint("give a file in the kernel's own language"));
    }
    Ok(edit)
}

/// The learner's saved versions of a lesson's kernels, if one is called `wanted`.
fn saved_versions(lesson: &Lesson, wanted: &str) -> Result<Vec<Edit>, Diagnostic> {
    let saved = match saved::default_path().map(|path| saved::read(&path)) {
        Some(read) => read?.unwrap_or_default(),
        None => Saved::default(),
    };
    let edits = saved.lessons.get(&lesson.id).map(|kept| kept.edits.clone()).unwrap_or_default();
    let of_pass = wanted.split_once('/').map_or(wanted, |(id, _)| id);
    if edits.iter().any(|edit| edit.id == of_pass) {
        return Ok(edits);
    }
    let known: Vec<String> = edits.iter().map(|edit| format!("{} ({})", edit.id, edit.name)).collect();
    let hint = if known.is_empty() {
        format!("none is saved of {}; edit a kernel in the window first", lesson.id)
    } else {
        format!("there are: {}", known.join(", "))
    };
    Err(Diagnostic::error(format!("you have no version `{wanted}`")).hint(hint))
}
