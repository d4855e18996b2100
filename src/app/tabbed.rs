//! Brings what the keyboard has gone to into sight.

use egui::{Id, Ui};

/// Called at the end of what scrolls: once the keyboard has gone to something of it, scrolls that into sight.
pub fn follow(ui: &Ui) {
    let focused = ui.memory(|m| m.focused());
    let id = ui.scope_id().with("focus in sight");
    if ui.data(|d| d.get_temp::<Option<Id>>(id)).flatten() == focused {
        return;
    }
    let Some(response) = focused.and_then(|focused| ui.ctx().read_response(focused)) else { return };
    ui.data_mut(|d| d.insert_temp(id, focused));
    // A widget that is visible outside this scroll area does not belong to it.
    let elsewhere = response.interact_rect.is_positive() && !ui.clip_rect().intersects(response.interact_rect);
    if !elsewhere && ui.min_rect().contains(response.rect.center()) {
        ui.scroll_to_rect(response.rect.expand(8.0), None);
    }
}
