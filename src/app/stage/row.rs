//! The row below the picture: playing, the warp and workgroup on the stage, and how many lanes a warp has.

use egui::{RichText, Ui};

use super::super::icons::{self, Icon};
use super::super::player::SPEEDS;
use super::super::theme;
use super::Stage;
use crate::scene::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Room that the row wants for the count of events beside warp and workgroup.
const WIDE: f32 = 440.0;

impl Stage {
    /// The row where there are `events` of a warp, one of `warps`.
    pub(super) fn row(&mut self, ui: &mut Ui, state: &State, events: usize, warps: u32) -> Option<Command> {
        let mut command = None;
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
        let speed = egui::ComboBox::from_id_salt("speed").width(64.0).selected_text(format!("{}×", self.player.speed));
        let response = speed.show_ui(ui, |ui| {
            for speed in SPEEDS {
                ui.selectable_value(&mut self.player.speed, speed, format!("{speed}×"));
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Speed"));
        command = command.or(lanes(ui, state));
        // The picture says it, too.
        let at = self.player.event(events).map_or(0, |e| e + 1);
        if ui.available_width() > WIDE {
            ui.label(RichText::new(format!("event {at} of {events}")).color(theme::color(theme::of(ui), Ink::Muted)));
        }
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let groups = state.found.groups;
            let mut workgroup = state.place.workgroup;
            let of_groups = format!("of {}", crate::base::units::count(u64::from(groups)));
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
}

/// The choice of a warp's width.
pub(super) fn lanes(ui: &mut Ui, state: &State) -> Option<Command> {
    let mut width = state.place.warp_width;
    let combo = egui::ComboBox::from_id_salt("lanes").width(88.0).height(280.0).selected_text(format!("{width} lanes"));
    let response = combo.show_ui(ui, |ui| {
        for lanes in [8, 16, 32, 64] {
            ui.selectable_value(&mut width, lanes, format!("{lanes} lanes"));
        }
        ui.set_max_width(216.0);
        let note = "Lanes of a traced warp: 32 on NVIDIA's GPUs, 64 or 32 on AMD's, fewer on some others. Measured times \
                    are of the device's own width.";
        let color = theme::color(theme::of(ui), Ink::Muted);
        ui.add_space(4.0);
        ui.with_layout(egui::Layout::top_down(egui::Align::Min), |ui| {
            ui.add(egui::Label::new(RichText::new(note).size(theme::SMALL).color(color)).wrap());
        });
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Lanes in a warp"));
    response.response.on_hover_text("Lanes of a traced warp. Measured times are of the device's own width.");
    (width != state.place.warp_width).then_some(Command::SetWarpWidth(width))
}
