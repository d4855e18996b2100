//! The choice of a program, and of the kernel for the pass on the stage.

use egui::{RichText, Ui};

use super::theme;
use crate::lesson::{Exercise, Kernel, Lesson};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::jobs::own::is_edit_id;
use crate::session::learn::edits::Edit;

/// The choice among the learner's versions and the lesson's programs.
pub fn programs(ui: &mut Ui, state: &State, lesson: &Lesson, title: &str, width: f32) -> Option<Command> {
    let mut chosen = None;
    let selected = RichText::new(title).font(theme::medium(theme::UI));
    let combo = egui::ComboBox::from_id_salt("kernel").selected_text(selected).width(width).truncate().height(400.0);
    let response = narrow(ui, width, |ui| {
        combo.show_ui(ui, |ui| {
            let exercises = lesson.exercises.iter().map(Exercise::yours);
            let own = state.kept().edits.iter().rev().map(|edit| edit.id.clone()).chain(exercises);
            let own: Vec<Edit> = own.filter_map(|id| state.edit(&id)).collect();
            for edit in &own {
                if ui.selectable_label(state.place.bench.edit.as_ref() == Some(&edit.id), &edit.name).clicked() {
                    chosen = Some(Command::ShowEdit(edit.id.clone()));
                }
            }
            if !own.is_empty() {
                ui.separator();
            }
            for other in lesson.programs.iter().filter(|program| !is_edit_id(&program.id)) {
                let change = lesson.kernel(&other.id).map_or("", |kernel| &kernel.change);
                let here = state.place.bench.edit.is_none() && other.id == state.place.bench.variant.program;
                if ui.selectable_label(here, &other.title).on_hover_text(change).clicked() {
                    chosen = Some(Command::ShowProgram(other.id.clone()));
                }
            }
        })
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Kernel on the bench"));
    chosen
}

/// The choice among the kernels that can take the place on the stage.
pub fn rungs(ui: &mut Ui, state: &State, kernel: &Kernel, rungs: &[String], width: f32) -> Option<Command> {
    let lesson = state.place.lesson.as_ref()?;
    let mut chosen = None;
    let combo = egui::ComboBox::from_id_salt("rung").selected_text(&kernel.title).width(width).truncate().height(400.0);
    let response = narrow(ui, width, |ui| {
        combo.show_ui(ui, |ui| {
            for other in rungs.iter().filter_map(|id| lesson.kernel(id)) {
                if ui.selectable_label(other.id == kernel.id, &other.title).on_hover_text(&other.change).clicked() {
                    chosen = Some(Command::ChooseRung(state.place.stage.pass.clone(), other.id.clone()));
                }
            }
        })
    });
    let name = format!("Kernel of the pass {}", state.place.stage.pass);
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, &name));
    chosen
}

/// Shows something that is cut off where it would be wider than this.
fn narrow<T>(ui: &mut Ui, width: f32, show: impl FnOnce(&mut Ui) -> T) -> T {
    ui.scope(|ui| {
        ui.set_max_width(width);
        show(ui)
    })
    .inner
}
