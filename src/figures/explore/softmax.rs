//! Logits and their softmax.

use super::control::Control;
use super::sheet::Sheet;
use super::{Card, Derived, ExploreView, Explorer, rows};

static CARD: Card =
    Card { name: "softmax", controls: &[Control::Temperature, Control::Entries], controls_first: false, is_low: false };

/// The explorer.
pub struct Fig;

impl Explorer for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, sheet: &mut Sheet, view: &ExploreView<'_>) -> String {
        rows::softmax(sheet, &Derived::of(view.at));
        String::new()
    }
}
