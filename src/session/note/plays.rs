//! The pictures of a note that a page plays, and what it needs for them.

use super::Builder;
use crate::job::{Content, Language};
use crate::lesson::Step;
use crate::notes::page::Playing;
use crate::session::jobs::Params;
use crate::session::jobs::setting::Setting;
use crate::session::pack::carried::carried;
use crate::session::show::page::Asked;
use crate::session::show::stage::{self, Stage};

/// Warp instructions of a program that a page traces in a second or two.
const IN_A_PAGE: u64 = 2_000_000;

impl Builder<'_> {
    /// A step for a page that traces it again; None if that takes a page too long.
    pub(super) fn plays(&self, step: &Step, params: &Params, stage: &Stage<'_>) -> Option<String> {
        let is_wgsl = stage.at.language() == Language::Wgsl;
        let traced = stage::counts(&self.store, stage.at.clone()).filter(|_| is_wgsl && !self.input.still)?;
        // A page has no vocabularies.
        if traced.job.buffers.iter().any(|buffer| matches!(buffer.content, Content::Vocabulary(..))) {
            return None;
        }
        let instructions = traced.record.total()?.warp_instructions;
        let set: Vec<(&String, &f64)> = params.iter().collect();
        (instructions <= IN_A_PAGE).then(|| serde_json::json!({ "step": step.id, "set": set }).to_string())
    }

    /// The pictures that play, with what a page needs for them.
    pub(super) fn playing(&self) -> Option<Playing> {
        let Setting { lesson, warp_width, seed, .. } = &self.input.setting;
        let files = carried(&lesson.files, &lesson.id);
        let pack = Asked::Pack { lesson: lesson.id.clone(), warp_width: *warp_width, seed: *seed, files };
        let pack = serde_json::to_string(&pack).ok().filter(|_| !self.playing.is_empty())?;
        Some(Playing { pack, figures: self.playing.clone() })
    }
}
