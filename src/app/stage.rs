//! The stage: one warp's accesses as they happen, and the controls that play them.

use egui::{Rect, RichText, Sense, Ui, vec2};

use super::icons::{self, Icon};
use super::player::{Player, SPEEDS};
use super::{paint, theme};
use crate::scene::frame::Tag;
use crate::scene::palette::Ink;
use crate::scene::strip::{self, StripView};
use crate::scene::warp::{self, WarpView};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::note::first_to_see;
use crate::trace::Timeline;

/// Height of the player's row, and of the strip above it.
const ROW: f32 = 36.0;
const STRIP: f32 = 24.0;

/// What the stage keeps between frames.
#[derive(Default)]
pub struct Stage {
    /// Where it is in the warp's events.
    pub player: Player,
    /// The warp within the workgroup.
    pub warp: u32,
    /// What the pointer is on in the picture.
    pub hovered: Option<Tag>,
    /// Whether to go to the first access once there is a timeline.
    begin: bool,
}

/// Events of the warp on the stage, by their indices in the timeline.
#[must_use]
pub fn events(timeline: &Timeline, workgroup: u32, warp: u32) -> Vec<usize> {
    timeline.of_warp(workgroup, warp).collect()
}

impl Stage {
    /// Begins anew with warp 0 at its first memory access, once there is a timeline.
    pub fn begin(&mut self) {
        self.warp = 0;
        self.begin = true;
        self.player.go_to(0);
    }

    /// The timeline's index of the event on the stage.
    #[must_use]
    pub fn event(&self, timeline: &Timeline, workgroup: u32) -> Option<usize> {
        let events = events(timeline, workgroup, self.warp);
        events.get(self.player.event(events.len())?).copied()
    }

    /// Draws the stage into what is left of `ui`. `lit` is what the pointer is on elsewhere.
    pub fn show(&mut self, ui: &mut Ui, state: &State, lit: Option<Tag>) -> Vec<Command> {
        let mut commands = Vec::new();
        let empty = Timeline::default();
        let timeline = state.traced.get(&state.kernel).and_then(|t| t.timeline.as_deref()).unwrap_or(&empty);
        let warps = timeline.warps_per_workgroup.max(1);
        self.warp = self.warp.min(warps - 1);
        let events = events(timeline, state.workgroup, self.warp);
        if self.begin && !events.is_empty() {
            let step = state.step().filter(|s| s.kernel == state.kernel);
            let watch = step.map(|s| s.watch.as_str()).unwrap_or_default();
            let source = state.shown_kernel().map(|k| &*k.source).unwrap_or_default();
            self.player.go_to(first_to_see(timeline, &events, source, watch));
            self.begin = false;
        }
        let seconds = ui.input(|i| i.stable_dt);
        // While a turned control has the kernel traced anew there are no events, and the place among them is kept.
        if !events.is_empty() && self.player.advance(seconds, events.len()) {
            ui.ctx().request_repaint();
        }
        self.keys(ui, events.len());
        let room = ui.available_rect_before_wrap();
        let picture = Rect::from_min_max(room.min, room.max - vec2(0.0, ROW + STRIP + 8.0));
        self.picture(ui, state, timeline, picture, lit);
        let strip = Rect::from_min_size(picture.left_bottom() + vec2(16.0, 4.0), vec2(room.width() - 32.0, STRIP));
        self.scrub(ui, state, timeline, strip, lit);
        let row = Rect::from_min_size(strip.left_bottom() + vec2(0.0, 2.0), vec2(strip.width(), ROW));
        let mut row_ui =
            ui.new_child(egui::UiBuilder::new().max_rect(row).layout(egui::Layout::left_to_right(egui::Align::Center)));
        commands.extend(self.row(&mut row_ui, state, events.len(), warps));
        if timeline.truncated {
            let note = "The timeline is cut at its cap on events; the counts are of the whole grid.";
            let at = picture.right_bottom() - vec2(16.0, 8.0);
            let color = theme::color(theme::of(ui), Ink::Muted);
            ui.painter().text(at, egui::Align2::RIGHT_BOTTOM, note, egui::FontId::proportional(theme::SMALL), color);
        }
        commands
    }

    fn picture(&mut self, ui: &mut Ui, state: &State, timeline: &Timeline, rect: Rect, lit: Option<Tag>) {
        let view = WarpView {
            timeline,
            workgroup: state.workgroup,
            warp: self.warp,
            position: self.player.position,
            hovered: self.hovered.or(lit),
            motion: !state.saved.still,
            size: [rect.width(), rect.height()],
        };
        let frame = warp::frame(&view);
        paint::frame(&ui.painter_at(rect), theme::of(ui), rect.min, &frame);
        let response = ui.interact(rect, ui.scope_id().with("picture"), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &frame.alt));
        self.hovered = response.hover_pos().and_then(|p| frame.tag_at([p.x - rect.min.x, p.y - rect.min.y]));
    }

    fn scrub(&mut self, ui: &mut Ui, state: &State, timeline: &Timeline, rect: Rect, lit: Option<Tag>) {
        let view = StripView {
            timeline,
            workgroup: state.workgroup,
            warp: self.warp,
            position: self.player.position,
            hovered: self.hovered.or(lit),
            size: [rect.width(), rect.height()],
        };
        let frame = strip::frame(&view);
        paint::frame(&ui.painter_at(rect.expand(2.0)), theme::of(ui), rect.min, &frame);
        let response = ui.interact(rect, ui.scope_id().with("strip"), Sense::click_and_drag());
        response.widget_info(|| {
            egui::WidgetInfo::slider(true, f64::from(self.player.position), "Position in the warp's events")
        });
        if let Some(pointer) = response.interact_pointer_pos() {
            self.player.playing = false;
            self.player.position = strip::position_at(&view, pointer.x - rect.min.x);
        }
    }

    fn row(&mut self, ui: &mut Ui, state: &State, events: usize, warps: u32) -> Option<Command> {
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
        let at = self.player.event(events).map_or(0, |e| e + 1);
        ui.label(RichText::new(format!("event {at} of {events}")).color(theme::color(theme::of(ui), Ink::Muted)));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let groups = groups(state);
            let mut workgroup = state.workgroup;
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

    /// Space plays, brackets step; not while something has the keyboard.
    fn keys(&mut self, ui: &Ui, events: usize) {
        if ui.memory(|m| m.focused().is_some()) {
            return;
        }
        let (play, back, forward) = ui.input(|i| {
            (
                i.key_pressed(egui::Key::Space),
                i.key_pressed(egui::Key::OpenBracket),
                i.key_pressed(egui::Key::CloseBracket),
            )
        });
        if play {
            self.player.toggle(events);
        }
        if back {
            self.player.back();
        }
        if forward {
            self.player.forward(events);
        }
    }
}

/// Workgroups in the grid of the kernel on the bench.
fn groups(state: &State) -> u32 {
    let (Some(lesson), Some(kernel)) = (&state.lesson, state.shown_kernel()) else { return 1 };
    crate::session::jobs::grid(lesson, kernel, &state.params)
        .map_or(1, |[x, y, z]| x.saturating_mul(y).saturating_mul(z))
}
