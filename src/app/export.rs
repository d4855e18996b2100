//! Where the note goes and in which formats.

use std::path::PathBuf;

use egui::{RichText, Ui};

use super::theme;
use crate::notes::Format;
use crate::scene::palette::Ink;
use crate::session::desk::Command;
use crate::session::desk::state::State;

/// The dialog, and what was chosen in it last.
pub struct Dialog {
    /// Whether it is shown.
    pub open: bool,
    folder: String,
    markdown: bool,
    html: bool,
}

impl Default for Dialog {
    fn default() -> Self {
        Self { open: false, folder: "notes".to_owned(), markdown: true, html: true }
    }
}

impl Dialog {
    /// Shows it while it is open.
    pub fn show(&mut self, ui: &Ui, state: &State) -> Option<Command> {
        let shortcut = ui.input_mut(|i| i.consume_key(egui::Modifiers::COMMAND, egui::Key::E));
        self.open |= shortcut;
        if !self.open || state.lesson.is_none() {
            return None;
        }
        let mut command = None;
        let modal = egui::Modal::new(egui::Id::unique("export")).show(ui.ctx(), |ui| {
            ui.set_width(400.0);
            ui.label(RichText::new("Export this lesson as a note").font(theme::medium(16.0)));
            let muted = theme::color(theme::of(ui), Ink::Muted);
            let what = "The prose with its figures as they are on this machine, your measurements with their samples, your \
                        predictions and your own words.";
            ui.add(egui::Label::new(RichText::new(what).color(muted)).wrap());
            ui.horizontal(|ui| {
                ui.label("Folder");
                let response = ui.add(egui::TextEdit::singleline(&mut self.folder).desired_width(240.0));
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Folder"));
                if ui.button("Choose…").clicked() {
                    self.choose();
                }
            });
            ui.checkbox(&mut self.markdown, "Markdown, with figures and data beside it");
            ui.checkbox(&mut self.html, "HTML, one file that holds everything");
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                let formats = self.formats();
                let usable = !formats.is_empty() && !self.folder.trim().is_empty();
                if ui.add_enabled(usable, egui::Button::new("Write the note")).clicked() {
                    command = Some(Command::Export(formats, PathBuf::from(self.folder.trim())));
                }
                if ui.button("Cancel").clicked() {
                    self.open = false;
                }
            });
        });
        if command.is_some() || modal.should_close() {
            self.open = false;
        }
        command
    }

    fn formats(&self) -> Vec<Format> {
        let mut formats = Vec::new();
        if self.markdown {
            formats.push(Format::Markdown);
        }
        if self.html {
            formats.push(Format::Html);
        }
        formats
    }

    /// Asks the system's own dialog; where there is none, the folder can still be typed.
    fn choose(&mut self) {
        if let Some(folder) = rfd::FileDialog::new().set_directory(&self.folder).pick_folder() {
            self.folder = folder.display().to_string();
        }
    }
}
