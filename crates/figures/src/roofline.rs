//! The roofline (Williams, Waterman & Patterson, CACM 52(4), 2009): kernels by operations per byte and per second under device ceilings.

use super::answers::{Roof, Roofline, SpotBytes, SpotTime};
use super::ask;
use super::faults::overlap;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame, Item, Tag};
use super::kit::MARGIN;
use super::kit::axis::{self, Ruler};
use super::message::message;
use super::palette::Ink;
use super::plot::{Axis, Scale, dashes};
use super::results::Missing;
use super::text;
use crate::base::units::{digits3, si};

const SIZE: f32 = 12.0;
/// The quantities of the axes.
const INTENSITY: &str = "FLOP per byte of global memory";
const RATE: &str = "FLOP/s";
/// A picture lower than this has little room above its axes.
const LOW: f32 = 400.0;
/// Half a spot's width.
const RADIUS: f32 = 5.0;

impl Roof {
    /// Operations a second that it allows at an intensity.
    #[must_use]
    pub fn at(&self, intensity: f64) -> Option<f64> {
        let slope = self.bytes_per_s.map(|bytes| bytes * intensity);
        [slope, self.peak()].into_iter().flatten().reduce(f64::min)
    }

    /// Operations a second that it allows at most.
    fn peak(&self) -> Option<f64> {
        self.matrix_flops_per_s.or(self.flops_per_s)
    }

    /// The peak of ordinary lanes, if it is below that of matrix units.
    fn lower(&self) -> Option<f64> {
        self.flops_per_s.filter(|_| self.matrix_flops_per_s.is_some())
    }

    fn words(&self) -> String {
        let bytes = self.bytes_per_s.map(|bytes| si(bytes, "B/s"));
        let flops = self.flops_per_s.map(|flops| format!("{} in f32", si(flops, "FLOP/s")));
        let matrix = self.matrix_flops_per_s.map(|flops| format!("{} in 16 bits on matrix units", si(flops, "FLOP/s")));
        let figures: Vec<String> = bytes.into_iter().chain(flops).chain(matrix).collect();
        format!("{}: {}", self.name, figures.join(", "))
    }
}

/// A logarithmic axis of whole decades.
fn decades(values: &[f64], [from, to]: [f32; 2], apart: f32) -> Ruler {
    let axis = Axis { label: String::new(), unit: String::new(), scale: Scale::Log10, ticks: Vec::new(), reach: None };
    Ruler::new(&axis, values, from, to, apart)
}

fn sound(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// The picture.
pub(super) fn frame(view: &View<'_>, known: &Roofline) -> Frame {
    let mut frame = Frame::new(view.size);
    if !known.spots.iter().any(|spot| sound(spot.intensity)) {
        let help = "The kernels appear here by the floating-point operations and bytes that the lesson says their work \
                    takes. Of these kernels, none does any at these settings.";
        message(&mut frame, "No floating-point operations", help);
        return frame;
    };
    let top = head(&mut frame, known);
    let (left, right) = (MARGIN + 48.0, frame.width - MARGIN - 8.0);
    let bottom = frame.height - MARGIN - 38.0;
    let spots = || known.spots.iter().filter(|spot| sound(spot.intensity));
    let ridges = known.roofs.iter().filter_map(|roof| Some(roof.peak()? / roof.bytes_per_s?));
    let xs: Vec<f64> = spots().map(|spot| spot.intensity).chain(ridges.flat_map(|r| [r / 4.0, r * 4.0])).collect();
    let x = decades(&xs, [left, right], 44.0);
    let rates = spots().filter_map(|spot| {
        spot.flops_per_s.filter(|rate| sound(*rate)).or_else(|| known.roofs.first()?.at(spot.intensity))
    });
    let lower = known.roofs.iter().filter_map(Roof::lower);
    let peaks = known.roofs.iter().filter_map(|roof| roof.at(x.high)).chain(lower);
    let mut ys: Vec<f64> = rates.chain(peaks).filter(|y| sound(*y)).flat_map(|y| [y / 1.5, y * 1.5]).collect();
    if ys.is_empty() {
        ys = vec![1e9, 1e12];
    }
    let y = decades(&ys, [bottom, top], 20.0);
    axis::draw(&mut frame, [&x, &y], [left, top, right, bottom], [INTENSITY, RATE], true);
    for roof in &known.roofs {
        draw_roof(&mut frame, roof, &x, &y);
    }
    let names = name_roofs(&mut frame, known, &x, &y);
    draw_spots(&mut frame, known, (&x, &y), (names, view.hovered));
    frame.alt = alt(known);
    frame
}

/// The ceilings' names, what the marks mean, and the settings; gives the y where they end.
fn head(frame: &mut Frame, known: &Roofline) -> f32 {
    let room = frame.width - 2.0 * MARGIN;
    let mut y = 20.0;
    for roof in &known.roofs {
        let ends = [[MARGIN, y], [MARGIN + 20.0, y]];
        if roof.measured {
            frame.line(ends[0], ends[1], 2.0, Ink::Text, None);
        } else {
            dashes(frame, ends, Ink::Muted);
        }
        for line in text::wrap(&roof.words(), SIZE, room - 28.0).into_iter().take(2) {
            frame.fitted([MARGIN + 28.0, y], SIZE, Anchor::Start, Ink::Text, room - 28.0, &line);
            y += 17.0;
        }
    }
    let drawn = || known.spots.iter().filter(|spot| spot.flops_per_s.is_some());
    let timed = |time: SpotTime| drawn().any(|spot| spot.time == time);
    let needed = drawn().any(|spot| spot.bytes == SpotBytes::Needed);
    // If all marks are squares, so are their keys.
    let square = needed && drawn().all(|spot| spot.bytes == SpotBytes::Needed);
    let times = [SpotTime::Measured, SpotTime::Recorded, SpotTime::Predicted];
    let times = times.map(|time| (timed(time), Mark { hollow: time != SpotTime::Measured, square }, time.words()));
    let bytes = (needed && !square, Mark { hollow: false, square: true }, "placed by the bytes that the work needs");
    let keys = times.into_iter().chain([bytes]);
    let mut at = MARGIN;
    for (_, mark, name) in keys.filter(|(is, ..)| *is) {
        let wide = 16.0 + text::width(name, SIZE, false) + 18.0;
        if at > MARGIN && at + wide > frame.width - MARGIN {
            (at, y) = (MARGIN, y + 17.0);
        }
        mark.draw(frame, [at + 5.0, y], Ink::Series(0), None);
        frame.text([at + 16.0, y], SIZE, Anchor::Start, Ink::Muted, name);
        at += wide;
    }
    if at > MARGIN {
        y += 17.0;
    }
    // The marks need what room there is; the note is in the words of the picture, too.
    let lines = if frame.height < LOW { 1 } else { 2 };
    for line in text::wrap(whole_sentences(&known.note, room, lines), SIZE, room).into_iter().take(lines) {
        frame.fitted([MARGIN, y], SIZE, Anchor::Start, Ink::Muted, room, &line);
        y += 16.0;
    }
    y + 19.0
}

/// As many sentences of a note as `lines` lines have room for, at least the first.
fn whole_sentences(note: &str, room: f32, lines: usize) -> &str {
    let ends = note.match_indices(". ").map(|(at, _)| at + 1).chain([note.len()]);
    let fits = |end: &usize| text::wrap(&note[..*end], SIZE, room).len() <= lines;
    let first = note.find(". ").map_or(note.len(), |at| at + 1);
    &note[..ends.filter(fits).last().unwrap_or(first)]
}

/// A device's slope and its peaks, as far as they are on the axes.
fn draw_roof(frame: &mut Frame, roof: &Roof, x: &Ruler, y: &Ruler) {
    let ([least, most], [low, high]) = ([x.low, x.high], [y.low, y.high]);
    let mut corners = Vec::new();
    if let Some(bytes) = roof.bytes_per_s {
        let ridge = roof.peak().map_or(high / bytes, |peak| peak / bytes);
        let (from, to) = (least.max(low / bytes), most.min(ridge).min(high / bytes));
        if from < to {
            corners.extend([[from, from * bytes], [to, to * bytes]]);
        }
    }
    let level = |peak: f64| {
        let from = roof.bytes_per_s.map_or(least, |bytes| (peak / bytes).max(least));
        ((low..=high).contains(&peak) && from < most).then_some([[from, peak], [most, peak]])
    };
    corners.extend(roof.peak().and_then(level).into_iter().flatten());
    if let Some([[from, peak], [to, _]]) = roof.lower().and_then(level) {
        dashes(frame, [[x.place(from), y.place(peak)], [x.place(to), y.place(peak)]], Ink::Muted);
    }
    let points: Vec<[f32; 2]> = corners.into_iter().map(|[a, b]| [x.place(a), y.place(b)]).collect();
    if points.len() < 2 {
        return;
    }
    if roof.measured {
        frame.items.push(Item::Polyline { points, width: 2.0, ink: Ink::Text, tag: None });
    } else {
        points.chunks_exact(2).for_each(|ends| dashes(frame, [ends[0], ends[1]], Ink::Muted));
    }
}

/// Says at their right ends what the levels of the roofs are of; the places taken.
fn name_roofs(frame: &mut Frame, known: &Roofline, x: &Ruler, y: &Ruler) -> Vec<[f32; 4]> {
    let several = known.roofs.len() > 1;
    let levels = known.roofs.iter().flat_map(|roof| {
        let unit = if roof.matrix_flops_per_s.is_some() { "matrix units" } else { "f32" };
        [(roof, roof.peak(), unit), (roof, roof.lower(), "f32")]
    });
    let mut taken: Vec<[f32; 4]> = Vec::new();
    for (roof, level, unit) in levels {
        let Some(level) = level.filter(|level| y.holds(*level)) else { continue };
        let whose = if roof.measured { "this machine" } else { "data sheet" };
        let name = if several { format!("{unit}, {whose}") } else { unit.to_owned() };
        let (wide, at) = (text::width(&name, SIZE, false), y.place(level) - 9.0);
        let rect = [x.to - wide, at - SIZE / 2.0, wide, SIZE];
        if rect[1] < y.to || taken.iter().any(|other| overlap(*other, rect)) {
            continue;
        }
        frame.fill(rect, 2.0, Ink::Panel, None);
        frame.text([x.to, at], SIZE, Anchor::End, Ink::Muted, name);
        taken.push(rect);
    }
    taken
}

/// How a spot looks: filled where this machine measured it, square where it is placed by the bytes that the work needs.
struct Mark {
    hollow: bool,
    square: bool,
}

impl Mark {
    fn draw(&self, frame: &mut Frame, [x, y]: [f32; 2], ink: Ink, tag: Option<Tag>) {
        let mut filled = |radius: f32, ink: Ink| match self.square {
            true => frame.fill([x - radius, y - radius, 2.0 * radius, 2.0 * radius], 1.0, ink, tag),
            false => frame.dot([x, y], radius, ink, tag),
        };
        filled(RADIUS, ink);
        if self.hollow {
            filled(RADIUS - 2.0, Ink::Panel);
        }
    }
}

/// The kernels, the one on the bench last, so that it lies on top; their names where there is room.
fn draw_spots(
    frame: &mut Frame,
    known: &Roofline,
    (x, y): (&Ruler, &Ruler),
    (names, hovered): (Vec<[f32; 4]>, Option<Tag>),
) {
    let mut order: Vec<(usize, [f32; 2])> = Vec::new();
    for (i, spot) in known.spots.iter().enumerate().filter(|(_, spot)| sound(spot.intensity)) {
        let roof = || known.roofs.first()?.at(spot.intensity);
        let Some(rate) = spot.flops_per_s.or_else(roof).filter(|rate| sound(*rate)) else { continue };
        order.push((i, [x.place(spot.intensity), y.place(rate)]));
    }
    order.sort_by_key(|(i, _)| known.spots[*i].shown);
    let bounds = |[x, y]: [f32; 2]| [x - RADIUS - 1.0, y - RADIUS - 1.0, 2.0 * RADIUS + 2.0, 2.0 * RADIUS + 2.0];
    let mut taken: Vec<[f32; 4]> = order.iter().map(|(_, at)| bounds(*at)).collect();
    taken.extend(names);
    taken.extend(known.roofs.iter().flat_map(|roof| along(roof, x, y)));
    let untimed = order.iter().filter(|(i, _)| known.spots[*i].flops_per_s.is_none());
    taken.extend(untimed.map(|(_, at)| [at[0] - 2.0, at[1], 4.0, (y.from - at[1]).max(0.0)]));
    for (i, at) in &order {
        let (spot, tag) = (&known.spots[*i], Some(Tag::Spot(*i)));
        let ink = if spot.shown { Ink::Accent } else { Ink::Series(0) };
        if spot.flops_per_s.is_none() {
            // Without a time there is only what the roof allows.
            dashes(frame, [[at[0], y.from], *at], if spot.shown { Ink::Accent } else { Ink::Idle });
            frame.fill(
                [at[0] - 2.0, at[1] - 6.0, 4.0, 12.0],
                1.0,
                if spot.shown { Ink::Accent } else { Ink::Idle },
                tag,
            );
            continue;
        }
        if hovered == tag || spot.shown {
            frame.dot(*at, RADIUS + 4.0, ink, tag);
            frame.dot(*at, RADIUS + 2.5, Ink::Panel, tag);
        }
        Mark { hollow: spot.time != SpotTime::Measured, square: spot.bytes == SpotBytes::Needed }
            .draw(frame, *at, ink, tag);
    }
    let mut named: Vec<&str> = Vec::new();
    for (i, at) in order.iter().rev() {
        let spot = &known.spots[*i];
        // A kernel that two devices ran is named once.
        if named.contains(&spot.name.as_str()) && !spot.shown {
            continue;
        }
        let (wide, name) = (text::width(&spot.name, SIZE, false), &spot.name);
        let places = [
            [at[0] + 11.0, at[1] - SIZE / 2.0],
            [at[0] - 11.0 - wide, at[1] - SIZE / 2.0],
            [at[0] + 4.0, at[1] - 22.0],
            [at[0] + 4.0, at[1] + 10.0],
            [at[0] - 4.0 - wide, at[1] - 22.0],
            [at[0] - 4.0 - wide, at[1] + 10.0],
        ];
        // Where it is crowded, further away, with a line to the mark.
        let far = (1..9).flat_map(|row| {
            let away = 22.0 + 17.0 * row as f32;
            let sides = [at[0] + 14.0, at[0] - 14.0 - wide, at[0] + 14.0 + 36.0, at[0] - 50.0 - wide];
            sides.into_iter().flat_map(move |x| [[x, at[1] - away], [x, at[1] + away - SIZE]])
        });
        let free = places.into_iter().chain(far).map(|[x, y]| [x, y, wide, SIZE]).find(|rect| {
            let inside = rect[0] >= x.from && rect[0] + wide <= x.to && rect[1] >= y.to && rect[1] + SIZE <= y.from;
            inside && !taken.iter().any(|other| overlap(*other, *rect))
        });
        if let Some(rect) = free {
            let ink = if spot.shown { Ink::Text } else { Ink::Muted };
            if (rect[1] + SIZE / 2.0 - at[1]).abs() > 30.0 {
                let near = if rect[0] > at[0] { rect[0] - 3.0 } else { rect[0] + wide + 3.0 };
                frame.line([near, rect[1] + SIZE / 2.0], *at, 1.0, Ink::Idle, None);
            }
            // Words over a line of the grid stay readable.
            frame.fill(rect, 2.0, Ink::Panel, None);
            frame.text([rect[0], rect[1] + SIZE / 2.0], SIZE, Anchor::Start, ink, name.clone());
            frame.tag_last(Tag::Spot(*i));
            taken.push([rect[0] - 3.0, rect[1] - 2.0, rect[2] + 6.0, rect[3] + 4.0]);
            named.push(name);
        }
    }
}

/// Small boxes along a roof, which words keep clear of.
fn along(roof: &Roof, x: &Ruler, y: &Ruler) -> impl Iterator<Item = [f32; 4]> {
    let [least, most] = [x.low, x.high];
    let at = move |i: i32| least * (most / least).powf(f64::from(i) / 96.0);
    let heights: Vec<(f64, Option<f64>)> = (0..=96).map(|i| (at(i), roof.at(at(i)))).collect();
    let boxes = heights.into_iter().filter_map(|(intensity, rate)| Some([x.place(intensity), y.place(rate?)]));
    boxes.map(|[x, y]| [x - 3.0, y - 3.0, 6.0, 6.0]).collect::<Vec<_>>().into_iter()
}

/// The spots that a figure's argument `which` names, all if it names none, under the device's ceilings.
pub(super) fn only(view: &View<'_>, which: &str, known: &Roofline) -> Roofline {
    let (mut known, ids) = (known.clone(), view.picture.texts(which));
    known.spots.retain(|spot| ids.is_empty() || ids.contains(&spot.id));
    known
}

/// The kernels that the lesson shows, under the device's ceilings.
fn shown(view: &View<'_>) -> Result<Roofline, Missing> {
    Ok(only(view, "kernels", view.ask(ask::Roofline)?))
}

/// The tip for the item under the pointer.
pub(super) fn told(known: &Roofline, tag: Tag) -> Option<String> {
    let Tag::Spot(index) = tag else { return None };
    let spot = known.spots.get(index)?;
    let mut said = format!("{}\n{} FLOP per byte ({})", spot.name, digits3(spot.intensity), spot.bytes.words());
    match spot.flops_per_s {
        Some(rate) => said += &format!("\n{}, {}", si(rate, "FLOP/s"), spot.whence),
        None => {
            let roof = known.roofs.first().and_then(|roof| Some((roof, roof.at(spot.intensity)?)));
            let roof = roof.map(|(roof, rate)| format!("; {} allows {}", roof.name, si(rate, "FLOP/s")));
            said += &format!("\nIt was not measured{}", roof.unwrap_or_default());
        }
    }
    Some(said)
}

fn alt(known: &Roofline) -> String {
    let mut said = "Operations per second over operations per byte.".to_owned();
    for roof in &known.roofs {
        said += &format!(" {}.", roof.words());
    }
    for spot in &known.spots {
        let rate = spot.flops_per_s.map_or("not measured".to_owned(), |rate| si(rate, "FLOP/s"));
        let time = if spot.time == SpotTime::Measured { String::new() } else { format!(", {}", spot.time.words()) };
        said += &format!(" {}: {} FLOP per byte, {rate}{time}.", spot.name, digits3(spot.intensity));
    }
    said
}

static CARD: Card = Card {
    name: "Roofline",
    tab: "Roofline",
    help: "Where the kernels of the ladder stand under the device's ceilings",
    about: "where the kernels of the ladder stand under a device's ceilings",
    clock: Clock::Still,
    fits: |facts| facts.flops,
    needs: "say how many `flops` its work takes",
    args: &[Arg::optional("kernels", ArgKind::Texts, "the ids of the kernels to show; all of the ladder if left out")],
};

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        shown(view).map(|known| frame(view, &known))
    }

    fn tip(&self, view: &View<'_>, _: &Kept, _: Option<usize>, tag: Tag) -> Option<String> {
        told(&shown(view).ok()?, tag)
    }
}

#[cfg(test)]
#[path = "roofline_tests.rs"]
mod tests;
