//! Selection of a lesson's kernels and programs by id.

use crate::base::diag::{Diagnostic, nearest};
use crate::lesson::{Lesson, Program, Variant};

/// Kernels and programs of a lesson.
#[derive(Clone, Debug, Default)]
pub struct Which {
    /// Kernels by id.
    pub kernels: Vec<String>,
    /// Programs by id; everything if neither kernels nor programs are named.
    pub programs: Vec<String>,
    /// Kernels for places in programs, by the pass's id.
    pub rungs: Vec<(String, String)>,
}

/// The error for a name that is not in `known`: suggests the closest one, or lists all.
#[must_use]
pub fn unknown<'a>(message: String, name: &str, known: impl Iterator<Item = &'a str> + Clone) -> Diagnostic {
    let hint = match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are: {}", known.collect::<Vec<_>>().join(", ")),
    };
    Diagnostic::error(message).hint(hint)
}

impl Which {
    /// Everything selected, in the lesson's order.
    ///
    /// # Errors
    /// When an id names no kernel or program, or a kernel does not fit into a place.
    pub fn of<'a>(&self, lesson: &'a Lesson) -> Result<Vec<(&'a Program, Variant)>, Diagnostic> {
        for id in &self.kernels {
            if !lesson.program(id).is_some_and(|program| program.alone) {
                let alone = lesson.programs.iter().filter(|program| program.alone).map(|p| p.id.as_str());
                return Err(match lesson.kernel(id) {
                    Some(_) => Diagnostic::error(format!("kernel `{id}` has no buffers of its own"))
                        .hint("run a program that it is a part of, with --program"),
                    None if lesson.program(id).is_some() => {
                        Diagnostic::error(format!("`{id}` is a program")).hint(format!("run it with --program {id}"))
                    }
                    None => unknown(format!("lesson `{}` has no kernel `{id}`", lesson.id), id, alone),
                });
            }
        }
        for id in &self.programs {
            if lesson.program(id).is_none() {
                let known = lesson.programs.iter().map(|program| program.id.as_str());
                return Err(unknown(format!("lesson `{}` has no program `{id}`", lesson.id), id, known));
            }
        }
        let named = |id: &String| self.kernels.contains(id) || self.programs.contains(id);
        let chosen = lesson.programs.iter().filter(|program| !self.names_any() || named(&program.id));
        let chosen: Vec<&Program> = chosen.collect();
        for (pass, kernel) in &self.rungs {
            let places = chosen.iter().filter_map(|program| program.pass(pass)?.launch());
            let rungs: Vec<&str> = places.flat_map(|launch| launch.rungs.iter().map(String::as_str)).collect();
            if rungs.is_empty() {
                let known = chosen.iter().filter(|program| !program.alone).flat_map(|program| program.passes());
                let known = known.map(|pass| pass.id.as_str()).collect::<Vec<_>>();
                return Err(unknown(format!("there is no pass `{pass}` with a kernel"), pass, known.iter().copied()));
            }
            if !rungs.contains(&kernel.as_str()) {
                let message = format!("the kernel `{kernel}` cannot take the place of `{pass}`");
                return Err(unknown(message, kernel, rungs.iter().copied()));
            }
        }
        let variant = |program: &Program| {
            let has = |pass: &str| program.pass(pass).is_some_and(|pass| pass.launch().is_some());
            let rungs = self.rungs.iter().filter(|(pass, _)| has(pass)).cloned().collect();
            Variant { program: program.id.clone(), rungs }
        };
        Ok(chosen.into_iter().map(|program| (program, variant(program))).collect())
    }

    /// Whether something is named. A named kernel or program must run; a whole lesson runs whatever it can, at any
    /// size.
    #[must_use]
    pub fn names_any(&self) -> bool {
        !(self.kernels.is_empty() && self.programs.is_empty())
    }
}
