//! The roofline of a program's passes: each by its operations per byte and per second.

use super::answers::Roofline;
use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Frame, Tag};
use super::results::Missing;
use super::roofline::{frame, only, told};

static CARD: Card = Card {
    name: "PassRoofline",
    tab: "All passes",
    help: "Where the passes of the program stand under the device's ceilings, by their predicted times",
    about: "where the passes of a program stand under a device's ceilings",
    clock: Clock::Still,
    fits: |facts| facts.traced && facts.series,
    needs: "a program that can be traced and that records a series",
    args: &[Arg::optional("passes", ArgKind::Texts, "the ids of the passes to show; all that have FLOP if left out")],
};

/// The passes that the lesson shows.
fn shown(view: &View<'_>) -> Result<Roofline, Missing> {
    Ok(only(view, "passes", view.ask(ask::PassRoofline)?))
}

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        shown(view).map(|known| frame(view, &known))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(&shown(view).ok()?, tag)
    }
}

#[cfg(test)]
mod tests {
    use super::super::answers::{Roof, Spot, SpotBytes, SpotTime};
    use super::super::fixtures::{assert_tidy, drawn, picture_of};
    use super::*;
    use crate::Results;

    #[test]
    fn a_pass_is_a_hollow_mark_with_its_name() {
        let spot = |id: &str, intensity: f64, rate: f64| Spot {
            id: id.into(),
            name: id.into(),
            intensity,
            bytes: SpotBytes::Needed,
            flops_per_s: Some(rate),
            time: SpotTime::Predicted,
            shown: id == "up",
            whence: "predicted for H200".into(),
        };
        let roof = Roof {
            name: "H200, published".into(),
            bytes_per_s: Some(4.8e12),
            flops_per_s: Some(67e12),
            matrix_flops_per_s: None,
            measured: false,
        };
        let known = Roofline {
            roofs: vec![roof],
            spots: vec![spot("up", 9.0, 1e11), spot("attention", 4.0, 2e10)],
            note: "Predicted for H200.".into(),
        };
        let picture = picture_of("PassRoofline", &[]);
        for size in [[400.0, 300.0], [1200.0, 800.0]] {
            let results = Results::default().with(ask::PassRoofline, known.clone());
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, "pass roofline");
            assert!(frame.alt.contains("up: 9.00 FLOP per byte, 100 GFLOP/s, predicted."), "{}", frame.alt);
        }
    }
}
