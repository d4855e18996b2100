//! Controls of an explorer outside of its picture.

use egui::{Button, DragValue, RichText, Sense, TextEdit, Ui, WidgetInfo, vec2};

use super::super::theme;
use crate::figures::explore::control::{self, Control, Offered, Part, Slider};
use crate::figures::palette::Ink;
use crate::reference::Explored;

/// Room for the name of a control.
const NAME: f32 = 120.0;
/// Characters of a field of letters at most.
const LETTERS: usize = 40;
/// Room for the value of a control.
const VALUE: f32 = 48.0;
/// Space between two buttons of a row, and their least and greatest width.
const GAP: f32 = 4.0;
const BUTTON: [f32; 2] = [24.0, 32.0];

pub(super) fn show(ui: &mut Ui, control: Control, at: &mut Explored) {
    let Offered { name, parts } = control.at(at);
    if matches!(control, Control::Whole { .. }) {
        // Two of them leave room for the picture below.
        ui.spacing_mut().item_spacing.y = 0.0;
    }
    if name.is_empty() {
        ui.horizontal_wrapped(|ui| show_parts(ui, control, at));
        return;
    }
    row(ui, &name, |ui| {
        ui.spacing_mut().item_spacing.x = GAP;
        #[expect(clippy::cast_precision_loss, reason = "a row has a few buttons")]
        let wide = ((ui.available_width() + GAP) / parts.len() as f32 - GAP).clamp(BUTTON[0], BUTTON[1]);
        parts.iter().for_each(|part| show_part(ui, control, part, at, wide));
    });
}

/// The parts of a control that has no name, in a row that is there already.
pub(super) fn show_parts(ui: &mut Ui, control: Control, at: &mut Explored) {
    control.at(at).parts.iter().for_each(|part| show_part(ui, control, part, at, 0.0));
}

/// A part of a control; a button is at least `wide`.
fn show_part(ui: &mut Ui, control: Control, part: &Part, at: &mut Explored, wide: f32) {
    match part {
        Part::Slider(of) => {
            if let Some(value) = slider(ui, of) {
                control.set(at, value);
            }
        }
        Part::Button(of) => {
            if button(ui, of, wide)
                && let Some(to) = &of.to
            {
                at.clone_from(to);
            }
        }
        Part::Number(value) => {
            let (mut value, speed) = (*value, (value.abs() * 0.01).max(1e-9));
            let typed = DragValue::new(&mut value).speed(speed);
            let response = ui.add_sized([120.0, 28.0], typed.custom_formatter(|x, _| format!("{x}")));
            if response.changed() {
                control.set(at, value);
            }
            response.on_hover_text("Click to type a number, or drag");
        }
        // `text.rs` has the field of a text, which also takes files.
        Part::Text(_) if matches!(control, Control::Text) => {}
        Part::Text(_) => {
            let field = TextEdit::singleline(&mut at.text).desired_width(160.0).font(theme::mono(theme::CODE));
            let field = ui.add(field.char_limit(LETTERS));
            field.widget_info(|| WidgetInfo::labeled(egui::Role::TextInput, true, "The letters"));
        }
    }
}

/// A button; true where it is pressed.
fn button(ui: &mut Ui, of: &control::Button, wide: f32) -> bool {
    let words = RichText::new(&of.words);
    let words = if of.is_code { words.font(theme::mono(theme::CODE)) } else { words };
    let button = Button::new(words).selected(of.is_chosen).min_size(vec2(wide, 28.0));
    let is_enabled = of.to.is_some();
    let response = ui.add_enabled(is_enabled, button);
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, is_enabled, &of.said));
    let response = if of.said == of.words { response } else { response.on_hover_text(&of.said) };
    response.clicked()
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

/// A slider over the rest of its row, but for its value; the value that it is moved to.
fn slider(ui: &mut Ui, of: &Slider) -> Option<f64> {
    ui.spacing_mut().item_spacing.x = theme::GRID;
    ui.spacing_mut().slider_width = (ui.available_width() - VALUE - theme::GRID).max(48.0);
    let (mut value, [least, most]) = (of.value, of.range);
    let slider = egui::Slider::new(&mut value, least..=most).logarithmic(of.logarithmic).show_value(false);
    let response = ui.add(if of.logarithmic { slider } else { slider.step_by(of.step) });
    response.widget_info(|| WidgetInfo::slider(true, value, &of.said));
    let (rect, _) = ui.allocate_exact_size(vec2(VALUE, 28.0), Sense::hover());
    let color = theme::color(theme::of(ui), Ink::Text);
    ui.painter().text(rect.right_center(), egui::Align2::RIGHT_CENTER, &of.shown, theme::medium(theme::UI), color);
    response.changed().then_some(value)
}
