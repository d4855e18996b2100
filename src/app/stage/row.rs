//! The row below the picture: playing, and the warp and workgroup on the stage.

use egui::{RichText, Ui};

use super::super::icons::{self, Icon};
use super::super::player::{Player, SPEEDS};
use super::super::theme;
use super::ticks::Ticks;
use super::{Drawn, Stage};
use crate::base::units::count;
use crate::figures::Clock;
use crate::figures::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Room that the row wants for the speed, and for the count of events, beside warp and workgroup.
const SPEED: f32 = 420.0;
const COUNT: f32 = 440.0;

impl Stage {
    /// The row that plays a clock: for launches and waves with their bar, for events with the warp, one of `warps`, and
    /// the workgroup.
    pub(super) fn row(
        &mut self,
        ui: &mut Ui,
        drawn: &Drawn<'_>,
        clock: Clock,
        ticks: &Ticks,
        warps: u32,
    ) -> Option<Command> {
        let Ticks { count: of, stops, names: [tick, stop], .. } = ticks;
        let player = self.clock(clock);
        ui.spacing_mut().item_spacing.x = 4.0;
        if icons::button(ui, Icon::Back, &format!("Back one {tick}"), "[").clicked() {
            player.back();
        }
        let (icon, name) = if player.playing { (Icon::Pause, "Pause") } else { (Icon::Play, "Play") };
        if icons::button(ui, icon, name, "space").clicked() {
            player.toggle(*of);
        }
        if icons::button(ui, Icon::Forward, &format!("Forward one {tick}"), "]").clicked() {
            player.forward(*of);
        }
        if stops.len() > 1 || (clock == Clock::Events && !stops.is_empty()) {
            if icons::button(ui, Icon::FarBack, &format!("Back to the {stop} before"), "{").clicked() {
                player.previous(stops, *of);
            }
            if icons::button(ui, Icon::FarForward, &format!("On to the next {stop}"), "}").clicked() {
                player.next(stops, *of);
            }
        }
        icons::toggle(ui, Icon::Loop, "Play over and over", &mut player.looping);
        ui.spacing_mut().item_spacing.x = theme::GRID;
        if ui.available_width() > SPEED {
            speed(ui, player);
        }
        // The picture says it, too.
        let at = player.event(*of).map_or(0, |e| e + 1);
        let said = match clock {
            Clock::Launches => {
                let reel = self.view(drawn, egui::Vec2::ZERO).reel(drawn.figure).ok();
                self.launches.said(reel.map(|(reel, _)| &**reel))
            }
            _ => format!("{tick} {} of {}", count(at as u64), count(*of as u64)),
        };
        let said = RichText::new(said).color(theme::color(theme::of(ui), Ink::Muted));
        if !matches!(clock, Clock::Events) {
            ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
                ui.label(said);
                let (bar, _) =
                    ui.allocate_exact_size(egui::vec2(ui.available_width() - 8.0, 24.0), egui::Sense::hover());
                self.clock(clock).scrub(ui, ticks, bar);
            });
            return None;
        }
        if ui.available_width() > COUNT {
            ui.label(said);
        }
        self.whose(ui, drawn.state, warps)
    }

    /// The warp and the workgroup on the stage.
    fn whose(&mut self, ui: &mut Ui, state: &State, warps: u32) -> Option<Command> {
        let mut command = None;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let groups = state.found.compiled.groups;
            let mut workgroup = state.place.stage.workgroup;
            ui.label(RichText::new(numbers(groups)).color(theme::color(theme::of(ui), Ink::Muted)));
            // Until its program is compiled, the workgroup may be beyond the grid that is known.
            let range = 0..=groups.saturating_sub(1);
            let drag = egui::DragValue::new(&mut workgroup).range(range).clamp_existing_to_range(false).speed(0.2);
            let response = ui.add(drag).on_hover_text("The workgroup on the stage, from 0");
            response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(workgroup), "Workgroup on the stage"));
            if response.changed() {
                command = Some(Command::ShowWorkgroup(workgroup));
            }
            ui.label("workgroup");
            ui.label(RichText::new(numbers(warps)).color(theme::color(theme::of(ui), Ink::Muted)));
            let drag = egui::DragValue::new(&mut self.warp).range(0..=warps - 1).speed(0.05);
            let response = ui.add(drag).on_hover_text("The warp of the workgroup, from 0");
            response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(self.warp), "Warp on the stage"));
            ui.label("warp");
        });
        command
    }
}

/// The numbers that `n` things have, from 0.
fn numbers(n: u32) -> String {
    if n > 1 { format!("of 0–{}", count(u64::from(n - 1))) } else { "of 1".to_owned() }
}

fn speed(ui: &mut Ui, player: &mut Player) {
    let speed = egui::ComboBox::from_id_salt("speed").width(64.0).selected_text(format!("{}×", player.speed));
    let response = speed.show_ui(ui, |ui| {
        for speed in SPEEDS {
            ui.selectable_value(&mut player.speed, speed, format!("{speed}×"));
        }
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Speed"));
}
