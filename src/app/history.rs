//! The history: a page a day, the latest first.

use egui::{RichText, Ui};

use super::theme;
use crate::session::desk::state::State;
use crate::session::learn::told;

/// The most days that are shown.
const MOST: usize = 60;

/// Shows it.
pub fn show(ui: &mut Ui, state: &State) {
    let days = &state.diary.story.days;
    if days.is_empty() {
        ui.label("Nothing yet: the first page that you read to its end is the first entry.");
    }
    for (i, (name, day)) in days.iter().rev().take(MOST).enumerate() {
        let title = RichText::new(format!("{name}: {}", told::in_a_line(day))).font(theme::medium(theme::UI));
        egui::CollapsingHeader::new(title).id_salt(name).default_open(i == 0).show(ui, |ui| {
            for line in
                told::worklog(&state.library.pack.lessons, name, day).iter().skip(3).filter(|line| !line.is_empty())
            {
                let text = match line.trim_start_matches('#') {
                    title if title != line => RichText::new(title.trim()).font(theme::medium(theme::UI)),
                    _ => RichText::new(line).font(theme::prose(theme::BODY)),
                };
                ui.add(egui::Label::new(text).wrap());
            }
        });
    }
    if days.len() > MOST {
        ui.add_space(8.0);
        ui.label(format!(
            "{} earlier days: `warpbook worklog --day YYYY-MM-DD` prints any of them.",
            days.len() - MOST
        ));
    }
}
