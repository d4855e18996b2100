//! The curves of one of the lesson's experiments, as large as the stage: for a page whose idea is a curve.

use super::figure::{Arg, ArgKind, Asks, Card, Clock, Figure, Kept, Subject, View};
use super::frame::{Anchor, Frame};
use super::palette::Ink;
use super::plot;

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

    fn asks(&self, _: &Subject<'_>) -> Asks {
        Asks { curves: true, ..Asks::default() }
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Frame {
        if let Some(curves) = &view.given.curves {
            return plot::frame(curves, view.size);
        }
        let mut frame = Frame::new(view.size);
        let [x, y] = view.size.map(|side| side / 2.0);
        frame.alt = "The curves appear with the device.".to_owned();
        frame.text([x, y], 14.0, Anchor::Middle, Ink::Muted, frame.alt.clone());
        frame
    }
}
