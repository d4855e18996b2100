//! The explorer of the step: drawn with its handles, by the window that lets the learner drag them.

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::Frame;
use super::results::Missing;
use crate::lesson::{ArgValue, Picture};
use crate::reference::Explored;

static CARD: Card = Card {
    name: "Explore",
    tab: "Maths",
    help: "What the step's formulas do, to drag",
    about: "what the step's formulas do",
    clock: Clock::Hand,
    fits: |facts| facts.explorer,
    needs: "place an explorer with `{{explore NAME}}` in the step's prose",
    args: &[
        Arg::optional("rows", ArgKind::UpTo(Explored::BLOCK as u32), "rows of sums that a lane has, for `registers`"),
        Arg::optional("columns", ArgKind::UpTo(Explored::BLOCK as u32), "their columns"),
        Arg::optional("lane", ArgKind::UpTo(Explored::LANES as u32 - 1), "the lane, for `fragments`"),
        Arg::optional("group", ArgKind::UpTo(Explored::GROUP as u32), "rows of tiles in a group, for `tile_order`"),
        Arg::optional("wave", ArgKind::UpTo(Explored::WAVES as u32 - 1), "the wave, from 0, for `tile_order`"),
        Arg::optional("text", ArgKind::Text, "the text, for `tokens`, or the letters, for `einsum`"),
    ],
};

/// The point at which a step's explorer begins: the default, changed by the figure's arguments.
#[must_use]
pub fn begin(picture: &Picture) -> Explored {
    let mut at = Explored::default();
    if picture.name != CARD.name {
        return at;
    }
    for arg in &picture.args {
        match (arg.name.as_str(), &arg.value) {
            ("rows", &ArgValue::Number(n)) => at.block[0] = n as usize,
            ("columns", &ArgValue::Number(n)) => at.block[1] = n as usize,
            ("lane", &ArgValue::Number(n)) => at.lane = n as usize,
            ("group", &ArgValue::Number(n)) => at.group = n as usize,
            ("wave", &ArgValue::Number(n)) => at.wave = n as usize,
            ("text", ArgValue::Text(text)) => at.text.clone_from(text),
            _ => {}
        }
    }
    at.within_bounds()
}

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Ok(Frame::new(view.size))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::picture_of;
    use super::*;

    #[test]
    fn an_explorer_begins_where_the_step_says() {
        assert_eq!(begin(&picture_of("Warp", &[("rows", ArgValue::Number(4.0))])), Explored::default());
        for arg in CARD.args {
            let value = match arg.kind {
                ArgKind::Text => ArgValue::Text("other".to_owned()),
                _ => ArgValue::Number(2.0),
            };
            let begun = begin(&picture_of("Explore", &[(arg.name, value)]));
            assert_ne!(begun, Explored::default(), "`{}` changes nothing", arg.name);
        }
    }
}
