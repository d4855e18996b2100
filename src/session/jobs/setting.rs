//! A lesson at the learner's settings, and the parameters that a program depends on.

use std::sync::Arc;

use super::Params;
use super::own::{YOURS, is_edit};
use crate::base::expr::Expr;
use crate::job::Language;
use crate::lesson::{
    Action, AgainstDecl, CudaOnly, Kernel, LaunchDecl, Lesson, LibraryDecl, Program, ReadingDecl, Variant, WorkDecl,
};

/// The settings that results depend on.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The lesson, with the learner's versions of its kernels.
    pub lesson: Arc<Lesson>,
    /// The lesson as it was read.
    pub plain: Arc<Lesson>,
    /// The learner's parameters.
    pub params: Params,
    /// Seed of the random inputs.
    pub seed: u64,
    /// Whether the device's compiler guards indices.
    pub bounds_checks: bool,
    /// Lanes in a traced warp: 8, 16, 32 or 64. Measuring uses the device's own width.
    pub warp_width: u32,
    /// The language that kernels are traced in, where they are written in both.
    pub language: Language,
}

/// The language that a program is traced in where `wanted` is asked for: a kernel that is written in one language alone
/// is traced in it, and a learner's version in the language that it was typed in.
#[must_use]
pub fn language_of(lesson: &Lesson, variant: &Variant, wanted: Language) -> Language {
    let kernels: Vec<&Kernel> = lesson.launched(variant).into_iter().flatten().collect();
    let in_wgsl_alone = kernels.iter().any(|kernel| kernel.twin().is_none());
    let is_typed = |kernel: &&&Kernel| is_edit(kernel) && kernel.twin().is_some_and(|twin| twin.file == YOURS);
    let in_cuda_alone = kernels.iter().any(|kernel| kernel.cuda_only().is_some() || is_typed(&kernel));
    match (in_wgsl_alone, in_cuda_alone) {
        (true, _) => Language::Wgsl,
        (false, true) => Language::Cuda,
        (false, false) => wanted,
    }
}

/// The parameters that a program depends on.
#[must_use]
pub fn parameters_of(lesson: &Lesson, variant: &Variant) -> Vec<String> {
    let mut exprs: Vec<&Expr> = Vec::new();
    if let Some(program) = lesson.program(&variant.program) {
        of_program(lesson, program, &mut exprs);
        for (pass, kernel) in program.passes().into_iter().zip(lesson.launched(variant)) {
            kernel.into_iter().for_each(|kernel| of_kernel(kernel, pass.launch(), &mut exprs));
        }
    }
    lesson.blame_all(exprs)
}

fn of_program<'a>(lesson: &'a Lesson, program: &'a Program, exprs: &mut Vec<&'a Expr>) {
    for buffer in &program.buffers {
        exprs.extend(std::iter::once(&buffer.count).chain(&buffer.columns).chain(buffer.init.exprs()));
    }
    for repeat in program.repeats() {
        exprs.push(&repeat.times);
        exprs.extend(repeat.until.iter().flat_map(|until| [&until.index, &until.value]));
    }
    for pass in program.passes() {
        match &pass.action {
            Action::Launch(launch) => of_launch(launch, exprs),
            Action::Fill(_, value) => exprs.push(value),
            Action::Copy(..) => {}
        }
    }
    for check in &program.checks {
        exprs.extend(&check.scale);
        match &check.against {
            AgainstDecl::Reference(_, args, _) => exprs.extend(args.iter().map(|(_, arg)| arg)),
            AgainstDecl::Kernel(launch) => {
                of_launch(launch, exprs);
                let kernels = launch.rungs.iter().filter_map(|id| lesson.kernel(id));
                kernels.for_each(|kernel| of_kernel(kernel, Some(launch), exprs));
            }
            AgainstDecl::Formula(of, count) | AgainstDecl::Every(of, count) | AgainstDecl::SortedBy(of, count) => {
                exprs.extend(std::iter::once(of).chain(count));
            }
            AgainstDecl::SumsTo(sum) => exprs.push(sum),
            AgainstDecl::Permutation(_) | AgainstDecl::EqualSets(_) => {}
        }
    }
    for series in &program.series {
        exprs.extend(match &series.reading {
            ReadingDecl::Element(index) => Some(index),
            ReadingDecl::All(_) => None,
        });
    }
    program.work.iter().for_each(|work| of_work(work, exprs));
}

fn of_launch<'a>(launch: &'a LaunchDecl, exprs: &mut Vec<&'a Expr>) {
    exprs.extend(launch.constants.iter().map(|(_, value)| value));
    exprs.extend(launch.grid.iter().flat_map(|grid| grid.exprs()));
    launch.work.iter().for_each(|work| of_work(work, exprs));
}

/// Collects a kernel's own expressions, except those that the launch overrides.
fn of_kernel<'a>(kernel: &'a Kernel, launch: Option<&LaunchDecl>, exprs: &mut Vec<&'a Expr>) {
    let is_given = |name: &String| launch.is_some_and(|launch| launch.constants.iter().any(|(given, _)| given == name));
    exprs.extend(kernel.constants.iter().filter(|(name, _)| !is_given(name)).map(|(_, value)| value));
    if launch.is_none_or(|launch| launch.grid.is_none()) {
        exprs.extend(kernel.grid.iter().flat_map(|grid| grid.exprs()));
    }
    exprs.extend(kernel.requires.iter().map(|requirement| &requirement.condition));
    if let Some(LibraryDecl::Product(product)) = &kernel.library {
        exprs.extend(&product.sizes);
    }
    exprs.extend(kernel.cuda_only().into_iter().flat_map(CudaOnly::sizes));
    if launch.is_none_or(|launch| launch.work.is_none()) {
        of_work(&kernel.work, exprs);
    }
}

fn of_work<'a>(work: &'a WorkDecl, exprs: &mut Vec<&'a Expr>) {
    exprs.extend([&work.bytes, &work.flops]);
}
