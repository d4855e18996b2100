//! Softmax's Jacobian, entry by entry.

use super::control::Control;
use super::{Derived, Explorer, heat, maths, rows};

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "jacobian",
    tab: "Jacobian",
    controls: &[Control::Temperature, Control::Entries],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        let derived = Derived::of(view.at);
        rows::both(sheet, &derived);
        heat::draw(sheet, &derived, &maths::jacobian(&derived.y, view.at.temperature), view.spelled)
    },
};
