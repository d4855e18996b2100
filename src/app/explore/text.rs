//! The text that is cut into tokens: picked, written, or the beginning of a file that is counted.

use egui::{Grid, ProgressBar, RichText, TextEdit, Ui, WidgetInfo};

use super::super::{dropped, fallback, theme};
use super::controls;
use crate::base::units::{count, digits3};
use crate::figures::explore::control::Control;
use crate::figures::palette::Ink;
use crate::reference::Explored;
use crate::session::desk::state::State;
use crate::session::desk::texts::Counting;
use crate::session::show::text_file::{Counted, Kinds};

/// Shows what chooses the text, above its cells; true where the counting is called off.
pub(super) fn show(ui: &mut Ui, state: &State, at: &mut Explored) -> bool {
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.y = theme::GRID;
        controls::show_parts(ui, Control::Text, at);
        let hint = "Any text file in UTF-8, of hundreds of MB, too. You can also drop one on the window.";
        if ui.button("Open a text…").on_hover_text(hint).clicked() {
            dropped::choose(ui.ctx(), "Open a text");
        }
    });
    ui.add_space(theme::GRID);
    let text = &mut at.text;
    let edit = TextEdit::multiline(text).desired_rows(2).desired_width(f32::INFINITY).char_limit(Explored::TEXT);
    ui.add(edit.hint_text("Write or paste a text, or drop a file"));
    let called_off = state.text.counting.as_ref().is_some_and(|counting| progress(ui, counting));
    if let Some(counted) = state.counted_text(text) {
        ui.add_space(theme::GRID);
        counts(ui, counted);
    }
    called_off
}

/// How far a file is counted; true where that is called off.
fn progress(ui: &mut Ui, counting: &Counting) -> bool {
    ui.add_space(theme::GRID);
    let (done, all) = counting.progress;
    #[expect(clippy::cast_precision_loss, reason = "a bar")]
    let share = done as f32 / all.max(1) as f32;
    let said = format!("{}: {} of {} MB", counting.name, megabytes(done), megabytes(all));
    ui.add(theme::lines(ui, &said, Ink::Text, 2));
    ui.horizontal(|ui| {
        let bar = ui.add(ProgressBar::new(share).desired_width(240.0).desired_height(8.0));
        bar.widget_info(|| WidgetInfo::labeled(egui::Role::ProgressIndicator, true, &said));
        ui.button("Cancel").on_hover_text("Stop counting this file").clicked()
    })
    .inner
}

/// Counts of the whole file, and a word on what the cells below are of.
fn counts(ui: &mut Ui, counted: &Counted) {
    let theme = theme::of(ui);
    let muted = theme::color(theme, Ink::Muted);
    let small = |text: String| RichText::new(text).size(theme::SMALL);
    let title = format!("{}, the whole file", counted.name);
    ui.add(egui::Label::new(RichText::new(title).font(theme::medium(theme::UI))).wrap());
    let kinds = match counted.kinds {
        Kinds::Exactly(kinds) => count(kinds),
        Kinds::MoreThan(kinds) => format!("more than {}", count(kinds)),
    };
    let row = |name: &'static str, number: u64| {
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        let each = counted.bytes as f64 / number.max(1) as f64;
        (name, count(number), format!("{} bytes each", digits3(each)))
    };
    let plain = [
        row("characters", counted.characters),
        row("words", counted.words),
        ("different words", kinds, String::new()),
        ("bytes", count(counted.bytes), String::new()),
    ];
    let rows = plain.into_iter().chain(counted.tokens.iter().map(|(name, tokens)| row(name, *tokens)));
    ui.spacing_mut().interact_size.y = 18.0;
    Grid::new("counts of the file").num_columns(3).spacing([20.0, 2.0]).show(ui, |ui| {
        for (name, number, each) in rows {
            ui.label(small(name.to_owned()).color(muted));
            for figure in [number, each] {
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.label(small(figure)));
            }
            ui.end_row();
        }
    });
    let characters = counted.beginning.chars().count() as u64;
    let shown = if characters < counted.characters {
        format!("The numbers above are of the whole file. The cells below are only its first {characters} characters.")
    } else {
        "The cells below are the whole file.".to_owned()
    };
    ui.add(theme::lines(ui, &shown, Ink::Text, 3));
}

/// Bytes in MB, as a number.
fn megabytes(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let megabytes = bytes as f64 / 1e6;
    digits3(megabytes)
}

/// Says below the cells which characters no font can draw.
pub(super) fn missing(ui: &mut Ui, text: &str) {
    let missing = fallback::missing(ui.ctx(), text);
    if missing > 0 {
        let said = format!("No font on this computer has {missing} of these characters.");
        ui.add(theme::lines(ui, &said, Ink::Muted, 2));
    }
}
