//! The learner's text file on the desk, and the results shown of it.

use std::path::PathBuf;
use std::sync::Arc;

use super::Desk;
use super::event::Work;
use super::state::State;
use super::status::Notice;
use super::texts::Counting;
use crate::base::diag::Diagnostic;
use crate::figures::explore;
use crate::lesson::{Block, Step};
use crate::session::show::text_file::Counted;

impl Desk {
    /// Counts a file for the open lesson, in place of one that is being counted.
    pub(super) fn open_text(&mut self, path: PathBuf) {
        let Some(lesson) = self.state.place.lesson.as_ref().map(|lesson| lesson.id.clone()) else { return };
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        self.begin(Work::Text, format!("counting {name}"));
        self.threads.texts.replace(path);
        self.state.text.counting = Some(Counting { number: self.threads.texts.last(), lesson, name, progress: (0, 0) });
    }

    /// Cancels the counting; the earlier result stays.
    pub(super) fn cancel_text(&mut self) {
        self.threads.texts.cancel();
        self.state.text.counting = None;
    }

    pub(super) fn take_text_progress(&mut self, number: u64, progress: (u64, u64)) {
        if let Some(counting) = self.state.text.counting.as_mut().filter(|counting| counting.number == number) {
            counting.progress = progress;
        }
    }

    pub(super) fn take_text(&mut self, number: u64, counted: Result<Box<Counted>, Diagnostic>) {
        // A cancelled or replaced one is no longer waited for.
        let Some(counting) = self.state.text.counting.take_if(|counting| counting.number == number) else { return };
        match counted {
            Ok(counted) => {
                let begun = self.state.explored();
                let kept = self.state.saved.lessons.entry(counting.lesson).or_default();
                let explored = kept.explored.get_or_insert(begun);
                explored.text.clone_from(&counted.beginning);
                self.state.text.counted = Some(Arc::from(counted));
                self.unsaved();
            }
            Err(problem) => self.state.status.notices.push(Notice::Problem(problem)),
        }
    }
}

impl State {
    /// The counts of the file that `text` is the beginning of; None for a text that was typed or changed.
    #[must_use]
    pub fn counted_text(&self, text: &str) -> Option<&Counted> {
        self.text.counted.as_deref().filter(|counted| counted.beginning == text)
    }

    /// Whether the page on the screen takes a text file.
    #[must_use]
    pub fn takes_text(&self) -> bool {
        self.place.step().is_some_and(takes_text)
    }

    /// Advice for a file dropped on a page that takes none.
    #[must_use]
    pub fn takes_no_text(&self) -> Diagnostic {
        let problem = Diagnostic::error("this page takes no file");
        let mut pages = self.library.pack.lessons.iter().flat_map(|l| l.steps.iter().map(move |step| (l, step)));
        problem.hint(match pages.find(|(_, step)| takes_text(step)) {
            Some((lesson, step)) => format!(
                "a text can be dropped on the page “{}” of the lesson “{}”: it is counted there in tokens",
                step.title, lesson.title
            ),
            None => "no page of this pack takes one".to_owned(),
        })
    }
}

/// Whether a step has an explorer of texts.
fn takes_text(step: &Step) -> bool {
    fn has(block: &Block) -> bool {
        match block {
            Block::Explore(name) => explore::find(name).is_some_and(|explorer| explorer.takes_text()),
            Block::Unfold(_, inner) | Block::Quote(inner) => inner.iter().any(has),
            _ => false,
        }
    }
    step.blocks.iter().any(has)
}
