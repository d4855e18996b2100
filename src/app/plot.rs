//! The measured plot: the experiment in the step, with spread, ceiling and the learner's own point.

use egui::{RichText, Ui};
use egui_plot::{
    AxisHints, GridMark, HLine, Line, LineStyle, MarkerShape, Plot as EguiPlot, PlotPoint, PlotPoints, Points,
};

use super::trail::Trail;
use super::{recorded, theme};
use crate::base::units::{digits3, number, si};
use crate::lesson::Curve;
use crate::measure::stats::{quantile, sorted};
use crate::scene::palette::{Hue, Ink};
use crate::scene::plot::{Plot, Scale, Series};
use crate::session::chart;
use crate::session::desk::state::State;
use crate::session::desk::{Command, Work};
use crate::session::output::KernelOutput;
use crate::session::recording::Of;
use crate::session::sweep::{self, Sweep};
use crate::trace::record::Backend;

/// Room for two plots beside each other, in points.
const TWO_PLOTS: f32 = 560.0;

/// A plot lower than this, in points, has no room for the name of its x axis.
const LOW: f32 = 120.0;

/// Shows the pane.
pub fn show(ui: &mut Ui, state: &State, trail: &mut Trail) -> Vec<Command> {
    let (Some(lesson), Some(experiment)) = (state.place.lesson.clone(), state.place.experiment()) else {
        super::empty(ui, "This step has no experiment.");
        return Vec::new();
    };
    let over = experiment.over.clone();
    let sweep = state.sweep();
    let differences = sweep.map(|s| state.differences(s)).unwrap_or_default();
    let traced = sweep.map_or(state.measuring_backend().is_none(), |s| s.backend == Backend::Simt);
    let traced = traced || experiment.quantity.is_traced();
    let asked = sweep.map(|s| state.asked_settings(s)).unwrap_or_default();
    // The diamond is a point of the curves: of the one that is on the bench.
    let on_bench = |curve: &&Curve| {
        curve.variant == state.place.variant && curve.pass.as_ref().is_none_or(|pass| *pass == state.place.pass)
    };
    let curve = experiment.curves.iter().find(on_bench).filter(|_| differences.is_empty() && asked.is_empty());
    let current = curve.and_then(|curve| current(state, curve, traced));
    let x = state.place.params.get(&over).copied().unwrap_or_default();
    // A sweep at these settings has measured the same point, with more samples.
    let swept = sweep.zip(curve).and_then(|(s, curve)| s.points.iter().find(|p| p.x == x && p.kernel.id == curve.id));
    let current = current.as_ref().map(|k| (x, swept.map_or(k, |point| &point.kernel)));
    let mut plot = chart::plot(&lesson, experiment, sweep, state.found.ceilings.as_ref(), current, !traced);
    let others = state.place.params.iter().filter(|(id, _)| **id != over).map(|(id, value)| format!("{id}={value}"));
    let of = format!("{}/{} {}", experiment.id, state.place.variant, others.collect::<Vec<_>>().join(" "));
    trail.visit(of, plot.current);
    plot.trail = trail.points().to_vec();
    if !differences.is_empty() {
        // Another setting's curve stays for comparison, and says whose it is.
        plot.series.iter_mut().for_each(|s| s.ink = Ink::Idle);
    }
    ui.spacing_mut().item_spacing.y = 4.0;
    let mut all = state.recorded();
    if state.is_undecided() {
        all.clear();
    }
    let chosen = state.chosen_recording(&all);
    let mut details = sweep.map(details).unwrap_or_default();
    let shown = chosen.map(|i| all[i]);
    let theirs = shown.map(|(_, shown)| chart::recorded(&lesson, experiment, shown)).filter(|p| !p.series.is_empty());
    if let (Some((recording, shown)), Some(_)) = (shown, &theirs) {
        details.extend(self::details(&shown.sweep).into_iter().map(|(kernel, x, text)| {
            let (name, driver) = (recording.name(), &recording.driver);
            (chart::recorded_id(&kernel), x, format!("{text}\nrecorded on {name}, driver {driver}"))
        }));
    }
    let own = plot.series.iter().any(|s| !s.points.is_empty()) || plot.current.is_some();
    let apart = own && theirs.as_ref().is_some_and(|theirs| !chart::share_axes(&plot, theirs));
    let turns = (apart && ui.available_width() < TWO_PLOTS).then_some((experiment.id.as_str(), sweep.is_some()));
    let (commands, their_turn) = title(ui, state, &plot.title, &all, chosen, turns);
    let Some(theirs) = theirs else {
        if own {
            legend(ui, &plot);
            provenance(ui, &plot, sweep, (&asked, &differences));
            draw(ui, "measured", &plot, details);
        } else {
            let waits = if state.is_undecided() { " Recorded curves come with your prediction." } else { "" };
            let text = if runs_here(state) {
                format!("Run the experiment: {} over {} appears here.{waits}", plot.y.label, plot.x.label)
            } else {
                "These kernels need an NVIDIA GPU with CUDA, and no recording has their curves.".to_owned()
            };
            super::empty(ui, &text);
        }
        shown
            .filter(|(_, shown)| !shown.changed.is_empty())
            .into_iter()
            .for_each(|s| recorded::provenance(ui, state, s));
        return commands;
    };
    let Some(shown) = shown else { return commands };
    if !own {
        legend(ui, &theirs);
        recorded::provenance(ui, state, shown);
        draw(ui, "recorded", &theirs, details);
    } else if !apart {
        plot.series.extend(theirs.series);
        legend(ui, &plot);
        provenance(ui, &plot, sweep, (&asked, &differences));
        recorded::provenance(ui, state, shown);
        draw(ui, "measured", &plot, details);
    } else if turns.is_none() {
        // On the same axes one of them would be a line at the bottom, or another quantity.
        ui.columns(2, |columns| {
            let [left, right] = columns else { return };
            legend(left, &plot);
            provenance(left, &plot, sweep, (&asked, &differences));
            draw(left, "measured", &plot, details.clone());
            legend(right, &theirs);
            recorded::provenance(right, state, shown);
            draw(right, "recorded", &theirs, details);
        });
    } else if their_turn {
        legend(ui, &theirs);
        recorded::provenance(ui, state, shown);
        draw(ui, "recorded", &theirs, details);
    } else {
        legend(ui, &plot);
        provenance(ui, &plot, sweep, (&asked, &differences));
        draw(ui, "measured", &plot, details);
    }
    commands
}

/// The plot's title, and the choice of what is beside the learner's own curves; where both take `turns` (see [`recorded::turn`]), whether it is
/// the recording's.
fn title(
    ui: &mut Ui,
    state: &State,
    title: &str,
    recorded: &[Of<'_>],
    chosen: Option<usize>,
    turns: Option<(&str, bool)>,
) -> (Vec<Command>, bool) {
    let text = egui::Label::new(RichText::new(title).font(theme::medium(theme::UI))).truncate();
    if ui.available_width() < TWO_PLOTS || recorded.is_empty() {
        let mut commands = titled(ui, text, |ui| run_button(ui, state));
        if recorded.is_empty() {
            return (commands, false);
        }
        let choose = |ui: &mut Ui| {
            ui.spacing_mut().item_spacing.x = 4.0;
            let command = recorded::chooser(ui, recorded, chosen, turns.is_none());
            (command, turns.is_some_and(|(id, swept)| recorded::turn(ui, id, swept)))
        };
        let (command, theirs) = ui.horizontal(choose).inner;
        commands.extend(command);
        return (commands, theirs);
    }
    let choose = |ui: &mut Ui| run_button(ui, state).or(recorded::chooser(ui, recorded, chosen, true));
    (titled(ui, text, choose), false)
}

/// A title, and what is at the right end of its line.
fn titled(ui: &mut Ui, text: egui::Label, end: impl FnOnce(&mut Ui) -> Option<Command>) -> Vec<Command> {
    let row = egui::vec2(ui.available_width(), 22.0);
    let both = |ui: &mut Ui| {
        let command = end(ui);
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| ui.add(text));
        command
    };
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    ui.allocate_ui_with_layout(row, layout, both).inner.into_iter().collect()
}

/// What stands on the y axis and whose curves these are: what ran them, which settings the experiment `asked` for, and in what else they
/// differ from the settings as they are now.
fn provenance(ui: &mut Ui, plot: &Plot, sweep: Option<&Sweep>, (asked, differences): (&[String], &[String])) {
    let theme = theme::of(ui);
    let mut text = plot.y.label.clone();
    let mut ink = Ink::Muted;
    if let Some(sweep) = sweep {
        if !differences.is_empty() {
            text = format!("not of your settings: {}", differences.join(", "));
            ink = Hue::Store.ink();
        } else if sweep.points.len() < sweep.total {
            text.push_str(&format!(", {} of {} points", sweep.points.len(), sweep.total));
        }
        if differences.is_empty() && sweep.left_out.is_some() {
            text.push_str(", larger ones need a GPU");
        }
        if differences.is_empty() && !asked.is_empty() {
            text.push_str(&format!(", at {}", asked.join(", ")));
        }
    }
    let label = egui::Label::new(RichText::new(text).size(theme::SMALL).color(theme::color(theme, ink))).truncate();
    let response = ui.add(label);
    if let Some(sweep) = sweep {
        let how = if sweep.backend == Backend::Simt { "traced by" } else { "measured on" };
        let left_out = sweep.left_out.as_ref().map(|why| format!("\n{}", why.message)).unwrap_or_default();
        response.on_hover_text(format!("{how} {}{left_out}", sweep.device));
    }
}

/// What each colour means, in one wrapped row.
fn legend(ui: &mut Ui, plot: &Plot) {
    let theme = theme::of(ui);
    // A recorded curve has its kernel's colour, and a line below says what dashes mean.
    let own = |ink: Ink| plot.series.iter().any(|s| !s.recorded && s.ink == ink);
    let listed: Vec<&Series> = plot.series.iter().filter(|s| !s.recorded || !own(s.ink)).collect();
    let entries =
        listed.iter().map(|s| (s.name.as_str(), s.ink, Mark::Curve { recorded: s.recorded, squares: s.is_squared() }));
    let spread = plot.series.iter().any(|s| s.points.iter().any(|p| p.high > p.low));
    let spread = (spread && ui.available_height() > LOW).then_some(("p10–p90", Ink::Muted, Mark::Spread));
    let ceilings = plot.ceilings.iter().map(|(name, _)| (name.as_str(), Ink::Muted, Mark::Dashes));
    let here = plot.current.map(|_| ("your settings", Ink::Accent, Mark::Diamond));
    ui.spacing_mut().interact_size.y = 18.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(12.0, 0.0);
        for (name, ink, mark) in entries.chain(spread).chain(ceilings).chain(here) {
            let font = egui::FontId::proportional(theme::SMALL);
            let short = chart::plain_name(name).to_owned();
            let text = ui.painter().layout_no_wrap(short, font, theme::color(theme, Ink::Muted));
            let size = egui::vec2(22.0 + text.size().x, 18.0);
            let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, name));
            mark.draw(ui.painter(), rect.left_center(), theme::color(theme, ink));
            let at = egui::pos2(rect.min.x + 22.0, rect.center().y - text.size().y / 2.0);
            ui.painter().galley(at, text, theme::color(theme, Ink::Muted));
        }
    });
}

/// How a line of the legend is marked.
#[derive(Clone, Copy)]
pub enum Mark {
    /// As a curve, own or recorded, with dots or squares.
    Curve {
        /// Whether it is dashed and hollow.
        recorded: bool,
        /// Whether its points are squares.
        squares: bool,
    },
    /// As the bar from the tenth to the ninetieth percentile.
    Spread,
    /// As a ceiling.
    Dashes,
    /// As the learner's own point.
    Diamond,
}

impl Mark {
    /// Draws it 16 points wide, `at` its left end.
    pub fn draw(self, painter: &egui::Painter, at: egui::Pos2, color: egui::Color32) {
        let stroke = egui::Stroke::new(1.5, color);
        let (from, to) = (at, at + egui::vec2(16.0, 0.0));
        match self {
            Self::Curve { recorded, squares } => {
                let fill = if recorded {
                    painter.extend(egui::Shape::dashed_line(&[from, to], stroke, 4.0, 3.0));
                    painter.ctx().style_of(painter.ctx().theme()).visuals.panel_fill
                } else {
                    painter.line_segment([from, to], stroke);
                    color
                };
                let middle = at + egui::vec2(8.0, 0.0);
                if squares {
                    let square = egui::Rect::from_center_size(middle, egui::vec2(6.0, 6.0));
                    painter.rect(square, 0.0, fill, stroke, egui::StrokeKind::Middle);
                } else {
                    painter.circle(middle, 3.0, fill, stroke);
                }
            }
            Self::Spread => {
                let c = at + egui::vec2(8.0, 0.0);
                painter
                    .line_segment([c - egui::vec2(0.0, 5.0), c + egui::vec2(0.0, 5.0)], egui::Stroke::new(3.0, color));
            }
            Self::Dashes => painter.extend(egui::Shape::dashed_line(&[from, to], stroke, 4.0, 2.0)),
            Self::Diamond => {
                let c = at + egui::vec2(8.0, 0.0);
                let corners = [(0.0, -5.0), (5.0, 0.0), (0.0, 5.0), (-5.0, 0.0)];
                let points = corners.map(|(x, y)| c + egui::vec2(x, y)).to_vec();
                painter.add(egui::Shape::convex_polygon(points, color, egui::Stroke::NONE));
            }
        }
    }
}

/// Whether what acts as the device, or the tracer, runs a kernel of the experiment.
fn runs_here(state: &State) -> bool {
    let (Some(lesson), Some(experiment)) = (&state.place.lesson, state.place.experiment()) else { return false };
    let backend = if experiment.quantity.is_traced() { None } else { state.measuring_backend() };
    sweep::curves_of(lesson, experiment, backend.unwrap_or(Backend::Simt)).next().is_some()
}

/// Runs the experiment.
fn run_button(ui: &mut Ui, state: &State) -> Option<Command> {
    let running = state.activities.get(&Work::Device).is_some_and(|a| a.progress.is_some());
    let ready = state.acting_device().is_some() && runs_here(state) && !running;
    let response = ui.add_enabled(ready, egui::Button::new("Run"));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, ready, "Run experiment"));
    response.on_hover_text("Run every point of the plot (Ctrl+R)").clicked().then_some(Command::RunExperiment)
}

/// What is on the bench as a point of its curve: traced, or measured, as far as its samples go.
fn current(state: &State, curve: &Curve, traced: bool) -> Option<KernelOutput> {
    let place = curve.pass.as_ref().map(|_| state.place.pass());
    if traced {
        return Some(KernelOutput::of(&curve.id, state.traced()?.record.as_ref()?, place));
    }
    let measured = state.found.measured.get(&state.place.variant.program)?;
    match &measured.record {
        Some(record) => Some(KernelOutput::of(&curve.id, record, place)),
        None if measured.samples.is_empty() || place.is_some() => None,
        None => Some(KernelOutput::sampled(&curve.id, measured.work, quantile(&sorted(&measured.samples), 0.5))),
    }
}

/// Draws a plot; `details` are what hovering a point adds, by series and x.
fn draw(ui: &mut Ui, id: &str, plot: &Plot, details: Vec<(String, f64, String)>) {
    let theme = theme::of(ui);
    let log = plot.x.scale == Scale::Log2;
    let along = |x: f64| if log { x.log2() } else { x };
    let ticks: Vec<f64> = plot.x.ticks.iter().map(|t| along(*t)).collect();
    let unit = plot.y.unit.clone();
    let y_label = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| axis_figure(mark.value, &unit);
    let x_label = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
        tick(if log { mark.value.exp2().round() } else { mark.value })
    };
    let highest = plot
        .series
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p.high.max(p.y)))
        .chain(plot.ceilings.iter().map(|c| c.1))
        .chain(plot.current.iter().chain(&plot.trail).map(|c| c.1))
        .fold(0.0, f64::max);
    let (unit_x, unit_y) = (plot.x.unit.clone(), plot.y.unit.clone());
    let names: Vec<(String, String)> = plot.series.iter().map(|s| (s.id.clone(), s.name.clone())).collect();
    let hover = move |position: &egui_plot::HoverPosition<'_>| match position {
        egui_plot::HoverPosition::NearDataPoint { plot_name, position, .. } => {
            let x = if log { position.x.exp2().round() } else { position.x };
            let id = names.iter().find(|(_, name)| name == plot_name).map(|(id, _)| id.as_str()).unwrap_or_default();
            let detail =
                details.iter().find(|(kernel, at, _)| kernel == id && *at == x).map(|(.., text)| text.as_str());
            let figure = axis_figure(position.y, &unit_y);
            Some(format!("{plot_name}\n{} {unit_x}: {figure}{}", number(x), detail.unwrap_or_default()))
        }
        egui_plot::HoverPosition::Elsewhere { .. } => None,
    };
    let x_title = match plot.x.unit.as_str() {
        "" => plot.x.label.clone(),
        unit => format!("{} ({unit})", plot.x.label),
    };
    let room = ui.available_size();
    let labels: Vec<String> = plot.x.ticks.iter().map(|t| tick(*t)).collect();
    let ends = ticks.iter().copied().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
    let x_marks = apart(&ticks, &labels, ends, room.x - 96.0);
    let y_marks = rising(highest, room.y - 48.0);
    let mut x_axis = AxisHints::new_x().formatter(x_label);
    // A plot this low needs the line for itself; its title names the quantity too.
    if room.y >= LOW {
        x_axis = x_axis.label(RichText::new(x_title).size(theme::SMALL));
    }
    let y_axis = AxisHints::new_y().formatter(y_label);
    let shown = EguiPlot::new(id.to_owned())
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_grid([false, true])
        .include_y(0.0)
        .include_y(highest * 1.08)
        // Room at both ends for the labels of the first and the last mark.
        .include_x(ends.0 - 0.1 * (ends.1 - ends.0))
        .include_x(ends.1 + 0.14 * (ends.1 - ends.0))
        .set_margin_fraction(egui::vec2(0.0, 0.04))
        .grid_color(theme::color(theme, Ink::Faint))
        .custom_x_axes(vec![x_axis])
        .custom_y_axes(vec![y_axis])
        .x_grid_spacer(move |_| x_marks.clone())
        .y_grid_spacer(move |_| y_marks.clone())
        .label_formatter(hover)
        .show(ui, |p| {
            for (name, y) in &plot.ceilings {
                let color = theme::color(theme, Ink::Muted);
                p.hline(HLine::new(name.clone(), *y).color(color).style(LineStyle::dashed_loose()));
            }
            for series in &plot.series {
                let color = theme::color(theme, series.ink);
                let points: Vec<[f64; 2]> = series.points.iter().map(|q| [along(q.x), q.y]).collect();
                let style = if series.recorded { LineStyle::dashed_dense() } else { LineStyle::Solid };
                let line = Line::new(series.name.clone(), PlotPoints::from(points.clone())).style(style);
                p.line(line.color(color).width(1.5));
                let marks = Points::new(series.name.clone(), PlotPoints::from(points)).filled(!series.recorded);
                let shape = if series.is_squared() { MarkerShape::Square } else { MarkerShape::Circle };
                p.points(marks.color(color).radius(3.0).shape(shape));
                for q in series.points.iter().filter(|q| q.high > q.low) {
                    let bar = vec![[along(q.x), q.low], [along(q.x), q.high]];
                    p.line(
                        Line::new(series.name.clone(), PlotPoints::from(bar))
                            .color(color)
                            .width(3.0)
                            .allow_hover(false),
                    );
                }
            }
            for (x, y) in &plot.trail {
                let color = theme::color(theme, Ink::Accent);
                let there = PlotPoints::Owned(vec![PlotPoint::new(along(*x), *y)]);
                let mark = Points::new("settings before", there).color(color).filled(false);
                p.points(mark.radius(4.0).shape(MarkerShape::Diamond));
            }
            if let Some((x, y)) = plot.current {
                let color = theme::color(theme, Ink::Accent);
                let here = PlotPoints::Owned(vec![PlotPoint::new(along(x), y)]);
                p.points(Points::new("your settings", here).color(color).radius(6.0).shape(MarkerShape::Diamond));
            }
        });
    if shown.response.clicked() {
        ui.data_mut(|d| d.insert_temp(clicked(), true));
    }
}

/// Where it is noted that a plot was clicked.
#[must_use]
pub fn clicked() -> egui::Id {
    egui::Id::unique("plot clicked")
}

/// What hovering a point adds to its figure: the kernel, the x, the time with its spread.
fn details(sweep: &Sweep) -> Vec<(String, f64, String)> {
    let own = sweep.points.iter().filter_map(|p| Some((p.kernel.id.clone(), p.x, p.kernel.time.as_ref()?)));
    let libraries = sweep.points.iter().filter_map(|p| {
        let library = p.kernel.library.as_ref()?;
        Some((chart::library_id(library), p.x, library.time.as_ref()?))
    });
    own.chain(libraries)
        .map(|(id, x, t)| {
            let spread = format!("{}–{}", si(t.p10_s, "s"), si(t.p90_s, "s"));
            let cache = super::format::cache(t.cache);
            let text = format!("\n{} (p10–p90 {spread}), n = {}, {cache} cache", si(t.median_s, "s"), t.samples);
            (id, x, text)
        })
        .collect()
}

/// Those marks of the x axis whose labels keep apart at `width` points from `low` to `high`; the ends come first.
fn apart(ticks: &[f64], labels: &[String], (low, high): (f64, f64), width: f32) -> Vec<GridMark> {
    let mut order: Vec<usize> = (0..ticks.len()).collect();
    if order.len() > 1 {
        let last = order.remove(order.len() - 1);
        order.insert(1, last);
    }
    #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
    let at = |i: usize| ((ticks[i] - low) / (high - low).max(1e-9)) as f32 * width;
    #[expect(clippy::cast_precision_loss, reason = "a label has few characters")]
    let half = |i: usize| labels[i].chars().count() as f32 * 3.6 + 4.0;
    let mut kept: Vec<usize> = Vec::new();
    for i in order {
        if kept.iter().all(|&k| (at(k) - at(i)).abs() >= half(k) + half(i)) {
            kept.push(i);
        }
    }
    kept.iter().map(|&i| mark(ticks[i])).collect()
}

/// Round values up the y axis, about 36 points apart.
fn rising(highest: f64, height: f32) -> Vec<GridMark> {
    let wanted = f64::from((height / 36.0).max(2.0));
    let rough = highest / wanted;
    if !(rough.is_finite() && rough > 0.0) {
        return vec![mark(0.0)];
    }
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().map(|f| f * power).find(|s| *s >= rough).unwrap_or(power * 10.0);
    (0..32).map(|i| f64::from(i) * step).take_while(|v| *v <= highest * 1.001).map(mark).collect()
}

/// A mark whose label is always drawn, in full strength: egui_plot fades those that it takes to be too near to others.
fn mark(value: f64) -> GridMark {
    GridMark { value, step_size: 1e30 }
}

/// A mark on the x axis: large powers of two in their own units, so that neighbours keep apart.
fn tick(value: f64) -> String {
    let units = [(1_073_741_824.0, "Gi"), (1_048_576.0, "Mi"), (1024.0, "Ki")];
    match units.iter().find(|(size, _)| value >= 65_536.0 && (value / size).fract() == 0.0) {
        Some((size, name)) => format!("{} {name}", number(value / size)),
        None => number(value),
    }
}

fn axis_figure(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{}%", digits3(value)),
        "" => number(value),
        unit => si(value, unit),
    }
}
