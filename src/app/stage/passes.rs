//! The strip of a program's passes above the stage.

use egui::{Rect, RichText, Sense, Ui, UiBuilder, pos2, vec2};

use super::super::{paint, theme};
use super::Stage;
use crate::figures::frame::Tag;
use crate::figures::palette::Ink;
use crate::figures::passes::Passes;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Space above and below the strip, and beside it.
const PAD: f32 = 8.0;
const BESIDE: f32 = 16.0;
/// Width of the choice of a launch, with the word before it and without.
const LAUNCH: [f32; 2] = [156.0, 104.0];
/// Above this number of passes, their names need the room of the word.
const MANY: usize = 8;

impl Stage {
    /// The strip along the top of `room`, which it takes from it.
    pub(super) fn passes(&mut self, ui: &mut Ui, state: &State, passes: &Passes, room: &mut Rect) -> Option<Command> {
        let place = state.place.pass();
        let launches = passes.find(place).and_then(|(_, stage)| stage.launches).unwrap_or(1);
        let bar = Rect::from_min_size(room.min, vec2(room.width(), passes.height() + 2.0 * PAD));
        room.min.y = bar.max.y;
        let line = egui::Stroke::new(1.0, theme::color(theme::of(ui), Ink::Faint));
        ui.painter().line_segment([pos2(bar.min.x, bar.max.y), pos2(bar.max.x, bar.max.y)], line);
        let is_crowded = passes.stages.len() > MANY;
        let beside = if launches > 1 { LAUNCH[usize::from(is_crowded)] } else { 0.0 };
        let strip = Rect::from_min_max(bar.min + vec2(BESIDE, PAD), bar.max - vec2(BESIDE + beside, PAD));
        // Many passes scroll within the strip, so that each can be read.
        let width = strip.width().max(passes.least());
        let over = width - strip.width();
        // The strip is narrower once it is known that a pass has several launches, and has fewer passes once it is known which ran.
        let in_sight = Some((place, passes.stages.len(), strip.width()));
        if self.pass_in_sight != in_sight {
            self.pass_in_sight = in_sight;
            self.passes_moved = passes.middle(place, width) - strip.width() / 2.0;
        }
        if over > 0.0 && ui.rect_contains_pointer(strip) {
            self.passes_moved -= ui.input(|i| i.smooth_scroll_delta.x + i.smooth_scroll_delta.y);
        }
        self.passes_moved = self.passes_moved.clamp(0.0, over);
        let seen = [self.passes_moved, self.passes_moved + strip.width()];
        let frame = passes.frame(width, seen, Some(place), self.on_pass);
        let origin = strip.min - vec2(self.passes_moved, 0.0);
        paint::frame(&ui.painter_at(strip.expand(2.0)), theme::of(ui), origin, &frame);
        fades(ui, strip, self.passes_moved, over);
        let mut command = None;
        // Each pass is a button of its own, for keys and screen readers.
        let all = state.place.program()?.passes();
        for (at, stage) in passes.stages.iter().enumerate() {
            let Some(pass) = all.get(stage.place) else { continue };
            let boxes = frame.items.iter().filter(|item| item.tag() == Some(Tag::Pass(at)));
            let Some([x, y, w, h]) = boxes.map(crate::figures::frame::Item::bounds).next() else { continue };
            let rect = Rect::from_min_size(origin + vec2(x, y), vec2(w, h)).intersect(strip);
            if !rect.is_positive() {
                continue;
            }
            let response = ui.interact(rect, ui.scope_id().with(("pass", at)), Sense::click());
            let name = format!("Pass {}", stage.title);
            response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, stage.place == place, &name));
            if response.clicked() {
                command = Some(Command::ShowPass(pass.id.clone(), 0));
            }
        }
        let pointer = ui.input(|i| i.pointer.hover_pos()).filter(|at| strip.contains(*at));
        self.on_pass = pointer.and_then(|at| frame.tag_at([at.x - origin.x, at.y - origin.y]));
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
            let mut launch = state.place.stage.launch + 1;
            row.label(RichText::new(format!("of {}", crate::base::units::count(launches))).color(muted));
            let drag = egui::DragValue::new(&mut launch).range(1..=launches).speed(0.1);
            let response = row.add(drag).on_hover_text("Which launch of this pass is on the stage");
            response.widget_info(|| egui::WidgetInfo::slider(true, launch as f64, "Launch on the stage"));
            if response.changed() {
                command = Some(Command::ShowPass(state.place.stage.pass.clone(), launch - 1));
            }
            if !is_crowded {
                row.label("launch");
            }
        }
        command
    }
}

/// Arrows at the ends, if there are more passes beyond them.
fn fades(ui: &Ui, strip: Rect, moved: f32, over: f32) {
    let color = theme::color(theme::of(ui), Ink::Accent);
    let font = egui::FontId::proportional(20.0);
    let ground = theme::color(theme::of(ui), Ink::Panel);
    for (is_more, at, sign) in
        [(moved > 0.5, strip.left_center(), "‹"), (moved + 0.5 < over, strip.right_center(), "›")]
    {
        if is_more {
            ui.painter().rect_filled(Rect::from_center_size(at, vec2(16.0, 28.0)), 4.0, ground);
            ui.painter().text(at, egui::Align2::CENTER_CENTER, sign, font.clone(), color);
        }
    }
}
