//! The frame around page and bench: top bar, status line, messages.

use std::path::{Path, PathBuf};

use egui::{Align, Layout, RichText, Ui};

use super::icons::{self, Icon};
use super::page::page_problem;
use super::theme;
use crate::base::diag::Diagnostic;
use crate::base::units::{Work, counted, digits3, figure, si};
use crate::figures::palette::{Hue, Ink};
use crate::measure::roofline::{self, Bound};
use crate::session::desk::state::{DeviceState, State};
use crate::session::desk::status::Notice;
use crate::session::desk::{Command, SettingCommand};
use crate::session::learn::saved::{Dividers, ThemeChoice};
use crate::session::run::devices::Choice;
use crate::session::run::output::LibraryOutput;
use crate::trace::record::{Backend, Device, Warning, WarningKind};

/// The menus and sheets that the top bar opens.
pub struct Sheets<'a> {
    /// The export of a note.
    pub export: &'a mut bool,
    /// The keys.
    pub help: &'a mut bool,
    /// The start page.
    pub home: &'a mut bool,
    pub reviews: &'a mut bool,
}

/// The bar above: where the reader is, and what applies to all of the window.
pub fn bar(ui: &mut Ui, state: &State, sheets: &mut Sheets<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    let muted = theme::color(theme::of(ui), Ink::Muted);
    let name = egui::Button::new(RichText::new("Warpbook").font(theme::prose_bold(18.0))).frame(false);
    if ui.add(name).on_hover_text("The start page").clicked() {
        *sheets.home = !*sheets.home;
    }
    if !state.diary.due.is_empty() {
        let due = RichText::new(format!("{} due", state.diary.due.len())).size(theme::UI);
        let help = "Questions, exercises and cards that are due for review";
        *sheets.reviews = ui.button(due.color(theme::color(theme::of(ui), Ink::Accent))).on_hover_text(help).clicked();
    }
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if ui.add(egui::Button::new("?").min_size(egui::vec2(32.0, 28.0))).on_hover_text("The keys (?)").clicked() {
            *sheets.help = true;
        }
        let dark = state.saved.theme == ThemeChoice::Dark;
        let (name, next) =
            if dark { ("Light colours", ThemeChoice::Light) } else { ("Dark colours", ThemeChoice::Dark) };
        if icons::button(ui, Icon::Theme, name, "").clicked() {
            commands.push(Command::Set(SettingCommand::Theme(next)));
        }
        ui.menu_button("Settings", |ui| commands.extend(settings(ui, state)));
        let export = ui.add_enabled(!*sheets.home, egui::Button::new("Export note…"));
        let export = export.on_hover_text("Write this lesson as a note (Ctrl+E)");
        if export.on_disabled_hover_text("Open the lesson whose note you want first").clicked() {
            *sheets.export = true;
        }
        commands.extend(backend(ui, state));
        // No lesson is in sight on the start page.
        if let Some(lesson) = state.place.lesson.as_ref().filter(|_| !*sheets.home) {
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.add(egui::Label::new(RichText::new(&lesson.title).color(muted)).truncate());
            });
        }
    });
    commands
}

/// The settings that are seldom changed.
fn settings(ui: &mut Ui, state: &State) -> Option<Command> {
    let mut command = None;
    let mut moving = !state.saved.still;
    if ui.checkbox(&mut moving, "Motion").on_hover_text("Let accesses drop; off shows each event's end").changed() {
        command = Some(Command::Set(SettingCommand::Still(!moving)));
    }
    let mut checks = state.place.options.bounds_checks;
    let help = "Whether the device's compiler guards indices. The guards can cost time; without them a wrong index can end the worker \
                process. CUDA's compiler guards nothing in any case.";
    if ui.checkbox(&mut checks, "Bounds checks").on_hover_text(help).changed() {
        command = Some(Command::Set(SettingCommand::BoundsChecks(checks)));
    }
    command
}

fn backend(ui: &mut Ui, state: &State) -> Option<Command> {
    let name = |choice: Choice| match choice {
        Choice::Auto => "Auto",
        Choice::Only(Backend::Simt) => "Tracer only",
        Choice::Only(Backend::Wgpu) => "wgpu",
        Choice::Only(Backend::Cuda) => "CUDA",
    };
    let mut chosen = state.choice();
    let combo =
        egui::ComboBox::from_id_salt("backend").selected_text(format!("Measure: {}", name(chosen))).width(120.0);
    let response = combo.show_ui(ui, |ui| {
        for choice in
            [Choice::Auto, Choice::Only(Backend::Wgpu), Choice::Only(Backend::Cuda), Choice::Only(Backend::Simt)]
        {
            ui.selectable_value(&mut chosen, choice, name(choice));
        }
    });
    response.response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ComboBox, true, "What measures"));
    (chosen != state.choice()).then_some(Command::Set(SettingCommand::Backend(chosen)))
}

/// The line below: device, backend, check, the time with its spread, the activity, and the switch of the model's row,
/// which has the state `model` (None without a lesson).
pub fn status(ui: &mut Ui, state: &State, model: Option<bool>) -> Option<Command> {
    let theme = theme::of(ui);
    let muted = theme::color(theme, Ink::Muted);
    let mut command = None;
    ui.spacing_mut().item_spacing.x = 12.0;
    let small = |text: String| RichText::new(text).size(13.0);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        if let Some(shown) = model {
            let response = ui.selectable_label(shown, small("Model".to_owned()));
            let help = "The row with the device's model: how long a GPU would take, and why";
            if response.on_hover_text(help).clicked() {
                command =
                    Some(Command::Set(SettingCommand::Dividers(Dividers { model: Some(!shown), ..state.saved.room })));
            }
        }
        if let Some(activity) = state.activity() {
            if ui.small_button("Cancel").clicked() {
                command = Some(Command::Cancel);
            }
            if let Some((done, total)) = activity.progress {
                #[expect(clippy::cast_precision_loss, reason = "a bar")]
                let share = done as f32 / total.max(1) as f32;
                ui.add(egui::ProgressBar::new(share).desired_width(96.0).desired_height(8.0));
                ui.label(small(format!("{done} of {total}")).color(muted));
            } else {
                ui.add(egui::Spinner::new().size(14.0));
            }
            ui.label(small(activity.label.clone()));
        }
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            unsaved(ui, state);
            match &state.found.device {
                DeviceState::Starting => ui.label(small("looking for a device…".to_owned()).color(muted)),
                DeviceState::Ready(device) => {
                    let name = ui.label(small(device_name(device)));
                    if device.software { name.on_hover_text(SOFTWARE) } else { name }
                }
                DeviceState::Missing(problem) => {
                    let text = format!("no device: {}", problem.message);
                    let response =
                        ui.add(egui::Label::new(small(text).color(theme::color(theme, Hue::Store.ink()))).truncate());
                    response.on_hover_text(problem.hint.clone().unwrap_or_default())
                }
            };
            not_here(ui, state);
            // Times and their remarks have no meaning for a reader before the page that explains them.
            let (knows, figures) = (state.knows_model(), figures(state));
            if knows {
                warnings(ui, state);
                unrated(ui, state);
            }
            if knows || figures.contains("FAILED") {
                ui.add(egui::Label::new(small(figures).color(muted)).truncate()).on_hover_text(FIGURES);
            }
        });
    });
    command
}

/// Warns as long as the learner's work is not on disk.
fn unsaved(ui: &mut Ui, state: &State) {
    let Some(problem) = &state.status.unsaved else { return };
    let color = theme::color(theme::of(ui), Hue::Conflict.ink());
    let response = ui.label(RichText::new("not saved").size(13.0).strong().color(color));
    let hint = problem.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    response.on_hover_text(format!("{}{hint}", problem.message));
}

/// Remarks on the measured time, as one sign with the words in its tooltip.
fn warnings(ui: &mut Ui, state: &State) {
    let Some(record) = state.found.ran(&state.place.bench.variant.program) else {
        return;
    };
    let software = state.acting_device().is_some_and(|device| device.software);
    let words: Vec<String> = worth_a_sign(&record.warnings, software).map(said).collect();
    if words.is_empty() {
        return;
    }
    // Noise is normal on a software device: no alarm colour.
    let noun = if software { "remark" } else { "warning" };
    let theme = theme::of(ui);
    let color = theme::color(theme, if software { Ink::Muted } else { Hue::Store.ink() });
    let count = counted(words.len() as u64, noun);
    let menu = ui.menu_button(RichText::new(count).size(13.0).color(color), |ui| {
        ui.set_width(360.0);
        // A menu's own layout would stretch the lines to its width.
        ui.with_layout(Layout::top_down(Align::LEFT), |ui| {
            for (index, words) in words.iter().enumerate() {
                if index > 0 {
                    ui.separator();
                }
                ui.add(egui::Label::new(words).wrap());
            }
        });
    });
    menu.response.on_hover_text(words.join("\n\n"));
}

/// The warnings that are not said already: that a device computes in software is said once, at its name.
fn worth_a_sign(warnings: &[Warning], software: bool) -> impl Iterator<Item = &Warning> {
    let of_device = |warning: &Warning| matches!(warning.kind, WarningKind::SoftwareDevice | WarningKind::HostClock);
    warnings.iter().filter(move |warning| !software || !of_device(warning))
}

fn said(warning: &Warning) -> String {
    format!("{}\n{}", warning.message, warning.hint)
}

/// Tooltip on the summary of the kernel on the bench.
const FIGURES: &str = "The median of n samples; 80 % of them lie between p10 and p90. Cold cache: no sample finds its data in the cache. \
                       The last figure is the trace's: the warps of the whole grid, counted one by one.";

/// Tooltip on the name of a software device.
const SOFTWARE: &str = "The driver computes on the CPU: its times say little about a GPU. Compare the traces here, and the times on a machine with a GPU.";

/// A note that the device's best rates could not be measured, until they are: mostly on a busy machine.
fn unrated(ui: &mut Ui, state: &State) {
    let Some(problem) = state.unrated() else { return };
    let software = state.acting_device().is_some_and(|device| device.software);
    let text = if software {
        "this machine is slow: its best rates are not measured"
    } else {
        "the device's best rates are not measured"
    };
    let hint = problem.hint.as_ref().map(|hint| format!("\n{hint}")).unwrap_or_default();
    let color = theme::color(theme::of(ui), Ink::Muted);
    ui.label(RichText::new(text).size(13.0).color(color)).on_hover_text(format!("{}{hint}", problem.message));
}

/// A sign that the device cannot run the kernel on the bench, with the reason in its tooltip.
fn not_here(ui: &mut Ui, state: &State) {
    let problem = state.found.unmeasured(&state.place.bench.variant.program).iter().find(|problem| problem.not_here);
    let Some(problem) = problem else { return };
    let color = theme::color(theme::of(ui), Hue::Store.ink());
    let why = format!("{}\n{}", problem.message, problem.hint.as_deref().unwrap_or_default());
    ui.label(RichText::new("this device cannot run the kernel").size(13.0).color(color)).on_hover_text(why);
}

fn device_name(device: &Device) -> String {
    match device.backend {
        Backend::Simt => "tracer only, nothing is timed".to_owned(),
        Backend::Wgpu if device.software => format!("{} · {} (software)", device.name, device.api),
        Backend::Wgpu | Backend::Cuda => format!("{} · {}", device.name, device.api),
    }
}

/// The summary of the kernel on the bench.
fn figures(state: &State) -> String {
    let mut parts = Vec::new();
    let traced = state.traced();
    let measured = state.found.ran(&state.place.bench.variant.program);
    let record = measured.or(traced.map(|traced| &traced.record));
    match record.and_then(|r| r.check()) {
        // Where the device did not run it, the check is of the trace.
        Some(check) if check.ok && measured.is_none() => parts.push("the tracer's result passed its check".to_owned()),
        Some(check) if check.ok => parts.push("check passed".to_owned()),
        Some(_) if state.is_untouched(&state.place.bench.variant.program) => {
            parts.push("the starter does not pass its check yet".to_owned());
        }
        Some(_) => parts.push("check FAILED: no time is shown".to_owned()),
        None => {}
    }
    if let Some(timing) = measured.and_then(|r| r.timing.as_ref()) {
        let device = state.acting_device().map(|device| device.name).unwrap_or_default();
        parts.push(format!(
            "{} on {}, p10–p90 {}–{}, n = {}, {} cache",
            si(timing.median_s, "s"),
            device.split(" (").next().unwrap_or_default(),
            si(timing.p10_s, "s"),
            si(timing.p90_s, "s"),
            timing.samples.len(),
            super::format::cache(timing.cache),
        ));
    }
    if let Some(run) = measured.and_then(|r| r.passes.first()?.library.as_ref()) {
        let library = LibraryOutput::of(run, Work::default());
        let time = library.time.as_ref().map_or_else(|| "check FAILED".to_owned(), |t| si(t.median_s, "s"));
        parts.push(format!("{}: {time}", library.words()));
    }
    let placed = measured.zip(state.ceilings()).and_then(|(record, ceilings)| {
        let Work { bytes, flops } = record.work;
        roofline::place(bytes, flops, record.timing.as_ref()?.median_s, ceilings)
    });
    if let Some(placement) = placed {
        let bound = match placement.bound {
            Bound::Memory => "a large copy",
            Bound::Compute => "multiply-adds alone",
        };
        let share = if placement.fraction > 1.0 {
            format!("{} times", digits3(placement.fraction))
        } else {
            figure(placement.fraction, "%") + " of"
        };
        parts.push(format!("{share} the speed of {bound}"));
    }
    if let Some(trace) = traced.and_then(|t| t.record.total()) {
        let warps = crate::base::units::count(trace.warps);
        let noun = if trace.warps == 1 { "warp" } else { "warps" };
        parts.push(format!("traced: {warps} {noun} of {} lanes", state.place.options.warp_width));
    }
    parts.join(" · ")
}

/// Messages that wait to be read: problems of the pack on disk, then notices.
pub fn notices(ui: &mut Ui, state: &State) -> Vec<Command> {
    let mut commands = Vec::new();
    pack_problems(ui, &state.library.problems);
    // Mistakes of a kernel that is being written are shown beside it.
    let written = state.place.bench.edit.is_some();
    let program = &state.place.bench.variant.program;
    let failed = [state.found.untraced(program, &state.place), state.found.unmeasured(program)];
    for found in failed.into_iter().filter(|_| !written) {
        // Hardware that this machine lacks needs no answer: the status line mentions it.
        for problem in found.iter().filter(|p| !p.not_here).take(2) {
            card(ui, Hue::Store, |ui| page_problem(ui, problem));
        }
    }
    for (index, notice) in state.status.notices.iter().enumerate().rev().take(4) {
        let hue = if matches!(notice, Notice::Problem(_)) { Hue::Conflict } else { Hue::Shared };
        let written = if let Notice::Wrote(files) = notice { files.as_slice() } else { &[] };
        let note = notes_of(written).last();
        card(ui, hue, |ui| {
            match notice {
                Notice::Problem(problem) => page_problem(ui, problem),
                Notice::Kept(file) => {
                    let text =
                        format!("{} has the launch in a comment now, which warpbook trace reads.", file.display());
                    ui.add(egui::Label::new(text).wrap());
                }
                Notice::Wrote(files) => {
                    let names: Vec<String> =
                        notes_of(files).filter_map(|f| Some(f.file_name()?.to_string_lossy().into_owned())).collect();
                    let folder = note.and_then(|f| f.parent()).map(|f| f.display().to_string());
                    let text = format!("Wrote {} to {}", names.join(" and "), folder.unwrap_or_default());
                    ui.add(egui::Label::new(text).wrap());
                }
            }
            if let Some(note) = note
                && ui.small_button("Open").on_hover_text("Open the note in its program").clicked()
            {
                ui.ctx().open_url(egui::OpenUrl::new_tab(file_url(note)));
            }
            if ui.small_button("Dismiss").clicked() {
                commands.push(Command::Dismiss(index));
            }
        });
    }
    commands
}

/// The pack's problems, until the learner dismisses them. A changed list is shown again.
fn pack_problems(ui: &mut Ui, problems: &[Diagnostic]) {
    const SHOWN: usize = 3;
    let dismissed = egui::Id::unique("dismissed problems");
    if problems.is_empty() || ui.data(|d| d.get_temp::<Vec<Diagnostic>>(dismissed)).is_some_and(|of| of == problems) {
        return;
    }
    for problem in problems.iter().take(SHOWN) {
        card(ui, Hue::Conflict, |ui| page_problem(ui, problem));
    }
    card(ui, Hue::Conflict, |ui| {
        if problems.len() > SHOWN {
            ui.label(format!("and {} more; `warpbook check` lists them all", problems.len() - SHOWN));
        }
        ui.label(RichText::new("The last version without errors stays on the screen.").weak());
        if ui.small_button("Dismiss").clicked() {
            ui.data_mut(|d| d.insert_temp(dismissed, problems.to_vec()));
        }
    });
}

/// Of the files that were written those to read: figures and data are beside them.
fn notes_of(files: &[PathBuf]) -> impl Iterator<Item = &PathBuf> {
    files.iter().filter(|file| file.extension().is_some_and(|of| of == "md" || of == "html"))
}

/// A file as a link names it.
fn file_url(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
    let path = path.to_string_lossy().replace('\\', "/");
    let path = path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") });
    let path = path.collect::<String>();
    if path.starts_with('/') { format!("file://{path}") } else { format!("file:///{path}") }
}

fn card(ui: &mut Ui, hue: Hue, content: impl FnOnce(&mut Ui)) {
    let theme = theme::of(ui);
    egui::Frame::new()
        .fill(theme::color(theme, Ink::Raised))
        .stroke(egui::Stroke::new(1.0, theme::color(theme, hue.ink())))
        .corner_radius(6.0)
        .inner_margin(12)
        .shadow(ui.visuals().popup_shadow)
        .show(ui, |ui| {
            ui.set_width(360.0);
            content(ui);
        });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_software_device_is_said_at_its_name_and_nowhere_else() {
        let of = |kind| Warning { kind, message: String::new(), hint: String::new() };
        let all = [WarningKind::SoftwareDevice, WarningKind::HostClock, WarningKind::Noisy].map(of);
        let kinds = |software| worth_a_sign(&all, software).map(|warning| warning.kind).collect::<Vec<_>>();
        assert_eq!(kinds(true), [WarningKind::Noisy]);
        assert_eq!(kinds(false), all.each_ref().map(|warning| warning.kind));
    }
}
