//! A step's picture as it moves: the moments of its clock, between which things travel.

use super::stage::Drawing;
use crate::figures::frame::Frame;
use crate::figures::moving::{MOMENT_S, MOST, moving};
use crate::figures::{Kept, View, titled};
use crate::lesson::Step;

/// Moments of one tick at most.
const OF_TICK: usize = 4;

/// How far a moment stays before the tick's end: there the next tick begins.
const BEFORE: f32 = 0.01;

/// A step's figure from its clock's first tick to its last, as one SVG that moves; None if nothing moves. Where it cannot move, it shows
/// the moment at which the step opens.
#[must_use]
pub fn picture(drawing: &Drawing<'_>, step: &Step, size: [f32; 2]) -> Option<Moving> {
    let Moments { frames, still, .. } = Moments::of(drawing, step, size);
    let alt = frames.get(still).filter(|_| frames.len() > 1).map(|frame| frame.alt.clone())?;
    Some(Moving { svg: moving(&frames, still, MOMENT_S), alt })
}

/// The moments of a picture.
pub struct Moments {
    /// The moments in order; a single one if nothing moves.
    pub frames: Vec<Frame>,
    /// The one at which the step opens.
    pub still: usize,
    /// The picture just then.
    pub opening: Frame,
}

impl Moments {
    /// The moments of a step's figure, over the ticks of [`Drawing::film_ticks`].
    #[must_use]
    pub fn of(drawing: &Drawing<'_>, step: &Step, size: [f32; 2]) -> Self {
        let (ticks, first) = drawing.opening(step);
        #[expect(clippy::cast_precision_loss, reason = "a clock has a few hundred thousand ticks at most")]
        let opening = moment(drawing, size, first as f32 + 1.0 - BEFORE, &mut Kept::default());
        if ticks < 2 {
            return Self { frames: vec![opening.clone()], still: 0, opening };
        }
        let shown = drawing.film_ticks(step, ticks, first);
        let count = (OF_TICK * shown.len()).min(MOST);
        // The moment in which the opening tick ends, or the last one before it at which something changes.
        let over = shown.partition_point(|tick| *tick <= first).max(1);
        let still = (over * count).div_ceil(shown.len()).saturating_sub(1);
        Self { frames: moments(drawing, size, &shown, count), still, opening }
    }
}

/// A picture that moves.
pub struct Moving {
    /// The SVG.
    pub svg: String,
    /// A description of its still, for screen readers.
    pub alt: String,
}

/// `count` moments of a figure, spread evenly over these ticks of its clock.
fn moments(drawing: &Drawing<'_>, size: [f32; 2], ticks: &[usize], count: usize) -> Vec<Frame> {
    let mut kept = Kept::default();
    let each = (1..=count).map(|number| {
        let along = (number * ticks.len()) as f64 / count as f64 - f64::from(BEFORE);
        let tick = ticks.get(along as usize).or(ticks.last()).copied().unwrap_or_default();
        moment(drawing, size, (tick as f64 + along.fract()) as f32, &mut kept)
    });
    each.collect()
}

fn moment(drawing: &Drawing<'_>, size: [f32; 2], position: f32, kept: &mut Kept) -> Frame {
    let view = View { motion: true, ..drawing.view(size, position) };
    titled::draw(drawing.figure, &view, kept)
}
