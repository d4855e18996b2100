//! The measured plot: the experiment in the step, with spread, ceiling and the learner's own point.

use egui::{RichText, Ui};
use egui_plot::{GridMark, HLine, Legend, Line, MarkerShape, Plot as EguiPlot, PlotPoint, PlotPoints, Points};

use super::page::control;
use super::theme;
use crate::base::units::{digits3, si};
use crate::lesson::Lesson;
use crate::scene::palette::Ink;
use crate::scene::plot::{Plot, Scale};
use crate::session::chart;
use crate::session::desk::Command;
use crate::session::desk::state::{DeviceState, State};
use crate::session::output::KernelOutput;

/// Shows the pane and returns what the learner asked for.
pub fn show(ui: &mut Ui, state: &State) -> Vec<Command> {
    let mut commands = Vec::new();
    let (Some(lesson), Some(experiment)) = (state.lesson.clone(), state.experiment()) else {
        super::empty(ui, "Measurements appear here.");
        return commands;
    };
    let over = experiment.over.clone();
    let current = current(state);
    let x = state.params.get(&over).copied().unwrap_or_default();
    let measures = state.measuring_backend().is_some();
    let plot = chart::plot(
        &lesson,
        experiment,
        state.sweep(),
        state.ceilings.as_ref(),
        current.as_ref().map(|k| (x, k)),
        measures,
    );
    commands.extend(heading(ui, state, &lesson, &plot));
    if plot.series.iter().all(|s| s.points.is_empty()) && plot.current.is_none() {
        let text = format!("Run the experiment: {} over {} appears here.", plot.y.label, plot.x.label);
        super::empty(ui, &text);
        return commands;
    }
    draw(ui, &plot);
    commands
}

/// The title, the button that runs the experiment, and the parameters.
fn heading(ui: &mut Ui, state: &State, lesson: &Lesson, plot: &Plot) -> Vec<Command> {
    let mut commands = Vec::new();
    ui.horizontal(|ui| {
        let ready = matches!(state.device, DeviceState::Ready(_));
        let running = state.activity.as_ref().is_some_and(|a| a.progress.is_some());
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if running {
                if ui.button("Cancel").clicked() {
                    commands.push(Command::Cancel);
                }
            } else {
                let button = ui.add_enabled(ready, egui::Button::new("Run"));
                button.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, ready, "Run the experiment"));
                if button.on_hover_text("Run the experiment: every point of the plot (R)").clicked() {
                    commands.push(Command::RunExperiment);
                }
            }
            ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(&plot.title).font(theme::medium(theme::UI))).truncate());
            });
        });
    });
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(6.0, 4.0);
        for param in &lesson.params {
            let value = state.params.get(&param.id).copied().unwrap_or(param.default);
            if let Some(value) = control::labelled(ui, param, value) {
                commands.push(Command::SetParam(param.id.clone(), value));
            }
            ui.add_space(4.0);
        }
    });
    commands
}

/// The kernel on the bench as a point: measured so far, or traced.
fn current(state: &State) -> Option<KernelOutput> {
    let work = state.work(&state.kernel)?;
    let measured = state.measured.get(&state.kernel);
    if let Some(record) = measured.and_then(|m| m.record.as_ref()) {
        return Some(KernelOutput::of(record, work.0, work.1));
    }
    if let Some(first) = measured.and_then(|m| m.samples.first()) {
        let mut output = KernelOutput::failed(&state.kernel, work.0, work.1, String::new());
        output.bytes_per_s = Some(work.0 / first);
        output.flops_per_s = Some(work.1 / first);
        return Some(output);
    }
    let record = state.traced.get(&state.kernel)?.record.as_ref()?;
    Some(KernelOutput::of(record, work.0, work.1))
}

fn draw(ui: &mut Ui, plot: &Plot) {
    let theme = theme::of(ui);
    let log = plot.x.scale == Scale::Log2;
    let along = |x: f64| if log { x.log2() } else { x };
    let ticks: Vec<f64> = plot.x.ticks.iter().map(|t| along(*t)).collect();
    let unit = plot.y.unit.clone();
    let y_label = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| axis_figure(mark.value, &unit);
    let x_label = move |mark: GridMark, _: &std::ops::RangeInclusive<f64>| {
        crate::base::units::number(if log { mark.value.exp2().round() } else { mark.value })
    };
    let marks = ticks.clone();
    let highest = plot
        .series
        .iter()
        .flat_map(|s| s.points.iter().map(|p| p.high.max(p.y)))
        .chain(plot.ceilings.iter().map(|c| c.1))
        .chain(plot.current.map(|c| c.1))
        .fold(0.0, f64::max);
    let (unit_x, unit_y) = (plot.x.unit.clone(), plot.y.unit.clone());
    let hover = move |position: &egui_plot::HoverPosition<'_>| match position {
        egui_plot::HoverPosition::NearDataPoint { plot_name, position, .. } => {
            let x = if log { position.x.exp2().round() } else { position.x };
            let x = crate::base::units::number(x);
            Some(format!("{plot_name}\n{x} {unit_x}: {}", axis_figure(position.y, &unit_y)))
        }
        egui_plot::HoverPosition::Elsewhere { .. } => None,
    };
    let x_title =
        if plot.x.unit.is_empty() { plot.x.label.clone() } else { format!("{} ({})", plot.x.label, plot.x.unit) };
    EguiPlot::new("measured")
        .allow_drag(false)
        .allow_zoom(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .show_grid([false, true])
        .include_y(0.0)
        .include_y(highest * 1.05)
        .set_margin_fraction(egui::vec2(0.04, 0.02))
        .legend(Legend::default().position(egui_plot::Corner::RightTop).text_style(egui::TextStyle::Small))
        .x_axis_label(RichText::new(x_title).size(theme::SMALL))
        .y_axis_label(RichText::new(&plot.y.label).size(theme::SMALL))
        .x_grid_spacer(move |_| marks.iter().map(|&value| GridMark { value, step_size: 1.0 }).collect())
        .x_axis_formatter(x_label)
        .y_axis_formatter(y_label)
        .label_formatter(hover)
        .show(ui, |p| {
            for (name, y) in &plot.ceilings {
                let color = theme::color(theme, Ink::Muted);
                p.hline(HLine::new(name.clone(), *y).color(color).style(egui_plot::LineStyle::dashed_loose()));
            }
            for series in &plot.series {
                let color = theme::color(theme, series.ink);
                let points: Vec<[f64; 2]> = series.points.iter().map(|q| [along(q.x), q.y]).collect();
                p.line(Line::new(series.name.clone(), PlotPoints::from(points.clone())).color(color).width(1.5));
                p.points(Points::new(series.name.clone(), PlotPoints::from(points)).color(color).radius(3.0));
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
            if let Some((x, y)) = plot.current {
                let color = theme::color(theme, Ink::Accent);
                let here = PlotPoints::Owned(vec![PlotPoint::new(along(x), y)]);
                p.points(Points::new("your settings", here).color(color).radius(6.0).shape(MarkerShape::Diamond));
            }
        });
}

fn axis_figure(value: f64, unit: &str) -> String {
    match unit {
        "%" => format!("{} %", digits3(value)),
        "" => crate::base::units::number(value),
        unit => si(value, unit),
    }
}
