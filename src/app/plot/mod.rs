//! The measured plot: the experiment in the step, with spread, ceiling and the learner's own point.

mod axes;
mod curves;
mod legend;

use egui::{RichText, Ui};

pub use self::legend::Mark;
use super::trail::Trail;
use super::{recorded, theme};
use crate::base::units::si;
use crate::figures::palette::{Hue, Ink};
use crate::figures::plot::{Plot, Series};
use crate::lesson::Curve;
use crate::measure::stats::{quantile, sorted};
use crate::session::desk::state::State;
use crate::session::desk::{Command, Work};
use crate::session::experiment::chart::{self, Own};
use crate::session::experiment::recording::Of;
use crate::session::experiment::sweep::{self, Sweep};
use crate::session::run::output::KernelOutput;
use crate::trace::record::Backend;

/// Room for two plots beside each other, in points.
const TWO_PLOTS: f32 = 560.0;

/// A plot and its legend lower than this, in points, have no room for all names, nor for a line with that of the x
/// axis.
const LOW: f32 = 220.0;

/// The name of the diamond on recorded curves.
const RECORDED: &str = "your settings, as recorded";

pub fn show(ui: &mut Ui, state: &State, trail: &mut Trail) -> Vec<Command> {
    let (Some(lesson), Some(experiment)) = (state.place.lesson.clone(), state.place.experiment()) else {
        crate::app::empty::show(ui, "This step has no experiment.");
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
        curve.variant == state.place.bench.variant
            && curve.pass.as_ref().is_none_or(|pass| *pass == state.place.stage.pass)
    };
    let curve = experiment.curves.iter().find(on_bench).filter(|_| differences.is_empty() && asked.is_empty());
    let current = curve.and_then(|curve| current(state, curve, traced));
    let x = state.place.params.get(&over).copied().unwrap_or_default();
    // A sweep at these settings has measured the same point, with more samples.
    let swept = sweep.zip(curve).and_then(|(s, curve)| s.points.iter().find(|p| p.x == x && p.kernel.id == curve.id));
    let current = current.as_ref().map(|(kernel, predicted_s)| match swept {
        Some(point) => Own { x, kernel: &point.kernel, predicted_s: point.predicted_s },
        None => Own { x, kernel, predicted_s: *predicted_s },
    });
    let mut plot = chart::plot(&lesson, experiment, sweep, state.ceilings(), current, !traced);
    let curves = state.place.step().map_or(&[][..], |step| &step.curves);
    // Curves of later pages would say what this one asks.
    let is_shown = |series: &Series| {
        let is_of = |curve: &String| series.id == *curve || series.id == chart::recorded_id(curve);
        let is_library = experiment.curves.iter().all(|c| series.id != c.id && series.id != chart::recorded_id(&c.id));
        curves.is_empty() || is_library || curves.iter().any(is_of)
    };
    plot.series.retain(is_shown);
    let others = state.place.params.iter().filter(|(id, _)| **id != over).map(|(id, value)| format!("{id}={value}"));
    let of = format!("{}/{} {}", experiment.id, state.place.bench.variant, others.collect::<Vec<_>>().join(" "));
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
    let theirs = theirs.map(|mut theirs| {
        theirs.series.retain(is_shown);
        theirs.current = curve.zip(shown).and_then(|(curve, (_, shown))| {
            let same = |(id, value): (&String, &f64)| *id == over || state.place.params.get(id) == Some(value);
            let series = theirs.series.iter().find(|s| s.id == chart::recorded_id(&curve.id))?;
            let point = series.points.iter().find(|point| point.x == x)?;
            shown.sweep.params.iter().all(same).then_some((x, point.y))
        });
        theirs
    });
    if let (Some((recording, shown)), Some(_)) = (shown, &theirs) {
        details.extend(self::details(&shown.sweep).into_iter().map(|(kernel, x, text)| {
            let (name, driver) = (recording.name(), &recording.driver);
            (chart::recorded_id(&kernel), x, format!("{text}\nrecorded on {name}, driver {driver}"))
        }));
    }
    let own = plot.series.iter().any(|s| !s.points.is_empty()) || plot.current.is_some();
    let apart = own && theirs.as_ref().is_some_and(|theirs| !chart::share_axes(&plot, theirs));
    let turns = (apart && ui.available_width() < TWO_PLOTS).then_some((experiment.id.as_str(), sweep.is_some()));
    // A recording alone has the title of its own quantity, not that of the tracer's plot.
    let of = theirs.as_ref().filter(|_| !own).map_or(&plot.title, |theirs| &theirs.title);
    let (commands, their_turn) = title(ui, state, of, &all, chosen, turns);
    let Some(theirs) = theirs else {
        if own {
            one(ui, "measured", (&plot, "your settings"), details, |ui| {
                provenance(ui, &plot, sweep, (&asked, &differences))
            });
        } else {
            let waits = if state.is_undecided() { " Recorded curves come with your prediction." } else { "" };
            let text = if runs_here(state) {
                format!("Run the experiment: {} over {} appears here.{waits}", plot.y.label, plot.x.label)
            } else if waits.is_empty() {
                "These kernels need an NVIDIA GPU with CUDA, and no recording has their curves.".to_owned()
            } else {
                format!("These kernels need an NVIDIA GPU with CUDA.{waits}")
            };
            crate::app::empty::show(ui, &text);
        }
        shown
            .filter(|(_, shown)| !shown.changed.is_empty())
            .into_iter()
            .for_each(|s| recorded::provenance(ui, state, s));
        return commands;
    };
    let Some(shown) = shown else { return commands };
    if !own {
        one(ui, "recorded", (&theirs, RECORDED), details, |ui| recorded::provenance(ui, state, shown));
    } else if !apart {
        plot.series.extend(theirs.series);
        // Beside another device's curves, a point says whose it is.
        let device = state.acting_device().map(|device| device.name).unwrap_or_default();
        let device = device.split(" (").next().unwrap_or_default();
        let whose = match traced {
            true if experiment.quantity.is_traced() => "your settings, traced".to_owned(),
            true => "your settings, predicted".to_owned(),
            false => format!("your settings, on {device}"),
        };
        one(ui, "measured", (&plot, &whose), details, |ui| {
            provenance(ui, &plot, sweep, (&asked, &differences));
            recorded::provenance(ui, state, shown);
        });
    } else if turns.is_none() {
        // On the same axes one of them would be a line at the bottom, or another quantity.
        ui.columns(2, |columns| {
            let [left, right] = columns else { return };
            let own = |ui: &mut Ui| provenance(ui, &plot, sweep, (&asked, &differences));
            one(left, "measured", (&plot, "your settings"), details.clone(), own);
            one(right, "recorded", (&theirs, RECORDED), details, |ui| recorded::provenance(ui, state, shown));
        });
    } else if their_turn {
        one(ui, "recorded", (&theirs, RECORDED), details, |ui| recorded::provenance(ui, state, shown));
    } else {
        one(ui, "measured", (&plot, "your settings"), details, |ui| {
            provenance(ui, &plot, sweep, (&asked, &differences))
        });
    }
    commands
}

/// One plot with what its marks mean, the diamond among them, and whose it is.
fn one(
    ui: &mut Ui,
    id: &str,
    (plot, diamond): (&Plot, &str),
    details: Vec<(String, f64, String)>,
    provenance: impl FnOnce(&mut Ui),
) {
    let at_ends = curves::are_labelled(plot, ui.available_size());
    let is_low = ui.available_height() < LOW;
    legend::show(ui, (plot, diamond), (at_ends, is_low));
    provenance(ui);
    curves::draw(ui, id, plot, details, (at_ends, is_low));
}

/// The plot's title, and the choice of what is beside the learner's own curves; where both take `turns` (see
/// [`recorded::turn`]), whether it is the recording's.
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

/// The plot's title in place of the plot; whether it is to be shown.
pub fn folded(ui: &mut Ui, state: &State) -> bool {
    let title = state.place.experiment().map_or("", |experiment| experiment.title.as_str());
    let both = |ui: &mut Ui| {
        let open = egui::Button::new("Show the plot");
        let is_clicked = ui.add(open).on_hover_text("Double click on the line between them to fold it again").clicked();
        let text = egui::Label::new(RichText::new(title).font(theme::medium(theme::UI))).truncate();
        ui.with_layout(egui::Layout::left_to_right(egui::Align::Center), |ui| ui.add(text));
        is_clicked
    };
    let row = egui::vec2(ui.available_width(), 24.0);
    ui.allocate_ui_with_layout(row, egui::Layout::right_to_left(egui::Align::Center), both).inner
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

/// The name of the y axis and the source of the curves: the device, the settings that the experiment `asked` for, and
/// the other `differences` from the present settings.
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
        let how = match &sweep.modelled {
            Some(device) => format!("predicted for {device}, from traces: a model, not this machine"),
            None if sweep.backend == Backend::Simt => format!("traced by {}", sweep.device),
            None => format!("measured on {}", sweep.device),
        };
        let left_out = sweep.left_out.as_ref().map(|why| format!("\n{}", why.message)).unwrap_or_default();
        response.on_hover_text(format!("{how}{left_out}"));
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
    let running = state.status.activities.get(&Work::Device).is_some_and(|a| a.progress.is_some());
    let ready = state.acting_device().is_some() && runs_here(state) && !running;
    let response = ui.add_enabled(ready, egui::Button::new("Run"));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, ready, "Run experiment"));
    response.on_hover_text("Run every point of the plot (Ctrl+R)").clicked().then_some(Command::RunExperiment)
}

/// A button that runs the experiment of the page, for a window without its plot; None if there is no experiment, or
/// nothing here runs it.
pub fn run_named(ui: &mut Ui, state: &State) -> Option<Command> {
    let experiment = state.place.experiment()?;
    runs_here(state).then_some(())?;
    let running = state.status.activities.get(&Work::Device).is_some_and(|a| a.progress.is_some());
    let ready = state.acting_device().is_some() && !running;
    let response = ui.add_enabled(ready, egui::Button::new("Run experiment"));
    let help = format!("{}: run every point of the plot (Ctrl+R)", experiment.title);
    response.on_hover_text(help).clicked().then_some(Command::RunExperiment)
}

/// The program on the bench as a point of its curve, traced, with its predicted time; or measured, as far as its samples
/// go.
fn current(state: &State, curve: &Curve, traced: bool) -> Option<(KernelOutput, Option<f64>)> {
    let place = curve.pass.as_ref().map(|_| state.place.pass());
    if traced {
        let kernel = KernelOutput::of(&curve.id, &state.traced()?.record, place);
        return Some((kernel, state.predicted_s(&curve.variant.program, curve.pass.as_deref())));
    }
    let program = &state.place.bench.variant.program;
    let kernel = match state.found.ran(program) {
        Some(record) => KernelOutput::of(&curve.id, record, place),
        None => {
            let running = state.found.sampling(program).filter(|_| place.is_none())?;
            KernelOutput::sampled(&curve.id, running.work, quantile(&sorted(&running.samples), 0.5))
        }
    };
    Some((kernel, None))
}

/// The id of a plot, under which egui_plot keeps how far it is zoomed: by what measured it, and by its title.
#[must_use]
pub fn id(measured: &str, title: &str) -> egui::Id {
    egui::Id::unique(("plot", measured, title))
}

/// Where it is noted that a plot was clicked.
#[must_use]
pub fn clicked() -> egui::Id {
    egui::Id::unique("plot clicked")
}

/// The tooltip of a point besides its figure: the kernel, the x, the time with its spread.
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
