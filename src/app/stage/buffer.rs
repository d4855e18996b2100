//! The buffer that is looked at: which one, when, and how it is shown.

use egui::Ui;

use super::{Drawn, Stage};
use crate::figures::shape::Shape;
use crate::figures::{self, Figure, ReelBuffer, View};
use crate::session::desk::Command;
use crate::session::desk::state::State;

impl Stage {
    /// The row below a buffer's contents: which buffer, how it is shown, and from where.
    pub(super) fn buffer(&mut self, ui: &mut Ui, state: &State, drawn: &Drawn<'_>) -> Option<Command> {
        let mut command = None;
        let view = drawn.state.view(drawn.picture, drawn.results);
        let reel = view.reel(drawn.figure).ok().map(|(reel, _)| reel);
        let shown = drawn.figure.film(&view).ok().and_then(|film| film.into_iter().next()).unwrap_or_default();
        let combo = egui::ComboBox::from_id_salt("buffer").width(140.0).selected_text(&shown);
        let response = combo.show_ui(ui, |ui| {
            for buffer in state.place.program().into_iter().flat_map(|program| &program.buffers) {
                if ui.selectable_label(buffer.name == shown, &buffer.name).clicked() {
                    command = Some(Command::ShowBuffer(buffer.name.clone()));
                }
            }
        });
        response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Buffer on the stage"));
        let Some(buffer) = reel.and_then(|reel| reel.buffers.first()) else { return command };
        let usual = buffer.shape(view.number("limit").is_some());
        let mut shape = self.reading.shape.unwrap_or(usual);
        for (of, name) in [
            (Shape::Numbers, "Numbers"),
            (Shape::Shades, "Shades"),
            (Shape::Bars, "Bars"),
            (Shape::Characters, "Characters"),
            (Shape::Meant, meant(buffer)),
        ] {
            let fits = match of {
                Shape::Meant => buffer.means.is_some(),
                // A text that is cut is read in its tokens, not in the numbers of their bytes.
                Shape::Characters => buffer.means.is_none(),
                _ => true,
            };
            if !fits {
                continue;
            }
            if ui.selectable_value(&mut shape, of, name).clicked() {
                self.reading.shape = Some(shape);
            }
        }
        let Some((before, elements)) = self.first_element(drawn.figure, &self.view(drawn, egui::Vec2::ZERO)) else {
            return command;
        };
        let mut from = before;
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let drag = egui::DragValue::new(&mut from).range(0..=elements.saturating_sub(1)).speed(4.0);
            let response = ui.add(drag).on_hover_text("The first element that is shown");
            response.widget_info(|| egui::WidgetInfo::slider(true, from as f64, "First element that is shown"));
            ui.label("from element");
        });
        if from != before {
            self.reading.from = Some(from);
        }
        command
    }

    /// The first element that is shown of a buffer: the learner's, else the one that the step begins at; and how many
    /// there are.
    pub(super) fn first_element(&self, figure: &dyn Figure, view: &View<'_>) -> Option<(usize, usize)> {
        let (reel, _) = view.reel(figure).ok()?;
        let elements = reel.film.start.first()?.len();
        Some((figures::first_element(view, elements), elements))
    }
}

/// The name of what a buffer's elements mean.
fn meant(buffer: &ReelBuffer) -> &'static str {
    let meaning = buffer.means.as_ref().and_then(|means| figures::meanings::find(&means.name));
    meaning.map_or("", |meaning| meaning.card().tab)
}

/// Whether a lane writes to a buffer, so that its elements have an origin.
pub(super) fn is_written(state: &State, buffer: &str) -> bool {
    let Some(job) = state.found.compiled.job() else { return false };
    job.buffers.iter().position(|known| known.name == buffer).is_some_and(|place| job.writes(place))
}
