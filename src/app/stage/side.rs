//! Several programs on the stage at once: what a version began as beside what it is now, or kernels that race on one
//! clock.

use egui::containers::menu::{MenuButton, MenuConfig};
use egui::{Rect, RichText, Sense, Ui, pos2, vec2};

use super::super::player::REST;
use super::super::{paint, theme};
use super::{Drawn, Stage, events};
use crate::base::units::si;
use crate::figures::palette::{Hue, Ink};
use crate::figures::{Results, View, ask, titled};
use crate::lesson::Variant;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Programs on the stage at most.
pub const MOST: usize = 4;

/// Height of the line above a picture that says whose it is.
const CAPTION: f32 = 26.0;

/// The least that a picture is drawn in: with all its rows.
const LEAST: [f32; 2] = [420.0, 240.0];

/// The pictures' places: one below the other where that gives each enough room, else beside one another; none where
/// neither does.
#[must_use]
pub fn places(room: Rect, count: usize) -> Option<Vec<Rect>> {
    let grid = |columns: usize| {
        let rows = count.div_ceil(columns);
        #[expect(clippy::cast_precision_loss, reason = "four at most")]
        let size = vec2(room.width() / columns as f32, room.height() / rows as f32);
        let fits = size.x >= LEAST[0] && size.y >= LEAST[1] + CAPTION;
        #[expect(clippy::cast_precision_loss, reason = "four at most")]
        let place = |i: usize| room.min + vec2((i % columns) as f32 * size.x, (i / columns) as f32 * size.y);
        fits.then(|| (0..count).map(|i| Rect::from_min_size(place(i), size)).collect())
    };
    grid(1).or_else(|| grid(2)).or_else(|| grid(count))
}

impl Stage {
    /// Where a program beside the bench's is in its own `events`, at a position among the `of` events of the one on the
    /// bench.
    fn along(state: &State, variant: &Variant, position: f32, [of, events]: [usize; 2]) -> f32 {
        if events == 0 || of == 0 {
            return 0.0;
        }
        #[expect(clippy::cast_possible_truncation, reason = "a share of a run")]
        let pace = state.pace(variant) as f32;
        #[expect(clippy::cast_precision_loss, reason = "a timeline has at most a few hundred thousand events")]
        let (of, events) = (of as f32, events as f32);
        let share = (position / of * pace).clamp(0.0, 1.0);
        // Whole events: they pass at another pace than those that the player counts.
        (share * events).min(events - 1.0).floor() + REST
    }

    /// The figure's input for a program that is not on the bench; None if it is not traced.
    pub(super) fn results_beside(state: &State, variant: &Variant) -> Option<Results<'static>> {
        let accesses = state.found.accesses(&variant.program, &state.place)?;
        Some(Results::default().with_shared(ask::Accesses, accesses.clone()))
    }

    /// How a program that is not on the bench is seen in a picture of this size.
    pub(super) fn view_beside<'a>(
        &self,
        drawn: &Drawn<'a>,
        variant: &Variant,
        results: &'a Results<'a>,
        size: [f32; 2],
    ) -> View<'a> {
        let state = drawn.state;
        let still = View::still(results, drawn.picture, size);
        let timeline = still.timeline().cloned().unwrap_or_default();
        let warp = self.warp.min(timeline.warps_per_workgroup.saturating_sub(1));
        let count = events(&timeline, state.place.stage.workgroup, warp).len();
        View {
            workgroup: state.place.stage.workgroup,
            warp,
            position: Self::along(state, variant, drawn.position, [drawn.events, count]),
            ..still
        }
    }

    /// Draws a program that is not on the bench.
    pub(super) fn beside(&mut self, ui: &mut Ui, drawn: &Drawn<'_>, at: usize, rect: Rect) {
        let Drawn { state, figure, .. } = *drawn;
        let Some(variant) = state.place.bench.beside.get(at) else { return };
        let Some(results) = Self::results_beside(state, variant) else { return };
        let view = self.view_beside(drawn, variant, &results, rect.size().into());
        let frame = titled::draw(figure, &view, &mut self.others[at % (MOST - 1)]);
        paint::frame(&ui.painter_at(rect), theme::of(ui), rect.min, &frame);
        let response = ui.interact(rect, ui.scope_id().with(("beside", at)), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &frame.alt));
    }

    /// The choice of the picture in sight, where there is room for one: at the end of its caption.
    pub(super) fn turns(&mut self, ui: &mut Ui, state: &State, room: Rect) {
        let line = Rect::from_min_size(room.min + vec2(16.0, 2.0), vec2(room.width() - 32.0, CAPTION));
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        let mut row = ui.new_child(egui::UiBuilder::new().max_rect(line).layout(layout));
        let Some(lesson) = &state.place.lesson else { return };
        let names =
            std::iter::once(&state.place.bench.variant).chain(&state.place.bench.beside).map(|of| lesson.title_of(of));
        let names: Vec<String> = names.collect();
        // From the right: the present version is last, and the first of a race is first.
        let mut turns: Vec<(usize, &String)> = names.iter().enumerate().collect();
        if state.is_race() {
            turns.reverse();
        }
        for (turn, name) in turns {
            let name = match (turn, state.is_race()) {
                (0, false) => "Now",
                (_, false) => "Before",
                _ => name,
            };
            row.selectable_value(&mut self.turn, turn, name);
        }
    }

    /// The line above a picture, which it takes from `room`: whose it is, and how long it takes.
    pub(super) fn caption(ui: &Ui, state: &State, variant: &Variant, room: &mut Rect) {
        let theme = theme::of(ui);
        let line = Rect::from_min_size(room.min, vec2(room.width(), CAPTION));
        room.min.y = line.max.y;
        let Some(lesson) = &state.place.lesson else { return };
        let on_bench = *variant == state.place.bench.variant;
        let sign = match (on_bench, state.is_race()) {
            _ if state.place.bench.beside.is_empty() => "",
            (true, false) => "Now: ",
            (false, false) => "Before: ",
            _ => "",
        };
        let ink = if on_bench { Ink::Accent } else { Ink::Text };
        let at = pos2(line.min.x + 16.0, line.center().y + 2.0);
        let font = theme::medium(theme::UI);
        let title = format!("{sign}{}", lesson.title_of(variant));
        let painter = ui.painter_at(line);
        let drawn = painter.text(at, egui::Align2::LEFT_CENTER, title, font, theme::color(theme, ink));
        if on_bench && state.is_broken() {
            let at = pos2(drawn.max.x + 12.0, at.y);
            let never = state.place.bench.beside.is_empty();
            let text = if never { "yours does not compile" } else { "the last version that compiled" };
            let font = egui::FontId::proportional(theme::SMALL);
            painter.text(at, egui::Align2::LEFT_CENTER, text, font, theme::color(theme, Hue::Conflict.ink()));
            return;
        }
        let measured = state.found.measured(&variant.program).and_then(|record| record.timing.as_ref());
        let said = match state.race_time(variant) {
            // The track has it.
            Some(_) => None,
            None => measured.map(|timing| {
                let through = if state.bench_backend() == state.measuring_backend() { "" } else { ", through wgpu" };
                format!("{} measured{through}", si(timing.median_s, "s"))
            }),
        };
        if let Some(text) = said {
            let at = pos2(drawn.max.x + 12.0, at.y);
            let font = egui::FontId::proportional(theme::SMALL);
            painter.text(at, egui::Align2::LEFT_CENTER, text, font, theme::color(theme, Ink::Muted));
        }
    }
}

/// The choice of what races with the kernel on the bench.
pub fn choose(ui: &mut Ui, state: &State) -> Option<Command> {
    let lesson = state.place.lesson.as_ref()?;
    let program = state.place.program().filter(|program| program.alone && state.place.bench.edit.is_none())?;
    let mut chosen = state.place.bench.beside.clone();
    let before = chosen.clone();
    let config = MenuConfig::new().close_behavior(egui::PopupCloseBehavior::CloseOnClickOutside);
    let (button, _) = MenuButton::new("Race").config(config).ui(ui, |ui| {
        ui.set_min_width(240.0);
        let muted = theme::color(theme::of(ui), Ink::Muted);
        let says = "Up to three more kernels, on one clock: each goes as far as it was measured to go while the one on the bench plays.";
        ui.add(egui::Label::new(RichText::new(says).size(theme::SMALL).color(muted)).wrap());
        egui::ScrollArea::vertical().max_height(320.0).show(ui, |ui| {
            let others = lesson.programs.iter().filter(|other| other.alone && other.id != program.id);
            for other in others.filter(|other| state.place.is_traceable(&other.id)) {
                let variant = Variant::plain(&other.id);
                let mut races = chosen.contains(&variant);
                let room = races || chosen.len() < MOST - 1;
                if ui.add_enabled(room, egui::Checkbox::new(&mut races, &other.title)).changed() {
                    chosen.retain(|of| *of != variant);
                    if races {
                        chosen.push(variant);
                    }
                }
            }
        });
        if ui.add_enabled(!chosen.is_empty(), egui::Button::new("End the race")).clicked() {
            chosen.clear();
        }
    });
    button.on_hover_text("Play several kernels side by side, on one clock");
    (chosen != before).then_some(Command::SetBeside(chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_share_the_room_or_take_turns() {
        let room = |w: f32, h: f32| Rect::from_min_size(pos2(0.0, 0.0), vec2(w, h));
        assert_eq!(places(room(700.0, 600.0), 2).map(|places| places[1].min), Some(pos2(0.0, 300.0)));
        assert_eq!(places(room(1000.0, 300.0), 2).map(|places| places[1].min), Some(pos2(500.0, 0.0)));
        assert_eq!(places(room(1000.0, 600.0), 4).map(|places| places[3].min), Some(pos2(500.0, 300.0)));
        assert_eq!(places(room(700.0, 300.0), 2), None);
    }
}
