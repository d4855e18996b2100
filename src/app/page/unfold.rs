//! Parts that are folded under a title, until the reader clicks it or presses Enter on it.

use egui::{CursorIcon, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::{Reading, blocks};
use crate::app::theme;
use crate::figures::palette::Ink;
use crate::lesson::Block;
use crate::session::desk::Command;

/// The indent of unfolded parts.
const INDENT: f32 = 24.0;

/// Shows the title, and the blocks while they are unfolded.
pub fn show(ui: &mut Ui, reading: &mut Reading<'_>, title: &str, inner: &[Block]) -> Vec<Command> {
    let id = ui.scope_id().with("unfolded");
    let mut open = ui.data(|d| d.get_temp::<bool>(id)).unwrap_or(false);
    let width = ui.available_width();
    let theme = theme::of(ui);
    let color = theme::color(theme, Ink::Accent);
    let galley = ui.painter().layout(title.to_owned(), theme::prose_bold(theme::BODY), color, width - INDENT - 8.0);
    let (rect, response) = ui.allocate_exact_size(vec2(width, (galley.size().y + 8.0).max(32.0)), Sense::click());
    response.widget_info(|| {
        let state = if open { "unfolded" } else { "folded" };
        WidgetInfo::labeled(egui::Role::Button, true, format!("{title}, {state}"))
    });
    if response.clicked() {
        open = !open;
        ui.data_mut(|d| d.insert_temp(id, open));
    }
    if response.hovered() || response.has_focus() {
        ui.painter().rect_filled(rect, 4.0, theme::color(theme, Ink::Raised));
    }
    if response.has_focus() {
        ui.painter().rect_stroke(rect, 4.0, Stroke::new(2.0, color), egui::StrokeKind::Inside);
    }
    let c = pos2(rect.min.x + 12.0, rect.center().y);
    let sign = if open {
        vec![c + vec2(-5.0, -3.0), c + vec2(5.0, -3.0), c + vec2(0.0, 4.0)]
    } else {
        vec![c + vec2(-3.0, -5.0), c + vec2(4.0, 0.0), c + vec2(-3.0, 5.0)]
    };
    ui.painter().add(Shape::convex_polygon(sign, color, Stroke::NONE));
    ui.painter().galley(pos2(rect.min.x + INDENT, rect.center().y - galley.size().y / 2.0), galley, color);
    response.on_hover_cursor(CursorIcon::PointingHand);
    if !open {
        return Vec::new();
    }
    ui.add_space(8.0);
    let top = ui.cursor().min;
    let commands = ui
        .horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            ui.add_space(INDENT);
            ui.vertical(|ui| {
                ui.set_width(ui.available_width());
                blocks::show(ui, reading, inner)
            })
            .inner
        })
        .inner;
    let rule = [pos2(top.x + 11.0, top.y), pos2(top.x + 11.0, ui.cursor().min.y)];
    ui.painter().line_segment(rule, Stroke::new(2.0, theme::color(theme, Ink::Faint)));
    commands
}
