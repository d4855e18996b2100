//! The curves of one of the lesson's experiments, as large as the stage: for a page whose idea is a curve.

use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::Frame;
use super::plot;
use super::results::Missing;

static CARD: Card = Card {
    name: "Curves",
    tab: "Curves",
    help: "The curves of the page's experiment",
    about: "the curves of an experiment",
    clock: Clock::Still,
    fits: |_| true,
    needs: "name an experiment of the lesson",
    args: &[Arg::required(EXPERIMENT, ArgKind::Experiment, "the experiment")],
};

/// The argument that names the experiment.
pub const EXPERIMENT: &str = "of";

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        let experiment = view.picture.text(EXPERIMENT).to_owned();
        view.ask(ask::Curves(experiment)).map(|curves| plot::frame(curves, view.size))
    }
}
