//! Room for the learner's own words on a step.

use egui::text::{CCursor, CCursorRange};
use egui::{Label, RichText, TextEdit, Ui};

use crate::app::stage::Stage;
use crate::app::theme;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::desk::status::SaveState;
use crate::session::learn::pins::Pin;

/// The most height that the words take.
const TALLEST: f32 = 240.0;

/// Shows the editor, with what of the bench can be pinned into it, and whether what it holds is on disk.
pub fn show(ui: &mut Ui, state: &State, stage: &Stage, step: &str) -> Option<Command> {
    let editor = ui.scope_id().with(("words", step));
    let theme = theme::of(ui);
    let small = |text: &str, ink: Ink| RichText::new(text).size(theme::SMALL).color(theme::color(theme, ink));
    let pinned = ui.horizontal(|ui| {
        ui.label(RichText::new("In your own words").font(theme::medium(theme::UI)));
        match &state.status.save {
            SaveState::Saved if state.kept().words.contains_key(step) => ui.label(small("saved", Ink::Muted)),
            SaveState::Unsaved | SaveState::Saving => ui.label(small("saving…", Ink::Muted)),
            SaveState::Saved | SaveState::Nowhere | SaveState::Failed(_) => ui.label(""),
        };
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| pin(ui, state, stage)).inner
    });
    let mut text = state.kept().words.get(step).cloned().unwrap_or_default();
    let (mut command, mut pin_end) = (None, None);
    if let Some(pin) = pinned.inner {
        let mut caret = TextEdit::load_state(ui.ctx(), editor).unwrap_or_default();
        let at = caret.cursor.char_range().map_or(usize::MAX, |range| range.primary.index.into());
        let (words, end) = pin.into_words(&text, at);
        // The next one comes after it.
        caret.cursor.set_char_range(Some(CCursorRange::one(CCursor::new(end))));
        caret.store(ui.ctx(), editor);
        pin_end = Some(CCursor::new(end));
        command = Some(Command::Pin(step.to_owned(), words.clone(), pin.picture));
        text = words;
    }
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
    let field = TextEdit::multiline(&mut text)
        .id(editor)
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
    let shown = room.show(ui, |ui| {
        let shown = field.show(ui);
        if let Some(end) = pin_end {
            // The click in the menu has taken the keyboard from the field.
            shown.response.request_focus();
            ui.scroll_to_rect(shown.galley.pos_from_cursor(end).translate(shown.galley_pos.to_vec2()), None);
        }
        shown
    });
    let response = shown.inner.response;
    response
        .widget_info(|| egui::WidgetInfo::labeled(egui::Role::MultilineTextInput, true, "Your own words on this step"));
    command.or_else(|| response.changed().then(|| Command::Write(step.to_owned(), text)))
}

/// The menu of what can be pinned, and the choice.
fn pin(ui: &mut Ui, state: &State, stage: &Stage) -> Option<Pin> {
    let name = RichText::new("Pin").size(theme::SMALL);
    let menu = ui.menu_button(name, |ui| {
        let mut chosen = None;
        let mut entry = |ui: &mut Ui, name: &str, pin: &dyn Fn() -> Option<Pin>, missing: &str| {
            let pin = pin();
            let button = ui.add_enabled(pin.is_some(), egui::Button::new(name)).on_disabled_hover_text(missing);
            if button.clicked() {
                chosen = pin;
                ui.close();
            }
        };
        let broken = "Your kernel does not compile.";
        for (which, name) in Stage::pinnable(state).iter().enumerate() {
            let missing = if state.is_broken() { broken } else { "There is no picture yet." };
            entry(ui, name, &|| stage.pinned(state, which), missing);
        }
        let missing = if state.is_broken() { broken } else { "The kernel is not traced yet." };
        entry(ui, "The counts", &|| state.pinned_counts(), missing);
        let missing = match state.place.experiment() {
            Some(_) => "Run the experiment first: nothing is recorded of it.",
            None => "This page has no plot.",
        };
        entry(ui, "The plot", &|| state.pinned_plot(), missing);
        chosen
    });
    menu.response
        .on_hover_text("Put a picture or a result of the bench into your words, with the command that repeats it");
    menu.inner.flatten()
}
