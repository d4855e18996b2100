//! The choice of the recording beside the learner's own curves, and its device and date.

use egui::{RichText, Ui};

use super::theme;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::state::State;
use crate::session::desk::{Command, SettingCommand};
use crate::session::experiment::recording::{Of, Recording, RecordingChoice};
use crate::trace::record::Backend;

/// Where the words of a legend begin, in points from its mark.
const INDENT: f32 = 22.0;

/// Room below a plot's title, in points, that the plot itself needs.
const LITTLE: f32 = 200.0;

/// Chooses among the recordings of the experiment in the plot; `wide` where there is room to say what it is.
pub fn chooser(ui: &mut Ui, recorded: &[Of<'_>], chosen: Option<usize>, wide: bool) -> Option<Command> {
    let mut now = chosen.map_or(RecordingChoice::Hidden, |i| RecordingChoice::Only(recorded[i].0.id.clone()));
    let before = now.clone();
    let text = chosen.map_or_else(|| "none".to_owned(), |i| short(recorded[i].0));
    let text = if wide { format!("Recorded: {text}") } else { text };
    let selected = RichText::new(text).size(theme::SMALL);
    ui.spacing_mut().interact_size.y = 22.0;
    ui.spacing_mut().button_padding.y = 1.0;
    let combo = egui::ComboBox::from_id_salt("recording").selected_text(selected).width(96.0);
    let response = combo.show_ui(ui, |ui| {
        ui.selectable_value(&mut now, RecordingChoice::Hidden, "None");
        for shown in recorded {
            let choice = RecordingChoice::Only(shown.0.id.clone());
            ui.selectable_value(&mut now, choice, shown.0.name()).on_hover_text(about(*shown));
        }
    });
    response.response.widget_info(|| {
        let shown = chosen.map(|i| format!("recorded on {}", recorded[i].0.name()));
        egui::WidgetInfo {
            current_text_value: shown,
            ..egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "Recording")
        }
    });
    response.response.on_hover_text("Curves that were measured on another device, beside your own");
    (now != before).then_some(Command::Set(SettingCommand::Recording(now)))
}

/// Where there is room for one plot and both cannot share it: whether it is the recording's turn. The learner's own
/// sweep comes first once there is one, until they turn to the other.
pub fn turn(ui: &mut Ui, experiment: &str, swept: bool) -> bool {
    let id = egui::Id::unique(("whose curves", experiment, swept));
    let mut theirs = ui.data(|data| data.get_temp(id)).unwrap_or(!swept);
    for (recorded, label) in [(false, "Yours"), (true, "Recorded")] {
        ui.selectable_value(&mut theirs, recorded, RichText::new(label).size(theme::SMALL));
    }
    ui.data_mut(|data| data.insert_temp(id, theirs));
    theirs
}

/// The device's name where room is scarce: its maker's is in the list.
fn short(recording: &Recording) -> String {
    let (number, device) = recording.device.split_once(" × ").unwrap_or(("", &recording.device));
    let (device, over) = device.rsplit_once(" over ").unwrap_or((device, recording.interface()));
    let name: Vec<&str> = device.trim_start_matches("NVIDIA ").split_whitespace().take(1).collect();
    let number = if number.is_empty() { String::new() } else { format!("{number} × ") };
    format!("{number}{}, {over}", name.join(" "))
}

/// All that is known of a recording.
pub fn about((r, shown): Of<'_>) -> String {
    let params = shown.sweep.params.iter().map(|(id, v)| format!("{id} = {}", crate::base::units::number(*v)));
    let guards = if r.backend == Backend::Wgpu && !r.bounds_checks { "without" } else { "with" };
    let guards = if r.backend == Backend::Wgpu { format!(", {guards} bounds checks") } else { String::new() };
    format!(
        "recorded on {}, driver {} ({}), {}{guards}\nwith warpbook {}\nat {}",
        r.device,
        r.driver,
        r.api,
        r.date,
        r.program,
        params.collect::<Vec<_>>().join(", ")
    )
}

/// Whose the dashed curves are, in what their settings differ from the learner's, and what is left out.
pub fn provenance(ui: &mut Ui, state: &State, of: Of<'_>) {
    let (recording, shown) = of;
    let theme = theme::of(ui);
    let settings = state.other_settings(&shown.sweep);
    // Where there is little room the choice above says whose they are, and its list the rest.
    let is_low = ui.available_height() < LITTLE;
    if settings.is_empty() && shown.changed.is_empty() && is_low {
        return;
    }
    let mut parts = if is_low { Vec::new() } else { vec![format!("recorded on {}", recording.name())] };
    let mut ink = Ink::Muted;
    if !settings.is_empty() {
        parts.push(format!("at {}", settings.join(", ")));
        ink = Hue::Store.ink();
    }
    if !shown.changed.is_empty() {
        parts.push(format!("not shown: {}, changed since", shown.changed.join(", ")));
    }
    let text = parts.join("; ");
    let mut job = egui::text::LayoutJob::simple(
        text.clone(),
        egui::FontId::proportional(theme::SMALL),
        theme::color(theme, ink),
        ui.available_width() - INDENT,
    );
    job.wrap.max_rows = if is_low { 1 } else { 3 };
    let galley = ui.painter().layout_job(job);
    let size = egui::vec2(ui.available_width(), galley.size().y + 2.0);
    let (rect, response) = ui.allocate_exact_size(size, egui::Sense::hover());
    let mark = egui::pos2(rect.min.x, rect.min.y + 8.0);
    super::plot::Mark::Curve { recorded: true, squares: false }.draw(
        ui.painter(),
        mark,
        theme::color(theme, Ink::Muted),
    );
    ui.painter().galley(rect.min + egui::vec2(INDENT, 0.0), galley, theme::color(theme, ink));
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &text));
    response.on_hover_text(about(of));
}
