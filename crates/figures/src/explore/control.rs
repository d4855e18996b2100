//! Controls of an explorer outside of its picture: each changes the point that the picture is at.

use crate::reference::Explored;

/// A control.
#[derive(Clone, Copy, Debug)]
pub enum Control {
    /// A whole number.
    Whole {
        /// Its name.
        name: &'static str,
        /// The number.
        of: fn(&mut Explored) -> &mut usize,
        /// The least and the greatest.
        range: [usize; 2],
        /// The number that is shown for 0.
        first: usize,
    },
    /// A number on a slider.
    Slider {
        /// Its name beside the slider, and for screen readers.
        names: [&'static str; 2],
        /// The number.
        of: fn(&mut Explored) -> &mut f64,
        /// The least and the greatest.
        range: [f64; 2],
        /// The distance of two values.
        step: f64,
    },
    /// The temperature, on a logarithmic slider.
    Temperature,
    /// How many logits there are.
    Entries,
    /// Which entry is the target.
    Target,
    /// A number, picked or typed.
    Number,
    /// Operations on a tensor.
    Operations,
    /// A text, typed or from a file.
    Text,
}
