//! Room for the learner's own words on a step.

use egui::{Label, RichText, TextEdit, Ui};

use crate::app::theme;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::desk::status::SaveState;

/// The most height that the words take.
const TALLEST: f32 = 240.0;

/// Shows the editor, and whether what it holds is on disk.
pub fn show(ui: &mut Ui, state: &State, step: &str) -> Option<Command> {
    let theme = theme::of(ui);
    let small = |text: &str, ink: Ink| RichText::new(text).size(theme::SMALL).color(theme::color(theme, ink));
    ui.horizontal(|ui| {
        ui.label(RichText::new("In your own words").font(theme::medium(theme::UI)));
        match &state.status.save {
            SaveState::Saved if state.kept().words.contains_key(step) => ui.label(small("saved", Ink::Muted)),
            SaveState::Unsaved | SaveState::Saving => ui.label(small("saving…", Ink::Muted)),
            SaveState::Saved | SaveState::Nowhere | SaveState::Failed(_) => return,
        };
    });
    match &state.status.save {
        SaveState::Nowhere => {
            let text = "kept until the window closes: there is no folder for it";
            ui.add(Label::new(small(text, Hue::Store.ink())).wrap());
        }
        SaveState::Failed(problem) => {
            let hint = problem.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
            let text = format!("not saved, and tried again: {}{hint}", problem.message);
            ui.add(Label::new(small(&text, Hue::Conflict.ink())).wrap());
        }
        SaveState::Saved | SaveState::Unsaved | SaveState::Saving => {}
    }
    ui.add_space(6.0);
    let mut text = state.kept().words.get(step).cloned().unwrap_or_default();
    let editor = TextEdit::multiline(&mut text)
        .hint_text(
            "What did you learn here? Markdown and $formulas$ go into your note as you write them. Q: and A: lines come back in Review; \
             - [ ] lines and Insight: lines are gathered in History. Esc leaves the field.",
        )
        .font(theme::prose(16.0))
        .desired_width(f32::INFINITY)
        .desired_rows(4)
        .margin(egui::Margin::same(12));
    // A long text scrolls in its field, so that the way to the next page stays in sight.
    let room = egui::ScrollArea::vertical().id_salt(("words", step)).max_height(TALLEST).min_scrolled_height(TALLEST);
    let response = room.show(ui, |ui| ui.add(editor)).inner;
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::MultilineTextInput, true, "Your own words on this step"));
    response.changed().then(|| Command::Write(step.to_owned(), text))
}
