//! An explorer: its picture with bars to drag, and its controls.

mod controls;
mod text;

use egui::accesskit::Action;
use egui::{
    CursorIcon, EventFilter, Frame, Key, Pos2, Rect, Response, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2,
};

use super::{paint, theme};
use crate::figures::explore::control::Control;
use crate::figures::explore::{self, ExploreView, Explorer, Handle, Picture, picture};
use crate::figures::palette::Ink;
use crate::reference::Explored;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// One press of an arrow key, in the units of a logit.
const STEP: f64 = 0.1;

/// Points from which two sliders have room beside each other.
const BESIDE: f32 = 520.0;

/// Shows the explorer of that name; what the learner did in it.
pub fn show(ui: &mut Ui, state: &State, name: &str) -> Option<Command> {
    let explorer = explore::find(name)?;
    let before = state.explored();
    let mut at = before.clone();
    let mut called_off = false;
    let theme = theme::of(ui);
    let card = Frame::new()
        .fill(theme::color(theme, Ink::Panel))
        .stroke(Stroke::new(1.0, theme::color(theme, Ink::Faint)))
        .corner_radius(6.0)
        .inner_margin(16);
    card.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let mut controls = |ui: &mut Ui, at: &mut Explored| {
            if let [first @ Control::Whole { .. }, second @ Control::Whole { .. }] = explorer.controls
                && ui.available_width() >= BESIDE
            {
                ui.columns_const(|[left, right]| {
                    controls::show(left, *first, at);
                    controls::show(right, *second, at);
                });
                return;
            }
            for control in explorer.controls {
                match control {
                    Control::Text => called_off |= text::show(ui, state, at),
                    control => controls::show(ui, *control, at),
                }
            }
        };
        if explorer.controls_first {
            controls(ui, &mut at);
            ui.add_space(theme::GRID);
        }
        drawn(ui, explorer, &mut at);
        if !explorer.controls_first {
            ui.add_space(theme::GRID);
            controls(ui, &mut at);
        }
        if explorer.takes_text() {
            text::missing(ui, &at.text);
        }
    });
    if called_off {
        return Some(Command::CancelText);
    }
    (at != before).then(|| Command::Explore(at.within_bounds()))
}

/// The picture, and what the learner does in it.
fn drawn(ui: &mut Ui, explorer: &'static Explorer, at: &mut Explored) {
    let id = ui.scope_id().with("spelled");
    let mut spelled = ui.data(|d| d.get_temp::<(usize, usize)>(id)).unwrap_or_default();
    let n = at.logits.len();
    spelled = (spelled.0.min(n - 1), spelled.1.min(n - 1));
    let width = ui.available_width();
    let shown = picture(&ExploreView { explorer, at, spelled, width });
    let size = vec2(shown.frame.width, shown.frame.height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &shown.frame.alt));
    paint::frame(ui.painter(), theme::of(ui), rect.min, &shown.frame);
    for handle in &shown.handles {
        drag(ui, rect.min, handle, at);
    }
    if let Some(entry) = entry(ui, rect.min, &shown, n, spelled)
        && entry != spelled
    {
        ui.data_mut(|d| d.insert_temp(id, entry));
        ui.ctx().request_repaint();
    }
}

/// A part of a picture on the screen.
fn placed(origin: Pos2, [x, y, w, h]: [f32; 4]) -> Rect {
    Rect::from_min_size(origin + vec2(x, y), vec2(w, h))
}

fn focus_ring(ui: &Ui, rect: Rect) {
    let stroke = Stroke::new(2.0, theme::color(theme::of(ui), Ink::Accent));
    ui.painter().rect_stroke(rect, 4.0, stroke, StrokeKind::Outside);
}

/// Lets the learner turn a number by dragging its bar, by keys, and through a screen reader.
fn drag(ui: &Ui, origin: Pos2, handle: &Handle, at: &mut Explored) {
    let rect = placed(origin, handle.rect);
    let response = ui.interact(rect, ui.scope_id().with(handle.entry), Sense::click_and_drag());
    let name = handle.entry.name();
    let mut value = handle.entry.of(at);
    response.widget_info(|| WidgetInfo::slider(true, value, &name));
    if response.clicked() || response.drag_started() {
        response.request_focus();
    }
    if let Some(pointer) = response.interact_pointer_pos().filter(|_| response.clicked() || response.dragged()) {
        value = handle.value_at(pointer.x - origin.x);
    }
    let (steps, end) = turns(ui, &response);
    value = end.map_or(value + steps * STEP, |end| end * handle.most).clamp(-handle.most, handle.most);
    handle.entry.set(at, value);
    if response.has_focus() {
        focus_ring(ui, rect);
    }
    let known = response.dragged() || response.has_focus();
    let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
    // Who drags it knows that it can be dragged, and wants to see what moves.
    if !known {
        response.on_hover_text(format!("{name}: drag, or use the arrow keys"));
    }
}

/// How many steps keys and screen readers ask for, or which end.
fn turns(ui: &Ui, response: &Response) -> (f64, Option<f64>) {
    let asked = |action| ui.input(|i| i.num_accesskit_action_requests(response.id, action));
    let mut steps = signed(asked(Action::Increment), asked(Action::Decrement));
    let mut end = None;
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
        ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
        ui.input(|i| {
            let presses = |a, b| i.num_presses(a) + i.num_presses(b);
            steps += signed(presses(Key::ArrowRight, Key::ArrowUp), presses(Key::ArrowLeft, Key::ArrowDown));
            end = match (i.key_pressed(Key::Home), i.key_pressed(Key::End)) {
                (true, _) => Some(-1.0),
                (_, true) => Some(1.0),
                _ => None,
            };
        });
    }
    (steps, end)
}

#[expect(clippy::cast_precision_loss, reason = "presses in one frame")]
fn signed(up: usize, down: usize) -> f64 {
    up as f64 - down as f64
}

/// The Jacobian's entry that the pointer is on, or that the arrow keys have gone to.
fn entry(ui: &Ui, origin: Pos2, shown: &Picture, n: usize, spelled: (usize, usize)) -> Option<(usize, usize)> {
    let (first, last) = shown.cells.first().zip(shown.cells.last())?;
    let rect = placed(origin, *first).union(placed(origin, *last));
    let response = ui.interact(rect, ui.scope_id().with("entries"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Button, true, format!("Entry {}", shown.words)));
    let hovered = response.hover_pos().and_then(|pointer| {
        let index = shown.cells.iter().position(|cell| placed(origin, *cell).contains(pointer))?;
        Some((index / n, index % n))
    });
    if response.clicked() {
        response.request_focus();
    }
    if !response.has_focus() {
        return hovered;
    }
    focus_ring(ui, rect);
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
    let moved = |place: usize, back, forth| {
        let (back, forth) = ui.input(|i| (i.num_presses(back), i.num_presses(forth)));
        (place + forth).min(n - 1).saturating_sub(back)
    };
    let turned = (moved(spelled.0, Key::ArrowUp, Key::ArrowDown), moved(spelled.1, Key::ArrowLeft, Key::ArrowRight));
    if turned == spelled { hovered } else { Some(turned) }
}
