//! The message of an empty pane.

use egui::{Align, Ui, pos2};

use super::theme;
use crate::figures::palette::Ink;

/// The message of an empty pane: the contents to come.
pub fn show(ui: &mut Ui, text: &str) {
    let room = ui.available_rect_before_wrap();
    let color = theme::color(theme::of(ui), Ink::Muted);
    let mut job = egui::text::LayoutJob::simple(
        text.to_owned(),
        egui::FontId::proportional(theme::UI),
        color,
        room.width() - 32.0,
    );
    job.halign = Align::Center;
    let galley = ui.painter().layout_job(job);
    let at = pos2(room.center().x, room.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, color);
    ui.allocate_rect(room, egui::Sense::hover())
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
}
