//! The command lines of a note, which repeat what it shows.

use crate::base::units::number;
use crate::job::TraceSpec;
use crate::lesson::{Lesson, PackFiles, Variant};
use crate::session::jobs::Params;
use crate::session::jobs::setting::{Setting, parameters_of};
use crate::trace::record::Backend;

/// The command that runs a program at a setting.
#[must_use]
pub fn run(setting: &Setting, variant: &Variant, backend: Backend) -> String {
    let Setting { lesson, params, seed, warp_width, .. } = setting;
    format!(
        "warpbook{} run {}{}{} --backend {} --seed {seed}{}",
        of_pack(lesson),
        lesson.id,
        named(lesson, variant),
        settings(params),
        backend.name(),
        if backend == Backend::Simt { warps(*warp_width) } else { String::new() }
    )
}

/// The parameters of a program in words, after what they are of; empty if it has none.
#[must_use]
pub fn at(setting: &Setting, variant: &Variant) -> String {
    let matter = parameters_of(&setting.lesson, variant);
    let params = setting.params.iter().filter(|(id, _)| matter.contains(*id));
    let each: Vec<String> = params.map(|(id, value)| format!("{id} = {}", number(*value))).collect();
    if each.is_empty() { String::new() } else { format!(", at {}", each.join(", ")) }
}

/// The option that names a lesson's pack; empty for the built-in one.
pub(super) fn of_pack(lesson: &Lesson) -> String {
    let place =
        lesson.programs.first().filter(|_| lesson.files != PackFiles::Embedded).map(|program| &program.place.file);
    let pack = place.and_then(|file| file.strip_suffix(&format!("lessons/{}/lesson.ron", lesson.id)));
    match pack.map(|pack| pack.trim_end_matches('/')) {
        None => String::new(),
        Some("") => " --pack .".to_owned(),
        Some(pack) if pack.contains(' ') => format!(" --pack '{pack}'"),
        Some(pack) => format!(" --pack {pack}"),
    }
}

/// The options that name a program, and the kernels in its places.
pub(super) fn named(lesson: &Lesson, variant: &Variant) -> String {
    let alone = lesson.program(&variant.program).is_none_or(|program| program.alone);
    let rungs = variant.rungs.iter().map(|(pass, kernel)| format!(" --rung {pass}={kernel}"));
    format!(" --{} {}{}", if alone { "kernel" } else { "program" }, variant.program, rungs.collect::<String>())
}

/// The option for warps of this width; empty for the default width.
pub(super) fn warps(width: u32) -> String {
    if width == TraceSpec::default().warp_width { String::new() } else { format!(" --warp {width}") }
}

/// The options that set parameters.
pub(super) fn settings(params: &Params) -> String {
    params.iter().map(|(id, value)| format!(" --set {id}={value}")).collect()
}
