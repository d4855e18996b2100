//! The heading of a picture of events: what it shows, with the colour of an event, details in falling order of weight, and at the right its place
//! among all.

use crate::frame::{Anchor, Frame, Tag};
use crate::palette::Ink;
use crate::text;

/// Space between parts of a heading.
const GAP: f32 = 16.0;

/// A heading.
pub(crate) struct Heading<'h> {
    /// The colour of its box, and what box and name are of; None without a box.
    pub(crate) event: Option<(Ink, Tag)>,
    pub(crate) name: &'h str,
    /// Each with what it is of; those that do not fit are left out.
    pub(crate) details: Vec<(&'h str, Option<Tag>)>,
    pub(crate) place: &'h str,
}

impl Heading<'_> {
    /// Draws it in the first line below `margin`.
    pub(crate) fn draw(&self, frame: &mut Frame, margin: f32) {
        let (y, right) = (margin + 10.0, frame.width - margin);
        frame.text([right, y], 12.0, Anchor::End, Ink::Muted, self.place);
        let end = right - text::width(self.place, 12.0, false) - GAP;
        let mut x = margin;
        if let Some((ink, tag)) = self.event {
            frame.fill([margin, y - 6.0, 12.0, 12.0], 3.0, ink, Some(tag));
            x += 20.0;
        }
        let name = text::fit(self.name, 16.0, false, end - x);
        let wide = text::width(&name, 16.0, false);
        frame.text([x, y], 16.0, Anchor::Start, Ink::Text, name);
        self.event.iter().for_each(|(_, tag)| frame.tag_last(*tag));
        x += wide + 12.0;
        for (detail, tag) in &self.details {
            let wide = text::width(detail, 13.0, false);
            if x + wide > end {
                return;
            }
            frame.text([x, y + 1.0], 13.0, Anchor::Start, Ink::Muted, *detail);
            if let Some(tag) = tag {
                frame.tag_last(*tag);
            }
            x += wide + GAP;
        }
    }
}
