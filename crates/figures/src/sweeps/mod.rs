//! How often a workgroup goes over its buffers: elements across, time downwards, a mark for each request.

mod axis;
mod course;
mod layout;

use super::figure::{Card, Clock, Figure, Kept, View};
use super::results::Missing;
use course::{Course, KINDS, Mark};
use layout::{LEAST, Placed, Rows, place};

use std::sync::Arc;

use super::frame::{Anchor, Frame, Tag};
use super::kit::legend::{Key, legend};
use super::message::message;
use super::palette::{Hue, Ink};
use super::{event, matrices, text, warp};
use crate::base::units::count;
use crate::trace::{AccessKind, Timeline};

/// How strongly what is still to come is tinted, in percent.
const GHOST: u8 = 38;

/// The data of the picture, kept from frame to frame.
#[derive(Debug, Default)]
pub(super) struct Sweeps {
    timeline: Arc<Timeline>,
    course: Course,
}

impl Sweeps {
    fn go_to(&mut self, timeline: &Arc<Timeline>, workgroup: u32) {
        if !Arc::ptr_eq(&self.timeline, timeline) || self.course.workgroup != workgroup {
            *self = Self { timeline: timeline.clone(), course: Course::of(timeline, workgroup) };
        }
    }
}

/// Height of a picture that has room for words below the sweeps.
const LEAST_WITH_WORDS: f32 = 230.0;

/// The picture.
pub(super) fn frame(sweeps: &mut Sweeps, view: &View<'_>) -> Result<Frame, Missing> {
    let seen = view.warp_view()?;
    let mut frame = Frame::new(view.size);
    let events: Vec<usize> = seen.timeline.of_warp(view.workgroup, view.warp).collect();
    if events.is_empty() {
        return Ok(warp::frame(&seen));
    }
    sweeps.go_to(seen.timeline, view.workgroup);
    let course = &sweeps.course;
    if course.panels.is_empty() {
        message(&mut frame, "No request of global memory", "This workgroup loads from no buffer and stores to none.");
        return Ok(frame);
    }
    let ordinal = (view.position.max(0.0) as usize).min(events.len() - 1);
    let moment = event::moment(&seen, &events, ordinal);
    let step = course.steps.at[moment.index];
    let margin = if view.size[0] < 560.0 { 8.0 } else { 16.0 };
    let [width, height] = view.size;
    let title = view.words("title");
    // There may be no room for a title above the picture.
    let fits = text::width(&title, 14.0, false) <= width - 2.0 * margin;
    if !title.is_empty() && fits && !view.titled {
        frame.text([margin, margin + 10.0], 14.0, Anchor::Start, Ink::Text, title);
    } else {
        warp::header(&mut frame, &moment, &warp::headline(&moment), margin, (ordinal, events.len()));
    }
    let (left, right) = (margin, width - margin);
    let said = words(course, seen.timeline.truncated);
    let lines = if height < LEAST_WITH_WORDS { Vec::new() } else { text::wrap(&said, 14.0, right - left) };
    let below = height - margin - 18.0 * (lines.len() as f32 - 1.0) - 6.0;
    let legend_y = below - 20.0;
    let top = margin + 46.0;
    let rows = Rows::of(course, top, (legend_y - 30.0 - top).max(20.0));
    let named = course.rows.iter().any(|row| row.barriers > 0) || course.after > 0;
    let gutter = if named { 82.0 } else { 52.0 };
    let placed = place(&course.panels, [left + gutter, right]);
    barriers(&mut frame, course, &rows, [left + gutter - 8.0, right]);
    let y = rows.now(course, step);
    for (i, placed) in placed.iter().enumerate() {
        let from = if i == 0 { left + gutter - 8.0 } else { placed.left };
        frame.line([from, y], [placed.left + placed.width, y], 1.5, Ink::Accent, None);
    }
    for placed in &placed {
        draw(&mut frame, course, &rows, placed, step, view.hovered);
    }
    frame.dot([left + gutter - 8.0, y], 3.5, Ink::Accent, None);
    frame.text([left, top - 12.0], 12.0, Anchor::Start, Ink::Muted, "time");
    let (from, to) = ([left + 4.0, top], [left + 4.0, (top + 26.0).min(rows.end(course))]);
    frame.line(from, to, 1.0, Ink::Muted, None);
    for side in [-3.0, 3.0] {
        frame.line([to[0] + side, to[1] - 4.0], to, 1.0, Ink::Muted, None);
    }
    frame.text([left + gutter - 12.0, rows.end(course) + 12.0], 12.0, Anchor::End, Ink::Muted, "element");
    legend(&mut frame, left, legend_y, right - left, &keys(course));
    for (i, line) in lines.iter().enumerate() {
        frame.text([left, below + 18.0 * i as f32], 14.0, Anchor::Start, Ink::Text, line.clone());
    }
    let hidden = course.panels.len() - placed.len();
    let hidden = if hidden == 0 { String::new() } else { format!(" There is no room for {hidden} of its buffers.") };
    frame.alt = format!(
        "How often workgroup {} goes over its buffers, at event {} of {} of warp {}: {said}{hidden}",
        view.workgroup,
        ordinal + 1,
        events.len(),
        view.warp
    );
    Ok(frame)
}

/// Lines at barriers, with how many there are on the left.
fn barriers(frame: &mut Frame, course: &Course, rows: &Rows, [left, right]: [f32; 2]) {
    let between = course.rows.iter().zip(&rows.tops).map(|(row, top)| (row.barriers, *top));
    let last = rows.tops.last().map(|end| (course.after, end + rows.band));
    let mut free = f32::NEG_INFINITY;
    for (barriers, end) in between.chain(last).filter(|(barriers, _)| *barriers > 0) {
        let y = end - rows.band / 2.0;
        frame.line([left, y], [right, y], 1.0, if rows.band > 4.0 { Ink::Idle } else { Ink::Faint }, None);
        if y - 8.0 >= free {
            let name =
                if barriers == 1 { "barrier".to_owned() } else { format!("{} barriers", count(barriers.into())) };
            frame.text([left - 6.0, y], 12.0, Anchor::End, Ink::Muted, name);
            free = y + 8.0;
        }
    }
}

/// A buffer's name, its marks, its sweeps and its elements' numbers.
fn draw(frame: &mut Frame, course: &Course, rows: &Rows, placed: &Placed<'_>, step: (u32, u32), hovered: Option<Tag>) {
    let Placed { panel, left, width } = *placed;
    let end = rows.end(course);
    frame.fitted([left, rows.top - 12.0], 12.0, Anchor::Start, Ink::Text, width, &panel.name);
    for x in [left, left + width] {
        frame.line([x, rows.top], [x, end], 1.0, Ink::Faint, None);
    }
    // Where elements are cut out.
    let cuts = panel.axis.runs.get(1..).unwrap_or_default();
    for run in cuts.iter().filter(|_| (cuts.len() as f32) < width / 12.0) {
        let [x, _] = placed.across([run.first, run.first]);
        frame.line([x, rows.top], [x, end], 1.0, Ink::Faint, None);
    }
    let on = match hovered {
        Some(Tag::Event(event)) => panel.marks.iter().find(|mark| mark.event == event),
        _ => None,
    };
    let is_lit = |mark: &Mark| match (hovered, on) {
        (_, Some(on)) => Some((on.row, on.line) == (mark.row, mark.line)),
        (Some(Tag::SourceLine(line)), _) => Some(line == mark.line),
        _ => None,
    };
    for bin in panel.marks.chunk_by(|a, b| rows.bins[a.row] == rows.bins[b.row]) {
        let top = rows.tops[bin[0].row];
        let high = (rows.bottom(bin[bin.len() - 1].row) - top).max(LEAST);
        let high = if rows.height >= 5.0 { high - 1.0 } else { high };
        let done = course.rows[bin[0].row].at <= step;
        // A single element is seen, unless there are many.
        let thin = if (bin.len() as f32) < placed.width / 12.0 { 3.0 } else { 1.0 };
        for kind in KINDS {
            let mut reach = f32::NEG_INFINITY;
            for mark in bin.iter().filter(|mark| mark.access == kind) {
                let [from, to] = placed.across(mark.span);
                // A mark that cannot be seen beside its neighbour is not drawn.
                if to.max(from + thin) <= reach {
                    continue;
                }
                reach = to.max(from + thin);
                let hue = hue(kind);
                let ink = match (done, is_lit(mark)) {
                    (_, Some(true)) | (true, None) => hue.ink(),
                    (true, Some(false)) => hue.tint(60),
                    (false, _) => hue.tint(GHOST),
                };
                let round = if rows.height >= 5.0 { 1.5 } else { 0.0 };
                frame.fill([from, top, reach - from, high], round, ink, Some(Tag::Event(mark.event)));
            }
        }
    }
    brackets(frame, rows, placed);
    numbers(frame, placed, end + 12.0);
}

/// On the right of a panel, which time each sweep is.
fn brackets(frame: &mut Frame, rows: &Rows, placed: &Placed<'_>) {
    let x = placed.left + placed.width + 6.0;
    let many = placed.panel.sweeps.len();
    let mut ends: Vec<[f32; 2]> =
        placed.panel.sweeps.iter().map(|[first, last]| [rows.tops[*first], rows.bottom(*last)]).collect();
    // Where not each has room for its number, all have one bracket.
    let middle = |[top, bottom]: [f32; 2]| (top + bottom) / 2.0;
    let is_dense = ends.windows(2).any(|pair| middle(pair[1]) - middle(pair[0]) < 16.0);
    if let ([[top, _], .., [_, bottom]], true) = (&ends[..], is_dense) {
        ends = vec![[*top, *bottom]];
    }
    for (i, [top, bottom]) in ends.into_iter().enumerate() {
        let points = vec![[x, top + 0.5], [x + 4.0, top + 0.5], [x + 4.0, bottom - 0.5], [x, bottom - 0.5]];
        frame.items.push(super::Item::Polyline { points, width: 1.0, ink: Ink::Muted, tag: None });
        let y = middle([top, bottom]);
        // Warps that ask for the same side by side are one sweep.
        let name = match (many, is_dense) {
            (1, _) => times(placed.panel.times[0]),
            (many, true) => format!("{} times", count(many as u64)),
            (_, false) => format!("{} time", ordinal(i + 1)),
        };
        // Barriers' lines end before it.
        frame.fill([x + 7.0, y - 8.0, text::width(&name, 12.0, false) + 6.0, 16.0], 0.0, Ink::Panel, None);
        frame.text([x + 10.0, y], 12.0, Anchor::Start, Ink::Text, name);
    }
}

fn ordinal(n: usize) -> String {
    let ending = match n {
        1 => "st",
        2 => "nd",
        3 => "rd",
        _ => "th",
    };
    format!("{n}{ending}")
}

/// Below a panel, the numbers of its elements: the ends, and what fits between.
fn numbers(frame: &mut Frame, placed: &Placed<'_>, y: f32) {
    let Placed { panel, left, width } = *placed;
    let Some([first, last]) = panel.axis.ends() else { return };
    let (low, high) = (count(first), count(last));
    let wide = |words: &str| text::width(words, 12.0, false);
    if first == last || wide(&low) + wide(&high) + 12.0 > width {
        let both = text::fit(&matrices::span(first, last), 12.0, false, width);
        if !both.is_empty() {
            frame.text([left, y], 12.0, Anchor::Start, Ink::Muted, both);
        }
        return;
    }
    let mut free = left + wide(&low) + 12.0;
    let stop = left + width - wide(&high) - 12.0;
    frame.text([left, y], 12.0, Anchor::Start, Ink::Muted, low);
    frame.text([left + width, y], 12.0, Anchor::End, Ink::Muted, high);
    let fits = |element: &u64, free: f32| {
        let [x, _] = placed.across([*element, *element]);
        let half = wide(&count(*element)) / 2.0;
        (x - half >= free && x + half <= stop).then_some(x + half + 12.0)
    };
    // Where elements are cut out, those that follow; else quarters, or the half.
    let part = |i: u64| first + (last + 1 - first) * i / 4;
    let between: Vec<u64> = match panel.axis.runs.as_slice() {
        [_] if (1..4).try_fold(free, |free, i| fits(&part(i), free)).is_some() => (1..4).map(part).collect(),
        [_] => vec![part(2)],
        runs => runs.iter().skip(1).map(|run| run.first).collect(),
    };
    for element in between {
        if let Some(next) = fits(&element, free) {
            let [x, _] = placed.across([element, element]);
            frame.text([x, y], 12.0, Anchor::Middle, Ink::Muted, count(element));
            free = next;
        }
    }
}

fn hue(access: AccessKind) -> Hue {
    match access {
        AccessKind::Load => Hue::Load,
        AccessKind::Store => Hue::Store,
        AccessKind::Atomic => Hue::Atomic,
    }
}

fn keys(course: &Course) -> Vec<Key<'static>> {
    let names = [
        ("load", "still to be loaded", "to load"),
        ("store", "still to be stored", "to store"),
        ("atomic", "atomic to come", "to update"),
    ];
    let mut keys = Vec::new();
    for (i, (name, ghost, short)) in names.into_iter().enumerate() {
        if course.panels.iter().any(|panel| panel.times[i] > 0.0) {
            let (ink, faint) = (hue(KINDS[i]).ink(), hue(KINDS[i]).tint(GHOST));
            keys.push(Key::new(ink, name));
            keys.push(Key::new(faint, ghost).or(short));
        }
    }
    keys.push(Key::new(Ink::Accent, "now"));
    keys
}

/// How often an element is asked for.
fn times(times: f64) -> String {
    match (times * 10.0).fract() {
        _ if times == 1.0 => "once".to_owned(),
        _ if times.fract() == 0.0 => format!("{times:.0} times"),
        // A tenth would hide the few elements that are asked for once more.
        rest if (0.01..0.99).contains(&rest) => format!("{times:.3} times on average"),
        _ => format!("{times:.1} times on average"),
    }
}

/// How often each buffer is gone over, in a sentence.
fn words(course: &Course, truncated: bool) -> String {
    let each = course.panels.iter().map(|panel| {
        let done = ["read", "written", "updated"].iter().zip(panel.times).filter(|(_, n)| *n > 0.0);
        let done: Vec<String> = done.map(|(verb, n)| format!("{verb} {}", times(n))).collect();
        format!("{}: {}", panel.name, done.join(" and "))
    });
    let cut = if truncated { " The record is cut at its cap on events." } else { "" };
    format!("{}.{cut}", each.collect::<Vec<_>>().join(", "))
}

/// The tip for the item under the pointer.
pub(super) fn told(sweeps: &Sweeps, tag: Tag) -> Option<String> {
    let Tag::Event(event) = tag else { return None };
    let panel = sweeps.course.panels.iter().find(|panel| panel.marks.iter().any(|mark| mark.event == event))?;
    let marks: Vec<&Mark> = panel.marks.iter().filter(|mark| mark.event == event).collect();
    let (first, last) = (marks.first()?, marks.last()?);
    let verb = match first.access {
        AccessKind::Load => "load",
        AccessKind::Store => "store",
        AccessKind::Atomic => "atomic",
    };
    let touched: u64 = marks.iter().map(|mark| mark.span[1] - mark.span[0]).sum();
    let [from, to] = [first.span[0], last.span[1] - 1];
    let noun = if from == to { "element" } else { "elements" };
    let some = if touched < to + 1 - from { format!(", {} of them", count(touched)) } else { String::new() };
    let requests = if first.requests == 1 { "1 request".to_owned() } else { format!("{} requests", first.requests) };
    let sweep = panel.sweeps.iter().position(|[low, high]| (*low..=*high).contains(&first.row));
    let sweep = sweep.filter(|_| first.access == AccessKind::Load && panel.sweeps.len() > 1);
    let sweep = sweep.map(|sweep| format!("\nIts elements are read for the {} time.", ordinal(sweep + 1)));
    Some(format!(
        "Line {}: {verb} of {}, {noun} {}{some}\n{requests} of warps, side by side{}",
        first.line,
        panel.name,
        matrices::span(from, to),
        sweep.unwrap_or_default()
    ))
}

static CARD: Card = Card {
    name: "Sweeps",
    tab: "Sweeps",
    help: "How often the workgroup goes over each buffer, request below request",
    about: "how often workgroup 0 goes over each buffer",
    clock: Clock::Events,
    fits: |facts| facts.traced,
    needs: "any kernel that can be traced",
    args: &[],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, kept: &mut Kept) -> Result<Frame, Missing> {
        frame(kept.own(), view)
    }

    fn tip(&self, _: &View<'_>, kept: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(kept.get()?, tag)
    }
}

#[cfg(test)]
mod tests;
