//! Which recording stands beside the learner's own curves, and whose it is.

use egui::{RichText, Ui};

use super::theme;
use crate::scene::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::recording::Shown;
use crate::session::saved::RecordingChoice;

/// Chooses among the recordings of the experiment in the plot.
pub fn chooser(ui: &mut Ui, recorded: &[Shown<'_>], chosen: Option<usize>) -> Option<Command> {
    let mut now = chosen.map_or(RecordingChoice::Hidden, |i| RecordingChoice::Only(recorded[i].recording.id.clone()));
    let before = now.clone();
    let text = chosen.map_or_else(|| "none".to_owned(), |i| short(&recorded[i]));
    let selected = RichText::new(format!("Recorded: {text}")).size(theme::SMALL);
    ui.spacing_mut().interact_size.y = 22.0;
    ui.spacing_mut().button_padding.y = 1.0;
    let combo = egui::ComboBox::from_id_salt("recording").selected_text(selected).width(120.0);
    let response = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut now, RecordingChoice::Hidden, "None");
        for shown in recorded {
            let choice = RecordingChoice::Only(shown.recording.id.clone());
            ui.selectable_value(&mut now, choice, shown.recording.name()).on_hover_text(about(shown));
        }
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Recording"));
    response.response.on_hover_text("Curves that were measured on another device, beside your own");
    (now != before).then_some(Command::SetRecording(now))
}

/// The device's name where room is scarce: its maker's is in the list.
fn short(shown: &Shown<'_>) -> String {
    let name = shown.recording.device.trim_start_matches("NVIDIA ");
    let name: Vec<&str> = name.split_whitespace().take(1).collect();
    format!("{}, {}", name.join(" "), shown.recording.interface())
}

/// All that is known of a recording.
pub fn about(shown: &Shown<'_>) -> String {
    let r = shown.recording;
    let params = shown.sweep.params.iter().map(|(id, v)| format!("{id} = {}", crate::base::units::number(*v)));
    format!(
        "recorded on {}, driver {} ({}), {}\nwith warpbook {}\nat {}",
        r.device,
        r.driver,
        r.api,
        r.date,
        r.program,
        params.collect::<Vec<_>>().join(", ")
    )
}

/// Whose the dashed curves are, in what their settings differ from the learner's, and what is left out.
pub fn provenance(ui: &mut Ui, state: &State, shown: &Shown<'_>) {
    let theme = theme::of(ui);
    let settings = state.other_settings(&shown.sweep);
    let mut text = format!("recorded on {}", shown.recording.name());
    let mut ink = Ink::Muted;
    if !settings.is_empty() {
        text.push_str(&format!("; at {}", settings.join(", ")));
        ink = Hue::Store.ink();
    }
    if !shown.changed.is_empty() {
        text.push_str(&format!("; not shown: {}, changed since", shown.changed.join(", ")));
    }
    let (rect, response) = ui.allocate_exact_size(egui::vec2(ui.available_width(), 18.0), egui::Sense::hover());
    super::plot::Mark::Recorded.draw(ui.painter(), rect.left_center(), theme::color(theme, Ink::Muted));
    let mut job = egui::text::LayoutJob::simple_singleline(
        text.clone(),
        egui::FontId::proportional(theme::SMALL),
        theme::color(theme, ink),
    );
    job.wrap = egui::text::TextWrapping::truncate_at_width(rect.width() - 22.0);
    let galley = ui.painter().layout_job(job);
    let at = egui::pos2(rect.min.x + 22.0, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, theme::color(theme, ink));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    response.on_hover_text(about(shown));
}
