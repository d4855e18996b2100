//! The explorer of the step: drawn with its handles, by the window that lets the learner drag them.

use super::figure::{Asks, Card, Clock, Figure, Kept, Subject, View};
use super::frame::Frame;

static CARD: Card = Card {
    name: "Explore",
    tab: "Maths",
    help: "What the step's formulas do, to drag",
    about: "what the step's formulas do",
    clock: Clock::Hand,
    fits: |facts| facts.explorer,
    needs: "place an explorer with `{{explore NAME}}` in the step's prose",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asks(&self, _: &Subject<'_>) -> Asks {
        Asks::default()
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Frame {
        Frame::new(view.size)
    }
}
