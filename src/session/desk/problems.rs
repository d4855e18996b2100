//! Problems of the kernel on the stage: those of its text, what running it found, and remarks.

use super::state::State;
use crate::base::diag::Diagnostic;
use crate::session::jobs::own::YOURS;

impl State {
    /// Whether the version in the editor does not compile; the bench then has an older text of it.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        let draft = self.place.bench.edit.as_ref().and_then(|id| self.trials.drafts.get(id));
        draft.is_some_and(|draft| !draft.problems.is_empty())
    }

    /// Problems of the version in the editor: those that keep it from running, or else those found by running it.
    #[must_use]
    pub fn edit_problems(&self) -> Vec<Diagnostic> {
        let Some(id) = &self.place.bench.edit else { return Vec::new() };
        let drafted = self.trials.drafts.get(id).map_or(&[][..], |draft| draft.problems.as_slice());
        if !drafted.is_empty() {
            return drafted.to_vec();
        }
        let failed = [self.found.untraced(id, &self.place), self.found.unmeasured(id)];
        let failed = failed.into_iter().find(|problems| !problems.is_empty());
        let failed = failed.into_iter().flatten().filter(|problem| !problem.not_here).cloned();
        // A wrong result has no line.
        let failed = failed.map(|problem| match &problem.place {
            Some(place) if (place.line, place.column) == (1, 1) => Diagnostic { place: None, ..problem },
            _ => problem,
        });
        let is_traced = self.edited_in() == Some(self.traced_language());
        let findings = if is_traced { self.findings() } else { Vec::new() };
        findings.into_iter().chain(failed).collect()
    }

    /// The findings of the trace of the kernel on the stage, with their lines in the text that runs.
    #[must_use]
    pub fn findings(&self) -> Vec<Diagnostic> {
        let text = self.found.compiled.source.as_deref().unwrap_or_default();
        let found = self.found.findings(&self.place.bench.variant.program, &self.place);
        found.map(|finding| finding.diagnostic(YOURS, text)).collect()
    }

    /// How many findings a kernel on the bench had before the learner's change, and has now; None without a change, or
    /// while one is not traced.
    #[must_use]
    pub fn findings_before_and_now(&self) -> Option<[usize; 2]> {
        let began = self.place.bench.edit.as_ref().and(self.place.bench.beside.first())?;
        let both = [&began.program, &self.place.bench.variant.program];
        let count = |program: &String| Some(self.found.traced(program)?.trace(self.place.pass())?.findings.len());
        let [before, now] = both.map(count);
        Some([before?, now?])
    }

    /// Remarks on a kernel of the learner's own: lines that may be meant, and elements that nothing wrote. Lessons
    /// speak of theirs in their text.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let is_own = self.place.lesson.as_ref().is_some_and(|lesson| self.library.is_own(lesson));
        let Some(traced) = self.traced().filter(|_| is_own) else { return Vec::new() };
        let notes = traced.trace(self.place.pass()).map_or(&[][..], |trace| &trace.notes);
        let notes = notes.iter().map(|note| format!("line {}: {}", note.line, note.message.trim_end()));
        notes.chain(traced.record.unwritten.iter().map(|left| left.words("a grid of"))).collect()
    }
}
