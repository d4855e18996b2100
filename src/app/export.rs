//! Where the note goes and in which formats.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};

use egui::{RichText, Ui};

use super::theme;
use crate::figures::palette::Ink;
use crate::notes::Format;
use crate::session::desk::Command;
use crate::session::desk::state::State;
use crate::session::note::only::Only;

/// The dialog, and what was chosen in it last.
pub struct Dialog {
    /// Whether it is shown.
    pub open: bool,
    folder: String,
    part: Part,
    markdown: bool,
    html: bool,
    /// The program that the note is for, instead of formats that any program reads.
    reader: Option<Format>,
    /// Brings the folder that was chosen in the system's dialog.
    chosen: Option<Receiver<PathBuf>>,
}

/// The part of the lesson's text that is wanted.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    All,
    Read,
    Page,
    Own,
}

impl Part {
    const ALL: [(Self, &'static str); 4] = [
        (Self::All, "the whole lesson"),
        (Self::Read, "the pages that I have read"),
        (Self::Page, "this page"),
        (Self::Own, "nothing of the lesson's text"),
    ];

    fn only(self, state: &State) -> Only {
        match self {
            Self::All => Only::All,
            Self::Read => Only::Read,
            Self::Page => Only::Steps(state.place.step().map(|step| step.id.clone()).into_iter().collect()),
            Self::Own => Only::Own,
        }
    }
}

impl Default for Dialog {
    fn default() -> Self {
        // In full, so that the path of the notes is clear.
        let known = directories::UserDirs::new();
        let documents = known.as_ref().map(|dirs| dirs.document_dir().unwrap_or(dirs.home_dir()).join("Warpbook"));
        let folder = documents.unwrap_or_else(|| std::env::current_dir().unwrap_or_default().join("notes"));
        let folder = folder.display().to_string();
        Self { open: false, folder, part: Part::Read, markdown: true, html: true, reader: None, chosen: None }
    }
}

impl Dialog {
    /// Shows it while it is open.
    pub fn show(&mut self, ui: &Ui, state: &State) -> Option<Command> {
        let shortcut = ui.input_mut(|i| i.consume_key(egui::Modifiers::COMMAND, egui::Key::E));
        self.open |= shortcut;
        if !self.open || state.place.lesson.is_none() {
            return None;
        }
        if let Some(folder) = self.chosen.as_ref().and_then(|c| c.try_recv().ok()) {
            self.folder = folder.display().to_string();
        }
        let mut command = None;
        let frame = egui::Frame::popup(ui.style()).inner_margin(24);
        let modal = egui::Modal::new(egui::Id::unique("export")).frame(frame).show(ui.ctx(), |ui| {
            ui.set_width(400.0);
            ui.label(RichText::new("Export this lesson as a note").font(theme::medium(16.0)));
            let muted = theme::color(theme::of(ui), Ink::Muted);
            let what = "It begins with what is yours: words, predictions, exercises, kernels with what your changes did, and \
                        results at your settings. After it comes as much of the lesson's text as you choose, with figures as they are on this machine.";
            ui.add(egui::Label::new(RichText::new(what).color(muted)).wrap());
            ui.add_space(4.0);
            for (part, name) in Part::ALL {
                ui.radio_value(&mut self.part, part, format!("With {name}"));
            }
            ui.add_space(4.0);
            ui.horizontal(|ui| {
                ui.label("Folder");
                let response = ui.add(egui::TextEdit::singleline(&mut self.folder).desired_width(240.0));
                response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "Folder"));
                if ui.button("Choose…").clicked() {
                    self.choose(ui.ctx());
                }
            });
            self.readers(ui);
            ui.add_enabled_ui(self.reader.is_none(), |ui| {
                ui.checkbox(&mut self.markdown, "Markdown, with figures and data beside it");
                ui.checkbox(&mut self.html, "HTML, one file that holds everything");
            });
            ui.add_space(8.0);
            ui.horizontal(|ui| {
                let formats = self.formats();
                let usable = !formats.is_empty() && !self.folder.trim().is_empty();
                if ui.add_enabled(usable, egui::Button::new("Write the note")).clicked() {
                    command = Some(Command::Export(self.part.only(state), formats, PathBuf::from(self.folder.trim())));
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

    /// The choice of the program that the note is for.
    fn readers(&mut self, ui: &mut Ui) {
        const NAMES: [&str; Format::READERS.len()] =
            ["Obsidian", "Jekyll", "Hugo", "Quarto", "Jupyter", "Anki", "GitHub", "PDF"];
        let name = |reader: Option<Format>| {
            let of = |(_, name): (Format, &'static str)| name;
            let mut all = Format::READERS.into_iter().zip(NAMES);
            all.find(|(format, _)| Some(*format) == reader).map_or("any program", of)
        };
        ui.horizontal(|ui| {
            ui.label("For");
            egui::ComboBox::from_id_salt("reader").selected_text(name(self.reader)).show_ui(ui, |ui| {
                for reader in std::iter::once(None).chain(Format::READERS.map(Some)) {
                    ui.selectable_value(&mut self.reader, reader, name(reader));
                }
            });
        });
    }

    fn formats(&self) -> Vec<Format> {
        if let Some(reader) = self.reader {
            return vec![reader];
        }
        let mut formats = Vec::new();
        if self.markdown {
            formats.push(Format::Markdown);
        }
        if self.html {
            formats.push(Format::Html);
        }
        formats
    }

    /// Asks the system's own dialog, without waiting for it; where there is none, the folder can still be typed.
    fn choose(&mut self, ctx: &egui::Context) {
        let (sender, chosen) = channel();
        self.chosen = Some(chosen);
        let dialog = rfd::AsyncFileDialog::new().set_directory(&self.folder).pick_folder();
        let ctx = ctx.clone();
        std::thread::spawn(move || {
            if let Some(folder) = pollster::block_on(dialog) {
                // The window may have closed meanwhile.
                let _ = sender.send(folder.path().to_path_buf());
                ctx.request_repaint();
            }
        });
    }
}
