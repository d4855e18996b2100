//! Heads of queries, and the head of keys and values that each reads: how many bytes are read of each of these, beside a formula's.

use super::figure::loading;
use super::results::Missing;
use std::collections::{BTreeSet, HashSet};

use super::bars;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Tag};
use super::kit::{self, Board, MARGIN};
use super::palette::Ink;
use crate::base::units::{count, counted, number, si};
use crate::trace::{Course, Rows};

/// Heads that are drawn at most, of either kind, and that are counted at most.
const MOST: usize = 32;
const COUNTED: u64 = 4096;
/// Height of the names above the boxes; a box with its gap at least and at most.
const HEAD: f32 = 22.0;
const PITCH: [f32; 2] = [18.0, 56.0];
/// Room right of the bars for their numbers.
const NUMBERS: f32 = 84.0;

/// The arguments that name what is read.
const CACHES: [&str; 2] = ["k", "v"];

static CARD: Card = Card {
    name: "Heads",
    tab: "Heads",
    help: "The head of keys and values that each head of queries reads, and the bytes that are read of it",
    about: "which heads of keys and values are read, and how many bytes of each",
    clock: Clock::Phases,
    fits: |facts| facts.traced && facts.buffers,
    needs: "show a kernel that can be traced and loads queries and keys",
    args: &[
        Arg::required("q", ArgKind::Buffer, "the queries, a row each, head by head"),
        Arg::required("k", ArgKind::Buffer, "the keys, a row each, head by head"),
        Arg::optional("v", ArgKind::Buffer, "the values, as the keys"),
        Arg::required("rows", ArgKind::Count(u32::MAX), "queries of a head"),
        Arg::required("keys", ArgKind::Count(u32::MAX), "keys of a head"),
        Arg::optional("formula", ArgKind::Number, "bytes that a formula has for each head of keys and values"),
        Arg::optional(
            "at",
            ArgKind::Share,
            "the share of the phases at which the picture begins; the last if left out",
        ),
    ],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn ticks(&self, view: &View<'_>) -> Vec<u32> {
        let Ok(course) = view.course(&[]) else { return Vec::new() };
        let ticks = loading(course, &CACHES.map(|name| view.picture.text(name)));
        ticks.into_iter().map(|at| course.phases[at].workgroup).collect()
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Reads::of(view, tick(view)).map(|reads| reads.draw(view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let reads = Reads::of(view, tick(view)).ok()?;
        let Tag::Spot(head) = tag else { return None };
        let head = reads.heads.get(head)?;
        let readers: Vec<String> = head.readers.iter().map(ToString::to_string).collect();
        let readers = if readers.is_empty() { "none yet".to_owned() } else { readers.join(", ") };
        Some(format!("{} bytes are read so far\nby heads of queries: {readers}", count(head.bytes)))
    }
}

/// The tick on the stage.
fn tick(view: &View<'_>) -> usize {
    view.position.max(0.0) as usize
}

/// A head of keys and values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Head {
    bytes: u64,
    /// The heads of queries that read it, in the order in which they began.
    readers: Vec<usize>,
    /// The workgroups that read it.
    workgroups: BTreeSet<u32>,
    /// Whether the phase on the stage reads it.
    is_now: bool,
}

/// The bytes that each head has read.
struct Reads {
    queries: usize,
    heads: Vec<Head>,
    /// The most bytes of a head in the whole launch.
    most: u64,
    formula: Option<f64>,
    truncated: bool,
}

impl Reads {
    /// The bytes that each head has read when phase `last` ends.
    fn of(view: &View<'_>, last: usize) -> Result<Self, Missing> {
        let (course, picture) = (view.course(&[])?, view.picture);
        let number = |name: &str| view.number(name).filter(|n| *n >= 1.0).map(|n| n as u64);
        let (rows, keys) = number("rows").zip(number("keys")).ok_or("The heads have no rows.")?;
        let find = |name: &str| Some(picture.text(name)).filter(|n| !n.is_empty()).and_then(|n| course.find(n));
        let (q, k) = find("q").zip(find("k")).ok_or("The launch has no such buffers.")?;
        let caches: Vec<u16> = [Some(k), find("v")].into_iter().flatten().collect();
        let queries_of = queries(course, q, rows).ok_or(TOO_MANY)?;
        let heads_of = |run: &Rows| run.rows[0] / keys..(run.rows[1] - 1) / keys + 1;
        let runs = |at: usize| course.phases[at].loads.iter().filter(|run| caches.contains(&run.buffer));
        let all = (0..course.phases.len()).flat_map(runs).map(|run| heads_of(run).end).max().unwrap_or(0);
        if all > COUNTED {
            return Err(TOO_MANY.into());
        }
        let mut heads = vec![Head::default(); usize::try_from(all).unwrap_or(0)];
        let mut whole = vec![0_u64; heads.len()];
        let ticks = loading(course, &CACHES.map(|name| picture.text(name)));
        for (tick, at) in ticks.into_iter().enumerate() {
            for run in runs(at) {
                for head in heads_of(run) {
                    // A run that goes over the end of a head has as many bytes in each as it has rows there.
                    let inside = run.rows[1].min((head + 1) * keys) - run.rows[0].max(head * keys);
                    let bytes = run.bytes * inside / (run.rows[1] - run.rows[0]);
                    whole[head as usize] += bytes;
                    if tick > last {
                        continue;
                    }
                    let known = &mut heads[head as usize];
                    known.bytes += bytes;
                    known.is_now |= tick == last;
                    known.workgroups.insert(course.phases[at].workgroup);
                    for (_, query) in queries_of.iter().filter(|(of, _)| *of == course.phases[at].workgroup) {
                        if !known.readers.contains(query) {
                            known.readers.push(*query);
                        }
                    }
                }
            }
        }
        let queries = queries_of.iter().map(|(_, query)| query + 1).max().unwrap_or(0);
        let formula = view.number("formula");
        Ok(Self { queries, heads, most: whole.into_iter().max().unwrap_or(0), formula, truncated: course.truncated })
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        let title = format!(
            "{} query heads share {} heads of keys and values",
            count(self.queries as u64),
            count(self.heads.len() as u64)
        );
        board.title(view.titled, &title);
        let said = self.said();
        board.footer(&said);
        let (width, room) = (view.size[0], board.room().within([HEAD, 0.0]));
        let wide = (width * 0.14).clamp(64.0, 132.0);
        let (left, middle) = (MARGIN, (MARGIN + wide + width * 0.16).min(width * 0.45));
        let queries = kit::Rows::boxes(room, [left, wide], [self.queries, MOST], PITCH);
        let heads = kit::Rows::boxes(room, [middle, wide], [self.heads.len(), MOST], PITCH);
        let bar = heads.right + 24.0;
        for (x, words, end) in
            [(left, "queries", middle), (middle, "cache", bar), (bar, "bytes read, traced", room.right)]
        {
            board.frame.fitted([x, room.top - 14.0], 13.0, Anchor::Start, Ink::Muted, end - x - 8.0, words);
        }
        self.lines(&mut board.frame, &queries, &heads);
        for query in 0..queries.shown {
            let of = self.heads.iter().position(|head| head.readers.contains(&query));
            let ink = of.map(|head| [bars::ink(head), bars::on(head)]);
            queries.named(&mut board.frame, query, ink, &format!("query head {query}"), None);
        }
        queries.more(&mut board.frame, "head");
        for (at, head) in self.heads.iter().enumerate().take(heads.shown) {
            let ink = (head.bytes > 0).then(|| [bars::ink(at), bars::on(at)]);
            heads.named(&mut board.frame, at, ink, &format!("K, V {at}"), Some(Tag::Spot(at)));
        }
        heads.more(&mut board.frame, "head");
        self.bars(&mut board.frame, &heads, [bar, room.right - NUMBERS]);
        let total: u64 = self.heads.iter().map(|head| head.bytes).sum();
        let each = |(at, head): (usize, &Head)| {
            let readers: Vec<String> = head.readers.iter().map(ToString::to_string).collect();
            format!("{at}: {}, by {}", si(head.bytes as f64, "B"), readers.join(" "))
        };
        let each: Vec<String> = self.heads.iter().enumerate().map(each).collect();
        board.finish(format!("{title}, {} so far. {}. {said}", si(total as f64, "B"), each.join("; ")))
    }

    /// Lines from heads of queries to the heads that they read.
    fn lines(&self, frame: &mut Frame, queries: &kit::Rows, heads: &kit::Rows) {
        for (at, head) in self.heads.iter().enumerate().take(heads.shown) {
            for query in head.readers.iter().filter(|query| **query < queries.shown) {
                let (from, to) = ([queries.right, queries.middle(*query)], [heads.left, heads.middle(at)]);
                frame.line(from, to, if head.is_now { 2.5 } else { 1.5 }, bars::ink(at), Some(Tag::Spot(at)));
            }
        }
    }

    /// The bytes of each head as a bar and a number, and a line at those of the formula.
    fn bars(&self, frame: &mut Frame, heads: &kit::Rows, [from, to]: [f32; 2]) {
        let scale = (to - from).max(20.0) / self.top().max(1.0) as f32;
        for (at, head) in self.heads.iter().enumerate().take(heads.shown) {
            let [_, y, _, h] = heads.rect(at);
            if head.bytes > 0 {
                let rect = [from, y + h * 0.15, (head.bytes as f32 * scale).max(1.0), h * 0.7];
                frame.fill(rect, 2.0, bars::ink(at), Some(Tag::Spot(at)));
            }
            let end = [from + self.top() as f32 * scale + 10.0, heads.middle(at)];
            frame.fitted(end, 13.0, Anchor::Start, Ink::Text, NUMBERS - 10.0, &si(head.bytes as f64, "B"));
        }
        if let Some(formula) = self.formula.filter(|_| heads.shown > 0) {
            let x = from + formula as f32 * scale;
            frame.line([x, heads.rect(0)[1] - 6.0], [x, heads.bottom() + 6.0], 2.0, Ink::Text, None);
        }
    }

    /// The end of the bars' scale, in bytes.
    fn top(&self) -> f64 {
        self.formula.unwrap_or(0.0).max(self.most as f64)
    }

    /// The bytes beside those of the formula.
    fn said(&self) -> String {
        let mut said = Vec::new();
        if let Some(formula) = self.formula.filter(|formula| *formula > 0.0) {
            let bytes = || self.heads.iter().map(|head| head.bytes);
            let (least, most) = (bytes().min().unwrap_or(0), bytes().max().unwrap_or(0));
            let times = number(most as f64 / formula);
            let up_to = if least == most { "" } else { "up to " };
            let workgroups = self.heads.iter().map(|head| head.workgroups.len()).max().unwrap_or(0);
            let by = counted(workgroups as u64, "workgroup");
            said.push(format!("line: {}, a cache once; read: {up_to}{times} times that, by {by}", si(formula, "B")));
        }
        if self.truncated {
            said.push("the record is cut at its cap".to_owned());
        }
        said.join("; ")
    }
}

/// Said where the rows of a head are so few that there are more heads than can be counted one by one.
const TOO_MANY: &str = "There are more than 4,096 heads of so few rows.";

/// The heads of queries of each workgroup: those of which it loads rows. None if there are too many.
fn queries(course: &Course, q: u16, rows: u64) -> Option<Vec<(u32, usize)>> {
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    for phase in &course.phases {
        for run in phase.loaded(q) {
            let end = (run.rows[1] - 1) / rows + 1;
            if end > COUNTED {
                return None;
            }
            for head in run.rows[0] / rows..end {
                let pair = (phase.workgroup, head as usize);
                if known.insert(pair) {
                    found.push(pair);
                }
            }
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, numbered, picture_of};
    use super::super::frame::Item;
    use super::*;
    use crate::Results;
    use crate::ask;
    use crate::lesson::ArgValue;
    use crate::lesson::Picture;
    use crate::trace::{Followed, Phase};

    /// Four heads of queries of two rows each, two heads of keys of four rows: a workgroup per head of queries; `again` reads twice.
    fn course(again: bool) -> Course {
        let run = |buffer, first: u64, rows: u64| Rows {
            buffer,
            rows: [first, first + rows],
            columns: [0, 2],
            bytes: 8 * rows,
        };
        let mut phases = Vec::new();
        for workgroup in 0..4 {
            let loads = vec![run(0, 2 * u64::from(workgroup), 2), run(1, 4 * u64::from(workgroup / 2), 4)];
            phases.push(Phase { workgroup, loads, ..Phase::default() });
            if again {
                let loads = vec![run(1, 4 * u64::from(workgroup / 2), 4)];
                phases.push(Phase { workgroup, loads, ..Phase::default() });
            }
        }
        let named = |name: &str| Followed {
            name: name.into(),
            of: name.into(),
            elem: crate::base::tensor::Elem::F32,
            columns: 2,
        };
        Course { variables: vec![named("q"), named("k")], phases, ..Course::default() }
    }

    fn results(again: bool) -> Results<'static> {
        numbered(&[("rows", 2.0), ("keys", 4.0), ("formula", 32.0)]).with(ask::Course(Vec::new()), course(again))
    }

    fn picture() -> Picture {
        picture_of("Heads", &[("q", ArgValue::Text("q".into())), ("k", ArgValue::Text("k".into()))])
    }

    #[test]
    fn each_head_has_the_bytes_that_its_group_reads() {
        let (results, picture) = (results(false), picture());
        let view = View::still(&results, &picture, [650.0, 380.0]);
        let at = |last| Reads::of(&view, last).unwrap_or_else(|why| panic!("{why:?}"));
        let heads = |reads: &Reads| -> Vec<(u64, Vec<usize>)> {
            reads.heads.iter().map(|head| (head.bytes, head.readers.clone())).collect()
        };
        assert_eq!(heads(&at(0)), [(32, vec![0]), (0, Vec::new())]);
        assert_eq!(heads(&at(3)), [(64, vec![0, 1]), (64, vec![2, 3])]);
        assert_eq!((at(3).queries, at(0).most), (4, 64), "the scale is that of the end");
    }

    #[test]
    fn nothing_leaves_the_picture() {
        let picture = picture();
        for (again, last) in [(false, 0.0), (false, 3.9), (true, 7.9)] {
            let results = results(again);
            for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
                let view = View { position: last, ..View::still(&results, &picture, size) };
                let frame = drawn(&Fig, &view, &mut Kept::default());
                assert_tidy(&frame, &format!("{size:?}"));
            }
        }
        let results = results(true);
        let view = View { position: 7.9, ..View::still(&results, &picture, [650.0, 380.0]) };
        let frame = drawn(&Fig, &view, &mut Kept::default());
        assert!(frame.alt.contains("read: 4 times that, by 2 workgroups"), "{}", frame.alt);
        let lines = frame.items.iter().filter(|item| matches!(item, Item::Line { tag: Some(_), .. })).count();
        assert_eq!(lines, 4, "a line from each head of queries");
    }

    #[test]
    fn heads_of_one_row_are_not_made_one_by_one() {
        let run = |buffer, rows| Rows { buffer, rows: [0, rows], columns: [0, 2], bytes: 8 * rows };
        for [queries, keys] in [[1 << 40, 2], [2, 1 << 40]] {
            let loads = vec![run(0, queries), run(1, keys)];
            let course = Course { phases: vec![Phase { loads, ..Phase::default() }], ..course(false) };
            let results = numbered(&[("rows", 1.0), ("keys", 1.0)]).with(ask::Course(Vec::new()), course);
            let made = allocation_counter::measure(|| {
                let drawn = Fig.draw(&View::still(&results, &picture(), [650.0, 380.0]), &mut Kept::default());
                assert_eq!(drawn, Err(TOO_MANY.into()));
            });
            assert!(made.bytes_max < 1 << 20, "{} bytes", made.bytes_max);
        }
    }
}
