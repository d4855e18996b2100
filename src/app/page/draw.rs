//! A curve to draw before the runs: points over an experiment's values, dragged or set by keys, and then the answer
//! over them.

use egui::{Align2, CursorIcon, EventFilter, Key, Rect, Response, RichText, Sense, Ui, Vec2, WidgetInfo, vec2};

use crate::app::{paint, theme};
use crate::base::units::number;
use crate::figures::palette::Ink;
use crate::figures::plot::{Area, Plot, laid_out};
use crate::lesson::{CurveDecl, Lesson};
use crate::session::desk::Command;
use crate::session::learn::drawn_curve::{self, Points};
use crate::session::learn::predict::Guess;
use crate::session::learn::saved::{LessonSaved, Predicted};

/// Height of the plot, in points.
const HEIGHT: f32 = 340.0;
/// One press of an arrow key, as a share of the axis.
const STEP: f32 = 1.0 / 40.0;
/// How far around a point the mark of the focus reaches, in points.
const FOCUS: f32 = 8.0;

/// Shows the plot to draw on, or what was drawn and the answer.
pub fn show(
    ui: &mut Ui,
    (lesson, kept): (&Lesson, &LessonSaved),
    (id, decl): (&str, &CurveDecl),
    busy: bool,
) -> Option<Command> {
    let given = kept.predictions.get(id);
    let mut points = match given {
        Some(Predicted { guess: Guess::Curve(points), .. }) => points.clone(),
        _ => kept.drawn.get(id).cloned().unwrap_or_default(),
    };
    let found = given.and_then(|given| given.answer.as_ref()).and_then(|answer| answer.curve.as_ref());
    let plot = drawn_curve::plot(lesson, decl, &points, found)?;
    let (frame, area) = laid_out(&plot, [ui.available_width(), HEIGHT]);
    let area = area?;
    let (rect, response) = ui.allocate_exact_size(vec2(frame.width, frame.height), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Image, true, &frame.alt));
    paint::frame(ui.painter(), theme::of(ui), rect.min, &frame);
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let mut command = None;
    if given.is_none() {
        let before = points.clone();
        draw(ui, rect, &plot, &area, &mut points);
        if points.is_empty() {
            let [left, top, right, bottom] = area.rect;
            let middle = rect.min + vec2((left + right) / 2.0, (top + bottom) / 2.0);
            let text = "Press and drag across the plot".to_owned();
            let text = ui.painter().layout_no_wrap(text, egui::FontId::proportional(theme::UI), muted);
            let place = Align2::CENTER_CENTER.anchor_size(middle, text.size());
            // A line of the grid may be below it.
            ui.painter().rect_filled(place.expand(4.0), 2.0, theme::color(theme::of(ui), Ink::Raised));
            ui.painter().galley(place.min, text, muted);
        }
        command = (points != before).then(|| Command::Draw(id.to_owned(), points.clone()));
    }
    ui.add_space(theme::GRID);
    ui.horizontal(|ui| {
        if given.is_some() {
            if ui.add_enabled(!busy, egui::Button::new("Draw again").min_size(vec2(96.0, 32.0))).clicked() {
                command = Some(Command::DrawAgain(id.to_owned()));
            }
            return;
        }
        let whole = drawn_curve::is_whole(lesson, decl, &points);
        if ui.add_enabled(whole && !busy, egui::Button::new("Compare").min_size(vec2(96.0, 32.0))).clicked() {
            command = Some(Command::Predict(id.to_owned(), Guess::Curve(points.clone())));
        }
        let set = format!("{} of {} points", points.len(), plot.x.ticks.len());
        ui.label(RichText::new(set).size(theme::SMALL).color(muted));
    });
    command
}

/// How far both are apart, and where the answer comes from.
pub fn verdict(ui: &mut Ui, lesson: &Lesson, decl: &CurveDecl, given: &Predicted) {
    let (Guess::Curve(points), Some(answer)) = (&given.guess, &given.answer) else { return };
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let Some(found) = &answer.curve else {
        let text = "Nothing could be measured here, and no recording has this curve.";
        ui.add(egui::Label::new(RichText::new(text).color(muted)).wrap());
        return;
    };
    let Some(plot) = drawn_curve::plot(lesson, decl, points, Some(found)) else { return };
    let text = RichText::new(drawn_curve::compared(&plot, points, found)).font(theme::medium(theme::UI));
    ui.add(egui::Label::new(text).wrap());
    let device = answer.device.as_deref().unwrap_or_default();
    let from = format!("{} {device}, at {}", found.by.phrase(), answer.runs.join("; "));
    ui.add(egui::Label::new(RichText::new(from).size(theme::SMALL).color(muted)).wrap());
}

/// Lets the learner set the points: each value of the experiment has the part of the plot that is nearest to it.
fn draw(ui: &Ui, rect: Rect, plot: &Plot, area: &Area, points: &mut Points) {
    let [_, top, _, bottom] = area.rect;
    let values = &plot.x.ticks;
    let places: Vec<f32> = values.iter().map(|value| area.x.place(*value)).collect();
    let ids: Vec<egui::Id> = (0..values.len()).map(|i| ui.scope_id().with(("point", i))).collect();
    for (i, value) in values.iter().enumerate() {
        let column = column(&places, i, area.rect);
        let place = Rect::from_min_max(rect.min + vec2(column.0, top), rect.min + vec2(column.1, bottom));
        let response = ui.interact(place, ids[i], Sense::click_and_drag()).on_hover_cursor(CursorIcon::Crosshair);
        let known = points.iter().find(|(x, _)| x == value).map(|(_, y)| *y);
        let said = known.map_or_else(|| "no point yet".to_owned(), |y| area.y.write(y));
        let name = format!("{} {}: {said}", plot.x.label, number(*value));
        response.widget_info(|| WidgetInfo::labeled(egui::Role::Slider, true, &name));
        let pointer = response.interact_pointer_pos().filter(|_| response.is_pointer_button_down_on());
        if let Some(to) = pointer.filter(|at| at.x.is_finite() && at.y.is_finite()) {
            response.request_focus();
            let pressed = ui.input(|i| i.pointer.any_pressed());
            let from = if pressed { to } else { to - ui.input(|i| i.pointer.delta()) };
            let [from, to] = [from, to].map(|at| at - rect.min);
            for (j, y) in passed(&places, from, to) {
                set(points, values[j], area.y.value_at(y));
            }
        }
        if response.has_focus() {
            keys(ui, &response, (i, &ids), area, (*value, points));
            let y = points.iter().find(|(x, _)| x == value).map_or((top + bottom) / 2.0, |(_, y)| area.y.place(*y));
            let stroke = egui::Stroke::new(2.0, theme::color(theme::of(ui), Ink::Accent));
            ui.painter().circle_stroke(rect.min + vec2(places[i], y), FOCUS, stroke);
        }
    }
}

/// Sets a point, to three digits.
fn set(points: &mut Points, x: f64, y: f64) {
    *points = drawn_curve::with(points, (x, crate::base::units::round3(y)));
}

/// From where to where a value is the nearest.
fn column(places: &[f32], i: usize, [left, _, right, _]: [f32; 4]) -> (f32, f32) {
    let between = |a: usize, b: usize| (places[a] + places[b]) / 2.0;
    let from = if i == 0 { left } else { between(i - 1, i) };
    let to = if i + 1 == places.len() { right } else { between(i, i + 1) };
    (from, to)
}

/// The values that a pointer sets on its way from one place to another, each with the height there: those that it
/// passes, and the one that it has come nearest to.
fn passed(places: &[f32], from: Vec2, to: Vec2) -> Vec<(usize, f32)> {
    let share = |place: f32| (place - from.x) / (to.x - from.x);
    let on_the_way =
        places.iter().map(|place| share(*place)).enumerate().filter(|(_, share)| (0.0..=1.0).contains(share));
    let distance = |i: &usize| (places[*i] - to.x).abs();
    let nearest = (0..places.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)));
    on_the_way.map(|(i, share)| (i, from.y + share * (to.y - from.y))).chain(nearest.map(|i| (i, to.y))).collect()
}

/// Arrow keys up and down move the point, from the middle where there is none; left and right go to its neighbours.
fn keys(ui: &Ui, response: &Response, (i, ids): (usize, &[egui::Id]), area: &Area, (x, points): (f64, &mut Points)) {
    let filter = EventFilter { horizontal_arrows: true, vertical_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
    let pressed = |key| ui.input(|input| input.num_presses(key));
    let [_, top, _, bottom] = area.rect;
    #[expect(clippy::cast_precision_loss, reason = "presses in one frame")]
    let steps = pressed(Key::ArrowDown) as f32 - pressed(Key::ArrowUp) as f32;
    if steps != 0.0 {
        let from = points.iter().find(|(at, _)| *at == x).map_or((top + bottom) / 2.0, |(_, y)| area.y.place(*y));
        set(points, x, area.y.value_at(from + steps * STEP * (bottom - top)));
    }
    let to = match (pressed(Key::ArrowLeft), pressed(Key::ArrowRight)) {
        (1.., _) => i.checked_sub(1),
        (_, 1..) => Some(i + 1),
        _ => None,
    };
    if let Some(id) = to.and_then(|to| ids.get(to)) {
        ui.memory_mut(|m| m.request_focus(*id));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_pointer_leaves_no_gap() {
        let places = [10.0, 20.0, 40.0, 80.0];
        let set = |from, to| passed(&places, from, to);
        assert_eq!(set(vec2(10.0, 0.0), vec2(42.0, 64.0)), [(0, 0.0), (1, 20.0), (2, 60.0), (2, 64.0)]);
        assert_eq!(set(vec2(81.0, 0.0), vec2(39.0, 42.0)), [(2, 41.0), (3, 1.0), (2, 42.0)]);
        assert_eq!(set(vec2(30.0, 5.0), vec2(30.0, 5.0)).last(), Some(&(1, 5.0)), "a press sets the nearest");
        assert_eq!(set(vec2(500.0, 5.0), vec2(600.0, -5.0)), [(3, -5.0)], "beyond the last there is none");
        assert!(passed(&[], vec2(0.0, 0.0), vec2(1.0, 1.0)).is_empty());
    }
}
