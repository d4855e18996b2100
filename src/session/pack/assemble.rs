//! The PTX and the machine code of a pack's kernels in CUDA C++ at the settings of its pages, so that they can be traced
//! and read where there is no compiler.

use std::collections::BTreeMap;
use std::path::Path;

use crate::base::diag::Diagnostic;
use crate::base::store;
use crate::figures::ask::AnyQuestion;
use crate::figures::{self, Kept, Results, View};
use crate::gpu::client::NEVER;
use crate::gpu::{machine, shipped};
use crate::job::{Assembled, Job, Launch, Twin};
use crate::lesson::cuda::shipped_path;
use crate::lesson::{Lesson, Pack, Program, Step, Variant};
use crate::machine::kept;
use crate::session::jobs::{self, Params, Purpose};
use crate::session::run;
use crate::session::run::devices::Devices;
use crate::simt;
use crate::trace::record::Backend;

/// Sections by file: PTX by its key.
type Sections = BTreeMap<String, BTreeMap<String, String>>;

/// Whether kernels get their machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MachineCode {
    /// All of them.
    Needed,
    /// Where `ptxas` and `nvdisasm` are found.
    WhereThere,
}

/// Compiles what the pages of `pack` show and writes it below `root`, the pack's folder. `on_lesson` gets each lesson's
/// id and the number of kernels and settings that it has.
///
/// # Errors
/// A kernel that does not compile, that there is no compiler or nothing that makes machine code, or that a file cannot be
/// written.
pub fn assemble(
    devices: &Devices,
    pack: &Pack,
    (root, machine_code): (&Path, MachineCode),
    on_lesson: &mut dyn FnMut(&str, usize),
) -> Result<(), Vec<Diagnostic>> {
    let mut sections = Sections::new();
    for lesson in &pack.lessons {
        let mut count = 0;
        for launch in launches(lesson) {
            if launch.cuda_only().is_some_and(|only| only.ptx.is_some()) {
                continue;
            }
            let (Some(twin), Some(key)) = (launch.twin(), shipped::key(&launch)) else { continue };
            let of_file = sections.entry(shipped_path(&twin.file)).or_default();
            if of_file.contains_key(&key) {
                continue;
            }
            let known = twin.shipped.as_ref().and_then(|known| shipped::find(known, &key));
            let ptx = match known {
                Some(ptx) => ptx,
                None => {
                    let compiled = devices.assemble(&Job::of(launch.clone(), Vec::new()), &NEVER);
                    without_folders(&compiled.map_err(|problem| vec![problem])?.pop().unwrap_or_default())
                }
            };
            let ptx = match (with_machine_code(twin, &ptx), machine_code) {
                (Ok(with), _) => with,
                (Err(_), MachineCode::WhereThere) => ptx,
                (Err(problem), MachineCode::Needed) => return Err(vec![problem]),
            };
            of_file.insert(key, ptx);
            count += 1;
        }
        on_lesson(&lesson.id, count);
    }
    for (path, sections) in &sections {
        let path = root.join(path);
        let failed = |error: std::io::Error| {
            vec![
                Diagnostic::error(format!("cannot write {}: {error}", path.display())).hint("make the folder writable"),
            ]
        };
        let bytes = shipped::packed(sections).map_err(failed)?;
        if std::fs::read(&path).ok().as_deref() != Some(&bytes) {
            store::write_within(root, &path, &bytes).map_err(|problem| vec![problem])?;
        }
    }
    Ok(())
}

/// `ptx` with its kernel's machine code in comments.
fn with_machine_code(twin: &Twin, ptx: &str) -> Result<String, Diagnostic> {
    let entry = simt::ptx_entry_named(ptx, &twin.entry).unwrap_or_else(|| twin.entry.clone());
    if kept(ptx, &entry).is_some() {
        return Ok(ptx.to_owned());
    }
    let twin = twin.clone();
    machine::with_machine_code(&Assembled {
        twin,
        ptx: ptx.into(),
        block: [1; 3],
        shared_bytes: 0,
        arguments: Vec::new(),
    })
}

/// `ptx` with the names of source files alone: their folders are those of one machine.
fn without_folders(ptx: &str) -> String {
    let each = ptx.split_inclusive('\n').map(|line| match line.trim_start().starts_with(".file") {
        true => match (line.find('"'), line.rfind(['/', '\\'])) {
            (Some(quote), Some(slash)) if quote < slash => format!("{}{}", &line[..=quote], &line[slash + 1..]),
            _ => line.to_owned(),
        },
        false => line.to_owned(),
    });
    each.collect()
}

/// The launches that the pages of a lesson show: of each program at the lesson's defaults, and of each page's at its
/// own settings. A page with a roofline shows all kernels of its ladder.
#[must_use]
pub fn launches(lesson: &Lesson) -> Vec<Launch> {
    let plain = lesson.programs.iter().flat_map(Program::variants).map(|variant| (variant, Vec::new()));
    let pages = lesson.steps.iter().map(|step| (step.variant.clone(), step.set.clone()));
    let ladders = lesson.steps.iter().flat_map(|step| {
        let compared = compared(lesson, step).unwrap_or_default();
        compared.into_iter().map(|variant| (variant, step.set.clone()))
    });
    let all: Vec<(Variant, Vec<(String, f64)>)> = plain.chain(pages).chain(ladders).collect();
    let jobs = all.iter().filter_map(|(variant, set)| {
        // What its settings rule out is not shown.
        let params: Params = run::params(lesson, set).ok()?;
        let purpose = Purpose { check: false, ..run::purpose(Backend::Simt, 1, true) };
        jobs::build(lesson, variant, &params, &purpose).ok()
    });
    jobs.flat_map(|job| job.launches().cloned().collect::<Vec<_>>()).collect()
}

/// The kernels that a page's figure compares with its own; None if it compares none.
fn compared(lesson: &Lesson, step: &Step) -> Option<Vec<Variant>> {
    let program = lesson.program(&step.variant.program)?;
    let pass = program.place_of(&step.pass)?;
    let kernel = (*lesson.launched(&step.variant).get(pass)?)?;
    let rungs = lesson.rungs(kernel).filter(|rung| lesson.program(&rung.id).is_some_and(|own| own.alone));
    let results = Results::default();
    // Without results there is no picture, and the questions show whether it is a roofline.
    let _ =
        figures::find(&step.figure.name)?.draw(&View::still(&results, &step.figure, [0.0; 2]), &mut Kept::default());
    let compares = results.questions().any(|question| matches!(question, AnyQuestion::Roofline(_)));
    compares.then(|| rungs.map(|rung| Variant::plain(&rung.id)).collect())
}
