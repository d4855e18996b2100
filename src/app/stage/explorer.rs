//! An explorer as the picture of the stage.

use egui::{Rect, Ui, vec2};

use crate::app::explore;
use crate::lesson::Picture;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// The widest that an explorer is drawn.
const MATHS: f32 = 960.0;

/// The explorer of the step, as large as there is room.
pub(super) fn show(ui: &mut Ui, state: &State, picture: &Picture, rect: Rect) -> Option<Command> {
    let name = state.place.step()?.explorer()?;
    // A wide picture is a tall one, too: it grows with the room below.
    let width = (rect.width() - 32.0).min(MATHS).min((rect.height() * 1.4).max(620.0));
    let room = Rect::from_center_size(rect.center(), vec2(width, rect.height()));
    let mut ui = ui.new_child(egui::UiBuilder::new().id_salt("maths").max_rect(room));
    ui.set_clip_rect(rect.intersect(ui.clip_rect()));
    // How tall it is, is known once it was drawn. It then stays where it is: a bar must not move away from the hand that turns it.
    let id = egui::Id::unique(("maths", name, rect.height() as u32, width as u32));
    let tall = ui.data(|d| d.get_temp::<f32>(id));
    let scroll = egui::ScrollArea::vertical().id_salt(("maths", name)).auto_shrink(false);
    // That there is more below is seen.
    let bar = if tall.is_some_and(|tall| tall > rect.height()) {
        egui::scroll_area::ScrollBarVisibility::AlwaysVisible
    } else {
        egui::scroll_area::ScrollBarVisibility::VisibleWhenNeeded
    };
    let moved = scroll.scroll_bar_visibility(bar).show(&mut ui, |ui| {
        ui.add_space(((rect.height() - tall.unwrap_or(rect.height())) / 2.0).max(8.0));
        let top = ui.cursor().top();
        if !picture.text("title").is_empty() {
            ui.label(egui::RichText::new(picture.text("title")).size(17.0));
            ui.add_space(4.0);
        }
        let moved = explore::show(ui, state, name);
        if tall.is_none() {
            let tall = ui.min_rect().bottom() - top;
            ui.data_mut(|d| d.insert_temp(id, tall));
            ui.ctx().request_repaint();
        }
        moved
    });
    moved.inner
}
