//! The row below the picture: playing, and the warp and workgroup on the stage.

use egui::{RichText, Ui};

use super::super::icons::{self, Icon};
use super::super::player::SPEEDS;
use super::super::theme;
use super::Stage;
use crate::base::units::count;
use crate::scene::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Room that the row wants for the speed, and for the count of events, beside warp and workgroup.
const SPEED: f32 = 420.0;
const COUNT: f32 = 440.0;

impl Stage {
    /// The row where there are `events` of a warp, one of `warps`, with barriers at `stops`.
    pub(super) fn row(
        &mut self,
        ui: &mut Ui,
        state: &State,
        events: usize,
        stops: &[usize],
        warps: u32,
    ) -> Option<Command> {
        let mut command = None;
        ui.spacing_mut().item_spacing.x = 4.0;
        if icons::button(ui, Icon::Back, "Back one event", "[").clicked() {
            self.player.back();
        }
        let (icon, name) = if self.player.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        if icons::button(ui, icon, name, "space").clicked() {
            self.player.toggle(events);
        }
        if icons::button(ui, Icon::Forward, "Forward one event", "]").clicked() {
            self.player.forward(events);
        }
        if !stops.is_empty() {
            if icons::button(ui, Icon::FarBack, "Back to the barrier before", "{").clicked() {
                self.player.previous(stops, events);
            }
            if icons::button(ui, Icon::FarForward, "On to the next barrier", "}").clicked() {
                self.player.next(stops, events);
            }
        }
        icons::toggle(ui, Icon::Loop, "Play over and over", &mut self.player.looping);
        ui.spacing_mut().item_spacing.x = theme::GRID;
        if ui.available_width() > SPEED {
            self.speed(ui);
        }
        // The picture says it, too.
        let at = self.player.event(events).map_or(0, |e| e + 1);
        if ui.available_width() > COUNT {
            ui.label(
                RichText::new(format!("event {} of {}", count(at as u64), count(events as u64)))
                    .color(theme::color(theme::of(ui), Ink::Muted)),
            );
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let groups = state.found.groups;
            let mut workgroup = state.place.workgroup;
            let of_groups = format!("of {}", count(u64::from(groups)));
            ui.label(RichText::new(of_groups).color(theme::color(theme::of(ui), Ink::Muted)));
            let drag = egui::DragValue::new(&mut workgroup).range(0..=groups.saturating_sub(1)).speed(0.2);
            let response = ui.add(drag).on_hover_text("The workgroup on the stage, from 0");
            response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(workgroup), "Workgroup on the stage"));
            if response.changed() {
                command = Some(Command::ShowWorkgroup(workgroup));
            }
            ui.label("workgroup");
            ui.label(RichText::new(format!("of {warps}")).color(theme::color(theme::of(ui), Ink::Muted)));
            let drag = egui::DragValue::new(&mut self.warp).range(0..=warps - 1).speed(0.05);
            let response = ui.add(drag).on_hover_text("The warp of the workgroup, from 0");
            response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(self.warp), "Warp on the stage"));
            ui.label("warp");
        });
        command
    }

    fn speed(&mut self, ui: &mut Ui) {
        let speed = egui::ComboBox::from_id_salt("speed").width(64.0).selected_text(format!("{}×", self.player.speed));
        let response = speed.show_ui(ui, |ui| {
            for speed in SPEEDS {
                ui.selectable_value(&mut self.player.speed, speed, format!("{speed}×"));
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Speed"));
    }
}
