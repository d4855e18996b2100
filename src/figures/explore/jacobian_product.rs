//! The parts of the Jacobian, and the product with it.

use super::control::Control;
use super::sheet::Sheet;
use super::{Card, Derived, ExploreView, Explorer, collapse, maths, product, rows};

static CARD: Card = Card {
    name: "jacobian_product",
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
        let matrix = maths::jacobian(&derived.y, view.at.temperature);
        rows::both(sheet, &derived);
        collapse::draw(sheet, &derived, &matrix);
        product::draw(sheet, &derived, &matrix);
        String::new()
    }
}
