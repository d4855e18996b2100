//! Amounts beside each other, as bars on one scale: from the lesson's arithmetic and from traces, or quoted from recordings and profiles.

use super::answers::Filled;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, MARGIN, Rows};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::text;

/// The least and the greatest distance between two bars.
const PITCH: [f32; 2] = [22.0, 64.0];
/// Size of the numbers.
const SIZE: f32 = 13.0;
/// How strongly the bar of an amount from elsewhere is tinted within its edge, in percent.
const QUOTED: u8 = 35;
/// Height of the limit's name above the bars.
const LIMIT: f32 = 20.0;

static CARD: Card = Card {
    name: "Amounts",
    tab: "Amounts",
    help: "Amounts that the page speaks of, as bars on one scale",
    about: "amounts on one scale",
    clock: Clock::Still,
    fits: |_| true,
    needs: "give names and amounts",
    args: &[
        Arg::required("names", ArgKind::Texts, "the bars' names"),
        Arg::required("of", ArgKind::Amounts, "the amounts, one for each name, as in a text: \"{{= 4 * n : B}}\""),
        Arg::optional("groups", ArgKind::Texts, "a heading for each bar; neighbours with the same heading share it"),
        Arg::optional("apart", ArgKind::UpTo(1), "1: the bars below each heading have a scale of their own"),
        Arg::optional("notes", ArgKind::Texts, "words after each number"),
        Arg::optional("lit", ArgKind::UpTo(64), "the bar that the page is about, counted from 1"),
        Arg::optional("limit", ArgKind::Amounts, "an amount that is a line through all bars"),
        Arg::optional("line", ArgKind::Text, "the line's name"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        let (amounts, limit) = (view.filled("of"), view.filled("limit"));
        Ok(Bars::new(view, amounts?, limit?).draw(view.size))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Spot(i) = tag else { return None };
        let amount = view.filled("of").ok()?.get(i)?.clone();
        Some(std::iter::once(amount.text).chain(amount.from).collect::<Vec<_>>().join("\n"))
    }
}

/// A line of the picture.
enum Line {
    /// The heading of the bars below it.
    Heading(String),
    /// A bar, by its place.
    Bar(usize),
}

struct Bars<'a> {
    names: Vec<String>,
    amounts: &'a [Filled],
    lines: Vec<Line>,
    /// The heading of each bar, by its place among the headings, where these have scales of their own; else 0.
    scale_of: Vec<usize>,
    notes: Vec<String>,
    lit: Option<usize>,
    limit: Option<(&'a Filled, f64)>,
    /// The limit's name.
    line: String,
}

impl<'a> Bars<'a> {
    fn new(view: &View<'_>, amounts: &'a [Filled], limit: &'a [Filled]) -> Self {
        let groups = view.texts("groups");
        let apart = view.picture.number("apart") == Some(1.0);
        let (mut lines, mut scale_of, mut headings) = (Vec::new(), Vec::new(), 0);
        for i in 0..amounts.len() {
            let heading = |i: usize| groups.get(i).filter(|heading| !heading.is_empty());
            if let Some(new) = heading(i).filter(|new| i == 0 || heading(i - 1) != Some(new)) {
                lines.push(Line::Heading(new.clone()));
                headings += 1;
            }
            lines.push(Line::Bar(i));
            scale_of.push(if apart { headings } else { 0 });
        }
        Self {
            names: view.texts("names"),
            amounts,
            lines,
            scale_of,
            notes: view.texts("notes"),
            lit: view.picture.number("lit").map(|lit| lit as usize),
            limit: limit.first().and_then(|limit| Some((limit, limit.value?))),
            line: view.words("line"),
        }
    }

    /// A bar's number with its note.
    fn said(&self, i: usize) -> String {
        match self.notes.get(i).filter(|note| !note.is_empty()) {
            Some(note) => format!("{} ({note})", self.amounts[i].text),
            None => self.amounts[i].text.clone(),
        }
    }

    /// Whether an amount is from a recording, a profile or a data sheet.
    fn is_quoted(&self, i: usize) -> bool {
        !self.amounts[i].from.is_empty()
    }

    fn name(&self, i: usize) -> &str {
        self.names.get(i).map_or("", String::as_str)
    }

    fn draw(&self, size: [f32; 2]) -> Frame {
        let mut board = Board::new(size);
        if let Some(from) = self.sources() {
            board.footer(&from);
        }
        let quoted = (0..self.amounts.len()).filter(|i| self.is_quoted(*i)).count();
        if (1..self.amounts.len()).contains(&quoted) {
            let other = Key::new(Ink::Load, "counted or calculated");
            board.legend(&[other, Key::new(Hue::Load.tint(QUOTED), "recorded or published").edge(Ink::Load)]);
        }
        let room = board.room().within([if self.limit.is_some() { LIMIT } else { 0.0 }, 0.0]);
        let mut rows = Rows::new(room, self.lines.len(), PITCH);
        rows.names(&mut board.frame, "line", |row| match &self.lines[row] {
            Line::Bar(i) => self.name(*i).to_owned(),
            Line::Heading(_) => String::new(),
        });
        let wide = rows.right - rows.left;
        let said: Vec<String> = (0..self.amounts.len()).map(|i| self.said(i)).collect();
        let numbers = said.iter().map(|said| text::width(said, SIZE, false) + 12.0).fold(0.0, f32::max).min(wide * 0.6);
        let long = |value: f64, scale: usize| (value.max(0.0) / self.most(scale)) as f32 * (wide - numbers).max(20.0);
        let places = (0..rows.shown).map(|row| (row, &self.lines[row]));
        let bar = |i: usize| {
            let value = self.amounts[i].value.filter(|value| value.is_finite());
            value.map_or(0.0, |value| long(value, self.scale_of[i]))
        };
        for (row, line) in places.clone() {
            let [left, top, _, high] = rows.rect(row);
            match line {
                Line::Heading(words) => {
                    let at = [MARGIN, top + high * 0.6];
                    board.frame.fitted(at, SIZE, Anchor::Start, Ink::Muted, size[0] - 2.0 * MARGIN, words);
                }
                Line::Bar(i) if bar(*i) > 0.0 => {
                    let (rect, tag) = ([left, top, bar(*i).max(2.0), high], Some(Tag::Spot(*i)));
                    let hue = if self.lit == Some(i + 1) { Hue::Accent } else { Hue::Load };
                    match self.is_quoted(*i) {
                        true => board.frame.outline(rect, 2.0, Some(hue.tint(QUOTED)), hue.ink(), tag),
                        false => board.frame.fill(rect, 2.0, hue.ink(), tag),
                    }
                }
                Line::Bar(_) => {}
            }
        }
        if let Some((limit, value)) = self.limit {
            let name = format!("{}: {}", self.line, limit.text);
            rows.limit(&mut board.frame, rows.left + long(value, 0), &name);
        }
        for (row, line) in places {
            let Line::Bar(i) = line else { continue };
            let at = [rows.left + bar(*i) + 8.0, rows.middle(row)];
            let words = text::fit(&said[*i], SIZE, false, (rows.right - at[0]).max(1.0));
            let behind = [at[0] - 3.0, at[1] - 9.0, text::width(&words, SIZE, false) + 6.0, 18.0];
            board.frame.fill(behind, 0.0, Ink::Panel, None);
            board.frame.text(at, SIZE, Anchor::Start, Ink::Text, words);
        }
        board.finish(self.alt())
    }

    /// The greatest amount on a scale.
    fn most(&self, scale: usize) -> f64 {
        let of = self.amounts.iter().zip(&self.scale_of).filter(|(_, of)| **of == scale);
        let values = of.filter_map(|(amount, _)| amount.value).chain(self.limit.map(|(_, limit)| limit));
        values.filter(|value| value.is_finite()).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// The recordings and profiles that amounts are from; None if they are from none.
    fn sources(&self) -> Option<String> {
        let mut from: Vec<&str> = Vec::new();
        let amounts = self.amounts.iter().chain(self.limit.map(|(limit, _)| limit));
        for source in amounts.filter_map(|amount| amount.from.first()) {
            if !from.contains(&source.as_str()) {
                from.push(source);
            }
        }
        (!from.is_empty()).then(|| from.join("; "))
    }

    fn alt(&self) -> String {
        let mut all: Vec<String> = Vec::new();
        for line in &self.lines {
            match line {
                Line::Heading(words) => all.push(words.clone()),
                Line::Bar(i) => all.push(format!("{}: {}", self.name(*i), self.said(*i))),
            }
        }
        all.extend(self.limit.map(|(limit, _)| format!("{}: {}", self.line, limit.text)));
        format!("{}.", all.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask;
    use super::super::fixtures::{assert_tidy, drawn, picture_of};
    use super::super::frame::Item;
    use super::*;
    use crate::Results;
    use crate::lesson::ArgValue;

    fn amount(value: f64, from: &[&str]) -> Filled {
        let text = crate::base::units::figure(value, "B");
        Filled { text, value: Some(value), from: from.iter().map(|from| (*from).to_owned()).collect() }
    }

    #[test]
    fn bars_are_to_scale_with_their_limit_and_sources() {
        let texts = |texts: &[&str]| ArgValue::Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let args = [
            ("names", texts(&["a", "a longer name", "c"])),
            ("groups", texts(&["one", "one", "another"])),
            ("notes", texts(&["", "twice as many"])),
            ("lit", ArgValue::Number(2.0)),
            ("line", ArgValue::Text("the least".into())),
        ];
        let picture = picture_of("Amounts", &args);
        let missing = Filled { text: "(not recorded)".into(), value: None, from: Vec::new() };
        let of = vec![amount(1000.0, &[]), amount(2000.0, &["recorded on a device"]), missing];
        let results = Results::default()
            .with(ask::Filled("of".into()), of)
            .with(ask::Filled("limit".into()), vec![amount(1500.0, &[])]);
        for size in [[320.0, 200.0], [650.0, 300.0], [1400.0, 700.0]] {
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            let wide = |spot: usize| {
                frame.items.iter().find_map(|item| match item {
                    Item::Rect { rect, tag: Some(Tag::Spot(of)), .. } if *of == spot => Some(rect[2]),
                    _ => None,
                })
            };
            let ratio = wide(1).zip(wide(0)).map(|(b, a)| b / a);
            assert!(ratio.is_some_and(|ratio| (ratio - 2.0).abs() < 0.05), "{ratio:?}");
            assert_eq!(wide(2), None);
            let said = "one; a: 1.00 kB; a longer name: 2.00 kB (twice as many); another; c: (not recorded); the least: 1.50 kB.";
            assert_eq!(frame.alt, said);
        }
    }
}
