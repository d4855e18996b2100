//! Softmax against a target: the loss and its gradient.

use super::control::Control;
use super::{Derived, Explorer, rows};
use crate::reference::Explored;

/// The explorer.
pub static EXPLORER: Explorer = Explorer {
    name: "cross_entropy",
    tab: "Loss",
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
    has_vocabulary: false,
    draw: |sheet, view| {
        rows::cross_entropy(sheet, &Derived::of(view.at));
        String::new()
    },
};
