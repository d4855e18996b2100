//! Ways to do the same work, one below the other: how many groups each takes, and of how many parts a group is, drawn one by one.

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{Board, Key, Room};
use super::palette::{Hue, Ink};
use super::results::Missing;
use super::text;
use crate::base::units::{count, counted};

/// Height of the words above a row of groups, and the space below it.
const HEAD: f32 = 26.0;
const GAP: f32 = 14.0;
/// The greatest and the least side of a part.
const SIDES: [f32; 2] = [36.0, 3.0];
/// Parts of a group beside each other at most; further ones are below them.
const ACROSS: usize = 16;
/// Groups of a way, and parts of a group, that are drawn at most.
const MOST: [usize; 2] = [256, 128];

static CARD: Card = Card {
    name: "Beside",
    tab: "Beside",
    help: "Ways to do the same work: groups, and parts of each, one by one",
    about: "ways to do the same work, side by side",
    clock: Clock::Still,
    fits: |_| true,
    needs: "give names, groups and parts",
    args: &[
        Arg::required("names", ArgKind::Texts, "the ways"),
        Arg::required("groups", ArgKind::Amounts, "how many groups each way takes: \"{{= vectors.load_requests}}\""),
        Arg::required("parts", ArgKind::Amounts, "how many parts a group of each way has"),
        Arg::required("group", ArgKind::Text, "the name of a group: \"load request\""),
        Arg::required("part", ArgKind::Text, "the name of a part: \"sector\""),
        Arg::optional("notes", ArgKind::Texts, "words after each way's numbers"),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Ok(drawn(view, &ways(view)?))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Spot(i) = tag else { return None };
        let way = ways(view).ok()?.into_iter().nth(i)?;
        Some(format!("{}\n{}", way.name, way.said))
    }
}

/// One way.
struct Way {
    name: String,
    groups: usize,
    parts: usize,
    /// Its numbers in words.
    said: String,
}

fn ways(view: &View<'_>) -> Result<Vec<Way>, Missing> {
    let (groups, parts) = (view.filled("groups"), view.filled("parts"));
    let (names, notes) = (view.texts("names"), view.texts("notes"));
    let (group, part) = (view.words("group"), view.words("part"));
    let whole =
        |value: Option<f64>| value.filter(|value| (0.0..1e9).contains(value)).map(|value| value.round() as usize);
    let mut ways = Vec::new();
    for (i, (groups, parts)) in groups?.iter().zip(parts?.iter()).enumerate() {
        let numbers = whole(groups.value).zip(whole(parts.value));
        let (groups, parts) = numbers.ok_or("The numbers of a way are not known.")?;
        let note = notes.get(i).filter(|note| !note.is_empty()).map(|note| format!("; {note}")).unwrap_or_default();
        let all = counted((groups * parts) as u64, &part);
        let said = match (groups, parts) {
            (_, 1) => format!("{}{note}", counted(groups as u64, &group)),
            (1, _) => format!("1 {group} of {all}{note}"),
            _ => format!("{} of {} each: {all}{note}", counted(groups as u64, &group), counted(parts as u64, &part)),
        };
        ways.push(Way { name: names.get(i).cloned().unwrap_or_default(), groups, parts, said });
    }
    Ok(ways)
}

impl Way {
    fn shown(&self) -> [usize; 2] {
        [self.groups.min(MOST[0]), self.parts.min(MOST[1])]
    }

    /// Width and height of a group whose parts have this side.
    fn group(&self, side: f32) -> [f32; 2] {
        let [_, parts] = self.shown();
        let across = parts.clamp(1, ACROSS);
        [across as f32 * side + 6.0, parts.div_ceil(across).max(1) as f32 * side + 6.0]
    }

    /// Groups in a line of this width, and lines.
    fn lines(&self, side: f32, wide: f32) -> [usize; 2] {
        let across = ((wide / (self.group(side)[0] + 4.0)) as usize).max(1);
        [across, self.shown()[0].div_ceil(across).max(1)]
    }

    fn high(&self, side: f32, wide: f32) -> f32 {
        HEAD + self.lines(side, wide)[1] as f32 * (self.group(side)[1] + 4.0) + GAP
    }

    fn draw(&self, frame: &mut Frame, (room, y): (Room, f32), side: f32, tag: Tag) {
        let name = text::fit(&self.name, 14.0, false, room.wide());
        let after = text::width(&name, 14.0, false) + 14.0;
        frame.text([room.left, y + HEAD / 2.0], 14.0, Anchor::Start, Ink::Text, name);
        let left = [room.left + after, y + HEAD / 2.0];
        frame.fitted(left, 13.0, Anchor::Start, Ink::Muted, room.wide() - after, &self.said);
        let ([across, _], [wide, high]) = (self.lines(side, room.wide()), self.group(side));
        let [groups, parts] = self.shown();
        for group in 0..groups {
            let at =
                [room.left + (group % across) as f32 * (wide + 4.0), y + HEAD + (group / across) as f32 * (high + 4.0)];
            if at[1] + high > room.bottom {
                return;
            }
            frame.outline([at[0], at[1], wide, high], 3.0, None, Ink::Muted, Some(tag));
            for part in 0..parts {
                let cell = [part % ACROSS, part / ACROSS].map(|of| of as f32 * side + 3.0);
                let inner = (side - 2.0).max(1.0);
                let rect = [at[0] + cell[0] + 0.5, at[1] + cell[1] + 0.5, inner, inner];
                frame.fill(rect, 1.0, Hue::Load.ink(), Some(tag));
            }
        }
    }
}

fn drawn(view: &View<'_>, ways: &[Way]) -> Frame {
    let mut board = Board::new(view.size);
    let short = ways.iter().any(|way| way.shown() != [way.groups, way.parts]);
    if short {
        board.footer(&format!("At most {} of each are drawn.", count(MOST[0] as u64)));
    }
    let (group, part) = (view.words("group"), view.words("part"));
    let framed = Key::new(Ink::Panel, &group).edge(Ink::Muted);
    if ways.iter().any(|way| way.parts > 1) {
        board.legend(&[framed, Key::new(Hue::Load.ink(), &part)]);
    }
    let room = board.room();
    let all = |side: f32| ways.iter().map(|way| way.high(side, room.wide())).sum::<f32>();
    let mut side = SIDES[0];
    let widest = |side: f32| ways.iter().map(|way| way.group(side)[0]).fold(0.0, f32::max);
    while side > SIDES[1] && (all(side) > room.high() || widest(side) > room.wide()) {
        side -= 1.0;
    }
    let mut y = room.top;
    for (i, way) in ways.iter().enumerate() {
        if y + HEAD > room.bottom {
            break;
        }
        way.draw(&mut board.frame, (room, y), side, Tag::Spot(i));
        y += way.high(side, room.wide());
    }
    let said: Vec<String> = ways.iter().map(|way| format!("{}: {}", way.name, way.said)).collect();
    board.finish(format!("{}.", said.join(". ")))
}

#[cfg(test)]
mod tests {
    use super::super::answers::Filled;
    use super::super::ask;
    use super::super::fixtures::{assert_tidy, drawn, picture_of};
    use super::super::frame::Item;
    use super::*;
    use crate::Results;
    use crate::lesson::ArgValue;

    fn filled(values: &[f64]) -> Vec<Filled> {
        values.iter().map(|value| Filled { text: String::new(), value: Some(*value), from: Vec::new() }).collect()
    }

    #[test]
    fn every_group_and_part_is_drawn() {
        let texts = |texts: &[&str]| ArgValue::Texts(texts.iter().map(|text| (*text).to_owned()).collect());
        let text = |text: &str| ArgValue::Text(text.to_owned());
        let picture = picture_of(
            "Beside",
            &[
                ("names", texts(&["4 bytes a lane", "16 bytes a lane"])),
                ("group", text("load request")),
                ("part", text("sector")),
            ],
        );
        let results = Results::default()
            .with(ask::Filled("groups".into()), filled(&[4.0, 1.0]))
            .with(ask::Filled("parts".into()), filled(&[4.0, 16.0]));
        for size in [[320.0, 200.0], [650.0, 300.0], [1400.0, 700.0]] {
            let frame = drawn(&Fig, &View::still(&results, &picture, size), &mut Kept::default());
            assert_tidy(&frame, &format!("{size:?}"));
            let of = |spot: usize, is_part: bool| {
                let is = |item: &&Item| match item {
                    Item::Rect { fill, tag: Some(Tag::Spot(of)), .. } => *of == spot && fill.is_some() == is_part,
                    _ => false,
                };
                frame.items.iter().filter(is).count()
            };
            assert_eq!([of(0, false), of(0, true), of(1, false), of(1, true)], [4, 16, 1, 16]);
            assert!(frame.alt.contains("4 load requests of 4 sectors each: 16 sectors"), "{}", frame.alt);
            assert!(frame.alt.contains("1 load request of 16 sectors"), "{}", frame.alt);
        }
    }
}
