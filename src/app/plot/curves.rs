//! The curves of a plot, drawn: spread, ceilings, the learner's own point, and each curve's name at its end where there
//! is room.

use egui::{RichText, Ui, vec2};
use egui_plot::{
    AxisHints, GridMark, HLine, HoverPosition, Line, LineStyle, MarkerShape, Plot as EguiPlot, PlotPoint, PlotPoints,
    PlotTransform, Points,
};

use super::axes::{along, apart, axis_figure, decades, rising, tick, value, zoomed};
use super::clicked;
use crate::app::theme;
use crate::base::units::number;
use crate::figures::palette::Ink;
use crate::figures::plot::{Plot, Scale, Series};
use crate::session::experiment::chart;

/// The least width of a plot whose curves are labelled at their ends, in points.
const WIDE: f32 = 400.0;
/// From one label to the next, in points.
const APART: f32 = 15.0;
/// The most of a plot's width that labels take.
const SHARE: f32 = 0.36;

/// Whether there is room to label the curves at their ends.
#[must_use]
pub(super) fn are_labelled(plot: &Plot, room: egui::Vec2) -> bool {
    let count = plot.series.iter().filter(|s| !s.points.is_empty()).count();
    #[expect(clippy::cast_precision_loss, reason = "a few curves")]
    let high = count as f32 * APART + 84.0;
    count > 1 && room.x >= WIDE && room.y >= high
}

/// The least width and height of a plot, in points.
const LEAST_SIZE: f32 = 24.0;

/// Draws a plot; `details` are what hovering a point adds, by series and x.
pub(super) fn draw(
    ui: &mut Ui,
    id: &str,
    plot: &Plot,
    details: Vec<(String, f64, String)>,
    (at_ends, is_low): (bool, bool),
) {
    let theme = theme::of(ui);
    let (lowest, highest) = reach(plot);
    // Nothing has been found yet, or something that has no logarithm.
    let is_log = plot.y.scale == Scale::Log10 && lowest > 0.0 && lowest.is_finite();
    let (scale_x, scale_y) = (plot.x.scale, if is_log { Scale::Log10 } else { Scale::Linear });
    let ticks: Vec<f64> = plot.x.ticks.iter().map(|t| along(scale_x, *t)).collect();
    let unit = plot.y.unit.clone();
    let y_label =
        move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| axis_figure(value(scale_y, mark.value), &unit);
    let x_label = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| tick(value(scale_x, mark.value));
    let (unit_x, unit_y) = (plot.x.unit.clone(), plot.y.unit.clone());
    let names: Vec<(String, String)> = plot.series.iter().map(|s| (s.id.clone(), s.name.clone())).collect();
    let hover = move |position: &HoverPosition<'_>| match position {
        HoverPosition::NearDataPoint { plot_name, position, .. } => {
            let x = value(scale_x, position.x);
            let id = names.iter().find(|(_, name)| name == plot_name).map(|(id, _)| id.as_str()).unwrap_or_default();
            let detail =
                details.iter().find(|(kernel, at, _)| kernel == id && *at == x).map(|(.., text)| text.as_str());
            let figure = axis_figure(value(scale_y, position.y), &unit_y);
            Some(format!("{plot_name}\n{} {unit_x}: {figure}{}", number(x), detail.unwrap_or_default()))
        }
        HoverPosition::Elsewhere { .. } => None,
    };
    let room = ui.available_size();
    let tick_labels: Vec<String> = plot.x.ticks.iter().map(|t| tick(*t)).collect();
    let ends = ticks.iter().copied().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
    let labels = if at_ends { labels(ui, plot, scale_y, (room.x * SHARE).min(240.0)) } else { Vec::new() };
    let widest = labels.iter().map(|label| label.galley.size().x + 14.0).fold(0.0, f32::max);
    // The width that the marks of the y axis leave: the widest are as wide as "800 TFLOP/s".
    let drawn = (room.x - 96.0).max(1.0);
    // Room at both ends for the labels of the first and the last mark, and for the curves' names.
    let share = f64::from((widest / drawn).clamp(0.0, 0.6));
    let right = (1.1 * share / (1.0 - share)).max(0.14);
    let x_marks = apart(&ticks, &tick_labels, ends, (room.x - 96.0 - widest).max(1.0));
    let log_ends = (lowest.log10().floor(), highest.log10().ceil());
    let y_marks = if is_log { decades(log_ends, room.y - 48.0) } else { rising(highest, room.y - 48.0) };
    let (bottom, top) = if is_log { (log_ends.0, log_ends.1) } else { (0.0, highest * 1.08) };
    let mut x_axis = AxisHints::new_x().formatter(x_label);
    // A plot this low needs the line for itself; its legend has the name.
    if !is_low {
        x_axis = x_axis.label(RichText::new(plot.x.name()).size(theme::SMALL));
    }
    let y_axis = AxisHints::new_y().formatter(y_label);
    let shown = EguiPlot::new(id.to_owned())
        .id(super::id(id, &plot.title))
        .allow_scroll(false)
        .min_size(vec2(LEAST_SIZE, LEAST_SIZE))
        .show_grid([false, true])
        .include_y(bottom)
        .include_y(top)
        .include_x(ends.0 - 0.1 * (ends.1 - ends.0))
        .include_x(ends.1 + right * (ends.1 - ends.0))
        .set_margin_fraction(vec2(0.0, 0.04))
        .grid_color(theme::color(theme, Ink::Faint))
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .x_grid_spacer(move |input| zoomed(&x_marks, input.bounds))
        .y_grid_spacer(move |input| zoomed(&y_marks, input.bounds))
        .label_formatter(hover)
        .show(ui, |p| {
            let at = |x: f64, y: f64| [along(scale_x, x), along(scale_y, y)];
            for (name, y) in &plot.ceilings {
                let color = theme::color(theme, Ink::Muted);
                p.hline(HLine::new(name.clone(), along(scale_y, *y)).color(color).style(LineStyle::dashed_loose()));
            }
            for series in &plot.series {
                let color = theme::color(theme, series.ink);
                let points: Vec<[f64; 2]> = series.points.iter().map(|q| at(q.x, q.y)).collect();
                let style = if series.recorded { LineStyle::dashed_dense() } else { LineStyle::Solid };
                let line = Line::new(series.name.clone(), PlotPoints::from(points.clone())).style(style);
                p.line(line.color(color).width(1.5));
                let marks = Points::new(series.name.clone(), PlotPoints::from(points)).filled(!series.recorded);
                let shape = if series.is_squared() { MarkerShape::Square } else { MarkerShape::Circle };
                p.points(marks.color(color).radius(3.0).shape(shape));
                for q in series.points.iter().filter(|q| q.high > q.low) {
                    let bar = PlotPoints::from(vec![at(q.x, q.low), at(q.x, q.high)]);
                    p.line(Line::new(series.name.clone(), bar).color(color).width(3.0).allow_hover(false));
                }
            }
            let accent = theme::color(theme, Ink::Accent);
            let diamond = |name: &'static str, (x, y): (f64, f64)| {
                let [x, y] = at(x, y);
                let there = PlotPoints::Owned(vec![PlotPoint::new(x, y)]);
                Points::new(name, there).color(accent).shape(MarkerShape::Diamond)
            };
            for point in &plot.trail {
                p.points(diamond("settings before", *point).filled(false).radius(4.0));
            }
            if let Some(point) = plot.current {
                p.points(diamond("your settings", point).radius(6.0));
            }
        });
    if let Some((x, y)) = plot.current {
        let there = shown.transform.position_from_point(&PlotPoint::new(along(scale_x, x), along(scale_y, y)));
        at_diamond(ui, there, shown.response.rect, &axis_figure(y, &plot.y.unit));
    }
    name_ends(ui, plot, &shown.transform, labels);
    if shown.response.clicked() {
        ui.data_mut(|d| d.insert_temp(clicked(), true));
    }
}

/// Writes the value at the diamond beside it, on the side that has room.
fn at_diamond(ui: &Ui, there: egui::Pos2, room: egui::Rect, value: &str) {
    let theme = theme::of(ui);
    let font = theme::medium(theme::SMALL);
    let text = ui.painter().layout_no_wrap(value.to_owned(), font, theme::color(theme, Ink::Accent));
    let size = text.size();
    let x = if there.x + 12.0 + size.x < room.max.x { there.x + 12.0 } else { there.x - 12.0 - size.x };
    let y = if there.y - 10.0 - size.y > room.min.y { there.y - 10.0 - size.y } else { there.y + 10.0 };
    let rect = egui::Rect::from_min_size(egui::pos2(x, y), size);
    ui.painter().rect_filled(rect.expand(2.0), 3.0, ui.visuals().panel_fill);
    ui.painter().galley(rect.min, text, theme::color(theme, Ink::Accent));
}

/// The least and the greatest y of all that is drawn.
fn reach(plot: &Plot) -> (f64, f64) {
    let points = plot.series.iter().flat_map(|s| s.points.iter().flat_map(|p| [p.low.min(p.y), p.high.max(p.y)]));
    let others = plot.ceilings.iter().map(|c| c.1).chain(plot.current.iter().chain(&plot.trail).map(|c| c.1));
    points.chain(others).fold((f64::INFINITY, 0.0), |(low, high), y| (f64::min(low, y), f64::max(high, y)))
}

/// A curve's name, and where the curve ends.
struct Label {
    galley: std::sync::Arc<egui::Galley>,
    end: [f64; 2],
}

/// The names of the curves, each at most that wide.
fn labels(ui: &Ui, plot: &Plot, scale_y: Scale, width: f32) -> Vec<Label> {
    let theme = theme::of(ui);
    let font = egui::FontId::proportional(theme::SMALL);
    let own = |series: &Series| plot.series.iter().any(|s| !s.recorded && s.ink == series.ink && !s.points.is_empty());
    let label = |series: &Series| {
        let end = series.points.last()?;
        // Beside the learner's own curve the recorded one says that it is one.
        let name = if own(series) { series.name.as_str() } else { chart::plain_name(&series.name) };
        let ink = theme::color(theme, series.ink);
        let mut job = egui::text::LayoutJob::simple_singleline(name.to_owned(), font.clone(), ink);
        job.wrap = egui::text::TextWrapping::truncate_at_width(width);
        let end = [along(plot.x.scale, end.x), along(scale_y, end.y)];
        Some(Label { galley: ui.fonts_mut(|fonts| fonts.layout_job(job)), end })
    };
    plot.series.iter().filter_map(label).collect()
}

/// Writes the names to the right of the last points, apart from each other, in the order of the curves' ends.
fn name_ends(ui: &Ui, plot: &Plot, transform: &PlotTransform, mut labels: Vec<Label>) {
    let frame = *transform.frame();
    let position = |end: [f64; 2]| transform.position_from_point(&PlotPoint::new(end[0], end[1]));
    // The end of a curve may be out of sight in a plot that is zoomed.
    labels.retain(|label| label.end.iter().all(|v| v.is_finite()) && frame.contains(position(label.end)));
    labels.sort_by(|a, b| b.end[1].total_cmp(&a.end[1]));
    let ends: Vec<egui::Pos2> = labels.iter().map(|label| position(label.end)).collect();
    let last = plot.x.ticks.last().copied().unwrap_or_default();
    let right = position([along(plot.x.scale, last), 0.0]).x;
    let painter = ui.painter_at(frame);
    let half = APART / 2.0;
    let heights = spread(&ends.iter().map(|end| end.y).collect::<Vec<_>>(), (frame.min.y + half, frame.max.y - half));
    for ((label, end), y) in labels.into_iter().zip(ends).zip(heights) {
        let at = egui::pos2(right + 14.0, y);
        let color = label.galley.job.sections.first().map_or(egui::Color32::GRAY, |s| s.format.color);
        painter.line_segment([end + vec2(5.0, 0.0), at - vec2(2.0, 0.0)], (0.5, color));
        painter.galley(at - vec2(0.0, label.galley.size().y / 2.0), label.galley, color);
    }
}

/// Moves the `wanted` heights, which rise, at least [`APART`] from each other within `room`: a pass forward pushes them
/// apart, a pass backward brings them inside.
fn spread(wanted: &[f32], room: (f32, f32)) -> Vec<f32> {
    let mut heights = wanted.to_vec();
    let mut least = room.0;
    for height in &mut heights {
        *height = height.max(least);
        least = *height + APART;
    }
    let mut most = room.1;
    for height in heights.iter_mut().rev() {
        *height = height.min(most);
        most = *height - APART;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_at_ends_keep_apart_and_within() {
        let apart = spread(&[10.0, 11.0, 12.0, 90.0, 99.0], (0.0, 100.0));
        assert!(apart.windows(2).all(|pair| pair[1] - pair[0] >= APART), "{apart:?}");
        assert!(apart[0] >= 0.0 && apart[4] <= 100.0, "{apart:?}");
        assert_eq!(spread(&[10.0, 50.0], (0.0, 100.0)), [10.0, 50.0], "what is apart stays");
        assert_eq!(spread(&[], (0.0, 100.0)), Vec::<f32>::new());
    }
}
