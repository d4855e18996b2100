//! The buffer that is looked at: which one, when, and how it is shown.

use egui::Ui;

use super::{Stage, opening};
use crate::job::{self, Moment};
use crate::lesson::SceneKind;
use crate::lesson::scope::Results;
use crate::scene::contents::Shape;
use crate::session::desk::Command;
use crate::session::desk::found::{Content, Looked};
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
        let content = looked.and_then(|looked| Some((looked, looked.answer.as_ref()?.as_ref().ok()?)));
        let Some((looked, content)) = content else { return command };
        let mut shape = self.contents.1.unwrap_or_else(|| shape_of(state, looked, content));
        for (of, name) in [
            (Shape::Numbers, "Numbers"),
            (Shape::Shades, "Shades"),
            (Shape::Bars, "Bars"),
            (Shape::Characters, "Characters"),
            (Shape::Tokens, "Tokens"),
            (Shape::Merges, "Merges"),
        ] {
            let fits = match of {
                Shape::Tokens => content.text.is_some(),
                Shape::Merges => content.makes.is_some(),
                // A text that is cut is read in its tokens, not in the numbers of their bytes.
                Shape::Characters => content.text.is_none() && content.makes.is_none(),
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
        let before = self.first_element(state, content.tensor.len());
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

    /// The first element that is shown of a buffer of `len`: the learner's, else the one that the step begins at.
    #[expect(clippy::cast_precision_loss, reason = "far fewer than 2^53 elements")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of them")]
    pub(super) fn first_element(&self, state: &State, len: usize) -> usize {
        let step = opening(state).filter(|step| step.scene == SceneKind::Contents);
        let begins = || step.map_or(0, |step| (step.at * len as f64) as usize);
        self.contents.0.unwrap_or_else(begins).min(len.saturating_sub(1))
    }
}

/// When a buffer was looked at, in words.
pub(super) fn when(state: &State, looked: &Looked) -> String {
    let Moment::After(place, launch) = looked.glance.at else { return "at the end".to_owned() };
    let pass = state.place.program().and_then(|program| program.passes().get(place).copied());
    let title = pass.map_or("?", |pass| pass.title.as_str());
    let launches = state.traced().and_then(|traced| traced.pass(place)).map_or(1, |pass| pass.launches);
    if launches > 1 { format!("after {title}, launch {} of {launches}", launch + 1) } else { format!("after {title}") }
}

/// The line that the step draws across bars.
pub(super) fn limit(state: &State) -> Option<f64> {
    let step = opening(state).filter(|step| step.scene == SceneKind::Contents)?;
    state.evaluate(step.limit.as_ref()?, &Results::default())
}

/// How a buffer is shown unless the learner says otherwise: a text that it cuts as cells, a list of merges as one, with a limit as bars, a text as one, a wide matrix as shades.
pub(super) fn shape_of(state: &State, looked: &Looked, content: &Content) -> Shape {
    let job = state.found.job.as_ref().map(|(_, job)| job);
    let spec = job.and_then(|job| job.buffers.iter().find(|buffer| buffer.name == looked.glance.buffer));
    match spec.map(|spec| &spec.content) {
        _ if content.text.is_some() => Shape::Tokens,
        _ if content.makes.is_some() => Shape::Merges,
        _ if limit(state).is_some() => Shape::Bars,
        Some(job::Content::Bytes(_)) => Shape::Characters,
        _ if content.columns.is_some_and(|columns| columns > 16) => Shape::Shades,
        _ => Shape::Numbers,
    }
}

/// Whether a lane writes to a buffer, so that its elements have an origin.
pub(super) fn is_written(state: &State, buffer: &str) -> bool {
    let Some((_, job)) = &state.found.job else { return false };
    job.buffers.iter().position(|known| known.name == buffer).is_some_and(|place| job.writes(place))
}
