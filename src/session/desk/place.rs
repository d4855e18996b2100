//! Where the learner is: the lesson, the step, the settings, and what is on the stage.

use std::sync::Arc;

use crate::job::{Language, Shown};
use crate::lesson::{Experiment, Kernel, Lesson, Program, Step, Variant};
use crate::session::jobs::setting::{Setting, parameters_of};
use crate::session::jobs::{Params, cost};
use crate::session::learn::event_class::EventClass;

/// Where the learner is.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// The lesson on the screen, with the learner's versions of its kernels. It stays when an edit breaks its file.
    pub lesson: Option<Arc<Lesson>>,
    /// The lesson as its files have it.
    pub plain: Option<Arc<Lesson>>,
    /// The step, from 0.
    pub step: usize,
    /// The learner's parameters.
    pub params: Params,
    /// How programs are run.
    pub options: Running,
    /// The programs that are run.
    pub bench: OnBench,
    /// The launch that is shown.
    pub stage: OnStage,
    /// The element of a buffer whose origin the learner asked about.
    pub asked: Option<Element>,
    /// Whether the pane of the source shows the kernel's PTX or its machine code.
    pub is_below_source: bool,
}

/// How programs are run.
#[derive(Clone, Debug, Default)]
pub struct Running {
    /// Seed of the random inputs.
    pub seed: u64,
    /// Whether the device's compiler guards indices.
    pub bounds_checks: bool,
    /// Lanes in a traced warp: 8, 16, 32 or 64. Measuring uses the device's own width.
    pub warp_width: u32,
    /// The language that kernels are traced in, where they are written in both.
    pub language: Language,
}

/// The programs that are run.
#[derive(Clone, Debug, Default)]
pub struct OnBench {
    /// The program, with the kernels in its places.
    pub variant: Variant,
    /// The learner's version of a kernel in the editor, by its id; the bench has its last text that compiled.
    pub edit: Option<String>,
    /// Variants shown beside the program: an edit's original, or racing kernels.
    pub beside: Vec<Variant>,
}

/// The launch that is shown, and its picture.
#[derive(Clone, Debug, Default)]
pub struct OnStage {
    /// The pass, by its id.
    pub pass: String,
    /// Which of its launches, from 0.
    pub launch: u64,
    /// Whether the clock came to it, and the learner did not choose it: the step's picture stays.
    pub followed: bool,
    /// The workgroup, by its linear index.
    pub workgroup: u32,
    /// The figure that the learner or the step asks for, by its name; see `State::shown_figure`.
    pub figure: String,
    /// The buffer that the learner chose to look at.
    pub buffer: Option<String>,
    /// The kind of events whose costliest the learner asked to see, and how often they have asked.
    pub sought: Option<(EventClass, u32)>,
}

/// An element of a buffer of the program on the bench.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The program that it is of.
    pub program: String,
    pub buffer: String,
    /// Which of its 32-bit words.
    pub index: u64,
}

impl Place {
    /// The step on the screen.
    #[must_use]
    pub fn step(&self) -> Option<&Step> {
        self.lesson.as_ref()?.steps.get(self.step)
    }

    /// The program on the bench.
    #[must_use]
    pub fn program(&self) -> Option<&Program> {
        self.lesson.as_ref()?.program(&self.bench.variant.program)
    }

    /// The index of the pass on the stage in the program.
    #[must_use]
    pub fn pass(&self) -> usize {
        self.program().and_then(|program| program.place_of(&self.stage.pass)).unwrap_or(0)
    }

    /// The launch on the stage.
    #[must_use]
    pub fn shown(&self) -> Shown {
        Shown { pass: self.pass(), launch: self.stage.launch }
    }

    /// The kernel on the stage; None for a copy or a fill.
    #[must_use]
    pub fn kernel(&self) -> Option<&Kernel> {
        *self.lesson.as_ref()?.launched(&self.bench.variant).get(self.pass())?
    }

    /// The experiment in the plot: the step's.
    #[must_use]
    pub fn experiment(&self) -> Option<&Experiment> {
        let id = self.step()?.experiment.as_ref()?;
        self.lesson.as_ref()?.experiments.iter().find(|e| e.id == *id)
    }

    /// The variant that a program's results are of: on the stage, the kernels chosen there; else the program's own.
    #[must_use]
    pub fn variant_of(&self, program: &str) -> Variant {
        let mut staged = std::iter::once(&self.bench.variant).chain(&self.bench.beside);
        staged.find(|variant| variant.program == program).cloned().unwrap_or_else(|| Variant::plain(program))
    }

    /// Whether a program is traced at the present parameters.
    #[must_use]
    pub fn is_traceable(&self, program: &str) -> bool {
        let traced = |lesson: &Arc<Lesson>| cost::is_traced(lesson, &self.variant_of(program), &self.params);
        self.lesson.as_ref().is_none_or(traced)
    }

    /// The settings that results depend on; None before there is a lesson.
    #[must_use]
    pub fn setting(&self) -> Option<Setting> {
        Some(Setting {
            lesson: self.lesson.clone()?,
            plain: self.plain.clone()?,
            params: self.params.clone(),
            seed: self.options.seed,
            bounds_checks: self.options.bounds_checks,
            warp_width: self.options.warp_width,
            language: self.options.language,
        })
    }

    /// The parameters that the program on the bench depends on, by their ids.
    #[must_use]
    pub fn parameters(&self) -> Vec<String> {
        self.lesson.as_ref().map(|lesson| parameters_of(lesson, &self.bench.variant)).unwrap_or_default()
    }
}
