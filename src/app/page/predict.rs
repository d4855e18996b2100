//! A question to answer before measuring, then what the measurement says.

use egui::{Frame, RichText, Ui};

use super::flow::{self, Style};
use super::{Ask, Reading};
use crate::app::theme;
use crate::base::units::figure;
use crate::lesson::Prediction;
use crate::scene::palette::{Hue, Ink};
use crate::session::predict::{Answer, Grade};
use crate::session::saved::Predicted;

/// Shows a prediction: its options until one is chosen, then the answer.
pub fn show(ui: &mut Ui, reading: &mut Reading<'_>, id: &str) -> Vec<Ask> {
    let mut asks = Vec::new();
    let Some(lesson) = reading.state.place.lesson.clone() else { return asks };
    let Some(prediction) = lesson.predictions.iter().find(|p| p.id == id) else { return asks };
    let theme = theme::of(ui);
    let frame = Frame::new()
        .fill(theme::color(theme, Ink::Raised))
        .stroke(egui::Stroke::new(1.0, theme::color(theme, Ink::Faint)))
        .corner_radius(6.0)
        .inner_margin(16);
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let accent = theme::color(theme, Ink::Accent);
        ui.label(RichText::new("Predict, then run").font(theme::medium(theme::SMALL)).color(accent));
        ui.add_space(6.0);
        asks.extend(flow::paragraph(ui, reading, &prediction.question, &Style::body()));
        ui.add_space(10.0);
        let kept = reading.state.kept();
        let predicted = kept.predictions.get(id);
        asks.extend(options(ui, prediction, predicted, reading.state.found.answering.is_some()));
        if reading.state.found.answering.as_deref() == Some(id) {
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("running the kernels…");
            });
        }
        if let Some(answer) = predicted.and_then(|p| p.answer.as_ref()) {
            ui.add_space(10.0);
            verdict(ui, prediction, answer);
            ui.add_space(8.0);
            asks.extend(flow::paragraph(ui, reading, &prediction.because, &Style::body()));
        }
    });
    asks
}

fn options(ui: &mut Ui, prediction: &Prediction, predicted: Option<&Predicted>, busy: bool) -> Option<Ask> {
    let nearest = predicted.and_then(|p| match p.answer.as_ref()?.grade(&prediction.options) {
        Grade::Nearest(option) => Some(option),
        Grade::Spread | Grade::Cpu | Grade::Nothing => None,
    });
    let mut chosen = None;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.y = 8.0;
        for (index, (label, _)) in prediction.options.iter().enumerate() {
            let mine = predicted.is_some_and(|p| p.choice == index);
            let text = match (mine, nearest == Some(index)) {
                (true, true) => format!("{label}  · yours, nearest"),
                (true, false) => format!("{label}  · yours"),
                (false, true) => format!("{label}  · nearest"),
                (false, false) => label.clone(),
            };
            let button = egui::Button::new(text).selected(mine).min_size(egui::vec2(64.0, 32.0));
            if ui.add_enabled(!busy, button).clicked() {
                chosen = Some(Ask::Predict(prediction.id.clone(), index));
            }
        }
    });
    chosen
}

fn verdict(ui: &mut Ui, prediction: &Prediction, answer: &Answer) {
    let theme = theme::of(ui);
    let mut row = |name: &str, value: Option<f64>, from: &str| {
        let text = value.map_or_else(|| "nothing could be timed here".to_owned(), |v| figure(v, &prediction.unit));
        ui.horizontal(|ui| {
            let (rect, response) = ui.allocate_exact_size(egui::vec2(76.0, 22.0), egui::Sense::hover());
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, name));
            let muted = theme::color(theme, Ink::Muted);
            let font = egui::FontId::proportional(theme::UI);
            ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, name, font, muted);
            let color =
                if value.is_some() { theme::color(theme, Hue::Load.ink()) } else { theme::color(theme, Ink::Muted) };
            ui.label(RichText::new(text).font(theme::medium(theme::BODY)).color(color));
            let from = ui.label(RichText::new(from).size(theme::SMALL).color(theme::color(theme, Ink::Muted)));
            from.on_hover_text(answer.runs.join("\n"));
        });
    };
    if prediction.measured.is_none() {
        row("Traced", answer.traced, "what the runs counted");
        return;
    }
    let range = answer.range.map(|range| range.map(|v| figure(v, &prediction.unit)).join(" to "));
    let range = range.map_or_else(String::new, |range| format!("({range}) "));
    row("Measured", answer.measured, &format!("{range}{}", answer.device.as_deref().unwrap_or("")));
    row("Traced", answer.traced, "what the sectors alone suggest");
    let undecided = match answer.grade(&prediction.options) {
        Grade::Spread => "Not graded: from p10 to p90, what was measured covers several answers.",
        Grade::Cpu => "Not graded: a CPU took these times, and they say little about a GPU.",
        Grade::Nearest(_) | Grade::Nothing => return,
    };
    let text = RichText::new(undecided).color(theme::color(theme, Hue::Store.ink()));
    ui.add(egui::Label::new(text).wrap());
}
