//! Spans of time on tracks: when each part of something began and ended, one track below the other.

use super::super::buffer::Contents;
use super::super::figure::{Arg, ArgKind};
use super::super::frame::{Anchor, Frame, Tag};
use super::super::kit::MARGIN;
use super::super::kit::axis::Ruler;
use super::super::kit::legend::{Key, legend};
use super::super::palette::Ink;
use super::super::plot::{Axis, Scale};
use super::super::text;
use super::{Card, Meaning, Meant};
use crate::base::units::{count, si};

/// Space above the tracks, and below them for the axis and the legend.
const HEAD: f32 = 40.0;
const FOOT: f32 = 62.0;
/// The most that a track is high, with the gap below it.
const TRACK: f32 = 60.0;
const GAP: f32 = 8.0;
/// Room on the right for the time at which a track ends.
const END: f32 = 64.0;
/// Marks of the axis are at least so far apart.
const APART: f32 = 72.0;

/// A row of the buffer: a span, and where in the buffer it is.
struct Span {
    first: usize,
    track: usize,
    part: usize,
    begin: f64,
    end: f64,
}

/// A buffer whose rows are spans: track, part, beginning, end.
pub(crate) struct Spans<'a> {
    pub of: &'a Contents<'a>,
    /// The tracks' names.
    pub tracks: &'a [String],
}

impl Spans<'_> {
    /// The span of the row with element `i`; None if it has no length, or no track.
    fn span(&self, i: usize) -> Option<Span> {
        let first = i / 4 * 4;
        let value = |column: usize| (first + column < self.of.tensor.len()).then(|| self.of.value(first + column))?;
        let [track, part, begin, end] = [value(0)?, value(1)?, value(2)?, value(3)?];
        let is_one = track >= 0.0 && track < self.tracks.len() as f64 && part >= 0.0 && end > begin && end.is_finite();
        is_one.then_some(Span { first, track: track as usize, part: part as usize, begin, end })
    }

    fn all(&self) -> impl Iterator<Item = Span> {
        (0..self.of.tensor.len()).step_by(4).filter_map(|i| self.span(i))
    }

    fn part(&self, part: usize) -> &str {
        self.of.legend.parts.get(part).map_or("", String::as_str)
    }

    /// Draws the tracks, and says what they show.
    pub(crate) fn draw(&self, frame: &mut Frame, hovered: Option<Tag>) -> String {
        let tracks = self.tracks.len().max(1);
        let widest = self.tracks.iter().map(|name| text::width(name, 12.0, false)).fold(0.0, f32::max);
        let [left, right] = [MARGIN + widest + 10.0, frame.width - MARGIN - END];
        let pitch = ((frame.height - HEAD - FOOT) / tracks as f32).clamp(12.0, TRACK);
        let base = HEAD + pitch * tracks as f32;
        let ends: Vec<f64> = (0..tracks)
            .map(|track| self.all().filter(|span| span.track == track).map(|span| span.end).fold(0.0, f64::max))
            .collect();
        let unit = self.of.legend.unit.clone();
        let last = ends.iter().copied().fold(0.0, f64::max);
        let axis = Axis { label: String::new(), unit, scale: Scale::Linear, ticks: Vec::new(), reach: None };
        let ruler = Ruler::new(&axis, &[0.0, last], left, right, APART);
        for (value, words) in ruler.ticks.iter().filter(|(value, _)| *value <= ruler.high) {
            let x = ruler.place(*value);
            frame.line([x, HEAD], [x, base], 1.0, Ink::Faint, None);
            frame.text([x, base + 11.0], 12.0, Anchor::Middle, Ink::Muted, words.clone());
        }
        frame.text([right + 14.0, base + 11.0], 12.0, Anchor::Start, Ink::Muted, ruler.unit.clone());
        for (track, name) in self.tracks.iter().enumerate() {
            let y = HEAD + pitch * track as f32 + (pitch - GAP) / 2.0;
            frame.text([left - 10.0, y], 12.0, Anchor::End, Ink::Text, name.clone());
            if ends[track] > 0.0 {
                let (at, words) = ([ruler.place(ends[track]) + 6.0, y], ruler.write(ends[track]));
                // No line of the grid goes through the number.
                let room = text::width(&words, 12.0, false) + 4.0;
                frame.fill([at[0] - 2.0, y - 8.0, room, 16.0], 0.0, Ink::Panel, None);
                frame.text(at, 12.0, Anchor::Start, Ink::Text, words);
            }
        }
        for span in self.all() {
            let [x, to] = [span.begin, span.end].map(|time| ruler.place(time));
            // Neighbours stay apart where there is room for it.
            let wide = if to - x > 4.0 { to - x - 1.0 } else { to - x };
            let tag = Some(Tag::Word { buffer: 0, index: span.first as u64 });
            let rect = [x, HEAD + pitch * span.track as f32, wide, pitch - GAP];
            let edge = if tag == hovered && tag.is_some() { Ink::Text } else { Ink::Series(span.part as u8) };
            frame.outline(rect, 1.0, Some(Ink::Series(span.part as u8)), edge, tag);
        }
        let keys: Vec<Key<'_>> =
            (0_u8..).zip(&self.of.legend.parts).map(|(part, name)| Key::new(Ink::Series(part), name)).collect();
        legend(frame, left, base + 36.0, right - left, &keys);
        let each: Vec<String> = (0..tracks)
            .filter(|track| ends[*track] > 0.0)
            .map(|track| format!("{} until {}", self.tracks[track], si(ends[track], &self.of.legend.unit)))
            .collect();
        format!("{} spans. {}.", count(self.all().count() as u64), each.join(", "))
    }

    /// The span of element `i` in words.
    pub(crate) fn told(&self, i: usize) -> Option<String> {
        let span = self.span(i)?;
        let [begin, end, long] =
            [span.begin, span.end, span.end - span.begin].map(|time| si(time, &self.of.legend.unit));
        Some(format!("{}, {}: from {begin} to {end}, {long} long", self.tracks[span.track], self.part(span.part)))
    }
}

static CARD: Card = Card {
    name: "Spans",
    tab: "Timeline",
    help: "a row of four elements is a span of time: its track, its part (one of `parts`), its beginning and its end. A row that ends where it begins is none. The picture is the tracks, one below the other",
    args: &[Arg::required("tracks", ArgKind::Texts, "the names of the tracks")],
    travels: false,
};

/// The meaning.
pub struct Fig;

fn spans<'a>(of: &Meant<'a>) -> Spans<'a> {
    Spans { of: of.contents, tracks: of.picture.texts("tracks") }
}

impl Meaning for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn row(&self, _: usize) -> usize {
        4
    }

    fn draw(&self, frame: &mut Frame, of: &Meant<'_>, hovered: Option<Tag>) -> Option<String> {
        Some(spans(of).draw(frame, hovered))
    }

    fn tip(&self, of: &Meant<'_>, i: usize) -> Option<String> {
        spans(of).told(i)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::fixtures::assert_tidy;
    use super::super::super::frame::Item;
    use super::super::super::shape::Shape;
    use super::*;
    use crate::base::tensor::{Elem, Tensor};
    use crate::lesson::Legend;

    #[test]
    fn spans_lie_on_their_tracks() {
        // A row that has no length is no span.
        let rows = [[0.0, 0.0, 0.0, 2.0], [1.0, 1.0, 2.0, 3.0], [0.0, 0.0, 0.0, 0.0_f32]];
        let tensor = Tensor::from_bits(Elem::F32, rows.iter().flatten().map(|value| value.to_bits()));
        let legend =
            Legend { parts: vec!["work".to_owned(), "send".to_owned()], unit: "s".to_owned(), ..Legend::default() };
        let contents = Contents {
            buffer: "spans",
            when: "after schedule",
            tensor: &tensor,
            count: 12,
            columns: Some(4),
            row: None,
            legend: &legend,
            shape: Shape::Meant,
            from: 0,
            line: crate::buffer::Line::default(),
            progress: 1.0,
        };
        let tracks = ["GPU".to_owned(), "link".to_owned()];
        let spans = Spans { of: &contents, tracks: &tracks };
        let mut frame = Frame::new([480.0, 220.0]);
        assert_eq!(spans.draw(&mut frame, None), "2 spans. GPU until 2.00 s, link until 3.00 s.");
        assert_eq!(spans.told(6).as_deref(), Some("link, send: from 2.00 s to 3.00 s, 1.00 s long"));
        assert_eq!(spans.told(9), None);
        frame.alt = "two tracks".to_owned();
        assert_tidy(&frame, "two tracks");
        let tagged = frame.items.iter().filter(|item| matches!(item, Item::Rect { tag: Some(_), .. })).count();
        assert_eq!(tagged, 2);
    }
}
