//! The track of a race: a bar per kernel at its measured speed, sorted by time, and by how much the first one wins.

use egui::{Align2, FontId, Rect, Sense, Ui, pos2, vec2};

use super::super::theme;
use super::Stage;
use crate::base::units::{digits3, si};
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::race::RaceSource;
use crate::session::desk::state::State;

/// Height of a kernel's bar with its gap, and of the line above the bars.
const LANE: f32 = 20.0;
const HEAD: f32 = 22.0;

impl Stage {
    /// Draws the track along the top of `room`, which it takes from it; nothing until all times are known. `share` is
    /// how far the kernel on the bench has come, from 0 to 1.
    pub(super) fn track(ui: &Ui, state: &State, share: f32, room: &mut Rect) {
        let Some(lesson) = &state.place.lesson else { return };
        let racing = || std::iter::once(&state.place.bench.variant).chain(&state.place.bench.beside);
        let timed = racing().map(|variant| {
            let time = state.race_time(variant)?;
            Some((lesson.title_of(variant), state.pace(variant) as f32, time))
        });
        let Some(mut lanes) = timed.collect::<Option<Vec<_>>>() else { return };
        lanes.sort_by(|a, b| a.2.seconds.total_cmp(&b.2.seconds));
        let [(winner, _, first), (second, _, next), ..] = lanes.as_slice() else { return };
        let ratio = digits3(next.seconds / first.seconds);
        let whose = match first.source {
            RaceSource::Recorded(recording) => format!("recorded on {}", recording.name()),
            RaceSource::Predicted(device) => format!("predicted for {device}"),
            RaceSource::Measured => {
                format!("measured on {}", state.acting_device().map(|device| device.name).unwrap_or_default())
            }
        };
        let said = format!("{winner} wins: {ratio} times as fast as {second}, {whose}");
        let theme = theme::of(ui);
        #[expect(clippy::cast_precision_loss, reason = "four at most")]
        let whole = Rect::from_min_size(room.min, vec2(room.width(), HEAD + LANE * lanes.len() as f32 + 4.0));
        room.min.y = whole.max.y;
        let painter = ui.painter_at(whole);
        let color = |ink: Ink| theme::color(theme, ink);
        let font = theme::medium(theme::UI);
        let at = pos2(whole.min.x + 16.0, whole.min.y + HEAD / 2.0 + 2.0);
        painter.text(at, Align2::LEFT_CENTER, &said, font, color(Ink::Text));
        let small = FontId::proportional(theme::SMALL);
        let wide = |text: &str| painter.layout_no_wrap(text.to_owned(), small.clone(), color(Ink::Text)).size().x;
        let names = lanes.iter().map(|(name, ..)| wide(name)).fold(0.0, f32::max).min(whole.width() * 0.4);
        let (left, right) = (whole.min.x + 28.0 + names, whole.max.x - 84.0);
        let lane = |i: usize| whole.min.y + HEAD + LANE * f32::from(u8::try_from(i).unwrap_or(0));
        for (i, (name, pace, time)) in lanes.iter().enumerate() {
            let middle = lane(i) + LANE / 2.0;
            painter.text(pos2(left - 8.0, middle), Align2::RIGHT_CENTER, name, small.clone(), color(Ink::Text));
            let ground = Rect::from_min_max(pos2(left, lane(i) + 4.0), pos2(right, lane(i) + LANE - 4.0));
            painter.rect_filled(ground, 3.0, color(Ink::Raised));
            let done = (share * pace).clamp(0.0, 1.0);
            let ink = if i == 0 { Hue::Shared.ink() } else { Ink::Load };
            let bar = Rect::from_min_size(ground.min, vec2(ground.width() * done, ground.height()));
            painter.rect_filled(bar, 3.0, color(ink));
            painter.text(
                pos2(right + 8.0, middle),
                Align2::LEFT_CENTER,
                si(time.seconds, "s"),
                small.clone(),
                color(if done >= 1.0 { Ink::Text } else { Ink::Muted }),
            );
        }
        let response = ui.interact(whole, ui.scope_id().with("track"), Sense::hover());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Image, true, &said));
    }
}
