//! The row of controls, and what the one that was turned last changed.

use egui::{Align, Layout, RichText, Ui};

use super::page::control;
use super::theme;
use crate::base::units::{number, si};
use crate::figures::palette::{Hue, Ink};
use crate::lesson::Param;
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::run::compare::Figure;

/// Figures that are shown at most.
const MOST: usize = 3;

/// Room that a control keeps beside the figures.
const CONTROL: f32 = 108.0;

/// Height of the first row, and of each further one.
const ROW: f32 = 44.0;
const FURTHER: f32 = 30.0;

/// The most further rows: a pack may have any number of parameters, and the panes above and below need room.
const MOST_FURTHER: u8 = 3;

/// The height that the controls need, as they were in the frame before.
pub fn height(ui: &Ui) -> f32 {
    let further = ui.data(|d| d.get_temp::<u8>(further_rows())).unwrap_or(0);
    ROW + FURTHER * f32::from(further)
}

fn further_rows() -> egui::Id {
    egui::Id::unique("further rows of controls")
}

/// The rows after the first that controls of these widths take.
fn further(widths: &[f32], gap: f32, room: f32) -> u8 {
    let (mut rows, mut x) = (0, 0.0);
    for width in widths {
        if x > 0.0 && x + width > room {
            (rows, x) = (rows.min(MOST_FURTHER - 1) + 1, 0.0);
        }
        x += width + gap;
    }
    rows
}

/// The parameters that the kernel on the bench and the experiment have, that of the experiment first: they belong to
/// stage, source and plot alike. Where one row is too short there are more.
pub fn show(ui: &mut Ui, state: &State) -> Vec<Command> {
    let mut commands = Vec::new();
    let Some(lesson) = &state.place.lesson else { return commands };
    let gap = if ui.available_width() < 800.0 { 12.0 } else { 20.0 };
    ui.spacing_mut().item_spacing = egui::vec2(gap, 6.0);
    let used = state.place.parameters();
    let over = state.place.experiment().map(|experiment| experiment.over.as_str());
    let is_over = |param: &&Param| over == Some(param.id.as_str());
    let value = |param: &Param| state.place.params.get(&param.id).copied().unwrap_or(param.default);
    let others = lesson.params.iter().filter(|param| used.contains(&param.id) && !is_over(param));
    let params: Vec<&Param> = lesson.params.iter().filter(is_over).chain(others).collect();
    let widths: Vec<f32> = params.iter().map(|param| control::width(ui, param, value(param))).collect();
    let rows = further(&widths, gap, ui.available_width());
    if ui.data_mut(|d| std::mem::replace(d.get_temp_mut_or_default::<u8>(further_rows()), rows)) != rows {
        ui.ctx().request_repaint();
    }
    let controls = |ui: &mut Ui| {
        for param in params {
            if let Some(value) = control::labelled(ui, param, value(param), used.contains(&param.id)) {
                commands.push(Command::SetParam(param.id.clone(), value));
            }
        }
    };
    if rows > 0 {
        ui.vertical(|ui| {
            ui.add_space(8.0);
            ui.horizontal_wrapped(controls);
        });
    } else {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            changed(ui, state);
            ui.with_layout(Layout::left_to_right(Align::Center), controls);
        });
    }
    commands
}

/// The effect of the last control, if there is room: figures before and after.
fn changed(ui: &mut Ui, state: &State) {
    let Some((turned, figures)) = state.turned() else { return };
    let Some(param) = state.place.lesson.as_ref().and_then(|lesson| lesson.param(&turned.param.0)) else { return };
    let theme = theme::of(ui);
    let is_other = |figure: &&Figure| figure.before != figure.after && figure.before.is_some();
    let used = state.place.parameters();
    let controls = state.place.lesson.iter().flat_map(|lesson| &lesson.params).filter(|p| used.contains(&p.id));
    #[expect(clippy::cast_precision_loss, reason = "a few controls")]
    let mut room = ui.available_width() - CONTROL * controls.count() as f32;
    let words = |value: Option<f64>, unit: &str| match value {
        None => "…".to_owned(),
        Some(value) if unit.is_empty() && value < 1e5 => number(value),
        Some(value) => si(value, unit),
    };
    for figure in figures.iter().filter(is_other).take(MOST) {
        let text =
            format!("{} {} to {}", figure.name, words(figure.before, figure.unit), words(figure.after, figure.unit));
        let ink = match (figure.before, figure.after) {
            (Some(before), Some(after)) if !figure.overlaps && after < before => Hue::Shared.ink(),
            (Some(before), Some(after)) if !figure.overlaps && after > before => Hue::Conflict.ink(),
            _ => Ink::Muted,
        };
        let font = egui::FontId::proportional(theme::SMALL);
        let galley = ui.painter().layout_no_wrap(text.clone(), font, theme::color(theme, ink));
        room -= galley.size().x + 16.0;
        if room < 0.0 {
            break;
        }
        let from = format!("before: {} = {}", param.label, number(turned.param.1));
        let spread =
            if figure.overlaps { "\nthe samples overlap (p10 to p90): which is less cannot be said" } else { "" };
        let label = RichText::new(text).size(theme::SMALL).color(theme::color(theme, ink));
        ui.label(label).on_hover_text(format!("{from}{spread}"));
    }
}
