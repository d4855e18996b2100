//! The kernel below its source: its PTX, and its machine code by the lines that it comes from.

use std::sync::Arc;

use egui::{RichText, Sense, Ui, pos2, vec2};

use super::lit::{GUTTER, LINE, Lit, follow, grounds};
use super::theme;
use crate::base::diag::Diagnostic;
use crate::base::parts::Places;
use crate::base::units::counted;
use crate::figures::Machine;
use crate::figures::palette::Ink;
use crate::machine::{Instruction, MachineCode, Pipe, by_pipe, pipe};

/// Where a source line begins: before all that it became.
const HEADING: f32 = GUTTER - 24.0;
/// The column before an instruction that has its address.
const ADDRESS: f32 = 56.0;

/// A line with the registers and spills; its tooltip has the instructions by pipe.
pub fn summary(ui: &mut Ui, (figures, listing): &(MachineCode, Vec<Instruction>)) {
    let spills = figures.spill_store_bytes + figures.spill_load_bytes;
    let spills = if spills == 0 { "no spills".to_owned() } else { format!("spills of {spills} B") };
    let text = format!(
        "compiled for {}: {}, {} a thread, {spills}. Lit: all that the traced line became",
        figures.target,
        counted(listing.len() as u64, "instruction"),
        counted(figures.registers.into(), "register"),
    );
    let pipes: Vec<String> =
        by_pipe(listing).into_iter().map(|(pipe, count)| format!("{count} {}", pipe.words())).collect();
    let label = RichText::new(text).size(theme::SMALL).color(theme::color(theme::of(ui), Ink::Muted));
    ui.add(egui::Label::new(label).truncate()).on_hover_text(pipes.join("\n"));
}

/// The instructions, each run of them below the line that it comes from; the line under the pointer.
pub fn listing(ui: &mut Ui, listing: &[Instruction], source: &str, lit: &Lit) -> Option<u32> {
    ui.spacing_mut().item_spacing.y = 0.0;
    let (places, lines) = (Places::of(source), source.lines().collect::<Vec<_>>());
    let id = egui::Id::unique("machine line");
    let before = ui.data(|d| d.get_temp::<u32>(id));
    let grounds = grounds(theme::of(ui), lit, before);
    let (mut last, mut hovered, mut followed) = (None, None, false);
    for instruction in listing {
        let line = instruction.line;
        let ground = grounds.iter().find(|(of, _)| *of == line && line > 0).map(|(_, ground)| ground);
        let mut row = |ui: &mut Ui, text: &str, indent: f32, ink: Ink, before: Option<String>| {
            let theme = theme::of(ui);
            let font = theme::mono(13.0);
            #[expect(clippy::cast_precision_loss, reason = "the width of a line")]
            let width = ui.fonts_mut(|f| f.glyph_width(&font, '0')) * text.chars().count() as f32;
            let width = (indent + width + 16.0).max(ui.available_width());
            let (rect, response) = ui.allocate_exact_size(vec2(width, LINE), Sense::hover());
            hovered = hovered.or(response.hovered().then_some(line).filter(|line| *line > 0));
            if ui.is_rect_visible(rect) {
                if let Some(ground) = ground {
                    ui.painter().add(ground.shape(rect));
                }
                let muted = theme::color(theme, Ink::Muted);
                if let Some(before) = before {
                    let at = pos2(rect.min.x + indent - 16.0, rect.center().y);
                    ui.painter().text(at, egui::Align2::RIGHT_CENTER, before, theme::mono(12.0), muted);
                }
                let at = pos2(rect.min.x + indent, rect.center().y);
                ui.painter().text(at, egui::Align2::LEFT_CENTER, text, font, theme::color(theme, ink));
            }
            response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, text));
            rect
        };
        if last != Some(line) {
            last = Some(line);
            let text = line.checked_sub(1).and_then(|at| lines.get(at as usize)).map_or("", |text| text.trim());
            let (text, number) = match places.located(line) {
                Some((file, own)) => (format!("{}:{own}  {text}", file.rsplit('/').next().unwrap_or(file)), None),
                None if line == 0 => ("of no line".to_owned(), None),
                None => (text.to_owned(), Some(line.to_string())),
            };
            let rect = row(ui, &text, HEADING, Ink::Text, number);
            if lit.executing == Some(line) && !followed && !lit.stays {
                followed = true;
                follow(ui, rect, ("machine code".to_owned(), line), egui::Align::Center);
            }
        }
        for label in &instruction.labels {
            row(ui, &format!("{label}:"), GUTTER + ADDRESS - 16.0, Ink::Muted, None);
        }
        let address = format!("{:04x}", instruction.address);
        row(ui, &instruction.text, GUTTER + ADDRESS, ink(instruction.opcode()), Some(address));
    }
    ui.data_mut(|d| match hovered {
        Some(line) => drop(d.insert_temp(id, line)),
        None => drop(d.remove_temp::<u32>(id)),
    });
    hovered
}

/// The answer once it is there; until then that it is worked out, or why there is none.
pub fn ready<'a>(ui: &mut Ui, machine: Option<Result<&'a Arc<Machine>, &[Diagnostic]>>) -> Option<&'a Machine> {
    match machine {
        Some(Ok(machine)) => Some(machine),
        Some(Err(why)) => {
            why.iter().take(1).for_each(|problem| failed(ui, problem));
            None
        }
        None => {
            super::empty::show(ui, "The kernel is being compiled.");
            None
        }
    }
}

/// Why there is no machine code.
pub fn failed(ui: &mut Ui, problem: &Diagnostic) {
    super::empty::show(ui, &problem.to_string().replace("error: ", ""));
}

/// Accesses have the colours that they have on the stage.
fn ink(opcode: &str) -> Ink {
    match (pipe(opcode), opcode) {
        (_, "LDG" | "LDGSTS" | "UTMALDG" | "UBLKCP" | "LD") => Ink::Load,
        (_, "STG" | "ST" | "UTMASTG") => Ink::Store,
        (_, "ATOM" | "ATOMG" | "RED" | "REDG" | "UTMAREDG") => Ink::Atomic,
        (_, "LDS" | "STS" | "LDSM" | "STSM" | "ATOMS") => Ink::Shared,
        (_, "LDL" | "STL") => Ink::Conflict,
        (Pipe::Tensor, _) => Ink::Accent,
        _ => Ink::Text,
    }
}
