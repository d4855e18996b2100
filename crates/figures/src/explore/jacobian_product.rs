//! The parts of the Jacobian, and the product with it.

use super::control::Control;
use super::{Derived, Explorer, collapse, maths, product, rows};

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "jacobian_product",
    tab: "Product",
    controls: &[Control::Temperature, Control::Entries],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        let derived = Derived::of(view.at);
        let matrix = maths::jacobian(&derived.y, view.at.temperature);
        rows::both(sheet, &derived);
        product::draw(sheet, &derived, &matrix);
        collapse::draw(sheet, &derived, &matrix);
        String::new()
    },
};
