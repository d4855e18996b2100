//! The pictures on the stage: a view of a kernel's run in, the frame of the chosen scene out.

use std::sync::Arc;

use super::contents::{self, Contents};
use super::frame::{Anchor, Frame, Tag};
use super::mark::Mark;
use super::palette::Ink;
use super::plot::{self, Plot};
use super::reduction::{self, ReductionView, Tree};
use super::ring;
use super::river::{self, River};
use super::roofline::{self, Roofline};
use super::warp::WarpView;
use super::waves::{self, Spread};
use super::{heat, matrices, sweeps, tile, touch, warp};
use crate::lesson::{Ring, SceneKind};
use crate::trace::{Heat, Timeline};

/// What to show of a run, and how large.
#[derive(Clone, Copy, Debug)]
pub struct StageView<'a> {
    /// The kind of picture.
    pub scene: SceneKind,
    /// Single accesses of a workgroup.
    pub timeline: &'a Arc<Timeline>,
    /// How often elements were fetched, where that was counted.
    pub heat: Option<&'a Heat>,
    /// How the grid spreads over a device, where that is known.
    pub spread: Option<&'a Spread>,
    /// The share of its waves at which the picture of them begins; None for the last one.
    pub at: Option<f64>,
    /// Where the bytes go, where that was counted.
    pub river: Option<&'a River>,
    /// The ring of places that the kernel's tiles go through, where its lesson says so.
    pub ring: Option<&'a Ring>,
    /// Where the kernels of the ladder stand, where that was asked for.
    pub roofline: Option<&'a Roofline>,
    /// What a buffer holds, where that was read.
    pub contents: Option<&'a Contents<'a>>,
    /// The program's series by round.
    pub rounds: &'a [Plot],
    /// Linear index of the workgroup.
    pub workgroup: u32,
    /// Warp within the workgroup.
    pub warp: u32,
    /// As [`WarpView::position`].
    pub position: f32,
    /// What the pointer is on; its counterparts are lit.
    pub hovered: Option<Tag>,
    /// As [`WarpView::marked`].
    pub marked: &'a [Mark],
    /// Whether accesses are seen to drop.
    pub motion: bool,
    /// Width and height in points; meant for 420×300 and more.
    pub size: [f32; 2],
}

impl<'a> StageView<'a> {
    /// The picture as it begins, with nothing but the accesses.
    #[must_use]
    pub fn still(scene: SceneKind, timeline: &'a Arc<Timeline>, size: [f32; 2]) -> Self {
        Self {
            scene,
            timeline,
            heat: None,
            spread: None,
            at: None,
            river: None,
            ring: None,
            roofline: None,
            contents: None,
            rounds: &[],
            workgroup: 0,
            warp: 0,
            position: 0.0,
            hovered: None,
            marked: &[],
            motion: false,
            size,
        }
    }

    pub(super) fn warp_view(&self) -> WarpView<'_> {
        let Self { workgroup, warp, position, hovered, marked, motion, size, .. } = *self;
        WarpView { timeline: self.timeline, workgroup, warp, position, hovered, marked, motion, size }
    }
}

/// Draws scenes, and keeps from frame to frame what would take long to find out anew.
#[derive(Debug, Default)]
pub struct Painter {
    progress: matrices::Progress,
    sweeps: sweeps::Sweeps,
    tiles: tile::Tiles,
    /// The reduction's tree, and the record that it was made of.
    tree: Option<(Arc<Timeline>, Tree)>,
}

impl Painter {
    /// The picture of the view.
    #[must_use]
    pub fn frame(&mut self, view: &StageView<'_>) -> Frame {
        match view.scene {
            SceneKind::Warp => warp::frame(&view.warp_view()),
            // Drawn with its handles, by who lets the learner drag them.
            SceneKind::Explore => Frame::new(view.size),
            SceneKind::Matrices => matrices::frame(&mut self.progress, view),
            SceneKind::Heat => heat::frame(view),
            SceneKind::Reduction => self.reduction(view),
            SceneKind::Banks => tile::frame(&mut self.tiles, view),
            SceneKind::Sweeps => sweeps::frame(&mut self.sweeps, view),
            SceneKind::Bytes => river::frame(view),
            SceneKind::Ring => ring::frame(view),
            SceneKind::Waves => waves::frame(view),
            SceneKind::Roofline => roofline::frame(view),
            SceneKind::Contents => contents::frame(view),
            SceneKind::Rounds => rounds(view),
        }
    }

    fn reduction(&mut self, view: &StageView<'_>) -> Frame {
        let StageView { timeline, workgroup, warp, position, hovered, motion, size, .. } = *view;
        let known = self.tree.take().filter(|(of, tree)| Arc::ptr_eq(of, timeline) && tree.workgroup == workgroup);
        let fresh = || (timeline.clone(), Tree::new(timeline, workgroup));
        let (_, tree) = self.tree.insert(known.unwrap_or_else(fresh));
        reduction::frame(&ReductionView { timeline, tree, warp, position, hovered, motion, size })
    }

    /// What the pointer is on, in words; `event` is the timeline's index of the event on the stage.
    #[must_use]
    pub fn told(&self, view: &StageView<'_>, event: Option<usize>, tag: Tag) -> Option<String> {
        match view.scene {
            SceneKind::Warp => touch::told(view.timeline, event?, tag),
            SceneKind::Matrices => matrices::told(&self.progress, view, tag),
            SceneKind::Heat => heat::told(view, tag),
            SceneKind::Banks => tile::told(view, tag),
            SceneKind::Sweeps => sweeps::told(&self.sweeps, tag),
            SceneKind::Waves => waves::told(view, tag),
            SceneKind::Roofline => roofline::told(view, tag),
            SceneKind::Contents => contents::told(view, tag),
            // What they show is written in them.
            SceneKind::Explore | SceneKind::Reduction | SceneKind::Bytes | SceneKind::Ring | SceneKind::Rounds => None,
        }
    }
}

/// The program's series, one beside the other.
fn rounds(view: &StageView<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let each = width / view.rounds.len().max(1) as f32;
    for (i, plot) in view.rounds.iter().enumerate() {
        frame.place(plot::frame(plot, [each, height]), [i as f32 * each, 0.0]);
    }
    if view.rounds.is_empty() {
        frame.text(
            [width / 2.0, height / 2.0],
            14.0,
            Anchor::Middle,
            Ink::Muted,
            "The program has not been traced yet.",
        );
        frame.alt = "The program has not been traced yet.".to_owned();
    }
    frame
}
