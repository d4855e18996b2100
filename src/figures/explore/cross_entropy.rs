//! Softmax against a target: the loss and its gradient.

use super::control::Control;
use super::sheet::Sheet;
use super::{Card, Derived, ExploreView, Explorer, rows};
use crate::reference::Explored;

static CARD: Card = Card {
    name: "cross_entropy",
    controls: &[
        Control::Temperature,
        Control::Slider {
            names: ["weight λ of z-loss", "weight of the z-loss"],
            of: |at| &mut at.weight,
            range: [0.0, Explored::WEIGHT],
            step: 0.01,
        },
        Control::Target,
        Control::Entries,
    ],
    controls_first: false,
    is_low: false,
};

/// The explorer.
pub struct Fig;

impl Explorer for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, sheet: &mut Sheet, view: &ExploreView<'_>) -> String {
        rows::cross_entropy(sheet, &Derived::of(view.at));
        String::new()
    }
}
