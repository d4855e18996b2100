//! The form for a kernel of the learner's own: its numbers, its buffers, and its launch.

use egui::{ComboBox, Grid, RichText, ScrollArea, TextEdit, Ui};

use super::theme;
use crate::figures::palette::{Hue, Ink};
use crate::session::desk::Command;
use crate::session::desk::KernelCommand;
use crate::session::desk::opening::Opening;
use crate::session::desk::state::State;
use crate::session::pack::my_kernel::{Begins, ElemName, Setup};

/// The width of the form, and of a field for an expression.
const WIDTH: f32 = 560.0;
const EXPRESSION: f32 = 168.0;

/// Shows the form while a kernel is being set up.
pub fn show(ui: &Ui, state: &State) -> Vec<Command> {
    let Some(opening) = &state.library.opening else { return Vec::new() };
    let mut commands = Vec::new();
    let frame = egui::Frame::popup(ui.style()).inner_margin(24);
    let modal = egui::Modal::new(egui::Id::unique("my kernel")).frame(frame).show(ui.ctx(), |ui| {
        ui.set_width(WIDTH.min(ui.ctx().content_rect().width() - 96.0));
        let title = format!("Set up a kernel of {}", opening.setup.file_name());
        ui.label(RichText::new(title).font(theme::medium(16.0)));
        if opening.names.is_empty() {
            ui.horizontal(|ui| {
                ui.spinner();
                ui.label("reading and compiling it …");
            });
        } else {
            form(ui, opening, &mut commands);
        }
        ui.add_space(8.0);
        buttons(ui, opening, &mut commands);
    });
    if modal.should_close() && !opening.is_busy {
        commands.push(Command::Kernel(KernelCommand::Close));
    }
    commands
}

/// Buttons for a kernel of the learner's, by its lesson's id. Only a list of kernels offers to `remove` it.
pub fn actions(ui: &mut Ui, id: &str, remove: bool) -> Option<Command> {
    type Action = fn(String) -> KernelCommand;
    let actions: [(&str, &str, Action); 3] = [
        ("Set up", "Change its numbers, its buffers and its launch.", KernelCommand::SetUp),
        ("Read again", "Read its file again, after it was changed elsewhere.", KernelCommand::ReadAgain),
        ("Remove", "Remove it from this list. Its file stays.", KernelCommand::Remove),
    ];
    let offered = if remove { 3 } else { 2 };
    let mut command = None;
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 8.0;
        for (name, help, of) in &actions[..offered] {
            if ui.button(RichText::new(*name).size(theme::SMALL)).on_hover_text(*help).clicked() {
                command = Some(Command::Kernel(of(id.to_owned())));
            }
        }
    });
    command
}

fn muted(ui: &Ui, text: &str) -> RichText {
    RichText::new(text).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Muted))
}

fn form(ui: &mut Ui, opening: &Opening, commands: &mut Vec<Command>) {
    let mut setup = opening.setup.clone();
    let intro = "Proposed from the launch in its file, or else from its signature. Sizes are expressions over the whole numbers that the kernel takes, and over block_x, \
                 block_y and block_z: n * n, ceil(n / block_x). Whole numbers become controls.";
    ui.add(egui::Label::new(muted(ui, intro)).wrap());
    ui.add_space(8.0);
    if opening.names.len() > 1 {
        ui.horizontal(|ui| {
            ui.label("Kernel");
            let mut chosen = setup.entry.clone();
            ComboBox::from_id_salt("kernel").selected_text(&chosen).show_ui(ui, |ui| {
                for name in &opening.names {
                    ui.selectable_value(&mut chosen, name.clone(), name);
                }
            });
            if chosen != setup.entry {
                commands.push(Command::Kernel(KernelCommand::Choose(chosen)));
            }
        });
    }
    let room = (ui.ctx().content_rect().height() - 320.0).max(160.0);
    ScrollArea::vertical().max_height(room).show(ui, |ui| {
        launch(ui, &mut setup);
        numbers(ui, &mut setup);
        buffers(ui, &mut setup);
    });
    for problem in setup.problems() {
        let color = theme::color(theme::of(ui), Hue::Conflict.ink());
        ui.add(egui::Label::new(RichText::new(problem).size(theme::SMALL).color(color)).wrap());
    }
    if setup != opening.setup {
        commands.push(Command::Kernel(KernelCommand::Edit(Box::new(setup))));
    }
}

/// A field for an expression, with its name for assistive technology.
fn expression(ui: &mut Ui, text: &mut String, name: &str) {
    let field = ui.add_sized([EXPRESSION, 26.0], TextEdit::singleline(text).font(theme::mono(theme::CODE)));
    field.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, name));
}

fn launch(ui: &mut Ui, setup: &mut Setup) {
    Grid::new("launch").num_columns(4).spacing([12.0, 6.0]).show(ui, |ui| {
        ui.label("Blocks");
        for (extent, axis) in setup.grid.iter_mut().zip(["x", "y", "z"]) {
            expression(ui, extent, &format!("blocks in {axis}"));
        }
        ui.end_row();
        if let Some(block) = &mut setup.block {
            ui.label("Threads of a block");
            for (threads, axis) in block.iter_mut().zip(["x", "y", "z"]) {
                let drag = egui::DragValue::new(threads).range(1..=1024);
                let field = ui.add_enabled_ui(!setup.is_block_fixed, |ui| ui.add_sized([EXPRESSION, 26.0], drag)).inner;
                field.widget_info(|| {
                    egui::WidgetInfo::labeled(egui::Role::SpinButton, true, format!("threads in {axis}"))
                });
            }
            ui.end_row();
            ui.label("Dynamic shared memory");
            expression(ui, &mut setup.shared, "bytes of dynamic shared memory");
            ui.label(muted(ui, "bytes"));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

fn numbers(ui: &mut Ui, setup: &mut Setup) {
    if setup.numbers.iter().all(|number| number.is_compilers) {
        return;
    }
    Grid::new("numbers").num_columns(3).spacing([12.0, 6.0]).show(ui, |ui| {
        for title in ["Number", "type", "value"] {
            ui.label(muted(ui, title));
        }
        ui.end_row();
        for number in setup.numbers.iter_mut().filter(|number| !number.is_compilers) {
            ui.label(RichText::new(&number.name).font(theme::mono(theme::CODE)));
            ui.label(muted(ui, &number.ty));
            expression(ui, &mut number.value, &format!("value of {}", number.name));
            ui.end_row();
        }
    });
    ui.add_space(8.0);
}

fn buffers(ui: &mut Ui, setup: &mut Setup) {
    Grid::new("buffers").num_columns(5).spacing([12.0, 6.0]).show(ui, |ui| {
        for title in ["Buffer", "type", "elements", "holds at first", ""] {
            ui.label(muted(ui, title));
        }
        ui.end_row();
        for buffer in &mut setup.buffers {
            ui.label(RichText::new(&buffer.name).font(theme::mono(theme::CODE)));
            ComboBox::from_id_salt(("type", &buffer.name))
                .width(64.0)
                .selected_text(format!("{:?}", buffer.elem))
                .show_ui(ui, |ui| {
                    for elem in ElemName::ALL {
                        ui.selectable_value(&mut buffer.elem, elem, format!("{elem:?}"));
                    }
                });
            expression(ui, &mut buffer.count, &format!("elements of {}", buffer.name));
            if !buffer.members.is_empty() {
                // A uniform buffer has one row per member instead of an initial fill.
                ui.label(muted(ui, "the numbers below"));
                ui.label(muted(ui, "uniform"));
                ui.end_row();
                for member in &mut buffer.members {
                    ui.label(RichText::new(&member.path).font(theme::mono(theme::CODE)));
                    ui.label(muted(ui, &member.ty));
                    expression(ui, &mut member.value, &format!("value of {}", member.path));
                    ui.end_row();
                }
                continue;
            }
            ComboBox::from_id_salt(("begins", &buffer.name)).width(96.0).selected_text(buffer.begins.words()).show_ui(
                ui,
                |ui| {
                    for begins in Begins::ALL {
                        ui.selectable_value(&mut buffer.begins, begins, begins.words());
                    }
                },
            );
            ui.label(muted(ui, if buffer.is_written { "written" } else { "read" }));
            ui.end_row();
        }
    });
}

fn buttons(ui: &mut Ui, opening: &Opening, commands: &mut Vec<Command>) {
    ui.horizontal(|ui| {
        let is_ready = !opening.is_busy && !opening.names.is_empty() && opening.setup.problems().is_empty();
        if ui.add_enabled(is_ready, egui::Button::new("Watch it")).clicked() {
            commands.push(Command::Kernel(KernelCommand::Watch));
        }
        let help = "Writes this launch as a comment into the file, where warpbook trace and this form find it.";
        let keep = egui::Button::new("Keep in its file");
        if opening.setup.is_cuda() && ui.add_enabled(is_ready, keep).on_hover_text(help).clicked() {
            commands.push(Command::Kernel(KernelCommand::Keep));
        }
        if ui.button("Cancel").clicked() {
            commands.push(Command::Kernel(KernelCommand::Close));
        }
        if opening.is_busy && !opening.names.is_empty() {
            ui.spinner();
        }
    });
}
