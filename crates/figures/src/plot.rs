//! Curves with their spread: the figures of notes.

use super::frame::{Anchor, Frame, Item};
use super::kit::MARGIN;
use super::kit::axis::{self, Ruler, whole};
use super::palette::{Ink, SERIES};
use super::text;

/// A plot of curves over one quantity.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// Its title.
    pub title: String,
    /// The quantity that was varied.
    pub x: Axis,
    /// The quantity that was found.
    pub y: Axis,
    /// The curves.
    pub series: Vec<Series>,
    /// Upper limits, by name and y.
    pub ceilings: Vec<(String, f64)>,
    /// Where the reader's own settings are.
    pub current: Option<(f64, f64)>,
    /// Where they were before.
    pub trail: Vec<(f64, f64)>,
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity that it shows.
    pub label: String,
    /// Its unit, without prefix; empty for counts.
    pub unit: String,
    /// How values lie on it.
    pub scale: Scale,
    /// The values to mark; none leaves the choice to the plot.
    pub ticks: Vec<f64>,
    /// The range that it covers at least, even if there is nothing to plot.
    pub reach: Option<[f64; 2]>,
}

impl Axis {
    /// The quantity that it shows, with its unit.
    #[must_use]
    pub fn name(&self) -> String {
        match self.unit.as_str() {
            "" => self.label.clone(),
            unit => format!("{} ({unit})", self.label),
        }
    }
}

/// How values lie on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Evenly, from zero.
    Linear,
    /// Evenly by powers of two; values must be positive.
    Log2,
    /// Evenly by powers of ten; values must be positive.
    Log10,
}

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The subject of the curve, by the caller's id.
    pub id: String,
    /// Its name in the legend.
    pub name: String,
    /// Its colour.
    pub ink: Ink,
    /// Its points, in the order of x.
    pub points: Vec<Point>,
    /// Whether it is a recording from elsewhere: drawn in dashes with hollow points, so that it is recognized without its colour.
    pub recorded: bool,
}

impl Series {
    /// Whether its points are squares: its colour is that of an earlier curve.
    #[must_use]
    pub fn is_squared(&self) -> bool {
        matches!(self.ink, Ink::Series(index) if index >= SERIES)
    }
}

/// One point of a curve, with its spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Where.
    pub x: f64,
    /// The middle value.
    pub y: f64,
    /// The low end of the spread.
    pub low: f64,
    /// The high end of the spread.
    pub high: f64,
}

/// Where values lie in a plot's frame.
pub struct Area {
    /// Along the x axis, from left to right.
    pub x: Ruler,
    /// Along the y axis, from its lower end up.
    pub y: Ruler,
    /// Left, top, right and bottom of what the axes enclose.
    pub rect: [f32; 4],
}

/// Draws the plot. An empty one says what will appear.
#[must_use]
pub fn frame(plot: &Plot, size: [f32; 2]) -> Frame {
    laid_out(plot, size).0
}

/// Draws the plot, and says where values lie in it; None where it is empty and its axes are not given.
#[must_use]
pub fn laid_out(plot: &Plot, size: [f32; 2]) -> (Frame, Option<Area>) {
    let mut frame = Frame::new(size);
    let [width, height] = size;
    let title = text::fit(&plot.title, 16.0, false, width - 2.0 * MARGIN);
    frame.text([MARGIN, MARGIN + 10.0], 16.0, Anchor::Start, Ink::Text, title);
    let usable = |axis: &Axis, v: f64| v.is_finite() && (axis.scale == Scale::Linear || v > 0.0);
    let points = || plot.series.iter().flat_map(|s| &s.points).filter(|p| usable(&plot.x, p.x) && usable(&plot.y, p.y));
    if points().next().is_none() && plot.y.reach.is_none() {
        let help = format!("Run the experiment: {} over {} appears here.", plot.y.label, plot.x.label);
        frame.fitted([width / 2.0, height / 2.0], 14.0, Anchor::Middle, Ink::Muted, width - 2.0 * MARGIN, &help);
        frame.alt = format!("{}: no data yet.", plot.title);
        return (frame, None);
    }
    // A curve alone is what the axis says.
    let named = !matches!(&plot.series[..], [series] if series.name == plot.y.label && !series.recorded);
    let names = if named { legend(&mut frame, plot, MARGIN, MARGIN + 36.0) } else { MARGIN + 10.0 };
    let top = names + 44.0;
    let spread = points().flat_map(|p| [p.y, p.low, p.high]).filter(|v| usable(&plot.y, *v));
    let ys: Vec<f64> = spread.chain(plot.ceilings.iter().map(|c| c.1)).filter(|v| usable(&plot.y, *v)).collect();
    let xs: Vec<f64> =
        points().map(|p| p.x).chain(plot.x.ticks.iter().copied()).filter(|v| usable(&plot.x, *v)).collect();
    let bottom = height - MARGIN - 44.0;
    let mut y = Ruler::new(&plot.y, &ys, bottom, top, 48.0);
    let gutter = y.ticks.iter().map(|(_, label)| text::width(label, 12.0, false)).fold(24.0, f32::max) + 12.0;
    let (left, right) = ((MARGIN + gutter).round(), width - MARGIN - 8.0);
    let x = Ruler::new(&plot.x, &xs, left + 8.0, right - 8.0, 64.0);
    y.from = bottom;
    axis::draw(&mut frame, [&x, &y], [left, top, right, bottom], [&plot.x.label, &plot.y.label], false);
    ceilings(&mut frame, plot, &y, left, right);
    for series in &plot.series {
        let shown: Vec<&Point> =
            series.points.iter().filter(|p| usable(&plot.x, p.x) && usable(&plot.y, p.y)).collect();
        for point in &shown {
            let at = x.place(point.x);
            if usable(&plot.y, point.low) && usable(&plot.y, point.high) && point.high > point.low {
                let (low, high) = (y.place(point.low), y.place(point.high));
                frame.line([at, low], [at, high], 1.5, series.ink, None);
                for end in [low, high] {
                    frame.line([at - 4.0, end], [at + 4.0, end], 1.5, series.ink, None);
                }
            }
        }
        let line: Vec<[f32; 2]> = shown.iter().map(|p| [x.place(p.x), y.place(p.y)]).collect();
        if series.recorded {
            line.windows(2).for_each(|ends| dashes(&mut frame, [ends[0], ends[1]], series.ink));
        } else if line.len() > 1 {
            frame.items.push(Item::Polyline { points: line.clone(), width: 2.0, ink: series.ink, tag: None });
        }
        line.into_iter().for_each(|point| dot(&mut frame, point, series));
    }
    if let Some((cx, cy)) = plot.current.filter(|(cx, cy)| usable(&plot.x, *cx) && usable(&plot.y, *cy))
        && x.holds(cx)
        && y.holds(cy)
    {
        let at = [x.place(cx), y.place(cy)];
        frame.dot(at, 8.0, Ink::Accent, None);
        frame.dot(at, 5.5, Ink::Panel, None);
        frame.dot(at, 3.5, Ink::Accent, None);
    }
    frame.alt = alt(plot, &y);
    (frame, Some(Area { x, y, rect: [left, top, right, bottom] }))
}

/// Draws a point of a curve: filled, or hollow where it was recorded.
fn dot(frame: &mut Frame, at: [f32; 2], series: &Series) {
    if series.is_squared() {
        let square = |half: f32| [at[0] - half, at[1] - half, 2.0 * half, 2.0 * half];
        frame.fill(square(3.2), 0.0, series.ink, None);
        if series.recorded {
            frame.fill(square(1.7), 0.0, Ink::Panel, None);
        }
    } else if series.recorded {
        frame.dot(at, 3.5, series.ink, None);
        frame.dot(at, 2.0, Ink::Panel, None);
    } else {
        frame.dot(at, 4.5, Ink::Panel, None);
        frame.dot(at, 3.5, series.ink, None);
    }
}

/// Draws a straight line in dashes.
pub(super) fn dashes(frame: &mut Frame, [from, to]: [[f32; 2]; 2], ink: Ink) {
    const DASH: f32 = 5.0;
    const GAP: f32 = 3.0;
    let along = [to[0] - from[0], to[1] - from[1]];
    let length = along[0].hypot(along[1]);
    let at = |d: f32| [from[0] + along[0] * d / length, from[1] + along[1] * d / length];
    let mut d = 0.0;
    while d < length {
        frame.line(at(d), at((d + DASH).min(length)), 1.5, ink, None);
        d += DASH + GAP;
    }
}

/// Draws the curves' names, in as many rows as they need, and gives the y where they end.
fn legend(frame: &mut Frame, plot: &Plot, margin: f32, mut y: f32) -> f32 {
    let mut x = margin;
    for series in &plot.series {
        let room = frame.width - 2.0 * margin - 24.0;
        let name = text::fit(&series.name, 13.0, false, room);
        let wide = 24.0 + text::width(&name, 13.0, false) + 24.0;
        if x > margin && x + wide - 24.0 > frame.width - margin {
            x = margin;
            y += 20.0;
        }
        if series.recorded {
            dashes(frame, [[x, y], [x + 16.0, y]], series.ink);
        } else {
            frame.line([x, y], [x + 16.0, y], 2.0, series.ink, None);
        }
        dot(frame, [x + 8.0, y], series);
        frame.text([x + 24.0, y], 13.0, Anchor::Start, Ink::Text, name);
        x += wide;
    }
    y
}

/// Draws each ceiling as dashes with its name above the right end, or below where another name is in the way.
fn ceilings(frame: &mut Frame, plot: &Plot, y: &Ruler, left: f32, right: f32) {
    let mut taken: Vec<f32> = Vec::new();
    for (name, value) in plot.ceilings.iter().filter(|(_, value)| y.holds(*value)) {
        let at = y.place(*value);
        let mut x = left;
        while x < right {
            frame.line([x, at], [(x + 6.0).min(right), at], 1.5, Ink::Muted, None);
            x += 10.0;
        }
        let label = text::fit(&format!("{name}: {}", y.write(*value)), 12.0, false, right - left);
        let free = [at - 9.0, at + 10.0]
            .into_iter()
            .find(|label| *label >= y.to && taken.iter().all(|other| (other - label).abs() >= 15.0));
        if let Some(label_y) = free {
            frame.text([right, label_y], 12.0, Anchor::End, Ink::Muted, label);
            taken.push(label_y);
        }
    }
}

fn alt(plot: &Plot, y: &Ruler) -> String {
    let mut out = format!("{}: {} over {}.", plot.title, plot.y.label, plot.x.label);
    for series in &plot.series {
        if let (Some(first), Some(last)) = (series.points.first(), series.points.last()) {
            out += &format!(
                " {}: {} at {}, {} at {}.",
                series.name,
                y.write(first.y),
                whole(first.x),
                y.write(last.y),
                whole(last.x)
            );
        }
    }
    for (name, value) in &plot.ceilings {
        out += &format!(" Ceiling, {name}: {}.", y.write(*value));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        let axis = |label: &str, unit: &str, scale| Axis {
            label: label.into(),
            unit: unit.into(),
            scale,
            ticks: vec![],
            reach: None,
        };
        let curve = |name: &str, ink, top: f64| Series {
            recorded: false,
            id: name.to_owned(),
            name: name.into(),
            ink,
            points: [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
                .map(|x: f64| Point { x, y: top / x, low: 0.9 * top / x, high: 1.1 * top / x })
                .to_vec(),
        };
        Plot {
            title: "Bytes per second over stride".into(),
            x: axis("stride", "", Scale::Log2),
            y: axis("useful bytes per second", "B/s", Scale::Linear),
            series: vec![curve("strided", Ink::Series(0), 3e12), curve("a much longer name", Ink::Series(1), 2e12)],
            ceilings: vec![("device copy".into(), 3.05e12), ("copy kernel".into(), 3.0e12), ("third".into(), 2.99e12)],
            current: Some((2.0, 1.5e12)),
            trail: Vec::new(),
        }
    }

    fn texts(frame: &Frame) -> Vec<&str> {
        let items = frame.items.iter();
        items.filter_map(|item| if let Item::Text { text, .. } = item { Some(text.as_str()) } else { None }).collect()
    }

    #[test]
    fn a_plot_fits_its_frame_and_its_texts_keep_apart() {
        for scale in [Scale::Linear, Scale::Log2, Scale::Log10] {
            for size in [[320.0, 240.0], [420.0, 300.0], [1200.0, 700.0]] {
                let mut plot = plot();
                plot.y.scale = scale;
                let frame = frame(&plot, size);
                let mut seen: Vec<[f32; 4]> = Vec::new();
                for item in &frame.items {
                    let b = item.bounds();
                    let inside = b[0] >= -0.5 && b[1] >= -0.5 && b[0] + b[2] <= size[0] && b[1] + b[3] <= size[1];
                    assert!(inside, "{size:?}: {item:?}");
                    if matches!(item, Item::Text { .. }) {
                        let apart = |a: &[f32; 4]| {
                            a[0] + a[2] <= b[0]
                                || b[0] + b[2] <= a[0]
                                || a[1] + a[3] <= b[1] + 2.0
                                || b[1] + b[3] <= a[1] + 2.0
                        };
                        assert!(seen.iter().all(apart), "{size:?}: {item:?}");
                        seen.push(b);
                    }
                }
            }
        }
    }

    #[test]
    fn marks_are_round_and_the_unit_is_written_once() {
        let plot = plot();
        let frame = frame(&plot, [720.0, 420.0]);
        let texts = texts(&frame);
        for expected in ["useful bytes per second (TB/s)", "0", "1", "2", "3", "32", "device copy: 3.05 TB/s"] {
            assert!(texts.contains(&expected), "{expected} in {texts:?}");
        }
        assert!(frame.alt.contains("strided: 3.00 TB/s at 1"), "{}", frame.alt);
    }

    #[test]
    fn odd_data_draw_what_can_be_drawn() {
        let mut plot = plot();
        plot.y.scale = Scale::Log2;
        for point in &mut plot.series[0].points {
            (point.y, point.low, point.high) = (f64::NAN, 0.0, f64::INFINITY);
        }
        plot.series[1].points.truncate(1);
        plot.ceilings.push(("never".into(), f64::NAN));
        plot.ceilings.push(("below".into(), -1.0));
        let finite = |frame: &Frame| frame.items.iter().all(|item| item.bounds().iter().all(|v| v.is_finite()));
        assert!(finite(&frame(&plot, [420.0, 300.0])));
        plot.series.clear();
        let empty = frame(&plot, [420.0, 300.0]);
        assert!(texts(&empty).iter().any(|text| text.starts_with("Run the experiment")));
    }
}
