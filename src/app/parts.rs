//! The row above each part of a kernel's text in the code pane: its file's name. A click opens the part, or folds it.

use egui::{Color32, Rect, Sense, Shape, Stroke, Ui, pos2, vec2};

use super::lit::{self, GUTTER, LINE, Lit};
use super::theme;
use crate::base::parts::Part;
use crate::figures::palette::Ink;
use crate::trace::{LineCounts, Trace};

/// The lines below the row that are shown.
#[derive(Clone, Copy)]
pub struct Below<'a> {
    /// Counts by line, if known.
    pub trace: Option<&'a Trace>,
    /// Lines that are lit.
    pub lit: &'a Lit,
    /// Parts that are open until they are folded, by their names without endings.
    pub open: &'a [String],
}

/// Shows the row, and says whether the part is open. The row of a folded part has what its lines did together, and is
/// lit with them.
pub fn row(ui: &mut Ui, part: &Part<'_>, below: &Below<'_>) -> bool {
    let Some((file, name)) = part.file.zip(part.name()) else { return true };
    let theme = theme::of(ui);
    let lines = u32::try_from(part.text.lines().count()).unwrap_or(u32::MAX);
    let id = egui::Id::unique("part of a kernel").with(file);
    let mut is_open = ui.data(|data| data.get_temp(id)).unwrap_or_else(|| {
        let stem = part.stem().unwrap_or_default();
        below.open.iter().any(|name| name == stem)
    });
    let width = ui.available_width().max(ui.clip_rect().width());
    let (rect, response) = ui.allocate_exact_size(vec2(width, LINE), Sense::click());
    if response.clicked() {
        is_open = !is_open;
        ui.data_mut(|data| data.insert_temp(id, is_open));
    }
    let state = if is_open { "open" } else { "folded" };
    let told = format!("{name}, {lines} lines, {state}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, &told));
    let is_inside = |line: Option<u32>| line.filter(|line| (part.before..=part.before + lines).contains(line));
    let hidden = |line| is_inside(line).filter(|_| !is_open);
    let lit = Lit { executing: hidden(below.lit.executing), hovered: hidden(below.lit.hovered), ..Lit::default() };
    for (_, ground) in lit::grounds(theme, &lit, None) {
        ui.painter().add(ground.shape(rect));
    }
    let together = below.trace.filter(|_| !is_open).and_then(|trace| {
        let all = trace.lines.iter().filter(|counts| is_inside(Some(counts.line)).is_some());
        all.fold(None, |sum: Option<LineCounts>, counts| {
            let mut sum = sum.unwrap_or_default();
            sum.add(counts);
            Some(sum)
        })
    });
    lit::gutter(ui, rect, part.before, together.as_ref(), lit::most(below.trace));
    let ink = theme::color(theme, if response.hovered() { Ink::Text } else { Ink::Muted });
    let from = triangle(ui, rect, is_open, ink);
    let text = format!("{name}  {lines} lines");
    ui.painter().text(pos2(from, rect.center().y), egui::Align2::LEFT_CENTER, text, theme::mono(theme::CODE), ink);
    let top = rect.min.y.round() + 0.5;
    let rule = Stroke::new(1.0, theme::color(theme, Ink::Faint));
    ui.painter().line_segment([pos2(rect.min.x, top), pos2(rect.max.x, top)], rule);
    if let Some(line) = lit.executing {
        lit::follow(ui, rect, (file.to_owned(), line), egui::Align::Center);
    }
    let place = format!("{file}, which this kernel includes. Its line 1 is line {} here.", part.before + 1);
    let counted = together.as_ref().map(lit::explain);
    response.on_hover_text(counted.map_or_else(|| place.clone(), |counted| format!("{place}\n\n{counted}")));
    is_open
}

/// Draws a triangle: downwards if the part is open, to the right if it is folded. Returns where the text after it
/// begins.
fn triangle(ui: &Ui, row: Rect, is_open: bool, ink: Color32) -> f32 {
    const SIDE: f32 = 4.0;
    let at = pos2(row.min.x + GUTTER + SIDE, row.center().y);
    let corners = if is_open {
        [vec2(-SIDE, -SIDE * 0.6), vec2(SIDE, -SIDE * 0.6), vec2(0.0, SIDE * 0.8)]
    } else {
        [vec2(-SIDE * 0.6, -SIDE), vec2(SIDE * 0.8, 0.0), vec2(-SIDE * 0.6, SIDE)]
    };
    ui.painter().add(Shape::convex_polygon(corners.map(|corner| at + corner).into(), ink, Stroke::NONE));
    at.x + 3.0 * SIDE
}
