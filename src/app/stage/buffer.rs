//! The buffer that is looked at: which one, when, and how it is shown.

use egui::Ui;

use super::{Stage, opening};
use crate::lesson::scope::Results;
use crate::lesson::{Meaning, SceneKind};
use crate::scene::contents::Shape;
use crate::session::content::Content;
use crate::session::desk::Command;
use crate::session::desk::state::State;

impl Stage {
    /// The row below a buffer's contents: which buffer, how it is shown, and from where.
    pub(super) fn buffer(&mut self, ui: &mut Ui, state: &State) -> Option<Command> {
        let mut command = None;
        let looked = state.found.looked.as_ref();
        let shown = looked.map(|looked| looked.glance.buffer.clone()).unwrap_or_default();
        let combo = egui::ComboBox::from_id_salt("buffer").width(140.0).selected_text(&shown);
        let response = combo.show_ui(ui, |ui| {
            for buffer in state.place.program().into_iter().flat_map(|program| &program.buffers) {
                if ui.selectable_label(buffer.name == shown, &buffer.name).clicked() {
                    command = Some(Command::ShowBuffer(buffer.name.clone()));
                }
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Buffer on the stage"));
        let content = looked.and_then(|looked| looked.answer.as_ref()?.as_ref().ok());
        let Some(content) = content else { return command };
        let mut shape = self.contents.1.unwrap_or_else(|| content.shape(limit(state)));
        for (of, name) in [
            (Shape::Numbers, "Numbers"),
            (Shape::Shades, "Shades"),
            (Shape::Bars, "Bars"),
            (Shape::Characters, "Characters"),
            (Shape::Meant, meant(content)),
        ] {
            let fits = match of {
                Shape::Meant => content.meaning != Meaning::Plain,
                // A text that is cut is read in its tokens, not in the numbers of their bytes.
                Shape::Characters => content.meaning == Meaning::Plain,
                _ => true,
            };
            if !fits {
                continue;
            }
            if ui.selectable_value(&mut shape, of, name).clicked() {
                self.contents.1 = Some(shape);
            }
        }
        let last = content.tensor.len().saturating_sub(1);
        let before = self.first_element(state, content);
        let mut from = before;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let drag = egui::DragValue::new(&mut from).range(0..=last).speed(4.0);
            let response = ui.add(drag).on_hover_text("The first element that is shown");
            response.widget_info(|| egui::WidgetInfo::slider(true, from as f64, "First element that is shown"));
            ui.label("from element");
        });
        if from != before {
            self.contents.0 = Some(from);
        }
        command
    }

    /// The first element that is shown of a buffer: the learner's, else the one that the step begins at.
    pub(super) fn first_element(&self, state: &State, content: &Content) -> usize {
        let step = opening(state).filter(|step| step.scene == SceneKind::Contents);
        let begins = || step.map_or(0, |step| content.first(step.at));
        self.contents.0.unwrap_or_else(begins).min(content.tensor.len().saturating_sub(1))
    }
}

/// The name of what a buffer's elements mean.
fn meant(content: &Content) -> &'static str {
    match content.meaning {
        Meaning::Plain => "",
        Meaning::Cuts(_) => "Tokens",
        Meaning::Makes(_) => "Merges",
        Meaning::Words { .. } => "Words",
        Meaning::Links { .. } => "Links",
        Meaning::Spans(_) => "Timeline",
    }
}

/// The line that the step draws across bars.
pub(super) fn limit(state: &State) -> Option<f64> {
    let step = opening(state).filter(|step| step.scene == SceneKind::Contents)?;
    state.evaluate(step.limit.as_ref()?, &Results::default())
}

/// Whether a lane writes to a buffer, so that its elements have an origin.
pub(super) fn is_written(state: &State, buffer: &str) -> bool {
    let Some(job) = state.found.built.as_ref().map(|built| &built.job) else { return false };
    job.buffers.iter().position(|known| known.name == buffer).is_some_and(|place| job.writes(place))
}
