//! The keys that the window knows, on a sheet of their own.

use egui::{Key, Modifiers, RichText, Ui};

use super::{keys, theme};
use crate::figures::palette::Ink;

/// The keys, by what they are for.
const KEYS: [(&str, &[(&str, &str)]); 5] = [
    ("Pages", &[("Page Up, Page Down", "the step before, the next step"), ("Ctrl E", "export the lesson as a note")]),
    (
        "Stage",
        &[
            ("Space", "play or pause"),
            ("[  ]", "one event back, one forward"),
            ("{  }", "to the barrier before, to the next"),
            ("Esc", "stop measuring, close an origin or this sheet"),
        ],
    ),
    (
        "Room",
        &[
            ("1  2  3  4", "make page, stage, code or plot large; again: as before"),
            ("Ctrl +  Ctrl −  Ctrl 0", "larger, smaller, as at first"),
        ],
    ),
    (
        "Kernels",
        &[
            ("any key in the code", "begins your own version"),
            ("Ctrl Z  Ctrl Shift Z", "undo, redo"),
            ("Ctrl R", "run the step's experiment"),
            ("Ctrl F, Ctrl K", "search pages, terms, kernels and your words"),
        ],
    ),
    ("Plot", &[("drag; Ctrl wheel", "move it; zoom"), ("double click", "the whole plot again")]),
];

/// When keys are none.
const TYPING: &str = "While a text field has the keyboard, keys write in it; Esc leaves it. Letters typed into nothing do nothing, and keys \
                      without Ctrl wait until you have stopped typing for a second.";

/// Shows the sheet while it is `open`; `?` opens and closes it.
pub fn show(ui: &Ui, open: &mut bool) {
    let help = keys::pressed(ui, Modifiers::NONE, Key::F1) && !ui.ctx().text_edit_focused();
    if help || keys::alone(ui, Key::Questionmark) {
        *open = !*open;
    }
    if !*open {
        return;
    }
    let frame = egui::Frame::popup(ui.style()).inner_margin(24);
    let modal = egui::Modal::new(egui::Id::unique("keys")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(440.0);
        ui.label(RichText::new("Keys").font(theme::medium(16.0)));
        let muted = theme::color(theme::of(ui), Ink::Muted);
        let room = ui.ctx().content_rect().height() - 220.0;
        egui::ScrollArea::vertical().max_height(room).show(ui, |ui| {
            for (title, keys) in KEYS {
                ui.add_space(4.0);
                ui.label(RichText::new(title).size(theme::SMALL).color(muted));
                egui::Grid::new(title).num_columns(2).min_col_width(150.0).spacing([16.0, 4.0]).show(ui, |ui| {
                    for (key, does) in keys {
                        ui.label(RichText::new(*key).font(theme::mono(theme::SMALL)));
                        ui.label(*does);
                        ui.end_row();
                    }
                });
            }
        });
        ui.add_space(8.0);
        ui.label(RichText::new(TYPING).size(theme::SMALL).color(muted));
        ui.add_space(8.0);
        ui.button("Close").clicked()
    });
    if modal.inner || modal.should_close() {
        *open = false;
    }
}
