//! The program's series, one beside the other, as they grow with its rounds.

use super::ask;
use super::figure::{Arg, ArgKind, Card, Clock, Figure, Kept, View};
use super::frame::{Anchor, Frame};
use super::kit::legend::{Key, legend};
use super::palette::{Hue, Ink};
use super::plot::{self, Plot, Point};
use super::results::Missing;

static CARD: Card = Card {
    name: "Rounds",
    tab: "Rounds",
    help: "What the program keeps of each of its rounds",
    about: "what the program keeps of each of its rounds",
    clock: Clock::Rounds,
    fits: |facts| facts.series,
    needs: "give its program a series with `each`",
    args: &[
        Arg::optional("rises", ArgKind::Text, "the series whose rises are marked in all plots"),
        Arg::optional(
            "scaled",
            ArgKind::Texts,
            "series that are multiplied by e^(value before - value now) where the other grows",
        ),
        Arg::optional("together", ArgKind::UpTo(1), "1: all plots have one scale"),
    ],
};

/// The colour of a rise, and the height of its legend.
const RISE: Ink = Ink::Tint(Hue::Accent, 70);
const KEY: f32 = 22.0;

/// The figure.
pub struct Fig;

impl Figure for Fig {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn draw(&self, view: &View<'_>, _: &mut Kept) -> Result<Frame, Missing> {
        view.ask(ask::Rounds).map(|rounds| frame(view, rounds))
    }
}

fn frame(view: &View<'_>, rounds: &[Plot]) -> Frame {
    let mut frame = Frame::new(view.size);
    let [width, height] = view.size;
    let each = width / rounds.len().max(1) as f32;
    let (name, scaled) = (view.picture.text("rises"), view.picture.texts("scaled"));
    let rises = rises(rounds, name, view.position);
    let high = if rises.is_empty() { height } else { height - KEY };
    let together = view.picture.number("together") == Some(1.0);
    let common = if together { reach(rounds, |point| point.y) } else { None };
    for (i, plot) in rounds.iter().enumerate() {
        let (shown, area) = plot::laid_out(&so_far(plot, common, view.position), [each, high]);
        let left = i as f32 * each;
        frame.place(shown, [left, 0.0]);
        let Some(area) = area else { continue };
        let [_, top, _, bottom] = area.rect;
        for rise in &rises {
            let x = left + area.x.place(rise.round);
            frame.line([x, top], [x, bottom], 1.5, RISE, None);
            for series in plot.series.iter().filter(|series| scaled.contains(&series.id)) {
                let Some(before) = series.points.get(rise.before) else { continue };
                let at = [x, area.y.place(before.y * rise.factor)];
                frame.dot(at, 4.5, series.ink, None);
                frame.dot(at, 3.0, Ink::Panel, None);
            }
        }
    }
    if !rises.is_empty() {
        let said = format!("{name} grew");
        let mut keys = vec![Key::new(RISE, &said)];
        let ink = rounds.iter().flat_map(|plot| &plot.series).find(|series| scaled.contains(&series.id));
        let name = "scaled down, before more is added";
        keys.extend(ink.map(|series| Key::new(Ink::Panel, name).edge(series.ink).or("scaled down")));
        legend(&mut frame, 16.0, height - KEY / 2.0, width - 32.0, &keys);
    }
    if rounds.is_empty() {
        let said = "The program has not been traced yet.";
        frame.text([width / 2.0, height / 2.0], 14.0, Anchor::Middle, Ink::Muted, said);
        frame.alt = said.to_owned();
    }
    frame
}

/// A round in which a series grew.
#[derive(Debug, PartialEq)]
struct Rise {
    round: f64,
    /// The index of the point before.
    before: usize,
    /// The exponential of the value before less the value after.
    factor: f64,
}

/// The rounds up to a position of the clock in which a series grew.
fn rises(rounds: &[Plot], name: &str, position: f32) -> Vec<Rise> {
    let series = rounds.iter().flat_map(|plot| &plot.series).find(|series| !name.is_empty() && series.id == name);
    let points = series.map_or(&[][..], |series| &series.points);
    let shown = points.get(..points.len().min(position.max(0.0) as usize + 1)).unwrap_or_default();
    let pairs = shown.windows(2).enumerate().filter(|(_, pair)| pair[1].y > pair[0].y);
    let rise =
        |(before, pair): (usize, &[Point])| Rise { round: pair[1].x, before, factor: (pair[0].y - pair[1].y).exp() };
    pairs.map(rise).collect()
}

/// The number of rounds; 0 before they are traced.
#[must_use]
pub fn count_rounds(rounds: &[Plot]) -> usize {
    rounds.iter().flat_map(|plot| &plot.series).map(|series| series.points.len()).max().unwrap_or(0)
}

/// The least and the greatest value of all points; None without points.
fn reach(plots: &[Plot], of: fn(&Point) -> f64) -> Option<[f64; 2]> {
    let points = plots.iter().flat_map(|plot| &plot.series).flat_map(|series| &series.points);
    points.map(of).fold(None, |reach: Option<[f64; 2]>, value| {
        let [low, high] = reach.unwrap_or([value, value]);
        Some([low.min(value), high.max(value)])
    })
}

/// A series until a position of the clock, on the axes of the whole, or on `common` values. The line grows to the point of the present
/// round.
fn so_far(whole: &Plot, common: Option<[f64; 2]>, position: f32) -> Plot {
    let mut plot = whole.clone();
    let of_whole = std::slice::from_ref(whole);
    plot.x.reach = whole.x.reach.or(reach(of_whole, |point| point.x));
    plot.y.reach = common.or(whole.y.reach).or(reach(of_whole, |point| point.y));
    let (round, share) = (position.max(0.0) as usize, f64::from(position.max(0.0).fract()));
    for series in &mut plot.series {
        let next = series.points.get(round).cloned();
        series.points.truncate(round);
        let Some(next) = next else { continue };
        // The last part of a tick is for looking.
        let share = (share / 0.75).min(1.0);
        let between = |from: f64, to: f64| from + share * (to - from);
        let point = match series.points.last() {
            Some(last) if share < 1.0 => {
                let (x, y) = (between(last.x, next.x), between(last.y, next.y));
                Point { x, y, low: between(last.low, next.low), high: between(last.high, next.high) }
            }
            _ => next,
        };
        series.points.push(point);
    }
    plot
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Scale, Series};

    fn plot() -> Plot {
        let axis = |label: &str| Axis {
            label: label.to_owned(),
            unit: String::new(),
            scale: Scale::Linear,
            ticks: Vec::new(),
            reach: None,
        };
        let points = [(0.0, 8.0), (1.0, 4.0), (2.0, 2.0)];
        let series = Series {
            id: "loss".to_owned(),
            name: "loss".to_owned(),
            ink: Ink::Accent,
            points: points.iter().map(|(x, y)| Point { x: *x, y: *y, low: *y, high: *y }).collect(),
            recorded: false,
        };
        Plot {
            title: "loss by round".to_owned(),
            x: axis("round"),
            y: axis("loss"),
            series: vec![series],
            ceilings: Vec::new(),
            current: None,
            trail: Vec::new(),
        }
    }

    fn shown(position: f32) -> Vec<(f64, f64)> {
        so_far(&plot(), None, position).series[0].points.iter().map(|point| (point.x, point.y)).collect()
    }

    #[test]
    fn a_line_grows_to_the_next_round_on_axes_that_stay() {
        assert_eq!(shown(0.0), [(0.0, 8.0)]);
        assert_eq!(shown(1.375), [(0.0, 8.0), (0.5, 6.0)]);
        assert_eq!(shown(1.99), [(0.0, 8.0), (1.0, 4.0)]);
        assert_eq!(shown(2.99), [(0.0, 8.0), (1.0, 4.0), (2.0, 2.0)]);
        assert_eq!(shown(9.0).len(), 3);
        let early = so_far(&plot(), None, 0.5);
        assert_eq!((early.x.reach, early.y.reach), (Some([0.0, 2.0]), Some([2.0, 8.0])));
    }

    #[test]
    fn rounds_in_which_a_series_grew_are_marked_up_to_now() {
        let mut plot = plot();
        plot.series[0].points[2].y = 6.0;
        let all = [plot];
        assert_eq!(rises(&all, "loss", 2.0), [Rise { round: 2.0, before: 1, factor: (-2.0_f64).exp() }]);
        assert!(rises(&all, "loss", 1.9).is_empty() && rises(&all, "", 2.0).is_empty());
    }

    #[test]
    fn rounds_are_counted_once_there_are_any() {
        assert_eq!((count_rounds(&[]), count_rounds(&[plot()])), (0, 3));
    }
}
