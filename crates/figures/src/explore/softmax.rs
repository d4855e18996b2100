//! Logits and their softmax.

use super::control::Control;
use super::{Derived, Explorer, rows};

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "softmax",
    tab: "Softmax",
    controls: &[Control::Temperature, Control::Entries],
    controls_first: false,
    is_low: false,
    has_vocabulary: false,
    draw: |sheet, view| {
        rows::softmax(sheet, &Derived::of(view.at));
        String::new()
    },
};
