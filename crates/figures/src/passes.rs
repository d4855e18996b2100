//! A program as a strip: its passes in order, the buffers that go from one to another, and the time of each.

use super::frame::{Anchor, Frame, Item, Tag};
use super::palette::{Hue, Ink};
use super::text;
use crate::base::units::{count, si};

/// A pass of the strip.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its place among the program's passes.
    pub place: usize,
    /// Its name.
    pub title: String,
    /// The kernel that it launches, or what else it does.
    pub does: String,
    /// How often it ran; None before that is known.
    pub launches: Option<u64>,
    /// The median time of all its launches in a run, in seconds, where it was measured.
    pub time_s: Option<f64>,
    /// Bytes that all its launches asked for, where they were traced.
    pub bytes: Option<u64>,
}

/// A buffer that one pass writes and a later one reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The pass that writes it, by its place in the strip.
    pub from: usize,
    /// The pass that reads it.
    pub to: usize,
    /// Its name.
    pub buffer: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Passes that are repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounds {
    /// The first of them, by its place in the strip.
    pub first: usize,
    /// The last.
    pub last: usize,
    /// The repetition's name.
    pub title: String,
    /// How many rounds there were; None before that is known.
    pub rounds: Option<u64>,
}

/// A program's passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passes {
    /// The passes, in the order in which they first run.
    pub stages: Vec<Stage>,
    /// The buffers that flow from one pass to another.
    pub edges: Vec<Edge>,
    /// The repetitions, outer ones first.
    pub rounds: Vec<Rounds>,
}

/// Height of a box.
const BOX: f32 = 40.0;
/// The widest box.
const WIDE: f32 = 176.0;
/// The narrowest box is as wide as the longest name, within these bounds.
const NARROW: [f32; 2] = [40.0, 96.0];
/// Height of a line of words above the boxes.
const LINE: f32 = 18.0;
/// Depth of the lanes below the boxes, in which edges pass by others.
const LANE: f32 = 7.0;

impl Passes {
    /// Leaves out the passes that were not launched, and the repetitions that have no other passes. The pass at the place `shown` stays.
    #[must_use]
    pub fn launched(self, shown: Option<usize>) -> Self {
        let stays = |stage: &Stage| stage.launches != Some(0) || shown == Some(stage.place);
        // For each pass: its place in the new strip, or that of the next pass that stays; and whether it stays itself.
        let mut kept = 0;
        let places: Vec<(usize, bool)> = self
            .stages
            .iter()
            .map(|stage| {
                let at = (kept, stays(stage));
                kept += usize::from(at.1);
                at
            })
            .collect();
        let edges = self.edges.into_iter().filter(|edge| places[edge.from].1 && places[edge.to].1);
        let edges = edges.map(|edge| Edge { from: places[edge.from].0, to: places[edge.to].0, ..edge }).collect();
        let rounds = self.rounds.into_iter().filter_map(|rounds| {
            let (first, after) = (places[rounds.first].0, places[rounds.last].0 + usize::from(places[rounds.last].1));
            (first < after).then(|| Rounds { first, last: after - 1, ..rounds })
        });
        Self { edges, rounds: rounds.collect(), stages: self.stages.into_iter().filter(stays).collect() }
    }

    /// The pass at a place of the program, and its place in the strip.
    #[must_use]
    pub fn find(&self, place: usize) -> Option<(usize, &Stage)> {
        self.stages.iter().enumerate().find(|(_, stage)| stage.place == place)
    }

    /// The strip's height in points.
    #[must_use]
    pub fn height(&self) -> f32 {
        self.above() + BOX + if self.lanes() == 0 { 0.0 } else { LANE * self.lanes() as f32 + 4.0 }
    }

    /// The least width in points at which every name can be read.
    #[must_use]
    pub fn least(&self) -> f32 {
        let longest = self.stages.iter().map(|stage| text::width(&stage.title, 11.0, false)).fold(0.0, f32::max);
        let wide = (longest + 6.0).clamp(NARROW[0], NARROW[1]);
        (wide + 5.0) * self.stages.len() as f32
    }

    /// Height of the brackets above the boxes: a line for each repetition within others.
    fn above(&self) -> f32 {
        LINE * self.rounds.iter().map(|rounds| self.depth(rounds) + 1).max().unwrap_or(0) as f32
    }

    /// How many other repetitions a repetition is in.
    fn depth(&self, inner: &Rounds) -> usize {
        let holds = |outer: &&Rounds| *outer != inner && outer.first <= inner.first && outer.last >= inner.last;
        let before = |outer: &&Rounds| (outer.last - outer.first) > (inner.last - inner.first);
        // Of two over the same passes, the outer one comes first.
        let place = |of: &Rounds| self.rounds.iter().position(|rounds| rounds == of);
        self.rounds.iter().filter(holds).filter(|outer| before(outer) || place(outer) < place(inner)).count()
    }

    /// How many edges pass by other boxes side by side, three at most.
    fn lanes(&self) -> usize {
        self.edges.iter().filter(|edge| edge.to > edge.from + 1).map(|edge| edge.to).collect::<Vec<_>>().len().min(3)
    }

    /// The middle of the box of the pass at a place of the program, in a strip of this width.
    #[must_use]
    pub fn middle(&self, place: usize, width: f32) -> f32 {
        let [wide, gap] = self.boxes(width);
        let at = self.find(place).map_or(0, |(at, _)| at);
        at as f32 * (wide + gap) + wide / 2.0
    }

    /// The width of a box in a strip of this width, and of the gap after it.
    fn boxes(&self, width: f32) -> [f32; 2] {
        let n = self.stages.len().max(1) as f32;
        let share = if self.stages.len() > 10 { 0.13 } else { 0.2 };
        let gap = (width / n * share).clamp(5.0, 40.0);
        [((width - gap * (n - 1.0)) / n).min(WIDE), gap]
    }

    /// The strip, `width` points wide, with the pass at the place `shown` of the program on the stage. Brackets have their names within
    /// the part that is `seen`, from left to right.
    #[must_use]
    pub fn frame(&self, width: f32, seen: [f32; 2], shown: Option<usize>, hovered: Option<Tag>) -> Frame {
        let mut frame = Frame::new([width, self.height()]);
        let [wide, gap] = self.boxes(width);
        let (pad, size) = if wide < 48.0 { (2.5, 11.0) } else { (if wide < 64.0 { 4.0 } else { 8.0 }, 12.0) };
        // A figure that is cut reads as another one, and a box without its figure as one that costs nothing.
        let room = wide - 2.0 * pad;
        let small = if wide < 64.0 { 11.0 } else { size };
        let costs: Vec<String> = self.stages.iter().map(Stage::cost).collect();
        let mut with_cost = self.stages.iter().zip(&costs);
        let figures_fit =
            with_cost.all(|(stage, cost)| !stage.is_measured() || text::width(cost, small, false) <= room);
        let top = self.above();
        let left = |at: usize| at as f32 * (wide + gap);
        let most = self.edges.iter().map(|edge| edge.bytes).max().unwrap_or(1).max(1) as f32;
        let mut lane = 0;
        for (number, edge) in self.edges.iter().enumerate() {
            // An edge of a millionth of the bytes is still seen.
            let thick = (1.0 + 5.0 * (1.0 + (edge.bytes.max(1) as f32 / most).log2() / 20.0)).clamp(1.0, 6.0);
            let tag = Some(Tag::Edge(number));
            let ink = if hovered == tag { Ink::Load } else { Ink::Tint(Hue::Load, 55) };
            let (from, to) = (left(edge.from) + wide, left(edge.to));
            if edge.to == edge.from + 1 {
                // Side by side where several buffers go the same way.
                let alike = self.edges.iter().filter(|other| (other.from, other.to) == (edge.from, edge.to));
                let before = self.edges[..number].iter().filter(|other| (other.from, other.to) == (edge.from, edge.to));
                let step = BOX / (alike.count() as f32 + 1.0);
                let y = top + step * (before.count() as f32 + 1.0);
                frame.line([from, y], [to, y], thick.min(step - 2.0), ink, tag);
            } else if edge.to > edge.from {
                let y = top + BOX + 4.0 + LANE * (lane % 3) as f32;
                lane += 1;
                let points = vec![[from - 12.0, top + BOX], [from - 12.0, y], [to + 12.0, y], [to + 12.0, top + BOX]];
                frame.items.push(Item::Polyline { points, width: thick.min(LANE - 2.0), ink, tag });
            }
        }
        for (at, stage) in self.stages.iter().enumerate() {
            let rect = [left(at), top, wide, BOX];
            let tag = Some(Tag::Pass(at));
            let (fill, stroke) = match (shown == Some(stage.place), hovered == tag) {
                (true, _) => (Ink::Tint(Hue::Accent, 24), Ink::Accent),
                (false, true) => (Ink::Raised, Ink::Muted),
                (false, false) => (Ink::Raised, Ink::Faint),
            };
            frame.outline(rect, 6.0, Some(fill), stroke, tag);
            let words = |y: f32, size: f32, ink: Ink, words: &str, frame: &mut Frame| {
                frame.fitted([rect[0] + pad, rect[1] + y], size, Anchor::Start, ink, room, words);
                frame.tag_last(Tag::Pass(at));
            };
            let has_cost = figures_fit || !stage.is_measured();
            words(if has_cost { 12.0 } else { BOX / 2.0 }, size, Ink::Text, &stage.title, &mut frame);
            if has_cost {
                words(29.0, small, Ink::Muted, &costs[at], &mut frame);
            }
        }
        for rounds in &self.rounds {
            let (from, to) = (left(rounds.first), left(rounds.last) + wide);
            let above = LINE * self.depth(rounds) as f32;
            let y = above + LINE - 4.0;
            let points = vec![[from + 1.0, top], [from + 1.0, y], [to - 1.0, y], [to - 1.0, top]];
            frame.items.push(Item::Polyline { points, width: 1.0, ink: Ink::Muted, tag: None });
            let words = match rounds.rounds {
                Some(1) => format!("{}, 1 round", rounds.title),
                Some(n) => format!("{}, {} rounds", rounds.title, count(n)),
                None => rounds.title.clone(),
            };
            let words = text::fit(&words, 12.0, false, to - from - 24.0);
            let half = text::width(&words, 12.0, false) / 2.0 + 6.0;
            let [from, to] = [from.max(seen[0]), to.min(seen[1])];
            // Half a name would name something else.
            if to - from >= 2.0 * half {
                let middle = (from + to) / 2.0;
                frame.fill([middle - half, above, 2.0 * half, LINE - 1.0], 0.0, Ink::Panel, None);
                frame.text([middle, above + 8.0], 12.0, Anchor::Middle, Ink::Muted, words);
            }
        }
        let stages = self.stages.iter().zip(&costs);
        let said: Vec<String> = stages.map(|(stage, cost)| format!("{}: {cost}", stage.title)).collect();
        frame.alt = format!("The program's passes. {}.", said.join("; "));
        frame
    }

    /// The tip for the item under the pointer.
    #[must_use]
    pub fn told(&self, tag: Tag) -> Option<String> {
        match tag {
            Tag::Pass(at) => {
                let stage = self.stages.get(at)?;
                let launches = match stage.launches {
                    None => String::new(),
                    Some(0) => ", not launched".to_owned(),
                    Some(1) => ", launched once".to_owned(),
                    Some(n) => format!(", launched {} times", count(n)),
                };
                let mut told = format!("{}: {}{launches}", stage.title, stage.does);
                if let Some(time_s) = stage.time_s {
                    let all = self.stages.iter().filter_map(|stage| stage.time_s).sum::<f64>();
                    told.push_str(&format!("\n{}, {:.0}% of all passes", si(time_s, "s"), 100.0 * time_s / all));
                }
                if let Some(bytes) = stage.bytes {
                    told.push_str(&format!("\nlanes ask for {}", si(bytes as f64, "B")));
                }
                Some(told)
            }
            Tag::Edge(number) => {
                let Edge { from, to, buffer, bytes } = self.edges.get(number)?;
                let [from, to] = [from, to].map(|at| self.stages.get(*at).map_or("?", |stage| stage.title.as_str()));
                Some(format!("`{buffer}`, {}: written by {from}, read by {to}", si(*bytes as f64, "B")))
            }
            _ => None,
        }
    }
}

impl Stage {
    /// Whether it has a figure to show.
    fn is_measured(&self) -> bool {
        self.time_s.is_some() || self.bytes.is_some() || self.launches == Some(0)
    }

    /// Its time; where there is none, what it asks memory for.
    fn cost(&self) -> String {
        match (self.time_s, self.bytes) {
            _ if self.launches == Some(0) => "not launched".to_owned(),
            (Some(time_s), _) => si(time_s, "s"),
            (None, Some(bytes)) => si(bytes as f64, "B"),
            (None, None) => self.does.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes() -> Passes {
        let stage = |place, title: &str, time_s| Stage {
            place,
            title: title.to_owned(),
            does: "kernel".to_owned(),
            launches: Some(1),
            time_s,
            bytes: Some(64),
        };
        let edge = |from, to, bytes| Edge { from, to, buffer: "b".to_owned(), bytes };
        Passes {
            stages: vec![stage(0, "a", Some(1e-6)), stage(1, "b", Some(3e-6)), stage(2, "c", None)],
            edges: vec![edge(0, 1, 1 << 20), edge(0, 2, 4), edge(1, 2, 1 << 10)],
            rounds: vec![Rounds { first: 1, last: 2, title: "again".to_owned(), rounds: Some(10) }],
        }
    }

    #[test]
    fn edges_are_as_wide_as_their_bytes_and_everything_has_its_name() {
        let passes = passes();
        let frame = passes.frame(600.0, [0.0, 600.0], Some(1), None);
        let width = |of: usize| {
            frame.items.iter().find_map(|item| match item {
                Item::Line { width, tag, .. } | Item::Polyline { width, tag, .. } if *tag == Some(Tag::Edge(of)) => {
                    Some(*width)
                }
                _ => None,
            })
        };
        assert!(width(0) > width(2) && width(2) > width(1), "{:?}", [width(0), width(1), width(2)]);
        for item in &frame.items {
            let [x, y, w, h] = item.bounds();
            assert!(x >= -1.0 && y >= -1.0 && x + w <= frame.width + 1.0 && y + h <= frame.height + 1.0, "{item:?}");
        }
        let told = passes.told(Tag::Pass(1)).unwrap_or_default();
        assert_eq!(told, "b: kernel, launched once\n3.00 µs, 75% of all passes\nlanes ask for 64.0 B");
        assert_eq!(passes.told(Tag::Edge(0)).unwrap_or_default(), "`b`, 1.05 MB: written by a, read by b");
    }

    #[test]
    fn passes_that_were_not_launched_are_left_out() {
        let idle = |at: usize| {
            let mut passes = passes();
            passes.stages[at].launches = Some(0);
            passes
        };
        let without = idle(1).launched(Some(2));
        assert_eq!(without.stages.iter().map(|stage| stage.place).collect::<Vec<_>>(), [0, 2]);
        assert_eq!(without.edges.iter().map(|edge| (edge.from, edge.to)).collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(without.rounds.iter().map(|rounds| (rounds.first, rounds.last)).collect::<Vec<_>>(), [(1, 1)]);
        assert_eq!(idle(2).launched(Some(0)).rounds[0].last, 1);
        let mut none = idle(1);
        none.stages[2].launches = Some(0);
        assert_eq!(none.clone().launched(Some(0)).rounds, []);
        assert_eq!(none.clone().launched(Some(1)).rounds.len(), 1, "the pass on the stage stays");
        assert_eq!(passes().launched(None), passes());
    }
}
