//! Softmax's Jacobian, entry by entry.

use super::control::Control;
use super::sheet::Sheet;
use super::{Card, Derived, ExploreView, Explorer, heat, maths, rows};

static CARD: Card = Card {
    name: "jacobian",
    controls: &[Control::Temperature, Control::Entries],
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
        let derived = Derived::of(view.at);
        rows::both(sheet, &derived);
        heat::draw(sheet, &derived, &maths::jacobian(&derived.y, view.at.temperature), view.spelled)
    }
}
