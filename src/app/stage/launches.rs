//! The clock of a program's launches: where it is, its bar, and the pass strip that follows it.

use std::sync::Arc;

use egui::{Rect, Sense, Ui, pos2, vec2};

use super::super::player::Player;
use super::super::theme;
use super::ticks::Ticks;
use crate::base::units::count;
use crate::figures::Reel;
use crate::figures::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// Where the stage is in a program's launches.
#[derive(Default)]
pub struct Launches {
    /// The clock.
    pub player: Player,
    /// The launch that the strip of passes showed last, and of which reel.
    shown: Option<(usize, u64, *const Reel)>,
    /// The tick at the last frame.
    tick: Option<usize>,
}

/// A tick for each launch; each round begins with a stop.
pub(super) fn ticks(reel: &Reel) -> Ticks {
    let film = &reel.film;
    let pass = |frame: usize| film.launch_of(frame).map(|(pass, _)| pass);
    let begins = |frame: &usize| *frame == 0 || pass(*frame) <= pass(*frame - 1);
    let stops = (0..film.frames.len()).filter(begins).collect();
    let quiet = film.frames.iter().map(|frame| frame.changed.is_empty()).collect();
    Ticks { count: film.frames.len(), quiet, stops, names: ["launch", "round"], plural: "launches" }
}

impl Launches {
    /// Which of the program's launches is on the stage.
    pub(super) fn said(&self, reel: Option<&Reel>) -> String {
        let Some(film) = reel.map(|reel| &reel.film) else { return String::new() };
        let frame = self.player.event(film.frames.len()).and_then(|frame| film.frames.get(frame));
        let (at, all) = (frame.map_or(0, |frame| frame.at + 1), film.trail.len());
        format!("launch {} of {}", count(at as u64), count(all as u64))
    }

    /// Goes to the launch that was chosen in the strip of passes; or chooses there the one that the clock has come to.
    pub(super) fn follow(&mut self, state: &State, reel: &Arc<Reel>) -> Option<Command> {
        let place = state.place.shown();
        let now = (place.pass, place.launch, Arc::as_ptr(reel));
        let frames = reel.film.frames.len();
        if self.shown != Some(now) {
            self.shown = Some(now);
            if let Some(tick) = reel.film.frame_of(place.pass, place.launch) {
                // The lesson's buffer has nothing to show before the launch that writes it; one that the learner chose shows just that.
                let has_something = |tick: &usize| state.place.stage.buffer.is_some() || reel.has_something(tick + 1);
                self.player.go_to((tick..frames).find(has_something).unwrap_or(tick));
            }
            self.tick = self.player.event(frames);
            return None;
        }
        let tick = self.player.event(frames)?;
        if self.player.playing || self.tick == Some(tick) {
            return None;
        }
        self.tick = Some(tick);
        let (pass, launch) = reel.film.launch_of(tick)?;
        self.shown = Some((pass, launch, Arc::as_ptr(reel)));
        let id = state.place.program()?.passes().get(pass)?.id.clone();
        Some(Command::FollowLaunch(id, launch))
    }
}

impl Player {
    /// The bar of all ticks: a click or a drag goes there.
    pub(super) fn scrub(&mut self, ui: &mut Ui, ticks: &Ticks, rect: Rect) {
        let count = ticks.count;
        let theme = theme::of(ui);
        let painter = ui.painter_at(rect.expand(4.0));
        let line = |from: f32, to: f32, ink| {
            let bar = Rect::from_min_max(pos2(from, rect.center().y - 2.0), pos2(to, rect.center().y + 2.0));
            painter.rect_filled(bar, 2.0, theme::color(theme, ink));
        };
        #[expect(clippy::cast_precision_loss, reason = "a few hundred launches")]
        let share = (self.position / count.max(1) as f32).clamp(0.0, 1.0);
        let here = rect.min.x + share * rect.width();
        line(rect.min.x, rect.max.x, Ink::Faint);
        line(rect.min.x, here, Ink::Accent);
        for stop in &ticks.stops {
            #[expect(clippy::cast_precision_loss, reason = "a few hundred launches")]
            let x = rect.min.x + *stop as f32 / count.max(1) as f32 * rect.width();
            painter.vline(x, rect.center().y - 6.0..=rect.center().y + 6.0, (1.0, theme::color(theme, Ink::Muted)));
        }
        painter.circle_filled(pos2(here, rect.center().y), 6.0, theme::color(theme, Ink::Accent));
        let response = ui.interact(rect.expand2(vec2(0.0, 4.0)), ui.scope_id().with("ticks"), Sense::click_and_drag());
        let name = format!("Position among the {}", ticks.plural);
        response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(self.position), &name));
        if let Some(pointer) = response.interact_pointer_pos().filter(|_| count > 0) {
            self.playing = false;
            #[expect(clippy::cast_precision_loss, reason = "a few hundred launches")]
            let to = (pointer.x - rect.min.x) / rect.width() * count as f32;
            #[expect(clippy::cast_precision_loss, reason = "a few hundred launches")]
            let end = count as f32 - 0.01;
            self.position = to.clamp(0.0, end);
        }
    }
}
