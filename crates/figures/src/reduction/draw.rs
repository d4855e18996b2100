//! Draws a tree's levels as rows of lanes or words, what goes from row to row, and the barriers between.

use super::super::frame::{Anchor, Frame, Tag};
use super::super::kit::heading::Heading;
use super::super::kit::legend::{Key, legend};
use super::super::lanes::between;
use super::super::palette::{Hue, Ink};
use super::super::text;
use super::tree::{Edge, Join, Kind, Level, lanes};
use super::{Now, ReductionView};
use crate::base::units::{count, counted};

/// Height of a row's cells.
const CELL: f32 = 12.0;
/// The least and the greatest distance from row to row.
const PITCH: [f32; 2] = [44.0, 88.0];
/// The most lines from one row to the next.
const MOST_LINES: usize = 2048;

/// The layout of the picture.
struct Plan {
    /// The first level shown, and how many.
    first: usize,
    shown: usize,
    top: f32,
    pitch: f32,
    left: f32,
    right: f32,
    /// Width of a column, the space between two of them included, and the wider space between two warps.
    cell: f32,
    gap: f32,
    warp: u32,
}

/// When an event is, as the warp on the stage sees it.
#[derive(Clone, Copy, PartialEq)]
enum When {
    Past,
    Now,
    /// In the same round of another warp, before or after: the order is not known.
    Meanwhile,
    Future,
}

impl Plan {
    fn x(&self, column: u32) -> f32 {
        column as f32 * self.cell + (column / self.warp) as f32 * self.gap + self.left
    }

    fn width(&self) -> f32 {
        if self.cell >= 12.0 { self.cell - 2.0 } else { (self.cell - 1.0).max(self.cell * 0.7) }
    }

    fn center(&self, column: u32) -> f32 {
        self.x(column) + self.width() / 2.0
    }

    fn y(&self, level: usize) -> f32 {
        self.top + (level - self.first) as f32 * self.pitch
    }

    fn shows(&self, level: usize) -> bool {
        (self.first..self.first + self.shown).contains(&level)
    }
}

pub(super) fn draw(frame: &mut Frame, view: &ReductionView<'_>, now: Now) {
    let plan = plan(view, now);
    header(frame, view, now);
    let tree = view.tree;
    warps(frame, view, &plan);
    for index in plan.first..plan.first + plan.shown {
        let level = &tree.levels[index];
        if index > plan.first {
            flow(frame, view, now, &plan, index);
        }
        row(frame, view, now, &plan, index);
        label(frame, view, &plan, index, index == now.level);
        let last = tree.levels.get(index + 1).is_some_and(|next| next.round > level.round);
        if last && plan.shows(index + 1) {
            barrier(frame, &plan, index, level.round + 1 == tree.levels[index + 1].round);
        }
    }
    foot(frame, view, &plan);
    said(frame, view, now);
}

fn plan(view: &ReductionView<'_>, now: Now) -> Plan {
    let [width, height] = view.size;
    let margin = if width < 560.0 { 8.0 } else { 16.0 };
    let top = margin + 56.0;
    let bottom = height - margin - 32.0;
    let levels = view.tree.levels.len();
    let room = (bottom - top - CELL).max(PITCH[0]);
    let shown = ((room / PITCH[0]) as usize + 1).min(levels);
    let pitch = if shown > 1 { (room / (shown - 1) as f32).floor().clamp(PITCH[0], PITCH[1]) } else { PITCH[0] };
    // The current level is in the middle if not all fit.
    let first = now.level.saturating_sub(shown / 2).min(levels - shown);
    let (left, right) = (margin + 96.0, width - margin - if width >= 560.0 { 72.0 } else { 0.0 });
    let warp = view.timeline.warp_width.max(1);
    let gaps = (view.tree.columns.max(1) - 1) / warp;
    let gap = if gaps == 0 { 0.0 } else { ((right - left) * 0.16 / gaps as f32).clamp(1.0, 8.0) };
    let cell = (right - left - gap * gaps as f32) / view.tree.columns.max(1) as f32;
    let cell = if cell >= 6.0 { cell.floor().min(24.0) } else { cell };
    Plan { first, shown, top, pitch, left, right, cell, gap, warp }
}

fn when(view: &ReductionView<'_>, now: Now, event: usize) -> When {
    let Some((_, round)) = view.tree.places.get(&event) else { return When::Future };
    let mine = view.timeline.events[event].warp == view.warp;
    match (round.cmp(&now.round), mine) {
        (std::cmp::Ordering::Less, _) => When::Past,
        (std::cmp::Ordering::Greater, _) => When::Future,
        (_, false) => When::Meanwhile,
        (_, true) if event == now.event => When::Now,
        (_, true) if event < now.event => When::Past,
        _ => When::Future,
    }
}

/// When a value is on its way: while it is loaded, and while it is stored.
fn moment(view: &ReductionView<'_>, now: Now, edge: &Edge) -> When {
    match (edge.load.map(|load| when(view, now, load)), when(view, now, edge.event)) {
        (Some(When::Now), _) => When::Now,
        // Loaded, and not stored yet.
        (Some(When::Past), When::Future) => When::Meanwhile,
        (_, stored) => stored,
    }
}

/// Whether the pointer lights an event; nothing where it is on nothing in the picture.
fn lit(view: &ReductionView<'_>, event: usize) -> Option<bool> {
    let of = &view.timeline.events[event];
    match view.hovered? {
        Tag::Event(index) => view.tree.places.contains_key(&index).then_some(index == event),
        Tag::Warp(warp) => Some(of.warp == warp),
        Tag::SourceLine(line) => Some(of.line == line),
        Tag::Lane(_) | Tag::Sector { .. } | Tag::Word { .. } | Tag::Bank(_) | Tag::Cell { .. } => None,
        Tag::Sm(_) | Tag::Wave(_) | Tag::Spot(_) | Tag::Pass(_) | Tag::Edge(_) => None,
    }
}

/// How strong the colour is of what other warps do meanwhile, and of what is still to come, in per cent.
const MEANWHILE: u8 = 50;
const LATER: u8 = 26;

/// The colour of what an event brings.
fn ink(kind: Kind, when: When, lit: Option<bool>) -> Ink {
    let hue = match kind {
        Kind::Load(_) | Kind::Store(_) => Hue::Shared,
        Kind::Start | Kind::Exchange(_) => Hue::Load,
    };
    match (when, lit) {
        (_, Some(true)) => hue.ink(),
        (When::Now, _) => Ink::Accent,
        (_, Some(false)) | (When::Future, None) => hue.tint(LATER),
        (When::Meanwhile, None) => hue.tint(MEANWHILE),
        (When::Past, None) => hue.ink(),
    }
}

/// Draws the inputs of a level.
fn flow(frame: &mut Frame, view: &ReductionView<'_>, now: Now, plan: &Plan, index: usize) {
    let level = &view.tree.levels[index];
    let (top, bottom) = (plan.y(plan.first) + CELL, plan.y(index) - 1.0);
    let step = level.edges.len().div_ceil(MOST_LINES).max(1);
    let mut order: Vec<_> = level.edges.iter().step_by(step).map(|edge| (edge, moment(view, now, edge))).collect();
    // The present is drawn above the past.
    order.sort_by_key(|(edge, when)| (*when == When::Now || lit(view, edge.event) == Some(true), *when == When::Past));
    for (edge, when) in order {
        let join = level.joins.iter().find(|join| join.event == edge.event);
        let start = if plan.shows(edge.level) { plan.y(edge.level) + CELL + 1.0 } else { top };
        let from = [plan.center(edge.from), start];
        let to = join.map_or([plan.center(edge.to), bottom], |join| knot(plan, index, join));
        let share = if when == When::Now { now.share } else { 1.0 };
        let wide = if when == When::Now || lit(view, edge.event) == Some(true) { 1.5 } else { 1.0 };
        let ink = ink(level.kind, when, lit(view, edge.event));
        if share > 0.0 {
            frame.line(from, between(from, to, share), wide, ink, Some(Tag::Event(edge.event)));
        }
    }
    for join in &level.joins {
        let when = when(view, now, join.event);
        let ink = ink(level.kind, when, lit(view, join.event));
        let (at, tag) = (knot(plan, index, join), Some(Tag::Event(join.event)));
        if when != When::Now || now.share >= 1.0 {
            frame.line(at, [at[0], bottom], 2.0, ink, tag);
        }
        frame.dot(at, 3.0, ink, tag);
    }
}

/// Where the lines of a warp's reduction meet.
fn knot(plan: &Plan, index: usize, join: &Join) -> [f32; 2] {
    let first = join.warp * plan.warp;
    let (low, high) = (join.mask.trailing_zeros(), 63 - join.mask.leading_zeros().min(63));
    [(plan.center(first + low) + plan.center(first + high)) / 2.0, plan.y(index) - 10.0]
}

/// A level's lanes or words: those that a value has reached are filled.
fn row(frame: &mut Frame, view: &ReductionView<'_>, now: Now, plan: &Plan, index: usize) {
    let level = &view.tree.levels[index];
    let mut reached: Vec<Option<usize>> = vec![None; view.tree.columns as usize];
    for edge in &level.edges {
        let better = |known: usize| when(view, now, known) != When::Now;
        if let Some(cell) = reached.get_mut(edge.to as usize).filter(|cell| cell.is_none_or(better)) {
            *cell = Some(edge.event);
        }
    }
    let outlined = plan.cell >= 6.0;
    for column in 0..view.tree.columns {
        let rect = [plan.x(column), plan.y(index), plan.width(), CELL];
        let radius = (plan.width() / 4.0).min(2.0);
        let start = level.kind == Kind::Start && level.lanes.contains(&column);
        match reached[column as usize] {
            Some(event) => {
                let mut when = when(view, now, event);
                if when == When::Now && now.share < 1.0 {
                    when = When::Future;
                }
                frame.fill(rect, radius, ink(level.kind, when, lit(view, event)), Some(Tag::Event(event)));
            }
            None if start => frame.fill(rect, radius, Ink::Load, Some(Tag::Warp(column / plan.warp))),
            None if outlined => frame.outline(rect, radius, Some(Ink::Panel), Ink::Faint, None),
            None => frame.fill(rect, radius, Ink::Faint, None),
        }
    }
}

/// The name of a level at its left, and how many lanes act in it at its right.
fn label(frame: &mut Frame, view: &ReductionView<'_>, plan: &Plan, index: usize, here: bool) {
    let level = &view.tree.levels[index];
    let y = plan.y(index) + CELL / 2.0;
    let name = text::fit(&name(view, level), 12.0, false, 80.0);
    let ink = if here { Ink::Text } else { Ink::Muted };
    frame.text([plan.left - 12.0, y], 12.0, Anchor::End, ink, name);
    if here {
        frame.fill([plan.left - 8.0, y - CELL / 2.0 - 2.0, 3.0, CELL + 4.0], 1.0, Ink::Accent, None);
    }
    let lanes = count(level.lanes.len() as u64);
    let said = format!("{lanes} lane{}", if level.lanes.len() == 1 { "" } else { "s" });
    if frame.width >= 560.0 {
        frame.fitted([frame.width - 16.0, y], 12.0, Anchor::End, ink, 68.0, &said);
    }
}

fn name(view: &ReductionView<'_>, level: &Level) -> String {
    let variable = |of: u16| view.timeline.buffers.get(usize::from(of)).map_or("memory", |b| b.name.as_str());
    match level.kind {
        Kind::Start => "lanes".to_owned(),
        Kind::Load(of) => format!("load {}", variable(of)),
        Kind::Store(of) => format!("store {}", variable(of)),
        Kind::Exchange(exchange) => exchange.name().rsplit(' ').next().unwrap_or_default().to_owned(),
    }
}

/// A line below a level: the barrier that all lanes wait at, or several with nothing between them.
fn barrier(frame: &mut Frame, plan: &Plan, index: usize, single: bool) {
    // Half-way to the row below at the least distance, clear of both rows' names.
    let y = plan.y(index) + (PITCH[0] + CELL) / 2.0;
    frame.line([plan.left, y], [plan.right, y], 1.0, Ink::Muted, None);
    let said = if single { "barrier" } else { "barriers" };
    frame.text([plan.left - 12.0, y], 12.0, Anchor::End, Ink::Muted, said);
}

/// The warps' names above the first row, as many as fit.
fn warps(frame: &mut Frame, view: &ReductionView<'_>, plan: &Plan) {
    let count = view.tree.columns.div_ceil(plan.warp);
    let wide = plan.cell * plan.warp as f32 + plan.gap;
    let long = count > 0 && text::width(&format!("warp {}", count - 1), 12.0, false) + 8.0 <= wide;
    let name = |warp: u32| if long { format!("warp {warp}") } else { warp.to_string() };
    let widest = text::width(&name(count.max(1) - 1), 12.0, false) + 8.0;
    let every = ((widest / wide).ceil().max(1.0) as u32).next_power_of_two();
    for warp in (0..count).filter(|warp| warp % every == 0) {
        let ink = if warp == view.warp { Ink::Text } else { Ink::Muted };
        frame.text([plan.x(warp * plan.warp), plan.top - 14.0], 12.0, Anchor::Start, ink, name(warp));
        frame.tag_last(Tag::Warp(warp));
    }
    if !long {
        frame.text([plan.left - 12.0, plan.top - 14.0], 12.0, Anchor::End, Ink::Muted, "warp");
    }
}

fn header(frame: &mut Frame, view: &ReductionView<'_>, now: Now) {
    let margin = if frame.width < 560.0 { 8.0 } else { 16.0 };
    let place = format!("round {} of {}", now.round + 1, view.tree.rounds);
    let name = format!("How workgroup {} combines its lanes' values", view.tree.workgroup);
    Heading { event: None, name: &name, details: Vec::new(), place: &place }.draw(frame, margin);
}

/// The legend, and what is out of sight.
fn foot(frame: &mut Frame, view: &ReductionView<'_>, plan: &Plan) {
    let margin = if frame.width < 560.0 { 8.0 } else { 16.0 };
    let y = frame.height - margin - 8.0;
    let hidden = view.tree.levels.len() - plan.shown;
    let more = if hidden == 0 { String::new() } else { format!("{} not shown", counted(hidden as u64, "more row")) };
    let wide = if hidden == 0 { 0.0 } else { text::width(&more, 12.0, false) + 16.0 };
    if hidden > 0 {
        frame.text([frame.width - margin, y], 12.0, Anchor::End, Ink::Muted, more);
    }
    let memory = view.tree.levels.iter().any(|level| matches!(level.kind, Kind::Load(_) | Kind::Store(_)));
    let hue = if memory { Hue::Shared } else { Hue::Load };
    let (others, later) = (hue.tint(MEANWHILE), hue.tint(LATER));
    let through = memory.then(|| Key::new(Ink::Shared, "through workgroup memory").or("memory"));
    let keys = [Key::new(Ink::Accent, "now")].into_iter().chain(through).chain([
        Key::new(Ink::Load, "in registers, lane to lane").or("lanes"),
        Key::new(later, "still to come").or("to come"),
        Key::new(others, "other warps, meanwhile").or("meanwhile"),
        Key::new(Ink::Panel, "idle").edge(Ink::Faint),
    ]);
    let keys: Vec<Key<'_>> = keys.collect();
    legend(frame, margin, y, frame.width - 2.0 * margin - wide, &keys);
}

/// The picture in words.
fn said(frame: &mut Frame, view: &ReductionView<'_>, now: Now) {
    let tree = view.tree;
    let each = tree.levels.iter().map(|level| format!("{} ({})", name(view, level), level.lanes.len()));
    let rows: Vec<String> = each.collect();
    let event = &view.timeline.events[now.event];
    frame.alt = format!(
        "How workgroup {} combines its lanes' values, in {} rows of lanes or words over {} rounds: {}. Warp {} is in round {}, at line {}, \
         with {} lanes.",
        tree.workgroup,
        tree.levels.len(),
        tree.rounds,
        rows.join(", "),
        view.warp,
        now.round + 1,
        event.line,
        lanes(event.mask).count()
    );
}
