//! Opening the window, or saying why it cannot open.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::{View, theme};
use crate::base::day;
use crate::base::diag::Diagnostic;
use crate::gpu::client::WorkerCommand;
use crate::lesson::PackFiles;
use crate::session::desk::{Command, Desk, Options};
use crate::session::learn::saved;
use crate::session::learn::saved::Frame;
use crate::session::run::doctor;

/// The window's size at first, and its least, in points.
const SIZE: [f32; 2] = [1440.0, 900.0];
const LEAST: [f32; 2] = [800.0, 600.0];

/// How long the first frame waits for the lessons of a pack on a slow disk: briefly, and longer for a page that was asked for.
const PATIENCE: Duration = Duration::from_secs(2);
const PATIENCE_FOR_A_PAGE: Duration = Duration::from_secs(60);

struct App {
    view: View,
    /// Taken when the window closes.
    desk: Option<Desk>,
    /// The outcome of closing it.
    closed: Arc<Mutex<Result<(), Diagnostic>>>,
}

impl eframe::App for App {
    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        if let Some(desk) = &mut self.desk {
            self.view.show(ui, desk);
        }
    }

    fn on_exit(&mut self) {
        if let Some(desk) = self.desk.take() {
            *self.closed.lock().unwrap_or_else(PoisonError::into_inner) = desk.close();
        }
    }
}

/// Where the window is, if that is not where it `was`. One that fills its screen keeps the size that it had before.
#[must_use]
pub fn moved(ui: &egui::Ui, was: Frame) -> Option<Frame> {
    let zoom = ui.ctx().zoom_factor();
    let frame = ui.input(|i| {
        let window = i.viewport();
        let fills = [window.maximized, window.fullscreen, window.minimized].contains(&Some(true));
        let size = window.inner_rect.filter(|_| !fills).map(|rect| (rect.size() * zoom).round());
        let position = window.outer_rect.filter(|_| !fills).map(|rect| (rect.min.to_vec2() * zoom).round());
        Frame { size: size.map(Into::into).or(was.size), position: position.map(Into::into).or(was.position) }
    });
    (frame != was).then_some(frame)
}

/// Opens the window and returns when it closes: with an error in the result if what the learner did could not be saved.
/// `first` are the commands that open a lesson or, on the start page, a kernel's file.
///
/// # Errors
/// Where there is no display, no library for it, or no graphics driver: what is missing and how to get it.
pub fn open(
    files: PackFiles,
    worker: WorkerCommand,
    state_path: Option<PathBuf>,
    first: Vec<Command>,
) -> Result<Result<(), Diagnostic>, Diagnostic> {
    let display = doctor::display();
    if !display.found {
        let problem = Diagnostic::error(format!("there is no display: {}", display.what));
        return Err(match display.hint {
            Some(hint) => problem.hint(hint),
            None => problem,
        });
    }
    let state_path = state_path.or_else(saved::default_path);
    // A file that cannot be read is reported when the desk opens.
    let was = state_path.as_deref().and_then(|path| saved::read(path).ok().flatten()).unwrap_or_default().window;
    let viewport = egui::ViewportBuilder::default()
        .with_title("Warpbook")
        .with_app_id("warpbook")
        .with_inner_size(was.size.unwrap_or(SIZE))
        .with_min_inner_size(LEAST)
        .with_clamp_size_to_monitor_size(true);
    let viewport = match was.position {
        Some(position) => viewport.with_position(position),
        None => viewport,
    };
    // The pack is read while the window opens, so that the first frame has its lessons.
    let screen: Arc<OnceLock<egui::Context>> = Arc::default();
    let wakes = screen.clone();
    let wake = Arc::new(move || {
        if let Some(ctx) = wakes.get() {
            ctx.request_repaint();
        }
    });
    let mut desk = Desk::open(Options { files, state_path, worker, seed: 1, clock: Arc::new(day::now), wake });
    let options = eframe::NativeOptions { viewport, ..Default::default() };
    let opened = Arc::new(AtomicBool::new(false));
    let flag = opened.clone();
    let closed = Arc::new(Mutex::new(Ok(())));
    let closing = closed.clone();
    let create = move |creation: &eframe::CreationContext<'_>| -> Result<Box<dyn eframe::App>, _> {
        flag.store(true, Ordering::Relaxed);
        theme::install(&creation.egui_ctx);
        screen.get_or_init(|| creation.egui_ctx.clone());
        desk.await_lessons(if first.is_empty() { PATIENCE } else { PATIENCE_FOR_A_PAGE });
        // Returning learners continue where they left; new ones see the start page.
        let is_at_home = match first.first() {
            Some(Command::OpenLesson(_)) => false,
            Some(_) => true,
            None => desk.state().saved.lesson.is_none(),
        };
        first.into_iter().for_each(|command| desk.command(command));
        let view = if is_at_home { View::at_home() } else { View::greeting() };
        Ok(Box::new(App { view, desk: Some(desk), closed: closing }))
    };
    // Where a library for the keyboard or the display is missing, the window library panics.
    let run = || eframe::run_native("warpbook", options, Box::new(create));
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)) {
        Ok(Ok(())) => Ok(std::mem::replace(&mut closed.lock().unwrap_or_else(PoisonError::into_inner), Ok(()))),
        Ok(Err(error)) => {
            // The window library's messages name its own source files.
            let words: Vec<String> = error.to_string().split(' ').filter(|w| !w.contains(".rs:")).map(str::to_owned).collect();
            Err(Diagnostic::error(format!("the window could not open: {}", words.join(" "))).hint(
                "check that the display that DISPLAY or WAYLAND_DISPLAY names is there, with its libraries and a graphics driver: on \
                 Debian and Ubuntu, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon-x11-0, libvulkan1 and mesa-vulkan-drivers",
            ))
        }
        Err(panic) if opened.load(Ordering::Relaxed) => std::panic::resume_unwind(panic),
        Err(panic) => Err(Diagnostic::error(format!("the window could not open: {}", reason(&*panic)))
            .hint("install what it names: on Debian and Ubuntu, libxkbcommon-x11-0, libx11-6, libx11-xcb1, libxcursor1 and libxi6")),
    }
}

/// The message of a panic.
fn reason(panic: &dyn std::any::Any) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("the window library gave up")
}
