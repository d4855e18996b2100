//! The pictures of a note that a page plays, and what it needs for them.

use super::{Builder, Pictures};
use crate::base::units::count;
use crate::figures::ask;
use crate::figures::explore::Explorer;
use crate::job::{Content, Language};
use crate::lesson::Step;
use crate::notes::NoteBlock;
use crate::notes::page::{Played, Playing};
use crate::reference::Explored;
use crate::session::ask::Store;
use crate::session::jobs::setting::Setting;
use crate::session::pack::carried::carried;
use crate::session::show::page::Asked;
use crate::session::show::stage::Stage;

/// Warp instructions of a program that a page traces in some seconds.
const IN_A_PAGE: u64 = 10_000_000;

/// Why a picture that reads a vocabulary does not play.
const NO_VOCABULARY: &str = "its vocabulary is too large for a page";

impl Builder<'_> {
    /// Has a page play a step's picture, with `source` as its kernel's text if that is the learner's; or say why not.
    pub(super) fn play(
        &mut self,
        figure: &NoteBlock,
        still: String,
        step: &Step,
        stage: &Stage<'_>,
        source: Option<&str>,
    ) {
        let NoteBlock::Figure { id, .. } = figure else { return };
        let store: &dyn Store = if source.is_some() { &self.own } else { &self.store };
        let Some(traced) = store.find(stage.at, ask::Counts).filter(|_| self.input.pictures != Pictures::Still) else {
            return;
        };
        let has_vocabulary = traced.job.buffers.iter().any(|buffer| matches!(buffer.content, Content::Vocabulary(..)));
        let Some(instructions) = traced.record.total().map(|total| total.warp_instructions) else { return };
        let why = if stage.at.language() != Language::Wgsl {
            "a page traces WGSL alone".to_owned()
        } else if has_vocabulary {
            NO_VOCABULARY.to_owned()
        } else if instructions > IN_A_PAGE {
            format!("{} warp instructions take a page too long, {} at most", count(instructions), count(IN_A_PAGE))
        } else {
            // The step's own program is opened first, and the learner's text is put in its kernel's place.
            let set: Vec<(&String, &f64)> = stage.at.setting().params.iter().collect();
            let of = serde_json::json!({ "step": step.id, "set": set, "source": source }).to_string();
            self.playing.insert(id.clone(), Played::Here { of, still });
            return;
        };
        self.playing.insert(id.clone(), Played::InTheProgram(why));
    }

    /// Lets a page play an explorer from a point on; or notes why it cannot.
    pub(super) fn play_explorer(&mut self, id: &str, explorer: &Explorer, at: &Explored, svg: &str) {
        if self.input.pictures == Pictures::Still {
            return;
        }
        let played = if explorer.has_vocabulary {
            Played::InTheProgram(NO_VOCABULARY.to_owned())
        } else {
            let of = serde_json::json!({ "explore": explorer.name, "at": at }).to_string();
            Played::Here { of, still: svg.to_owned() }
        };
        self.playing.insert(id.to_owned(), played);
    }

    /// The pictures that play, with what a page needs for them.
    pub(super) fn playing(&self) -> Option<Playing> {
        let Setting { lesson, warp_width, seed, .. } = &self.input.setting;
        let files = carried(&lesson.files, &lesson.id);
        let pack = Asked::Pack { lesson: lesson.id.clone(), warp_width: *warp_width, seed: *seed, files };
        let plays = self.playing.values().any(|played| matches!(played, Played::Here { .. }));
        let pack = if plays || self.input.pictures == Pictures::OnSite {
            serde_json::to_string(&pack).ok()?
        } else {
            String::new()
        };
        Some(Playing { pack, figures: self.playing.clone() })
            .filter(|playing| !playing.pack.is_empty() || !self.playing.is_empty())
    }
}
