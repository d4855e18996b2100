//! The learner's versions of kernels: typed, compiled after a pause, and put on the bench if they compile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Desk;
use super::draft::Draft;
use super::status::Notice;
use super::versions::Attempt;
use crate::base::diag::Diagnostic;
use crate::job::Language;
use crate::lesson::Exercise;
use crate::session::learn::edits::{self, Edit};

/// How long after the last key press a version is compiled.
pub const PAUSE: Duration = Duration::from_millis(300);

impl Desk {
    /// Takes the text of the kernel in the editor, and its language.
    pub(super) fn type_kernel(&mut self, language: Language, text: String) {
        let Some(id) = self.state.place.bench.edit.clone().or_else(|| self.begin_edit(language)) else { return };
        if let Some(exercise) = self.state.exercise_of(&id) {
            self.state.trials.verdicts.remove(&exercise);
            self.keep(|kept| kept.exercises.entry(exercise).or_default().source = Some(text));
        } else {
            self.keep(|kept| {
                kept.edits.iter_mut().filter(|edit| edit.id == id).for_each(|edit| edit.source.clone_from(&text));
            });
        }
        self.open_edit(&id);
        self.state.trials.drafts.entry(id).or_default().typed = Some(Instant::now());
    }

    /// Has a version in the editor, also after a restart.
    fn open_edit(&mut self, id: &str) {
        self.state.place.bench.edit = Some(id.to_owned());
        // An exercise's page opens with its version anyway.
        let own = Some(id.to_owned()).filter(|id| self.state.exercise_of(id).is_none());
        if self.state.kept().edit != own {
            self.keep(|kept| kept.edit = own);
        }
    }

    /// Begins a version of the kernel on the bench; None if the kernel is not written in the language.
    fn begin_edit(&mut self, language: Language) -> Option<String> {
        let place = &self.state.place;
        let kernel = place.kernel()?;
        if let Some((file, _)) = kernel.cuda_only().and_then(|only| only.source.as_ref()) {
            let problem = Diagnostic::error(format!("{file} is compiled to PTX elsewhere, and cannot be changed here"));
            self.state.status.notices.push(Notice::Problem(
                problem.hint("change your file, compile it, and press Read again on the start page"),
            ));
            return None;
        }
        let source = kernel.source_in(language)?.to_string();
        let taken = &self.state.kept().edits;
        let (of, pass) = (place.bench.variant.clone(), place.stage.pass.clone());
        let id = Edit::fresh_id(&of, taken);
        let number = id.rsplit('+').next().unwrap_or_default();
        let name = format!("Yours {number}: {}", kernel.title);
        let edit = Edit { id: id.clone(), name, of, pass, language, source };
        self.keep(|kept| kept.edits.push(edit));
        Some(id)
    }

    /// Compiles the version that was typed in, once no key has been pressed for a while; true if there was one.
    pub(super) fn try_typed(&mut self) -> bool {
        let rested = |draft: &Draft| draft.typed.is_some_and(|at| at.elapsed() >= PAUSE);
        let Some(id) = self.state.trials.drafts.iter().find(|(_, draft)| rested(draft)).map(|(id, _)| id.clone())
        else {
            return false;
        };
        self.try_edit(&id);
        true
    }

    /// Orders the compilation of a version.
    fn try_edit(&mut self, id: &str) {
        let (Some(edit), Some(plain)) = (self.state.edit(id), self.state.place.plain.clone()) else { return };
        let draft = self.state.trials.drafts.entry(id.to_owned()).or_default();
        (draft.typed, draft.trying) = (None, true);
        let (params, seed) = (self.state.place.params.clone(), self.state.place.options.seed);
        self.threads.versions.enqueue(Attempt { plain, edit, params, seed });
    }

    /// Takes the result of compiling a version's text, unless that has changed since, and puts the editor's version on
    /// the bench.
    pub(super) fn take_tried(&mut self, id: &str, source: String, problems: Vec<Diagnostic>) {
        if self.state.edit(id).is_none_or(|edit| edit.source != source) {
            return;
        }
        let Some(draft) = self.state.trials.drafts.get_mut(id) else { return };
        let was_good = draft.good.clone();
        draft.trying = false;
        draft.problems = problems;
        if draft.problems.is_empty() {
            draft.good = Some(source);
        }
        let is_changed = draft.good != was_good;
        match self.state.place.bench.edit.clone() {
            _ if !is_changed => {}
            Some(shown) if shown == id || self.starter_of(&shown).as_deref() == Some(id) => self.stage_edit(&shown),
            _ => {
                self.wear();
                self.refresh();
            }
        }
    }

    /// Adds the versions that compile to the lesson on the screen.
    pub(super) fn wear(&mut self) {
        let Some(plain) = self.state.place.plain.clone() else { return };
        let good: Vec<Edit> = self
            .state
            .trials
            .drafts
            .iter()
            .filter_map(|(id, draft)| Some(Edit { source: draft.good.clone()?, ..self.state.edit(id)? }))
            .collect();
        self.state.place.lesson = Some(if good.is_empty() { plain } else { Arc::new(edits::with(&plain, &good)) });
    }

    /// Puts a version into the editor, and on the bench.
    pub(super) fn show_edit(&mut self, id: &str) {
        if self.state.edit(id).is_none() {
            return;
        }
        self.open_edit(id);
        self.try_edit(id);
        if let Some(starter) = self.starter_of(id) {
            self.try_edit(&starter);
        }
        self.stage_edit(id);
    }

    /// Puts a version's last text that compiled on the bench, beside its original if they differ; the original alone if
    /// none compiled.
    fn stage_edit(&mut self, id: &str) {
        self.wear();
        let Some(edit) = self.state.edit(id) else { return };
        let good = |id: &str| self.state.trials.drafts.get(id).is_some_and(|draft| draft.good.is_some());
        let is_good = good(id);
        let starter = self.starter_of(id).and_then(|id| self.state.edit(&id)).filter(|starter| good(&starter.id));
        let is_changed = starter.as_ref().is_none_or(|starter| starter.source != edit.source);
        let began = starter.map_or_else(|| edit.of.clone(), |starter| starter.variant());
        let place = &mut self.state.place;
        place.bench.variant = if is_good { edit.variant() } else { began.clone() };
        place.bench.beside = (is_good && is_changed).then_some(began).into_iter().collect();
        if place.stage.pass != edit.pass {
            (place.stage.pass, place.stage.launch) = (edit.pass, 0);
        }
        self.refresh();
    }

    /// Leaves the editor to the lesson's own kernels.
    pub(super) fn leave_edit(&mut self) {
        (self.state.place.bench.edit, self.state.place.bench.beside) = (None, Vec::new());
        if self.state.kept().edit.is_some() {
            self.keep(|kept| kept.edit = None);
        }
    }

    pub(super) fn rename_edit(&mut self, name: &str) {
        let Some(id) = self.state.place.bench.edit.clone() else { return };
        self.keep(|kept| {
            kept.edits.iter_mut().filter(|edit| edit.id == id).for_each(|edit| name.clone_into(&mut edit.name));
        });
        self.wear();
    }

    /// Gives a version the text that it began with.
    pub(super) fn reset_edit(&mut self, id: &str) {
        let Some(edit) = self.state.edit(id) else { return };
        if let Some(exercise) = self.state.exercise_of(&edit.id) {
            self.state.trials.verdicts.remove(&exercise);
            self.keep(|kept| kept.exercises.entry(exercise).or_default().source = None);
        } else if let Some(plain) = &self.state.place.plain {
            let began = plain.program(&edit.of.program).and_then(|program| program.pass(&edit.pass));
            let kernel = began.and_then(|pass| plain.kernel(pass.kernel(&edit.of)?));
            let Some(source) = kernel.and_then(|kernel| kernel.source_in(edit.language)).map(ToString::to_string)
            else {
                return;
            };
            self.keep(|kept| {
                kept.edits.iter_mut().filter(|of| of.id == edit.id).for_each(|of| of.source.clone_from(&source));
            });
        }
        self.show_edit(&edit.id);
    }

    /// Drops the version in the editor; its original takes its place on the bench.
    pub(super) fn discard_edit(&mut self) {
        let Some(edit) = self.state.edited().filter(|edit| self.state.exercise_of(&edit.id).is_none()) else { return };
        self.keep(|kept| kept.edits.retain(|of| of.id != edit.id));
        self.state.trials.drafts.remove(&edit.id);
        self.leave_edit();
        self.wear();
        (self.state.place.bench.variant, self.state.place.stage.pass) = (edit.of, edit.pass);
        self.refresh();
    }

    /// Takes in versions that another window changed: they are compiled again, and deleted ones leave the bench.
    pub(super) fn take_edits(&mut self) {
        let kept: Vec<String> =
            self.state.trials.drafts.keys().filter(|id| self.state.edit(id).is_some()).cloned().collect();
        self.state.trials.drafts.retain(|id, _| kept.contains(id));
        for id in kept {
            self.try_edit(&id);
        }
        self.wear();
        let place = &mut self.state.place;
        let lesson = place.lesson.as_ref();
        place.bench.beside.retain(|of| lesson.is_some_and(|lesson| lesson.program(&of.program).is_some()));
        if self.state.place.bench.edit.as_ref().is_some_and(|id| self.state.edit(id).is_none()) {
            self.enter_step();
        } else {
            self.refresh();
        }
    }

    /// The kernel that an exercise starts from, if a version is the learner's solution of one.
    fn starter_of(&self, id: &str) -> Option<String> {
        edits::solves(self.state.place.lesson.as_ref()?, id).map(Exercise::starts)
    }

    /// The first exercise of the step: its kernel is the learner's.
    pub(super) fn exercise(&self) -> Option<&Exercise> {
        let id = self.state.place.step()?.exercises().next()?;
        self.state.place.lesson.as_ref()?.exercises.iter().find(|exercise| exercise.id == id)
    }
}
