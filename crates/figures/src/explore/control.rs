//! Controls of an explorer outside of its picture: each changes the point that the picture is at. A control lists its sliders, buttons
//! and fields at a point; the window and a page draw them.

use serde::{Deserialize, Serialize};

use crate::base::units::digits3;
use crate::reference::einsum::EINSUMS;
use crate::reference::views::{OPS, View};
use crate::reference::{Explored, TEXTS};

/// Numbers that some format rounds, overflows or loses.
const NUMBERS: [(&str, f64); 6] =
    [("0.1", 0.1), ("1/3", 1.0 / 3.0), ("2049", 2049.0), ("70000", 7e4), ("1e-8", 1e-8), ("1e38", 1e38)];

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
    /// The letters of an einsum, picked or typed.
    Letters,
}

/// A control at a point: its name, empty if it needs none, and its parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offered {
    /// Its name.
    pub name: String,
    /// Its parts, in their order.
    pub parts: Vec<Part>,
}

/// A part of a control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Part {
    /// A slider.
    Slider(Slider),
    /// A button.
    Button(Button),
    /// A number to type.
    Number(f64),
    /// A text to type.
    Text(String),
}

/// A number on a slider.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slider {
    /// Its name for screen readers.
    pub said: String,
    /// The least and the greatest value.
    pub range: [f64; 2],
    /// The distance of two values.
    pub step: f64,
    /// Whether equal ways on the slider are equal factors.
    pub logarithmic: bool,
    /// The value.
    pub value: f64,
    /// The value in words.
    pub shown: String,
}

/// A button.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Button {
    /// Its words.
    pub words: String,
    /// Its name for screen readers.
    pub said: String,
    /// Whether it is the one of several that is chosen.
    pub is_chosen: bool,
    /// Whether its words are code.
    pub is_code: bool,
    /// The point that it leads to; None if it leads nowhere at present.
    pub to: Option<Explored>,
}

/// A button that says its words.
fn button(words: &str, to: Option<Explored>) -> Part {
    named([words, words], false, to)
}

/// A button with its words and its name for screen readers.
fn named([words, said]: [&str; 2], is_chosen: bool, to: Option<Explored>) -> Part {
    let (words, said) = (words.to_owned(), said.to_owned());
    Part::Button(Button { words, said, is_chosen, is_code: false, to })
}

/// A button for each of these texts, by its name, and a field.
fn texts(at: &Explored, texts: &[(&str, &str)]) -> Vec<Part> {
    let pick = |(words, text): &(&str, &str)| {
        let to = Explored { text: (*text).to_owned(), ..at.clone() };
        named([words, words], at.text == *text, Some(to))
    };
    texts.iter().map(pick).chain([Part::Text(at.text.clone())]).collect()
}

impl Control {
    /// The control at a point.
    #[must_use]
    pub fn at(&self, at: &Explored) -> Offered {
        let with = |change: &dyn Fn(&mut Explored)| {
            let mut to = at.clone();
            change(&mut to);
            to
        };
        let slider = |name: &str, [said, shown]: [String; 2], (value, range, step): (f64, [f64; 2], f64)| Offered {
            name: name.to_owned(),
            parts: vec![Part::Slider(Slider { said, range, step, logarithmic: false, value, shown })],
        };
        let plain = |name: &str, parts: Vec<Part>| Offered { name: name.to_owned(), parts };
        match *self {
            Self::Whole { name, of, range, first } => {
                let value = *of(&mut at.clone()) + first;
                let range = range.map(|end| (end + first) as f64);
                slider(name, [name.to_owned(), value.to_string()], (value as f64, range, 1.0))
            }
            Self::Slider { names: [name, said], of, range, step } => {
                let value = *of(&mut at.clone());
                slider(name, [said.to_owned(), digits3(value)], (value, range, step))
            }
            Self::Temperature => {
                let (name, value) = ("temperature T".to_owned(), at.temperature);
                let (said, shown) = (name.clone(), digits3(value));
                let range = Explored::TEMPERATURE;
                let slider = Slider { said, range, step: 0.01, logarithmic: true, value, shown };
                Offered { name, parts: vec![Part::Slider(slider)] }
            }
            Self::Entries => {
                let n = at.logits.len();
                let fewer = (n > Explored::FEWEST).then(|| {
                    with(&|to| {
                        to.logits.pop();
                        to.direction.pop();
                    })
                });
                let more = (n < Explored::MOST).then(|| {
                    with(&|to| {
                        to.logits.push(0.0);
                        to.direction.push(0.0);
                    })
                });
                let first = (*at != Explored::default()).then(Explored::default);
                let signs = [
                    named(["−", "One entry fewer"], false, fewer),
                    named(["+", "One entry more"], false, more),
                    button("Reset", first),
                ];
                plain(&format!("{n} entries"), signs.into())
            }
            Self::Target => {
                let entry = |i: usize| {
                    let words = [i.to_string(), format!("target {i}")];
                    named([&words[0], &words[1]], at.target == i, Some(with(&|to| to.target = i)))
                };
                plain("target entry", (0..at.logits.len()).map(entry).collect())
            }
            Self::Number => {
                let pick = |(words, value): (&str, f64)| {
                    named([words, words], at.number == value, Some(with(&|to| to.number = value)))
                };
                plain("", NUMBERS.into_iter().map(pick).chain([Part::Number(at.number)]).collect())
            }
            Self::Operations => {
                let has_room = at.ops.len() < View::MOST;
                let op = |(op, words): &(_, &str)| {
                    let to = has_room.then(|| with(&|to| to.ops.push(*op)));
                    let (words, said) = ((*words).to_owned(), (*words).to_owned());
                    Part::Button(Button { words, said, is_chosen: false, is_code: true, to })
                };
                let shorter = |len: usize| (!at.ops.is_empty()).then(|| with(&|to| to.ops.truncate(len)));
                let back =
                    [button("Back by one", shorter(at.ops.len().saturating_sub(1))), button("Back to x", shorter(0))];
                plain("", OPS.iter().map(op).chain(back).collect())
            }
            Self::Text => plain("", texts(at, &TEXTS)),
            Self::Letters => plain("", texts(at, &EINSUMS)),
        }
    }

    /// Gives its number a value: that of its slider, or the typed one. Controls without a number leave the point as it is.
    pub fn set(&self, at: &mut Explored, value: f64) {
        match *self {
            Self::Whole { of, range: [least, most], first, .. } => {
                *of(at) = (value.round().max(0.0) as usize).saturating_sub(first).clamp(least, most);
            }
            Self::Slider { of, range: [least, most], step, .. } => {
                *of(at) = ((value / step).round() * step).clamp(least, most);
            }
            Self::Temperature => {
                // Steps that a hand can return to: T = 1 above all.
                let steps = if value < 1.0 { 100.0 } else { 20.0 };
                let [cold, hot] = Explored::TEMPERATURE;
                at.temperature = ((value * steps).round() / steps).clamp(cold, hot);
            }
            Self::Number => at.number = value,
            Self::Entries | Self::Target | Self::Operations | Self::Text | Self::Letters => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explore::EXPLORERS;

    #[test]
    fn a_control_set_to_its_value_changes_nothing() {
        let at = Explored::default();
        for control in EXPLORERS.iter().flat_map(|explorer| explorer.controls) {
            for part in control.at(&at).parts {
                let (Part::Slider(Slider { value, .. }) | Part::Number(value)) = part else { continue };
                let mut to = at.clone();
                control.set(&mut to, value);
                assert_eq!(to, at, "{control:?}");
            }
        }
    }

    #[test]
    fn every_value_and_every_button_stays_within_bounds() {
        for control in EXPLORERS.iter().flat_map(|explorer| explorer.controls) {
            let at = Explored::default();
            for part in control.at(&at).parts {
                match part {
                    Part::Slider(Slider { range, .. }) => {
                        for value in [range[0], range[1], range[0] - 1e9, range[1] + 1e9] {
                            let mut to = at.clone();
                            control.set(&mut to, value);
                            assert_eq!(to.clone().within_bounds(), to, "{control:?} at {value}");
                        }
                    }
                    Part::Button(Button { to: Some(to), .. }) => assert_eq!(to.clone().within_bounds(), to),
                    Part::Button(_) | Part::Number(_) | Part::Text(_) => {}
                }
            }
        }
    }
}
