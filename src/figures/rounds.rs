//! The program's series, one beside the other.

use super::figure::{Asks, Card, Clock, Figure, Kept, Subject, View};
use super::frame::{Anchor, Frame};
use super::palette::Ink;
use super::plot;

static CARD: Card = Card {
    name: "Rounds",
    tab: "Rounds",
    help: "What the program keeps of each of its rounds",
    about: "what the program keeps of each of its rounds",
    clock: Clock::Still,
    fits: |facts| facts.series,
    needs: "give its program a series with `each`",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn asks(&self, _: &Subject<'_>) -> Asks {
        Asks { rounds: true, ..Asks::default() }
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Frame {
        frame(view)
    }
}

fn frame(view: &View<'_>) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let rounds = &view.given.rounds;
    let each = width / rounds.len().max(1) as f32;
    for (i, plot) in rounds.iter().enumerate() {
        frame.place(plot::frame(plot, [each, height]), [i as f32 * each, 0.0]);
    }
    if rounds.is_empty() {
        let said = "The program has not been traced yet.";
        frame.text([width / 2.0, height / 2.0], 14.0, Anchor::Middle, Ink::Muted, said);
        frame.alt = said.to_owned();
    }
    frame
}
