//! The lines of a text that are lit, and its gutter.

use egui::{Color32, Rect, Ui, pos2, vec2};

use super::theme;
use crate::base::units::{count, counted, digits3};
use crate::figures::palette::{Hue, Ink, Theme};
use crate::trace::counters::LINE_COUNTERS;
use crate::trace::{LineCounts, Trace};

/// Height of a line, and width of the columns before its text.
pub const LINE: f32 = 18.0;
pub const GUTTER: f32 = 64.0;

/// The lines that the neighbours of the source pane are about.
#[derive(Default)]
pub struct Lit {
    /// The line that the event on the stage came from.
    pub executing: Option<u32>,
    /// The line that the pointer elsewhere is about.
    pub hovered: Option<u32>,
    /// The line to keep in sight, if it is not the executing one.
    pub watched: Option<u32>,
    /// Whether the executing line is left where it is: the learner writes elsewhere.
    pub stays: bool,
}

/// Keeps the executing line of a kernel in sight: scrolls to it when it or the pane's size changes, and leaves the
/// reader's own scrolling alone. The line of another text comes to the place that `align` says.
pub fn follow(ui: &Ui, rect: Rect, now: (String, u32), align: egui::Align) {
    // A list that has just appeared knows its size only after a few frames.
    const FRAMES: u8 = 3;
    let id = egui::Id::unique("executing line");
    let size = ui.clip_rect().size();
    let before = ui.data(|d| d.get_temp::<((String, u32), egui::Vec2, u8, bool)>(id));
    let (frames, another) = match &before {
        Some((line, of, frames, another)) if *line == now && *of == size => (*frames, *another),
        Some(((kernel, _), of, ..)) => (0, *kernel != now.0 || *of != size),
        None => (0, true),
    };
    if frames < FRAMES {
        ui.data_mut(|d| d.insert_temp(id, (now, size, frames + 1, another)));
        ui.ctx().request_repaint();
        let line = Rect::from_min_size(rect.min, vec2(1.0, rect.height()));
        ui.scroll_to_rect(line.expand2(vec2(0.0, 2.0 * LINE)), another.then_some(align));
    }
}

/// The text below a highlighted line.
pub struct Ground {
    fill: Color32,
    /// The bar at its start.
    bar: Option<Color32>,
}

impl Ground {
    /// As it is painted on a line.
    pub fn shape(&self, rect: Rect) -> egui::Shape {
        let bar = Rect::from_min_size(rect.min, vec2(3.0, rect.height()));
        let fill = egui::Shape::rect_filled(rect, 0.0, self.fill);
        egui::Shape::Vec(
            std::iter::once(fill).chain(self.bar.map(|color| egui::Shape::rect_filled(bar, 0.0, color))).collect(),
        )
    }
}

/// The lines that are lit, and how: the executing one, and that under the pointer.
pub fn grounds(theme: Theme, lit: &Lit, hovered: Option<u32>) -> Vec<(u32, Ground)> {
    let bar = Some(theme::color(theme, Ink::Accent));
    let executing = lit.executing.map(|line| (line, Ground { fill: theme::color(theme, Hue::Accent.tint(22)), bar }));
    let pointed = hovered.or(lit.hovered).filter(|line| lit.executing != Some(*line));
    let pointed = pointed.map(|line| (line, Ground { fill: theme::color(theme, Ink::Faint), bar: None }));
    executing.into_iter().chain(pointed).collect()
}

/// Line number, sectors (or conflicts) of the line, and a bar for its share of the instructions.
pub fn gutter(ui: &Ui, rect: Rect, number: u32, counts: Option<&LineCounts>, most: u64) {
    let theme = theme::of(ui);
    let muted = theme::color(theme, Ink::Muted);
    let at = pos2(rect.min.x + 24.0, rect.center().y);
    ui.painter().text(at, egui::Align2::RIGHT_CENTER, number, theme::mono(12.0), muted);
    let Some(counts) = counts else { return };
    #[expect(clippy::cast_precision_loss, reason = "a bar of a few points")]
    let share = if most == 0 { 0.0 } else { (counts.warp_instructions as f32 / most as f32).min(1.0) };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 255")]
    let heat = theme::color(theme, Ink::Heat(60 + (share * 195.0) as u8));
    let bar = Rect::from_min_size(pos2(rect.min.x + 32.0, rect.center().y - 3.0), vec2(24.0 * share.max(0.06), 6.0));
    ui.painter().rect_filled(bar, 2.0, heat);
}

/// A line's counts, in words.
pub fn explain(counts: &LineCounts) -> String {
    let mut text = format!(
        "{} over the whole grid, on average with {} lanes active",
        counted(counts.warp_instructions, "warp instruction"),
        digits3(counts.active_lanes()),
    );
    for counter in &LINE_COUNTERS[1..] {
        let number = (counter.of)(counts);
        if number > 0 {
            text.push_str(&format!("\n{} {}", count(number), counter.thing[usize::from(number > 1)]));
        }
    }
    text
}

/// The most instructions of a line.
pub fn most(trace: Option<&Trace>) -> u64 {
    trace.map_or(0, |t| t.lines.iter().map(|l| l.warp_instructions).max().unwrap_or(0))
}
