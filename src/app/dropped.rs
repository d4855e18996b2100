//! Files that come from outside the window: texts and kernels, dropped on it, or chosen in the system's dialog.

use std::path::{Path, PathBuf};

use egui::{Area, Color32, Context, Id, Order, Ui};

use super::theme;
use crate::base::diag::Diagnostic;
use crate::base::sanitize::harmless;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::KernelCommand;
use crate::session::desk::state::State;

/// A file that was chosen, or why none can be; `None` is what the window keeps if there is neither.
type Chosen = Option<Result<PathBuf, Diagnostic>>;

/// Where the dialog leaves the file that was chosen, and whether it is open.
fn chosen() -> Id {
    Id::unique("text that was chosen")
}
fn choosing() -> Id {
    Id::unique("text is being chosen")
}

/// Asks the system's own dialog for a file, without waiting for it.
pub fn choose(ctx: &Context, title: &str) {
    if let Some(problem) = no_dialog() {
        ctx.data_mut(|d| d.insert_temp::<Chosen>(chosen(), Some(Err(problem))));
        return;
    }
    if ctx.data(|d| d.get_temp::<bool>(choosing())).unwrap_or(false) {
        return;
    }
    ctx.data_mut(|d| d.insert_temp(choosing(), true));
    let dialog = rfd::AsyncFileDialog::new().set_title(title).pick_file();
    let ctx = ctx.clone();
    std::thread::spawn(move || {
        let file = pollster::block_on(dialog).map(|file| file.path().to_path_buf());
        ctx.data_mut(|d| {
            d.remove_temp::<bool>(choosing());
            if let Some(path) = file {
                d.insert_temp::<Chosen>(chosen(), Some(Ok(path)));
            }
        });
        ctx.request_repaint();
    });
}

/// Says so if this computer has nothing to choose a file with: on Linux that needs the desktop's portal on the
/// session's bus, or zenity.
fn no_dialog() -> Option<Diagnostic> {
    let runs = |program: &str| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
            .any(|folder| folder.join(program).is_file())
    };
    let has_bus = || {
        let bus = std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|folder| PathBuf::from(folder).join("bus").exists());
        bus || std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some()
    };
    (cfg!(target_os = "linux") && !runs("zenity") && !has_bus()).then(|| {
        Diagnostic::error("this computer has no dialog to choose a file with")
            .hint("drop the file on the window, start the program with it (warpbook FILE), or install zenity")
    })
}

/// The command for a file that was dropped or chosen; `on_page` is false if the start page is shown. While a file
/// hovers over the window, a message says what dropping it does.
pub fn take(ui: &Ui, state: &State, on_page: bool) -> Option<Command> {
    let taken = on_page && state.takes_text();
    let (hovered, dropped) = ui.input(|i| {
        let hovered: Vec<Option<PathBuf>> = i.raw.hovered_files.iter().map(|file| file.path.clone()).collect();
        let dropped: Vec<PathBuf> = i.raw.dropped_files.iter().map(|file| file.path().to_path_buf()).collect();
        (hovered, dropped)
    });
    let opened = match ui.data_mut(|d| d.remove_temp::<Chosen>(chosen())).flatten() {
        Some(Err(problem)) => return Some(Command::Tell(problem)),
        Some(Ok(path)) => Some(path),
        None => None,
    };
    let given: Vec<PathBuf> = dropped.into_iter().chain(opened).collect();
    let is_kernel = |path: &Path| {
        let end = path.extension().and_then(|end| end.to_str()).unwrap_or_default();
        !on_page || matches!(end, "wgsl" | "cu" | "ptx")
    };
    if let [Some(path)] = hovered.as_slice()
        && is_kernel(path)
    {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("Drop to set up a kernel of {}", harmless(&name));
        hint(ui, Hue::Accent, &title, "It is traced, watched and edited as a lesson's kernel is.");
    } else if !hovered.is_empty() {
        let problem = (!taken).then(|| state.takes_no_text()).or_else(|| several(hovered.len()));
        match problem {
            Some(problem) => hint(ui, Hue::Conflict, &problem.message, problem.hint.as_deref().unwrap_or_default()),
            None => {
                let name = hovered[0].as_ref().and_then(|path| path.file_name());
                let name = name.map_or_else(|| "the file".to_owned(), |name| name.to_string_lossy().into_owned());
                let title = format!("Drop to count the tokens of {}", harmless(&name));
                hint(ui, Hue::Accent, &title, "All of it is counted, and its beginning is shown in cells.");
            }
        }
    }
    match given.as_slice() {
        [] => None,
        [path] if is_kernel(path) => Some(Command::Kernel(KernelCommand::Open(path.clone()))),
        _ if !taken => Some(Command::Tell(state.takes_no_text())),
        [path] => Some(Command::OpenText(path.clone())),
        _ => several(given.len()).map(Command::Tell),
    }
}

/// The message for several files at once.
fn several(files: usize) -> Option<Diagnostic> {
    let problem =
        || Diagnostic::error(format!("{files} files at once: none is opened")).hint("drop one file at a time");
    (files > 1).then(problem)
}

/// Words over the whole window.
fn hint(ui: &Ui, hue: Hue, title: &str, more: &str) {
    let theme = theme::of(ui);
    let window = ui.ctx().content_rect();
    let area = Area::new(Id::unique("file over the window")).order(Order::Foreground).fixed_pos(window.min);
    area.interactable(false).show(ui.ctx(), |ui| {
        ui.painter().rect_filled(window, 0.0, Color32::from_black_alpha(if ui.visuals().dark_mode { 160 } else { 96 }));
        let frame = egui::Frame::new()
            .fill(theme::color(theme, Ink::Raised))
            .stroke(egui::Stroke::new(2.0, theme::color(theme, hue.ink())))
            .corner_radius(6.0)
            .inner_margin(24);
        let width = 440.0_f32.min(window.width() - 64.0);
        let at = egui::Rect::from_center_size(window.center(), egui::vec2(width, 120.0));
        let mut child = ui.new_child(egui::UiBuilder::new().max_rect(at));
        frame.show(&mut child, |ui| {
            ui.set_width(width - 48.0);
            ui.add(egui::Label::new(egui::RichText::new(title).font(theme::medium(16.0))).wrap());
            let muted = theme::color(theme, Ink::Muted);
            ui.add(egui::Label::new(egui::RichText::new(more).color(muted)).wrap());
        });
    });
}
