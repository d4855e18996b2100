//! Opening the window, or saying why it cannot open.

use std::path::PathBuf;
use std::sync::Arc;

use super::{View, theme};
use crate::base::diag::Diagnostic;
use crate::gpu::client::WorkerCommand;
use crate::lesson::PackFiles;
use crate::session::desk::{Desk, Options};
use crate::session::{doctor, saved};

struct App {
    view: View,
    /// Taken when the window closes.
    desk: Option<Desk>,
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        if let Some(desk) = &mut self.desk {
            self.view.show(ui, desk);
        }
    }

    fn on_exit(&mut self) {
        if let Some(desk) = self.desk.take() {
            desk.close();
        }
    }
}

/// Opens the window and returns when it closes.
///
/// # Errors
/// Where there is no display, no library for it, or no graphics driver: what is missing and how to get it.
pub fn open(files: PackFiles, worker: WorkerCommand, state_path: Option<PathBuf>) -> Result<(), Diagnostic> {
    let display = doctor::display();
    if !display.found {
        let problem = Diagnostic::error(format!("there is no display: {}", display.what));
        return Err(match display.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        });
    }
    library_for_x11()?;
    let viewport = egui::ViewportBuilder::default()
        .with_title("Warpbook")
        .with_app_id("warpbook")
        .with_inner_size([1440.0, 900.0])
        .with_min_inner_size([1024.0, 640.0]);
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let create = move |creation: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> {
        theme::install(&creation.egui_ctx);
        let ctx = creation.egui_ctx.clone();
        let desk = Desk::open(Options {
            files,
            state_path: state_path.or_else(saved::default_path),
            worker,
            seed: 1,
            wake: Arc::new(move || ctx.request_repaint()),
        });
        Ok(Box::new(App { view: View::default(), desk: Some(desk) }))
    };
    eframe::run_native("warpbook", options, Box::new(create)).map_err(|error| {
        Diagnostic::error(format!("the window could not open: {error}"))
            .hint("install a graphics driver: on Debian and Ubuntu, mesa-vulkan-drivers and libvulkan1 suffice")
    })
}

/// The window library panics where this one is missing, so it is looked for first.
#[cfg(all(unix, not(target_os = "macos")))]
fn library_for_x11() -> Result<(), Diagnostic> {
    let wayland = std::env::var_os("WAYLAND_DISPLAY").is_some_and(|v| !v.is_empty());
    if wayland || doctor::has_library("libxkbcommon-x11.so.0") {
        return Ok(());
    }
    Err(Diagnostic::error("the library libxkbcommon-x11.so.0 is missing")
        .hint("install it: on Debian and Ubuntu it is in libxkbcommon-x11-0"))
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
fn library_for_x11() -> Result<(), Diagnostic> {
    Ok(())
}
