//! The predicted row: what the model of a device says of the kernel on the bench, beside what was measured.

use egui::{Align2, FontId, RichText, Sense, Ui, pos2, vec2};

use super::theme;
use crate::base::units::{digits3, figure, si};
use crate::device::{Bound, Point};
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::state::State;
use crate::session::desk::{Command, SettingCommand};
use crate::session::experiment::recording::Recording;
use crate::session::run::model::Predicted;
use crate::session::run::output::TimeOutput;

/// The row's height, in points.
pub const HEIGHT: f32 = 48.0;

/// Between one thing and the next, in points.
const GAP: f32 = 14.0;

/// Below this much room the picture of the interval is left out, in points.
const GAUGE_LEAST: f32 = 120.0;

/// Shows the row: whose time it is, the device, the picture of the interval where there is room, and figures with their
/// names below.
pub fn show(ui: &mut Ui, state: &State) -> Vec<Command> {
    let found = state.predicted();
    ui.spacing_mut().item_spacing.x = GAP;
    if let Some(found) = &found {
        let whose = if found.device.this_machine { "this machine" } else { "not this machine" };
        let cell = Cell::new("Predicted".to_owned(), whose);
        cell.show(ui, cell.width(ui)).on_hover_text(hover(found));
    }
    let commands = device(ui, state, found.as_ref()).into_iter().collect();
    let Some(found) = found else {
        let text = match state.place.is_traceable(&state.place.bench.variant.program) {
            _ if state.library.models.is_empty() => "",
            true => "The predicted time appears here with the trace.",
            false => "Times are predicted from traces, and this kernel has none.",
        };
        ui.label(RichText::new(text).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Muted)));
        return commands;
    };
    let measured_s = measured(state);
    let room = ui.available_width();
    let measure = |cells: &[Cell], ui: &Ui| cells.iter().map(|cell| cell.width(ui) + GAP).sum::<f32>();
    let recorded = state.recorded_here();
    let mut cells = cells_of(&found, "bound by", recorded);
    if measure(&cells, ui) > room {
        cells = cells_of(&found, "by", recorded);
    }
    // If the row is still too wide, cells leave from the right, down to two. Waves and occupancy go first, since *Waves* shows them, too.
    while measure(&cells, ui) > room && cells.len() > 2 {
        cells.pop();
    }
    let wanted = measure(&cells, ui);
    let mut hover = hover(&found);
    if let Some((recording, time)) = recorded {
        let contradicted = if is_outside(&found, time) {
            "outside of what is predicted: the model leaves out what decides here\n"
        } else {
            ""
        };
        hover = format!(
            "{} recorded at these settings on {}\n{contradicted}\n{hover}",
            si(time.median_s, "s"),
            recording.name()
        );
    }
    if room - wanted >= GAUGE_LEAST {
        gauge(ui, &found, measured_s, (room - wanted - GAP).min(320.0)).on_hover_text(&hover);
    }
    for cell in &cells {
        cell.show(ui, cell.width(ui)).on_hover_text(&hover);
    }
    commands
}

/// The device that is modelled, and the choice of others.
fn device(ui: &mut Ui, state: &State, found: Option<&Predicted>) -> Option<Command> {
    let shown = match found {
        Some(found) => found.device.short.clone(),
        None => "Model".to_owned(),
    };
    let mut chosen = state.saved.model.clone();
    let combo = egui::ComboBox::from_id_salt("model").selected_text(shown).width(96.0);
    let response = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut chosen, None, "The measuring device, or an H100");
        for spec in state.library.models.iter() {
            let label = ui.selectable_value(&mut chosen, Some(spec.id.clone()), &spec.name);
            if !spec.notes.is_empty() {
                label.on_hover_text(spec.notes.join("\n"));
            }
        }
    });
    let help = match found {
        Some(found) if found.device.this_machine => {
            format!("Times are predicted for {}, which measures.", found.device.name)
        }
        Some(found) => format!("Times are predicted for {}: a model, not this machine.", found.device.name),
        None => "The device that times are predicted for".to_owned(),
    };
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Device to predict for"));
    response.response.on_hover_text(help);
    (chosen != state.saved.model).then_some(Command::Set(SettingCommand::Model(chosen)))
}

fn measured(state: &State) -> Option<f64> {
    let record = state.found.measured(&state.place.bench.variant.program)?;
    Some(record.pass(state.place.pass())?.timing.as_ref()?.median_s)
}

/// A figure and what it is.
struct Cell {
    value: String,
    name: String,
    ink: Ink,
}

impl Cell {
    fn new(value: String, name: impl Into<String>) -> Self {
        Self { value, name: name.into(), ink: Ink::Text }
    }

    fn width(&self, ui: &Ui) -> f32 {
        let wide = |text: &str, size: f32| {
            ui.painter()
                .layout_no_wrap(text.to_owned(), FontId::proportional(size), egui::Color32::PLACEHOLDER)
                .size()
                .x
        };
        wide(&self.value, theme::UI).max(wide(&self.name, theme::SMALL)).ceil()
    }

    fn show(&self, ui: &mut Ui, width: f32) -> egui::Response {
        let theme = theme::of(ui);
        let (rect, response) = ui.allocate_exact_size(vec2(width, 36.0), Sense::hover());
        let (ink, muted) = (theme::color(theme, self.ink), theme::color(theme, Ink::Muted));
        let painter = ui.painter();
        painter.text(rect.left_top(), Align2::LEFT_TOP, &self.value, FontId::proportional(theme::UI), ink);
        painter.text(rect.left_bottom(), Align2::LEFT_BOTTOM, &self.name, FontId::proportional(theme::SMALL), muted);
        let words = format!("{}: {}", self.name, self.value);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
        response
    }
}

/// The row's figures; `bound_by` is how the first says what binds it.
fn cells_of(found: &Predicted, bound_by: &str, recorded: Option<(&Recording, &TimeOutput)>) -> Vec<Cell> {
    let mut cells = vec![match (&found.point, found.time_words(), found.bound) {
        (Some(Point { point_s, parts, .. }), ..) => {
            Cell::new(si(*point_s, "s"), format!("{bound_by} {}", parts.first().map_or("", |part| part.of.name())))
        }
        (None, Some(time), Some(bound)) => Cell::new(time, format!("{bound_by} {}", bound.name())),
        _ => Cell { ink: Ink::Muted, ..Cell::new("no time".to_owned(), "a figure is missing") },
    }];
    if let Some(error) = found.error {
        let ink = if error.likely.unwrap_or(error.within) { Ink::Text } else { Hue::Store.ink() };
        let words = found.error_words().unwrap_or_default();
        cells.push(Cell { ink, ..Cell::new(words, "off the median") });
    }
    if let Some((recording, time)) = recorded {
        let ink = if is_outside(found, time) { Hue::Store.ink() } else { Ink::Text };
        let name = format!("recorded, {}", recording.interface());
        cells.push(Cell { ink, ..Cell::new(si(time.median_s, "s"), name) });
    }
    if let Some(held) = &found.occupancy {
        let value = held.share_words().unwrap_or_else(|| format!("{} blocks", held.blocks_per_sm));
        cells.push(Cell::new(format!("{value} occupancy"), format!("SM limit: {}", held.limited_by.name())));
    }
    if let Some(waves) = found.waves {
        cells.push(Cell::new(
            format!("{} waves", digits3(waves.waves)),
            format!("{} idle slots", figure(waves.idle_share, "%")),
        ));
    }
    cells
}

/// Whether a time that was recorded on the modelled device contradicts the prediction.
fn is_outside(found: &Predicted, recorded: &TimeOutput) -> bool {
    found.low_s.zip(found.high_s).is_some_and(|(low, high)| !(low..=high).contains(&recorded.median_s))
}

/// Every assumption behind the row, for readers who want them.
fn hover(found: &Predicted) -> String {
    let whose = if found.device.this_machine { "which measures here" } else { "a model, not this machine" };
    let mut lines = vec![format!("{}, {whose}", found.device.name)];
    lines.extend(found.point.as_ref().map(Point::words));
    lines.extend(found.occupancy_words());
    lines.extend(found.waves_words());
    if !found.terms.is_empty() {
        lines.push(String::new());
        lines.extend(found.terms.iter().map(|term| {
            let (low, high) = (si(term.low_s, "s"), si(term.high_s, "s"));
            match term.of {
                Bound::Launch => format!("{}: {high}", term.of.name()),
                _ if low == high => format!("{} alone: {high}", term.of.name()),
                _ => format!("{} alone: {low} to {high}", term.of.name()),
            }
        }));
    }
    lines.push(String::new());
    lines.extend(found.missing.iter().chain(&found.assumptions).map(|said| said.text.clone()));
    lines.join("\n")
}

/// The predicted time and its likely range on a logarithmic scale, with the measured median if the modelled device measured it.
fn gauge(ui: &mut Ui, found: &Predicted, measured_s: Option<f64>, width: f32) -> egui::Response {
    let theme = theme::of(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(width, 36.0), Sense::hover());
    let likely = found.point.as_ref().map(|point| point.likely_s);
    let bounds = found.low_s.zip(found.high_s).map(|(low, high)| [low, high]);
    let Some([low, high]) = likely.or(bounds) else { return response };
    let measured_s = measured_s.filter(|_| found.error.is_some());
    let ends = [Some(low), Some(high), measured_s];
    let ends = ends.into_iter().flatten().filter(|s| *s > 0.0);
    let (least, most) = ends.fold((f64::INFINITY, 0.0_f64), |(l, m), s| (l.min(s), m.max(s)));
    if !(least.is_finite() && most > 0.0) {
        return response;
    }
    // A decade around what there is to show, so that its place says how long it takes.
    let (from, to) = (least.log10().floor(), most.log10().ceil().max(least.log10().floor() + 1.0));
    #[expect(clippy::cast_possible_truncation, reason = "points on a screen")]
    let at = |seconds: f64| {
        let share = (seconds.log10() - from) / (to - from);
        rect.min.x + (rect.width() * share.clamp(0.0, 1.0) as f32)
    };
    let painter = ui.painter();
    let y = rect.min.y + 10.0;
    let line = egui::Stroke::new(1.0, theme::color(theme, Ink::Idle));
    painter.hline(rect.x_range(), y, line);
    let muted = theme::color(theme, Ink::Muted);
    let font = FontId::proportional(theme::SMALL);
    let band = egui::Rect::from_min_max(pos2(at(low), y - 4.0), pos2(at(high).max(at(low) + 3.0), y + 4.0));
    painter.rect_filled(band, 2.0, theme::color(theme, Hue::Accent.ink()));
    let mut written = egui::Rect::NOTHING;
    if let Some(seconds) = measured_s {
        let x = at(seconds);
        painter.vline(x, y - 8.0..=y + 8.0, egui::Stroke::new(2.0, theme::color(theme, Ink::Text)));
        written = painter.text(pos2(x, rect.max.y), Align2::CENTER_BOTTOM, "measured", font.clone(), muted);
    }
    for (decade, anchor) in [(from, Align2::LEFT_BOTTOM), (to, Align2::RIGHT_BOTTOM)] {
        let x = at(10_f64.powf(decade)).clamp(rect.min.x, rect.max.x);
        painter.vline(x, y - 4.0..=y + 4.0, line);
        let text = painter.layout_no_wrap(si(10_f64.powf(decade), "s"), font.clone(), muted);
        let place = anchor.anchor_size(pos2(x, rect.max.y), text.size());
        if !place.expand2(vec2(4.0, 0.0)).intersects(written) {
            painter.galley(place.min, text, muted);
        }
    }
    if let Some(point) = &found.point {
        painter.circle_filled(pos2(at(point.point_s), y), 4.0, theme::color(theme, Ink::Text));
    }
    let words = format!("Predicted time: {}", found.time_words().unwrap_or_default());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &words));
    response
}
