//! A paged cache: the table with the pages of each sequence, the pool that they are in, and the page that is read.

use super::figure::loading;
use super::results::Missing;
use std::collections::BTreeSet;

use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Item, Tag};
use super::kit::{Board, Key};
use super::palette::{Hue, Ink};
use super::text;
use crate::base::tensor::Tensor;
use crate::base::units::{count, counted};
use crate::trace::{Course, Phase, Rows};

/// Height of the names above the table and the pool.
const HEAD: f32 = 22.0;
/// The least and the largest side of a page.
const SIDE: [f32; 2] = [22.0, 64.0];
/// Space between two pages, and between the table and the pool.
const GAP: f32 = 4.0;
const BETWEEN: f32 = 48.0;
/// Room left of the table for the names of its rows.
const NAMES: f32 = 52.0;
/// How strongly a page is tinted that is not read yet, in percent.
const AT_REST: u8 = 32;

/// Pages of a pool that are looked at, at most.
const MOST_PAGES: usize = 4096;

static CARD: Card = Card {
    name: "Pages",
    tab: "Pages",
    help: "The table with the pages of each sequence, the pool of pages, and the page that is read",
    about: "the pages of a cache, and which of them a workgroup reads",
    clock: Clock::Phases,
    fits: |facts| facts.traced && facts.buffers,
    needs: "give its program a buffer with the pages of each sequence",
    args: &[
        Arg::required("table", ArgKind::Buffer, "the numbers of the pages of each sequence, a row per sequence"),
        Arg::required("pool", ArgKind::Buffer, "the pages, one after the other"),
        Arg::required("page", ArgKind::Count(u32::MAX), "rows of the pool that a page has"),
        Arg::optional("lengths", ArgKind::Buffer, "the tokens of each sequence"),
        Arg::optional("tokens", ArgKind::Count(u32::MAX), "tokens that a page holds"),
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

    fn film(&self, view: &View<'_>) -> Result<Vec<String>, Missing> {
        Ok(["table", "lengths"].map(|name| view.picture.text(name).to_owned()).into())
    }

    fn ticks(&self, view: &View<'_>) -> Vec<u32> {
        let Ok(course) = view.course(&[]) else { return Vec::new() };
        let ticks = loading(course, &[view.picture.text("pool")]);
        ticks.into_iter().map(|at| course.phases[at].workgroup).collect()
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        Cache::of(view).map(|cache| cache.draw(view))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        let Tag::Spot(page) = tag else { return None };
        let cache = Cache::of(view).ok()?;
        let place = cache.owner(page).map(|(row, at)| format!("sequence {row}, its page {at}"));
        let state = match (cache.now.contains(&page), cache.read.contains(&page)) {
            (true, _) => "is read now",
            (_, true) => "was read",
            _ => "is not read so far",
        };
        Some(format!("page {page}: {}\nIt {state}.", place.unwrap_or_else(|| "free".to_owned())))
    }

    fn element(&self, view: &View<'_>, _: Option<usize>, tag: Tag) -> Option<(String, u64)> {
        let Tag::Word { index, .. } = tag else { return None };
        Some((view.picture.text("table").to_owned(), index))
    }
}

/// The cache at a phase.
struct Cache {
    /// Pages of each sequence, by their numbers in the pool; None for places of the table that have none.
    table: Vec<Vec<Option<usize>>>,
    pages: usize,
    /// Pages that were read up to the phase, and those that it reads.
    read: Vec<usize>,
    now: Vec<usize>,
    truncated: bool,
}

impl Cache {
    fn of(view: &View<'_>) -> Result<Self, Missing> {
        let (course, reel) = (view.course(&[]), view.reel(&Fig));
        let (course, (reel, _)) = (course?, reel?);
        let number = |name: &str| view.number(name).filter(|n| *n >= 1.0).map(|n| n as usize);
        let page = number("page").ok_or("The pages have no rows.")?;
        let missing = "The launch has no such buffer.";
        let name = view.picture.text("table");
        let buffer = reel.buffer(name).ok_or(missing)?;
        let pool = course.find(view.picture.text("pool")).ok_or(missing)?;
        let (pass, launch) = course.launch;
        let frames = reel.film.frame_of(pass, launch).map_or(reel.film.frames.len(), |frame| frame + 1);
        let table = reel.after(name, frames).ok_or(missing)?;
        let lengths = reel.after(view.picture.text("lengths"), frames);
        let columns = buffer.columns.and_then(|columns| usize::try_from(columns).ok()).unwrap_or(table.len()).max(1);
        let ticks = loading(course, &[view.picture.text("pool")]);
        let last = (view.position.max(0.0) as usize).min(ticks.len().saturating_sub(1));
        let pages_of = |phase: &Phase| -> Vec<usize> {
            let runs = phase.loaded(pool);
            let pages =
                |run: &Rows| run.rows[0] as usize / page..((run.rows[1] as usize - 1) / page + 1).min(MOST_PAGES);
            runs.flat_map(pages).take(MOST_PAGES).collect()
        };
        let phase = |at: &usize| &course.phases[*at];
        let read: BTreeSet<usize> = ticks.iter().take(last + 1).map(phase).flat_map(pages_of).collect();
        let read: Vec<usize> = read.into_iter().collect();
        let now = ticks.get(last).map(phase).map(pages_of).unwrap_or_default();
        let all = rows(course, pool).map_or(0, |rows| (rows as usize).div_ceil(page));
        let used = |row: usize| match (lengths, number("tokens")) {
            (Some(lengths), Some(tokens)) if row < lengths.len() => (lengths.bits(row) as usize).div_ceil(tokens),
            _ => columns,
        };
        let entry = |row: usize, at: usize| written(table, row * columns + at).filter(|_| at < used(row));
        let of_row = |row: usize| (0..columns).map(|at| entry(row, at)).collect::<Vec<_>>();
        let table: Vec<Vec<Option<usize>>> = (0..table.len() / columns).map(of_row).collect();
        let named = table.iter().flatten().flatten().filter(|page| **page < MOST_PAGES).max();
        let pages = all.max(named.map_or(0, |page| page + 1)).max(read.last().map_or(0, |page| page + 1));
        Ok(Self { table, pages: pages.min(MOST_PAGES), read, now, truncated: course.truncated })
    }

    /// The sequence that has a page, and which of its pages it is.
    fn owner(&self, page: usize) -> Option<(usize, usize)> {
        let place =
            |(row, pages): (usize, &Vec<Option<usize>>)| Some((row, pages.iter().position(|p| *p == Some(page))?));
        self.table.iter().enumerate().find_map(place)
    }

    fn draw(&self, view: &View<'_>) -> Frame {
        let mut board = Board::new(view.size);
        self.words(&mut board, view.titled);
        let area = board.room().within([HEAD, 0.0]);
        let columns = self.table.iter().map(Vec::len).max().unwrap_or(1).max(1);
        let room = [area.wide() - NAMES - BETWEEN, area.high()];
        let (side, across) = self.layout(room, columns);
        let pitch = side + GAP;
        let shown = ((room[1] / pitch) as usize).clamp(1, self.table.len().max(1)).min(self.table.len());
        let in_row = columns.min(((room[0] * 0.6 / pitch) as usize).max(1));
        let left = area.left + NAMES;
        let pool = left + in_row as f32 * pitch + BETWEEN;
        let fits = ((room[1] / pitch) as usize).max(1) * across;
        let cell =
            |x: f32, row: usize, column: usize| [x + column as f32 * pitch, area.top + row as f32 * pitch, side, side];
        let frame = &mut board.frame;
        frame.fitted([left, area.top - 16.0], 13.0, Anchor::Start, Ink::Muted, pool - left - 8.0, "block table");
        let hidden = self.pages.saturating_sub(fits);
        let name = match hidden {
            0 => "pool".to_owned(),
            _ => format!("pool; {} not drawn", counted(hidden as u64, "more page")),
        };
        frame.fitted([pool, area.top - 16.0], 13.0, Anchor::Start, Ink::Muted, area.right - pool, &name);
        let of_page = |page: usize| cell(pool, page / across, page % across);
        // Through the gap below the row and the gap beside the page, so that it crosses no number.
        for page in self.now.iter().filter(|page| **page < fits) {
            if let Some((row, at)) = self.owner(*page).filter(|(row, at)| *row < shown && *at < in_row) {
                let ([x, y, w, h], [to, top, side, _]) = (cell(left, row, at), of_page(*page));
                let (from, gap, level) = (x + w / 2.0, GAP / 2.0, y + h + GAP / 2.0);
                let beside = pool - BETWEEN / 2.0;
                let above = top - gap;
                let over = to + side / 2.0;
                let points =
                    vec![[from, y + h], [from, level], [beside, level], [beside, above], [over, above], [over, top]];
                frame.items.push(Item::Polyline { points, width: 2.0, ink: Ink::Accent, tag: None });
            }
        }
        for (row, pages) in self.table.iter().enumerate().take(shown) {
            let [_, y, _, h] = cell(left, row, 0);
            frame.text([left - 10.0, y + h / 2.0], 13.0, Anchor::End, Ink::Text, format!("seq {row}"));
            for (at, page) in pages.iter().enumerate().take(in_row) {
                let tag = Tag::Word { buffer: 0, index: (row * columns + at) as u64 };
                let state = page.map(|page| (self.read.contains(&page), self.now.contains(&page)));
                place(frame, cell(left, row, at), *page, (row, state), tag);
            }
        }
        for page in 0..self.pages.min(fits) {
            let owner = self.owner(page).map(|(row, _)| row);
            let state = owner.map(|_| (self.read.contains(&page), self.now.contains(&page)));
            place(frame, of_page(page), Some(page), (owner.unwrap_or(0), state), Tag::Spot(page));
        }
        board.finish(self.alt())
    }

    /// The side of a page, the largest with which all of them find room, and the pages in a row of the pool.
    fn layout(&self, [width, height]: [f32; 2], columns: usize) -> (f32, usize) {
        let mut side = SIDE[1];
        loop {
            let pitch = side + GAP;
            let across = (((width - columns as f32 * pitch) / pitch).max(1.0) as usize).min(self.pages.max(1));
            let is_wide = (columns + across) as f32 * pitch <= width;
            let rows = self.pages.div_ceil(across).max(self.table.len());
            if side <= SIDE[0] || (is_wide && rows as f32 * pitch <= height) {
                // As near to a square as the rows allow: a pool is no list.
                let least = self.pages.div_ceil(((height / pitch) as usize).max(1)).max(1);
                let square = (self.pages as f32).sqrt().ceil() as usize;
                return (side, square.clamp(least.min(across), across));
            }
            side = (side - 2.0).max(SIDE[0]);
        }
    }

    /// How many pages belong to sequences, of how many.
    fn title(&self) -> String {
        let owned = self.table.iter().flatten().flatten().count();
        let [owned, pages, sequences] = [owned, self.pages, self.table.len()].map(|n| count(n as u64));
        format!("{owned} of {pages} pages belong to {sequences} sequences")
    }

    /// The pages that the phase reads.
    fn reads(&self) -> String {
        let named = |page: &usize| match self.owner(*page) {
            Some((row, at)) => format!("page {page} (sequence {row}, its page {at})"),
            None => format!("page {page}"),
        };
        match &self.now[..] {
            [] => "no page is read in this phase".to_owned(),
            now => format!("now read: {}", now.iter().map(named).collect::<Vec<_>>().join(", ")),
        }
    }

    fn alt(&self) -> String {
        format!("{}. {}. {} pages were read so far.", self.title(), self.reads(), count(self.read.len() as u64))
    }

    /// Draws the title, the pages that are read, and the legend.
    fn words(&self, board: &mut Board, has_title: bool) {
        board.title(has_title, &self.title());
        board.caption(&self.reads());
        let is_unread = |pages: &Vec<Option<usize>>| pages.iter().flatten().any(|page| !self.read.contains(page));
        let unread = self.table.iter().position(is_unread).unwrap_or(0);
        let mut keys = vec![
            Key::new(Ink::Panel, "read now").edge(Ink::Accent),
            Key::new(hue(unread).tint(AT_REST), "not read yet"),
        ];
        let names: Vec<String> =
            (0..self.table.len().min(HUES.len())).map(|i| format!("read for sequence {i}")).collect();
        keys.extend(names.iter().enumerate().map(|(i, name)| Key::new(hue(i).ink(), name)));
        let owned = self.table.iter().flatten().flatten().count();
        keys.extend((owned < self.pages).then(|| Key::new(Ink::Panel, "free").edge(Ink::Faint)));
        keys.extend(self.truncated.then(|| Key::new(Ink::Faint, "the record is cut at its cap")));
        board.legend(&keys);
    }
}

/// The rows of a buffer that the launch touches, from the first row on.
fn rows(course: &Course, buffer: u16) -> Option<u64> {
    let runs = course.phases.iter().flat_map(|phase| phase.loads.iter().chain(&phase.stores));
    runs.filter(|run| run.buffer == buffer).map(|run| run.rows[1]).max()
}

/// An entry of the table; None if it was not written or is no page's number.
fn written(table: &Tensor, i: usize) -> Option<usize> {
    let is_made = i < table.len() && !table.is_poison(i);
    is_made.then(|| table.bits(i) as usize).filter(|page| *page < MOST_PAGES)
}

/// The colours of the first sequences.
const HUES: [Hue; 4] = [Hue::Load, Hue::Store, Hue::Shared, Hue::Atomic];

/// The colour of a sequence's pages; after the last comes the first again.
fn hue(sequence: usize) -> Hue {
    HUES[sequence % HUES.len()]
}

/// A page with its number: of a sequence, read or not, and whether it is read now; `state` is None for one that is free.
fn place(
    frame: &mut Frame,
    rect: [f32; 4],
    page: Option<usize>,
    (sequence, state): (usize, Option<(bool, bool)>),
    tag: Tag,
) {
    let [x, y, w, h] = rect;
    let (fill, edge, words) = match state {
        Some((true, _)) => (hue(sequence).ink(), hue(sequence).ink(), Ink::On),
        Some((false, _)) => (hue(sequence).tint(AT_REST), hue(sequence).tint(AT_REST), Ink::Text),
        None => (Ink::Panel, Ink::Faint, Ink::Muted),
    };
    frame.outline(rect, 3.0, Some(fill), edge, Some(tag));
    if let Some(page) = page.map(|page| page.to_string()).filter(|page| text::width(page, 12.0, false) <= w) {
        frame.text([x + w / 2.0, y + h / 2.0], 12.0, Anchor::Middle, words, page);
        frame.tag_last(tag);
    }
    if state.is_some_and(|(_, now)| now) {
        let ring = [x - 1.5, y - 1.5, w + 3.0, h + 3.0];
        frame.items.push(Item::Rect {
            rect: ring,
            radius: 4.0,
            fill: None,
            stroke: Some((Ink::Accent, 3.0)),
            tag: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixtures::{assert_tidy, drawn, filmed, picture_of, reel_of};
    use super::*;
    use crate::Results;
    use crate::ask;
    use crate::base::tensor::Elem;
    use crate::lesson::ArgValue;
    use crate::lesson::Picture;
    use crate::trace::Followed;

    /// Two sequences of two and one pages of two rows, in a pool of four; the second place of the second row is not used.
    fn results() -> Results<'static> {
        let run = |first: u64| Rows { buffer: 0, rows: [first, first + 2], columns: [0, 4], bytes: 32 };
        let phase = |workgroup, first| Phase { workgroup, loads: vec![run(first)], ..Phase::default() };
        let pool = Followed { name: "k".into(), of: "k".into(), elem: Elem::F32, columns: 4 };
        let phases = vec![phase(0, 6), phase(0, 0), phase(1, 4)];
        let course = Course { variables: vec![pool], phases, ..Course::default() };
        let reel = reel_of(&[("table", 2, &[3, 0, 2, 1]), ("lengths", 0, &[4, 1])]);
        filmed(&Fig, &picture(), &[("page", 2.0), ("tokens", 2.0)], reel).with(ask::Course(Vec::new()), course)
    }

    fn picture() -> Picture {
        let arg = |name: &'static str, value: &str| (name, ArgValue::Text(value.into()));
        picture_of("Pages", &[arg("table", "table"), arg("pool", "k"), arg("lengths", "lengths")])
    }

    #[test]
    fn pages_have_their_owners_and_are_read_in_the_tables_order() {
        let (results, picture) = (results(), picture());
        let at = |position| {
            Cache::of(&View { position, ..View::still(&results, &picture, [650.0, 380.0]) })
                .unwrap_or_else(|w| panic!("{w:?}"))
        };
        let first = at(0.0);
        assert_eq!(first.table, [[Some(3), Some(0)], [Some(2), None]]);
        assert_eq!((first.owner(0), first.owner(1), first.pages), (Some((0, 1)), None, 4));
        assert_eq!((first.now, first.read), (vec![3], vec![3]));
        let last = at(2.5);
        assert_eq!((last.now, last.read), (vec![2], vec![0, 2, 3]));
    }

    #[test]
    fn nothing_leaves_the_picture() {
        let (results, picture) = (results(), picture());
        for size in [[420.0, 300.0], [650.0, 380.0], [1500.0, 800.0]] {
            for position in [0.0, 2.9] {
                let view = View { position, ..View::still(&results, &picture, size) };
                let frame = drawn(&Fig, &view, &mut Kept::default());
                assert_tidy(&frame, &format!("{size:?}"));
                assert!(frame.alt.contains("3 of 4 pages belong to 2 sequences"), "{}", frame.alt);
            }
        }
    }
}
