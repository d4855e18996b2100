//! The strip of a program's passes above the stage, and the choice of the buffer that is looked at.

use egui::{Rect, RichText, Sense, Ui, UiBuilder, pos2, vec2};

use super::super::{paint, theme};
use super::Stage;
use crate::job::{self, BindingKind, Moment};
use crate::scene::contents::Shape;
use crate::scene::frame::Tag;
use crate::scene::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::found::{Content, Looked};
use crate::session::desk::state::State;

/// Space above and below the strip, and beside it.
const PAD: f32 = 8.0;
const BESIDE: f32 = 16.0;
/// Width of the choice of a launch.
const LAUNCH: f32 = 156.0;

impl Stage {
    /// The strip along the top of `room`, which it takes from it; nothing of a program of one pass.
    pub(super) fn passes(&mut self, ui: &mut Ui, state: &State, room: &mut Rect) -> Option<Command> {
        let passes = state.passes()?;
        let place = state.place.pass();
        let launches = passes.stages.get(place).and_then(|stage| stage.launches).unwrap_or(1);
        let bar = Rect::from_min_size(room.min, vec2(room.width(), passes.height() + 2.0 * PAD));
        room.min.y = bar.max.y;
        let line = egui::Stroke::new(1.0, theme::color(theme::of(ui), Ink::Faint));
        ui.painter().line_segment([pos2(bar.min.x, bar.max.y), pos2(bar.max.x, bar.max.y)], line);
        let beside = if launches > 1 { LAUNCH } else { 0.0 };
        let strip = Rect::from_min_max(bar.min + vec2(BESIDE, PAD), bar.max - vec2(BESIDE + beside, PAD));
        let frame = passes.frame(strip.width(), Some(place), self.on_pass);
        paint::frame(&ui.painter_at(strip.expand(2.0)), theme::of(ui), strip.min, &frame);
        let mut command = None;
        // Each pass is a button of its own, for keys and screen readers.
        for (at, (stage, pass)) in passes.stages.iter().zip(state.place.program()?.passes()).enumerate() {
            let boxes = frame.items.iter().filter(|item| item.tag() == Some(Tag::Pass(at)));
            let Some([x, y, w, h]) = boxes.map(crate::scene::frame::Item::bounds).next() else { continue };
            let rect = Rect::from_min_size(strip.min + vec2(x, y), vec2(w, h));
            let response = ui.interact(rect, ui.scope_id().with(("pass", at)), Sense::click());
            let name = format!("Pass {}", stage.title);
            response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, at == place, &name));
            if response.clicked() {
                command = Some(Command::ShowPass(pass.id.clone(), 0));
            }
        }
        let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|at| strip.contains(*at));
        self.on_pass = pointer.and_then(|at| frame.tag_at([at.x - strip.min.x, at.y - strip.min.y]));
        let told = self.on_pass.and_then(|tag| passes.told(tag));
        let response = ui.interact(strip, ui.scope_id().with("passes"), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &frame.alt));
        if let Some(told) = told {
            response.on_hover_text_at_pointer(told);
        }
        if launches > 1 {
            let layout = egui::Layout::right_to_left(egui::Align::Center);
            let rect = Rect::from_min_max(pos2(strip.max.x, bar.min.y), bar.max - vec2(BESIDE, 0.0));
            let mut row = ui.new_child(UiBuilder::new().max_rect(rect).layout(layout));
            let muted = theme::color(theme::of(ui), Ink::Muted);
            let mut launch = state.place.launch + 1;
            row.label(RichText::new(format!("of {}", crate::base::units::count(launches))).color(muted));
            let drag = egui::DragValue::new(&mut launch).range(1..=launches).speed(0.1);
            let response = row.add(drag).on_hover_text("Which launch of this pass is on the stage");
            response.widget_info(|| egui::WidgetInfo::slider(true, launch as f64, "Launch on the stage"));
            if response.changed() {
                command = Some(Command::ShowPass(state.place.pass.clone(), launch - 1));
            }
            row.label("launch");
        }
        command
    }

    /// The row below a buffer's contents: which buffer, how it is shown, and from where.
    pub(super) fn buffer(&mut self, ui: &mut Ui, state: &State) -> Option<Command> {
        let mut command = None;
        let looked = state.found.looked.as_ref();
        let shown = looked.map(|looked| looked.glance.buffer.clone()).unwrap_or_default();
        let combo = egui::ComboBox::from_id_salt("buffer").width(140.0).selected_text(&shown);
        let response = combo.show_ui(ui, |ui| {
            for buffer in state.place.program().into_iter().flat_map(|program| &program.buffers) {
                if ui.selectable_label(buffer.name == shown, &buffer.name).clicked() {
                    command = Some(Command::ShowBuffer(buffer.name.clone()));
                }
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Buffer on the stage"));
        let content = looked.and_then(|looked| Some((looked, looked.answer.as_ref()?.as_ref().ok()?)));
        let Some((looked, content)) = content else { return command };
        let mut shape = self.contents.1.unwrap_or_else(|| shape_of(state, looked, content));
        for (of, name) in [(Shape::Numbers, "Numbers"), (Shape::Shades, "Shades"), (Shape::Characters, "Characters")] {
            if ui.selectable_value(&mut shape, of, name).clicked() {
                self.contents.1 = Some(shape);
            }
        }
        let last = content.tensor.len().saturating_sub(1);
        let mut from = self.contents.0.min(last);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let drag = egui::DragValue::new(&mut from).range(0..=last).speed(4.0);
            let response = ui.add(drag).on_hover_text("The first element that is shown");
            response.widget_info(|| egui::WidgetInfo::slider(true, from as f64, "First element that is shown"));
            ui.label("from element");
        });
        self.contents.0 = from;
        command
    }
}

/// When a buffer was looked at, in words.
pub(super) fn when(state: &State, looked: &Looked) -> String {
    let Moment::After(place, launch) = looked.glance.at else { return "at the end".to_owned() };
    let pass = state.place.program().and_then(|program| program.passes().get(place).copied());
    let title = pass.map_or("?", |pass| pass.title.as_str());
    let launches = state.traced().and_then(|traced| traced.pass(place)).map_or(1, |pass| pass.launches);
    if launches > 1 { format!("after {title}, launch {} of {launches}", launch + 1) } else { format!("after {title}") }
}

/// How a buffer is shown unless the learner says otherwise: a text as one, a wide matrix as shades.
pub(super) fn shape_of(state: &State, looked: &Looked, content: &Content) -> Shape {
    let job = state.found.job.as_ref().map(|(_, job)| job);
    let spec = job.and_then(|job| job.buffers.iter().find(|buffer| buffer.name == looked.glance.buffer));
    match spec.map(|spec| &spec.content) {
        Some(job::Content::Bytes(_)) => Shape::Characters,
        _ if content.columns.is_some_and(|columns| columns > 16) => Shape::Shades,
        _ => Shape::Numbers,
    }
}

/// Whether a lane writes to a buffer, so that its elements have an origin.
pub(super) fn is_written(state: &State, buffer: &str) -> bool {
    let Some((_, job)) = &state.found.job else { return false };
    let place = job.buffers.iter().position(|known| known.name == buffer);
    place.is_some_and(|place| {
        job.passes.iter().any(|pass| pass.touched().any(|(i, kind)| i == place && kind == BindingKind::ReadWrite))
    })
}
