//! The curves of one of the lesson's experiments, as large as the stage: for a page whose idea is a curve. Those of another experiment may be
//! below them, over the same quantity: what is counted above, what is measured below.

use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::Frame;
use super::plot;
use super::results::Missing;

/// A picture lower than this has no room for two plots: it has the upper one.
const LEAST: f32 = 330.0;

static CARD: Card = Card {
    name: "Curves",
    tab: "Curves",
    help: "The curves of the page's experiment",
    about: "the curves of an experiment",
    clock: Clock::Still,
    fits: |_| true,
    needs: "name an experiment of the lesson",
    args: &[
        Arg::required(EXPERIMENT, ArgKind::Experiment, "the experiment"),
        Arg::optional("below", ArgKind::Experiment, "another experiment, whose curves are below"),
    ],
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
        let of = |name: &str| view.ask(ask::Curves(view.picture.text(name).to_owned()));
        let curves = of(EXPERIMENT);
        if view.picture.text("below").is_empty() {
            return curves.map(|curves| plot::frame(curves, view.size));
        }
        let (curves, below) = (curves, of("below"));
        let (curves, below, [width, height]) = (curves?, below?, view.size);
        if height < LEAST {
            return Ok(plot::frame(curves, view.size));
        }
        let mut frame = Frame::new(view.size);
        let half = (height / 2.0).floor();
        for (curves, y) in [(curves, 0.0), (below, half)] {
            frame.place(plot::frame(curves, [width, half]), [0.0, y]);
        }
        Ok(frame)
    }
}
