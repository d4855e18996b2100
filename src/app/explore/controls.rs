//! Controls of an explorer outside of its picture.

use egui::{Button, DragValue, Response, RichText, Sense, Slider, Ui, WidgetInfo, vec2};

use super::super::theme;
use crate::base::units::digits3;
use crate::figures::explore::control::Control;
use crate::figures::palette::Ink;
use crate::reference::Explored;
use crate::reference::views::{OPS, View};

/// Room for the name of a control.
const NAME: f32 = 120.0;
/// Room for the value of a control.
const VALUE: f32 = 48.0;
/// Numbers that some format rounds, overflows or loses.
const NUMBERS: [(&str, f64); 6] =
    [("0.1", 0.1), ("1/3", 1.0 / 3.0), ("2049", 2049.0), ("70000", 7e4), ("1e-8", 1e-8), ("1e38", 1e38)];

pub(super) fn show(ui: &mut Ui, control: Control, at: &mut Explored) {
    match control {
        Control::Whole { name, of, range: [least, most], first } => whole(ui, name, of(at), least..=most, first),
        Control::Slider { names: [name, said], of, range: [least, most], step } => {
            let value = of(at);
            row(ui, name, |ui| {
                let shown = digits3(*value);
                let response = slider(ui, Slider::new(&mut *value, least..=most).step_by(step), &shown);
                response.widget_info(|| WidgetInfo::slider(true, *value, said));
            });
        }
        Control::Temperature => temperature(ui, at),
        Control::Entries => entries(ui, at),
        Control::Target => target(ui, at),
        Control::Number => number(ui, &mut at.number),
        Control::Operations => operations(ui, at),
        // The text has a file of its own.
        Control::Text => {}
    }
}

/// A whole number, counted from `first` where it is written.
fn whole(ui: &mut Ui, name: &str, value: &mut usize, range: std::ops::RangeInclusive<usize>, first: usize) {
    // Two of them leave room for the picture below.
    ui.spacing_mut().item_spacing.y = 0.0;
    row(ui, name, |ui| {
        let shown = (*value + first).to_string();
        let response = slider(ui, Slider::new(value, range), &shown);
        response.widget_info(|| WidgetInfo::slider(true, (*value + first) as f64, name));
    });
}

/// The number to write: picked, or typed.
fn number(ui: &mut Ui, value: &mut f64) {
    ui.horizontal_wrapped(|ui| {
        for (written, picked) in NUMBERS {
            if ui.add(Button::new(written).selected(*value == picked)).clicked() {
                *value = picked;
            }
        }
        let speed = (value.abs() * 0.01).max(1e-9);
        let typed = DragValue::new(value).speed(speed).custom_formatter(|x, _| format!("{x}"));
        let response = ui.add_sized([120.0, 28.0], typed);
        response.on_hover_text("Click to type a number, or drag");
    });
}

fn temperature(ui: &mut Ui, at: &mut Explored) {
    let [cold, hot] = Explored::TEMPERATURE;
    row(ui, "temperature T", |ui| {
        let shown = digits3(at.temperature);
        let response = slider(ui, Slider::new(&mut at.temperature, cold..=hot).logarithmic(true), &shown);
        response.widget_info(|| WidgetInfo::slider(true, at.temperature, "temperature T"));
        // Steps that a hand can return to: T = 1 above all.
        let steps = if at.temperature < 1.0 { 100.0 } else { 20.0 };
        at.temperature = (at.temperature * steps).round() / steps;
    });
}

fn target(ui: &mut Ui, at: &mut Explored) {
    row(ui, "target entry", |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let width = ((ui.available_width() + 4.0) / Explored::MOST as f32 - 4.0).clamp(24.0, 32.0);
        for entry in 0..at.logits.len() {
            let button = Button::new(entry.to_string()).selected(at.target == entry).min_size(vec2(width, 28.0));
            let response = ui.add_sized([width, 28.0], button);
            response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("target {entry}")));
            if response.clicked() {
                at.target = entry;
            }
        }
    });
}

/// How many entries there are, and the way back to the first point.
fn entries(ui: &mut Ui, at: &mut Explored) {
    row(ui, "entries", |ui| {
        let n = at.logits.len();
        if sign(ui, "−", "One entry fewer", n > Explored::FEWEST) {
            at.logits.pop();
            at.direction.pop();
        }
        ui.add_sized([24.0, 28.0], egui::Label::new(RichText::new(n.to_string()).font(theme::medium(theme::UI))));
        if sign(ui, "+", "One entry more", n < Explored::MOST) {
            at.logits.push(0.0);
            at.direction.push(0.0);
        }
        ui.add_space(theme::GRID);
        if ui.add_enabled(*at != Explored::default(), Button::new("Reset")).clicked() {
            *at = Explored::default();
        }
    });
}

/// The operations on a tensor.
fn operations(ui: &mut Ui, at: &mut Explored) {
    ui.horizontal_wrapped(|ui| {
        let room = at.ops.len() < View::MOST;
        for (op, written) in OPS {
            let button = Button::new(RichText::new(written).font(theme::mono(theme::CODE)));
            if ui.add_enabled(room, button).clicked() {
                at.ops.push(op);
            }
        }
    });
    ui.horizontal(|ui| {
        if ui.add_enabled(!at.ops.is_empty(), Button::new("Back by one")).clicked() {
            at.ops.pop();
        }
        if ui.add_enabled(!at.ops.is_empty(), Button::new("Back to x")).clicked() {
            at.ops.clear();
        }
    });
}

/// A control with its name before it.
fn row(ui: &mut Ui, name: &str, control: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        ui.set_height(32.0);
        let (rect, _) = ui.allocate_exact_size(vec2(NAME, 28.0), Sense::hover());
        let color = theme::color(theme::of(ui), Ink::Muted);
        let font = egui::FontId::proportional(theme::UI);
        ui.painter().text(rect.left_center(), egui::Align2::LEFT_CENTER, name, font, color);
        control(ui);
    });
}

/// A slider over the rest of its row, but for its value.
fn slider(ui: &mut Ui, slider: Slider<'_>, value: &str) -> Response {
    ui.spacing_mut().slider_width = (ui.available_width() - VALUE - theme::GRID).max(48.0);
    let response = ui.add(slider.show_value(false));
    let (rect, _) = ui.allocate_exact_size(vec2(VALUE, 28.0), Sense::hover());
    let color = theme::color(theme::of(ui), Ink::Text);
    ui.painter().text(rect.right_center(), egui::Align2::RIGHT_CENTER, value, theme::medium(theme::UI), color);
    response
}

fn sign(ui: &mut Ui, sign: &str, name: &str, enabled: bool) -> bool {
    let response = ui.add_enabled(enabled, Button::new(sign).min_size(vec2(32.0, 28.0)));
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, enabled, name));
    response.on_hover_text(name).clicked()
}
