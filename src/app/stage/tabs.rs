//! The choice among the pictures that the stage has of a kernel.

use egui::{Rect, Ui, UiBuilder, pos2, vec2};

use crate::lesson::{SCENES, Scene};
use crate::scene::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::state::State;

use super::super::theme;

/// Height of the tabs.
const TABS: f32 = 40.0;

/// The tabs along the top of `room`, which they take from it; none where there is only one picture.
pub(super) fn show(ui: &mut Ui, state: &State, room: &mut Rect) -> Option<Command> {
    let scenes: Vec<&Scene> = SCENES.iter().filter(|scene| (scene.fits)(state.found.facts)).collect();
    if scenes.len() < 2 {
        return None;
    }
    let bar = Rect::from_min_size(room.min, vec2(room.width(), TABS));
    room.min.y = bar.max.y;
    let line = egui::Stroke::new(1.0, theme::color(theme::of(ui), Ink::Faint));
    ui.painter().line_segment([pos2(bar.min.x, bar.max.y), pos2(bar.max.x, bar.max.y)], line);
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    let mut row = ui.new_child(UiBuilder::new().max_rect(bar.shrink2(vec2(16.0, 0.0))).layout(layout));
    let shown = state.shown_scene();
    let mut chosen = shown;
    for scene in scenes {
        let response = row.selectable_value(&mut chosen, scene.kind, scene.name);
        response.widget_info(|| {
            let name = format!("{} on the stage", scene.name);
            egui::WidgetInfo::selected(egui::Role::Tab, true, scene.kind == shown, name)
        });
        response.on_hover_text(scene.help);
    }
    (chosen != shown).then_some(Command::ShowScene(chosen))
}
