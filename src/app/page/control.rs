//! A number inside a sentence that can be dragged, or turned with the arrow keys.

use std::sync::Arc;

use egui::{CursorIcon, EventFilter, Galley, Id, Key, Rect, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::reading::Reading;
use crate::app::theme;
use crate::figures::palette::{Hue, Ink};
use crate::lesson::Param;

/// Room left and right of the number.
pub const PADDING: f32 = 6.0;

/// Points of dragging for one value, at least; long domains move faster.
const STEP: f32 = 10.0;

/// The control in a line of text; the new value where it was turned.
pub fn inline(
    ui: &mut Ui,
    reading: &Reading<'_>,
    (param, place): (&str, usize),
    rect: Rect,
    galley: &Arc<Galley>,
) -> Option<f64> {
    let lesson = reading.state.place.lesson.as_ref()?;
    let param = lesson.params.iter().find(|p| p.id == param)?;
    let rect = rect.shrink2(vec2(1.0, 0.0));
    let id = ui.scope_id().with(("control", place));
    let response = ui.interact(rect, id, egui::Sense::click_and_drag());
    let theme = theme::of(ui);
    let strong = response.hovered() || response.dragged() || response.has_focus();
    let fill = Hue::Accent.tint(if strong { 40 } else { 18 });
    ui.painter().rect_filled(rect, 4.0, theme::color(theme, fill));
    let outline = if response.has_focus() { Stroke::new(2.0, theme::color(theme, Ink::Accent)) } else { Stroke::NONE };
    ui.painter().rect_stroke(rect, 4.0, outline, StrokeKind::Outside);
    let color = theme::color(theme, Ink::Accent);
    let at = pos2(rect.center().x - galley.size().x / 2.0, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley.clone(), color);
    let underline = rect.max.y - 1.0;
    ui.painter()
        .line_segment([pos2(rect.min.x + 4.0, underline), pos2(rect.max.x - 4.0, underline)], Stroke::new(1.0, color));
    let value = reading.state.place.params.get(&param.id).copied().unwrap_or(param.default);
    turned(ui, response, param, value)
}

/// The requests of dragging, keys and screen readers for a control that holds `value`.
pub fn turned(ui: &Ui, response: egui::Response, param: &Param, value: f64) -> Option<f64> {
    let domain = &param.domain;
    response.widget_info(|| WidgetInfo::slider(true, value, &param.label));
    let mut index = domain.index_of(value);
    let last = domain.len().saturating_sub(1);
    let before = index;
    if response.clicked() || response.drag_started() {
        response.request_focus();
    }
    let travel = response.id.with("travel");
    if response.dragged() {
        let step = if last > 64 { 4.0 } else { STEP };
        let moved = ui.data(|d| d.get_temp::<f32>(travel)).unwrap_or(0.0) + response.drag_delta().x;
        let steps = (moved / step).trunc();
        ui.data_mut(|d| d.insert_temp(travel, moved - steps * step));
        index = moved_by(index, steps, last);
    } else if response.drag_stopped() {
        ui.data_mut(|d| d.remove::<f32>(travel));
    }
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
        let (up, down, home, end) = ui.input(|i| {
            let pressed = |a, b| i.num_presses(a) + i.num_presses(b);
            (
                pressed(Key::ArrowRight, Key::ArrowUp),
                pressed(Key::ArrowLeft, Key::ArrowDown),
                i.key_pressed(Key::Home),
                i.key_pressed(Key::End),
            )
        });
        index = (index + up).min(last).saturating_sub(down);
        index = if home { 0 } else { index };
        index = if end { last } else { index };
    }
    if let Some(value) = typed(ui, &response) {
        return Some(value);
    }
    use egui::accesskit::Action;
    let (increments, decrements) = ui.input(|i| {
        (
            i.num_accesskit_action_requests(response.id, Action::Increment),
            i.num_accesskit_action_requests(response.id, Action::Decrement),
        )
    });
    index = (index + increments).min(last).saturating_sub(decrements);
    response.on_hover_cursor(CursorIcon::ResizeHorizontal).on_hover_text(format!(
        "{}: drag, use the arrow keys, or click and type a number\n{}\n{}",
        param.label,
        param.help,
        domain.describe()
    ));
    if index == before { None } else { domain.nth(index) }
}

/// The number that is typed into a control, after Enter; until then the typed text is shown instead of the old number.
fn typed(ui: &Ui, response: &egui::Response) -> Option<f64> {
    let id = response.id.with("typed");
    if !response.has_focus() {
        ui.data_mut(|d| d.remove::<String>(id));
        return None;
    }
    let mut text = ui.data(|d| d.get_temp::<String>(id)).unwrap_or_default();
    let ended = ui.input(|i| {
        for event in &i.events {
            match event {
                egui::Event::Text(more) if text.len() < 12 => text.extend(more.chars().filter(char::is_ascii_digit)),
                egui::Event::Key { key: Key::Backspace, pressed: true, .. } => drop(text.pop()),
                egui::Event::Key { key: Key::Escape, pressed: true, .. } => text.clear(),
                _ => {}
            }
        }
        i.key_pressed(Key::Enter)
    });
    let value = ended.then(|| text.parse().ok()).flatten();
    if value.is_some() || text.is_empty() {
        ui.data_mut(|d| d.remove::<String>(id));
        return value;
    }
    let theme = theme::of(ui);
    let galley =
        ui.painter().layout_no_wrap(format!("{text}|"), theme::medium(theme::UI), theme::color(theme, Ink::Text));
    let right = response.rect.right_center();
    let rect = Rect::from_min_max(
        pos2(right.x - galley.size().x.max(24.0) - 2.0 * PADDING, response.rect.min.y),
        response.rect.max,
    );
    ui.painter().rect_filled(rect, 4.0, theme::color(theme, Ink::Raised));
    ui.painter().rect_stroke(rect, 4.0, Stroke::new(2.0, theme::color(theme, Ink::Accent)), StrokeKind::Outside);
    ui.painter().galley(
        pos2(rect.min.x + PADDING, rect.center().y - galley.size().y / 2.0),
        galley,
        theme::color(theme, Ink::Text),
    );
    ui.data_mut(|d| d.insert_temp(id, text));
    None
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "clamped to 0..=last"
)]
fn moved_by(index: usize, steps: f32, last: usize) -> usize {
    (index as f32 + steps).clamp(0.0, last as f32) as usize
}

/// The width of a parameter's control, in points.
pub fn width(ui: &Ui, param: &Param, value: f64) -> f32 {
    label(ui, param, value).2.x
}

/// A control's name and number, and the size of both.
fn label(ui: &Ui, param: &Param, value: f64) -> (Arc<Galley>, Arc<Galley>, egui::Vec2) {
    let layout = |text: String, font| ui.painter().layout_no_wrap(text, font, egui::Color32::PLACEHOLDER);
    let name = layout(param.label.clone(), egui::FontId::proportional(theme::UI));
    let number = layout(param.words(value), theme::medium(theme::UI));
    let size = vec2(name.size().x + 6.0 + number.size().x + 2.0 * PADDING, number.size().y + 6.0);
    (name, number, size)
}

/// The same control outside a sentence, with its name before it: for the row above the plot. One that the kernel on the
/// bench does not use is drawn faintly.
pub fn labelled(ui: &mut Ui, param: &Param, value: f64, used: bool) -> Option<f64> {
    let theme = theme::of(ui);
    let (name, number, size) = label(ui, param, value);
    let pill = vec2(number.size().x + 2.0 * PADDING, size.y);
    let (_, rect) = ui.allocate_space(size);
    // Of the parameter, not of its place in the row: the keyboard stays with it whatever comes and goes beside it.
    let response = ui.interact(rect, Id::unique("control").with(&param.id), egui::Sense::click_and_drag());
    let middle = |galley: &Galley| rect.center().y - galley.size().y / 2.0;
    ui.painter().galley(pos2(rect.min.x, middle(&name)), name.clone(), theme::color(theme, Ink::Muted));
    let ground = Rect::from_min_max(pos2(rect.max.x - pill.x, rect.min.y), rect.max);
    let strong = response.hovered() || response.dragged() || response.has_focus();
    let hue = if used { Hue::Accent } else { Hue::Idle };
    ui.painter().rect_filled(ground, 4.0, theme::color(theme, hue.tint(if strong { 40 } else { 18 })));
    if response.has_focus() {
        ui.painter().rect_stroke(ground, 4.0, Stroke::new(2.0, theme::color(theme, Ink::Accent)), StrokeKind::Outside);
    }
    ui.painter().galley(
        pos2(ground.min.x + PADDING, middle(&number)),
        number.clone(),
        theme::color(theme, if used { Ink::Accent } else { Ink::Muted }),
    );
    turned(ui, response, param, value)
}
